"""Every exercise of the registry: each of its mistakes is named, its numbers are plain."""

from __future__ import annotations

import pytest
from linear_icl_book.exercises import Exercise, registry
from linear_icl_book.exercises._answer import read
from linear_icl_book.exercises._judge import Target, judge

SEEDS = (None, "anna", "7", "κ")
each = pytest.mark.parametrize("exercise", registry().values(), ids=lambda one: one.label)
seeded = pytest.mark.parametrize("seed", SEEDS)


@each
@seeded
def test_each_mistake_is_named(exercise: Exercise, seed: str | None) -> None:
    numbers = exercise.numbers(seed)
    target = Target.of(exercise, numbers)
    values = [read(mistake.value(**numbers)) for mistake in exercise.mistakes]
    for wrong in values:
        if not target.matches(wrong):
            verdict = judge(exercise, numbers, wrong)
            assert verdict.right is False
            # two mistakes may lead to one value by chance: the first of them is named
            first = next(k for k, value in enumerate(values) if target.mistaken(wrong, value))
            what = exercise.mistakes[first].what
            assert verdict.said == f"✗ {exercise.number} not yet: {what}."


@each
def test_each_mistake_can_be_told_from_the_others(exercise: Exercise) -> None:
    assert len(exercise.mistakes) >= 2
    for mistake in exercise.mistakes:
        said = [
            judge(exercise, numbers, mistake.value(**numbers)).said
            for numbers in map(exercise.numbers, SEEDS)
        ]
        assert any(mistake.what in sentence for sentence in said), mistake.what


@each
def test_numbers_are_plain_and_differ_between_students(exercise: Exercise) -> None:
    drawn = [exercise.numbers(seed) for seed in SEEDS]
    assert all(set(numbers) == set(exercise.book) for numbers in drawn)
    assert len({repr(sorted(numbers.items())) for numbers in drawn}) == len(SEEDS)
    assert exercise.numbers("anna") == exercise.numbers("anna")
    answers = [Target.of(exercise, numbers) for numbers in drawn]
    assert not all(answers[0].matches(other.value) for other in answers)
    for numbers in drawn:
        assert all(_plain(value) for value in numbers.values())


def _plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_plain(entry) for entry in value)
    return type(value) in (int, float)


@each
def test_it_asks_in_one_line_and_hints_at_least_twice(exercise: Exercise) -> None:
    asked = exercise.asked(exercise.numbers("anna"))
    assert asked and not any(sign in asked for sign in "\n{$\\") and not asked.endswith(".")
    assert 2 <= len(exercise.hints) <= 3
    assert not any(sign in hint for sign in "\n$\\" for hint in exercise.hints)
    assert not any(mistake.what.endswith(".") for mistake in exercise.mistakes)
