"""The directive `{how-to-cite} book` or `results`: BibTeX of the book or of its numbered results.

Made from CITATION.cff and from what Sphinx numbered, with addresses where a public one is known.
All entries together stand beside the pages as a file. An entry has the anchor `cite-LABEL`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from book._ext.citation import KEY, Citation, bibtex, read_citation
from book._ext.ledger import boxes

FILE = f"{KEY}.bib"


@dataclass(frozen=True)
class Result:
    """A numbered box: its page and label, and how it is called: "Theorem 3.1", "Limit"."""

    page: str
    label: str
    name: str
    title: str


class HowToCite(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # what it shows depends on all other pages
        return [nodes.container(how_to_cite=self.arguments[0])]


def results(app: Sphinx) -> Iterator[Result]:
    """All numbered results in the order of the book."""
    env, found = app.env, boxes(app.env)
    for page in [env.config.root_doc, *env.toctree_includes[env.config.root_doc]]:
        for node in env.get_doctree(page).findall(nodes.Element):
            label = node.get("label")
            if label in found and "proof" in node["classes"]:
                numbers = env.toc_fignumbers[page][found[label]["countertype"]][label]
                name = f"{found[label]['realtype'].title()} {'.'.join(map(str, numbers))}"
                yield Result(page, label, name, str(node.get("title", "")).strip(" ()"))


def entry(app: Sphinx, citation: Citation, result: Result) -> str:
    """The BibTeX of a result."""
    base = app.config.html_baseurl
    address = f"{base}{app.builder.get_target_uri(result.page)}#{result.label}" if base else ""
    part = f"{result.name} ({result.title})" if result.title else result.name
    return bibtex(citation, address, part=part, label=result.label)


def draw(app: Sphinx, doctree: nodes.document, page: str) -> None:
    drawings = {"book": _book, "results": _results}
    for place in list(doctree.findall(nodes.container)):
        if "how_to_cite" in place:
            what = place["how_to_cite"]
            if what not in drawings:
                raise ExtensionError(f"how-to-cite must be book or results, got {what!r}")
            place.replace_self(drawings[what](app, page))


def _book(app: Sphinx, page: str) -> list[nodes.Node]:
    text = bibtex(read_citation(Path(app.srcdir)), app.config.html_baseurl or "")
    link = f'<p>All entries of this page: <a href="../{FILE}" download><code>{FILE}</code></a>.</p>'
    return [_listing(text), nodes.raw("", link, format="html", classes=["only-online"])]


def _results(app: Sphinx, page: str) -> list[nodes.Node]:
    """A fold for each chapter."""
    citation = read_citation(Path(app.srcdir))
    folds: dict[str, nodes.admonition] = {}
    for result in results(app):
        if result.page not in folds:
            heading = nodes.title("", app.env.titles[result.page].astext())
            folds[result.page] = nodes.admonition("", heading, classes=["dropdown", "only-online"])
        link = make_refnode(app.builder, page, result.page, result.label, nodes.Text(result.name))
        name = nodes.paragraph("", "", link, nodes.Text(f" {result.title}"))
        name["ids"] = [f"cite-{result.label}"]
        folds[result.page] += [name, _listing(entry(app, citation, result))]
    return list(folds.values())


def _listing(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="bibtex", classes=["bibtex"])


def write(app: Sphinx, error: Exception | None) -> None:
    """The file with all entries."""
    if error or app.builder.name != "html":
        return
    citation = read_citation(Path(app.srcdir))
    entries = [bibtex(citation, app.config.html_baseurl or "")]
    entries += [entry(app, citation, result) for result in results(app)]
    (Path(app.outdir) / FILE).write_text("\n\n".join(entries) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.ledger")
    app.add_directive("how-to-cite", HowToCite)
    app.connect("doctree-resolved", draw)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
