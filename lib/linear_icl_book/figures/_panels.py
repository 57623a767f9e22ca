"""Small multiples: the same series in several frames with the same axes."""

from collections.abc import Mapping

import numpy as np
from linear_icl._checks import choice
from matplotlib import ticker

from ._chart import Limits, Styles, draw_mark, handle
from ._outside import Side, of_curve, of_points, shown_from
from ._style import (
    COLOURS,
    FONT,
    BookFigure,
    legend_columns,
    looks,
    narrow,
    numbers,
    summary,
    tick,
    width,
)
from ._style import style as book_style

TALL = {1: 2.7, 2: 2.1}  # inches of a panel and what is written around it, by columns
LOW = 1.75
KEY = 0.19  # inches of a row of the legend
FEW = 4  # values of x
THIN = 0.9  # points, of a line that is one of several
POINT = 4.5  # points across


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
    shown = [*names, *guides]
    keys = legend_columns(shown)
    height = height * rows + 0.36 + KEY * -(-len(shown) // keys)  # panels keep theirs
    within = _within(flat, scales[1]) if limits is None else limits
    with book_style(text := summary("panels", flat | numbers(guides))):
        figure = BookFigure(figsize=(width(), height), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        for ax in grid.flat[len(each) :]:
            ax.remove()
        for ax, (title, series) in zip(grid.flat, each.items(), strict=False):
            ax.set_title(title, fontsize=FONT - 1, color=COLOURS["ink"])
            ax.tick_params(labelsize=FONT - 2)
            ax.set(xscale=scales[0], yscale=scales[1])
            for name, lines in series.items():
                look = {"ls": chosen[name]["ls"], "lw": THIN if len(lines) > 1 else 1.6}
                if chosen[name]["marker"]:  # whole at the edge, and nothing beyond it
                    lines = np.where((lines >= within[0]) & (lines <= within[1]), lines, np.nan)
                    look = {"ls": "", "marker": "o", "ms": POINT, "clip_on": False, "zorder": 3}
                for ys in lines:
                    ax.plot(x, shown_from(ys, scales[1]), color=chosen[name]["color"], **look)
        for ax, series in zip(grid.flat, each.values(), strict=False):
            ax.set(xlim=(x[0], x[-1]), ylim=within)
            for name, value in guides.items():
                ax.axvline(value, color=chosen[name]["color"], ls=chosen[name]["ls"], lw=1)
            sides = Side(ax.get_xlim(), scales[0]), Side(ax.get_ylim(), scales[1])
            for name, lines in series.items():
                outside = of_points if chosen[name]["marker"] else of_curve
                for mark in outside(sides, x, lines[np.argmax(_reach(lines))]):
                    draw_mark(ax, mark, chosen[name]["color"])
            for scale, axis in zip(scales, (ax.xaxis, ax.yaxis), strict=True):
                if scale == "linear":
                    axis.set_major_formatter(ticker.FuncFormatter(tick))
            if len(x) <= FEW:  # each of them is named, on a logarithmic axis too
                ax.xaxis.set_major_locator(ticker.FixedLocator(list(x)))
                ax.xaxis.set_major_formatter(ticker.FuncFormatter(tick))
                ax.xaxis.set_minor_locator(ticker.NullLocator())
        for ax in grid.flat[max(0, len(each) - columns) : len(each)]:  # the lowest of each column
            ax.tick_params(labelbottom=True)
            ax.set_xlabel(labels[0], fontsize=FONT - 1)
        for ax in grid[:, 0]:
            ax.set_ylabel(labels[1], fontsize=FONT - 1)
        handles = [handle(name, chosen[name], dict.fromkeys(shown, (x, x))) for name in shown]
        figure.legend(handles=handles, loc="outside upper center", ncols=keys)
        figure.settle()
    figure.summary = text
    return figure


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
