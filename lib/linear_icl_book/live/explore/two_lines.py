"""TwoLines: a layer of dimension one as a product of two lines, against the block's one line."""

import torch
from linear_icl import ltb
from linear_icl.prompts import Prompts
from linear_icl.settings import Setting
from torch import Tensor

from .explorable import Explorable, digits
from .gaussians import gaussians
from .states import Number, Whole

CONTEXTS = 12


class TwoLines(Explorable):
    """What a layer and the best block answer to each task, given one context without noise.

    Dimension one, points of variance one, tasks w ~ N(``beta``, 1). A context of mean square ``S``
    makes the layer answer the slope S (w - ``root``)(``U`` + ``u21`` w): weights u₁₂ = -root, u = 1
    in the values, U, u₂₁ in the keys. The block answers beta + S M/(M+2) (w - beta). Faint: what
    they answer in twelve contexts of ``M`` points drawn with ``seed``.
    """

    kind = "two_lines"
    pictured = (
        "Left, across the slope that is true and up the slope that is answered: two thin "
        "lines, their product as an orange curve for the layer, a blue line for the block, and "
        "faint copies for other contexts; all blue lines pass through one point on the "
        "diagonal. Right, bars for the risks of silence, this layer, the best layer and the "
        "block."
    )
    seed = Whole(0, 0, 9999, "which contexts")
    S = Number(1.0, 0, 3, "mean square of the points; 0 is an empty context")
    beta = Number(2.0, 0, 3, "mean of the tasks")
    M = Whole(8, 1, 64, "points in a context")
    root = Number(0.0, -3, 6, "where the first line is zero")
    U = Number(0.5, -1.5, 1.5, "height of the second line at w = 0")
    u21 = Number(0.2, -0.6, 0.6, "slope of the second line")

    def setting(self) -> Setting:
        """The law of the prompts, for the package."""
        return Setting([[1.0]], [[1.0]], [self.beta], 0.0, self.M)

    def risks(self) -> dict[str, float]:
        """The exact risks of silence, this layer, the best layer and the best block."""
        case = self.setting()
        return {
            "silence": 1 + self.beta**2,
            "this layer": float(ltb.risk(case, self.layer().reduced()).detach()),
            "best layer": float(ltb.infimum(case) + ltb.no_mixing_gap(case)),
            "block": float(ltb.infimum(case)),
        }

    def answers(self, w: float) -> tuple[float, float]:
        """The slopes that layer and block answer to the task w, read off their predictions."""
        one = torch.ones(1, dtype=torch.float64)
        x = self.S**0.5 * torch.ones(1, self.M, 1, dtype=torch.float64)
        prompt = Prompts(x, w * x[..., 0], one[None], one)
        layer, block = (float(net.predict(prompt).detach()) for net in (self.layer(), self.block()))
        return layer, block

    def layer(self) -> ltb.LinearTransformerBlock:
        """The layer with these two lines."""
        keys = torch.tensor([[self.U, 0.0], [self.u21, 0.0]], dtype=torch.float64)
        values = torch.tensor([[0.0, 0.0], [-self.root, 1.0]], dtype=torch.float64)
        return ltb.LinearTransformerBlock.attention_only(keys, values)

    def block(self) -> ltb.LinearTransformerBlock:
        """The best block: one step from the mean."""
        mean = torch.tensor([self.beta], dtype=torch.float64)
        step = torch.tensor([[self.M / (self.M + 2)]], dtype=torch.float64)
        return ltb.LinearTransformerBlock(*ltb.weights_for_gd_beta(mean, step))

    def squares(self) -> Tensor:
        """S of each of the faint contexts, (12,)."""
        z = torch.tensor(gaussians(self.seed, CONTEXTS * self.M), dtype=torch.float64)
        return z.reshape(CONTEXTS, self.M).square().mean(1)

    def told(self) -> str:
        layer, block = self.answers(self.beta)
        risks = ", ".join(f"{name} {digits(risk)}" for name, risk in self.risks().items())
        return (
            f"A context with S = {digits(self.S)}: to the mean task {digits(self.beta)} the layer "
            f"answers {digits(layer)}, the block {digits(block)}. Risks: {risks}."
        )
