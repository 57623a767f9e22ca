"""Links that show the statement they lead to: mouse, keys, finger, the disk, paper."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from book._ext.previews import FOLDER, statements
from tests.pages.checks import Visit, accessibility, stop_clock
from tests.pages.checks import opened as checked
from tests.pages.conftest import BOOK
from tests.pages.reader import PHONE, box, settle
from tests.pages.site import Site

pytestmark = pytest.mark.xdist_group("previews")  # so that the pages are built once
ROOT = Path(__file__).parents[2]
CONF = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
OWN = ("page_bridge", "typeset", "folds", "previews")
extensions = ["myst_parser", "sphinx_proof", *(f"book._ext.{{name}}" for name in OWN)]
myst_enable_extensions = ["dollarmath", "colon_fence"]
html_theme = "basic"
html_static_path = [{str(ROOT)!r} + "/book/_page/" + name for name in (
    "book.css", "page.js", "previews.js")]
html_css_files, html_js_files = ["book.css"], ["page.js", "previews.js"]
html_js_files = [(name, {{"defer": "defer"}}) for name in html_js_files]
html_favicon = {str(ROOT)!r} + "/book/_page/favicon.svg"
exclude_patterns = ["out"]
"""
TALL = {**PHONE, "viewport": {"width": 360, "height": 740}}
MARKED = re.compile(r'<a class="[^"]*\bpreview\b[^"]*" href="([^"]+)"')
FILLER = "\n\n".join(["A line of no consequence."] * 40)
PAGES = {
    "index": "# Index\n\n```{toctree}\nbook/one\nbook/two\n```\n",
    "book/one": f"""# One

By {{prf:ref}}`thm-own`, by {{eq}}`eq-own`, by {{prf:ref}}`thm-far` and {{eq}}`eq-far`; a
[section](#the-end) of another page. {{prf:ref}}`lem-wide` is long.

:::{{prf:theorem}} Near
:label: thm-own
Let $a$, by {{prf:ref}}`thm-far`, be

$$
a = b
$$ (eq-own)
:::

{FILLER}
""",
    "book/two": f"""(the-end)=
# Two

:::{{prf:theorem}} Far
:label: thm-far
With $\\zeta$ of {{prf:ref}}`thm-far` and {{prf:ref}}`thm-own`

$$
\\zeta = \\Omega
$$ (eq-far)
:::

:::{{prf:lemma}} Wide
:label: lem-wide
Here is

$$
({"a + " * 90} a)
$$
:::
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("previews")
    (source / "conf.py").write_text(CONF, "utf-8")
    (source / "book").mkdir()
    for name, text in PAGES.items():
        (source / f"{name}.md").write_text(text, "utf-8")
    build(source)
    return source


def build(source: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-qW", "-b", "html", str(source), f"{source}/out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def home(folder: Path) -> Iterator[str]:
    with Site(folder / "out", root="/notes/") as site:  # a public host has it below a folder
        yield site.url


opened = partial(checked, viewport={"width": 900, "height": 700})


def link(page: Page, name: str) -> Locator:
    return page.locator(f"a.preview:not(.preview-card *):has-text({name!r})").first


def card(page: Page) -> Locator:
    return page.locator(".preview-card")


def card_of(page: Page, name: str) -> Locator:
    return page.locator(f".preview-card[aria-label='{name}, preview']")


def shown(page: Page) -> str:
    """The title of the box that shows, or its equation's number."""
    card(page).wait_for(state="visible")
    text: str = card(page).locator("p, .eqno").first.inner_text()
    return text.strip()


def gone(page: Page) -> None:
    card(page).wait_for(state="detached")


# ---- what it shows ------------------------------------------------------------------------------


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from the disk"])
def test_a_link_shows_what_it_leads_to(
    browser: Browser, home: str, folder: Path, disk: bool
) -> None:
    start = (folder / "out").as_uri() if disk else home
    with Visit(browser, f"{start}/book/one.html", width=900) as visit:
        page = visit.page
        assert not any("statements" in url for url in visit.requests)
        wanted = {
            "Theorem 1": "Theorem 1 (Near)",
            "(1)": "(1)",
            "Theorem 2": "Theorem 2 (Far)",
            "(2)": "(2)",
        }
        for name, title in wanted.items():
            link(page, name).hover()
            card_of(page, name).wait_for()
            assert shown(page) == title
            assert card(page).locator("svg use").count() > 1
            lost = "[...document.querySelectorAll('use')].filter((one) => "
            lost += "!document.querySelector(one.getAttribute('href'))).length"
            assert page.evaluate(lost) == 0, "a glyph without its outline"
            assert box(card(page).locator(".formula > svg"))["width"] > 20
        scripts = [url for url in visit.requests if "statements" in url]
        assert scripts == [f"{start}/_static/statements/book/two.js"], "once"
        assert visit.complaints == []


def test_no_id_stands_twice_and_links_inside_lead_where_they_led(
    browser: Browser, home: str
) -> None:
    with opened(browser, f"{home}/book/one.html") as page:
        for name in ("Theorem 1", "Theorem 2"):
            link(page, name).hover()
            card_of(page, name).wait_for()
            assert card(page).locator("[id]").count() == 0
            outlines = page.locator("path[id]").evaluate_all("(all) => all.map((one) => one.id)")
            assert len(set(outlines)) == len(outlines)
            assert card(page).locator(".headerlink").count() == 0
        inside = card(page).locator(".proof a, .box a")
        assert inside.evaluate_all("(all) => all.map((one) => one.href)") == [
            f"{home}/book/two.html#thm-far",
            f"{home}/book/one.html#thm-own",
        ]
        inside.last.click()
        page.wait_for_url("**/one.html#thm-own")
        gone(page)


def test_other_links_show_nothing(browser: Browser, home: str) -> None:
    with opened(browser, f"{home}/book/one.html") as page:
        later = stop_clock(page)
        page.get_by_role("link", name="section").first.hover()
        later(1000)
        assert card(page).count() == 0


# ---- hover and focus (WCAG 1.4.13) --------------------------------------------------------------


def test_the_pointer_may_go_there_and_it_stays_until_it_leaves(browser: Browser, home: str) -> None:
    with opened(browser, f"{home}/book/one.html") as page:
        later = stop_clock(page)
        link(page, "Theorem 1").hover()
        later(1000)
        shown(page)
        card(page).hover()
        later(1000)
        assert card(page).is_visible(), "it must persist under the pointer"
        page.mouse.move(5, 690)
        later(1000)
        gone(page)


def test_escape_dismisses_without_moving_the_pointer_or_the_focus(
    browser: Browser, home: str
) -> None:
    with opened(browser, f"{home}/book/one.html") as page:
        later = stop_clock(page)
        link(page, "Theorem 1").hover()
        later(1000)
        shown(page)
        page.keyboard.press("Escape")
        gone(page)
        later(1000)
        assert card(page).count() == 0
        page.mouse.move(5, 690)
        focus(page, "Theorem 1")
        shown(page)
        page.keyboard.press("Escape")
        gone(page)
        assert link(page, "Theorem 1").evaluate("(one) => one === document.activeElement")


def focus(page: Page, name: str) -> None:
    """By the keyboard."""
    link(page, name).evaluate("(one) => { one.tabIndex = 0; one.focus({ focusVisible: true }); }")


def test_keys_reach_the_links_inside_and_come_back(browser: Browser, home: str) -> None:
    with opened(browser, f"{home}/book/one.html") as page:
        focus(page, "Theorem 1")
        assert shown(page) == "Theorem 1 (Near)"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('.preview-card') !== null")
        assert card(page).is_visible()
        page.keyboard.press("Escape")
        gone(page)
        settle(page)
        assert card(page).count() == 0
        assert link(page, "Theorem 1").evaluate("(one) => one === document.activeElement")
        page.keyboard.press("Tab")  # the next link of the text
        assert shown(page) == "(1)"
        page.mouse.click(5, 690)
        gone(page)


def test_a_wide_formula_is_within_reach_of_keys_and_the_card_within_the_window(
    browser: Browser, home: str
) -> None:
    with opened(browser, f"{home}/book/one.html", viewport={"width": 360, "height": 500}) as page:
        width = page.evaluate("document.documentElement.scrollWidth")
        focus(page, "Lemma 1")
        assert shown(page) == "Lemma 1 (Wide)"
        page.locator(".preview-card .formula[tabindex='0'][data-more='right']").wait_for()
        own = box(card(page))
        assert own["x"] >= 0 and own["x"] + own["width"] <= 360
        assert own["y"] + own["height"] <= 500
        assert page.evaluate("document.documentElement.scrollWidth") == width


# ---- finger, paper, rules -----------------------------------------------------------------------


def test_the_first_tap_shows_the_second_follows(browser: Browser, home: str) -> None:
    with opened(browser, f"{home}/book/one.html", **TALL) as page:
        link(page, "Theorem 2").tap()
        assert shown(page) == "Theorem 2 (Far)"
        assert card(page).get_by_role("link", name="Go to Theorem 2").is_visible()
        page.touchscreen.tap(10, 730)
        gone(page)
        assert page.url.endswith("one.html")
        link(page, "Theorem 2").tap()
        shown(page)
        link(page, "Theorem 2").tap()
        page.wait_for_url("**/two.html#thm-far")


def test_a_tap_follows_where_the_statement_cannot_be_had(browser: Browser, home: str) -> None:
    made = browser.new_context(**TALL)  # type: ignore[arg-type]
    page = made.new_page()
    page.route("**/statements/**", lambda route: route.abort())
    page.goto(f"{home}/book/one.html")
    link(page, "Theorem 2").tap()
    page.wait_for_url("**/two.html#thm-far")
    made.close()


def test_axe_finds_nothing_in_a_card_and_paper_has_none(browser: Browser, home: str) -> None:
    with opened(browser, f"{home}/book/one.html") as page:
        page.evaluate("document.documentElement.dataset.theme = 'light'")
        before = accessibility(page)
        focus(page, "Theorem 2")
        shown(page)
        assert [fault for fault in accessibility(page) if fault not in before] == []
        page.emulate_media(media="print")
        assert not card(page).is_visible()


# ---- every link ---------------------------------------------------------------------------------


def links_without_a_statement(out: Path) -> list[str]:
    """Links that are marked and lead to nothing that a preview could show."""
    out = out.resolve()
    texts = {page: page.read_text("utf-8") for page in out.rglob("*.html")}
    stated = {page: set(statements(text)["boxes"]) for page, text in texts.items()}
    scripts = {file: file.read_text("utf-8") for file in (out / FOLDER).rglob("*.js")}
    faults = []
    for page, text in texts.items():
        for uri in MARKED.findall(text):
            path, _, place = uri.partition("#")
            goal = (page.parent / path).resolve() if path else page
            script = scripts.get((out / FOLDER / goal.relative_to(out)).with_suffix(".js"), "")
            if place not in stated[goal] or not (goal == page or json.dumps(place) in script):
                faults.append(f"{page.name}: {uri}")
    return faults


def test_every_marked_link_has_its_statement(folder: Path, tmp_path: Path) -> None:
    assert links_without_a_statement(folder / "out") == []
    shutil.copytree(folder / "out", tmp_path / "out")
    (tmp_path / "out" / FOLDER / "book" / "two.js").write_text("", "utf-8")
    found = links_without_a_statement(tmp_path / "out")
    lost = ("thm-far", "equation-eq-far", "lem-wide")
    assert set(found) == {f"one.html: two.html#{place}" for place in lost}


def test_every_marked_link_of_the_book_has_its_statement() -> None:
    assert (BOOK / "index.html").exists(), "there is no book to test yet; run: make book"
    assert links_without_a_statement(BOOK) == []
    assert sum(len(MARKED.findall(page.read_text("utf-8"))) for page in BOOK.rglob("*.html")) > 300


# ---- builds -------------------------------------------------------------------------------------


def test_a_build_that_writes_one_page_keeps_the_others(folder: Path) -> None:
    made = folder / "out" / "_static" / "statements" / "book"
    kept = (made / "two.js").read_text("utf-8")
    page = folder / "book" / "one.md"
    text = page.read_text("utf-8")
    page.write_text(text.replace("{prf:theorem} Near", "{prf:theorem} Nearer"), "utf-8")
    try:
        build(folder)
        assert "Nearer" in (made / "one.js").read_text("utf-8")
        assert (made / "two.js").read_text("utf-8") == kept
    finally:
        page.write_text(text, "utf-8")
        build(folder)
