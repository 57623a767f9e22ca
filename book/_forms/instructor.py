"""The instructor's edition: the built book with every solution open, and sheets of problems.

It stands apart from the book, in `_build/instructor`, says on each page what it is, and asks search
engines to leave it out.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from book._forms import sheets
from book._forms.pages import read

SOLUTION = re.compile(r'<details class="solution\b')
ARTICLE = re.compile(r'(<article class="[^"]*bd-article[^"]*"[^>]*>)')
TITLE = re.compile(r"</title>")
CANONICAL = re.compile(r'\s*<link rel="canonical"[^>]*>')
EDITION = "Instructor’s edition"
LEFT_OUT = shutil.ignore_patterns("pdf", "sitemap.xml")


def edition(html: str) -> str:
    """A page with its solutions open and its mark."""
    mark = (
        f'<p class="edition"><strong>{EDITION}.</strong> Every solution is open. '
        '<a href="../sheets/index.html">Problem sheets and keys</a></p>'
    )
    html = SOLUTION.sub('<details open class="solution', html)
    html = CANONICAL.sub("", html)
    html = TITLE.sub(f' | {EDITION}</title><meta name="robots" content="noindex">', html, count=1)
    return ARTICLE.sub(lambda match: match[1] + mark, html, count=1)


def write(built: Path, seeds: Sequence[str]) -> Path:
    """Make the edition beside the book built in `built`; returns its first page."""
    pages = read(built)
    folder = built.parent / "instructor"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder, ignore=LEFT_OUT)
    for page in pages:
        copy = folder / f"{page.name}.html"
        copy.write_text(edition(page.html), encoding="utf-8")
    sheets.write([page for page in pages if page.number], folder / "sheets", seeds)
    return folder / "index.html"
