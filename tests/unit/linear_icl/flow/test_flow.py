"""The flow: closed forms, the residual of the original system, order, two forms, SciPy."""

import copy
import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from linear_icl.flow import Flow, State, gradient_flow
from linear_icl.flow.collocation import LARGE, collocation
from linear_icl.flow.exponentials import ExponentialSum, compress
from linear_icl.flow.radau.curvature import Curvature
from linear_icl.flow.radau.dense import DenseFlow
from linear_icl.flow.radau.march import step
from linear_icl.flow.radau.stages import mixed
from linear_icl.flow.radau.system import System
from linear_icl.flow.radau.tables import radau
from linear_icl.flow.reduced import ClockSystem
from linear_icl.flow.roots import bracketed
from linear_icl.landscape import FixedCovariance, FullParameters
from scipy.integrate import solve_ivp
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, Generic, double, eye, random, seeded, theta


class Bare:
    """loss = ½x² − x⁴/4, with neither gap nor minimum: x = tanh-like growth to 1 is −∇ of it."""

    def loss(self, x: Tensor) -> Tensor:
        return -(x**2) / 2 + x**4 / 4

    def gradient(self, x: Tensor) -> State:
        return (x**3 - x,)


def geometric(d: int, condition: float = 10.0, N: int = 10) -> FixedCovariance:
    spectrum = torch.logspace(0, -math.log10(condition), d, dtype=DOUBLE)
    Q = torch.linalg.qr(random(d, d, seed=5))[0]
    L = Q @ torch.diag(spectrum) @ Q.mT
    return FixedCovariance((L + L.mT) / 2, N)


def half_bound(landscape: FixedCovariance, seed: int = 1) -> State:
    Theta = theta(landscape.dim, seed=seed)
    return landscape.start(landscape.sigma_max(Theta) / 2, Theta)


def distance(ours: State, theirs: State) -> float:
    """Largest entry of the difference, relative to the largest entry."""
    scale = max(float(part.abs().max()) for part in theirs)
    pairs = zip(ours, theirs, strict=True)
    return max(float((a - b).abs().max()) for a, b in pairs) / scale


def agree(one: Flow, other: Flow, tolerance: float) -> None:
    assert len(one) == len(other)
    for k in range(len(one)):
        assert distance(one.state(k), other.state(k)) < tolerance


TIMES = torch.logspace(-2, 3, 30, dtype=DOUBLE)

# -- against what is known -----------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [1e-6, 1e-2, 0.5, 3.0])
def test_isotropic_closed_form(sigma: float) -> None:
    # Λ = λI, ΘΘᵀ = I/√d: u² = g/(1 + (g/σ² − 1)e^{−2√dλ²t}), U = uI/√d
    d, lam = 3, 0.8
    landscape = FixedCovariance(lam * eye(d), 6)
    g = float(landscape.limit()[1]) ** 2
    times = torch.linspace(0, 40, 81, dtype=DOUBLE)
    start = landscape.start(sigma)
    flow = gradient_flow(landscape, start, times)
    u = (g / (1 + (g / sigma**2 - 1) * torch.exp(-2 * math.sqrt(d) * lam**2 * times))).sqrt()
    for k in range(len(flow)):
        U, ours = flow.state(k)
        # rtol 1e-9 on u; on the plateau an error of the clock is multiplied by p = √dλ² = 1.1
        assert float(ours) == pytest.approx(float(u[k]), rel=3e-9)
        assert distance((U,), (u[k] * eye(d) / math.sqrt(d),)) < 3e-9


CASES: dict[str, tuple[FixedCovariance, State]] = {
    "dense": (geometric(6), half_bound(geometric(6))),
    "stiff": (geometric(5, 1e3, 40), half_bound(geometric(5, 1e3, 40))),
    "above the bound": (geometric(4), geometric(4).start(5.0, theta(4))),
    "asymmetric": (geometric(3), (random(3, 3, seed=8) + 4 * torch.eye(3).double(), double(0.3))),
    "u far above U": (geometric(3), (0.01 * theta(3) @ theta(3).mT, double(2.0))),
    "compressed": (geometric(30), half_bound(geometric(30))),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_residual_of_the_original_system(case: str) -> None:
    """Differentiates the output of the flow and puts it into all d² + 1 equations."""
    landscape, start = CASES[case]
    # Chebyshev points of a window about each centre; the derivative of their interpolant
    n = 8
    angle = torch.arange(n + 1, dtype=DOUBLE) * math.pi / n
    x = torch.cos(angle).flip(0)
    weights = (-1.0) ** torch.arange(n + 1, dtype=DOUBLE)
    weights[[0, n]] /= 2
    middle = n // 2
    others = torch.arange(n + 1) != middle
    row = torch.zeros(n + 1, dtype=DOUBLE)
    row[others] = weights[others] / weights[middle] / (x[middle] - x[others])
    row[middle] = -row.sum()
    for centre in (0.03, 0.7, 5.0, 60.0, 900.0):
        width = 0.02 * centre
        flow = gradient_flow(landscape, start, centre + width * x)
        states = [flow.state(k) for k in range(n + 1)]
        moving = [torch.stack([s[part] for s in states]) for part in (0, 1)]
        rates = [torch.einsum("k,k...->...", row, part) / width for part in moving]
        slopes = landscape.gradient(*states[middle])
        U, u = states[middle]
        terms = u * landscape.covariance.norm() ** 2  # the size of what cancels in ∂ℓ̃/∂U
        for rate, slope, own in zip(rates, slopes, (1.0, float(U.norm() / u)), strict=True):
            # The flow is exact to about 1e-10; differencing divides that by the 2 % window.
            noise = 1e-9 * max(float(U.norm()), float(u)) / width
            assert (rate + slope).abs().max() < 1e-7 * terms * max(own, 1.0) + noise


def test_scipy_as_a_third_route() -> None:
    landscape = geometric(3)
    start = half_bound(landscape)
    _, q, p = (part.numpy() for part in landscape.spectral())
    basis = landscape.basis.numpy()

    def rhs(t: float, y: Any) -> Any:
        V, u = y[:-1].reshape(3, 3), y[-1]
        return np.append(
            (u * np.diag(p) - u * u * q * V).ravel(), p @ V.diagonal() - u * np.sum(q * V * V)
        )

    V = basis.T @ start[0].numpy() @ basis
    times = TIMES.numpy()
    found = solve_ivp(
        rhs,
        (0, times[-1]),
        np.append(V.ravel(), float(start[1])),
        "DOP853",
        rtol=1e-11,
        atol=1e-13,
        t_eval=times,
    )
    for form in (landscape, Generic(landscape)):
        flow = gradient_flow(form, start, TIMES)
        for k in range(len(flow)):
            U = basis @ found.y[:-1, k].reshape(3, 3) @ basis.T
            theirs = (torch.tensor(U), torch.tensor(found.y[-1, k]))
            assert distance(flow.state(k), theirs) < 3e-8  # ours 1e-9, theirs 1e-9 dense output


# -- the two forms -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["dense", "above the bound", "asymmetric", "u far above U"])
def test_spectral_equals_generic(case: str) -> None:
    landscape, start = CASES[case]
    generic = gradient_flow(Generic(landscape), start, TIMES)
    agree(gradient_flow(landscape, start, TIMES), generic, 1e-8)


def test_full_parameters_on_the_slice() -> None:
    # All (d+1)² weights of both matrices, no reduction: the slice is invariant.
    d, fixed = 2, FixedCovariance([[2, 0], [0, 0.5]], 8)
    start = half_bound(fixed)
    W_KQ, W_PV = torch.zeros(2, d + 1, d + 1, dtype=DOUBLE)
    W_KQ[:d, :d], W_PV[d, d] = start
    times = [0.1, 1.0, 3.0, 10.0]
    full = gradient_flow(FullParameters(fixed.covariance, 8), (W_KQ, W_PV), times, rtol=1e-8)
    reduced = gradient_flow(fixed, start, times)
    for k in range(4):
        K, P = full.state(k)
        assert distance((K[:d, :d], P[d, d]), reduced.state(k)) < 1e-7
        assert K[d].abs().max() == K[:, d].abs().max() == P[:d].abs().max() == 0
    # L − ℓ̃ = ½ trΛ on the slice
    assert_close(full.loss - reduced.loss, torch.full((4,), 1.25, dtype=DOUBLE))


def order(errors: list[float]) -> float:
    """Observed order from errors at h, h/2, …: the median of log₂ of their ratios."""
    ratios = [math.log2(a / b) for a, b in itertools.pairwise(errors)]
    return sorted(ratios)[len(ratios) // 2]


@pytest.mark.parametrize(("degree", "expected"), [(2, 4), (3, 6)])
def test_order_of_the_spectral_form(degree: int, expected: int) -> None:
    landscape, (U, u) = CASES["dense"]
    start = (U[None], u.reshape(1) * 3)

    def end(degree: int, steps: int) -> Tensor:
        system, tau = ClockSystem(landscape.spectral(), start, degree), 0.0
        point, h = system.start, 4.0 / steps
        for _ in range(steps):
            guess = point.squared.rsqrt()[:, None].expand(1, degree)
            step = system.step(tau, point, h, guess, 1e-12)
            assert step is not None
            tau, point = tau + h, step.end
        return torch.cat([point.diagonal, point.squared[:, None]], dim=1)

    exact = end(16, 8)
    errors = [float((end(degree, steps) - exact).abs().max()) for steps in (4, 8, 16, 32)]
    assert order(errors) == pytest.approx(expected, abs=0.3)


def test_gap_slope_is_the_squared_gradient() -> None:
    """d gap/dτ = −‖∇ℓ̃‖²/u², at any state, with the gradient from the landscape itself."""
    landscape = geometric(4)
    U, u = random(3, 4, 4, seed=6), double(0.7).expand(3)
    system = ClockSystem(landscape.spectral(), (U, u), 3)
    element, start = torch.arange(3), torch.zeros(3, dtype=DOUBLE)
    _, slope, bend = system.rest.after(element, start, start)
    assert_close(slope, system.start.slope)
    by_U, by_u = landscape.gradient(U, u)
    expected = -(by_U.square().sum((-2, -1)) + by_u**2) / u**2
    assert_close(system.gap_slope(system.start, bend), expected)


def test_order_of_the_generic_form() -> None:
    landscape, start = CASES["dense"]
    flat = (start[0][None], 3 * start[1][None])

    def end(stages: int, steps: int) -> Tensor:
        flow = DenseFlow(System(Generic(landscape), flat), radau(stages))
        for _ in range(steps):
            curvature = Curvature(flow.system, flow.y[-1])
            found = step(flow, curvature, 4.0 / steps, 1e-11, torch.tensor([True]))
            assert found is not None
            flow.append(4.0 / steps, found.inner)
        return flow.y[-1]

    exact = end(7, 32)
    errors = [float((end(3, steps) - exact).abs().max()) for steps in (16, 32, 64)]
    assert order(errors) == pytest.approx(5, abs=0.5)
    assert float((end(5, 8) - exact).abs().max()) < 1e-2 * errors[0]  # five stages: order 9


def test_negative_diagonal_goes_the_generic_way() -> None:
    # u crosses 0 here, where the clock τ = ∫u² would stop; both signs of u are visited.
    landscape = geometric(2)
    start = (-2.0 * eye(2), double(0.3))
    flow = gradient_flow(landscape, start, TIMES)
    agree(flow, gradient_flow(Generic(landscape), start, TIMES), 1e-12)
    signs = [float(flow.state(k)[1].sign()) for k in range(len(flow))]
    assert signs[0] == 1
    assert signs[-1] == -1
    assert float(landscape.gap(*flow.state(-1))) < 1e-3 * float(landscape.gap(*start))


@pytest.mark.parametrize("rtol", [1e-5, 1e-7, 1e-9, 1e-11])
def test_tolerance_is_kept(rtol: float) -> None:
    for form, slack in ((CASES["dense"][0], 1.0), (Generic(CASES["dense"][0]), 30.0)):
        # The generic form controls the error of a step; 30 of them add up.
        flow = gradient_flow(form, CASES["dense"][1], TIMES, rtol=rtol)
        exact = gradient_flow(*CASES["dense"], TIMES, rtol=3e-12)
        assert max(distance(flow.state(k), exact.state(k)) for k in range(30)) < slack * rtol


# -- the laws of a flow --------------------------------------------------------------------------


@pytest.mark.parametrize("form", [lambda x: x, Generic])
def test_start_restart_and_descent(form: Any) -> None:
    landscape, start = form(geometric(3)), half_bound(geometric(3))
    times = torch.cat([torch.zeros(1, dtype=DOUBLE), TIMES])
    flow = gradient_flow(landscape, start, times)
    assert distance(flow.state(0), start) < 1e-14  # rotated into the eigenbasis and back
    assert (flow.loss.diff() < 0).all()
    assert (flow.gap.diff() < 0).all()
    again = gradient_flow(landscape, flow.state(14), TIMES[14:] - TIMES[13])
    for k in range(len(again)):
        assert distance(again.state(k), flow.state(15 + k)) < 1e-8
    late = gradient_flow(landscape, start, [1e7])
    assert distance(late.state(0), geometric(3).limit()) < 1e-8


def test_loss_and_gap_are_those_of_the_states() -> None:
    for landscape, start in (CASES["dense"], CASES["compressed"]):
        flow = gradient_flow(landscape, start, TIMES)
        assert flow.gap is not None
        for k in range(0, len(flow), 4):
            state = flow.state(k)
            assert float(flow.loss[k]) == pytest.approx(float(landscape.loss(*state)), rel=1e-11)
            assert float(flow.gap[k]) == pytest.approx(float(landscape.gap(*state)), rel=1e-9)


def test_loss_and_gap_at_the_solvers_own_steps() -> None:
    """Read at the nodes of its mesh, from what a step leaves there."""
    for landscape, start in (CASES["dense"], CASES["compressed"]):
        flow = gradient_flow(landscape, start, until_gap=1e-8)
        assert flow.gap is not None
        torch.testing.assert_close(flow.loss, landscape.loss(*flow.states), rtol=1e-8, atol=1e-10)
        torch.testing.assert_close(flow.gap, landscape.gap(*flow.states), rtol=1e-6, atol=1e-13)


def test_rotation() -> None:
    landscape, start = CASES["dense"]
    Q = torch.linalg.qr(random(6, 6, seed=3))[0]
    L = Q @ landscape.covariance @ Q.mT
    turned = FixedCovariance((L + L.mT) / 2, landscape.length)
    flow = gradient_flow(landscape, start, TIMES)
    rotated = gradient_flow(turned, (Q @ start[0] @ Q.mT, start[1]), TIMES)
    for k in range(len(flow)):
        U, u = flow.state(k)
        assert distance(rotated.state(k), (Q @ U @ Q.mT, u)) < 1e-10


@pytest.mark.parametrize("form", [lambda x: x, Generic])
def test_mirror(form: Any) -> None:
    landscape, (U, u) = form(geometric(3)), half_bound(geometric(3))
    flow, mirrored = (gradient_flow(landscape, (s * U, s * u), TIMES) for s in (1, -1))
    for k in range(len(flow)):
        assert distance(mirrored.state(k), tuple(-part for part in flow.state(k))) < 1e-12


@pytest.mark.parametrize("balance", [-3.0, 2.0])
def test_unbalanced_limit(balance: float) -> None:
    landscape = geometric(4)
    U = landscape.start(1.0, theta(4))[0] * (2.0 if balance < 0 else 0.5)
    u = (U.square().sum() + balance).sqrt()
    flow = gradient_flow(landscape, (U, u), [0.1, 1e5])
    assert distance(flow.state(1), landscape.limit(balance)) < 1e-8


@pytest.mark.parametrize(("large", "small"), [(18.0, 1e-6), (1e-3, 1e-9), (1e-6, 30.0)])
def test_far_from_balance(large: float, small: float) -> None:
    landscape = geometric(2, 100.0, 5)
    U = landscape.start(large, theta(2))[0]
    u = double(small)
    times = torch.logspace(-3, 4, 12, dtype=DOUBLE)
    flow = gradient_flow(landscape, (U, u), times)
    agree(flow, gradient_flow(Generic(landscape), (U, u), times), 1e-8)
    assert len(gradient_flow(landscape, (U, u), until_gap=1e-6)) < 250


@pytest.mark.parametrize("condition", [1e2, 1e4])
def test_large_condition_double(condition: float) -> None:
    # Rates span condition² to condition³; the steps do not notice.
    landscape = geometric(6, condition, 1000)
    goal = -1e-12 * float(landscape.minimum)
    flow = gradient_flow(landscape, half_bound(landscape), until_gap=goal)
    assert len(flow) < 80
    assert float(landscape.gap(*flow.state(-1))) == pytest.approx(goal, rel=1e-6)


def test_tiny_start() -> None:
    # u grows by 1e10; u = ½σ(1 + ‖ΛΘ‖²/p)e^{pt} on the way, p = ‖Λ²‖_F
    landscape, Theta, sigma = geometric(3), theta(3), 1e-10
    L = landscape.covariance
    p = float((L @ L).norm())
    along = 1 + float((L @ Theta).norm()) ** 2 / p
    flow = gradient_flow(landscape, landscape.start(sigma, Theta), [5 / p, 10 / p])
    for k, pt in enumerate((5.0, 10.0)):
        expected = sigma * (along * math.exp(pt) + (2 - along) * math.exp(-pt)) / 2
        assert float(flow.state(k)[1]) == pytest.approx(expected, rel=1e-9)


# -- batches, stops, output ----------------------------------------------------------------------


@pytest.mark.parametrize("form", [lambda x: x, Generic])
def test_batch_equals_single(form: Any) -> None:
    landscape = geometric(3)
    sigma = double([[0.01, 0.1, 0.3], [0.02, 0.2, 0.7]])
    U, u = landscape.start(sigma.flatten(), theta(3))
    U, u = U.reshape(2, 3, 3, 3), u.reshape(2, 3)
    U[1] *= -1  # a mirrored row: signs may differ within a batch
    u[1] *= -1
    flow = gradient_flow(form(landscape), (U, u), TIMES)
    assert flow.times.shape == flow.loss.shape == flow.gap.shape == (2, 3, 30)
    assert_close(flow.times, TIMES.expand(2, 3, 30), rtol=0, atol=0)
    for i, j in ((0, 0), (1, 2)):
        single = gradient_flow(form(landscape), (U[i, j], u[i, j]), TIMES)
        for k in range(0, 30, 5):
            own = tuple(part[i, j] for part in flow.state(k))
            assert distance(own, single.state(k)) < 1e-8


@pytest.mark.parametrize("form", [lambda x: x, Generic])
def test_until_gap(form: Any) -> None:
    landscape, start = geometric(3), half_bound(geometric(3))
    flow = gradient_flow(form(landscape), start, until_gap=1e-7)
    assert float(flow.times[0]) == 0
    assert (flow.times.diff() > 0).all()
    assert float(landscape.gap(*flow.state(-1))) == pytest.approx(1e-7, rel=1e-8)
    hit = float(flow.times[-1])
    # with times: whichever comes first
    early = gradient_flow(form(landscape), start, [0.5 * hit, 0.75 * hit], until_gap=1e-7)
    assert early.times.tolist() == [0.5 * hit, 0.75 * hit]
    late = gradient_flow(form(landscape), start, [0.5 * hit, 2 * hit, 3 * hit], until_gap=1e-7)
    assert late.times.tolist() == pytest.approx([0.5 * hit, hit], rel=1e-9)
    there = gradient_flow(form(landscape), start, until_gap=10 * float(flow.gap[0]))
    assert there.times.tolist() == [0.0]
    assert distance(there.state(0), start) < 1e-14


@pytest.mark.parametrize("form", [lambda x: x, Generic])
def test_until_gap_in_a_batch(form: Any) -> None:
    landscape, sigma = geometric(3), [0.001, 0.1, 0.7]
    start = landscape.start(sigma, theta(3))
    flow = gradient_flow(form(landscape), start, until_gap=1e-7)
    assert flow.times.shape == flow.loss.shape == (3, len(flow))
    for b in range(3):
        single = gradient_flow(form(landscape), landscape.start(sigma[b], theta(3)), until_gap=1e-7)
        assert float(flow.times[b, -1]) == pytest.approx(float(single.times[-1]), rel=1e-8)
        assert (flow.times[b].diff() >= 0).all()
    assert landscape.gap(*flow.state(-1)).tolist() == pytest.approx([1e-7] * 3, rel=1e-7)


def test_times_and_until_gap_in_a_batch() -> None:
    """Each element has its own times once it may wait: all of them are kept."""
    landscape, sigma = geometric(3), [0.1, 0.7]
    start = landscape.start(sigma, theta(3))
    hits = gradient_flow(landscape, start, until_gap=1e-7).times[:, -1]
    grid = [0.5 * float(hits.amin()), 2 * float(hits.amax())]
    flow = gradient_flow(landscape, start, grid, until_gap=1e-7)
    assert flow.times[:, 0].tolist() == [grid[0]] * 2
    assert_close(flow.times[:, -1], hits, rtol=1e-9, atol=0)


@pytest.mark.parametrize("sigma", [0.1, [0.1, 0.3], [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]])
def test_all_states_at_once_have_the_loss_of_the_flow(sigma: Any) -> None:
    landscape = geometric(2)
    size = double(sigma)
    U, u = landscape.start(size.flatten(), theta(2))
    start = U.reshape(*size.shape, 2, 2), u.reshape(size.shape)
    flow = gradient_flow(landscape, start, [0.0, 1.0, 2.0, 3.0])
    U, u = flow.states
    assert U.shape == (*flow.loss.shape, 2, 2) and u.shape == flow.loss.shape
    assert_close(landscape.loss(U, u), flow.loss)


def test_states_on_request() -> None:
    flow = gradient_flow(*CASES["dense"], TIMES)
    assert len(flow) == 30
    assert torch.equal(flow.state(-1)[0], flow.state(29)[0])
    with pytest.raises(ValueError, match=r"k must be a step of the flow, -30 <= k < 30, got 30"):
        flow.state(30)


class Local(Generic):
    """A landscape that no pickle takes."""

    def __reduce__(self) -> Any:
        raise TypeError("the flow holds its landscape")


@pytest.mark.parametrize("form", [lambda x: x, Local])
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_flow_is_copied_and_pickled_with_its_states(form: Any, copied: Any) -> None:
    """Also where the landscape's parameters require gradients, and without the landscape."""
    landscape = FixedCovariance(geometric(3).covariance.requires_grad_() * 1, 10)
    start = landscape.start([0.01, 0.1], theta(3))
    for ends in ({"times": [0.0, 1.0, 7.0]}, {"until_gap": 1e-6}):
        flow = gradient_flow(form(landscape), start, **ends)
        again = copied(flow)
        assert hasattr(again, "gap") and again.reasons == flow.reasons == {}
        for one, other in zip(
            (again.times, again.loss, again.gap, *again.states),
            (flow.times, flow.loss, flow.gap, *flow.states),
            strict=True,
        ):
            assert torch.equal(one, other) and not one.requires_grad


def test_single_precision_in_and_out() -> None:
    landscape, start = CASES["dense"]
    single = FixedCovariance(landscape.covariance.float(), landscape.length)
    flow = gradient_flow(single, tuple(part.float() for part in start), TIMES.float())
    exact = gradient_flow(landscape, start, TIMES)
    assert {flow.times.dtype, flow.loss.dtype, flow.state(0)[0].dtype} == {torch.float32}
    ours = tuple(part.double() for part in flow.state(-1))
    assert distance(ours, exact.state(-1)) < 1e-5


def test_one_dimension_and_arrays() -> None:
    # d = 1: no off-diagonal entry; u² = g/(1 + (g/σ² − 1)e^{−2λ²t}), a NumPy start, a list of times
    landscape, sigma = FixedCovariance([[0.5]], 4), 0.2
    g = 1 / (1.25 * 0.5 + 0.5 / 4)
    flow = gradient_flow(landscape, (np.array([[sigma]]), sigma), [3, 30])
    for k, t in enumerate((3, 30)):
        expected = g / (1 + (g / sigma**2 - 1) * math.exp(-0.5 * t))
        assert float(flow.state(k)[1]) ** 2 == pytest.approx(expected, rel=1e-8)


def test_landscape_without_gap() -> None:
    # ẋ = x − x³: x² = 1/(1 + (1/x₀² − 1)e^{−2t})
    x = double([0.1, 2.0])
    flow = gradient_flow(Bare(), (x,), [1.0, 4.0])
    assert not hasattr(flow, "gap")
    with pytest.raises(AttributeError, match="gap must be defined by the landscape, got none"):
        _ = flow.gap
    for k, t in enumerate((1.0, 4.0)):
        expected = (1 / (1 + (1 / x**2 - 1) * math.exp(-2 * t))).sqrt()
        assert_close(flow.state(k)[0], expected, rtol=1e-8, atol=0)
    with pytest.raises(ValueError, match="until_gap must come with a landscape that has gap"):
        gradient_flow(Bare(), (x,), until_gap=1e-3)


# -- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("z", [0.0, 1e-6, 1.0, 0.99 * LARGE, 1.01 * LARGE, 1e5, 1e12])
@pytest.mark.parametrize("degree", [3, 16])
def test_exponential_weights_are_exact(z: float, degree: int) -> None:
    """∫_0^x e^{−z(x−y)} v(y) dy solves y' = −zy + v; for v = 1 and v = y³ it is closed."""
    tables = collocation(degree)
    weights = tables.step_weights(double([z]), int(z > LARGE))[:, 0]
    for power in (0, 3):
        values = tables.nodes**power
        at_points = tables.convolve(
            torch.full((degree + 3, 1), z, dtype=DOUBLE),
            tables.points,
            values.expand(degree + 3, -1),
        )[:, 0]
        for k, c in enumerate(tables.points.tolist()):
            expected = _convolution(z, c, power)
            size = 1e-13 * c / (1 + z * c)
            assert float(weights[k] @ values) == pytest.approx(expected, rel=1e-12, abs=size)
            assert float(at_points[k]) == pytest.approx(expected, rel=1e-12, abs=size)


def _convolution(z: float, x: float, power: int) -> float:
    if z * x < 1e-3:  # three terms of the series in z
        terms = [
            (-z) ** k * x ** (power + k + 1) * math.factorial(power) / math.factorial(power + k + 1)
            for k in range(6)
        ]
        return math.fsum(terms)
    if z < 20:
        nodes, weights = np.polynomial.legendre.leggauss(60)
        y = (nodes + 1) / 2 * x
        return float(np.sum(weights * np.exp(-z * (x - y)) * y**power) * x / 2)
    value = -math.expm1(-z * x) / z
    for m in range(1, power + 1):
        value = (x**m - m * value) / z
    return value


def test_compressed_exponentials() -> None:
    rates = torch.logspace(-3, 3, 5000, dtype=DOUBLE)
    weights = random(2, 5000) ** 2
    naive, short = ExponentialSum(rates, weights), compress(rates, weights)
    assert len(short.rates) < 400
    for tau in (0.0, 1e-3, 1.0, 1e3):
        steps = double([1e-6, 0.3, 40.0])
        total = weights.sum(1, keepdim=True)
        assert (
            (naive.increment(tau, steps) - short.increment(tau, steps)).abs() < 1e-12 * total
        ).all()
        assert (naive.slope(tau) - short.slope(tau)).abs().max() < 1e-12 * naive.slope(
            0.0
        ).abs().max()


def test_bracketed_roots() -> None:
    # steep, flat and missing roots of increasing functions
    root = double([0.3, 1e-3, 0.999, 0.0, 1.0])

    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.expm1(20 * (x - root)), 20 * torch.exp(20 * (x - root))

    assert_close(bracketed(f, torch.full_like(root, 0.5)), root, rtol=0, atol=1e-11)


# -- entry ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "until", "message"),
    [
        (None, None, "one of times and until_gap must be given, got neither"),
        ([1.0, 1.0], None, r"times must be increasing and >= 0, got \[1.0, 1.0\]"),
        ([-1.0, 1.0], None, r"times must be increasing and >= 0, got \[-1.0, 1.0\]"),
        ([], None, r"times must be increasing and >= 0, got \[\]"),
        ([[1.0]], None, r"times must have shape \(K,\), got \(1, 1\)"),
        ([math.nan], None, "times must be finite, got nan"),
        (None, 0.0, "until_gap must be > 0, got 0"),
        (None, 1e-40, r"until_gap must be at least .*, what float64 resolves here, got 1e-40"),
    ],
)
def test_bad_times(times: Any, until: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gradient_flow(*CASES["dense"], times, until_gap=until)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ((np.eye(5), 1.0), r"U must have shape \(..., 6, 6\), got \(5, 5\)"),
        ((np.eye(6), [1.0, 2.0]), r"u must have the batch axes of U"),
        ((np.eye(6), "1"), r"start\[1\] must be real numbers"),
        ((torch.eye(6), double(1.0)), "must have one dtype, got torch.float32"),
    ],
)
def test_bad_start(start: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gradient_flow(CASES["dense"][0], start, [1.0])


def test_bad_tolerance() -> None:
    for rtol in (0.0, 1e-15, 0.5, "tight"):
        with pytest.raises(ValueError, match=r"rtol must lie between 3e-12 and 0\.01, got"):
            gradient_flow(*CASES["dense"], [1.0], rtol=rtol)  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"rtol must be at least 0\.0012 in torch.float32, got 1e-09"
    ):
        gradient_flow(Bare(), (torch.tensor(0.1),), [1.0])


def test_gap_that_the_flow_does_not_reach() -> None:
    # u = 0, U = 0 is a critical point: the flow stays.
    stuck = (torch.zeros(6, 6, dtype=DOUBLE), double(0.0))
    with pytest.raises(ValueError, match="until_gap must be reached by the flow, got 1e-08 where"):
        gradient_flow(CASES["dense"][0], stuck, until_gap=1e-8)


class Bowl:
    """loss = ½‖x − a‖², whose flow from the origin is x = (1 − e⁻ᵗ) a."""

    minimum = double(0.0)

    def __init__(self, a: list[float]) -> None:
        self.a = double(a)

    def loss(self, x: Tensor) -> Tensor:
        return (x - self.a).square().sum(-1) / 2

    gap = loss

    def gradient(self, x: Tensor) -> State:
        return (x - self.a,)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_origin_may_be_the_start(size: float) -> None:
    bowl = Bowl([size, -2 * size])
    flow = gradient_flow(bowl, (torch.zeros(2, dtype=DOUBLE),), TIMES)
    exact = (1 - (-TIMES).exp())[:, None] * bowl.a
    assert_close(flow.states[0] / size, exact / size, rtol=1e-8, atol=1e-9)
    to_the_end = gradient_flow(bowl, (torch.zeros(2, dtype=DOUBLE),), until_gap=1e-8 * size**2)
    assert len(to_the_end) < 60


# -- Newton on an old Jacobian --------------------------------------------------------------------


def test_mixed_iterates_solve_a_linear_system() -> None:
    """Z → GZ + b with G of rank 3 diverges; five iterates and their changes know its rest."""
    own = seeded(0)
    left, right = torch.randn(2, 2, 10, 3, dtype=torch.float64, generator=own)  # two members
    G, b = left @ right.mT, torch.randn(2, 10, dtype=torch.float64, generator=own)
    scale = torch.rand(2, 5, dtype=torch.float64, generator=own) + 0.5

    def change(Z: Tensor) -> Tensor:  # (s, B, n) = (2, 2, 5)
        flat = Z.transpose(0, 1).flatten(1)
        moved = torch.einsum("bij,bj->bi", G, flat) + b - flat
        return moved.view(2, 2, 5).transpose(0, 1)

    Z, past = torch.zeros(2, 2, 5, dtype=torch.float64), []
    for _ in range(5):
        past.append((Z, change(Z)))
        Z = Z + change(Z)
    assert float(change(Z).abs().max()) > 1e3
    assert float(change(mixed(past, scale)).abs().max()) < 1e-8


def test_all_parameters_need_few_jacobians(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs a full eigensystem: 7 at this start without the mixing of Newton's iterates."""
    made, build = list[System](), Curvature.__init__

    def counted(self: Curvature, system: System, y: Tensor) -> None:
        made.append(system)
        build(self, system, y)

    monkeypatch.setattr(Curvature, "__init__", counted)
    d = 6
    landscape = FullParameters(torch.diag(torch.logspace(0, -1, d, dtype=torch.float64)), 40)
    own = seeded(1)
    first, second = landscape.start(0.1)
    first[d, :d], second[d, :d] = 0.03 * torch.randn(2, d, dtype=torch.float64, generator=own)
    gradient_flow(landscape, (first, second), until_gap=1e-3, rtol=1e-6)
    assert len(made) <= 5


@pytest.mark.parametrize("seed", range(12))
def test_at_time_zero_is_the_start(seed: int) -> None:
    """Rounding may put the first node of the clock a little after zero."""
    generator = seeded(seed)
    landscape = FixedCovariance(torch.diag(1 + torch.rand(3, generator=generator).double()), 5)
    U = torch.rand(3, 3, generator=generator).double()
    start = landscape.start(0.05 * (seed + 1), U / torch.linalg.matrix_norm(U @ U.mT) ** 0.5)
    flow = gradient_flow(landscape, start, torch.linspace(0, 9, 40).double())
    for found, given in zip(flow.state(0), start, strict=True):
        torch.testing.assert_close(found, given, rtol=1e-12, atol=1e-14)
