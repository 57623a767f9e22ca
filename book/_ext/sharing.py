"""What others see of a page: title, description and picture where a link to it is shared, and under
the page the day of its last change.

The description is the page's first running text without a formula. The picture is the book's first
figure: the line on which the layer answers, after each of six examples. Dates are git's; without a
whole history there are none.
"""

from __future__ import annotations

import io
import re
import subprocess
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

from docutils import nodes
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from linear_icl_book.figures import PALETTE
from linear_icl_book.live import Hero
from linear_icl_book.live.explore.hero import EXAMPLES
from matplotlib import font_manager
from matplotlib.figure import Figure
from sphinx.application import Sphinx

from book._ext.fonts import PACKAGE
from book._ext.node_tools import install

CARD = "_static/card.png"
SENTENCE = "Show a transformer a few examples and it learns a rule, without changing a weight."
BOOK = "Linear transformers learn in context"
TAG = re.compile(r'<meta (?:name="description"|property="og:\w+") [^>]*>')
INDEX = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>{}</title>{}
<meta http-equiv="Refresh" content="0; url={}"/></head></html>
"""
LONGEST = 220  # letters of a description that others show


def described(doctree: nodes.Node) -> str:
    """Whole sentences of the first paragraph that stands in a section and has no formula; empty
    where there is none."""
    for paragraph in doctree.findall(nodes.paragraph):
        formulas = any(paragraph.findall(lambda n: isinstance(n, nodes.math | nodes.raw)))
        text = " ".join(paragraph.astext().split())
        if isinstance(paragraph.parent, nodes.section) and not formulas and len(text) > 60:
            return text[: f"{text} ".rfind(". ", 0, LONGEST) + 1] or text[:LONGEST]
    return ""


def last_changes(root: Path) -> dict[str, str]:
    """File to the day of its last commit; empty without git or its whole history."""

    def git(*words: str) -> str:
        command = ["git", *words]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout

    try:
        if git("rev-parse", "--is-shallow-repository").strip() == "true":
            return {}
        log = git("log", "--format=%x00%as", "--name-only", "--relative")
    except (OSError, subprocess.CalledProcessError):
        return {}
    days: dict[str, str] = {}
    for day, *files in map(str.split, log.split("\0")[1:]):
        days |= {file: day for file in files if file not in days}
    return days


def card(face: Path) -> bytes:
    """The picture, 1200 × 630 pixels, its words in the variable font of this file."""
    font = instancer.instantiateVariableFont(TTFont(face), {"wght": 600})
    font.flavor = None
    plain = io.BytesIO()
    font.save(plain)
    path = face.with_suffix(".ttf")
    path.write_bytes(plain.getvalue())
    serif = font_manager.FontProperties(fname=path)
    colours = PALETTE["light"]
    ink = colours["ink"]
    figure = Figure(figsize=(12, 6.3), dpi=100)
    for y, text, size in ((0.9, fill(SENTENCE, 20), 36), (0.15, BOOK, 19)):
        figure.text(0.05, y, text, size=size, va="top", color=ink, font=serif, linespacing=1.1)
    axes = figure.add_axes((0.55, 0.1, 0.41, 0.78))
    axes.set(xlim=(-3, 3), ylim=(-3, 3))
    axes.set_axis_off()
    for read in range(1, len(EXAMPLES) + 1):
        rise = 3 * Hero(M=read).slopes()["trained layer"]
        last = read == len(EXAMPLES)
        axes.plot([-3, 3], [-rise, rise], color=colours["U"], lw=5 if last else 1.5)
    axes.plot(EXAMPLES, EXAMPLES, "o", color=ink, ms=13)
    axes.plot([2.4], [0.8 * rise], "o", mfc="w", mec=colours["query"], mew=4, ms=17)
    image = io.BytesIO()
    figure.savefig(image, format="png")
    return image.getvalue()


def tell(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is None:  # no page of the book's own
        return
    root = app.env.get_doctree(app.config.root_doc)
    description = described(doctree) or described(root)
    image = (
        app.config.html_baseurl + CARD if app.config.html_baseurl else context["pathto"](CARD, 1)
    )
    tags = {
        "og:type": "article",
        "og:title": app.env.titles[page].astext(),
        "og:description": description,
        "og:image": image,
    }
    context["metatags"] += f'<meta name="description" content="{escape(description)}"/>' + "".join(
        f'<meta property="{name}" content="{escape(text)}"/>' for name, text in tags.items()
    )
    if not hasattr(app, "last_changes"):
        app.last_changes = last_changes(Path(app.srcdir))  # type: ignore[attr-defined]
    context["last_updated"] = app.last_changes.get(f"{page}.md")  # type: ignore[attr-defined]


def write(app: Sphinx, error: Exception | None) -> None:
    """The picture, and an index.html, which is shared most, that says what the first page says."""
    if error or app.builder.name != "html":
        return
    out, first = Path(app.outdir), f"{app.config.root_doc}.html"
    face = install() / PACKAGE / "files" / "source-serif-4-latin-wght-normal.woff2"
    (out / CARD).write_bytes(card(face))
    tags = "".join(TAG.findall((out / first).read_text("utf-8"))).replace("../", "")
    (out / "index.html").write_text(INDEX.format(BOOK, tags, first), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", tell)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
