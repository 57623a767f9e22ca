"""Formulas and statements of hints and of solutions are right, and none escapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

import pytest
from linear_icl_book.exercises import registry

from tests.text.plain import as_tex
from tests.text.printed import Formula, faults, statements
from tests.text.slips import slips

from .hinted import HINTS, Tie
from .solutions import SOLUTIONS
from .test_pages import page_of

# A sign of a formula, or a word of size or direction.
WORDS = (
    r"\b(?:half|twice|times|large[rst]*|small[erst]*|long(?:er|est)|short(?:er|est)|less|more|"
    r"(?:at )?least|most|grows?|falls?|rises?|linear|quadratic|cubic|parabola|polynomials?|degree|"
    r"nearly|almost|about|near(?:er|est)?|above|below|symmetric|independent|constant)\b"
)
SIGNS = re.compile(r"\d|[=<>≈≤≥√Σ‖½⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺^]|(?<=\w)[/·×](?=\w)| [−+] |" + WORDS)
TEX = re.compile(r"\$([^$]+)\$")


def compound(tex: str) -> bool:
    """A formula with letters, other than a letter alone, numbers, or a letter and its value."""
    members = re.split(
        r"=|<|>|\\(?:ge|le|to|approx|perp)(?![a-z])",
        re.sub(r"\\[dt]?frac", "/", tex.replace(r"^\ast", "")),
    )
    lettered = [one for one in members if re.search("[A-Za-z]", one.replace(r"\cdot", ""))]
    return len(lettered) > 1 or any(re.search(r"[-+/^]", one) for one in lettered)


Table: TypeAlias = Mapping[str, Mapping[str, Tie]]
tables = pytest.mark.parametrize("table", [HINTS, SOLUTIONS], ids=["hints", "solutions"])


def solution(number: str) -> str:
    """What its solution says beside the code."""
    exercise = registry()[number]
    begun = page_of(exercise).read_text("utf-8").partition(f"{{solution-start}} {exercise.label}\n")
    body = begun[2].partition("{solution-end}")[0]
    return re.sub(r"```\{code-cell\}.*?```", "", body.partition("```\n")[2], flags=re.S)


def wrong(fragment: str, tie: Tie) -> list[str]:
    if isinstance(tie, Formula):
        return faults(tex_of(fragment), tie)
    return [] if isinstance(tie, str) or bool(tie()) else [f"{fragment}: not so"]


def tex_of(fragment: str) -> str:
    """Hints have plain characters, solutions TeX."""
    return fragment if re.search(r"\\|\^|_", fragment) else as_tex(fragment)


@pytest.mark.parametrize("number", registry())
def test_no_formula_of_a_hint_is_loose(number: str) -> None:
    text = "\n".join(registry()[number].hints)
    for fragment in HINTS[number]:
        assert text.count(fragment) >= 1, f"the hints do not say {fragment!r}"
    for fragment in sorted(HINTS[number], key=len, reverse=True):
        text = text.replace(fragment, "…")
    assert SIGNS.findall(text) == [], text


@tables
@pytest.mark.parametrize("number", registry())
def test_what_it_says_is_so(table: Table, number: str) -> None:
    assert [fault for at, tie in table[number].items() for fault in wrong(at, tie)] == []


@tables
@pytest.mark.parametrize("number", registry())
def test_every_slip_in_a_formula_is_seen(table: Table, number: str) -> None:
    for fragment, tie in table[number].items():
        if isinstance(tie, Formula):
            tex = tex_of(fragment)
            others = [slip for slip in slips(tex) if statements(slip) != statements(tex)]
            assert [slip for slip in others if not faults(slip, tie)] == []


@tables
def test_every_exercise_has_its_rows(table: Table) -> None:
    assert [*table] == [*registry()]


@pytest.mark.parametrize("number", registry())
def test_no_formula_of_a_solution_is_loose(number: str) -> None:
    text = solution(number)
    for fragment in sorted(SOLUTIONS[number], key=len, reverse=True):
        assert fragment in solution(number), f"the solution does not say {fragment!r}"
        text = text.replace(fragment, "a")
    formulas = [one for one in TEX.findall(text) if compound(one)]
    assert formulas + re.findall(WORDS, TEX.sub("", text)) == [], text
