"""The map of results: which result of the book uses which, and where each stands in a drawing.

Pure logic, without Sphinx: `results_map` feeds it, `map_drawing` draws it. A result
stands below everything that it uses; the pages of the book are bands, from top to bottom.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from statistics import fmean

Uses = Mapping[str, Collection[str]]  # label: the labels that its statement and proof refer to

COLUMNS = 4  # results in a row; what is left of the width is for the lines that pass by
ORDERING, STRAIGHTENING = 12, 60  # sweeps over the rows
STIFF = 8.0  # how much more a passing line insists on its place than a result does
WIDTH = 720.0  # that of the page, if the rows need no more
NODE, PASSING, GAP = 140.0, 8.0, 16.0  # widths: of a result, of a line's lane, between results


@dataclass(frozen=True)
class Wire:
    """A line from a result (or from where its line passes a row) down to the next row."""

    used: str
    users: tuple[str, ...]  # whoever is reached through it
    start: tuple[int, float]  # the upper row, and the middle of what stands there
    end: tuple[int, float]


@dataclass(frozen=True)
class Layout:
    """Where everything stands: rows from the top, x in pixels."""

    bands: tuple[tuple[str, ...], ...]  # the pages of each band
    rows: dict[str, int]  # label: row
    first: tuple[int, ...]  # the first row of each band
    left: dict[str, float]
    wires: tuple[Wire, ...]
    width: float


def used_by(
    mentions: Iterable[tuple[str, str]],
    equations: Mapping[str, str],
    known: Collection[str],
) -> dict[str, set[str]]:
    """What each known result uses, from pairs (result, label of a result or an equation).

    An equation counts as the result in whose statement or proof it stands; one that stands in the
    running text counts as nothing. ValueError names a label that leads nowhere.
    """
    uses: dict[str, set[str]] = {label: set() for label in known}
    for label, target in mentions:
        target = equations.get(target, target)
        if target.startswith("eq-"):
            continue
        if missing := [name for name in (label, target) if name not in uses]:
            raise ValueError(
                f"a link must lead to a numbered result, got {missing[0]!r} at {label!r}; "
                "is the label misspelt?"
            )
        uses[label] |= {target} - {label}
    return uses


def ordered(uses: Uses) -> list[str]:
    """All labels, each after what it uses; ValueError names a circle."""
    try:
        return list(TopologicalSorter(uses).static_order())
    except CycleError as error:
        circle = " uses ".join(reversed(error.args[1]))
        raise ValueError(
            f"no result may lean on itself, got {circle}; "
            "a link that only compares belongs outside statement and proof"
        ) from None


def beneath(uses: Uses) -> dict[str, set[str]]:
    """Label: everything that it rests on, directly or not."""
    found: dict[str, set[str]] = {}
    for label in ordered(uses):
        found[label] = set(uses[label]).union(*(found[used] for used in uses[label]))
    return found


def reduced(uses: Uses) -> dict[str, set[str]]:
    """The fewest links with the same `beneath`: none that a longer way replaces."""
    rests = beneath(uses)
    return {
        label: {u for u in direct if not any(u in rests[other] for other in direct)}
        for label, direct in uses.items()
    }


def bands(page: Mapping[str, str], uses: Uses, pages: Sequence[str]) -> list[tuple[str, ...]]:
    """The pages in an order in which each uses only earlier ones, else that of the book.

    Pages that use each other share a band.
    """
    reach: dict[str, set[str]] = {p: set() for p in pages}
    for label, direct in uses.items():
        reach[page[label]] |= {page[used] for used in direct}
    for _ in pages:
        reach = {p: set(near).union(*(reach[q] for q in near)) for p, near in reach.items()}
    groups = [tuple(q for q in pages if q == p or (q in reach[p] and p in reach[q])) for p in pages]
    waiting, placed = list(dict.fromkeys(groups)), list[tuple[str, ...]]()
    while waiting:
        ready = next(
            group
            for group in waiting
            if not any(q in reach[group[0]] for other in waiting if other != group for q in other)
        )
        waiting.remove(ready)
        placed.append(ready)
    return placed


def layout(page: Mapping[str, str], uses: Uses, pages: Sequence[str]) -> Layout:
    """Layers by longest path within each band, at most COLUMNS results a row.

    page: the page of each result, in the book's order; uses: what it uses; pages: in the book's
    order. Raises ValueError on a circle.
    """
    links = reduced(uses)
    groups = bands(page, links, [p for p in pages if p in page.values()])
    band = {p: k for k, group in enumerate(groups) for p in group}
    rank = {label: k for k, label in enumerate(page)}
    order = ordered({label: sorted(links[label], key=rank.__getitem__) for label in page})
    rows: dict[str, int] = {}
    first = []
    for k in range(len(groups)):
        start = max(rows.values(), default=-1) + 1
        first.append(start)
        for label in (x for x in order if band[page[x]] == k):
            row = max([rows[u] + 1 for u in links[label]] + [start])
            while list(rows.values()).count(row) == COLUMNS:
                row += 1
            rows[label] = row
    hops = _hops(rows, links)
    middle, width = _place(rows, hops, rank)
    wires = tuple(
        Wire(used, users, (row, middle[_at(rows, used, row)]), (row + 1, middle[end]))
        for used, row, end, users in hops
    )
    left = {label: middle[label, row] - NODE / 2 for label, row in rows.items()}
    return Layout(tuple(groups), rows, tuple(first), left, wires, width)


Spot = tuple[str, int]  # a result in its own row, or its line where it passes another
Hop = tuple[str, int, Spot, tuple[str, ...]]  # used, upper row, lower end, users reached


def _at(rows: Mapping[str, int], used: str, row: int) -> Spot:
    return (used, row) if rows[used] == row else (f"|{used}", row)


def _size(spot: Spot) -> float:
    """The width that a spot keeps free, half a gap on both sides of a result."""
    return PASSING if spot[0].startswith("|") else NODE + GAP


def _hops(rows: Mapping[str, int], links: Uses) -> list[Hop]:
    """All lines cut into pieces from row to row; the users of a result share what they can."""
    hops: list[Hop] = []
    for used in rows:
        users = sorted((x for x in rows if used in links[x]), key=lambda x: rows[x])
        for row in range(rows[used], max((rows[x] for x in users), default=0)):
            here = [x for x in users if rows[x] == row + 1]
            beyond = tuple(x for x in users if rows[x] > row + 1)
            hops += [(used, row, (x, row + 1), (x,)) for x in here]
            if beyond:
                hops.append((used, row, (f"|{used}", row + 1), beyond))
    return hops


def _place(
    rows: Mapping[str, int], hops: Sequence[Hop], rank: Mapping[str, int]
) -> tuple[dict[Spot, float], float]:
    """The middle of every result and passing line: near its neighbours, without overlap."""
    lines: list[list[Spot]] = [[] for _ in range(max(rows.values(), default=-1) + 1)]
    for label in sorted(rows, key=rank.__getitem__):
        lines[rows[label]].append((label, rows[label]))
    up: dict[Spot, list[Spot]] = {}
    down: dict[Spot, list[Spot]] = {}
    for used, row, end, _ in hops:
        if end[0].startswith("|"):
            lines[row + 1].append(end)
        up.setdefault(end, []).append(_at(rows, used, row))
        down.setdefault(_at(rows, used, row), []).append(end)
    width = max([WIDTH, *(sum(map(_size, line)) - GAP for line in lines)])
    middle = {
        spot: width * (k + 1) / (len(line) + 1) for line in lines for k, spot in enumerate(line)
    }
    for sweep in range(ORDERING + STRAIGHTENING):
        falling, last = sweep % 2 == 0, sweep >= ORDERING
        for line in lines if falling else reversed(lines):
            wish = {}
            for spot in line:
                near = up.get(spot, []) if falling or last else []
                near = near + (down.get(spot, []) if not falling or last else [])
                wish[spot] = fmean(middle[other] for other in near or [spot])
            if not last:
                line.sort(key=wish.__getitem__)
            middle |= _spread([(spot, _size(spot), wish[spot]) for spot in line], width)
    return middle, width


def _spread(line: Sequence[tuple[Spot, float, float]], width: float) -> dict[Spot, float]:
    """The middles closest to the wishes, in this order, side by side, within the width."""
    offsets, total = [], -GAP / 2
    for _, size, _ in line:
        offsets.append(total + size / 2)
        total += size
    room = width + GAP / 2 - total
    pools: list[tuple[float, float, int]] = []  # neighbours that want the same place move together
    for offset, (_, size, wish) in zip(offsets, line, strict=True):
        weight = STIFF if size == PASSING else 1.0
        pools.append((wish - offset, weight, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (x, v, m), (y, w, n) = pools[-2:]
            pools[-2:] = [((v * x + w * y) / (v + w), v + w, m + n)]
    shifts = [min(max(shift, 0.0), room) for shift, _, count in pools for _ in range(count)]
    return {
        spot: offset + shift
        for (spot, _, _), offset, shift in zip(line, offsets, shifts, strict=True)
    }
