"""The exercises of chapter 8: nonlinear transformers, where no theorem reaches."""

from __future__ import annotations

import random
from functools import lru_cache, partial
from typing import Any

from linear_icl.estimators import conjugate_gradient
from linear_icl.nonlinear.answered import apart
from linear_icl.nonlinear.evaluate import at_every_point
from linear_icl.nonlinear.moving import rules
from linear_icl.nonlinear.probes import reshaped
from linear_icl.nonlinear.recipes import RECIPES
from linear_icl.nonlinear.tasks import Points
from linear_icl.prompts import Prompts
from numpy.polynomial import Polynomial
from torch import Tensor

from ._exercise import Exercise, Mistake

STRETCHED = "d20-fixed"
LAW = RECIPES[STRETCHED].tasks

# 8.1


def _stretched(
    largest: float,
    generator: int,
    *,
    kind: str = "plain",
    axis: int = -1,
    question: bool = True,
    labels: bool = True,
    quarter: float = 4.0,
    loud: bool = True,
) -> list[float]:
    """What the first rule leaves and its variance over an order and its reverse, per cent.

    Of 512 prompts whose largest eigenvalue of S is moved; the options are what a student may get
    wrong: another axis, the question or the labels not stretched, another divisor.
    """
    one, other, label = _answers(largest, generator, kind, axis, question, labels)
    whole = float(label.square().mean()) if loud else float(LAW.dim)
    parts = (one - label).square().mean(), (one - other).square().mean() / quarter
    return [100 * float(part) / whole for part in parts]


@lru_cache(maxsize=32)  # a mistake often differs from what is right in the last step only
def _answers(
    largest: float, generator: int, kind: str, axis: int, question: bool, labels: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """What the rule answers to the examples as drawn and in reverse, and the label."""
    points, M = _drawn(generator), LAW.length
    moved = reshaped(points, partial(_at, axis=axis, value=largest))
    x, y = moved.x.clone(), moved.y.clone()
    if not question:
        x[:, M], y[:, M] = points.x[:, M], points.y[:, M]
    y = y if labels else points.y
    rule = rules(STRETCHED, kind)[0].float().double()  # whatever the default type
    back = [*range(M - 1, -1, -1), M]
    one, other = (
        at_every_point(rule, x[:, row], y[:, row])[:, M] for row in ([*range(M + 1)], back)
    )
    return one, other, y[:, M]


def _drawn(generator: int) -> Points:
    x, y = LAW.sample(512, LAW.length + 1, generator=generator)
    return Points(x.double(), y.double())


def _at(values: Tensor, *, axis: int, value: float) -> Tensor:
    result = values.clone()
    result[:, axis] = value
    return result


STRETCH_ONE_AXIS = Exercise(
    number="8.1",
    label="ex-stretch-one-axis",
    asks="what the rule leaves, and its variance over an order and its reverse, two numbers in per "
    "cent of silence's risk on these prompts: largest eigenvalue {largest}, generator {generator}",
    draw=lambda rng: {
        "largest": rng.choice([3.2, 3.3, 3.4, 3.6]),
        "generator": rng.randint(100, 999),
    },
    book={"largest": 3.5, "generator": 8},
    solve=_stretched,
    mistakes=(
        Mistake(
            "the question is a point, too: it is stretched like the examples",
            partial(_stretched, question=False),
        ),
        Mistake(
            "the labels are those of the points before they were stretched",
            partial(_stretched, labels=False),
        ),
        Mistake(
            "that is the axis of the smallest eigenvalue; torch and numpy sort them upwards",
            partial(_stretched, axis=0),
        ),
        Mistake("that is the normalised rule", partial(_stretched, kind="normalised")),
        Mistake("that is the rule whose points stay", partial(_stretched, kind="still")),
        Mistake(
            "two answers differ by twice their distance from their mean: a quarter of the square",
            partial(_stretched, quarter=1.0),
        ),
        Mistake(
            "a half of the squared difference is unbiased for two of many orders; the variance of "
            "these two is a quarter",
            partial(_stretched, quarter=2.0),
        ),
        Mistake(
            "silence's risk is not d here: stretched labels are larger",
            partial(_stretched, loud=False),
        ),
        Mistake(
            "what it leaves comes first, then the variance",
            lambda largest, generator: _stretched(largest, generator)[::-1],
        ),
    ),
    hints=(
        "reshaped moves eigenvalues, and makes the labels anew.",
        "Put the first 40 points and labels in reverse order; the question stays last.",
        "Two answers have the variance of a quarter of their squared difference.",
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


def _two_blocks(
    first: float,
    second: float,
    *,
    moved: int = 2,
    squared: bool = True,
) -> list[float]:
    """What is left at λ = 1 of silence's risk, and the λ from which on it is more than silence's.

    The first block leaves (1 - b₁λ) of question and points, so λ becomes λ(1 - b₁λ)²; ``moved`` is
    the power that a student takes there.
    """
    shrunk = Polynomial([1, -first])
    gained = second * Polynomial([0, 1]) * shrunk**moved
    miss = shrunk * (1 - gained)
    ends = [complex(end) for sign in (1, -1) for end in (miss - sign).roots()]
    far = min(end.real for end in ends if abs(end.imag) < 1e-9 and end.real > 1e-6)
    return [float(miss(1.0)) ** (1 + squared), far]


TWO_BLOCKS = Exercise(
    number="8.4",
    label="ex-two-blocks",
    asks="two numbers: the share of silence's risk that is left at λ = 1, and the λ from which on "
    "more is left than by silence, for b₁ = {first} and b₂ = {second}",
    draw=lambda rng: {
        "first": rng.choice([0.3, 0.35, 0.4, 0.45]),
        "second": rng.choice([0.7, 0.8, 0.9, 1.1]),
    },
    book={"first": 0.5, "second": 1.0},
    solve=_two_blocks,
    mistakes=(
        Mistake(
            "those are two plain steps; the second block meets points that have moved",
            partial(_two_blocks, moved=0),
        ),
        Mistake(
            "in an inner product both points have moved, the question too: the factor is squared",
            partial(_two_blocks, moved=1),
        ),
        Mistake(
            "the first is what is left of the answer; its risk is the square",
            partial(_two_blocks, squared=False),
        ),
        Mistake(
            "what is left comes first, then the eigenvalue",
            lambda first, second: _two_blocks(first, second)[::-1],
        ),
    ),
    hints=(
        "Follow one direction: what does a block do to the question, and to the points?",
        "The second block has another eigenvalue, λ(1 − b₁λ)².",
        "What is left is a product of two factors; it is as large as silence where it is 1 or −1.",
    ),
)

# 8.5


def _held(
    steps: int,
    power: float | int,
    *,
    labels: bool = True,
    question: bool = False,
) -> list[float]:
    """Mean distance from the recorded models of adaptive steps on examples over a power of |x|."""

    def rule(given: Prompts) -> Tensor:
        size, asked = given.x.norm(dim=-1) ** power, given.x_query.norm(dim=-1) ** power
        return conjugate_gradient(
            given._replace(
                x=given.x / size.unsqueeze(-1),
                y=given.y / size if labels else given.y,
                x_query=given.x_query / asked.unsqueeze(-1) if question else given.x_query,
            ),
            steps,
        )

    found: list[float] = apart(rule, STRETCHED).models.mean(0).tolist()
    return found


HOLD_A_RULE = Exercise(
    number="8.5",
    label="ex-hold-a-rule",
    asks="two numbers in per cent, after 20 and after 40 examples: the mean distance from the "
    "recorded models of {steps} adaptive steps on examples that are divided by the power {power} "
    "of the length of their point",
    draw=lambda rng: {
        "steps": rng.choice([5, 6]),
        "power": rng.choice([0.4, 0.5, 0.6, 1.4, 1.5, 1.6]),
    },
    book={"steps": 7, "power": 1},
    solve=_held,
    mistakes=(
        Mistake(
            "an example is a point and its label: divide both",
            partial(_held, labels=False),
        ),
        Mistake("the question stays as it is", partial(_held, question=True)),
        Mistake(
            "those are the steps on the points as they are",
            lambda steps, power: _held(steps, 0),
        ),
        Mistake(
            "that is divided twice by this power",
            lambda steps, power: _held(steps, 2 * power),
        ),
        Mistake(
            "after 20 examples first, then after 40",
            lambda steps, power: _held(steps, power)[::-1],
        ),
    ),
    hints=(
        "A rule takes prompts and returns a prediction for each: apart asks it.",
        "prompts._replace(x=..., y=...) are the same prompts with other examples.",
        "apart(rule).models has a row for each model and a column for each length.",
    ),
)

EXERCISES = (STRETCH_ONE_AXIS, ORDERS, STEPS_ENOUGH, TWO_BLOCKS, HOLD_A_RULE)
