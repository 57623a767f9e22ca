"""Traits that hold a figure's state: what does not fit is refused in words, nothing is clamped."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import traitlets

T = TypeVar("T")


class StateError(traitlets.TraitError, ValueError):
    """A value that a figure's trait cannot have."""


class _Bounded(traitlets.TraitType[T, T]):
    """What holds numbers from ``low`` to ``high``."""

    whole = False

    def __init__(self, init: Any, low: float | int, high: float | int, help: str) -> None:
        self.low, self.high = low, high
        super().__init__(init, help=help)
        self.tag(sync=True)

    def number(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, Real):
            kind = "an int" if self.whole else "a float"
            raise StateError(f"{self.name} must hold numbers, got {value!r}; give {kind}")
        number = float(value)
        if not (math.isfinite(number) and self.low <= number <= self.high):
            ends = f"from {self.low:g} to {self.high:g}"
            raise StateError(f"{self.name} must be {ends}, got {value}; see {self.help}")
        return number


class Number(_Bounded[float]):
    """A number from ``low`` to ``high``."""

    def validate(self, owner: Any, value: Any) -> float:
        return self.number(value)


class Whole(_Bounded[int]):
    """An integer from ``low`` to ``high``."""

    whole = True

    def validate(self, owner: Any, value: Any) -> int:
        self.number(value)
        if not isinstance(value, Integral):
            raise StateError(f"{self.name} must be a whole number, got {value!r}; see {self.help}")
        return int(value)


class Numbers(_Bounded[list[float]]):
    """A list of numbers from ``low`` to ``high``, of one of these ``lengths``."""

    def __init__(
        self,
        init: Sequence[float],
        low: float | int,
        high: float | int,
        help: str,
        *,
        lengths: Sequence[int],
    ) -> None:
        self.lengths = tuple(lengths)
        super().__init__(list(init), low, high, help)

    def validate(self, owner: Any, value: Any) -> list[float]:
        values = _listed(self, value)
        if len(values) not in self.lengths:
            wanted = " or ".join(map(str, self.lengths))
            raise StateError(f"{self.name} must have {wanted} numbers, got {len(values)}")
        return list(map(self.number, values))


class Moves(_Bounded[list[float | int]]):
    """Points that were moved: index, x, y of each, one after the other."""

    def __init__(self, low: float | int, high: float | int, points: int) -> None:
        self.points = points
        super().__init__([], low, high, "index, x, y of each point that was moved")

    def validate(self, owner: Any, value: Any) -> list[float | int]:
        values = _listed(self, value)
        if len(values) % 3:
            raise StateError(f"moved must have three numbers a point, got {len(values)}")
        indices = values[::3]
        if not all(isinstance(i, Real) and i in range(self.points) for i in indices):
            raise StateError(f"moved must name points 0 to {self.points - 1}, got {indices}")
        if len(set(indices)) < len(indices):
            raise StateError(f"moved must name each point once, got {indices}")
        held = [self.number(one) for k, one in enumerate(values) if k % 3]
        pairs = zip(held[::2], held[1::2], strict=True)
        return [
            number for i, place in zip(indices, pairs, strict=True) for number in (int(i), *place)
        ]


class Names(traitlets.TraitType[list[str], list[str]]):
    """Some of the ``known`` names, each once; set by the author, not by the reader."""

    def __init__(self, init: Sequence[str], known: Sequence[str], help: str) -> None:
        self.known = tuple(known)
        super().__init__(list(init), help=help)
        self.tag(sync=True)

    def validate(self, owner: Any, value: Any) -> list[str]:
        names = _listed(self, value)
        if not all(name in self.known for name in names) or len(set(names)) < len(names):
            known = ", ".join(self.known)
            raise StateError(f"{self.name} must name some of {known}, each once, got {names}")
        return names


def _listed(trait: traitlets.TraitType[Any, Any], value: Any) -> list[Any]:
    if hasattr(value, "tolist"):  # an array
        value = value.tolist()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise StateError(f"{trait.name} must be a list, got {value!r}; see {trait.help}")
    return list(value)
