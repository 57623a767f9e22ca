"""What a number of a page may be tied to, and whether it agrees."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.text.prose import CELL
from tests.text.scan import Number

ROOT = Path(__file__).resolve().parents[2]
BLANK = r"(-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)"


@dataclass(frozen=True)
class Given:
    """Nothing to compute: a setting, a definition, a count of words; `reason` says which."""

    reason: str


@dataclass(frozen=True)
class About:
    """The text says "about": `value` to the share `within`."""

    value: Any
    within: float


@dataclass(frozen=True)
class Claim:
    """A statement without a number, of an alt text for instance, and whether it holds."""

    holds: bool


@dataclass(frozen=True)
class Settled:
    """A phrase with a word of direction that claims nothing to compute; `reason` says why."""

    reason: str


@dataclass(frozen=True)
class Quoted:
    """What stands at the {} of `pattern` in the page's cells, or in what they print."""

    pattern: str
    where: str  # "cells" or "output"

    def values(self, page: str, text: str) -> list[Fraction]:
        wanted = BLANK.join(re.escape(part) for part in self.pattern.split("{}"))
        within = cells(text) if self.where == "cells" else output(page)
        found = set(re.findall(wanted, within))
        if len(found) != 1:
            raise ValueError(
                f"the {self.where} of {page} have {len(found)} different places like "
                f"{self.pattern!r}; one is needed"
            )
        values = found.pop()
        return [Fraction(v) for v in ((values,) if isinstance(values, str) else values)]


def given(reason: str) -> Given:
    return Given(reason)


def about(value: Any, within: float) -> About:
    return About(value, within)


def cell(pattern: str) -> Quoted:
    """The number at {} in the code of the page: cell("count={}")."""
    return Quoted(pattern, "cells")


def printed(pattern: str) -> Quoted:
    """The number at {} in what the page prints, by its reference: printed("largest N: {}")."""
    return Quoted(pattern, "output")


@functools.lru_cache(maxsize=32)
def cells(text: str) -> str:
    return "\n".join(found[0] for found in CELL.finditer(text))


@functools.cache
def output(page: str) -> str:
    file = ROOT / "tests" / "reference" / f"{page}.json"
    lines = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return "\n".join(line for cell in lines.values() for line in cell)


def expected(tie: Any, count: int, page: str, text: str) -> Sequence[Any]:
    """A value for each of `count` numbers: one value stands for all of them."""
    values: list[Any] = []
    for one in tie if isinstance(tie, tuple) else (tie,):
        values += one.values(page, text) if isinstance(one, Quoted) else [one]
    if len(values) == 1:
        return values * count
    if len(values) != count:
        raise ValueError(f"{len(values)} values for {count} numbers")
    return values


def agrees(number: Number, value: Any) -> bool:
    """Exactly for integers and fractions; to half a unit of the last digit for decimals."""
    if isinstance(value, Given) or value is Ellipsis:
        return True
    if isinstance(value, About):
        return math.isclose(number.value, value.value, rel_tol=value.within)
    if not isinstance(value, int | Fraction):
        value = float(value)
    if number.unit:
        return abs(float(number.value - value)) <= float(number.unit) * (0.5 + 1e-9)
    if isinstance(value, float) or isinstance(number.value, float):
        return math.isclose(number.value, value, rel_tol=1e-9)
    return bool(number.value == value)
