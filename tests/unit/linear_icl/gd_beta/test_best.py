"""The estimator GD-β, its optimum by the pseudo-inverse, all minimisers, GD-0, the best blocks."""

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
    is_best_block,
    optimum,
    risk,
)
from linear_icl.prompts import Prompts
from linear_icl.settings import Setting
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, random, refuses, seeded, setting

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
    """Xᵀ(Xβ - y)/M = ((1-3)/2, (4-4)/2) = (-1, 0); Γ = [[1, 2], [3, 4]] moves β to (2, 4)."""
    assert estimator(PROMPT, [1, 1], [[1, 2], [3, 4]]).tolist() == [2 + 40]


def test_estimator_is_one_step_on_the_squared_loss() -> None:
    prompts, beta, Gamma = setting().sample(4, 6), random(3), random(3, 3, seed=1)
    v = beta.expand(4, 3).clone().requires_grad_()
    residual = (prompts.x @ v[..., None])[..., 0] - prompts.y
    (slope,) = torch.autograd.grad(residual.square().sum() / (2 * 6), v)
    expected = (prompts.x_query * (v - slope @ Gamma.mT)).sum(-1).detach()
    assert_close(estimator(prompts, beta, Gamma), expected)


def test_start_at_zero_is_gradient_descent() -> None:
    prompts, Gamma = setting().sample(4, 6), random(3, 3)
    step = gradient_descent(prompts, 1, preconditioner=Gamma)
    assert_close(estimator(prompts, [0, 0, 0], Gamma), step)


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
    assert_close(best.Gamma, expected, rtol=1e-9, atol=1e-10)
    # the closed sum over the eigenvalues of Φ, and the risk where it is attained
    phi, tau = own.phi, own.tau
    total = own.noise_variance + (phi * (phi + tau) / ((M + 1) * phi + tau)).sum()
    assert_close(best.risk, total, rtol=1e-12, atol=0)
    assert_close(risk(own, *best[:2]), total, rtol=1e-12, atol=0)


def test_optimum_of_regular_matrices_is_the_matrix_of_a_ridge() -> None:
    """Γ* = ((1 + 1/M)H + (τ/M)Ψ⁻¹)⁻¹; by hand at H = diag(4, 1), Ψ = I, σ² = 1, M = 2."""
    own = SETTINGS["regular"]
    inverse = (1 + 1 / 5) * own.H + own.tau / 5 * torch.linalg.inv(own.Psi)
    assert_close(optimum(own).Gamma @ inverse, eye(3), rtol=0, atol=1e-11)
    hand = optimum(Setting([[4, 0], [0, 1]], [[1, 0], [0, 1]], [5, 6], 1, 2))  # τ = 6
    assert hand.Gamma.flatten().tolist() == pytest.approx([1 / 9, 0, 0, 1 / 4.5], rel=1e-15)
    # 1 + 4·10/18 + 1·7/9
    assert float(hand.risk) == pytest.approx(float(1 + Fraction(40, 18) + Fraction(7, 9)), 1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_no_state_has_a_lower_risk(name: Any) -> None:
    own = SETTINGS[name]
    best = optimum(own)
    for part in Landscape(own).gradient(best.beta, best.Gamma):
        assert part.abs().max() < 1e-13  # rounding
    near = best.beta + 0.1 * random(500, 3), best.Gamma + 0.1 * random(500, 3, 3, seed=1)
    assert (risk(own, *near) > best.risk).all()
    assert not optimum(own.replace(beta_star=[9, 9, 9])).risk - best.risk  # β* does not enter


@pytest.mark.parametrize("name", ["regular", "singular-H"])
def test_long_contexts_make_it_newtons_step(name: Any) -> None:
    """Γ* -> H⁺ for a regular Ψ where H sees it, at the rate 1/M: here for Ψ = I."""
    own = SETTINGS[name].replace(Psi=eye(3))
    ends = [optimum(own.replace(length=10**k)).Gamma for k in (6, 7)]
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
    moved = (near[1] - best.Gamma).norm()
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
    assert Landscape(own).gradient(found.beta, found.Gamma)[1].abs().max() < 1e-13
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


# -- the best blocks -----------------------------------------------------------------------------


def _block(own: Setting, c: float = 1.0) -> dict[str, Any]:
    best = optimum(own)
    zero = torch.zeros(3, dtype=DOUBLE)
    beta, step = own.beta_star, best.Gamma.mT / c
    return {"r": beta, "v": -c * beta, "c": c, "W": step, "w": zero}


@pytest.mark.parametrize("name", NAMES)
def test_best_blocks_by_the_theorem(name: Any) -> None:
    """c ≠ 0 is free; null H is free in r, v, w and on both sides of W; nothing else is."""
    own = SETTINGS[name]
    null, P = eye(3) - own.image, own.image
    good = _block(own, c=-2.5)
    free = {
        "r": null @ random(3, seed=1),
        "v": null @ random(3, seed=2),
        "w": null @ random(3, seed=3),
        "W": null @ random(3, 3, seed=4) + random(3, 3, seed=5) @ null,
    }
    assert is_best_block(own, **good)
    assert is_best_block(own, **{k: x + free.get(k, 0) for k, x in good.items()})
    shifts: dict[str, Any] = {"r": P[0], "v": P[0], "w": P[0], "W": P, "c": 1}
    for key, wrong in shifts.items():
        changed = {**good, key: good[key] + 1e-5 * wrong}
        assert not is_best_block(own, **changed), key
        assert is_best_block(own, **changed, rtol=1e-2), key


def test_rank_one_has_another_form_of_best_block() -> None:
    """Ψ = pp^T: also c = 0, W = -β*wᵀ and Γ* = wvᵀ, which Theorem 5.3 excludes by its rank.

    ŷ = rᵀx + vᵀ(XᵀX W + Xᵀy wᵀ)x/M is then GD-β all the same.
    """
    p = random(3)
    own = setting(Psi=torch.outer(p, p))
    best = optimum(own)
    w = best.Gamma @ p
    v = best.Gamma.mT @ p / (p @ w)  # Γ* = Γ*p pᵀΓ*/(pᵀΓ*p) for rank one
    W, r = -torch.outer(own.beta_star, w), own.beta_star
    assert is_best_block(own, r, v, 0, W, w)
    assert not is_best_block(setting(), r, v, 0, W, w)
    x, y, x_query, _ = prompts = own.sample(20, generator=seeded(0))
    keys = (x @ (W @ x_query[..., None]))[..., 0] + y * (x_query @ w)[:, None]  # (B, M)
    block = x_query @ r + ((x @ v) * keys).mean(-1)
    assert_close(block, estimator(prompts, *best[:2]), rtol=1e-11, atol=1e-12)


# -- entry ---------------------------------------------------------------------------------------


OWN = SETTINGS["regular"]
GOOD = _block(OWN)


test_bad_input = refuses(
    (lambda: estimator(PROMPT, [1], np.eye(2)), r"beta must have shape \(2,\), got \(1,\)"),
    (lambda: estimator(PROMPT, [1, 1], [[1]]), r"Gamma must have shape \(2, 2\)"),
    (lambda: estimator(PROMPT[:3], [1, 1], np.eye(2)), "prompts must be Prompts"),
    (lambda: estimator(PROMPT, [1, 1], torch.eye(2)), "must have one dtype"),
    (lambda: risk(OWN, [1, 1, 1], [[1]]), r"Gamma must have shape \(..., 3, 3\)"),
    (lambda: excess(OWN, [1, 1], np.eye(3)), r"beta must have shape \(..., 3\)"),
    (lambda: is_best_block(OWN, **{**GOOD, "c": [1, 2]}), r"c must have shape \(\)"),
    (lambda: is_best_block(OWN, **{**GOOD, "w": [1, 2]}), r"w must have shape \(3,\)"),
    (lambda: is_best_block(OWN, **{**GOOD, "W": [1, 2]}), r"W must have shape \(3, 3\)"),
    (lambda: is_best_block(OWN, **GOOD, rtol=-1), "rtol must be > 0, got -1"),
)
