"""All exercises of the book, in its order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ._exercise import Exercise


@cache
def registry() -> Mapping[str, Exercise]:
    """Every exercise by its number. The chapters are read at the first question."""
    from . import (
        chapter_1,
        chapter_2,
        chapter_3,
        chapter_4,
        chapter_5,
        chapter_6,
        chapter_7,
        chapter_8,
        chapter_9,
    )

    chapters = (
        chapter_1, chapter_2, chapter_3, chapter_4, chapter_5, chapter_6, chapter_7, chapter_8,
        chapter_9,
    )  # fmt: skip
    found = {one.number: one for chapter in chapters for one in chapter.EXERCISES}
    return MappingProxyType(found)
