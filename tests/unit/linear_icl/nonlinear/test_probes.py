"""Order and spectrum: models whose answers depend on them in a known way."""

from __future__ import annotations

import math

import pytest
import torch
from linear_icl.nonlinear import Tasks
from linear_icl.nonlinear.probes import (
    by_largest,
    by_order,
    nearest_filter,
    reshaped,
    split,
    stretched,
    swapped,
    tasks_of,
)
from torch import nn

from tests.unit.common import seeded

LAW = Tasks(3, 8)


class OneStep(nn.Module):
    """x_qᵀm, the mean over the examples: blind to their order; h(λ) = λ."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        m = (x * y.unsqueeze(-1)).cumsum(1)[:, :-1] / torch.arange(1, x.shape[1]).unsqueeze(-1)
        return nn.functional.pad((x[:, 1:] * m).sum(-1), (1, 0))


class Latest(nn.Module):
    """It answers with the label of the example before: all that it knows is the order."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return nn.functional.pad(y[:, :-1], (1, 0))


def test_only_what_sees_the_order_is_moved() -> None:
    found = by_order(LAW, [OneStep(), Latest()], [1, 8], count=400, orders=8)
    blind, latest = found["moved"]
    assert max(blind) < 1e-9 and latest[0] == 0
    # one of eight labels w'x_j at random: their variance is (1 - 1/8) d on average
    assert latest[1] == pytest.approx(7 / 8 * 3, rel=0.15)


def test_a_mean_over_orders_saves_what_the_order_moves() -> None:
    """risk = risk of the mean + (1 - 1/R) moved, up to which of the orders came first."""
    found = by_order(LAW, [Latest()], [8], count=3000, orders=8)
    (risk,), (mean,), (moved,) = (found[name][0] for name in ("risk", "averaged", "moved"))
    assert risk - mean == pytest.approx(7 / 8 * moved, rel=0.1)


def test_no_blind_learner_is_nearer_than_what_the_order_moves() -> None:
    """`prp-order-price`: for Latest the nearest is the mean label, at exactly that distance."""
    x, y = LAW.sample(4000, 9, generator=5)
    distance = (Latest()(x, y)[:, -1] - y[:, :8].mean(1)).square().mean().item()
    (moved,) = by_order(LAW, [Latest()], [8], count=4000)["moved"][0]
    assert distance == pytest.approx(moved, rel=0.1)


def test_pairs_are_compared_by_their_means() -> None:
    found = by_order(LAW, [OneStep(), Latest(), OneStep()], [8], count=200)
    assert found["between"][1] == [0] and found["between"][0] == found["between"][2]


def test_one_order_shows_no_variance() -> None:
    with pytest.raises(ValueError, match="orders must be at least two, got 1"):
        by_order(LAW, [OneStep()], [8], orders=1)


def test_a_swap_moves_what_depends_on_the_place() -> None:
    """The label before the question: only the last swap puts another there, w'(x_7 - x_8)."""
    blind, latest = swapped(LAW, [OneStep(), Latest()], 8, count=3000)
    assert len(blind) == 7 and max(blind) < 1e-9 and max(latest[:-1]) == 0
    assert latest[-1] == pytest.approx(2 * 3, rel=0.1)


def test_reshaped_prompts_have_the_wanted_eigenvalues() -> None:
    """And the eigenvectors and tasks of before; the query is scaled with the examples."""
    points = LAW.sample(50, 9, generator=5)
    new = reshaped(points, lambda values: 0 * values + torch.tensor([0.5, 1.0, 4.0]))
    S, other = (part[:, :-1].double().mT @ part[:, :-1].double() / 8 for part in (points.x, new.x))
    assert torch.linalg.eigvalsh(other).sub(torch.tensor([0.5, 1.0, 4.0])).abs().max() < 1e-5
    assert (S @ other - other @ S).abs().max() < 1e-4
    assert torch.allclose(tasks_of(new), tasks_of(points), atol=1e-3)
    values, V = torch.linalg.eigh(S)
    scaled = (points.x[:, -1:].double() @ V).square() * (torch.tensor([0.5, 1, 4]) / values)[
        :, None
    ]
    assert torch.allclose((new.x[:, -1:].double() @ V).square(), scaled, atol=1e-3)
    same = reshaped(points, lambda values: values)
    assert torch.allclose(same.x, points.x, atol=1e-4)
    assert torch.allclose(same.y, points.y, atol=1e-4)


def test_the_filter_of_one_step_is_the_eigenvalue() -> None:
    """ŷ = x_qᵀSw, so h(λ) = λ in narrow intervals, and the filter is all of it."""
    prompts = stretched(3, 8, count=3000, generator=seeded(1))
    edges = [2 ** (k / 4) for k in range(-40, 40)]
    found = nearest_filter(OneStep()(*prompts.points)[:, -1], prompts, edges)
    for h, low, high in zip(found.found[32:52], edges[32:52], edges[33:53], strict=True):
        assert 0.95 * low <= h <= 1.05 * high
    assert found.distance < 0.03 * prompts.points.y[:, -1].square().mean()  # within an interval
    truth = nearest_filter(prompts.points.y[:, -1], prompts, edges)
    assert max(abs(h - 1) for h in truth.found if not math.isnan(h)) < 1e-4
    assert truth.risk < 1e-8 and truth.distance < 1e-8
    assert math.isnan(nearest_filter(prompts.points.y[:, -1], prompts, [1e5, 2e5, 3e5]).found[1])


def test_what_is_no_filter_keeps_a_distance() -> None:
    """Noise of variance one on the answers is all that the nearest filter leaves of them."""
    prompts = stretched(3, 8, count=4000, generator=seeded(1))
    noise = torch.randn(4000, generator=seeded(2)).double()
    said = 0.5 * prompts.points.y[:, -1].double() + noise
    found = nearest_filter(said, prompts, [0.0, 100.0])
    assert found.found == [pytest.approx(0.5, abs=0.05)]
    assert found.distance == pytest.approx(1, rel=0.1)
    assert found.risk == pytest.approx(float(prompts.points.y[:, -1].square().mean()) / 4, rel=0.2)


def test_a_miss_is_split_into_filter_order_and_neither() -> None:
    """Of OneStep all is the filter λ, of Latest E Var is 7/8 of silence; the parts add up."""
    prompts = stretched(3, 8, count=4000, most=1.01, generator=seeded(1))
    edges = [2 ** (k / 4) for k in range(-40, 40)]
    label = prompts.points.y[:, -1].double()
    for model, order in ((OneStep(), 0.0), (Latest(), 7 / 8)):
        found = split(model, prompts, edges)
        miss = (model(*prompts.points)[:, -1].double() - label).square().mean()
        assert sum(found) == pytest.approx(float(miss / label.square().mean()), rel=1e-6)
        assert found.by_order == pytest.approx(order, abs=0.06)
        assert abs(found.by_neither) < (0.03 if order == 0 else 0.3)
    assert split(OneStep(), prompts, edges).by_filter > 0.3
    with pytest.raises(ValueError, match="orders must be at least two, got 1"):
        split(OneStep(), prompts, edges, orders=1)


def test_the_tasks_of_prompts_without_noise() -> None:
    prompts = stretched(3, 8, count=50, generator=seeded(1))
    assert torch.allclose(tasks_of(prompts.points).float(), prompts.tasks, atol=1e-3)


def test_risks_by_the_largest_eigenvalue() -> None:
    """An answer of zero has all of silence's risk everywhere; the truth none; empty is nan."""
    points = stretched(3, 8, count=500, generator=seeded(1)).points
    silence = by_largest(0 * points.y[:, -1], points, [0.0, 2.0, 4.0, 1e3, 1e4])
    assert silence[:3] == pytest.approx([1, 1, 1]) and math.isnan(silence[3])
    x, y = points
    wide = torch.linalg.eigvalsh(x[:, :-1].mT @ x[:, :-1] / 8)[:, -1] > 4
    found = by_largest(torch.where(wide, 0, y[:, -1]), points, [0.0, 4.0, 1e3])
    assert found == pytest.approx([0, 1])


def test_only_the_examples_are_stretched() -> None:
    (x, y), w = stretched(2, 400, count=300, most=4.0, generator=seeded(2))
    along = x[:, :-1, 0].square().mean(1)
    assert 0.2 < along.min() < 0.4 and 3 < along.max() < 5.2
    assert along.log().mean().abs() < 0.15
    assert x[:, :-1, 1].square().mean() == pytest.approx(1, rel=0.02)
    few = stretched(1, 1, count=4000, generator=seeded(3)).points.x  # examples grow to 2.9
    assert few[:, -1].square().mean() == pytest.approx(1, rel=0.1)
    assert torch.allclose(y, (x * w.unsqueeze(1)).sum(-1), atol=1e-5)


def test_bad_input_is_named() -> None:
    points = LAW.sample(4, 9, generator=5)
    with pytest.raises(ValueError, match=r"points must be more than their entries, got \(3, 3\)"):
        reshaped(type(points)(points.x[:, :3], points.y[:, :3]), lambda values: values)
    with pytest.raises(ValueError, match="eigenvalues must be above zero, got 0"):
        reshaped(points, lambda values: 0 * values)
    prompts = stretched(3, 8, count=4, generator=seeded(1))
    with pytest.raises(ValueError, match="most must be finite and above 1, got 1"):
        stretched(3, 8, count=4, most=1.0, generator=seeded(1))
    with pytest.raises(ValueError, match=r"edges must be two or more, increasing, got \[1.0\]"):
        nearest_filter(prompts.points.y[:, -1], prompts, [1.0])
    with pytest.raises(ValueError, match=r"said must be \(B,\) = \(4,\), got \(4, 9\)"):
        nearest_filter(prompts.points.y, prompts, [0.5, 1.0])
