"""One step of Radau IIA: its stage equations by simplified Newton, and its error.

In the eigenvectors of A⁻¹ the equations of a step are one real and (s−1)/2 complex systems of the
size of the state, instead of one s times as large.  The error estimate is Hairer's, of order s,
filtered through the real system so that stiff components do not spoil it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from .curvature import Curvature
from .dense import DenseFlow
from .system import tiny

NEWTON_STEPS = 15
# Newton that gains less than this factor in an iteration is given up.
SLOW = 2.0
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
    W = torch.einsum("ms,sbn->mbn", duals, Z.to(duals.dtype))
    enough = max(NEWTON_SHARE, ROUNDING * torch.finfo(y.dtype).eps / rtol)
    before, rate = math.inf, 0.0
    for _ in range(NEWTON_STEPS):
        F = system.velocity(y + Z)
        right = torch.einsum("ms,sbn->mbn", duals, F.to(duals.dtype)) - values[:, None, None] * W
        dW = curvature.solve(values, right)
        W = W + dW
        Z = torch.einsum("sm,mbn->sbn", vectors, W).real
        change = torch.einsum("sm,mbn->sbn", vectors, dW).real / scale
        size = float(change.square().mean(-1).sqrt().amax(0)[running].amax())
        rate = size / before
        left = size * rate / (1 - rate) if 0 < rate < 1 else size  # error after this update
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
