"""What the text alternatives of live figures say of rising, falling, above and below holds in the
numbers that the figures draw. A word of direction that no row quotes is a fault."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pages.alts import ALTS, area
from tests.pages.packed import BUILT, Numbers, drawn, live, shown
from tests.pages.said import unquoted

ROWS = [(*figure, words) for figure, rows in ALTS.items() for words in rows]


@pytest.mark.parametrize(("page", "figure", "words"), ROWS)
def test_what_an_alternative_says_is_drawn(page: str, figure: str, words: str) -> None:
    def at(**controls: float | str) -> Numbers:
        return drawn(page, figure, **controls)

    assert words in live(page)[figure][0]["alt"]
    assert ALTS[page, figure][words](at), words


def test_the_numbers_do_not_depend_on_the_order_of_keys() -> None:
    """The page's JSON has it sorted or not, after the way in which the notebook was run."""
    spec, data = live("gd_beta")["what-shortens-the-step"]
    at = {axis["name"]: axis["init"] for axis in spec["axes"]}
    turned = [{**s, "channels": dict(reversed(s["channels"].items()))} for s in spec["series"]]
    one, other = shown(spec, data, at), shown({**spec, "series": turned}, data, at)
    np.testing.assert_array_equal(one["label noise"], other["label noise"])
    assert area(one, "label noise").min() >= 0


def test_no_word_of_direction_is_left_out() -> None:
    loose = {
        (page, figure): rest
        for page in BUILT
        for figure, (spec, _) in live(page).items()
        if (rest := unquoted(spec["alt"], list(ALTS.get((page, figure), {}))))
    }
    assert loose == {}, "give each a row in ALTS"


def test_a_word_that_no_row_quotes_is_seen() -> None:
    alt = "A curve that rises, and one that falls below it."
    assert unquoted(alt, ["A curve that rises"]) == ["falls", "below"]
    assert unquoted(alt, ["that rises, and one that falls below"]) == []
    assert unquoted(alt, ["which stands nowhere in it, and is long"]) == ["rises", "falls", "below"]
