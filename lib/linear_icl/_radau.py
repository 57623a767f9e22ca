"""The flow of any landscape: Radau IIA collocation of ẋ = −∇loss on the flattened state.

With s stages the method has order 2s − 1 and is L-stable.  The stage equations are solved by
simplified Newton in the eigenvectors of A⁻¹: one real and (s−1)/2 complex systems of the size of
the state, instead of one s times as large.  The error estimate is Hairer's, of order s, filtered
through the real system so that stiff components do not spoil it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from ._collocation import gauss, legendre
from ._places import Readout
from ._roots import bracketed
from .landscape.protocol import State

STAGES = 5
NEWTON_STEPS = 15
MAX_STEPS = 20_000


@dataclass(frozen=True, eq=False)
class Radau:
    """Tables of the method on [0, 1]; the s − 1 complex eigenvalues come as one of each pair."""

    stages: int
    nodes: Tensor  # (s,)
    values: Tensor  # eigenvalues of A⁻¹, (1 + (s−1)/2,) complex, the real one first
    vectors: Tensor  # (s, 1 + (s−1)/2) complex, pairs doubled: Z = Re(vectors @ W)
    duals: Tensor  # (1 + (s−1)/2, s) complex: W = duals @ Z
    estimate: Tensor  # (s,): the error is (μ₀/h − J)⁻¹ (f₀ + Σ_i estimate_i z_i/h)
    modal: Tensor  # (s+1, s+1): values at 0, c_1 … c_s -> Legendre coefficients


@lru_cache
def radau(stages: int, device: torch.device | None = None) -> Radau:
    """The tables for an odd number of stages, built once per device."""
    k = torch.arange(stages - 1, dtype=torch.float64)
    beside = (k[1:] * (k[1:] + 1)).sqrt() / (2 * k[1:] + 1)
    jacobi = torch.diag(-1 / ((2 * k + 1) * (2 * k + 3)))
    jacobi = jacobi + torch.diag(beside, 1) + torch.diag(beside, -1)
    inner = (1 + torch.linalg.eigvalsh(jacobi)) / 2
    one = torch.ones(1, dtype=torch.float64)
    c = torch.cat([inner, one])
    lagrange = torch.linalg.inv(legendre(c, stages - 1))
    x, w = gauss(stages)
    A = torch.einsum("k,j,kjl->kl", c, w, legendre(c[:, None] * x, stages - 1) @ lagrange)
    inverse = torch.linalg.inv(A)
    values, vectors = torch.linalg.eig(inverse)
    duals = torch.linalg.inv(vectors)
    keep = torch.cat([values.imag.abs().argmin()[None], (values.imag > 1e-8).nonzero()[:, 0]])
    double = torch.full((len(keep),), 2.0, dtype=torch.float64)
    double[0] = 1.0
    # ŷ − y = γ₀hf₀ + Σ_i e_i hf(Y_i) with Σ_i e_i c_i^k = −γ₀δ_k0, and hf(Y) = A⁻¹z
    first = torch.zeros(stages, dtype=torch.float64)
    first[0] = -1.0
    e = torch.linalg.solve((c[:, None] ** torch.arange(stages)).mT, first)
    nodes = torch.cat([0 * one, c])
    tables = (
        c,
        values[keep],
        vectors[:, keep] * double,
        duals[keep],
        inverse.mT @ e,
        torch.linalg.inv(legendre(nodes, stages)),
    )
    return Radau(stages, *(table.to(device) for table in tables))


class RadauFlow:
    """Trajectories of B starts on one mesh in t; tensors in `start` are (B, …)."""

    def __init__(self, landscape: Any, start: State, stages: int = STAGES) -> None:
        self.landscape = landscape
        self.shapes = [part.shape[1:] for part in start]
        self.tables = radau(stages, start[0].device)
        y = self.pack(start)
        self.element = torch.arange(len(y), device=y.device)
        self.mesh, self.y = [0.0], [y]  # y: (B, n)
        self.gaps = [self.gap(y)] if hasattr(landscape, "gap") else []
        self.inner: list[Tensor] = []  # values at 0, c_1 … c_s of a step, (B, s+1, n)

    def pack(self, state: State) -> Tensor:
        """(…, n) from tensors with leading axes (…), as many as in the start."""
        lead = state[0].shape[: state[0].ndim - len(self.shapes[0])]
        return torch.cat([part.reshape(*lead, -1) for part in state], dim=-1)

    def unpack(self, y: Tensor) -> State:
        sizes = [shape.numel() for shape in self.shapes]
        parts = torch.split(y, sizes, dim=-1)
        return tuple(
            part.reshape(y.shape[:-1] + shape)
            for part, shape in zip(parts, self.shapes, strict=True)
        )

    def velocity(self, y: Tensor) -> Tensor:
        return -self.pack(self.landscape.gradient(*self.unpack(y)))

    def gap(self, y: Tensor) -> Tensor:
        value: Tensor = self.landscape.gap(*self.unpack(y))
        return value

    def jacobian(self, y: Tensor) -> Tensor:
        """∂velocity/∂y, (B, n, n), by central differences in one batched call.

        It only steers Newton's iteration, so its error costs steps, never accuracy; and it asks
        of a landscape nothing but its gradient (forward mode took 20 times as long).
        """
        n = y.shape[-1]
        size = y.abs().amax(-1, keepdim=True)
        h = torch.finfo(y.dtype).eps ** (1 / 3) * size.where(size > 0, 1.0)
        shift = h * torch.eye(n, dtype=y.dtype, device=y.device)[:, None]  # (n, B, n)
        ahead, behind = self.velocity(torch.stack([y + shift, y - shift]))
        columns: Tensor = (ahead - behind) / (2 * h)
        return columns.permute(1, 2, 0)

    # -- the march --------------------------------------------------------------------------------

    def march(self, end: float | None, until: float | None, rtol: float) -> None:
        """Steps until t ≥ end, or each element's gap ≤ until."""
        y = self.y[0]
        f = self.velocity(y)
        time = y.norm(dim=-1) / f.norm(dim=-1).clamp(min=1e-300)
        rate = self.jacobian(y).flatten(1).norm(dim=-1).clamp(min=1e-300)
        h = 1e-3 * float(time.where(time > 0, 1 / rate).amin())  # y = 0 has no scale of its own
        h = min(h, end) if end is not None else h
        while not self.inner or not self._arrived(end, until):
            running = self._running(until)
            running = running if bool(running.any()) else ~running
            found = self.step(h, rtol, running)
            if found is None:
                h /= 4
            else:
                inner, error = found
                if error <= 1:
                    self.accept(h, inner)
                    self._stalled(until)
                factor = 0.9 * max(error, 1e-12) ** (-1 / (self.tables.stages + 1))
                h *= min(8.0, max(0.2, factor))
            if len(self.inner) > MAX_STEPS or not h > 1e-14 * self.mesh[-1]:
                raise RuntimeError(f"the flow did not advance beyond t = {self.mesh[-1]:.6g}")

    def accept(self, h: float, inner: Tensor) -> None:
        self.mesh.append(self.mesh[-1] + h)
        self.y.append(inner[:, -1])
        self.inner.append(inner)
        if self.gaps:
            self.gaps.append(self.gap(inner[:, -1]))

    def _running(self, until: float | None) -> Tensor:
        if until is None:
            return torch.ones_like(self.element, dtype=torch.bool)
        return self.gaps[-1] > until

    def _arrived(self, end: float | None, until: float | None) -> bool:
        if end is not None and self.mesh[-1] >= end:
            return True
        return until is not None and not bool(self._running(until).any())

    def _stalled(self, until: float | None) -> None:
        """ValueError where the gap has settled above `until`: a critical point, or rounding."""
        if until is None or len(self.gaps) < 5 or self.mesh[-1] < 16 * self.mesh[-5]:
            return
        stuck = (self.gaps[-1] > until) & ((1 - self.gaps[-1] / self.gaps[-5]).abs() < 1e-9)
        if bool(stuck.any()):
            raise ValueError(
                f"until_gap must be reached by the flow, got {until:.3g} where the gap settles at "
                f"{self.gaps[-1][stuck].amax().item():.6g}; the flow has come to another critical "
                "point, or to the limit of its precision"
            )

    def step(self, h: float, rtol: float, running: Tensor) -> tuple[Tensor, float] | None:
        """Values at the nodes of [0, h], (B, s+1, n), and the error over its tolerance; or None."""
        tables, y = self.tables, self.y[-1]
        n = y.shape[1]
        J, f = self.jacobian(y), self.velocity(y)
        identity = torch.eye(n, dtype=y.dtype, device=y.device)
        largest = y.abs().amax(-1, keepdim=True)
        reached = h * f.abs().amax(-1, keepdim=True)  # the scale of a step from the origin
        scale = rtol * (y.abs() + 0.1 * largest.where(largest > 0, reached)) + 1e-300
        values = tables.values.to(y.dtype.to_complex()) / h
        factors = torch.linalg.lu_factor(values[:, None, None, None] * identity - J)  # (m, B, n, n)
        vectors, duals = (table.to(values.dtype) for table in (tables.vectors, tables.duals))
        Z = self._extrapolate(h)
        W = torch.einsum("ms,sbn->mbn", duals, Z.to(duals.dtype))
        floor = 100 * torch.finfo(y.dtype).eps / rtol
        before = math.inf
        for _ in range(NEWTON_STEPS):
            F = self.velocity(y + Z)
            right = (
                torch.einsum("ms,sbn->mbn", duals, F.to(duals.dtype)) - values[:, None, None] * W
            )
            dW = torch.linalg.lu_solve(*factors, right[..., None])[..., 0]
            W = W + dW
            Z = torch.einsum("sm,mbn->sbn", vectors, W).real
            change = torch.einsum("sm,mbn->sbn", vectors, dW).real / scale
            size = float(change.square().mean(-1).sqrt().amax(0)[running].amax())
            rate = size / before
            left = size * rate / (1 - rate) if 0 < rate < 1 else size  # error after this update
            if left <= max(1e-3, floor):
                break
            if not rate < 2:
                return None
            before = size
        else:
            return None
        right = f + torch.einsum("s,sbn->bn", tables.estimate.to(y.dtype), Z) / h
        real = (factors[0][0], factors[1][0])
        error = torch.linalg.lu_solve(*real, right.to(values.dtype)[..., None])[..., 0].real
        size = float((error / scale).square().mean(-1).sqrt()[running].amax())
        inner = torch.cat([y[None], y + Z]).transpose(0, 1)
        return (inner, size) if math.isfinite(size) else None

    def _extrapolate(self, h: float) -> Tensor:
        """A first guess of the stages, as increments (s, B, n): the last step's polynomial."""
        y, c = self.y[-1], self.tables.nodes.to(self.y[0].dtype)
        ratio = h / (self.mesh[-1] - self.mesh[-2]) if self.inner else math.inf
        if ratio > 4:  # a polynomial of degree s is worth nothing that far out
            return torch.zeros(len(c), *y.shape, dtype=y.dtype, device=y.device)
        weights = legendre(1 + ratio * c, self.tables.stages) @ self.tables.modal.to(c.dtype)
        return torch.einsum("ks,bsn->kbn", weights, self.inner[-1]) - y

    # -- dense output -----------------------------------------------------------------------------

    def at(self, element: Tensor, index: Tensor, x: Tensor) -> Tensor:
        """The state at fraction x of step `index`, (P, n)."""
        tables = self.tables
        weights = legendre(x, tables.stages) @ tables.modal.to(x.dtype)  # (P, s+1)
        return torch.einsum("ps,psn->pn", weights, torch.stack(self.inner)[index, element])

    def clock(self) -> Tensor:
        """Times of the mesh, (B, steps+1)."""
        times = torch.tensor(self.mesh, dtype=self.y[0].dtype, device=self.y[0].device)
        return times.expand(len(self.element), -1)

    def gap_history(self) -> Tensor:
        """Gaps on the mesh, (B, steps+1)."""
        return torch.stack(self.gaps, dim=1)

    def time_at(self, index: Tensor, x: Tensor) -> Tensor:
        """t at fraction x of step `index`, both (B, …)."""
        t = self.clock()[0]
        return t[index] + x * (t[index + 1] - t[index])

    def locate_times(self, times: Tensor) -> tuple[Tensor, Tensor]:
        """Step and fraction for times (B, K)."""
        t = self.clock()[0].contiguous()
        index = (torch.searchsorted(t, times, right=True) - 1).clamp(0, len(self.inner) - 1)
        return index, (times - t[index]) / (t[index + 1] - t[index])

    def locate_gap(self, until: float) -> tuple[Tensor, Tensor]:
        """Step and fraction at which each gap reaches `until`, (B,)."""
        gap = self.gap_history()
        index = ((gap > until).sum(1) - 1).clamp(0, len(self.inner) - 1)
        t = self.clock()[0]
        h = t[index + 1] - t[index]

        def fallen(x: Tensor) -> tuple[Tensor, Tensor]:
            y = self.at(self.element, index, x)
            value = self.gap(y)
            return torch.log(until / value), h * self.velocity(y).square().sum(-1) / value

        high, low = (gap[self.element, index + k] for k in (0, 1))
        share = (high / until).log() / (high / low).log()
        return index, bracketed(fallen, share.nan_to_num(0.0).clamp(0, 1))

    def read(self, index: Tensor, x: Tensor) -> Readout:
        """Loss, gap and state at places (B, K)."""
        element = self.element[:, None].expand_as(index)
        y = self.at(element.flatten(), index.flatten(), x.flatten())
        loss = self.landscape.loss(*self.unpack(y)).view_as(x)
        gap = self.gap(y).view_as(x) if self.gaps else None
        y = y.view(*x.shape, -1)
        return Readout(loss, gap, lambda k: self.unpack(y[:, k]))
