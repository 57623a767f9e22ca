"""What the table of symbols says of factors, on losses and risks that the package computes."""

from __future__ import annotations

import torch
from linear_icl import risk
from linear_icl.landscape import FixedCovariance, FullParameters

LAMBDA, N = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64)), 8
NOTHING = torch.zeros(2, 3, 3, dtype=torch.float64)
SLICE, ALL = FixedCovariance(LAMBDA, N), FullParameters(LAMBDA, N)
LABEL = float(LAMBDA.trace())  # E y², what silence costs
SILENT = risk.linear_risk(LAMBDA, None, N, preconditioner=torch.zeros(2, 2, dtype=torch.float64))

NUMBERS: dict[str, float] = {}
CLAIMS = {
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
