"""One chart: paths, bands and guides in a frame, each with its name where there is room for it."""

import itertools
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from linear_icl._checks import choice
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox, ScaledTranslation, TransformedBbox

from ._beside import Pair, beside
from ._heat import Heat, halo
from ._outside import Mark, Side, of_band, of_curve, of_path, of_points, pretty, shown_from
from ._style import (
    COLOURS,
    FONT,
    HEIGHT,
    BookFigure,
    axis_numbers,
    legend_columns,
    looks,
    narrow,
    numbers,
    summary,
    width,
)
from ._style import style as book_style

AROUND = Bbox([[-0.1, -0.1], [1.1, 1.1]])  # of the frame
DOT, RING = 5.5, 2.6  # points across, and how much wider what is around it
NEAR = 0.012  # of the frame: dots so near lie on one another
GUIDE_ROWS = 3  # of names above the frame

Band = tuple[np.ndarray, np.ndarray, np.ndarray]
Styles = Mapping[str, Mapping[str, Any]] | None
Guides = Mapping[str, Any] | None  # a number by its name
Limits = tuple[Any, Any] | None


def chart(
    kind: str,
    pairs: dict[str, Pair],
    labels: tuple[str, str],
    scales: tuple[str, str],
    style: Styles,
    vlines: Guides,
    hlines: Guides,
    bands: Mapping[str, Band],
    limits: tuple[Limits, Limits],
    heat: Heat | None = None,
    equal: bool = False,
) -> BookFigure:
    """The figure; `bands` are (x, low, high), and what is drawn over `heat` gets a rim of paper.

    With `equal` one unit is as long along y as along x. What lies outside the frame has a mark."""
    vlines, hlines = (
        {name: float(value) for name, value in (lines or {}).items()} for lines in (vlines, hlines)
    )
    guides = {**vlines, **hlines}
    if not pairs and not bands and not guides and heat is None:
        raise ValueError("there must be at least one series, got none")
    if len({**pairs, **guides}) < len(pairs) + len(vlines) + len(hlines):
        raise ValueError(f"names must differ, got {[*pairs, *vlines, *hlines]}")
    chosen = looks(pairs, bands, guides, style or {})
    _check_scales(scales, pairs, bands)
    with book_style(text := summary(kind, _numbers(kind, pairs, bands, guides, heat))):
        size = (width(), HEIGHT * (0.8 if narrow() else 1))
        figure = BookFigure(figsize=size, layout="constrained")
        ax = _frame(figure, heat)
        ax.set(xlabel=labels[0], ylabel=labels[1], xscale=scales[0], yscale=scales[1])
        if heat is not None:
            heat.draw(ax)
        beneath = len(ax.lines)
        for name, (xs, low, high) in bands.items():
            low, high = (shown_from(edge, scales[1]) for edge in (low, high))
            ax.fill_between(xs, low, high, color=chosen[name]["color"], alpha=0.18, lw=0)
        points = _points(pairs, chosen)
        for name, (xs, ys) in pairs.items():
            _draw(ax, xs, shown_from(ys, scales[1]), chosen[name], name in points)
        for lines, draw in ((vlines, ax.axvline), (hlines, ax.axhline)):
            for name, value in lines.items():
                draw(value, color=chosen[name]["color"], lw=1.2, ls=chosen[name]["ls"], zorder=1)
        if heat is not None:
            for line in ax.lines[beneath:]:
                line.set_path_effects(halo(line.get_linewidth()))
        if kind == "curves":
            x = next(iter([*pairs.values(), *bands.values()]))[0]
            ax.set_xlim(x[0], x[-1])
        ax.set(**{f"{a}lim": lim for a, lim in zip("xy", limits, strict=True) if lim is not None})
        ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())  # from here on labels move nothing
        _around(ax)
        whole_at_the_edge(ax)
        if equal:
            ax.set_aspect("equal", adjustable="box")
        sides = Side(ax.get_xlim(), scales[0]), Side(ax.get_ylim(), scales[1])
        for name, mark in _marks(kind, sides, pairs, bands, guides, vlines, chosen):
            draw_mark(ax, mark, chosen[name]["color"])
        for scale, ticks in zip(scales, (ax.xaxis, ax.yaxis), strict=True):
            axis_numbers(ticks, scale)
        _name_vlines(ax, vlines, chosen)
        _name_rest(figure, ax, pairs, hlines, bands, chosen, kind)
        figure.settle()
    figure.summary = text
    return figure


def _frame(figure: BookFigure, heat: Heat | None) -> Axes:
    """The axes; those of a heat map have its colour bar beside them."""
    ratios = [1] if heat is None else [30, 1]
    main, *bars = figure.subplots(1, len(ratios), width_ratios=ratios, squeeze=False)[0]
    if heat is not None:
        heat.bar(bars[0])
    assert isinstance(main, Axes)
    return main


def _check_scales(
    scales: tuple[str, str], pairs: Mapping[str, Pair], bands: Mapping[str, Band]
) -> None:
    """Along y a value may be 0 on a log scale, or negative as the lower edge of a band."""
    xs = [values[0] for values in (*pairs.values(), *bands.values())]
    ys = [ys for _, ys in pairs.values()] + [high for _, _, high in bands.values()]
    for axis, scale, found in zip("xy", scales, (xs, ys), strict=True):
        choice(f"{axis}scale", scale, {"linear": 0, "log": 0})
        least = min((np.nanmin(value) for value in found), default=1.0)
        if scale == "log" and (least <= 0 if axis == "x" else least < 0):
            raise ValueError(f"values on a log scale must be positive, got {axis} value {least:g}")


def _numbers(
    kind: str,
    pairs: Mapping[str, Pair],
    bands: Mapping[str, Band],
    guides: Mapping[str, float],
    heat: Heat | None,
) -> dict[str, np.ndarray]:
    """What the summary tells of, by name."""
    named = {heat.label: heat.z} if heat is not None else {}
    for name, pair in pairs.items():
        named |= {name: pair[1]} if kind == "curves" else {f"{name} {a}": pair[k] for k, a in _XY}
    named |= {f"{name} {end}": band[k] for name, band in bands.items() for k, end in _ENDS}
    return named | numbers(guides)


_XY = ((0, "x"), (1, "y"))
_ENDS = ((1, "low"), (2, "high"))


def _points(pairs: Mapping[str, Pair], chosen: Mapping[str, Any]) -> list[str]:
    return [name for name, (xs, _) in pairs.items() if chosen[name]["marker"] or len(xs) == 1]


def _marks(
    kind: str,
    sides: tuple[Side, Side],
    pairs: Mapping[str, Pair],
    bands: Mapping[str, Band],
    guides: Mapping[str, float],
    vlines: Mapping[str, float],
    chosen: Mapping[str, Any],
) -> list[tuple[str, Mark]]:
    """What lies outside the frame, by the name of its series."""
    points = _points(pairs, chosen)
    found: list[tuple[str, Mark]] = []
    for name, (xs, low, high) in bands.items():
        found += [(name, mark) for mark in of_band(sides, xs, low, high)]
    for name, (xs, ys) in pairs.items():
        curve = kind == "curves" or chosen[name]["curve"]
        rule = of_points if name in points else of_curve if curve else of_path
        found += [(name, mark) for mark in rule(sides, xs, ys)]
    for name, value in guides.items():
        upright = name in vlines
        x, y = (value, sides[1].domain[1]) if upright else (sides[0].domain[1], value)
        marks = of_points(sides, np.array([x]), np.array([y]))
        found += [(name, mark) for mark in marks]
    return found


def draw_mark(ax: Axes, mark: Mark, color: str) -> None:
    """An arrow head whose tip is at the edge, with the value beside it."""
    dx, dy = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}[mark.way]
    shape = {"up": "^", "down": "v", "left": "<", "right": ">"}[mark.way]
    inward = ScaledTranslation(-4 * dx / 72, -4 * dy / 72, ax.figure.dpi_scale_trans)
    ax.plot(
        [mark.x], [mark.y], shape, color=color, markersize=6, clip_on=False, zorder=4,
        transform=ax.transData + inward,
    )  # fmt: skip
    if mark.value is not None:
        far = _fraction(ax, 0, mark.x) > 0.85
        ax.annotate(
            pretty(mark.value), (mark.x, mark.y), xytext=(-6 if far else 6, -11 if dy > 0 else 3),
            textcoords="offset points", ha="right" if far else "left", fontsize=FONT - 1.5,
            color=COLOURS["ink"], annotation_clip=False,
        )  # fmt: skip


def _draw(ax: Axes, xs: np.ndarray, ys: np.ndarray, look: dict[str, Any], point: bool) -> None:
    if point:
        ax.plot(xs, ys, "o", color=look["color"], markersize=DOT, zorder=3)
        return
    ax.plot(xs, ys, color=look["color"], ls=look["ls"])
    if look["arrow"]:
        middle = len(xs) // 2
        tail, head = ((xs[k], ys[k]) for k in (middle - 1, middle))
        arrow = {"arrowstyle": "-|>", "color": look["color"], "mutation_scale": 18, "lw": 0}
        ax.annotate("", xy=head, xytext=tail, arrowprops=arrow)


def _around(ax: Axes) -> None:
    """A series with a dot on one of a later series has wider dots, which are seen around it."""
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    frame = ax.transScale + ax.transLimits
    at = [frame.transform(np.column_stack(line.get_data())) for line in dots]  # parts of it
    for k in reversed(range(len(dots))):
        off = [abs(at[k][:, None] - later) < NEAR for later in at[k + 1 :]]
        on = [dots[k + 1 + j].get_markersize() for j, one in enumerate(off) if one.all(-1).any()]
        if on:
            dots[k].set_markersize(max(on) + RING)


def whole_at_the_edge(ax: Axes) -> None:
    """A dot on the edge of the frame is drawn whole, one beyond it not at all: it has a mark."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    for dots in (line for line in ax.lines if line.get_marker() == "o"):
        xs, ys = (np.asarray(values, dtype=np.float64) for values in dots.get_data())
        inside = (xs >= left) & (xs <= right) & (ys >= low) & (ys <= high)
        dots.set_data(xs, np.where(inside, ys, np.nan))
        dots.set_clip_box(TransformedBbox(AROUND, ax.transAxes))


def _fraction(ax: Axes, axis: int, value: float) -> float:
    """Where a value lies along an axis, 0 to 1 inside the frame."""
    low, high = (ax.get_xlim(), ax.get_ylim())[axis]
    if (ax.get_xscale(), ax.get_yscale())[axis] == "log":
        value, low, high = (math.log(v) if v > 0 else -math.inf for v in (value, low, high))
    return (value - low) / (high - low)


def _name_vlines(ax: Axes, vlines: Mapping[str, float], chosen: Mapping[str, Any]) -> None:
    """Names above the frame, a row higher where they would overlap the one to the left."""
    ends: list[float] = []
    for name, value in sorted(vlines.items(), key=lambda item: item[1]):
        place = _fraction(ax, 0, value)
        half = 0.3 * len(name) * FONT / (72 * 0.8 * width())
        row = next((k for k, end in enumerate(ends) if place - half > end), len(ends))
        ends[row : row + 1] = [place + half]
        if len(ends) > GUIDE_ROWS:  # they would take the height of a narrow figure
            where = "a telephone" if narrow() else "a page"
            raise ValueError(
                f"the names of vlines need more than {GUIDE_ROWS} rows above the frame on {where}: "
                f"{', '.join(vlines)}; name fewer, or in fewer words"
            )
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
    pairs: Mapping[str, Pair],
    hlines: Mapping[str, float],
    bands: Mapping[str, Any],
    chosen: Mapping[str, Any],
    kind: str,
) -> None:
    """Direct labels: at the right edge where the ends keep apart, else beside the lines; where
    there is no room for them, a legend above."""
    points, loose = _points(pairs, chosen), set(bands) - set(pairs)
    if narrow() and not loose:  # no room to the right
        across = {name: (np.array(ax.get_xlim()), np.full(2, y)) for name, y in hlines.items()}
        if beside(figure, ax, {**pairs, **across}, chosen, points):
            return
    line = 1.25 * FONT / (72 * 0.8 * figure.get_figheight())
    guides = {name: _fraction(ax, 1, value) for name, value in hlines.items()}
    ends = {}
    for name, (xs, ys) in pairs.items():
        last = [k for k in np.flatnonzero(~np.isnan(ys)) if _fraction(ax, 0, xs[k]) <= 1][-1:]
        reaches = last and _fraction(ax, 0, xs[last[0]]) > 0.9  # else its name would float
        ends[name] = _fraction(ax, 1, ys[last[0]]) if reaches else math.nan
    heights = sorted([*ends.values(), *guides.values()])
    apart = all(b - a >= line for a, b in itertools.pairwise(heights))
    inside = all(0 <= end <= 1 for end in ends.values())
    direct = kind == "curves" and apart and inside and not loose
    lowest = -math.inf
    for name, end in sorted((ends | guides if direct else guides).items(), key=lambda e: e[1]):
        lowest = max(end, lowest + line)  # a name gives way to the one below it
        _text(ax, name, (1, lowest), (5, 0), chosen, va="center")
    if direct or not (pairs or bands):
        return
    if loose or not beside(figure, ax, pairs, chosen, points):
        named = list(dict.fromkeys([*pairs, *bands]))
        key_above(figure, named, chosen, pairs)


def key_above(
    figure: BookFigure,
    names: Collection[str],
    chosen: Mapping[str, dict[str, Any]],
    pairs: Mapping[str, Any],
) -> Legend:
    """A legend above the frames; a name without a pair is that of a band."""
    handles = [handle(name, chosen[name], pairs) for name in names]
    columns = legend_columns(names)
    return figure.legend(handles=handles, loc="outside upper center", ncols=columns)


def handle(name: str, look: dict[str, Any], pairs: Mapping[str, Any]) -> Any:
    if name not in pairs:
        return Rectangle((0, 0), 1, 1, color=look["color"], alpha=0.18, lw=0, label=name)
    point = look["marker"] or len(pairs[name][0]) == 1
    shape = {"marker": "o", "ls": "", "markersize": 5.5} if point else {"ls": look["ls"]}
    return Line2D([], [], color=look["color"], label=name, **shape)
