"""All exercises of the book, in its order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from ._exercise import Exercise


@cache
def registry() -> Mapping[str, Exercise]:
    """Every exercise by its number. The chapters are read at the first question."""
    chapters = (import_module(f"{__package__}.chapter_{k}") for k in range(1, 10))
    found = {one.number: one for chapter in chapters for one in chapter.EXERCISES}
    return MappingProxyType(found)
