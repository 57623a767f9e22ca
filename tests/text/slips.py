"""Slips of the pen: each way in which a formula is easily misprinted, one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator

TURNED = {"+": "-", "-": "+", r"\min": r"\max", r"\le": r"\ge", r"\ge": r"\le"}
EXCHANGED = {"M": "N", "N": "M", r"\Gamma": r"\Lambda", r"\Psi": "H", r"\tau": r"\sigma"}


def slips(formula: str) -> Iterator[str]:
    """Digits one more, signs and relations turned, letters exchanged, a factor, a power dropped."""
    for digit in re.finditer(r"\d", formula):
        yield _at(formula, digit, str((int(digit[0]) + 1) % 10))
    for old, new in {**TURNED, **EXCHANGED}.items():
        whole = re.escape(old) + (r"(?![A-Za-z])" if old[-1].isalpha() else "")
        for found in re.finditer(whole, formula):
            yield _at(formula, found, new)
    for found in re.finditer(r"\\t?frac(?![a-z])|\\operatorname", formula):
        yield _at(formula, found, "2" + found[0])
    for found in re.finditer(r"\^2|\^\{[^}]*\}|\\sqrt", formula):
        yield _at(formula, found, "")


def _at(formula: str, found: re.Match[str], new: str) -> str:
    return formula[: found.start()] + new + formula[found.end() :]
