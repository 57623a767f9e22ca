"""Names beside their lines: each where it is nearest to its own and far from all else."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

from ._heat import halo
from ._style import BookFigure

NEAR, NEARER = 9.0, 4.0  # px between a name and its dots, and its line
CLEAR = 7.0  # px that anything else stays away from a name
STEP = 3.0  # px between the places of a line
TRIED = 200  # of these, at most
NOWHERE = np.empty((0, 2))

Pair = tuple[np.ndarray, np.ndarray]  # x and y of a line, (n,) each
Box = np.ndarray  # (..., 4): left, bottom, right, top in px


def beside(
    figure: BookFigure,
    ax: Axes,
    pairs: Mapping[str, Pair],
    chosen: Mapping[str, dict[str, Any]],
    points: Collection[str],
) -> bool:
    """Writes every name beside what it names and returns True, or writes nothing."""
    lines = {name: [pair] for name, pair in pairs.items()}
    texts, homeless = in_one_frame(figure, [(ax, lines)], chosen, points)
    if homeless:
        for text in texts:
            text.remove()
    return not homeless


def in_one_frame(
    figure: BookFigure,
    frames: Sequence[tuple[Axes, Mapping[str, Sequence[Pair]]]],
    chosen: Mapping[str, dict[str, Any]],
    points: Collection[str],
) -> tuple[list[Text], list[str]]:
    """Writes each name once, in the first frame that has room beside its lines.

    What it wrote, and the names for which no frame has room."""
    figure.draw_without_rendering()  # from here on a pixel stays where it is
    drawn = [_Frame(ax, own, points) for ax, own in frames]
    texts: dict[str, Text] = {}
    for frame in drawn:
        for name in frame.shortest_first():
            if name not in texts and (text := frame.write(name, chosen[name]["color"])):
                texts[name] = text
    names = dict.fromkeys(name for _, own in frames for name in own)
    return list(texts.values()), [name for name in names if name not in texts]


class _Frame:
    """What is drawn in a frame, in px, and which places in it are taken."""

    def __init__(
        self, ax: Axes, lines: Mapping[str, Sequence[Pair]], points: Collection[str]
    ) -> None:
        self.ax, self.edges = ax, np.asarray(ax.bbox.extents)
        self.own = {
            name: np.concatenate([_places(ax, x, y, name in points) for x, y in each])
            for name, each in lines.items()
        }
        self.dots = {name for name, each in lines.items() if name in points or len(each[0][0]) == 1}
        drawn = np.concatenate([NOWHERE, *self.own.values()])
        guides = np.concatenate(
            [
                NOWHERE,
                *(_places(ax, *_line(ax, one), one.get_linestyle() == "None") for one in ax.lines),
            ]
        )
        self.guides = guides[farther(guides, drawn, 0.5)]
        self.taken = [np.asarray(text.get_window_extent().extents) for text in _texts(ax)]

    def shortest_first(self) -> list[str]:
        return sorted(self.own, key=lambda name: len(self.own[name]))

    def write(self, name: str, color: str) -> Text | None:
        """The name beside its own, or nothing where there is no room."""
        text = self.ax.text(0, 0, name, color=color, ha="center", va="center")
        if self.ax.patches:  # a heat map
            text.set_path_effects(halo(0.0))
        size = text.get_window_extent()
        rest = np.concatenate(
            [NOWHERE, *(at for one, at in self.own.items() if one != name), self.guides]
        )
        near = NEAR if name in self.dots else NEARER
        shape = (size.width, size.height)
        place = _best(shape, self.own[name], near, _thin(rest), self.taken, self.edges)
        if place is None:
            text.remove()
            return None
        text.set_transform(self.ax.transAxes)
        text.set_position(tuple(self.ax.transAxes.inverted().transform(place)))
        half = np.array(shape) / 2
        self.taken.append(np.concatenate([place - half, place + half]))
        return text


def _texts(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_text()]


def _line(ax: Axes, line: Any) -> tuple[np.ndarray, np.ndarray]:
    """A drawn line in the numbers of the axes; a guide goes from edge to edge."""
    xs, ys = (np.asarray(values, dtype=np.float64) for values in line.get_data())
    drawn = line.get_transform().transform(np.stack([xs, ys], axis=1))
    back = ax.transData.inverted().transform(drawn)
    return back[:, 0], back[:, 1]


def _places(ax: Axes, xs: np.ndarray, ys: np.ndarray, points: bool) -> np.ndarray:
    """Where a line or its dots are drawn within the frame, in px (n, 2), every STEP along it."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        at = np.asarray(ax.transData.transform(np.stack([xs, ys], axis=1).astype(np.float64)))
    left, bottom, right, top = ax.bbox.extents
    if points or len(at) == 1:
        found = at
    else:
        pieces = []
        for a, b in itertools.pairwise(at):
            if not np.isfinite([a, b]).all() or max(*abs(a), *abs(b)) > 1e5:
                continue
            count = 1 + int(np.hypot(*(b - a)) / STEP)
            pieces.append(a + (b - a) * np.linspace(0, 1, count, endpoint=False)[:, None])
        found = np.concatenate([*pieces, at[-1:]]) if pieces else at
    with np.errstate(invalid="ignore"):
        inside = (found >= [left, bottom]).all(1) & (found <= [right, top]).all(1)
    return np.asarray(found[inside])


def _thin(points: np.ndarray) -> np.ndarray:
    """One for each square of STEP px."""
    return np.unique(np.round(points / STEP), axis=0) * STEP


def farther(points: np.ndarray, others: np.ndarray, gap: float) -> np.ndarray:
    """Whether a point lies farther than gap from all others, which are many: only those count whose
    first coordinate is as near."""
    others = others[others[:, 0].argsort()]
    from_, to = (others[:, 0].searchsorted(points[:, 0] + way * gap) for way in (-1, 1))
    found = [
        not (np.hypot(*(others[a:b] - p).T) <= gap).any()
        for p, a, b in zip(points, from_, to, strict=True)
    ]
    return np.array(found, dtype=bool)


def _away(boxes: Box, points: np.ndarray) -> np.ndarray:
    """From each box to the nearest point, 0 where one lies in it."""
    if not len(points):
        return np.full(len(boxes), np.inf)
    low = boxes[:, None, :2] - points[None]
    high = points[None] - boxes[:, None, 2:]
    return np.asarray(np.hypot(*np.maximum(np.maximum(low, high), 0).transpose(2, 0, 1)).min(1))


def _best(
    size: tuple[float, float],
    own: np.ndarray,
    near: float,
    others: np.ndarray,
    taken: Sequence[Box],
    frame: Box,
) -> np.ndarray | None:
    """The middle of the name's box: clear of all, and of what it may name its own is nearest."""
    if not len(own):
        return None
    half, own = np.array(size) / 2, _thin(own)
    ways = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    shifts = np.array(ways) * (half + near)
    middles = (own[:: 1 + len(own) // TRIED, None] + shifts[None]).reshape(-1, 2)
    boxes = np.concatenate([middles - half, middles + half], axis=1)
    keep = (boxes[:, :2] >= frame[:2] + 2).all(1) & (boxes[:, 2:] <= frame[2:] - 1).all(1)
    for box in taken:
        keep &= (
            (boxes[:, 0] > box[2] + 3)
            | (boxes[:, 2] < box[0] - 3)
            | ((boxes[:, 1] > box[3] + 2) | (boxes[:, 3] < box[1] - 2))
        )
    middles, boxes = middles[keep], boxes[keep]
    mine, far = _away(boxes, own), np.minimum(_away(boxes, others), 40.0)
    keep = (mine > near / 2) & (far >= CLEAR) & (far >= mine + 2 * STEP)  # and plainly its own
    if not keep.any():
        return None
    for box in taken:
        far = np.minimum(far, _between(boxes, box))
    return np.asarray(middles[keep][np.argmax(far[keep] - mine[keep])])


def _between(boxes: Box, box: Box) -> np.ndarray:
    """From each box to this one."""
    gaps = np.maximum(box[:2] - boxes[:, 2:], boxes[:, :2] - box[2:])
    return np.asarray(np.hypot(*np.maximum(gaps, 0).T))
