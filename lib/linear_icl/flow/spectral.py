"""The march of the reduced equations over the clock τ, and its output at any time t."""

from __future__ import annotations

import torch
from torch import Tensor

from .collocation import series
from .places import Places, Readout, crossing, dated
from .protocol import Spectral, State
from .reduced import Point, Reduced, Step
from .roots import bracketed

DEGREE = 20
MAX_STEPS = 2000


class SpectralFlow:
    """Trajectories of B starts U (B, d, d), u (B,), on one mesh in τ.

    Entry n of a list is the state at τ_n; of `v`, the step that starts there.
    """

    def __init__(self, spectral: Spectral, U: Tensor, u: Tensor, degree: int = DEGREE) -> None:
        self.spectral = spectral
        # (U, u) → (−U, −u) is a symmetry; the reduction wants u > 0.
        self.sign = u.sign()
        self.V = self.sign[:, None, None] * (spectral.basis.mT @ U @ spectral.basis)
        self.reduced = Reduced(spectral, self.V, u.abs(), degree)
        start = self.reduced.start
        self.element = torch.arange(len(u), device=u.device)
        self.tau, self.v = [0.0], list[Tensor]()  # v: (B, s+1)
        self.points = [start]
        self.time = [torch.zeros_like(start.squared)]  # (B,)

    @property
    def settled(self) -> Tensor:
        """None comes to rest above a gap, (B,): from u > 0, V_ii ≥ 0 all reach the minimum."""
        return torch.zeros_like(self.element, dtype=torch.bool)

    def fits(self) -> bool:
        """Whether u ≠ 0 and, for u > 0, V_ii ≥ 0: then it stays so, and the clock τ runs on.

        Far from balance, D = u² − ‖U‖²_F ≪ 0, u² is a small difference of large terms: at its
        limit (D + √(D² + 4g²))/2, g = ‖p/q‖, and where u rests while U has hardly moved.  Beyond
        three digits the generic form is better.
        """
        reduced, start = self.reduced, self.reduced.start
        norm = self.V.square().sum((-2, -1))
        above = start.diagonal >= -1e-14 * norm.sqrt()[:, None]
        D, g = start.squared - norm, reduced.target.norm()
        end = 2 * g**2 / (torch.hypot(D, 2 * g) - D)
        rest = start.diagonal @ reduced.p / (start.diagonal**2 @ reduced.q - start.slope / 2)
        near = 1e3 * torch.minimum(end, rest**2) >= -D
        return bool((self.sign != 0).all() and above.all() and near.all())

    @torch.inference_mode()
    def march(self, end: float | None, until: float | None, rtol: float) -> None:
        """Steps until each element has t ≥ end or gap ≤ until."""
        reduced = self.reduced
        h, lag = reduced.scales()
        guess = reduced.start.squared[:, None].log().expand(-1, reduced.tables.degree)
        while not self.v or not self._arrived(end, until):
            step = reduced.step(self.tau[-1], self.points[-1], h, guess, rtol)
            if step is None:
                h /= 4
            else:
                defect = max(step.defect, 1e-9)
                if defect <= 1:
                    self.accept(h, step)
                    # Structure in τ is spread evenly over ln(τ + lag): h keeps its share of τ.
                    h *= 1 + h / (self.tau[-2] + lag)
                h *= min(2.0, max(0.2, 0.8 * defect ** (-1 / reduced.tables.degree)))
            if self.v:
                guess = self._extrapolate(h, lag)
            if len(self.v) > MAX_STEPS or not h > 1e-14 * self.tau[-1]:
                raise RuntimeError(f"the flow did not advance beyond clock τ = {self.tau[-1]:.6g}")

    def _arrived(self, end: float | None, until: float | None) -> bool:
        there: Tensor | bool = False
        if end is not None:
            there = self.time[-1] >= end
        if until is not None:
            there = (self.reduced.gap(self.points[-1]) <= until) | there
        return bool(torch.as_tensor(there).all())

    def accept(self, h: float, step: Step) -> None:
        """Appends a step of length h."""
        self.tau.append(self.tau[-1] + h)
        self.v.append(step.v)
        self.points.append(step.end)
        self.time.append(self.time[-1] + h * (step.v**2 @ self.reduced.tables.mean))

    def _extrapolate(self, h: float, lag: float) -> Tensor:
        """A first guess of ln u² on the next step, by a polynomial in ln(τ + lag)."""
        nodes, some = self.reduced.tables.nodes, slice(None, None, self.reduced.tables.degree // 4)
        scale = self.tau[-1] + lag
        past = torch.log1p((nodes[some] - 1) * ((self.tau[-1] - self.tau[-2]) / scale))
        ahead = torch.log1p(nodes[1:] * (h / scale))
        powers = torch.arange(len(past), device=past.device)[:, None]
        weights = torch.linalg.solve_ex(past**powers, ahead**powers)[0]
        return -2 * (self.v[-1][:, some].log() @ weights)

    # -- output -----------------------------------------------------------------------------------

    def clock(self) -> Tensor:
        """Times of the nodes, (B, steps+1)."""
        return torch.stack(self.time, dim=1)

    def _tau(self) -> Tensor:
        return torch.tensor(self.tau, dtype=torch.float64, device=self.element.device)

    def _steps(self, element: Tensor, index: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """τ and length of steps, and v at their nodes (…, s+1)."""
        tau, v = self._tau(), torch.stack(self.v)[index, element]
        return tau[index], tau.diff()[index], v

    def _nodes(self, *place: Tensor) -> Point:
        """The states at nodes of the mesh, of `place` (element, index) or all, (B, steps+1)."""
        parts = (torch.stack(part, dim=1) for part in zip(*self.points, strict=True))
        return Point(*(part[place] for part in parts))

    def at(self, element: Tensor, index: Tensor, x: Tensor) -> tuple[Point, Tensor]:
        """State in step `index` at fraction x, and T'', for P triples; exact for the given v."""
        reduced = self.reduced
        tau, h, v = self._steps(element, index)
        V, squared, _ = self._nodes(element, index)
        z = h[:, None] * reduced.q
        pushed = reduced.tables.convolve(z, x, v) * h[:, None] * reduced.p
        dV = torch.expm1(-z * x[:, None]) * V + pushed
        change, slope, bend = reduced.rest.after(element, tau, h * x)
        squared = squared + change + ((2 * V + dV) * dV).sum(-1)
        return Point(V + dV, squared, slope), bend

    def locate_times(self, times: Tensor) -> Places:
        """Places at which element b's clock shows times[b, k], (B, K)."""
        tables, element = self.reduced.tables, self.element[:, None]
        tau, v = self._tau(), torch.stack(self.v, dim=1)
        rate = tau.diff()[:, None] * v**2  # dt/dx at the nodes, (B, steps, s+1)
        # First between which nodes of a step, on a straight line.
        clock = self.clock()[:, :-1, None] + rate @ tables.cumulative.mT
        place = (torch.searchsorted(clock.flatten(1), times, right=True) - 1).clamp(min=0)
        index, k = place // (tables.degree + 1), (place % (tables.degree + 1))
        k.clamp_(max=tables.degree - 1)
        low, high = clock[element, index, k], clock[element, index, k + 1]
        left, right = tables.nodes[k], tables.nodes[k + 1]
        guess = torch.lerp(left, right, (times - low) / (high - low)).clamp(0, 1)
        past = times - clock[element, index, 0]
        both = (rate @ tables.both)[:, element, index]  # (2, B, K, s+2)

        def elapsed(x: Tensor) -> tuple[Tensor, Tensor]:
            clock, slope = series(both, x)
            return clock - past, slope

        return Places(times, index, bracketed(elapsed, guess))

    def locate_gap(self, until: float) -> Places:
        """Where element b's gap reaches `until`, (B, 1), at time ∞ if it does not."""
        gap, element = self.reduced.gap(self._nodes()), self.element

        def fallen(index: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
            _, h, _ = self._steps(element, index)
            point, bend = self.at(element, index, x)
            value = self.reduced.gap(point)
            return torch.log(until / value), -h * self.reduced.gap_slope(point, bend) / value

        index, x = crossing(gap, until, fallen)
        _, h, v = self._steps(element, index)
        times = self.clock()[element, index] + h * (self.reduced.tables.integral(x) * v**2).sum(-1)
        return dated(gap, until, Places(times[:, None], index[:, None], x[:, None]))

    def read(self, at: Places) -> Readout:
        """Loss, gap and state at places (B, K)."""
        reduced, (_, index, x) = self.reduced, at
        element = self.element[:, None].expand_as(index)
        tau, h, _ = self._steps(element, index)
        tau = tau + h * x
        point = self._nodes(element, index)
        chunk = max(1, 2**21 // (len(reduced.rest.rates) + reduced.tables.width * len(reduced.q)))
        for part in torch.split((x > 0).nonzero(), chunk):
            place = tuple(part.T)
            between, _ = self.at(element[place], index[place], x[place])
            for whole, some in zip(point, between, strict=True):
                whole[place] = some
        u = point.squared.sqrt()

        def state(k: int) -> State:
            basis, curvature, _ = self.spectral
            V = self.V * torch.exp(-tau[:, k, None, None] * curvature)
            V.diagonal(dim1=1, dim2=2)[:, reduced.order] = point.diagonal[:, k]
            return self.sign[:, None, None] * (basis @ V @ basis.mT), self.sign * u[:, k]

        return Readout(reduced.loss(point), reduced.gap(point), state)
