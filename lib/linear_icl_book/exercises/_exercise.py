"""What an exercise is: its question, its numbers, its answer, the wrong answers that teach."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """A wrong answer with a reason.

    Args:
        what: What went wrong, said to the student: "N stands where M belongs"; no full stop.
        value: `value(**numbers)` is the answer that this mistake leads to.
    """

    what: str
    value: Callable[..., Any]


@dataclass(frozen=True)
class Exercise:
    """One exercise of the book, as far as its answer is a number, a vector or a matrix.

    Args:
        number: Chapter and position, "3.2", as the page numbers it.
        label: Its label in the page, "ex-never-escapes".
        asks: One line: what to hand in, with its shape; `{name}` stands for a number.
        draw: `draw(random)` gives the numbers of one student, plain int, float or tuples.
        book: The numbers of the page, with the same keys.
        solve: `solve(**numbers)` is the right answer. An int is judged exactly, an array by its
            largest entry; a list or a tuple holds several numbers, each judged by its own size.
        mistakes: At least two.
        hints: Two or three, from gentle to strong, never the answer; plain text without TeX.
        tolerance: Relative; with the reason beside it where it is wider.
    """

    number: str
    label: str
    asks: str
    draw: Callable[[random.Random], Mapping[str, Any]]
    book: Mapping[str, Any]
    solve: Callable[..., Any]
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, ...]
    tolerance: float = 1e-3

    def numbers(self, seed: str | None = None) -> dict[str, Any]:
        """The numbers of the student with this seed; without one, those of the page."""
        if seed is None:
            return dict(self.book)
        return dict(self.draw(random.Random(f"{student(seed)}/{self.number}")))

    def asked(self, numbers: Mapping[str, Any]) -> str:
        """What to hand in, with the numbers filled in."""
        return _Plain().format(self.asks, **numbers)


class _Plain(string.Formatter):
    """Shows 2.0 as 2, in tuples too; a format of the text's own stays."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return super().format_field(value, format_spec) if format_spec else shown(value)


def shown(value: Any) -> str:
    """A number, or a tuple of numbers, as a person writes it: 2 rather than 2.0."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return short if float(short) == value else repr(value)


def student(name: str) -> str:
    """The name under which a student's numbers are drawn: "Anna " and "anna" are one."""
    return name.strip().casefold()
