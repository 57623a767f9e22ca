"""Risks against the layer on drawn prompts, against each other, and in their limits."""

from typing import Any, cast

import numpy as np
import pytest
import torch
from linear_icl import lsa
from linear_icl.labels import Noiseless, Noisy, Quadratic, Relu, Sign
from linear_icl.landscape import FixedCovariance
from linear_icl.prompts import Prompts
from linear_icl.risk import RiskCurve, linear_risk, prediction_risk, risk_curve
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, eye, random, refuses

LAMBDA = double([[2.0, 0.5, 0], [0.5, 1.0, 0.2], [0, 0.2, 0.5]])
CONTEXT = double([[1.0, -0.3, 0], [-0.3, 0.7, 0.1], [0, 0.1, 1.5]])
QUERY = double([[0.6, 0, 0.2], [0, 2.0, 0.4], [0.2, 0.4, 1.0]])
A = double([[0.5, 0.2, -0.1], [0.0, 0.4, 0.3], [0.1, 0.0, 0.6]])
W = double([1.0, -2.0, 0.5])
V = double([0.3, 0.4, -1.0])
N, M = 7, 5
MODELS = {
    "noiseless": Noiseless(W),
    "noisy": Noisy(W, 0.7),
    "quadratic": Quadratic(W, V, 0.3),
    "sign": Sign(W),
    "relu": Relu(W),
}


def layer(length: int = N) -> lsa.LinearSelfAttention:
    return lsa.LinearSelfAttention(*lsa.limit_weights(LAMBDA, length))


def normal(generator: Any, covariance: Any, *shape: int) -> Any:
    z = torch.randn(*shape, len(covariance), dtype=DOUBLE, generator=generator)
    return z @ torch.linalg.cholesky(covariance).mT


# -- Theorem 4.2 ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_theorem_on_prompts_of_every_label_model(name: Any) -> None:
    model: Any = MODELS[name]
    trained = layer()

    def draw(n: Any, generator: Any) -> Any:
        x, x_query = (normal(generator, LAMBDA, n, k) for k in (M, 1))
        y, y_query = model.sample(x, generator), model.sample(x_query, generator)[:, 0]
        with torch.no_grad():
            y_hat = trained.predict(Prompts(x, y, x_query[:, 0], y_query))
        return (y_hat - y_query).square()

    agrees(draw, prediction_risk(LAMBDA, N, M, model.moments(LAMBDA)).total, 4, count=600_000)


def test_theorem_by_hand() -> None:
    """Λ = 2, w = 3, N = 4, M = 5: Γ = 3, so variance 72·2/(5·9) and bias (1/3·4·3)²·2/16."""
    risk = prediction_risk([[2]], 4, 5, Noisy([3], 5).moments([[2]]))
    assert risk.best == 5
    assert risk.variance.item() == pytest.approx((9 * 8 + 5 * 2) * 2 / 9 / 5, rel=1e-14)
    assert risk.bias.item() == pytest.approx((4 * 3 / 3) ** 2 * 2 / 16, rel=1e-14)
    assert risk.total.item() == pytest.approx(torch.stack(risk[1:]).sum().item(), rel=1e-14)


def test_bias_is_the_printed_sum_of_three_norms() -> None:
    a = W
    inverse = torch.linalg.inv(lsa.gamma(LAMBDA, N))
    trace = LAMBDA.trace()
    printed = sum(
        c * a @ inverse @ inverse @ torch.linalg.matrix_power(LAMBDA, k) @ a
        for c, k in ((1, 3), (2 * trace, 2), (trace**2, 1))
    )
    risk = prediction_risk(LAMBDA, N, M, Noiseless(W).moments(LAMBDA))
    assert_close(risk.bias, printed / N**2)


def test_moments_of_your_own() -> None:
    own = (W, LAMBDA, 0.3)
    risk = prediction_risk(LAMBDA, N, M, own)
    inverse = torch.linalg.inv(lsa.gamma(LAMBDA, N))
    expected = (LAMBDA @ inverse @ inverse @ LAMBDA).trace() / M
    assert_close(risk.variance, expected)
    assert risk.best == 0.3


def test_a_hopeless_label_costs_only_variance() -> None:
    """y = ε: a = 0, Σ = σ²Λ, so no bias and (σ²/M) tr[Γ⁻²Λ²]."""
    risk = prediction_risk(LAMBDA, N, M, (0 * W, 4 * LAMBDA, 4.0))
    assert risk.bias == 0
    noise = linear_risk(LAMBDA, N, M, task=0 * W, noise_variance=4.0)
    assert_close(risk.variance, noise)


# -- linear labels, any shift -------------------------------------------------------------------


@pytest.mark.parametrize("averaged", [True, False])
def test_linear_risk_of_the_layer_on_shifted_prompts(averaged: Any) -> None:
    trained = layer()

    def draw(n: Any, generator: Any) -> Any:
        x, x_query = normal(generator, CONTEXT, n, M), normal(generator, QUERY, n)
        w = torch.randn(n, 3, dtype=DOUBLE, generator=generator) if averaged else W.expand(n, 3)
        noise = torch.randn(n, M, dtype=DOUBLE, generator=generator)
        y, y_query = (x @ w[..., None])[..., 0] + 0.7**0.5 * noise, (x_query * w).sum(-1)
        with torch.no_grad():
            return (trained.predict(Prompts(x, y, x_query, y_query)) - y_query).square()

    shift: Any = {"test_covariance": CONTEXT, "query_covariance": QUERY, "noise_variance": 0.7}
    task = None if averaged else W
    agrees(draw, linear_risk(LAMBDA, N, M, task=task, **shift), 4, count=400_000)


@pytest.mark.parametrize("averaged", [True, False])
def test_any_one_step_learner(averaged: Any) -> None:
    """A matrix A that is not symmetric, on a query with mean and second moment Q."""

    def draw(n: Any, generator: Any) -> Any:
        x = normal(generator, CONTEXT, n, M)
        sign = torch.randn(n, 1, dtype=DOUBLE, generator=generator).sign()
        x_query = torch.where(sign > 0, V, W)  # E x_q x_qᵀ = (vvᵀ + wwᵀ)/2, mean not zero
        w = torch.randn(n, 3, dtype=DOUBLE, generator=generator) if averaged else W.expand(n, 3)
        y = (x @ w[..., None])[..., 0] + torch.randn(n, M, dtype=DOUBLE, generator=generator)
        moment = (y[:, None] @ x)[:, 0] / M
        return ((moment @ A * x_query).sum(-1) - (x_query * w).sum(-1)).square()

    Q = (torch.outer(V, V) + torch.outer(W, W)) / 2
    value = linear_risk(
        CONTEXT,
        None,
        M,
        task=None if averaged else W,
        noise_variance=1.0,
        query_covariance=Q,
        preconditioner=A,
    )
    agrees(draw, value, 4, count=400_000)


def test_the_default_preconditioner_is_the_inverse_of_gamma() -> None:
    inverse = torch.linalg.inv(lsa.gamma(LAMBDA, N))
    shift: Any = {"query_covariance": QUERY, "task": W, "noise_variance": 0.3}
    assert_close(
        linear_risk(LAMBDA, N, M, test_covariance=CONTEXT, **shift),
        linear_risk(CONTEXT, None, M, preconditioner=inverse, **shift),
    )


@pytest.mark.parametrize("noise", [0.0, 0.7])
def test_linear_risk_is_theorem_4_2_without_shift(noise: Any) -> None:
    risk = prediction_risk(LAMBDA, N, M, Noisy(W, noise).moments(LAMBDA))
    value = linear_risk(LAMBDA, N, M, task=W, noise_variance=noise)
    assert_close(risk.total - risk.best, value)


def test_average_over_tasks_is_the_mean_over_a_basis() -> None:
    """The risk is a quadratic form in w, and E wᵀFw = Σ e_iᵀFe_i = tr F."""
    shift: Any = {"test_covariance": CONTEXT, "query_covariance": QUERY}
    basis = eye(3)
    each = linear_risk(LAMBDA, N, M, task=basis, **shift)
    assert each.shape == (3,)
    assert_close(each.sum(), linear_risk(LAMBDA, N, M, **shift))


def test_two_losses_of_chapter_3() -> None:
    """Without noise, at M = N: R = 2 min L = tr Λ − tr(Λ²Γ⁻¹)."""
    value = linear_risk(LAMBDA, N, N)
    assert_close(value, LAMBDA.trace() + 2 * FixedCovariance(LAMBDA, N).minimum)


def test_isotropic_by_hand() -> None:
    """Λ = I: R = d{(M+d+1)/(Mg²) − 2/g + 1} with g = 1 + (d+1)/N; here 8/16 − 2/2 + 1, thrice."""
    assert linear_risk(torch.eye(3), 4, 4).item() == pytest.approx(3 * 0.5, rel=1e-6)
    assert linear_risk(eye(3), 4, 2).item() == pytest.approx(2.25, rel=1e-14)


def test_scaled_covariates_end_at_the_limit_of_the_theory() -> None:
    """x → cx with M, N → ∞: c²(c² − 1)² tr Λ."""
    for c in (0.5, 1.5, 3.0):
        value = linear_risk(LAMBDA, 10**9, 10**9, test_covariance=c**2 * LAMBDA)
        expected = c**2 * (c**2 - 1) ** 2 * LAMBDA.trace()
        assert value.item() == pytest.approx(expected.item(), rel=1e-6)  # O(d²/10⁹)


def test_the_floor_and_how_it_falls() -> None:
    curve = risk_curve(LAMBDA, N, task=W)
    assert isinstance(curve, RiskCurve)
    steps = curve([1, 10, 100]) - curve.floor
    assert_close(steps * torch.tensor([1, 10, 100]), curve.slope.expand(3))
    assert_close(curve.floor, prediction_risk(LAMBDA, N, M, Noiseless(W).moments(LAMBDA)).bias)


def test_a_tiny_floor_keeps_its_digits() -> None:
    """At N = 10¹² it is ‖Λ⁻¹(Λ + tr Λ I)‖²_Λ/N²; Γ⁻¹Λ − I by subtraction has four digits left."""
    large = 10**12
    leading = torch.linalg.solve(LAMBDA, LAMBDA + LAMBDA.trace() * torch.eye(3))
    floor = ((leading @ leading.mT) * LAMBDA).sum()
    value = risk_curve(LAMBDA, large).floor * float(large) ** 2
    assert value.item() == pytest.approx(floor.item(), rel=1e-10)


def test_a_task_far_away_and_a_query_far_away_cost_their_squares() -> None:
    value = linear_risk(LAMBDA, N, M, task=W)
    assert_close(linear_risk(LAMBDA, N, M, task=3 * W), 9 * value)
    assert_close(linear_risk(LAMBDA, N, M, task=W, query_covariance=5 * LAMBDA), 5 * value)
    assert linear_risk(LAMBDA, N, M, task=W, query_covariance=0 * LAMBDA) == 0


# -- both ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("averaged", [True, False])
def test_rotation_and_scale(averaged: Any) -> None:
    """x → Qx, w → Qw changes nothing; x → cx, w → w/c neither, noise included."""
    Q = torch.linalg.qr(random(3, 3, seed=3))[0]

    def turned(matrix: Any) -> Any:
        product = Q @ matrix @ Q.mT
        return (product + product.mT) / 2

    def risk(turn: Any, w: Any) -> Any:
        task = None if averaged else w
        shift: Any = {"test_covariance": turn(CONTEXT), "query_covariance": turn(QUERY)}
        return linear_risk(turn(LAMBDA), N, M, task=task, noise_variance=0.4, **shift)

    plain = risk(lambda matrix: matrix, W)
    assert_close(risk(turned, Q @ W), plain)
    if not averaged:
        assert_close(risk(lambda matrix: 9 * matrix, W / 3), plain)
        one, other = (
            prediction_risk(c * LAMBDA, N, M, Noisy(w, 0.4).moments(c * LAMBDA)).total
            for c, w in ((1, W), (9, W / 3))
        )
        assert_close(one, other)


def test_lengths_add_axes_and_batches_stay_in_front() -> None:
    covariances = torch.stack([LAMBDA, CONTEXT])
    tasks = torch.stack([W, V])
    noise = double([0.2, 0.9])
    many = linear_risk(covariances, [3, 9, 27], range(1, 6), task=tasks, noise_variance=noise)
    assert many.shape == (2, 3, 5)
    parts = prediction_risk(covariances, np.array([3, 9, 27]), range(1, 6), (tasks, QQ(), [0, 1]))
    for part in parts:
        assert part.shape == (2, 3, 5)
    for b in range(2):
        for i, n in enumerate((3, 9, 27)):
            for j, m in enumerate(range(1, 6)):
                own = linear_risk(covariances[b], n, m, task=tasks[b], noise_variance=noise[b])
                assert_close(many[b, i, j], own)
                single = prediction_risk(covariances[b], n, m, (tasks[b], QQ()[b], float(b)))
                for part, value in zip(parts, single, strict=True):
                    assert_close(part[b, i, j], value)


def QQ() -> Any:
    return torch.stack([QUERY, 2 * QUERY])


def test_what_all_share_has_no_batch_axis() -> None:
    contexts = torch.stack([CONTEXT, LAMBDA])
    several = linear_risk(LAMBDA, N, M, test_covariance=contexts, noise_variance=[0.0, 1.0])
    for k, noise in enumerate((0.0, 1.0)):
        assert_close(
            several[k], linear_risk(LAMBDA, N, M, test_covariance=contexts[k], noise_variance=noise)
        )


def test_gradients_of_every_argument() -> None:
    def symmetric(root: Any) -> Any:
        return root @ root.mT + eye(2)

    def risk(a: Any, b: Any, c: Any, w: Any, noise: Any) -> Any:
        shift: Any = {"test_covariance": symmetric(b), "query_covariance": symmetric(c)}
        return linear_risk(symmetric(a), [3, 8], 5, task=w, noise_variance=noise, **shift)

    def averaged(a: Any, b: Any) -> Any:
        return linear_risk(symmetric(a), None, [2, 5], preconditioner=b)

    def theorem(a: Any, w: Any, b: Any, best: Any) -> Any:
        return prediction_risk(symmetric(a), 4, [2, 5], (w, symmetric(b), best))

    a, b, c = (random(2, 2, seed=k).requires_grad_() for k in range(3))
    w = torch.tensor([1.0, -2.0], dtype=DOUBLE, requires_grad=True)
    noise = torch.tensor(0.5, dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(risk, (a, b, c, w, noise))
    assert torch.autograd.gradcheck(averaged, (a, b))
    assert torch.autograd.gradcheck(theorem, (a, w, b, noise))
    # at Λ = I the eigenvectors have no derivative; the risk has one, and by symmetry ∝ I
    identity = torch.eye(3, dtype=DOUBLE, requires_grad=True)
    (slope,) = torch.autograd.grad(linear_risk(identity, N, M), identity)
    assert_close(slope, slope[0, 0] * eye(3))
    assert slope[0, 0] > 0


MOMENTS = Noiseless(W).moments(LAMBDA)
TWO = torch.stack([LAMBDA, LAMBDA])


test_bad_input = refuses(
    (lambda: linear_risk(-LAMBDA, N, M), "covariance must be symmetric positive definite"),
    (lambda: linear_risk(LAMBDA, 0, M), "train_length must be an integer >= 1, got 0"),
    (lambda: linear_risk(LAMBDA, N, [5, 0]), r"test_length must be .* got \[5, 0\]; write"),
    (
        lambda: linear_risk(LAMBDA, N, cast(Any, 5.0)),
        "test_length must be an integer >= 1, got 5.0",
    ),
    (lambda: linear_risk(LAMBDA, N, True), "test_length must be an integer >= 1, got True"),
    (lambda: linear_risk(LAMBDA, N, cast(Any, [1.0, 2.0])), r"test_length .* got \[1.0, 2.0\]"),
    (lambda: linear_risk(LAMBDA, N, []), r"test_length .* got \[\]"),
    (
        lambda: linear_risk(LAMBDA, N, cast(Any, [[1], [2, 3]])),
        r"test_length .* got \[\[1\], \[2, 3\]\]",
    ),
    (lambda: linear_risk(LAMBDA, N, torch.ones(2, device="meta").long()), "test_length must"),
    (lambda: linear_risk(LAMBDA, N, M, task=[1, 2]), r"task must have shape \(\.\.\., 3\)"),
    (
        lambda: linear_risk(LAMBDA, N, M, task=W.unsqueeze(-1)),
        r"task must have shape \(\.\.\., 3\), got \(3, 1\); a vector is no column",
    ),
    (lambda: linear_risk(LAMBDA, N, M, noise_variance=-1), "noise_variance must be >= 0"),
    (
        lambda: linear_risk(LAMBDA, N, M, test_covariance=-LAMBDA),
        "test_covariance must be symmetric positive semidefinite",
    ),
    (
        lambda: linear_risk(LAMBDA, N, M, query_covariance=[[1]]),
        r"query_covariance must have shape \(\.\.\., 3, 3\)",
    ),
    (
        lambda: linear_risk(LAMBDA, None, M, preconditioner=[[1]]),
        r"preconditioner must have shape \(\.\.\., 3, 3\)",
    ),
    (lambda: linear_risk(LAMBDA, N, M, preconditioner=LAMBDA), "preconditioner, got both"),
    (lambda: linear_risk(LAMBDA, None, M), "preconditioner, got neither"),
    (
        lambda: linear_risk(TWO, N, M, task=torch.stack([W, W, W])),
        r"batch axes must be the same, got covariance \(2,\), task \(3,\)",
    ),
    (
        lambda: linear_risk(TWO, None, M, preconditioner=torch.stack([A, A, A])),
        r"batch axes .* preconditioner \(3,\)",
    ),
    (
        lambda: linear_risk(1e200 * LAMBDA, None, M, preconditioner=LAMBDA),
        "risk must be finite, got nan; measure x or y in other units",
    ),
    (
        lambda: prediction_risk(1e-90 * LAMBDA, N, M, (1e200 * W, LAMBDA, 0.0)),
        "risk must be finite",
    ),
    (
        lambda: prediction_risk(LAMBDA, N, M, cast(Any, (W, LAMBDA))),
        r"moments must be \(a, Sigma, best\), got 2 parts; call",
    ),
    (
        lambda: prediction_risk(LAMBDA, N, M, (V[:2], LAMBDA, 0.0)),
        r"moments.a must have shape \(\.\.\., 3\)",
    ),
    (
        lambda: prediction_risk(LAMBDA, N, M, (W, [[1]], 0.0)),
        r"moments.Sigma must have shape \(\.\.\., 3, 3\)",
    ),
    (
        lambda: prediction_risk(LAMBDA, N, M, (W, -LAMBDA, 0.0)),
        "moments.Sigma must be symmetric positive semidefinite",
    ),
    (
        lambda: prediction_risk(LAMBDA, N, M, (W.unsqueeze(-1), LAMBDA, 0.0)),
        r"moments.a must have shape .* got \(3, 1\); a vector is no column",
    ),
    (lambda: prediction_risk(LAMBDA, N, M, (W, LAMBDA, -1)), "moments.best must be >= 0"),
    (
        lambda: prediction_risk(LAMBDA, N, M, (W, TWO, [0.0, 0, 0])),
        r"batch axes .* Sigma \(2,\), best \(3,\)",
    ),
    (
        lambda: prediction_risk(LAMBDA, cast(Any, 2.0), M, MOMENTS),
        "train_length must be an integer",
    ),
    (lambda: risk_curve(LAMBDA, N)(-3), "test_length must be an integer >= 1, got -3"),
)
