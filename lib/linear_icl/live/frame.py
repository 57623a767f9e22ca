"""What a live figure draws and on which scales: the checked form of `x`, `y` and `series`."""

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
#: Coordinates that each kind carries; a line has its x from the frame unless it is parametric.
KINDS = {"line": ("y",), "point": ("x", "y"), "hline": ("y",), "vline": ("x",)}


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


def direction(name: str, given: Mapping[str, Any], *, with_values: bool) -> Direction:
    """The checked form of `x` or `y`; only x may have values."""
    allowed = (
        ("values", "label", "scale", "domain") if with_values else ("label", "scale", "domain")
    )
    _known(name, given, allowed)
    label = str(given.get("label", ""))
    if not label.strip():
        raise ValueError(f"{name} must have a label, got {label!r}; say what is measured")
    scale = one_of(f"the scale of {name}", given.get("scale", "linear"), SCALES)
    values = _values(name, given["values"], scale) if "values" in given else None
    return Direction(label, scale, _domain(name, given.get("domain"), scale), values)


def series(given: Mapping[str, Mapping[str, Any]], *, parametric: bool) -> tuple[Series, ...]:
    """The checked form of `series`, in drawing order."""
    if not given:
        raise ValueError("there must be at least one series, got none; name what fn returns")
    return tuple(_series(name, style, parametric) for name, style in given.items())


def _series(name: str, style: Mapping[str, Any], parametric: bool) -> Series:
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
    pair = parametric and kind == "line"
    return Series(name, kind, color, pattern, ("x", "y") if pair else KINDS[kind])


def _known(name: str, given: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    if extra := [key for key in given if key not in allowed]:
        raise ValueError(f"{name} takes {', '.join(allowed)}, got {', '.join(map(repr, extra))}")


def _values(name: str, given: Any, scale: str) -> np.ndarray:
    values = without_inf(f"values of {name}", given)
    if values.ndim != 1 or len(values) < 2 or not (np.diff(values) > 0).all():
        raise ValueError(
            f"values of {name} must be at least 2 increasing numbers, got shape {values.shape}; "
            "a path that turns back is parametric: leave x's values out and return pairs (xs, ys)"
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
