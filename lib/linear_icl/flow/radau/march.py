"""The steps of Radau IIA in t: their lengths, when J is made anew, and when there are enough."""

from __future__ import annotations

import torch
from torch import Tensor

from .curvature import Curvature
from .dense import DenseFlow
from .rest import settle
from .stages import Step, solve
from .system import System, tiny
from .tables import radau

STAGES = 5
MAX_STEPS = 20_000
# The first step, as a share of the time in which the state, or its speed, changes.
FIRST = 1e-3
# The next step is a share of the one that would meet the tolerance, within bounds of the last.
SAFETY, SHRINK, GROW = 0.9, 0.2, 8.0
# A step that Newton does not solve with a new Jacobian is tried again so much shorter.
RETRY = 0.25
# The Jacobian is kept while an iteration of Newton's leaves less than this share of the error.
KEEP = 0.3
# Growth e^REACH is followed in one step: an L-stable method would damp what grows faster.
REACH = 3.0
# Below this share of t a step is lost in its rounding.
SHORTEST = 1e-14


def march(system: System, end: float | None, until: float | None, rtol: float) -> DenseFlow:
    """Steps from the start until t ≥ end or each element's gap has been ≤ until.

    Without `end`, an element that comes to rest above `until` is waited for no longer.
    """
    flow = DenseFlow(system, radau(STAGES, system.start.device))
    curvature = Curvature(system, system.start)
    h = _first(flow, curvature, end)
    while not flow.inner or _going(flow, end, until):
        running = _running(flow, until)
        h = min(h, REACH / float(curvature.growth(flow.f)[running].amax().clamp(min=tiny(flow.f))))
        solution = step(flow, curvature, h, rtol, running)
        if solution is None and curvature.at is flow.y[-1]:
            h *= RETRY
        elif solution is None:
            curvature = Curvature(system, flow.y[-1])
        else:
            if solution.error <= 1:
                flow.append(h, solution.inner)
                if until is not None and end is None:
                    settle(flow, curvature, until, rtol)
                if solution.rate > KEEP:
                    curvature = Curvature(system, flow.y[-1])
            factor = SAFETY * max(solution.error, 1e-12) ** (-1 / (STAGES + 1))
            h *= min(GROW, max(SHRINK, factor))
        if len(flow.inner) > MAX_STEPS or not h > SHORTEST * flow.times[-1]:
            raise RuntimeError(
                f"the flow did not advance beyond t = {flow.times[-1]:.6g}; does the loss fall "
                "without bound, or its gradient jump there? Give times up to there"
            )
    return flow


def step(
    flow: DenseFlow, curvature: Curvature, h: float, rtol: float, running: Tensor
) -> Step | None:
    """One step h from the end of the flow, begun with the last step's polynomial."""
    nodes = flow.tables.nodes.to(flow.f)
    guess = flow.ahead(h, nodes)
    if guess is None:
        guess = torch.zeros(len(nodes), *flow.f.shape).to(flow.f)
    return solve(flow, curvature, h, rtol, running, guess)


def _first(flow: DenseFlow, curvature: Curvature, end: float | None) -> float:
    time = flow.y[0].norm(dim=-1) / flow.f.norm(dim=-1).clamp(min=tiny(flow.f))
    rate = curvature.norm.clamp(min=tiny(flow.f))
    h = FIRST * float(time.where(time > 0, 1 / rate).amin())  # y = 0 has no scale of its own
    return min(h, end) if end is not None else h


def _running(flow: DenseFlow, until: float | None) -> Tensor:
    """The elements that judge a step; all of them where none is on its way."""
    running = flow.on_its_way(until)
    return running if bool(running.any()) else ~running


def _going(flow: DenseFlow, end: float | None, until: float | None) -> bool:
    late = end is not None and flow.times[-1] >= end
    return not late and bool(flow.on_its_way(until).any())
