"""All exercises of the book, in its order."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from linear_icl.course.exercises._exercise import Exercise


@cache
def registry() -> Mapping[str, Exercise]:
    """Every exercise by its number. Read at the first question, for an import that stays quick."""
    found: dict[str, Exercise] = {}
    for chapter in range(1, 10):
        name = f"linear_icl.course.exercises.chapter_{chapter}"
        if importlib.util.find_spec(name):
            found |= {one.number: one for one in importlib.import_module(name).EXERCISES}
    return MappingProxyType(found)
