"""The built book on localhost and a browser that cannot leave it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from sphinx_external_toc.parsing import parse_toc_yaml

from book._forms import chromium
from tests.pages.site import Site

ROOT = Path(__file__).parents[2]
# A book built elsewhere can be tested by naming its folder.
BOOK = Path(os.environ.get("LINEAR_ICL_BOOK", ROOT / "_build" / "html"))
WEIGHTS: dict[str, dict[str, float]] = {}


def book_pages() -> list[str]:
    """Every page of _toc.yml, the root first."""
    return [str(name) for name in parse_toc_yaml(ROOT / "_toc.yml")]


def pages_with_figures() -> list[str]:
    """Those with a LiveFigure; all of them while there is no book, so that each test says so."""

    def has_figures(name: str) -> bool:
        file = BOOK / f"{name}.html"
        return not file.exists() or '"spec":' in file.read_text(encoding="utf-8")

    return [name for name in book_pages() if has_figures(name)]


def each(fixture: str, names: list[str]) -> pytest.MarkDecorator:
    """Runs a test with every one of these pages, opened by `fixture`.

    The tests of a page follow each other in one process (with --dist=loadgroup), so that a fixture
    of the module opens it once for all of them.
    """
    pages = [
        pytest.param(name, id=name, marks=pytest.mark.xdist_group(f"{fixture} {name}"))
        for name in names
    ]
    return pytest.mark.parametrize(fixture, pages, indirect=True)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    if not (BOOK / "index.html").exists():
        pytest.fail("There is no book to test yet; run: make book", pytrace=False)
    with Site(BOOK) as served:
        yield served


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        with chromium.browser() as launched:
            yield launched
    except chromium.Missing as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def page_weights() -> dict[str, dict[str, float]]:
    """Filled by the weight test, printed at the end."""
    return WEIGHTS


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands its weights to the process that prints them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["weights"] = WEIGHTS


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    WEIGHTS.update(getattr(node, "workeroutput", {}).get("weights", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if WEIGHTS:
        terminalreporter.section("page weights, KB gzip")
    for page, classes in WEIGHTS.items():
        row = "   ".join(f"{name} {size:6.1f}" for name, size in classes.items())
        terminalreporter.write_line(f"{page:28} {row}")
