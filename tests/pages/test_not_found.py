"""404.html, which a static host serves for whatever is not there, at any depth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.pages import checks
from tests.pages.checks import Visit
from tests.pages.conftest import BOOK, book_pages
from tests.pages.site import Site


@pytest.mark.parametrize("root", ["/", "/owner/book/"])
@pytest.mark.parametrize("lost", ["gone.html", "book/gone.html", "a/b/c/gone-astray", "book/"])
def test_a_lost_reader_finds_the_way(browser: Browser, root: str, lost: str) -> None:
    """At any depth, wherever the book stands on its host, though no public address is known."""
    with Site(BOOK, root) as host, Visit(browser, f"{host.url}/{lost}") as visit:
        page, here = visit.page, f"{host.url}/{lost}"
        assert page.get_by_role("heading", name="Page not found").is_visible()
        assert [fault for fault in checks.complaints(visit) if "404 (Not Found)" not in fault] == []
        # The look of the book is there, and its scripts.
        sheets = "[...document.styleSheets].filter((s) => s.href)"
        loaded = dict(page.evaluate(f"{sheets}.map((s) => [s.href, s.cssRules.length])"))
        assert len(loaded) == page.locator("link[rel=stylesheet]").count() > 3
        assert all(url.startswith(f"{host.url}/_static/") for url in loaded) and all(
            loaded.values()
        )
        assert "Source Serif" in page.evaluate("getComputedStyle(document.body).fontFamily")
        before = page.evaluate("document.documentElement.dataset.mode")
        page.locator("button.theme-switch-button:visible").first.click()
        assert page.evaluate("document.documentElement.dataset.mode") != before
        # Every link arrives; one to a place on this page stays here.
        links = set(page.locator("a[href]").evaluate_all("(all) => all.map((a) => a.href)"))
        assert len(links) > len(book_pages()) and f"{here}#main-content" in links
        inside = {link.removeprefix(f"{host.url}/").split("#")[0] for link in links}
        assert {path for path in inside if host.body(path) is None} == {lost}
        field = page.get_by_role("search").get_by_role("searchbox")
        words = {"gone.html": "gone", "gone-astray": "gone astray"}
        assert field.input_value() == words.get(lost.rpartition("/")[2], "")
        checks.search_without_excerpts(page)
        field.fill("convergence")
        field.press("Enter")
        page.wait_for_url(f"{host.url}/search.html?q=convergence")
        page.wait_for_function(checks.SEARCHED)
        assert page.locator("#search-results li").count() >= 1


def test_a_known_address_needs_no_script(browser: Browser, tmp_path: Path) -> None:
    """Where the build knows the public address, the links of 404.html hold without a script."""
    text = (BOOK / "404.html").read_text("utf-8")
    bare = re.sub('<base href="[^"]*">', "", text)
    known = bare.replace("<head>", '<head><base href="/owner/book/">', 1)
    for name, page in {"404.html": known, "book/intro.html": "<h1>Begin</h1>"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(page, "utf-8")
    with (
        Site(tmp_path, "/owner/book/") as host,
        Visit(browser, f"{host.url}/a/b", java_script_enabled=False) as visit,
    ):
        visit.page.get_by_role("link", name="first page").click()
        assert visit.page.get_by_role("heading", name="Begin").is_visible()
