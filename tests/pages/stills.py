"""What the text alternatives of still figures say of rising, above and left, and whether that holds
in the curves of their drawings."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tests.pages.said import falls, rises, split


class Mark(NamedTuple):
    """A curve, or dots of one kind; in pixels, right and up, where an axis is not linear."""

    x: Any
    y: Any
    color: str
    dots: bool


Frame = list[Mark]


def frames(svg: str) -> list[Frame]:
    root = ET.fromstring(re.sub(r'\sxmlns="[^"]*"', "", svg))
    shapes = {f"#{one.get('id')}": one.get("d", "") for one in root.iter("path")}
    found = [marks(part, shapes) for figure in root.findall("g") for part in figure.findall("g")]
    return [frame for frame in found if frame]


def scale(ticks: list[tuple[float, str]], pixels: int) -> Callable[[Any], Any]:
    """To the numbers at the ticks, if these are level steps."""
    known = [(at, said) for at, said in ticks if re.fullmatch(r"−?[\d.]+", said)]
    read = [(at, float(said.replace("−", "-"))) for at, said in known]
    if len(read) < 2:
        return lambda at: pixels * at
    places, values = np.array(read).T
    line, off, *_ = np.polyfit(places, values, 1, full=True)
    return lambda at: np.polyval(line if off.sum() < 1e-3 else [pixels, 0], at)


def points(d: str) -> Any:
    """Those of a path, with a gap before each M."""
    found: list[tuple[float, float]] = []
    for letter, numbers in re.findall("([MLHVCQ])([^MLHVCQZz]*)", d):
        at = [float(one) for one in numbers.split()]
        x, y = found[-1] if found else (0.0, 0.0)
        found += [(np.nan, np.nan)] if letter == "M" and found else []
        found.append({"H": (at[-1], y), "V": (x, at[-1])}.get(letter) or (at[-2], at[-1]))
    return np.array(found).T


def marks(frame: ET.Element, shapes: dict[str, str]) -> Frame:
    ticks: dict[str, list[tuple[float, str]]] = {"x": [], "y": []}
    for tick in frame.iter("g"):
        use, text = tick.find("g/g/use"), tick.find("g/text")
        if use is not None and text is not None:
            axis = "y" if "H" in shapes[use.get("href", "")] else "x"
            ticks[axis].append((float(use.get(axis, 0)), "".join(text.itertext())))
    x, y = scale(ticks["x"], 1), scale(ticks["y"], -1)
    found = []
    for part in frame.iter():
        dots = [(float(one.get("x", 0)), float(one.get("y", 0))) for one in part.findall("use")]
        style = (part.find("use") if dots else part).get("style", "")  # type: ignore[union-attr]
        color = re.search(rf"{'fill' if dots else 'stroke'}: var\(--icl-(\w+)\)", style)
        if color and part.get("clip-path") and (dots or part.tag == "path"):
            at = np.array(dots).T if dots else points(part.get("d", ""))
            found.append(Mark(x(at[0]), y(at[1]), color[1], bool(dots)))
    return found


def lines(frame: Frame, color: str) -> Frame:
    """The curves of a colour, without straight guides."""
    return [one for one in frame if one.color == color and not one.dots and len(one.x) > 2]


def dots(frame: Frame, color: str) -> Frame:
    return [one for one in frame if one.color == color and one.dots]


def upright(frame: Frame) -> list[float]:
    return [float(one.x[0]) for one in frame if len(one.x) == 2 and one.x[0] == one.x[1]]


def bottom(one: Mark) -> float:
    return float(one.x[np.nanargmin(one.y)])


def bend(one: Mark) -> float:
    return float(np.polyfit(one.x, one.y, 2)[0])


def shares(f: list[Frame]) -> bool:
    strong, weak = sorted((one for one in f[0] if not one.dots and len(one.x) > 2), key=bend)
    return bend(weak) > bend(strong) and bottom(weak) < bottom(strong)


def ends(curves: Frame) -> list[tuple[Any, Any]]:
    return [path for one in curves for path in split((one.x, one.y))]


def two_levels(f: list[Frame]) -> bool:
    low, high = (one.y[0] for one in f[0] if one.color == "muted")
    ys = [(y, at) for color, at in (("U", low), ("u", high)) for _, y in ends(lines(f[0], color))]
    return len(ys) == 24 and all(falls(y, 1e-2) and abs(y[-1] - at) < 0.01 for y, at in ys)


def mirrored(f: list[Frame]) -> bool:
    places = {(0.167, 0.5): True, (0.5, 0.167): False}
    found = [(y[0] > x[0], tuple(np.round((x[-1], y[-1]), 3))) for x, y in ends(lines(f[0], "U"))]
    return len(found) > 3 and all(places.get(end) == above for above, end in found)


def loud(f: list[Frame]) -> bool:
    steps = [(lines(g, "u")[0].y, lines(g, "muted")[0].y[0]) for g in f]
    flat = all(abs(y[-1] - y[-9]) < abs(y[8] - y[0]) for y, _ in steps)
    return flat and all(steps[k][0].min() > steps[k][1] for k in (2, 3, 6, 7))


def together(f: list[Frame]) -> bool:
    """Up to the length of training; in the end not as low as before, and far below silence."""
    ys = [(seed.y, lines(g, "muted")[0].y[0]) for g in f for seed in lines(g, "U")]
    return all(falls(y[:8]) and y.min() < y[-1] < silence - 5 for y, silence in ys)


def rests(f: list[Frame]) -> bool:
    """Beyond the length of training, the model of the page; with lent positions it falls on."""
    own, lent = (one.y for one in lines(f[0], "u"))
    even = next(one for one in lines(f[0], "Gamma")).y
    above, below = lines(f[0], "muted")[0].y, [one.y for one in lines(f[0], "U")]
    between, fallen = max(seed[10] for seed in below) < own[10] < above[10], own[0] - own[10]
    level = abs(own[11:] - own[10]).max() < 0.1 * fallen
    return bool(between and fallen > 0 and level and even[-1] < lent[-1] < own[10] - 0.15 * fallen)


def valleys(f: list[Frame]) -> Any:
    (low,), (high,) = lines(f[0], "U"), lines(f[0], "u")
    apart, x = high.y - low.y, low.x
    met = x[(x < 1.6) & (apart < 2e-3)]
    return apart.min() > -1e-3 and abs(met.mean() - 1.3) < 0.1 and apart[x > 2.05].max() < 1e-3


def mapped(f: list[Frame]) -> bool:
    """Ten ways along the axis, six up to the dot, and one that swings away from the flow's end."""
    rest, end = sorted(upright(f[0]))
    along, up = (ends(lines(f[0], color)) for color in ("Gamma", "u"))
    (dot,) = dots(f[0], "ink")
    (valley,) = lines(f[0], "muted")
    (thrown,) = lines(f[0], "U")
    swings = thrown.y[: int(abs(thrown.y).argmax()) + 1]
    places = {(round(float(x), 2), round(float(y), 2)) for x, y in zip(dot.x, dot.y, strict=True)}
    return (
        [len(along), len(up)] == [10, 6]
        and all(abs(y[-1]) < 0.01 and x[-1] > 0.9 for x, y in along)
        and sum(abs(y).max() > 0.05 for _, y in along) > 5
        and len(swings) > 4
        and all(a * b < 0 and abs(a) < abs(b) for a, b in pairwise(swings[2:]))
        and all(abs(x[-1]) < 0.01 and y[-1] > 0.5 for x, y in up)
        and {(round(float(x[-1]), 2), round(float(y[-1]), 2)) for x, y in along + up} == places
        and abs(valley.y).max() < 1e-3
        and abs(thrown.x[-1] - rest) < 0.01
        and rest < end - 0.05
        and abs(thrown.x[0] - end) < 0.05
        and abs(thrown.y[-1]) < 1e-3
    )


def driven(f: list[Frame]) -> bool:
    """Eight lines that fall from the level of the dashed one, with jumps, and end below it."""
    runs, (mean,) = lines(f[0], "query"), lines(f[0], "ink")
    return (
        len(runs) == 8
        and all(abs(one.y[0] - mean.y[0]) < 1e-3 and one.y[-1] < mean.y[-1] for one in runs)
        and falls(mean.y)
        and all(one.y[-1] < one.y[len(one.y) // 2] < one.y[0] for one in runs)
        and min(np.diff(one.y).min() for one in runs) < 20 * np.diff(mean.y).min()
    )


def valley(f: list[Frame]) -> bool:
    """Sharpness along the valley, on the slice and of the full layer; a step's level."""
    (slice_,), (full,) = lines(f[0], "Gamma"), lines(f[0], "U")
    flattest, end = sorted(upright(f[0]))
    level = next(one.y[0] for one in f[0] if len(one.y) == 2 and one.y[0] == one.y[1])
    least, there = int(full.y.argmin()), float(np.interp(end, full.x, full.y))
    return (
        abs(full.x[least] - flattest) < 0.01
        and falls(full.y[: least + 1])
        and rises(full.y[least:])
        and full.y[least] < level < there / 1.2
        and bool((np.interp(slice_.x, full.x, full.y) > slice_.y).all())
    )


def by_dimension(frame: Frame) -> list[tuple[Any, Any]]:
    """x and y of the three curves of few prompts, where they are drawn."""
    found = (lines(frame, color)[0] for color in ("Gamma", "U", "u"))
    return [(m.x[np.isfinite(m.y)], m.y[np.isfinite(m.y)]) for m in found]


def peaked(f: list[Frame]) -> bool:
    """Three curves in units of the free weights, and of silence; in pixels."""
    one, level, curves = upright(f[0])[0], lines(f[0], "muted")[0].y[0], by_dimension(f[0])
    wide = max(np.ptp(x) for x, _ in curves)
    tall = max(np.ptp(y) for _, y in curves)
    return all(
        abs(x[y.argmax()] - one) < wide / 20
        and abs(y[0] - level) < tall / 10
        and y.max() > level + tall / 8
        and y[-1] < level
        for x, y in curves
    )


def touched(f: list[Frame]) -> bool:
    """Where the risk arises: of silence, of one step and of two, at the variances of a query."""
    (silence,), (one,), (two,) = (lines(f[0], color) for color in ("muted", "u", "U"))

    def lows(mark: Mark) -> list[float]:
        inner = (mark.y[1:-1] <= mark.y[:-2]) & (mark.y[1:-1] < mark.y[2:])
        return [float(x) for x in mark.x[1:-1][inner & (mark.y[1:-1] < 0.01)]]

    level = np.interp(two.x, silence.x, silence.y)
    return (
        np.allclose(lows(one), [3], atol=0.2)
        and np.allclose(lows(two), [2, 6], atol=0.3)
        and one.y[one.x > 3].max() > 0.01
        and bool((two.y <= level + 1e-3)[two.x < 7.8].all())
        and bool((two.y > level)[two.x > 8.3].all())
    )


def swung(f: list[Frame]) -> bool:
    """What a cubic misses, and the polynomial of moving points, between two edges and beyond."""
    low, high = sorted(upright(f[0]))
    (cubic,), (moving,) = lines(f[0], "muted"), lines(f[0], "u")
    (x, y), (at, missed) = (  # without the gaps at the zeros
        (one.x[~np.isnan(one.y)], one.y[~np.isnan(one.y)]) for one in (cubic, moving)
    )
    arches = [y[(x > 1.5 * low) & (x < high)], missed[(at > 1.5 * low) & (at < high)]]
    return (
        abs(y[0] - missed[0]) < 0.01 * np.ptp(y)
        and np.interp(low, x, y) < y[0]
        and falls(missed[at < low])
        and all((np.diff(np.sign(np.diff(one))) < 0).sum() > 1 for one in arches)
        and bool(arches[1].max() < arches[0].max())
        and 1.2 * high < at[(at > high) & (missed > np.interp(at, x, y))][0] < 1.6 * high
        and bool(missed[-1] > np.interp(at[-1], x, y))
    )


def learned(f: list[Frame]) -> bool:
    """A frame for each law: the line of means, and every run's dot at its number of steps."""
    training, other = (max(lines(one, "muted"), key=lambda m: np.isfinite(m.y).sum()) for one in f)

    def runs(frame: Frame, color: str) -> tuple[Any, Any]:
        x, y = (np.concatenate([one[k] for one in dots(frame, color)]) for k in (0, 1))
        return x[np.isfinite(y)], y[np.isfinite(y)]

    x, y = runs(f[0], "U")
    by_steps = [y[x == at] for at in np.unique(x)]
    odd, bare, deep = (runs(f[1], color)[1] for color in ("ink", "Gamma", "u"))
    means = other.y[np.isfinite(other.y)]
    return bool(
        [len(one) for one in by_steps] == [4, 4, 2, 2, 9]
        and [len(odd), len(bare), len(deep)] == [3, 6, 3]
        and all(after.max() < before.min() for before, after in pairwise(by_steps))
        and falls(training.y[np.isfinite(training.y)])
        and rises(means[:4])
        and abs(means[-1] - means[-2]) < np.ptp(means) / 10
        and max(bare.max(), deep.max()) < means[-1] - np.ptp(means)
        and max(bare.max(), deep.max()) < odd.min() < odd.max() < means[-1]
    )


def set_apart(f: list[Frame]) -> bool:
    """Rows of dots from above: in the third and the last the six lie right of all the others."""
    six, bare, rules = (dots(f[0], color) for color in ("U", "Gamma", "u"))
    rows = sorted({round(float(one.y[0])) for one in six}, reverse=True)

    def at(marks: Frame, row: int) -> Any:
        own = [one for one in marks if min(rows, key=lambda y: abs(y - one.y[0])) == rows[row]]
        return np.concatenate([one.x for one in own])

    return bool(
        len(rows) == 5
        and max(at(six, 0).max(), at(six, 3).max()) < at(six, 1).min()
        and at(bare, 1).min() < at(six, 1).min() < at(bare, 1).max() < at(six, 1).max()
        and all(at(bare, k).max() < at(six, k).min() for k in (2, 4))
        and abs(at(rules, 2).max() - at(rules, 3).max()) < 10
        and at(rules, 0).max() < at(rules, 2).min() < at(bare, 2).min()
    )


# Words of an alternative, and whether they hold.
def raced(f: list[Frame]) -> bool:
    """Green dots end at the best weights, red ones higher; a guide stands at the lead one."""
    best, high = dots(f[0], "Gamma"), dots(f[0], "u")
    return len(high) == 5 < len(best) == 7 and any(
        all(low.x.max() < at < top.x.min() for low, top in zip(best[:3], high[:3], strict=True))
        and all(0 < (one.x < at).sum() < 4 for one in high[3:])
        for at in upright(f[0])
    )


def fitted(f: list[Frame]) -> bool:
    """The second frame: near the upright line each curve has about its highest value; in pixels."""
    one, level, curves = upright(f[1])[0], lines(f[1], "muted")[0].y[0], by_dimension(f[1])
    tall = max(np.ptp(y) for _, y in curves)
    return all(
        y[0] < level
        and y.max() - np.interp(one, x, y) < tall / 6
        and y.max() > level
        and abs(y[-1] - level) < y.max() - level
        for x, y in curves
    )


def headed(f: list[Frame]) -> bool:
    """Dots of one head, opposite pairs and others above a level line; in pixels."""
    one, pairs, others = (
        np.concatenate([mark.y for mark in dots(f[0], color)]) for color in ("u", "U", "query")
    )
    (level,) = (mark.y[0] for mark in f[0] if mark.color == "ink" and not mark.dots)
    (small,) = (mark.y for mark in lines(f[0], "muted"))
    tall = np.ptp(np.concatenate([one, pairs, others]))
    return bool(
        min(one.min(), pairs.min(), others.min()) > level
        and one.min() > np.sort(pairs)[-3]
        and (pairs - level > tall / 4).sum() <= 2
        and np.median(others) > np.sort(pairs)[-3]
        and falls(small)
        and small[-1] - level < tall / 10
    )


def broken(f: list[Frame]) -> bool:
    """One axis stretched: the six, models without positions, and rules that leave the frame."""
    (silence, *_), six = (lines(f[0], color) for color in ("muted", "U"))
    rules, (edge, *_) = lines(f[0], "u"), upright(f[0])
    return (
        [len(six), len(lines(f[0], "Gamma")), len(rules)] == [6, 5, 5]
        and all(one.y[one.x < edge].max() < six[0].y[3] for one in rules)
        and all(one.y[4] > six[0].y.max() for one in rules)
        and all(rises(one.y) for one in (*six, *lines(f[0], "Gamma")))
        and all(one.y[-1] > silence.y[0] for one in six)
        and all(one.y[-1] < silence.y[0] for one in lines(f[0], "Gamma"))
    )


def misled(f: list[Frame]) -> bool:
    """Examples told to stand elsewhere: four models, nothing changed, and one axis stretched."""
    own, far = (lines(f[0], color) for color in ("muted", "U"))
    own = [one for one in own if len(one.x) > 2]  # without the guide
    return (
        [len(own), len(far)] == [4, 4]
        and all(np.allclose(one.x, range(-3, 6), atol=0.01) for one in (*own, *far))
        and all(falls(one.y[:4]) and rises(one.y[3:]) for one in own)
        and all(falls(one.y[:7]) for one in far)
        and min(one.y[5] for one in far) > max(one.y[3] for one in own)
    )


def apart_at_d(f: list[Frame]) -> bool:
    """The truth and 15 pairs in ink, and two dashed lines, at d."""
    ink = sorted(one.y[4] for one in lines(f[0], "ink"))
    best, squares = sorted(one.y[4] for one in lines(f[0], "muted"))
    far = (squares - best) / 2
    return len(ink) == 16 and abs(ink[-1] - squares) < 2 and ink[-2] < best - far


def laddered(frame: Frame) -> bool:
    """Two ladders and five level lines, over 0 to 8 steps."""
    plain, adaptive = lines(frame, "muted")
    level = [one.y[0] for one in lines(frame, "U") if np.ptp(one.y) < 1e-6]
    return (
        len(level) == 5
        and plain.y[0] == adaptive.y[0]
        and falls(plain.y)
        and falls(adaptive.y)
        and adaptive.y[5] > max(level)
        and min(level) > adaptive.y[7]
        and min(plain.y[3], adaptive.y[3]) > max(level)
    )


def moved(f: list[Frame]) -> bool:
    """Five rules whose points move, five whose points stay, both of one colour, and steps."""
    rules = sorted(one.y[-1] for one in lines(f[0], "u"))
    steps = sorted(one.y[-1] for one in lines(f[0], "muted"))
    return (
        len(rules) == 10
        and rules[4] < steps[0]
        and rules[5] > max(*steps, *(one.y[-1] for one in lines(f[0], "U")))
    )


def scattered(f: list[Frame]) -> bool:
    """Answers against labels beside the line of right answers, in four frames."""

    def miss(frame: Frame) -> float:
        (right,), (said,) = lines(frame, "ink"), dots(frame, "U")
        off = said.y - np.interp(said.x, right.x, right.y)
        return float(np.sqrt(np.nanmean(off**2)))

    own, stretched, earlier, later = map(miss, f)
    return 4 * own < earlier < 0.8 * stretched and 1.2 * stretched < later


def longer(f: list[Frame]) -> bool:
    """Own and lent rows in one colour, and models without positions, beyond the vertical line."""
    N = upright(f[0])[0]
    behind = [(one.x > N - 0.01, one) for one in lines(f[0], "U")]
    own = [one for beyond, one in behind if not beyond.all()]
    lent = [one for beyond, one in behind if beyond.all()]

    def at_N(one: Mark) -> int:
        return int(np.abs(one.x - N).argmin())

    jumps = [one.y[at_N(one) + 1] - one.y[at_N(one)] for one in own]
    return (
        [len(own), len(lent), len(lines(f[0], "Gamma"))] == [6, 6, 5]
        and all(falls(one.y[: at_N(one) + 1], 0.5) for one in (*own, *lines(f[0], "Gamma")))
        and all(one.y[-1] > one.y[at_N(one) + 1] for one in own)
        and len(lines(f[0], "u")) == 4
        and all(
            np.nanmin(one.y) < one.y[at_N(one)] < one.y[-1] < min(other.y[-1] for other in lent)
            for one in lines(f[0], "u")
        )
        and all(one.y[-1] > one.y[0] and one.y[1] - one.y[0] < min(jumps) / 10 for one in lent)
        and all(one.y[-1] < one.y[at_N(one)] for one in lines(f[0], "Gamma"))
    )


STILLS: dict[str, Callable[[list[Frame]], Any]] = {
    "narrower and has its bottom further to the left": shares,
    "near the bottom of the weak one and above silence": lambda f: (
        dots(f[0], "u")[0].y[0] > 1 and dots(f[0], "u")[0].y[1] < 0.45
    ),
    "touches zero at the share one": lambda f: (
        abs(bottom(lines(f[0], "ink")[0]) - upright(f[0])[0]) < 3
    ),
    "All curves fall and end on one of two levels": two_levels,
    "The two entries of r rise from zero to one and two": lambda f: (
        [(abs(y[0].round(1)), y[-1].round(1)) for _, y, *_ in lines(f[0], "U")] == [(0, 1), (0, 2)]
    ),
    "one of them drops below zero first": lambda f: (
        [one.y.min() < -0.2 for one in lines(f[0], "u")] == [False, True]
    ),
    "the lower and the higher local minimum; they meet near 1.3": valleys,
    "fall together, below the line of silence in all frames, and rise a little": together,
    "one step flattens out, high above silence where prompts are loud": loud,
    "falls to a level between one step and the three seeds of the recorded models, and rests "
    "there behind the vertical line; with lent positions it goes on falling, with spread ones "
    "farther": rests,
    "start above the diagonal end at one point, those below at its mirror image": mirrored,
    "In the upper three rows all dots left of one end at the best weights and all right of it "
    "end higher. In the next two a few left of one end higher. In the lowest two no dot ends "
    "higher": raced,
    "From the origin ten paths come to the axis and follow it to dots far to the right, and six "
    "rise to a dot above the origin. From beside the dots at the right a dashed path swings up and "
    "down, at first farther each time, and comes back to the axis left of them": mapped,
    "Eight lines fall, with a few jumps down, from the level where the flow ends. A dashed line "
    "falls more slowly, and at the end it is above all of them": driven,
    "That of one step touches zero once and has a second hump beyond. That of two steps touches "
    "zero twice and stays below that of silence up to about eight": touched,
    "Two curves rise steeply from zero to one": lambda f: all(
        abs(one.y[0] - 0) < 0.01 and abs(one.y[-1] - 1) < 0.01
        for color in ("U", "u")
        for one in lines(f[0], color)
    ),
    "The curve with all weights free falls, has its least value at the first vertical line, below "
    "the level of the step, and rises; at the second line, where the flow ends, it is far above "
    "that level. The curve of the slice lies below it everywhere": valley,
    "three curves rise from about the level of silence, peak together near the vertical line at "
    "one, far above that level, and fall below it": peaked,
    "three curves rise from below the level of the best layer, come to about their highest near "
    "the vertical line, and fall towards the level": fitted,
    "All dots of one head lie above 1.4. Those of opposite pairs lie a little above the line, but "
    "for two, and those of other pairs, but for two examples, mostly farther above. A dashed line "
    "falls towards the level line": headed,
    "flatter the smaller u is": lambda f: falls([bend(one) for one in lines(f[0], "u")]),
    "jump from one side of zero to the other": lambda f: np.diff(
        np.sign(dots(f[0], "query")[0].y)
    ).all(),
    "stay below one up to the vertical line and rise above a hundred behind it. Moving points stay "
    "below one, too, and behind the line leave the frame almost at once. Models without positions "
    "rise from 1.5 to about 3": broken,
    "For the six the part of the order rises behind the vertical line to about four fifths, and "
    "falls to a half. Without positions it falls slowly from a half": lambda f: (
        [len(lines(f[0], "U")), len(lines(f[1], "Gamma"))] == [6, 5]
        and all(one.y[1] + 10 < one.y[2] for one in lines(f[0], "U"))
        and all(one.y[-1] < one.y[3] - 10 for one in lines(f[0], "U"))
        and all(falls(one.y, 0.5) for one in lines(f[1], "Gamma"))
    ),
    "Both curves fall from one and have arches between the vertical lines, those of moving points "
    "the lower ones. Some arches beyond the second line the curve of moving points rises far above "
    "the other and leaves the frame": swung,
    "Two frames of per cent left against training steps, both axes logarithmic. On the law of "
    "training all dots with positions fall. At c = 1 they rise up to 5000 steps, and stay; those "
    "without positions and those of six blocks lie far below them, and those of the first seed "
    "between": learned,
    "against places earlier, from minus three to five. With nothing changed the lines are lowest "
    "at zero and rise to both sides. With one axis stretched they fall from above a hundred at the "
    "left, through about sixty at zero and twenty at two, and still fall at three": misled,
    "With nothing changed and with all axes scaled down all lie about two per cent or less. With "
    "all scaled up the six and models without positions lie higher, among one another. With all "
    "but one shrunk the six lie far to the right, models without positions left of them, and "
    "moving points at two per cent. With one stretched the six lie far to the right and models "
    "without positions far left of them": set_apart,
    "Both ladders fall from a hundred. The transformers are level lines which the ladder of "
    "adaptive steps crosses between five and seven. At the vertical line, three, both ladders are "
    "above them": lambda f: all(map(laddered, f)),
    "end far below three plain steps. Those of points that stay end far above all others": moved,
    "Around the vertical line moving points are a little farther than the nearest algorithm, and "
    "two of the six far nearer": lambda f: (
        0 < lines(f[1], "u")[0].y[4] - lines(f[1], "muted")[0].y[4] < 5
        and all(lines(f[1], "muted")[0].y[4] - one.y[4] > 15 for one in lines(f[1], "ink"))
    ),
    "The truth lies highest, and least squares rises to it at the vertical line. "
    "There the nearest algorithm lies far below them, and the fifteen lines of two models far "
    "below it": apart_at_d,
    "the line of right answers. With nothing changed the dots lie on the line. With one axis "
    "stretched they are a wide cloud about it, with the examples told two places earlier a "
    "narrower one, and two places later the widest": scattered,
    "All lines fall to the vertical line. Behind it those of own positions jump up at once and go "
    "on rising, those of lent ones rise more slowly, those of spread ones fall a little and rise "
    "far less, and those without positions go on falling": longer,
    "jump further each time": lambda f: rises(abs(dots(f[0], "Gamma")[0].y)),
    "dips at the shoulders and stays above zero": lambda f: (
        0 < lines(f[0], "u")[0].y.min() < 0.4 and 2 < abs(bottom(lines(f[0], "u")[0])) < 2.6
    ),
}
# What curves do not show, and what is a claim about recorded models, which has its verdict tested.
ELSEWHERE = """\
Per cent left|Share left|what is left|Below it nine rows|They cross at|differ the loss
 rises|but the last|the first narrowly|near silence at first, falls below one step early, and
 goes on falling to the end, with small rises|lie left of those without. All lie far left|lie
 far left of one step; with noisy labels they lie right|two seeds lie left of one plain step
 and one right of it|all lie left of as many plain steps, with six far left|in each row all
 seeds lie left of as many plain steps, the more so the more blocks|Linear attention lies
 farthest left, no positions farthest right|far below least squares and the truth at the
 vertical line. Of the lines of two starts six lie below all others in each frame, and four
 above the nearest algorithm|The lines of another order lie far above those of another start,
 and around d above the nearest algorithm|Left, six lines rise from about 0.4 to one and stay
 there; right of the second vertical line they rise to about three. For random covariances
 the lines rise and stay at one. One step rises far more slowly|A line and dots fall
 together, slowly, as the start gets smaller""".replace("\n", "").split("|")
