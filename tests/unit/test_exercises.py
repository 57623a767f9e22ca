"""Every exercise of the registry: its answer is judged right, each of its mistakes by name."""

from __future__ import annotations

import time

import numpy as np
import pytest
from linear_icl.course.exercises import Exercise, registry
from linear_icl.course.exercises._judge import judge, matches, number_array

SEEDS = (None, "anna", "7", "κ")
ALL = list(registry().values())
each = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.label)
seeded = pytest.mark.parametrize("seed", SEEDS)


@each
@seeded
def test_the_right_answer_is_right(exercise: Exercise, seed: str | None) -> None:
    numbers = exercise.numbers(seed)
    answer = exercise.solve(**numbers)
    assert np.isfinite(number_array(answer)).all()
    assert judge(exercise, numbers, answer) == (True, f"✓ {exercise.number} right.")


@each
@seeded
def test_each_mistake_is_named(exercise: Exercise, seed: str | None) -> None:
    numbers = exercise.numbers(seed)
    wanted = exercise.solve(**numbers)
    tolerance = 0.0 if isinstance(wanted, int) else exercise.tolerance
    for mistake in exercise.mistakes:
        wrong = mistake.value(**numbers)
        if not matches(number_array(wrong), number_array(wanted), tolerance):
            right, said = judge(exercise, numbers, wrong)
            assert not right
            assert f"not yet: {mistake.what}." in said


@each
def test_mistakes_differ_from_the_answer_and_from_each_other(exercise: Exercise) -> None:
    # with the numbers of the page or of one of the students; a mistake nobody can make is noise
    assert len(exercise.mistakes) >= 2
    for mistake in exercise.mistakes:
        told = []
        for numbers in map(exercise.numbers, SEEDS):
            told.append(mistake.what in judge(exercise, numbers, mistake.value(**numbers))[1])
        assert any(told), mistake.what


@each
def test_numbers_are_plain_and_differ_between_students(exercise: Exercise) -> None:
    drawn = [exercise.numbers(seed) for seed in SEEDS]
    assert all(set(numbers) == set(exercise.book) for numbers in drawn)
    assert len({repr(numbers) for numbers in drawn}) == len(SEEDS)
    assert exercise.numbers("anna") == exercise.numbers("anna")
    answers = {repr(number_array(exercise.solve(**numbers)).round(9)) for numbers in drawn}
    assert len(answers) > 1
    for numbers in drawn:
        assert all(_plain(value) for value in numbers.values())


def _plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_plain(entry) for entry in value)
    return type(value) in (int, float)


@each
def test_it_asks_in_one_line_and_hints_at_least_twice(exercise: Exercise) -> None:
    asked = exercise.asked(exercise.numbers("anna"))
    assert asked and "\n" not in asked and "{" not in asked
    assert 2 <= len(exercise.hints) <= 3
    assert not any("$" in hint or "\\" in hint for hint in exercise.hints)
    assert not any(mistake.what.endswith(".") for mistake in exercise.mistakes)


@each
def test_solving_is_quick(exercise: Exercise) -> None:
    numbers = exercise.numbers("quick")
    exercise.solve(**numbers)  # what is loaded or cached once does not count
    spent = []
    for seed in ("one", "two", "three"):
        numbers, start = exercise.numbers(seed), time.process_time()
        exercise.solve(**numbers)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.5
