"""One figure, one call: curves, paths, heat maps, matrices, small multiples, rows of dots, claims.

Colours are named by their role (`ROLES`, `PALETTE`); labels begin in lower case, symbols
excepted; there is no title inside, captions and alt texts stand with the cell.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from linear_icl._checks import choice
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from ._beside import Pair
from ._chart import Band, Guides, Limits, Styles, chart
from ._dots import Judged
from ._dots import claims as draw_claims
from ._dots import dots as draw_dots
from ._heat import Heat
from ._panels import panels as draw_panels
from ._strips import Row
from ._strips import strips as draw_strips
from ._style import (
    COLOURS,
    DASHES,
    FONT,
    PALETTE,
    ROLES,
    BookFigure,
    narrow,
    plain,
    summary,
    two_widths,
    vector,
    width,
)
from ._style import style as book_style

__all__ = [
    "BookFigure",
    "DASHES",
    "PALETTE",
    "ROLES",
    "claims",
    "curves",
    "dots",
    "heat",
    "matrices",
    "panels",
    "phase",
    "strips",
]

FINE = 40  # cells to a side of a heat map, from which a phone gets every other one
Values = np.ndarray | torch.Tensor | Sequence[Any] | float | int


@two_widths
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
    """Curves over one x, labelled at their right ends, or beside them where ends meet.

    `x` (n,) increasing; every series (n,), NaN being a gap; every band a pair of (n,).
    What lies outside `xlim` and `ylim`, an infinite value, and 0 on a log scale, is marked at the
    edge of the frame with its value. `vlines` and `hlines` are labelled guides; a band belongs to
    the series of the same name, or to none. `style` maps any of these names to color (a name of
    ROLES), dash (a name of DASHES or an SVG pattern such as "6 3"), kind ("line" or "point").
    Labels begin in lower case, symbols excepted. Raises ValueError for lengths that differ, an
    infinite x, names in `style` that nothing has, unknown roles, dashes, kinds and scales, negative
    values on a log scale; when it is drawn, for names of `vlines` that need more than three rows.
    """
    grid = _increasing("x", x)
    pairs = {name: (grid, vector(name, y, length=len(grid))) for name, y in series.items()}
    edges = {name: _band(name, (grid, *band)) for name, band in (bands or {}).items()}
    labels, scales, limits = (xlabel, ylabel), (xscale, yscale), (xlim, ylim)
    return chart("curves", pairs, labels, scales, style, vlines, hlines, edges, limits)


@two_widths
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
    bands: Mapping[str, Sequence[Values]] | None = None,
    xlim: Limits = None,
    ylim: Limits = None,
    equal: bool = False,
) -> BookFigure:
    """Parametric curves, each a pair (xs, ys); a pair of one point is drawn as a point.

    A band is (x, low, high). `style` as for `curves`, kind="curve" for a line over increasing x,
    whose mark outside the frame has a number, and arrow=True for an arrow head at the
    middle of the path. With `equal` one unit is as long along y as along x. Raises ValueError as
    `curves`.
    """
    edges = {name: _band(name, band) for name, band in (bands or {}).items()}
    labels, scales, limits = (xlabel, ylabel), (xscale, yscale), (xlim, ylim)
    pairs = _pairs(series)
    sides = (labels, scales, style, vlines, hlines, edges, limits)
    return chart("phase", pairs, *sides, equal=equal)


@two_widths
def heat(
    x: Values,
    y: Values,
    z: Values,
    *,
    xlabel: str,
    ylabel: str,
    zlabel: str,
    xscale: str = "linear",
    yscale: str = "linear",
    zscale: str = "linear",
    zlim: Limits = None,
    color: str = "ink",
    contours: Sequence[Any] = (),
    series: Mapping[str, Sequence[Values]] | None = None,
    style: Styles = None,
    vlines: Guides = None,
    hlines: Guides = None,
    xlim: Limits = None,
    ylim: Limits = None,
) -> BookFigure:
    """A heat map with its colour bar, and paths over it.

    `x` (n,) and `y` (m,) increasing, the centres of the cells; `z` (m, n), row i at y_i, NaN being
    an absent cell, which is struck through. Colour goes from the paper (low) to `color` (high), a
    name of ROLES; `zlim` are the values at its ends, beyond which it does not change. `contours`
    are the values of z at which labelled lines are drawn; `series`, `style` and guides as for
    `phase`. Raises ValueError for another shape of z, infinities, values of x, y or z that are not
    positive on a log scale, contours outside z, and as `phase`.
    """
    if narrow() and np.size(plain(z)) > FINE**2:  # half as many cells to the inch are as many
        x, y, z = plain(x)[::2], plain(y)[::2], plain(z)[::2, ::2]
    xs, ys, scales = _increasing("x", x), _increasing("y", y), (xscale, yscale, zscale)
    for name, scale, values in zip("xyz", scales, (xs, ys, plain(z)), strict=True):
        choice(f"{name}scale", scale, {"linear": 0, "log": 0})
        if scale == "log" and (values <= 0).any():
            raise ValueError(f"values on a log scale must be positive, got {name} values <= 0")
    cells = _cells(z, (len(ys), len(xs)))
    limits = _colour_limits(cells, zlim, zscale)
    marks = plain(list(contours)) if len(contours) else np.empty(0)
    if marks.size and not (np.nanmin(cells) < marks).all() & (marks < np.nanmax(cells)).all():
        raise ValueError(
            f"contours must lie between {np.nanmin(cells):g} and {np.nanmax(cells):g}, the extent "
            f"of z, got {marks.tolist()}; nothing is drawn elsewhere"
        )
    choice("color", color, COLOURS)
    prepared = Heat(xs, ys, cells, zlabel, scales, limits, color, marks.tolist())
    pairs, labels, bounds = _pairs(series or {}), (xlabel, ylabel), (xlim, ylim)
    return chart("heat", pairs, labels, scales[:2], style, vlines, hlines, {}, bounds, prepared)


@two_widths
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
    beside = -(-len(arrays) // 2) if narrow() and len(arrays) > 2 else len(arrays)
    columns = [max(x.shape[1] for x in [*arrays.values()][k::beside]) for k in range(beside)]
    rows = [
        max(x.shape[0] for x in [*arrays.values()][k : k + beside])
        for k in range(0, len(arrays), beside)
    ]
    gap = 0.3 if narrow() else 0.5  # inches
    cell = min(0.55, (width() - gap * len(columns)) / sum(columns))
    size = (cell * sum(columns) + gap * len(columns), cell * sum(rows) + 0.5 * len(rows))
    with book_style(text := summary("matrices", arrays)):
        figure = BookFigure(figsize=size, layout="constrained")
        axes = figure.subplots(
            len(rows), beside, squeeze=False, width_ratios=columns, height_ratios=rows
        ).ravel()
        for ax in axes[len(arrays) :]:
            ax.remove()
        for ax, (name, array) in zip(axes, arrays.items(), strict=False):
            _heat_map(ax, name, array, largest, digits, min(FONT - 1, cell * 72 / 3.4))
        figure.settle()
    figure.summary = text
    return figure


@two_widths
def strips(
    curve: Sequence[Values],
    rows: Mapping[str, tuple[Values, Values, str]],
    *,
    xlabel: str,
    ylabel: str,
    notes: str = "",
    vlines: Guides = None,
) -> BookFigure:
    """A curve, and below it on the same x axis a row of dots for each name.

    `curve` is a pair (xs, ys), xs increasing; a row is (xs, weights, note): dots whose areas are as
    the weights, with the note between its name and the dots, under the head `notes`. `vlines` are
    labelled guides through all of it. Raises ValueError for lengths that differ, weights that are
    not positive, dots outside the curve's xs, and no rows.
    """
    xs = _increasing("the curve, xs", curve[0])
    ys = vector("the curve, ys", curve[1], length=len(xs), gaps=False)
    if not rows:
        raise ValueError("there must be at least one row, got none")
    read = {name: _row(name, row, float(xs[0]), float(xs[-1])) for name, row in rows.items()}
    return draw_strips((xs, ys), read, (xlabel, ylabel), dict(vlines or {}), notes)


@two_widths
def panels(
    x: Values,
    each: Mapping[str, Mapping[str, Values]],
    *,
    columns: int,
    xlabel: str,
    ylabel: str,
    xscale: str = "linear",
    yscale: str = "linear",
    style: Styles = None,
    vlines: Guides = None,
    ylim: Limits = None,
) -> BookFigure:
    """Small multiples: frames with the same axes, each under its name, `columns` in a row.

    `x` (n,) increasing; `each` maps the name of a frame to its series, (n,) or (k, n): the k lines
    of one series, seeds for instance, are thin, and look alike, or are dots, with kind="point".
    Where a series leaves `ylim` (by default all is inside) the edge is marked with the value of the
    line that goes highest.
    `style` and `vlines` as for `curves`. Raises ValueError as `curves`, and for no frames or
    fewer than one column.
    """
    grid = _increasing("x", x)
    if not each or columns < 1:
        raise ValueError(f"there must be a frame and a column, got {len(each)} and {columns}")
    read = {
        title: {name: _lines(f"{title}: {name}", ys, len(grid)) for name, ys in series.items()}
        for title, series in each.items()
    }
    if not all(read.values()):
        raise ValueError("every frame must have at least one series, got one with none")
    guides = {name: float(value) for name, value in (vlines or {}).items()}
    labels, scales = (xlabel, ylabel), (xscale, yscale)
    return draw_panels(grid, read, columns, labels, scales, style, guides, ylim)


@two_widths
def dots(
    rows: Mapping[str, Mapping[str, Values]],
    *,
    xlabel: str,
    xscale: str = "log",
    style: Styles = None,
    notes: Mapping[str, str] | None = None,
    vlines: Guides = None,
    apart: bool = False,
) -> BookFigure:
    """Rows of dots on one axis, the first on top, each with its name at the left.

    A row maps names of series to numbers, (k,), none or one; a series has one colour in all rows,
    and a legend if there are several. `notes` are words at the right end of rows, `vlines` guides
    through all of them, named in the legend. With `apart` the dots of each series have a height of
    their own in the row. 0 on a log scale is marked at the edge with its value. Raises ValueError
    for no rows, no numbers, notes of no row, numbers that are not finite, or negative on a log
    scale, and as `curves` for `style`.
    """
    if not rows or not all(rows.values()):
        raise ValueError("there must be at least one row, each with a series, got none")
    if strange := [name for name in notes or {} if name not in rows]:
        raise ValueError(f"notes must belong to rows, got {strange}; rows are {list(rows)}")
    read = {
        row: {
            name: vector(f"{row}: {name}", np.atleast_1d(plain(xs)), gaps=False)
            for name, xs in own.items()
            if np.size(plain(xs))
        }
        for row, own in rows.items()
    }
    if not any(read.values()):
        raise ValueError("there must be at least one number in the rows, got none")
    every = np.concatenate([xs for own in read.values() for xs in own.values()])
    if xscale == "log" and (every.min() < 0 or every.max() <= 0):
        raise ValueError(f"values on a log scale must be positive, got {every.min():g}")
    guides = {name: float(value) for name, value in (vlines or {}).items()}
    return draw_dots(read, xlabel, xscale, style, dict(notes or {}), guides, apart)


@two_widths
def claims(rows: Sequence[Judged], *, xlabel: str) -> BookFigure:
    """Claims, one a row: its words, the numbers that are compared, and the verdict.

    A row is an `Ordering` of :mod:`linear_icl_book.claims`, or has what `Judged` says: the claim
    that `factor` times each of `smaller` lies below each of `larger`, whose intervals are (mean,
    low, high). Dots are means, on one log axis, the smaller side times the factor; the number at
    the right is by how much the two nearest means differ. Claims that fail look like the others.
    Raises ValueError for no rows, and for numbers that are not positive and finite.
    """
    if not rows:
        raise ValueError("there must be at least one claim, got none")
    return draw_claims(rows, xlabel)


def _lines(name: str, value: Values, length: int) -> np.ndarray:
    """One line or several, as (k, n)."""
    array = plain(value)
    if array.ndim == 2 and len(array):
        return np.stack([vector(name, line, length=length) for line in array])
    return vector(name, array, length=length)[None]


def _row(name: str, row: tuple[Values, Values, str], low: float, high: float) -> Row:
    xs = vector(f"{name}, xs", row[0], gaps=False)
    weights = vector(f"{name}, weights", row[1], length=len(xs), gaps=False)
    if (weights <= 0).any():
        raise ValueError(f"the weights of {name!r} must be positive, got {weights.min():g}")
    if xs.min() < low or high < xs.max():
        raise ValueError(
            f"the dots of {name!r} must lie between {low:g} and {high:g}, where the curve is, got "
            f"{xs.min():g} to {xs.max():g}"
        )
    return Row(xs, weights, row[2])


def _increasing(name: str, value: Values) -> np.ndarray:
    values = vector(name, value, gaps=False)
    if (np.diff(values) <= 0).any():
        raise ValueError(f"{name} must be increasing, got a step back; use phase for a path")
    return values


def _pairs(series: Mapping[str, Sequence[Values]]) -> dict[str, Pair]:
    pairs = {}
    for name, pair in series.items():
        if len(pair) != 2:
            raise ValueError(f"{name!r} must be a pair (xs, ys), got {len(pair)} values")
        xs = vector(f"{name}, xs", np.atleast_1d(plain(pair[0])))
        pairs[name] = (xs, vector(f"{name}, ys", np.atleast_1d(plain(pair[1])), length=len(xs)))
    return pairs


def _band(name: str, band: Sequence[Values]) -> Band:
    if len(band) != 3:
        raise ValueError(f"the band {name!r} must be (low, high), got {len(band) - 1} values")
    xs = vector(f"{name}, xs", band[0], gaps=False)
    low, high = (vector(name, end, length=len(xs)) for end in band[1:])
    if (low > high).any():
        k = int(np.flatnonzero(low > high)[0])
        raise ValueError(
            f"the band {name!r} must have low <= high, got {low[k]:g} > {high[k]:g} at index {k}"
        )
    return xs, low, high


def _cells(z: Values, shape: tuple[int, int]) -> np.ndarray:
    cells = plain(z)
    if cells.shape != shape or min(shape) < 2:
        turned = cells.shape == shape[::-1]
        raise ValueError(
            f"z must have shape {shape}, (len(y), len(x)) and at least 2 each, got {cells.shape}"
            + ("; transpose it" if turned else "")
        )
    if np.isinf(cells).any() or np.isnan(cells).all():
        raise ValueError("z must be finite or NaN, and not all NaN; NaN says that a cell is absent")
    return cells


def _colour_limits(cells: np.ndarray, given: Limits, scale: str) -> tuple[float, float]:
    low, high = (np.nanmin(cells), np.nanmax(cells)) if given is None else given
    if given is None and low == high:  # one value: in the middle of the scale
        room = 0.5 * abs(low) or 1.0
        low, high = (low / 2, high * 2) if scale == "log" else (low - room, high + room)
    if not low < high or (scale == "log" and low <= 0):
        raise ValueError(
            f"zlim must be (low, high) with low < high, positive on a log scale, got {given}"
        )
    return float(low), float(high)


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
