"""One control of a live figure: a named list of increasing numbers, or of names."""

import keyword
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import real


@dataclass(frozen=True)
class Axis:
    """A parameter of the figure: the values its slider stops at, or the names in its menu.

    name: the keyword of `fn` and the trait of the figure (`fig.sigma`).
    values: at least two increasing numbers, integers staying integers; or at least two strings.
    label: what stands beside the control, such as "σ, initialisation scale".
    init: the value shown first, one of `values`; if not given the middle number, the first name.

    Strings make a menu, in their order, and nothing is blended between them.

    Raises ValueError for a name that is no identifier, an empty label, values that are too few,
    not increasing or not finite, strings that are empty, equal or mixed with numbers, and an init
    that is not among them.
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
                "it is the control's accessible name"
            )
        values = self._names() if _any_text(self.values) else self._numbers()
        if self.init is None:
            init = values[0 if isinstance(values[0], str) else len(values) // 2]
        else:
            init = self._among(values)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "init", init)

    @property
    def integer(self) -> bool:
        """Whether all values are integers, and shown as such."""
        return isinstance(self.values[0], int)

    @property
    def categorical(self) -> bool:
        """Whether the values are names."""
        return isinstance(self.values[0], str)

    def nearest(self, value: Any) -> Any:
        """The value of the grid that is nearest to `value`; a name is its own."""
        if self.categorical:
            return value
        return min(self.values, key=lambda one: abs(one - value))

    def _names(self) -> tuple[str, ...]:
        given = [self.values] if isinstance(self.values, str) else list(self.values)
        if not all(isinstance(one, str) for one in given):
            raise ValueError(
                f"values of axis {self.name!r} must be all numbers or all strings, got {given}; "
                "write the numbers as strings too"
            )
        names = tuple(str(one) for one in given)
        if len(names) < 2:
            raise ValueError(
                f"axis {self.name!r} must have at least 2 values, got {names}; "
                "a constant belongs into fn"
            )
        if len(set(names)) < len(names) or not all(one and one == one.strip() for one in names):
            raise ValueError(
                f"values of axis {self.name!r} must be different names without blanks around them, "
                f"got {list(names)}; they are the entries of its menu"
            )
        return names

    def _numbers(self) -> tuple[Any, ...]:
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
        return tuple(grid.tolist())

    def _among(self, values: tuple[Any, ...]) -> Any:
        if isinstance(values[0], str):
            if self.init not in values:
                raise ValueError(
                    f"init of axis {self.name!r} must be one of its values, got {self.init!r}; "
                    f"they are {', '.join(values)}"
                )
            return str(self.init)
        init = float(real(f"init of axis {self.name!r}", self.init))
        nearest = min(values, key=lambda value: abs(value - init))
        # Relative to the step, for a grid such as logspace whose values are not round numbers.
        if abs(nearest - init) > 1e-6 * min(np.diff(values)):
            raise ValueError(
                f"init of axis {self.name!r} must be one of its values, got {self.init}; "
                f"the nearest is {nearest}"
            )
        return nearest


def _any_text(values: Any) -> bool:
    if isinstance(values, str):
        return True
    if isinstance(values, np.ndarray):
        return bool(values.dtype.kind == "U")
    return isinstance(values, list | tuple) and any(isinstance(one, str) for one in values)
