"""Words of the prose that set a figure of their page: by mouse and keys, and as plain words."""

from __future__ import annotations

from pathlib import Path

import pytest
from linear_icl_book.live.explore import StepPlane
from nbformat import v4
from playwright.sync_api import Browser, Page

from tests.pages.explorables import matches, opened, table
from tests.pages.live_book import build, dressed, figure, notebook
from tests.pages.reader import settle

pytestmark = pytest.mark.xdist_group("figure_set")  # so that the page is built once
PROSE = """Ask for {set}`points twice as wide <step-plane: scale = 2; M = 8>`, for
{set}`a true w elsewhere <step-plane: w = -1, 0.5>` or {set}`a steep line <one: slope = 3>`."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    page = notebook(StepPlane(controls=["M", "scale"]), figure("One"))
    far = '<div style="height: 3000px"></div>\n\n'
    page.cells.insert(2, v4.new_markdown_cell(PROSE))
    page.cells.append(v4.new_markdown_cell(far + "{set}`back <step-plane: M = 8>`"))
    out, warnings = build(tmp_path_factory.mktemp("set"), {"index": page})
    assert not warnings
    return dressed(out / "index.html")


def shows(page: Page, **state: object) -> None:
    expected = StepPlane(**state).table()
    found = table(page)
    for shown, numbers in zip(found.values(), expected.values(), strict=True):
        assert all(map(matches, shown, numbers)), (found, expected)


def test_words_lead_to_one_state_whatever_was_moved(browser: Browser, url: str) -> None:
    with opened(browser, url) as page:
        page.get_by_label("True w", exact=True).press("ArrowUp")
        page.get_by_role("link", name="points twice as wide").click()
        shows(page, scale=2.0, M=8)
        page.get_by_role("link", name="a true w elsewhere").focus()
        page.keyboard.press("Enter")
        shows(page, w=[-1.0, 0.5])
        assert page.get_by_role("link", name="a true w elsewhere").evaluate(
            "(one) => one === document.activeElement"
        )
        page.wait_for_function("location.hash === '#step-plane=w:-1;0.5'")
        page.get_by_role("link", name="a steep line").click()
        page.wait_for_function("location.hash.includes('one=slope:3,n:2')")
        assert page.locator(".ex-note").count() == 0


def test_the_page_scrolls_only_to_a_figure_out_of_sight(browser: Browser, url: str) -> None:
    with opened(browser, url) as page:
        page.get_by_role("link", name="points twice as wide").scroll_into_view_if_needed()
        before = page.evaluate("scrollY")
        page.get_by_role("link", name="points twice as wide").click()
        settle(page)
        assert page.evaluate("scrollY") == before
        page.get_by_role("link", name="back").click()
        settle(page)
        top = page.locator(".ex-fig").first.evaluate("(one) => one.getBoundingClientRect().top")
        assert -450 < top < 450
        shows(page, M=8)


def test_the_address_of_the_words_has_the_state(browser: Browser, url: str) -> None:
    with opened(browser, url) as page:
        address = page.get_by_role("link", name="points twice as wide").evaluate("(a) => a.href")
    with opened(browser, address) as page:
        shows(page, scale=2.0, M=8)


def test_without_scripts_and_on_paper_they_are_words(browser: Browser, url: str) -> None:
    with opened(browser, url, java_script_enabled=False) as page:
        assert page.get_by_text("points twice as wide").is_visible()
        assert page.get_by_role("link", name="points twice as wide").count() == 0
    with opened(browser, url) as page:
        words = page.get_by_role("link", name="points twice as wide")
        drawn = "(one) => getComputedStyle(one).textDecorationLine"
        assert words.evaluate(drawn) == "underline"
        page.emulate_media(media="print")
        assert words.evaluate(drawn) == "none"


def test_the_build_refuses_what_the_page_does_not_show(tmp_path: Path) -> None:
    page = notebook(figure("One"))
    asked = "{set}`a <two: slope = 1>` {set}`b <one: slope = 9>` {set}`c <one slope>`"
    page.cells.append(v4.new_markdown_cell(asked))
    with pytest.raises(AssertionError) as failed:
        build(tmp_path, {"index": page})
    told = str(failed.value)
    assert "there must be one figure 'two', got 0; the page has one" in told
    assert "slope must be one of its stops, got '9'" in told
    assert "words that set a figure must read TEXT <FIGURE: NAME = VALUE" in told


def test_elsewhere_than_in_the_page_they_are_words(tmp_path: Path) -> None:
    page = notebook(figure("One"))
    page.cells.append(v4.new_markdown_cell("See {set}`a steep line <one: slope = 3>`."))
    out, _ = build(tmp_path, {"index": page}, builder="text")
    assert "See a steep line." in (out / "index.txt").read_text("utf-8")
