"""Hero: the first figure of the book, a trained layer that reads examples."""

import torch
from linear_icl import estimators, lsa
from linear_icl.prompts import Prompts

from .explorable import Explorable, digits
from .states import Moves, Number, Whole

EXAMPLES = (0.5, -0.7, 0.9, -1.1, 1.2, -1.3)


class Hero(Explorable):
    """Examples of the rule y = x, and the line on which a layer answers after the first M of them.

    The layer has the weights at which training ends, for prompts of N points of variance one.
    ``scale`` multiplies x and y of the examples, so that they keep their rule; ``moved`` holds
    index, x, y of each that was moved, before that. ``query`` is where the layer is asked.
    """

    kind = "hero"
    pictured = (
        "Examples on a line through the origin. The line of the trained layer has turned "
        "towards it while its weights stayed the same; least squares lies on it."
    )
    M = Whole(6, 1, len(EXAMPLES), "how many examples are read")
    N = Whole(20, 1, 256, "length in training")
    scale = Number(1.0, 1, 2, "how far the examples are stretched")
    query = Number(2.6, -4.4, 4.4, "where the layer is asked")
    moved = Moves(-4, 4, len(EXAMPLES))

    def context(self) -> Prompts:
        """The examples for the package: x (1, M, 1), y (1, M), the query and what the rule says."""
        places = [[x, x] for x in EXAMPLES]
        for k in range(0, len(self.moved), 3):
            places[int(self.moved[k])] = self.moved[k + 1 : k + 3]
        x, y = self.scale * torch.tensor(places[: self.M], dtype=torch.float64).mT
        query = torch.tensor([self.query], dtype=torch.float64)
        return Prompts(x[None, :, None], y[None], query[None], query)

    def slopes(self) -> dict[str, float]:
        """The slopes of the lines on which the trained layer and least squares answer."""
        prompt = self.context()._replace(x_query=torch.ones(1, 1, dtype=torch.float64))
        layer = lsa.LinearSelfAttention(*lsa.limit_weights([[1.0]], self.N)).double()
        with torch.no_grad():
            answers = {
                "trained layer": layer.predict(prompt),
                "least squares": estimators.ols(prompt),
            }
        return {name: float(answer) for name, answer in answers.items()}

    def told(self) -> str:
        slopes = ", ".join(f"{name} {digits(slope)}" for name, slope in self.slopes().items())
        read = "example read" if self.M == 1 else "examples read"
        return f"{self.M} {read}, 0 weights changed. Slopes: the rule 1, {slopes}."
