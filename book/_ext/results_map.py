"""The page "Map of results": what each numbered result of the book uses, drawn and as a list.

The directive `{results-map}` marks the place; it is filled when every page has been read. A result
uses those that its statement and its proof link to; `map_layout` does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from book._ext import map_layout
from book._ext.ledger import boxes
from book._ext.ledger_rules import RESULT, Concordance
from book._ext.map_drawing import Shown, draw
from book._ext.page_bridge import faults

NAME = "drawing-results"


class ResultsMap(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # what it shows depends on all other pages
        return [nodes.container(results_map=True)]


def owned(document: nodes.document, labels: set[str]) -> Iterator[tuple[str, nodes.Element]]:
    """The statements and proofs of a page, each with the label of its result.

    A proof is a `prf:proof`, or the paragraphs from one that starts with an emphasised "Proof." to
    one that ends in ∎; it belongs to the last result before it.
    """
    last, open_proof = "", False
    for node in document.findall(nodes.Element):
        if node.get("label") in labels and "proof" in node["classes"]:
            yield node["label"], node
            last = node["label"] if RESULT.match(node["label"]) else last
            open_proof = False
        elif type(node).__name__ == "proof_node" and last:
            yield last, node
        elif isinstance(node, nodes.paragraph | nodes.math_block) and last:
            text = node.astext().strip()
            first = node.children[0] if node.children else None
            if isinstance(first, nodes.emphasis) and first.astext().startswith("Proof"):
                open_proof = True
            if open_proof:
                yield last, node
            open_proof = open_proof and not text.endswith("∎")


def read(env: BuildEnvironment) -> tuple[dict[str, str], dict[str, set[str]]]:
    """The page of each result, in the book's order, and what it uses."""
    found, labels = boxes(env), _order(env)
    mentions: list[tuple[str, str]] = []
    equations: dict[str, str] = {}
    for page in dict.fromkeys(found[label]["docname"] for label in labels):
        for label, part in owned(env.get_doctree(page), set(labels)):
            inside = [part, *part.findall(nodes.Element)]
            for node in inside:
                if isinstance(node, nodes.math_block) and node.get("label"):
                    equations[node["label"]] = label
                if node.get("reftype") in ("ref", "eq") and node.get("refdomain") in (
                    "prf",
                    "math",
                ):
                    mentions.append((label, node["reftarget"]))
    page_of = {label: found[label]["docname"] for label in labels}
    return page_of, map_layout.used_by(mentions, equations, labels)


def _order(env: BuildEnvironment) -> list[str]:
    """All labels in the order of the table of contents, then of the page."""
    pages = [env.config.root_doc, *env.toctree_includes[env.config.root_doc]]
    found = boxes(env)
    return sorted(found, key=lambda label: pages.index(found[label]["docname"]))


def check(app: Sphinx, env: BuildEnvironment) -> None:
    try:
        page, uses = read(env)
        map_layout.ordered(uses)
    except ValueError as error:
        faults(app).add("book/checked", str(error))
        page, uses = {}, {}
    app.results_map = (page, uses)  # type: ignore[attr-defined]


def fill(app: Sphinx, doctree: nodes.document, name: str) -> None:
    for place in list(doctree.findall(nodes.container)):
        if place.get("results_map"):
            place.replace_self(_drawn(app, name))


def _drawn(app: Sphinx, name: str) -> list[nodes.Node]:
    page, uses = app.results_map  # type: ignore[attr-defined]
    env, found = app.env, boxes(app.env)
    heads = {p: _head(env, p) for p in page.values()}
    titles: dict[str, str] = {}
    for p in heads:
        for box in env.get_doctree(p).findall(nodes.Element):
            titles[box.get("label")] = str(box.get("title", "")).strip(" ()")
    shown = {}
    for label, p in page.items():
        box = found[label]
        number = ".".join(map(str, env.toc_fignumbers[p][box["countertype"]][label]))
        href = f"{app.builder.get_relative_uri(name, p)}#{label}"
        shown[label] = Shown(
            f"{box['realtype'].title()} {number}", titles[label], href, box["realtype"]
        )
    places = map_layout.layout(page, uses, list(heads))
    concordance: Concordance = app.ledger.concordance  # type: ignore[attr-defined]
    planned: dict[str, list[tuple[str, str]]] = {}
    for entry in concordance.entries:
        if entry.status == "planned":
            chapter = entry.value.replace("_", " ")
            planned.setdefault(chapter, []).append((f"{entry.kind} {entry.number}", entry.about))
    band_heads = [", ".join(heads[p] for p in band) for band in places.bands]
    svg = nodes.raw("", draw(places, shown, band_heads, planned, NAME), format="html")
    frame = nodes.container("", svg, classes=["drawing-frame", "results-map"])

    def link(label: str, text: str) -> nodes.Node:
        return make_refnode(app.builder, name, page[label], label, nodes.Text(text))

    rows: dict[str, nodes.bullet_list] = {}
    for label, p in page.items():
        entry_line = nodes.paragraph("", "", link(label, shown[label].name))
        if titles[label]:
            entry_line += nodes.Text(f" {titles[label]}")
        item = nodes.list_item("", entry_line)
        for word, others in (
            ("uses ", [x for x in page if x in uses[label]]),
            ("used by ", [x for x in page if label in uses[x]]),
        ):
            if others:
                line = nodes.paragraph("", word)
                for k, other in enumerate(others):
                    line += [nodes.Text(", " if k else ""), link(other, shown[other].name)]
                item += nodes.bullet_list("", nodes.list_item("", line))
        rows.setdefault(p, nodes.bullet_list()).append(item)
    listed = nodes.bullet_list(classes=["results-list"])
    for p, inner in rows.items():
        listed += nodes.list_item("", nodes.paragraph("", heads[p]), inner)
    for chapter, chips in planned.items():
        inner = nodes.bullet_list()
        inner += [nodes.list_item("", nodes.paragraph("", f"{n}, {about}")) for n, about in chips]
        listed += nodes.list_item("", nodes.paragraph("", f"To come: {chapter}"), inner)
    return [frame, listed]


def _head(env: BuildEnvironment, page: str) -> str:
    """Number and title of a page; back matter has no number."""
    number = env.toc_secnumbers.get(page, {}).get("", ())
    return f"{'.'.join(map(str, number))} {env.titles[page].astext()}".strip()


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.ledger")
    app.add_directive("results-map", ResultsMap)
    app.connect("env-check-consistency", check)
    app.connect("doctree-resolved", fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
