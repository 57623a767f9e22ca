"""Exercises 1.1 to 3.6: their answers as the pages solve them, for the numbers of students."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from linear_icl import estimators, prompts
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from torch import Tensor

RUNNING = torch.tensor([[2.0, 0.0], [0.0, 0.5]], dtype=torch.float64)
I = torch.eye(2, dtype=torch.float64)


def diagonal(*entries: float) -> Tensor:
    return torch.diag(torch.tensor(entries, dtype=torch.float64))


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def step_risk(Lambda: Tensor, A: Tensor, M: int) -> Tensor:
    return 2 * FixedCovariance(Lambda, M).loss(A, 1.0) + Lambda.trace()


def best_plain_step(a: float, b: float, M: int) -> list[Any]:
    Lambda = diagonal(a, b)
    square = Lambda @ Lambda
    c = square.trace() / (FixedCovariance(Lambda, M).Gamma @ square).trace()
    return [c, step_risk(Lambda, c * I, M)]


def several_steps(a: float, b: float, M: int) -> list[Tensor]:
    given = prompts.GaussianPrompts(diagonal(a, b)).sample(150_000, M, generator=generator())
    half = diagonal(0.5 / a, 0.5 / b)
    return [
        (estimators.gradient_descent(given, k, preconditioner=half) - given.y_query).square().mean()
        for k in (1, 2, 3)
    ]


def plain_price(a: float, b: float) -> list[Any]:
    Lambda = diagonal(a, b)
    s = (Lambda @ Lambda).trace() / (Lambda @ Lambda @ Lambda).trace()
    share = ((s * Lambda - I) @ (s * Lambda - I) @ Lambda).trace() / Lambda.trace()
    return [step_risk(Lambda, I, 10**9), s, share]


def typical(points: int, length: int, M: int, runs: int = 40) -> float:
    """The median risk at M of steps, each fitted to prompts of this length."""
    risks = []
    for k in range(runs):
        law = prompts.GaussianPrompts(RUNNING)
        drawn = law.sample(points // length, length, generator=generator(k))
        moment = (drawn.x * drawn.y[..., None]).mean(1)
        features = (moment[:, :, None] * drawn.x_query[:, None]).flatten(1)
        fit = torch.linalg.lstsq(features, drawn.y_query[:, None]).solution.reshape(2, 2)
        risks.append(step_risk(RUNNING, fit, M).item())
    return float(np.median(risks))


def tasks_or_points(points: int, M: int) -> float:
    return min(typical(points, length, M) for length in (16, 64, 128, 256, 640))


def mask(N: int, u12: Any, x_query: Any, U: Any) -> float:
    x = np.array(x_query)
    return float((np.array(u12) @ x) * (x @ np.array(U) @ x) / N)


def count(d: int, ratio: int) -> float:
    D = d + 1  # D n² + (D² − ratio (2D + 1)) n = ratio d D
    n = max(np.roots([D, D * D - ratio * (2 * D + 1), -ratio * d * D]))
    return float(math.ceil(n) - 1)


def moment(a: float, b: float, N: int, noise: float) -> Tensor:
    Lambda = diagonal(a, b)
    return (FixedCovariance(Lambda, N).Gamma @ Lambda).trace() + noise / N * Lambda.trace()


def flat_softmax(x: Any, sharpness: float) -> float:
    points = np.array(x)
    n, gamma = len(x) + 1, 1 + 2 / len(x)
    slope = sharpness * (points * (points - points.sum() / n)).sum() / n
    return float((points**2).mean() / gamma / slope)


def one_dimension(N: int, u: float, U: float) -> list[Any]:
    end = FixedCovariance([[1.0]], N).limit(u * u - U * U)
    return [end[1], end[0][0, 0]]


def theta(slope: float = 1.0) -> Tensor:
    root = torch.tensor([[1.0, 0.0], [slope, 1.0]], dtype=torch.float64)
    return torch.Tensor(root / torch.linalg.matrix_norm(root @ root.T) ** 0.5)


def loose(kappa: float) -> Any:
    case = FixedCovariance(diagonal(2.0, 2.0 / kappa), 8)
    sigma = 0.5 * case.sigma_max(theta())
    flow = gradient_flow(case, case.start(sigma, theta()), np.linspace(0, 14, 141))
    dU, du = case.gradient(*flow.states)
    ratio = (dU.square().sum((-2, -1)) + du.square()) / flow.gap
    return ratio[flow.gap > 1e-14].min() / case.pl_constant(sigma, theta())


def weak_start(a: float, b: float) -> Any:
    square = diagonal(a * a, b * b)
    omega = torch.linalg.matrix_norm(square)
    weak, even = square[1, 1] / omega, square.trace() / math.sqrt(2) / omega
    return ((1 + even) / (1 + weak)).log() / omega


def race(slope: float) -> Any:
    """Linear theory; the exercise allows for its error."""
    square, start = RUNNING @ RUNNING, theta(slope) @ theta(slope).T
    return (1 + (square * start).sum() / torch.linalg.matrix_norm(square)) / 2


def spurious_length(a: float, b: float) -> int:
    def smallest(N: int) -> float:
        case = FullParameters(diagonal(a, b), N)

        def loss(z: Tensor) -> Tensor:
            zero = torch.zeros(3, 3, dtype=z.dtype)
            W_KQ = torch.cat([z[:6].reshape(3, 2), zero[:, :1]], 1)
            return case.loss(W_KQ, torch.cat([zero[:2], z[6:][None]]))

        z = torch.zeros(9, dtype=torch.float64)
        z[4], z[6] = 1 / case.Gamma[0, 0], 1.0
        hessian = torch.func.jacrev(torch.func.grad(loss))(z)
        return float(torch.linalg.eigvalsh(hessian)[0])

    return next(N for N in range(2, 60) if smallest(N + 1) < -1e-9)


ROUTES: dict[str, Callable[..., Any]] = {
    "1.1": best_plain_step,
    "1.2": lambda d, M: d - M,
    "1.3": several_steps,
    "1.4": plain_price,
    "1.5": tasks_or_points,
    "2.1": mask,
    "2.2": count,
    "2.3": lambda w: -w[0] / w[1],
    "2.4": moment,
    "2.5": flat_softmax,
    "3.1": one_dimension,
    "3.2": lambda N, sigma, t: 1 / math.sqrt((sigma**-2 + 1 + 2 / N) * math.exp(2 * t) - 1 - 2 / N),
    "3.3": loose,
    "3.4": weak_start,
    "3.5": race,
    "3.6": spurious_length,
}
