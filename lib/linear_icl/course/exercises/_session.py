"""The student's side: numbers of their own, hints one at a time, and what is done so far."""

from __future__ import annotations

from typing import Any

from linear_icl.course.exercises._judge import judge
from linear_icl.course.exercises._registry import registry


def check(exercise: Any, answer: Any) -> None:
    """Prints whether an answer is right or what kind of wrong it is; never raises."""
    found = registry()[exercise]
    print(judge(found, found.numbers(), answer)[1])
