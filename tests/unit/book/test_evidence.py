"""Receipts in one line, the code of figures in one fold: on trees of docutils, without a build."""

from __future__ import annotations

import numpy as np
import pytest
from docutils import nodes
from docutils.utils import new_document
from linear_icl_book.receipts import Receipt as Printed

from book._ext.evidence import Evidence, Fold, Receipt, Record, Row


def printed(**changes: object) -> str:
    """A row as the package prints it."""
    plain: dict[str, object] = {
        "label": "prp-floor",
        "relation": "==",
        "predicted": np.array(0.3909),
        "measured": np.array(0.3931),
        "tolerance": 0.01,
        "standard_error": None,
        "resolution": 0.05,
        "because": "a grid of times",
    }
    return Printed(**(plain | changes)).row()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "sides"),
    [
        ({}, "0.3909 predicted, 0.3931 measured"),
        (
            {"tolerance": None, "standard_error": np.array(0.0018)},
            "0.3909 predicted, 0.3931 ± 0.0018 measured",
        ),
        ({"relation": "<=", "predicted": np.array(0.5)}, "0.3931 measured ≤ 0.5 predicted"),
        ({"relation": ">=", "predicted": np.array(0.1)}, "0.3931 measured ≥ 0.1 predicted"),
        ({"predicted": np.arange(5.0)}, "‖·‖=5.477 predicted, 0.3931 measured"),
    ],
)
def test_every_kind_of_row_becomes_a_line(changes: dict[str, object], sides: str) -> None:
    row = Row.read(printed(**changes).splitlines()[0])
    assert row == Row("prp-floor", sides)


@pytest.mark.parametrize("line", ["✓ 1.1 right.", "floor for N = 8: 0.1883", " " * 23 + "a reason"])
def test_other_lines_are_no_rows(line: str) -> None:
    assert Row.read(line) is None


def cell(code: str, *outputs: nodes.Node, hidden: bool = False) -> nodes.container:
    source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
    made = nodes.container("", source, nb_element="cell_code")
    if outputs:
        made += nodes.container("", *outputs, nb_element="cell_code_output")
    if hidden:
        made["hide_mode"] = "input"
    return made


def rearranged(*cells: nodes.Node) -> nodes.document:
    document = new_document("page")
    document += list(cells)
    Evidence(document).run()
    return document


def test_a_receipt_takes_the_hidden_code_above_it_and_leaves_what_else_was_printed() -> None:
    text = printed() + "\nfloor for N = 80: 0.0039"
    page = rearranged(
        cell("helper()", hidden=True), cell("receipt()", nodes.literal_block(text, text))
    )
    (only,) = page.children
    fold, output = only.children
    assert isinstance(fold, Receipt)
    assert fold.children[0].astext() == "✓ prp-floor 0.3909 predicted, 0.3931 measured"
    assert [part.astext() for part in fold.children[1:]] == ["helper()", "receipt()", text]
    assert output.astext() == "floor for N = 80: 0.0039"


def test_a_receipt_alone_leaves_nothing_behind() -> None:
    page = rearranged(cell("receipt()", nodes.literal_block(printed(), printed())))
    assert [type(child) for child in page.children[0].children] == [Receipt]


def test_the_code_of_a_figure_stands_in_its_foot() -> None:
    page = rearranged(
        cell("data()", hidden=True),
        cell("more()", hidden=True),
        cell("draw()", nodes.figure(), hidden=True),
    )
    (only,) = page.children
    output, fold = only.children
    assert isinstance(fold, Fold) and output["nb_element"] == "cell_code_output"
    assert [part.astext() for part in fold.children] == ["data()", "more()", "draw()"]
    assert "hide_mode" not in only


def test_code_that_prepares_goes_with_the_next_figure_and_a_lesson_stays() -> None:
    lesson = cell("lesson()")
    lesson["classes"].append("tag_lesson")
    words = nodes.paragraph("", "words")
    page = rearranged(cell("data()"), lesson, words, cell("draw()", nodes.figure()))
    assert page.children[:2] == [lesson, words]
    assert lesson.astext().strip() == "lesson()"
    fold = page.children[2].children[1]
    assert [part.astext() for part in fold.children] == ["data()", "draw()"]


def test_a_solution_keeps_its_code() -> None:
    figure = cell("draw()", nodes.figure())
    solution = nodes.container("", cell("answer()"), classes=["solution"])
    page = rearranged(solution, figure)
    assert solution.astext().strip() == "answer()"
    assert page.children[1].children[1].astext() == "draw()"


def test_a_receipt_cell_without_a_row_is_told(caplog: pytest.LogCaptureFixture) -> None:
    wrong = cell("print(1)", nodes.literal_block("1", "1"))
    wrong["classes"].append("tag_receipt")
    rearranged(wrong)
    assert "prints no receipt" in caplog.text


def test_a_cell_that_prints_something_else_is_left_alone() -> None:
    page = rearranged(cell("print(1)", nodes.literal_block("1", "1")))
    assert [part["nb_element"] for part in page.children[0].children] == [
        "cell_code_source",
        "cell_code_output",
    ]


def recorded(*content: nodes.Node) -> nodes.section:
    section = nodes.section("", nodes.title("", "For the record"), *content)
    document = new_document("page")
    document += section
    Record(document).run()
    return section


def test_the_record_is_one_fold_under_its_first_sentence() -> None:
    title, fold = recorded(nodes.paragraph("", "What is printed."), nodes.note()).children
    assert title.astext() == "For the record"
    assert isinstance(fold, Fold) and fold["summary"] == "What is printed."
    assert [type(child) for child in fold.children] == [nodes.note]


def test_a_record_without_a_sentence_is_told(caplog: pytest.LogCaptureFixture) -> None:
    assert len(recorded(nodes.note()).children) == 2
    assert "must begin with a sentence" in caplog.text
