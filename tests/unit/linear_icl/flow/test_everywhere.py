"""Every landscape × dtype × mode × σ × batch: the flow arrives, and solves x' = −∇loss."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from linear_icl import gd_beta
from linear_icl.flow import Flow, State, gradient_flow
from linear_icl.flow.places import Places, crossing, dated
from linear_icl.flow.radau.dense import DenseFlow
from linear_icl.flow.radau.system import System
from linear_icl.flow.radau.tables import radau
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl.random_covariance import (
    DiagonalCovariance,
    Exponential,
    MixtureCovariance,
    RotatedCovariance,
)
from linear_icl.settings import Setting
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import Generic, random

COVARIANCE = torch.tensor([[2.0, 0.3], [0.3, 0.5]], dtype=torch.float64)
SIGMA = (1e-8, 1e-5, 0.3)


def product(landscape: Any, sigma: Tensor) -> State:
    """Assumption 3.3 with ΘΘᵀ = I/√2."""
    start: State = landscape.start(sigma)
    return start


def all_weights(landscape: Any, sigma: Tensor) -> State:
    """Off the slice: all (d+1)² entries of both matrices of size σ."""
    W = random(2, 3, 3, seed=3).to(sigma.dtype)
    slice_ = torch.zeros(2, 3, 3, dtype=sigma.dtype)
    slice_[0, :2, :2], slice_[1, 2, 2] = torch.eye(2, dtype=sigma.dtype) / 2**0.5, 1.0
    both = (slice_ + 0.1 * W) * sigma[..., None, None, None]
    return both[..., 0, :, :], both[..., 1, :, :]


def one_step(landscape: Any, sigma: Tensor) -> State:
    """β and Γ of size σ."""
    ones = torch.ones(2, dtype=sigma.dtype)
    return sigma[..., None] * ones, sigma[..., None, None] * torch.diag(ones)


def build(name: str, dtype: torch.dtype) -> tuple[Any, Any]:
    """The landscape in this dtype, and its start as a function of σ."""
    L, law = COVARIANCE.to(dtype), Exponential(torch.tensor(1.0, dtype=dtype))
    if name == "full":
        return FullParameters(L, 8), all_weights
    if name == "gd_beta":
        numbers = torch.tensor([[1.0, 0.2], [0.2, 0.5]], dtype=dtype)
        beta = torch.tensor([0.5, -0.3], dtype=dtype)
        return gd_beta.Landscape(Setting(numbers, L, beta, 0.4, 5)), one_step
    laws = {
        "fixed": lambda: FixedCovariance(L, 8),
        "generic": lambda: Generic(FixedCovariance(L, 8)),
        "diagonal": lambda: DiagonalCovariance(law, 2, 8),
        "rotated": lambda: RotatedCovariance(law, 2, 8),
        "mixture": lambda: MixtureCovariance(torch.stack([L, L.flip(0, 1)]), length=8),
    }
    landscape = laws[name]()
    return landscape, lambda own, s: product(getattr(own, "inner", own), s)


CASES = ("fixed", "generic", "diagonal", "rotated", "mixture", "full", "gd_beta")


PRECISION = {torch.float64: (1e-7, 1e-8), torch.float32: (2e-3, 1e-5)}  # rtol, gap of |minimum|


def check_speed(landscape: Any, flow: Flow, tolerance: float) -> None:
    """x' by differences of a flow on a uniform grid (*batch, K) is −∇loss, of the largest speed."""
    axis, h = flow.loss.ndim - 1, float(flow.times.diff().mean())
    states = [part.double().movedim(axis, 0) for part in flow.states]
    slopes = [part.double().movedim(axis, 0) for part in landscape.gradient(*flow.states)]
    largest = max(float(part.abs().max()) for part in slopes)
    for x, slope in zip(states, slopes, strict=True):
        moved = (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * h)
        assert float((moved + slope[2:-2]).abs().max()) < tolerance * largest


@pytest.mark.parametrize("sigma", [*SIGMA, list(SIGMA)], ids=lambda sigma: f"{sigma}")
@pytest.mark.parametrize("mode", ["until_gap", "times", "both"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_every_start_arrives(name: str, dtype: torch.dtype, mode: str, sigma: Any) -> None:
    landscape, begin = build(name, dtype)
    start, (rtol, small) = begin(landscape, torch.tensor(sigma, dtype=dtype)), PRECISION[dtype]
    goal = small * abs(float(landscape.minimum))
    flow = gradient_flow(landscape, start, until_gap=goal, rtol=rtol)
    if mode == "until_gap":
        assert flow.reasons == {}
        gap = landscape.gap(*flow.state(-1))
        assert gap.flatten().tolist() == pytest.approx([goal] * gap.numel(), rel=1e-2)
        assert flow.gap[..., -1].flatten().tolist() == pytest.approx(
            gap.flatten().tolist(), rel=1e-3
        )
    elif mode == "times":
        grid = torch.linspace(0, float(flow.times.max()), 801, dtype=dtype)
        curve = gradient_flow(landscape, start, grid, rtol=rtol)
        check_speed(landscape, curve, 1e-2 if dtype == torch.float64 else 0.1)
        assert float(curve.gap[..., -1].max()) < 1.1 * goal
    else:
        hit = flow.times[..., -1]
        short = 0.5 * float(hit.min())
        flow = gradient_flow(
            landscape, start, [short, 2 * float(hit.max())], until_gap=goal, rtol=rtol
        )
        assert flow.reasons == {}
        assert_close(flow.times[..., -1], hit, rtol=1e-2, atol=0)
        assert flow.times[..., 0].unique().tolist() == pytest.approx([short])
    assert {flow.times.dtype, flow.loss.dtype, *(part.dtype for part in flow.states)} == {dtype}


# -- where a flow ends elsewhere ------------------------------------------------------------------


class Well:
    """loss = (x² − 1)²/4 + y²/2: minima at x = ±1, a saddle at the origin with gap ¼."""

    minimum = torch.tensor(0.0)

    def loss(self, z: Tensor) -> Tensor:
        return (z[..., 0] ** 2 - 1) ** 2 / 4 + z[..., 1] ** 2 / 2

    gap = loss

    def gradient(self, z: Tensor) -> State:
        return (torch.stack([z[..., 0] ** 3 - z[..., 0], z[..., 1]], -1),)


def test_only_the_first_crossing_counts() -> None:
    """Who has arrived is not judged: a step that is made for others may throw it up again."""
    until, nodes = 0.01, torch.tensor([[1.0, 0.1, 1e-3, 0.5, 0.02]]).double()

    def fallen(index: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        high, low = nodes[0, index].log(), nodes[0, index + 1].log()
        return math.log(until) - torch.lerp(high, low, x), high - low

    index, x = crossing(nodes, until, fallen)
    assert index.tolist() == [1]
    assert x.tolist() == pytest.approx([0.5])
    hit = dated(nodes, until, Places((1 + x)[:, None], index[:, None], x[:, None]))
    assert float(hit.times) == pytest.approx(1.5)
    assert dated(nodes[:, :2], until, hit).times.tolist() == [[math.inf]]


def test_who_has_arrived_is_not_waited_for_again() -> None:
    problem, one = FixedCovariance(COVARIANCE, 8), torch.ones((), dtype=torch.float64)
    near, far = (product(problem, size * one) for size in (0.7, 0.1))
    start = tuple(torch.stack(both) for both in zip(near, far, strict=True))
    flow = DenseFlow(System(Generic(problem), start), radau(5, torch.device("cpu")))
    until = float(problem.gap(*near)) * 1.1
    assert flow.on_its_way(until).tolist() == [False, True]
    thrown = flow.y[0].clone()
    thrown[0] = 0.0
    flow.append(1.0, torch.stack([flow.y[0], thrown], dim=1))
    assert float(flow.gaps[-1][0]) > until
    assert flow.on_its_way(until).tolist() == [False, True]


def test_a_member_at_a_saddle_does_not_stop_the_others() -> None:
    start = torch.tensor([[[0.0, 1.0], [1e-12, 1.0]], [[0.5, 0.1], [0.0, 0.0]]]).double()
    flow = gradient_flow(Well(), (start,), until_gap=1e-8)
    settles = "got 1e-08 where the gap settles at 0.25"
    assert set(flow.reasons) == {(0, 0), (1, 1)}
    assert all(settles in reason for reason in flow.reasons.values())
    assert flow.gap[0, 1, -1] == pytest.approx(1e-8, rel=1e-6)
    assert flow.gap[1, 0, -1] == pytest.approx(1e-8, rel=1e-6)
    # d/dt ln x = 1 − x² from 1e-12 to 1 − 1e-4: t = ln(x/√(1 − x²)) taken at both ends
    x = float(flow.state(-1)[0][0, 1, 0])
    expected = math.log(x / math.sqrt(1 - x * x)) + 12 * math.log(10)
    assert float(flow.times[0, 1, -1]) == pytest.approx(expected, rel=1e-7)
    with pytest.raises(ValueError, match=settles):
        gradient_flow(Well(), (start[0, 0],), until_gap=1e-8)


def test_times_that_end_first_are_a_reason() -> None:
    start = torch.tensor([[0.0, 1.0], [0.5, 0.1]]).double()
    flow = gradient_flow(Well(), (start,), [1.0, 8.0], until_gap=1e-3)
    assert flow.reasons == {(0,): "the last of times comes before gap 0.001, at gap 0.25"}
    assert flow.times[0].tolist() == [1.0, 8.0, 8.0]  # the last waits for the other member
    assert gradient_flow(Well(), (start,), [1.0]).reasons == {}


# -- a landscape of one's own ---------------------------------------------------------------------


class Own:
    """loss = ½‖x‖², with what is given in the place of its own methods."""

    def __init__(self, **wrong: Any) -> None:
        self.loss = wrong.get("loss", lambda x: x.square().sum(-1) / 2)
        self.gradient = wrong.get("gradient", lambda x: (x,))
        if "gap" in wrong:
            self.gap = wrong["gap"]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"gradient": lambda x: x}, TypeError, r"gradient must return a tuple .*got Tensor; write"),
        ({"gradient": lambda x: (x, x)}, ValueError, "for each part of the state, got 2 for 1"),
        ({"gradient": lambda x: (1.0,)}, TypeError, "gradient must return a tensor, got float"),
        ({"gradient": lambda x: (x.sum(-1),)}, ValueError, r"shape of the state, \(1, 2\) with"),
        (
            {"gradient": lambda x: (x.float(),)},
            ValueError,
            "must have one dtype, got torch.float64",
        ),
        ({"gradient": lambda x: (x / 0,)}, ValueError, "must be finite, got inf"),
        ({"gradient": lambda x: (-x,)}, ValueError, "gradient must be that of loss, got a loss"),
        ({"gradient": lambda x: (2 * x,)}, ValueError, "check the gradient's sign, its factors"),
        ({"loss": lambda x: x.square().sum() / 2}, ValueError, "loss must return one number for"),
        ({"loss": lambda x: 1.0}, TypeError, "loss must return a tensor, got float"),
        ({"loss": lambda x: x @ x / 2}, ValueError, "loss must take any leading batch axes, got"),
        ({"gap": lambda x: x.square().sum(-1)}, ValueError, "gradient must be that of gap, got"),
    ],
)
def test_a_landscape_that_does_not_fit(wrong: Any, error: type, message: str) -> None:
    start = (torch.tensor([1.0, 2.0], dtype=torch.float64),)
    gradient_flow(Own(), start, [1.0])
    with pytest.raises(error, match=message):
        gradient_flow(Own(**wrong), start, [1.0])


def test_a_part_of_the_state_without_the_batch_axes_of_the_loss() -> None:
    own = Own(
        loss=lambda x, y: (x.square().sum(-1) + y.sum() ** 2) / 2, gradient=lambda x, y: (x, y)
    )
    with pytest.raises(ValueError, match="loss must return one number for"):
        gradient_flow(own, (torch.ones(3, 2).double(), torch.ones(2).double()), [1.0])


def test_a_reduction_that_does_not_fit() -> None:
    class Twice(FixedCovariance):
        def loss(self, U: Any, u: Any) -> Tensor:
            return 2 * super().loss(U, u)

    landscape = Twice(COVARIANCE, 8)
    with pytest.raises(ValueError, match=r"spectral\(\) must describe the loss, got a loss of"):
        gradient_flow(landscape, product(landscape, torch.tensor(0.3).double()), [1.0])


def test_a_loss_without_a_bottom_is_not_followed() -> None:
    own = Own(loss=lambda x: -x.pow(4).sum(-1), gradient=lambda x: (-4 * x**3,))
    start = (torch.tensor([1.0, 2.0], dtype=torch.float64),)
    with pytest.raises(RuntimeError, match=r"did not advance beyond t = 0.03125; does the loss"):
        gradient_flow(own, start, [1.0])  # x' = 4x³ is infinite at t = 1/(8·2²)


def test_messages_do_not_refute_themselves() -> None:
    with pytest.raises(ValueError, match=r"at least 0\.0012 in torch.float32, got 0\.0011999"):
        gradient_flow(Own(), (torch.ones(2),), [1.0], rtol=0.0011999)
    assert len(gradient_flow(Own(), (torch.ones(2),), [1.0], rtol=0.0012)) == 1
