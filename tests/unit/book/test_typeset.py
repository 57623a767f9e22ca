"""A formula takes the punctuation that touches it, and no other of the same letters."""

from __future__ import annotations

from docutils import nodes
from docutils.utils import new_document

from book._ext.typeset import KeepTogether


def test_only_the_punctuation_beside_a_formula_moves() -> None:
    document, paragraph = new_document("page"), nodes.paragraph()
    document += paragraph
    first, second = nodes.math("", "d"), nodes.math("", "K")
    paragraph += [nodes.emphasis("", "cited"), nodes.Text(". "), nodes.emphasis("", "case")]
    paragraph += [nodes.Text(" ("), nodes.emphasis("", "of"), nodes.Text(" ("), first]
    paragraph += [nodes.Text(". "), second, nodes.Text(". so")]
    KeepTogether(document).run()
    assert [child.astext() for child in paragraph.children] == [
        "cited", ". ", "case", " (", "of", " ", "d", " ", "K", " so"
    ]  # fmt: skip
    assert [first["before"], first["after"], second["after"]] == ["(", ".", "."]
