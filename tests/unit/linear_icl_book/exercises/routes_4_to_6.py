"""Exercises 4.1 to 6.5: their answers against the package, for the numbers of several students."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from linear_icl import labels, lsa, ltb, risk
from linear_icl import random_covariance as rc
from linear_icl.flow import gradient_flow
from torch import Tensor

LAMBDA = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
TRACE = 2.5


def tensor(values: Any) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float64)


def noise_length(d: int, M: int, noise_variance: float) -> int:
    lengths = torch.arange(1, M + 1)
    one = torch.eye(d, dtype=torch.float64)
    risks = risk.linear_risk(one, lengths, M, noise_variance=noise_variance)
    return int(lengths[risks.argmin()])


def take_over(w: Any, N: int, longer: int) -> list[float]:
    def equal(length: int) -> float:
        parts = risk.prediction_risk(LAMBDA, length, 1, labels.Noiseless(tensor(w)).moments(LAMBDA))
        return float(parts.variance / parts.bias)

    return [equal(N), equal(longer) / equal(N)]


def cubic(w: Any, N: int, M: int) -> Tensor:
    p, across = tensor(w) @ LAMBDA @ tensor(w), LAMBDA @ tensor(w)
    Sigma = 15 * p**3 * LAMBDA + 81 * p**2 * torch.outer(across, across)
    moments = labels.Moments(3 * p * tensor(w), Sigma, 6 * p**3)
    total: Tensor = risk.prediction_risk(LAMBDA, N, M, moments).total
    return total


def normalise(scale: float, N: int, M: int) -> Tensor:
    """The mean over 20 000 contexts of the risk given the context: within about half a percent."""
    tested = scale**2 * LAMBDA
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(20_000, M, 2, generator=generator, dtype=torch.float64) @ tested.sqrt()
    S = x.mT @ x / M
    step = torch.linalg.inv(lsa.gamma(LAMBDA, N))
    size = S.diagonal(dim1=1, dim2=2).sum(1)[:, None, None]
    wrong = step @ S * TRACE / size - torch.eye(2)
    mean: Tensor = (tested @ wrong @ wrong.mT).diagonal(dim1=1, dim2=2).sum(1).mean()
    return mean


def rotation(strong: float, kappa: float) -> Tensor:
    base = torch.diag(tensor([strong, strong / kappa]))
    return risk.linear_risk(base, 10**8, 10**10, test_covariance=base.flip(0, 1))


def two_points(epsilon: float, probability: float) -> list[float]:
    m1, m2, m3 = (probability * epsilon**k + 1 - probability for k in (1, 2, 3))
    left = risk.random_covariance_risk(rc.Moments(m1, m2, m3), 1, 10**8, 10**8)
    return [m1 * m2 / m3, float(left)]


def own_axes(mean: float, constant: float, N: int) -> list[float]:
    laws = [rc.Gamma(1.0, mean), rc.Constant(constant)]
    xi, gammas = (getattr(rc.DiagonalCovariance(laws, 2, N), name) for name in ("xi", "gamma"))
    growth = (xi**2 / gammas).sum() - xi.sum() ** 2 / gammas.sum()
    return [*(xi / gammas).tolist(), float(growth)]


def mixture(strong: float, weak: float, degrees: float, N: int) -> Tensor:
    cos, sin = torch.deg2rad(tensor(degrees)).cos(), torch.deg2rad(tensor(degrees)).sin()
    Q = torch.stack([torch.stack([cos, -sin]), torch.stack([sin, cos])])
    one = torch.diag(tensor([strong, weak]))
    two = Q @ one @ Q.T
    landscape = rc.MixtureCovariance(torch.stack([one, (two + two.T) / 2]), length=N)
    start = (0.1 * torch.eye(2, dtype=torch.float64), tensor(0.2))
    U, u = gradient_flow(landscape, start, until_gap=1e-11).state(-1)
    return u * U


def beat_silence(d: int, N: int, M: int) -> float:
    short, long = (rc.DiagonalCovariance(rc.Exponential(), d, n).gamma[0] for n in (N, M))
    return float((2 * short / long).sqrt())


def roots(B: float, alpha: float, gamma: float, beta_star: float) -> list[float]:
    b = (B + (B**2 - 4 * alpha * gamma) ** 0.5) / (2 * gamma)
    return [b - beta_star, alpha / b - beta_star * gamma, gamma]


def problem(variances: Any, M: int, beta_star: Any, noise_variance: float) -> ltb.Setting:
    one = torch.eye(2, dtype=torch.float64)
    return ltb.Setting(torch.diag(tensor(variances)), one, tensor(beta_star), noise_variance, M)


def strong_step(setting: ltb.Setting) -> tuple[Tensor, Tensor]:
    """v = b and w of the best step of rank one, with c = 0; the axes are those of H."""
    first = torch.eye(2, dtype=torch.float64)[0]
    strong, omega = setting.H[0, 0], setting.Omega[0, 0]
    return first / strong.sqrt(), first * strong.sqrt() / omega


def swapped_valley(**numbers: Any) -> Tensor:
    setting = problem(**numbers)
    b, w = strong_step(setting)
    M, beta_star, none = setting.length, setting.beta_star, torch.zeros(2, dtype=torch.float64)
    V = M / (M + 2) * torch.outer(b, beta_star)
    weights = ltb.Reduced(none, b, tensor(0.0), V - torch.outer(beta_star, w), w)
    return ltb.risk(setting, weights) - ltb.infimum(setting)


def layer_excess(setting: ltb.Setting) -> Callable[[Tensor], Tensor]:
    """The excess of a layer over R_LTB as a function of its nine weights."""

    def excess(z: Tensor) -> Tensor:
        weights = ltb.Reduced(0 * z[:2], z[:2], z[2], z[3:7].reshape(2, 2), z[7:])
        return ltb.risk(setting, weights) - ltb.infimum(setting)

    return excess


def valleys_of_layers(setting: ltb.Setting) -> Tensor:
    """Where Newton's method ends from the step of chapter 3 and from its twin with c = 0."""
    b, w = strong_step(setting)
    step, M = torch.linalg.inv(setting.Omega), setting.length
    V = M / (M + 2) * torch.outer(b, setting.beta_star)
    none = torch.zeros(2, dtype=torch.float64)
    upper = torch.cat([none, tensor([1.0]), step.flatten(), none])
    twin = torch.cat([b, tensor([0.0]), (V - torch.outer(setting.beta_star, w)).flatten(), w])
    ends, excess = torch.stack([upper, twin]).clone(), layer_excess(setting)
    for z in ends:
        for _ in range(60):  # damped, and downhill where the curvature is negative
            slope = torch.autograd.functional.jacobian(excess, z)
            values, vectors = torch.linalg.eigh(torch.autograd.functional.hessian(excess, z))
            move = -vectors @ ((vectors.T @ slope) / (values.abs() + 1e-3))
            while excess(z + move) > excess(z) + 1e-14:
                move = move / 2
            z += move
    return ends


def which_valley(**numbers: Any) -> list[float]:
    setting = problem(**numbers)
    return sorted(float(layer_excess(setting)(z)) for z in valleys_of_layers(setting))


ROUTES: dict[str, Callable[..., Any]] = {
    "4.1": noise_length,
    "4.2": take_over,
    "4.3": cubic,
    "4.4": normalise,
    "4.5": rotation,
    "5.1": two_points,
    "5.2": lambda mean, below: mean / below - 2,
    "5.3": own_axes,
    "5.4": mixture,
    "5.5": beat_silence,
    "6.1": lambda d, M: d * (d + 1) * (M + 1) / (M + d + 1),
    "6.2": roots,
    "6.3": swapped_valley,
    "6.5": which_valley,
}
