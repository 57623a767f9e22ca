"""Numbers of chapter 7."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import torch
from linear_icl import gd_beta
from linear_icl.settings import Setting
from linear_icl_book.live import StepPlane

from tests.text.ties import about, cell, given, output, printed

HALF, RUNNING = Fraction(1, 2), given("the running example")
SETTING, PLACE = given("a setting"), given("an index or a number of a statement")
LAMBDA, BETA, NOISE, M = (Fraction(2), HALF), (1, 2), HALF, 8  # Ψ = I, so φ = Λ
TAU = sum(LAMBDA) + NOISE
OMEGA = tuple((Fraction(M + 1) * f + TAU) / M for f in LAMBDA)
SHARES = tuple(f / o for f, o in zip(LAMBDA, OMEGA, strict=True))
STEP = tuple(s / one for s, one in zip(SHARES, LAMBDA, strict=True))
N_I = tuple(1 + TAU / f for f in LAMBDA)
LEFT = sum((f * n / (M + n) for f, n in zip(LAMBDA, N_I, strict=True)), Fraction(0))
BEST = NOISE + LEFT
TRAP = LAMBDA[1] ** 2 / OMEGA[1]
BILL = 2 * SHARES[0] ** 2 * (TAU**2 + (M + 2) * sum(f**2 for f in LAMBDA) - LAMBDA[0] ** 2)
WORTH = M**2 * LAMBDA[1] ** 2

# Dimension one: variance 1, mean 2, by the parabola in the step.
SECOND = 1 + Fraction(2, M)


def best_step(size: int) -> Fraction:
    """The bottom of size·E(1 - αS)² + σ²α²/M."""
    return size / (size * SECOND + NOISE / M)


ZERO, MEAN = best_step(1 + 2**2), best_step(1)
ZERO_LEFT, MEAN_LEFT = 5 * (1 - ZERO), 1 - MEAN  # at the bottom size - size²/(...)

# From zero: Ψ + β*β*ᵀ in place of Ψ; the trace of (Λ(Ψ + β*β*ᵀ))-terms by hand.
running = Setting([[2.0, 0.0], [0.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0], 0.5, M)
PRICE = float(gd_beta.gd_zero(running).risk) - float(BEST)


def left_of_miss(direction: int) -> float:
    """The price of a miss of length one, over its price without a step, at the best step."""
    start, step = torch.tensor(BETA, dtype=torch.float64), gd_beta.optimum(running).Gamma
    miss = torch.zeros(2, dtype=torch.float64)
    miss[direction] = float(LAMBDA[direction]) ** -0.5
    return float(gd_beta.risk(running, start + miss, step) - gd_beta.risk(running, start, step))


# Bayes in dimension one: E 1/(1 + χ²/σ²), χ² of M degrees, is ∫ exp(-s)(1 + 2s/σ²)^(-M/2) ds.
GRID = np.linspace(0, 40**0.5, 100_001) ** 2
BAYES = float(np.trapezoid(np.exp(-GRID) * (1 + 4 * GRID) ** -4.0, GRID))

# The search that the page prints.
HALVED = {
    int(N): [int(T) for T in re.findall(r": (\d+)", row)]
    for N, row in re.findall(r"N = (\d+): \{(.*)\}", output("gd_beta"))
}


def times(N: int) -> tuple[int, int]:
    """Whole multiples of N between which all these lengths lie."""
    return min(HALVED[N]) // N, math.ceil(max(HALVED[N]) / N)


def rest(noise: float, at: int) -> tuple[float, float]:
    """KN² at N = 8, and what the search found beyond it."""
    n = [1 + (float(sum(LAMBDA)) + noise) / float(f) for f in LAMBDA]
    P = [sum(float(f) * one**k for f, one in zip(LAMBDA, n, strict=True)) for k in (1, 2)]
    return P[0] / P[1] * 8**2, HALVED[8][at] - P[0] / P[1] * 8**2


RESTS = [rest(noise, at) for at, noise in enumerate((0.01, 0.1, 0.5, 2.0, 9.0))]

# The figure of one context: where its arrow ends.
PLANE = {
    at: StepPlane(
        seed=4, M=8, noise=0.7, w=[2.0, 1.0], start=list(at), show=["trained"],
        step=[float(STEP[0]), 0.0, 0.0, float(STEP[1])],
    ).estimates()["trained"].tolist()
    for at in ((1.0, 2.0), (0.0, 0.0))
}  # fmt: skip

# The two trained blocks, as the page prints them: the start, the risk.
TRAINED = [
    tuple(map(float, row))
    for row in re.findall(r"r = \(([\d.]+), ([\d.]+)\), risk ([\d.]+)", output("gd_beta"))
]

MOVED = [b - a for a, b in zip(PLANE[0.0, 0.0], PLANE[1.0, 2.0], strict=True)]

# Exercises 7.2 and 7.3, and the price of zero by hand.
MISS = [Fraction(b, 2) for b in BETA]
B = [[(i == j) + MISS[i] * MISS[j] for j in range(2)] for i in range(2)]


def matrix_of_half() -> tuple[Fraction, tuple[Fraction, ...]]:
    """τ and the entries of (1297/4)A for the start ½β*, A = B(9/8 ΛB + τ/8)⁻¹."""
    tau = NOISE + LAMBDA[0] * B[0][0] + LAMBDA[1] * B[1][1]
    W = [
        [Fraction(9, 8) * LAMBDA[i] * B[i][j] + (tau / 8 if i == j else 0) for j in range(2)]
        for i in range(2)
    ]
    det = W[0][0] * W[1][1] - W[0][1] * W[1][0]
    inverse = [[W[1][1] / det, -W[0][1] / det], [-W[1][0] / det, W[0][0] / det]]
    A = [sum(B[i][k] * inverse[k][j] for k in range(2)) for i in range(2) for j in range(2)]
    return tau, tuple(Fraction(a) * Fraction(1297, 4) for a in A)


HALF_TAU, HALF_STEP = matrix_of_half()
ZETA = (1 + Fraction(2, M)) * (TAU**2 + 2 * sum(f**2 for f in LAMBDA))

NUMBERS = {
    "$\\beta^\\ast=(1,2)$, $M=8$, $\\sigma^2=\\frac12$. This": RUNNING,
    "the second has $1.48$": (TRAINED[1][2],),
    "The best risk of all blocks is $\\frac{127}{105}=1.21$": BEST,
    # Dimension one.
    "Take $M=8$, $\\varphi=1$, $\\sigma^2=\\frac12$": SETTING,
    "| $\\frac{80}{101}$ | $\\frac{105}{101}=1.04$ |": (ZERO, ZERO_LEFT, ZERO_LEFT),
    "| $\\frac{16}{21}$ | $\\frac5{21}=0.238$ |": (MEAN, MEAN_LEFT, MEAN_LEFT),
    "| $0.0746$ |": BAYES,
    "From the right start it is four times better": round(ZERO_LEFT / MEAN_LEFT),
    # One context.
    "Here are eight noisy points with the task $w=(2,1)$": (
        cell("seed=4, M={}, noise"),
        SETTING,
    ),
    "the best step from $\\beta^\\ast=(1,2)$. Drag": RUNNING,
    "Left eight points": cell("seed=4, M={}, noise"),
    "from the start (1, 2)": RUNNING,
    "near the true task (2, 1)": SETTING,
    "the step ends at $(1.51,0.13)$, from $\\beta^\\ast$ at $(1.78,1.50)$": (
        *PLANE[0.0, 0.0],
        *PLANE[1.0, 2.0],
    ),
    "wrong by $2.24$ moves the end by $1.40$, the length of $(0.27,1.37)$": (
        math.hypot(*BETA),
        math.hypot(*MOVED),
        *MOVED,
    ),
    "little more than a third of the damage": given("a share, checked below"),
    "make up the first four terms": given("a count of terms"),
    "running example $\\tau=\\frac52+\\frac12=3$, $": TAU,
    "$\\Phi=\\operatorname{diag}(2,\\frac12)$ and": LAMBDA,
    "and $\\Omega=\\operatorname{diag}(\\frac{21}8,\\frac{15}{16})$": OMEGA,
    "At $M=8$ the best step, derived next, is $\\frac{16}{21}$": (
        cell('Axis("M", [1, 2, 4, 8, 16, 64], "M, points in the context", init={})'),
        SHARES[0],
    ),
    "and leaves $24\\,\\%$; least would be at $\\frac45$": (
        left_of_miss(0),
        Fraction(M, M + 2),
    ),
    "And the eleven, did they": printed("{} of 24 starts arrive"),
    "$A^\\ast=\\operatorname{diag}(\\frac8{21},\\frac{16}{15})$": STEP,
    "$\\frac12+\\frac{10}{21}+\\frac7{30}=\\frac{127}{105}$. Without": BEST,
    # The half-length.
    "with the half-length $n_i$": given("a name"),
    "$n_1=2+\\frac14+\\frac14$": N_I[0],
    "is a tenth of what": NOISE / LAMBDA[0] / N_I[0],
    "$n_2=2+4+1$": N_I[1],
    "the shares are $\\frac{16}{21}$ and $\\frac8{15}$": SHARES,
    "Forty directions": cell("torch.full(({},), 2.0)"),
    # Bayes.
    "and its first at most $1+2\\,\\mathrm{snr}$": given("the corollary's factor"),
    "no smaller factor than $1+2\\,\\mathrm{snr}$": given("the corollary's factor"),
    "In the running example with $\\sigma^2=\\frac12$, at $M=100$: how": (RUNNING, SETTING),
    "- twice as much\n- eight times as much": given("answers on offer"),
    "Eight times, after four times at $M=8$": (
        given("printed below, and checked below"),
        given("printed below, and checked below"),
        RUNNING,
    ),
    # Zero.
    "At $M=8$ the price is $1.024$, more": (RUNNING, PRICE),
    "$R_{\\text{block}}-\\sigma^2=\\frac{149}{210}$": LEFT,
    # Lengths.
    "And at $N=64$?": SETTING,
    "from six or seven times": times(8),
    "But at $N=8$ the rest": SETTING,
    "For $N=64$ it is between 9 and 22 times": (SETTING, *times(64)),
    "at least twice the error": given("the definition of the length"),
    # The flow.
    "four sentences explain it": given("a count of sentences"),
    "The four sentences, with": given("a count of sentences"),
    "For 2, $v^\\top": PLACE,
    "For 3, by": PLACE,
    "For 4, $K": PLACE,
    "$1+M^{-1/2}\\le2$": given("a bound at M = 1"),
    "from nine starts": given("a count of starts"),
    "=-2\\operatorname{diag}(0,": given("a factor of the derivative"),
    "\\operatorname{Var}(S_\\xi)_{i1}=\\frac1M$ for $i\\ge2$": PLACE,
    "with $(S_\\xi)_{i1}$ for $i\\geq2$": PLACE,
    "$V_{ii}=uM\\varphi_i/\\kappa^2$ for $i\\ge2$": PLACE,
    # The second block.
    "If $\\operatorname{rank}\\Phi\\ge2$, nowhere else": given("a condition"),
    "Statements 1 and 2 need": PLACE,
    "statement 2 follows": PLACE,
    "from 24 random starts": cell("torch.randn({}, *shape"),
    "**Eleven of 24 arrive; thirteen": (
        printed("{} of 24 starts arrive"),
        cell("torch.randn({}, *shape"),
        printed("arrive, {} stay above"),
    ),
    "the best risk $\\frac{127}{105}$, the upper one lies $\\frac4{15}$": (BEST, TRAP),
    "for twenty-four random starts. All": given("twenty and four, the 24 of the caption"),
    "two levels, about half of them on each": about(Fraction(11, 24), 0.1),
    "Eleven. The others": printed("{} of 24 starts arrive"),
    "=\\frac14\\cdot\\frac{16}{15}=\\frac4{15}$. Why": TRAP,
    "the bill is $55.1$ and the worth $16$": (BILL, WORTH),
    "and wins from $M=33$ on": given("the condition, checked below"),
    # What is now known, and check yourself.
    "**2.** $\\Lambda=\\operatorname{diag}(2,0)$": SETTING,
    "$\\beta^\\ast=(1,2)$. Where": RUNNING,
    "from $\\beta(0)=(5,5)$ end": SETTING,
    "{dropdown} a. $(1,2)$": RUNNING,
    "{dropdown} b. $(1,5)$": SETTING,
    # Exercises.
    "$\\tau=1$ and $\\Omega=2+1=3$, so $A^\\ast=\\frac13$": (3, 3, Fraction(1, 3)),
    "$\\frac{1\\cdot2}{2+1}=\\frac23$": Fraction(2, 3),
    "$B=\\begin{pmatrix}\\frac54&\\frac12\\\\\\frac12&2\\end{pmatrix}$ and $\\tau=4$": (
        B[0][1],
        B[1][0],
        HALF_TAU,
    ),
    "$A=\\frac4{1297}\\begin{pmatrix}121&16\\\\16&388\\end{pmatrix}$": (
        Fraction(4, 1297),
        *HALF_STEP,
    ),
    "is not a quarter of": HALF**2,
    "=\\frac54(9+\\frac{17}2)=\\frac{175}8$": ZETA,
    "$(\\frac{175}8-9)\\|u_{21}\\|": ZETA - TAU**2,
    "=\\frac1{50}$": LAMBDA[0] / 100,
}

PRINTED = re.search(r"([\d.]+) and ([\d.]+) times the error", output("gd_beta"))
RATIOS = [float(r) for r in PRINTED.groups()] if PRINTED else []
CONDITION = {
    M: float(gd_beta.swapped_block(running.replace(length=M)).ratio) > 1 for M in range(1, 129)
}

CLAIMS = {
    # d = 1: the cost of a miss is 1 - 2a + (M+2)/M a², least at a = M/(M+2).
    "keeps at least $\\frac2{M+2}$ of its cost": all(
        min(
            1 - 2 * a + Fraction(m + 2, m) * a * a for a in [Fraction(m, m + 2), Fraction(m, m + 1)]
        )
        == Fraction(2, m + 2)
        for m in (1, 8, 40)
    ),
    "Eight times, after four times": [round(r) for r in RATIOS] == [4, 8],
    "Bayes is three times better again": round(float(MEAN_LEFT) / BAYES) == 3,
    "which costs $\\varphi_2^2/\\omega_2": Fraction(4, 15) == TRAP,
    "In shorter contexts an open set of starts": [M for M, held in CONDITION.items() if not held]
    == list(range(33, 129)),
    "Noise lowers $K$. But at $N=8$ the rest, $O(N)$, is larger, and noise raises it": all(
        square < before and more > least and more > square
        for (before, least), (square, more) in pairwise(RESTS)
    )
    and RESTS[0][1] > RESTS[0][0],
    "little more than a third": 1 / 3 < 1 - math.hypot(*MOVED) / math.hypot(*BETA) < 0.4,
    "The best step from zero is worse than answering": ZERO_LEFT > 1,
}
