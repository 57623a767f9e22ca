"""Evidence and code out of the reader's way, in the finished pages.

A receipt becomes one line with the name of its statement, what was predicted and what was measured;
a click opens its code.  The code of a figure becomes one fold in the figure's foot.  A cell that
prints nothing only prepares: its code goes where the next figure or receipt has its own, unless it
has the tag `lesson`.  What stands under "For the record" is one fold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

logger = logging.getLogger(__name__)
ROW = re.compile(
    r"✓ (?P<label>\S+)\s+(?P<left>predicted|measured)\s+(?P<first>\S.*?)\s+(?P<sign>[=≤≥])"
    r"\s+(?P<right>predicted|measured)\s+(?P<second>\S.*?)\s+(?P<verdict>exact|slack .*|\|[zΔ]\|.*)"
)
REASON = re.compile(r" {23}\S")
ERROR = re.compile(r"s\.e\. (\S+)")
RECORD = "For the record"
NAMED = ("def", "asm", "lem", "prp", "thm", "cor")
LINK = re.compile(r"</?a\b[^>]*>")
SUMMARY = re.compile(r"<summary.*?</summary>", re.DOTALL)


class Fold(nodes.General, nodes.Element):  # type: ignore[misc]
    """`<details>` with a `summary` in plain words."""


class Receipt(nodes.General, nodes.Element):  # type: ignore[misc]
    """`<details>` whose first child, a `Lines`, is its summary."""


class Lines(nodes.General, nodes.TextElement):  # type: ignore[misc]
    """The summary of a receipt: a line for each row."""


@dataclass(frozen=True)
class Row:
    """A printed row of a receipt."""

    label: str
    sides: str

    @classmethod
    def read(cls, line: str) -> Row | None:
        """None where the line is no row of a receipt."""
        found = ROW.fullmatch(line.rstrip())
        if found is None:
            return None
        error = ERROR.search(found["verdict"])
        numbers = {found["left"]: found["first"], found["right"]: found["second"]}
        if error:
            numbers["measured"] += f" ± {error[1]}"
        first, second = (f"{numbers[found[side]]} {found[side]}" for side in ("left", "right"))
        between = "," if found["sign"] == "=" else f" {found['sign']}"
        return cls(found["label"], f"{first}{between} {second}")

    def name(self) -> nodes.Node:
        """The statement's name, or what stands for it."""
        kind, _, rest = self.label.partition("-")
        if kind == "err":
            return nodes.inline("", f"Erratum {rest}")
        if kind not in NAMED:
            return nodes.inline("", self.label)
        words = nodes.inline("", self.label)
        return addnodes.pending_xref(
            "", words, refdomain="prf", reftype="ref", reftarget=self.label, refexplicit=False
        )


class Evidence(SphinxPostTransform):
    """Rearranges the cells; runs before references are resolved, since receipts refer."""

    default_priority = 4
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        waiting: list[nodes.Element] = []
        for cell in filter(_in_main_text, list(self.document.findall(_is_cell))):
            source, output = _parts(cell)
            if output is None:
                if source is not None and "tag_lesson" not in cell["classes"]:
                    waiting.append(cell)
            elif _is_figure(output):
                _fold_code(cell, waiting)
                waiting = []
            elif rows := list(_rows(output)):
                _fold_receipt(cell, waiting, rows)
                waiting = []
            elif "tag_receipt" in cell["classes"]:
                logger.warning("this cell prints no receipt", location=cell, type="evidence")


class Record(SphinxPostTransform):
    """The first paragraph of "For the record" becomes the summary, all else the fold."""

    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for section in list(self.document.findall(nodes.section)):
            title, *content = section.children
            if title.astext() != RECORD:
                continue
            if not content or not isinstance(content[0], nodes.paragraph):
                logger.warning(
                    f"{RECORD!r} must begin with a sentence, under which the rest is folded",
                    location=section,
                    type="evidence",
                )
                continue
            first, *rest = content
            section.children = []
            section += [title, Fold("", *rest, summary=first.astext(), classes=["record"])]


def _is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _in_main_text(cell: nodes.Node) -> bool:
    """False within a solution, which keeps its own code."""
    place = cell.parent
    while isinstance(place, nodes.section):
        place = place.parent
    return isinstance(place, nodes.document)


def _parts(cell: nodes.Element) -> tuple[nodes.Element | None, nodes.Element | None]:
    """The container of the code and that of the outputs."""
    found = {child.get("nb_element"): child for child in cell.children}
    return found.get("cell_code_source"), found.get("cell_code_output")


def _is_figure(output: nodes.Element) -> bool:
    return any(
        isinstance(node, nodes.figure | nodes.image) or "live-box" in node.get("classes", [])
        for node in output.findall(nodes.Element)
    )


def _rows(output: nodes.Element) -> Iterator[Row]:
    for block in output.findall(nodes.literal_block):
        yield from filter(None, map(Row.read, block.astext().splitlines()))


def _take_code(cell: nodes.Element, above: list[nodes.Element]) -> list[nodes.Element]:
    """The codes of the hidden cells above and of the cell, taken out of them."""
    codes = []
    for own in [*above, cell]:
        source, _ = _parts(own)
        if source is not None:
            own.remove(source)
            codes.append(source)
        own.attributes.pop("hide_mode", None)
    for empty in above:
        empty.parent.remove(empty)
    return codes


def _fold_code(cell: nodes.Element, above: list[nodes.Element]) -> None:
    codes = _take_code(cell, above)
    if codes:
        cell += Fold("", *codes, summary="Code", classes=["figure-code"])


def _fold_receipt(cell: nodes.Element, above: list[nodes.Element], rows: list[Row]) -> None:
    """The line first; in the fold the code and all that was printed.  What a cell prints beside
    its receipts stays in sight."""
    codes = _take_code(cell, above)
    lines = Lines("")
    for row in rows:
        line = nodes.inline("", classes=["receipt-row"])
        line += nodes.inline("", "✓ ", classes=["receipt-tick"])
        line += nodes.inline("", "", row.name(), classes=["receipt-name"])
        line += nodes.inline("", f" {row.sides}", classes=["receipt-sides"])
        lines += line
    _, output = _parts(cell)
    assert output is not None
    block = next(output.findall(nodes.literal_block))
    printed = block.astext().splitlines()
    other = [line for line in printed if not Row.read(line) and not REASON.match(line)]
    whole = block.deepcopy()
    if other:
        block.children = []
        block.rawsource = "\n".join(other)
        block += nodes.Text(block.rawsource)
    else:
        block.parent.remove(block)
        if not output.children:
            cell.remove(output)
    cell.insert(0, Receipt("", lines, *codes, whole, classes=["receipt"]))


def _open(self: Any, node: nodes.Element) -> None:
    classes = " ".join(node["classes"])
    self.body.append(f'<details class="{classes}"><summary>{escape(node["summary"])}</summary>')


def _open_receipt(self: Any, node: nodes.Element) -> None:
    node["_from"] = len(self.body)
    self.body.append('<details class="receipt">')


def _close_receipt(self: Any, node: nodes.Element) -> None:
    """No key would reach a link inside a summary."""
    start = node.attributes.pop("_from")
    html = "".join(self.body[start:])
    unlinked = SUMMARY.sub(lambda found: LINK.sub("", found[0]), html, count=1)
    self.body[start:] = [f"{unlinked}</details>"]


def setup(app: Sphinx) -> dict[str, Any]:
    close = lambda self, node: self.body.append("</details>")  # noqa: E731
    app.add_node(Fold, html=(_open, close))
    app.add_node(Receipt, html=(_open_receipt, _close_receipt))
    app.add_node(
        Lines,
        html=(
            lambda self, node: self.body.append("<summary>"),
            lambda self, node: self.body.append("</summary>"),
        ),
    )
    app.add_post_transform(Evidence)
    app.add_post_transform(Record)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
