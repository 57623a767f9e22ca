"""A number in a hint stands in its exercise or in the solution."""

from __future__ import annotations

import re

import pytest
from linear_icl_book.exercises import Exercise, registry

from tests.text.page import pages, text_of

ELSEWHERE = {
    ("ex-own-axes", "6"): "a moment in the table of laws",
    ("ex-several-steps", "400000"): "how many prompts to draw",
    ("ex-normalise", "100000"): "how many prompts to draw",
}


def numbers(text: str) -> list[str]:
    """Those above one; 100 000, 100_000 and 100{,}000 are the same."""
    whole = re.sub(r"(?<=\d)(?: |_|\{,\})(?=\d{3})", "", text)
    return [one for one in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", whole) if float(one) > 1]


def on_page(label: str) -> list[str]:
    """Digits of any kind, those of indices and powers too."""
    (page,) = [text for name in pages() if f":label: {label}\n" in (text := text_of(name))]
    part = page.partition(f":label: {label}\n")[2].partition("{solution-end}")[0]
    return re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d)(?: |_|\{,\})(?=\d{3})", "", part))


def strange(exercise: Exercise, hint: str) -> list[str]:
    known = on_page(exercise.label)
    return [
        one for one in numbers(hint) if one not in known and (exercise.label, one) not in ELSEWHERE
    ]


@pytest.mark.parametrize("exercise", registry().values(), ids=lambda one: one.label)
def test_the_numbers_of_a_hint_are_those_of_its_exercise(exercise: Exercise) -> None:
    assert [one for hint in exercise.hints for one in strange(exercise, hint)] == []


def test_a_slip_in_a_hint_is_seen() -> None:
    (cubic,) = [one for one in registry().values() if one.label == "ex-cubic"]
    assert strange(cubic, "the moments are p, 3p², 12p³, 105p⁴") == ["12"]
