"""What a solver gives, a trajectory; its places: which ones are wanted, and what is read there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor

from .protocol import State
from .roots import bracketed


class Places(NamedTuple):
    """Times, and where on the mesh they lie: a step and a fraction of it; all (B, K)."""

    times: Tensor
    step: Tensor
    x: Tensor


class Readout(NamedTuple):
    """What a trajectory shows at places (B, K); state(k) is flat, (B, …).

    It can be pickled and copied: ``state`` holds tensors only, neither landscape nor trajectory.
    """

    loss: Tensor
    gap: Tensor | None
    state: Callable[[int], State]


@runtime_checkable
class Trajectory(Protocol):
    """A flow of B starts on a mesh of steps: what ``march`` of either solver returns."""

    @property
    def settled(self) -> Tensor:
        """Elements that have come to rest above the gap that is wanted, (B,)."""
        ...

    def clock(self) -> Tensor:
        """Times of the nodes, (B, steps+1), in float64."""
        ...

    def locate_times(self, times: Tensor) -> Places:
        """Places of times (B, K)."""
        ...

    def locate_gap(self, until: float) -> Places:
        """Where the gap falls to `until`, or the flow rests above it, (B, 1); else at time ∞."""
        ...

    def read(self, at: Places) -> Readout:
        """Loss, gap and state at places (B, K)."""
        ...


def nodes(times: Tensor) -> Places:
    """The nodes of a mesh, at times (B, steps+1)."""
    step = torch.arange(times.shape[1], device=times.device).expand_as(times)
    return Places(times, step, torch.zeros_like(times))


def crossing(
    gap: Tensor, until: float, fallen: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
) -> tuple[Tensor, Tensor]:
    """Step and fraction, (B,), where gaps on a mesh (B, steps+1) first fall to `until`.

    ``fallen(index, x)`` is ln(until/gap) at fraction x of a step, and its slope. What comes after
    does not count: Radau's steps for those on their way are not judged by who has arrived, whose
    gap may rise again there.
    """
    element = torch.arange(len(gap), device=gap.device)
    above = (gap > until).cumprod(1)  # as long as it has not been there
    index = (above.sum(1) - 1).clamp(0, gap.shape[1] - 2)
    high, low = gap[element, index], gap[element, index + 1]
    share = (high / until).log() / (high / low).log()
    x = bracketed(lambda x: fallen(index, x), share.nan_to_num(0.0).clamp(0, 1))
    return index, x


def dated(gap: Tensor, until: float, hit: Places) -> Places:
    """A crossing (B, 1) with its time set right where the gap is there at once, or never."""
    at_once, never = gap[:, :1] <= until, (gap > until).all(1, keepdim=True)
    times = torch.where(never, torch.inf, torch.where(at_once, 0.0, hit.times))
    return Places(times, hit.step, torch.where(at_once, 0.0, hit.x))


def stopped(at: Places, hit: Places) -> Places:
    """The places up to `hit` (B, 1), which becomes the last one; who has hit waits there.

    Columns in which nothing moves are dropped.
    """
    # One more column, for the hit; every later time is replaced by it.
    times, index, x = (torch.cat([part, part[:, -1:]], dim=1) for part in at)
    late = times >= hit.times
    keep = (~late).any(dim=0)
    keep[-1] = bool(late[:, -1].any())
    ended = (torch.where(late, end, part) for end, part in zip(hit, (times, index, x), strict=True))
    return Places(*(part[:, keep] for part in ended))
