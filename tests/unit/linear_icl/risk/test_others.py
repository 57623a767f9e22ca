"""Least squares, the bounds, and the layer trained on random covariances."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from linear_icl import estimators
from linear_icl.lsa import gamma
from linear_icl.prompts import Prompts
from linear_icl.random_covariance import DiagonalCovariance, Exponential, Gamma
from linear_icl.risk import (
    averaged_bound,
    context_lengths,
    linear_risk,
    ols_risk,
    random_covariance_risk,
    risk_curve,
)
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, eye, random, refuses

LAMBDA = double([[2.0, 0.5, 0], [0.5, 1.0, 0.2], [0, 0.2, 0.5]])
QUERY = double([[0.6, 0, 0.2], [0, 2.0, 0.4], [0.2, 0.4, 1.0]])


WIDE = torch.diag(torch.linspace(0.5, 2, 12, dtype=DOUBLE))


def law(*moments: float) -> Any:
    return SimpleNamespace(moment=lambda k: moments[k - 1])


# -- least squares ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("C", "Q", "M", "noise"),
    [
        (LAMBDA, QUERY, 14, 0.7),  # above d
        (2 * eye(12), WIDE, 5, 0.0),  # below d, what is not seen
        (2 * eye(12), WIDE, 5, 3.0),  # and what the noise adds
    ],
)
def test_ols_on_drawn_prompts(C: Any, Q: Any, M: Any, noise: Any) -> None:
    def draw(n: Any, generator: Any) -> Any:
        z = torch.randn(n, M, len(C), dtype=DOUBLE, generator=generator)
        w, query = torch.randn(2, n, len(C), dtype=DOUBLE, generator=generator)
        x, x_query = z @ torch.linalg.cholesky(C).mT, query @ torch.linalg.cholesky(Q).mT
        error = torch.randn(n, M, dtype=DOUBLE, generator=generator)
        y, y_query = (x @ w[..., None])[..., 0] + noise**0.5 * error, (x_query * w).sum(-1)
        return (estimators.ols(Prompts(x, y, x_query, y_query)) - y_query).square()

    risk = ols_risk(C, M, noise_variance=noise, query_covariance=Q)
    agrees(draw, risk, 4, count=80_000, batch=20_000)


def test_ols_by_hand() -> None:
    """d = 3, Λ = 2I: noise 4 over M = 6 costs 4·3/2, whatever the scale of x; 3 of 2I: 2(3 − M)."""
    C = 2 * eye(3)
    expected = [math.inf, math.inf, math.inf, 12.0, 6.0]
    assert ols_risk(C, range(2, 7), noise_variance=4).tolist() == expected
    assert_close(ols_risk(C, [1, 2, 3, 4]), torch.tensor([4.0, 2, 0, 0]).double())
    # M = 1: 2/3 of tr Q = 6 is missed, and the noise adds 4·6/(2·3)·1/1
    assert ols_risk(C, 1, noise_variance=4).item() == pytest.approx(4 + 4, rel=1e-14)


def test_ols_far_beyond_d_and_many_covariances() -> None:
    """M·risk → σ² tr(QC⁻¹), and each covariance of a batch has its own."""
    value = ols_risk(LAMBDA, 10**8, noise_variance=2, query_covariance=QUERY) * 10**8
    expected = 2 * (QUERY @ torch.linalg.inv(LAMBDA)).trace()
    assert value.item() == pytest.approx(expected.item(), rel=1e-6)
    both = ols_risk(torch.stack([LAMBDA, QUERY]), [6, 7, 8], noise_variance=[1.0, 2.0])
    assert both.shape == (2, 3)
    assert_close(both[1], ols_risk(QUERY, [6, 7, 8], noise_variance=2))


def test_without_noise_the_layer_never_beats_least_squares() -> None:
    """Of minimum norm it is the posterior mean of w ~ N(0, I); nothing does better at any M."""
    lengths = list(range(1, 30))
    best = ols_risk(eye(8), lengths)
    assert (linear_risk(eye(8), 1000, lengths) > best).all() and best[0] == 7
    assert (ols_risk(LAMBDA, [3, 4, 50]) == 0).all()
    apart = torch.stack([1e8 / 35 * eye(3), eye(3)])  # a multiple of I each, but for rounding
    assert_close(ols_risk(apart, 1), 2 / 3 * apart.diagonal(dim1=1, dim2=2).sum(-1))


# -- bounds -------------------------------------------------------------------------------------


def test_bound_by_hand() -> None:
    """Λ = diag(2, ½): tr Λ = 5/2, κ = 4, so 3·(5/2)/M + (1 + 4 + 16)(5/2)/N²."""
    bound = averaged_bound([[2, 0], [0, 0.5]], [10, 20], 5)
    assert_close(bound, double([1.5 + 0.525, 1.5 + 0.13125]))


@pytest.mark.parametrize("condition", [1, 3, 100])
def test_bound_holds_and_is_reached_in_order(condition: Any) -> None:
    """At N = ∞ and Λ = I the first term is the risk itself; the second is d²κ ≥ tr Λ tr Λ⁻¹."""
    Lambda = torch.diag(torch.linspace(1, condition, 5, dtype=DOUBLE))
    lengths = [1, 2, 5, 20, 1000, 10**6]
    bound, risk = averaged_bound(Lambda, lengths, lengths), linear_risk(Lambda, lengths, lengths)
    assert bound.shape == (6, 6) and (risk <= bound).all()
    assert_close(averaged_bound(3 * Lambda, lengths, lengths), 3 * bound)
    if condition == 1:
        assert_close(risk[-1, :3], bound[-1, :3], rtol=1e-4, atol=0)  # O(d/N)
        floor = risk_curve(Lambda, 10**6).floor * 10**12
        assert floor.item() == pytest.approx(5 * 36, rel=1e-4)  # (1 + 2d + d²) tr Λ


def test_the_printed_bound_fails_where_this_one_holds() -> None:
    """v1's ((1+2d)tr Λ + d²κ)/N² at Λ = I, N large: d(d+1)² is above d(1+2d) + d²."""
    floor = risk_curve(eye(8), 10**5).floor.item() * 10**10
    assert 8 * 17 + 64 < floor < 8 * 81


def test_context_lengths_by_hand_and_that_they_suffice() -> None:
    """Λ = diag(2, ½), ε = 1/10: M = 2·3·(5/2)·10 = 150, N = ⌈√(2·21·(5/2)·10)⌉ = ⌈√1050⌉ = 33."""
    assert context_lengths([[2, 0], [0, 0.5]], 0.1) == (33, 150)
    for epsilon in (2.0, 0.1, 0.003):
        N, M = context_lengths(LAMBDA, epsilon)
        assert linear_risk(LAMBDA, N, M) < averaged_bound(LAMBDA, N, M) <= epsilon
        # one less of each is too little for the bound
        assert averaged_bound(LAMBDA, max(N - 1, 1), max(M - 1, 1)) > epsilon
    four, exact = eye(4), 10**9
    printed = math.ceil(math.sqrt((2 * (1 + 8) * 4 + 16) / 1e-4))  # Corollary 4.3's N
    assert linear_risk(four, printed, exact) > 0.5e-4


# -- random covariances -------------------------------------------------------------------------


@pytest.mark.parametrize("c", [1.0, 4.0, 9.0])
def test_exponential_law_at_infinite_length(c: Any) -> None:
    """risk/d = (2/3)c³ − (4/3)c² + c."""
    value = random_covariance_risk(Exponential(), 20, 10**9, 10**9, scale=c) / 20
    assert value.item() == pytest.approx(2 / 3 * c**3 - 4 / 3 * c**2 + c, rel=1e-6)


def test_random_risk_by_hand() -> None:
    """Exp(1), d = 2, N = 3, M = 2: κ = 3/16; 2{(9/256)(24 + 2)/2 − 2·(3/16)·2 + 1} in fractions."""
    kappa = Fraction(3, 3 * 3 + 2 + 5)
    expected = 2 * (kappa**2 * Fraction(4 * 6 + 2, 2) - 2 * kappa * 2 + 1)
    value = random_covariance_risk(law(1, 2, 6), 2, 3, 2)
    assert value.item() == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("family", [Exponential(), Gamma(3.0, 0.5)])
def test_random_risk_is_the_mean_over_given_covariances(family: Any) -> None:
    """The conditional risk of A = κI, which is exact, averaged over drawn Λ."""
    d, N, M, c = 3, 10, 6, 2.0
    limit = DiagonalCovariance(family, d, N)
    A = torch.diag(limit.xi / limit.gamma)

    def draw(n: Any, generator: Any) -> Any:
        values = c * family.sample((n, d), generator=generator)
        return linear_risk(torch.diag_embed(values), None, M, preconditioner=A)

    risk = random_covariance_risk(family, d, N, M, scale=c)
    agrees(draw, risk, 4, count=200_000, batch=20_000)


def test_random_risk_at_its_training_is_twice_the_minimum_of_the_loss() -> None:
    """At M = N, c = 1: R = E tr Λ + 2 min ℓ, and no other κ does better there."""
    landscape = DiagonalCovariance(Gamma(2.0, 1.5), 4, 9)
    value = random_covariance_risk(Gamma(2.0, 1.5), 4, 9, 9)
    assert_close(value, 4 * 3.0 + 2 * landscape.minimum)


def test_a_constant_law_is_a_fixed_covariance() -> None:
    value = random_covariance_risk(law(2, 4, 8), 3, [5, 9], [4, 6, 8], scale=1.5)
    Lambda = 2 * eye(3)
    expected = linear_risk(Lambda, [5, 9], [4, 6, 8], test_covariance=1.5 * Lambda)
    assert_close(value, expected)
    assert_close(torch.linalg.inv(gamma(Lambda, 5)), 5 * 4 / (7 * 8 + 2 * 8) * eye(3))


def test_many_scales_and_gradients() -> None:
    scales = torch.tensor([1.0, 4.0], dtype=DOUBLE, requires_grad=True)
    value = random_covariance_risk(law(1, 2, 6), 3, [5, 9], [4, 6, 8], scale=scales)
    assert value.shape == (2, 2, 3)
    assert_close(value[1, 0, 2].detach(), random_covariance_risk(law(1, 2, 6), 3, 5, 8, scale=4.0))

    def risk(scale: Any, moments: Any) -> Any:
        return random_covariance_risk(law(*moments), 3, [5, 9], [4, 6], scale=scale)

    moments = torch.tensor([1.0, 2, 6], dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(risk, (scales, moments))

    def others(root: Any, query: Any, noise: Any) -> Any:
        C = root @ root.mT + eye(2)
        bound = averaged_bound(C, [3, 4], [5, 6, 7])
        Q = query @ query.mT
        below = ols_risk(noise * eye(2), 1, query_covariance=Q)
        return bound, below, ols_risk(C, [5, 8], noise_variance=noise, query_covariance=Q)

    root, query = random(2, 2, 2, seed=2)
    noise = torch.tensor(0.5, dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(others, (root.requires_grad_(), query.requires_grad_(), noise))


test_bad_input = refuses(
    (
        lambda: ols_risk(LAMBDA, [5, 2]),
        r"test_length must be >= d = 3 unless the covariance is a multiple of I, got 2; below",
    ),
    (lambda: ols_risk(LAMBDA, 0), "test_length must be an integer >= 1, got 0"),
    (lambda: ols_risk(-LAMBDA, 9), "covariance must be symmetric positive definite"),
    (lambda: ols_risk(LAMBDA, 9, noise_variance=-1), "noise_variance must be >= 0, got -1"),
    (lambda: ols_risk(LAMBDA, 9, query_covariance=[[1]]), "query_covariance must have shape"),
    (
        lambda: ols_risk(torch.stack([LAMBDA] * 2), 9, noise_variance=[1.0, 2, 3]),
        r"batch axes must be the same, got covariance \(2,\), noise_variance \(3,\)",
    ),
    (lambda: averaged_bound(-LAMBDA, 5, 5), "covariance must be symmetric positive definite"),
    (lambda: averaged_bound(LAMBDA, 0, 5), "train_length must be an integer >= 1, got 0"),
    (
        lambda: averaged_bound(LAMBDA, 5, cast(Any, 0.5)),
        "test_length must be an integer >= 1, got 0.5",
    ),
    (lambda: context_lengths(LAMBDA, 0), "epsilon must be > 0, got 0"),
    (lambda: context_lengths(torch.stack([LAMBDA] * 2), 1), "covariance must have shape"),
    (lambda: random_covariance_risk(law(1, 2, 6), 0, 5, 5), "dim must be an integer >= 1"),
    (lambda: random_covariance_risk(law(1, 2, 6), 2, 0, 5), "train_length must be an integer"),
    (lambda: random_covariance_risk(law(1, 2, 6), 2, 5, -1), "test_length must be an integer"),
    (lambda: random_covariance_risk(law(1, 2, 6), 2, 5, 5, scale=0), "scale must be > 0, got 0"),
    (
        lambda: random_covariance_risk(law(1, 2, math.inf), 2, 5, 5),
        r"law.moment\(3\) must be finite, got inf",
    ),
    (lambda: random_covariance_risk(law(-1, 2, 6), 2, 5, 5), r"law.moment\(1\) must be > 0"),
    (
        lambda: random_covariance_risk(law(1, 2, 6), 2, 5, 5, scale=1e200),
        "risk must be finite, got inf; measure x or y in other units",
    ),
)
