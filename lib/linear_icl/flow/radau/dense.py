"""A solved flow as one polynomial a step."""

from __future__ import annotations

import torch
from torch import Tensor

from ..collocation import legendre
from ..places import Places, Readout, crossing, dated
from .system import System
from .tables import Radau

# A polynomial of degree s is worth nothing further out, in units of its own step.
FAR = 4


class DenseFlow:
    """Trajectories of B starts on one mesh in t, which `append` makes longer by a step."""

    def __init__(self, system: System, tables: Radau) -> None:
        self.system, self.tables = system, tables
        y = system.start
        self.element = torch.arange(len(y), device=y.device)
        self.times, self.y = [0.0], [y]  # y: (B, n)
        self.gaps = [system.gap(y)] if system.has_gap else []  # (B,)
        self.inner: list[Tensor] = []  # values at 0, c_1 … c_s of a step, (B, s+1, n)

    def append(self, h: float, inner: Tensor) -> None:
        self.times.append(self.times[-1] + h)
        self.y.append(inner[:, -1])
        self.inner.append(inner)
        if self.gaps:
            self.gaps.append(self.system.gap(inner[:, -1]))

    def ahead(self, h: float, nodes: Tensor) -> Tensor | None:
        """The last step's polynomial at fractions of a next step h, less its end, (K, B, n)."""
        ratio = h / (self.times[-1] - self.times[-2]) if self.inner else torch.inf
        if ratio > FAR:
            return None
        weights = legendre(1 + ratio * nodes, self.tables.stages) @ self.tables.modal.to(nodes)
        return torch.einsum("ks,bsn->kbn", weights, self.inner[-1]) - self.y[-1]

    def at(self, element: Tensor, index: Tensor, x: Tensor) -> Tensor:
        """The state at fraction x of step `index`, (P, n)."""
        weights = legendre(x, self.tables.stages) @ self.tables.modal.to(x.dtype)  # (P, s+1)
        return torch.einsum("ps,psn->pn", weights, torch.stack(self.inner)[index, element])

    def clock(self) -> Tensor:
        """Times of the mesh, (steps+1,)."""
        return torch.tensor(self.times, dtype=self.y[0].dtype, device=self.y[0].device)

    def mesh(self) -> Places:
        """The nodes, (B, steps+1)."""
        times = self.clock().expand(len(self.element), -1)
        index = torch.arange(times.shape[1], device=times.device).expand_as(times)
        return Places(times, index, torch.zeros_like(times))

    def locate_times(self, times: Tensor) -> Places:
        """Places of times (B, K)."""
        t = self.clock()
        index = (torch.searchsorted(t, times, right=True) - 1).clamp(0, len(self.inner) - 1)
        return Places(times, index, (times - t[index]) / t.diff()[index])

    def locate_gap(self, until: float) -> Places:
        """Where the gap passes `until`, (B, 1), at time ∞ if it does not."""
        gap, t, system = torch.stack(self.gaps, dim=1), self.clock(), self.system

        def fallen(index: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
            y = self.at(self.element, index, x)
            value, speed = system.gap(y), system.velocity(y).square().sum(-1)
            return torch.log(until / value), t.diff()[index] * speed / value

        index, x = crossing(gap, until, fallen)
        times = t[index] + x * t.diff()[index]
        return dated(gap, until, Places(times[:, None], index[:, None], x[:, None]))

    def read(self, at: Places) -> Readout:
        """Loss, gap and state at places (B, K)."""
        _, index, x = at
        element = self.element[:, None].expand_as(index)
        y = self.at(element.flatten(), index.flatten(), x.flatten())
        loss = self.system.loss(y).view_as(x)
        gap = self.system.gap(y).view_as(x) if self.gaps else None
        y = y.view(*x.shape, -1)
        return Readout(loss, gap, lambda k: self.system.unpack(y[:, k]))
