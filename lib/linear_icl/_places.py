"""From a march to an answer: which places of a trajectory are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor

from .landscape.protocol import State


class Readout(NamedTuple):
    """What a trajectory shows at places (B, K); state(k) is flat, (B, …)."""

    loss: Tensor
    gap: Tensor | None
    state: Callable[[int], State]


@runtime_checkable
class Trajectory(Protocol):
    """What both forms of the flow offer; a place is a step of the mesh and a fraction of it."""

    def march(self, end: float | None, until: float | None, rtol: float) -> None:
        """Steps until each of the B elements has t ≥ end or gap ≤ until."""
        ...

    def clock(self) -> Tensor:
        """Times of the mesh, (B, steps+1)."""
        ...

    def gap_history(self) -> Tensor:
        """Gaps on the mesh, (B, steps+1)."""
        ...

    def locate_times(self, times: Tensor) -> tuple[Tensor, Tensor]:
        """Places of times (B, K)."""
        ...

    def locate_gap(self, until: float) -> tuple[Tensor, Tensor]:
        """Places (B,) where the gap passes `until`."""
        ...

    def time_at(self, index: Tensor, x: Tensor) -> Tensor:
        """Times of places (B, K)."""
        ...

    def read(self, index: Tensor, x: Tensor) -> Readout:
        """Loss, gap and state at places (B, K)."""
        ...


def places(
    trajectory: Trajectory, grid: Tensor | None, until: float | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Times, steps and fractions (B, K) to report: `grid` or the mesh, ended by the hit of `until`.

    An element that has hit waits there.  Columns in which nothing moves are dropped.
    """
    clock = trajectory.clock()
    if grid is None:
        times = clock
        index = torch.arange(clock.shape[1], device=clock.device).expand_as(clock)
        x = torch.zeros_like(clock)
    else:
        times = grid.repeat(len(clock), 1)
        index, x = trajectory.locate_times(times)
    if until is None:
        return times, index, x
    hit_index, hit_x = (part[:, None] for part in trajectory.locate_gap(until))
    at_once = trajectory.gap_history()[:, :1] <= until
    hit = trajectory.time_at(hit_index, hit_x)
    never = trajectory.gap_history()[:, -1:] > until
    hit = torch.where(never, torch.inf, torch.where(at_once, 0.0, hit))
    # One more column, for the hit; every later time is replaced by it.
    times, index, x = (torch.cat([part, part[:, -1:]], dim=1) for part in (times, index, x))
    hit_x = torch.where(at_once, 0.0, hit_x)
    late = times >= hit
    keep = (~late).any(dim=0)
    keep[-1] = bool(late[:, -1].any())
    times = torch.where(late, hit, times)
    index, x = torch.where(late, hit_index, index), torch.where(late, hit_x, x)
    return times[:, keep], index[:, keep], x[:, keep]
