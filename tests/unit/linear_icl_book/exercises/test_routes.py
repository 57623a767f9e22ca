"""Every exercise: another route agrees, that of its page or of the package."""

from __future__ import annotations

import numpy as np
import pytest
from linear_icl_book.exercises import registry
from linear_icl_book.exercises._judge import Target, judge

from . import test_chapters_1_to_3, test_chapters_4_to_6, test_chapters_7_to_9

ROUTES = test_chapters_1_to_3.ROUTES | test_chapters_4_to_6.ROUTES | test_chapters_7_to_9.ROUTES


def test_every_exercise_has_one() -> None:
    assert {*ROUTES, "6.4"} == {*registry()}  # that of 6.4 is a test of its own


@pytest.mark.parametrize("seed", [None, "anna", "7", "κ"])
@pytest.mark.parametrize("number", ROUTES)
def test_another_route_is_right(number: str, seed: str | None) -> None:
    exercise = registry()[number]
    numbers = exercise.numbers(seed)
    assert judge(exercise, numbers, ROUTES[number](**numbers)).said == f"✓ {number} right."


@pytest.mark.parametrize("number", [number for number in registry() if number > "4"])
def test_every_draw_is_well_posed(number: str) -> None:
    exercise = registry()[number]
    for k in range(20):
        numbers = exercise.numbers(f"student {k}")
        assert np.isfinite(Target.of(exercise, numbers).value).all()
