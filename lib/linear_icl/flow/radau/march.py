"""The steps of Radau IIA in t: their lengths, and when there are enough."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..protocol import State
from .dense import DenseFlow
from .stages import Step, solve
from .system import System
from .tables import radau

STAGES = 5
MAX_STEPS = 20_000
# The first step, as a share of the time in which the state, or its speed, changes.
FIRST = 1e-3
# The next step is a share of the one that would meet the tolerance, within bounds of the last.
SAFETY, SHRINK, GROW = 0.9, 0.2, 8.0


def march(
    landscape: Any, start: State, end: float | None, until: float | None, rtol: float
) -> DenseFlow:
    """Steps from `start`, tensors (B, …), until t ≥ end or each element's gap ≤ until."""
    system = System(landscape, start)
    flow = DenseFlow(system, radau(STAGES, system.start.device))
    h = _first(system, end)
    while not flow.inner or not _arrived(flow, end, until):
        running = _running(flow, until)
        found = step(flow, h, rtol, running if bool(running.any()) else ~running)
        if found is None:
            h /= 4
        else:
            if found.error <= 1:
                flow.append(h, found.inner)
                _stalled(flow, until)
            factor = SAFETY * max(found.error, 1e-12) ** (-1 / (STAGES + 1))
            h *= min(GROW, max(SHRINK, factor))
        if len(flow.inner) > MAX_STEPS or not h > 1e-14 * flow.times[-1]:
            raise RuntimeError(f"the flow did not advance beyond t = {flow.times[-1]:.6g}")
    return flow


def step(flow: DenseFlow, h: float, rtol: float, running: Tensor) -> Step | None:
    """One step h from the end of the flow, begun with the last step's polynomial."""
    tables, y = flow.tables, flow.y[-1]
    nodes = tables.nodes.to(y.dtype)
    guess = flow.ahead(h, nodes)
    if guess is None:
        guess = torch.zeros(len(nodes), *y.shape, dtype=y.dtype, device=y.device)
    return solve(flow.system, tables, y, h, rtol, running, guess)


def _first(system: System, end: float | None) -> float:
    y = system.start
    f = system.velocity(y)
    time = y.norm(dim=-1) / f.norm(dim=-1).clamp(min=1e-300)
    rate = system.jacobian(y).flatten(1).norm(dim=-1).clamp(min=1e-300)
    h = FIRST * float(time.where(time > 0, 1 / rate).amin())  # y = 0 has no scale of its own
    return min(h, end) if end is not None else h


def _running(flow: DenseFlow, until: float | None) -> Tensor:
    if until is None:
        return torch.ones_like(flow.element, dtype=torch.bool)
    return flow.gaps[-1] > until


def _arrived(flow: DenseFlow, end: float | None, until: float | None) -> bool:
    if end is not None and flow.times[-1] >= end:
        return True
    return until is not None and not bool(_running(flow, until).any())


def _stalled(flow: DenseFlow, until: float | None) -> None:
    """ValueError where the gap has settled above `until`: a critical point, or rounding."""
    gaps, times = flow.gaps, flow.times
    if until is None or len(gaps) < 5 or times[-1] < 16 * times[-5]:
        return
    stuck = (gaps[-1] > until) & ((1 - gaps[-1] / gaps[-5]).abs() < 1e-9)
    if bool(stuck.any()):
        raise ValueError(
            f"until_gap must be reached by the flow, got {until:.3g} where the gap settles at "
            f"{gaps[-1][stuck].amax().item():.6g}; the flow has come to another critical "
            "point, or to the limit of its precision"
        )
