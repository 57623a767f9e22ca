"""What the built pages tell those with whom a link is shared."""

from __future__ import annotations

import re

import pytest
from PIL import Image

from tests.pages.conftest import BOOK, book_pages

TAG = re.compile(r'<meta (?:name|property)="(description|og:\w+)" content="([^"]*)"')


@pytest.mark.parametrize("name", ["index", *book_pages()])
def test_a_shared_link_has_title_description_and_picture(name: str) -> None:
    file = BOOK / f"{name}.html"
    tags = dict(TAG.findall(file.read_text("utf-8")))
    assert len(tags["og:title"]) > 3 and "<" not in tags["og:title"]
    assert 30 < len(tags["description"]) <= 300 and "\\" not in tags["description"]
    assert tags["og:description"] == tags["description"]
    if "://" not in tags["og:image"]:  # without a public address
        with Image.open(file.parent / tags["og:image"]) as card:
            assert card.size == (1200, 630)
            colours = {colour for _, colour in card.convert("RGB").getcolors(1 << 20) or []}
        assert {(10, 102, 168), (147, 64, 124)} <= colours  # the layer's line and the query


def test_a_page_says_when_it_last_changed() -> None:
    said = re.findall(r"Last updated on (\S+)\.", (BOOK / "book/errata.html").read_text("utf-8"))
    assert len(said) == 1 and re.fullmatch(r"20\d\d-\d\d-\d\d", said[0])
