"""One control of a live figure: a named, increasing list of numbers."""

import keyword
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import real


@dataclass(frozen=True)
class Axis:
    """A parameter of the figure and the values its slider stops at.

    name: the keyword of `fn` and the trait of the figure (`fig.sigma`).
    values: at least two increasing numbers; whole numbers of an integer type stay integers.
    label: what stands beside the slider, such as "σ, initialisation scale".
    init: the value shown first, one of `values`; the middle one if not given.

    Raises ValueError for a name that is no identifier, an empty label, values that are too few,
    not increasing or not finite, and an init that is not among them.
    """

    name: str
    values: Any
    label: str
    init: Any = None

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or keyword.iskeyword(self.name):
            raise ValueError(
                f"an axis name must be a Python identifier, got {self.name!r}; "
                "it is the keyword of fn, and the label may hold any text"
            )
        if not self.label.strip():
            raise ValueError(
                f"the label of axis {self.name!r} must not be empty, got {self.label!r}; "
                "it is the slider's accessible name"
            )
        grid = real(f"values of axis {self.name!r}", self.values)
        if grid.ndim != 1 or len(grid) < 2:
            raise ValueError(
                f"axis {self.name!r} must have at least 2 values, got shape {grid.shape}; "
                "a constant belongs into fn"
            )
        if not np.isfinite(grid).all() or (np.diff(grid) <= 0).any():
            raise ValueError(
                f"values of axis {self.name!r} must be finite and increasing, got {grid.tolist()}; "
                "sort them and drop duplicates"
            )
        # linspace(-1, 1, 21) misses its 0 by rounding, and would show 5.6e-17.
        grid[np.abs(grid) < 1e-12 * (grid[-1] - grid[0])] = 0
        values = tuple(grid.tolist())
        init = values[len(values) // 2] if self.init is None else self._on_grid(values)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "init", init)

    @property
    def integer(self) -> bool:
        """Whether all values are integers, and shown as such."""
        return isinstance(self.values[0], int)

    def _on_grid(self, values: tuple[Any, ...]) -> Any:
        init = float(real(f"init of axis {self.name!r}", self.init))
        nearest = min(values, key=lambda value: abs(value - init))
        # Relative to the step, for a grid such as logspace whose values are not round numbers.
        if abs(nearest - init) > 1e-6 * min(np.diff(values)):
            raise ValueError(
                f"init of axis {self.name!r} must be one of its values, got {self.init}; "
                f"the nearest is {nearest}"
            )
        return nearest
