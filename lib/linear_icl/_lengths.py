"""Context lengths, one or many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from . import _checks
from ._types import Count

if TYPE_CHECKING:
    from collections.abc import Sequence

    Lengths: TypeAlias = Count | Sequence[int] | range | np.ndarray | Tensor
else:
    Lengths: TypeAlias = Any  # judged by `lengths`


def lengths(name: str, value: Lengths, like: Tensor) -> Tensor:
    """Integers >= 1 as floating-point numbers on ``like``'s device: (), or (n,) for many.

    One integer, or a range, list, array or tensor of integers with one axis. As for
    :func:`linear_icl._checks.length`, 3.0 and True are no lengths: both are slips.
    """
    if isinstance(value, Tensor):
        array = value.detach().cpu().numpy() if _checks.readable(value) else np.zeros(0)
    else:
        try:
            array = np.asarray(value)
        except ValueError:  # ragged
            array = np.zeros((0, 0))
    if array.ndim == 0:
        one: Any = array.item()
        return torch.tensor(_checks.length(name, one), dtype=like.dtype, device=like.device)
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.size == 0 or array.min() < 1:
        got = " ".join(repr(value).split())
        raise ValueError(
            f"{name} must be an integer >= 1 or a list of such, got "
            f"{got if len(got) <= 60 else got[:57] + '...'}; write e.g. torch.arange(1, 201)"
        )
    return torch.tensor(array, dtype=like.dtype, device=like.device)


def along(value: Tensor, steps: Tensor) -> Tensor:
    """``value`` with an axis for the lengths last, if there are many of them."""
    return value.unsqueeze(-1) if steps.ndim else value


def finite(name: str, value: Tensor) -> Tensor:
    """``value``, unless rounding ran out of range: moments of sixth order overflow early."""
    if _checks.readable(value) and not torch.isfinite(value).all():
        worst = value[~torch.isfinite(value)].flatten()[0].item()
        raise ValueError(f"{name} must be finite, got {worst}; measure x or y in other units")
    return value
