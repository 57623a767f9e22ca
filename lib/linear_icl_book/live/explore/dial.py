"""Dial: how far to trust what a prompt shows, as a regression line and as a parabola."""

import torch
import traitlets
from linear_icl.risk import linear_risk
from torch import Tensor

from .explorable import Explorable, digits
from .gaussians import gaussians
from .states import Names, Number, Whole

PANELS = {
    "dots": "a cloud of prompts, across what they show and up what is true, with a line through it",
    "risk": "the parabola of the risk against the share of the way, with the point of the step",
}  # what is to be seen


class Dial(Explorable):
    """B prompts as dots (m, w) with the line w = alpha m, and the risk of the share of the way.

    Points have variance one in training, so the step alpha goes the share alpha of the way; at test
    they are c = ``scale`` times as wide, and it goes c² alpha. ``N`` points a prompt in training,
    ``M`` at test. The dots are of dimension one; the parabola is that of Λ = I in ``d`` dimensions,
    relative to the learner that answers zero. ``show``: dots, risk. ``controls``: the sliders.
    """

    kind = "dial"
    seed = Whole(0, 0, 9999, "which prompts")
    alpha = Number(1.0, 0, 1.6, "the step: the slope of the line")
    N = Whole(2, 1, 32, "points a prompt in training")
    B = Whole(200, 5, 2000, "prompts in training")
    M = Whole(2, 1, 256, "points of a prompt at test")
    scale = Number(1.0, 0.5, 2, "scale of the points at test")
    d = Whole(1, 1, 8, "dimension of the parabola")
    show = Names(["dots", "risk"], ("dots", "risk"), "panels")
    controls = Names(["N", "B", "M"], ("N", "B", "M", "scale", "d"), "sliders")

    @traitlets.default("alt")
    def _alt(self) -> str:
        places = ("left ", "right ") if len(self.show) > 1 else ("",)
        seen = zip(places, self.show, strict=False)
        return " ".join(f"{place}{PANELS[name]}.".capitalize() for place, name in seen)

    def prompts(self) -> Tensor:
        """The dots (B, 3): what each prompt shows m, what is true w, and its query."""
        z = torch.tensor(gaussians(self.seed, self.B * (self.N + 2)), dtype=torch.float64)
        w, query, *_ = (z := z.reshape(self.B, -1)).unbind(1)
        return torch.stack([w * z[:, 2:].square().mean(1), w, query], 1)

    def fitted(self) -> float:
        """The best step on these prompts: the regression of wx_q on mx_q."""
        m, w, query = self.prompts().unbind(1)
        return float(torch.linalg.lstsq((m * query)[:, None], (w * query)[:, None]).solution)

    def risk(self) -> float:
        """The risk of the step at test, relative to that of silence."""
        width = self.scale**2 * torch.eye(self.d, dtype=torch.float64)
        step = self.alpha * torch.eye(self.d, dtype=torch.float64)
        return float(linear_risk(width, None, self.M, preconditioner=step) / width.trace())

    def told(self) -> str:
        found = (
            f"A step of {digits(self.alpha)} on {self.M} points has {digits(self.risk())} of the "
            "risk of silence. The best step on "
        )
        if "dots" not in self.show:
            endless = digits(self.N / (self.N + self.d + 1))
            return f"{found}endlessly many prompts of {self.N} points is {endless}."
        return (
            f"{found}these {self.B} prompts of {self.N} points is "
            f"{digits(self.fitted())}, on endlessly many {digits(self.N / (self.N + 2))}."
        )
