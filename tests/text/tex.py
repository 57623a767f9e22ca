"""The fragment of TeX in which the book writes formulas, evaluated with numbers for its letters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from tests.text import algebra
from tests.text.algebra import Value
from tests.text.tokens import Token, tokens

Letters: TypeAlias = Mapping[str, Value]
Meaning: TypeAlias = Callable[[Letters], Value]

CLOSING = {"(": ")", "[": "]", r"\{": r"\}", "{": "}"}
FRACTIONS = (r"\frac", r"\tfrac", r"\dfrac")


class NotUnderstood(ValueError):
    """A formula outside the fragment, or a letter without a value."""


def evaluate(tex: str, letters: Letters) -> Value:
    """The value of one expression. `letters` maps TeX, such as r"\\Gamma", to a number or matrix;

    a vector of numbers (one-dimensional) is read with an index, r"\\lambda" as \\lambda_i.
    """
    parser = Parser(tokens(tex), letters)
    meaning = parser.sum()
    if parser.here:
        raise NotUnderstood(f"{tex!r} cannot be read from {parser.here!r} on")
    return algebra.settled(meaning(letters))


def names(letters: Iterable[str]) -> dict[tuple[str, ...], str]:
    """Each letter's tokens; \\beta^\\ast is a letter of three."""
    return {tuple(token.text for token in tokens(name)): name for name in letters}


@dataclass
class Parser:
    """Recursive descent; every method reads from `at` on and returns what it means."""

    read: list[Token]
    letters: Letters
    at: int = 0
    names: dict[tuple[str, ...], str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = names(self.letters)

    @property
    def here(self) -> str:
        return self.read[self.at].text if self.at < len(self.read) else ""

    def take(self, *expected: str) -> str:
        text = self.here
        if not text or (expected and text not in expected):
            raise NotUnderstood(f"{text or 'the end'!r} where {' or '.join(expected)} belongs")
        self.at += 1
        return text

    def sum(self) -> Meaning:
        sign = self.take() if self.here in ("-", "+") else "+"
        parts = [(sign, self.product())]
        while self.here in ("-", "+"):
            parts.append((self.take(), self.product()))
        return lambda v: _total([(s, part(v)) for s, part in parts])

    def product(self) -> Meaning:
        whole = self.factor()
        while True:
            if self.here in (r"\cdot", r"\times"):
                self.take()
                whole = _both(algebra.times, whole, self.factor())
            elif self.here == "/":
                self.take()
                whole = _both(algebra.over, whole, self.factor())
            elif self.starts_factor() and not (self.here.isdigit() and self._after_digit()):
                whole = _both(algebra.times, whole, self.factor())
            else:
                return whole

    def _after_digit(self) -> bool:
        return self.read[self.at - 1].text.isdigit()

    def starts_factor(self) -> bool:
        return (
            (self.here in BEGIN and not self._closes_norm())
            or self.here.isdigit()
            or self._letter() is not None
        )

    def _closes_norm(self) -> bool:
        """‖ opens and closes: an even number of them before this one, and it opens."""
        before = sum(token.text == r"\|" for token in self.read[: self.at])
        return self.here == r"\|" and before % 2 == 1

    def factor(self) -> Meaning:
        return self.powers(self.atom())

    def powers(self, base: Meaning) -> Meaning:
        while self.here == "^":
            self.take()
            if self._is_transpose():
                base = _one(lambda value: algebra.settled(np.transpose(value)), base)
            else:
                base = _both(algebra.power, base, self.argument())
        return base

    def _is_transpose(self) -> bool:
        """Takes `\\top` or `{\\top}` if it stands here."""
        for form in ([r"\top"], ["{", r"\top", "}"]):
            if [token.text for token in self.read[self.at : self.at + len(form)]] == form:
                self.at += len(form)
                return True
        return False

    def argument(self) -> Meaning:
        """What \\frac, \\sqrt or ^ applies to: a group, a digit or a letter."""
        if self.here == "{":
            return self.bracketed()
        if self.here.isdigit():
            digit = int(self.take())
            return lambda _: digit
        return self.atom()

    def bracketed(self) -> Meaning:
        closing = CLOSING[self.take(*CLOSING)]
        inside = self.sum()
        self.take(closing)
        return inside

    def atom(self) -> Meaning:
        if self.here.isdigit():
            return self.number()
        if (name := self._letter()) is not None:
            return self.letter(name)
        if self.here in CLOSING:
            return self.bracketed()
        if self.here == r"\|":
            return self.norm()
        if self.here in FRACTIONS:
            self.take()
            return _both(algebra.over, self.argument(), self.argument())
        if self.here == r"\sqrt":
            self.take()
            return _one(lambda value: algebra.power(value, Fraction(1, 2)), self.argument())
        if self.here in OPERATORS:
            return OPERATORS[self.take()](self)
        raise NotUnderstood(f"{self.here or 'the end'!r} has no value")

    def number(self) -> Meaning:
        digits = self.take()
        while self._joins() and (
            self.here.isdigit() or (self.here == "." and self._digit_follows())
        ):
            digits += self.take()
        value = Fraction(digits)
        return lambda _: value

    def _joins(self) -> bool:
        """Nothing but a thin space is between this token and the last one."""
        return bool(self.here) and self.read[self.at].start - self.read[self.at - 1].end <= 2

    def _digit_follows(self) -> bool:
        return self.at + 1 < len(self.read) and self.read[self.at + 1].text.isdigit()

    def _letter(self) -> str | None:
        """The longest letter that stands here."""
        longest = min(max(map(len, self.names), default=0), len(self.read) - self.at)
        for length in range(longest, 0, -1):
            key = tuple(token.text for token in self.read[self.at : self.at + length])
            if key in self.names:
                return self.names[key]
        return None

    def letter(self, name: str) -> Meaning:
        self.at += len(tokens(name))
        value = self.letters[name]
        if not (isinstance(value, np.ndarray) and value.ndim != 2):
            return lambda v: v[name]
        index = self.index()
        if len(index) == 2 and index.isalpha() and index[0] == index[1]:
            index = index[0]  # the diagonal of a matrix, given as a vector
        return lambda v: v[name][v["index " + index] if index.isalpha() else int(index) - 1]

    def index(self) -> str:
        """The subscript, as text."""
        self.take("_")
        if self.here != "{":
            return self.take()
        start = self.at
        while self.take() != "}":
            pass
        return "".join(token.text for token in self.read[start + 1 : self.at - 1])

    def norm(self) -> Meaning:
        self.take(r"\|")
        inside = self.sum()
        self.take(r"\|")
        which = self.index() if self.here == "_" else ""
        return lambda v: algebra.norm(inside(v), which.strip("{}"), dict(v))

    def operand(self) -> Meaning:
        """tr(A)B is tr(A) times B, and trA² the trace of A²."""
        if self.here in ("(", "[", r"\{"):
            return self.bracketed()
        return self.factor()

    def operator_name(self) -> Meaning:
        self.take("{")
        name = ""
        while self.here != "}":
            name += self.take()
        self.take("}")
        if name == "diag":
            return self.each("i", self.bracketed, np.diag)
        if name not in FUNCTIONS:
            raise NotUnderstood(rf"\operatorname{{{name}}} has no meaning here")
        return _one(FUNCTIONS[name], self.operand())

    def over_index(self, gather: Callable[[Iterable[Value]], Value]) -> Meaning:
        """\\sum_i, \\sum_{i=1}^d, \\sum_{i\\ge2}, \\min_i, and \\min(a, b) of two numbers."""
        if self.here == "(":
            self.take()
            left, _, right, _ = self.sum(), self.take(","), self.sum(), self.take(")")
            return lambda v: gather([left(v), right(v)])
        index = self.index()
        if self.here == "^":
            self.take()
            self.argument()
        limits = re.fullmatch(r"([a-z])(?:(=|\\ge|>)(\d))?", index)
        if limits is None:
            raise NotUnderstood(f"an index {index!r}")
        return self.each(limits[1], self.product, gather, int(limits[3] or 1) - (limits[2] != ">"))

    def each(
        self, index: str, body: Callable[[], Meaning], gather: Callable[..., Value], first: int = 0
    ) -> Meaning:
        """Over all entries of the letters that carry the index."""
        meaning = body()
        return lambda v: gather(
            [meaning({**v, "index " + index: i}) for i in range(first, _entries(v))]
        )


def _entries(letters: Letters) -> int:
    sizes = {len(v) for v in letters.values() if isinstance(v, np.ndarray) and v.ndim != 2}
    if len(sizes) != 1:
        raise NotUnderstood(f"an index over letters of {len(sizes)} lengths")
    return sizes.pop()


def _total(parts: list[tuple[str, Value]]) -> Value:
    total = None
    for sign, value in parts:
        signed = algebra.times(-1, value) if sign == "-" else value
        total = signed if total is None else algebra.plus(total, signed)
    return total


def _one(function: Callable[[Value], Value], part: Meaning) -> Meaning:
    return lambda v: function(part(v))


def _both(function: Callable[[Value, Value], Value], left: Meaning, right: Meaning) -> Meaning:
    return lambda v: function(left(v), right(v))


def _function(name: str) -> Callable[[Parser], Meaning]:
    return lambda parser: _one(FUNCTIONS[name], parser.operand())


FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "tr": lambda value: float(np.trace(value)),
    "diag": lambda value: value,
    "ln": lambda value: math.log(value),
    "exp": lambda value: math.exp(value),
}
OPERATORS: dict[str, Callable[[Parser], Meaning]] = {
    r"\operatorname": Parser.operator_name,
    r"\ln": _function("ln"),
    r"\sum": lambda parser: parser.over_index(sum),
    r"\min": lambda parser: parser.over_index(min),
    r"\max": lambda parser: parser.over_index(max),
}
BEGIN = frozenset((*FRACTIONS, *CLOSING, r"\|", r"\sqrt", *OPERATORS))
