"""Every chapter keeps its budgets of words, height and open code."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.pages import lengths
from tests.pages.site import Site

PAGE = """<!doctype html><meta charset="utf-8"><style>* { margin: 0; padding: 0 }
pre, figure { height: 100px } p { height: 50px }</style>
<article class="bd-article"><h1>Three words here<a class="headerlink">#</a></h1>
<p>Four words and <span class="tex"><svg></svg><math><mi>x</mi></math></span></p>
<div class="cell_input"><pre>a = 1</pre></div>
<div class="proof"><p>Two words</p></div>
<p>one</p><figure><figcaption>Caption of four words</figcaption></figure>
<details><summary>Proof</summary><p>six words that nobody sees first</p></details>
<h2>What is now known</h2><p>after the end</p></article>"""


@pytest.mark.parametrize("chapter", lengths.BUDGETS)
def test_budgets_are_kept(browser: Browser, site: Site, chapter: str) -> None:
    assert lengths.over(chapter, lengths.measure(browser, site, chapter)) == []


def test_what_counts(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "small.html").write_text(PAGE, encoding="utf-8")
    with Site(tmp_path) as site:
        found = lengths.measure(browser, site, "small")
    visible = {"prose": 3 + 4 + 1 + 4 + 1, "statements": 2, "code": 2}
    assert {kind: found[kind] for kind in visible} == visible
    assert found["main"] == sum(visible.values())
    assert found["all"] == found["main"] + 6 + 4 + 3
    assert found["code_height"] == 100
    assert found["dark"] >= 250  # up to the figure: heading, paragraph, code, statement, paragraph
    assert found["height_open"] >= found["height"] + 50


def test_every_budget_can_be_exceeded() -> None:
    chapter = "icl_definitions"
    limits = lengths.budgets(chapter)
    assert lengths.over(chapter, limits) == []
    for key in limits:
        found = lengths.over(chapter, {**limits, key: limits[key] + 1})
        assert len(found) == 1 and key in found[0]
