"""The risk of GD-β: by hand, by Monte Carlo, by autograd, against chapter 3, along the flow."""

import math
from typing import Any

import pytest
import torch
from linear_icl.flow import gradient_flow
from linear_icl.gd_beta import Landscape, estimator, excess, risk
from linear_icl.landscape import FixedCovariance
from linear_icl.landscape import Landscape as Protocol
from linear_icl.lsa import gamma
from linear_icl.risk import linear_risk
from linear_icl.settings import Setting
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, eye, seeded, setting

ONE = Landscape(Setting([[1]], [[1]], [1], 1, 1))  # τ = 2, Ω_0 = 4, A* = 1/4, min R = 7/4


def state(d: int, *batch: int, seed: int = 1) -> tuple[Tensor, Tensor]:
    generator = seeded(seed)
    beta = torch.randn(*batch, d, dtype=DOUBLE, generator=generator)
    return beta, torch.randn(*batch, d, d, dtype=DOUBLE, generator=generator)


#: Regular; singular H; singular Ψ; both, and without noise; both without a common direction.
SETTINGS = {
    "regular": setting(),
    "singular-H": setting(rank=2, seed=1),
    "singular-Psi": setting(task=1, seed=2, length=1),
    "noiseless": setting(rank=2, task=2, seed=3, noise_variance=0),
    "apart": Setting(torch.diag(torch.tensor([1.0, 0, 2.0])).double(),
                     torch.diag(torch.tensor([0, 1.0, 0])).double(), [1, 2, 3], 0.5, 2),
}  # fmt: skip
NAMES = list(SETTINGS)


# -- risk, excess, gradient ----------------------------------------------------------------------


def test_one_dimension_by_hand() -> None:
    """D = 1, A = 1/2: R = τ + D² - 2A(1 + D²) + A²(4 + 2 + 1) = 11/4, one above the minimum."""
    assert ONE.minimum == 7 / 4
    assert ONE.loss([0], [[0.5]]) == 11 / 4
    assert float(ONE.gap([0], [[0.5]])) == pytest.approx(1, rel=1e-15)  # 1/4 + (1 + 1 + 1)/4
    by_beta, by_A = ONE.gradient([0], [[0.5]])
    assert by_beta.tolist() == [-2 * (1 - 0.5 - 0.5 + 0.5 + 0.25)]
    assert by_A.tolist() == [[2 * (0.5 * 7 - 2)]]
    assert [part.tolist() for part in ONE.limit([5], [[7]])] == [[1], [[0.25]]]


@pytest.mark.parametrize("name", NAMES)
def test_risk_by_monte_carlo(name: Any) -> None:
    own = SETTINGS[name]
    beta, A = state(3)
    A = A / 3

    def draw(size: int, generator: torch.Generator) -> Tensor:
        prompts = own.sample(size, generator=generator)
        return (estimator(prompts, beta, A) - prompts.y_query).square()

    exact = float(risk(own, beta, A))
    agrees(draw, exact, 3.5, count=150_000, seed=2, off=1.05)  # five comparisons at 5e-4 each


@pytest.mark.parametrize("name", NAMES)
def test_excess_is_risk_above_its_minimum(name: Any) -> None:
    own, parameters = SETTINGS[name], state(3, 4, 2)
    difference = risk(own, *parameters) - Landscape(own).minimum
    assert_close(excess(own, *parameters), difference, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_gradient_is_that_of_the_risk(name: Any) -> None:
    landscape = Landscape(SETTINGS[name])
    leaves = [part.requires_grad_() for part in state(3, 5)]
    expected = torch.autograd.grad(landscape.loss(*leaves).sum(), leaves)
    for ours, theirs in zip(landscape.gradient(*leaves), expected, strict=True):
        assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["regular", "singular-H"])
def test_gradient_as_the_dynamics_are_written(name: Any) -> None:
    """β' = -2Q(A)(β - β*), A' = -2HA(Ω_0 + Ω_D) + 2H(Ψ + DDᵀ)H, term by term."""
    own, (beta, G) = SETTINGS[name], state(3)
    H, M, D = own.H, own.length, own.beta_star - beta
    a = (M + 1) / M
    Q = H - H @ G @ H - H @ G.mT @ H + a * H @ G.mT @ H @ G @ H + (H @ G @ H @ G.mT).trace() / M * H
    DD = torch.outer(D, D)
    Omega_D = a * H @ DD @ H + (D @ H @ D) / M * H
    by_beta, by_A = Landscape(own).gradient(beta, G)
    assert_close(-by_beta, 2 * Q @ D, rtol=1e-12, atol=1e-13)
    velocity = -2 * H @ G @ (own.Omega_0 + Omega_D) + 2 * H @ (own.Psi + DD) @ H
    assert_close(-by_A, velocity, rtol=1e-12, atol=1e-13)


def test_gap_keeps_its_digits_near_the_minimum() -> None:
    own, (_, E) = SETTINGS["regular"], state(3)
    landscape, epsilon = Landscape(own), 1e-11
    beta, A = landscape.limit(*state(3))
    expected = epsilon**2 * ((own.H @ E @ own.Omega_0) * E).sum()
    gap = landscape.gap(beta, A + epsilon * E)  # 1e-22, below the rounding of the risk
    assert_close(gap, expected, rtol=1e-4, atol=0)


@pytest.mark.parametrize("M", [1, 2, 30])
def test_the_curvature_in_the_start_is_at_least_its_share_of_H(M: Any) -> None:
    """DᵀQ(A)D >= 2‖D‖²_H/(M+2) for all A, with equality at H^½AH^½ = (M/(M+2)) eeᵀ/‖e‖²."""
    own = setting(length=M, beta_star=[0, 0, 0])
    landscape, (D, A) = Landscape(own), state(3, 200)

    def curvature(D: Tensor, A: Tensor) -> Tensor:  # half of -∇_β R paired with D
        return (landscape.gradient(D, A)[0] * D).sum(-1) / 2

    least = 2 / (M + 2) * ((D @ own.H) * D).sum(-1)
    assert (curvature(D, A / M) >= least).all()
    # H^½AH^½ = eeᵀ/‖e‖² for A = DDᵀ/‖D‖²_H
    attained = (
        M / (M + 2) * D[:, :, None] * D[:, None, :] / ((D @ own.H) * D).sum(-1)[:, None, None]
    )
    assert_close(curvature(D, attained), least, rtol=1e-11, atol=0)


# -- chapter 3 and invariances -------------------------------------------------------------------


def test_chapter_three_is_a_special_case() -> None:
    """Ψ = I, no noise, β* = 0: A* = A⁻¹, and the risk is twice ℓ̃ plus tr Λ, with A = uUᵀ."""
    L, N = SETTINGS["regular"].H, 7
    landscape = Landscape(Setting(L, eye(3), [0, 0, 0], 0, N))
    fixed, (beta, U) = FixedCovariance(L, N), state(3)
    optimal = landscape.limit(beta, U)
    assert_close(optimal[1], torch.linalg.inv(gamma(L, N)), rtol=1e-11, atol=1e-12)
    assert not optimal[0].any()
    twice = 2 * fixed.minimum + L.trace()
    assert_close(landscape.minimum, twice, rtol=1e-12, atol=0)
    u = double(0.7)
    expected = 2 * fixed.loss(U, u) + L.trace()
    assert_close(landscape.loss(0 * beta, u * U.mT), expected, rtol=1e-12, atol=0)
    assert_close(landscape.gap(0 * beta, u * U.mT), 2 * fixed.gap(U, u), rtol=1e-11, atol=0)


def test_chapter_four_has_the_same_risk_for_a_single_task() -> None:
    """Ψ = 0 fixes the task at β*; chapter 4 writes A = Aᵀ and leaves out the label's noise."""
    own, (_, A) = SETTINGS["regular"].replace(Psi=torch.zeros(3, 3, dtype=DOUBLE)), state(3)
    other = linear_risk(own.H, None, 5, task=own.beta_star, noise_variance=0.4, preconditioner=A.mT)
    ours = risk(own, [0, 0, 0], A) - 0.4
    assert_close(ours, other, rtol=1e-12, atol=0)


def test_rotation_and_units() -> None:
    own, (beta, G) = SETTINGS["singular-H"], state(3)
    Q = torch.linalg.qr(state(3, seed=7)[1])[0]
    turned = own.replace(H=Q @ own.H @ Q.mT, Psi=Q @ own.Psi @ Q.mT, beta_star=Q @ own.beta_star)
    rotated = Q @ beta, Q @ G @ Q.mT
    assert_close(risk(turned, *rotated), risk(own, beta, G), rtol=1e-12, atol=0)
    # x in other units: H by s², tasks by 1/s, the step by 1/s²
    scaled = own.replace(H=9 * own.H, Psi=own.Psi / 9, beta_star=own.beta_star / 3)
    assert_close(risk(scaled, beta / 3, G / 9), risk(own, beta, G), rtol=1e-12, atol=0)
    # y in other units
    louder = own.replace(Psi=4 * own.Psi, beta_star=2 * own.beta_star, noise_variance=1.6)
    assert_close(risk(louder, 2 * beta, G), 4 * risk(own, beta, G), rtol=1e-12, atol=0)


# -- the flow ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["regular", "noiseless"])
def test_flow_ends_at_the_nearest_minimiser(name: Any) -> None:
    """Two starts at once, by the one solver; H's null space keeps what it was given."""
    landscape, start = Landscape(SETTINGS[name]), state(3, 2)
    flow = gradient_flow(landscape, start, until_gap=1e-16)
    assert (flow.loss.diff() <= 1e-12 * flow.loss[:, :-1]).all()  # rounding
    for reached, limit in zip(flow.state(-1), landscape.limit(*start), strict=True):
        # a gap of 1e-16 is a distance of 1e-8 over the root of the least curvature
        assert_close(reached, limit, rtol=0, atol=1e-5)


def test_directions_without_variance_never_move() -> None:
    """Exactly so in the gradient; along the flow up to the rounding of its dense output."""
    own = setting(seed=4).replace(H=torch.diag(double([1.0, 0, 2])))
    landscape, start = Landscape(own), state(3, 2)
    by_beta, by_A = landscape.gradient(*state(3, 50, seed=5))
    assert not by_beta[..., 1].any() and not by_A[..., 1, :].any()
    assert not by_A[..., :, 1].any()
    assert by_beta[..., 0].all() and by_A[..., 0, 2].all()
    beta, A = gradient_flow(landscape, start, [0.5, 30.0]).state(-1)
    for ours, given in ((beta[:, 1], start[0][:, 1]), (A[:, 1], start[1][:, 1])):
        assert_close(ours, given, rtol=1e-14, atol=0)
    limit = landscape.limit(*start)
    assert torch.equal(limit[0][:, 1], start[0][:, 1])
    assert torch.equal(limit[1][:, :, 1], start[1][:, :, 1])


@pytest.mark.parametrize("name", NAMES)
def test_limit_is_the_orthogonal_projection_on_the_minimisers(name: Any) -> None:
    """It is a minimiser, and the way there is orthogonal to null H and to {A : HAH = 0}."""
    own, (beta, A) = SETTINGS[name], state(3)
    landscape = Landscape(own)
    end, step = landscape.limit(beta, A)
    assert landscape.gap(end, step) < 1e-26
    null = eye(3) - own.image
    X, Y = state(3, 2, seed=6)[1]
    for move, free in (
        (beta - end, null @ X[0]),
        (A - step, X @ null),
        (A - step, null @ Y),
    ):
        assert abs(float((move * free).sum())) < 1e-13  # rounding
    again = landscape.limit(end, step)
    assert_close(again[1], step, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["singular-H", "singular-Psi"])
def test_the_flow_keeps_the_bounds_of_the_chapter(name: Any) -> None:
    """(lem-gd-start, lem-gd-converges), whose receipts are scalar."""
    own, start = SETTINGS[name], state(3, 2)
    t, landscape = torch.linspace(0, 20, 21, dtype=DOUBLE), Landscape(own)
    flow, ends = gradient_flow(landscape, start, t), landscape.limit(*start)
    miss, error = (
        (part - end[:, None]).flatten(2).norm(dim=-1)
        for part, end in zip(flow.states, ends, strict=True)
    )
    values = [torch.linalg.eigvalsh(matrix) for matrix in (own.H, own.Omega_0)]
    low, flat = (value[value > 1e-12].min() for value in values)
    a, b = 2 * low * flat, 8 * low / (own.length + 2)
    assert (miss <= miss[:, :1] * torch.exp(-b / 2 * t) * (1 + 1e-9)).all()
    push = 4 * (values[0].max() * miss[:, :1]) ** 2
    driven = push * (torch.exp(-a * t) - torch.exp(-b * t)) / (b - a)
    assert (error <= (error[:, :1] * torch.exp(-a * t) + driven) * (1 + 1e-9)).all()


# -- entry ---------------------------------------------------------------------------------------


def test_protocol_and_batches() -> None:
    landscape, (beta, A) = Landscape(SETTINGS["regular"]), state(3, 2, 4)
    assert isinstance(landscape, Protocol)
    for method in (landscape.loss, landscape.gap):
        assert method(beta, A).shape == (2, 4)
        assert_close(method(beta, A)[1, 2], method(beta[1, 2], A[1, 2]))
    for parts in (landscape.gradient(beta, A), landscape.limit(beta, A)):
        assert [tuple(part.shape) for part in parts] == [(2, 4, 3), (2, 4, 3, 3)]


@pytest.mark.parametrize("name", ["loss", "minimum"])
def test_differentiable_in_the_setting_where_eigenvalues_meet(name: Any) -> None:
    """At H = Ψ = I, where a root through eigenvectors has no derivative."""
    parameters = state(2)

    def value(A: Tensor, B: Tensor, mean: Tensor, noise: Tensor) -> Tensor:
        own = Setting((A + A.mT) / 2, (B + B.mT) / 2, mean, noise, 3)
        found = getattr(Landscape(own), name)
        result: Tensor = found(*parameters) if callable(found) else found
        return result

    identity = eye(2)
    leaves = [identity, identity, torch.tensor([1.0, 2]), torch.tensor(0.3)]
    assert torch.autograd.gradcheck(value, [x.double().clone().requires_grad_() for x in leaves])


def test_gap_is_differentiable_in_setting_and_state() -> None:
    def value(H: Tensor, beta: Tensor, A: Tensor) -> Tensor:
        return excess(SETTINGS["regular"].replace(H=(H + H.mT) / 2), beta, A)

    leaves = [SETTINGS["regular"].H.clone(), *state(3)]
    assert torch.autograd.gradcheck(value, [leaf.requires_grad_() for leaf in leaves])


def test_arrays_and_lists() -> None:
    own, (beta, A) = Landscape(SETTINGS["regular"]), state(3)
    assert own.loss(beta.tolist(), A.numpy()) == own.loss(beta, A)


@pytest.mark.parametrize(
    ("beta", "A", "message"),
    [
        ([0], [[1]], r"A must have shape \(..., 3, 3\), got \(1, 1\)"),
        ([0], torch.zeros(3, 3, dtype=DOUBLE), r"beta must have shape \(..., 3\), got \(1,\)"),
        (
            [0, 0, 0],
            torch.zeros(2, 3, 3, dtype=DOUBLE),
            r"beta and A must share their batch axes, got \(\) and \(2,\); expand one",
        ),
        ([0, 0, math.nan], torch.zeros(3, 3, dtype=DOUBLE), "beta must be finite, got nan"),
        ([0, 0, 0], torch.zeros(3, 3), "must have one dtype, got torch.float32"),
    ],
)
def test_bad_state(beta: Any, A: Any, message: str) -> None:
    landscape = Landscape(SETTINGS["regular"])
    for method in (landscape.loss, landscape.gap, landscape.gradient, landscape.limit):
        with pytest.raises(ValueError, match=message):
            method(beta, A)


def test_limits_that_are_not_known() -> None:
    still = Landscape(Setting([[1]], [[0]], [2], 0, 3))
    with pytest.raises(ValueError, match=r"tau = tr\(H Psi\) \+ noise_variance must be > 0"):
        still.limit([0], [[1]])
    assert still.minimum == 0 and float(still.gap([2], [[5]])) == 0
