"""The main formulas, as their pages print them, against the package; a slip of the pen is seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from linear_icl.flow import gradient_flow
from linear_icl.shifts import SHIFTS
from linear_icl_book.exercises import registry

from tests.text import tex
from tests.text.formulas import FORMULAS
from tests.text.formulas.layer import escaping
from tests.text.page import text_of
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
    u = gradient_flow(one.case, one.case.start(one.sigma, one.Theta), times).states[1]
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


# ---- formulas without a number: rows of a table, solutions -------------------------------------

#: The rows of prp-garg-shifts, and what their shift is given.
ROWS: dict[str, dict[str, float]] = {
    "standard": {},
    "noisy_labels": {"variance": 0.64},
    "scaled_y": {"factor": 1.7},
    "scaled_x": {"factor": 1.7},
    "skewed": {},
    "half_subspace": {},
    "orthants": {},
    "orthogonal_query": {},
    "context_query": {},
}


def rows_of_shifts() -> list[list[str]]:
    """The risk of each row, and its limit."""
    body = text_of("distribution_shifts").partition(":label: prp-garg-shifts\n")[2]
    lines = [one for one in body.partition("\n:::")[0].splitlines() if one.startswith("| ")]
    cells = [line.strip("|").split(" | ")[1:] for line in lines[1:]]
    return [re.findall(r"^\s*\$([^$]+)\$", "\n".join(row), re.M) for row in cells]


@pytest.mark.parametrize("d", [4, 5])
def test_the_table_of_shifts_is_that_of_the_package(d: int) -> None:
    M, s, spectrum = 7, 0.6, np.arange(1.0, d + 1) ** -2
    spectrum *= d / spectrum.sum()
    powers = {f"p_{k}": (spectrum**k).sum() for k in (2, 3)}
    letters: dict[str, Any] = {
        "d": d,
        "M": M,
        "s": s,
        "c": 1.7,
        r"\sigma": 0.8,
        "r": d // 2,
        r"\pi": np.pi,
    }
    letters |= {r"\lambda": spectrum, "R_0": (s**2 * (M + d + 1) / M - 2 * s + 1)} | powers
    for printed, (name, given) in zip(rows_of_shifts(), ROWS.items(), strict=True):
        case, short = SHIFTS[name](d, **given), name == "orthogonal_query"
        for formula, step, length in zip(
            printed, (s, 1.0), (3 if short else M, 10**9), strict=False
        ):
            value = case.risk(step * torch.eye(d, dtype=torch.float64), length) / d
            said = tex.evaluate(statements(formula)[0][-1], letters)
            assert said == pytest.approx(float(value), rel=1e-6, abs=1e-6), (name, formula)


@pytest.mark.parametrize(
    ("number", "formula"),
    [("4.1", "ex-noise-length N=M"), ("6.1", r"ex-mean-dominates \|\beta^\ast\|^2\ge")],
)
def test_a_formula_of_a_solution_gives_the_answer(number: str, formula: str) -> None:
    exercise = registry()[number]
    noise = exercise.book.get("noise_variance", 0.0)
    letters = {**exercise.book, r"\sigma": noise**0.5}
    said = tex.evaluate(statements(source(formula))[0][-1], letters)
    assert said == pytest.approx(float(exercise.solve(**exercise.book)))
