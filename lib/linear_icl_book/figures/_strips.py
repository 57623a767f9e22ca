"""A curve, and rows of dots below it on the same x axis."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ._dots import NAMED, name_rows
from ._style import COLOURS, FONT, BookFigure, narrow, numbers, summary, width
from ._style import style as book_style

ROW, TOP = 0.24, 1.5  # inches of a row, and of the curve
LETTER, NOTE = 0.08, 0.6  # inches, of a letter of a name, and of the notes' column
EDGE = -15.0  # points from the frame to the right end of a note, clear of a dot on the frame
LARGEST = 90.0  # points² of the dot with the largest weight of all


@dataclass(frozen=True)
class Row:
    """Dots at `xs` with areas as `weights`, and a `note` by the name, in sight on a phone."""

    xs: np.ndarray
    weights: np.ndarray
    note: str


def strips(
    curve: tuple[np.ndarray, np.ndarray],
    rows: Mapping[str, Row],
    labels: tuple[str, str],
    guides: Mapping[str, Any],
    head: str,
) -> BookFigure:
    named = {"curve": curve[1], **{name: row.xs for name, row in rows.items()}, **numbers(guides)}
    with book_style(text := summary("strips", named)):
        high = (NAMED if narrow() else ROW) * len(rows)
        size = (width(), TOP + high + 0.55)
        figure = BookFigure(figsize=size)
        names = 0.2 + LETTER * max(map(len, rows))
        left = NOTE if narrow() else max(0.8, names + NOTE)
        figure.subplots_adjust(left=left / width(), right=1 - 0.2 / width(), hspace=0.2)
        figure.subplots_adjust(bottom=0.5 / size[1], top=1 - 0.08 / size[1])
        ratios = [TOP, high]
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=ratios)
        _curve(above, curve, labels[1], guides)
        _rows(below, rows, labels[0], guides)
        _note(below, head, -1, color=COLOURS["muted"])
        figure.settle()
    figure.summary = text
    return figure


def _curve(
    ax: Axes, curve: tuple[np.ndarray, np.ndarray], label: str, guides: Mapping[str, Any]
) -> None:
    ax.plot(*curve, color=COLOURS["ink"])
    ax.set(ylabel=label, xlim=(float(curve[0][0]), float(curve[0][-1])), ylim=(0, None))
    ax.tick_params(axis="x", length=0)
    high = ax.get_ylim()[1]
    for name, x in guides.items():
        ax.axvline(x, color=COLOURS["muted"], ls=(0, (2, 2.5)), lw=1)
        ax.annotate(
            name, (x, high), xytext=(4, -9), textcoords="offset points", fontsize=FONT - 1,
            color=COLOURS["muted"],
        )  # fmt: skip


def _rows(ax: Axes, rows: Mapping[str, Row], label: str, guides: Mapping[str, Any]) -> None:
    largest = max(float(row.weights.max()) for row in rows.values())
    for k, row in enumerate(rows.values()):
        ax.scatter(
            row.xs, np.full(len(row.xs), k), s=LARGEST * row.weights / largest,
            color=COLOURS["U"], zorder=3, clip_on=False, lw=0,
        )  # fmt: skip
        _note(ax, row.note, k)
    for x in guides.values():
        ax.axvline(x, color=COLOURS["muted"], ls=(0, (2, 2.5)), lw=1)
    ax.set(xlabel=label, ylim=(len(rows) - 0.4, -0.6))
    name_rows(ax, list(rows))
    ax.tick_params(axis="y", length=0, pad=72 * NOTE)
    ax.spines["left"].set_visible(False)


def _note(ax: Axes, text: str, row: int, **style: Any) -> None:
    ax.annotate(
        text, (0, row), xytext=(EDGE, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", va="center", fontsize=FONT - 1, **style,
    )  # fmt: skip
