"""OnePass: two examples go through one layer of linear attention, block by block."""

import torch
from linear_icl import lsa
from linear_icl.prompts import Prompts

from .explorable import Explorable, digits
from .states import Names, Number, Numbers

#: The pairs of blocks, key and value, by what they compare and what they copy.
PAIRS = {
    "points, points": ("U", "u12"),
    "points, labels": ("U", "u"),
    "labels, points": ("u21", "u12"),
    "labels, labels": ("u21", "u"),
}
#: Which of the two weight matrices has the block, and where.
PLACES = {"U": (0, 0, 0), "u21": (0, 1, 0), "u12": (1, 1, 0), "u": (1, 1, 1)}


class OnePass(Explorable):
    """A prompt of two examples in dimension one, and what a layer makes of it.

    ``points`` holds x₁, y₁, x₂, y₂; labels are multiplied by ``k``, and the layer is asked at
    ``query``. ``U`` and ``u21`` are its keys, which compare points and labels with the query, ``u``
    and ``u12`` its values, which copy labels and points. ``controls``: the sliders.
    """

    kind = "one_pass"
    pictured = (
        "Left two examples and a query, with the curve of the answers to all queries. Right a "
        "bar for what each pair of key and value says, and the bar of their sum."
    )
    points = Numbers([2.0, 4.0, -1.0, -2.0], -6, 6, "x, y of both examples", lengths=[4])
    query = Number(1.0, -3.3, 3.3, "where the layer is asked")
    k = Number(1.0, -2, 2, "factor of all labels")
    U = Number(0.5, -2, 2, "the key that compares points")
    u = Number(1.0, -2, 2, "the value that copies labels")
    u12 = Number(1.0, -2, 2, "the value that copies points")
    u21 = Number(0.5, -2, 2, "the key that compares labels")
    controls = Names(["k"], ("k", *PLACES), "sliders")

    def context(self) -> Prompts:
        """The prompt for the package: x (1, 2, 1), y (1, 2), the query with 0 for its label."""
        x, y = torch.tensor(self.points, dtype=torch.float64).reshape(2, 2).mT
        query = torch.tensor([self.query], dtype=torch.float64)
        return Prompts(x[None, :, None], self.k * y[None], query[None], 0 * query)

    def answer(self, *blocks: str) -> float:
        """The layer's answer, or that of the layer with these blocks only."""
        weights = torch.zeros(2, 2, 2, dtype=torch.float64)
        for name in blocks or PLACES:
            weights[PLACES[name]] = getattr(self, name)
        return lsa.LinearSelfAttention(*weights).predict(self.context()).item()

    def terms(self) -> dict[str, float]:
        """What each pair of blocks adds to the answer."""
        return {name: self.answer(*pair) for name, pair in PAIRS.items()}

    def told(self) -> str:
        terms = ", ".join(f"({name}) {digits(term)}" for name, term in self.terms().items())
        return f"Compared and copied: {terms}. Answer {digits(self.answer())}."
