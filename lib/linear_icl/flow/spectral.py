"""The march of the reduced equations over the clock τ, and its output at any time t."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from .collocation import chebyshev
from .places import Places, Readout, crossing, dated
from .protocol import Spectral, State
from .reduced import ClockSystem, Point, Step
from .roots import bracketed

SAMPLES = 9
MAX_STEPS = 2000


@dataclass(frozen=True, eq=False)
class _States:
    """The states at places (B, K): off the diagonal V_ij = V_ij(0) e^{−q_ijτ}."""

    spectral: Spectral
    start: Tensor  # V(0), (B, d, d)
    tau: Tensor  # (B, K)
    diagonal: Tensor  # V_ii, (B, K, d)
    u: Tensor  # (B, K)

    def __call__(self, k: int) -> State:
        basis, curvature, _ = self.spectral
        V = self.start * torch.exp(-self.tau[:, k, None, None] * curvature)
        V.diagonal(dim1=1, dim2=2).copy_(self.diagonal[:, k])
        return basis @ V @ basis.mT, self.u[:, k]


class SpectralFlow:
    """Trajectories of B starts U (B, d, d), u (B,), on one mesh in τ.

    Entry n of a list is the state at τ_n; of `v`, the step that starts there.
    """

    def __init__(self, system: ClockSystem) -> None:
        self.system, start, device = system, system.start, system.sign.device
        self.element = torch.arange(len(system.sign), device=device)
        self.tau, self.v = [0.0], list[Tensor]()  # v: (B, s+1)
        self.points = [start]
        self.time = [torch.zeros_like(start.squared)]  # (B,)
        # Where the last step is sampled to guess the next one.
        self.some = torch.linspace(0, system.tables.degree, SAMPLES, device=device).round().long()
        self.past = system.tables.nodes[self.some] - 1
        self.one = torch.eye(SAMPLES, dtype=torch.float64, device=device)

    @property
    def settled(self) -> Tensor:
        """None comes to rest above a gap, (B,): from u > 0, V_ii ≥ 0 all reach the minimum."""
        return torch.zeros_like(self.element, dtype=torch.bool)

    def append(self, h: float, step: Step) -> None:
        """Appends a step of length h."""
        self.tau.append(self.tau[-1] + h)
        self.v.append(step.v)
        self.points.append(step.end)
        mean = self.system.tables.mean
        self.time.append(torch.addmv(self.time[-1], step.v**2, mean, alpha=h))

    def guess(self, h: float, lag: float) -> Tensor:
        """A first guess of ln v on the next step, by a polynomial in ln(τ + lag)."""
        tables, scale = self.system.tables, self.tau[-1] + lag
        if not self.v:
            return (self.points[0].squared.log()[:, None] / -2).expand(-1, tables.degree)
        ahead = torch.log1p(tables.points[: tables.degree] * (h / scale))
        past = torch.log1p(self.past * ((self.tau[-1] - self.tau[-2]) / scale))
        # Lagrange's polynomials of the places in the past, at those ahead.
        apart, far = past - past[:, None] + self.one, ahead - past[:, None]
        weights = far.prod(0) / (far * apart.prod(0)[:, None])
        return self.v[-1][:, self.some].log() @ weights

    # -- output -----------------------------------------------------------------------------------

    def clock(self) -> Tensor:
        """Times of the nodes, (B, steps+1)."""
        return torch.stack(self.time, dim=1)

    @cached_property
    def mesh(self) -> tuple[Tensor, Tensor, Tensor, Point]:
        """τ (steps+1,), and of the steps length (steps,), v (B, steps, s+1) and ends."""
        tau = torch.tensor(self.tau, dtype=torch.float64, device=self.element.device)
        points = Point(*(torch.stack(part, dim=1) for part in zip(*self.points, strict=True)))
        return tau, tau.diff(), torch.stack(self.v, dim=1), points

    def at(self, element: Tensor, index: Tensor, x: Tensor) -> tuple[Point, Tensor]:
        """State in step `index` at fraction x, and T'', for P triples; exact for the given v."""
        system, (tau, h, v, points) = self.system, self.mesh
        h, V, place = h[index], points.diagonal[element, index], (element, index)
        z = h[:, None] * system.q
        pushed = system.tables.convolve(z, x, v[place]) * h[:, None] * system.p
        dV = torch.addcmul(pushed, torch.expm1(-z * x[:, None]), V)
        change, slope, bend = system.rest.after(element, tau[index], h * x)
        squared = points.squared[place] + change + torch.linalg.vecdot(2 * V + dV, dV)
        return Point(V + dV, squared, slope), bend

    def locate_times(self, times: Tensor) -> Places:
        """Places at which element b's clock shows times[b, k], (B, K)."""
        tables, clock, (_, h, v, _) = self.system.tables, self.clock(), self.mesh
        rate = h[:, None] * v**2  # dt/dx at the nodes, (B, steps, s+1)
        # First between which nodes of a step, on a straight line.
        inner = clock[:, :-1, None] + rate @ tables.cumulative[:-1].mT
        fine = torch.cat([inner.flatten(1), clock[:, -1:]], dim=1)
        place = (torch.searchsorted(fine, times, right=True) - 1).clamp(0, fine.shape[1] - 2)
        index, k = place // tables.degree, place % tables.degree
        low, high = fine.gather(1, place), fine.gather(1, place + 1)
        left, right = tables.nodes[k], tables.nodes[k + 1]
        x = torch.lerp(left, right, (times - low) / (high - low)).clamp(0, 1)
        modes = (rate @ tables.both)[:, self.element[:, None], index]  # (2, B, K, s+2)
        past = times - clock.gather(1, index)

        def elapsed(x: Tensor) -> tuple[Tensor, Tensor]:
            clock, slope = torch.linalg.vecdot(modes, chebyshev(x, tables.degree + 1))
            return clock - past, slope

        return Places(times, index, bracketed(elapsed, x))

    def locate_gap(self, until: float) -> Places:
        """Where element b's gap reaches `until`, (B, 1), at time ∞ if it does not."""
        element, (_, h, v, points) = self.element, self.mesh
        gap = self.system.gap(points)

        def fallen(index: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
            point, bend = self.at(element, index, x)
            value = self.system.gap(point)
            slope = -h[index] * self.system.gap_slope(point, bend) / value
            return torch.log(until / value), slope

        index, x = crossing(gap, until, fallen)
        spent = (self.system.tables.integral(x) * v[element, index] ** 2).sum(-1)
        times = self.clock()[element, index] + h[index] * spent
        return dated(gap, until, Places(times[:, None], index[:, None], x[:, None]))

    def read(self, at: Places) -> Readout:
        """Loss, gap and state at places (B, K)."""
        system, (_, index, x), (tau, h, _, points) = self.system, at, self.mesh
        element = self.element[:, None].expand_as(index)
        point = Point(*(part[element, index] for part in points))
        chunk = max(1, 2**21 // (len(system.rest.rates) + system.tables.width * len(system.q)))
        for part in torch.split((x > 0).nonzero(), chunk):
            place = tuple(part.T)
            between, _ = self.at(element[place], index[place], x[place])
            for whole, some in zip(point, between, strict=True):
                whole[place] = some
        diagonal = torch.empty_like(point.diagonal)
        diagonal[..., system.order] = point.diagonal
        clock, V = tau[index] + h[index] * x, system.sign[:, None, None] * system.V
        u = system.sign[:, None] * point.squared.sqrt()
        state = _States(system.spectral, V, clock, system.sign[:, None, None] * diagonal, u)
        return Readout(system.loss(point), system.gap(point), state)


@torch.inference_mode()
def march(system: ClockSystem, end: float | None, until: float | None, rtol: float) -> SpectralFlow:
    """Steps from the start until each element has t ≥ end or gap ≤ until."""
    flow, (h, lag) = SpectralFlow(system), system.scales()
    while not flow.v or not _arrived(flow, end, until):
        guess = flow.guess(h, lag)
        step = system.step(flow.tau[-1], flow.points[-1], h, guess, rtol)
        if step is None:
            h /= 4
        else:
            defect = max(step.defect, 1e-9)
            if defect <= 1:
                flow.append(h, step)
                # Structure in τ is spread evenly over ln(τ + lag): h keeps its share of τ.
                h *= 1 + h / (flow.tau[-2] + lag)
            h *= min(2.0, max(0.2, 0.8 * defect ** (-1 / system.tables.degree)))
        if len(flow.v) > MAX_STEPS or not h > 1e-14 * flow.tau[-1]:
            raise RuntimeError(f"the flow did not advance beyond clock τ = {flow.tau[-1]:.6g}")
    return flow


def _arrived(flow: SpectralFlow, end: float | None, until: float | None) -> bool:
    there = flow.time[-1] >= (math.inf if end is None else end)
    if until is not None:
        there = there | (flow.system.gap(flow.points[-1]) <= until)
    return bool(there.all())
