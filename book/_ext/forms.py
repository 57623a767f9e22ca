"""Links from the pages to the book's other forms, PDF and slides, where these are at hand.

`make pdf` and `make slides` come after the pages, so a page holds only a mark, which `fill`
replaces: at the end of each build, and again when a form has been made. A form carries the
fingerprint of the sources that it was made from; one of older sources gets no link.
The directive `{forms}` marks the place on the first page; a chapter has its mark below its title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.fresh_cache import digest, fingerprint

FILLED = re.compile(r"(<!-- forms:(\w+) -->).*?(<!-- /forms -->)", re.DOTALL)
STAMP = "made-from.txt"
PDF, SLIDES = "pdf", "slides"  # folders beside that of the pages


class Forms(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [mark("all")]


def mark(which: str) -> nodes.raw:
    return nodes.raw("", f"<!-- forms:{which} --><!-- /forms -->", format="html")


def sources(root: Path) -> str:
    """A fingerprint of all that the pages are made from."""
    folders = ("book", "book/_ext", "book/_forms", "book/_page", "book/data", "book/_page/diagrams")
    files = [path for folder in folders for path in sorted((root / folder).glob("*.*"))]
    files += [root / name for name in ("_config.yml", "_toc.yml", "CITATION.cff")]
    return digest(fingerprint(root), root, files)


def stamp(folder: Path, root: Path) -> None:
    """Note in the folder of a form what it was made from."""
    (folder / STAMP).write_text(sources(root), encoding="utf-8")


def at_hand(built: Path, form: str, now: str) -> bool:
    """Whether the form was made from the sources with the fingerprint `now`."""
    made = built / form / STAMP
    return made.is_file() and made.read_text(encoding="utf-8") == now


def fill(built: Path, root: Path) -> None:
    """Write the links that hold into every page of the book built in `built`."""
    now = sources(root)
    there = {form for form in (PDF, SLIDES) if at_hand(built, form, now)}
    for page in sorted((built / "book").glob("*.html")):
        own = built / SLIDES / page.name
        paragraphs = {
            "all": all_forms(built, there),
            "own": slides_of(own) if SLIDES in there and own.is_file() else "",
        }
        html = page.read_text(encoding="utf-8")
        filled = filled_in(html, paragraphs)
        if filled != html:
            page.write_text(filled, encoding="utf-8")


def filled_in(html: str, paragraphs: Mapping[str, str]) -> str:
    """`html` with the paragraph of its kind between each pair of marks, whatever was there."""
    return FILLED.sub(lambda match: match[1] + paragraphs[match[2]] + match[3], html)


def slides_of(deck: Path) -> str:
    return f'<p class="forms"><a href="../{SLIDES}/{deck.name}">Slides of this chapter</a></p>'


def all_forms(built: Path, there: set[str]) -> str:
    """The paragraph on the first page, empty without forms."""
    found = []
    for file in sorted((built / PDF).glob("*.pdf")) if PDF in there else ():
        size = file.stat().st_size / 1e6
        found.append(f'<a href="../{PDF}/{file.name}">the whole book as PDF</a> ({size:.0f} MB)')
    if SLIDES in there:
        found.append(f'<a href="../{SLIDES}/index.html">slides of every chapter</a>')
    return f'<p class="forms">Also at hand: {" and ".join(found)}.</p>' if found else ""


def place(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """A mark below the title of every chapter."""
    if app.builder.name == "html" and app.env.toc_secnumbers.get(page):
        title = next(iter(doctree.findall(nodes.title)))
        title.parent.insert(title.parent.index(title) + 1, mark("own"))


def finish(app: Sphinx, error: Exception | None) -> None:
    if not error and app.builder.name == "html":
        fill(Path(app.outdir), Path(app.srcdir))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("forms", Forms)
    app.connect("doctree-resolved", place, priority=400)  # below the tools of the chapter
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
