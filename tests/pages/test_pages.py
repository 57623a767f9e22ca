"""Every page of the book in a browser, all outside addresses blocked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tests.pages import checks
from tests.pages.checks import Visit
from tests.pages.conftest import BOOK, book_pages, each
from tests.pages.lengths import BUDGETS
from tests.pages.reader import box
from tests.pages.site import Site

PAGES = book_pages()
EXTRA = ["search.html", "genindex.html", "404.html"]  # made by Sphinx and by the build
every_page = pytest.mark.parametrize("name", PAGES)


def address(site: Site, name: str) -> str:
    return f"{site.url}/{name}.html"


@pytest.fixture(scope="module")
def desk(request: pytest.FixtureRequest, site: Site, browser: Browser) -> Iterator[Visit]:
    """A page in a wide window, opened once for all tests that need no other."""
    with Visit(browser, address(site, request.param)) as visit:
        yield visit


@pytest.fixture(scope="module")
def phone(request: pytest.FixtureRequest, site: Site, browser: Browser) -> Iterator[Visit]:
    with Visit(browser, address(site, request.param), width=390) as visit:
        yield visit


@each("desk", PAGES)
def test_page_is_quiet_typeset_described_and_light(
    site: Site, desk: Visit, page_weights: dict[str, dict[str, float]]
) -> None:
    """No outside request, no error, no jump, no raw TeX, no unnamed picture, within the budget."""
    desk.rest()
    assert checks.shifts(desk.page) == []
    assert checks.outside(desk, site.url) == []
    assert checks.complaints(desk) == []
    assert checks.mathematics(desk.page) == []
    assert checks.alternatives(desk.page) == []
    name = desk.page.url.removeprefix(f"{site.url}/").removesuffix(".html")
    page_weights[name] = checks.weights(site, desk.requests)
    assert checks.too_heavy(page_weights[name]) == []


@each("desk", PAGES)
def test_keyboard_reaches_everything_in_order(desk: Visit) -> None:
    assert checks.keyboard(desk.page) == []


Theme = Literal["light", "dark"]
# Of each theme the rules that axe checks, all of them in the light.
THEMES: dict[Theme, tuple[str, ...]] = {"light": (), "dark": checks.OF_COLOUR}


def axe_finds_nothing(visit: Visit, rules: dict[Theme, tuple[str, ...]]) -> None:
    """In each theme, by its rules or, where there are none, by all; every fold is open."""
    for theme, some in rules.items():
        visit.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        visit.unfold()
        # The page hears of the change when its thread is free.
        visit.page.wait_for_function(
            "theme => document.documentElement.dataset.theme === theme", arg=theme
        )
        assert (theme, checks.accessibility(visit.page, *some)) == (theme, [])


@each("desk", PAGES)
def test_axe_finds_nothing(desk: Visit) -> None:
    axe_finds_nothing(desk, THEMES)


@each("phone", PAGES)
def test_axe_finds_nothing_on_a_phone(site: Site, phone: Visit) -> None:
    """Text has its colours and names at every width; what only a phone shows, every page has."""
    first = phone.page.url == address(site, PAGES[0])
    axe_finds_nothing(phone, THEMES if first else {"light": checks.OF_WIDTH})


@each("phone", PAGES)
def test_a_narrow_phone_is_wide_enough(phone: Visit) -> None:
    phone.page.set_viewport_size({"width": 360, "height": 940})
    phone.unfold()
    assert checks.sideways(phone.page) == []
    assert checks.hints(phone.page) == []


@every_page
def test_reads_without_scripts(site: Site, browser: Browser, name: str) -> None:
    with Visit(browser, address(site, name), java_script_enabled=False) as visit:
        assert checks.readable(visit.page) == []
        formulas = visit.page.locator(".tex svg:visible, .formula > svg:visible")
        expected = (BOOK / f"{name}.html").read_text(encoding="utf-8").count("<math>")
        assert formulas.count() > 0 or expected == 0


def test_a_link_into_a_page_arrives_at_once(site: Site, browser: Browser) -> None:
    with Visit(browser, address(site, "book/gd_beta")) as visit:
        visit.page.emulate_media(reduced_motion="no-preference")
        top = visit.page.evaluate(
            """async () => {
              location.hash = "where-it-comes-from";
              await new Promise(requestAnimationFrame);
              return document.getElementById("where-it-comes-from").getBoundingClientRect().top;
            }"""
        )
        assert 0 <= top < 940


@every_page
def test_opens_from_the_disk(browser: Browser, name: str) -> None:
    with Visit(browser, (BOOK / f"{name}.html").as_uri()) as visit:
        visit.rest()
        assert checks.complaints(visit) == []
        assert checks.mathematics(visit.page) == []


@pytest.mark.parametrize("file", EXTRA)
def test_generated_page_is_sound(site: Site, browser: Browser, file: str) -> None:
    with Visit(browser, f"{site.url}/{file}", width=390) as visit:
        visit.rest()
        assert checks.outside(visit, site.url) == []
        assert checks.complaints(visit) == []
        assert checks.accessibility(visit.page) == []


# What Sphinx's search script finds for a query, best first, as addresses from the root.
FOUND = """(queries) => queries.map((query) => Search._performSearch(...Search._parseQuery(query))
  .reverse().map(([page, title, place]) => `${page}.html${place}`))"""
NAMED = re.compile(
    r'<div class="proof (?!proof)\w+[^"]*" id="([^"]+)">\s*'
    r'<p class="box-title"><span class="caption-number">([^<]*?)\s*</span>\s*(?:\((.*?)\))?</p>'
)


def test_search_finds_every_result(site: Site, browser: Browser) -> None:
    """By its number first of all, by its name among the first three: the way to its very place."""
    numbered, named = [], []
    for page in PAGES:
        for place, number, name in NAMED.findall((BOOK / f"{page}.html").read_text("utf-8")):
            numbered.append((number, f"{page}.html#{place}"))
            if name:
                words = re.sub(r"<math>.*?</math>|<[^>]*>", "", name)
                named.append((unescape(words), f"{page}.html#{place}"))
    assert len(numbered) >= len(named) > 60, "the pattern no longer fits the pages"
    with Visit(browser, f"{site.url}/search.html") as visit:
        visit.page.wait_for_function("Search.hasIndex()")
        for wanted, best in ((numbered, 1), (named, 3)):
            found = visit.page.evaluate(FOUND, [words for words, _ in wanted])
            lost = [
                (words, place, places[:3])
                for (words, place), places in zip(wanted, found, strict=True)
                if place not in places[:best]
            ]
            assert lost == []


def test_search_lists_what_it_found(site: Site, browser: Browser) -> None:
    with Visit(browser, f"{site.url}/search.html") as visit:
        checks.search_without_excerpts(visit.page)
        visit.page.goto(f"{site.url}/search.html?q=Convergence+and+limit")
        visit.page.wait_for_function(checks.SEARCHED)
        links = visit.page.locator("#search-results a").evaluate_all("l => l.map((a) => a.href)")
        assert any("/book/pl_convergence.html" in link for link in links), links
        assert checks.complaints(visit) == []


FOUND_PAGE = """<div role="main"><p>The risk<span><svg><text>9</text></svg><math><mi>R</mi></math>
</span>is <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>.</p><pre>code</pre><p id="here">Here.</p>
<figure><figcaption>0 1 2</figcaption></figure></div>"""


def test_an_excerpt_is_prose(site: Site, browser: Browser) -> None:
    with Visit(browser, f"{site.url}/search.html") as visit:
        ask = "([html, place]) => Search.htmlToText(html, place).trim()"
        said = [visit.page.evaluate(ask, [FOUND_PAGE, place]) for place in ("", "#here")]
    assert said == ["The riskR is …. Here.", "Here."]


@pytest.mark.parametrize("name", PAGES[1:3])
def test_a_notebook_says_how_to_run_it(site: Site, browser: Browser, name: str) -> None:
    """And nothing that was there moves, nothing is cut off."""
    with Visit(browser, address(site, name), width=1350) as visit:
        box = visit.page.locator("details.run-this")
        held = [box.locator("summary"), visit.page.locator("button.unfold-all")]
        places = [one.bounding_box() for one in held]
        box.locator("summary").click()
        assert "make lab" in box.inner_text()
        assert [one.bounding_box() for one in held] == places
        assert box.locator("[data-more]").count() == 0


DRAWN_WIDE = """(found) => found.filter((box) => box.scrollWidth > box.clientWidth + 1).length"""


@pytest.mark.parametrize("name", [f"book/{page}" for page in BUDGETS])
def test_still_figures_fit_a_phone(site: Site, browser: Browser, name: str) -> None:
    """But for the block's flow and its step, which are one line from left to right, and scroll."""
    with Visit(browser, address(site, name), width=360) as visit:
        frames = visit.page.locator("article figure .drawing-frame")
        left = 1 if name.endswith(("ltb_vs_lsa", "gd_beta")) else 0
        assert frames.evaluate_all(DRAWN_WIDE) <= left


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
    others = {"book/checked": (".bib",), PAGES[0]: (".ipynb",)}  # the first page has no box
    more = (".ipynb", ".whl") if is_notebook else others.get(name, ())
    assert {file.suffix for file in files} == {".md", *more}


@pytest.mark.parametrize(("name", "count"), [(PAGES[0], 12), ("book/what_we_know", 3)])
def test_questions_answers_and_chapters_have_pictures(
    site: Site, browser: Browser, name: str, count: int
) -> None:
    """A card with a picture leads as a whole to its page; links in it can be clicked."""
    with Visit(browser, address(site, name), width=360) as visit:
        cards = visit.page.locator(".sd-card:has(svg.drawing)")
        assert cards.count() == count
        for card in cards.all():
            card.scroll_into_view_if_needed()
            picture, link = card.locator("svg.drawing"), card.locator("a.sd-stretched-link")
            assert box(picture)["width"] > 80
            assert (link.get_attribute("href") or "").count(".html") == 1
            for inner in card.locator("p a").all():
                inner.click(trial=True)


def test_theme_switch_turns_the_letters(site: Site, browser: Browser) -> None:
    """The coloured letters of formulas follow the theme."""
    with Visit(browser, address(site, "book/pl_convergence")) as visit:
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
