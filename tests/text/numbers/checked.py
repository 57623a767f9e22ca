"""Numbers of the page on how the book is checked."""

from book._ext.map_layout import layout, reduced
from tests.nbval_pages.compare import RTOL

USES = {"a": [], "b": ["a"], "c": ["a", "b"], "d": ["a"], "e": ["c", "d"]}
PAGES = dict(zip(USES, "ppqqp", strict=True))
ROWS = layout(PAGES, USES, ["p", "q"]).rows  # counted from the top

NUMBERS = {"tolerance of one in a thousand": 1 / RTOL}

CLAIMS = {
    "a statement stands below all that it uses; a line leads up to each of them, unless a longer "
    "way leads there too": all(ROWS[one] > ROWS[other] for one in USES for other in USES[one])
    and {one: sorted(lines) for one, lines in reduced(USES).items()} == USES | {"c": ["b"]},
}

SETTLED = {"where something stands on the page": ["than the one above, and systems other"]}
