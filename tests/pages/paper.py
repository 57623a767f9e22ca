"""What a printed book must satisfy, read off the PDF itself."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

import pypdfium2
from bs4.element import NavigableString
from pypdfium2 import raw

from book._forms.pages import Light

MM = 72 / 25.4  # points
EDGE = 20 * MM - 2  # the running heads and page numbers stand outside of it
WORD = re.compile(r"[^\W\d_]{4,}")
# What is not on paper, or has no text there.
NOT_PRINTED = (
    ".chapter-tools, form.answer, .headerlink, .only-online, .forms, .paths > .box-title, "
    ".collapsed, .above-code > summary, details.figure-code, details.receipt > :not(summary), "
    "math, script, style"
)


def words(document: pypdfium2.PdfDocument, number: int) -> str:
    """The text of a page, counted from one, with single blanks."""
    return " ".join(document[number - 1].get_textpage().get_text_range().split())


def outline(document: pypdfium2.PdfDocument) -> list[tuple[int, str, int]]:
    """Level, title and page, counted from one, of each entry but the contents' own."""
    entries = [
        (mark.level, " ".join(mark.get_title().split()), mark.get_dest().get_index() + 1)
        for mark in document.get_toc()
    ]
    return [entry for entry in entries if entry[1] != "Contents"]


def stranded(document: pypdfium2.PdfDocument) -> list[str]:
    """Headings with nothing below them on their page."""
    found = []
    for mark in document.get_toc():
        place, title = mark.get_dest(), mark.get_title()
        page, top = document[place.get_index()], place.get_view()[1][1]
        rest = page.get_textpage().get_text_bounded(0, EDGE, page.get_width(), max(top, EDGE + 1))
        if not "".join(rest.split()).removeprefix("".join(title.split())):
            found.append(f"{title}, page {place.get_index() + 1}")
    return found


def short(document: pypdfium2.PdfDocument) -> list[int]:
    """Pages with text in their upper half only, without those that end a chapter."""
    starts = {mark.get_dest().get_index() for mark in document.get_toc() if mark.level == 0}
    return [
        k + 1
        for k, page in enumerate(document)
        if k + 1 not in starts | {len(document)}
        and not page.get_textpage().get_text_bounded(
            0, EDGE, page.get_width(), page.get_height() / 2
        )
    ]


def missing(document: pypdfium2.PdfDocument, articles: Iterable[str]) -> dict[str, int]:
    """How often words of these articles (HTML) are not in the PDF: Chromium clips what is too wide.

    A word counts as often as it stands there, so that one clipped line is seen. Two words with
    only a drawn formula between them, in neighbouring cells, are read as one, and count as two."""
    wanted: Counter[str] = Counter()
    for article in articles:
        soup = Light(article).soup
        for tag in soup.select(NOT_PRINTED):
            tag.decompose()
        for text in soup.find_all(string=lambda text: type(text) is NavigableString):
            wanted.update(WORD.findall(unicodedata.normalize("NFKC", text)))
    asked = set(wanted)
    for page in document:
        width, height = page.get_size()
        text = page.get_textpage().get_text_bounded(0, EDGE, width, height - EDGE)
        wanted.subtract(WORD.findall(unicodedata.normalize("NFKC", text)))
    for token in [token for token, count in wanted.items() if count < 0 and token not in asked]:
        cuts = ((token[:k], token[k:]) for k in range(4, len(token) - 3))
        pair = next(filter(asked.issuperset, cuts), ())
        wanted.subtract(dict.fromkeys(pair, -wanted[token]))
    return {word: count for word, count in wanted.items() if count > 0}


def links(document: pypdfium2.PdfDocument, number: int) -> list[int]:
    """The pages, counted from one, that the links of a page lead to."""
    page = document[number - 1]  # kept, or its handle would be closed
    start, found, goals = ctypes.c_int(0), raw.FPDF_LINK(), []
    while raw.FPDFLink_Enumerate(page.raw, ctypes.byref(start), ctypes.byref(found)):
        goal = raw.FPDFLink_GetDest(document.raw, found)
        if goal:
            goals.append(raw.FPDFDest_GetDestPageIndex(document.raw, goal) + 1)
    return goals


def described(document: pypdfium2.PdfDocument, number: int) -> int:
    """How many figures and formulas of a page have words, for those who hear it."""
    page = document[number - 1]
    tree = raw.FPDF_StructTree_GetForPage(page.raw)
    pending = [
        raw.FPDF_StructTree_GetChildAtIndex(tree, k)
        for k in range(raw.FPDF_StructTree_CountChildren(tree))
    ]
    count = 0
    while pending:
        element = pending.pop()
        if not element:
            continue
        count += raw.FPDF_StructElement_GetAltText(element, None, 0) > 2  # two bytes end it
        pending += [
            raw.FPDF_StructElement_GetChildAtIndex(element, k)
            for k in range(raw.FPDF_StructElement_CountChildren(element))
        ]
    raw.FPDF_StructTree_Close(tree)
    return count
