"""Every page of the book in a browser, all outside addresses blocked."""

from __future__ import annotations

import itertools
import re

import pytest
from playwright.sync_api import Browser

from tests.pages import checks
from tests.pages.checks import Visit
from tests.pages.conftest import BOOK, book_pages
from tests.pages.site import Site

PAGES = book_pages()
EXTRA = ["search.html", "genindex.html"]  # made by Sphinx, linked from everywhere
every_page = pytest.mark.parametrize("name", PAGES)


def address(site: Site, name: str) -> str:
    return f"{site.url}/{name}.html"


@every_page
def test_page_is_quiet_typeset_described_and_light(
    site: Site, browser: Browser, name: str, page_weights: dict[str, dict[str, float]]
) -> None:
    """No outside request, no error, no raw TeX, no unnamed picture, within the budget."""
    with Visit(browser, address(site, name)) as visit:
        visit.page.wait_for_timeout(500)
        assert checks.outside(visit, site.url) == []
        assert checks.complaints(visit) == []
        assert checks.mathematics(visit.page) == []
        assert checks.alternatives(visit.page) == []
        page_weights[name] = checks.weights(site, visit.requests)
    assert checks.too_heavy(page_weights[name]) == []


@pytest.mark.parametrize(("name", "width"), list(itertools.product(PAGES, [1350, 390])))
def test_axe_finds_nothing(site: Site, browser: Browser, name: str, width: int) -> None:
    """In the light and in the dark, every fold open."""
    with Visit(browser, address(site, name), width=width) as visit:
        for scheme in ("light", "dark"):
            visit.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            visit.unfold()
            # The page hears of the change when its thread is free.
            visit.page.wait_for_function(
                "scheme => document.documentElement.dataset.theme === scheme", arg=scheme
            )
            assert (scheme, checks.accessibility(visit.page)) == (scheme, [])


@every_page
def test_no_sideways_scroll_on_a_narrow_phone(site: Site, browser: Browser, name: str) -> None:
    with Visit(browser, address(site, name), width=360) as visit:
        visit.unfold()
        assert checks.sideways(visit.page) == []


@every_page
def test_reads_without_scripts(site: Site, browser: Browser, name: str) -> None:
    with Visit(browser, address(site, name), java_script_enabled=False) as visit:
        assert checks.readable(visit.page) == []
        formulas = visit.page.locator(".tex svg:visible, .formula > svg:visible")
        expected = (BOOK / f"{name}.html").read_text(encoding="utf-8").count("<math>")
        assert formulas.count() > 0 or expected == 0


@every_page
def test_keyboard_reaches_everything_in_order(site: Site, browser: Browser, name: str) -> None:
    with Visit(browser, address(site, name)) as visit:
        assert checks.keyboard(visit.page) == []


@every_page
def test_opens_from_the_disk(browser: Browser, name: str) -> None:
    with Visit(browser, (BOOK / f"{name}.html").as_uri()) as visit:
        visit.page.wait_for_timeout(300)
        assert checks.complaints(visit) == []
        assert checks.mathematics(visit.page) == []


@pytest.mark.parametrize("file", EXTRA)
def test_generated_page_is_sound(site: Site, browser: Browser, file: str) -> None:
    with Visit(browser, f"{site.url}/{file}", width=390) as visit:
        visit.page.wait_for_timeout(500)
        assert checks.outside(visit, site.url) == []
        assert checks.complaints(visit) == []
        assert checks.accessibility(visit.page) == []


def test_search_finds_a_theorem(site: Site, browser: Browser) -> None:
    named = re.compile(r'<div class="proof theorem[^>]*>\s*<p[^>]*>.*?</span> \(([^)<]+)\)')
    found = ((page, named.search((BOOK / f"{page}.html").read_text("utf-8"))) for page in PAGES)
    chapter, title = next(((page, match) for page, match in found if match), ("", None))
    assert title is not None, "no page has a named theorem"
    words = "+".join(title[1].split())
    with Visit(browser, f"{site.url}/search.html?q={words}") as visit:
        visit.page.wait_for_selector("#search-results li")
        links = visit.page.locator("#search-results a").evaluate_all("l => l.map((a) => a.href)")
        assert any(f"/{chapter}.html" in link for link in links), (title[1], links)
        assert checks.complaints(visit) == []


@pytest.mark.parametrize("name", PAGES[:2])
def test_a_notebook_says_how_to_run_it(site: Site, browser: Browser, name: str) -> None:
    with Visit(browser, address(site, name)) as visit:
        box = visit.page.locator("details.run-this")
        box.locator("summary").click()
        assert "make lab" in box.inner_text()


@every_page
def test_what_a_page_offers_for_download_is_there(name: str) -> None:
    """By links that hold on the disk and in any folder of a host."""
    html = (BOOK / f"{name}.html").read_text("utf-8")
    offered = re.findall(r'<a href="([^"]+)" download>', html)
    theirs = re.findall(r'href="([^"]+)"[^>]*class="[^"]*btn-download-\w+-button', html)
    files = [((BOOK / name).parent / path).resolve() for path in offered + theirs]
    assert len(theirs) >= 1 and [file for file in files if not file.is_file()] == []
    assert all(file.is_relative_to(BOOK.resolve()) for file in files)
    is_notebook = 'details class="run-this"' in html
    assert {file.suffix for file in files} == {".md", *((".ipynb", ".whl") if is_notebook else ())}


def test_theme_switch_turns_the_letters(site: Site, browser: Browser) -> None:
    """The coloured letters of formulas follow the theme."""
    with Visit(browser, address(site, PAGES[1])) as visit:
        letter = visit.page.locator("svg .icl-U").first
        seen = set()
        for _ in range(3):
            seen.add(letter.evaluate("e => getComputedStyle(e).fill"))
            visit.page.locator("button.theme-switch-button:visible").first.click()
        assert seen == {"rgb(10, 102, 168)", "rgb(109, 185, 240)"}


def test_print_is_light_and_open(site: Site, browser: Browser) -> None:
    with Visit(browser, address(site, PAGES[1])) as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert visit.page.locator("article h1").is_visible()
        paper = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert visit.page.locator("article details:not([open])").count() == 0
        visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert visit.page.locator("article details:not([open])").count() > 0
