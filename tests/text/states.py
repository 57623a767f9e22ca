"""Words of the prose that set a figure: the numbers that they say are those that they set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.text.scan import numbers

LINK = re.compile(r"\{(?:set|figure-at)\}`(?P<words>[^`<]+?)\s*<(?P<state>[^`<>]+)>`", re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
TENTHS = {"one": 1, "two": 2, "three": 3, "seven": 7, "eight": 8, "nine": 9}
# Words that say a number without naming it.
SAID = {
    r"\b(?:zero|nothing|empty|[Ww]ithout|exact)\b": 0.0,
    r"\b(?:[Dd]oubled|twice)\b": 2.0,
    r"\ba hundred thousand\b": 1e5,
    r"\b[Oo]ne and a half\b": 1.5,
}


@dataclass(frozen=True)
class Link:
    words: str
    state: str

    def said(self) -> set[float]:
        """The numbers that the words say."""
        words, found = self.words, set()
        for power in re.finditer(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", words):
            found.add(10.0 ** int(power[1].translate(RAISED)))
        words = re.sub(r"10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", "", words)
        for tenths in re.finditer(rf"\b({'|'.join(TENTHS)}) tenths\b", words):
            found.add(TENTHS[tenths[1]] / 10)
        words = re.sub(r"\b\w+ tenths\b", "", words)
        for pattern, value in SAID.items():
            if re.search(pattern, words):
                found.add(value)
                words = re.sub(pattern, "", words)
        return found | {float(number.value) for number in numbers(words)}

    def set(self) -> set[float]:
        """The numbers to which controls are set, names of a menu included ("random, c = 4"); of a
        list (0, 0) the one that all its entries are."""
        values = [part.partition("=")[2] for part in re.split("[;:]", self.state)]
        found = [{float(number) for number in NUMBER.findall(value)} for value in values]
        return {number for numbers in found if len(numbers) == 1 for number in numbers}


def links(page: str) -> Iterator[Link]:
    for found in LINK.finditer(page):
        yield Link(" ".join(found["words"].split()), " ".join(found["state"].split()))


def faults(page: str) -> list[str]:
    return [
        f"{link.words!r} says {sorted(link.said() - link.set())}, and sets {link.state!r}"
        for link in links(page)
        if not link.said() <= link.set()
    ]
