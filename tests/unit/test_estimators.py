"""Least squares by its defining equations."""

from typing import Any

import pytest
import torch
from linear_icl.estimators import ols
from linear_icl.prompts import GaussianPrompts, Prompts

DOUBLE = torch.float64


def sample(d: int, N: int, noise: float = 0.0) -> Any:
    law = GaussianPrompts(torch.eye(d, dtype=DOUBLE), noise_variance=noise)
    return law.sample(6, N, generator=torch.Generator().manual_seed(d + N))


def test_without_noise_it_recovers_the_label() -> None:
    prompts = sample(3, 9)
    torch.testing.assert_close(ols(prompts), prompts.y_query)


def test_with_noise_it_solves_the_normal_equations() -> None:
    x, y, x_query, _ = prompts = sample(3, 9, noise=1.0)
    w = torch.linalg.solve(x.mT @ x, (x.mT @ y[..., None]))
    torch.testing.assert_close(ols(prompts), (x_query[:, None] @ w)[:, 0, 0])


def test_with_few_examples_it_interpolates_and_ignores_the_orthogonal_complement() -> None:
    """Minimum norm: a query equal to x_1 gets y_1, a query orthogonal to all x_i gets 0."""
    prompts = sample(5, 2, noise=1.0)
    torch.testing.assert_close(ols(prompts._replace(x_query=prompts.x[:, 0])), prompts.y[:, 0])
    orthogonal = torch.linalg.qr(prompts.x.mT, mode="complete")[0][..., -1]
    assert ols(prompts._replace(x_query=orthogonal)).abs().max() < 1e-13


def test_by_hand() -> None:
    """Covariates 1 and 2 with labels 1 and 3: slope (1·1 + 2·3)/(1 + 4) = 7/5."""
    parts = ([[[1], [2]]], [[1, 3]], [[10]], [0])
    prompts = Prompts(*[torch.tensor(part, dtype=DOUBLE) for part in parts])
    torch.testing.assert_close(ols(prompts), torch.tensor([14.0], dtype=DOUBLE))


def test_device_is_followed() -> None:
    assert ols(GaussianPrompts(torch.eye(2, dtype=DOUBLE, device="meta")).sample(3, 4)).is_meta


def test_bad_input() -> None:
    prompts = sample(2, 3)
    with pytest.raises(ValueError, match=r"y must have shape"):
        ols(prompts._replace(y=prompts.y[:, :2]))
