"""Numbers of exercise texts against the registry, which checks the answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from linear_icl_book.exercises import registry

from tests.text.scan import Number

BLOCK = re.compile(
    r"^```\{exercise-start\}.*?\n:label: (?P<label>[\w-]+)\n```\n(?P<text>.*?)^```\{exercise-end\}",
    re.M | re.S,
)
# What an exercise has without saying so: Λ = diag(2, ½), N = 8, d = 2.
RUNNING_EXAMPLE = {Fraction(2), Fraction(1, 2), Fraction(8)}
# Registry entries that the text says in other words.
ELSEWHERE = {
    ("ex-head-start", "chance"): "nine of ten",
}
GREEK = {"noise_variance": r"\sigma^2", "noise": r"\sigma^2"}
BOOK: dict[str, Mapping[str, Any]] = {
    exercise.label: exercise.book for exercise in registry().values()
}


def blocks(shown: str) -> Iterator[re.Match[str]]:
    return BLOCK.finditer(shown)


def flat(value: Any) -> Iterator[Fraction]:
    """The numbers of an entry of `Exercise.book`, tuples taken apart; text has none."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from flat(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Fraction(value).limit_denominator(10**9)


def tied(block: re.Match[str], numbers: Iterable[Number]) -> set[Number]:
    """The numbers of the text that the registry has."""
    known = {abs(value) for value in flat(list(BOOK.get(block["label"], {}).values()))}
    within = [n for n in numbers if block.start() <= n.start < block.end()]
    return {n for n in within if isinstance(n.value, Fraction) and abs(n.value) in known}


def faults(block: re.Match[str], numbers: Iterable[Number]) -> Iterator[str]:
    """Numbers of the registry that the text lacks, or gives to another letter."""
    book = BOOK.get(block["label"], {})
    said = {abs(n.value) for n in numbers if block.start() <= n.start < block.end()}
    for name, entry in book.items():
        if (block["label"], name) in ELSEWHERE:
            continue
        for value in flat(entry):
            if abs(value) not in said | RUNNING_EXAMPLE | {Fraction(0), Fraction(1)}:
                yield f"{block['label']}: {name} = {value} of the registry is not in the text"
        if isinstance(entry, int) and (other := _by_letter(block["text"], name, entry)):
            yield f"{block['label']}: the text has {name} = {other}, the registry {entry}"


def _by_letter(text: str, name: str, value: int) -> str | None:
    """What the text gives to this letter in place of `value`."""
    letter = GREEK.get(name, name if len(name) == 1 else "\\" + name)
    said = re.findall(rf"(?<![\w\\]){re.escape(letter)}=(\d+)", text)
    return said[0] if said and str(value) not in said else None
