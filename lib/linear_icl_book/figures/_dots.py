"""Rows of dots on one axis: numbers by name, and claims with what they compare."""

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from linear_icl._checks import choice
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ._chart import Styles, draw_mark, handle
from ._heat import halo
from ._outside import Side, mark_at, pretty
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

ROW, CLAIM = 0.27, 0.5  # inches of a row of dots, and of a claim with its dots
NAMED, LOWER = 0.4, 0.48  # inches of a row on a phone, whose name stands above its dots
LETTER, LINE = 0.077, 0.17  # inches
DOT = 5.0  # points
APART = 0.2  # of a row, from its middle to the outermost of its series
SPREAD = 0.13  # of a row, between the dots of one side
SIDES = {"smaller": ("should be smaller", "U"), "larger": ("should be larger", "u")}


@runtime_checkable
class Judged(Protocol):
    """A claim ``factor`` x ``smaller`` < ``larger``, each (mean, low, high), and its verdict."""

    @property
    def claim(self) -> str: ...
    @property
    def smaller(self) -> Sequence[tuple[float, float, float]]: ...
    @property
    def larger(self) -> Sequence[tuple[float, float, float]]: ...
    @property
    def factor(self) -> float: ...
    @property
    def holds(self) -> bool: ...


def dots(
    rows: Mapping[str, Mapping[str, np.ndarray]],
    label: str,
    scale: str,
    style: Styles,
    notes: Mapping[str, str],
    guides: Mapping[str, float],
    apart: bool,
) -> BookFigure:
    choice("xscale", scale, {"linear": 0, "log": 0})
    names = dict.fromkeys(name for row in rows.values() for name in row)
    if same := [name for name in guides if name in names]:
        raise ValueError(f"names must differ, got {same} twice")
    chosen = looks(dict.fromkeys(names), {}, guides, style or {})
    flat = {f"{row}: {name}": xs for row, own in rows.items() for name, xs in own.items()}
    apart = apart and len(names) > 1
    heights = np.linspace(-APART, APART, len(names)) if apart else np.zeros(1)
    if apart and narrow():  # below the name
        heights += 0.8 * APART
    with book_style(text := summary("dots", flat | numbers(guides))):
        shown = [*names, *guides]
        columns = legend_columns(shown, mark=6)
        legend = 0.3 * -(-len(shown) // columns) * (len(shown) > 1)
        size = (width(), _row(apart) * len(rows) + 0.65 + legend)
        figure = BookFigure(figsize=size)
        left = 0.15 if narrow() else max(0.6, 0.2 + LETTER * max(map(len, rows)))
        right = 0.15 + LETTER * max((len(note) for note in notes.values()), default=2)
        ax = _frame(figure, (left, right), legend, label, scale)
        limits = _limits(np.concatenate([*flat.values(), list(guides.values())]), scale)
        for name, value in guides.items():
            ax.axvline(value, color=chosen[name]["color"], ls=chosen[name]["ls"], lw=1, zorder=1)
        places = dict(zip(names, itertools.cycle(heights), strict=False))
        for k, (row, own) in enumerate(rows.items()):
            for name, xs in own.items():
                _dots(ax, xs, k + places[name], chosen[name]["color"], Side(limits, scale))
            if row in notes:
                _right(ax, float(k), notes[row], COLOURS["ink"])
        ax.set(xlim=limits, ylim=(len(rows) - 0.4, -0.6))
        name_rows(ax, list(rows))
        if legend:
            _legend(
                figure, {name: chosen[name]["color"] for name in names}, columns, guides, chosen
            )
        figure.settle()
    figure.summary = text
    return figure


def claims(rows: Sequence[Judged], label: str) -> BookFigure:
    sides = [_compared(row) for row in rows]
    with book_style(text := _verdicts(rows, sides)):
        tall = LINE * (1 + max(len(_words(row)) for row in rows)) + 0.38 if narrow() else CLAIM
        figure = BookFigure(figsize=(width(), tall * len(rows) + 1.0 + 0.2 * narrow()))
        ax = _frame(figure, (0.12, 0.12), 0.3 + 0.2 * narrow(), label, "log")
        limits = _limits(np.concatenate([one.ravel() for pair in sides for one in pair]), "log")
        side = Side(limits, "log")
        for k, (row, pair) in enumerate(zip(rows, sides, strict=True)):
            middle = k + 0.5 - (0.15 if narrow() else 0.11) / tall
            for intervals, (_, role) in zip(pair, SIDES.values(), strict=True):
                places = _fan(len(intervals), middle, SPREAD * CLAIM / tall)
                for (mean, low, high), y in zip(intervals, places, strict=True):
                    ax.plot([low, high], [y, y], color=COLOURS[role], lw=1.2)
                    _dots(ax, np.array([mean]), y, COLOURS[role], side)
            _above(ax, k, row, margin(*pair), tall)
            if k:
                ax.axhline(k - 0.5, color=COLOURS["muted"], lw=0.5, alpha=0.5)
        ax.set(xlim=limits, ylim=(len(rows) - 0.5, -0.5), yticks=[])
        names = {name: COLOURS[role] for name, role in SIDES.values()}
        _legend(figure, names, 1 if narrow() else len(SIDES))
        figure.settle()
    figure.summary = text
    return figure


def margin(smaller: np.ndarray, larger: np.ndarray) -> float:
    """How many times the largest mean of the one side goes into the least of the other."""
    return float(larger[:, 0].min() / smaller[:, 0].max())


def _compared(row: Judged) -> tuple[np.ndarray, np.ndarray]:
    """The intervals of both sides, (n, 3), as they are compared: times the factor."""
    sides = (
        np.array(row.smaller, dtype=np.float64).reshape(-1, 3) * row.factor,
        np.array(row.larger, dtype=np.float64).reshape(-1, 3),
    )
    for one in sides:
        if not len(one) or not (one > 0).all() or not np.isfinite(one).all():
            raise ValueError(f"both sides of {row.claim!r} must be positive numbers, got {one}")
    return sides


def _verdicts(rows: Sequence[Judged], sides: Sequence[tuple[np.ndarray, np.ndarray]]) -> str:
    lines = ["claims:"]
    for row, (smaller, larger) in zip(rows, sides, strict=True):
        verdict = "holds" if row.holds else "FAILS"
        ends = f"{smaller[:, 0].max():.3g} against {larger[:, 0].min():.3g}"
        lines.append(f"  {verdict}: {row.claim}; nearest {ends}")
    return "\n".join(lines)


def _frame(
    figure: BookFigure, room: tuple[float, float], above: float, label: str, scale: str
) -> Axes:
    """The axes, with so many inches to the left, to the right and above."""
    wide, tall = figure.get_size_inches()
    figure.subplots_adjust(left=room[0] / wide, right=1 - room[1] / wide)
    figure.subplots_adjust(bottom=0.55 / tall, top=1 - (0.08 + above) / tall)
    ax = figure.subplots()
    ax.set(xlabel=label, xscale=scale)
    axis_numbers(ax.xaxis, scale)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=COLOURS["muted"], lw=0.5, alpha=0.35)
    ax.set_axisbelow(True)
    ax.spines["left"].set_visible(False)
    return ax


def _limits(values: np.ndarray, scale: str) -> tuple[float, float]:
    seen = values[np.isfinite(values) & ((values > 0) | (scale == "linear"))]
    low, high = float(seen.min()), float(seen.max())
    if scale == "log":
        room = max((high / low) ** 0.05, 1.15)
        return low / room, high * room
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def _fan(count: int, middle: float, spread: float) -> list[float]:
    """Heights around the middle, three beside each other, so that seeds do not hide each other."""
    return [middle + spread * (k % 3 - 1) * (count > 1) for k in range(count)]


def _row(apart: bool) -> float:
    """Inches of a row."""
    return (LOWER if apart else NAMED) if narrow() else ROW


def _dots(ax: Axes, xs: np.ndarray, y: float, color: str, side: Side) -> None:
    """Dots at one height; what the axis does not reach is marked at its edge."""
    ax.plot(xs, np.full(len(xs), y), "o", color=color, markersize=DOT, alpha=0.85, mew=0, zorder=3)
    across = Side((y - 1, y + 1), "linear")
    for x in xs:
        if side.beyond(float(x)):
            mark = mark_at((side, across), float(x), y, float(x))
            assert mark is not None
            draw_mark(ax, mark, color)


def name_rows(ax: Axes, names: Sequence[str], head: float = 0.15) -> None:
    """The rows' names at the left; on a phone each above its dots, `head` inches from them."""
    ax.set(yticks=[] if narrow() else range(len(names)))
    if not narrow():
        ax.set(yticklabels=names)
        ax.tick_params(axis="y", labelcolor=COLOURS["ink"])
        return
    for k, name in enumerate(names):
        ax.annotate(
            name, (0, k), xytext=(0, 72 * head), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", fontsize=FONT - 1, color=COLOURS["ink"],
            path_effects=halo(0.0),
        )  # fmt: skip


def _right(ax: Axes, k: float, note: str, color: str, **more: Any) -> None:
    ax.annotate(
        note, (1, k), xytext=(6, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", va="center", fontsize=FONT - 1, color=color, **more,
    )  # fmt: skip


def _above(ax: Axes, k: int, row: Judged, ratio: float, tall: float) -> None:
    """The claim in words, with its verdict at the right; one that fails is as large."""
    verdict = f"{'✓' if row.holds else '✗ fails,'} {pretty(ratio, 2)} ×"
    color = COLOURS["Gamma" if row.holds else "u"]
    claim, ink = "\n".join(_words(row)), COLOURS["ink"]
    if narrow():  # the verdict has a line of its own, at the left
        _write(ax, claim, (0.0, k - 0.46), ("left", "top"), color=ink)
        at = (0.0, k + 0.5 - 0.29 / tall)
        _write(ax, verdict, at, ("left", "bottom"), color=color, weight="bold")
    else:
        _write(ax, claim, (0.0, k - 0.27), ("left", "center"), color=ink)
        _write(ax, verdict, (1.0, k - 0.27), ("right", "center"), color=color, weight="bold")


def _write(ax: Axes, text: str, at: tuple[float, float], by: tuple[str, str], **look: Any) -> None:
    look |= {"ha": by[0], "va": by[1], "xycoords": ("axes fraction", "data")}
    ax.annotate(text, at, fontsize=FONT - 0.5, **look)


def _words(row: Judged) -> list[str]:
    return textwrap.wrap(row.claim, 43) if narrow() else [row.claim]


def _legend(
    figure: BookFigure,
    colours: Mapping[str, str],
    columns: int,
    guides: Mapping[str, float] | None = None,
    chosen: Mapping[str, Any] | None = None,
) -> None:
    handles = [
        Line2D([], [], color=color, label=name, marker="o", ls="", markersize=DOT)
        for name, color in colours.items()
    ]
    handles += [handle(name, (chosen or {})[name], {name: ((0, 1),)}) for name in guides or {}]
    figure.legend(handles=handles, loc="upper center", ncols=columns)
