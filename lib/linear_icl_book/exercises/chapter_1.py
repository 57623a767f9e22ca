"""The exercises of chapter 1: what a learner in context risks."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from linear_icl.landscape import FixedCovariance
from linear_icl.prompts import GaussianPrompts

from ._exercise import Exercise, Mistake


def _draw_variances(rng: random.Random) -> dict[str, Any]:
    """Two variances of ratio up to four, as in the running example."""
    a = rng.randint(12, 30) / 10
    return {"a": a, "b": round(a / rng.randint(20, 40) * 10, 2)}


# 1.1


def _step_risk(
    a: float, b: float, M: int | float, c: float, *, own: int = 2, cross: int = 1
) -> float:
    """E tr[(cS − I)Λ(cS − I)] from E S_ii² = λ_i²(1 + own/M) and E S_ij² = cross·λ_iλ_j/M."""
    squares = np.array([[a * a * (1 + own / M), cross * a * b / M]] * 2)
    squares[1] = [cross * a * b / M, b * b * (1 + own / M)]
    return float(c * c * (squares @ [a, b]).sum() - 2 * c * (a * a + b * b) + a + b)


def _vertex(parabola: Callable[[float], float]) -> tuple[float, float]:
    """Where a parabola is smallest, and how small."""
    low, middle, high = (parabola(x) for x in (0.0, 1.0, 2.0))
    best = 1 + (low - high) / (2 * (low - 2 * middle + high))
    return best, parabola(best)


def _best_step(a: float, b: float, M: int | float, **forgotten: int) -> tuple[float, float]:
    return _vertex(lambda c: _step_risk(a, b, M, c, **forgotten))


def _without_query(a: float, b: float, M: int) -> tuple[float, float]:
    c = (a + b) / ((1 + 1 / M) * (a * a + b * b) + (a + b) ** 2 / M)
    return c, _step_risk(a, b, M, c)


BEST_PLAIN_STEP = Exercise(
    number="1.1",
    label="ex-best-plain-step",
    asks="two numbers: the best α, and its risk, for Λ = diag({a}, {b}) and M = {M}",
    draw=lambda rng: {**_draw_variances(rng), "M": rng.randint(4, 30)},
    book={"a": 2.0, "b": 0.5, "M": 8},
    solve=_best_step,
    mistakes=(
        Mistake(
            "that is the best step for infinitely many points, where S = Λ",
            lambda a, b, M: _best_step(a, b, math.inf),
        ),
        Mistake(
            "the trace term of Γ is missing, (tr Λ/M)I",
            lambda a, b, M: _best_step(a, b, M, cross=0, own=1),
        ),
        Mistake(
            "1 stands where 1 + 1/M belongs in Γ",
            lambda a, b, M: _best_step(a, b, M, own=1),
        ),
        Mistake(
            "the query's covariance is left out: one factor Λ too few in both traces",
            _without_query,
        ),
        Mistake(
            "the second number has the ½ of the training loss; the risk has none",
            lambda a, b, M: (_best_step(a, b, M)[0], _best_step(a, b, M)[1] / 2),
        ),
    ),
    hints=(
        "Put A = αI into the formula for the risk of a step. What kind of function of α is it?",
        "A parabola: the best α is half of what multiplies −α, over what multiplies α².",
        "The traces are sums over the two axes, with γ = (1 + 1/M)λ + tr Λ/M in each.",
    ),
)

# 1.2


def _unseen(d: int, M: int) -> float:
    """tr(I − X⁺X) of one context: it is the same for almost all."""
    X = np.random.default_rng(0).standard_normal((M, d))
    return float(np.trace(np.eye(d) - np.linalg.pinv(X) @ X))


def _draw_too_few(rng: random.Random) -> dict[str, Any]:
    d = rng.randint(7, 30)
    return {"d": d, "M": rng.randint(3, d - 3)}


TOO_FEW_POINTS = Exercise(
    number="1.2",
    label="ex-too-few-points",
    asks="the risk, a number, for d = {d} and M = {M}",
    draw=_draw_too_few,
    book={"d": 6, "M": 4},
    solve=_unseen,
    mistakes=(
        Mistake("that part of the task is seen; the risk is what is not", lambda d, M: M),
        Mistake("that is the risk of zero, which uses no point at all", lambda d, M: d),
        Mistake("that is the share of the risk of zero, not the risk", lambda d, M: (d - M) / d),
        Mistake(
            "d − M − 1 belongs to the risk with noise; without noise the risk has no denominator",
            lambda d, M: d - M - 1,
        ),
        Mistake(
            "that is one full gradient step; least squares fits its points exactly",
            lambda d, M: d * (d + 1) / M,
        ),
    ),
    hints=(
        "Without noise X⁺y = X⁺Xw. Which part of w is that?",
        "X⁺X is a projection. What is the trace of a projection, and of what is left?",
    ),
    tolerance=0.03,  # a simulation of 400 000 prompts stays within one percent
)

# 1.3

Polynomial = dict[tuple[int, int, int], float]  # exponents of three variables: coefficient


def _product(p: Polynomial, q: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for (i, j, k), x in p.items():
        for (r, s, t), y in q.items():
            found[i + r, j + s, k + t] = found.get((i + r, j + s, k + t), 0.0) + x * y
    return found


def _power_trace(M: int, step: float, power: int) -> float:
    """E tr(I − step·W)^power for W = ZᵀZ/M with M independent rows from N(0, I_2).

    By Bartlett's decomposition W has the trace (p + q + r)/M and the determinant pr/M², for
    independent χ² of M, 1 and M − 1 degrees of freedom; Newton's identities do the rest.
    """
    shift = {(1, 0, 0): -step / M, (0, 1, 0): -step / M, (0, 0, 1): -step / M}
    trace: Polynomial = {(0, 0, 0): 2.0, **shift}
    negative_determinant = {
        (0, 0, 0): -1.0,
        (1, 0, 1): -((step / M) ** 2),
        **{key: -value for key, value in shift.items()},
    }
    before: Polynomial = {(0, 0, 0): 2.0}
    last = trace
    for _ in range(power - 1):
        following = _product(trace, last)
        for key, value in _product(negative_determinant, before).items():
            following[key] = following.get(key, 0.0) + value
        before, last = last, following
    return sum(
        value * math.prod(map(_chi_square_moment, (M, 1, M - 1), key))
        for key, value in last.items()
    )


def _chi_square_moment(freedom: int, power: int) -> int:
    return math.prod(freedom + 2 * i for i in range(power))


def _several(a: float, b: float, M: int, step: float = 0.5) -> list[float]:
    """The risks after one to three steps; the directions are alike, so each has half the trace."""
    return [(a + b) * _power_trace(M, step, 2 * k) / 2 for k in (1, 2, 3)]


SEVERAL_STEPS = Exercise(
    number="1.3",
    label="ex-several-steps",
    asks="three numbers: the risks after 1, 2 and 3 steps with A = ½Λ⁻¹, for Λ = diag({a}, {b}) "
    "and M = {M}; a simulation is precise enough",
    draw=lambda rng: {**_draw_variances(rng), "M": rng.randint(8, 16)},
    book={"a": 2.0, "b": 0.5, "M": 8},
    solve=_several,
    mistakes=(
        Mistake(
            "that has a new context for every step; here all steps use the same",
            lambda a, b, M: [(a + b) * (_power_trace(M, 0.5, 2) / 2) ** k for k in (1, 2, 3)],
        ),
        Mistake(
            "that is with S = Λ, a context of infinitely many points",
            lambda a, b, M: [(a + b) / 4**k for k in (1, 2, 3)],
        ),
        Mistake(
            "that is with A = Λ⁻¹; here the step is half as long",
            lambda a, b, M: _several(a, b, M, step=1.0),
        ),
        Mistake(
            "these are training losses, with a factor ½; the risk has none",
            lambda a, b, M: [risk / 2 for risk in _several(a, b, M)],
        ),
    ),
    hints=(
        "estimators.gradient_descent takes the number of steps and a preconditioner.",
        "Compare with the query's label, square, average over 400 000 prompts, as the page does.",
        "To check one step by hand: the risk of a step with A = ½Λ⁻¹ is a formula of the page.",
    ),
    tolerance=0.03,  # four standard errors of the third risk in a simulation of 400 000 prompts
)

# 1.4


def _moments(a: float, b: float) -> list[float]:
    return [a**n + b**n for n in (1, 2, 3)]


def _plain_risk(a: float, b: float, s: float = 1.0) -> float:
    """What the step A = I leaves of the task when S is sΛ, axis by axis."""
    return sum(s * x * (s * x - 1) ** 2 for x in (a, b))


def _plain_price(a: float, b: float) -> tuple[float, float, float]:
    s, share = _vertex(lambda s: sum(x * (s * x - 1) ** 2 for x in (a, b)) / (a + b))
    return _plain_risk(a, b), s, share


def _at(a: float, b: float, s: float) -> tuple[float, float, float]:
    return _plain_risk(a, b), s, _plain_risk(a, b, s) / (s * (a + b))


def _smallest_risk(a: float, b: float) -> float:
    """Where s·tr[(sΛ − I)²Λ] itself has its minimum."""
    one, two, three = _moments(a, b)
    return (2 * two + math.sqrt(4 * two**2 - 3 * one * three)) / (3 * three)


PLAIN_PRICE = Exercise(
    number="1.4",
    label="ex-plain-price",
    asks="three numbers: the risk left for Λ = diag({a}, {b}), the best s, and the share there",
    draw=_draw_variances,
    book={"a": 2.0, "b": 0.5},
    solve=_plain_price,
    mistakes=(
        Mistake(
            "the query's covariance is left out: tr(Λ − I)² stands where tr[(Λ − I)²Λ] belongs",
            lambda a, b: ((a - 1) ** 2 + (b - 1) ** 2, *_plain_price(a, b)[1:]),
        ),
        Mistake(
            "there the risk itself has a local minimum, not its share of the risk of zero",
            lambda a, b: _at(a, b, _smallest_risk(a, b)),
        ),
        Mistake(
            "one factor Λ too few in both traces of s",
            lambda a, b: _at(a, b, _moments(a, b)[0] / _moments(a, b)[1]),
        ),
        Mistake(
            "the third number is the risk at s; divide by that of zero, s tr Λ",
            lambda a, b: (
                *_plain_price(a, b)[:2],
                _plain_risk(a, b, _plain_price(a, b)[1]),
            ),
        ),
        Mistake(
            "the first number has the ½ of the training loss; the risk has none",
            lambda a, b: (_plain_risk(a, b) / 2, *_plain_price(a, b)[1:]),
        ),
    ),
    hints=(
        "With infinitely many points S = Λ. What does the step A = I then predict?",
        "The risk is a sum over the two axes, λ(λ − 1)² in each; put sλ for λ.",
        "Divide by s tr Λ, the risk of zero: what is left is a parabola in s.",
    ),
)

# 1.5

LENGTHS = (4, 16, 64, 128, 256, 640)
RUNNING = ((2.0, 0.0), (0.0, 0.5))


@cache
def _typical(points: int, length: int, M: int) -> float:
    """The median risk at length M over many training sets, fitted by the normal equations."""
    B = points // length
    sets = min(300, 30_000 // B)
    law = GaussianPrompts(RUNNING)
    read, query, label = law.sample_moment(sets * B, length, generator=length)
    features = (read[:, :, None] * query[:, None]).reshape(sets, B, 4)
    moments = features.mT @ label.reshape(sets, B, 1)
    fits = torch.linalg.solve(features.mT @ features, moments).reshape(sets, 2, 2)
    risks = 2 * FixedCovariance(RUNNING, M).loss(fits, fits.new_ones(sets)) + 2.5
    return float(risks.quantile(0.5))


def _smallest(points: int, M: int) -> float:
    return min(_typical(points, length, M) for length in LENGTHS)


def _many_tasks(points: int, M: int) -> float:
    """The best step for length M, known exactly."""
    return float(2 * FixedCovariance(RUNNING, M).minimum + 2.5)


TASKS_OR_POINTS = Exercise(
    number="1.5",
    label="ex-tasks-or-points",
    asks="the smallest median risk at M = {M} among the lengths 4, 16, 64, 128, 256, 640, with "
    "{points} points in all, a number",
    draw=lambda rng: {"points": 64 * rng.randint(40, 60), "M": rng.randint(60, 160)},
    book={"points": 2560, "M": 100},
    solve=_smallest,
    mistakes=(
        Mistake(
            "prompts of 4 points have a bad best step, however many they are",
            lambda points, M: _typical(points, 4, M),
        ),
        Mistake(
            "prompts of 640 points leave too few tasks to fit a step on",
            lambda points, M: _typical(points, 640, M),
        ),
        Mistake("that is the best step for infinitely many tasks of length M", _many_tasks),
        Mistake(
            "that is the training loss, with a factor ½; the risk has none",
            lambda points, M: _smallest(points, M) / 2,
        ),
    ),
    hints=(
        "The number of tasks is the number of points over the length; fit_step fits one set.",
        "Fit some twenty training sets of each length, and take the median of their risks at M.",
        "Try both ends first; then look between them.",
    ),
    tolerance=0.1,  # the median of twenty training sets scatters by some percent
)

EXERCISES = (BEST_PLAIN_STEP, TOO_FEW_POINTS, SEVERAL_STEPS, PLAIN_PRICE, TASKS_OR_POINTS)
