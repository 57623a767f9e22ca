"""The exercises of chapter 4: the exact risk of the trained layer, and shifts."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ._exercise import Exercise, Mistake

Real: TypeAlias = int | float

VARIANCES = np.array([2.0, 0.5])  # Λ of the running example
TRACE = float(VARIANCES.sum())


def _gammas(N: Real, variances: np.ndarray = VARIANCES) -> np.ndarray:
    return np.asarray((1 + 1 / N) * variances + variances.sum() / N)


# 4.1


def _draw_noise_length(rng: random.Random) -> dict[str, Any]:
    d, noise_variance = rng.randint(2, 6), rng.randint(2, 9)
    return {
        "d": d,
        "M": (d + 1 + noise_variance) * rng.randint(11, 15),  # so that the best N is whole
        "noise_variance": noise_variance,
    }


NOISE_LENGTH = Exercise(
    number="4.1",
    label="ex-noise-length",
    asks="the best N, a whole number, for Λ = I, d = {d}, M = {M}, σ² = {noise_variance}",
    draw=_draw_noise_length,
    book={"d": 2, "M": 20, "noise_variance": 3},
    solve=lambda d, M, noise_variance: M * (d + 1) // (d + 1 + noise_variance),
    mistakes=(
        Mistake("that is the best length without noise", lambda d, M, noise_variance: M),
        Mistake(
            "the fraction is upside down: noise makes a context worth less, not more",
            lambda d, M, noise_variance: round(M * (d + 1 + noise_variance) / (d + 1)),
        ),
        Mistake(
            "the standard deviation σ stands where σ² belongs",
            lambda d, M, noise_variance: round(M * (d + 1) / (d + 1 + math.sqrt(noise_variance))),
        ),
        Mistake(
            "d stands where d + 1 belongs; Γ has (1 + 1/N)Λ besides the trace",
            lambda d, M, noise_variance: round(M * d / (d + noise_variance)),
        ),
        Mistake(
            "1 stands where d + 1 belongs: the trace term of Γ is missing",
            lambda d, M, noise_variance: round(M / (1 + noise_variance)),
        ),
    ),
    hints=(
        "Which matrix A is best at length M, with noise? Training gives Γ⁻¹ of length N.",
        "For Λ = I both are multiples of I: one equation between two numbers.",
    ),
)

# 4.2


def _take_over(
    w: Sequence[Real],
    N: int,
    longer: int,
    *,
    power: int = 2,
    own: Real = 1.0,
    gammas: Any = _gammas,
) -> list[float]:
    """M at N, and the factor from N to `longer`; the options are what a student may forget."""
    squares = np.square(w)
    p = float(VARIANCES @ squares)

    def length(N: int) -> float:
        weight = VARIANCES / gammas(N) ** 2
        variance = ((p * VARIANCES + own * VARIANCES**2 * squares) * weight).sum()
        return float(variance * N**power / ((VARIANCES + TRACE) ** 2 * squares * weight).sum())

    return [length(N), length(longer) / length(N)]


def _draw_take_over(rng: random.Random) -> dict[str, Any]:
    N = rng.choice([5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16])
    return {"w": rng.choice([(1, 2), (2, 1), (1, 3), (3, 1), (3, 2)]), "N": N, "longer": 10 * N}


TAKE_OVER = Exercise(
    number="4.2",
    label="ex-take-over",
    asks="two numbers: the M (any real number) at which both are equal for N = {N}, and the "
    "factor by which it is larger for N = {longer}; Λ = diag(2, ½), w = {w}",
    draw=_draw_take_over,
    book={"w": (1, 1), "N": 8, "longer": 80},
    solve=_take_over,
    mistakes=(
        Mistake(
            "the second number is M itself; the factor between the two is wanted",
            lambda w, N, longer: [
                _take_over(w, N, longer)[0],
                math.prod(_take_over(w, N, longer)),
            ],
        ),
        Mistake("1/N stands where 1/N² belongs in the bias", partial(_take_over, power=1)),
        Mistake(
            "Λ⁻¹ stands where Γ⁻¹ belongs",
            partial(_take_over, gammas=lambda N: VARIANCES),
        ),
        Mistake("Σ has a second term, Λwwᵀ​Λ", partial(_take_over, own=0.0)),
        Mistake(
            "that is the mean over w ~ N(0, I); here w is given",
            lambda w, N, longer: _take_over((1, 1), N, longer),
        ),
    ),
    hints=(
        "The variance is V/M with a V that does not contain M; the bias B contains no M at all.",
        "Both are sums over the two axes. Write γ₁ and γ₂ down first, then p = wᵀΛw.",
        "Both have 1/γᵢ² in every term, which nearly cancels in V/B. What else in B holds N?",
    ),
)

# 4.3


def _cubic_moments(w: Sequence[Real]) -> tuple[np.ndarray, np.ndarray, float]:
    """E[yx], E[y²xxᵀ] and E y² for y = (wᵀx)³, by a quadrature exact up to degree eleven."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(6)
    mass = np.outer(weights, weights).ravel() / (2 * math.pi)
    x = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), -1).reshape(-1, 2) * np.sqrt(VARIANCES)
    y = (x @ np.asarray(w, dtype=float)) ** 3
    return (mass * y) @ x, (x.T * mass * y**2) @ x, float(mass @ y**2)


def _cubic(w: Sequence[Real], N: int, M: int) -> float:
    mean, second, square = _cubic_moments(w)
    gammas = _gammas(N)
    of_m = second / M + (1 - 1 / M) * np.outer(mean, mean)  # E[mmᵀ]
    return (
        float((np.diag(of_m) * VARIANCES / gammas**2).sum() - 2 * mean**2 @ (1 / gammas)) + square
    )


def _cubic_by_hand(
    w: Sequence[Real],
    N: int,
    M: int,
    *,
    slope: Real = 3.0,
    across: Real = 81.0,
    best: Real = 6.0,
    mean_of: bool = True,
) -> float:
    """With a = slope p w, Σ = 15p³Λ + across p² Λwwᵀ​Λ and b = best p³, right or wrong."""
    squares = np.square(w)
    p, weight = float(VARIANCES @ squares), VARIANCES / _gammas(N) ** 2
    Sigma = 15 * p**3 * VARIANCES + across * p**2 * VARIANCES**2 * squares
    bias = (slope * p) ** 2 * ((VARIANCES + TRACE) ** 2 * squares * weight).sum() / N**2
    return float(best * p**3 + (Sigma * weight).sum() / (M if mean_of else 1) + bias)


def _draw_cubic(rng: random.Random) -> dict[str, Any]:
    w = rng.choice([(1.0, 2.0), (1.0, -1.5), (0.5, 1.5), (0.8, 2.0), (0.5, -2.0)])
    return {"w": w, "N": rng.randint(6, 16), "M": rng.randint(10, 30)}


CUBIC = Exercise(
    number="4.3",
    label="ex-cubic",
    asks="the exact risk, a number, for Λ = diag(2, ½), w = {w}, N = {N}, M = {M}",
    draw=_draw_cubic,
    book={"w": (1.0, 1.0), "N": 8, "M": 20},
    solve=_cubic,
    mistakes=(
        Mistake(
            "Σ is a covariance: the square of the mean, 9p²Λwwᵀ​Λ, is not taken off",
            partial(_cubic_by_hand, across=90.0),
        ),
        Mistake(
            "in E[y²xxᵀ] the direction Λw has the coefficient 105 − 15, not 105",
            partial(_cubic_by_hand, across=96.0),
        ),
        Mistake(
            "b is what the best linear predictor leaves: E y² less aᵀΛa",
            partial(_cubic_by_hand, best=15.0),
        ),
        Mistake("the best linear risk b is left out", partial(_cubic_by_hand, best=0.0)),
        Mistake("E z⁴ is 3p², not p²", partial(_cubic_by_hand, slope=1.0, across=89.0, best=14.0)),
        Mistake("the variance is not divided by M", partial(_cubic_by_hand, mean_of=False)),
    ),
    hints=(
        "Split x into its part along Λw and a rest that is independent of z = wᵀx.",
        "The even moments of z are p, 3p², 15p³, 105p⁴.",
        "As for the sign and the rectifier: E[yx] needs E[zh], E[y²xxᵀ] needs E[h²] and E[z²h²].",
    ),
)

# 4.4


def _ratio_means(variances: np.ndarray, M: int, k: Real) -> tuple[np.ndarray, np.ndarray]:
    """The diagonals of E[S/(tr S)ᵏ] and of E[S²/(tr S)²ᵏ], S a mean of M Gaussian squares.

    1/qʲ = ∫ sʲ⁻¹ e^(−sq) ds / Γ(j), and e^(−s tr S) turns the law of S into that of other
    variances, so that one integral over ln s is left.
    """
    log_s = np.linspace(-60.0, 12.0, 1441)[:, None]
    s = np.exp(log_s) / M
    tilted = variances / (1 + 2 * s * variances)
    weight = np.exp(-M / 2 * np.log1p(2 * s * variances).sum(1, keepdims=True))
    both = tilted * tilted.sum(1, keepdims=True)
    square = (1 + 1 / M) * tilted**2 + both / M  # the diagonal of E[S²] for these variances
    step = float(log_s[1, 0] - log_s[0, 0])

    def mean(values: np.ndarray, j: Real) -> np.ndarray:
        if j == 0:
            return np.asarray(values[0])  # s = 0, up to e⁻⁶⁰
        inner = np.exp(j * log_s - math.lgamma(j)) * weight * values
        return np.asarray(inner.sum(0) * step)

    return mean(tilted, k), mean(square, 2 * k)


def _normalised(scale: Real, N: int, M: int, *, k: Real = 1.0) -> float:
    """Risk of ŷ = x_qᵀΓ⁻¹Sw (tr Λ/tr S)ᵏ: k = 1 divides context and query by ĉ, k = 0 neither."""
    tested = scale**2 * VARIANCES
    first, second = _ratio_means(tested, M, k)
    step = TRACE**k / _gammas(N)
    return float((tested * (step**2 * second - 2 * step * first + 1)).sum())


def _unshifted(N: int, M: int) -> float:
    gammas, size = _gammas(N), TRACE * VARIANCES**2 + VARIANCES**3
    bias = (VARIANCES + TRACE) ** 2 * VARIANCES / N**2
    return float(((size / M + bias) / gammas**2).sum())


def _draw_normalise(rng: random.Random) -> dict[str, Any]:
    return {
        "scale": rng.choice([2.5, 3.0, 3.5, 4.0]),
        "N": rng.choice([32, 48, 64, 96]),
        "M": rng.choice([40, 60, 80, 120]),
    }


NORMALISE = Exercise(
    number="4.4",
    label="ex-normalise",
    asks="the risk of the normalised layer on the scaled prompts, a number to 4 % (for the "
    "label without noise, mean over tasks), for Λ = diag(2, ½), c = {scale}, N = {N}, M = {M}",
    draw=_draw_normalise,
    book={"scale": 2.0, "N": 64, "M": 100},
    solve=_normalised,
    mistakes=(
        Mistake(
            "that is the layer without normalisation, or one whose ĉ is one",
            partial(_normalised, k=0.0),
        ),
        Mistake(
            "only the context or only the query is divided; both must be",
            partial(_normalised, k=0.5),
        ),
        Mistake(
            "the root is missing: points are divided by ĉ, and ĉ² is the ratio of traces",
            partial(_normalised, k=2.0),
        ),
        Mistake(
            "that is the risk with the true c in place of ĉ, which varies with the context",
            lambda scale, N, M: scale**2 * _unshifted(N, M),
        ),
        Mistake(
            "that is the risk at c = 1; the labels of larger queries are larger too",
            lambda scale, N, M: _normalised(1.0, N, M),
        ),
    ),
    hints=(
        "Which of the prompt's parts does ĉ divide? All covariates, the query among them; "
        "no label.",
        "Average the squared errors over 100 000 prompts: their standard error is about 1 %.",
        "Given the context the mean over tasks and queries is a trace: much less noise than the "
        "squares themselves have.",
    ),
    # The student's own simulation: 100 000 prompts have a standard error of about 1 %.
    tolerance=0.04,
)

# 4.5

ANGLES = np.linspace(0.0, math.pi, 721)


def _turned(strong: Real, kappa: Real) -> tuple[np.ndarray, np.ndarray]:
    """Λ, and Λ_c for every angle, (721, 2, 2)."""
    Lambda = np.diag([strong, strong / kappa])
    cos, sin = np.cos(ANGLES), np.sin(ANGLES)
    Q = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
    return Lambda, Q @ Lambda @ Q.transpose(0, 2, 1)


def _limits(strong: Real, kappa: Real, query: str = "turned") -> np.ndarray:
    """The limit of the risk at every angle, (721,), by the formula with traces."""
    Lambda, turned = _turned(strong, kappa)
    wrong = np.linalg.inv(Lambda) @ turned - np.eye(2)
    far = turned if query == "turned" else Lambda
    return np.asarray(np.trace(far @ wrong @ wrong.transpose(0, 2, 1), axis1=1, axis2=2))


ROTATION = Exercise(
    number="4.5",
    label="ex-rotation",
    asks="the largest limit over all angles, a number, for Λ = diag({strong}, {strong}/{kappa})",
    draw=lambda rng: {
        "strong": rng.choice([1.0, 2.0, 3.0]),
        "kappa": float(rng.randint(3, 14)),
    },
    book={"strong": 2.0, "kappa": 16.0},
    solve=lambda strong, kappa: float(_limits(strong, kappa).max()),
    mistakes=(
        Mistake(
            "that is the leading term for large κ; the rest counts at this κ",
            lambda strong, kappa: strong * kappa**2,
        ),
        Mistake(
            "only the context is rotated; the query's covariance stands in front, rotated too",
            lambda strong, kappa: float(_limits(strong, kappa, "fixed").max()),
        ),
        Mistake(
            "that is the limit at 45 degrees", lambda strong, kappa: _limits(strong, kappa)[180]
        ),
        Mistake(
            "one of the two directions is left out",
            lambda strong, kappa: strong * (kappa - 1) ** 2,
        ),
    ),
    hints=(
        "Plot the limit against the angle for one κ. Is it symmetric about 90 degrees?",
        "At the worst angle the rotated covariance is diagonal again: a sum of two terms.",
    ),
    tolerance=1e-4,  # the weak direction adds a quarter of a thousandth at κ = 16
)

EXERCISES = (NOISE_LENGTH, TAKE_OVER, CUBIC, NORMALISE, ROTATION)
