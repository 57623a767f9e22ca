"""Monte Carlo with its standard error, which is what any comparison is judged by."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from . import _checks
from ._types import ArrayLike, Count, Generator


@dataclass(frozen=True)
class Estimate:
    """A sample mean, its standard error (of the mean, not of one draw), the number of draws."""

    mean: float
    standard_error: float
    count: int

    def z(self, value: ArrayLike) -> float:
        """(mean - value)/standard_error: about N(0, 1) if ``value`` is the true mean.

        Draws without spread give 0 for their own value and ±inf for any other. Raises ValueError
        unless ``value`` is one number.
        """
        difference = self.mean - _checks.tensor("value", value, shape=()).item()
        if self.standard_error == 0:
            return 0.0 if difference == 0 else math.copysign(math.inf, difference)
        return difference / self.standard_error


def estimate(
    draw: Callable[[int, torch.Generator], Tensor],
    *,
    count: Count,
    batch: Count,
    generator: Generator,
) -> Estimate:
    """Mean of ``count`` independent draws, at most ``batch`` at a time.

    ``draw(size, generator)`` is handed a torch.Generator and returns a tensor (size,). Batches, the
    last one possibly smaller, are merged through their means and sums of squared deviations in
    float64, so a large mean does not swallow the variance. Raises ValueError for counts below 1
    (two at least, for an error), a missing generator, or draws of another shape or not finite.
    Chan, Golub & LeVeque (1983), the pairwise update.
    """
    total, size = _checks.length("count", count), _checks.length("batch", batch)
    if total < 2:
        raise ValueError(f"count must be >= 2, got {total}; one draw has no standard error")
    drawn = _checks.seeded("generator", generator)
    done, mean, squares = 0, 0.0, 0.0
    while done < total:
        n = min(size, total - done)
        values = _checks.tensor("draws", draw(n, drawn), shape=(n,)).detach().double()
        average = values.mean()
        difference = average.item() - mean
        squares += (values - average).square().sum().item() + difference**2 * done * n / (done + n)
        mean += difference * n / (done + n)
        done += n
    return Estimate(mean, math.sqrt(squares / (total - 1) / total), total)
