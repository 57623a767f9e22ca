"""Ask: transformers that were trained once, run in the page on the reader's own prompt."""

from typing import Any

import torch
import traitlets
from linear_icl import estimators, lsa
from linear_icl.prompts import Prompts
from torch import Tensor

from . import transformer
from .explorable import Explorable, digits
from .gaussians import gaussians
from .states import Moves, Number, Whole

TRAINED = 8  # examples in training
POINTS = (0.55, -0.6, 0.9, -1.3, 1.25, -0.25, 0.2, -0.95, 1.6)


class Ask(Explorable):
    """M examples of dimension one, and what trained transformers answer to every question x.

    Three runs of the recipe d1-fixed, which differ in their random start and in their prompts, were
    recorded; the page carries their weights and runs them. Drawn beside them are one gradient step,
    the best one for prompts of eight points of variance one, least squares, and the truth: w x,
    left of zero (1 - 2 ``bend``) w x.

    ``M`` may be nine, one more than in training; ``scale`` multiplies x and y of the examples, so
    that they keep their line; ``seed`` 0 has points chosen by hand, others draw them from N(0, 1).
    ``order`` 0 tells the examples as they are numbered, another number shuffles them.
    ``moved`` holds index, x, y of each example that was moved, before scaling. ``start`` is the run
    that is drawn thick and asked at ``query``; ``look`` the head whose attention is shown, first
    those of the first block, or 0.
    """

    kind = "ask"
    pictured = (
        "Examples on a line through zero. The curve of the transformer's answers follows them "
        "where training asked its questions, as least squares does; the line of one step is "
        "flatter."
    )
    seed = Whole(0, 0, 9999, "which points; 0 is chosen by hand")
    M = Whole(8, 1, transformer.LONGEST, "examples in the prompt")
    w = Number(1.0, -1.3, 1.3, "slope of the truth")
    scale = Number(1.0, 1, 2, "how far the examples are stretched")
    bend = Number(0.0, 0, 1, "how far the truth is bent at zero")
    query = Number(2.0, -4, 4, "where the transformer is asked")
    start = Whole(0, 0, 2, "which of the three recorded runs")
    look = Whole(0, 0, 4, "the head whose attention is shown, or 0")
    order = Whole(0, 0, 9999, "of the examples; 0 is as they are numbered, others shuffle them")
    moved = Moves(-4, 4, transformer.LONGEST)
    weights = traitlets.Dict(help="of the recorded runs").tag(sync=True, carried=True)

    @traitlets.default("weights")
    def _weights(self) -> dict[str, Any]:
        return transformer.carried()

    def rule(self, x: Tensor) -> Tensor:
        """The true label of x."""
        return self.w * torch.where(x < 0, 1 - 2 * self.bend, 1.0) * x

    def told_in(self) -> list[int]:
        """Which example the transformers are told first, which second, up to the M-th."""
        drawn = gaussians(self.order, self.M) if self.order else [0.0] * self.M
        return sorted(range(self.M), key=drawn.__getitem__)

    def context(self) -> Prompts:
        """The examples for the package: x (1, M, 1), y (1, M), in the order in which they are told,
        the question and what is true."""
        own = gaussians(self.seed, transformer.LONGEST) if self.seed else POINTS
        x = torch.tensor(own, dtype=torch.float64)
        y = self.rule(x)
        for k in range(0, len(self.moved), 3):
            x[int(self.moved[k])], y[int(self.moved[k])] = self.moved[k + 1 : k + 3]
        order = self.told_in()
        x, y = self.scale * x[order], self.scale * y[order]
        query = torch.tensor([self.query], dtype=torch.float64)
        return Prompts(x[None, :, None], y[None], query[None], self.rule(query))

    def answers(self) -> dict[str, Any]:
        """What the three transformers, one step and least squares answer, and the truth."""
        prompt = self.context()
        step = lsa.LinearSelfAttention(*lsa.limit_weights([[1.0]], TRAINED)).double()
        with torch.no_grad():
            return {
                "transformers": [float(one.predict(prompt)) for one in transformer.models()],
                "step": float(step.predict(prompt)),
                "squares": float(estimators.ols(prompt)),
                "rule": float(prompt.y_query),
            }

    def attention(self) -> Tensor:
        """How the question shares its attention among the examples, as they are numbered, and
        itself, in the run that is drawn thick, (heads of both blocks, M + 1)."""
        x, y, query, _ = self.context()
        model = transformer.models()[self.start]
        rows = transformer.attention(model, x[0, :, 0], y[0], query[0, 0]).flatten(0, 1)
        order = self.told_in()
        return rows[:, [*map(order.index, range(self.M)), self.M]]

    def told(self) -> str:
        said = self.answers()
        runs = ", ".join(map(digits, said["transformers"]))
        rest = {"one step": "step", "least squares": "squares", "the truth": "rule"}
        others = ", ".join(f"{name} {digits(said[key])}" for name, key in rest.items())
        return (
            f"{self.M} examples. Asked at x = {digits(self.query)}, the three transformers answer "
            f"{runs}; {others}."
        )
