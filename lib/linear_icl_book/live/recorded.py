"""Results that were computed before, as the function of a live figure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import real
from .axis import Axis

Recorded = Callable[..., dict[str, Any]]


def lookup(grid: Mapping[str, Any], axes: Sequence[Axis]) -> Recorded:
    """The function that looks its answer up in `grid`, {series: array, or a pair of arrays}, each
    array (len(axis 1), …, len(axis k), …) with the axes of the figure in front.

    Raises ValueError for arrays whose leading shape is another.
    """
    counts = tuple(len(axis.values) for axis in axes)
    arrays = {
        name: tuple(_array(f"{name!r}, part {k}", part, counts) for k, part in enumerate(value))
        if isinstance(value, tuple)
        else _array(repr(name), value, counts)
        for name, value in grid.items()
    }

    def recorded(**point: Any) -> dict[str, Any]:
        here = tuple(axis.values.index(axis.nearest(point[axis.name])) for axis in axes)
        return {
            name: tuple(part[here] for part in value) if isinstance(value, tuple) else value[here]
            for name, value in arrays.items()
        }

    return recorded


def _array(what: str, value: Any, counts: tuple[int, ...]) -> np.ndarray:
    array = real(f"the grid of {what}", value)
    if array.shape[: len(counts)] != counts:
        raise ValueError(
            f"the grid of {what} must have leading shape {counts}, one axis a control in the "
            f"order of axes, got {array.shape}; move its axes, or repeat what does not change"
        )
    return array
