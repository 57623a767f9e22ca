"""The main formulas, as their pages print them, against the package; a slip of the pen is seen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from linear_icl.flow import gradient_flow

from tests.text.formulas import FORMULAS
from tests.text.formulas.layer import escaping
from tests.text.printed import Formula, faults, source, statements
from tests.text.slips import slips
from tests.text.ties import ROOT

MAIN = yaml.safe_load(Path(ROOT, "book", "main_results.yml").read_text("utf-8"))
RESULTS = Path(ROOT, "book", "source_results.yml").read_text("utf-8")


def made(name: str, seed: int) -> Formula:
    return FORMULAS[name](np.random.default_rng(seed))


def test_the_list_has_ten_theorems_of_the_book_and_each_formula_is_evaluated() -> None:
    assert len(MAIN) == 10
    assert {name for row in MAIN for name in row["formulas"]} <= set(FORMULAS)
    for label in (label for row in MAIN for label in row["labels"]):
        assert re.search(rf"\b{label}\b", RESULTS), f"{label} is not in source_results.yml"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", FORMULAS)
def test_the_printed_formula_is_that_of_the_package(name: str, seed: int) -> None:
    assert faults(source(name), made(name, seed)) == []


@pytest.mark.parametrize("name", FORMULAS)
def test_every_slip_is_seen(name: str) -> None:
    printed = source(name)
    settings = [made(name, seed) for seed in range(2)]
    unseen = [
        slip
        for slip in slips(printed)
        if statements(slip) != statements(printed)
        and not any(faults(slip, setting) for setting in settings)
    ]
    assert unseen == []
    assert len(list(slips(printed))) >= 2


@pytest.mark.parametrize("seed", range(3))
def test_the_bounds_of_the_escape_hold_on_flows(seed: int) -> None:
    one = escaping(np.random.default_rng(seed))
    low, high = one.bounds
    times = torch.linspace(0, 1.2 * high, 4001, dtype=torch.float64)
    u = gradient_flow(one.case, one.case.start(one.Theta, one.sigma), times).states[1]
    reached = float(times[int((u < one.h).sum())])
    assert low <= reached <= high


@pytest.mark.parametrize(
    ("name", "printed", "wrong"),
    [
        ("eq-prediction-risk", r"\frac1{N^2}\,a", r"\frac1{M^2}\,a"),
        ("eq-full-loss", r"-2\operatorname{tr}", r"-\operatorname{tr}"),
        ("eq-ltb-gap", "M+1", "M+2"),
    ],
)
def test_a_fault_of_the_page_is_said(name: str, printed: str, wrong: str) -> None:
    assert source(name).count(printed) == 1
    (fault,) = faults(source(name).replace(printed, wrong), made(name, 0))
    assert " is " in fault
