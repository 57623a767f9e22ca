"""Heat maps: a scale of colours that needs one ink only, its bar, and cells drawn by their level.

A cell is the paper covered by a colour of the palette, the more the higher its value. So the scale
is monotone in luminance on light paper and on dark, and a page swaps theme without a second map.
All cells of one level are one path: small, and without seams between neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ._style import COLOURS, FONT, axis_numbers, tick

LEVELS = 64
FAINTEST = 0.05  # the lowest value is not the bare paper


@dataclass(frozen=True)
class Heat:
    """Values z (m, n) of cells around y (m,) and x (n,), their scales, colour and extent."""

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    label: str
    scales: tuple[str, str, str]
    limits: tuple[float, float]
    color: str
    contours: Sequence[Any]

    def draw(self, ax: Axes) -> None:
        """The cells, a stroke through those that are absent, and the contour lines."""
        xs, ys = edges(self.x, self.scales[0]), edges(self.y, self.scales[1])
        levels = levels_of(self.z, self.limits, self.scales[2])
        for level in np.unique(levels[levels >= 0]):
            rows, columns = np.nonzero(levels == level)
            places = zip(rows, columns, strict=True)
            corners = [(xs[j], ys[i], xs[j + 1], ys[i + 1]) for i, j in places]
            _fill(ax, corners, COLOURS[self.color], int(level))
        for i, j in zip(*np.nonzero(levels < 0), strict=True):
            ends = ((xs[j], xs[j + 1]), (ys[i], ys[i + 1]))
            ax.plot(*ends, color=COLOURS["muted"], lw=0.6, zorder=1)
        ax.set(xlim=xs[[0, -1]], ylim=ys[[0, -1]])
        if self.contours:
            drawn = ax.contour(
                self.x, self.y, self.z, sorted(self.contours), colors=COLOURS["ink"], linewidths=0.9
            )
            drawn.set_path_effects(halo(0.9))
            for text in ax.clabel(drawn, fmt=lambda v: tick(v, None), fontsize=FONT - 1.5):
                text.set_path_effects(halo(0.0))

    def bar(self, ax: Axes) -> None:
        """The colours with their values, as an axis of its own."""
        low, high = (_into(np.array(end), self.scales[2]) for end in self.limits)
        marks = _back(np.linspace(low, high, LEVELS + 1), self.scales[2])
        ax.set(ylim=self.limits, xlim=(0, 1), xticks=[], yscale=self.scales[2], ylabel=self.label)
        for level in range(LEVELS):
            cell = (0.0, marks[level], 1.0, marks[level + 1])
            _fill(ax, [cell], COLOURS[self.color], level)
        ax.yaxis.tick_right()
        ax.yaxis.set_label_position("right")
        axis_numbers(ax.yaxis, self.scales[2])
        for spine in ax.spines.values():
            spine.set_visible(False)


def levels_of(values: np.ndarray, limits: tuple[float, float], scale: str) -> np.ndarray:
    """The level of each value, 0 to LEVELS − 1; −1 where it is absent. Beyond the limits a value
    has the colour of the nearer one."""
    low, high = (_into(np.array(end), scale) for end in limits)
    with np.errstate(invalid="ignore"):
        share = (_into(values, scale) - low) / (high - low)
        level = np.clip(np.floor(share * LEVELS + 1e-9), 0, LEVELS - 1)
    return np.where(np.isnan(values), -1, level).astype(int)


def edges(centres: np.ndarray, scale: str) -> np.ndarray:
    """Where the cells around increasing centres meet: half way on their scale."""
    on_scale = _into(centres, scale)
    middles = (on_scale[1:] + on_scale[:-1]) / 2
    outer = 2 * on_scale[[0, -1]] - middles[[0, -1]]
    return _back(np.concatenate([outer[:1], middles, outer[1:]]), scale)


def halo(width: float) -> list[Any]:
    """A rim of paper that keeps a line or a word apart from the cells beneath it."""
    solid = {"dash_offset": 0, "dash_list": None}
    rim = patheffects.Stroke(linewidth=width + 2.4, foreground="white", dashes=solid)
    return [rim, patheffects.Normal()]


def _fill(ax: Axes, corners: Sequence[tuple[Any, ...]], color: str, level: int) -> None:
    points = [p for a, b, c, d in corners for p in ((a, b), (c, b), (c, d), (a, d), (a, b))]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(corners)
    alpha = FAINTEST + (1 - FAINTEST) * (level + 0.5) / LEVELS
    patch = PathPatch(Path(points, codes), fc=color, alpha=alpha, lw=0, zorder=0.5)
    patch.set_gid("crisp")  # see BookFigure.svg
    ax.add_patch(patch)


def _into(values: np.ndarray, scale: str) -> np.ndarray:
    return np.asarray(np.log(values) if scale == "log" else values)


def _back(values: np.ndarray, scale: str) -> np.ndarray:
    return np.asarray(np.exp(values) if scale == "log" else values)
