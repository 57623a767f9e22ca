"""The exercises of chapter 6: a layer of attention, and a block with an MLP."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import torch
from linear_icl import ltb

from ._exercise import Exercise, Mistake

Real: TypeAlias = int | float

# 6.1


def _mean_dominates(d: int, M: int) -> float:
    """(M + 1) R_LTB, by the package's sum over eigenvalues."""
    one = torch.eye(d, dtype=torch.float64)
    setting = ltb.Setting(one, one, torch.zeros(d, dtype=torch.float64), 0.0, M)
    return (M + 1) * float(ltb.infimum(setting))


MEAN_DOMINATES = Exercise(
    number="6.1",
    label="ex-mean-dominates",
    asks="the smallest ‖β*‖² for which the theorem promises it, a number, for d = {d}, M = {M}",
    draw=lambda rng: {"d": rng.randint(2, 8), "M": rng.randint(10, 60)},
    book={"d": 5, "M": 20},
    solve=_mean_dominates,
    mistakes=(
        Mistake(
            "M stands where M + 1 belongs in the price",
            lambda d, M: _mean_dominates(d, M) * M / (M + 1),
        ),
        Mistake(
            "that is ‖β*‖; its square is wanted", lambda d, M: math.sqrt(_mean_dominates(d, M))
        ),
        Mistake(
            "twice the risk means a price of once the risk, not of twice",
            lambda d, M: 2 * _mean_dominates(d, M),
        ),
        Mistake(
            "2/(M + 2) is the price without u₂₁; the theorem is about all layers",
            lambda d, M: _mean_dominates(d, M) * (M + 2) / (2 * (M + 1)),
        ),
        Mistake(
            "τ is the trace of ΛΨ, not one of its eigenvalues",
            lambda d, M: 2 * d * (M + 1) / (M + 2),
        ),
        Mistake(
            "the risk of the block is a sum over all d directions",
            lambda d, M: _mean_dominates(d, M) / d,
        ),
    ),
    hints=(
        "The price of the mean is at least ‖β*‖²/(M + 1). What must it be at least?",
        "R_block is a sum over the eigenvalues of Φ = I, with τ = tr(ΛΨ) + σ².",
    ),
)

# 6.2


def _draw_roots(rng: random.Random) -> dict[str, Any]:
    b, w = rng.choice([1.5, 2.5, 3.0, 4.0]), rng.choice([0.1, 0.2, 0.4, 0.5])
    V = b * w * rng.choice([0.2, 0.4, 0.5, 0.8])  # below bw, so that the roots are two
    return {
        "B": round(w * b + V, 6),
        "alpha": round(V * b, 6),
        "gamma": w,
        "beta_star": rng.choice([1, 2, 3]),
    }


def _roots(
    B: Real,
    alpha: Real,
    gamma: Real,
    beta_star: Real,
    *,
    larger: bool = True,
    sign: Real = -1.0,
    both: bool = True,
) -> list[float]:
    """(v, W, w) with c = 1, from the roots of αX² + BX + γ = (bX + 1)(VX + w)."""
    X = float(np.sort(np.roots([alpha, B, gamma]).real)[1 if larger else 0])
    b, V = -1 / X, alpha * -X
    return [b + sign * beta_star, V + sign * both * beta_star * gamma, gamma]


ROOTS = Exercise(
    number="6.2",
    label="ex-roots",
    asks="three numbers (u₁₂, U, u₂₁), the weights with u = 1 and the larger of the two possible "
    "ū₁₂, for (A, p_x, p_z) = ({B}, {alpha}, {gamma}) and β* = {beta_star}",
    draw=_draw_roots,
    book={"B": 0.7, "alpha": 0.6, "gamma": 0.2, "beta_star": 2},
    solve=_roots,
    mistakes=(
        Mistake(
            "these are ū₁₂ and Ū, of the centred labels; u₁₂ and U are less by uβ* and β*u₂₁",
            partial(_roots, sign=0.0),
        ),
        Mistake("β* is added: u₁₂ = ū₁₂ − uβ* and U = Ū − β*u₂₁", partial(_roots, sign=1.0)),
        Mistake("Ū stands where U = Ū − β*u₂₁ belongs", partial(_roots, both=False)),
        Mistake(
            "these weights belong to the smaller of the two ū₁₂", partial(_roots, larger=False)
        ),
    ),
    hints=(
        "Factorise p_x X² + AX + p_z into (ū₁₂X + u)(ŪX + u₂₁), two real linear forms.",
        "A factor may be moved from one form to the other: choose it such that u = 1.",
        "ū₁₂ and Ū belong to the centred labels: ū₁₂ = u₁₂ + uβ*, Ū = U + β*u₂₁.",
    ),
)

# 6.3


def _parts(variances: Sequence[Real], M: int, noise_variance: Real) -> tuple[Any, Any, float]:
    """φ in decreasing order, ω and τ, for Ψ = I."""
    phi = np.sort(np.asarray(variances, dtype=float))[::-1]
    tau = float(phi.sum()) + noise_variance
    return phi, (M + 1) / M * phi + tau / M, tau


def _rank_one_loss(variances: Sequence[Real], M: int, noise_variance: Real, **_: Any) -> float:
    """Σ_{i≥2} φᵢ²/ωᵢ: what a step of rank one must leave."""
    phi, omega, _tau = _parts(variances, M, noise_variance)
    return float((phi**2 / omega)[1:].sum())


def _wrong_loss(
    variances: Sequence[Real],
    M: int,
    noise_variance: Real,
    *,
    kept: int | None = 0,
    power: int = 2,
    share: Real = 1.0,
    **_: Any,
) -> float:
    phi, _omega, tau = _parts(variances, M, noise_variance)
    lost = phi**power / ((1 + share / M) * phi + tau / M)
    return float(lost.sum() - (0.0 if kept is None else lost[kept]))


def _mean_price(
    variances: Sequence[Real], M: int, beta_star: Sequence[Real], *, mixing: bool = False
) -> float:
    square = float(np.asarray(variances) @ np.square(beta_star))
    return square / (M + 1) if mixing else 2 * square / (M + 2)


def _swapped(
    variances: Sequence[Real], M: int, beta_star: Sequence[Real], noise_variance: Real
) -> float:
    return _mean_price(variances, M, beta_star) + _rank_one_loss(variances, M, noise_variance)


def _setting(
    variances: Sequence[Real], M: int, beta_star: Sequence[Real], noise_variance: Real
) -> ltb.Setting:
    H, Psi = np.diag(np.asarray(variances, dtype=float)), np.eye(len(variances))
    return ltb.Setting(H, Psi, list(beta_star), noise_variance, M)


def _least_risk(**numbers: Any) -> float:
    """R_LTB."""
    return float(ltb.infimum(_setting(**numbers)))


def _with_price(lost: Callable[..., float], **options: Any) -> Callable[..., float]:
    def value(
        variances: Sequence[Real], M: int, beta_star: Sequence[Real], noise_variance: Real
    ) -> float:
        price = _mean_price(variances, M, beta_star)
        return price + lost(variances, M, noise_variance, **options)

    return value


def _draw_valley(rng: random.Random) -> dict[str, Any]:
    return {
        # far enough apart that the place with c = 0 is a local minimum, not a saddle point
        "variances": (rng.choice([2.5, 3.0, 4.0]), rng.choice([0.3, 0.4, 0.6])),
        "M": rng.randint(5, 16),
        "beta_star": (rng.choice([1, 2]), rng.choice([1, 3])),
        "noise_variance": rng.choice([0.0, 0.2, 0.5]),
    }


RUNNING = {"variances": (2.0, 0.5), "M": 8, "beta_star": (1, 2), "noise_variance": 0.0}

SWAPPED_VALLEY = Exercise(
    number="6.3",
    label="ex-swapped-valley",
    asks="the excess of the best layer with u = 0 over R_block, a number, for Λ = diag{variances}, "
    "Ψ = I, σ² = {noise_variance}, β* = {beta_star}, M = {M}",
    draw=_draw_valley,
    book=RUNNING,
    solve=_swapped,
    mistakes=(
        Mistake(
            "that is the bound for large means; a layer with u = 0 can still do one direction of "
            "the task",
            _with_price(_wrong_loss, kept=None),
        ),
        Mistake(
            "that is the risk of the layer; subtract R_block",
            lambda **numbers: _swapped(**numbers) + _least_risk(**numbers),
        ),
        Mistake(
            "the step keeps the smallest direction; keep the largest",
            _with_price(_wrong_loss, kept=-1),
        ),
        Mistake(
            "that is the price of the mean alone; a step of rank one loses something too",
            lambda variances, M, beta_star, noise_variance: _mean_price(variances, M, beta_star),
        ),
        Mistake(
            "the price of the mean is left out",
            _rank_one_loss,
        ),
        Mistake(
            "with u = 0 there is one gauge only: 2/(M + 2), not 1/(M + 1)",
            lambda variances, M, beta_star, noise_variance: (
                _mean_price(variances, M, beta_star, mixing=True)
                + _rank_one_loss(variances, M, noise_variance)
            ),
        ),
        Mistake(
            "‖β*‖² stands where ‖β*‖_Λ² belongs",
            lambda variances, M, beta_star, noise_variance: (
                _mean_price((1.0, 1.0), M, beta_star) + _rank_one_loss(variances, M, noise_variance)
            ),
        ),
        Mistake("φ/ω stands where φ²/ω belongs", _with_price(_wrong_loss, power=1)),
        Mistake("ω has (1 + 1/M)φ, not φ, besides τ/M", _with_price(_wrong_loss, share=0.0)),
    ),
    hints=(
        "With u = 0 the odd part has only u₂₁ū₁₂ᵀ, the even part only Ū and ū₁₂. Treat them apart.",
        "The even part has one gauge: the smallest value is that of layers without u₂₁.",
        "The odd part asks for the best approximation of rank one to ΦΩ^(−½).",
    ),
)

# 6.5


def _draw_two_valleys(rng: random.Random) -> dict[str, Any]:
    return {
        **_draw_valley(rng),
        # a mean so small that a layer has two valleys, and the one with c = 0 is the higher
        "M": rng.randint(8, 16),
        "beta_star": rng.choice([(0.5, 0.5), (0.5, 1.0), (1.0, 0.5)]),
    }


def _two_valleys(**numbers: Any) -> list[float]:
    """The excess over R_LTB in the deep valley and in the other, by the package's search."""
    found = ltb.lsa_infimum(_setting(**numbers))
    return [float(found.gap), float(found.gap + found.spread)]


def _low_and_apart(**numbers: Any) -> list[float]:
    low, high = _two_valleys(**numbers)
    return [low, high - low]


WHICH_VALLEY = Exercise(
    number="6.5",
    label="ex-which-valley",
    asks="how far above R_block the two groups end, two numbers to 1 %, the smaller first, for "
    "Λ = diag{variances}, Ψ = I, σ² = {noise_variance}, β* = {beta_star}, M = {M}",
    draw=_draw_two_valleys,
    book=RUNNING,
    solve=_two_valleys,
    mistakes=(
        Mistake("the smaller comes first", lambda **numbers: _two_valleys(**numbers)[::-1]),
        Mistake(
            "these are the risks; their excess over R_block is wanted",
            lambda **numbers: [e + _least_risk(**numbers) for e in _two_valleys(**numbers)],
        ),
        Mistake(
            "these are blocks, with a free r; a layer has r = 0",
            lambda variances, M, beta_star, noise_variance: [
                0.0,
                _rank_one_loss(variances, M, noise_variance),
            ],
        ),
        Mistake(
            "the second is how far one group ends above the other; above R_block is wanted",
            _low_and_apart,
        ),
    ),
    hints=(
        "A layer has r = 0; all else may move.",
        "Sort the forty risks at the end: they come in two groups. Look at u in both.",
        "Go on until the gradient is small: 1500 steps of Adam with the rate 0.03 will do.",
    ),
    # The student's own descent, not quite at rest.
    tolerance=0.01,
)

# 6.4


def _best_block(noise: Real, M: int) -> float:
    tau = 1 + noise
    return noise + (1 + tau) / (M + 1 + tau)


def _best_layer(mean: Real, noise: Real, M: int) -> float:
    """The least risk for d = H = Ψ = 1: least squares in (V, w) for each direction of (b, c)."""
    tau = 1 + noise
    P = np.array(
        [
            [1 + (1 + tau) / M, 0.0, 0.0],
            [0.0, 1 + 2 / M, 1 + 2 / (M * tau)],
            [0.0, 1 + 2 / (M * tau), (1 + 2 / M) * (1 + 2 / tau**2)],
        ]
    )  # in B, α and γτ
    p = np.array([1.0, mean, mean])

    def gains(angles: np.ndarray) -> np.ndarray:
        b, c, none = np.cos(angles), np.sin(angles), np.zeros_like(angles)
        J = np.stack(
            [np.stack([c, b], -1), np.stack([b, none], -1), np.stack([none, c * tau], -1)], -2
        )
        seen = J.transpose(0, 2, 1) @ p
        least = np.linalg.solve(J.transpose(0, 2, 1) @ P @ J, seen[..., None])[..., 0]
        return np.asarray((seen * least).sum(-1))

    centre, width = math.pi / 2, math.pi / 2
    for _ in range(4):  # a coarse look at all directions, then three closer ones
        angles = np.linspace(centre - width, centre + width, 402)
        found = gains(angles)
        centre, width = float(angles[found.argmax()]), width / 100
    return tau + mean**2 - float(found.max())


def _lengths(M: int, noise: Real, means: Sequence[Real], learner: Any) -> list[int]:
    """For each mean the first length at which the learner is as good as the block with M."""
    goal, found = _best_block(noise, M), []
    for mean in means:
        low, high = 0, 4096
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if learner(mean, noise, middle) <= goal else (middle, high)
        found.append(high)
    return found


POINTS_FOR_MEAN = Exercise(
    number="6.4",
    label="ex-points-for-mean",
    asks="four whole numbers, the points that the layer needs for β* = {means}, to be as good as "
    "the block with {M}, for σ² = {noise}",
    draw=lambda rng: {
        "M": rng.randint(3, 8),
        "noise": rng.choice([2.0, 3.0, 4.0]),
        "means": rng.choice([(1, 2, 4, 8), (1, 3, 5, 7), (2, 3, 4, 6)]),
    },
    book={"M": 4, "noise": 1.0, "means": (1, 2, 4, 8)},
    solve=partial(_lengths, learner=_best_layer),
    mistakes=(
        Mistake(
            "these layers have no u₂₁; the best layer mixes a little for small means",
            partial(
                _lengths,
                learner=lambda mean, noise, M: _best_block(noise, M) + 2 * mean**2 / (M + 2),
            ),
        ),
        Mistake(
            "‖β*‖²/(M + 1) bounds the price from below; no layer attains it here",
            partial(
                _lengths,
                learner=lambda mean, noise, M: _best_block(noise, M) + mean**2 / (M + 1),
            ),
        ),
        Mistake(
            "that is the law for large means alone; the layer also pays what the block pays at "
            "its own length",
            lambda M, noise, means: [
                math.ceil(2 * mean**2 / (_best_block(noise, M) - noise) - 2) for mean in means
            ],
        ),
        Mistake(
            "one less: there the block is still better",
            lambda M, noise, means: [n - 1 for n in _lengths(M, noise, means, learner=_best_layer)],
        ),
    ),
    hints=(
        "ltb.lsa_infimum gives the risk of the best layer at any length; six starts will do.",
        "Start at the block's own length and go up until the layer's risk is not larger.",
        "For large means the price is nearly 2β*²/(M + 2): how must M grow with β*?",
    ),
    tolerance=1e-4,  # whole numbers up to a few thousand
)

EXERCISES = (MEAN_DOMINATES, ROOTS, SWAPPED_VALLEY, POINTS_FOR_MEAN, WHICH_VALLEY)
