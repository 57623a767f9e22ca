"""A solved flow as one polynomial a step."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..collocation import series
from ..places import Places, Readout, crossing, dated
from ..protocol import State
from .system import System, unpacked
from .tables import Radau

# A polynomial of degree s is worth nothing further out, in units of its own step.
FAR = 4


@dataclass(frozen=True, eq=False)
class _States:
    """The states at places (B, K)."""

    y: Tensor  # (B, K, n)
    shapes: list[torch.Size]

    def __call__(self, k: int) -> State:
        return unpacked(self.y[:, k], self.shapes)


class DenseFlow:
    """Trajectories of B starts on one mesh in t, which `append` makes longer by a step."""

    def __init__(self, system: System, tables: Radau) -> None:
        self.system, self.tables = system, tables
        y = system.start
        self.element = torch.arange(len(y), device=y.device)
        self.times, self.y = [0.0], [y]  # y: (B, n)
        self.gaps = [system.gap(y)] if system.has_gap else []  # (B,)
        self.inner: list[Tensor] = []  # values at 0, c_1 … c_s of a step, (B, s+1, n)
        self.f = system.velocity(y)  # at the end of the flow, (B, n)
        self.fastest = self.f.norm(dim=-1)  # the largest speed so far, (B,)
        self.lowest = self.gaps[0] if self.gaps else torch.full_like(self.fastest, torch.inf)
        self.ended = torch.full_like(self.element, -1)  # the node where an element is at rest

    def append(self, h: float, inner: Tensor) -> None:
        self.times.append(self.times[-1] + h)
        self.y.append(inner[:, -1])
        self.inner.append(inner)
        if self.gaps:
            self.gaps.append(self.system.gap(inner[:, -1]))
            self.lowest = torch.minimum(self.lowest, self.gaps[-1])
        self.f = self.system.velocity(inner[:, -1])
        self.fastest = torch.maximum(self.fastest, self.f.norm(dim=-1))

    @property
    def settled(self) -> Tensor:
        """Elements that have come to rest above the gap that is wanted, (B,)."""
        return self.ended >= 0

    def settle(self, which: Tensor) -> None:
        """These elements (B,) have come to rest at the end of the flow."""
        self.ended[which] = len(self.inner)

    def on_its_way(self, until: float | None) -> Tensor:
        """Elements that are neither at rest nor have been there, (B,)."""
        return ~self.settled if until is None else ~self.settled & (self.lowest > until)

    def ahead(self, h: float, nodes: Tensor) -> Tensor | None:
        """The last step's polynomial at fractions of a next step h, less its end, (K, B, n)."""
        ratio = h / (self.times[-1] - self.times[-2]) if self.inner else torch.inf
        if ratio > FAR:
            return None
        weights = series(self.tables.modal.to(nodes).mT, 1 + ratio * nodes[:, None])  # (K, s+1)
        return torch.einsum("ks,bsn->kbn", weights, self.inner[-1]) - self.y[-1]

    def at(self, element: Tensor, step: Tensor, x: Tensor) -> Tensor:
        """The state at fraction x of a step, (P, n)."""
        weights = series(self.tables.modal.mT, x[:, None])  # (P, s+1)
        inner = torch.stack(self.inner)[step, element]
        moved = inner[:, 1:] - inner[:, :1]  # so that nothing has moved at x = 0
        return inner[:, 0] + torch.einsum("ps,psn->pn", weights[:, 1:].to(inner), moved)

    def clock(self) -> Tensor:
        """Times of the nodes, (B, steps+1), in float64 whatever the state has."""
        times = torch.tensor(self.times, dtype=torch.float64, device=self.element.device)
        return times.expand(len(self.element), -1)

    def locate_times(self, times: Tensor) -> Places:
        """Places of times (B, K)."""
        t = self.clock()[0]
        step = (torch.searchsorted(t, times, right=True) - 1).clamp(0, len(self.inner) - 1)
        return Places(times, step, (times - t[step]) / t.diff()[step])

    def locate_gap(self, until: float) -> Places:
        """Where the gap passes `until`, or the flow rests above it, (B, 1); else at time ∞."""
        gap, t, system = torch.stack(self.gaps, dim=1), self.clock()[0], self.system

        def fallen(step: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
            y = self.at(self.element, step, x)
            value, speed = system.gap(y).double(), system.velocity(y).double().square().sum(-1)
            return torch.log(until / value), t.diff()[step] * speed / value

        step, x = crossing(gap.double(), until, fallen)
        times = t[step] + x * t.diff()[step]
        hits = dated(gap, until, Places(times[:, None], step[:, None], x[:, None]))
        rests = Places(t[self.ended], self.ended - 1, torch.ones_like(x))
        settled = self.settled[:, None]
        both = zip(rests, hits, strict=True)
        return Places(*(torch.where(settled, rest[:, None], hit) for rest, hit in both))

    def read(self, at: Places) -> Readout:
        """Loss, gap and state at places (B, K)."""
        _, step, x = at
        element = self.element[:, None].expand_as(step)
        y = self.at(element.flatten(), step.flatten(), x.flatten())
        loss = self.system.loss(y).view_as(x)
        gap = self.system.gap(y).view_as(x) if self.gaps else None
        return Readout(loss, gap, _States(y.view(*x.shape, -1), self.system.shapes))
