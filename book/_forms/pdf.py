"""The whole book as one PDF: the articles of all pages in one, printed by Chromium.

Contents with page numbers, an outline, references that work within the book, running heads; tagged
for those who hear it, each formula with its words. Folds are open, code is wrapped, a live figure
is its image. What happens to the pages stands in pdf.js, how they look in pdf.css and book.css.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

import pypdfium2
from playwright.sync_api import Page as Tab

from book._ext.citation import Citation, read_citation
from book._forms import glyph_fonts
from book._forms.chromium import browser
from book._forms.pages import ROOT, Page, read

HERE = Path(__file__).resolve().parent
MM = 96 / 25.4  # CSS pixels
PAPER = (round((210 - 2 * 18) * MM), round((297 - 2 * 20) * MM))  # A4 without pdf.css's margins
PATIENCE = 600_000  # ms
FOLDER = "pdf"  # beside the folder of the pages, so that their relative addresses hold


def file_name(citation: Citation) -> str:
    return re.sub(r"\W+", "-", citation.title.lower()).strip("-") + ".pdf"


def joined(pages: list[Page], citation: Citation) -> str:
    """All pages in one, as pdf.js expects them."""
    chapters = "".join(
        f'<section class="chapter" id="{page.stem}" data-page="{page.name}" '
        f'data-part="{escape(page.part)}" data-figures="{escape(json.dumps(page.figures))}" '
        f'style="page: {_page_name(page)}">{page.article}</section>'
        for page in pages
    )
    glyphs = {name: path for page in pages for name, path in page.glyphs.items()}
    sheets = dict.fromkeys(sheet for page in pages for sheet in page.sheets)
    head = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    style = (HERE / "pdf.css").read_text(encoding="utf-8") + "".join(map(_running_head, pages))
    style += glyph_fonts.style(glyphs)
    return (
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{escape(citation.title)}</title>{head}<style>{style}</style></head><body>"
        '<main class="bd-main"><div class="bd-content"><div class="bd-article-container">'
        f'<article class="bd-article">{cover(citation)}<nav class="book-contents"></nav>{chapters}'
        "</article></div></div></main></body></html>"
    )


def _page_name(page: Page) -> str:
    return page.stem.replace("_", "-")


def _running_head(page: Page) -> str:
    title = page.title.replace("\\", r"\\").replace('"', r"\"")
    return f'@page {_page_name(page)} {{ @top-left {{ content: "{title}" }} }}\n'


def cover(citation: Citation) -> str:
    authors = ", ".join(name.strip("{}") for name in citation.authors)  # as BibTeX has a group's
    return (
        f'<header class="cover"><p class="cover-title">{escape(citation.title)}</p>'
        f"<p>{escape(authors)}</p><p>{escape(citation.abstract)}</p>"
        f"<p>Version {escape(citation.version)}, {citation.year}</p></header>"
    )


def write(built: Path) -> Path:
    """Print the book built in `built`; the PDF stands there too, and its place is returned.

    ValueError if anything would be cut off at the margin, or a reference leads nowhere."""
    pages, citation = read(built), read_citation(ROOT)
    folder = built / FOLDER
    folder.mkdir(exist_ok=True)
    work, out = folder / "all-pages.html", folder / file_name(citation)
    work.write_text(joined(pages, citation), encoding="utf-8")
    try:
        with browser() as chromium:
            tab = chromium.new_page(viewport={"width": PAPER[0], "height": PAPER[1]})
            tab.set_default_timeout(PATIENCE)
            tab.emulate_media(media="print")
            printed = print_book(tab, work.as_uri())
    finally:
        work.unlink()  # no page of the book
    out.write_bytes(printed)
    return out


def print_book(tab: Tab, address: str) -> bytes:
    """The PDF of the joined pages at `address`, printed twice: the first finds the page numbers.

    Each time anew, because Chromium lays a page that it has printed before out differently."""
    numbers: dict[str, int] = {}
    for _ in range(2):
        tab.goto(address, wait_until="load")
        tab.evaluate((HERE / "pdf.js").read_text(encoding="utf-8"))
        headings = tab.evaluate("numbers => forPaper.prepare(numbers)", numbers)
        for what in ("beyondMargin", "dangling"):
            if faults := tab.evaluate(f"forPaper.{what}()"):
                places = "\n  ".join(faults[:40])
                raise ValueError(f"{what}: {len(faults)} places must be mended, got\n  {places}")
        printed = tab.pdf(prefer_css_page_size=True, tagged=True, outline=True)
        known, numbers = numbers, dict(zip(headings, outline_pages(printed), strict=True))
    if numbers != known:
        raise ValueError("the contents must keep its length when numbered, got other pages")
    return printed


def outline_pages(printed: bytes) -> list[int]:
    """The page number of every heading of a PDF, counted from one."""
    with pypdfium2.PdfDocument(printed) as document:
        places = [mark.get_dest() for mark in document.get_toc(max_depth=10)]
        return [place.get_index() + 1 for place in places]
