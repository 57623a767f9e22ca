"""The role `{set}`: words of the prose that set a figure on the same page.

{set}`points twice as wide <step-plane: scale = 2; w = 1, -1>` names the figure, and controls of a
LiveFigure with their stops, or traits of a figure that computes with their values. What is not
named stands where it starts, as with `{figure-at}`. The page's script makes the words a link where
the figure is live; without it, and on paper, they are words. The build fails where the page shows
no such figure, or the figure has no such state.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book._ext.figure_links import fragment
from book._ext.live_page import kind_of, states_of
from book._ext.page_bridge import faults

FORM = re.compile(r"(.+?)\s*<([\w-]+):([^<>]+)>", re.S)


class set_figure(nodes.Inline, nodes.TextElement):  # type: ignore[misc]  # docutils has no types
    """Words that wait for the figures of their page."""


class SetFigure(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            text, figure, wanted = parts(self.text)
        except ValueError as error:
            faults(self.env.app).add(self.env.docname, str(error), self.get_location())
            return [nodes.Text(self.text)], []
        return [set_figure("", text, figure=figure, wanted=wanted)], []


def parts(text: str) -> tuple[str, str, dict[str, str]]:
    """Words, figure, wanted values by name. Raises ValueError for another form."""
    match = FORM.fullmatch(text)
    pairs = [pair.split("=") for pair in match[3].split(";")] if match else []
    wanted = {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
    if match is None or len(wanted) < len(pairs):
        form = "TEXT <FIGURE: NAME = VALUE; NAME = VALUE>, each name once"
        raise ValueError(f"words that set a figure must read {form}, got {text!r}")
    return match[1], match[2], wanted


def resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    places = list(doctree.findall(set_figure))
    if not places:
        return
    text = doctree.astext()  # with the views that are shown
    models = [m for i, m in states_of(app, page).items() if kind_of(m) and i in text]
    for place in places:
        if app.builder.format != "html" or app.builder.name == "epub":
            place.replace_self(nodes.Text(place.astext()))
            continue
        try:
            ends = fragment(models, place["figure"], place["wanted"])
            place["set"] = ends.partition("=")[2]
        except ValueError as error:
            faults(app).add(page, str(error), place)
            place["set"] = ""


def visit(self: Any, node: nodes.Element) -> None:
    data = {"data-figure": node["figure"], "data-set": node["set"]}
    self.body.append(self.starttag(node, "span", "", CLASS="figure-set", **data))


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.page_bridge")
    app.setup_extension("book._ext.live_page")
    app.add_node(set_figure, html=(visit, lambda self, node: self.body.append("</span>")))
    app.add_role("set", SetFigure())
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
