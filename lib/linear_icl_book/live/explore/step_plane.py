"""StepPlane: this context's bowl over w, and where each learner's step ends."""

import math
from collections.abc import Callable
from typing import Any

import torch
from linear_icl import estimators, lsa
from linear_icl.prompts import Prompts
from torch import Tensor

from .explorable import Explorable, digits
from .gaussians import gaussians
from .states import Moves, Names, Number, Numbers, Whole

POINTS = 40
BY_HAND = ((2.0, 0.0), (1.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
LEARNERS = {
    "silence": "silence",
    "squares": "least squares",
    "plain": "plain step",
    "trained": "trained step",
    "descent": "several steps",
    "bayes": "Bayes",
}
CONTROLS = ("M", "N", "noise", "scale", "turn", "layers", "start")
LAMBDA = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))


class StepPlane(Explorable):
    """A context of M points and the plane of w, over which its squared error is a bowl.

    The points are drawn with ``seed`` from N(0, Λ), Λ = diag(2, ½), turned by ``turn`` degrees and
    multiplied by ``scale``; seed 0 begins with the four points that chapter 1 works by hand. Labels
    are wᵀx plus ``noise`` (a standard deviation) times a standard draw. ``moved`` holds index, x₁,
    x₂ of each point that was moved, before turning and scaling.

    Learners in ``show``: silence, squares (least squares), plain (one step of size 1), trained (the
    step with Γ⁻¹ of training at length N, label noise of variance ``trained_noise``; or with the
    matrix ``step``, its four numbers by rows), descent (``layers`` such steps), bayes. Steps begin
    at ``start``. ``controls``: the sliders, and "start" for a start that is dragged.
    """

    kind = "step_plane"
    pictured = (
        "Left the points of a context. Right the plane of w with the context's squared error "
        "as a bowl, and arrows to where one plain step and the trained step end."
    )
    seed = Whole(0, 0, 9999, "which context; 0 is chapter 1's")
    M = Whole(4, 1, POINTS, "points in the context")
    N = Whole(8, 1, 256, "length in training")
    noise = Number(0.0, 0, 2, "standard deviation of the labels' noise")
    scale = Number(1.0, 0.5, 2, "scale of the points")
    turn = Number(0.0, 0, 90, "turn of the points, in degrees")
    layers = Whole(1, 1, 12, "how many steps")
    w = Numbers([1.0, 1.0], -2.8, 2.8, "the true task", lengths=[2])
    start = Numbers([0.0, 0.0], -2.8, 2.8, "where steps begin", lengths=[2])
    query = Numbers([-1.0, 2.5], -4.4, 4.4, "the query", lengths=[2])
    moved = Moves(-9, 9, POINTS)
    show = Names(["silence", "squares", "plain", "trained"], tuple(LEARNERS), "learners")
    controls = Names(["M", "N", "noise"], CONTROLS, "sliders")
    step = Numbers([], -9, 9, "a step matrix by rows, or none", lengths=[0, 4])
    trained_noise = Number(0.0, 0, 99, "variance of the label noise in training")

    def context(self) -> Prompts:
        """What the reader sees, for the package: x (1, M, 2), y (1, M), the query and its label."""
        z = torch.tensor(gaussians(self.seed, 3 * POINTS), dtype=torch.float64).reshape(POINTS, 3)
        base = z[:, :2] @ LAMBDA.sqrt()
        if self.seed == 0:
            base[: len(BY_HAND)] = torch.tensor(BY_HAND, dtype=torch.float64)
        for k in range(0, len(self.moved), 3):
            base[int(self.moved[k])] = torch.tensor(self.moved[k + 1 : k + 3], dtype=torch.float64)
        x = base[: self.M] @ self.spread().mT
        w, query = torch.tensor([self.w, self.query], dtype=torch.float64)
        y = x @ w + self.noise * z[: self.M, 2]
        return Prompts(x[None], y[None], query[None], (query @ w)[None])

    def spread(self) -> Tensor:
        """What turns and scales the points as drawn, (2, 2)."""
        angle = math.radians(self.turn)
        turned = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        return self.scale * torch.tensor(turned, dtype=torch.float64)

    def matrix(self) -> Tensor:
        """The step matrix of the trained layer, (2, 2): (Γ + trained_noise/N I)⁻¹, or ``step``."""
        if self.step:
            return torch.tensor(self.step, dtype=torch.float64).reshape(2, 2)
        noise = self.trained_noise / self.N * torch.eye(2, dtype=torch.float64)
        inverse: Tensor = torch.linalg.inv(lsa.gamma(LAMBDA, self.N) + noise)
        return inverse

    def estimates(self) -> dict[str, Tensor]:
        """Each shown learner's estimate of w, (2,), read off its predictions."""
        prompt, start = self.context(), torch.tensor(self.start, dtype=torch.float64)
        x, y = prompt.x.expand(2, -1, -1), prompt.y.expand(2, -1)
        unit = torch.eye(2, dtype=torch.float64)
        both = Prompts(x, y, unit, unit[0])
        rest = both._replace(y=y - x @ start)
        steps: Any = estimators.gradient_descent
        learners: dict[str, Callable[[], Tensor]] = {
            "silence": lambda: estimators.zero(both),
            "squares": lambda: estimators.ols(both),
            "plain": lambda: start + steps(rest, 1, step_size=1.0),
            "trained": lambda: start + steps(rest, 1, preconditioner=self.matrix()),
            "descent": lambda: start + steps(rest, self.layers, preconditioner=self.matrix()),
            "bayes": lambda: estimators.bayes(both, noise_variance=self.noise**2),
        }
        return {name: learners[name]() for name in LEARNERS if name in self.show}

    def table(self) -> dict[str, tuple[float, float]]:
        """What the page's table says of each learner: its answer to the query, and its error
        (v - w)ᵀC(v - w) on new points of the law of these, C = Λ turned and scaled."""
        w, query = torch.tensor([self.w, self.query], dtype=torch.float64)
        law = self.spread() @ LAMBDA @ self.spread().mT
        rows = {"truth": w, **self.estimates()}
        return {
            name: (float(v @ query), float((v - w) @ law @ (v - w))) for name, v in rows.items()
        }

    def told(self) -> str:
        names = {"truth": "true w", **LEARNERS, "descent": f"{self.layers} steps"}
        shown = [
            f"{names[name]} {digits(answer)} ({digits(error)})"
            for name, (answer, error) in self.table().items()
        ]
        return (
            f"{self.M} points, length in training {self.N}. "
            f"Answers to the query, and errors on new points: {', '.join(shown)}."
        )
