"""Every link of every built page arrives: the file is there, and the place on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pages import links
from tests.pages.conftest import BOOK, book_pages


@pytest.mark.parametrize("name", [*book_pages(), "genindex", "search", "404", "index"])
def test_links_arrive(name: str) -> None:
    path = BOOK / f"{name}.html"
    assert path.is_file(), "there is no such page; run: make book"
    assert list(links.broken(BOOK.resolve(), path.resolve())) == []


def test_every_page_is_checked() -> None:
    built = {path.relative_to(BOOK).as_posix() for path in links.pages(BOOK)}
    known = {f"{name}.html" for name in [*book_pages(), "genindex", "search", "404", "index"]}
    decks = {name for name in built if name.startswith("slides/")}  # tests/pages/test_forms.py
    assert built - known - decks == {"prf-prf.html"} & built
    assert sum(len(links.document(path.resolve()).links) for path in links.pages(BOOK)) > 1000


SOUND = """<html><head><link rel="icon" href="mark.svg"></head><body id="top">
<a href="#top">up</a> <a href="sub/two.html#so%20far">on</a> <a href="https://example.org/a#b">out</a>
<a href="sub/two.html#so%20far&amp;rates=u:2">a figure</a> <img src="mark.svg"></body></html>"""
SPEC = {"spec": {"name": "rates", "axes": [{"name": "u"}]}}
STATE = json.dumps({"state": {"1": {"state": SPEC}, "2": {"state": {}}}})
TWO = f"""<h1 id="so far">Two</h1><a href="../one.html">back</a>
<script type="{links.STATE}">{STATE}</script>"""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("", "", None),
        ('href="mark.svg"', 'href="gone.svg"', "gone.svg: no such file"),
        ('src="mark.svg"', 'srcset="mark.svg 1x, gone.png 2x"', "gone.png: no such file"),
        ("#top", "#bottom", "#bottom: no place 'bottom' on that page"),
        ("#so%20far", "#not", "sub/two.html#not: no place 'not' on that page"),
        ("rates=u", "rules=u", "no live figure 'rules'"),
        ("rates=u", "rates=U", "no control 'U' of the figure 'rates'"),
        ("sub/two", "../two", "../two.html#so%20far: leaves the book"),
    ],
)
def test_a_broken_link_is_reported(tmp_path: Path, old: str, new: str, fault: str | None) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "mark.svg").touch()
    (tmp_path / "sub" / "two.html").write_text(TWO, "utf-8")
    one = tmp_path / "one.html"
    one.write_text(SOUND.replace(old, new), "utf-8")
    found = list(links.broken(tmp_path, one))
    assert found == [] if fault is None else any(fault in text for text in found)
    assert list(links.broken(tmp_path, tmp_path / "sub" / "two.html")) == []
    assert links.outside(tmp_path) == {"https://example.org/a": ["one.html"]}
