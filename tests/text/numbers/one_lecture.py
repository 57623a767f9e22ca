"""Numbers of the lecture of 50 minutes, by hand in one dimension with two points."""

from __future__ import annotations

import math
from fractions import Fraction

import torch
from linear_icl import risk
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl.lsa import gamma, limit_weights
from linear_icl_book.live import Hero

from tests.text.numbers import open_questions as chapter_9
from tests.text.ties import given

N = 2
FOURTH, SECOND = 3, 1  # moments of a standard Gaussian
SQUARE = Fraction(N * FOURTH + N * (N - 1) * SECOND**2, N**2)  # E[S²], hence E[m²]
BEST = 1 / SQUARE  # of 1 - 2 A + E[m²] A²
LEFT = 1 - 2 * BEST + SQUARE * BEST**2
WAIT = math.log(1 / (2 * 1e-3**2) - 1) / 2  # of the logistic curve, half of the final value
SMALLER = math.log(1 / (2 * 1e-6**2) - 1) / 2
STATE, MINUTES = given("the state of the figure that the link sets"), given("a length of time")

ONE = FixedCovariance([[1.0]], N)
A = torch.tensor([0.2, 0.5, 1.1], dtype=torch.float64)
LOSS = ONE.loss(A[:, None, None], torch.ones(3, dtype=torch.float64)) + 0.5  # silence has 1/2

NUMBERS = {
    "One lecture of 50 minutes": MINUTES,
    "0–7 min": MINUTES,
    "7–17 min": MINUTES,
    "17–24 min": MINUTES,
    "24–38 min": MINUTES,
    "38–47 min": MINUTES,
    "47–50 min": MINUTES,
    "These six examples": Hero().M,
    "twice as steep, four times as steep? Collect": given("answers to choose from"),
    "Twice as wide is four times as steep": (2, 2**2),
    "prompts of $N=2$ points": N,
    r"\tfrac14(3+2+3)=2$ and $": SQUARE,
    "Half the risk is the loss": ONE.loss([[0.0]], 1.0) + 0.5,  # silence has the risk 1
    r"least at $A=\frac12$, and $\frac12$ of it stays": (BEST, LEFT),
    "goes half the way": BEST,
    r"half of the final value is reached at $t=6.561$": (Fraction(1, 2), WAIT),
    r"From $u_0=10^{-3}$ half": given("the start of the board"),
    "long does one a thousand times smaller": 1e-3 / 1e-6,
    "As long, about twice, a thousand times as long": given("answers to choose from"),
    "It is about twice": round(SMALLER / WAIT, 0),
    "start at nine tenths": STATE,
}
LAMBDA = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
FULL, LENGTHS = FullParameters(LAMBDA, 8), torch.arange(1, 400)
BEST_WEIGHTS = torch.stack(limit_weights(LAMBDA, 8))
DRAWN = torch.Generator().manual_seed(2)


def left_after(ratio: float) -> float:
    """Where the flow comes to rest above the least loss, mixing blocks at a share of the others."""
    W = torch.zeros(2, 3, 3, dtype=torch.float64)
    W[0, :2, :2], W[1, 2, 2] = FixedCovariance(LAMBDA, 8).start(0.1)
    W[0, 2, 0] = W[1, 2, 0] = 0.1 * ratio
    return float(gradient_flow(FULL, tuple(W), [0.0, 30.0], rtol=1e-4).gap[-1])


def m_over_w(x: tuple[float, float], w: float) -> float:
    return sum(one * w * one for one in x) / 2 / w


CLAIMS = {
    "then they end at a flatter minimum or, still longer, out of the valley": all(
        map(chapter_9.goes_flatter, chapter_9.SAFE)
    )
    and chapter_9.fallen(1.7) > chapter_9.fallen(1.5),
    "$m$ overshoots $w$; where they are narrow, it falls short": all(
        (m_over_w(x, w) > 1) == wide
        for x, wide in (((2, 1), 1), ((-1.5, 1), 1), ((0.5, 1), 0), ((0.1, -1.3), 0))
        for w in (-2.0, 0.3)
    ),
    "and no weights do better": all(
        FULL.loss(*(BEST_WEIGHTS + size * torch.randn(2, 3, 3, generator=DRAWN))) > FULL.minimum
        for size in (1e-3, 0.1, 1.0)
        for _ in range(9)
    )
    and math.isclose(FULL.loss(*BEST_WEIGHTS), FULL.minimum),
    "training ends at a worse minimum": left_after(0.9) > 0.1 > 1e-3 > left_after(0.5),
    "More points: better, down to a floor": all(
        bool((found.diff() < 0).all()) and found[-1] > risk.risk_curve(LAMBDA, N).floor > 0
        for N in (2, 8)
        for found in [risk.linear_risk(LAMBDA, N, LENGTHS)]
    ),
    r"L=(uU-\frac12)^2+\frac14": bool(torch.allclose(LOSS, (A - 0.5) ** 2 + 0.25, atol=1e-12)),
    r"it goes $N/(N+n)$ of the way": math.isclose(
        1 / gamma([[1.0]], N).item(), N / (N + 1 + 1), rel_tol=1e-12
    ),
}
SETTLED = {"answers to choose from": ["The line becomes no steeper"]}
