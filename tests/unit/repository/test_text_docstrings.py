"""Formulas of docstrings give what their function gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml

from tests import text
from tests.text.docstrings import DOCSTRINGS, Said, not_evaluated, public
from tests.text.docstrings_landscapes import LANDSCAPES
from tests.text.docstrings_moments import MOMENTS
from tests.text.plain import as_tex
from tests.text.printed import Formula, faults
from tests.text.slips import slips

ROWS = (*DOCSTRINGS, *MOMENTS, *LANDSCAPES)


def wrong(said: Said, formula: str, seed: int) -> list[str]:
    letters, value = said.make(np.random.default_rng(seed))
    return faults(formula, Formula(letters, [value if isinstance(value, tuple) else (value,)]))


@pytest.mark.parametrize("said", ROWS, ids=lambda said: said.name)
def test_the_docstring_has_the_formula_and_it_is_right(said: Said) -> None:
    assert said.printed == 1
    assert [fault for seed in range(3) for fault in wrong(said, as_tex(said.formula), seed)] == []


@pytest.mark.parametrize("said", ROWS, ids=lambda said: said.name)
def test_every_slip_is_seen(said: Said) -> None:
    tex = as_tex(said.formula)
    unseen = [slip for slip in slips(tex) if not (wrong(said, slip, 0) or wrong(said, slip, 1))]
    assert unseen == []
    assert list(slips(tex))


def test_plain_characters_become_tex() -> None:
    assert as_tex("½‖Γ⁻¹a‖²_Λ/N²").replace(" ", "") == (
        r"\frac12\|\Gamma^{-1}a\|_{\Lambda}^{2}/N^{2}"
    )


def test_the_fault_that_escaped_once_is_seen() -> None:
    said = DOCSTRINGS[0]
    assert wrong(said, as_tex("(1 + 1/N)Λ + (tr Λ/(2N)) I"), 0)


def test_a_formula_without_a_row_is_listed_with_a_reason() -> None:
    listed = (Path(text.__file__).parent / "docstrings_left.yml").read_text("utf-8")
    known = Counter[str]()
    for rows in yaml.safe_load(listed).values():
        known.update(rows)
    found = {
        name: left
        for name, docstring in public()
        if (left := not_evaluated(docstring, [said.formula for said in ROWS if said.whose == name]))
    }
    assert {name: left for name, left in found.items() if len(left) != known[name]} == {}
    assert known.keys() <= found.keys(), "the list names a docstring that has no such formula"


def test_what_counts_as_a_formula_without_a_row() -> None:
    said = "With k = 2, α = r(r + 1)/d, β = -r. Then risk = x(α² + 1), M = 3: p = q."
    assert not_evaluated(said, []) == ["r(r + 1)/d", "-r", "x(α² + 1)"]
    assert not_evaluated(said, ["r(r + 1)/d", "α² + 1"]) == ["-r"]
