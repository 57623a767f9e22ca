"""A formula as a page prints it, cut into statements, and its comparison with computed values."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.text import tex
from tests.text.page import pages, text_of
from tests.text.tex import NotUnderstood
from tests.text.tokens import Token, tokens

RELATIONS = frozenset(
    (*"=<>", r"\le", r"\ge", r"\to", r"\longrightarrow", r"\longmapsto", r"\succeq", ":=")
)
ENVIRONMENTS = re.compile(r"\\(?:begin|end)\{(?:gathered|aligned|split)\}|&")
STATEMENTS = re.compile(r",?\s*\\qquad|\\quad|\\\\(?:\[\w+\])?(?!\s*\{\})")


@dataclass(frozen=True)
class Formula:
    """Letters with their values, and for each statement what its members are.

    A member is a value, a text that must stand there (relations too), or ... for what is not
    evaluated. `letters` holds vectors as columns, and families with an index with one axis more.
    """

    letters: Mapping[str, Any]
    says: Sequence[Sequence[Any]]


@functools.cache
def source(name: str) -> str:
    """The TeX of a display, "eq-mu", or of a formula in a result's text, "lem-pl \\mu=" """
    label, _, beginning = name.partition(" ")
    for page in pages():
        text = text_of(page)
        if beginning and f":label: {label}\n" in text:
            body = text.partition(f":label: {label}\n")[2].partition("\n:::")[0]
            found = re.findall(r"(?<!\$)\$(" + re.escape(beginning) + r"[^$]*)\$", body)
            return _one(found, name)
        if f"$$ ({label})" in text:
            return _one(re.findall(rf"\$\$\n((?:[^$]|\\\$)*)\n\$\$ \({label}\)", text), name)
    raise LookupError(f"no page prints {name}")


def _one(found: list[str], name: str) -> str:
    if len(found) != 1:
        raise LookupError(f"{name} is printed {len(found)} times")
    return found[0]


def statements(formula: str) -> list[list[str]]:
    """Members and relations in turn, of each statement: a=b, c≤d is [[a, =, b], [c, ≤, d]]."""
    plain = ENVIRONMENTS.sub("", formula.replace(r"\ ", " "))
    plain = re.sub(r"\\\\\s*\{\}", "", plain)
    parts = [part.strip().rstrip(",.;:").strip() for part in STATEMENTS.split(plain)]
    return [list(_chain(part)) for part in parts if part]


def _chain(statement: str) -> Iterator[str]:
    depth, begun = 0, 0
    for token in tokens(statement):
        depth += _opens(token)
        if token.text in RELATIONS and depth == 0:
            yield statement[begun : token.start].strip()
            yield token.text
            begun = token.end
    yield statement[begun:].strip()


def _opens(token: Token) -> int:
    return (token.text in (*"([{", r"\{")) - (token.text in (*")]}", r"\}"))


def faults(formula: str, wanted: Formula) -> list[str]:
    """What the printed formula says otherwise than the values do."""
    found = statements(formula)
    if [len(one) for one in found] != [len(one) for one in wanted.says]:
        return [f"{formula!r} has other statements: {found}"]
    pairs = [
        (member, value)
        for said, values in zip(found, wanted.says, strict=True)
        for member, value in zip(said, values, strict=True)
    ]
    return [fault for member, value in pairs if (fault := _fault(member, value, wanted.letters))]


def _fault(member: str, value: Any, letters: Mapping[str, Any]) -> str | None:
    if value is Ellipsis:
        return None
    if isinstance(value, str):
        return None if _same(member, value) else f"{member!r} stands where {value!r} belongs"
    try:
        printed = tex.evaluate(member, letters)
    except (NotUnderstood, ArithmeticError, ValueError, IndexError, KeyError) as error:
        return f"{member!r}: {error}"
    printed, value = np.asarray(printed, dtype=float), np.asarray(value, dtype=float)
    if printed.shape != value.shape:
        return f"{member!r} has shape {printed.shape}, not {value.shape}"
    near = np.allclose(printed, value, rtol=1e-8, atol=1e-10 * np.abs(value).max())
    return None if near else f"{member!r} is {printed}, not {value}"


def _same(left: str, right: str) -> bool:
    return [t.text for t in tokens(left)] == [t.text for t in tokens(right)]
