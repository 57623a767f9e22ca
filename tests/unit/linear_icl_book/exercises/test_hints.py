"""Formulas and statements of hints are right, and none escapes."""

from __future__ import annotations

import re

import pytest
from linear_icl_book.exercises import registry

from tests.text.plain import as_tex
from tests.text.printed import Formula, faults, statements
from tests.text.slips import slips

from .hinted import HINTS, Tie

# A sign of a formula, or a word of size or direction.
SIGNS = re.compile(
    r"\d|[=<>≈≤≥√Σ‖½⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺^]|(?<=\w)[/·×](?=\w)| [−+] |\b(?:half|twice|times|large[rst]*|"
    r"small[erst]*|long(?:er|est)|short(?:er|est)|less|more|(?:at )?least|most|grows?|falls?|"
    r"rises?|linear|quadratic|cubic|parabola|polynomials?|degree|nearly|almost|about|symmetric|"
    r"independent|constant)\b"
)


def wrong(fragment: str, tie: Tie) -> list[str]:
    if isinstance(tie, Formula):
        return faults(as_tex(fragment), tie)
    return [] if isinstance(tie, str) or bool(tie()) else [f"{fragment}: not so"]


@pytest.mark.parametrize("number", registry())
def test_no_formula_of_a_hint_is_loose(number: str) -> None:
    text = "\n".join(registry()[number].hints)
    for fragment in HINTS[number]:
        assert text.count(fragment) >= 1, f"the hints do not say {fragment!r}"
    for fragment in sorted(HINTS[number], key=len, reverse=True):
        text = text.replace(fragment, "…")
    assert SIGNS.findall(text) == [], text


@pytest.mark.parametrize("number", registry())
def test_what_a_hint_says_is_so(number: str) -> None:
    assert [fault for at, tie in HINTS[number].items() for fault in wrong(at, tie)] == []


@pytest.mark.parametrize("number", registry())
def test_every_slip_in_a_formula_is_seen(number: str) -> None:
    for fragment, tie in HINTS[number].items():
        if isinstance(tie, Formula):
            tex = as_tex(fragment)
            others = [slip for slip in slips(tex) if statements(slip) != statements(tex)]
            assert [slip for slip in others if not faults(slip, tie)] == []


def test_every_exercise_has_its_rows() -> None:
    assert [*HINTS] == [*registry()]
