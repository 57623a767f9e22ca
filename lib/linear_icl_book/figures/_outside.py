"""What lies outside a frame: it is marked at the edge, with its value.

No value is moved into the frame. A curve has one mark for each stretch outside, where it is
farthest; a path in a plane an arrow where it leaves or comes in, without a number, since it goes
on; each point its own, with the number of the farthest on each side. On a log scale 0, and the
negative lower edge of a band, lie below every frame. outside.js does the same, and a test compares.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

FAR = 1e30  # where a line that leaves a frame for 0 or infinity is drawn to
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Side:
    """The domain of one direction of the frame, and its scale."""

    domain: tuple[float, float]
    scale: str

    def beyond(self, value: float) -> int:
        """-1 below the domain, 1 above it, 0 inside or absent."""
        low, high = self.domain
        if math.isnan(value):
            return 0
        if self.scale == "log":
            value, low, high = (math.log(v) if v > 0 else -math.inf for v in (value, low, high))
        if math.isinf(value):
            return 1 if value > 0 else -1
        share = (value - low) / (high - low)
        return -1 if share < -1e-9 else 1 if share > 1 + 1e-9 else 0

    def held(self, value: float) -> float:
        return min(self.domain[1], max(self.domain[0], value))


Sides = tuple[Side, Side]


@dataclass(frozen=True)
class Mark:
    """Where on the edge something is marked, which way it points, and its value if it is said."""

    x: float
    y: float
    way: str
    value: float | None


def mark_at(sides: Sides, x: float, y: float, value: float | None) -> Mark | None:
    """The mark of (x, y), None inside the frame."""
    dx, dy = sides[0].beyond(x), sides[1].beyond(y)
    if not dx and not dy:
        return None
    way = ("up" if dy > 0 else "down") if dy else "right" if dx > 0 else "left"
    return Mark(sides[0].held(x), sides[1].held(y), way, value)


def of_curve(sides: Sides, xs: np.ndarray, ys: np.ndarray, only: int = 0) -> list[Mark]:
    """One mark for each stretch of a curve over x that lies outside, above alone or below."""
    places = [sides[1].beyond(y) for y in ys]
    marks = []
    for first, last in _runs([place if only in (0, place) else 0 for place in places]):
        stretch = ys[first : last + 1]
        far = stretch.max() if places[first] > 0 else stretch.min()
        equal = first + np.flatnonzero(stretch == far)
        marks.append(mark_at(sides, xs[equal[len(equal) // 2]], far, float(far)))
    return [mark for mark in marks if mark]


def of_band(sides: Sides, xs: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[Mark]:
    """The upper edge above the frame and the lower edge below it."""
    return [*of_curve(sides, xs, high, 1), *of_curve(sides, xs, low, -1)]


def of_path(sides: Sides, xs: np.ndarray, ys: np.ndarray) -> list[Mark]:
    """An arrow where a path in a plane leaves the frame, or where it comes from."""
    out = [
        bool(np.isfinite(x + y) and mark_at(sides, x, y, None)) for x, y in zip(xs, ys, strict=True)
    ]
    marks = []
    for first, last in _runs([int(one) for one in out]):
        leaves = first > 0 and not np.isnan(xs[first - 1] + ys[first - 1])
        k = first if leaves else last
        marks.append(mark_at(sides, xs[k], ys[k], None))
    return [mark for mark in marks if mark]


def of_points(sides: Sides, xs: np.ndarray, ys: np.ndarray) -> list[Mark]:
    """Each point outside, and the number of the farthest on each side."""
    own = []
    for x, y in zip(xs, ys, strict=True):
        mark = None if np.isnan(x + y) else mark_at(sides, x, y, None)
        if mark:
            own.append((mark, float(y if mark.way in ("up", "down") else x)))
    far: dict[str, int] = {}
    for k, (mark, value) in enumerate(own):
        sign = 1 if mark.way in ("up", "right") else -1
        if mark.way not in far or sign * value > sign * own[far[mark.way]][1]:
            far[mark.way] = k
    return [
        replace(mark, value=value) if far[mark.way] == k else mark
        for k, (mark, value) in enumerate(own)
    ]


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last index of each run of equal places other than 0."""
    first = 0
    for k in range(1, len(places) + 1):
        if k == len(places) or places[k] != places[first]:
            if places[first]:
                yield first, k - 1
            first = k


def shown_from(values: np.ndarray, scale: str) -> np.ndarray:
    """`values` for a line: what is infinite, or has no logarithm, is drawn far outside."""
    finite = np.where(np.isinf(values), np.sign(values) * FAR, values)
    return np.where(finite <= 0, 1 / FAR, finite) if scale == "log" else finite


def pretty(value: float, digits: int = 3) -> str:
    """Three significant digits, a real minus sign, powers of ten written so; as in scales.js."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞" if value > 0 else "−∞"
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        power = f"10{str(int(exponent)).translate(RAISED)}"
        front = f"{float(mantissa):g}"
        text = power if front == "1" else f"-{power}" if front == "-1" else f"{front} × {power}"
    else:
        text = str(int(value)) if value == int(value) else f"{float(f'{value:.{digits}g}'):.10g}"
    return text.replace("-", "−")
