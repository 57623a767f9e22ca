"""The ladder of plain steps against what is known exactly of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from linear_icl.nonlinear.ladder import _contexts, fixed_ladder, plain_ladder


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


def test_what_steps_leave_by_least_squares() -> None:
    """The share is a residual: of regressing w on Sw, …, Sⁿw, here by the eigenvalues of S."""
    x = np.random.default_rng(3).standard_normal((400, 11, 5))
    of_S = np.linalg.eigvalsh(x.mT @ x / 11).ravel()
    powers = of_S[:, None] ** np.arange(1, 5)
    found = fixed_ladder(4, 5, 11, prompts=400, seed=3)
    for n, share in enumerate(found, start=1):
        best = np.linalg.lstsq(powers[:, :n], np.ones(len(of_S)), rcond=None)[0]
        assert share == pytest.approx(np.mean((1 - powers[:, :n] @ best) ** 2), rel=1e-9)


def test_one_step_is_exact_and_many_in_high_dimension() -> None:
    """(d+1)/(N+d+1) after one; 1/(1 + N/d + … + (N/d)ⁿ) in the limit, beyond N = d too."""
    assert fixed_ladder(1, 20, 40)[0] == pytest.approx(21 / 61, rel=0.003)
    for d, N in ((120, 240), (240, 120)):
        limit = 1 / np.cumsum((N / d) ** np.arange(5.0))[1:]
        assert fixed_ladder(4, d, N, prompts=60) == pytest.approx(limit, rel=0.05)


@pytest.mark.parametrize("ladder", [plain_ladder, fixed_ladder])
def test_a_ladder_has_a_rung(ladder: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="most must be an integer >= 1, got 0"):
        ladder(0, 5, 11)


def test_eigenvalues_run_out() -> None:
    with pytest.raises(ValueError, match="needs more than 3 eigenvalues"):
        fixed_ladder(3, 1, 4, prompts=3)
