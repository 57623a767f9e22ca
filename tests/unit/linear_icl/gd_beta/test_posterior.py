"""Bayes' rule, its exact excess, and what the best GD-β loses to it: bounds on both sides."""

from fractions import Fraction
from typing import Any

import pytest
import torch
from linear_icl.gd_beta import (
    bayes,
    bayes_excess,
    bayes_lower_bound,
    gd_zero,
    near_bayes_bounds,
    optimum,
    posterior_variance,
)
from linear_icl.montecarlo import estimate
from linear_icl.settings import Setting
from scipy.special import exp1
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, eye, refuses, seeded, setting

SETTINGS = {
    "regular": setting(),
    "short": setting(length=1, seed=4),
    "singular-H": setting(rank=2, seed=1),
    "singular-Psi": setting(task=1, seed=2),
    "noiseless": setting(length=2, seed=3, noise_variance=0),
}
NAMES = list(SETTINGS)


# -- Bayes' rule ---------------------------------------------------------------------------------


@pytest.mark.parametrize("M", [1, 2, 9])
def test_posterior_variance_adds_the_precisions(M: Any) -> None:
    """tr(H(XᵀX/σ² + Ψ⁻¹)⁻¹) for a regular Ψ, written out."""
    own = SETTINGS["regular"]
    x = own.sample(4, M, seeded()).x
    precision = x.mT @ x / own.noise_variance + torch.linalg.inv(own.Psi)
    expected = (own.H @ torch.linalg.inv(precision)).diagonal(dim1=-2, dim2=-1).sum(-1)
    assert_close(posterior_variance(own, x), expected, rtol=1e-11, atol=0)


def test_posterior_variance_of_singular_matrices_and_without_noise_are_limits() -> None:
    own = SETTINGS["singular-Psi"]
    x = own.sample(4, 2, seeded()).x
    nearly = own.replace(Psi=own.Psi + 1e-10 * eye(3))
    exact = posterior_variance(own, x)
    assert_close(posterior_variance(nearly, x), exact, rtol=1e-6, atol=0)
    own = SETTINGS["noiseless"]
    exact = posterior_variance(own, x)
    quiet = posterior_variance(own.replace(noise_variance=1e-9), x)
    assert_close(quiet, exact, rtol=1e-6, atol=0)
    assert (exact > 0.001).all()  # two of three directions seen
    full = own.sample(4, 3, seeded()).x
    assert not posterior_variance(own, full).any()  # three labels without noise tell the task
    blind = posterior_variance(own.replace(noise_variance=0.4), 0 * x)
    assert_close(blind, own.tau.expand(4))  # tr(HΨ): nothing seen


@pytest.mark.parametrize("name", NAMES)
def test_bayes_risk_by_monte_carlo(name: Any) -> None:
    """E[(ŷ - y_query)² | X] = posterior variance + σ²: their difference has mean zero."""
    own = SETTINGS[name]

    def draw(factor: float) -> Any:
        def difference(size: int, generator: torch.Generator) -> Tensor:
            prompts = own.sample(size, generator=generator)
            squared = (bayes(prompts, own) - prompts.y_query).square()
            return squared - factor * posterior_variance(own, prompts.x) - own.noise_variance

        return estimate(difference, count=30_000, batch=15_000, generator=seeded(1))

    assert abs(draw(1).z(0)) < 3.5  # five comparisons at 5e-4 each
    assert abs(draw(1.3).z(0)) > 3.5  # power, also where noise is nearly all


def test_bayes_excess_in_closed_form() -> None:
    """d = 1, M = 2: XᵀX = 2HT with T ~ Exp(1), so E = (σ²/2) e^z E_1(z) at z = σ²/(2φ)."""
    own = Setting([[2]], [[3]], [7], 4, 2)  # φ = 6, z = 1/3
    exact = 2 * torch.tensor(1 / 3).exp().item() * exp1(1 / 3)
    agrees(bayes_excess(own), exact, 3.3, count=200_000, batch=100_000, seed=0, off=1.02)
    longer = estimate(bayes_excess(own, 50), count=2_000, batch=2_000, generator=seeded())
    assert longer.mean < exact / 10


# -- order and bounds ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_bayes_then_gd_beta_then_gd_zero(name: Any) -> None:
    own = SETTINGS[name]
    best = float(optimum(own).risk - own.noise_variance)
    result = estimate(bayes_excess(own), count=4_000, batch=4_000, generator=seeded())
    assert float(bayes_lower_bound(own)) < result.mean + 4 * result.standard_error
    assert result.mean < best - 4 * result.standard_error
    assert optimum(own).risk < gd_zero(own).risk


def test_jensen_is_nearly_attained_by_long_contexts() -> None:
    """XᵀX/M -> H: the exact excess over Jensen's bound tends to 1 (here 1 + O(d/M))."""
    own = SETTINGS["regular"].replace(length=400)
    result = estimate(bayes_excess(own), count=2_000, batch=1_000, generator=seeded())
    bound = float(bayes_lower_bound(own))
    assert 1 < result.mean / bound < 1.02
    assert bound == pytest.approx(float((own.phi * 0.4 / (400 * own.phi + 0.4)).sum()), rel=1e-14)


def _random_settings(count: int) -> Any:
    generator = seeded(9)
    for k in range(count):
        d = 1 + k % 6
        A, B = torch.randn(2, d, d, dtype=DOUBLE, generator=generator)
        scales = torch.randn(2, generator=generator).double() * 3
        M = int(10 ** (3 * torch.rand(1, generator=generator).item()))
        mean = torch.zeros(d, dtype=DOUBLE)
        noise = 0.0 if k % 4 == 0 else scales[0].exp()
        yield Setting(A @ A.mT, scales[1].exp() * B @ B.mT, mean, noise, M)


def test_bounds_hold_on_both_sides() -> None:
    """And the ratio to Jensen's bound is at most 1 + 2tr(HΨ)/σ²: 120 settings of all scales."""
    low, high = [], []
    for own in _random_settings(120):
        best = optimum(own).risk - own.noise_variance
        lower, upper = near_bayes_bounds(own)
        assert lower < best * (1 + 1e-9) and best < upper * (1 + 1e-9)
        low.append(float(best / lower))
        high.append(float(upper / best))
        if own.noise_variance > 0:
            snr = (own.tau - own.noise_variance) / own.noise_variance
            assert best <= (1 + 2 * snr) * bayes_lower_bound(own) * (1 + 1e-9)
    assert min(low) < 1.6 and min(high) < 1.3  # neither side is idle


@pytest.mark.parametrize(("M", "k"), [(1, 1), (1, 2), (5, 3), (5, 6), (40, 4)])
def test_the_lower_bound_is_attained(M: Any, k: Any) -> None:
    """k equal φ and σ² = (M+1-k)φ, so that τ/(M+1) = φ: excess kφ(M+2)/(2(M+1)), exactly."""
    H = torch.diag(torch.cat([torch.full((k,), 3.0), torch.zeros(1)]).double())
    d = k + 1
    own = Setting(H, eye(d), torch.zeros(d).double(), 3 * (M + 1 - k), M)
    exact = float(Fraction(3 * k * (M + 2), 2 * (M + 1)))
    assert float(optimum(own).risk - own.noise_variance) == pytest.approx(exact, rel=1e-12)
    assert float(near_bayes_bounds(own)[0]) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("M", [1, 5, 40])
def test_the_upper_bound_is_attained(M: Any) -> None:
    """Rank one and no noise, so that τ = φ: excess 2φ/(M+2), exactly."""
    own = setting(task=1, length=M, noise_variance=0)
    exact = 2 / (M + 2) * own.tau
    assert_close(optimum(own).risk, exact, rtol=1e-13, atol=0)
    assert_close(near_bayes_bounds(own)[1], exact, rtol=1e-13, atol=0)


# -- entry ---------------------------------------------------------------------------------------


def test_nothing_to_learn() -> None:
    still = Setting([[1, 0], [0, 0]], [[0, 0], [0, 1]], [1, 2], 0, 3)
    assert [float(bound) for bound in near_bayes_bounds(still)] == [0, 0]
    assert bayes_lower_bound(still) == 0
    assert not posterior_variance(still, still.sample(2).x).any()


test_bad_input = refuses(
    (lambda own: bayes(setting(d=2).sample(1), own), r"task_mean must have shape \(2,\)"),
    (lambda own: posterior_variance(own, torch.zeros(2, 2)), r"must have one dtype"),
    (lambda own: posterior_variance(own, [[[1, 2]]]), r"x must have shape \(B, M, 3\)"),
    (lambda own: bayes_excess(own, 0), "length must be an integer >= 1, got 0"),
    by=lambda call: call(setting()),
)
