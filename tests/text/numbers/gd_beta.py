"""Numbers of chapter 7."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import torch
from linear_icl import gd_beta, ltb
from linear_icl.flow import gradient_flow
from linear_icl.settings import Setting
from linear_icl_book.live import StepPlane
from torch import Tensor

from tests.text.ties import about, cell, given, output, printed
from tests.text.trends import falls, rises
from tests.unit.common import eye

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
    start, step = torch.tensor(BETA, dtype=torch.float64), gd_beta.optimum(running).A
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


def size(v: Sequence[float]) -> float:
    """‖v‖²_Λ."""
    return sum(float(one) * entry**2 for one, entry in zip(LAMBDA, v, strict=True))


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
    "from the right start the best step is four times better": round(ZERO_LEFT / MEAN_LEFT),
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
    "wrong by $(1,2)$ moves the end by $(0.27,1.37)$": (BETA[1], *MOVED),
    "nearly three quarters of the": given("a share, checked below"),
    "that is $1.08$ of $4$": (size(MOVED), size(BETA)),
    "make up the first four terms": given("a count of terms"),
    "running example $\\tau=\\frac52+\\frac12=3$, $": TAU,
    "$\\Phi=\\operatorname{diag}(2,\\frac12)$ and": LAMBDA,
    "and $\\Omega=\\operatorname{diag}(\\frac{21}8,\\frac{15}{16})$": OMEGA,
    "At $M=8$ the best step, derived below, is $\\frac{16}{21}$": (
        cell('Axis("M", [1, 2, 4, 8, 16, 64], "M, points in the context", init={})'),
        SHARES[0],
    ),
    "It leaves $24\\,\\%$ of the miss. A step of $\\frac45$ would leave": (
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
    "no factor smaller than $1+2\\,\\mathrm{snr}$": given("the corollary's factor"),
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
    "example at $N=8$ the rest": SETTING,
    "For $N=64$ noise matters: from 9 to 22 times": (SETTING, *times(64)),
    "at least twice the error": given("the definition of the length"),
    "of its square, with at most twice the": given("the definition of the length"),
    "points, at twice the error": given("the definition of the length"),
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
    "The lower line is the best risk $\\frac{127}{105}$, the upper one lies $\\frac4{15}$ above": (
        BEST,
        TRAP,
    ),
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
TRAPS = {M: float(ltb.swapped_block(running.replace(length=M)).ratio) for M in range(1, 129)}

# Words of direction.
SEED = torch.Generator().manual_seed(7)


def drawn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=SEED, dtype=torch.float64)


def diag(*entries: float) -> Tensor:
    return torch.diag(torch.tensor(entries, dtype=torch.float64))


def plane(noise: float = 0.5, length: int = M, size: float = 1.0) -> Setting:
    """The running example."""
    return Setting(diag(2.0, 0.5), eye(2), [size, 2 * size], noise, length)


def line(noise: float = 0.5, length: int = M) -> Setting:
    return Setting(eye(1), eye(1), [2.0], noise, length)


CORNER = drawn(3, 3)
SPACE = Setting(CORNER @ CORNER.T, diag(1.0, 0.5, 2.0), [1.0, -1.0, 0.5], 1.0, 3)
FLAT = Setting(diag(2.0, 0.0), eye(2), [1.0, 2.0], 0.3, 4)
CASES = (plane(), plane(3.0, 2), line(), SPACE, FLAT)


def squared(case: Setting, miss: Tensor) -> Tensor:
    """‖miss‖²_Λ."""
    return ((miss @ case.H) * miss).sum(-1)


def step_error(case: Setting) -> float:
    return float(gd_beta.optimum(case).risk - case.noise_variance)


def stays(case: Setting) -> bool:
    """The price of a miss at any step is at least its share, which one attains; a bowl."""
    d, share, n = case.dim, 2 / (case.length + 2), 200
    start, miss, A = drawn(n, d), drawn(n, d), 0.7 * drawn(n, d, d)
    one = torch.linalg.eigh(case.H)[1][:, -1]  # in the image of Λ
    A[0] = (1 - share) / squared(case, one) * torch.outer(one, one)
    miss[0] = start[0] = one
    mean, least = case.beta_star.expand(n, d), share * squared(case, miss)
    price = gd_beta.risk(case, mean + miss, A) - gd_beta.risk(case, mean, A)
    ends = gd_beta.risk(case, start + miss, A) + gd_beta.risk(case, start - miss, A)
    bowl = (ends - 2 * gd_beta.risk(case, start, A)) / 2
    attained = abs(float(price[0] - least[0])) < 1e-9
    return attained and all(bool((one > least - 1e-9).all()) for one in (price, bowl))


def is_least(case: Setting) -> bool:
    """The best step has the least risk; another start, another step, and other blocks have more."""
    d, n, best = case.dim, 200, gd_beta.optimum(case)
    mean, step = best.beta.expand(n, d), best.A.expand(n, d, d)
    off, turned = 0.1 * drawn(n, d) @ case.image, 0.1 * case.image @ drawn(n, d, d) @ case.image
    some = ltb.Reduced(drawn(n, d), drawn(n, d), drawn(n), drawn(n, d, d), drawn(n, d))
    least = float(gd_beta.risk(case, best.beta, best.A))
    others = [
        gd_beta.risk(case, mean + off, step),
        gd_beta.risk(case, mean, step + turned),
        gd_beta.risk(case, drawn(n, d), drawn(n, d, d)),
        ltb.risk(case, some),
    ]
    hand = case.phi * (case.phi + case.tau) / ((case.length + 1) * case.phi + case.tau)
    formula = abs(least - float(case.noise_variance + hand.sum())) < 1e-12
    return formula and all(float(risk.min()) > least for risk in others)


STAYS, LEAST = all(map(stays, CASES)), all(map(is_least, CASES))


def first_step(a: float) -> Tensor:
    """The best step of the running example, but a in the first direction."""
    return diag(a / 2, float(STEP[1]))


def lets_in(a: float) -> list[float]:
    """What the step takes from label noise, and from the second direction of the task."""
    mean, A = plane().beta_star, first_step(a)
    quiet = [plane(0.0).replace(Psi=diag(0.0, k)) for k in (0.0, 1.0)]
    noisy = [quiet[0].replace(noise_variance=1.0), quiet[1]]
    return [float(gd_beta.risk(case, mean, A)) for case in noisy]


# Bayes, over drawn contexts.
POINTS = drawn(400, 100, 3)


def bayes(case: Setting) -> float:
    x = POINTS[:, : case.length, : case.dim] @ case.root
    return float(gd_beta.posterior_variance(case, x).mean())


def ratio(noise: float, length: int) -> float:
    return step_error(plane(noise, length)) / bayes(plane(noise, length))


def zero(case: Setting) -> float:
    """The price of a start at zero."""
    return float(gd_beta.gd_zero(case).risk - gd_beta.optimum(case).risk)


def zero_at_most(case: Setting) -> float:
    gain = torch.trace(case.Phi @ case.Phi @ case.Omega.inverse()) + case.tau / case.length
    return float(2 / (case.length + 2) * squared(case, case.beta_star) + gain)


def bayes_is_least(case: Setting) -> bool:
    """Among linear answers to given points: tr(Λ(I - LX)Ψ(I - LX)ᵀ) + σ²tr(ΛLLᵀ)."""
    X, Psi = drawn(case.length, case.dim) @ case.root, case.Psi.sqrt()
    L = torch.linalg.solve(Psi @ X.T @ X @ Psi + case.noise_variance * eye(case.dim), Psi @ X.T)
    L = Psi @ L + 0.1 * drawn(100, *L.shape) * (torch.arange(100) > 0)[:, None, None]
    left = eye(case.dim) - L @ X
    second = left @ case.Psi @ left.mT + case.noise_variance * L @ L.mT
    risks = (case.H @ second).diagonal(dim1=-2, dim2=-1).sum(-1)
    same = abs(float(risks[0] - gd_beta.posterior_variance(case, X[None])[0])) < 1e-9
    return same and bool((risks[1:] > risks[0]).all())


ABOVE_BOUND = all(
    bayes(case) > float(gd_beta.bayes_lower_bound(case))
    for case in (plane(), plane(0.1, 3), plane(2.0, 2), line(0.3, 2), SPACE)
)
RATIO_RISES = all(rises(ratio(noise, n) for n in (1, 4, 16, 100)) for noise in (0.1, 0.5, 9))


def like_one_over(values: list[float], lengths: list[int], power: int = 1) -> bool:
    scaled = [value * n**power for value, n in zip(values, lengths, strict=True)]
    return bool(scaled[-1] > 0.1) and abs(scaled[0] / scaled[-1] - 1) < 0.01


FAR = [10_000, 1_000_000]
GRID_M = [
    (n, np.linspace(1e-3, 1 / (n + 1), 50), np.linspace(1 / (n + 1), 1, 50)) for n in (1, 8, 99)
]


def factors(phi: np.ndarray, noise: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    tau = phi.sum() + noise
    return (phi + tau) / noise, (n * phi + noise) / ((n + 1) * phi + tau)


SPECTRA = [np.array([2.0, 0.5]), np.array([1.0]), np.array([3.0, 1.0, 0.1])]


def floor(N: int) -> float:
    best = gd_beta.optimum(plane(0.5, N))
    return float(gd_beta.risk(plane(0.5, 10**15), best.beta, best.A)) - 0.5


def kept(length: int) -> float:
    """M·k(M) of the step trained at N = 8."""
    best = gd_beta.optimum(plane())
    return length * (float(gd_beta.risk(plane(0.5, length), best.beta, best.A)) - 0.5)


HALVES = [HALVED[8][2] - 1, HALVED[8][2]]  # the search's, at the noise ½


WITHIN_TWICE = all(kept(n) < 2 * n * step_error(plane(0.5, n)) for n in (9, 20, HALVES[0]))
# d = 1, M = 4: β' over the miss, for the steps on the way up.
SHRINKS = [
    -float(gd_beta.Landscape(line(0.5, 4)).gradient([2.0 - miss], [[a]])[0]) / miss
    for miss in (1.0, 100.0)
    for a in (0.0, 0.3, 2 / 3)
]


def off(case: Setting, miss: Tensor) -> float:
    """How far the best step for this miss is from A*, over the squared miss."""
    best = gd_beta.optimum(case)
    wider = gd_beta.optimum(case.replace(Psi=case.Psi + torch.outer(miss, miss))).A
    slope = gd_beta.Landscape(case).gradient(best.beta + miss, wider)[1]
    assert float(slope.norm()) < 1e-8 * (1 + float(miss.norm())) ** 2
    return float((wider - best.A).norm() / miss.norm() ** 2)


def is_of_squared_miss(case: Setting) -> bool:
    for miss in drawn(5, case.dim):
        near, *others = (off(case, t * miss) for t in (1e-2, 1e-1, 1, 10, 1000))
        if max(others) > 1.1 * near or near < 1e-3:
            return False
    return True


def brackets(case: Setting) -> tuple[float, float]:
    """The norms of the two terms of ΛF over their bounds, at their largest."""
    C, n = torch.diag(case.phi / torch.linalg.eigvalsh(case.Omega).flip(-1)), case.length
    p = drawn(100, case.dim, 1)
    first = ((eye(case.dim) - (1 + 1 / n) * C) @ p @ p.mT).norm(dim=(1, 2)) / (p.mT @ p).flatten()
    return float(first.max()), float(C.norm()) / n**0.5


BRACKETS = [brackets(case) for case in (*CASES, plane(0.0, 1000), plane(99.0, 1))]


def error_follows(case: Setting, at: int = 0) -> bool:
    """Along a flow: (e^{at}‖Δ‖)' over e^{at}, and its bound; a of the eigenvalues at this place."""
    best, land = gd_beta.optimum(case), gd_beta.Landscape(case)
    clock = torch.linspace(0, 2, 8).double()
    start = best.beta + 0.3 * drawn(1, case.dim), drawn(1, case.dim, case.dim)
    b, A = (path[0] for path in gradient_flow(land, start, clock, rtol=1e-4).states)
    delta = A - best.A
    size = delta.norm(dim=(-2, -1))
    moved = -(land.gradient(b, A)[1] * delta).sum((-2, -1)) / size
    values = torch.linalg.eigvalsh(case.H)
    a = 2 * values[at] * torch.linalg.eigvalsh(case.Omega_0)[at]
    miss = (start[0] - best.beta).square().sum()
    bound = 4 * values[-1] ** 2 * miss * (-8 * values[at] / (case.length + 2) * clock).exp()
    return bool((moved + a * size <= bound).all())


FOLLOWS = error_follows(plane()) and error_follows(SPACE)

# Of rank two, with the eigenvalues 1 and 3.
TWO = torch.tensor([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 2.0]]).double()
INNER = Setting(TWO, diag(1.0, 2.0, 3.0), [1.0, 2.0, -1.0], 0.5, M)


def on_image(at: int, other: int) -> tuple[bool, bool]:
    """vᵀΛv >= λ‖Πv‖² and tr(BᵀΛBΩ_0) >= λλ_0‖ΠBΠ‖², with these eigenvalues of Λ and Ω_0."""
    v, B, image = drawn(100, 3), drawn(100, 3, 3), INNER.image
    one, two = (torch.linalg.eigvalsh(part)[k] for part, k in ((TWO, at), (INNER.Omega_0, other)))
    left = (B.mT @ TWO @ B @ INNER.Omega_0).diagonal(dim1=1, dim2=2).sum(-1)
    right = one * two * (image @ B @ image).square().sum((1, 2))
    first = ((v @ TWO) * v).sum(-1) >= one * (v @ image).square().sum(-1) - 1e-9
    return bool(first.all()), bool((left >= right - 1e-9).all())


def climbs() -> tuple[list[float], list[float]]:
    """The largest A, and the last, of flows from farther and farther, at M = 4 with noise ½."""
    case = Setting(eye(1), eye(1), [1.0], 0.5, 4)
    start = -torch.tensor([[1.0], [10.0], [100.0]]).double(), 0 * drawn(3, 1, 1)
    clock = torch.cat([0 * drawn(1), torch.logspace(-5, 1, 40).double()])
    A = gradient_flow(gd_beta.Landscape(case), start, clock, rtol=1e-6).states[1][..., 0, 0]
    return A.amax(1).tolist(), A[:, -1].tolist()


CLIMBS, ENDS = climbs()


class Weights:
    """The block of the page, merged into its last row, the first columns of W_KQ, and W_PV."""

    def loss(self, row: Tensor, W_KQ: Tensor, W_PV: Tensor) -> Tensor:
        v = (row[..., None, :] @ W_PV)[..., 0, :]
        parts = row[..., :2], v[..., :2], v[..., 2], W_KQ[..., :2, :], W_KQ[..., 2, :]
        return ltb.risk(plane(), ltb.Reduced(*parts))

    def gradient(self, *state: Tensor) -> tuple[Tensor, ...]:
        with torch.enable_grad():
            free = [part.detach().requires_grad_() for part in state]
            return torch.autograd.grad(self.loss(*free).sum(), free)


def block_flows() -> Tensor:
    """Risks along the flows of the page's 24 starts."""
    start = [
        0.3 * torch.randn(24, *shape, generator=SEED.manual_seed(6), dtype=torch.float64)
        for shape in ((3,), (3, 2), (3, 3))
    ]
    clock = torch.logspace(-1, 1.5, 10).double()
    return gradient_flow(Weights(), start, clock, rtol=1e-2).loss


FLOWS = block_flows()


def swapped_risk(case: Setting, z: Tensor) -> Tensor:
    """The risk at (r', b', u, U', k'), the coordinates of the proof, Λ diagonal."""
    scale, mean = case.H.diagonal() ** -0.5, case.beta_star
    k, u = scale * z[..., 9:], z[..., 4]
    v = scale * z[..., 2:4] - u[..., None] * mean
    W = scale[:, None] * z[..., 5:9].unflatten(-1, (2, 2)) * scale - mean[:, None] * k[..., None, :]
    return ltb.risk(case, ltb.Reduced(mean + scale * z[..., :2], v, u, W, k))


def at_swapped(case: Setting, kappa: float = 1.0) -> Tensor:
    z = 0 * drawn(11)
    z[2], z[9] = kappa, case.phi[0] / case.Omega[0, 0] / kappa
    return z


def curvature(case: Setting) -> tuple[Tensor, Tensor]:
    """The slope at the swapped point, and the Hessian, by central differences of the slope."""

    def slope(z: Tensor) -> Tensor:
        z = z.requires_grad_()
        return torch.autograd.grad(swapped_risk(case, z).sum(), z)[0]

    h, point = 1e-4, at_swapped(case)
    around = (slope(point + h * eye(11)) - slope(point - h * eye(11))) / (2 * h)
    return slope(point.clone()), (around + around.T) / 2


def is_valley(case: Setting) -> bool:
    """With b'_1 fixed: the risk is higher all round the swapped point, at two distances."""
    point, edge = at_swapped(case), drawn(2000, 11)
    edge[:, 2] = 0
    vectors = torch.linalg.eigh(curvature(case)[1][EDGE][:, EDGE])[1]
    edge[:10, EDGE] = vectors.T
    edge = 0.02 * edge / edge.norm(dim=-1, keepdim=True)
    least = swapped_risk(case, point)
    return all(bool((swapped_risk(case, point + k * edge) > least).all()) for k in (1, 0.3))


EDGE = [at for at in range(11) if at != 2]
SLOPE, HESSIAN = curvature(plane())
SCALING = at_swapped(plane())
SCALING[9] *= -1  # κ grows, k' falls
BOWED, TURNS = torch.linalg.eigh(HESSIAN)
VALLEY = is_valley(plane()) and is_valley(plane(4.0, 30)) and not is_valley(plane(0.5, 60))

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
    "In shorter contexts an open set of starts ends above the minimum": (
        [M for M, held in TRAPS.items() if held <= 1] == list(range(33, 129)) and TRAP > 0
    ),
    "in the running example at $N=8$ the rest, $O(N)$, is larger than $KN^2$, and rises": all(
        square < before and more > least and more > square
        for (before, least), (square, more) in pairwise(RESTS)
    )
    and RESTS[0][1] > RESTS[0][0],
    "nearly three quarters of the damage": 0.7 < 1 - size(MOVED) / size(BETA) < 0.75,
    "The best step from zero is worse than answering": ZERO_LEFT > 1,
    # What stays of a miss.
    "Whatever the step, at least this share": STAYS,
    "at least the share $\\frac2{M+2}$ stays": STAYS,
    "a bowl in $\\beta$, curved at least $\\frac2{M+2}$ times as much as": STAYS,
    "The best step is shorter: it lets in less noise, and less of": (
        SHARES[0] < Fraction(M, M + 2)
        and all(map(rises, zip(lets_in(float(SHARES[0])), lets_in(M / (M + 2)), strict=True)))
    ),
    "The smallest risk of GD-β is": LEAST,
    "Both squares in {eq}`eq-gd-excess` have to vanish": LEAST,
    "The smallest risk of the block is that of GD-β": LEAST,
    # Zero, β* and Bayes.
    "The lower bound is that of": all(
        zero(case) > 2 / (case.length + 2) * float(squared(case, case.beta_star))
        for case in (*CASES, plane(0.5, 8, 1000.0))
    ),
    "From above: what a start at zero costs": all(
        zero(case) <= zero_at_most(case) for case in (*CASES, plane(9.0, 1), plane(0.5, 8, 1000.0))
    )
    and zero(plane(0.5, 8, 1000.0)) > 0.999 * zero_at_most(plane(0.5, 8, 1000.0)),
    "makes up for it, relative to the error above the noise": all(
        zero(plane(0.5, n)) > step_error(plane(0.5, n)) for n in (M, *FAR)
    ),
    "both fall like $1/M$. At": like_one_over([zero(plane(0.5, n)) for n in FAR], FAR)
    and like_one_over([step_error(plane(0.5, n)) for n in FAR], FAR),
    "and that is smallest at $\\frac M{M+n_i}$": all(
        min(((1 - s) ** 2 + n / m * s**2, s) for s in [m / (m + n) + k for k in (-0.01, 0, 0.01)])[
            1
        ]
        == m / (m + n)
        for n in map(float, N_I)
        for m in (1, 8, 100)
    ),
    "the one with the smallest risk is $\\hat y=": all(map(bayes_is_least, (plane(), SPACE, FLAT))),
    "For the lower bound put": ABOVE_BOUND,
    "with the lower bound of {eq}`eq-bayes-risk`": ABOVE_BOUND,
    "In each direction about the smaller of two numbers": all(
        0.5 < phi * (phi + 1) / ((n + 1) * phi + 1) / min(phi, 1 / (n + 1)) < 2
        for n, *grids in GRID_M
        for phi in np.concatenate(grids)
    ),
    "The loss grows with the signal-to-noise ratio": all(
        falls(ratio(noise, n) for noise in (0.01, 0.1, 0.5, 2, 9)) for n in (2, 8, 100)
    ),
    # τ = 1, a = 1/(M + 1)
    "As $a<\\tau$ this falls": all(
        falls(shown) and abs(shown[-1] - (n + 2) / (2 * n + 2)) < 1e-12
        for n, small, _ in GRID_M
        for shown in [(1 + small) / (1 + small * (n + 1))]
    ),
    "Both factors rise, up to": all(
        rises(first) and rises(1 + large) and abs(2 * first[-1] - 2 * (n + 1) / (n + 2)) < 1e-12
        for n, _, large in GRID_M
        for first in [large / (large + 1 / (n + 1))]
    ),
    "its second factor is at most one, and its first at most": all(
        first.max() <= (1 + 2 * phi.sum() / noise) * (1 + 1e-12) and second.max() <= 1
        for phi in SPECTRA
        for noise in (0.1, 5)
        for n in (1, 8)
        for first, second in [factors(phi, noise, n)]
    ),
    r"If labels are noisy and all $\varphi_i>0$, both errors fall like $1/M$": all(
        like_one_over([step_error(case.replace(length=n)) for n in FAR], FAR)
        and abs(float(gd_beta.bayes_lower_bound(case.replace(length=10**6))) * 10**6 / limit - 1)
        < 1e-3
        and abs(10**6 / (10**6 - case.dim - 1) - 1) < 1e-3  # above: dσ²/(M - d - 1)
        for case in (plane(), SPACE)
        for limit in [case.dim * float(case.noise_variance)]
    ),
    "in dimension one no factor smaller": all(
        step_error(line(noise, 10**6)) * (10**6 - 2) / noise > 0.999 * (1 + 2 / noise)
        for noise in (0.1, 1, 9)
    ),
    "the ratio grows with the context": RATIO_RISES,
    "**The longer the context, the further one step falls behind": RATIO_RISES,
    # Lengths.
    "the floor falls like $1/N^2$": like_one_over(
        [floor(N) for N in (1000, 10_000)], [1000, 10_000], 2
    ),
    "with at most twice the best error": WITHIN_TWICE,
    "at most doubling the error": WITHIN_TWICE,
    "from which on the step trained at $N$ has at least twice": [
        kept(n) >= 2 * n * step_error(plane(0.5, n)) for n in (9, 20, *HALVES, 100, 10_000)
    ]
    == [False, False, False, True, True, True],
    "is affine and increasing in $M$ minus": kept(20) > kept(10) > kept(8)
    and abs((kept(20) - kept(10)) / 10 - (kept(10) - kept(8)) / 2) < 1e-9,
    # The flow.
    "be the smallest positive eigenvalues of": (FOLLOWS and not error_follows(SPACE, -1)),
    "$\\lambda$ its smallest positive eigenvalue": on_image(1, 1)[0] and not on_image(2, 1)[0],
    "has the same image and smallest positive eigenvalue": (
        on_image(1, 1)[1] and not on_image(1, 2)[1]
    ),
    "by at most the order of the squared miss": all(
        map(is_of_squared_miss, (plane(), line(), SPACE))
    ),
    "first term in brackets has norm at most": max(one for one, _ in BRACKETS) <= 1,
    "the second has norm at most": max(two for _, two in BRACKETS) <= 1,
    "of $e^{at}\\|\\Delta\\|_F$ is at most": FOLLOWS,
    "from afar it rises to nearly $\\frac M{M+2}$": (
        max(ENDS) < 0.62 < min(CLIMBS) and 0.999 < CLIMBS[2] * 1.5 < 1
    ),
    "while the miss shrinks at a bounded relative rate": all(0 < one <= 2 for one in SHRINKS),
    "with noise it is shorter, so $A$ stays below": max(CLIMBS) < Fraction(4, 4 + 2),
    "the larger the miss, the nearer $A$ gets": rises(CLIMBS) and CLIMBS[2] * 1.5 > 0.999,
    # The second block.
    "It does not increase, so they": bool((FLOWS.diff(dim=1) < 1e-9).all()),
    "carry a factor $U'$ or $u$. All vanish": float(SLOPE.abs().max()) < 1e-12,
    "because $\\varphi^2/\\omega$ grows with $\\varphi$": all(
        rises(phi**2 / ((n + 1) * phi + 3) for phi in np.linspace(0, 3, 20)) for n in (1, 8, 99)
    ),
    # One flat direction of the Hessian at M = 8, and it is that of κ.
    "The first term vanishes only along the scaling of $\\kappa$, which": (
        abs(float(BOWED[0])) < 1e-6 < 1e-3 < float(BOWED[1])
        and abs(abs(float(TURNS[:, 0] @ SCALING / SCALING.norm())) - 1) < 1e-6
        and abs(float(swapped_risk(plane(), at_swapped(plane(), 3.0))) - BEST - TRAP) < 1e-12
    ),
    "Here the worth grows faster with $M$": falls(TRAPS.values()),
    "near the point stays above": VALLEY,
    "is higher than there by at least some $2\\epsilon>0$": VALLEY,
    "in the ball the risk is at least that of the swapped point": VALLEY,
    "Noise makes $\\tau$ larger, but it shortens the step": falls(
        float(case.phi[0] / case.Omega[0, 0]) for case in (plane(0.0), plane(), plane(4.0))
    )
    and rises(float(plane(noise).tau) for noise in (0.0, 0.5, 4.0)),
}

SETTLED = {
    "a question": ["Forty directions, falling variances", "does $A$ rise straight"],
    "a place on the page": ["as {prf:ref}`thm-ltb-best` does below"],
    "a choice that a proof makes": ["with a risk less than $\\epsilon$ higher"],
}
