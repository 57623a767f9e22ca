"""What a student sees: check, numbers, hint, seed, progress, and that nothing is kept."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import linear_icl_book as course
import numpy as np
import pytest
import torch
from linear_icl_book import exercises
from linear_icl_book.exercises import Exercise, Mistake, _session, registry
from linear_icl_book.exercises._answer import read

DOUBLE = Exercise(
    number="1.1",
    label="ex-double",
    asks="twice {N}, for x = {x}",
    draw=lambda rng: {"N": rng.randint(9, 10**6), "x": (1.0, 0.5)},
    book={"N": 8, "x": (1.0, 0.5)},
    solve=lambda N, x: 2 * N,
    mistakes=(Mistake("that is N", lambda N, x: N),),
    hints=("Add.", "N + N."),
)
BROKEN = Exercise(
    number="1.2",
    label="ex-broken",
    asks="a number",
    draw=lambda rng: {},
    book={},
    solve=lambda: 1 / 0,
    mistakes=(),
    hints=("None.",),
)
OTHER = replace(BROKEN, number="2.1", label="ex-other", asks="one", solve=lambda: 1.0, hints=())
THREE = {one.number: one for one in (DOUBLE, BROKEN, OTHER)}


@pytest.fixture(autouse=True)
def three_exercises(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A session of its own for each test, with three small exercises."""
    monkeypatch.setattr(_session, "registry", lambda: THREE)
    monkeypatch.setattr(_session, "_session", _session.Session())
    yield


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_check_prints_and_returns_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert course.check("1.1", 16) is None  # type: ignore[func-returns-value]
    assert printed(capsys) == "✓ 1.1 right.\n"
    course.check("ex-double", 8)
    assert printed(capsys) == "✗ 1.1 not yet: that is N.\n"
    course.check(" 1.1 ", 7)
    assert printed(capsys) == (
        '✗ 1.1 not yet. course.hint("1.1") helps.\n  Wanted: twice 8, for x = (1, 0.5).\n'
    )
    course.check(1.1, None)
    assert printed(capsys) == "– 1.1 nothing handed in yet.\n  Wanted: twice 8, for x = (1, 0.5).\n"


@pytest.mark.parametrize(
    "exercise",
    ["9.9", "", "x", None, ..., 3, 1e400, float("nan"), 10**9999, True, [], DOUBLE, str],
    ids=lambda value: type(value).__name__,
)
def test_an_unknown_exercise_is_answered_with_those_there_are(
    exercise: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    course.check(exercise, 1.0)
    course.hint(exercise)
    told = 'There is no such exercise; write its number on the page, as in "3.2". '
    told += "There are 1.1 to 1.2, 2.1 to 2.1.\n"
    assert printed(capsys) == 2 * told
    with pytest.raises(ValueError, match="no such exercise"):
        course.numbers(exercise)


def test_a_broken_exercise_does_not_stop_the_lesson(capsys: pytest.CaptureFixture[str]) -> None:
    course.check("1.2", 1.0)
    assert printed(capsys).startswith("1.2 cannot be judged: its own solution raised ZeroDivision")
    assert course.progress().rows[0][3] == "1.1, 1.2"


def test_numbers_are_a_mapping_that_reads_well() -> None:
    found = course.numbers("1.1")
    assert isinstance(found, Mapping)
    assert dict(found) == {"N": 8, "x": (1.0, 0.5)} and len(found) == 2
    assert repr(found) == (
        "1.1: twice 8, for x = (1, 0.5) (the numbers of the page)\n  N = 8\n  x = (1, 0.5)"
    )


def test_a_seed_gives_numbers_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    course.seed("anna")
    assert "the numbers of anna" in printed(capsys)
    own = course.numbers("1.1")
    assert own["N"] == DOUBLE.numbers("anna")["N"] != 8
    assert f"twice {own['N']}" in repr(own) and "(the numbers of anna)" in repr(own)
    course.check("1.1", 2 * own["N"])
    course.check("1.1", 16)
    assert printed(capsys).splitlines() == [
        "✓ 1.1 right.",
        "✗ 1.1 not yet: this is right for the numbers of the page; "
        'course.numbers("1.1") shows yours.',
    ]
    course.seed(7)
    seven = course.numbers("1.1")["N"]
    course.seed("7")
    assert course.numbers("1.1")["N"] == seven != own["N"]
    course.seed(None)
    assert course.numbers("1.1")["N"] == 8


@pytest.mark.parametrize("name", [1.5, True, b"anna", ["anna"], ...])
def test_a_seed_is_a_text_or_a_whole_number(name: Any) -> None:
    # past the annotations, which the tests enforce and a student's notebook does not
    bare = getattr(course.seed, "__wrapped__", course.seed)
    with pytest.raises(ValueError, match="name must be a text or a whole number, got"):
        bare(name)


def test_hints_come_one_at_a_time_and_end(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        course.hint("1.1")
    assert printed(capsys).splitlines() == [
        "Hint 1 of 2 for 1.1: Add.",
        "Hint 2 of 2 for 1.1: N + N.",
        "No more hints for 1.1; its solution is folded below.",
    ]
    assert course.progress().rows[0][-1] == "2"


def test_progress_is_a_table_of_words(capsys: pytest.CaptureFixture[str]) -> None:
    course.check("1.1", 8)
    course.check("1.1", None)
    course.check("2.1", "text")
    course.hint("1.1")
    assert repr(course.progress()).splitlines() == [
        "Exercises right: 0 of 3, with the numbers of the page",
        "chapter  right  tried  open  hints used",
        "1        none   1.1    1.2   1",
        "2        none   none   2.1   0",
    ]
    course.check("1.1", 16)
    course.check("1.1", 3)  # what was right stays right
    assert course.progress().rows[0] == ("1", "1.1", "none", "1.2", "1")
    assert course.progress().title == "Exercises right: 1 of 3, with the numbers of the page"


def test_each_name_has_progress_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    course.check("2.1", 1)
    course.seed("anna")
    assert course.progress().title == "Exercises right: 0 of 3, with the numbers of anna"
    course.seed(None)
    assert course.progress().title == "Exercises right: 1 of 3, with the numbers of the page"


def test_progress_as_html_is_a_table_that_can_be_heard() -> None:
    course.seed("<b>anna & co</b>")
    table = ElementTree.fromstring(course.progress()._repr_html_())  # every tag is closed
    tags = [(element.tag, element.attrib) for element in table.iter()]
    assert {tag for tag, _ in tags} == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert tags.count(("th", {"scope": "col"})) == 5
    assert tags.count(("th", {"scope": "row"})) == 2
    title, *texts = table.itertext()
    assert "<b>anna & co</b>" in title  # as a text, not as a tag
    assert texts == [
        *("chapter", "right", "tried", "open", "hints used"),
        *("1", "none", "none", "1.1, 1.2", "0"),
        *("2", "none", "none", "2.1", "0"),
    ]


def test_the_real_registry_is_in_the_order_of_the_book() -> None:
    numbers = list(registry())
    assert numbers == sorted(numbers, key=lambda number: [int(k) for k in number.split(".")])
    assert all(re.fullmatch(r"[1-9]\.[1-9]", number) for number in numbers)
    assert {number[0] for number in numbers} == set("123456789")


def test_importing_the_course_reads_no_chapter_and_no_heavy_package() -> None:
    code = (
        "import sys; from linear_icl_book import check;"
        "names = ('chapter_', 'matplotlib', 'sympy', 'scipy', 'ipywidgets', 'linear_icl.flow');"
        "print([m for m in sys.modules if 'linear_icl_book.exercises.chapter' in m"
        " or m in names and m not in before])"
    )
    before = "import sys, numpy, torch; before = set(sys.modules);"
    done = subprocess.run(
        [sys.executable, "-c", before + code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_torch_is_left_as_the_student_has_it() -> None:
    state = torch.get_rng_state()
    answers = {one.number: one.solve(**one.numbers("anna")) for one in registry().values()}
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_default_dtype() == torch.float32
    for kept in vars(exercises).values():  # else what a chapter has cached would come again
        for function in vars(kept).values() if isinstance(kept, ModuleType) else ():
            getattr(function, "cache_clear", lambda: None)()
    torch.set_default_dtype(torch.float64)  # as the pages do
    try:
        for one in registry().values():
            again = read(one.solve(**one.numbers("anna")))
            np.testing.assert_allclose(again, read(answers[one.number]), rtol=1e-9, atol=1e-12)
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_name_is_the_same_with_capitals_and_blanks() -> None:
    course.seed(" Anna ")
    drawn = dict(course.numbers("1.1"))
    course.seed("anna")
    assert dict(course.numbers("1.1")) == drawn == THREE["1.1"].numbers("ANNA")
    with pytest.raises(ValueError, match=r"name must not be blank, got '  '; write seed"):
        course.seed("  ")
