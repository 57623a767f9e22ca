"""Numbers of chapter 1."""

import torch
from linear_icl import risk

from tests.text.ties import cell, given

LAMBDA = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
BEST = {N: risk.linear_risk(LAMBDA, N, N) for N in (4, 8)}

NUMBERS = {
    "Take $k=1,2,3,4$ gradient steps": cell("for k in (1, {}, {}, {}):"),
    "the lengths 4, 16, 64, 128, 256, 640 gives": cell("in ({}, {}, {}, {}, {}, {})}"),
    "in the median over twenty training sets": cell(
        "fits = [fit_step(2560 // length, length, k) for k in range({})"
    ),
    "half as many tasks double it. Half the length": (given("a thought"), given("a thought")),
    "from $0.65$ at": BEST[8],
    "to $1.02$ at $N=4$": (BEST[4], given("half of the running example's")),
}
