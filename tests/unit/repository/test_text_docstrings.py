"""Formulas of docstrings give what their function gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.text.docstrings import DOCSTRINGS, Said
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
