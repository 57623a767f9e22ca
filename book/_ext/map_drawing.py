"""The map of results as SVG: boxes that are links, lines up to what they use.

Colours are the custom properties of the page. Under the pointer, and with the focus of the
keyboard, a result shows its own lines: what it uses, and what uses it.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from book._ext.map_layout import NODE, Layout

HEIGHT, BETWEEN, HEAD = 68.0, 38.0, 46.0  # of a box, between two rows, above a band; pixels
CHIP, CHIPS = 26.0, 5  # height of a planned result, and how many stand in a row
LINE, LETTERS = 15.0, 20  # of a title inside a box: the distance of lines, letters in one
CURVE = 0.55  # how long a line keeps its direction, as a share of the height

STYLE = """
.frame { fill: var(--tint); stroke: var(--icl-ink); stroke-width: 1.2 }
.main .frame { stroke-width: 2.6 }
.ground .frame { fill: var(--paper); stroke: var(--icl-muted); stroke-width: 1 }
.planned .frame { fill: none; stroke: var(--icl-muted); stroke-dasharray: 4 3 }
text { font-size: 12px; fill: var(--icl-ink); text-anchor: middle }
.name { font-weight: 650 }
.band { font-size: 14px; font-weight: 650; text-anchor: start }
.band { stroke: var(--paper); stroke-width: 6; paint-order: stroke }
.planned text { fill: var(--icl-muted) }
.wire { fill: none; stroke: color-mix(in srgb, var(--icl-muted) 70%, var(--paper)) }
.rule { stroke: var(--rule) }
a { text-decoration: none }
a:hover .frame { stroke-width: 2.6 }
"""


@dataclass(frozen=True)
class Shown:
    """A result as the reader meets it."""

    name: str  # Lemma 3.2
    title: str
    href: str
    kind: str  # theorem, lemma, definition, …

    @property
    def spoken(self) -> str:
        return f"{self.name} {self.title}".strip()


def wrapped(title: str) -> list[str]:
    """The title on at most three lines; what does not fit ends in an ellipsis."""
    return textwrap.wrap(title, LETTERS, max_lines=3, placeholder=" …", break_on_hyphens=True)


def draw(
    places: Layout,
    results: Mapping[str, Shown],
    heads: Sequence[str],
    planned: Mapping[str, Sequence[tuple[str, str]]],
    name: str,
) -> str:
    """The drawing. heads: a title for each band; planned: by chapter, (name, about) of what comes.

    ValueError if a result of the layout is not among `results`, or the heads do not fit the bands.
    """
    if missing := sorted(set(places.rows) - set(results)):
        raise ValueError(f"each result needs a name and a link, got none for {missing}")
    if len(heads) != len(places.bands):
        raise ValueError(f"{len(places.bands)} bands need as many heads, got {len(heads)}")
    number = {label: k for k, label in enumerate(places.rows)}
    tops, below = _tops(places)
    parts = [
        _head(head, tops[row] - 16, places.width)
        for head, row in zip(heads, places.first, strict=True)
    ]
    wires = []
    for wire in places.wires:
        (row, x), (_, end) = wire.start, wire.end
        top, bottom = tops[row] + HEIGHT, tops[row + 1]
        bend = CURVE * (bottom - top)
        through = (
            f" {tops[row]:.0f}V" if places.rows[wire.used] < row else " "
        )  # passes the upper row
        path = (
            f"M{x:.1f}{through}{top:.0f}"
            f"C{x:.1f} {top + bend:.1f} {end:.1f} {bottom - bend:.1f} {end:.1f} {bottom:.0f}"
        )
        classes = " ".join(f"w{number[label]}" for label in (wire.used, *wire.users))
        wires.append(f'<path class="wire {classes}" d="{path}"/>')
    boxes = [
        _box(
            results[label], f"{name}-{number[label]}", places.left[label], tops[places.rows[label]]
        )
        for label in sorted(places.rows, key=lambda x: (places.rows[x], places.left[x]))
    ]
    for chapter, chips in planned.items():
        below += HEAD
        parts.append(_head(f"To come: {chapter}", below - 16, places.width))
        step = places.width / CHIPS
        for start in range(0, len(chips), CHIPS):
            line = chips[start : start + CHIPS]
            boxes += [_chip(k * step, below, step - 12, *chip) for k, chip in enumerate(line)]
            below += CHIP + 8
        below += 8
    lit = "".join(
        f"#{name}:has(#{name}-{k}:is(:hover, :focus-visible)) .w{k} "
        "{ stroke: var(--icl-ink); stroke-width: 2.4 }\n"
        for k in number.values()
    )
    scoped = "\n".join(f"#{name} {rule}" for rule in STYLE.strip().splitlines())
    return (
        f'<svg id="{name}" xmlns="http://www.w3.org/2000/svg" class="drawing" role="group" '
        f'aria-labelledby="{name}-title" aria-describedby="{name}-desc" '
        f'viewBox="-8 0 {places.width + 16:.0f} {below:.0f}" '
        f'style="--drawn: {places.width + 16:.0f}px">'
        f'<title id="{name}-title">Map of results</title>'
        f'<desc id="{name}-desc">{len(number)} results in layers. Lines lead up from each to those '
        "that its statement and proof use. The list below the drawing says the same.</desc>"
        f"<style>{scoped}\n{lit}</style>{''.join(wires)}{''.join(parts)}{''.join(boxes)}</svg>"
    )


def _tops(places: Layout) -> tuple[list[float], float]:
    """The upper edge of each row, and the lower end of the last."""
    tops, y = list[float](), 0.0
    for row in range(max(places.rows.values(), default=-1) + 1):
        y += HEAD if row in places.first else BETWEEN
        tops.append(y)
        y += HEIGHT
    return tops, y + 12


def _head(head: str, y: float, width: float) -> str:
    rule = f'<path class="rule" d="M0 {y + 5:.0f}H{width:.0f}"/>'
    return f'{rule}<text class="band" x="0" y="{y:.0f}">{escape(head)}</text>'


def _box(shown: Shown, name: str, left: float, top: float) -> str:
    ground = shown.kind in ("definition", "assumption")
    # Names that the theme gives no look of its own, as it does to lemma and mark.
    look = "ground" if ground else "main" if shown.kind == "theorem" else "step"
    middle, lines = left + NODE / 2, wrapped(shown.title)
    y = top + (HEIGHT - LINE * len(lines)) / 2 + 4
    rows = [f'<tspan class="name">{escape(shown.name)} </tspan>']
    for line in lines:  # the spaces part the words for those who hear them
        space = "" if line.endswith("-") else " "
        rows.append(f'<tspan x="{middle:.1f}" dy="{LINE:.0f}">{escape(line)}{space}</tspan>')
    return (
        f'<a id="{name}" class="{look}" href="{escape(shown.href)}" '
        f'aria-label="{escape(shown.spoken)}"><title>{escape(shown.spoken)}</title>'
        f'<rect class="frame" x="{left:.1f}" y="{top:.0f}" width="{NODE:.0f}" '
        f'height="{HEIGHT:.0f}" rx="{HEIGHT / 2 if ground else 2:.0f}"/>'
        f'<text x="{middle:.1f}" y="{y:.1f}">{"".join(rows)}</text></a>'
    )


def _chip(x: float, y: float, width: float, name: str, about: str) -> str:
    return (
        f'<g class="planned"><title>{escape(f"{name}, {about}")}</title>'
        f'<rect class="frame" x="{x:.1f}" y="{y:.0f}" '
        f'width="{width:.1f}" height="{CHIP:.0f}" rx="2"/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 17:.0f}">{escape(name)}</text></g>'
    )
