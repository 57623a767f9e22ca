"""All that draws takes an integer as the seed of a fresh generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from linear_icl import labels, ltb, montecarlo, training
from linear_icl import random_covariance as rc
from linear_icl.nonlinear import Architecture, Tasks, Transformer
from linear_icl.prompts import GaussianPrompts
from linear_icl.shifts import SHIFTS
from torch import Tensor, nn

from tests.unit.common import seeded

EYE = torch.eye(2, dtype=torch.float64)
RANDOM = rc.RandomCovariancePrompts(rc.Exponential(), 2)
SETTING = ltb.Setting(EYE, EYE, [1, 0], 0.5, 4)


def mean(generator: Any) -> Tensor:
    draw = lambda count, g: torch.randn(count, generator=g)  # noqa: E731
    return torch.tensor(montecarlo.estimate(draw, count=9, batch=4, generator=generator).mean)


def losses(generator: Any) -> Tensor:
    net = nn.Linear(1, 1)
    nn.init.ones_(net.weight)
    nn.init.zeros_(net.bias)
    draw = lambda g: torch.randn(5, 1, generator=g)  # noqa: E731
    square = lambda module, x: module(x).square().mean()  # noqa: E731
    return training.fit(net, draw, square, steps=3, generator=generator).losses


DRAWS: dict[str, Callable[[Any], Any]] = {
    "prompts": lambda g: GaussianPrompts(EYE).sample(3, 4, generator=g),
    "moment": lambda g: GaussianPrompts(EYE).sample_moment(3, 4, generator=g),
    "setting": lambda g: SETTING.sample(3, generator=g),
    "random": lambda g: RANDOM.sample(3, 4, generator=g),
    "covariance": lambda g: RANDOM.sample_covariance(3, generator=g),
    "exponential": lambda g: rc.Exponential().sample(5, generator=g),
    "gamma": lambda g: rc.Gamma(2.5).sample(5, generator=g),
    "uniform": lambda g: rc.Uniform(1, 2).sample(5, generator=g),
    "log-normal": lambda g: rc.LogNormal(0, 1).sample(5, generator=g),
    "labels": lambda g: labels.Noisy([1, 2], 0.5).sample(EYE, g),
    "mean": mean,
    "losses": losses,
    "tasks": lambda g: Tasks(2, 3, law="exponential").sample(4, generator=g),
    "weights": lambda g: Transformer(Architecture(2, 4, width=4), generator=g).write.weight,
}

for kind in SHIFTS:
    DRAWS[kind] = lambda g, kind=kind: SHIFTS[kind](4).sample(3, 2, generator=g)  # type: ignore[misc]


@pytest.mark.parametrize("name", DRAWS)
def test_an_integer_is_a_seed(name: str) -> None:
    one, same, other, state = (
        [drawn] if isinstance(drawn, Tensor) else list(drawn)
        for drawn in map(DRAWS[name], (5, 5, 6, seeded(5)))
    )
    assert all(map(torch.equal, one, same)) and all(map(torch.equal, one, state))
    assert not all(map(torch.equal, one, other))


@pytest.mark.parametrize(
    "law",
    [
        lambda noise: GaussianPrompts(EYE, noise_variance=noise),
        lambda noise: SETTING.replace(noise_variance=noise),
        lambda noise: rc.RandomCovariancePrompts(rc.Exponential(), 2, noise_variance=noise),
    ],
)
def test_laws_that_differ_in_noise_share_their_numbers_under_one_seed(law: Any) -> None:
    quiet, noisy = (law(noise).sample(3, 4, generator=0) for noise in (0.0, 0.5))
    assert torch.equal(quiet.x, noisy.x) and not torch.equal(quiet.y, noisy.y)


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("value", [True, 0.0])
def test_a_slip_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"generator must be a torch.Generator or None, or an int"):
        DRAWS[name](value)
