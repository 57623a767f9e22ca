"""Bill: two variances share one step, and what each of them pays."""

import torch
from linear_icl.random_covariance import MixtureCovariance
from linear_icl.risk import risk_curve
from torch import Tensor

from .explorable import Explorable, digits
from .states import Number, Numbers

ENDLESS = 10**13  # points a prompt in training: the step is its limit but for some 1e-13


class Bill(Explorable):
    """One step for two ``variances``, in endless contexts without noise.

    ``share`` of the prompts have the first variance along an axis, the others the second; the step
    ``alpha`` is the same for both. Relative to silence it leaves (αλ - 1)² along a variance λ, and
    silence costs λ there. Training ends at E λ²/E λ³.
    """

    kind = "bill"
    pictured = (
        "Left what one step leaves along each variance: a curve that touches zero at one "
        "variance only. Right two boxes as wide as what silence costs there, filled as high "
        "as what is left."
    )
    variances = Numbers([2.0, 0.5], 0.1, 4, "the two variances", lengths=[2])
    share = Number(0.5, 0.02, 0.98, "share of the prompts with the first variance")
    alpha = Number(0.8, 0.25, 4, "the step; 1/α is the variance that it is right for")

    def best(self) -> float:
        """The step that training on such prompts ends at."""
        covariances = torch.tensor(self.variances, dtype=torch.float64).reshape(2, 1, 1)
        weights = torch.tensor([self.share, 1 - self.share], dtype=torch.float64)
        return float(MixtureCovariance(covariances, weights, length=ENDLESS).target)

    def left(self, alpha: float | None = None) -> list[float]:
        """What the step, by default ``alpha``, leaves along the first variance, along the second,
        and in all, relative to silence."""
        step = torch.tensor([[self.alpha if alpha is None else alpha]], dtype=torch.float64)
        floors = [_floor(value, step) for value in self.variances]
        bills = [p * v for p, v in zip((self.share, 1 - self.share), self.variances, strict=True)]
        each = [floor / value for floor, value in zip(floors, self.variances, strict=True)]
        paid = sum(bill * part for bill, part in zip(bills, each, strict=True))
        return [*each, paid / sum(bills)]

    def told(self) -> str:
        first, second, both = self.left()
        return (
            f"The step {digits(self.alpha)} leaves {digits(first)} of the risk of silence along "
            f"the variance {digits(self.variances[0])}, {digits(second)} along "
            f"{digits(self.variances[1])}, together {digits(both)}. The best step is "
            f"{digits(self.best())} and leaves {digits(self.left(self.best())[2])}."
        )


def _floor(value: float, step: Tensor) -> float:
    """The risk of this step on endless contexts of one variance."""
    covariance = torch.tensor([[value]], dtype=torch.float64)
    return float(risk_curve(covariance, None, preconditioner=step).floor)
