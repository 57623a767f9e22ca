"""What a live figure says of itself in text: one line an axis and a series."""

import difflib
import re
from collections.abc import Collection, Sequence

import numpy as np

from .axis import Axis
from .frame import Frame
from .grid import Drawn


def unknown(owner: type, name: str, known: Collection[str]) -> str:
    """What to say of a trait that a figure does not have."""
    close = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{owner.__name__} has the traits {', '.join(sorted(known))}, got {name!r}{hint}"


def check_name(name: str) -> str:
    """The name, if it can stand in the page's address; else raises ValueError."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(
            f"name must be lower-case letters, digits and single hyphens, got {name!r}; "
            "it stands in the page's address"
        )
    return name


def summary(axes: Sequence[Axis], grid: Drawn, frame: Frame) -> list[str]:
    """The values of each axis; min, mean and max of each series over the whole grid. What is below
    the rounding error of the largest is 0, on a log axis, where small values count, much less."""
    lines = [f"  {axis.name}: {', '.join(map(digits, axis.values))}" for axis in axes]
    for (name, coordinate), values in grid.items():
        several = sum(owner == name for owner, _ in grid) > 1
        what = f"  {name}, {coordinate}" if several else f"  {name}"
        present = values[np.isfinite(values)]
        counts = {"absent": np.isnan(values).sum(), "unbounded": np.isinf(values).sum()}
        others = "".join(f", {count} {name}" for name, count in counts.items() if count)
        if not present.size:
            lines.append(
                f"{what}: unbounded" if counts["unbounded"] else f"{what}: nothing to draw"
            )
            continue
        noise = (1e-13 if frame[coordinate].log else 1e-9) * np.abs(present).max()
        numbers = (present.min(), present.mean(), present.max())
        low, mean, high = (digits(0.0 if abs(v) < noise else float(v)) for v in numbers)
        lines.append(f"{what}: min {low}, mean {mean}, max {high}{others}")
    return lines


def digits(value: float | int | str) -> str:
    """Four significant digits, and never a whole number, which would be compared exactly; a name
    is its own."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) or value == 0:
        return str(int(value))
    return f"{value:#.4g}" if 1e-3 <= abs(value) < 1e3 else f"{value:.3e}"
