"""Sheets of problems: from the real exercises and their sources, on made-up pages."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path

import nbformat
import pytest
from linear_icl_book.exercises import registry
from linear_icl_book.exercises._judge import judge

from book._forms import sheets
from book._forms.pages import ROOT, Page
from book._forms.sheets import Problem
from tests.release.environments import CHAPTERS

SEED = "anna's"
each = pytest.mark.parametrize("name", CHAPTERS)


def built(folder: Path, name: str) -> Page:
    """A page with the boxes of the chapter's exercises, each with as many links as its source."""
    number = CHAPTERS.index(name) + 1
    source = (ROOT / f"{name}.md").read_text(encoding="utf-8")
    boxes = "".join(
        f'<div class="exercise box" id="{label}"><p class="box-title">Exercise {number} (Title)</p>'
        f"<section><p>{'<a>Lemma 1</a>' * len(sheets.ROLE.findall(text))}</p></section></div>"
        for label, text in sheets.STATEMENT.findall(source)
    )
    heading = f'<h1>{number}. Chapter<a class="headerlink"></a></h1>'
    file = folder / f"{name}.html"
    file.parent.mkdir()
    file.write_text(f"<article>{heading}{boxes}</article>", encoding="utf-8")
    static = folder / "_static"
    static.mkdir(parents=True)
    (static / "fonts.css").write_text(
        'src: url("data:font/woff2;base64,Zm9udA==");', encoding="utf-8"
    )
    (static / "book.css").write_text(":root { --ink: black }", encoding="utf-8")
    return Page(name, "The theory", file)


def given(tmp_path: Path, name: str) -> tuple[Page, list[Problem]]:
    page = built(tmp_path, name)
    return page, sheets.problems(page, SEED)


@each
def test_a_chapter_has_all_its_exercises_with_other_numbers(tmp_path: Path, name: str) -> None:
    _, problems = given(tmp_path, name)
    number = str(CHAPTERS.index(name) + 1)
    own = [one.number for one in registry().values() if one.number.split(".")[0] == number]
    assert [problem.exercise.number for problem in problems] == own
    assert any(problem.numbers != dict(problem.exercise.book) for problem in problems)
    for problem in problems:
        answer = problem.exercise.solve(**problem.numbers)
        assert judge(problem.exercise, problem.numbers, answer).right
        assert not re.search(r"\{[a-z:]+\}`|\(eq-", problem.markdown)


@each
def test_only_the_key_has_the_answers(tmp_path: Path, name: str) -> None:
    page, problems = given(tmp_path, name)
    handed_out = sheets.sheet(page, SEED, problems) + sheets.notebook(page, SEED, problems)
    key = sheets.key(page, SEED, problems)
    for problem in problems:
        for answer in map(sheets.readable, problem.answers):
            assert answer in key
            if len(answer) > 3:  # a digit may stand anywhere
                assert answer not in handed_out
        for mistake in problem.exercise.mistakes:
            assert mistake.what not in handed_out
    whole = [isinstance(problem.exercise.solve(**problem.numbers), int) for problem in problems]
    exact = [problem.exercise.tolerance == 0 for problem in problems]
    assert key.count("(exactly)") == sum(map(max, whole, exact))
    assert f"of {sum(problem.points for problem in problems)}</p>" in handed_out


@each
def test_the_notebook_runs_and_asks_with_the_seed(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page, problems = given(tmp_path, name)
    text = sheets.notebook(page, SEED, problems)
    nbformat.validate(nbformat.from_dict(json.loads(text)))
    cells = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    try:
        for cell in cells:
            exec(cell, names)
    finally:
        names["seed"](None)  # type: ignore[operator]
    said = capsys.readouterr().out
    for problem in problems:
        assert f"– {problem.exercise.number} nothing handed in yet." in said
        assert f"Wanted: {problem.asked}." in said


def test_the_key_calls_no_right_answer_wrong(tmp_path: Path) -> None:
    page, problems = given(tmp_path, CHAPTERS[0])
    problem = next(one for one in problems if one.exercise.number == "1.2")
    (seen,) = (one.what for one in problem.exercise.mistakes if "that part" in one.what)
    for numbers, is_wrong in (({"d": 8, "M": 3}, True), ({"d": 8, "M": 4}, False)):
        key = sheets.key(page, SEED, [replace(problem, numbers=numbers)])
        assert (escape(seen) in key) is is_wrong
        assert f"<b>{8 - numbers['M']}</b> (within 3 %)" in key


def test_a_sheet_stands_alone(tmp_path: Path) -> None:
    page, problems = given(tmp_path, CHAPTERS[0])
    html = sheets.sheet(page, SEED, problems)
    assert "data:font/woff2;base64,Zm9udA==" in html and "--ink: black" in html
    assert not re.search(r"(?:href|src)=\"(?!#)", html)


def test_files_for_each_seed_and_a_list_of_them(tmp_path: Path) -> None:
    page = built(tmp_path, CHAPTERS[0])
    index = sheets.write([page], tmp_path / "sheets", ["anna", "ben & co"])
    links = re.findall(r'href="([^"#]+)"', index.read_text(encoding="utf-8"))
    assert len(links) == 6 and all((index.parent / link).is_file() for link in links)
    one, other = ((index.parent / seed / "key-1.html").read_text() for seed in ("anna", "ben-co"))
    assert one != other


def test_a_role_without_its_link_is_refused(tmp_path: Path) -> None:
    page = built(tmp_path, next(n for n in CHAPTERS if n.endswith("ltb_vs_lsa")))
    page.file.write_text(page.file.read_text().replace("<a>Lemma 1</a>", "Lemma 1"))
    with pytest.raises(ValueError, match="each role must be a link"):
        sheets.problems(Page(page.name, page.part, page.file), SEED)


@pytest.mark.parametrize(
    ("value", "text"),
    [(2, "2"), (0.123456789, "0.123457"), ([[1.0, 2.5], [0, 1e-9]], "[[1, 2.5], [0, 1e-09]]")],
)
def test_readable(value: object, text: str) -> None:
    assert sheets.readable(value) == text
