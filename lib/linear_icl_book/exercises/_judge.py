"""Right, or what kind of wrong: an answer against the right one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._answer import NothingYet, Unreadable, read
from ._exercise import Exercise


@dataclass(frozen=True)
class Verdict:
    """What to tell the student; `right` is None where no number was judged."""

    right: bool | None
    said: str


def judge(exercise: Exercise, numbers: Mapping[str, Any], answer: Any) -> Verdict:
    """Compares an answer with the exercise's own, for these numbers; raises nothing.

    First the exercise's mistakes are tried, then the kinds of wrong that any answer can have.
    """
    number, wanted = exercise.number, f"\n  Wanted: {exercise.asked(numbers)}."
    try:
        given = read(answer)
    except NothingYet:
        return Verdict(None, f"– {number} nothing handed in yet.{wanted}")
    except Unreadable as reason:
        return Verdict(None, f"✗ {number} not yet: {reason}.{wanted}")
    except Exception as error:  # an object of the student's that fails when it is looked at
        name = type(error).__name__
        return Verdict(None, f"✗ {number} not yet: what came raised {name} when read.{wanted}")
    target = Target.of(exercise, numbers)
    if target.matches(given):
        return Verdict(True, f"✓ {number} right.")
    if found := _own_mistake(exercise, numbers, target, given):
        return Verdict(False, f"✗ {number} not yet: {found}.")
    with np.errstate(all="ignore"):  # squares and inverses of what came may overflow
        found = _kind(exercise, target, given)
    if found is None:
        return Verdict(False, f'✗ {number} not yet. course.hint("{number}") helps.{wanted}')
    fits = np.squeeze(given).shape == np.squeeze(target.value).shape
    return Verdict(False, f"✗ {number} not yet: {found}.{'' if fits else wanted}")


@dataclass(frozen=True)
class Target:
    """A right answer, and how near is right.

    A list or tuple holds several numbers, each with its own size; an array is one quantity, and
    its largest entry is its size. Whole numbers are judged exactly.
    """

    value: np.ndarray
    tolerance: float
    several: bool
    whole: bool

    @classmethod
    def of(cls, exercise: Exercise, numbers: Mapping[str, Any]) -> Target:
        """The exercise's own answer."""
        solved = exercise.solve(**numbers)
        whole = isinstance(solved, int)
        several = isinstance(solved, list | tuple)
        return cls(read(solved), 0.0 if whole else exercise.tolerance, several, whole)

    def matches(self, given: Any, wanted: Any = None) -> bool:
        """Near the right answer, or near another; axes of length one do not count."""
        wanted = self.value if wanted is None else wanted
        given, wanted = np.squeeze(given), np.squeeze(wanted)
        if given.shape != wanted.shape:
            return False
        return bool((np.abs(given - wanted) <= self.margin(wanted)).all())

    def margin(self, wanted: Any) -> Any:
        """How far an answer may be from what is wanted, all of it or entry by entry."""
        size = np.abs(wanted)
        largest = float(np.max(size)) or float(np.max(np.abs(self.value))) or 1.0
        # an entry that is zero has no size of its own
        return self.tolerance * (np.maximum(size, 1e-3 * largest) if self.several else largest)

    def mistaken(self, given: np.ndarray, wrong: Any) -> bool:
        """The answer is this wrong one, which is not right by chance; three digits are enough."""
        given, wrong = np.squeeze(given), np.squeeze(wrong)
        if not np.isfinite(wrong).all() or self.matches(wrong) or given.shape != wrong.shape:
            return False
        rounding = 0.0 if self.whole else half_unit(wrong, digits=3)
        gap, right = np.abs(given - wrong), np.squeeze(self.value)
        if right.shape == given.shape and np.max(np.abs(given - right)) <= np.max(gap):
            return False  # a rounded right answer
        return bool((gap <= np.maximum(self.margin(wrong), rounding)).all())


def half_unit(values: Any, digits: int) -> Any:
    """The largest error of rounding to so many digits, entry by entry: zero for zero."""
    with np.errstate(divide="ignore"):
        return 0.5 * 10.0 ** (np.floor(np.log10(np.abs(values))) + 1 - digits)


def _own_mistake(
    exercise: Exercise, numbers: Mapping[str, Any], target: Target, given: np.ndarray
) -> str | None:
    for mistake in exercise.mistakes:
        if target.mistaken(given, read(mistake.value(**numbers))):
            return mistake.what
    if dict(numbers) != dict(exercise.book) and Target.of(exercise, exercise.book).matches(given):
        yours = f'course.numbers("{exercise.number}") shows yours'
        return f"this is right for the numbers of the page; {yours}"
    return None


def _kind(exercise: Exercise, target: Target, given: np.ndarray) -> str | None:
    right = target.value
    if np.squeeze(given).shape != np.squeeze(right).shape:
        return _shapes(target, given)
    if np.ndim(np.squeeze(right)) == 2 and target.mistaken(given, right.T):
        return "rows and columns are swapped: transpose it"
    if _stacks(exercise) and any(target.mistaken(given, other) for other in _row_orders(right)):
        return "rows are stacked where columns belong: vec stacks columns"
    ordered = [np.sort(each, axis=None) for each in (given, right)]
    if right.size > 1 and not target.matches(given) and target.matches(*ordered):
        return "the right entries, in another order"
    for wrong, what in _others(right):
        if target.mistaken(given, wrong):
            return what
    if target.matches(np.abs(given), np.abs(right)):
        return "the sizes are right, not all signs are"
    return _near(target, given)


def _shapes(target: Target, given: np.ndarray) -> str:
    right = target.value
    own, want = _shape(given), _shape(right)
    if given.ndim == right.ndim == 2 and target.matches(given.T):
        return f"rows and columns are swapped: wanted {want}, got {own}"
    if given.size == right.size and target.matches(given.reshape(right.shape)):
        return f"the right numbers in the wrong shape: wanted {want}, got {own}"
    return f"the shape is wrong: wanted {want}, got {own}"


def _shape(array: np.ndarray) -> str:
    if array.ndim == 0:
        return "one number"
    if array.ndim == 1:
        return f"{array.size} numbers in a row"
    return "shape " + " × ".join(str(size) for size in array.shape)


def _stacks(exercise: Exercise) -> bool:
    return "vec" in exercise.asks or "column" in exercise.asks


def _row_orders(right: np.ndarray) -> Iterator[np.ndarray]:
    """A vector read as the columns of a matrix, every fitting one, and stacked by rows."""
    for rows in range(2, right.size // 2 + 1):
        if right.size % rows == 0:
            yield right.reshape(-1, rows).T.reshape(right.shape)


def _others(right: np.ndarray) -> Iterator[tuple[Any, str]]:
    """Wrong answers that any right one has, and what to say to them."""
    yield -right, "the sign is wrong, the size is right"
    yield 2 * right, "twice too large: a factor ½ is missing, or one of 2 too many"
    yield right / 2, "half of what is wanted: a factor 2 is missing, or one of ½ too many"
    yield right**2, "this is the square of what is wanted"
    if (right >= 0).all():
        yield np.sqrt(right), "this is the root of what is wanted: square it"
    if (right != 0).all():
        yield 1 / right, "this is one over what is wanted"
    if right.ndim == 2 and right.shape[0] == right.shape[1] and np.linalg.cond(right) < 1e12:
        yield np.linalg.inv(right), "this is the inverse of what is wanted"
    yield 100 * right, "a hundred times too large: wanted is the number, not its percentage"


def _near(target: Target, given: np.ndarray) -> str | None:
    given, right = np.reshape(given, target.value.shape), target.value
    gap = np.abs(given - right)
    if target.whole:
        if given != np.round(given):
            return "a whole number is wanted"
        return "off by one" if gap == 1 else None
    if (gap <= np.maximum(half_unit(right, digits=2), target.margin(right))).all():
        return "close, but more digits are wanted"
    fitting = int((gap <= target.margin(right)).sum())
    return f"{fitting} of {right.size} entries are right" if fitting else None
