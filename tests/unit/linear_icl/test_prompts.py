"""The law of the prompts, by standard errors and by its exact invariances; the embedding."""

from typing import Any

import pytest
import torch
from linear_icl.prompts import GaussianPrompts, Prompts, embedding, semidefinite_root
from torch.testing import assert_close

from tests.unit.common import agrees, double, refuses, seeded

LAMBDA = double([[2.0, 0.5], [0.5, 1.0]])


def test_embedding_written_out() -> None:
    prompts = Prompts(*map(double, ([[[1, 2], [3, 4]]], [[5, 6]], [[7, 8]], [9])))
    assert embedding(prompts).tolist() == [[[1, 3, 7], [2, 4, 8], [5, 6, 0]]]


def test_labels_are_linear_in_the_covariates_without_noise() -> None:
    """Two labels give w (up to a 2x2 condition number); the third and the query obey it."""
    x, y, x_query, y_query = GaussianPrompts(LAMBDA).sample(5, 3, generator=seeded())
    w = torch.linalg.solve(x[:, :2], y[:, :2])
    residual = torch.cat(
        [(x @ w[..., None])[..., 0] - y, ((x_query * w).sum(-1) - y_query)[:, None]], 1
    )
    assert residual.abs().max() < 1e-10  # condition numbers of the 2x2 systems, up to 1e4 or so


def test_a_singular_task_covariance_puts_the_task_on_its_mean() -> None:
    law = GaussianPrompts(LAMBDA, task_mean=[3, -1], task_covariance=[[0, 0], [0, 0]])
    x, y, x_query, y_query = law.sample(4, 6, generator=seeded())
    w = double([3, -1])
    assert torch.equal(y, (x @ w[:, None])[..., 0]) and torch.allclose(y_query, x_query @ w)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_the_root_of_a_singular_matrix_is_symmetric_and_squares_to_it(scale: float) -> None:
    """In dimension 3, where the eigenvectors are no symmetric matrix; rounding at any scale."""
    R = torch.tensor([[1.0, 2.0, 0.5], [0.0, 1.0, -3.0]], dtype=torch.float64)
    Psi = scale * R.mT @ R  # of rank 2
    root = semidefinite_root(Psi)
    assert_close(root, root.mT, rtol=0, atol=1e-13 * scale**0.5)
    assert_close(root @ root, Psi, rtol=0, atol=1e-13 * scale)


def test_a_rank_one_task_covariance_keeps_the_task_in_its_range() -> None:
    law = GaussianPrompts(LAMBDA, task_covariance=[[1, 1], [1, 1]])
    x, y, _, _ = law.sample(4, 2, generator=seeded())
    w = torch.linalg.solve(x, y)
    # the square root of eps: Psi^(1/2) has the rounding of a zero eigenvalue, under a root
    assert (w[:, 0] - w[:, 1]).abs().max() < 1e-6 * w.abs().max()


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        (lambda p: p.x[:, 0, 0] * p.x[:, 0, 1], 0.5),  # Λ_01
        (lambda p: p.x_query[:, 1] ** 2, 1.0),  # Λ_11
        (lambda p: p.x[:, 0, 0] * p.x[:, 1, 0], 0.0),  # independent examples
        (lambda p: p.y[:, 0], 0.0),
        (lambda p: p.y_query**2, 18.95),  # E wᵀΛw + noise = 18 + ¼ + 0.7
        (lambda p: p.y[:, 0] * p.y[:, 1] * p.x[:, 0, 0] * p.x[:, 1, 0], 36.0625),
    ],
)
def test_moments_of_the_law(statistic: Any, value: Any) -> None:
    """m = (3, 0), Ψ = diag(0, ¼): E y_1y_2x_10x_20 = E(Λw)_0² = 36 + ¼Λ_01²."""
    law = GaussianPrompts(
        LAMBDA, task_mean=[3, 0], task_covariance=[[0, 0], [0, 0.25]], noise_variance=0.7
    )
    draw: Any = lambda n, g: statistic(law.sample(n, 2, generator=g))  # noqa: E731
    agrees(draw, value, 3.5, count=200_000, off=None)  # six comparisons at 5e-4 each


def test_repr() -> None:
    rest = "dtype=torch.float64, device=cpu)"
    assert repr(GaussianPrompts(LAMBDA)) == f"GaussianPrompts(d=2, {rest}"
    told = GaussianPrompts(LAMBDA, task_mean=[1, 0], noise_variance=0.5)
    assert repr(told) == f"GaussianPrompts(d=2, task_mean=[1, 0], noise_variance=0.5, {rest}"


LAW = GaussianPrompts(LAMBDA)
GOOD = LAW.sample(2, 3, generator=seeded())


test_bad_input = refuses(
    (lambda: GaussianPrompts([[1, 2], [2, 1]]), "covariance must be .* definite, got smallest"),
    (lambda: GaussianPrompts([[[1]]]), r"covariance must have shape \(d, d\)"),
    (lambda: GaussianPrompts([[1]], task_mean=[1, 2]), r"task_mean must have shape \(1,\)"),
    (lambda: GaussianPrompts([[1]], task_covariance=[[-1]]), "task_covariance must be .*semid"),
    (lambda: GaussianPrompts([[1]], noise_variance=-1), "noise_variance must be >= 0, got -1"),
    (lambda: GaussianPrompts(LAMBDA, task_mean=torch.zeros(2)), "must have one dtype"),
    (lambda: GaussianPrompts(LAMBDA, task_mean=LAMBDA[0].to("meta")), "must be on one device"),
    (lambda: LAW.sample(0, 3), "batch must be an integer >= 1, got 0"),
    (lambda: LAW.sample(1, True), "length must be an integer >= 1, got True"),
    (
        lambda: GaussianPrompts(LAMBDA.to("meta")).sample(1, 1, generator=seeded()),
        "generator must be on the device of the samples, got cpu for meta",
    ),
    (lambda: embedding(GOOD._replace(y=GOOD.y[:, 1:])), r"y must have shape \(2, 3\)"),
    (lambda: embedding(GOOD._replace(x_query=GOOD.x[0])), r"x_query must have shape \(2, 2\)"),
    (lambda: embedding(GOOD._replace(y_query=GOOD.y_query.float())), "must have one dtype"),
    (lambda: embedding(GOOD._replace(x=GOOD.x[:, :0])), "at least one example"),
)
