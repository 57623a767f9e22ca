"""The gradient flow from a start to wanted times, or to a wanted gap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from .._results import implements
from .._types import ArrayLike
from . import spectral, validation
from .places import Places, Readout, Trajectory, nodes, stopped
from .protocol import Landscape, Spectral, SpectralLandscape, State
from .radau import march as radau
from .radau.system import System
from .reduced import ClockSystem

if TYPE_CHECKING:
    AnyLandscape: TypeAlias = Landscape
    AnyState: TypeAlias = Sequence[ArrayLike]
    Number: TypeAlias = float
else:  # so that bad input reaches the checks below when annotations are enforced
    AnyLandscape = AnyState = Number = Any


@dataclass(frozen=True, eq=False)
class Flow:
    """A trajectory at K times.

    ``times``, ``loss`` and ``gap`` (*batch, K), without gradients; ``len(flow)`` is K.
    ``state(k)`` gives the parameters at time k, shaped like the start.

    ``reasons`` says of each member of the batch that ended above ``until_gap`` why, by its index,
    ``()`` without batch axes; empty where all are there.
    """

    times: Tensor
    loss: Tensor
    _gap: Tensor | None = field(repr=False)
    _state: Callable[[int], State] = field(repr=False)
    _shapes: tuple[torch.Size, ...] = field(repr=False)  # of the start
    reasons: Mapping[tuple[int, ...], str] = field(default_factory=dict)

    @property
    def gap(self) -> Tensor:
        """Loss above its minimum, (*batch, K); AttributeError if the landscape has no gap."""
        if self._gap is None:
            raise AttributeError("gap must be defined by the landscape, got none; use loss")
        return self._gap

    def __len__(self) -> int:
        return self.times.shape[-1]

    def state(self, k: int) -> State:
        """The state at time k (negative k from the end), computed now; ValueError out of range."""
        if not -len(self) <= k < len(self):
            raise ValueError(
                f"k must be a step of the flow, {-len(self)} <= k < {len(self)}, got {k}; "
                "len(flow) is the number of times"
            )
        parts = zip(self._state(range(len(self))[k]), self._shapes, strict=True)
        return tuple(part.reshape(shape).to(self.loss) for part, shape in parts)

    @property
    def states(self) -> State:
        """All states: the axis of times stands after the batch axes, so that
        ``landscape.loss(*flow.states)`` is ``flow.loss``.  Takes len(flow) states of memory."""
        axis = self.loss.ndim - 1
        every = zip(*(self.state(k) for k in range(len(self))), strict=True)
        return tuple(torch.stack(parts, axis) for parts in every)


@implements("def-flow")
def gradient_flow(
    landscape: AnyLandscape,
    start: AnyState,
    times: ArrayLike | None = None,
    *,
    until_gap: ArrayLike | None = None,
    rtol: Number = 1e-9,
) -> Flow:
    """The gradient flow dx/dt = −∇loss(x), x(0) = start.

    ``until_gap`` alone gives the solver's own steps: a few dozen times, each as exact as ``rtol``
    says, but too far apart to draw. For a curve ask again, with times up to the end that it found:

    >>> from linear_icl.landscape import FixedCovariance
    >>> problem = FixedCovariance([[2.0, 0.0], [0.0, 0.5]], length=8)
    >>> start = problem.start(sigma=0.01)
    >>> end = gradient_flow(problem, start, until_gap=1e-8).times[-1].item()
    >>> curve = gradient_flow(problem, start, torch.linspace(0, end, 200))
    >>> len(curve)
    200

    Args:
        landscape: has ``loss`` and ``gradient``; ``gap`` too where ``until_gap`` is given.
        start: the state as a tuple, tensors with the same leading batch axes.
        times: increasing, ≥ 0, (K,), in units where the flow is −∇loss of the loss as it stands.
            None: the solver's own steps.
        until_gap: stop where gap = until_gap, which becomes the last time.  With ``times`` the
            flow ends at whichever comes first.  In a batch an element that is there waits: its
            time and state repeat; so does one that comes to rest above it, see ``Flow.reasons``.
        rtol: relative error tolerance of the state, 3e-12 to 1e-2; at least 1.2e-3 for a float32
            state, but where the landscape separates, which is solved in float64.

    Raises:
        TypeError: a landscape without ``loss`` and ``gradient``, or whose loss is no tensor, or
            whose gradient is no tuple; a start that is no tuple.
        ValueError: neither or improper ``times`` and ``until_gap``, an improper ``rtol``; a start
            that does not fit the landscape; a gradient not shaped like the state, or not that of
            the loss; a loss without the batch axes; ``until_gap`` below what the numbers resolve,
            or below where the flow of every member comes to rest.
        RuntimeError: the flow cannot be followed: the loss falls without bound, or its gradient
            jumps.
    """
    loss, flat = validation.start(landscape, start)
    lead = loss.shape
    grid, until = validation.times(times, flat[0]), validation.gap(landscape, until_gap)
    if grid is None and until is None:
        raise ValueError(
            "one of times and until_gap must be given, got neither; write e.g. until_gap=1e-8"
        )
    end = None if grid is None else float(grid[-1])
    rtol = validation.tolerance(rtol)
    with torch.no_grad():
        trajectory = _solved(landscape, flat, loss.reshape(-1), end, until, rtol)
        if grid is None:
            at = nodes(trajectory.clock())
        else:
            at = trajectory.locate_times(grid.repeat(len(flat[0]), 1))
        if until is not None:
            hit = trajectory.locate_gap(until)
            at = stopped(at, hit)
        readout = trajectory.read(at)
    reasons = {} if until is None else _reasons(lead, hit, trajectory.settled, readout, until)

    def shaped(values: Tensor) -> Tensor:
        return values.reshape(lead + values.shape[1:]).to(flat[0])

    gap = None if readout.gap is None else shaped(readout.gap)
    shapes = tuple(lead + part.shape[1:] for part in flat)
    return Flow(shaped(at.times), shaped(readout.loss), gap, readout.state, shapes, reasons)


def _solved(
    landscape: Any, flat: State, loss: Tensor, end: float | None, until: float | None, rtol: float
) -> Trajectory:
    """The spectral form where the landscape separates and the start allows it, else Radau."""
    if isinstance(landscape, SpectralLandscape):
        law = Spectral(*(part.detach().double() for part in landscape.spectral()))
        system = ClockSystem(law, tuple(part.double() for part in flat))
        validation.check_spectral(loss, system)
        if system.fits():
            validation.check_resolution(landscape, until, torch.float64)
            return spectral.march(system, end, until, rtol)
    dtype = flat[0].dtype
    validation.check_tolerance(dtype, rtol)
    validation.check_resolution(landscape, until, dtype)
    validation.check_landscape(landscape, flat)
    return radau.march(System(landscape, flat), end, until, rtol)


def _reasons(
    lead: torch.Size, hit: Places, settled: Tensor, readout: Readout, until: float
) -> dict[tuple[int, ...], str]:
    """Why members ended above `until`; ValueError if all of them came to rest there."""
    assert readout.gap is not None  # until is refused without it
    reasons = {}
    for k in (hit.times[:, 0].isinf() | settled).nonzero()[:, 0].tolist():
        asked, gap = validation.distinguishable(until, float(readout.gap[k, -1]))
        member = tuple(int(i) for i in np.unravel_index(k, lead)) if lead else ()
        if settled[k]:
            reasons[member] = (
                f"until_gap must be reached by the flow, got {asked} where the gap settles at "
                f"{gap}; the flow has come to another critical point, or to the limit of its "
                "precision"
            )
        else:
            reasons[member] = f"the last of times comes before gap {asked}, at gap {gap}"
    if len(settled) and bool(settled.all()):
        raise ValueError(next(iter(reasons.values())))
    return reasons
