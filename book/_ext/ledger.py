"""The concordance and ledger: source_results.yml against what the book really has.

The directive `{ledger}` takes the key of a source, `results` or `summary`, and marks a place; it is
filled when every page has been read and executed. The comparison is ledger_rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from linear_icl_book import receipts
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from book._ext import ledger_rules
from book._ext.fresh_cache import receipts_file
from book._ext.page_bridge import faults

SOURCE = Path("book", "source_results.yml")


class Ledger(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # what it shows depends on all other pages
        return [nodes.container(ledger=self.arguments[0])]


def collect(app: Sphinx, env: BuildEnvironment) -> ledger_rules.Checked:
    """What the book has, from the yml, the pages, their receipts and the package."""
    root = Path(app.srcdir)
    functions = ledger_rules.implementations()
    others = {
        *env.get_domain("math").equations,  # type: ignore[attr-defined]
        *env.get_domain("std").anonlabels,  # type: ignore[attr-defined]
        *getattr(env, "sphinx_exercise_registry", {}),
    }
    kept = {page: receipts_file(root, page) for page in env.found_docs}
    return ledger_rules.Checked(
        ledger_rules.read(yaml.safe_load((root / SOURCE).read_text("utf-8"))),
        frozenset(boxes(env)),
        frozenset(others),
        frozenset(page.rpartition("/")[2] for page in env.found_docs),
        functions,
        {page: receipts.read(path) for page, path in kept.items() if path.is_file()},
    )


def boxes(env: BuildEnvironment) -> dict[str, dict[str, Any]]:
    """The book's definitions, assumptions and results by label, as sphinx-proof keeps them; a box
    without a label, to which it gives one of its own such as remark-3, is none of them."""
    boxes: dict[str, dict[str, Any]] = getattr(env, "proof_list", {})
    return {k: box for k, box in boxes.items() if not k.startswith(f"{box['realtype']}-")}


def check(app: Sphinx, env: BuildEnvironment) -> None:
    app.ledger = collect(app, env)  # type: ignore[attr-defined]
    for gap in ledger_rules.gaps(app.ledger):  # type: ignore[attr-defined]
        faults(app).add("book/checked", gap)


def draw(app: Sphinx, doctree: nodes.document, page: str) -> None:
    for place in list(doctree.findall(nodes.container)):
        if "ledger" in place:
            place.replace_self(Drawing(app, page).draw(place["ledger"]))


class Drawing:
    """What stands in the places, with links from their page."""

    def __init__(self, app: Sphinx, page: str) -> None:
        self.app, self.env, self.page = app, app.env, page
        self.found: ledger_rules.Checked = app.ledger  # type: ignore[attr-defined]

    def draw(self, what: str) -> nodes.Node:
        if what in self.found.concordance.titles:
            return self._source(what)
        drawings = {"results": self._results, "summary": self._summary}
        if what not in drawings:
            names = [*self.found.concordance.titles, *drawings]
            raise ExtensionError(f"ledger must be one of {', '.join(names)}, got {what!r}")
        return drawings[what]()

    def _summary(self) -> nodes.Node:
        count = sum(len(kept) for kept in self.found.receipts.values())
        results = sum(bool(ledger_rules.RESULT.match(label)) for label in self.found.on_pages)
        text = (
            f"The book has {results} numbered results and {count} receipts. Each receipt was "
            "judged again from its record, with its prediction moved by its resolution, and every "
            "moved prediction was refused."
        )
        return nodes.paragraph("", text)

    def _source(self, source: str) -> nodes.Node:
        entries = [e for e in self.found.concordance.entries if e.source == source]
        titles = self.found.concordance.titles[source]
        columns: dict[str, list[Any]] = {
            titles["number"]: [
                f"{entry.kind}\N{NO-BREAK SPACE}{entry.number}" for entry in entries
            ],
            titles["also"]: [entry.also or "" for entry in entries],
            "what it says": [entry.about for entry in entries],
            "in this book": [self._place(entry) for entry in entries],
        }
        return _table({head: cells for head, cells in columns.items() if any(cells)})

    def _place(self, entry: ledger_rules.Entry) -> list[nodes.Node]:
        if entry.status in ("proved", "merged"):
            before = "part of " if entry.status == "merged" else ""
            return [nodes.Text(before), self._link(entry.value)]
        if entry.status == "planned":
            return [nodes.Text(f"to come: {entry.value.replace('_', ' ')}")]
        return [nodes.Text(f"left out: {entry.value}")]

    def _results(self) -> nodes.Node:
        labels = sorted(self.found.on_pages, key=self._order)
        excuses = self.found.concordance.without_function
        titles = {}
        for page in {box["docname"] for box in boxes(self.env).values()}:
            for box in self.env.get_doctree(page).findall(nodes.Element):
                titles[box.get("label")] = box.get("title", "")  # as in " (Balance)"
        functions: list[Any] = []
        for label in labels:
            names = [n.removeprefix("linear_icl.") for n in self.found.functions.get(label, [])]
            functions.append([_lines(names)] if names else excuses.get(label, ""))
        return _table(
            {
                "result": [[self._link(label), nodes.Text(titles[label])] for label in labels],
                "receipts": [str(self.found.count(label) or "") for label in labels],
                "functions": functions,
            }
        )

    def _order(self, label: str) -> tuple[int, int]:
        """The order of the table of contents, then of the page."""
        pages = [self.env.config.root_doc, *self.env.toctree_includes[self.env.config.root_doc]]
        found = boxes(self.env)
        return pages.index(found[label]["docname"]), list(found).index(label)

    def _link(self, label: str) -> nodes.Node:
        box = boxes(self.env).get(label)
        if box is None:  # a gap, reported as such
            return nodes.literal("", label)
        numbers = self.env.toc_fignumbers[box["docname"]][box["countertype"]][label]
        name = f"{box['realtype'].title()}\N{NO-BREAK SPACE}{'.'.join(map(str, numbers))}"
        return make_refnode(self.app.builder, self.page, box["docname"], label, nodes.Text(name))


def _lines(names: Sequence[str]) -> nodes.Node:
    block = nodes.line_block()
    block += [nodes.line("", "", nodes.literal("", name)) for name in names]
    return block


def _table(columns: Mapping[str, Sequence[Any]]) -> nodes.table:
    group = nodes.tgroup(cols=len(columns))
    group += [nodes.colspec(colwidth=1) for _ in columns]
    group += nodes.thead("", _row(list(columns)))
    group += nodes.tbody("", *(_row(cells) for cells in zip(*columns.values(), strict=True)))
    return nodes.table("", group, classes=["ledger"])


def _row(cells: Sequence[Any]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        content = [nodes.Text(cell)] if isinstance(cell, str) else cell
        block = any(isinstance(part, nodes.line_block) for part in content)
        row += nodes.entry("", *(content if block else [nodes.paragraph("", "", *content)]))
    return row


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("ledger", Ledger)
    app.connect("env-check-consistency", check)
    app.connect("doctree-resolved", draw)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
