"""Every number that a reader of a page meets, with its place, value and last printed digit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Any

from tests.text import algebra
from tests.text.prose import prose
from tests.text.tex import FRACTIONS, NotUnderstood, Parser
from tests.text.tokens import Token, tokens

FORMULA = re.compile(r"(?P<fence>\$\$?)(?P<tex>(?:\\.|[^$\\])+?)(?P=fence)", re.S)
PLAIN = re.compile(
    r"(?<![\w.^_])(?<!\w-)(?P<whole>\d+(?:[ ,]\d{3}(?!\d))*)(?P<part>\.\d+)?(?P<power>e-?\d+)?"
    r"(?P<percent>[ ]?%)?(?!\w|\.\d)|(?P<vulgar>[½¼¾⅓⅔⅛])"
)
VULGAR = dict(zip("½¼¾⅓⅔⅛", map(Fraction, ("1/2", "1/4", "3/4", "1/3", "2/3", "1/8")), strict=True))
UNITS = (
    "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# Smaller counts than four are words of every sentence, and left alone.
WORDS: dict[str, Fraction] = {
    **{word: Fraction(4 + k) for k, word in enumerate(UNITS)},
    **{word: Fraction(20 + 10 * k) for k, word in enumerate(TENS)},
    "hundred": Fraction(100),
    "thousand": Fraction(1000),
    "million": Fraction(10**6),
    "twice": Fraction(2),
    "half": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "quarters": Fraction(1, 4),
    "thirds": Fraction(1, 3),
    "a third": Fraction(1, 3),
    "one third": Fraction(1, 3),
    "a fifth": Fraction(1, 5),
    "a tenth": Fraction(1, 10),
}
WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(WORDS, key=len, reverse=True))})(?![\w])", re.I)
# Between these a formula is one thing said of one number.
BETWEEN = frozenset(
    (
        "=", "<", ">", ",", ";", ":", "&", r"\\", r"\le", r"\ge", r"\ne", r"\neq", r"\leq", r"\geq",
        r"\approx", r"\to", r"\longrightarrow", r"\in", r"\sim", r"\ll", r"\gg", r"\mid",
        r"\Rightarrow", r"\mapsto", r"\propto", r"\pm", r"\dots", r"\ldots", r"\cdots",
    )
)  # fmt: skip
NEUTRAL = frozenset(
    (*"()[]{}.-+/^_'", r"\{", r"\}", r"\cdot", r"\times", r"\%", r"\circ", r"\sqrt")
)


@dataclass(frozen=True)
class Number:
    """`unit` is that of the last printed digit, for what is rounded; 0 for what is exact."""

    start: int
    end: int
    text: str
    value: Any
    unit: Fraction = Fraction(0)

    @property
    def trivial(self) -> bool:
        """0, 1 and -1 are parts of a formula's form."""
        return self.text.strip("-+ ") in ("0", "1")


def numbers(shown: str) -> list[Number]:
    """The numbers of a page from which `prose.shown` has taken the cells, in its order."""
    text = prose(shown)
    found = [
        replace(n, start=n.start + formula.start("tex"), end=n.end + formula.start("tex"))
        for formula in FORMULA.finditer(text)
        for n in _in_formula(formula["tex"])
    ]
    rest = FORMULA.sub(lambda formula: re.sub(r"[^\n]", " ", formula[0]), text)
    found += [_plain(number) for number in PLAIN.finditer(rest)]
    found += [
        Number(word.start(), word.end(), word[0], WORDS[word[0].lower()])
        for word in WORD.finditer(rest)
    ]
    return sorted((n for n in found if not n.trivial), key=lambda n: n.start)


def _plain(found: re.Match[str]) -> Number:
    if found["vulgar"]:
        return Number(*found.span(), found[0], VULGAR[found[0]])
    digits = re.sub(r"[ ,]", "", found["whole"]) + (found["part"] or "") + (found["power"] or "")
    return Number(*found.span(), found[0], *rounded(digits, found["percent"] is not None))


def rounded(digits: str, percent: bool = False) -> tuple[Fraction, Fraction]:
    """The value, and the unit of the last digit if the number shows that it is rounded."""
    scale = Fraction(1, 100) if percent else Fraction(1)
    mantissa, _, exponent = digits.partition("e")
    places = len(mantissa.partition(".")[2])
    unit = Fraction(10) ** (int(exponent or 0) - places)
    return Fraction(digits) * scale, unit * scale if places or percent else Fraction(0)


@cache  # pages repeat most of their formulas
def _in_formula(tex: str) -> tuple[Number, ...]:
    text = re.sub(r"\\(?:text|mathrm|label|tag)\{[^}]*\}", lambda t: " " * len(t[0]), tex)
    found: list[Number] = []
    member: list[Token] = []
    for token in [*tokens(text), Token(",", 0, 0)]:
        if token.text in BETWEEN and not _in_subscript(member):
            found += _in_member(member, text)
            member = []
        else:
            member.append(token)
    return tuple(found)


def _in_subscript(member: list[Token]) -> bool:
    """Within the braces of an index, i=1 or i\\ge2."""
    depth = 0
    for at in reversed(range(len(member))):
        depth += (member[at].text == "}") - (member[at].text == "{")
        if depth < 0:
            return at > 0 and member[at - 1].text in ("_", "^")
    return False


def _in_member(member: list[Token], text: str) -> Iterator[Number]:
    """All numbers of a member without letters; beside letters, those that are no small integers."""
    member = _without_indices(member)
    has_letters = any(
        not (token.text in NEUTRAL or token.text in FRACTIONS or token.text.isdigit())
        and token.text != r"\operatorname"
        for token in _without_diag(member)
    )
    at = 0
    while at < len(member):
        found = _longest(member, at, has_letters)
        if found is None:
            at += 1
            continue
        value, end = found
        first, last = _without_brackets(member, at, end)
        printed = text[first.start : last.end]
        percent = end < len(member) and member[end].text == r"\%"
        if not has_letters or re.search(r"\d\d|\.\d", re.sub(r"\\\w+|[{}]", " ", printed)):
            yield _number(printed, value, percent, first.start, last.end)
        at = end


def _without_brackets(member: list[Token], at: int, end: int) -> tuple[Token, Token]:
    """The first and last token of a number, inside the brackets if all of it stands in them."""
    depths = list(accumulate((t.text in "([") - (t.text in ")]") for t in member[at:end]))
    enclosed = member[at].text in "([" and 0 not in depths[:-1]
    return member[at + enclosed], member[end - 1 - enclosed]


def _without_indices(member: list[Token]) -> list[Token]:
    """Drops _i, _{12}, ^\\top, and the power of a letter, ^2 or ^{-1}."""
    kept: list[Token] = []
    at = 0
    while at < len(member):
        of_number = kept and (kept[-1].text.isdigit() or kept[-1].text in ")}")
        raised = member[at].text == "^"
        if raised and of_number and at + 1 < len(member):
            raised = member[at + 1].text == r"\top"
        if member[at].text == "_" or raised:
            at = _after_argument(member, at + 1)
        else:
            kept.append(member[at])
            at += 1
    return kept


def _without_diag(member: list[Token]) -> list[Token]:
    """\\operatorname{diag} makes no letter of a member."""
    texts = [token.text for token in member]
    for at in range(len(texts) - 6):
        if texts[at : at + 7] == [r"\operatorname", *"{diag}"]:
            return member[:at] + _without_diag(member[at + 7 :])
    return member


def _after_argument(member: list[Token], at: int) -> int:
    depth = 0
    while at < len(member):
        depth += (member[at].text == "{") - (member[at].text == "}")
        at += 1
        if depth == 0:
            return at
    return at


def _longest(member: list[Token], at: int, has_letters: bool) -> tuple[Any, int] | None:
    """The value of the number that begins at `at`, and where it ends.

    Beside letters a sum is cut to its first product: ½ + 3t has the number ½.
    """
    beside_letters = has_letters and member[at].text not in "(["
    if not (member[at].text.isdigit() or member[at].text in (*FRACTIONS, r"\sqrt", "(", "[", "-")):
        return None
    for read in (Parser.product, Parser.factor) if beside_letters else (Parser.sum, Parser.factor):
        parser = Parser(member, {}, at)
        try:
            value = algebra.settled(read(parser)({}))
        except (NotUnderstood, ArithmeticError, ValueError):
            continue
        return value, parser.at
    return None


def _number(printed: str, value: Any, percent: bool, start: int, end: int) -> Number:
    digits = re.sub(r"\\[,;! ]|\s|\{|\}", "", printed)
    if re.fullmatch(r"\d+\.\d+|\d+", digits):
        return Number(start, end, printed, *rounded(digits, percent))
    decimal = re.fullmatch(r"(\d+(?:\.\d+)?)\\cdot10\^(-?\d+)", digits)
    if decimal:
        return Number(start, end, printed, *rounded(f"{decimal[1]}e{decimal[2]}", percent))
    value = Fraction(value) if isinstance(value, int) else value
    return Number(start, end, printed, value / 100 if percent else value)
