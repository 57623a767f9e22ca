"""The exercises of chapter 9: without the idealisations of the theorems."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from linear_icl.landscape import FullParameters

from ._exercise import Exercise, Mistake

VARIANCES = np.array([2.0, 0.5])  # Λ of the running example, with N = 8
LENGTH = 8


def _gamma(lam: Any, total: Any, N: int, *, own: float = 1.0, trace: float = 1.0) -> Any:
    """(1 + 1/N)λ + trΛ/N, of one eigenvalue or of several; a mistake has another own or trace."""
    return lam * (1 + own / N) + trace * total / N


# 9.1


def _flattest(
    strength: float, d: int, N: int, *, own: float = 1.0, trace: float = 1.0, side: float = 0.5
) -> list[float]:
    """(u, ratio): the flattest minimum for Λ = strength I is where u² = dᵖ/γ with p = ½."""
    gamma = _gamma(strength, d * strength, N, own=own, trace=trace)
    return [math.sqrt(d**side / gamma), 1.0]


FLATTEST = Exercise(
    number="9.1",
    label="ex-flattest",
    asks="u at the flattest minimum, and the longest stable step there over that at balance, "
    "two numbers, for Λ = {strength} I, d = {d}, N = {N}",
    draw=lambda rng: {
        "strength": rng.choice([0.5, 1.5, 2.0, 3.0]),
        "d": rng.choice([2, 3, 5, 6, 9]),
        "N": rng.randint(4, 20),
    },
    book={"strength": 1.0, "d": 4, "N": 8},
    solve=_flattest,
    mistakes=(
        Mistake(
            "the first number is u²; u is wanted",
            lambda strength, d, N: [_flattest(strength, d, N)[0] ** 2, 1.0],
        ),
        Mistake("d stands where √d belongs: u⁴ is d/γ²", partial(_flattest, side=1.0)),
        Mistake(
            "1 stands where √d belongs: d equal entries have the eigenvalue d times one",
            partial(_flattest, side=0.0),
        ),
        Mistake(
            "γ is that of endless contexts; it has (1 + 1/N)λ + dλ/N",
            partial(_flattest, own=0.0, trace=0.0),
        ),
        Mistake("γ contains the trace: dλ/N is left out", partial(_flattest, trace=0.0)),
        Mistake(
            "λ is left out of γ",
            lambda strength, d, N: _flattest(1.0, d, N),
        ),
    ),
    hints=(
        "With equal eigenvalues the first matrix is a multiple of I, and the second of the ones.",
        "The largest eigenvalue of their sum belongs to the vector of ones. Make it small.",
        "Compare what you find with the u of balance.",
    ),
)

# 9.2


def _stair(
    eigenvalues: Sequence[float],
    N: int,
    size: float,
    *,
    own: float = 1.0,
    trace: float = 1.0,
    root: float = 3.0,
    power: float = 2.0,
    before: float = 1.0,
) -> list[float]:
    """(u, length): u = γ₁^(−1/3) on the stair, and the clock runs at this rate."""
    strong, weak = eigenvalues
    u = _gamma(strong, strong + weak, N, own=own, trace=trace) ** (-1 / root)
    return [u, (1 / weak**power - before / strong**power) * math.log(1 / size) / u]


def _by_clock(eigenvalues: Sequence[float], N: int, size: float) -> list[float]:
    """The right u, and the length without the division by it."""
    u, length = _stair(eigenvalues, N, size)
    return [u, u * length]


STAIR = Exercise(
    number="9.2",
    label="ex-stair",
    asks="u on the stair, and the length of the stair in time, two numbers, for "
    "Λ = diag{eigenvalues}, N = {N}, from {size}",
    draw=lambda rng: {
        "eigenvalues": (rng.choice([2.5, 3.0, 4.0]), rng.choice([0.4, 0.6, 0.8])),
        "N": rng.randint(4, 20),
        "size": rng.choice([0.01, 0.02, 0.05]),
    },
    book={"eigenvalues": (2.0, 0.5), "N": 8, "size": 0.03},
    solve=_stair,
    mistakes=(
        Mistake(
            "that is the u of merged weights: apart, it is k₁² that equals u², not U₁₁²",
            partial(_stair, root=2.0),
        ),
        Mistake(
            "γ₁ is that of endless contexts; it has (1 + 1/N)λ₁ + (λ₁ + λ₂)/N",
            partial(_stair, own=0.0, trace=0.0),
        ),
        Mistake("γ₁ contains the trace: (λ₁ + λ₂)/N is left out", partial(_stair, trace=0.0)),
        Mistake("the length is shown by the clock; divide by u to have it in time", _by_clock),
        Mistake(
            "the wait of the weak direction begins at the start, not on the stair: take off that "
            "of the strong one",
            partial(_stair, before=0.0),
        ),
        Mistake("key and query grow at the rate uλ², not uλ", partial(_stair, power=1.0)),
    ),
    hints=(
        "While the strong direction grows alone, what is conserved of its key and u?",
        "On the stair u γ₁ k₁² = 1. By the clock ∫u the direction i comes at ln(1/u₀)/λ_i².",
        "On the stair u hardly changes, so the clock runs at the rate u.",
    ),
)

# 9.3


def _head_start(chance: float) -> float:
    """f with P(|X| > f|Y|) = chance, by bisection; the probability is an integral."""
    x = (np.arange(4000) + 0.5) * 0.002
    mass = 2 * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) * 0.002

    def probability(f: float) -> float:
        within = torch.erf(torch.from_numpy(x / (f * math.sqrt(2))))
        return float(mass @ within.numpy())

    low, high = 0.0, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle) > chance else (low, middle)
    return (low + high) / 2


HEAD_START = Exercise(
    number="9.3",
    label="ex-head-start",
    asks="the f of the formula, a number, for which a share of {chance} of the runs succeeds",
    draw=lambda rng: {"chance": rng.randint(55, 89) / 100},
    book={"chance": 0.9},
    solve=_head_start,
    mistakes=(
        Mistake("that is the share that fails", lambda chance: 1 - chance),
        Mistake(
            "that f goes with a share that fails, not one that succeeds",
            lambda chance: math.tan(math.pi / 2 * chance),
        ),
        Mistake(
            "1 − (2/π) arctan f, not 1 − (1/π) arctan f: both signs count",
            lambda chance: math.tan(math.pi * (1 - chance)),
        ),
        Mistake(
            "sin stands where tan belongs: the amplitudes are the two legs",
            lambda chance: math.sin(math.pi / 2 * (1 - chance)),
        ),
        Mistake("the tangent is left out", lambda chance: math.pi / 2 * (1 - chance)),
    ),
    hints=(
        "For g = 1 the right mode is ahead where |Z| > f|Z′|. Draw (Z, Z′), two independent normal "
        "numbers of one size, as a point in the plane.",
        "|Z| > f|Z′| holds inside two opposite sectors. How wide are they?",
    ),
)

# 9.4


@cache
def _excesses(B: int, runs: int = 200) -> np.ndarray:
    """Excess risk of the layer fitted exactly to B prompts, as a share of the best, (runs,).

    Damped Gauss-Newton steps from the population's minimum, in the eight weights beside u = 1
    that reach the prediction.
    """
    rng = np.random.default_rng(0)
    count, root = B * runs, np.sqrt(VARIANCES)
    w = rng.standard_normal((count, 2))
    x = rng.standard_normal((count, LENGTH + 1, 2)) * root  # the query last
    y = (x @ w[..., None])[..., 0]
    goal = y[:, -1].reshape(runs, B)
    E = np.concatenate([x, y[..., None]], -1)
    E[:, -1, -1] = 0
    moment = (E.transpose(0, 2, 1) @ E / LENGTH).reshape(runs, B, 3, 3)
    query = np.ascontiguousarray(x[:, -1]).reshape(runs, B, 2)

    gamma = _gamma(VARIANCES, VARIANCES.sum(), LENGTH)
    values = np.tile([0.0, 0.0, 1.0], (runs, 1))
    keys = np.tile(np.concatenate([np.diag(1 / gamma), np.zeros((1, 2))]), (runs, 1, 1))
    for _ in range(4):
        seen = (moment @ (keys[:, None] @ query[..., None]))[..., 0]
        read = (values[:, None, None] @ moment)[..., 0, :]
        slopes = (read[..., None] * query[:, :, None]).reshape(runs, B, 6)
        J = np.concatenate([seen[..., :2], slopes], -1)
        wrong = (seen * values[:, None]).sum(-1) - goal
        square = J.transpose(0, 2, 1) @ J
        square += 1e-3 * square.diagonal(axis1=1, axis2=2)[..., None] * np.eye(8)
        step = np.linalg.solve(square, J.transpose(0, 2, 1) @ wrong[..., None])[..., 0]
        values[:, :2] -= step[:, :2]
        keys -= step[:, 2:].reshape(runs, 3, 2)

    W_KQ, W_PV = np.zeros((2, runs, 3, 3))
    W_KQ[..., :2], W_PV[:, 2] = keys, values
    full = FullParameters(torch.diag(torch.tensor(VARIANCES)), LENGTH)
    gap = full.gap(torch.from_numpy(W_KQ), torch.from_numpy(W_PV))
    return np.asarray(2 * gap.numpy() / _best())


def _best() -> float:
    """The least risk of the layer, Σλ(1 − λ/γ)."""
    gamma = _gamma(VARIANCES, VARIANCES.sum(), LENGTH)
    return float((VARIANCES * (1 - VARIANCES / gamma)).sum())


def _how_many(share: float, *, quantile: float = 0.5) -> float:
    """B where this quantile of the excess is the share; it falls nearly like 1/B."""
    times_B = [B * float(np.quantile(_excesses(B), quantile)) for B in (100, 200, 400)]
    return float(np.mean(times_B)) / share


HOW_MANY = Exercise(
    number="9.4",
    label="ex-how-many",
    asks="B, a number to within a quarter, at which the median excess is {share} of the best risk",
    draw=lambda rng: {"share": rng.choice([5, 6, 7, 8, 10, 12, 14, 15, 16, 18, 25]) / 100},
    book={"share": 0.2},
    solve=_how_many,
    mistakes=(
        Mistake(
            "that is for the excess of the loss, half of that of the risk",
            lambda share: _how_many(share) / 2,
        ),
        Mistake(
            "the excess is a share of the best risk, not of one",
            lambda share: _how_many(share) * _best(),
        ),
        Mistake(
            "that is for three runs of four; the median is wanted",
            partial(_how_many, quantile=0.75),
        ),
        Mistake(
            "weights over prompts is the rule for errors of one size; here few prompts carry "
            "much of the error",
            lambda share: 8 / share,
        ),
    ),
    hints=(
        "The page's fitted(B, runs) returns the excess of every run. Divide it by the best risk.",
        "Try 80, 160 and 320 prompts: how does the median fall when B is doubled?",
        "B times the median is nearly constant. With sixty runs it is known to about a tenth.",
    ),
    # The median of sixty runs of the student's own has a standard error of about a tenth.
    tolerance=0.25,
)

# 9.5


def _floors(low: float, high: float, *, weight: int = 1) -> list[float]:
    """E λF² at the best F of degree one and two with F(0) = 1, by quadrature."""
    nodes, mass = np.polynomial.legendre.leggauss(12)
    lam = (low + high) / 2 + (high - low) / 2 * nodes
    root = np.sqrt(mass / 2 * lam**weight)
    floors = []
    for degree in (1, 2):
        powers = root[:, None] * lam[:, None] ** np.arange(1, degree + 1)
        best = np.linalg.lstsq(powers, root, rcond=None)[0]
        floors.append(float(np.square(root - powers @ best).sum()))
    return floors


def _same_twice(low: float, high: float) -> list[float]:
    """The best single step, made once and twice."""
    nodes, mass = np.polynomial.legendre.leggauss(12)
    lam = (low + high) / 2 + (high - low) / 2 * nodes
    weight = mass / 2 * lam
    a = float(weight @ lam) / float(weight @ lam**2)
    return [float(weight @ (1 - a * lam) ** power) for power in (2, 4)]


def _draw_depth(rng: random.Random) -> dict[str, Any]:
    return {"low": rng.randint(1, 9) / 20, "high": rng.randint(4, 16) / 4}


DEPTH_RANDOM = Exercise(
    number="9.5",
    label="ex-depth-random",
    asks="risk/d after the best plain step and after the best two, two numbers, for endless "
    "contexts and eigenvalues uniform on [{low}, {high}]",
    draw=_draw_depth,
    book={"low": 0.0, "high": 2.0},
    solve=_floors,
    mistakes=(
        Mistake(
            "the query has the variance λ: the mean is of λF², not of F²",
            partial(_floors, weight=0),
        ),
        Mistake("that is the best single step, made twice; the two may differ", _same_twice),
        Mistake(
            "risks do not multiply: the second step is chosen together with the first",
            lambda low, high: [
                _floors(low, high)[0],
                2 * _floors(low, high)[0] ** 2 / (low + high),
            ],
        ),
        Mistake(
            "that is the risk for d = 2; risk/d is wanted",
            lambda low, high: [2 * floor for floor in _floors(low, high)],
        ),
        Mistake(
            "that is a share of the risk of zero; risk/d itself is wanted",
            lambda low, high: [2 * floor / (low + high) for floor in _floors(low, high)],
        ),
        Mistake(
            "the second is the mean of F², without the weight λ",
            lambda low, high: [_floors(low, high)[0], _floors(low, high, weight=0)[1]],
        ),
    ),
    hints=(
        "With endless contexts n plain steps multiply the error along an eigenvector by a "
        "polynomial of degree n, which is one at λ = 0.",
        "For two steps write it 1 − sλ + pλ²: the risk is quadratic in s and p.",
        "risk/d is the mean of λ times the square of that polynomial: only moments of λ enter.",
    ),
)

# 9.6


def _one_task(
    variances: Sequence[float], met: Sequence[float], new: Sequence[float], *, power: float = 0.5
) -> list[float]:
    """(multiple of w, risk): P projects on Λᵖw, with p = ½, and the answer is Λ⁻ᵖPΛᵖv."""
    lam, w, v = (np.asarray(one, dtype=float) for one in (variances, met, new))
    seen = lam**power * w
    along = float(seen @ (lam**power * v)) / float(seen @ seen)
    return [along, float(lam.sum() - seen @ (lam * seen) / (seen @ seen))]


ONE_TASK = Exercise(
    number="9.6",
    label="ex-few-tasks",
    asks="c, where ŵ = c·w is the answer to the task v, and the risk on new tasks, two numbers, "
    "for Λ = diag{variances}, w = {met}, v = {new}",
    draw=lambda rng: {
        "variances": (rng.choice([3.0, 4.0, 5.0]), rng.choice([0.5, 1.0, 2.0])),
        "met": (float(rng.randint(1, 3)), float(rng.choice([-2, -1, 1, 2]))),
        "new": (float(rng.choice([-3, 2, 5])), float(rng.choice([4, 7]))),
    },
    book={"variances": (2.0, 0.5), "met": (1.0, 1.0), "new": (0.0, 1.0)},
    solve=_one_task,
    mistakes=(
        Mistake(
            "v is projected on w as if Λ were I; P projects Λ^½v on Λ^½w",
            partial(_one_task, power=0.0),
        ),
        Mistake(
            "P projects on Λ^½w, not on the Λw that the context shows",
            partial(_one_task, power=1.0),
        ),
        Mistake(
            "the second is max(d − K, 0), which is for Λ = I",
            lambda variances, met, new: [_one_task(variances, met, new)[0], 1.0],
        ),
        Mistake(
            "the second is what the layer knows; wanted is what it does not",
            lambda variances, met, new: [
                _one_task(variances, met, new)[0],
                sum(variances) - _one_task(variances, met, new)[1],
            ],
        ),
        Mistake(
            "the second is the loss, which is half of the risk",
            lambda variances, met, new: [
                _one_task(variances, met, new)[0],
                _one_task(variances, met, new)[1] / 2,
            ],
        ),
    ),
    hints=(
        "With one task P projects on one vector. Which?",
        "In an endless context m = Λv, and the step is Λ^-½ P Λ^-½.",
        "The trace of PΛ is wᵀΛ²w over wᵀΛw.",
    ),
)

EXERCISES = (FLATTEST, STAIR, HEAD_START, HOW_MANY, DEPTH_RANDOM, ONE_TASK)
