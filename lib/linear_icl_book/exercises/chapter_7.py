"""The exercises of chapter 7: one gradient step from a learned start."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ._exercise import Exercise, Mistake

H = np.diag([2.0, 0.5])  # the running example, with Ψ = I
BETA_STAR = np.array([1.0, 2.0])
NODES, MASS = np.polynomial.hermite_e.hermegauss(6)  # exact up to degree eleven
MASS = MASS / MASS.sum()

# 7.1


def _one_point(h: float, psi: float, *, fourth: float = 1.0) -> list[float]:
    """A and risk at the least of ψh E(1 − As)², s = x²; `fourth` is a wrong weight of E s²."""
    s = h * NODES**2
    first, second = MASS @ s, fourth * MASS @ s**2
    return [float(first / second), float(h * psi * (1 - first**2 / second))]


ONE_POINT = Exercise(
    number="7.1",
    label="ex-gd-one-point",
    asks="A* and the risk of the best step, two numbers, for d = 1, Λ = {h}, Ψ = {psi}, "
    "no noise, M = 1",
    draw=lambda rng: {
        "h": rng.choice([0.6, 1.5, 2.5, 3.0]),
        "psi": rng.choice([0.25, 0.5, 0.75, 1.25]),
    },
    book={"h": 1.0, "psi": 1.0},
    solve=_one_point,
    mistakes=(
        Mistake(
            "E x⁴ is 3Λ², not Λ²: one point does not have S = Λ", partial(_one_point, fourth=1 / 3)
        ),
        Mistake(
            "τ is left out of Ω; without noise it is still tr(ΛΨ)",
            partial(_one_point, fourth=2 / 3),
        ),
        Mistake(
            "that is the Newton step, the best for M → ∞, and its risk at M = 1",
            lambda h, psi: [1 / h, 2 * h * psi],
        ),
        Mistake(
            "the risk has no ½; that is the loss",
            lambda h, psi: [1 / (3 * h), h * psi / 3],
        ),
        Mistake(
            "the first number is the share of a Newton step; A* is it divided by Λ",
            lambda h, psi: [1 / 3, 2 * h * psi / 3],
        ),
    ),
    hints=(
        "What is left of the task after a step A is 1 − Ax² times what was there.",
        "Average the square of that over x: a parabola in A, with E x² and E x⁴ in it.",
        "E x⁴ is three times the square of E x² for a normal number.",
    ),
)

# 7.2


def _sum(A: np.ndarray, noise: float, M: int) -> float:
    """The least risk from the right start when tasks have the covariance A, as a sum over φᵢ."""
    phi = np.linalg.eigvals(H @ A).real
    tau = phi.sum() + noise
    return float(noise + (phi * (phi + tau) / ((M + 1) * phi + tau)).sum())


def _best_share(A: np.ndarray, noise: float, M: int) -> np.ndarray:
    """Λ^½A*Λ^½, the best step from the right start, for tasks of this covariance."""
    root = np.sqrt(H)
    Phi = root @ A @ root
    Omega = (M + 1) / M * Phi + (np.trace(Phi) + noise) / M * np.eye(2)
    return np.asarray(Phi @ np.linalg.inv(Omega))


def _second(missing: float) -> np.ndarray:
    """E δδᵀ about a start that misses this share of β*."""
    return np.eye(2) + missing**2 * np.outer(BETA_STAR, BETA_STAR)


def _price(missing: float, noise: float, M: int) -> float:
    return _sum(_second(missing), noise, M) - _sum(np.eye(2), noise, M)


def _kept_price(missing: float, made_for: float, noise: float, M: int) -> float:
    """The price of a start that misses one share, with the step that is best for another."""
    root, C = np.sqrt(H), _best_share(_second(made_for), noise, M)
    Phi = root @ _second(missing) @ root
    Omega = (M + 1) / M * Phi + (np.trace(Phi) + noise) / M * np.eye(2)
    risk = noise + np.trace(Phi) - 2 * np.trace(C @ Phi) + np.trace(C @ Omega @ C.T)
    return float(risk) - _sum(np.eye(2), noise, M)


def _saved(start: float, M: int, noise_variance: float) -> float:
    return 1 - _price(1 - start, noise_variance, M) / _price(1.0, noise_variance, M)


def _saved_with(start: float, M: int, noise_variance: float, *, made_for: float) -> float:
    """What seems saved when the step is not made for what this start misses."""
    kept = _kept_price(1 - start, made_for, noise_variance, M)
    return 1 - kept / _price(1.0, noise_variance, M)


HALF_START = Exercise(
    number="7.2",
    label="ex-half-start",
    asks="the share that is saved, a number between 0 and 1, for Λ = diag(2, ½), Ψ = I, "
    "β* = (1, 2), M = {M}, σ² = {noise_variance}, and the start {start} β*",
    draw=lambda rng: {
        "start": rng.choice([0.2, 0.3, 0.4, 0.6, 0.7]),
        "M": rng.choice([4, 5, 6, 10, 12, 16]),
        "noise_variance": rng.choice([0.25, 1.0, 1.5, 2.0]),
    },
    book={"start": 0.5, "M": 8, "noise_variance": 0.5},
    solve=_saved,
    mistakes=(
        Mistake(
            "the price is not quadratic in what the start misses, because the step adapts",
            lambda start, M, noise_variance: 1 - (1 - start) ** 2,
        ),
        Mistake(
            "the price is not proportional to what the start misses",
            lambda start, M, noise_variance: start,
        ),
        Mistake(
            "that is the share of the price that remains",
            lambda start, M, noise_variance: 1 - _saved(start, M, noise_variance),
        ),
        Mistake(
            "the price is what a risk has above min R; that is the share of the whole risk",
            lambda start, M, noise_variance: (
                1
                - _sum(_second(1 - start), noise_variance, M)
                / _sum(_second(1.0), noise_variance, M)
            ),
        ),
        Mistake(
            "A* is the best step from β* only; this start has a better one",
            partial(_saved_with, made_for=0.0),
        ),
        Mistake(
            "the step is still that of GD-0; this start has a better one",
            partial(_saved_with, made_for=1.0),
        ),
        Mistake(
            "what counts is what the start misses, and not β",
            lambda start, M, noise_variance: _saved(1 - start, M, noise_variance),
        ),
    ),
    hints=(
        "In the proof of the risk the task enters through one matrix only. Which, for this start?",
        "The best step is that of a setting whose tasks have mean β* and covariance Ψ + β̄β̄ᵀ.",
        "Its risk is the sum over eigenvalues for that setting. Subtract min R, for both starts.",
    ),
)

# 7.3


def _zeta_square(M: int, noise: float) -> float:
    """E τ̂² for τ̂ = (1/M)Σ zᵢ²: given δ the zᵢ are normal, of variance s = δᵀΛδ + σ²."""
    s = H[0, 0] * NODES[:, None] ** 2 + H[1, 1] * NODES**2 + noise
    return float((1 + 2 / M) * MASS @ s**2 @ MASS)


def _squared_labels(
    w: Sequence[float],
    M: int,
    noise_variance: float,
    *,
    metric: np.ndarray = H,
    square: Callable[[int, float], float] = _zeta_square,
    noise_in_tau: bool = True,
    turned: bool = False,
    odd: bool = False,
) -> list[float]:
    """(cost at r = β*, at the best r); the options are what a student may get wrong."""
    size = float(np.asarray(w) @ metric @ np.asarray(w))
    noise = noise_variance * noise_in_tau
    tau, even = float(np.trace(H)) + noise, square(M, noise)
    after = even + 3 * tau**2 if turned else even - tau**2
    beside = 0.0
    if odd:  # V = W + β*wᵀ moves with w
        Omega_0 = (M + 1) / M * H @ H + (np.trace(H) + noise_variance) / M * H
        beside = float(BETA_STAR @ Omega_0 @ BETA_STAR)
    return [(even + beside) * size, (after + beside) * size]


SQUARED_LABELS = Exercise(
    number="7.3",
    label="ex-squared-labels",
    asks="the cost at r = β* and what remains with the best r, two numbers, for Λ = diag(2, ½), "
    "Ψ = I, β* = (1, 2), M = {M}, σ² = {noise_variance}, u₂₁ = {w}",
    draw=lambda rng: {
        "w": rng.choice([(0.2, 0.0), (0.1, 0.2), (0.2, -0.1), (0.0, 0.3), (-0.1, 0.3)]),
        "M": rng.choice([4, 5, 6, 10, 12, 16]),
        "noise_variance": rng.choice([0.25, 1.0, 1.5, 2.0]),
    },
    book={"w": (0.1, 0.0), "M": 8, "noise_variance": 0.5},
    solve=_squared_labels,
    mistakes=(
        Mistake(
            "‖u₂₁‖² stands where ‖u₂₁‖²_Λ belongs: the query has the covariance Λ",
            partial(_squared_labels, metric=np.eye(2)),
        ),
        Mistake(
            "the fluctuation of τ̂ is left out: E τ̂² is more than τ²",
            partial(_squared_labels, square=lambda M, noise: float(np.trace(H) + noise) ** 2),
        ),
        Mistake(
            "the zᵢ of a prompt share their task, so they are not independent: 2Σφᵢ² is missing",
            partial(
                _squared_labels,
                square=lambda M, noise: (1 + 2 / M) * float(np.trace(H) + noise) ** 2,
            ),
        ),
        Mistake(
            "that is E τ̂² for endless contexts; the factor 1 + 2/M is missing",
            partial(_squared_labels, square=lambda M, noise: _zeta_square(M, noise) / (1 + 2 / M)),
        ),
        Mistake(
            "τ contains the noise: it is tr(ΛΨ) + σ²", partial(_squared_labels, noise_in_tau=False)
        ),
        Mistake(
            "r moves the wrong way: r − β* must take the mean of uτ̂u₂₁ away, so r = β* − τu₂₁",
            partial(_squared_labels, turned=True),
        ),
        Mistake(
            "U must move too: Ū = U + β*u₂₁ᵀ is to stay, so U = A*ᵀ − β*u₂₁ᵀ",
            partial(_squared_labels, odd=True),
        ),
    ),
    hints=(
        "Which of the two parts of the error can u₂₁ reach, if Ū and ū₁₂ stay as they were?",
        "The even part is r − β* + uτ̂u₂₁. What is the mean square of τ̂u₂₁ in the norm of Λ?",
        "The best r − β* is minus the mean of uτ̂u₂₁, so that only the variance of τ̂ remains.",
    ),
)

# 7.4


def _overshoot(M: int, noise_variance: float) -> float:
    """The A with the least E(1 − AS)², S a mean of M squares, moment by moment."""
    square = sum(3.0 if i == j else 1.0 for i, j in product(range(M), repeat=2)) / M**2
    return 1 / square


OVERSHOOT = Exercise(
    number="7.4",
    label="ex-overshoot",
    asks="the limit of the largest A on the path for β(0) → ∞, a number, for d = 1, "
    "Λ = Ψ = β* = 1, M = {M}, σ² = {noise_variance}",
    draw=lambda rng: {
        "M": rng.choice([3, 5, 6, 7, 8, 9, 10, 12]),
        "noise_variance": rng.choice([0.25, 1.0, 2.0, 4.0]),
    },
    book={"M": 4, "noise_variance": 0.5},
    solve=_overshoot,
    mistakes=(
        Mistake(
            "that is A*, where the path ends",
            lambda M, noise_variance: M / (M + 2 + noise_variance),
        ),
        Mistake("that is the Newton step; a short context calls for less", lambda **_: 1.0),
        Mistake(
            "for d = 1 the mean of S² is 1 + 2/M, not 1 + 1/M",
            lambda M, noise_variance: M / (M + 1),
        ),
        Mistake(
            "that is what such a step leaves of ‖β̄‖²_Λ, not the step",
            lambda M, noise_variance: 2 / (M + 2),
        ),
    ),
    hints=(
        "Write the risk for a huge miss. Which of its terms still matter?",
        "A moves at a rate of order β̄², the miss shrinks at one of order one: who arrives first?",
        "So look for the A that makes Q(A) smallest.",
    ),
)

# 7.5


def _border(
    h: float,
    noise: float,
    *,
    factor: float = 2.0,
    own: float = 1.0,
    every: bool = False,
    newton: bool = False,
    noise_in_tau: bool = True,
) -> int:
    """How many lengths from M = 1 on satisfy the condition; the options break it."""
    phi = np.array([2.0, h])
    tau = float(phi.sum()) + noise * noise_in_tau
    M = np.arange(1, 2000)
    share = np.ones(len(M)) if newton else M * phi[0] / ((M + 1) * phi[0] + tau)
    inside = tau**2 + (M + 2) * (phi**2).sum() - own * phi[0] ** 2
    held = factor * share**2 * inside > M**2 * ((phi**2).sum() if every else phi[1] ** 2)
    return int(np.argmin(held))


def _borders(h: float, noise_variance: float, **options: Any) -> list[int]:
    return [_border(h, 0.0, **options), _border(h, noise_variance, **options)]


def _draw_trap(rng: random.Random) -> dict[str, Any]:
    return {"h": rng.choice([0.4, 0.6, 0.7, 0.8]), "noise_variance": float(rng.randint(5, 20))}


TRAP = Exercise(
    number="7.5",
    label="ex-trap",
    asks="two whole numbers, the largest M at which the swapped point is a local minimum, "
    "without noise and with σ² = {noise_variance}, for Λ = diag(2, {h}), Ψ = I",
    draw=_draw_trap,
    book={"h": 0.5, "noise_variance": 4.0},
    solve=_borders,
    mistakes=(
        Mistake(
            "these are the first lengths at which it is none; one less is wanted",
            lambda h, noise_variance: [M + 1 for M in _borders(h, noise_variance)],
        ),
        Mistake(
            "noise is left out of τ; it moves the border", partial(_borders, noise_in_tau=False)
        ),
        Mistake("the factor 2 in front of s₁² is left out", partial(_borders, factor=1.0)),
        Mistake("φ₁² is not taken off in the bracket", partial(_borders, own=0.0)),
        Mistake("on the right the sum begins at i = 2", partial(_borders, every=True)),
        Mistake("s₁ is the share of a Newton step, below one", partial(_borders, newton=True)),
    ),
    hints=(
        "Both sides of the condition depend on M. Which one grows like M², and which like M?",
        "Put φ = (2, φ₂), τ and s₁ in, and go up from M = 1 until it fails.",
        "The page's smallest(case) looks at the Hessian: just below zero is rounding.",
    ),
)

EXERCISES = (ONE_POINT, HALF_START, SQUARED_LABELS, OVERSHOOT, TRAP)
