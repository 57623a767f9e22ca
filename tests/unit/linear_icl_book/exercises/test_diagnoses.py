"""A diagnosis fits the answer that it is told to: who does what it says hands in that answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from linear_icl_book.exercises import Exercise, registry
from linear_icl_book.exercises._answer import read
from linear_icl_book.exercises._judge import Target

from .diagnoses import chapters_1_to_3, chapters_4_to_6, chapters_7_to_9

TOLD = chapters_1_to_3.TOLD | chapters_4_to_6.TOLD | chapters_7_to_9.TOLD
SEEDS = (None, "anna", "7")
# Their answers are drawn, or read off a grid: compared as finely as the exercise judges them.
COARSE = {"1.5", "2.2", "3.3", "4.4", "9.4"}


def misfit(exercise: Exercise, place: int, value: Any, seed: str | None) -> str | None:
    """What this mistake leads to, where it is not the value of the registry."""
    numbers = exercise.numbers(seed)
    target = Target.of(exercise, numbers)
    wanted = np.squeeze(read(exercise.mistakes[place].value(**numbers)))
    found = np.squeeze(read(value(SimpleNamespace(**numbers), target.value)))
    tolerance = exercise.tolerance if exercise.number in COARSE else 1e-5
    if np.allclose(found, wanted, rtol=tolerance, atol=1e-9):
        return None
    return f"{exercise.mistakes[place].what}: {found}, but it is told to {wanted}"


@pytest.mark.parametrize("number", registry())
def test_every_diagnosis_has_its_row(number: str) -> None:
    assert [*TOLD[number]] == [mistake.what for mistake in registry()[number].mistakes]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", registry())
def test_who_does_what_a_diagnosis_says_is_told_it(number: str, seed: str | None) -> None:
    exercise, values = registry()[number], TOLD[number].values()
    found = [misfit(exercise, place, value, seed) for place, value in enumerate(values)]
    assert [fault for fault in found if fault] == []


def test_a_wrong_sentence_is_seen() -> None:
    """With 1 where d + 1 belongs N is M/(1 + σ²); a shorter sentence was told to it once."""
    exercise = registry()["4.1"]
    (place,) = [k for k, one in enumerate(exercise.mistakes) if one.what.startswith("1 stands")]
    left_out = lambda n, r: round(n.M / n.noise_variance)  # noqa: E731
    assert misfit(exercise, place, left_out, None)
