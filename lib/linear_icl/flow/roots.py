"""Many roots of increasing functions on [0, 1] at once."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

# Bisection alone needs 40 steps to CLOSE.
STEPS, CLOSE = 60, 1e-12


def bracketed(f: Callable[[Tensor], tuple[Tensor, Tensor]], x: Tensor) -> Tensor:
    """Roots of elementwise increasing f on [0, 1] by Newton from x.

    It bisects where Newton leaves the bracket or does not halve |f|.  f(x) is (values, slopes).
    Where f has one sign on [0, 1] the end nearer to a root is returned.
    """
    low, high = torch.zeros_like(x), torch.ones_like(x)
    before = torch.full_like(x, torch.inf)
    for _ in range(STEPS):
        value, slope = f(x)
        low, high = torch.where(value <= 0, x, low), torch.where(value >= 0, x, high)
        newton = x - value / slope
        gains = (value.abs() <= before / 2) | ((newton - x).abs() <= CLOSE)
        inside = (newton >= low) & (newton <= high) & gains
        before = value.abs()
        new = torch.where(inside, newton, torch.lerp(low, high, 0.5))
        moved = (new - x).abs()
        x = new
        if bool((moved <= CLOSE).all()):
            break
    return x
