"""Calling a figure's function on every point of its grid, and checking what it returns."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import open_ended, without_inf
from .axis import Axis
from .frame import SIDES, Frame, Series

#: One value of the figure: (series, coordinate) to a vector.
Drawn = dict[tuple[str, str], np.ndarray]


class Evaluator:
    """`fn` with its answers checked: the right series, lengths and signs, or a ValueError that
    names the parameters at which they are wrong."""

    def __init__(
        self,
        fn: Callable[..., Mapping[str, Any]],
        axes: Sequence[Axis],
        frame: Frame,
        series: Sequence[Series],
    ) -> None:
        self._fn, self.axes, self.frame, self.series = fn, axes, frame, series
        self._lengths: dict[str, int] = {}

    def __call__(self, point: Mapping[str, Any]) -> Drawn:
        """What is drawn at one point of the parameters, on the grid or off it."""
        where = ", ".join(
            f"{name}={value if isinstance(value, str) else format(value, 'g')}"
            for name, value in point.items()
        )
        try:
            answer = self._fn(**point)
        except Exception as error:
            message = f"fn must return a value on the whole grid, but raised {error!r} at {where}"
            raise ValueError(message) from error
        names = [series.name for series in self.series]
        if not isinstance(answer, Mapping) or set(answer) != set(names):
            got = sorted(answer) if isinstance(answer, Mapping) else type(answer).__name__
            raise ValueError(
                f"fn must return a mapping with the keys {names}, got {got} at {where}; "
                "series and fn name the same things"
            )
        return {
            (series.name, coordinate): vector
            for series in self.series
            for coordinate, vector in self._read(series, answer[series.name], where).items()
        }

    def grid(self) -> Drawn:
        """All of the grid: every vector becomes an array (len(axis 1), …, len(axis k), length)."""
        shape = tuple(len(axis.values) for axis in self.axes)
        names = [axis.name for axis in self.axes]
        points = itertools.product(*(axis.values for axis in self.axes))
        rows = [self(dict(zip(names, point, strict=True))) for point in points]
        return {key: np.stack([row[key] for row in rows]).reshape(*shape, -1) for key in rows[0]}

    def _read(self, series: Series, value: Any, where: str) -> dict[str, np.ndarray]:
        what = f"series {series.name!r} at {where}"
        if series.kind == "heat":
            return {"z": self._cells(what, value)}
        if self.frame.z and series.kind == "line" and not _is_pair(value):
            value = (self.frame.x.values, value)  # a curve over the columns of the map
        if len(series.coordinates) == 2:
            if not isinstance(value, tuple | list) or len(value) != 2:
                wanted = "(low, high)" if series.kind == "band" else "(xs, ys)"
                raise ValueError(f"{what} must be a pair {wanted}, got {_brief(value)}")
            vectors = dict(zip(series.coordinates, value, strict=True))
        else:
            vectors = {series.coordinates[0]: value}
        read = {c: self._vector(f"{what}, {c}", series, c, vector) for c, vector in vectors.items()}
        lengths = {len(vector) for vector in read.values()}
        if len(lengths) > 1:
            first, second = series.coordinates
            plural = "lows as highs" if series.kind == "band" else f"{first}s as {second}s"
            raise ValueError(f"{what} must have as many {plural}, got {sorted(lengths)}")
        self._check_length(what, series, lengths.pop())
        if series.kind == "band":
            _check_band(what, read["low"], read["high"])
        return read

    def _vector(self, what: str, series: Series, coordinate: str, value: Any) -> np.ndarray:
        read = open_ended if SIDES[coordinate] == "y" else without_inf
        vector, guide = read(what, value), series.kind in ("hline", "vline")
        if vector.ndim != (0 if guide else 1):
            wanted = "a single number" if guide else "a vector"
            raise ValueError(f"{what} must be {wanted}, got shape {vector.shape}; index or reshape")
        self._check_sign(what, coordinate, vector)
        return np.atleast_1d(vector)

    def _cells(self, what: str, value: Any) -> np.ndarray:
        """A heat map, row after row from the first value of y."""
        x, y = self.frame.x.values, self.frame.y.values
        assert x is not None and y is not None
        matrix, wanted = without_inf(what, value), (len(y), len(x))
        if matrix.shape != wanted:
            turned = matrix.shape == wanted[::-1]
            fix = "transpose it" if turned else "one row for each value of y, one column of x"
            raise ValueError(f"{what} must have shape {wanted}, got {matrix.shape}; {fix}")
        self._check_sign(what, "z", matrix)
        return matrix.ravel()

    def _check_sign(self, what: str, coordinate: str, values: np.ndarray) -> None:
        """On a log scale a value may be 0, which lies below every frame; the lower edge of a band,
        a mean minus its error, may be negative. Colours and places along x must be positive."""
        zero = SIDES[coordinate] == "y"
        bad = values < 0 if zero else values <= 0
        if self.frame[coordinate].log and coordinate != "low" and bad.any():
            kind = "at least 0" if zero else "positive"
            raise ValueError(
                f"{what} must be {kind} on a log scale, got {np.nanmin(values):g}; "
                "return NaN there, or use a linear scale"
            )

    def _check_length(self, what: str, series: Series, length: int) -> None:
        values = self.frame.x.values
        if series.kind in ("line", "band") and self.frame.curves and values is not None:
            if length != len(values):
                raise ValueError(f"{what} must have one value per x, {len(values)}, got {length}")
        elif length != self._lengths.setdefault(series.name, length):
            raise ValueError(
                f"{what} must have the same length on the whole grid, "
                f"{self._lengths[series.name]}, got {length}; fill up with NaN"
            )


def _check_band(what: str, low: np.ndarray, high: np.ndarray) -> None:
    if (np.isnan(low) != np.isnan(high)).any():
        raise ValueError(f"{what} must have low and high absent together, got NaN in one of them")
    if (low > high).any():
        k = int(np.flatnonzero(low > high)[0])
        raise ValueError(
            f"{what} must have low <= high, got {low[k]:g} > {high[k]:g} at index {k}; "
            "the order is (low, high)"
        )


def _is_pair(value: Any) -> bool:
    """Whether `value` is (xs, ys), and not a curve of two numbers."""
    return isinstance(value, tuple | list) and len(value) == 2 and all(map(np.ndim, value))


def _brief(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return type(value).__name__ + (f" of shape {tuple(shape)}" if shape is not None else "")
