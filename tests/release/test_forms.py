"""The whole book as PDF, every deck of slides, and the instructor's edition. make release-check"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser

from book._forms import instructor, pdf, slides
from book._forms.pages import ROOT, Page, read
from tests.pages import checks, links, paper
from tests.pages.conftest import BOOK
from tests.pages.deck import Show
from tests.pages.site import Site

MEGABYTES = 20.0
HALF_EMPTY = 0.03  # of the pages, chapters' ends not counted


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    if not (BOOK / "index.html").exists():
        pytest.fail("There is no book to test yet; run: make book", pytrace=False)
    return read(BOOK)


@pytest.fixture(scope="module")
def built(pages: list[Page], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built book in a folder where its forms may be made."""
    return Path(shutil.copytree(BOOK, tmp_path_factory.mktemp("book") / "html"))


# ---- PDF ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def document(built: Path, report: list[str]) -> pypdfium2.PdfDocument:
    begun = time.monotonic()
    # by its command: the browser of these tests runs in this process, and Playwright allows one
    command = [sys.executable, "-m", "book._forms", "pdf", "--book", str(built)]
    subprocess.run(command, cwd=ROOT, check=True)
    (file,) = (built / pdf.FOLDER).glob("*.pdf")
    size = file.stat().st_size / 1e6
    printed = pypdfium2.PdfDocument(file)
    seconds = time.monotonic() - begun
    report.append(f"PDF: {len(printed)} pages, {size:.1f} MB, printed in {seconds:.0f} s")
    assert size <= MEGABYTES
    return printed


def test_every_chapter_and_result_is_in_the_pdf(
    document: pypdfium2.PdfDocument, pages: list[Page]
) -> None:
    text = " ".join(paper.words(document, number + 1) for number in range(len(document)))
    for page in pages:
        boxes = BeautifulSoup(page.article, "html.parser").select("div.proof > .box-title")
        names = [" ".join(box.get_text().split()) for box in boxes]
        assert [name for name in (page.title, *names) if name not in text] == []


def test_the_marks_of_executed_pages_are_legible(
    document: pypdfium2.PdfDocument, pages: list[Page]
) -> None:
    """The heavy mark of the page is a box where no font has it, and no text of a PDF."""
    ran = sum(page.article.count("\N{WHITE HEAVY CHECK MARK}") for page in pages)
    text = " ".join(paper.words(document, number + 1) for number in range(len(document)))
    assert len(re.findall(r"cache [\d.]+ ✓", text)) == ran > 0


def test_the_contents_lead_where_they_say(
    document: pypdfium2.PdfDocument, pages: list[Page]
) -> None:
    entries = paper.outline(document)
    titles = {title.replace(". ", " ", 1) for _, title, _ in entries}
    assert {page.title for page in pages} <= titles
    shown = [(title, number) for level, title, number in entries if level < 2]
    wanted = [number for _, number in shown]
    front = range(2, min(wanted))
    there = [goal for number in front for goal in paper.links(document, number)]
    # an entry of two lines is two links, and columns have an order of their own
    assert set(there) == set(wanted) and not Counter(wanted) - Counter(there)
    contents = " ".join(paper.words(document, number) for number in front).replace(" ", "")
    for title, number in shown:
        assert f"{title}{number}".replace(" ", "") in contents


def test_no_word_is_cut_and_formulas_are_said(
    document: pypdfium2.PdfDocument, pages: list[Page]
) -> None:
    assert paper.missing(document, [page.article for page in pages]) == {}
    assert sum(paper.described(document, number + 1) for number in range(40)) > 200


def test_no_heading_stands_alone_and_few_pages_are_half_empty(
    document: pypdfium2.PdfDocument, report: list[str]
) -> None:
    assert paper.stranded(document) == []
    half_empty = paper.short(document)
    report.append(f"PDF: {len(half_empty)} pages are half empty: {half_empty}")
    assert len(half_empty) <= HALF_EMPTY * len(document)


# ---- slides -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def decks(built: Path) -> Iterator[Site]:
    slides.write(built)
    with Site(built) as served:
        yield served


def test_every_deck_is_whole_quiet_and_live(
    browser: Browser, decks: Site, pages: list[Page], report: list[str]
) -> None:
    """Nothing leaves a slide or asks outside; every figure answers a key."""
    count = 0
    for page in filter(lambda page: page.number, pages):
        with Show(browser, f"{decks.url}/slides/{page.stem}.html") as show:
            assert (page.stem, show.overfull()) == (page.stem, [])
            deck = decks.folder / "slides" / f"{page.stem}.html"
            assert (page.stem, list(links.broken(Path(deck.anchor), deck))) == (page.stem, [])
            for k in range(show.page.locator(".live-fig").count()):
                show.page.evaluate(
                    "k => Reveal.slide(Reveal.getIndices(document.querySelectorAll('.live-fig')[k]"
                    ".closest('.frame')).h)",
                    k,
                )
                figure = show.page.locator("section.frame.present .live-fig")
                control = figure.locator("input, select").first
                before = figure.locator("desc").text_content()
                control.focus()
                show.page.keyboard.press("End")
                show.page.wait_for_timeout(100)
                if figure.locator("desc").text_content() == before:  # it stood there already
                    show.page.keyboard.press("Home")
                show.page.wait_for_function(
                    "before => document.querySelector('section.frame.present .live-fig desc')"
                    ".textContent !== before",
                    arg=before,
                )
            count += int(show.page.evaluate("Reveal.getTotalSlides()"))
            assert checks.outside(show, decks.url) == []
            assert checks.complaints(show) == []
    report.append(f"slides: {count}")


# ---- the instructor's edition -------------------------------------------------------------------


def test_the_edition_has_every_solution_open_and_keys_that_are_right(
    built: Path, pages: list[Page], browser: Browser
) -> None:
    index = instructor.write(built, ["anna", "ben"])
    copies = read(index.parent)
    for page, copy in zip(pages, copies, strict=True):
        closed = page.html.count('<details class="solution')
        assert copy.html.count('<details open class="solution') == closed
        assert "Instructor’s edition" in copy.html
    chapters = [page for page in pages if 'class="exercise' in page.html]
    for seed in ("anna", "ben"):
        made = {file.name for file in (index.parent / "sheets" / seed).iterdir()}
        assert made == {
            f"{kind}-{page.number}.{ending}"
            for page in chapters
            for kind, ending in (("problems", "html"), ("problems", "ipynb"), ("key", "html"))
        }
    with Site(index.parent) as site:
        for name in (
            "book/pl_convergence.html",
            "sheets/anna/problems-3.html",
            "sheets/index.html",
        ):
            with checks.Visit(browser, f"{site.url}/{name}") as visit:
                assert checks.complaints(visit) == []
                assert checks.mathematics(visit.page) == []
