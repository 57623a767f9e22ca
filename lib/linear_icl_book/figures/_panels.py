"""Small multiples: the same series in several frames with the same axes."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from linear_icl._checks import choice
from matplotlib import ticker
from matplotlib.axes import Axes

from ._beside import Pair, in_one_frame
from ._chart import Limits, Styles, draw_mark, key_above, whole_at_the_edge
from ._outside import Side, of_curve, of_points, shown_from
from ._style import (
    COLOURS,
    FONT,
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

TALL = {1: 2.7, 2: 2.1}  # inches of a panel and what is written around it, by columns
LOW = 1.75
ABOVE, KEY = 0.15, 0.19  # inches of a legend, and of each of its rows
FEW = 4  # values of x
THIN = 0.9  # points, of a line that is one of several
POINT, SMALL = 4.5, 2.2  # points across, the second of series with more dots than
MANY = 60


def panels(
    x: np.ndarray,
    each: Mapping[str, Mapping[str, np.ndarray]],
    columns: int,
    labels: tuple[str, str],
    scales: tuple[str, str],
    style: Styles,
    guides: Mapping[str, float],
    limits: Limits,
) -> BookFigure:
    """`each`: title -> series (k, n) over x (n,); k lines of one series are thin, and alike."""
    for axis, scale in zip("xy", scales, strict=True):
        choice(f"{axis}scale", scale, {"linear": 0, "log": 0})
    names = dict.fromkeys(name for series in each.values() for name in series)
    flat = {f"{title}: {name}": ys for title, own in each.items() for name, ys in own.items()}
    chosen = looks(dict.fromkeys(names), {}, guides, style or {})
    columns = -(-columns // 2) if narrow() else columns
    rows = -(-len(each) // columns)
    height = LOW if narrow() and rows > 1 else TALL.get(columns, LOW)
    within = _within(flat, scales[1]) if limits is None else limits
    with book_style(text := summary("panels", flat | numbers(guides))):
        figure = BookFigure(figsize=(width(), height * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        for ax in grid.flat[len(each) :]:
            ax.remove()
        for ax, (title, series) in zip(grid.flat, each.items(), strict=False):
            ax.set_title(title, fontsize=FONT - 1, color=COLOURS["ink"])
            ax.tick_params(labelsize=FONT - 2)
            ax.set(xscale=scales[0], yscale=scales[1])
            for name, lines in series.items():
                look = {"ls": chosen[name]["ls"], "lw": THIN if len(lines) > 1 else 1.6}
                if chosen[name]["marker"]:
                    many = np.isfinite(lines).sum() > MANY
                    look = {"ls": "", "marker": "o", "ms": SMALL if many else POINT, "zorder": 3}
                for ys in lines:
                    ax.plot(x, shown_from(ys, scales[1]), color=chosen[name]["color"], **look)
        for ax, series in zip(grid.flat, each.values(), strict=False):
            ax.set(xlim=(x[0], x[-1]), ylim=within)
            whole_at_the_edge(ax)
            for name, value in guides.items():
                ax.axvline(value, color=chosen[name]["color"], ls=chosen[name]["ls"], lw=1)
            sides = Side(ax.get_xlim(), scales[0]), Side(ax.get_ylim(), scales[1])
            for name, lines in series.items():
                outside = of_points if chosen[name]["marker"] else of_curve
                for mark in outside(sides, x, lines[np.argmax(_reach(lines))]):
                    draw_mark(ax, mark, chosen[name]["color"])
            for scale, axis in zip(scales, (ax.xaxis, ax.yaxis), strict=True):
                axis_numbers(axis, scale)
            if len(x) <= FEW:  # each of them is named, on a logarithmic axis too
                ax.xaxis.set_major_locator(ticker.FixedLocator(list(x)))
                axis_numbers(ax.xaxis, "linear")
                ax.xaxis.set_minor_locator(ticker.NullLocator())
        for ax in grid.flat[max(0, len(each) - columns) : len(each)]:  # the lowest of each column
            ax.tick_params(labelbottom=True)
            ax.set_xlabel(labels[0], fontsize=FONT - 1)
        for ax in grid[:, 0]:
            ax.set_ylabel(labels[1], fontsize=FONT - 1)
        drawn = [
            (ax, _drawn(x, series, guides, within, scales[1]))
            for ax, series in zip(grid.flat, each.values(), strict=False)
        ]
        points = [name for name, look in chosen.items() if look["marker"]]
        _name(figure, drawn, chosen, points, height * rows)
        figure.settle()
    figure.summary = text
    return figure


def _drawn(
    x: np.ndarray,
    series: Mapping[str, np.ndarray],
    guides: Mapping[str, float],
    within: Limits,
    scale: str,
) -> dict[str, list[Pair]]:
    """The lines of each name in a frame; a guide goes from edge to edge."""
    lines = {name: [(x, shown_from(ys, scale)) for ys in own] for name, own in series.items()}
    return lines | {name: [(np.full(2, value), np.array(within))] for name, value in guides.items()}


def _name(
    figure: BookFigure,
    drawn: Sequence[tuple[Axes, Mapping[str, Sequence[Pair]]]],
    chosen: Mapping[str, dict[str, Any]],
    points: Collection[str],
    height: float,
) -> None:
    """Each name beside its lines in one frame; what has room in none, in a legend above."""
    first = {name: lines[0] for _, own in drawn for name, lines in own.items()}
    rest: list[str] = []
    while True:
        key = key_above(figure, rest, chosen, first) if rest else None
        rows = -(-len(rest) // legend_columns(rest)) if rest else 0
        figure.set_size_inches(width(), height + ABOVE * bool(rows) + KEY * rows)  # frames keep
        named = [
            (ax, {name: lines for name, lines in own.items() if name not in rest})
            for ax, own in drawn
        ]
        texts, homeless = in_one_frame(figure, named, chosen, points)
        if not homeless:
            return
        for one in [*texts, *([key] if key else [])]:
            one.remove()
        rest = [name for name in chosen if name in [*rest, *homeless]]


def _reach(lines: np.ndarray) -> np.ndarray:
    """How far each line goes: one mark stands for all that leave the frame."""
    return np.array([np.max(line, initial=-np.inf, where=~np.isnan(line)) for line in lines])


def _within(series: Mapping[str, np.ndarray], scale: str) -> tuple[float, float]:
    """All that is drawn, with a little room; on a log scale all that has a logarithm."""
    values = np.concatenate([np.ravel(ys) for ys in series.values()])
    values = values[np.isfinite(values) & ((values > 0) | (scale == "linear"))]
    low, high = float(values.min()), float(values.max())
    if scale == "log":
        room = (high / low) ** 0.05 if high > low else 1.5
        return low / room, high * room
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room
