"""The estimator GD-β, its optimum by the pseudo-inverse, all minimisers, GD-0."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from linear_icl.estimators import gradient_descent
from linear_icl.gd_beta import (
    Landscape,
    estimator,
    excess,
    gd_zero,
    optimum,
    risk,
)
from linear_icl.prompts import Prompts
from linear_icl.settings import Setting
from torch.testing import assert_close

from tests.unit.common import double, eye, random, refuses, seeded, setting

SETTINGS = {
    "regular": setting(),
    "singular-H": setting(rank=2, seed=1),
    "singular-Psi": setting(task=2, seed=2, length=1),
    "noiseless": setting(rank=2, task=2, seed=3, noise_variance=0),
}
NAMES = list(SETTINGS)
#: One prompt, d = 2, M = 2: XᵀX = diag(1, 4), so with y = (3, 2): Xᵀy = (3, 4).
PROMPT: Any = Prompts(*(double(part) for part in (
    [[[1, 0], [0, 2]]], [[3, 2]], [[1, 10]], [0])))  # fmt: skip


# -- the estimator -------------------------------------------------------------------------------


def test_estimator_by_hand() -> None:
    """Xᵀ(Xβ - y)/M = ((1-3)/2, (4-4)/2) = (-1, 0); A = [[1, 2], [3, 4]] moves β to (2, 4)."""
    assert estimator(PROMPT, [1, 1], [[1, 2], [3, 4]]).tolist() == [2 + 40]


def test_estimator_is_one_step_on_the_squared_loss() -> None:
    prompts, beta, A = setting().sample(4, 6), random(3), random(3, 3, seed=1)
    v = beta.expand(4, 3).clone().requires_grad_()
    residual = (prompts.x @ v[..., None])[..., 0] - prompts.y
    (slope,) = torch.autograd.grad(residual.square().sum() / (2 * 6), v)
    expected = (prompts.x_query * (v - slope @ A.mT)).sum(-1).detach()
    assert_close(estimator(prompts, beta, A), expected)


def test_start_at_zero_is_gradient_descent() -> None:
    prompts, A = setting().sample(4, 6), random(3, 3)
    step = gradient_descent(prompts, 1, preconditioner=A)
    assert_close(estimator(prompts, [0, 0, 0], A), step)


# -- the optimum ---------------------------------------------------------------------------------


def _pseudo_inverse_form(own: Setting) -> np.ndarray:
    """ΨH^½Ω⁻¹H^{-½} written out with NumPy's eigenvectors and pseudo-inverses."""
    values, vectors = np.linalg.eigh(own.H.numpy())
    root = (vectors * np.sqrt(np.where(values > 1e-12, values, 0))) @ vectors.T
    Phi = root @ own.Psi.numpy() @ root
    tau, M = np.trace(Phi) + float(own.noise_variance), own.length
    Omega = (M + 1) / M * Phi + tau / M * np.eye(3)
    inverse_root = np.linalg.pinv(root, rcond=1e-7)
    step: np.ndarray = own.Psi.numpy() @ root @ np.linalg.inv(Omega) @ inverse_root
    return step


@pytest.mark.parametrize("M", [1, 2, 1000])
@pytest.mark.parametrize("name", NAMES)
def test_optimum_is_the_pseudo_inverse_form(name: Any, M: Any) -> None:
    own = SETTINGS[name].replace(length=M)
    best = optimum(own)
    assert best.beta is own.beta_star
    expected = torch.from_numpy(_pseudo_inverse_form(own))
    assert_close(best.A, expected, rtol=1e-9, atol=1e-10)
    # the closed sum over the eigenvalues of Φ, and the risk where it is attained
    phi, tau = own.phi, own.tau
    total = own.noise_variance + (phi * (phi + tau) / ((M + 1) * phi + tau)).sum()
    assert_close(best.risk, total, rtol=1e-12, atol=0)
    assert_close(risk(own, *best[:2]), total, rtol=1e-12, atol=0)


def test_optimum_of_regular_matrices_is_the_matrix_of_a_ridge() -> None:
    """A* = ((1 + 1/M)H + (τ/M)Ψ⁻¹)⁻¹; by hand at H = diag(4, 1), Ψ = I, σ² = 1, M = 2."""
    own = SETTINGS["regular"]
    inverse = (1 + 1 / 5) * own.H + own.tau / 5 * torch.linalg.inv(own.Psi)
    assert_close(optimum(own).A @ inverse, eye(3), rtol=0, atol=1e-11)
    hand = optimum(Setting([[4, 0], [0, 1]], [[1, 0], [0, 1]], [5, 6], 1, 2))  # τ = 6
    assert hand.A.flatten().tolist() == pytest.approx([1 / 9, 0, 0, 1 / 4.5], rel=1e-15)
    # 1 + 4·10/18 + 1·7/9
    assert float(hand.risk) == pytest.approx(float(1 + Fraction(40, 18) + Fraction(7, 9)), 1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_no_state_has_a_lower_risk(name: Any) -> None:
    own = SETTINGS[name]
    best = optimum(own)
    for part in Landscape(own).gradient(best.beta, best.A):
        assert part.abs().max() < 1e-13  # rounding
    near = best.beta + 0.1 * random(500, 3), best.A + 0.1 * random(500, 3, 3, seed=1)
    assert (risk(own, *near) > best.risk).all()
    assert not optimum(own.replace(beta_star=[9, 9, 9])).risk - best.risk  # β* does not enter


@pytest.mark.parametrize("name", ["regular", "singular-H"])
def test_long_contexts_make_it_newtons_step(name: Any) -> None:
    """A* -> H⁺ for a regular Ψ where H sees it, at the rate 1/M: here for Ψ = I."""
    own = SETTINGS[name].replace(Psi=eye(3))
    ends = [optimum(own.replace(length=10**k)).A for k in (6, 7)]
    P = own.image
    newton = torch.linalg.pinv(own.H, rtol=1e-10, hermitian=True)
    misses = [float((P @ end @ P - newton).norm()) for end in ends]
    assert misses[0] / misses[1] == pytest.approx(10, rel=1e-3)
    assert misses[1] < 1e-4 * newton.norm()
    rank = 3 if name == "regular" else 2
    M = 10**8  # φ(φ+τ)/((M+1)φ+τ) -> (φ+τ)/M
    excess_risk = optimum(own.replace(length=M)).risk - own.noise_variance
    expected = (own.phi.sum() + rank * own.tau) / M
    assert_close(excess_risk, expected, rtol=1e-5, atol=1e-14)


# -- all minimisers ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_minimisers_are_one_function(name: Any) -> None:
    """From far away to the nearest minimiser: no excess, and the predictions of the optimum."""
    own = SETTINGS[name]
    best, near = optimum(own), Landscape(own).limit(random(3, seed=4), random(3, 3, seed=5))
    least = 1e-18 * own.tau
    assert excess(own, *near) <= least and excess(own, *best[:2]) <= least
    assert excess(own, near[0] + own.image @ random(3) * 1e-6, near[1]) > least
    assert excess(own, near[0], near[1] + own.image * 1e-6) > least
    moved = (near[1] - best.A).norm()
    assert moved < 1e-12 if own.image.equal(eye(3)) else moved > 0.1
    prompts = own.sample(50, generator=seeded(0))
    assert_close(estimator(prompts, *near), estimator(prompts, *best[:2]), rtol=0, atol=1e-11)


# -- GD-0 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_gd_zero_is_best_among_the_steps_from_zero(name: Any) -> None:
    own = SETTINGS[name]
    found = gd_zero(own)
    assert not found.beta.any()
    assert_close(risk(own, *found[:2]), found.risk, rtol=1e-12, atol=0)
    assert Landscape(own).gradient(found.beta, found.A)[1].abs().max() < 1e-13
    # 2‖β*‖²_H/(M+2) above the optimum at least
    bound = 2 / (own.length + 2) * (own.beta_star @ own.H @ own.beta_star)
    assert found.risk - optimum(own).risk >= bound
    assert_close(found.risk - optimum(own).risk, excess(own, *found[:2]), rtol=1e-11, atol=0)


def test_gd_zero_without_a_mean_is_the_optimum_and_its_bound_is_attained_far_out() -> None:
    own = setting(beta_star=[0, 0, 0])
    assert gd_zero(own).risk == optimum(own).risk
    far = own.replace(beta_star=[1e5, 0, 0])
    share = (gd_zero(far).risk - optimum(far).risk) / (1e10 * own.H[0, 0])
    assert float(share) == pytest.approx(2 / 7, rel=1e-8)  # 2/(M+2)


# -- entry ---------------------------------------------------------------------------------------


OWN = SETTINGS["regular"]


test_bad_input = refuses(
    (lambda: estimator(PROMPT, [1], np.eye(2)), r"beta must have shape \(2,\), got \(1,\)"),
    (lambda: estimator(PROMPT, [1, 1], [[1]]), r"A must have shape \(2, 2\)"),
    (lambda: estimator(PROMPT[:3], [1, 1], np.eye(2)), "prompts must be Prompts"),
    (lambda: estimator(PROMPT, [1, 1], torch.eye(2)), "must have one dtype"),
    (lambda: risk(OWN, [1, 1, 1], [[1]]), r"A must have shape \(..., 3, 3\)"),
    (lambda: excess(OWN, [1, 1], np.eye(3)), r"beta must have shape \(..., 3\)"),
)
