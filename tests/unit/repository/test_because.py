"""A number in the reason of a receipt is computed, stands in the page's code, or is tied here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import jupytext
import pytest

from tests.nbval_pages.reference import executable_pages
from tests.text.ties import ROOT

NUMBER = re.compile(r"(?<![\w.^])\d+(?:\.\d+)?(?:e-?\d+)?(?:/\d+)?(?![\w²³.])")
#: What else a number of a page may be.
TIED: Mapping[tuple[str, str], float] = {
    ("errata", "1e-6"): 10.0**-6,  # the ends of s = ln x there, by their powers of ten
    ("errata", "1e-5"): 10.0**-5,
    ("pl_convergence", "5/4"): (2 + 1 / 2) / 2,  # ½ tr Λ
    ("random_covariance", "1/3"): 1 / 3,  # quoted in tests/text/quotations.yml
    ("random_covariance", "0.8476"): (2 * 8 / 31) ** 0.25,  # (Σ ξ/γ)^¼ of erratum 8
    ("random_covariance", "1.25"): 1.0**2 + 0.5**2,  # ‖Θ‖²_F of erratum 14
}


def constants(tree: ast.AST) -> set[float]:
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {float(value) for value in found if isinstance(value, int | float)}


def reasons(tree: ast.AST) -> Iterator[str]:
    """What is typed in each `because`; what an f-string computes is left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "because":
            parts = (part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant))
            yield from (part for part in parts if isinstance(part, str))


def loose(name: str, cells: list[str]) -> list[str]:
    trees = [ast.parse(cell) for cell in cells]
    known = set().union(*map(constants, trees))
    return [
        f"{number} in {reason!r}"
        for tree in trees
        for reason in reasons(tree)
        for number in NUMBER.findall(reason)
        if float(Fraction(number)) not in known and not tied(name, number)
    ]


def tied(name: str, number: str) -> bool:
    """To half a unit of the last digit that is typed."""
    value = TIED.get((name, number))
    digits = len(number.partition(".")[2]) if "." in number else 12
    return value is not None and abs(value - float(Fraction(number))) <= 0.5 * 10.0**-digits


def code(page: Path) -> list[str]:
    return [cell.source for cell in jupytext.read(page).cells if cell.cell_type == "code"]


@pytest.mark.parametrize("page", executable_pages(ROOT), ids=lambda page: page.stem)
def test_the_numbers_of_reasons_hold(page: Path) -> None:
    assert loose(page.stem, code(page)) == []


def test_a_slip_in_a_reason_is_seen() -> None:
    page = ROOT / "book/random_covariance.md"
    for old, new in {"0.8476": "8.476", "1/3": "2/3", "800 steps": "900 steps"}.items():
        planted = [re.sub(f'(because="[^"]*){old}', rf"\g<1>{new}", cell) for cell in code(page)]
        assert len(loose(page.stem, planted)) == 1, new
