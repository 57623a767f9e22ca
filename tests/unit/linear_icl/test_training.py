"""The loop: exact steps, determinism, evaluations, errors; and a layer trained to its minimum."""

import math
from typing import Any, cast

import pytest
import torch
from linear_icl.landscape import FullParameters
from linear_icl.lsa import LinearSelfAttention
from linear_icl.montecarlo import estimate
from linear_icl.prompts import GaussianPrompts
from linear_icl.training import Fit, fit
from torch import nn

from tests.unit.common import DOUBLE, double, eye, refuses, seeded


class Point(nn.Module):
    """One parameter θ, to be drawn towards zero."""

    def __init__(self, start: float = 1.0) -> None:
        super().__init__()
        self.theta = nn.Parameter(double(start))


def noise(generator: Any) -> Any:
    return torch.randn((), generator=generator, dtype=DOUBLE)


def parabola(module: Any, batch: Any) -> Any:
    return module.theta.square() / 2 + 0 * batch


def line(module: Any, batch: Any) -> Any:
    """Under a constant slope a step of Adam has the length of its rate."""
    return module.theta + 0 * batch


def run(module: Any, loss: Any = parabola, draw: Any = noise, **change: Any) -> Fit:
    arguments: Any = {"steps": 20, "generator": seeded(), "learning_rate": 0.1}
    return fit(module, draw, loss, **(arguments | change))


def test_the_steps_are_adams_and_a_loss_is_taken_before_its_step() -> None:
    module, own = Point(), Point()
    result, losses = run(module), []
    descent = torch.optim.Adam(own.parameters(), lr=0.1)
    for _ in range(20):
        value = own.theta.square() / 2
        losses.append(value.item())
        descent.zero_grad()
        value.backward()
        descent.step()
    assert result.losses.tolist() == losses and result.evaluations == ()
    assert torch.equal(module.theta, own.theta) and losses[-1] < losses[0]


def test_losses_are_doubles_whatever_the_parameters_are() -> None:
    module = Point().float()
    result = run(module, lambda module, batch: module.theta.double() ** 2 / 3)
    assert module.theta.dtype == torch.float32
    assert result.losses.dtype == DOUBLE and result.losses[0] == 1 / 3


def test_the_learning_rate_may_follow_the_step() -> None:
    module = Point()
    run(module, line, learning_rate=lambda step: 1 / (step + 2))
    assert module.theta.item() == pytest.approx(1 - sum(1 / k for k in range(2, 22)), rel=1e-6)


def test_it_is_deterministic_given_the_generator() -> None:
    def drifting(module: Any, batch: Any) -> Any:
        return (module.theta - batch).square()

    one, again, other = (run(Point(), drifting, generator=seeded(s)) for s in (3, 3, 4))
    assert torch.equal(one.losses, again.losses) and not torch.equal(one.losses, other.losses)


def test_evaluations_at_the_start_every_so_often_and_at_the_end() -> None:
    def evaluate(module: Any) -> Any:
        assert not module.training and not torch.is_grad_enabled()
        return module.theta.item()

    module = Point()
    result = run(module, line, steps=7, every=3, evaluate=evaluate)
    assert [step for step, _ in result.evaluations] == [0, 3, 6, 7]
    assert [value for _, value in result.evaluations] == pytest.approx([1, 0.7, 0.4, 0.3])
    assert module.training and torch.is_grad_enabled()


def test_a_trained_layer_reaches_the_minimum_over_all_parameters() -> None:
    """d = 2, N = 8, all 18 weights free: no exact gradient, only fresh prompts and Adam.

    The exact gap says how near; a fresh sample cannot tell the layer from the minimum, and would
    tell one that is 3 % worse.
    """
    Lambda = torch.diag(double([2.0, 0.5]))
    law, landscape = GaussianPrompts(Lambda), FullParameters(Lambda, 8)
    start = 0.3 * eye(3)
    layer = LinearSelfAttention(start, start)

    def loss(module: Any, prompts: Any) -> Any:
        return (module.predict(prompts) - prompts.y_query).square().mean() / 2

    result = fit(
        layer,
        lambda generator: law.sample(256, 8, generator=generator),
        loss,
        steps=1000,
        generator=seeded(),
        learning_rate=lambda step: 0.02 * (1 - step / 1000),
        evaluate=lambda module: landscape.gap(module.W_KQ, module.W_PV).item(),
    )
    minimum = landscape.minimum.item()
    gaps = [gap for _, gap in result.evaluations]
    assert gaps[-1] < 0.01 * minimum < 0.2 * gaps[0]

    @torch.no_grad()
    def fresh(n: Any, generator: Any) -> Any:
        prompts = law.sample(n, 8, generator=generator)
        return (layer.predict(prompts) - prompts.y_query).square() / 2

    sample = estimate(fresh, count=400_000, batch=100_000, generator=seeded(1))
    assert abs(sample.z(minimum)) < 3.5 and sample.z(1.03 * minimum) < -3.5


test_bad_input = refuses(
    (
        lambda: run(Point(), learning_rate=1e200),
        r"loss must be finite, got inf at step 1; lower learning_rate, 1e\+200 there",
    ),
    (lambda: run(Point(math.inf)), "loss must be finite, got inf at step 0; the start is to blame"),
    (lambda: run(Point(), steps=0), "steps must be an integer >= 1, got 0"),
    (lambda: run(Point(), every=0.5), "every must be an integer >= 1, got 0.5"),
    (lambda: run(Point(), learning_rate=0), "learning_rate must be > 0, got 0"),
    (lambda: run(Point(), learning_rate=lambda s: -s), "learning_rate must be >= 0, got -1"),
    (lambda: run(Point(), generator=None), "generator must be a torch.Generator, got None"),
    (lambda: run(nn.Identity()), "must have parameters that .*got Identity with none; wrap"),
    (
        lambda: run(Point(), lambda m, b: m.theta.expand(3)),
        r"one number that depends on the parameters, got shape \(3,\); take the mean",
    ),
    (lambda: run(Point(), lambda m, b: b), "got a constant; take"),
    (lambda: run(Point(), lambda m, b: cast(Any, m.theta.item())), "got float; take the mean"),
)
