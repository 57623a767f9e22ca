"""The learners by their defining equations, by hand, and by what turns one into another."""

import re
from typing import Any

import pytest
import torch
from linear_icl.estimators import (
    averaging,
    bayes,
    conjugate_gradient,
    gradient_descent,
    ols,
    ridge,
    zero,
)
from linear_icl.lsa import LinearSelfAttention, blocks, gamma, gradient_step_weights, limit_weights
from linear_icl.montecarlo import estimate
from linear_icl.prompts import GaussianPrompts, Prompts
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, refuses, seeded

LAMBDA = double([[2.0, 0.5, 0], [0.5, 1.0, 0], [0, 0, 0.3]])
#: Not symmetric, not positive: any square matrix is a preconditioner.
P = double([[0.5, 0.2, 0], [-0.1, 0.3, 0.4], [0, 0, -1.0]])


def sample(d: int, N: int, noise: float = 0.0) -> Any:
    law = GaussianPrompts(eye(d), noise_variance=noise)
    return law.sample(6, N, generator=seeded(d + N))


def by_hand(query: float = 10) -> Any:
    """Covariates 1 and 2 with labels 1 and 3: Σxy = 7, Σx² = 5."""
    parts = ([[[1], [2]]], [[1, 3]], [[query]], [0])
    return Prompts(*[double(part) for part in parts])


def test_without_noise_it_recovers_the_label() -> None:
    prompts = sample(3, 9)
    assert_close(ols(prompts), prompts.y_query)


def test_with_noise_it_solves_the_normal_equations() -> None:
    x, y, x_query, _ = prompts = sample(3, 9, noise=1.0)
    w = torch.linalg.solve(x.mT @ x, (x.mT @ y[..., None]))
    assert_close(ols(prompts), (x_query[:, None] @ w)[:, 0, 0])


def test_with_few_examples_it_interpolates_and_ignores_the_orthogonal_complement() -> None:
    """Minimum norm: a query equal to x_1 gets y_1, a query orthogonal to all x_i gets 0."""
    prompts = sample(5, 2, noise=1.0)
    assert_close(ols(prompts._replace(x_query=prompts.x[:, 0])), prompts.y[:, 0])
    orthogonal = torch.linalg.qr(prompts.x.mT, mode="complete")[0][..., -1]
    assert ols(prompts._replace(x_query=orthogonal)).abs().max() < 1e-13


@pytest.mark.parametrize(
    ("learner", "prediction"),
    [
        (zero, 0),
        (averaging, 10 * 7 / 2),
        (ols, 10 * 7 / 5),
        (lambda p: ridge(p, 2), 10 * 7 / 7),
        (lambda p: gradient_descent(p, 1, step_size=0.2), 10 * 0.7),
        # v_2 = v_1 + 0.2(7/2 - 5/2·v_1) with v_1 = 0.7
        (lambda p: gradient_descent(p, 2, step_size=0.2), 10 * 1.05),
        # prior N(1, 3), noise 15: the mean 1, and (7 - 5)/(5 + 15/3) of the rest
        (lambda p: bayes(p, noise_variance=15, task_mean=[1], task_covariance=[[3]]), 10 * 1.2),
        (lambda p: bayes(p, noise_variance=15, task_mean=[1]), 10 * 1.1),
    ],
)
def test_by_hand(learner: Any, prediction: Any) -> None:
    expected = double([prediction])
    assert_close(learner(by_hand()), expected)


@pytest.mark.parametrize("N", [2, 5, 9])
def test_ridge_solves_its_normal_equations(N: Any) -> None:
    x, y, x_query, _ = prompts = sample(5, N, noise=1.0)
    matrix = x.mT @ x + 0.7 * eye(5)
    w = torch.linalg.solve(matrix, x.mT @ y[..., None])
    assert_close(ridge(prompts, 0.7), (x_query[:, None] @ w)[:, 0, 0])
    said = " ".join(str(ridge.__doc__).split())
    assert "a number on the scale of the sum XᵀX, not of the mean" in said


@pytest.mark.parametrize("N", [2, 5, 9])
def test_without_penalty_ridge_is_least_squares_and_it_gets_there_linearly(N: Any) -> None:
    """Its distance to least squares is of order penalty: a tenth of one, a tenth of the other."""
    prompts = sample(5, N, noise=1.0)
    assert_close(ridge(prompts, 0), ols(prompts))
    away = [(ridge(prompts, penalty) - ols(prompts)).abs() for penalty in (1e-7, 1e-8)]
    assert_close(away[1] * 10, away[0], rtol=1e-2, atol=0)


def test_a_large_penalty_leaves_the_average() -> None:
    """Ridge times penalty/M tends to the average."""
    prompts = sample(3, 8, noise=1.0)
    assert_close(ridge(prompts, 1e12) * (1e12 / 8), averaging(prompts))


@pytest.mark.parametrize("N", [2, 9])
def test_bayes_with_the_standard_prior_is_ridge(N: Any) -> None:
    prompts = sample(3, N, noise=0.4)
    assert_close(bayes(prompts, noise_variance=0.4), ridge(prompts, 0.4))
    whole = bayes(prompts, noise_variance=0.4, task_covariance=eye(3))
    assert_close(whole, ridge(prompts, 0.4))


def test_bayes_adds_the_precisions_of_prior_and_data() -> None:
    """(XᵀX/σ² + Ψ⁻¹) w = Xᵀy/σ² + Ψ⁻¹m for invertible Ψ, another formula."""
    m, noise = double([1.0, -2, 3]), 0.4
    x, y, x_query, _ = prompts = sample(3, 2, noise=noise)
    precision = torch.linalg.inv(LAMBDA)
    right = x.mT @ y[..., None] / noise + (precision @ m)[:, None]
    w = torch.linalg.solve(x.mT @ x / noise + precision, right)
    prediction = bayes(prompts, noise_variance=noise, task_mean=m, task_covariance=LAMBDA)
    assert_close(prediction, (x_query[:, None] @ w)[:, 0, 0])


def test_bayes_keeps_to_the_range_of_a_singular_prior() -> None:
    """w = (t, t, 0) with t ~ N(0, 1), so one label without noise tells it: t = y/(x_1 + x_2)."""
    x, y, x_query, _ = prompts = sample(3, 1, noise=1.0)
    Psi = torch.zeros(3, 3, dtype=DOUBLE)
    Psi[:2, :2] = 1
    t = y[:, 0] / x[:, 0, :2].sum(-1)
    expected = t * x_query[:, :2].sum(-1)
    assert_close(bayes(prompts, noise_variance=0, task_covariance=Psi), expected)
    point = bayes(prompts, noise_variance=0, task_mean=[1, 2, 3], task_covariance=0 * Psi)
    assert_close(point, x_query @ double([1.0, 2, 3]))


def test_bayes_without_noise_is_its_own_limit() -> None:
    prompts = sample(3, 2)
    arguments: Any = {"task_mean": [1, 2, 3], "task_covariance": LAMBDA}
    limit = bayes(prompts, noise_variance=0, **arguments)
    assert_close(bayes(prompts, noise_variance=1e-10, **arguments), limit)


def test_no_learner_beats_bayes_and_a_wrong_noise_costs() -> None:
    """Its error is orthogonal to every other prediction, so risks differ by E(ŷ - ŷ_Bayes)²."""
    law = GaussianPrompts(
        LAMBDA, task_mean=[1, 0, -1], task_covariance=LAMBDA @ LAMBDA, noise_variance=0.5
    )

    def best(prompts: Any, noise: float) -> Any:
        return bayes(
            prompts, noise_variance=noise, task_mean=[1, 0, -1], task_covariance=LAMBDA @ LAMBDA
        )

    def correlation(noise: float) -> Any:
        def draw(n: Any, generator: Any) -> Any:
            prompts = law.sample(n, 4, generator=generator)
            own = best(prompts, noise)
            return (prompts.y_query - own) * (own - ols(prompts))

        return estimate(draw, count=40_000, batch=20_000, generator=seeded())

    assert abs(correlation(0.5).z(0)) < 3.3  # one comparison at 1e-3
    assert abs(correlation(1.0).z(0)) > 5


def test_gradient_descent_is_the_gradient_of_its_objective() -> None:
    """Three steps against autograd on (1/2M) Σ (y - vᵀx)²."""
    x, y, x_query, _ = prompts = sample(3, 4, noise=1.0)
    v = torch.zeros(6, 3, dtype=DOUBLE, requires_grad=True)
    for _ in range(3):
        objective = (y - (x @ v[..., None])[..., 0]).square().sum() / (2 * 4)
        (slope,) = torch.autograd.grad(objective, v)
        v = (v - slope @ P.mT).detach().requires_grad_()
    prediction = gradient_descent(prompts, 3, preconditioner=P)
    assert_close(prediction, (x_query * v).sum(-1).detach())


@pytest.mark.parametrize("N", [2, 12])
def test_gradient_descent_ends_at_least_squares(N: Any) -> None:
    """From 0 it never leaves the span of the covariates, hence the minimum norm for N < d."""
    prompts = sample(3, N, noise=1.0)
    top = torch.linalg.matrix_norm(prompts.x, 2).max() ** 2 / N
    prediction = gradient_descent(prompts, 20_000, step_size=1 / top)
    assert_close(prediction, ols(prompts))


def test_steps_end_up_to_the_size_that_the_docstring_names_and_grow_above() -> None:
    said = re.search(r"0 < step_size < (\d+)/λ_max", gradient_descent.__doc__ or "")
    assert said is not None
    prompts = Prompts(*(part[:1] for part in sample(3, 12, noise=1.0)))
    largest = int(said[1]) * 12 / torch.linalg.matrix_norm(prompts.x[0], 2).item() ** 2
    below = gradient_descent(prompts, 5000, step_size=0.99 * largest)
    assert_close(below, ols(prompts))
    assert gradient_descent(prompts, 5000, step_size=1.01 * largest).abs().item() > 1e6


def test_one_step_of_size_one_is_averaging() -> None:
    prompts = sample(3, 4, noise=1.0)
    assert_close(gradient_descent(prompts, 1, step_size=1), averaging(prompts))


@pytest.mark.parametrize(("training", "test"), [(8, 8), (8, 3), (1, 20)])
def test_the_trained_layer_is_one_step_preconditioned_by_the_inverse_of_gamma(
    training: Any, test: Any
) -> None:
    """Γ has the training length; the layer and the step divide by the test length."""
    prompts = sample(3, test, noise=1.0)
    step = gradient_descent(prompts, 1, preconditioner=torch.linalg.inv(gamma(LAMBDA, training)))
    layer = LinearSelfAttention(*limit_weights(LAMBDA, training))
    assert_close(layer.predict(prompts), step)


def test_gradient_step_weights_make_the_layer_take_that_step() -> None:
    """Also for a preconditioner that is not symmetric: U is its transpose."""
    prompts = sample(3, 4, noise=1.0)
    layer = LinearSelfAttention(*gradient_step_weights(P))
    step = gradient_descent(prompts, 1, preconditioner=P)
    assert_close(layer.predict(prompts), step)
    U, u_21, u_12, u = blocks(*gradient_step_weights(torch.stack([P, 2 * P])))
    assert torch.equal(U, torch.stack([P.mT, 2 * P.mT])) and u.tolist() == [1, 1]
    assert not u_21.any() and not u_12.any()


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_least_squares_does_not_mind_the_units_of_the_covariates(scale: float) -> None:
    """What counts as a zero singular value is relative to the largest."""
    prompts = sample(3, 7, noise=1.0)
    other = prompts._replace(x=scale * prompts.x, x_query=scale * prompts.x_query)
    for learner in (ols, lambda p: ridge(p, 0)):
        assert_close(learner(other), learner(prompts))


LEARNERS = {
    "zero": zero,
    "averaging": averaging,
    "ols": ols,
    "ridge": lambda p: ridge(p, 0.5),
    "bayes": lambda p: bayes(p, noise_variance=0.5),
    "gradient_descent": lambda p: gradient_descent(p, 3, step_size=0.1),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("N", [2, 7])
def test_order_rotation_and_scale_of_labels(name: Any, N: Any) -> None:
    """The context is a set; rotated covariates and query change nothing; y enters linearly."""
    learner, prompts = LEARNERS[name], sample(3, N, noise=1.0)
    Q = torch.linalg.qr(P)[0]
    flipped = prompts._replace(x=prompts.x.flip(1), y=prompts.y.flip(1))
    rotated = prompts._replace(x=prompts.x @ Q, x_query=prompts.x_query @ Q)
    scaled = prompts._replace(y=3 * prompts.y)
    prediction = learner(prompts)
    assert_close(learner(flipped), prediction)
    assert_close(learner(rotated), prediction)
    assert_close(learner(scaled), 3 * prediction)
    assert torch.equal(learner(prompts._replace(y_query=prompts.y_query + 1)), prediction)


GOOD = sample(2, 3)


test_bad_input = refuses(
    (lambda: ols(GOOD._replace(y=GOOD.y[:, :2])), r"y must have shape"),
    (lambda: zero(GOOD[:3]), r"prompts must be Prompts"),
    (lambda: averaging(GOOD._replace(x_query=GOOD.x[:, 0, :1])), r"x_query must have shape"),
    (lambda: ridge(GOOD, -1), r"penalty must be >= 0, got -1"),
    (lambda: ridge(GOOD, [1, 2]), r"penalty must have shape \(\), got \(2,\)"),
    (lambda: bayes(GOOD, noise_variance=-1), r"noise_variance must be >= 0, got -1"),
    (lambda: bayes(GOOD, noise_variance=1, task_mean=[1]), r"task_mean must have shape \(2,\)"),
    (
        lambda: bayes(GOOD, noise_variance=1, task_covariance=[[1, 2], [2, 1]]),
        "task_covariance must be symmetric positive semidefinite, got smallest eigenvalue -1",
    ),
    (
        lambda: bayes(GOOD, noise_variance=1, task_covariance=[[1]]),
        r"task_covariance must have shape \(2, 2\)",
    ),
    (lambda: gradient_descent(GOOD, 0, step_size=1), "steps must be an integer >= 1, got 0"),
    (lambda: gradient_descent(GOOD, 1), "takes step_size or preconditioner, got neither"),
    (
        lambda: gradient_descent(GOOD, 1, step_size=1, preconditioner=P),
        "takes step_size or preconditioner, got both",
    ),
    (lambda: gradient_descent(GOOD, 1, step_size=0), "step_size must be > 0, got 0"),
    (lambda: gradient_descent(GOOD, 1, preconditioner=P), r"must have shape \(2, 2\)"),
    (lambda: gradient_step_weights(P[:2]), r"must have shape \(\.\.\., d, d\), got \(2, 3\)"),
    (lambda: gradient_step_weights(0.1), r"preconditioner must have shape \(\.\.\., d, d"),
)


@pytest.mark.parametrize("N", [3, 5, 9])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_conjugate_gradient_fits_the_examples_best_of_its_polynomials(N: int, k: int) -> None:
    """Least squares over m, Sm, …, S^(k-1)m."""
    x, y, x_query, _ = prompts = sample(5, N, noise=1.0)
    S, m = x.mT @ x / N, x.mT @ y[..., None] / N
    krylov = torch.cat([torch.linalg.matrix_power(S, j) @ m for j in range(k)], -1)
    best = krylov @ torch.linalg.lstsq(x @ krylov, y[..., None]).solution
    assert_close(conjugate_gradient(prompts, k), (x_query[:, None] @ best)[:, 0, 0])


@pytest.mark.parametrize("N", [3, 9])
def test_conjugate_gradient_ends_at_least_squares_and_rests(N: int) -> None:
    prompts = sample(5, N, noise=1.0)
    for k in (min(N, 5), min(N, 5) + 1, 40):
        assert_close(conjugate_gradient(prompts, k), ols(prompts), rtol=1e-6, atol=1e-8)
    x = prompts.x.requires_grad_()
    conjugate_gradient(prompts, 40).sum().backward()
    assert x.grad is not None and x.grad.isfinite().all(), "resting divides by nothing"


def test_conjugate_gradient_makes_no_step_from_no_signal() -> None:
    prompts = sample(3, 4, noise=1.0)._replace(y=torch.zeros(len(sample(3, 4).y), 4).double())
    assert_close(conjugate_gradient(prompts, 2), 0 * zero(prompts))


def test_conjugate_gradient_needs_a_step() -> None:
    with pytest.raises(ValueError, match="steps must be an integer >= 1, got 0"):
        conjugate_gradient(sample(3, 4), 0)
