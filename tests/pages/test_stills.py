"""What the text alternatives of still figures say of rising, above and left holds in the curves of
their drawings on the built page. A word of direction that no row quotes is a fault."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import pytest

from tests.pages.conftest import BOOK
from tests.pages.packed import BUILT, figures
from tests.pages.said import unquoted
from tests.pages.stills import ELSEWHERE, STILLS, Frame, frames

DRAWING = re.compile(r'<svg\b[^>]*\brole="img" aria-label="([^"]*)".*?</svg>', re.S)
PLOT = 'stroke-linecap="butt"'  # as matplotlib begins


@cache
def drawings(page: str) -> list[tuple[str, list[Frame]]]:
    """What each drawing says, and the marks of its frames, in the order of drawing."""
    text = (BOOK / "book" / f"{page}.html").read_text("utf-8")
    moving = {spec["alt"] for spec, _ in figures(f"{page}.html").values()}
    found = [(unescape(one[1]), one[0]) for one in DRAWING.finditer(text) if PLOT in one[0]]
    return [(alt, frames(svg)) for alt, svg in found if alt not in moving]


@pytest.mark.parametrize("words", STILLS)
def test_what_a_still_says_is_drawn(words: str) -> None:
    found = [frames for page in BUILT for alt, frames in drawings(page) if words in alt]
    assert found, "no alternative says so any more: this row goes"
    assert all(STILLS[words](one) for one in found), words


def test_no_word_of_direction_of_a_still_is_left_out() -> None:
    said = [(page, alt) for page in BUILT for alt, found in drawings(page) if found]
    loose = {place: unquoted(place[1], [*STILLS, *ELSEWHERE]) for place in said}
    assert not any(loose.values()), {place: rest for place, rest in loose.items() if rest}
