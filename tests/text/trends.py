"""Whether numbers fall or rise: exactly, or but for rounding."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from torch import Tensor


def falls(values: Iterable[Any]) -> bool:
    """Each is less than the one before."""
    return all(after < before for before, after in pairwise(values))


def rises(values: Iterable[Any]) -> bool:
    return falls(-value for value in values)


def descends(values: Tensor) -> bool:
    """Along the last axis, but for rounding, and from the first to the last in any case."""
    return bool((values.diff() < 1e-12).all() and (values[..., -1] < values[..., 0]).all())


def ascends(values: Tensor) -> bool:
    return descends(-values)
