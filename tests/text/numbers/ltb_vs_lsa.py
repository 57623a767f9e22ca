"""Numbers of chapter 6."""

from __future__ import annotations

import math
from fractions import Fraction

import torch
from linear_icl import ltb
from linear_icl_book.live import TwoLines

from tests.text.ties import about, cell, given

HALF, RUNNING = Fraction(1, 2), given("the running example")
EIGHT = given("a setting")

# The opening: dimension one, tasks of mean 2 and variance 1, no noise.
MEAN, M = 2, 8
VARIANCE = Fraction(2, M)  # of a mean of eight squares
STEP = 1 / (1 + VARIANCE)
SHARE = 1 - 2 * STEP + STEP**2 * (1 + VARIANCE)

# The running example: Λ = diag(2, ½), Ψ = I, no noise.
LAMBDA, BETA = (Fraction(2), HALF), (1, 2)
TAU = sum(LAMBDA)
OMEGA = tuple(Fraction(M + 1, M) * one + TAU / M for one in LAMBDA)
TWO = tuple(one * (one + TAU) / ((M + 1) * one + TAU) for one in LAMBDA)
BLOCK, SIZE = sum(TWO), sum(one * b**2 for one, b in zip(LAMBDA, BETA, strict=True))
SHARES = tuple(one / omega for one, omega in zip(LAMBDA, OMEGA, strict=True))
EVEN = (
    SIZE
    - 2 * sum(one * b**2 * s for one, b, s in zip(LAMBDA, BETA, SHARES, strict=True))
    + Fraction(M + 1, M)
    * sum(one * b**2 * s**2 for one, b, s in zip(LAMBDA, BETA, SHARES, strict=True))
    + Fraction(1, M) * SIZE * sum(s**2 for s in SHARES)
)
H = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
BEST = ltb.lsa_infimum(ltb.Setting(H, torch.eye(2).double(), [1.0, 2.0], 0.0, M))
ONE_GAUGE = ltb.lsa_infimum(ltb.Setting(H, torch.eye(2).double(), [1.0, 2.0], 0.0, M), mixing=False)


def price_per_unit(size: float, noise: float = 0.0, length: int = M) -> float:
    """Of the mean size·(1, 2) in the running example."""
    case = ltb.Setting(H, torch.eye(2).double(), [size, 2 * size], noise, length)
    return float(ltb.lsa_infimum(case, starts=16).gap) / (4 * size**2)


def valleys(size: float) -> float:
    """How far the two local minima of the layer are apart at the mean size·(1, 2)."""
    case = ltb.Setting(H, torch.eye(2).double(), [size, 2 * size], 0.0, M)
    return float(ltb.lsa_infimum(case, starts=32).spread)


def small_mean(d: int, length: int, noise: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """C_0 and the shares of the two gauges, from the normal equations of the regression."""
    tau = d + noise
    a, b = 1 + Fraction(d + 1, length), 1 + 2 / (length * tau)  # E‖Se‖², E[eᵀSe τ̂]/τ
    c = (1 + Fraction(2, length)) * (1 + 2 * d / tau**2)  # E τ̂²/τ²
    det = a * c - b * b
    x, y = (c - b) / det, (a - b) / det
    return 1 - x - y, x, y


def nearest() -> float:
    """Of the running example: min E‖A*Sa + τ̂b − e‖² over ‖e‖², by the exact moments."""
    tau, step = float(TAU), torch.tensor([1 / float(omega) for omega in OMEGA]).double().diag()
    e, Q = torch.tensor([1.0, 2.0]).double(), step @ H @ step
    moment = (M + 1) / M * H @ Q @ H + (Q @ H).trace() / M * H
    mixed = H @ step @ (tau * H + 2 / M * H @ H)
    labels = (1 + 2 / M) * (tau**2 + 2 * (H @ H).trace()) * H
    both = torch.cat([torch.cat([moment, mixed.T], 1), torch.cat([mixed, labels], 1)])
    wanted = torch.cat([H @ step @ H @ e, tau * H @ e])
    return 1 - float(wanted @ torch.linalg.solve(both, wanted)) / float(SIZE)


_, P_X, P_Z = small_mean(1, M, Fraction(99))
ASTAR = Fraction(M, M + 1 + 100)
BORDER = float(ASTAR) * 10 / (2 * math.sqrt(P_X * P_Z))
POINTS = tuple(Fraction(v, M + v) for v in (2, 1))

# Exercise 6.2.
A, ALPHA, GAMMA = Fraction(7, 10), Fraction(6, 10), Fraction(2, 10)
SECOND = {"S": 1 + VARIANCE, "both": 2 + VARIANCE, "labels": (1 + VARIANCE) * (4 + 2)}
DISCRIMINANT = (A**2, 4 * ALPHA * GAMMA)
SWAPPED = Fraction(2, M + 2) * SIZE + LAMBDA[1] ** 2 / OMEGA[1]

NUMBERS = {
    # The opening.
    "no noise, eight points in a context. Every": M,
    "share the mean $2$. Silence": MEAN,
    "Silence costs $\\mathbb E[w^2]=5$": MEAN**2 + 1,
    "and variance $\\frac28$. It": VARIANCE,
    "=\\bigl(1-\\tfrac85+\\tfrac{16}{25}\\cdot\\tfrac54\\bigr)\\cdot5=\\tfrac15\\cdot5=1": (
        SHARE * (MEAN**2 + 1)
    ),
    "Eight labelled points": M,
    "$\\frac15\\operatorname{Var}w=\\frac15$": SHARE,
    "## Eight points": M,
    # The running example.
    "and $M=8$, gets the mean $\\beta^\\ast=(1,2)$, tasks": RUNNING,
    "$\\tau=\\frac52$, $\\varphi=(2,\\frac12)$": (TAU, *LAMBDA),
    "$\\|\\beta^\\ast\\|_\\Lambda^2=2\\cdot1+\\frac12\\cdot4=4$": SIZE,
    "$\\Omega=\\operatorname{diag}(\\frac{41}{16},\\frac78)$": OMEGA,
    "| $6.5$ | $2.5$ | $1.819$ | $1.647$ | $\\frac{375}{574}=0.653$ |": (
        TAU + SIZE,
        TAU,
        float(BLOCK + EVEN),
        float(BEST.risk),
        BLOCK,
        BLOCK,
    ),
    "Raise the mean to eight": given("the last stop of the slider"),
    "for sixty prompts": cell("torch.randn(2, {}, M, generator"),
    "Sixty points for each": cell("torch.randn(2, {}, M, generator"),
    "Given the five parts": given("a count of letters"),
    "Five pairs of bars, for a": given("a count of bars"),
    "the row is $(0\\ 1)$": given("a row of two entries"),
    "$\\frac{2\\cdot9/2}{41/2}+\\frac{1/2\\cdot3}{7}"
    "=\\frac{18}{41}+\\frac3{14}=\\frac{375}{574}$": BLOCK,
    "$U=\\Gamma^{-1}=\\operatorname{diag}(\\frac{16}{41},\\frac87)$": tuple(
        1 / one for one in OMEGA
    ),
    "$\\bar u_{12}=\\beta^\\ast=(1,2)$": RUNNING,
    "The odd part is $\\frac{375}{574}$": BLOCK,
    "$\\Lambda\\Gamma^{-1}=\\operatorname{diag}(\\frac{32}{41},\\frac47)$": SHARES,
    "4-4\\bigl(\\tfrac{32}{41}+\\tfrac47\\bigr)+\\bigl(\\tfrac98\\cdot2+\\tfrac48\\bigr)"
    "\\bigl(\\tfrac{32^2}{41^2}+\\tfrac{4^2}{7^2}\\bigr)=\\tfrac{96000}{82369}": EVEN,
    # Gauges.
    "and in twelve others": len(TwoLines().squares()),
    "With eight points of variance one": EIGHT,
    "the points' gauge $S$ has the variance $\\frac28$ and leaves $\\frac2{M+2}=\\frac15$": (
        VARIANCE,
        POINTS[0],
    ),
    "their mean has the variance $\\frac18$ and leaves $\\frac1{M+1}=\\frac19$": (
        VARIANCE / 2,
        POINTS[1],
    ),
    "{prf:ref}`lem-signature` with $k=2$ gives": given("the signs counted above"),
    # What it really pays.
    "the bound is $\\frac49$, one gauge costs $0.8$, the best layer pays $0.993$": (
        Fraction(SIZE, M + 1),
        Fraction(2 * SIZE, M + 2),
        float(BEST.gap),
    ),
    "Four curves over training steps": given("two entries, read out twice"),
    "two entries of minus u 12 over u": given("an index"),
    "they meet near 1.3, part, and near 2 they are one": (
        about(min((1.2, 1.25, 1.3, 1.35, 1.4), key=valleys), 0.01),
        about(min(s for s in (1.6, 1.7, 1.8, 1.9, 2.0) if valleys(s) < 1e-9), 0.06),
    ),
    "In the running example the minimum is $0.262\\,": nearest(),
    "more than the $\\frac2{M+2}=0.2$ of": float(Fraction(2, M + 2)),
    "In the opening they are $1$ and $\\frac98+\\frac18=\\frac54$, and their quotient is the "
    "step $\\frac45$": (
        Fraction(M + 1, M) + Fraction(1, M),
        Fraction(M + 1, M) + Fraction(1, M),
        STEP,
    ),
    "from $0.262$ to $0.2$": (price_per_unit(0.01), price_per_unit(200.0)),
    "$\\frac{13}5$ in the running example": 1 + Fraction(SIZE) / TAU,
    # Training.
    "The block stores the mean twice, in": given("r and u₁₂"),
    "**The mean appears twice": given("r and u₁₂"),
    "The mean $\\beta^\\ast=(1,2)$, read": RUNNING,
    "Each ends within $0.01$ of": cell("risk_layer[-1], tolerance={}, resolution"),
    # Check yourself.
    "A trained block has $r=(3,-1)$": given("a setting"),
    "Its first entry is $3$": given("the entry of r that points see"),
    # Exercises.
    "at least twice the risk of the best block?": given("a question"),
    "with $\\mathbb ES^2=\\frac54$, $\\mathbb E[S\\hat\\tau]=\\frac94$ and "
    "$\\mathbb E\\hat\\tau^2=\\frac{15}2$": tuple(SECOND.values()),
    "in the setting $\\Lambda=\\Psi=\\sigma^2=1$, $M=8$.": given("the setting of the exercise"),
    "$0.6X^2+0.7X+0.2=(2X+1)(0.3X+0.2)$": (
        ALPHA,
        A,
        GAMMA,
        ALPHA / 2,
        GAMMA,
    ),
    "since $0.49>0.48$": DISCRIMINANT,
    "So $\\bar u_{12}=2$, $u=1$, $\\bar U=0.3$, $u_{21}=0.2$": (2, ALPHA / 2, GAMMA),
    "$U=\\bar U-\\beta^\\ast u_{21}=-0.1$": ALPHA / 2 - 2 * GAMMA,
    "$(1.5X+1)(0.4X+0.2)$": (Fraction(3, 2), ALPHA / Fraction(3, 2), GAMMA),
    "Here that is $\\frac45+\\frac14\\cdot\\frac87=\\frac{38}{35}$": SWAPPED,
    "below the $\\frac{38}{35}$ of": SWAPPED,
    "The block with $M=4$ has an excess of $\\frac37$": (4, Fraction(2 + 1, 4 + 1 + 2)),
    "for $\\beta^\\ast=8$ about 306": (8, (Fraction(7, 3) * (2 * 64 + 3)).__round__()),
    "with Adam, from forty random starts": cell(
        "torch.randn({}, 9, generator=torch.manual_seed(11))"
    ),
    "independent entries of size $0.3$ in": cell("z = ({} * torch.randn"),
    # For the record.
    "by Newton's method from 64 starts, on": len(BEST.risks),
    "From 64 starts the running": len(BEST.risks),
    "a function on a half-sphere": given("directions without their sign"),
    "continuous on the half-sphere": given("directions without their sign"),
    "with the mean $s\\cdot(1,2)$": RUNNING,
    "for $M=8$, $\\Psi=1$ and loud noise, $\\sigma^2=99$, at $|\\beta^\\ast|=0.827$": (
        8,
        99,
        BORDER,
    ),
}

LENGTHY = ltb.Setting(H, torch.eye(2).double(), [1.0, 2.0], 0.0, 100_000)
A_VECTOR, B_VECTOR = torch.tensor([[1.0, 2.0, -0.5], [0.3, -1.0, 2.0]], dtype=torch.float64)
PRODUCT = torch.linalg.eigvalsh(
    (torch.outer(A_VECTOR, B_VECTOR) + torch.outer(B_VECTOR, A_VECTOR)) / 2
)
SIZES = float(A_VECTOR.norm() * B_VECTOR.norm())

CLAIMS = {
    "eigenvalue, $\\frac12(a^\\top\\bar u_{12}\\pm\\|a\\|\\|\\bar u_{12}\\|)$": (
        abs(float(PRODUCT[-1]) - (float(A_VECTOR @ B_VECTOR) + SIZES) / 2) < 1e-12
        and abs(float(PRODUCT[0]) - (float(A_VECTOR @ B_VECTOR) - SIZES) / 2) < 1e-12
    ),
    # (2X + 1)(0.3X + 0.2), of which the solution takes ū₁₂ = 2, and not (1.5X + 1)(0.4X + 0.2)
    "take that with the larger $\\bar u_{12}$": max(2, 1.5) == 2,
    "in long contexts $\\frac{d+1}M\\lVert\\beta^\\ast\\rVert_\\Lambda^2$": (
        abs(price_per_unit(1.0, length=4000) * 4000 - 3) < 0.01
    ),
    "The upper level line is $\\frac2{M+2}": abs(price_per_unit(200.0) - 2 / (M + 2)) < 1e-3,
    "$1+\\|\\beta^\\ast\\|_\\Lambda^2/\\tau$, that of silence": (
        abs(float(ltb.lsa_infimum(LENGTHY).risk / ltb.infimum(LENGTHY)) - 2.6) < 1e-3
    ),
    "Every layer with $u_{21}=0$ has": float(ONE_GAUGE.gap) > 2 / (M + 2) * float(SIZE),
    "the minimum is $0.262": abs(nearest() - price_per_unit(0.001)) < 1e-5,
    "in loud noise it rises": price_per_unit(0.01, 50.0) < 0.16 < 0.19 < price_per_unit(20.0, 50.0),
}
