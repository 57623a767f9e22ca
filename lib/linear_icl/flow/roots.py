"""Many roots of increasing functions on [0, 1] at once."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def bracketed(f: Callable[[Tensor], tuple[Tensor, Tensor]], x: Tensor) -> Tensor:
    """Roots of elementwise increasing f on [0, 1] by Newton from x, bisecting where it leaves.

    f(x) is (values, slopes).  Where f has one sign on [0, 1] the end nearer to a root is returned.
    """
    low, high = torch.zeros_like(x), torch.ones_like(x)
    for _ in range(40):
        value, slope = f(x)
        low, high = torch.where(value <= 0, x, low), torch.where(value >= 0, x, high)
        newton = x - value / slope
        inside = (newton > low) & (newton < high)
        # The ends themselves are allowed once a bracket has closed in on them.
        new = torch.where(inside, newton, torch.where(value == 0, x, (low + high) / 2))
        moved = (new - x).abs()
        x = new
        if bool((moved <= 1e-12).all()):
            break
    return x
