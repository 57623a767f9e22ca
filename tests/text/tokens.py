"""TeX cut into tokens, without what changes the look and not the sense."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\S", re.S)
# What changes the look and not the sense.
SILENT = re.compile(
    r"\\(?:[,;:! ]|[bB]igg?[lr]?|left|right|q?quad|textstyle|displaystyle|limits)$|~$"
)


@dataclass(frozen=True)
class Token:
    text: str
    start: int
    end: int


def tokens(tex: str) -> list[Token]:
    found = (Token(m[0], m.start(), m.end()) for m in TOKEN.finditer(tex))
    return [token for token in found if not SILENT.match(token.text)]
