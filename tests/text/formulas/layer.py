"""Chapters 1 to 5: one layer of linear attention."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from linear_icl import lsa, risk
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl.random_covariance import DiagonalCovariance, Moments

from tests.text.formulas._settings import (
    Generator,
    array,
    column,
    formula,
    positive,
    quadratic,
    training,
)
from tests.text.printed import Formula


@formula("eq-full-loss")
def full_loss(rng: Generator) -> Formula:
    Lambda, N, letters = training(rng, 2)
    case = FullParameters(Lambda, N)
    W_KQ, W_PV = torch.as_tensor(rng.normal(size=(2, 3, 3)))
    A = W_PV[2:, :2].T @ W_KQ[2:, :2] + W_PV[2, 2] * W_KQ[:2, :2]
    on_slice = torch.zeros(2, 3, 3, dtype=torch.float64)
    on_slice[0, :2, :2], on_slice[1, 2, 2] = A, 1.0  # the same A, and no even part
    even = 2 * (case.loss(W_KQ, W_PV) - case.loss(*on_slice))
    given = {**letters, "A": array(A), r"\mathbb E\,T_0^2": float(even)}
    return Formula(given, [("L", "=", float(case.loss(W_KQ, W_PV)))])


@formula("eq-limit")
def limit(rng: Generator) -> Formula:
    Lambda, N, letters = training(rng)
    U, u = map(array, FixedCovariance(Lambda, N).limit())
    return Formula(
        letters,
        [("U", r"\to", U), ("u", r"\to", u), ("u_{12}", "=", "u_{21}", "=", "0")],
    )


@formula("eq-unbalanced")
def unbalanced(rng: Generator) -> Formula:
    Lambda, N, letters = training(rng)
    D, g = rng.normal(), np.linalg.norm(np.linalg.inv(letters[r"\Gamma"]))
    _, u = FixedCovariance(Lambda, N).limit(D)
    return Formula({"D": D, r"u_\ast": float(g) ** 0.5}, [("u^2", r"\to", float(u) ** 2)])


@formula("eq-one-equation")
def one_equation(rng: Generator) -> Formula:
    """Two weights: A = uU follows a flow of its own on the imbalance D."""
    U, u = rng.normal(size=2)
    by_U, by_u = FixedCovariance([[1.0]], 2).gradient([[U]], u)
    speed = -float(by_U[0, 0]) * u - U * float(by_u)
    given = {"A": U * u, "D": u**2 - U**2}
    return Formula(given, [("A'", "=", speed)])


@formula("eq-gap")
def gap(rng: Generator) -> Formula:
    Lambda, N, letters = training(rng)
    case, A = FixedCovariance(Lambda, N), rng.normal(size=(3, 3))
    above = float(case.loss(A, 1.0) - case.minimum)
    return Formula({**letters, "A": A}, [(r"\tilde\ell-\min\tilde\ell", "=", above)])


@formula("eq-even")
def even_part(rng: Generator) -> Formula:
    """T₀ by the loss of all weights, with the means of p as the lemma has them."""
    Lambda, N, _ = training(rng, 2)
    case = FullParameters(Lambda, N)
    weights = torch.as_tensor(rng.normal(size=(2, 3, 3)))
    U, u, by_key, by_value = (
        array(one)
        for one in (weights[0, :2, :2], weights[1, 2, 2], weights[0, 2, :2], weights[1, 2, :2])
    )
    on_slice = torch.zeros(2, 3, 3, dtype=torch.float64)
    on_slice[0, :2, :2] = torch.as_tensor(np.outer(by_value, by_key) + u * U)
    on_slice[1, 2, 2] = 1.0
    even = 2 * float(case.loss(*weights) - case.loss(*on_slice))
    UU = U @ Lambda @ U.T
    between = (1 + 1 / N) * Lambda @ UU @ Lambda + np.trace(UU @ Lambda) / N * Lambda  # E S(UΛUᵀ)S
    trace, U_ = np.trace(Lambda), (U + U.T) / 2
    turned = np.trace(U @ Lambda)
    mean = U.T @ Lambda @ by_value + u * trace * by_key
    square = (
        by_value @ between @ by_value
        + 2 * u * by_key @ Lambda @ U.T @ (trace * Lambda + 2 / N * Lambda @ Lambda) @ by_value
        + u**2 * (1 + 2 / N) * (trace**2 + 2 * np.trace(Lambda @ Lambda)) * by_key @ Lambda @ by_key
    )
    Q = 2 * Lambda @ U_ @ Lambda + turned * Lambda
    Y = (turned**2 + 2 * np.trace(U_ @ Lambda @ U_ @ Lambda)) * Lambda
    Y = Y + 4 * turned * Lambda @ U_ @ Lambda + 8 * Lambda @ U_ @ Lambda @ U_ @ Lambda
    given = {
        r"\mathbb E[p^\top\Lambda p]": float(square),
        r"\mathbb E[p]": column(mean),
        "Q": Q,
        "Y": Y,
        "u_{12}": column(by_value),
        "N": N,
    }
    return Formula(given, [(r"\mathbb E\,T_0^2", "=", even)])


def started(rng: Generator) -> tuple[FixedCovariance, np.ndarray, float, dict[str, Any]]:
    """A landscape and a start below the bound on u₀."""
    Lambda, N, letters = training(rng)
    case, Theta = FixedCovariance(Lambda, N), rng.normal(size=(3, 3))
    Theta = Theta / np.linalg.norm(Theta @ Theta.T) ** 0.5
    sigma = float(rng.uniform(0.2, 0.8) * case.sigma_max(Theta))
    return case, Theta, sigma, {**letters, r"\Theta": Theta, "u_0": sigma}


@formula("eq-mu")
def published_mu(rng: Generator) -> Formula:
    case, Theta, sigma, letters = started(rng)
    return Formula(
        letters, [(r"\mu", "=", float(case.pl_constant(sigma, Theta)), r"\le", r"\mu_\ast")]
    )


@formula(r"lem-pl-sharp \mu_\ast=")
def sharp_mu(rng: Generator) -> Formula:
    """u_min² is min{u₀², (−2ℓ̃(0)/max γ_iλ_i²)^½}, (eq-u-sharp) from a balanced start."""
    case, Theta, sigma, letters = started(rng)
    values = np.linalg.eigvalsh(letters[r"\Lambda"])
    gammas = array(lsa.gamma(np.diag(values), letters["N"])).diagonal()
    fallen = -float(case.loss(*case.start(sigma, Theta)))
    least = min(sigma, (2 * fallen / max(gammas * values**2)) ** 0.25)
    mu = float(case.pl_constant(sigma, Theta, sharp=True))
    letters = {r"u_{\min}": float(least), r"\gamma": gammas, r"\lambda": values}
    return Formula(letters, [(r"\mu_\ast", "=", mu)])


@dataclass(frozen=True)
class Escape:
    """A start, the height h, and bounds on the time at which u = h: the package has no such
    function, so a test tries these on flows."""

    case: FixedCovariance
    Theta: np.ndarray
    sigma: float
    h: float
    omega: float
    rho: float
    b: float

    @property
    def bounds(self) -> tuple[float, float]:
        late = (
            math.log(2 * self.h / self.sigma / (1 + self.rho)) + 4 * self.b * self.h**2 / self.omega
        )
        return math.log(self.h / self.sigma) / self.omega, late / self.omega


def escaping(rng: Generator) -> Escape:
    Lambda, N, letters = training(rng)
    square, Theta, case = Lambda @ Lambda, rng.normal(size=(3, 3)), FixedCovariance(Lambda, N)
    Theta, omega = Theta / np.linalg.norm(Theta @ Theta.T) ** 0.5, float(np.linalg.norm(square))
    rho = float(np.trace(square @ Theta @ Theta.T)) / omega
    Gamma = letters[r"\Gamma"]
    b = float(np.linalg.norm(Gamma @ square @ square) / omega + np.linalg.norm(Gamma @ square, 2))
    h = rng.uniform(0.2, 1) * (omega / b / 2) ** 0.5
    return Escape(case, Theta, h * 10 ** rng.uniform(-4, -1), h, omega, rho, b)


@formula("eq-escape")
def escape(rng: Generator) -> Formula:
    one = escaping(rng)
    letters = {r"\omega": one.omega, r"\cos\vartheta": one.rho, "k_3": one.b}
    letters |= {"u_1": one.h, "u_0": one.sigma}
    low, high = one.bounds
    return Formula(letters, [(low, r"\le", "T", r"\le", high)])


@formula("eq-floor")
def floor(rng: Generator) -> Formula:
    Lambda, N, letters = training(rng)
    left, spectrum = float(risk.risk_curve(Lambda, N).floor), np.linalg.eigvalsh(Lambda)
    given = {**letters, r"\lambda": spectrum, "n": 1 + spectrum.sum() / spectrum}
    return Formula(given, [(r"\lim_{M\to\infty}R_M", "=", left, "=", left, ">", "0")])


@formula("eq-prediction-risk")
def prediction(rng: Generator) -> Formula:
    Lambda, N, letters = training(rng)
    M, moments = int(rng.integers(3, 30)), (rng.normal(size=3), positive(rng, 3), rng.uniform())
    exact = risk.prediction_risk(Lambda, N, M, moments)
    given = {"M": M, "a": column(moments[0]), r"\Sigma": moments[1], "b": moments[2]}
    return Formula({**letters, **given}, [(r"\mathbb E(\hat y-y_q)^2", "=", float(exact.total))])


@formula("eq-covariate-shift")
def covariate_shift(rng: Generator) -> Formula:
    """With A = Λ⁻¹, in an endless context."""
    Lambda, _, letters = training(rng)
    test = positive(rng, 3)
    inverse = np.linalg.inv(Lambda)
    curve = risk.risk_curve(Lambda, None, test_covariance=test, preconditioner=inverse)
    return Formula({**letters, r"\Lambda_{\mathrm{ctx}}": test}, [(float(curve.floor),)])


@formula("eq-shift-risk")
def shift_risk(rng: Generator) -> Formula:
    """K is read off the package's risk, which is linear in Λ_q."""
    test, A, w = positive(rng, 2), positive(rng, 2), rng.normal(size=2)
    M, variance = int(rng.integers(2, 20)), rng.uniform()

    def along(Lambda_q: np.ndarray) -> float:
        return float(
            risk.linear_risk(
                test, None, M, task=w, noise_variance=variance, query_covariance=Lambda_q,
                preconditioner=A,
            )
        )  # fmt: skip

    Lambda_q = positive(rng, 2)
    K = quadratic(lambda v: along(v @ v.T), 2)
    bias = column((A @ test - np.eye(2)) @ w)
    letters = {
        r"\Lambda_q": Lambda_q,
        r"\Lambda_{\mathrm{ctx}}": test,
        "A": A,
        "w": column(w),
        "M": M,
    }
    return Formula(
        {**letters, "K": K, r"\sigma": variance**0.5, r"\bar\delta": bias},
        [(r"\mathbb E(\hat y-w^\top x_q)^2", "=", along(Lambda_q)), ("K", "=", K)],
    )


@formula("eq-rc-limit")
def random_limit(rng: Generator) -> Formula:
    """Two coordinates with laws of their own; the means of matrices are diagonal."""
    N = int(rng.integers(2, 9))
    moments = [np.cumsum([m := rng.uniform(0.5, 1), 0.1 + m * m, 2.0]) for _ in range(2)]
    laws = [Moments(*map(float, (one[0], one[1] + 1, 3 * one[1] ** 2 + 9))) for one in moments]
    case = DiagonalCovariance(laws, 2, N)
    U, u = map(array, case.limit())
    zeta, xi = array(case.gamma), array(case.xi)
    letters = {r"\xi": xi, r"\zeta": zeta, r"\mathbb E[\Lambda^2]": np.diag(xi)}
    return Formula(
        {**letters, r"\mathbb E[\Gamma_\Lambda\Lambda^2]": np.diag(zeta)},
        [("uU", "=", u * U, "=", u * U), ("u", "=", u)],
    )


@formula("eq-kappa")
def kappa(rng: Generator) -> Formula:
    d, N, m1 = int(rng.integers(2, 5)), int(rng.integers(2, 9)), rng.uniform(0.5, 2)
    m2 = m1**2 * rng.uniform(1.1, 2)
    m3 = m2**2 / m1 * rng.uniform(1.1, 2)
    U, u = DiagonalCovariance(Moments(m1, m2, m3), d, N).limit()
    letters = {"d": d, "N": N, "m_1": m1, "m_2": m2, "m_3": m3}
    endless = [r"\alpha_N", "=", float(u * U[0, 0]), r"\longrightarrow", m2 / m3]
    return Formula(letters, [endless, (r"(N\to\infty)",)])
