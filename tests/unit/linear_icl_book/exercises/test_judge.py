"""The judge: right, each kind of wrong, and patience with whatever else comes."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
import torch
from linear_icl_book.exercises import Exercise, Mistake
from linear_icl_book.exercises._judge import Verdict, judge

HELPS = '✗ 2.1 not yet. course.hint("2.1") helps.'


def exercise(value: Any, *mistakes: Mistake, asks: str = "a number", **more: Any) -> Exercise:
    """An exercise whose answer is `value`, whatever the numbers."""
    return Exercise(
        number="2.1",
        label="ex-test",
        asks=asks,
        draw=lambda rng: {"N": rng.randint(9, 10**6)},
        book={"N": 8},
        solve=lambda N: value,
        mistakes=mistakes,
        hints=("", ""),
        **more,
    )


def verdict(value: Any, answer: Any, *mistakes: Mistake, **more: Any) -> Verdict:
    return judge(exercise(value, *mistakes, **more), {"N": 8}, answer)


MATRIX = [[1.0, 2.0], [5.0, 7.0]]
VEC = [1.0, 5.0, 2.0, 7.0]


@pytest.mark.parametrize(
    "answer",
    [
        0.75,
        0.7503,
        Fraction(3, 4),
        Decimal("0.75"),
        sympy.Rational(3, 4),
        sympy.sin(sympy.asin(sympy.Rational(3, 4))),
        np.float32(0.75),
        np.array(Fraction(3, 4)),
        np.array([[0.75]]),
        np.ma.array(0.75),
        torch.tensor([0.75], requires_grad=True),
        torch.tensor(0.75, dtype=torch.bfloat16),
        torch.nn.Parameter(torch.tensor(0.75)),
        torch.tensor([0.75]).to_sparse(),
        torch._neg_view(torch.tensor([-0.75])),
        [torch.tensor(0.75, requires_grad=True)],
        (0.75,),
        lambda: 0.75,
        lambda: [Fraction(3, 4)],
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_number_may_come_in_any_dress(answer: Any) -> None:
    assert verdict(0.75, answer) == Verdict(True, "✓ 2.1 right.")


@pytest.mark.parametrize(
    "answer",
    [
        MATRIX,
        np.array(MATRIX),
        torch.tensor(MATRIX),
        torch.tensor(MATRIX)[None],
        sympy.Matrix([[1, 2], [5, 7]]),
        [torch.tensor([1, 2]), np.array([5, 7])],
        np.array([[Fraction(1), 2], [5, 7.0]], dtype=object),
        torch.tensor(MATRIX).mT.mT.requires_grad_(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_matrix_may_come_in_any_dress(answer: Any) -> None:
    assert verdict(torch.tensor(MATRIX), answer).right is True


def test_the_tolerance_of_an_array_is_relative_to_its_largest_entry() -> None:
    array = np.array([10.0, 0.0])
    assert verdict(array, [10.009, 0.009]).right is True
    assert verdict(array, [10.0, 0.011]).right is False
    assert verdict(array, [10.0, 0.5], tolerance=0.06).right is True
    assert verdict(0.0, 0.0009).right is True
    assert verdict(0.0, 0.0011).right is False


def test_several_numbers_are_judged_each_by_its_own_size() -> None:
    assert verdict([10.0, 0.1], [10.009, 0.10009]).right is True
    assert verdict([10.0, 0.1], [10.0, 0.102]).right is False
    assert verdict((10.0, 0.0), [10.0, 9e-6]).right is True  # zero has no size of its own
    assert verdict((10.0, 0.0), [10.0, 1.1e-5]).right is False
    assert verdict([0.0, 0.0], [0.0, 1.1e-6]).right is False


def test_whole_numbers_are_judged_exactly() -> None:
    assert verdict(10_000, 10_000.0).right is True
    assert said(10_000, 10_001) == "off by one"
    assert said(10_000, 10_000.5) == "a whole number is wanted"
    assert said(10_000, 9_998) is None


def said(value: Any, answer: Any, **more: Any) -> str | None:
    """The reason given for a wrong answer; None where only a hint is offered."""
    found = verdict(value, answer, **more)
    assert found.right is False
    said, _, wanted = found.said.partition("\n")
    if said == HELPS:
        assert wanted.startswith("  Wanted: ")
        return None
    assert said.startswith("✗ 2.1 not yet: ") and said.endswith(".")
    # what is wanted is said again where the answer has another shape
    assert bool(wanted) == (", got " in said)
    return said.removeprefix("✗ 2.1 not yet: ")[:-1]


@pytest.mark.parametrize(
    ("value", "answer", "reason"),
    [
        (3.0, -3.0, "the sign is wrong, the size is right"),
        (3.0, 6.003, "twice too large: a factor ½ is missing, or one of 2 too many"),
        (3.0, 1.5, "half of what is wanted: a factor 2 is missing, or one of ½ too many"),
        (3.0, 9.0, "this is the square of what is wanted"),
        (3.0, math.sqrt(3), "this is the root of what is wanted: square it"),
        (3.0, 1 / 3, "this is one over what is wanted"),
        (0.3, 30, "a hundred times too large: wanted is the number, not its percentage"),
        (1.2345, 1.2, "close, but more digits are wanted"),
        (1.2345, 1.23, "close, but more digits are wanted"),
        (1.2345, 1.3, None),
        ([1.2345, 0.0], [1.23, 0.0], "close, but more digits are wanted"),
        ([1.2345, 0.0], [1.23, 0.1], None),
        ([1.2345, 0.0], [1.2345, 0.1], "1 of 2 entries are right"),
        (3.0, [3.0, 3.0], "the shape is wrong: wanted one number, got 2 numbers in a row"),
        (VEC, 1.0, "the shape is wrong: wanted 4 numbers in a row, got one number"),
        (VEC, [-1.0, -5.0, -2.0, -7.0], "the sign is wrong, the size is right"),
        (VEC, [-1.0, 5.0, -2.0, 7.0], "the sizes are right, not all signs are"),
        (VEC, [1.0, 2.0, 5.0, 7.0], "the right entries, in another order"),
        (VEC, [7.0, 1.0, 2.0, 5.0], "the right entries, in another order"),
        (VEC, [1.0, 5.0, 2.0, 3.0], "3 of 4 entries are right"),
        (VEC, [0.0, 0.1, 0.2, 0.3], None),
        (
            VEC,
            [[1.0, 5.0], [2.0, 7.0]],
            "the right numbers in the wrong shape: wanted 4 numbers in a row, got shape 2 × 2",
        ),
        (MATRIX, np.array(MATRIX).T, "rows and columns are swapped: transpose it"),
        (MATRIX, np.linalg.inv(MATRIX), "this is the inverse of what is wanted"),
        (
            MATRIX,
            [1.0, 2.0, 5.0, 7.0],
            "the right numbers in the wrong shape: wanted shape 2 × 2, got 4 numbers in a row",
        ),
        (
            np.arange(6.0).reshape(2, 3),
            np.arange(6.0).reshape(2, 3).T,
            "rows and columns are swapped: wanted shape 2 × 3, got shape 3 × 2",
        ),
    ],
)
def test_the_kind_of_wrong_is_named(value: Any, answer: Any, reason: str | None) -> None:
    assert said(value, answer) == reason


def test_a_vector_stacked_by_rows_is_named_where_a_stack_is_asked_for() -> None:
    by_rows = "rows are stacked where columns belong: vec stacks columns"
    assert said(VEC, [1.0, 2.0, 5.0, 7.0], asks="vec of a 2 × 2 matrix") == by_rows
    columns, rows = np.arange(6.0), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    assert said(columns, rows, asks="the columns, one below the other") == by_rows
    # a vector of prime length is no stack
    assert (
        said([1.0, 2.0, 4.0], [1.0, 4.0, 2.0], asks="vec") == "the right entries, in another order"
    )


def test_a_kind_of_wrong_that_is_right_by_chance_is_not_blamed() -> None:
    assert verdict(1.0, 1.0).right is True  # its own square, root and inverse
    assert said(2.0, 4.0).startswith("twice")  # type: ignore[union-attr]
    assert said([[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [2.0, 9.0]]) == "3 of 4 entries are right"
    assert said(0.0, 3.0) is None


def test_mistakes_of_the_exercise_come_first_and_only_where_they_differ() -> None:
    forgotten = Mistake("N stands where M belongs", lambda N: 2.0 * N)
    same = Mistake("never said", lambda N: 8.0)
    failing = Mistake("infinite", lambda N: [1.0] * N)
    assert verdict(8.0, 16.0, same, forgotten).said == "✗ 2.1 not yet: N stands where M belongs."
    assert verdict(8.0, 8.0, same).right is True
    assert verdict(8.0, [1.0] * 8, failing).said == "✗ 2.1 not yet: infinite."


def test_a_mistake_is_known_by_three_digits_but_not_in_whole_numbers() -> None:
    third = Mistake("three times too small", lambda N: 0.12345)
    assert verdict(0.4, 0.123, third).said.endswith("three times too small.")
    assert verdict(0.4, 0.1241, third).said.startswith(HELPS)
    assert verdict(4000, 1999, Mistake("half", lambda N: 2000)).said.startswith(HELPS)
    near = Mistake("nearly right", lambda N: 0.12312)
    assert "close" in verdict(0.12345, 0.1233, near).said  # nearer to what is right
    assert "nearly right" in verdict(0.12345, 0.1232, near).said


def test_the_answer_for_the_numbers_of_the_page_is_told_from_ones_own() -> None:
    double = Exercise(
        number="2.1",
        label="ex-test",
        asks="2 · {N}",
        draw=lambda rng: {"N": rng.randint(9, 99)},
        book={"N": 8},
        solve=lambda N: 2 * N,
        mistakes=(),
        hints=(),
    )
    own = double.numbers("anna")
    assert judge(double, own, 2 * own["N"]).right is True
    assert judge(double, own, 16).said == (
        "✗ 2.1 not yet: this is right for the numbers of the page; "
        'course.numbers("2.1") shows yours.'
    )
    assert judge(double, double.book, 16).right is True


class Hostile:
    """Fails whenever it is looked at."""

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


def _raise(error: BaseException) -> Callable[[], Any]:
    def function() -> Any:
        raise error

    return function


def _own_element() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


NOTHING = [None, ..., "", "...", "…", " ... ", [...], [None, 1.0], np.array(None), lambda: ...]
NONSENSE = [
    ("1.5", "text came"),
    (b"1.5", "text came"),
    (["1", "2"], "text came"),
    (np.array(["1.5"]), "text came"),
    (math.nan, "NaN came"),
    ([1.0, math.nan], "NaN came"),
    (np.ma.array([1.0], mask=[True]), "NaN came"),
    (torch.tensor(math.nan), "NaN came"),
    (sympy.nan, "NaN came"),
    (Decimal("NaN"), "NaN came"),
    (math.inf, "an infinite number came"),
    (-torch.inf, "an infinite number came"),
    (sympy.oo, "an infinite number came"),
    (10**400, "too large"),
    (Fraction(10**400, 3), "too large"),
    (1j, "a complex number came"),
    (np.complex64(1), "a complex number came"),
    (torch.tensor([1j]), "a complex number came"),
    (sympy.I, "a complex number came"),
    (True, "True or False came"),
    (np.bool_(False), "True or False came"),
    (torch.tensor([True]), "True or False came"),
    (sympy.true, "BooleanTrue came"),
    (sympy.Symbol("x"), "a formula with symbols came"),
    (sympy.Matrix([[sympy.Symbol("x")]]), "a formula with symbols came"),
    (sympy.Symbol("x") < 1, "a formula with symbols came"),
    ({"answer": 1.5}, "a dictionary came"),
    ({1.5}, "a set came"),
    (float, "the class float came"),
    (object(), "an object of type object came"),
    (range(3), "an object of type range came"),
    (iter([1.5]), "an object of type list_iterator came"),
    (print, "a function came that returns None"),
    (lambda x: x, "raised TypeError"),
    (lambda: 1 / 0, "raised ZeroDivisionError"),
    (lambda: lambda: 1.5, "a function came that returns a function"),
    (lambda: "1.5", "text came"),
    (_raise(SystemExit(1)), "raised SystemExit"),
    (_raise(GeneratorExit()), "raised GeneratorExit"),
    (torch.nn.Linear(1, 1), "raised TypeError"),
    (Hostile(), "what came raised RuntimeError when read"),
    ([Hostile()], "what came raised RuntimeError when read"),
    ([], "an empty array came"),
    (torch.empty(0, 3), "an empty array came"),
    ([[], []], "an empty array came"),
    ([[1.0, 2.0], [3.0]], "rows differ in length"),
    ([1.0, [2.0]], "rows differ in length"),
    (_own_element(), "nested too deep"),
    (np.array([None, {}], dtype=object)[1:], "a dictionary came"),
    (np.array(["2026-01-01"], dtype="datetime64[D]"), "an array of datetime64[D] came"),
    (np.zeros(1, dtype=[("a", float)]), "came"),
    (torch.zeros(2, device="meta"), "meta device"),
    (torch.zeros(2, device="meta", requires_grad=True), "meta device"),
    (torch.device("cpu"), "an object of type device came"),
    (np, "an object of type module came"),
]


@pytest.mark.parametrize("answer", NOTHING, ids=lambda value: type(value).__name__)
def test_nothing_yet(answer: Any) -> None:
    assert verdict(1.5, answer, asks="N is {N}") == Verdict(
        None, "– 2.1 nothing handed in yet.\n  Wanted: N is 8."
    )


@pytest.mark.parametrize(("answer", "told"), NONSENSE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("value", [1.5, 3, MATRIX])
def test_nonsense_is_named(answer: Any, told: str, value: Any) -> None:
    found = verdict(value, answer)
    assert found.right is None
    first, second = found.said.splitlines()
    assert first.startswith("✗ 2.1 not yet: ") and told in first
    assert second == "  Wanted: a number."


@pytest.mark.parametrize("answer", [1e308, -1e308, 5e-324, 1e200, [1e308, -1e308], [[1e-200] * 9]])
@pytest.mark.parametrize("value", [1.5, 3, VEC, MATRIX, [[0.0, 0.0], [0.0, 0.0]], 1e-300])
def test_extremes_are_only_wrong(answer: Any, value: Any) -> None:
    assert verdict(value, answer).right is False


def test_a_student_may_break_off_a_function_that_takes_too_long() -> None:
    with pytest.raises(KeyboardInterrupt):
        verdict(1.5, _raise(KeyboardInterrupt()))


def test_the_right_answer_is_never_told() -> None:
    for answer in (1.0, -0.4375, 0.43, 43.75, [0.4375, 1.0], "x", None):
        assert "0.4375" not in verdict(0.4375, answer).said
        assert "4375" not in verdict(0.4375, answer).said
