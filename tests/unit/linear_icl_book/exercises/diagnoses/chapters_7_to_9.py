"""Exercises 7.1 to 9.6."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from linear_icl import gd_beta
from linear_icl.landscape import FixedCovariance
from linear_icl.settings import Setting

from .. import routes_7_to_9 as routes
from . import Told


def one_point(n: Any, fourth: float) -> list[float]:
    """A = ΛΨΛ/Ω and ΛΨ(1 − 2Λ·A + A²·E x⁴), E x⁴ = fourth·Λ²: the least risk for it."""
    step = 1 / (fourth * n.h)
    return [step, n.h * n.psi * (1 - 2 * step * n.h + step**2 * fourth * n.h**2)]


def priced(n: Any, start: float, step: torch.Tensor | None = None) -> float:
    """The risk of the start start·β* above the best, by default with its own best step."""
    case = routes.running(n.M, n.noise_variance)
    miss = (1 - start) * case.beta_star
    wider = case.replace(Psi=routes.ONE + torch.outer(miss, miss))
    step = gd_beta.optimum(wider).A if step is None else step
    return float(gd_beta.risk(case, start * case.beta_star, step) - gd_beta.optimum(case).risk)


def least(n: Any) -> float:
    return float(gd_beta.optimum(routes.running(n.M, n.noise_variance)).risk)


def kept(n: Any, of: Callable[..., Any]) -> float:
    """What seems saved with the step of this optimum."""
    step = of(routes.running(n.M, n.noise_variance)).A
    return 1 - priced(n, n.start, step) / priced(n, 0)


def squared(n: Any, square: float, tau: float, w: Any = None) -> list[float]:
    """E τ̂²‖u₂₁‖²_Λ, and with τ² taken off."""
    size = 2 * n.w[0] ** 2 + n.w[1] ** 2 / 2 if w is None else w
    return [square * size, (square - tau**2) * size]


def hat(n: Any, tau: float) -> Any:
    """E τ̂² for this τ, Σφᵢ² = 4 + ¼."""
    return (1 + 2 / n.M) * (tau**2 + 2 * 4.25)


def tau(n: Any) -> float:
    return 2.5 + float(n.noise_variance)


def moved(n: Any, sign: float, own: bool) -> list[float]:
    """Costs by the weights: r = β* and r = β* + sign·τu₂₁, with U moved as well or not."""
    case, w = routes.running(n.M, n.noise_variance), routes.tensor(n.w)
    U = gd_beta.optimum(case).A.T - own * torch.outer(case.beta_star, w)
    return [routes.cost(case, w, U, q) for q in (0 * w, sign * case.tau * w)]


def borders(n: Any, held: Callable[..., bool], noise: float | None = None) -> list[int]:
    """The largest M for which the condition holds, without noise and with it."""
    found = []
    for variance in (0.0, n.noise_variance if noise is None else noise):
        total, M = 2 + n.h + variance, 1
        while held(M, 2 * M / (2 * (M + 1) + total), total**2 + (M + 2) * (4 + n.h**2)):
            M += 1
        found.append(M - 1)
    return found


def two_orders(
    n: Any, divide: float = 4, silence: float | None = None, **options: Any
) -> list[float]:
    """What is left and what the order moves, by the other route, with something wrong."""
    (one, other), label = routes.stretched(n.largest, n.generator, **options)
    whole = float(label.square().mean()) if silence is None else silence
    miss, moved = float((one - label).square().mean()), float((one - other).square().mean())
    return [100 * miss / whole, 100 * moved / divide / whole]


def with_orders(n: Any, share: float) -> list[float]:
    """V and the rest if the mean of the orders had this share of V."""
    V = (n.once - n.averaged) / (1 - share)
    return [V, n.once - V]


def least_n(n: Any, ratio: float, first: int = 0) -> int:
    """The least n for which ratio^first + … + ratio^n is at least 100/percent."""
    return next(
        k for k in range(999) if sum(ratio**j for j in range(first, k + 1)) * n.percent > 99.999999
    )


def left_and_end(miss: Callable[[float], float]) -> list[float]:
    """The square at one, and where the size first is above one, by bisection."""
    high = next(k / 1000 for k in range(1, 20_000) if abs(miss(k / 1000)) > 1)
    low = high - 1e-3
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if abs(miss(middle)) <= 1 else (low, middle)
    return [miss(1.0) ** 2, low]


def flat(n: Any, product: float, gamma: float | None = None) -> list[float]:
    gamma = n.strength * (1 + (n.d + 1) / n.N) if gamma is None else gamma
    return [math.sqrt(product / gamma), 1]


def on_stair(right: Any, u: float) -> list[float]:
    """Another u, and the length that goes with it: their product is the wait by the clock."""
    return [u, right[0] * right[1] / u]


def best_risk() -> float:
    return float(2 * FixedCovariance(routes.H, 8).minimum + routes.H.trace())


def uniform(n: Any, k: int) -> float:
    return float((n.high ** (k + 1) - n.low ** (k + 1)) / ((k + 1) * (n.high - n.low)))


def floors(n: Any, weight: int) -> list[float]:
    """E λ^weight F² at the best F of degree one and two."""
    found = []
    for degree in (1, 2):
        k = range(1, degree + 1)
        pull = np.array([uniform(n, weight + i) for i in k])
        square = np.array([[uniform(n, weight + i + j) for j in k] for i in k])
        found.append(uniform(n, weight) - float(pull @ np.linalg.solve(square, pull)))
    return found


def twice(n: Any, r: Any) -> list[float]:
    """E λ(1 − aλ)⁴ at the a of the best single step."""
    a = uniform(n, 2) / uniform(n, 3)
    return [r[0], sum(math.comb(4, k) * (-a) ** k * uniform(n, k + 1) for k in range(5))]


def knowing(n: Any, power: float) -> list[float]:
    """P on Λᵖw: c in Λ⁻ᵖPΛᵖv = c·w, and tr Λ − tr PΛ."""
    Lambda, scale = np.diag(n.variances), np.diag(np.array(n.variances) ** power)
    line = scale @ np.array(n.met)
    P = np.outer(line, line) / (line @ line)
    answer = np.linalg.inv(scale) @ P @ scale @ np.array(n.new)
    assert abs(answer[0] * n.met[1] - answer[1] * n.met[0]) < 1e-9
    return [answer[0] / n.met[0], float(np.trace(Lambda) - np.trace(P @ Lambda))]


def swap(values: Sequence[Any]) -> list[Any]:
    return [values[1], values[0]]


TOLD: Told = {
    "7.1": {
        "E x⁴ is 3Λ², not Λ²: one point does not have S = Λ": lambda n, r: one_point(n, 1),
        "τ is left out of Ω; without noise it is still tr(ΛΨ)": lambda n, r: one_point(n, 2),
        "that is the Newton step, the best for M → ∞, and its risk at M = 1": (
            lambda n, r: [1 / n.h, n.h * n.psi * (1 - 2 + 3)]
        ),
        "the risk has no ½; that is the loss": lambda n, r: [r[0], r[1] / 2],
        "the first number is the share of a Newton step; A* is it divided by Λ": (
            lambda n, r: [r[0] * n.h, r[1]]
        ),
    },
    "7.2": {
        "the price is not quadratic in what the start misses, because the step adapts": (
            lambda n, r: 1 - (1 - n.start) ** 2
        ),
        "the price is not proportional to what the start misses": lambda n, r: 1 - (1 - n.start),
        "that is the share of the price that remains": (
            lambda n, r: priced(n, n.start) / priced(n, 0)
        ),
        "the price is what a risk has above min R; that is the share of the whole risk": (
            lambda n, r: 1 - (priced(n, n.start) + least(n)) / (priced(n, 0) + least(n))
        ),
        "A* is the best step from β* only; this start has a better one": (
            lambda n, r: kept(n, gd_beta.optimum)
        ),
        "the step is still that of GD-0; this start has a better one": (
            lambda n, r: kept(n, gd_beta.gd_zero)
        ),
        "what counts is what the start misses, and not β": (
            lambda n, r: 1 - priced(n, 1 - n.start) / priced(n, 0)
        ),
    },
    "7.3": {
        "‖u₂₁‖² stands where ‖u₂₁‖²_Λ belongs: the query has the covariance Λ": (
            lambda n, r: squared(n, hat(n, tau(n)), tau(n), w=n.w[0] ** 2 + n.w[1] ** 2)
        ),
        "the fluctuation of τ̂ is left out: E τ̂² is more than τ²": (
            lambda n, r: squared(n, tau(n) ** 2, tau(n))
        ),
        "the zᵢ of a prompt share their task, so they are not independent: 2Σφᵢ² is missing": (
            lambda n, r: squared(n, (1 + 2 / n.M) * tau(n) ** 2, tau(n))
        ),
        "that is E τ̂² for endless contexts; the factor 1 + 2/M is missing": (
            lambda n, r: squared(n, hat(n, tau(n)) * n.M / (n.M + 2), tau(n))
        ),
        "τ contains the noise: it is tr(ΛΨ) + σ²": lambda n, r: squared(n, hat(n, 2.5), 2.5),
        "r moves the wrong way: r − β* must take the mean of uτ̂u₂₁ away, so r = β* − τu₂₁": (
            lambda n, r: moved(n, 1, True)
        ),
        "U must move too: Ū = U + β*u₂₁ᵀ is to stay, so U = A*ᵀ − β*u₂₁ᵀ": (
            lambda n, r: moved(n, -1, False)
        ),
    },
    "7.4": {
        "that is A*, where the path ends": lambda n, r: (
            gd_beta.optimum(Setting([[1.0]], [[1.0]], [1.0], n.noise_variance, n.M)).A
        ),
        "that is the Newton step; a short context calls for less": lambda n, r: 1.0,
        "for d = 1 the mean of S² is 1 + 2/M, not 1 + 1/M": lambda n, r: 1 / (1 + 1 / n.M),
        "that is what such a step leaves of ‖β̄‖²_Λ, not the step": (
            lambda n, r: 1 - 2 * r + r**2 * (1 + 2 / n.M)
        ),
    },
    "7.5": {
        "these are the first lengths at which it is none; one less is wanted": (
            lambda n, r: [int(one) + 1 for one in r]
        ),
        "noise is left out of τ; it moves the border": lambda n, r: [int(r[0]), int(r[0])],
        "the factor 2 in front of s₁² is left out": lambda n, r: borders(
            n, lambda M, s, inside: s**2 * (inside - 4) > M**2 * n.h**2
        ),
        "φ₁² is not taken off in the bracket": lambda n, r: borders(
            n, lambda M, s, inside: 2 * s**2 * inside > M**2 * n.h**2
        ),
        "on the right the sum begins at i = 2": lambda n, r: borders(
            n, lambda M, s, inside: 2 * s**2 * (inside - 4) > M**2 * (4 + n.h**2)
        ),
        "s₁ is the share of a Newton step, below one": lambda n, r: borders(
            n, lambda M, s, inside: 2 * (inside - 4) > M**2 * n.h**2
        ),
    },
    "8.1": {
        "the question is a point, too: it is stretched like the examples": (
            lambda n, r: two_orders(n, question=False)
        ),
        "the labels are those of the points before they were stretched": (
            lambda n, r: two_orders(n, label=False)
        ),
        "that is the axis of the smallest eigenvalue; torch and numpy sort them upwards": (
            lambda n, r: two_orders(n, which=-1)
        ),
        "that is the normalised rule": lambda n, r: two_orders(n, kind="normalised"),
        "that is the rule whose points stay": lambda n, r: two_orders(n, kind="still"),
        "two answers differ by twice their distance from their mean: a quarter of the square": (
            lambda n, r: two_orders(n, divide=1)
        ),
        "a half of the squared difference is unbiased for two of many orders; the variance of "
        "these two is a quarter": lambda n, r: two_orders(n, divide=2),
        "silence's risk is not d here: stretched labels are larger": (
            lambda n, r: two_orders(n, silence=20)
        ),
        "what it leaves comes first, then the variance": lambda n, r: swap(r),
    },
    "8.2": {
        "the mean of a few orders still has a share of V: one over their number": (
            lambda n, r: [n.once - n.averaged, n.averaged]
        ),
        "V is a variance: the mean of K has V/K, not V/K²": (
            lambda n, r: with_orders(n, n.K**-2.0)
        ),
        "that is the standard deviation of an answer; V is its square": (
            lambda n, r: [math.sqrt(r[0]), r[1]]
        ),
        "V first, then what is left": lambda n, r: swap(r),
    },
    "8.3": {
        "the sum starts with 1, the risk of silence over itself": (
            lambda n, r: [least_n(n, n.ratio, 1), least_n(n, 1, 1)]
        ),
        "n steps have n + 1 terms: the last power is n": lambda n, r: [int(one) + 1 for one in r],
        "for N = d the powers do not grow: each step adds only 1 to the sum": (
            lambda n, r: [int(r[0])] * 2
        ),
        "that leaves a little too much: round up": lambda n, r: [int(one) - 1 for one in r],
        "the first is for N = d, the second for more examples": lambda n, r: swap(r),
    },
    "8.4": {
        "those are two plain steps; the second block meets points that have moved": (
            lambda n, r: left_and_end(lambda v: (1 - n.first * v) * (1 - n.second * v))
        ),
        "in an inner product both points have moved, the question too: the factor is squared": (
            lambda n, r: left_and_end(
                lambda v: (1 - n.first * v) * (1 - n.second * v * (1 - n.first * v))
            )
        ),
        "the first is what is left of the answer; its risk is the square": (
            lambda n, r: [routes.after_two_blocks(n.first, n.second, 1.0), r[1]]
        ),
        "what is left comes first, then the eigenvalue": lambda n, r: swap(r),
    },
    "8.5": {
        "an example is a point and its label: divide both": (
            lambda n, r: routes.hold_a_rule(n.steps, n.power, labels=False)
        ),
        "the question stays as it is": (
            lambda n, r: routes.hold_a_rule(n.steps, n.power, question=True)
        ),
        "those are the steps on the points as they are": (
            lambda n, r: routes.hold_a_rule(n.steps, 0)
        ),
        "that is divided twice by this power": (
            lambda n, r: routes.hold_a_rule(n.steps, 2 * n.power)
        ),
        "after 20 examples first, then after 40": lambda n, r: swap(r),
    },
    "9.1": {
        "the first number is u²; u is wanted": lambda n, r: [r[0] ** 2, r[1]],
        "d stands where √d belongs: u⁴ is d/γ²": lambda n, r: flat(n, n.d),
        "1 stands where √d belongs: d equal entries have the eigenvalue d times one": (
            lambda n, r: flat(n, 1)
        ),
        "γ is that of endless contexts; it has (1 + 1/N)λ + dλ/N": (
            lambda n, r: flat(n, math.sqrt(n.d), n.strength)
        ),
        "γ contains the trace: dλ/N is left out": (
            lambda n, r: flat(n, math.sqrt(n.d), n.strength * (1 + 1 / n.N))
        ),
        "λ is left out of γ": lambda n, r: flat(n, math.sqrt(n.d), 1 + (1 + n.d) / n.N),
    },
    "9.2": {
        "that is the u of merged weights: apart, it is k₁² that equals u², not U₁₁²": (
            lambda n, r: on_stair(r, r[0] ** 1.5)
        ),
        "γ₁ is that of endless contexts; it has (1 + 1/N)λ₁ + (λ₁ + λ₂)/N": (
            lambda n, r: on_stair(r, n.eigenvalues[0] ** (-1 / 3))
        ),
        "γ₁ contains the trace: (λ₁ + λ₂)/N is left out": (
            lambda n, r: on_stair(r, (n.eigenvalues[0] * (1 + 1 / n.N)) ** (-1 / 3))
        ),
        "the length is shown by the clock; divide by u to have it in time": (
            lambda n, r: [r[0], r[0] * r[1]]
        ),
        "the wait of the weak direction begins at the start, not on the stair: take off that of "
        "the strong one": lambda n, r: [
            r[0],
            -math.log(n.size) / n.eigenvalues[1] ** 2 / r[0],
        ],
        "key and query grow at the rate uλ², not uλ": lambda n, r: [
            r[0],
            -math.log(n.size) * (1 / n.eigenvalues[1] - 1 / n.eigenvalues[0]) / r[0],
        ],
    },
    "9.3": {
        "that is the share that fails": lambda n, r: 2 / math.pi * math.atan(r),
        "that f goes with a share that fails, not one that succeeds": (
            lambda n, r: math.tan(n.chance * math.pi / 2)
        ),
        "1 − (2/π) arctan f, not 1 − (1/π) arctan f: both signs count": (
            lambda n, r: math.tan(math.pi * (1 - n.chance))
        ),
        "sin stands where tan belongs: the amplitudes are the two legs": (
            lambda n, r: math.sin(math.atan(r))
        ),
        "the tangent is left out": lambda n, r: math.atan(r),
    },
    "9.4": {
        "that is for the excess of the loss, half of that of the risk": lambda n, r: r / 2,
        "the excess is a share of the best risk, not of one": lambda n, r: r * best_risk(),
        "that is for three runs of four; the median is wanted": (
            lambda n, r: routes.excesses_times_prompts().quantile(0.75) / n.share
        ),
        "weights over prompts is the rule for errors of one size; here few prompts carry much of "
        "the error": lambda n, r: (3 * 2 + 3 - 1) / n.share,  # W_KQ, a row, less their scale
    },
    "9.5": {
        "the query has the variance λ: the mean is of λF², not of F²": lambda n, r: floors(n, 0),
        "that is the best single step, made twice; the two may differ": twice,
        "risks do not multiply: the second step is chosen together with the first": (
            lambda n, r: [r[0], r[0] ** 2 / uniform(n, 1)]
        ),
        "that is the risk for d = 2; risk/d is wanted": lambda n, r: 2 * r,
        "that is a share of the risk of zero; risk/d itself is wanted": (
            lambda n, r: r / uniform(n, 1)
        ),
        "the second is the mean of F², without the weight λ": (
            lambda n, r: [r[0], floors(n, 0)[1]]
        ),
    },
    "9.6": {
        "v is projected on w as if Λ were I; P projects Λ^½v on Λ^½w": lambda n, r: knowing(n, 0),
        "P projects on Λ^½w, not on the Λw that the context shows": lambda n, r: knowing(n, 1),
        "the second is max(d − K, 0), which is for Λ = I": lambda n, r: [r[0], 2 - 1],
        "the second is what the layer knows; wanted is what it does not": (
            lambda n, r: [r[0], sum(n.variances) - r[1]]
        ),
        "the second is the loss, which is half of the risk": lambda n, r: [r[0], r[1] / 2],
    },
}
