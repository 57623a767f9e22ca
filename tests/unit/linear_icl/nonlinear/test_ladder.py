"""The ladder of plain steps against what is known exactly of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from linear_icl.nonlinear.ladder import _contexts, _moments, fixed_ladder, plain_ladder


def test_the_first_rung_and_the_first_moments_are_exact() -> None:
    """E tr Λ = d, E tr ΛS = 2d, E tr ΛS² = d(6(N+2) + 2(d-1))/N; one step leaves 105/43 of 5."""
    left, traces = plain_ladder(2, 5, 11, batches=2)
    assert len(left) == 2 and len(traces) == 5
    assert traces[:3] == pytest.approx([5, 10, 5 * 86 / 11], rel=0.02)
    assert left[0] == pytest.approx(105 / 43, rel=0.02) and 1.6 < left[1] < 1.74


def test_weights_undo_what_was_made_loud() -> None:
    """Their mean is one, and with them the loud axis is an axis like any other."""
    lam, x, weight = _contexts(100_000, 3, 4, np.random.default_rng(2))
    assert weight.mean() == pytest.approx(1, abs=0.02) and lam.max() > 15
    assert (weight[:, None] * lam).mean(0) == pytest.approx([1, 1, 1], abs=0.03)
    assert (weight[:, None] * np.square(x).mean(1)).mean(0) == pytest.approx([1, 1, 1], abs=0.05)


def test_moments_of_the_points() -> None:
    """Those of χ² for d = 1; for d = 2, N = 3 the second and third by Isserlis' pairings."""
    assert _moments(4, 1, 4) == [1, 1, Fraction(6, 4), Fraction(48, 16), Fraction(480, 64)]
    d, N = 2, 3
    third = d**2 + N**2 + 3 * d * N + 3 * (d + N) + 4
    assert _moments(3, d, N)[2:] == [Fraction(N + d + 1, N), Fraction(third, N**2)]


def test_what_steps_leave_on_drawn_prompts() -> None:
    """The share is a residual: of regressing w on Sw, …, Sⁿw, here by the eigenvalues of S."""
    x = np.random.default_rng(3).standard_normal((40_000, 11, 5))
    of_S = np.linalg.eigvalsh(x.mT @ x / 11).ravel()
    powers = of_S[:, None] ** np.arange(1, 4)
    found = fixed_ladder(3, 5, 11)
    for n, share in enumerate(found, start=1):
        best = np.linalg.lstsq(powers[:, :n], np.ones(len(of_S)), rcond=None)[0]
        assert share == pytest.approx(np.mean((1 - powers[:, :n] @ best) ** 2), rel=0.02)


def test_steps_that_are_known_exactly() -> None:
    """(d+1)/(N+d+1) after one; for d = 1 the gamma law of Proposition 5.5, 1/C(n+2, 2) at N = 4."""
    assert fixed_ladder(1, 20, 40) == [pytest.approx(21 / 61, rel=1e-12)]
    known = [1 / math.comb(n + 2, 2) for n in range(1, 9)]
    assert fixed_ladder(8, 1, 4) == pytest.approx(known, rel=1e-12)


def test_the_limit_of_high_dimension() -> None:
    """1/(1 + N/d + … + (N/d)ⁿ), beyond N = d too; the distance halves when d doubles."""
    for ratio in (2.0, 1.0, 0.5):
        limit = 1 / np.cumsum(ratio ** np.arange(5.0))[1:]
        far, near = (np.array(fixed_ladder(4, d, round(ratio * d))) / limit - 1 for d in (200, 400))
        assert abs(near).max() < 0.03 and near == pytest.approx(far / 2, rel=0.1, abs=1e-4)


@pytest.mark.parametrize("ladder", [plain_ladder, fixed_ladder])
def test_a_ladder_has_a_rung(ladder: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="most must be an integer >= 1, got 0"):
        ladder(0, 5, 11)
