"""Moments of the label models: by hand, by Monte Carlo, by invariance, and in one dimension."""

import math
from typing import Any

import pytest
import torch
from linear_icl.gaussian import quadratic_forms
from linear_icl.labels import LabelModel, Moments, Noiseless, Noisy, Quadratic, Relu, Sign
from linear_icl.montecarlo import estimate
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, random, refuses, seeded

LAMBDA = double([[2.0, 0.5, 0], [0.5, 1.0, 0.2], [0, 0.2, 0.5]])
W = double([1.0, -2.0, 0.5])
V = double([0.3, 0.4, -1.0])
MODELS: dict[str, LabelModel] = {
    "noiseless": Noiseless(W),
    "noisy": Noisy(W, 0.7),
    "quadratic": Quadratic(W, V, 0.8),
    "sign": Sign(W),
    "relu": Relu(W),
}


def draw(model: Any, n: Any, generator: Any) -> Any:
    root = torch.linalg.cholesky(LAMBDA)
    x = torch.randn(n, 3, dtype=DOUBLE, generator=generator) @ root.mT
    return x, model.sample(x, generator)


@pytest.mark.parametrize("name", MODELS)
def test_moments_by_monte_carlo(name: Any) -> None:
    """E[xy] = Λa, E[y²xxᵀ] = Σ + Λa(Λa)ᵀ and E y² = best + aᵀΛa, each entry by its own error."""
    model, count = MODELS[name], 400_000
    a, Sigma, best = model.moments(LAMBDA)
    x, y = draw(model, count, seeded(1))
    xy = x * y[:, None]
    squares = (xy[:, :, None] * xy[:, None, :]).flatten(1)
    values = torch.cat([xy, squares, y[:, None].square()], 1)
    cross = LAMBDA @ a
    total = best + a @ cross
    expected = torch.cat([cross, (Sigma + torch.outer(cross, cross)).flatten(), total[None]])
    error = values.std(0) / math.sqrt(count)
    z = (values.mean(0) - expected) / error.clamp(min=1e-12)  # the sign's y² = 1 has no spread
    assert z.abs().max() < 4  # 13 correlated comparisons at 6e-5
    off = (values.mean(0) - 1.03 * expected) / error.clamp(min=1e-12)
    assert off.abs().max() > 4


@pytest.mark.parametrize("name", MODELS)
def test_a_is_the_best_linear_predictor(name: Any) -> None:
    """The residual y - aᵀx has mean square ``best`` and is uncorrelated with x."""
    model = MODELS[name]
    a, _, best = model.moments(LAMBDA)

    def residual(n: Any, generator: Any) -> Any:
        x, y = draw(model, n, generator)
        return (y - x @ a) ** 2

    result = estimate(residual, count=200_000, batch=100_000, generator=seeded(2))
    # without noise the residual is rounding: (64 eps)², for products of size 30
    assert abs(result.z(best)) < 3.5 or result.mean + best < 2e-28


def test_by_hand_in_one_dimension() -> None:
    """Λ = 2, w = 3, so p = wᵀΛw = 18 and ΛwwᵀΛ = 36: Var(xy) from E x⁴ = 12 and E x⁶ = 120."""
    expected = {
        "Noiseless": (Noiseless([3]), 3, 9 * 12 - 36, 0),
        "Noisy": (Noisy([3], 5), 3, 9 * 12 - 36 + 5 * 2, 5),
        # y = 3x + ½(2x)²: E x²y² = 9·12 + 4·120, less (3·2)²; the curvature leaves 4·12
        "Quadratic": (Quadratic([3], [2], 0.5), 3, 9 * 12 + 4 * 120 - 36, 4 * 12),
        # E|x| = √(2·2/π)
        "Sign": (Sign([3]), math.sqrt(1 / math.pi), 2 - 4 / math.pi, 1 - 2 / math.pi),
        "Relu": (Relu([3]), 1.5, 9 * 12 / 2 - 9, 4.5),
    }
    for name, (model, a, Sigma, best) in expected.items():
        moments = model.moments([[2]])
        values = [part.item() for part in moments]
        assert values == pytest.approx([a, Sigma, best], rel=1e-14), name


def test_the_quadratic_label_by_isserlis() -> None:
    """uᵀE[y²xxᵀ]u = E(wᵀx)²(uᵀx)² + k²E(vᵀx)⁴(uᵀx)², from moments of quadratic forms."""
    u = double([1.0, 2.0, -1.0])
    linear, bend, along = (torch.outer(vector, vector) for vector in (W, V, u))
    whole = quadratic_forms(LAMBDA, linear, along)
    whole = whole + 0.64 * quadratic_forms(LAMBDA, bend, bend, along)
    a, Sigma, _ = MODELS["quadratic"].moments(LAMBDA)
    assert_close(u @ Sigma @ u + (u @ LAMBDA @ a) ** 2, whole)


def test_special_cases() -> None:
    plain = Noiseless(W).moments(LAMBDA)
    for model in (Noisy(W, 0), Quadratic(W, V, 0), Quadratic(W, 0 * V, 3)):
        for one, other in zip(model.moments(LAMBDA), plain, strict=True):
            assert_close(one, other)
    assert torch.equal(Sign(W).moments(LAMBDA).Sigma, Sign(4 * W).moments(LAMBDA).Sigma)
    x, y = draw(Relu(W), 5, seeded())
    assert_close(y - Relu(-W).sample(x), Noiseless(W).sample(x))
    assert torch.equal(Sign(W).sample([[1, 0, 0], [0, 1, 0]]), torch.tensor([1.0, -1]).double())
    assert Sign([1, 0]).sample([[3, -2]]) == 1


@pytest.mark.parametrize("name", MODELS)
def test_rotated_covariates_rotate_the_moments(name: Any) -> None:
    Q = torch.linalg.qr(random(3, 3, seed=3))[0]
    rotated: dict[str, LabelModel] = {
        "noiseless": Noiseless(Q @ W),
        "noisy": Noisy(Q @ W, 0.7),
        "quadratic": Quadratic(Q @ W, Q @ V, 0.8),
        "sign": Sign(Q @ W),
        "relu": Relu(Q @ W),
    }
    turned = Q @ LAMBDA @ Q.mT
    a, Sigma, best = MODELS[name].moments(LAMBDA)
    moments = rotated[name].moments((turned + turned.mT) / 2)
    assert_close(moments.a, Q @ a)
    assert_close(moments.Sigma, Q @ Sigma @ Q.mT)
    assert_close(moments.best, best)


@pytest.mark.parametrize("name", MODELS)
def test_many_covariances_at_once_and_gradients(name: Any) -> None:
    model = MODELS[name]
    many = model.moments(torch.stack([LAMBDA, 2 * LAMBDA]))
    for k, single in enumerate((model.moments(LAMBDA), model.moments(2 * LAMBDA))):
        for part, own in zip(many, single, strict=True):
            assert_close(part[k], own)
    Lambda = LAMBDA.clone().requires_grad_()
    model.moments(Lambda).Sigma.sum().backward()
    assert Lambda.grad is not None and Lambda.grad.any()
    assert isinstance(many, Moments) and "d=3" in repr(model)
    assert model.sample(torch.zeros(4, 5, 3, dtype=DOUBLE)).shape == (4, 5)


def test_noise_comes_from_the_generator() -> None:
    x = torch.zeros(4, 2, 3, dtype=DOUBLE)
    first, again = (Noisy(W, 4).sample(x, seeded(7)) for _ in range(2))
    assert torch.equal(first, again) and first.unique().numel() == 8


test_bad_input = refuses(
    (lambda: Noiseless([[1]]), r"w must have shape \(d,\), got \(1, 1\)"),
    (lambda: Noisy(W, -1), "variance must be >= 0, got -1"),
    (lambda: Quadratic(W, V[:2], 1), r"v must have shape \(3,\), got \(2,\)"),
    (lambda: Quadratic(W, V, [1, 2]), r"k must have shape \(\), got \(2,\)"),
    (lambda: Sign([0, 0]), "w must not be zero, got all zeros; the sign"),
    (lambda: Relu(W).moments(-LAMBDA), "covariance must be symmetric positive definite"),
    (lambda: Relu(W).moments([[1]]), r"covariance must have shape \(\.\.\., 3, 3\)"),
    (lambda: Relu(W).moments(LAMBDA.float()), "must have one dtype"),
    (lambda: Relu(W).sample([1, 2]), r"x must have shape \(\.\.\., 3\), got \(2,\)"),
)
