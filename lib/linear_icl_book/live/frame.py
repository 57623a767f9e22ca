"""What a live figure draws and on which scales: the checked form of `x`, `y`, `z` and `series`."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import real, without_inf

SCALES = ("linear", "log")
#: The roles of `figures.ROLES`, whose colours the style sheet gives them on the page.
COLOURS = ("U", "u", "Gamma", "query", "ink", "muted")
#: Names for dash patterns, as in `figures.DASHES`; any SVG pattern does too.
DASHES = {"solid": "", "dashed": "6 3", "dashdot": "8 3 2 3", "dotted": "2 2.5", "long": "12 4"}
#: Coordinates that each kind carries; in a plane and over a heat map a line carries its x too.
KINDS = {
    "line": ("y",),
    "point": ("x", "y"),
    "hline": ("y",),
    "vline": ("x",),
    "band": ("low", "high"),
    "heat": ("z",),
}
#: The side of the plot along which a coordinate is measured; z is the side of the colours.
SIDES = {"x": "x", "y": "y", "low": "y", "high": "y", "z": "z"}


@dataclass(frozen=True)
class Direction:
    """One side of the plot: its label, scale and, where given, its domain and values."""

    label: str
    scale: str
    domain: tuple[float, float] | None
    values: np.ndarray | None = None

    @property
    def log(self) -> bool:
        return self.scale == "log"

    def edges(self) -> np.ndarray:
        """Where the cells around the values of a heat map meet: half way on this scale."""
        from ..figures._heat import edges  # matplotlib comes with it

        assert self.values is not None
        return edges(self.values, self.scale)


@dataclass(frozen=True)
class Frame:
    """The sides of the plot. Without values of x it is a plane, with those of z a heat map."""

    x: Direction
    y: Direction
    z: Direction | None = None

    def __getitem__(self, coordinate: str) -> Direction:
        side: Direction = getattr(self, SIDES[coordinate])
        return side

    @property
    def sides(self) -> dict[str, Direction]:
        return {"x": self.x, "y": self.y} | ({"z": self.z} if self.z else {})

    @property
    def curves(self) -> bool:
        """Whether lines and bands have one value for each value of x."""
        return self.x.values is not None and self.z is None


@dataclass(frozen=True)
class Series:
    """One thing drawn: its kind, colour role, SVG dash pattern and coordinates."""

    name: str
    kind: str
    color: str
    dash: str
    coordinates: tuple[str, ...]


def one_of(what: str, value: Any, names: tuple[str, ...]) -> str:
    if value not in names:
        raise ValueError(f"{what} must be one of {', '.join(names)}, got {value!r}")
    return str(value)


def sides(
    x: Mapping[str, Any], y: Mapping[str, Any], z: Mapping[str, Any] | None, *, heat: bool
) -> Frame:
    """The checked form of `x`, `y` and `z`; only a heat map has values of y, and z."""
    if not heat:
        if z is not None:
            raise ValueError(
                f"z is the colour of a heat map, got {dict(z)} and no series of kind 'heat'; "
                "leave it out, or give that series its kind"
            )
        return Frame(direction("x", x, values=True), direction("y", y, values=False))
    if z is None:
        raise ValueError(
            "a heat map must have z=dict(label=…, scale=…, domain=…), got none; "
            "its label says what the colours measure"
        )
    frame = Frame(
        direction("x", x, values=True),
        direction("y", y, values=True),
        direction("z", z, values=False),
    )
    for name, side in (("x", frame.x), ("y", frame.y)):
        if side.values is None:
            raise ValueError(
                f"{name} must have values under a heat map, got none; "
                "they are the centres of its cells"
            )
    return frame


def check_equal(frame: Frame, equal: bool) -> None:
    """Equal units need a plane with two linear sides."""
    scales = [side.scale for side in (frame.x, frame.y)]
    if equal and (frame.z or frame.curves or scales != ["linear", "linear"]):
        kind = "a heat map" if frame.z else "curves over x" if frame.curves else f"scales {scales}"
        raise ValueError(
            f"equal units need a plane with linear scales, got {kind}; leave equal out"
        )


def direction(name: str, given: Mapping[str, Any], *, values: bool) -> Direction:
    """The checked form of one side, which may have `values` or not."""
    _known(name, given, (*(("values",) if values else ()), "label", "scale", "domain"))
    label = str(given.get("label", ""))
    if not label.strip():
        raise ValueError(f"{name} must have a label, got {label!r}; say what is measured")
    scale = one_of(f"the scale of {name}", given.get("scale", "linear"), SCALES)
    read = _values(name, given["values"], scale) if "values" in given else None
    return Direction(label, scale, _domain(name, given.get("domain"), scale), read)


def has_heat(given: Mapping[str, Mapping[str, Any]]) -> bool:
    heats = [name for name, style in given.items() if style.get("kind") == "heat"]
    if len(heats) > 1:
        raise ValueError(
            f"a figure must have one heat map at most, got {', '.join(map(repr, heats))}; "
            "choose between them with an axis of names"
        )
    return bool(heats)


def series(given: Mapping[str, Mapping[str, Any]], frame: Frame) -> tuple[Series, ...]:
    """The checked form of `series`, in drawing order."""
    if not given:
        raise ValueError("there must be at least one series, got none; name what fn returns")
    return tuple(_series(name, style, frame) for name, style in given.items())


def _series(name: str, style: Mapping[str, Any], frame: Frame) -> Series:
    _known(f"series {name!r}", style, ("kind", "color", "dash"))
    kind = one_of(f"the kind of {name!r}", style.get("kind", "line"), tuple(KINDS))
    color = one_of(f"the color of {name!r}", style.get("color", "ink"), COLOURS)
    dash = style.get("dash") or ""
    pattern = DASHES.get(dash, dash)
    if not re.fullmatch(r"([\d.]+([ ,]+[\d.]+)+)?", pattern):
        raise ValueError(
            f"the dash of {name!r} must be one of {', '.join(DASHES)} or an SVG pattern "
            f"such as '6 4', got {dash!r}"
        )
    if pattern and kind in ("band", "heat"):
        raise ValueError(f"a {kind} must have no dash, got {dash!r} for {name!r}; leave it out")
    if kind == "band" and not frame.curves:
        where = "over a heat map" if frame.z else "without values of x"
        raise ValueError(
            f"a band must lie between curves over x's values, got {name!r} {where}; "
            "draw its edges as lines"
        )
    pair = kind == "line" and not frame.curves
    return Series(name, kind, color, pattern, ("x", "y") if pair else KINDS[kind])


def _known(name: str, given: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    if extra := [key for key in given if key not in allowed]:
        raise ValueError(f"{name} takes {', '.join(allowed)}, got {', '.join(map(repr, extra))}")


def _values(name: str, given: Any, scale: str) -> np.ndarray:
    values = without_inf(f"values of {name}", given)
    if values.ndim != 1 or len(values) < 2 or not (np.diff(values) > 0).all():
        path = (
            "a path that turns back is parametric: leave x's values out and return pairs (xs, ys)"
        )
        raise ValueError(
            f"values of {name} must be at least 2 increasing numbers, got shape {values.shape}; "
            + (path if name == "x" else "sort the rows of the heat map")
        )
    if scale == "log" and values[0] <= 0:
        raise ValueError(f"values of {name} must be positive on a log scale, got {values[0]}")
    return values


def _domain(name: str, given: Any, scale: str) -> tuple[float, float] | None:
    if given is None:
        return None
    ends = real(f"the domain of {name}", given)
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ValueError(f"the domain of {name} must be (low, high) with low < high, got {given!r}")
    if scale == "log" and ends[0] <= 0:
        raise ValueError(
            f"the domain of {name} must be positive on a log scale, got {given!r}; start above 0"
        )
    return float(ends[0]), float(ends[1])


def around(extent: tuple[float, float], scale: str) -> tuple[float, float]:
    """A domain that shows all of `extent` with a little room; from 0 where that is near."""
    low, high = extent
    if scale == "log":
        room = 1.15 if low < high else 2.0
        return low / room, high * room
    room = 0.04 * (high - low) or 0.5 * abs(high) or 1.0
    from_zero = 0 <= low <= 0.3 * high
    to_zero = 0.3 * low <= high <= 0
    return (
        0.0 if from_zero else _round(low - room),
        0.0 if to_zero and not from_zero else _round(high + room),
    )


def _round(value: float) -> float:
    return float(f"{value:.6g}") if math.isfinite(value) else value
