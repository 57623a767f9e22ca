"""The loop: exact steps, determinism, the stop rule, errors; and a layer trained to its minimum."""

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
from torch.testing import assert_close

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


def noisy(module: Any, batch: Any) -> Any:
    return module.theta.square() / 2 + 0.1 * batch


def run(module: Any, loss: Any = parabola, draw: Any = noise, **change: Any) -> Fit:
    arguments: Any = {"steps": 20, "generator": seeded(), "optimizer": "sgd", "learning_rate": 0.1}
    return fit(module, draw, loss, **(arguments | change))


def test_gradient_steps_on_a_parabola_are_geometric() -> None:
    """θ_t = (1 - η)^t, and the loss of step t is taken before it."""
    module = Point()
    result = run(module)
    factor = 0.9 ** torch.arange(20, dtype=DOUBLE)
    assert_close(result.losses, factor.square() / 2)
    assert module.theta.item() == pytest.approx(0.9**20, rel=1e-14)
    assert (result.steps, result.settled, result.evaluations) == (20, False, ())


def test_the_learning_rate_may_follow_the_step() -> None:
    """With η_t = 1/(t + 2), θ_t = Π (1 - 1/(s + 2)) = 1/(t + 1)."""
    module = Point()
    run(module, learning_rate=lambda step: 1 / (step + 2))
    assert module.theta.item() == pytest.approx(1 / 21, rel=1e-13)


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_the_first_step_of_adam_is_the_learning_rate(optimizer: Any) -> None:
    module = Point()
    run(module, steps=1, optimizer=optimizer, learning_rate=0.125)
    assert module.theta.item() == pytest.approx(0.875, rel=2e-3)  # adamw decays by 1e-2 η


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
    result = run(module, steps=7, every=3, evaluate=evaluate)
    assert [step for step, _ in result.evaluations] == [0, 3, 6, 7]
    assert [value for _, value in result.evaluations] == pytest.approx([1, 0.9**3, 0.9**6, 0.9**7])
    assert module.training and torch.is_grad_enabled()


def test_the_tail_is_the_last_quarter() -> None:
    result = run(Point(), noisy, steps=40)
    last = result.losses[30:]
    assert result.tail.count == 10 and result.tail.mean == pytest.approx(last.mean().item())
    assert result.tail.standard_error == pytest.approx(last.std().item() / math.sqrt(10))
    assert run(Point(), steps=1).tail.standard_error == math.inf


def first_stop(losses: list[float], every: int, threshold: float) -> int | None:
    """The documented rule, in plain Python."""
    for t in range(every, len(losses) + 1, every):
        parts = losses[t // 2 : 3 * t // 4], losses[3 * t // 4 : t]
        if t < 8:
            continue
        means = [sum(part) / len(part) for part in parts]
        squares = [
            sum((x - m) ** 2 for x in part) / (len(part) - 1) / len(part)
            for part, m in zip(parts, means, strict=True)
        ]
        if means[0] - means[1] + 2 * math.sqrt(sum(squares)) <= threshold:
            return t
    return None


@pytest.mark.parametrize("threshold", [0.1, 0.02, 0.01])
def test_it_stops_where_the_rule_says(threshold: Any) -> None:
    """The same noise without the rule gives all losses, on which the rule is done by hand."""
    arguments: Any = {"steps": 4000, "learning_rate": 0.02, "every": 5}
    everything = run(Point(2), noisy, **arguments)
    expected = first_stop(everything.losses.tolist(), 5, threshold)
    stopped = run(Point(2), noisy, stop_error=threshold, **arguments)
    assert stopped.settled and stopped.steps == expected
    assert torch.equal(stopped.losses, everything.losses[:expected])


def test_what_is_left_when_it_stops_is_of_the_order_of_stop_error() -> None:
    """Over twenty seeds: the excess θ²/2 at the stop never exceeds stop_error."""
    for seed in range(20):
        module = Point(2)
        arguments: Any = {"steps": 4000, "learning_rate": 0.02, "stop_error": 0.02}
        assert run(module, noisy, generator=seeded(seed), every=20, **arguments).settled
        assert module.theta.item() ** 2 / 2 < 0.02


def test_a_loss_that_keeps_falling_does_not_stop() -> None:
    falling: Any = lambda module, batch: module.theta + 0.1 * batch  # noqa: E731
    result = run(Point(), falling, steps=2000, stop_error=0.5, learning_rate=0.1)
    assert not result.settled and result.steps == 2000


def test_progress_is_silent_unless_asked_for(capsys: Any) -> None:
    run(Point(), every=10)
    assert capsys.readouterr() == ("", "")
    run(Point(), every=10, progress=True)
    out, err = capsys.readouterr()
    assert out == "" and "step 10/20  loss" in err and err.endswith("\n")


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
    assert abs(result.tail.z(minimum)) < 3.5

    @torch.no_grad()
    def fresh(n: Any, generator: Any) -> Any:
        prompts = law.sample(n, 8, generator=generator)
        return (layer.predict(prompts) - prompts.y_query).square() / 2

    sample = estimate(fresh, count=400_000, batch=100_000, generator=seeded(1))
    assert abs(sample.z(minimum)) < 3.5 and sample.z(1.03 * minimum) < -3.5


def explode(module: Any, batch: Any) -> Any:
    return module.theta**4


test_bad_input = refuses(
    (
        lambda: run(Point(3), explode),
        r"loss must be finite, got (inf|nan) at step \d+; lower learning_rate, 0\.1 there",
    ),
    (lambda: run(Point(math.inf)), "loss must be finite, got inf at step 0; the start is to blame"),
    (lambda: run(Point(), steps=0), "steps must be an integer >= 1, got 0"),
    (lambda: run(Point(), every=0.5), "every must be an integer >= 1, got 0.5"),
    (lambda: run(Point(), optimizer="lion"), "one of adam, adamw, sgd, got 'lion'"),
    (lambda: run(Point(), learning_rate=0), "learning_rate must be > 0, got 0"),
    (lambda: run(Point(), learning_rate=lambda s: -s), "learning_rate must be >= 0, got -1"),
    (lambda: run(Point(), stop_error=0), "stop_error must be > 0, got 0"),
    (lambda: run(Point(), generator=None), "generator must be a torch.Generator, got None"),
    (lambda: run(nn.Identity()), "must have parameters that .*got Identity with none; wrap"),
    (
        lambda: run(Point(), lambda m, b: m.theta.expand(3)),
        r"one number that depends on the parameters, got shape \(3,\); take the mean",
    ),
    (lambda: run(Point(), lambda m, b: b), "got a constant; take"),
    (lambda: run(Point(), lambda m, b: cast(Any, m.theta.item())), "got float; take the mean"),
)
