"""The exercises of chapter 5: training on many covariances."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from linear_icl import random_covariance, risk

from ._exercise import Exercise, Mistake

Real: TypeAlias = int | float

# 5.1


def _direction_risk(epsilon: Real, probability: Real, step: Real) -> float:
    """E λ(αλ − 1)², the risk of the step α in one direction, for infinite prompts."""
    return sum(
        p * x * (step * x - 1) ** 2 for x, p in ((epsilon, probability), (1.0, 1 - probability))
    )


def _two_points(
    epsilon: Real, probability: Real, step: Callable[..., float] | None = None
) -> list[float]:
    """Shrinkage and risk of a step, by default the best one: the vertex of a parabola."""
    low, middle, high = (_direction_risk(epsilon, probability, alpha) for alpha in (0.0, 1.0, 2.0))
    alpha = 1 + (low - high) / (2 * (low - 2 * middle + high))
    if step is not None:
        alpha = step(*(probability * epsilon**n + 1 - probability for n in (1, 2, 3)))
    mean = probability * epsilon + 1 - probability
    return [alpha * mean, _direction_risk(epsilon, probability, alpha)]


TWO_POINTS = Exercise(
    number="5.1",
    label="ex-two-points",
    asks="two numbers: the mean share of the truth that the layer says, and the risk per "
    "dimension at c = 1 in endless contexts, "
    "when λ is {epsilon} with probability {probability}, and else 1",
    draw=lambda rng: {
        "epsilon": rng.randint(11, 40) / 100,
        "probability": rng.choice([0.2, 0.3, 0.4, 0.6, 0.7, 0.8]),
    },
    book={"epsilon": 0.1, "probability": 0.5},
    solve=_two_points,
    mistakes=(
        Mistake(
            "these are the limits for ε → 0; here ε is given",
            lambda epsilon, probability: [1 - probability, 0.0],
        ),
        Mistake(
            "the step is 1/m₁ there, right for the mean variance; training finds m₂/m₃",
            lambda epsilon, probability: _two_points(
                epsilon, probability, lambda m1, m2, m3: 1 / m1
            ),
        ),
        Mistake(
            "the step has moments one order too low, m₁/m₂: the query's own λ is a factor too",
            lambda epsilon, probability: _two_points(
                epsilon, probability, lambda m1, m2, m3: m1 / m2
            ),
        ),
        Mistake(
            "the first number is the step m₂/m₃; the mean share is m₁ times that",
            lambda epsilon, probability: [
                _two_points(epsilon, probability)[0] / (probability * epsilon + 1 - probability),
                _two_points(epsilon, probability)[1],
            ],
        ),
        Mistake(
            "the second number is what the layer explains; the risk is what is left of m₁",
            lambda epsilon, probability: [
                _two_points(epsilon, probability)[0],
                probability * epsilon + 1 - probability - _two_points(epsilon, probability)[1],
            ],
        ),
    ),
    hints=(
        "Three moments of this λ are all that is needed, and each is a sum of two terms.",
        "Trained on endless contexts the step is m₂/m₃, whatever d was.",
        "In one direction the step α has the risk E λ(αλ − 1)².",
    ),
)

# 5.2


def _price(shape: Real, mean: Real) -> float:
    """Risk per dimension by the moments of the gamma law, from the gamma function."""
    scale = mean / shape
    m1, m2, m3 = (
        scale**n * math.exp(math.lgamma(shape + n) - math.lgamma(shape)) for n in (1, 2, 3)
    )
    return m1 - m2**2 / m3


def _shape_at(mean: Real, below: Real) -> float:
    low, high = 0.0, 1e4
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _price(middle, mean) > below else (low, middle)
    return low


PRICE = Exercise(
    number="5.2",
    label="ex-price",
    asks="the k at which the risk per dimension is {below}, for gamma laws of mean {mean} "
    "and shape k",
    draw=lambda rng: {"mean": rng.choice([2, 3, 5]), "below": rng.randint(11, 39) / 100},
    book={"mean": 1, "below": 0.1},
    solve=_shape_at,
    mistakes=(
        Mistake(
            "moments one order too low: 1 − m₁²/m₂ stands where 1 − m₂²/(m₁m₃) belongs",
            lambda mean, below: mean / below - 1,
        ),
        Mistake(
            "that is where m₁/k is so small; the risk has a larger denominator",
            lambda mean, below: mean / below,
        ),
        Mistake(
            "that is where m₁(1 − m₁m₂/m₃) is so small; the risk is another number",
            lambda mean, below: 2 * mean / below - 2,
        ),
        Mistake(
            "that is for a law of mean one",
            lambda mean, below: 1 / below - 2,
        ),
    ),
    hints=(
        "At c = 1 and in endless contexts the risk per dimension is m₁ − m₂²/m₃.",
        "Take the scale r = mean/k, and cancel what m₂² and m₃ have in common.",
        "What is left is one fraction with k in its denominator only. Solve for k.",
    ),
)

# 5.3


def _axes(mean: Real, constant: Real, N: int) -> tuple[np.ndarray, np.ndarray]:
    """ξ and ζ of the two axes, (2,) each, term by term."""
    xi = np.array([2 * mean**2, constant**2])
    third = np.array([6 * mean**3, constant**3])
    return xi, (N + 1) / N * third + (third + xi * np.array([constant, mean])) / N


def _priced(xi: np.ndarray, gammas: np.ndarray) -> list[float]:
    """Both steps, and what random axes cost: Cauchy–Schwarz as a difference of squares."""
    steps = xi / gammas
    one = xi.sum() / gammas.sum()
    return [*steps.tolist(), float((gammas * (steps - one) ** 2).sum())]


def _own_mean_twice(mean: Real, constant: Real, N: int) -> list[float]:
    xi, _ = _axes(mean, constant, N)
    third = np.array([6 * mean**3, constant**3])
    return _priced(xi, (1 + 2 / N) * third + xi * np.array([mean, constant]) / N)


def _independent_trace(mean: Real, constant: Real, N: int) -> list[float]:
    xi, _ = _axes(mean, constant, N)
    third = np.array([6 * mean**3, constant**3])
    return _priced(xi, (1 + 1 / N) * third + xi * (mean + constant) / N)


def _mean_covariance(mean: Real, constant: Real, N: int) -> list[float]:
    middle = np.array([mean, constant])
    return _priced(middle**2, middle**2 * ((1 + 1 / N) * middle + middle.sum() / N))


def _averaged_step(mean: Real, constant: Real, N: int) -> list[float]:
    xi, gammas = _axes(mean, constant, N)
    steps = xi / gammas
    return [*steps.tolist(), float((gammas * (steps - steps.mean()) ** 2).sum())]


def _risk_itself(mean: Real, constant: Real, N: int) -> list[float]:
    xi, gammas = _axes(mean, constant, N)
    return [*(xi / gammas).tolist(), float(mean + constant - xi.sum() ** 2 / gammas.sum())]


OWN_AXES = Exercise(
    number="5.3",
    label="ex-own-axes",
    asks="three numbers: the steps in the first and in the second axis, and by how much the risk "
    "at M = N would grow with random axes; λ₁ exponential of mean {mean}, λ₂ constant "
    "{constant}, N = {N}",
    draw=lambda rng: {
        "mean": rng.choice([1.5, 2.0, 2.5]),
        "constant": rng.choice([0.8, 1.2, 2.2]),  # the two steps stay apart
        "N": rng.randint(4, 16),
    },
    book={"mean": 1.0, "constant": 1.0, "N": 8},
    solve=lambda mean, constant, N: _priced(*_axes(mean, constant, N)),
    mistakes=(
        Mistake(
            "in the mean of λᵢ²(λ₁ + λ₂) the two factors are not independent: λᵢ occurs in both",
            _independent_trace,
        ),
        Mistake(
            "the trace holds the other axis's mean; the formula for independent copies has the "
            "same law in both",
            _own_mean_twice,
        ),
        Mistake("that is the layer trained on the mean covariance", _mean_covariance),
        Mistake("random axes have the step Σξ/Σζ, not the mean of the two steps", _averaged_step),
        Mistake(
            "the third number is the risk with random axes; its growth is wanted", _risk_itself
        ),
        Mistake(
            "the third number is a loss with its factor ½; the risk is wanted",
            lambda mean, constant, N: [
                *_priced(*_axes(mean, constant, N))[:2],
                _priced(*_axes(mean, constant, N))[2] / 2,
            ],
        ),
    ),
    hints=(
        "Each axis has its own ξᵢ and ζᵢᵢ; ζᵢᵢ holds the mean of the other axis too.",
        "The moments of an exponential law of mean μ are μ, 2μ², 6μ³.",
        "The risk at M = N is what is left of E tr Λ: subtract Σξᵢ²/ζᵢᵢ, or (Σξᵢ)²/Σζᵢᵢ.",
    ),
)

# 5.4


def _pair(strong: Real, weak: Real, degrees: Real) -> np.ndarray:
    """The two covariances, (2, 2, 2)."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    Q = np.array([[cos, -sin], [sin, cos]])
    one = np.diag([strong, weak])
    return np.stack([one, Q @ one @ Q.T])


def _gamma(Lambda: np.ndarray, N: Real) -> np.ndarray:
    """Γ of one covariance or of several."""
    trace = np.trace(Lambda, axis1=-2, axis2=-1)[..., None, None]
    return np.asarray((1 + 1 / N) * Lambda + trace / N * np.eye(2))


def _mixture(strong: Real, weak: Real, degrees: Real, N: Real) -> np.ndarray:
    """The solution of E[Γ_ΛΛAΛ] = E[Λ²], one linear system in vec A, column order."""
    both = _pair(strong, weak, degrees)
    operator = sum(np.kron(Lambda, _gamma(Lambda, N) @ Lambda) for Lambda in both)
    solved = np.linalg.solve(operator, np.ravel((both @ both).sum(0), "F"))
    return np.reshape(solved, (2, 2), order="F")


def _only_its_factor(strong: Real, weak: Real, degrees: Real, N: int) -> np.ndarray:
    A = _mixture(strong, weak, degrees, N)
    return np.asarray(A / math.sqrt(np.linalg.norm(A)))  # u⁴ = ‖uU‖², by balance


def _mean_first(strong: Real, weak: Real, degrees: Real, N: int) -> np.ndarray:
    return np.linalg.inv(_gamma(_pair(strong, weak, degrees).mean(0), N))


def _mean_of_steps(strong: Real, weak: Real, degrees: Real, N: int) -> np.ndarray:
    return np.asarray(np.linalg.inv(_gamma(_pair(strong, weak, degrees), N)).mean(0))


def _as_if_diagonal(strong: Real, weak: Real, degrees: Real, N: int) -> np.ndarray:
    both = _pair(strong, weak, degrees)
    square = both @ both
    return np.asarray(square.mean(0) @ np.linalg.inv((_gamma(both, N) @ square).mean(0)))


MIXTURE = Exercise(
    number="5.4",
    label="ex-mixture",
    asks="the minimiser A = uU, a 2 × 2 matrix, for diag({strong}, {weak}) and the same rotated by "
    "{degrees} degrees (the first axis towards the second), half of the prompts each, N = {N}",
    draw=lambda rng: {
        "strong": rng.choice([1.5, 2.0, 3.0]),
        "weak": rng.choice([0.3, 0.4, 0.5]),
        "degrees": rng.choice([30, 35, 40, 50, 55, 60]),
        "N": rng.randint(5, 16),
    },
    book={"strong": 2.0, "weak": 0.5, "degrees": 45, "N": 8},
    solve=_mixture,
    mistakes=(
        Mistake("that is U alone; the product uU is wanted", _only_its_factor),
        Mistake(
            "the covariances are averaged before training; each prompt has one of the two",
            _mean_first,
        ),
        Mistake(
            "that is the mean of the two layers' steps; the loss weighs large variances more",
            _mean_of_steps,
        ),
        Mistake(
            "E[Λ²](E[ΓΛ²])⁻¹ is for covariances with the same axes; here they do not commute",
            _as_if_diagonal,
        ),
        Mistake(
            "rotated the other way round",
            lambda strong, weak, degrees, N: _mixture(strong, weak, -degrees, N),
        ),
        Mistake(
            "the part of Γ with 1/N is left out",
            lambda strong, weak, degrees, N: _mixture(strong, weak, degrees, math.inf),
        ),
    ),
    hints=(
        "The dynamics hold for any law of covariances, diagonal or not: "
        "random_covariance.MixtureCovariance takes a list of them.",
        "Follow gradient_flow until the gap is small, and multiply u and U at its end.",
        "Or set the gradient in A to zero: E[ΓΛAΛ] = E[Λ²] is linear in the four entries of A.",
    ),
)

# 5.5


def _over_silence(scale: Real, d: int, N: int, M: int) -> float:
    """At points multiplied by ``scale``: the package's scale is that of the covariance."""
    law = random_covariance.Exponential()
    width = scale**2
    return float(risk.random_covariance_risk(law, d, N, M, scale=width)) / (d * width)


def _threshold(d: int, N: int, M: int) -> float:
    """The root of risk = risk of zero, by bisection on the exact risk."""
    low, high = 1e-3, 1e3  # below the root for the smallest scales
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _over_silence(middle, d, N, M) < 1 else (low, middle)
    return low


def _gamma_ratio(d: int, N: int, M: int, *, trace: Real | None = None) -> float:
    """ζ at length N over ζ at length M, for exponential laws: m₃ = 6, m₁m₂ = 2."""
    rest = 2.0 * (d - 1) if trace is None else trace
    return (6 * (1 + 2 / N) + rest / N) / (6 * (1 + 2 / M) + rest / M)


BEAT_SILENCE = Exercise(
    number="5.5",
    label="ex-beat-silence",
    asks="the scale c of the points, a number, at which the layer trained at N = {N} on "
    "exponential laws is as good as silence on prompts of length M = {M}, for d = {d}",
    draw=lambda rng: {
        "d": rng.randint(3, 8),
        "N": rng.randint(5, 30),
        "M": rng.choice([50, 70, 80, 90, 150, 200]),
    },
    book={"d": 5, "N": 20, "M": 100},
    solve=_threshold,
    mistakes=(
        Mistake("that is the threshold for N = M", lambda d, N, M: math.sqrt(2)),
        Mistake(
            "N and M have changed places: the step comes from training",
            lambda d, N, M: math.sqrt(2 / _gamma_ratio(d, N, M)),
        ),
        Mistake(
            "that is the scale for which this step is the best one",
            lambda d, N, M: math.sqrt(_gamma_ratio(d, N, M)),
        ),
        Mistake(
            "that is c²: c multiplies the points, so the covariance grows by its square",
            lambda d, N, M: 2 * _gamma_ratio(d, N, M),
        ),
        Mistake(
            "the other d − 1 directions are left out: they scatter the context too",
            lambda d, N, M: math.sqrt(2 * _gamma_ratio(d, N, M, trace=0.0)),
        ),
        Mistake(
            "d stands where d − 1 belongs",
            lambda d, N, M: math.sqrt(2 * _gamma_ratio(d, N, M, trace=2.0 * d)),
        ),
    ),
    hints=(
        "The risk is a cubic polynomial in c², the risk of silence is d c² m₁. Where do they meet?",
        "Divide by c⁴: what is left is linear in c². The step is that of length N, the rest of M.",
    ),
    # d − 1 and d differ by little when both lengths are long
    tolerance=5e-4,
)

EXERCISES = (TWO_POINTS, PRICE, OWN_AXES, MIXTURE, BEAT_SILENCE)
