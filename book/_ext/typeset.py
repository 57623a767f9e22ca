"""Mathematics at build time: SVG for the eye, MathML for the ear, and no script on the page.

A formula that does not typeset fails the build, with its page and its TeX. The book's letters
(U, u, Γ, the query) get a class, which book.css colours. `math_letters` maps class to letters; a
page changes it in its front matter, `math_letters: false` or `math_letters: {icl-Gamma: []}`.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.math import get_node_equation_number

from book._ext.node_tools import Typesetter, install
from book._ext.page_bridge import Page, faults

LETTERS = {"icl-U": ["U"], "icl-u": ["u"], "icl-Gamma": ["Γ"], "icl-query": ["x_q", "x_query"]}
PLAIN = ["u_12", "u_21"]  # the blocks that stay at zero are not the value scalar
OPENING = re.compile(r"[(\[“‘«]+$")
CLOSING = re.compile(r"[.,;:!?)\]’”»%]+|[-’]?\w+")
USED_GLYPH = re.compile(r'href="#(mx-[\w-]+)"')


class Mathematics:
    """Typesets formulas, remembers the outlines of their glyphs."""

    def __init__(self, app: Sphinx) -> None:
        self.app = app
        self.glyphs: dict[str, str] = {}
        self._known: dict[str, dict[str, Any]] = {}
        self._process: Typesetter | None = None

    def formula(
        self, tex: str, display: bool, page: str, location: Any = None
    ) -> tuple[list[str], str]:
        """(pieces of SVG, MathML) of one formula; a fault of the page if its TeX is wrong."""
        question = {
            "tex": tex,
            "display": display,
            "plain": self.app.config.math_plain,
            "letters": self.letters(page),
        }
        key = json.dumps(question)
        if key not in self._known:
            if self._process is None:
                self._process = Typesetter(Path(__file__).with_name("typeset.mjs"), str(install()))
            self._known[key] = self._process.ask(question)
            self.glyphs.update(self._known[key].get("glyphs", {}))
        if "error" in self._known[key]:
            faults(self.app).add(
                page, f"mathematics: {self._known[key]['error']} in {tex!r}", location
            )
            return [f"<code>{escape(tex)}</code>"], ""
        return self._known[key]["svg"], self._known[key]["mathml"]

    def letters(self, page: str) -> dict[str, str]:
        """Letter to class, on this page."""
        table: dict[str, list[str]] = self.app.config.math_letters
        wanted = self.app.env.metadata.get(page, {}).get("math_letters")
        if wanted is not None:
            try:
                wanted = (
                    json.loads(str(wanted).lower())
                    if str(wanted).lower() == "false"
                    else json.loads(str(wanted))
                )
            except json.JSONDecodeError:
                wanted = None
            if wanted is not False and not isinstance(wanted, dict):
                faults(self.app).add(
                    page, "front matter: math_letters must be false or a map of class to letters"
                )
            table = {**table, **wanted} if isinstance(wanted, dict) else {}
        return {letter: name for name, letters in table.items() for letter in letters}

    def share_glyphs(self, app: Sphinx, page: Page) -> None:
        """Give the page the outlines that its formulas refer to, each once."""
        used = sorted(set(USED_GLYPH.findall(page.html)))
        if used:
            outlines = (f'<path id="{name}" d="{self.glyphs[name]}"/>' for name in used)
            paths = f"<defs>{''.join(outlines)}</defs>"
            sheet = f'<svg class="glyphs" width="0" height="0" aria-hidden="true">{paths}</svg>'
            head, end, tail = page.html.rpartition("</body>")
            page.html = head + sheet + end + tail

    def close(self, app: Sphinx, error: Exception | None) -> None:
        if self._process is not None:
            self._process.close()


def display_tex(node: nodes.math_block) -> str:
    """The TeX of a display, aligned as Sphinx does where it has several lines or paragraphs."""
    if node.get("nowrap") or "amsmath" in node["classes"]:
        return str(node.astext())
    parts = [part.strip() for part in node.astext().split("\n\n") if part.strip()]
    parts = [
        rf"\begin{{split}}{part}\end{{split}}" if r"\\" in part and r"\begin" not in part else part
        for part in parts
    ]
    return (
        parts[0] if len(parts) == 1 else r"\begin{gathered}" + r"\\".join(parts) + r"\end{gathered}"
    )


class KeepTogether(SphinxPostTransform):
    """Hand a formula the punctuation that touches it: a line would break between them."""

    default_priority = 800
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        # By place: `replace` takes the first text that reads the same, ". " after another formula.
        for node in self.document.findall(nodes.math):
            siblings, place = node.parent.children, node.parent.index(node)
            before, after = siblings[place - 1] if place else None, siblings[place + 1 : place + 2]
            if isinstance(before, nodes.Text) and (found := OPENING.search(before)):
                node["before"] = found[0]
                node.parent[place - 1] = nodes.Text(before[: found.start()])
            if after and isinstance(after[0], nodes.Text) and (found := CLOSING.match(after[0])):
                node["after"] = found[0]
                node.parent[place + 1] = nodes.Text(after[0][found.end() :])


def visit_math(self: Any, node: nodes.math) -> None:
    pieces, mathml = self.builder.app.mathematics.formula(
        node.astext(), False, self.builder.current_docname, node
    )
    before, after = self.encode(node.get("before", "")), self.encode(node.get("after", ""))
    pieces = [before + pieces[0], *pieces[1:]]
    pieces[-1] += mathml + after
    if before or after:
        pieces = [f'<span class="nobr">{piece}</span>' for piece in pieces]
    self.body.append(self.starttag(node, "span", "", CLASS="tex") + "".join(pieces) + "</span>")
    raise nodes.SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    pieces, mathml = self.builder.app.mathematics.formula(
        display_tex(node), True, self.builder.current_docname, node
    )
    html = "".join(pieces) + mathml
    several = " several" if len(pieces) > 1 else ""
    self.body.append(
        self.starttag(node, "div", "", CLASS="tex-display")
        + f'<div class="formula{several}">{html}</div>'
    )
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def start(app: Sphinx) -> None:
    if app.builder.format == "html":
        app.mathematics = Mathematics(app)  # type: ignore[attr-defined]
        app.connect("page-rendered", app.mathematics.share_glyphs)  # type: ignore[attr-defined]
        app.connect("build-finished", app.mathematics.close)  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.page_bridge")
    app.add_config_value("math_letters", LETTERS, "env")
    app.add_config_value("math_plain", PLAIN, "env")
    app.add_html_math_renderer("typeset", (visit_math, None), (visit_math_block, None))
    app.add_post_transform(KeepTogether)
    app.connect(
        "config-inited", lambda app, config: setattr(config, "html_math_renderer", "typeset")
    )
    app.connect("builder-inited", start)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
