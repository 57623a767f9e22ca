"""The exercises of the book, with answers that are judged."""

from linear_icl.course.exercises._exercise import Exercise, Mistake
from linear_icl.course.exercises._registry import registry
from linear_icl.course.exercises._session import check, hint, numbers, progress, seed
from linear_icl.course.exercises._stub import stub

__all__ = [
    "Exercise", "Mistake", "check", "hint", "numbers", "progress", "registry", "seed", "stub",
]  # fmt: skip
