"""The law of (1/M) Σ x_i y_i drawn directly, against its moments and against drawn prompts."""

from typing import Any, cast

import pytest
import torch
from linear_icl.landscape import FullParameters
from linear_icl.lsa import gamma
from linear_icl.prompts import GaussianPrompts
from scipy.stats import chi2, ks_2samp, kstest
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, refuses, seeded

LAMBDA = double([[2.0, 0.5], [0.5, 1.0]])
TASK = double([1.0, -2.0])
ZERO = torch.zeros(2, 2, dtype=DOUBLE)
S2 = 4.7  # wᵀΛw + noise = 2 + 4 - 2 + 0.7
#: w fixed, which lets 10 % be seen; w random, which ties context and query together.
FIXED = GaussianPrompts(LAMBDA, task_mean=TASK, task_covariance=ZERO, noise_variance=0.7)
RANDOM = GaussianPrompts(
    LAMBDA, task_mean=[1, 0], task_covariance=[[1, 1], [1, 1]], noise_variance=0.3
)

SINGLE = GaussianPrompts(LAMBDA.float(), noise_variance=0.3)


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        (lambda xy, x, y: xy[:, 0], 1.0),  # Λw = (1, -3/2)
        (lambda xy, x, y: xy[:, 1], -1.5),
        # the covariance is (s²Λ + Λw wᵀΛ)/M
        (lambda xy, x, y: (xy[:, 0] - 1) ** 2, (S2 * 2 + 1) / 5),
        (lambda xy, x, y: (xy[:, 1] + 1.5) ** 2, (S2 + 2.25) / 5),
        (lambda xy, x, y: (xy[:, 0] - 1) * (xy[:, 1] + 1.5), (S2 * 0.5 - 1.5) / 5),
        (lambda xy, x, y: xy[:, 0] * x[:, 0], 0.0),
        (lambda xy, x, y: x[:, 0] * x[:, 1], 0.5),
        (lambda xy, x, y: x[:, 1] * y, -1.5),
        (lambda xy, x, y: (y - x @ TASK) ** 2, 0.7),
    ],
)
def test_moments_given_the_task(statistic: Any, value: Any) -> None:
    draw: Any = lambda n, g: statistic(*FIXED.sample_moment(n, 5, generator=g))  # noqa: E731
    agrees(draw, value, 3.6, count=200_000, off=None)  # nine comparisons at 3e-4 each


def test_along_the_task_and_without_noise_it_is_a_chi_square() -> None:
    """wᵀ Σ x_i y_i = ‖y‖² = s²χ²_M, a law in closed form; M + 1 is seen to be another."""
    law = GaussianPrompts(LAMBDA, task_mean=TASK, task_covariance=ZERO)
    xy_mean, _, _ = law.sample_moment(40_000, 7, generator=seeded())
    ratio = (7 * xy_mean @ TASK / 4).numpy()
    assert kstest(ratio, chi2(7).cdf).pvalue > 1e-3
    assert kstest(ratio, chi2(8).cdf).pvalue < 1e-9


def reduced(law: GaussianPrompts, length: int, seed: int) -> Any:
    """One moment per prompt, from prompts that are drawn."""
    x, y, x_query, y_query = law.sample(60_000, length, generator=seeded(seed))
    return (y.unsqueeze(-2) @ x).squeeze(-2) / length, x_query, y_query


def projections(xy_mean: Any, x_query: Any, y_query: Any) -> dict[str, Any]:
    """Numbers per prompt that see each coordinate, their tails, and the query's part."""
    return {
        "first": xy_mean[:, 0],
        "across": xy_mean @ torch.tensor([0.6, 0.8]).to(xy_mean),
        "size": xy_mean.norm(dim=-1),
        "error": y_query - (xy_mean * x_query).sum(-1),
        "label": y_query * xy_mean[:, 1],
    }


@pytest.mark.parametrize("length", [1, 2, 40])
@pytest.mark.parametrize("law", [FIXED, RANDOM, SINGLE], ids=["fixed", "random", "single"])
def test_it_has_the_law_of_drawn_prompts(law: Any, length: Any) -> None:
    ours = projections(*law.sample_moment(60_000, length, generator=seeded(2)))
    theirs = projections(*reduced(law, length, seed=3))
    for name, values in ours.items():
        assert ks_2samp(values.numpy(), theirs[name].numpy()).pvalue > 1e-4, name  # of forty-five


@pytest.mark.parametrize(
    ("other", "length"),
    [
        (GaussianPrompts(LAMBDA, task_mean=TASK, task_covariance=ZERO, noise_variance=0.7), 9),
        (
            GaussianPrompts(LAMBDA, task_mean=1.1 * TASK, task_covariance=ZERO, noise_variance=0.7),
            10,
        ),
        (
            GaussianPrompts(1.1 * LAMBDA, task_mean=TASK, task_covariance=ZERO, noise_variance=0.7),
            10,
        ),
    ],
    ids=["length", "task", "covariance"],
)
def test_a_law_that_is_a_tenth_off_is_seen(other: Any, length: Any) -> None:
    ours = projections(*other.sample_moment(60_000, length, generator=seeded(2)))
    theirs = projections(*reduced(FIXED, 10, seed=3))
    least = min(ks_2samp(ours[name].numpy(), theirs[name].numpy()).pvalue for name in ours)
    assert least < 1e-6


@pytest.mark.parametrize("length", [1, 8])
def test_it_gives_the_least_risk_of_the_layer(length: Any) -> None:
    """E(y_query - xy_meanᵀΓ⁻¹x_query)² = 2 min L: moment, query and label share their task."""
    law, inverse = GaussianPrompts(LAMBDA), torch.linalg.inv(gamma(LAMBDA, length))

    def loss(n: Any, generator: Any) -> Any:
        xy_mean, x_query, y_query = law.sample_moment(n, length, generator=generator)
        return (y_query - (xy_mean @ inverse * x_query).sum(-1)) ** 2

    agrees(loss, 2 * FullParameters(LAMBDA, length).minimum, 3.5, count=200_000, seed=4)


def test_one_covariate_without_noise_leaves_no_freedom_across() -> None:
    """d = 1: the covariance given y is zero and the moment is a positive multiple of w."""
    law = GaussianPrompts([[2]], task_mean=[-3], task_covariance=[[0]])
    xy_mean, x_query, y_query = law.sample_moment(20_000, 4, generator=seeded())
    assert_close(y_query, -3 * x_query[:, 0])
    assert kstest((4 * xy_mean[:, 0] / -6).numpy(), chi2(4).cdf).pvalue > 1e-3


def test_without_task_and_noise_all_labels_vanish() -> None:
    law = GaussianPrompts(LAMBDA, task_covariance=ZERO)
    xy_mean, x_query, y_query = law.sample_moment(3, 4, generator=seeded())
    assert not xy_mean.any() and not y_query.any() and x_query.all()


def test_without_task_the_noise_remains() -> None:
    """w = 0: Σ x_i y_i given y is N(0, ‖y‖²Λ), of covariance noise Λ/M for the mean."""
    law = GaussianPrompts(LAMBDA, task_covariance=ZERO, noise_variance=3)
    draw: Any = lambda n, g: law.sample_moment(n, 6, generator=g)[0].prod(-1)  # noqa: E731
    agrees(draw, 3 * 0.5 / 6, 3.3, count=100_000, batch=100_000, seed=5, off=None)


test_bad_input = refuses(
    (lambda: FIXED.sample_moment(0, 3), "batch must be an integer >= 1, got 0"),
    (lambda: FIXED.sample_moment(3, cast(Any, 2.0)), "length must be an integer >= 1, got 2.0"),
)
