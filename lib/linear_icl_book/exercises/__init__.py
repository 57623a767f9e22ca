"""The exercises of the book, with answers that are judged."""

from ._exercise import Exercise, Mistake
from ._registry import registry
from ._session import check, hint, numbers, progress, seed
from ._stub import stub

__all__ = [
    "Exercise", "Mistake", "check", "hint", "numbers", "progress", "registry", "seed", "stub",
]  # fmt: skip
