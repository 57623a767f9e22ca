"""Receipts judge, refuse what they could not see, and are judged again from their record."""

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
import torch
from linear_icl_book import ReceiptError, receipt, receipts


@pytest.fixture(autouse=True)
def fresh_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "log", [])
    monkeypatch.delenv("LINEAR_ICL_RECEIPTS", raising=False)


GOOD: dict[str, tuple[tuple[Any, Any], dict[str, Any]]] = {
    "float": ((1.25, 1.25 + 1e-12), {"tolerance": 1e-9, "because": "rounding"}),
    "tensor": ((torch.eye(2), torch.eye(2) + 1e-12), {"tolerance": 1e-9, "because": "rounding"}),
    "Monte Carlo": ((2.0, 2.01), {"standard_error": 0.005, "resolution": 0.03}),
    "Monte Carlo array": (
        (np.array([1.0, 2.0]), [1.01, 2.01]),
        {"standard_error": np.array([0.005, 0.01]), "resolution": 0.05},
    ),
    "fraction": ((Fraction(9, 8), Fraction(9, 8)), {}),
    "fraction array": (([[Fraction(9, 8), 0]], [[Fraction(9, 8), 0]]), {}),
    "sympy": ((sympy.Rational(1, 3), Fraction(1, 3)), {}),
    "integer tensor": ((torch.tensor([3, 5]), [3, 5]), {}),
    "upper bound": ((1.0, 0.99), {"relation": "<=", "resolution": 0.02}),
    "lower bound": ((0.99, 1.0), {"relation": ">=", "resolution": 0.02}),
    "negative upper bound": ((-0.99, -1.0), {"relation": "<=", "resolution": 0.02}),
    "bound by Monte Carlo": (
        (1.0, 1.001),
        {"relation": "<=", "standard_error": 0.001, "resolution": 0.01},
    ),
    "exact bound": ((2, 2), {"relation": "<="}),
}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.16, "because": "x", "resolution": 0.2}, r"at most 0.15, got 0.2; use a s"),
        (
            {"standard_error": 0.01, "resolution": 0.11},
            "at most 0.1 with a standard error, got 0.11",
        ),
        ({"standard_error": 0.01, "resolution": 0.9}, "got 0.9; draw more"),
    ],
)
def test_an_equality_is_never_blunt(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        receipt("lem-balance", 1.0, 1.0, **options)
    assert receipts.log == []
    receipt("lem-balance", 1.0, 0.2, relation="<=", resolution=0.9)  # a bound states its slack


def test_a_damaged_record_is_named_with_its_cure(tmp_path: Path) -> None:
    for damage in ('[{"label": "lem', '[{"label": "lem-pl"}]', "[1]", "7"):
        (tmp_path / "page.json").write_text(damage)
        with pytest.raises(ValueError, match=r"got .*page.json, damaged: .*pytest --nbval book"):
            receipts.read(tmp_path / "page.json")


@pytest.mark.parametrize("name", GOOD)
def test_a_true_claim_is_kept_and_every_moved_prediction_is_refused(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sides, options = GOOD[name]
    receipt("lem-balance", *sides, **options)
    assert capsys.readouterr().out.count("\n") == 1 + ("because" in options)
    (kept,) = receipts.log
    moved = list(kept.moved())
    assert len(moved) == kept.predicted.size * (2 if kept.relation == "==" else 1)
    assert kept.can_fail() == (not any(kept.holds(prediction) for prediction in moved))
    for prediction in moved:
        assert not np.array_equal(prediction, kept.predicted)
        assert not kept.holds(prediction)


@pytest.mark.parametrize("name", GOOD)
def test_the_record_is_judged_like_the_receipt(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "receipts" / "chapter.json"
    monkeypatch.setenv("LINEAR_ICL_RECEIPTS", str(path))
    sides, options = GOOD[name]
    receipt("lem-balance", *sides, **options)
    (again,), (kept,) = receipts.read(path), receipts.log
    assert again.to_json() == kept.to_json() and again.row() == kept.row()
    assert again.holds() and again.can_fail()


def test_each_run_writes_all_its_receipts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "chapter.json"
    monkeypatch.setenv("LINEAR_ICL_RECEIPTS", str(path))
    receipt("lem-pl", 3, 3)
    receipt("thm-limit", Fraction(1, 2), Fraction(1, 2))
    assert [entry.label for entry in receipts.read(path)] == ["lem-pl", "thm-limit"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["chapter.json"]


@pytest.mark.parametrize(
    ("sides", "options"),
    [
        ((1.0, 1.0 + 2e-9), {"tolerance": 1e-9, "because": "rounding"}),
        (([1.0, 2.0], [1.0, 2.1]), {"tolerance": 1e-2, "because": "rounding"}),
        ((1.0, 1.05), {"standard_error": 0.01}),
        ((Fraction(9, 8), Fraction(9, 7)), {}),
        ((1.0, 1.0 + 1e-12), {"relation": "<="}),
        ((1.0, 1.0 - 1e-12), {"relation": ">="}),
        ((1, 2), {"relation": "<="}),
        ((1.0, 1.05), {"relation": "<=", "standard_error": 0.01}),
    ],
)
def test_a_false_claim_raises_with_both_values_and_is_not_kept(
    sides: tuple[Any, Any], options: dict[str, Any]
) -> None:
    with pytest.raises(ReceiptError, match=r"lem-pl: .* is false.*predicted .*, measured .*off by"):
        receipt("lem-pl", *sides, **options)
    assert receipts.log == []


@pytest.mark.parametrize(
    ("sides", "options", "needed"),
    [
        ((1.0, 1.0), {"tolerance": 0.02, "because": "rough"}, 0.02),
        ((1.0, 1.0), {"standard_error": 0.01}, 0.04),
        ((1.0, 0.5), {"relation": "<="}, 0.5),
        ((0.5, 1.0), {"relation": ">="}, 0.5),
        ((1.0, 0.0), {"relation": "<="}, 1.0),  # a sign claim: its other side is zero
        ((0.0, 1e-17), {"tolerance": 1e-12, "because": "rounding"}, 1e5),
        ((10, 5), {"relation": "<="}, 0.5),
    ],
)
def test_a_check_that_cannot_fail_is_an_error_that_names_the_resolution(
    sides: tuple[Any, Any], options: dict[str, Any], needed: float
) -> None:
    with pytest.raises(ReceiptError, match="this check cannot see a change of 1 %") as caught:
        receipt("lem-pl", *sides, **options)
    stated = float(str(caught.value).rsplit(">", 1)[1])
    assert stated == pytest.approx(needed, rel=1e-3)
    if stated < 0.9:
        receipt("lem-pl", *sides, **options, resolution=stated * 1.01)
        with pytest.raises(ReceiptError, match="cannot see"):
            receipt("lem-pl", *sides, **options, resolution=stated * 0.99)


def test_one_blind_entry_is_enough_to_refuse() -> None:
    """An entry judged by a wide standard error hides beside well-measured ones."""
    with pytest.raises(ReceiptError, match="cannot see"):
        receipt("lem-pl", [1.0, 1.0], [1.0, 1.0], standard_error=[1e-3, 0.1])


TOLERANT = {"tolerance": 1e-9, "because": "rounding"}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("Theorem 1", 1, 1), {}, "label must be a book label such as 'thm-limit'"),
        (("thm_limit", 1, 1), {}, "label must be a book label"),
        (("lem-pl", 1, 1), {"relation": "<"}, "relation must be one of ==, <=, >=, got '<'"),
        (("lem-pl", 1.0, 1.0), {}, "needs a tolerance or a standard_error, got none"),
        (("lem-pl", 1.0, 1.0), {"tolerance": 1e-9}, "a tolerance comes with its reason"),
        (("lem-pl", 1.0, 1.0), {"tolerance": 1e-9, "because": " "}, "comes with its reason"),
        (("lem-pl", 1.0, 1.0), dict(TOLERANT, standard_error=1.0), "got both"),
        (("lem-pl", 1, 1), TOLERANT, "two exact sides take neither"),
        (("lem-pl", 0.0, 0.0), TOLERANT, "compare two non-zero sides"),
        (("lem-pl", [0, 0], [0, 0]), {}, "compare two non-zero sides"),
        (("lem-pl", float("nan"), 1.0), TOLERANT, "predicted must be finite, got nan"),
        (("lem-pl", 1.0, float("inf")), TOLERANT, "measured must be finite, got inf"),
        (("lem-pl", [1.0], 1.0), TOLERANT, r"must have one shape, got \(1,\) and \(\)"),
        (("lem-pl", [], []), TOLERANT, "something to compare"),
        (("lem-pl", [1, 2], [1, 2]), {"relation": "<="}, "an inequality takes one number a side"),
        (("lem-pl", True, 1.0), TOLERANT, "predicted must hold real numbers, got bool"),
        (("lem-pl", 1.0, "1"), TOLERANT, "measured must hold real numbers, got str"),
        (("lem-pl", 1j, 1.0), TOLERANT, "predicted must hold real numbers, got complex"),
        (("lem-pl", 1.0, 1.0), {"standard_error": 0.0}, "standard_error must be positive"),
        (("lem-pl", [1.0] * 3, [1.0] * 3), {"standard_error": [0.1] * 2}, "standard_error must"),
        (("lem-pl", 1.0, 1.0), dict(TOLERANT, tolerance=0), "tolerance must be a positive number"),
        (("lem-pl", 1, 1), {"resolution": 0}, "resolution must be a positive number"),
        (("lem-pl", 1, 1), {"resolution": 1.0}, "resolution must be below 1"),
    ],
)
def test_misuse_says_what_to_change(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        receipt(*arguments, **options)
    assert receipts.log == []


def test_rows_carry_four_digits_and_no_rounding_noise(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    rows = set()
    for noise in rng.uniform(-1e-13, 1e-13, 20):
        receipt("lem-balance", 1.23456789, 1.23456789 + noise, tolerance=1e-9, because="rounding")
        rows.add(capsys.readouterr().out)
    (row,) = rows
    assert "predicted 1.235      = measured  1.235      |Δ| < 1e-9\n" in row
    assert row.splitlines()[1].strip() == "rounding"
    receipt("lem-u-bound", 0.3, 0.31, relation=">=", resolution=0.05)
    receipt("lem-pl", 1.0, 1.0 - 1e-9, relation="<=")
    receipt("thm-limit", 2.0, 2.01, standard_error=0.005, resolution=0.03)
    receipt("lem-gaussian-quartic", np.ones(4), np.ones(4), tolerance=1e-9, because="rounding")
    strip = [row for row in capsys.readouterr().out.splitlines() if row.startswith("✓")]
    assert "measured  0.31       ≥ predicted 0.3        slack 3.226 %" in strip[0]
    assert "measured  1          ≤ predicted 1          slack < 0.01 %" in strip[1]
    assert "|z| < 4, s.e. 0.005" in strip[2]
    assert "predicted ‖·‖=2      = measured  ‖·‖=2" in strip[3]
    verdicts = {
        row.index(mark) for row, mark in zip(strip, ("slack", "slack", "|z|", "|Δ|"), strict=True)
    }
    assert len(verdicts) == 1, "the columns of a strip of receipts line up"


def test_the_false_alarm_rate_is_the_one_stated() -> None:
    """P(|z| > 4) = 6.3e-5: 160 runs of 100 receipts raise one alarm."""
    outside = sympy.erfc(receipts.Z_LEVEL / sympy.sqrt(2)).evalf()
    assert 1 / (100 * float(outside)) == pytest.approx(160, rel=0.02)


def test_directions_are_those_of_the_docstring() -> None:
    """measured REL predicted, over all strict orders of two numbers."""
    for predicted, measured in itertools.permutations((1.0, 1.001)):
        for relation, true in (("<=", measured <= predicted), (">=", measured >= predicted)):
            if true:
                receipt("lem-pl", predicted, measured, relation=relation)
            else:
                with pytest.raises(ReceiptError, match=f"measured {relation} predicted is false"):
                    receipt("lem-pl", predicted, measured, relation=relation)
