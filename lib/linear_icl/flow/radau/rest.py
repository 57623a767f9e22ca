"""Where a flow ends above the gap that is asked for: at another critical point, or in rounding.

A plateau is no end: there the speed is small, but it has a part that grows. With J = QΛQᵀ and
c = Qᵀx', the loss can fall by ½Σ c_i²/|λ_i| only, in its quadratic model, unless some λ_i > 0 has
c_i ≠ 0.
"""

from __future__ import annotations

from torch import Tensor

from .curvature import Curvature
from .dense import DenseFlow

# The speed at rest is below this share of the largest one: what grows has had time to show.
FALLEN = 1e-2
# A part of the speed below this share of it, or below rtol, is not known to be there.
KNOWN = 1e-8
# What is left to fall, as a share of what is wanted: nothing.
NOTHING = 1e-6


def settle(flow: DenseFlow, curvature: Curvature, until: float, rtol: float) -> None:
    """Marks the elements that have come to rest above `until`; judged by a new Jacobian."""
    ended = flow.on_its_way(until) & _at_rest(flow, curvature, until, rtol)
    if bool(ended.any()):
        fresh = Curvature(flow.system, flow.y[-1])
        flow.settle(ended & _at_rest(flow, fresh, until, rtol))


def _at_rest(flow: DenseFlow, curvature: Curvature, until: float, rtol: float) -> Tensor:
    f, gap = flow.f, flow.gaps[-1]
    speed, parts, rates = f.norm(dim=-1), curvature.parts(f), curvature.rates
    smallest = curvature.smallest[:, None]
    growing = rates > smallest
    grown = parts.where(growing, 0.0).norm(dim=-1)
    left = (parts**2 / rates.abs().clamp(min=smallest)).where(~growing, 0.0).sum(-1) / 2
    rounding = speed <= curvature.rounding
    fallen = (speed <= FALLEN * flow.fastest) & (left <= NOTHING * (gap - until))
    return rounding | (fallen & (grown <= max(rtol, KNOWN) * speed))
