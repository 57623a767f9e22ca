"""Words of direction of the page on the package."""

from __future__ import annotations

import torch
from linear_icl import gd_beta, ltb

NUMBERS: dict[str, float] = {}


def excess(noise: float, length: int) -> tuple[float, float, float]:
    """In dimension one: sampled by the package, its standard error, and over the χ² of Σx²."""
    draw = gd_beta.bayes_excess(ltb.Setting([[1.0]], [[1.0]], [2.0], noise, length))
    found = draw(4000, torch.Generator().manual_seed(1))
    size = torch.linspace(0, 40 + 4 * length, 40_001, dtype=torch.float64)[1:]
    weight = ((length / 2 - 1) * size.log() - size / 2).exp()
    exact = (weight / (1 + size / noise)).sum() / weight.sum()  # of the posterior's variance
    return float(found.mean()), float(found.std() / 4000**0.5), float(exact)


CLAIMS = {
    "is its risk above the noise": all(
        abs(found - exact) < 3 * error and exact < noise
        for noise, length in ((0.1, 4), (1.0, 8), (3.0, 40))
        for found, error, exact in [excess(noise, length)]
    ),
}
