"""The API reference: what it lists, and how docstrings become paragraphs."""

from __future__ import annotations

import sys
from types import ModuleType

import linear_icl_book as course
import pytest
from docutils import nodes
from linear_icl import landscape, lsa
from linear_icl_book import figures, live

from book._ext import api_page


def test_public_names_follow_the_file_or_all() -> None:
    names = [name for name, _ in api_page.public(lsa)]
    assert names[:2] == ["gamma", "limit_weights"]
    assert "LinearSelfAttention" in names
    assert not any(name.startswith("_") for name in names)
    assert "Tensor" not in names  # imported, not its own
    assert [name for name, _ in api_page.public(live)] == live.__all__


def test_members_are_the_methods_and_properties_of_a_class() -> None:
    names = [name for name, _ in api_page.members(landscape.FixedCovariance)]
    assert {"loss", "gap", "Gamma", "pl_constant"} <= set(names)
    assert not any(name.startswith("_") for name in names)
    assert "savefig" in vars(figures.BookFigure)  # overrides matplotlib's, without a word
    assert "set" in vars(figures.BookFigure)  # matplotlib writes one for every artist
    own = [name for name, _ in api_page.members(figures.BookFigure)]
    assert "svg" in own and not {"savefig", "set"} & set(own)


def test_class_methods_are_members_without_their_class_among_the_arguments() -> None:
    from_grid = dict(api_page.members(live.LiveFigure))["from_grid"]
    assert api_page.arguments(from_grid) == "(grid, axes, x, y, series, title, alt, **options)"
    shown = api_page._entry("LiveFigure", live.LiveFigure).astext()
    assert ".from_grid(grid, axes" in shown
    assert "A figure of recorded results" in shown


def test_arguments_have_no_annotations_and_no_self() -> None:
    assert api_page.arguments(lsa.gamma) == "(covariance, length)"
    assert api_page.arguments(landscape.FixedCovariance.pl_constant) == (
        "(sigma, Theta=None, *, sharp=False)"
    )
    for uncalled in (landscape.FixedCovariance.Gamma, landscape.Landscape, course.ReceiptError):
        assert api_page.arguments(uncalled) == ""


def test_docstrings_become_paragraphs_lines_and_code() -> None:
    args = "Args:\n    a: first\n        and more\n    b: second"
    paragraph, block, code = api_page.prose(
        f"One ``x`` and\n:func:`linear_icl.f`.\n\n{args}\n\n>>> 1\n1"
    )
    assert isinstance(paragraph, nodes.paragraph)
    assert paragraph.astext() == "One x and f."
    assert [node.astext() for node in paragraph.findall(nodes.literal)] == ["x", "f"]
    assert isinstance(block, nodes.line_block)
    assert [line.astext() for line in block] == ["Args:", "a: first and more", "b: second"]
    assert isinstance(code, nodes.literal_block)


def test_a_public_name_without_a_docstring_is_an_error() -> None:
    module = ModuleType("linear_icl.bare")
    exec("def bare(): pass", module.__dict__)
    sys.modules[module.__name__] = module
    try:
        ((name, found),) = api_page.public(module)
        with pytest.raises(ValueError, match="bare must have a docstring, got none"):
            api_page._entry(name, found)
    finally:
        del sys.modules[module.__name__]
