"""One step of Radau IIA: its stage equations by simplified Newton, and its error.

In the eigenvectors of A⁻¹ the equations of a step are one real and (s−1)/2 complex systems of the
size of the state, instead of one s times as large.  Newton's iterates on an old Jacobian are mixed
(Anderson), which a few directions that changed since do not slow down.  The error estimate is
Hairer's, of order s, filtered through the real system so that stiff components do not spoil it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from .curvature import Curvature
from .dense import DenseFlow
from .system import tiny

NEWTON_STEPS = 25
# Newton that gains less than this factor in an iteration is given up.
SLOW = 2.0
# Newton that leaves more than this share of the error is mixed from now on, over so many iterates.
MIX, DEPTH = 0.1, 6
# Newton's error, as a share of the tolerance of a step.
NEWTON_SHARE = 1e-2
# Rounding of a gradient, in eps of the state's largest entry: below it Newton cannot get.
ROUNDING = 100
# The tolerance of an entry counts this share of the largest one: zeros need no digits.
LEAST_SHARE = 0.1


class Step(NamedTuple):
    """Values at 0, c_1 … c_s of the step, (B, s+1, n), and its error over the tolerance.

    ``rate`` is the factor by which Newton's last iteration fell.
    """

    inner: Tensor
    error: float
    rate: float


def tolerance(y: Tensor, f: Tensor, h: float, rtol: float) -> Tensor:
    """The error allowed in each entry of y in a step h from there, (B, n)."""
    largest = y.abs().amax(-1, keepdim=True)
    reached = h * f.abs().amax(-1, keepdim=True)  # the scale of a step from the origin
    return rtol * (y.abs() + LEAST_SHARE * largest.where(largest > 0, reached)) + tiny(y)


def solve(
    flow: DenseFlow, curvature: Curvature, h: float, rtol: float, running: Tensor, guess: Tensor
) -> Step | None:
    """The step h from the flow's end, judged by the `running` elements; None if Newton fails.

    ``guess`` holds increments at the nodes, (s, B, n).
    """
    system, tables, y, f = flow.system, flow.tables, flow.y[-1], flow.f
    scale = tolerance(y, f, h, rtol)
    values = tables.values.to(y.dtype.to_complex()) / h
    vectors, duals = (table.to(values.dtype) for table in (tables.vectors, tables.duals))
    Z = guess
    enough = max(NEWTON_SHARE, ROUNDING * torch.finfo(y.dtype).eps / rtol)
    before, rate, past, slow = math.inf, 0.0, list[tuple[Tensor, Tensor]](), False
    for _ in range(NEWTON_STEPS):
        W = torch.einsum("ms,sbn->mbn", duals, Z.to(duals.dtype))
        F = system.velocity(y + Z)
        right = torch.einsum("ms,sbn->mbn", duals, F.to(duals.dtype)) - values[:, None, None] * W
        dW = curvature.solve(values, right)
        change = torch.einsum("sm,mbn->sbn", vectors, dW).real
        size = float((change / scale).square().mean(-1).sqrt().amax(0)[running].amax())
        rate = size / before
        slow |= rate > MIX
        past = [*past[-DEPTH:], (Z, change)]
        Z = mixed(past, scale) if slow else Z + change
        left = size * rate / (1 - rate) if 0 < rate < 1 and not slow else size  # after this update
        if left <= enough:
            break
        if not rate < SLOW:
            return None
        before = size
    else:
        return None
    right = f + torch.einsum("s,sbn->bn", tables.estimate.to(y.dtype), Z) / h
    error = curvature.solve(values[:1], right[None].to(values.dtype))[0].real
    size = float((error / scale).square().mean(-1).sqrt()[running].amax())
    inner = torch.cat([y[None], y + Z]).transpose(0, 1)
    return Step(inner, size, rate) if math.isfinite(size) else None


def mixed(past: list[tuple[Tensor, Tensor]], scale: Tensor) -> Tensor:
    """The next iterate after `past` ones, each with its change, all (s, B, n).

    Along the straight lines between the past ones the changes are taken as linear; on these lines
    the next one starts where the change is least, in units of `scale`.
    """
    Z, change = (torch.stack(part) for part in zip(*past, strict=True))
    lines, turns = Z.diff(dim=0), change.diff(dim=0)  # (k, s, B, n)
    columns = (turns / scale).nan_to_num(0.0, 0.0, 0.0)  # where a member that is there runs off
    columns = columns.permute(2, 1, 3, 0).flatten(1, 2)  # (B, sn, k)
    size = columns.norm(dim=1, keepdim=True).clamp(min=tiny(scale))
    wanted = (change[-1] / scale).transpose(0, 1).flatten(1)[..., None]
    known = torch.finfo(scale.dtype).eps ** 0.5  # lines closer to each other than this are one
    shares = torch.linalg.pinv(columns / size, rtol=known) @ wanted / size.mT  # (B, k, 1)
    return Z[-1] + change[-1] - torch.einsum("bk,ksbn->sbn", shares[..., 0], lines + turns)
