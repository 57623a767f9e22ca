"""Boxes with the class `dropdown` become native folds: they work without a script, and print open.

Covers admonitions and the boxes of sphinx-proof and sphinx-exercise, whose own fold is a script
(sphinx-togglebutton) that hides the content until it has run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

Visitor = Callable[[Any, nodes.Element], None]
TITLE = re.compile(r'<p class="admonition-title"[^>]*>(.*?)</p>', re.DOTALL)
LINK = re.compile(r"</?a\b[^>]*>")


class TitledProofs(SphinxPostTransform):
    """Give a proof a title of its own: sphinx-proof writes "Proof." into its first sentence.

    Its id goes, too: every proof of a page has the same.
    """

    default_priority = 700

    def run(self, **kwargs: Any) -> None:
        for proof in self.document.findall(
            lambda n: isinstance(n, nodes.admonition) and "proof" in n["classes"]
        ):
            first = next(proof.findall(nodes.Text))
            if not first.startswith("Proof. "):
                raise ValueError(f"a proof must begin with a sentence, got {first[:60]!r}")
            first.parent.replace(first, nodes.Text(first[len("Proof. ") :]))
            proof["ids"] = []
            proof.insert(0, nodes.title("", "Proof"))


def as_details(html: str) -> str:
    """Turn the HTML of a box, `<div …> title … </div>`, into `<details>`, the title its summary."""
    start, end = html.index("<div"), html.rindex("</div>")
    before, opening, body = html[:start], *html[start:end].split(">", 1)
    title = TITLE.search(body)
    if title is None:
        raise ValueError(f"a box of class dropdown needs a title to fold under, got {opening!r}")
    name = LINK.sub("", title[1].strip())  # no key would reach a link inside a summary
    body = body.replace(title[0], f'<summary class="admonition-title">{name}</summary>', 1)
    opening = opening.replace("<div", "<details", 1).replace("dropdown", "fold")
    return f"{before}{opening}>{body}</details>{html[end + len('</div>') :]}"


def folding(visit: Visitor, depart: Visitor) -> tuple[Visitor, Visitor]:
    """The same visitors, with a fold around nodes of class `dropdown`."""

    def enter(self: Any, node: nodes.Element) -> None:
        if "dropdown" in node["classes"]:
            node["_fold_from"] = len(self.body)
        visit(self, node)

    def leave(self: Any, node: nodes.Element) -> None:
        depart(self, node)
        if "dropdown" in node["classes"]:
            start = node.attributes.pop("_fold_from")
            self.body[start:] = [as_details("".join(self.body[start:]))]

    return enter, leave


def wrap(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    handlers = app.registry.translation_handlers.setdefault("html", {})
    for name, (visit, depart) in list(handlers.items()):
        boxes = visit.__module__.startswith(("sphinx_proof", "sphinx_exercise"))
        if boxes and depart is not None and not name.endswith("title"):
            handlers[name] = folding(visit, depart)
    handlers["admonition"] = folding(
        HTML5Translator.visit_admonition, HTML5Translator.depart_admonition
    )


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(TitledProofs)
    app.connect("builder-inited", wrap, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
