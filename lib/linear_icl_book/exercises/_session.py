"""The student's side: numbers of their own, hints one at a time, and what is done so far.

All of it lives in the process; nothing is written or sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Any

from ._exercise import Exercise, shown, student
from ._judge import judge
from ._registry import registry


@dataclass
class Record:
    """What one student did in one exercise."""

    tried: bool = False
    right: bool = False
    hints: int = 0


@dataclass
class Session:
    """Whose numbers are in use (None: those of the pages), and what each student did."""

    name: str | None = None
    records: dict[str | None, dict[str, Record]] = field(default_factory=dict)

    def record(self, exercise: Exercise) -> Record:
        """The record of the present student in this exercise."""
        return self.records.setdefault(self.name, {}).setdefault(exercise.number, Record())


_session = Session()


class Numbers(dict[str, Any]):
    """The numbers of one exercise, by name; shown with what is to be handed in."""

    def __init__(self, exercise: Exercise, name: str | None) -> None:
        super().__init__(exercise.numbers(name))
        whose = "the numbers of the page" if name is None else f"the numbers of {name}"
        self._head = f"{exercise.number}: {exercise.asked(self)} ({whose})"

    def __repr__(self) -> str:
        return "\n  ".join([self._head, *(f"{key} = {shown(self[key])}" for key in self)])


@dataclass(frozen=True)
class Progress:
    """Which exercises are right, tried and open; shown as a table."""

    name: str | None
    records: Mapping[str, Record]  # by number, in the order of the book

    _COLUMNS = ("chapter", "right", "tried", "open", "hints used")

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """One row a chapter: its number, the exercises of each kind, and the hints used."""
        rows = []
        for chapter, group in groupby(self.records.items(), lambda item: item[0].split(".")[0]):
            kinds: dict[str, list[str]] = {"right": [], "tried": [], "open": []}
            hints = 0
            for number, record in group:
                kinds["right" if record.right else "tried" if record.tried else "open"] += [number]
                hints += record.hints
            lists = (", ".join(kind) or "none" for kind in kinds.values())
            rows.append((chapter, *lists, str(hints)))
        return rows

    @property
    def title(self) -> str:
        """How many are right, and with whose numbers."""
        done = sum(record.right for record in self.records.values())
        whose = "of the page" if self.name is None else f"of {self.name}"
        return f"Exercises right: {done} of {len(self.records)}, with the numbers {whose}"

    def __repr__(self) -> str:
        table = [self._COLUMNS, *self.rows]
        widths = [max(len(row[k]) for row in table) for k in range(len(self._COLUMNS))]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in table
        )
        return "\n".join([self.title, *lines])

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{name}</th>' for name in self._COLUMNS)
        body = "".join(
            f'<tr><th scope="row">{chapter}</th>'
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "</tr>"
            for chapter, *cells in self.rows
        )
        return (
            f"<table><caption>{escape(self.title)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def check(exercise: Any, answer: Any) -> None:
    """Prints whether an answer is right, or else what kind of wrong it is; never raises.

    >>> check("1.1", ...)
    – 1.1 nothing handed in yet.
      Wanted: two numbers: the best α, and its risk, for Λ = diag(2, 0.5) and M = 8.

    Args:
        exercise: Its number on the page, "3.2".
        answer: A number, list, array or tensor, or a function without arguments that returns one.
    """
    found = _find(exercise)
    if isinstance(found, str):
        print(found)
        return
    record = _session.record(found)
    try:
        verdict = judge(found, found.numbers(_session.name), answer)
    except Exception as error:  # the exercise's own fault; a student's lesson goes on
        print(
            f"{found.number} cannot be judged: its own solution raised {error!r}. Tell its authors."
        )
        return
    record.tried |= verdict.right is not None
    record.right |= verdict.right is True
    print(verdict.said)


def numbers(exercise: Any) -> Numbers:
    """The numbers of an exercise, by name: those of the page, or your own after `seed`.

    Raises:
        ValueError: if there is no such exercise.
    """
    found = _find(exercise)
    if isinstance(found, str):
        raise ValueError(found)
    return Numbers(found, _session.name)


def hint(exercise: Any) -> None:
    """Prints the next hint to an exercise, from gentle to strong."""
    found = _find(exercise)
    if isinstance(found, str):
        print(found)
        return
    record = _session.record(found)
    if record.hints == len(found.hints):
        print(f"No more hints for {found.number}; its solution is folded below.")
        return
    record.hints += 1
    text = found.hints[record.hints - 1]
    print(f"Hint {record.hints} of {len(found.hints)} for {found.number}: {text}")


def seed(name: str | int | None) -> None:
    """Gives the exercises other numbers, the same for the same name; None: those of the page.

    Blanks at the ends and capitals do not count.

    Raises:
        ValueError: for anything but a text that is not blank or a whole number.
    """
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
        raise ValueError(
            f"name must be a text or a whole number, got {type(name).__name__}; "
            f'write seed("your name")'
        )
    own = None if name is None else student(str(name))
    if own == "":
        raise ValueError(f'name must not be blank, got {name!r}; write seed("your name")')
    _session.name = own
    whose = "of the page" if own is None else f"of {own}"
    print(f"Exercises now have the numbers {whose}; course.numbers(…) shows them.")


def progress() -> Progress:
    """Which exercises are right, tried and open so far, and the hints used, chapter by chapter."""
    done = _session.records.get(_session.name, {})
    return Progress(_session.name, {number: done.get(number, Record()) for number in registry()})


def _find(exercise: Any) -> Exercise | str:
    """The exercise of this number or label; else the sentence that says which there are."""
    known = registry()
    if isinstance(exercise, str) or (isinstance(exercise, float) and exercise < 100):
        asked = str(exercise).strip()
        for number, found in known.items():
            if asked in (number, found.label):
                return found
    chapters = groupby(known, lambda number: number.split(".")[0])
    there = ", ".join(f"{own[0]} to {own[-1]}" for own in (list(group) for _, group in chapters))
    return (
        f'There is no such exercise; write its number on the page, as in "3.2". There are {there}.'
    )
