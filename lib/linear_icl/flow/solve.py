"""The gradient flow from a start to wanted times, or to a wanted gap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import ArrayLike
from .places import Trajectory, stopped
from .protocol import Landscape, Spectral, SpectralLandscape, State
from .radau.march import march
from .spectral import SpectralFlow

if TYPE_CHECKING:
    AnyLandscape: TypeAlias = Landscape
    AnyState: TypeAlias = Sequence[ArrayLike]
    Number: TypeAlias = float
else:  # so that bad input reaches the checks below when annotations are enforced
    AnyLandscape = AnyState = Number = Any

RTOL_RANGE = (3e-12, 1e-2)
# A gap is a sum of squares of distances; float64 resolves the distances to a few eps.
RESOLUTION = 1e-28


@dataclass(frozen=True, eq=False)
class Flow:
    """A trajectory at K times.

    ``times`` (K,), or (*batch, K) where the elements of a batch have their own; ``loss`` and
    ``gap`` (*batch, K), without gradients; ``len(flow)`` is K.  ``state(k)`` gives the parameters
    at time k, shaped like the start.
    """

    times: Tensor
    loss: Tensor
    _gap: Tensor | None = field(repr=False)
    _state: Callable[[int], State] = field(repr=False)

    @property
    def gap(self) -> Tensor:
        """Loss above its minimum, (*batch, K); ValueError if the landscape has no gap."""
        if self._gap is None:
            raise ValueError("gap must be defined by the landscape, got none; use loss")
        return self._gap

    def __len__(self) -> int:
        return self.times.shape[-1]

    if not TYPE_CHECKING:  # which sees a wrong name by itself

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(
                f"a flow has times, loss, gap, state(k) and states, got {name!r}; "
                "unpack the parameters, e.g. U, u = flow.states"
            )

        def __getitem__(self, k: object) -> Any:
            raise TypeError(f"a flow has no entries, got flow[{k}]; write flow.state({k})")

    def state(self, k: int) -> State:
        """The state at time k (negative k from the end), computed now; ValueError out of range."""
        if not -len(self) <= k < len(self):
            raise ValueError(
                f"k must be a step of the flow, {-len(self)} <= k < {len(self)}, got {k}; "
                "len(flow) is the number of times"
            )
        return self._state(range(len(self))[k])

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
    >>> start = problem.start(torch.eye(2).double() / 2**0.25, sigma=0.01)
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
            time and state repeat.
        rtol: relative error tolerance of the state, 3e-12 to 1e-2.

    Raises:
        TypeError: a landscape without ``loss`` and ``gradient``, a start that is no tuple.
        ValueError: neither or improper ``times`` and ``until_gap``; a start that does not fit
            the landscape; ``until_gap`` below what float64 resolves, or below where the flow ends.
    """
    lead, flat = _start(landscape, start)
    like, B = flat[0], len(flat[0])
    grid = _times(times, flat[0])
    until = _until(landscape, until_gap)
    if grid is None and until is None:
        raise ValueError(
            "one of times and until_gap must be given, got neither; write e.g. until_gap=1e-8"
        )
    if not isinstance(rtol, float | int) or not RTOL_RANGE[0] <= rtol <= RTOL_RANGE[1]:
        raise ValueError(
            f"rtol must lie between {RTOL_RANGE[0]:g} and {RTOL_RANGE[1]:g}, got {rtol!r}; "
            "leave it at 1e-9"
        )
    with torch.no_grad():
        end = None if grid is None else float(grid[-1])
        trajectory = _solved(landscape, flat, end, until, float(rtol))
        at = trajectory.mesh() if grid is None else trajectory.locate_times(grid.repeat(B, 1))
        if until is not None:
            at = stopped(at, trajectory.locate_gap(until))
        found = trajectory.read(at)

    def state(k: int) -> State:
        parts = zip(found.state(k), flat, strict=True)
        return tuple(part.reshape(lead + own.shape[1:]).to(own) for part, own in parts)

    def shaped(values: Tensor) -> Tensor:
        return values.reshape(lead + values.shape[1:]).to(like)

    shared = grid is not None and until is None
    gap = None if found.gap is None else shaped(found.gap)
    times = at.times[0].to(like) if shared else shaped(at.times)
    return Flow(times, shaped(found.loss), gap, state)


# -- what came in -------------------------------------------------------------------------------


def _start(landscape: Any, start: Any) -> tuple[torch.Size, State]:
    """Batch axes, and the state with one batch axis in their place."""
    known, fix = "one with loss and gradient", "write e.g. FixedCovariance(covariance, length)"
    _checks.instance("landscape", landscape, Landscape, known, fix)
    if not isinstance(start, tuple | list):
        fix = "write e.g. landscape.start(Theta, sigma)"
        _checks.instance("start", start, tuple, "a tuple of tensors", fix)
    state = tuple(_checks.tensor(f"start[{k}]", part) for k, part in enumerate(start))
    _checks.together(*((f"start[{k}]", part) for k, part in enumerate(state)))
    lead = landscape.loss(*state).shape  # the landscape judges the shapes
    flat = tuple(part.detach().reshape(-1, *part.shape[len(lead) :]) for part in state)
    return lead, flat


def _times(times: ArrayLike | None, like: Tensor) -> Tensor | None:
    if times is None:
        return None
    grid = _checks.tensor(
        "times", times, shape=("K",), like=None if isinstance(times, Tensor) else ("start[0]", like)
    )
    grid = grid.to(like)
    if len(grid) == 0 or grid[0] < 0 or (grid.diff() <= 0).any():
        raise ValueError(
            f"times must be increasing and >= 0, got {grid.tolist()[:6]}"
            f"{' …' if len(grid) > 6 else ''}; sort them and drop repetitions"
        )
    return grid.double()


def _until(landscape: Any, until_gap: ArrayLike | None) -> float | None:
    if until_gap is None:
        return None
    until = float(_checks.positive("until_gap", until_gap, shape=()))
    if not hasattr(landscape, "gap"):
        raise ValueError(
            f"until_gap must come with a landscape that has gap, got {type(landscape).__name__}; "
            "give times instead"
        )
    floor = RESOLUTION * abs(float(getattr(landscape, "minimum", 0.0)))
    if until < floor:
        raise ValueError(
            f"until_gap must be at least {floor:.3g}, what float64 resolves here, "
            f"got {until:.3g}; take a larger one"
        )
    return until


def _solved(
    landscape: Any, flat: State, end: float | None, until: float | None, rtol: float
) -> Trajectory:
    """The spectral form where the landscape separates and the start allows it, else Radau."""
    if isinstance(landscape, SpectralLandscape):
        spectral = Spectral(*(part.double() for part in landscape.spectral()))
        U, u = flat
        reduced = SpectralFlow(spectral, U.double(), u.double())
        if reduced.fits():
            reduced.march(end, until, rtol)
            return reduced
    smallest = 1e4 * torch.finfo(flat[0].dtype).eps
    if rtol < smallest:
        raise ValueError(
            f"rtol must be at least {smallest:.1g} in {flat[0].dtype}, got {rtol:g}; "
            "use float64 or a larger rtol"
        )
    return march(landscape, flat, end, until, rtol)
