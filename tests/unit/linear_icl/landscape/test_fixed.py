"""The reduced loss: exact values by eye, the full loss, automatic differentiation, the flow."""

import math

import numpy as np
import pytest
import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl.risk import linear_risk
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, eye, random, random_state, refuses, theta

EXAMPLE = FixedCovariance([[2, 0], [0, 0.5]], 8)  # the running example: Γ = diag(41/16, 7/8)


def landscape(d: int, N: int = 10, seed: int = 0, floor: float = 0.3) -> FixedCovariance:
    R = random(d, d, seed=seed)
    return FixedCovariance(R @ R.mT / d + floor * eye(d), N)


# -- loss, gradient, minimum ---------------------------------------------------------------------


def test_running_example_by_hand() -> None:
    assert EXAMPLE.Gamma.tolist() == [[41 / 16, 0], [0, 7 / 8]]
    # ½ u² Σ γ_iλ_iλ_j U_ij² − u Σ λ_i² U_ii at U = [[1, 2], [0, −1]], u = 2
    curved = 41 / 16 * (4 * 1 + 1 * 4) + 7 / 8 * (1 / 4)
    assert float(EXAMPLE.loss([[1, 2], [0, -1]], 2)) == 2 * curved - 2 * (4 - 0.25)
    assert float(EXAMPLE.minimum) == pytest.approx(-(4 * 16 / 41 + 0.25 * 8 / 7) / 2, rel=1e-15)
    U, u = EXAMPLE.limit()
    assert (u * U).flatten().tolist() == pytest.approx([16 / 41, 0, 0, 8 / 7], rel=1e-15)
    assert float(u) == pytest.approx(math.hypot(16 / 41, 8 / 7) ** 0.5, rel=1e-15)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_full_loss_on_the_slice(d: int) -> None:
    fixed, (U, u) = landscape(d), random_state(d, 3)
    W_KQ, W_PV = torch.zeros(2, 3, d + 1, d + 1, dtype=DOUBLE)
    W_KQ[:, :d, :d], W_PV[:, d, d] = U, u
    full = FullParameters(fixed.covariance, fixed.length)
    shift = fixed.constant
    assert_close(fixed.loss(U, u), full.loss(W_KQ, W_PV) - shift, rtol=1e-13, atol=0)
    assert_close(fixed.minimum, full.minimum - shift, rtol=1e-13, atol=0)


def test_the_constant_makes_the_loss_half_a_risk() -> None:
    """½E(ŷ − wᵀx_q)² of the learner A = uU by its exact risk, which knows nothing of the loss."""
    assert float(EXAMPLE.constant) == 1.25
    fixed, (U, u) = landscape(4), random_state(4, 6)
    A = u[:, None, None] * U
    half = linear_risk(fixed.covariance, None, fixed.length, preconditioner=A) / 2
    assert_close(fixed.loss(U, u) + fixed.constant, half, rtol=1e-12, atol=0)
    zero = linear_risk(
        fixed.covariance, None, fixed.length, preconditioner=torch.zeros_like(fixed.covariance)
    )
    assert float(fixed.constant) == pytest.approx(float(zero) / 2, rel=1e-14)


def test_spectral_form_is_the_loss() -> None:
    fixed, (U, u) = landscape(4), random_state(4, 3)
    basis, curvature, pull = fixed.spectral()
    V = basis.mT @ U @ basis
    curved = (curvature * V**2).sum((-2, -1))
    pulled = (pull * V.diagonal(dim1=-2, dim2=-1)).sum(-1)
    assert_close(u**2 * curved / 2 - u * pulled, fixed.loss(U, u), rtol=1e-12, atol=1e-12)
    assert (fixed.eigenvalues.diff() <= 0).all()


def test_rotation_and_scale() -> None:
    fixed, (U, u) = landscape(3), random_state(3)
    Q = torch.linalg.qr(random_state(3, seed=7)[0])[0]
    turned = FixedCovariance(_symmetric(Q @ fixed.covariance @ Q.mT), fixed.length)
    rotated = Q @ U @ Q.mT
    assert_close(turned.loss(rotated, u), fixed.loss(U, u), rtol=1e-12, atol=0)
    assert_close(turned.gap(rotated, u), fixed.gap(U, u), rtol=1e-12, atol=0)
    larger = FixedCovariance(3 * fixed.covariance, fixed.length)
    assert_close(larger.loss(U, u / 3), 3 * fixed.loss(U, u), rtol=1e-12, atol=0)


def _symmetric(A: Tensor) -> Tensor:
    return (A + A.mT) / 2


# -- limits and starts ---------------------------------------------------------------------------


def test_sigma_bound_is_attained() -> None:
    # For d = 1 the bound √(2/Γ) is the exact threshold.
    one = FixedCovariance([[0.7]], 5)
    assert_close(one.sigma_max([[1]]), one.sigma_max([[1]], sharp=True))


# -- constants along the flow --------------------------------------------------------------------


def test_sharp_u_bound_by_hand() -> None:
    """min{σ², (−2ℓ̃(0)/K)^½} with K = γ_1λ_1² = 41/4, whichever direction Θ has."""
    strong, weak = [[1, 0], [0, 0]], [[0, 0], [0, 1]]
    for Theta, pull, curvature, squared in ((strong, 4, 41 / 4, 0.6), (weak, 0.25, 7 / 32, 1.0)):
        fallen = pull * squared - curvature * squared**2 / 2
        expected = (2 * fallen / (41 / 4)) ** 0.25
        assert expected < squared**0.5
        found = float(EXAMPLE.u_lower_bound(squared**0.5, Theta, sharp=True))
        assert found == pytest.approx(expected, rel=1e-14)
    assert float(EXAMPLE.u_lower_bound(0.3, strong, sharp=True)) == 0.3


def test_sharp_u_bound_is_attained_and_holds_where_u_falls_first() -> None:
    fixed, Theta = landscape(3, seed=3), theta(3)
    for share in (0.5, 0.97):  # of the scale at which ℓ̃ starts at zero
        sigma = share * float(fixed.sigma_max(Theta, sharp=True))
        u = gradient_flow(fixed, fixed.start(sigma, Theta), until_gap=1e-8).states[1]
        low = float(fixed.u_lower_bound(sigma, Theta, sharp=True))
        assert u.min() >= low
        assert (float(u.min()) == sigma == low) is (share == 0.5)


def test_pl_constant_as_printed() -> None:
    # (5.7) written out, against the product form in the code
    fixed, Theta, sigma = landscape(3), theta(3), 0.2
    L, G = fixed.covariance.numpy(), fixed.Gamma.numpy()
    d, inverse = 3, np.linalg.inv(fixed.covariance.numpy())
    printed = (
        sigma**2
        / (
            math.sqrt(d)
            * np.linalg.norm(L, 2) ** 2
            * np.trace(np.linalg.inv(G) @ inverse)
            * np.trace(inverse)
        )
        * np.linalg.norm(L @ Theta.numpy()) ** 2
        * (2 - math.sqrt(d) * sigma**2 * np.linalg.norm(G, 2))
    )
    assert float(fixed.pl_constant(sigma, Theta)) == pytest.approx(printed, rel=1e-12)


def test_sharp_pl_constant_by_hand() -> None:
    # Running example, Θ = I/2^¼, σ = 0.7: ℓ̃(0) = σ⁴tr(ΓΛ²)/4 − σ²trΛ²/√2
    Theta, sigma = eye(2) / 2**0.25, 0.7
    loss = sigma**4 * (41 / 16 * 4 + 7 / 8 / 4) / 4 - sigma**2 * 4.25 / math.sqrt(2)
    expected = 2 * math.sqrt(-2 * loss / (41 / 4)) * (7 / 8 / 4)
    assert float(EXAMPLE.pl_constant(sigma, Theta, sharp=True)) == pytest.approx(
        expected, rel=1e-13
    )


def test_escape_time_isotropic() -> None:
    # Closed form: u² = g/2 at t = ln(g/σ² − 1)/(2√d λ²), which is T up to O(σ²).
    d, lam, sigma = 4, 0.6, 1e-4
    fixed = FixedCovariance(lam * eye(d), 12)
    Theta = eye(d) / d**0.25
    g = float(fixed.limit()[1]) ** 2
    exact = math.log(g / sigma**2 - 1) / (2 * math.sqrt(d) * lam**2)
    assert float(fixed.escape_time(sigma, Theta)) == pytest.approx(exact, rel=sigma**2)


def test_escape_time_is_when_the_linear_flow_reaches_the_best_scale_on_its_ray() -> None:
    fixed, Theta, sigma = landscape(2, floor=0.1, seed=4), theta(2), 1e-3
    T = float(fixed.escape_time(sigma, Theta))
    L = fixed.covariance
    p = float((L @ L).norm())
    a = sigma * float((L @ Theta).norm()) ** 2 / p
    best = (sigma * math.cosh(p * T) + a * math.sinh(p * T)) ** 2
    # u² = s on the ray (√s Λ²/p, √s) minimises ℓ̃
    ray = [
        float(fixed.loss(math.sqrt(best * k) * L @ L / p, math.sqrt(best * k)))
        for k in (1 - 1e-4, 1, 1 + 1e-4)
    ]
    assert ray[1] == min(ray)
    # the exact flow is half-way at T plus an amount that settles as σ → 0
    late = [_half_way(fixed, Theta, s, best / 2) for s in (1e-3, 1e-4, 1e-5)]
    assert abs(late[2] - late[1]) < 1e-4 / p  # linear interpolation between times: 1e-5/p
    assert max(map(abs, late)) < 0.1 / p


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9])
def test_escape_time_solves_its_equation_at_any_scale(share: float) -> None:
    """σ cosh(pT) + a sinh(pT) = √s*, s* = p³/tr(ΓΛ⁶): by hand for the running example."""
    Theta = eye(2) / 2**0.25  # ‖ΛΘ‖² = (17/4)/√2
    p = math.sqrt(16 + 1 / 16)
    best = math.sqrt(p**3 / (41 / 16 * 2**6 + 7 / 8 / 2**6))
    sigma = share * best
    T = float(EXAMPLE.escape_time(sigma, Theta))
    along = sigma * 17 / 4 / math.sqrt(2) / p
    reached = sigma * math.cosh(p * T) + along * math.sinh(p * T)
    assert reached == pytest.approx(best, rel=1e-13)  # rounding


def _half_way(fixed: FixedCovariance, Theta: Tensor, sigma: float, level: float) -> float:
    T = float(fixed.escape_time(sigma, Theta))
    times = torch.linspace(0.5 * T, 1.5 * T, 801, dtype=DOUBLE)
    flow = gradient_flow(fixed, fixed.start(sigma, Theta), times)
    low, high = 0, 800
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if flow.state(middle)[1] ** 2 < level else (low, middle)
    before, after = (float(flow.state(k)[1]) ** 2 for k in (low, high))
    share = (level - before) / (after - before)
    return float(times[low] + share * (times[high] - times[low])) - T


# -- entry ---------------------------------------------------------------------------------------


test_bad_problem = refuses(
    (([[1, 2], [0, 1]], 8), r"symmetric positive definite, got entries .* differ by 2"),
    (([[1, 2], [2, 1]], 8), r"got smallest eigenvalue -1; did you pass a precision matrix"),
    (([[1, 2, 3]], 8), r"covariance must have shape \(d, d\), got \(1, 3\)"),
    ((eye(2).expand(3, 2, 2), 8), r"covariance must have shape \(d, d\)"),
    (([[1, 0], [0, math.nan]], 8), r"covariance must be finite, got nan"),
    (([[1]], 0), r"length must be an integer >= 1, got 0"),
    (([[1]], 3.0), r"length must be an integer >= 1, got 3.0"),
    by=lambda arguments: FixedCovariance(*arguments),
)
test_no_constant = refuses(
    # Γ = 4 and √s* = 1/√Γ, all exact
    (
        lambda: FixedCovariance([[2]], 2).escape_time([0.1, 0.5], [[1]]),
        "below 0.5 to start on the plateau",
    ),
    (lambda: EXAMPLE.sharpness([1.0, -1.0]), "u must be > 0, got -1"),
)


@pytest.mark.parametrize("share", [0.6, 1.0, 1.7])
def test_the_sharpness_is_the_largest_eigenvalue_of_the_hessian(share: float) -> None:
    case = landscape(3)
    u = share * case.limit()[1]
    at = torch.cat([(case.target / u).flatten(), u[None]])
    hessian = torch.autograd.functional.hessian(lambda z: case.loss(z[:9].reshape(3, 3), z[9]), at)
    largest = torch.linalg.eigvalsh(hessian)[-1]
    assert_close(case.sharpness(torch.stack([u, 2 * u]))[0], largest)
