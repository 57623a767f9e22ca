"""The ladder of plain steps against what is known exactly of it."""

from __future__ import annotations

import numpy as np
import pytest
from linear_icl.nonlinear.ladder import _contexts, plain_ladder


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


def test_a_ladder_has_a_rung() -> None:
    with pytest.raises(ValueError, match="most must be an integer >= 1, got 0"):
        plain_ladder(0, 5, 11)
