"""Exercises 4.1 to 6.5."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from linear_icl import labels, ltb, risk
from linear_icl import random_covariance as rc

from .. import routes_4_to_6 as routes
from . import Told

LAMBDA = np.array([2.0, 0.5])


def best_length(n: Any, own: float, noise: float) -> Any:
    """N with own/N = (own + noise)/M."""
    return round(n.M * own / (own + noise))


def of_w(w: Any, N: int, gammas: np.ndarray, second: float = 1.0) -> tuple[float, float]:
    """V and N²B, Σ = wᵀΛw Λ + second·Λwwᵀ​Λ."""
    square = np.asarray(w, float) ** 2
    Sigma = LAMBDA @ square * LAMBDA + second * LAMBDA**2 * square
    bias = (LAMBDA + 2.5) ** 2 * square
    weight = LAMBDA / gammas**2
    return float(Sigma @ weight), float(bias @ weight)


def take_over(n: Any, w: Any, second: float = 1.0, gamma: Any = None) -> list[float]:
    found = []
    for N in (n.N, n.longer):
        V, B = of_w(w, N, (1 + 1 / N) * LAMBDA + 2.5 / N if gamma is None else gamma, second)
        found.append(N**2 * V / B)
    return [found[0], found[1] / found[0]]


def mean_take_over(n: Any) -> list[float]:
    """Means over (±1, ±1), which has the first two moments of N(0, I)."""
    return take_over(n, (1, 1))


def cubic(n: Any, slope: float, across: float, best: float, length: int | None = None) -> float:
    """a = slope·p w, Σ = 15p³Λ + across·p²Λwwᵀ​Λ, b = best·p³; the variance over `length`."""
    w = routes.tensor(n.w)
    p, shadow = w @ routes.LAMBDA @ w, routes.LAMBDA @ w
    Sigma = 15 * p**3 * routes.LAMBDA + across * p**2 * torch.outer(shadow, shadow)
    given = labels.Moments(slope * p * w, Sigma, best * p**3)
    return float(risk.prediction_risk(routes.LAMBDA, n.N, length or n.M, given).total)


def divided(n: Any, power: float) -> float:
    """The risk, mean over 40 000 contexts, if the prediction is divided by ĉ to this power."""
    x = n.scale * torch.randn(
        40_000, n.M, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64
    )
    S = (x @ routes.LAMBDA.sqrt()).mT @ (x @ routes.LAMBDA.sqrt()) / n.M
    size = (S.diagonal(dim1=1, dim2=2).sum(1) / 2.5).sqrt()[:, None, None]
    gamma = torch.as_tensor((1 + 1 / n.N) * LAMBDA + 2.5 / n.N).diag()
    wrong = torch.linalg.solve(gamma, S) / size**power - torch.eye(2)
    return float(
        n.scale**2 * (routes.LAMBDA @ wrong @ wrong.mT).diagonal(dim1=1, dim2=2).sum(1).mean()
    )


def rotated(n: Any, context: float, query: float) -> float:
    """‖Λ_q^½(Λ⁻¹Λ_c − I)‖²_F, context and query turned by these angles."""
    Lambda = np.diag([n.strong, n.strong / n.kappa])

    def turned(angle: float) -> np.ndarray:
        cos, sin = math.cos(angle), math.sin(angle)
        Q = np.array([[cos, -sin], [sin, cos]])
        return np.asarray(Q @ Lambda @ Q.T)

    wrong = turned(context) - Lambda
    values, axes = np.linalg.eigh(turned(query))
    root = axes * np.sqrt(values)
    return float(np.square(root.T @ np.linalg.solve(Lambda, wrong)).sum())


def largest(ask: Callable[[float], float]) -> float:
    return max(ask(math.radians(degrees / 4)) for degrees in range(721))


def moments(n: Any) -> tuple[float, ...]:
    return tuple(n.probability * n.epsilon**k + 1 - n.probability for k in (0, 1, 2, 3))


def stepped(n: Any, step: float) -> list[float]:
    """Mean share, and risk E λ(1 − step·λ)²."""
    _, m1, m2, m3 = moments(n)
    return [step * m1, m1 - 2 * step * m2 + step**2 * m3]


def shape_where(n: Any, value: Callable[[float, float, float], float], mean: Any = None) -> float:
    """The k at which this function of the moments has fallen to the wanted risk."""
    mean = n.mean if mean is None else mean
    low, high = 1e-9, 1e6
    for _ in range(200):
        k = math.sqrt(low * high)
        m2, m3 = mean**2 * (k + 1) / k, mean**3 * (k + 1) * (k + 2) / k**2
        low, high = (k, high) if value(mean, m2, m3) > n.below else (low, k)
    return low


def of_axes(xi: np.ndarray, zeta: np.ndarray, step: float | None = None) -> list[float]:
    """Two steps, and by how much the risk grows if both axes have one."""
    one = xi.sum() / zeta.sum() if step is None else step
    least = (xi**2 / zeta).sum()
    return [*xi / zeta, least - 2 * one * xi.sum() + one**2 * zeta.sum()]


def axes(n: Any, traces: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """E λᵢ², and (1 + 1/N) E λᵢ³ + traces/N."""
    third = np.array([6 * n.mean**3, n.constant**3])
    return np.array([2 * n.mean**2, n.constant**2]), third * (1 + 1 / n.N) + np.array(traces) / n.N


def with_trace_of(n: Any, beside: Sequence[float]) -> list[float]:
    """The trace is λᵢ and another variance with this mean."""
    second, third = (2 * n.mean**2, n.constant**2), (6 * n.mean**3, n.constant**3)
    return of_axes(*axes(n, [t + s * o for t, s, o in zip(third, second, beside, strict=True)]))


def right_axes(n: Any) -> tuple[np.ndarray, np.ndarray]:
    second, third = (2 * n.mean**2, n.constant**2), (6 * n.mean**3, n.constant**3)
    return axes(n, [third[0] + second[0] * n.constant, third[1] + second[1] * n.mean])


def averaged_step(n: Any, r: Any) -> list[float]:
    return of_axes(*right_axes(n), step=(r[0] + r[1]) / 2)


def mean_covariance(n: Any) -> list[float]:
    law = rc.DiagonalCovariance([rc.Constant(n.mean), rc.Constant(n.constant)], 2, n.N)
    return of_axes(law.xi.numpy(), law.gamma.numpy())


def random_axes(n: Any) -> float:
    xi, zeta = right_axes(n)
    return float(n.mean + n.constant - xi.sum() ** 2 / zeta.sum())


def kinds(n: Any) -> torch.Tensor:
    """The two covariances, (2, 2, 2)."""
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64) * math.radians(n.degrees)
    one = torch.diag(routes.tensor([n.strong, n.weak]))
    two = torch.matrix_exp(turn) @ one @ torch.matrix_exp(-turn)
    return torch.stack([one, (two + two.T) / 2])


def gammas(Lambda: torch.Tensor, N: int) -> torch.Tensor:
    trace = Lambda.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]
    return (1 + 1 / N) * Lambda + trace / N * torch.eye(2, dtype=Lambda.dtype)


def spread(d: float, N: int, others: float | None = None) -> float:
    """ζ of exponential laws at length N: m₃ = 6, m₁m₂ = 2."""
    return 6 * (N + 2) / N + 2 * (d - 1 if others is None else others) / N


def scale(n: Any, ask: Callable[[int], float]) -> float:
    return math.sqrt(2 * ask(n.N) / ask(n.M))


def block(d: int, M: int, tau: float) -> float:
    """R_block for φᵢ = 1 in d directions, without noise."""
    return d * (1 + tau) / (M + 1 + tau)


def from_root(n: Any, first: bool) -> tuple[float, float]:
    """ū₁₂ and Ū with u = 1: u₂₁ū₁₂ + Ū = A and ū₁₂Ū = p_x."""
    root = math.sqrt(n.B**2 - 4 * n.alpha * n.gamma)
    bar = (n.B + (root if first else -root)) / (2 * n.gamma)
    return bar, n.alpha / bar


def lost(n: Any, *, share: float | None = None) -> Any:
    """φᵢ²/ωᵢ, largest φ first."""
    phi = np.sort(np.array(n.variances, float))[::-1]
    tau = phi.sum() + n.noise_variance
    return phi**2 / ((1 + 1 / n.M if share is None else share) * phi + tau / n.M)


def phis(n: Any) -> np.ndarray:
    return np.sort(np.array(n.variances, float))[::-1]


def price(n: Any, metric: Any = None) -> float:
    square = np.array(n.variances if metric is None else metric) @ np.array(n.beta_star) ** 2
    return float(2 * square / (n.M + 2))


def block_risk(n: Any) -> float:
    phi = np.array(n.variances, float)
    tau = phi.sum() + n.noise_variance
    return float(n.noise_variance + (phi * (phi + tau) / ((n.M + 1) * phi + tau)).sum())


def swapped_loss(n: Any) -> float:
    return float(ltb.swapped_block(routes.problem(**vars(n))).excess)


def scalar_block(n: Any, M: int) -> float:
    return float(n.noise + (2 + n.noise) / (M + 2 + n.noise))


def first_lengths(n: Any, risk_of: Callable[[float, int], float]) -> list[int]:
    goal, found = scalar_block(n, n.M), []
    for mean in n.means:
        M = 1
        while risk_of(mean, M) > goal:
            M += 1
        found.append(M)
    return found


TOLD: Told = {
    "4.1": {
        "that is the best length without noise": lambda n, r: best_length(n, n.d + 1, 0),
        "the fraction is upside down: noise makes a context worth less, not more": (
            lambda n, r: round(n.M**2 / int(r))
        ),
        "the standard deviation σ stands where σ² belongs": (
            lambda n, r: best_length(n, n.d + 1, n.noise_variance**0.5)
        ),
        "d stands where d + 1 belongs; Γ has (1 + 1/N)Λ besides the trace": (
            lambda n, r: best_length(n, n.d, n.noise_variance)
        ),
        "1 stands where d + 1 belongs: the trace term of Γ is missing": (
            lambda n, r: best_length(n, 1, n.noise_variance)
        ),
    },
    "4.2": {
        "the second number is M itself; the factor between the two is wanted": (
            lambda n, r: [r[0], r[0] * r[1]]
        ),
        "1/N stands where 1/N² belongs in the bias": (
            lambda n, r: [r[0] / n.N, r[1] * n.N / n.longer]
        ),
        "Λ⁻¹ stands where Γ⁻¹ belongs": lambda n, r: take_over(n, n.w, gamma=LAMBDA),
        "Σ has a second term, Λwwᵀ​Λ": lambda n, r: take_over(n, n.w, second=0),
        "that is the mean over w ~ N(0, I); here w is given": lambda n, r: mean_take_over(n),
    },
    "4.3": {
        "Σ is a covariance: the square of the mean, 9p²Λwwᵀ​Λ, is not taken off": (
            lambda n, r: cubic(n, 3, 105 - 15, 15 - 9)
        ),
        "in E[y²xxᵀ] the direction Λw has the coefficient 105 − 15, not 105": (
            lambda n, r: cubic(n, 3, 105 - 9, 15 - 9)
        ),
        "b is what the best linear predictor leaves: E y² less aᵀΛa": (
            lambda n, r: cubic(n, 3, 105 - 15 - 9, 15)
        ),
        "the best linear risk b is left out": lambda n, r: cubic(n, 3, 105 - 15 - 9, 0),
        "E z⁴ is 3p², not p²": lambda n, r: cubic(n, 1, 105 - 15 - 1, 15 - 1),
        "the variance is not divided by M": lambda n, r: cubic(n, 3, 105 - 15 - 9, 15 - 9, 1),
    },
    "4.4": {
        "that is the layer without normalisation, or one whose ĉ is one": lambda n, r: (
            risk.linear_risk(routes.LAMBDA, n.N, n.M, test_covariance=n.scale**2 * routes.LAMBDA)
        ),
        "only the context or only the query is divided; both must be": lambda n, r: divided(n, 1),
        "the root is missing: points are divided by ĉ, and ĉ² is the ratio of traces": (
            lambda n, r: divided(n, 4)
        ),
        "that is the risk with the true c in place of ĉ, which varies with the context": (
            lambda n, r: n.scale**2 * risk.linear_risk(routes.LAMBDA, n.N, n.M)
        ),
        "that is the risk at c = 1; the labels of larger queries are larger too": (
            lambda n, r: r / n.scale**2
        ),
    },
    "4.5": {
        "that is the leading term for large κ; the rest counts at this κ": (
            lambda n, r: n.strong * n.kappa**2
        ),
        "only the context is rotated; the query's covariance stands in front, rotated too": (
            lambda n, r: largest(lambda angle: rotated(n, angle, 0))
        ),
        "that is the limit at 45 degrees": lambda n, r: rotated(n, math.pi / 4, math.pi / 4),
        "one of the two directions is left out": (
            lambda n, r: r - n.strong / n.kappa * (1 / n.kappa - 1) ** 2
        ),
    },
    "5.1": {
        "these are the limits for ε → 0; here ε is given": lambda n, r: [1 - n.probability, 0],
        "the step is 1/m₁ there, right for the mean variance; training finds m₂/m₃": (
            lambda n, r: stepped(n, 1 / moments(n)[1])
        ),
        "the step has moments one order too low, m₁/m₂: the query's own λ is a factor too": (
            lambda n, r: stepped(n, moments(n)[1] / moments(n)[2])
        ),
        "the first number is the step m₂/m₃; the mean share is m₁ times that": (
            lambda n, r: [moments(n)[2] / moments(n)[3], r[1]]
        ),
        "the second number is what the layer explains; the risk is what is left of m₁": (
            lambda n, r: [r[0], moments(n)[2] ** 2 / moments(n)[3]]
        ),
    },
    "5.2": {
        "moments one order too low: 1 − m₁²/m₂ stands where 1 − m₂²/(m₁m₃) belongs": (
            lambda n, r: shape_where(n, lambda m1, m2, m3: m1 * (1 - m1**2 / m2))
        ),
        "that is where m₁/k is so small; the risk has a larger denominator": (
            lambda n, r: n.mean / n.below
        ),
        "that is where m₁(1 − m₁m₂/m₃) is so small; the risk is another number": (
            lambda n, r: shape_where(n, lambda m1, m2, m3: m1 * (1 - m1 * m2 / m3))
        ),
        "that is for a law of mean one": (
            lambda n, r: shape_where(n, lambda m1, m2, m3: m1 - m2**2 / m3, 1)
        ),
    },
    "5.3": {
        "in the mean of λᵢ²(λ₁ + λ₂) the two factors are not independent: λᵢ occurs in both": (
            lambda n, r: of_axes(
                *axes(n, [m2 * (n.mean + n.constant) for m2 in (2 * n.mean**2, n.constant**2)])
            )
        ),
        "the trace holds the other axis's mean; the formula for independent copies has the same "
        "law in both": lambda n, r: with_trace_of(n, (n.mean, n.constant)),
        "that is the layer trained on the mean covariance": lambda n, r: mean_covariance(n),
        "random axes have the step Σξ/Σζ, not the mean of the two steps": averaged_step,
        "the third number is the risk with random axes; its growth is wanted": (
            lambda n, r: [*r[:2], random_axes(n)]
        ),
        "the third number is a loss with its factor ½; the risk is wanted": (
            lambda n, r: [*r[:2], r[2] / 2]
        ),
    },
    "5.4": {
        "that is U alone; the product uU is wanted": (
            lambda n, r: r / np.sqrt(np.sqrt(np.square(r).sum()))  # ‖U‖ = u
        ),
        "the covariances are averaged before training; each prompt has one of the two": (
            lambda n, r: gammas(kinds(n).mean(0), n.N).inverse()
        ),
        "that is the mean of the two layers' steps; the loss weighs large variances more": (
            lambda n, r: gammas(kinds(n), n.N).inverse().mean(0)
        ),
        "E[Λ²](E[ΓΛ²])⁻¹ is for covariances with the same axes; here they do not commute": (
            lambda n, r: (
                (kinds(n) @ kinds(n)).sum(0)
                @ (gammas(kinds(n), n.N) @ kinds(n) @ kinds(n)).sum(0).inverse()
            )
        ),
        "rotated the other way round": lambda n, r: r * np.array([[1, -1], [-1, 1]]),
        "the part of Γ with 1/N is left out": (
            lambda n, r: rc.MixtureCovariance(kinds(n), length=10**12).target
        ),
    },
    "5.5": {
        "that is the threshold for N = M": lambda n, r: math.sqrt(2),
        "N and M have changed places: the step comes from training": lambda n, r: 2 / r,
        "that is the scale for which this step is the best one": lambda n, r: r / math.sqrt(2),
        "that is c²: c multiplies the points, so the covariance grows by its square": (
            lambda n, r: r**2
        ),
        "the other d − 1 directions are left out: they scatter the context too": (
            lambda n, r: scale(n, lambda N: spread(n.d, N, 0))
        ),
        "d stands where d − 1 belongs": lambda n, r: scale(n, lambda N: spread(n.d, N, n.d)),
    },
    "6.1": {
        "M stands where M + 1 belongs in the price": lambda n, r: n.M * block(n.d, n.M, n.d),
        "that is ‖β*‖; its square is wanted": lambda n, r: math.sqrt(r),
        "twice the risk means a price of once the risk, not of twice": (
            lambda n, r: (n.M + 1) * 2 * block(n.d, n.M, n.d)
        ),
        "2/(M + 2) is the price without u₂₁; the theorem is about all layers": (
            lambda n, r: (n.M + 2) / 2 * block(n.d, n.M, n.d)
        ),
        "τ is the trace of ΛΨ, not one of its eigenvalues": (
            lambda n, r: (n.M + 1) * block(n.d, n.M, 1)
        ),
        "the risk of the block is a sum over all d directions": (
            lambda n, r: (n.M + 1) * block(1, n.M, n.d)
        ),
    },
    "6.2": {
        "these are ū₁₂ and Ū, of the centred labels; u₁₂ and U are less by uβ* and β*u₂₁": (
            lambda n, r: [*from_root(n, True), n.gamma]
        ),
        "β* is added: u₁₂ = ū₁₂ − uβ* and U = Ū − β*u₂₁": lambda n, r: [
            from_root(n, True)[0] + n.beta_star,
            from_root(n, True)[1] + n.beta_star * n.gamma,
            n.gamma,
        ],
        "Ū stands where U = Ū − β*u₂₁ belongs": lambda n, r: [r[0], from_root(n, True)[1], r[2]],
        "these weights belong to the smaller of the two ū₁₂": lambda n, r: [
            from_root(n, False)[0] - n.beta_star,
            from_root(n, False)[1] - n.beta_star * n.gamma,
            n.gamma,
        ],
    },
    "6.3": {
        "that is the bound for large means; a layer with u = 0 can still do one direction of the "
        "task": lambda n, r: price(n) + lost(n).sum(),
        "that is the risk of the layer; subtract R_block": lambda n, r: r + block_risk(n),
        "the step keeps the smallest direction; keep the largest": (
            lambda n, r: price(n) + lost(n)[:-1].sum()
        ),
        "that is the price of the mean alone; a step of rank one loses something too": (
            lambda n, r: price(n)
        ),
        "the price of the mean is left out": lambda n, r: swapped_loss(n),
        "with u = 0 there is one gauge only: 2/(M + 2), not 1/(M + 1)": (
            lambda n, r: price(n) * (n.M + 2) / (2 * (n.M + 1)) + swapped_loss(n)
        ),
        "‖β*‖² stands where ‖β*‖_Λ² belongs": (lambda n, r: price(n, (1, 1)) + swapped_loss(n)),
        "φ/ω stands where φ²/ω belongs": lambda n, r: price(n) + (lost(n) / phis(n))[1:].sum(),
        "ω has (1 + 1/M)φ, not φ, besides τ/M": (
            lambda n, r: price(n) + lost(n, share=1)[1:].sum()
        ),
    },
    "6.4": {
        "these layers have no u₂₁; the best layer mixes a little for small means": (
            lambda n, r: first_lengths(
                n, lambda mean, M: scalar_block(n, M) + 2 / (M + 2) * mean**2
            )
        ),
        "‖β*‖²/(M + 1) bounds the price from below; no layer attains it here": (
            lambda n, r: first_lengths(
                n, lambda mean, M: scalar_block(n, M) + 1 / (M + 1) * mean**2
            )
        ),
        "that is the law for large means alone; the layer also pays what the block pays at its own "
        "length": lambda n, r: first_lengths(n, lambda mean, M: n.noise + 2 / (M + 2) * mean**2),
        "one less: there the block is still better": lambda n, r: [int(one) - 1 for one in r],
    },
    "6.5": {
        "the smaller comes first": lambda n, r: [max(r), min(r)],
        "these are the risks; their excess over R_block is wanted": lambda n, r: r + block_risk(n),
        "these are blocks, with a free r; a layer has r = 0": lambda n, r: [0, swapped_loss(n)],
        "the second is how far one group ends above the other; above R_block is wanted": (
            lambda n, r: [r[0], r[1] - r[0]]
        ),
    },
}
