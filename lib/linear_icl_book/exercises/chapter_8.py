"""The exercises of chapter 8: nonlinear transformers, where no theorem reaches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Any

import numpy as np
from linear_icl.nonlinear import recorded

from ._exercise import Exercise, Mistake

# 8.1


def _silence(
    d: int,
    N: int,
    M: int,
    *,
    step: float | None = None,
    moments: tuple[float, float, float] | None = None,
    others: int = 1,
) -> list[float]:
    """The s > 0 where α²s³E tr ΛSΛS = 2αs²E tr Λ², at M and in the limit, by its polynomial.

    The moments of Exp(1) come from a quadrature that is exact for them; the options are what a
    student may get wrong.
    """
    nodes, mass = np.polynomial.laguerre.laggauss(4)
    m1, m2, m3 = moments or (mass @ nodes, mass @ nodes**2, mass @ nodes**3)
    alpha = step or 1 / (1 + 1 / N + d / N)

    def root(short: float) -> float:
        cubes = (1 + short) * d * m3  # E tr Λ³, and E tr Λ² tr Λ below
        mixed = short * (d * m3 + d * (d - others) * m1 * m2)
        return float(np.roots(np.array([alpha**2 * (cubes + mixed), -2 * alpha * d * m2]))[0])

    return [root(1 / M), root(0.0)]


LOSES_TO_SILENCE = Exercise(
    number="8.1",
    label="ex-loses-to-silence",
    asks="the largest s, two numbers: for M = {M} and for M → ∞, with N = {N} and d = {d}",
    draw=lambda rng: {"d": rng.randint(3, 9), "N": rng.randint(12, 40), "M": rng.randint(5, 20)},
    book={"d": 5, "N": 11, "M": 11},
    solve=_silence,
    mistakes=(
        Mistake(
            "that is the step N/(3N + d + 5) of the random family",
            lambda d, N, M: _silence(d, N, M, step=N / (3 * N + d + 5)),
        ),
        Mistake(
            "the step is one for N → ∞ only",
            lambda d, N, M: _silence(d, N, M, step=1.0),
        ),
        Mistake(
            "M stands where N belongs: the step does not change at test",
            lambda d, N, M: [
                _silence(d, M, M)[0],
                _silence(d, N, M, step=1.0)[1],
            ],
        ),
        Mistake(
            "there the layer's share of the risk of zero is smallest; at twice this s it is one",
            lambda d, N, M: [s / 2 for s in _silence(d, N, M)],
        ),
        Mistake(
            "E λ² is 2 for Exp(1), not 1, which is its variance",
            partial(_silence, moments=(1.0, 1.0, 6.0)),
        ),
        Mistake(
            "that is for λ = 1; the tests draw λ from Exp(1), which has E λ² = 2 and E λ³ = 6",
            partial(_silence, moments=(1.0, 1.0, 1.0)),
        ),
        Mistake("each direction has d − 1 others", partial(_silence, others=0)),
        Mistake(
            "both numbers are those of the limit; a context of M examples fluctuates",
            lambda d, N, M: [_silence(d, N, M)[1]] * 2,
        ),
    ),
    hints=(
        "Divide the exact risk by that of zero: a parabola in s that starts at one.",
        "It is back at one where α s times the spread is twice the second moment.",
        "For Exp(1) the moments are 1, 2 and 6, and α = N/(N + d + 1).",
    ),
)

# 8.2


def _over_orders(
    once: float, averaged: float, K: int, *, shrink: float | None = None
) -> list[float]:
    """V and what the mean over all orders leaves: once = V + rest, averaged = shrink·V + rest."""
    V = (once - averaged) / (1 - (1 / K if shrink is None else shrink))
    return [V, once - V]


def _own_orders(rng: random.Random) -> dict[str, Any]:
    K, V, rest = rng.choice([3, 4, 5, 8]), rng.randint(20, 60) / 100, rng.randint(10, 50) / 100
    return {"K": K, "once": round(V + rest, 3), "averaged": round(V / K + rest, 3)}


ORDERS = Exercise(
    number="8.2",
    label="ex-orders",
    asks="V and what the mean over all orders leaves, two numbers in per cent: one order leaves "
    "{once}, the mean of {K} random ones {averaged}",
    draw=_own_orders,
    book={"K": 16, "once": 0.592, "averaged": 0.28},
    solve=_over_orders,
    mistakes=(
        Mistake(
            "the mean of a few orders still has a share of V: one over their number",
            partial(_over_orders, shrink=0.0),
        ),
        Mistake(
            "V is a variance: the mean of K has V/K, not V/K²",
            lambda K, once, averaged: _over_orders(once, averaged, K, shrink=1 / K**2),
        ),
        Mistake(
            "that is the standard deviation of an answer; V is its square",
            lambda K, once, averaged: [
                _over_orders(once, averaged, K)[0] ** 0.5,
                _over_orders(once, averaged, K)[1],
            ],
        ),
        Mistake(
            "V first, then what is left",
            lambda K, once, averaged: _over_orders(once, averaged, K)[::-1],
        ),
    ),
    hints=(
        "One order leaves V more than the mean over all of them.",
        "The orders are drawn independently: the mean of K answers has the variance V/K.",
        "Two equations, two unknowns.",
    ),
)

# 8.3


def _enough(ratio: float | int, percent: float | int, *, first: int = 0) -> int:
    """The least n for which ratio^first + … + ratio^n is 100/percent at least."""
    wanted, total, n = 100 / percent, 0.0, first - 1
    while total < wanted * (1 - 1e-9):
        n += 1
        total += ratio**n
    return n


STEPS_ENOUGH = Exercise(
    number="8.3",
    label="ex-enough",
    asks="the least numbers of steps, two whole numbers: for N = {ratio} d and for N = d, that "
    "leave at most {percent} % of the risk of silence",
    draw=lambda rng: {"ratio": rng.choice([1.25, 1.5, 3, 4]), "percent": rng.choice([0.5, 2, 4])},
    book={"ratio": 2, "percent": 1},
    solve=lambda ratio, percent: [_enough(one, percent) for one in (ratio, 1)],
    mistakes=(
        Mistake(
            "the sum starts with 1, the risk of silence over itself",
            lambda ratio, percent: [_enough(one, percent, first=1) for one in (ratio, 1)],
        ),
        Mistake(
            "n steps have n + 1 terms: the last power is n",
            lambda ratio, percent: [_enough(one, percent) + 1 for one in (ratio, 1)],
        ),
        Mistake(
            "for N = d the powers do not grow: each step adds only 1 to the sum",
            lambda ratio, percent: [_enough(ratio, percent)] * 2,
        ),
        Mistake(
            "that leaves a little too much: round up",
            lambda ratio, percent: [_enough(one, percent) - 1 for one in (ratio, 1)],
        ),
        Mistake(
            "the first is for N = d, the second for more examples",
            lambda ratio, percent: [_enough(one, percent) for one in (1, ratio)],
        ),
    ),
    hints=(
        "The share is one over a sum of powers of N/d.",
        "For N = d all powers are one: count them.",
    ),
)

# 8.4

RECORDS = ("fixed", "fixed-linear", "fixed-no-positions", "random", "random-linear")
PARTS = ("mean", "low", "high")


def _three_seeds(name: str, test: str, M: int | None = None) -> dict[str, tuple[float, ...]]:
    """Risk and band of each seed after M examples, from the record; None: the large test at N."""
    record = recorded.read(recorded.RECORDS / f"{name}.json")
    seeds = record["query" if M is None else "curves"][test]["seeds"]
    return {
        part + "s": tuple(one[part] if M is None else one[part][M] for one in seeds)
        for part in PARTS
    }


def _spread(means: Sequence[float], lows: Sequence[float], highs: Sequence[float]) -> float:
    """Standard deviation of the means over the mean half-width."""
    return stdev(means) / _half(lows, highs)


def _half(lows: Sequence[float], highs: Sequence[float]) -> float:
    return (fmean(highs) - fmean(lows)) / 2


def _own_three(rng: random.Random) -> dict[str, Any]:
    test = rng.choice(["fixed", "random_1", "random_4", "random_9"])
    return dict(_three_seeds(rng.choice(RECORDS), test, rng.randint(2, 35)))


PROMPTS_OR_SEEDS = Exercise(
    number="8.4",
    label="ex-prompts-or-seeds",
    asks="the spread of the seeds over the half-width, a number, for three seeds with the means "
    "{means} and the bands from {lows} to {highs}",
    draw=_own_three,
    book=_three_seeds("fixed", "fixed"),
    solve=_spread,
    mistakes=(
        Mistake(
            "three values have two degrees of freedom: the standard deviation divides by n − 1",
            lambda means, lows, highs: _spread(means, lows, highs) * (2 / 3) ** 0.5,
        ),
        Mistake(
            "that is with the whole width of a band; its half belongs there",
            lambda means, lows, highs: _spread(means, lows, highs) / 2,
        ),
        Mistake(
            "that is the half-width over the spread",
            lambda means, lows, highs: 1 / _spread(means, lows, highs),
        ),
        Mistake(
            "that is the standard error of the mean of three seeds; their spread is wanted",
            lambda means, lows, highs: _spread(means, lows, highs) / 3**0.5,
        ),
        Mistake(
            "that is the range of the three means; their standard deviation is wanted",
            lambda means, lows, highs: (max(means) - min(means)) / _half(lows, highs),
        ),
        Mistake(
            "that is the spread itself; compare it with the half-width",
            lambda means, lows, highs: stdev(means),
        ),
        Mistake(
            "that is the variance of the means over the half-width; take its root",
            lambda means, lows, highs: stdev(means) ** 2 / _half(lows, highs),
        ),
    ),
    hints=(
        "A band belongs to one seed; the spread is between the seeds.",
        "Take the standard deviation of the three means, with n − 1, and the mean of three "
        "half-widths.",
    ),
)

EXERCISES = (LOSES_TO_SILENCE, ORDERS, STEPS_ENOUGH, PROMPTS_OR_SEEDS)
