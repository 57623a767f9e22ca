"""What the table of symbols says of factors, on losses and risks that the package computes."""

from __future__ import annotations

import torch
from linear_icl import lsa, risk
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters

LAMBDA, N = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64)), 8
NOTHING = torch.zeros(2, 3, 3, dtype=torch.float64)
SLICE, ALL = FixedCovariance(LAMBDA, N), FullParameters(LAMBDA, N)
LABEL = float(LAMBDA.trace())  # E y², what silence costs
SILENT = risk.linear_risk(LAMBDA, None, N, preconditioner=torch.zeros(2, 2, dtype=torch.float64))

WEIGHTS = torch.arange(18, dtype=torch.float64).reshape(2, 3, 3)  # all different


def least(size: float) -> tuple[float, float, float]:
    """The bound on u, the least u along the flow, and the start."""
    times = torch.linspace(0, 9, 91)
    u = gradient_flow(SLICE, SLICE.start(size), times.double()).states[1]
    return float(SLICE.u_lower_bound(size, sharp=True)), float(u.min()), size


NUMBERS: dict[str, float] = {}
CLAIMS = {
    "value scalar, lower right corner of $W_{PV}$": (
        float(lsa.blocks(*WEIGHTS)[-1]) == float(WEIGHTS[1, -1, -1])
    ),
    "lower bound on $u$": all(
        0 < bound <= found + 1e-9 <= start + 2e-9
        for bound, found, start in map(least, (0.1, 0.9, 1.05))
    )
    and least(1.05)[1] < 0.95,
    "population loss, with the factor ½": float(ALL.loss(*NOTHING)) == LABEL / 2,
    r"the same on the slice, without $\frac12\operatorname{tr}\Lambda$": (
        float(SLICE.loss(NOTHING[0, :2, :2], NOTHING[0, 0, 0])) == 0
        and float(SLICE.constant) == LABEL / 2
    ),
    "risk at length $M$, without the ½": abs(float(SILENT) - LABEL) < 1e-12,
    "The loss $L$ has the factor ½, risks do not. So the best loss is half of a risk": abs(
        2 * float(ALL.minimum) - float(risk.linear_risk(LAMBDA, N, N))
    )
    < 1e-12,
}

SETTLED = {
    "a definition": [
        "smallest risk of all blocks, and of all layers",
        "the largest singular value",
    ],
}
