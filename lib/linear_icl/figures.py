"""One figure, one call: curves over a grid, curves in a plane, small matrices.

Colours are named by their role (`ROLES`, `PALETTE`); labels begin in lower case, symbols
excepted; there is no title inside, captions and alt texts stand with the cell.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from ._checks import choice
from ._figure_style import (
    COLOURS,
    DASHES,
    FONT,
    HEIGHT,
    PALETTE,
    ROLES,
    WIDTH,
    BookFigure,
    looks,
    plain,
    summary,
    vector,
)
from ._figure_style import style as book_style

__all__ = ["BookFigure", "DASHES", "PALETTE", "ROLES", "curves", "matrices", "phase"]

Values = np.ndarray | torch.Tensor | Sequence[Any] | float | int
Styles = Mapping[str, Mapping[str, Any]] | None
Guides = Mapping[str, Any] | None  # a number by its name
Limits = tuple[Any, Any] | None


def curves(
    x: Values,
    series: Mapping[str, Values],
    *,
    xlabel: str,
    ylabel: str,
    xscale: str = "linear",
    yscale: str = "linear",
    style: Styles = None,
    vlines: Guides = None,
    hlines: Guides = None,
    bands: Mapping[str, Sequence[Values]] | None = None,
    xlim: Limits = None,
    ylim: Limits = None,
) -> BookFigure:
    """Curves over one x, labelled at their right ends, or in a legend below where ends meet.

    `x` (n,) increasing; every series (n,), NaN being a gap; every band a pair of (n,).
    `vlines` and `hlines` are labelled guides; a band belongs to the series of the same name, or
    to none. `style` maps any of these names to color (a name of ROLES), dash (a name of DASHES
    or an SVG pattern such as "6 3"), kind ("line" or "point"). Labels begin in lower case,
    symbols excepted. Raises ValueError for lengths that differ, infinities, names in `style`
    that nothing has, unknown roles, dashes, kinds and scales.
    """
    grid = vector("x", x, gaps=False)
    if (np.diff(grid) <= 0).any():
        raise ValueError("x must be increasing, got a step back; use phase for a path")
    pairs = {name: (grid, vector(name, y, length=len(grid))) for name, y in series.items()}
    edges = {
        name: (vector(name, low, length=len(grid)), vector(name, high, length=len(grid)))
        for name, (low, high) in (bands or {}).items()
    }
    scales, limits = (xscale, yscale), (xlim, ylim)
    return _chart("curves", pairs, xlabel, ylabel, scales, style, vlines, hlines, edges, limits)


def phase(
    series: Mapping[str, Sequence[Values]],
    *,
    xlabel: str,
    ylabel: str,
    xscale: str = "linear",
    yscale: str = "linear",
    style: Styles = None,
    vlines: Guides = None,
    hlines: Guides = None,
    xlim: Limits = None,
    ylim: Limits = None,
) -> BookFigure:
    """Parametric curves, each a pair (xs, ys); a pair of one point is drawn as a point.

    `style` as for `curves`, and arrow=True for an arrow head at the middle of the path.
    Raises ValueError as `curves`.
    """
    pairs = {}
    for name, pair in series.items():
        if len(pair) != 2:
            raise ValueError(f"{name!r} must be a pair (xs, ys), got {len(pair)} values")
        xs = vector(f"{name}, xs", np.atleast_1d(plain(pair[0])))
        pairs[name] = (xs, vector(f"{name}, ys", np.atleast_1d(plain(pair[1])), length=len(xs)))
    scales, limits = (xscale, yscale), (xlim, ylim)
    return _chart("phase", pairs, xlabel, ylabel, scales, style, vlines, hlines, {}, limits)


def matrices(panels: Mapping[str, Values], *, digits: int = 2) -> BookFigure:
    """Small heat maps side by side, each under its name, with the numbers in the cells.

    Colour is U's for positive and u's for negative entries, its strength the size relative to
    the largest entry of all panels. `panels` maps names to matrices (m, n); raises ValueError
    for anything else, or for entries that are not finite.
    """
    if not panels:
        raise ValueError("there must be at least one matrix, got none")
    arrays = {name: plain(value) for name, value in panels.items()}
    for name, array in arrays.items():
        if array.ndim != 2 or array.size == 0 or not np.isfinite(array).all():
            raise ValueError(f"{name!r} must be a finite matrix, got shape {array.shape}: {array}")
    largest = max(np.abs(array).max() for array in arrays.values()) or 1.0
    columns = [array.shape[1] for array in arrays.values()]
    rows = max(array.shape[0] for array in arrays.values())
    cell = min(0.55, (WIDTH - 0.5 * len(columns)) / sum(columns))  # inches
    size = (cell * sum(columns) + 0.5 * len(columns), cell * rows + 0.5)
    with book_style(text := summary("matrices", arrays)):
        figure = BookFigure(figsize=size, layout="constrained")
        axes = figure.subplots(1, len(arrays), squeeze=False, width_ratios=columns)[0]
        for ax, (name, array) in zip(axes, arrays.items(), strict=True):
            _heat_map(ax, name, array, largest, digits, min(FONT - 1, cell * 72 / 3.4))
        figure.settle()
    figure.summary = text
    return figure


def _chart(
    kind: str,
    pairs: dict[str, tuple[np.ndarray, np.ndarray]],
    xlabel: str,
    ylabel: str,
    scales: tuple[str, str],
    style: Styles,
    vlines: Guides,
    hlines: Guides,
    bands: Mapping[str, tuple[np.ndarray, np.ndarray]],
    limits: tuple[Limits, Limits],
) -> BookFigure:
    vlines, hlines = (
        {name: float(value) for name, value in (lines or {}).items()} for lines in (vlines, hlines)
    )
    guides = {**vlines, **hlines}
    if not pairs:
        raise ValueError("there must be at least one series, got none")
    if len({**pairs, **guides}) < len(pairs) + len(vlines) + len(hlines):
        raise ValueError(f"names must differ, got {[*pairs, *vlines, *hlines]}")
    chosen = looks(pairs, bands, guides, style or {})
    named = {name: pair[1] for name, pair in pairs.items()}
    if kind == "phase":
        named = {f"{name} {axis}": pair[k] for name, pair in pairs.items() for k, axis in _XY}
    named |= {f"{name} {end}": band[k] for name, band in bands.items() for k, end in _ENDS}
    named |= {name: np.array(value) for name, value in guides.items()}
    for axis, scale, values in zip("xy", scales, zip(*pairs.values(), strict=True), strict=False):
        choice(f"{axis}scale", scale, {"linear": 0, "log": 0})
        if scale == "log" and any(np.nanmin(value) <= 0 for value in values):
            raise ValueError(f"values on a log scale must be positive, got {axis} values <= 0")
    with book_style(text := summary(kind, named)):
        figure = BookFigure(figsize=(WIDTH, HEIGHT), layout="constrained")
        ax = figure.subplots()
        ax.set(xlabel=xlabel, ylabel=ylabel, xscale=scales[0], yscale=scales[1])
        x = next(iter(pairs.values()))[0]
        for name, (low, high) in bands.items():
            ax.fill_between(x, low, high, color=chosen[name]["color"], alpha=0.18, lw=0)
        for name, (xs, ys) in pairs.items():
            _draw(ax, xs, ys, chosen[name])
        for lines, draw in ((vlines, ax.axvline), (hlines, ax.axhline)):
            for name, value in lines.items():
                draw(value, color=chosen[name]["color"], lw=1.2, ls=chosen[name]["ls"], zorder=1)
        if kind == "curves":
            ax.set_xlim(x[0], x[-1])
        ax.set(**{f"{a}lim": lim for a, lim in zip("xy", limits, strict=True) if lim is not None})
        ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())  # from here on labels move nothing
        for scale, ticks in zip(scales, (ax.xaxis, ax.yaxis), strict=True):
            if scale == "linear":
                ticks.set_major_formatter(ticker.FuncFormatter(_tick))
        _name_vlines(ax, vlines, chosen)
        _name_rest(figure, ax, pairs, hlines, bands, chosen, kind)
        figure.settle()
    figure.summary = text
    return figure


_XY = ((0, "x"), (1, "y"))
_ENDS = ((0, "low"), (1, "high"))


def _tick(value: float, _: Any) -> str:
    return f"{value:.10g}".replace("-", "−")


def _draw(ax: Axes, xs: np.ndarray, ys: np.ndarray, look: dict[str, Any]) -> None:
    if look["marker"] or len(xs) == 1:
        ax.plot(xs, ys, "o", color=look["color"], markersize=5.5, zorder=3)
        return
    ax.plot(xs, ys, color=look["color"], ls=look["ls"])
    if look["arrow"]:
        middle = len(xs) // 2
        tail, head = ((xs[k], ys[k]) for k in (middle - 1, middle))
        arrow = {"arrowstyle": "-|>", "color": look["color"], "mutation_scale": 18, "lw": 0}
        ax.annotate("", xy=head, xytext=tail, arrowprops=arrow)


def _fraction(ax: Axes, axis: int, value: float) -> float:
    """Where a value lies along an axis, 0 to 1 inside the frame."""
    low, high = (ax.get_xlim(), ax.get_ylim())[axis]
    if (ax.get_xscale(), ax.get_yscale())[axis] == "log":
        value, low, high = (math.log(v) for v in (value, low, high))
    return (value - low) / (high - low)


def _name_vlines(ax: Axes, vlines: Mapping[str, float], chosen: Mapping[str, Any]) -> None:
    """Names above the frame, a row higher where they would overlap the one to the left."""
    ends: list[float] = []
    for name, value in sorted(vlines.items(), key=lambda item: item[1]):
        place = _fraction(ax, 0, value)
        half = 0.3 * len(name) * FONT / (72 * 0.8 * WIDTH)
        row = next((k for k, end in enumerate(ends) if place - half > end), len(ends))
        ends[row : row + 1] = [place + half]
        _text(ax, name, (place, 1), (0, 3 + 1.3 * FONT * row), chosen, ha="center")


def _text(
    ax: Axes,
    name: str,
    place: tuple[Any, Any],
    offset: tuple[Any, Any],
    chosen: Mapping[str, Any],
    **kwargs: str,
) -> None:
    """A name in its own colour, at fractions of the frame and an offset in points."""
    where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", **kwargs}
    ax.annotate(name, place, xytext=offset, color=chosen[name]["color"], **where)


def _name_rest(
    figure: BookFigure,
    ax: Axes,
    pairs: Mapping[str, tuple[np.ndarray, np.ndarray]],
    hlines: Mapping[str, float],
    bands: Mapping[str, Any],
    chosen: Mapping[str, Any],
    kind: str,
) -> None:
    """Direct labels at the right edge where the ends keep apart, else a legend below."""
    line = 1.25 * FONT / (72 * 0.8 * HEIGHT)
    guides = {name: _fraction(ax, 1, value) for name, value in hlines.items()}
    ends = {}
    for name, (xs, ys) in pairs.items():
        last = [k for k in np.flatnonzero(np.isfinite(ys)) if _fraction(ax, 0, xs[k]) <= 1][-1:]
        reaches = last and _fraction(ax, 0, xs[last[0]]) > 0.9  # else its name would float
        ends[name] = _fraction(ax, 1, ys[last[0]]) if reaches else math.nan
    heights = sorted([*ends.values(), *guides.values()])
    apart = all(b - a >= line for a, b in itertools.pairwise(heights))
    inside = all(0 <= end <= 1 for end in ends.values())
    direct = kind == "curves" and apart and inside and not set(bands) - set(pairs)
    lowest = -math.inf
    for name, end in sorted((ends | guides if direct else guides).items(), key=lambda e: e[1]):
        lowest = max(end, lowest + line)  # a name gives way to the one below it
        _text(ax, name, (1, lowest), (5, 0), chosen, va="center")
    if not direct:
        handles = [_handle(name, chosen[name], pairs) for name in dict.fromkeys([*pairs, *bands])]
        columns = max(1, min(len(handles), int(78 / (8 + max(len(name) for name in chosen)))))
        figure.legend(handles=handles, loc="outside lower center", ncols=columns)


def _handle(name: str, look: dict[str, Any], pairs: Mapping[str, Any]) -> Any:
    if name not in pairs:
        return Rectangle((0, 0), 1, 1, color=look["color"], alpha=0.18, lw=0, label=name)
    point = look["marker"] or len(pairs[name][0]) == 1
    shape = {"marker": "o", "ls": "", "markersize": 5.5} if point else {"ls": look["ls"]}
    return Line2D([], [], color=look["color"], label=name, **shape)


def _heat_map(
    ax: Axes, name: str, array: np.ndarray, largest: float, digits: int, size: float
) -> None:
    rows, columns = array.shape
    for (i, j), value in np.ndenumerate(array):
        role = "U" if value > 0 else "u"
        strength = 0.5 * abs(value) / largest  # half: the number stays readable on it
        ax.add_patch(Rectangle((j, i), 1, 1, fc=COLOURS[role], alpha=strength, lw=0))
        text = f"{value:.{digits}f}".replace("-", "−")
        text = "0" if not text.strip("−0.") else text
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size)
    ax.set(xlim=(0, columns), ylim=(rows, 0), xticks=[], yticks=[], aspect="equal")
    ax.set_title(name)
    for spine in ax.spines.values():
        spine.set_visible(True)
