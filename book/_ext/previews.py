"""Previews: what a page states, in a script of its own that other pages load when a link asks.

Links to a statement (a box of sphinx-proof, other than a proof) or to a numbered equation get the
class `preview`; book/_page/previews.js shows what they lead to. A target on the same page is cloned
there. For the others `_static/statements/<page>.js` holds, by id, the HTML of the page's statements
and the outlines of their glyphs, which the page that shows them may lack. It is a script, for pages
opened from the disk may read no other file; each page has its own, so that a build which writes
some pages leaves the others' as they are.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book._ext.page_bridge import Page

STATEMENT = re.compile(
    r'<(?P<tag>div|details) class="(?:proof (?!proof\b|fold\b)[^"]*" id="(?P<box>[^"]+)"'
    r'|[^"]*\btex-display\b[^"]*" id="(?P<equation>equation-[^"]+)")'
)
OUTLINE = re.compile(r'<path id="(mx-[\w-]+)" d="([^"]*)"/>')
GLYPH = re.compile(r'href="#(mx-[\w-]+)"')
FOLDER = "_static/statements"


def element(html: str, start: int, tag: str) -> str:
    """The element with this tag that begins at `start`, whole. Raises ValueError if it is open."""
    depth = 0
    for found in re.compile(rf"<(/?){tag}\b[^>]*>").finditer(html, start):
        depth += -1 if found[1] else 1
        if depth == 0:
            return html[start : found.end()]
    raise ValueError(f"<{tag}> is never closed: {html[start : start + 80]!r}")


def statements(html: str) -> dict[str, dict[str, str]]:
    """What a finished page states: `boxes`, id to HTML, and `outlines`, glyph to path."""
    boxes = {
        found["box"] or found["equation"]: element(html, found.start(), found["tag"])
        for found in STATEMENT.finditer(html)
    }
    used = {glyph for box in boxes.values() for glyph in GLYPH.findall(box)}
    outlines = {glyph: path for glyph, path in OUTLINE.findall(html) if glyph in used}
    return {"boxes": boxes, "outlines": outlines}


def script(page: str, stated: dict[str, dict[str, str]]) -> str:
    """The page's statements as a classic script, which `file://` allows."""
    body = json.dumps(stated, ensure_ascii=False, separators=(",", ":"))
    return f"(window.statements ??= {{}})[{json.dumps(page)}] = {body};\n"


def write(app: Sphinx, page: Page) -> None:
    if app.builder.name != "html":
        return
    file = Path(app.outdir) / FOLDER / f"{page.name}.js"
    stated = statements(page.html)
    if stated["boxes"]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(script(page.name, stated), encoding="utf-8")
    else:
        file.unlink(missing_ok=True)


def mark(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give the class `preview` to links that lead to a statement or a numbered equation."""
    boxes = getattr(app.env, "proof_list", {})
    stated = {label for label, box in boxes.items() if box["realtype"] != "proof"}
    for link in doctree.findall(nodes.reference):
        place = link.get("refid") or str(link.get("refuri", "")).partition("#")[2]
        if link.get("internal") and (place in stated or place.startswith("equation-")):
            link["classes"].append("preview")


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.page_bridge")
    app.connect("doctree-resolved", mark, priority=900)  # when others have placed their links
    app.connect("page-rendered", write, priority=900)  # the page as it is written
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
