"""What came in: the start, the times, the gap and the tolerance; and a landscape of one's own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _checks
from .._types import ArrayLike
from .collocation import gauss
from .protocol import Landscape, State
from .reduced import ClockSystem

# The least rtol: about 1e4 eps, since a step adds some hundred rounded terms.
LEAST_RTOL = {torch.float64: 3e-12, torch.float32: 1.2e-3}
LARGEST_RTOL = 1e-2
# A gap is a sum of squares of distances, each known to so many eps of its size.
KNOWN = 45
# Lengths on which loss and gradient are compared, in units of the state, and at most so long.
FIRST, LONGER, LONGEST = 1e-3, 100.0, 1.0
# A change of the loss is seen if it is so many eps of the loss; then it must fit the gradient.
SEEN, FITS = 1e4, 1e-2


def start(landscape: Any, given: Any) -> tuple[Tensor, State]:
    """Loss with the batch axes, and the state with one batch axis in their place."""
    _checks.instance(
        "landscape",
        landscape,
        Landscape,
        noun="one with loss and gradient",
        fix="write e.g. FixedCovariance(covariance, length)",
    )
    if not isinstance(given, tuple | list):
        noun, fix = "a tuple of tensors", "write e.g. landscape.start(sigma, Theta)"
        _checks.instance("start", given, tuple, noun=noun, fix=fix)
    state = tuple(_checks.tensor(f"start[{k}]", part) for k, part in enumerate(given))
    if not state:
        raise ValueError("start must have a tensor for each argument of loss, got none")
    _checks.together(*((f"start[{k}]", part) for k, part in enumerate(state)))
    loss = _tensor("loss", _called(landscape, "loss", state))  # the landscape judges the shapes
    lead = loss.shape
    if any(part.shape[: len(lead)] != lead for part in state):
        raise _axes("loss", lead, state)
    return loss.detach(), tuple(
        part.detach().reshape(-1, *part.shape[len(lead) :]) for part in state
    )


def times(given: ArrayLike | None, like: Tensor) -> Tensor | None:
    """An increasing grid (K,) in float64."""
    if given is None:
        return None
    followed = None if isinstance(given, Tensor) else ("start[0]", like)
    grid = _checks.tensor("times", given, shape=("K",), like=followed).to(like)
    if len(grid) == 0 or grid[0] < 0 or (grid.diff() <= 0).any():
        raise ValueError(
            f"times must be increasing and >= 0, got {grid.tolist()[:6]}"
            f"{' …' if len(grid) > 6 else ''}; sort them and drop repetitions"
        )
    return grid.double()


def gap(landscape: Any, given: ArrayLike | None) -> float | None:
    """``until_gap`` as a number."""
    if given is None:
        return None
    until = float(_checks.positive("until_gap", given, shape=()))
    if not hasattr(landscape, "gap"):
        raise ValueError(
            f"until_gap must come with a landscape that has gap, got {type(landscape).__name__}; "
            "give times instead"
        )
    return until


def check_resolution(landscape: Any, until: float | None, dtype: torch.dtype) -> None:
    """ValueError for a gap that numbers of this dtype do not resolve."""
    if until is None:
        return
    least = (KNOWN * torch.finfo(dtype).eps) ** 2 * abs(float(getattr(landscape, "minimum", 0.0)))
    if until < least:
        asked, floor = distinguishable(until, least)
        raise ValueError(
            f"until_gap must be at least {floor}, what {_name(dtype)} resolves here, "
            f"got {asked}; take a larger one"
        )


def tolerance(given: Any) -> float:
    """``rtol``, in the range of float64."""
    least = LEAST_RTOL[torch.float64]
    number = isinstance(given, float | int) and not isinstance(given, bool)
    if not number or not least <= given <= LARGEST_RTOL:
        raise ValueError(
            f"rtol must lie between {least:g} and {LARGEST_RTOL:g}, got {given!r}; leave it at 1e-9"
        )
    return float(given)


def check_tolerance(dtype: torch.dtype, rtol: float) -> None:
    """ValueError for a tolerance that numbers of this dtype do not meet."""
    least = LEAST_RTOL[dtype]
    if rtol < least:
        asked, floor = distinguishable(rtol, least)
        raise ValueError(
            f"rtol must be at least {floor} in {dtype}, got {asked}; "
            f"use float64 or write rtol={least:g}"
        )


def distinguishable(one: float, other: float) -> tuple[str, str]:
    """Both numbers with as many digits as it takes to tell them apart."""
    for digits in (3, 6, 9, 17):
        pair = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if pair[0] != pair[1]:
            break
    return pair


# -- a landscape of one's own ---------------------------------------------------------------------


def check_landscape(landscape: Any, state: State) -> None:
    """Whether loss, gradient and gap fit the state (B, …) and each other.

    A gradient is compared with the change of the loss along a segment in a random direction, by
    Gauss's rule, exact for a gradient of degree 9 on it. The segment grows until the change is
    seen above the rounding of the loss.
    """
    _gradient(_called(landscape, "gradient", state), state)
    size = torch.stack(
        [part.abs().reshape(len(part), -1).amax(1) for part in state if part.numel()]
    ).amax(0)
    size = size.where(size > 0, 1.0)
    ahead = _direction(state, size)
    length, unseen = FIRST, torch.ones_like(size, dtype=torch.bool)
    while bool((unseen & (length * size <= LONGEST)).any() or length == FIRST):
        unseen = unseen & ~_compared(landscape, state, ahead, length, unseen)
        length *= LONGER


def check_spectral(loss: Tensor, system: ClockSystem) -> None:
    """ValueError unless the loss of the start is the one that ``spectral()`` describes."""
    described, scale = system.loss(system.start), system.p @ system.target / 2 + loss.abs()
    wrong = (described - loss).abs() > FITS * scale
    if bool(wrong.any()):
        shown = distinguishable(float(loss[wrong][0]), float(described[wrong][0]))
        raise ValueError(
            f"spectral() must describe the loss, got a loss of {shown[0]} at the start where it "
            f"says {shown[1]}; check basis, curvature and pull"
        )


def _gradient(given: Any, state: State) -> None:
    """TypeError or ValueError unless it is shaped like the state."""
    if not isinstance(given, tuple | list):
        raise TypeError(
            "gradient must return a tuple with a tensor for each part of the state, got "
            f"{type(given).__name__}; write e.g. return (slope,)"
        )
    if len(given) != len(state):
        raise ValueError(
            f"gradient must return a tensor for each part of the state, got {len(given)} for "
            f"{len(state)}; return them in the order of the arguments"
        )
    for k, (slope, part) in enumerate(zip(given, state, strict=True)):
        name = f"gradient(...)[{k}]"
        _checks.together((f"start[{k}]", part), (name, _tensor("gradient", slope)))
        if slope.shape != part.shape:
            raise ValueError(
                f"{name} must have the shape of the state, {tuple(part.shape)} with one batch "
                f"axis, got {tuple(slope.shape)}; sum over no axis, and mind the batch axes"
            )
        _checks.tensor(name, slope)


def _direction(state: State, size: Tensor) -> State:
    seed = torch.Generator().manual_seed(0)
    normal = (torch.randn(part.shape, generator=seed, dtype=torch.float64) for part in state)
    along = [d.to(part) for d, part in zip(normal, state, strict=True)]
    return tuple(d * size.view(-1, *[1] * (d.ndim - 1)) for d in along)


def _compared(landscape: Any, state: State, ahead: State, length: float, asked: Tensor) -> Tensor:
    """Which members (B,) show a change of the loss on this length; ValueError if it does not fit.

    The points have two batch axes, as the solver's have.
    """
    nodes, weights = gauss(5)
    places = torch.cat([nodes.new_tensor([0.0, 1.0]), nodes])
    points = tuple(
        part + length * step * places.to(part).view(-1, *[1] * part.ndim)
        for part, step in zip(state, ahead, strict=True)
    )
    slopes = _called(landscape, "gradient", points)
    _gradient(slopes, points)
    terms = (
        (slope[2:] * step).reshape(5, len(step), -1).sum(-1)
        for slope, step in zip(slopes, ahead, strict=True)
    )
    expected = length * torch.einsum("q,qb->b", weights.to(state[0]), sum(terms))
    seen = torch.zeros_like(asked)
    for name in ("loss", "gap") if hasattr(landscape, "gap") else ("loss",):
        values = _tensor(name, _called(landscape, name, points))
        if values.shape != points[0].shape[:2]:
            raise _axes(name, values.shape, points)
        change, eps = values[1] - values[0], torch.finfo(values.dtype).eps
        visible = torch.maximum(change.abs(), expected.abs()) > SEEN * eps * values.abs().amax(0)
        wrong = visible & asked & ~((change - expected).abs() <= FITS * expected.abs())
        if bool((wrong & values.isfinite().all(0)).any()):
            raise _misfit(name, float(change[wrong][0]), float(expected[wrong][0]))
        seen |= visible | ~values.isfinite().all(0)
    return seen


def _called(landscape: Any, name: str, state: State) -> Any:
    """The method's answer; what else than ValueError or TypeError it raises, as a ValueError."""
    try:
        return getattr(landscape, name)(*state)
    except (ValueError, TypeError):
        raise
    except Exception as error:
        raise ValueError(
            f"{name} must take any leading batch axes, got {type(error).__name__} for a state of "
            f"shapes {_shapes(state)}: {error}; count axes from the right, e.g. x[..., 0]"
        ) from error


def _shapes(state: State) -> str:
    return ", ".join(str(tuple(part.shape)) for part in state)


def _tensor(name: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name} must return a tensor, got {type(value).__name__}; compute it with torch"
        )
    return value


def _axes(name: str, got: torch.Size, state: State) -> ValueError:
    return ValueError(
        f"{name} must return one number for each member of the batch, got shape {tuple(got)} for "
        f"a state of shapes {_shapes(state)}; sum over the state's own axes only, e.g. .sum(-1)"
    )


def _misfit(name: str, change: float, expected: float) -> ValueError:
    shown = distinguishable(change, expected)
    return ValueError(
        f"gradient must be that of {name}, got a {name} that changes by {shown[0]} where the "
        f"gradient says {shown[1]}; check the gradient's sign, its factors and its terms"
    )


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
