"""Formulas of docstrings about moments: shifts of Garg, Gaussian moments, laws of covariances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from linear_icl import estimators, gaussian, risk, shifts
from linear_icl.random_covariance import (
    DiagonalCovariance,
    Exponential,
    Gamma,
    LogNormal,
    MixtureCovariance,
    Moments,
    RotatedCovariance,
    Uniform,
)

from tests.text.docstrings import Given, Said, of_model, plainly
from tests.text.formulas._settings import Generator, array, column, positive, training


def shifted(rng: Generator, law: Any, *numbers: float) -> Given:
    """The risk of any A under a shift, and the traces of A."""
    d, M, A = int(rng.integers(4, 7)), int(rng.integers(2, 4)), rng.normal(size=(9, 9))
    A, shift, r = A[:d, :d], law(d, *numbers), d // 2
    f, g, t = float((A * A).sum()), float(np.trace(A @ A)), float(np.trace(A))
    eigenvalues = 1 / np.arange(1, d + 1) ** 2
    alpha, beta = shifts._projection(d, r)
    letters: dict[str, Any] = {"M": M, "d": d, "f": f, "g": g, "t": t, "q": t * t + f + g, "r": r}
    letters |= {"A": A, r"\Lambda": np.diag(eigenvalues) * d / eigenvalues.sum(), r"\pi": math.pi}
    letters |= {r"\alpha": alpha, r"\beta": beta, "p": alpha * f + beta * (g + t * t)}
    letters |= dict(zip("cs" if numbers else "", (*numbers, *numbers), strict=False))
    return letters, float(shift.risk(A, M))


def of_shift(law: Any, formula: str, *numbers: float) -> Said:
    return Said(law, formula, lambda rng: shifted(rng, law, *numbers))


def projected(rng: Generator, name: str) -> Given:
    letters, _ = shifted(rng, shifts.HalfSubspace)
    return {key: letters[key] for key in "dr"}, letters[name]


def orthants(rng: Generator, part: str) -> Given:
    """κ is what makes the risk quadratic in A."""
    letters, value = shifted(rng, shifts.Orthants)
    shift, A, M = shifts.Orthants(letters["d"]), letters["A"], letters["M"]
    none, other = (float(shift.risk(c * A, M)) for c in (0, -1))
    kappa = ((value + other) / 2 - none) / letters["f"]
    return {**letters, r"\kappa": kappa}, kappa if part == "kappa" else value


def quadratics(rng: Generator, name: str) -> Given:
    """q is E(xᵀAx)², p is E tr(PAPAᵀ)."""
    letters, _ = shifted(rng, shifts.HalfSubspace)
    A = letters["A"]
    letters = {**letters, "q": float(gaussian.quadratic_forms(np.eye(len(A)), A, A))}
    return {key: one for key, one in letters.items() if key not in "pq"}, letters[name]


def noisy(rng: Generator) -> Given:
    letters, without = shifted(rng, shifts.Standard)
    shift = shifts.NoisyLabels(letters["d"], 1.7**2)
    more = float(shift.risk(letters["A"], letters["M"])) - without
    return {**letters, r"\sigma": 1.7}, more


def moment(rng: Generator, of: Any, *, symmetric: bool = False, one: bool = False) -> Given:
    Lambda, N, letters = training(rng)
    B = np.eye(3) if one else positive(rng, 3) if symmetric else rng.normal(size=(3, 3))
    C = rng.normal(size=(3, 3))
    C = C + C.T
    if of is gaussian.sextic:
        B = B + B.T
        return {**letters, "A": B, "B": C}, array(of(Lambda, B, C))
    given = (Lambda, B) if of is gaussian.quartic else (Lambda, N, B)
    return {**letters, "A": B, "B": B}, array(of(*given))


def of_law(rng: Generator, of: Any, **numbers: float) -> Given:
    """What `of` makes of random parameters, each moved by as much as 1/2."""
    drawn = {name: value + rng.uniform(0, 0.5) for name, value in numbers.items()}
    n = int(rng.integers(1, 5))
    return {**drawn, "n": n, "nm": n * drawn.get("m", 0)}, of(drawn, n)


def three(rng: Generator) -> tuple[dict[str, Any], Moments]:
    m = (1.0, rng.uniform(1.2, 2), 9.0)
    d, N = int(rng.integers(2, 5)), int(rng.integers(2, 9))
    return {"d": d, "N": N, **{f"m_{k + 1}": one for k, one in enumerate(m)}}, Moments(*m)


def shrunk(rng: Generator, *, endless: bool) -> Given:
    letters, law = three(rng)
    more = {} if endless else {"dim": letters["d"], "length": letters["N"]}
    return letters, float(law.shrinkage(**more))


def random_kappa(rng: Generator) -> Given:
    letters, law = three(rng)
    return letters, float(DiagonalCovariance(law, letters["d"], letters["N"]).target[0, 0])


def tells(rng: Generator) -> Given:
    scale, query = rng.uniform(0.5, 2), rng.normal()
    value = float(Exponential(scale).conditional_mean(query))
    return {"scale": scale, "|q|": abs(query)}, value


def rotated(rng: Generator) -> Given:
    laws = [Gamma(rng.uniform(1, 3), rng.uniform(1, 3)) for _ in range(3)]
    case = RotatedCovariance(laws, 3, int(rng.integers(2, 9)))
    flat = DiagonalCovariance(laws, 3, case.length)
    zeta = array(flat.zeta)
    letters = {"d": 3, "ζ̄": zeta[~np.eye(3, dtype=bool)].mean(), "γ̄": array(flat.gamma).mean()}
    return plainly(letters), float(case.curvatures[1])


def mixed(rng: Generator, part: str) -> Given:
    Lambda, p = np.stack([positive(rng, 3) for _ in range(4)]), rng.dirichlet(np.ones(4))
    N, U, u = int(rng.integers(2, 9)), rng.normal(size=(3, 3)), rng.normal()
    case = MixtureCovariance(Lambda, length=N, weights=p / p.sum())
    trace = np.trace(Lambda, axis1=1, axis2=2)[:, None, None]
    Gamma_k = (1 + 1 / N) * Lambda + trace / N * np.eye(3)
    letters = {"p": p, r"\Lambda": Lambda, r"\Gamma": Gamma_k, "U": U, "u": u}
    return letters, float(case.loss(U, u)) if part == "loss" else array(case.pull)


def enough(rng: Generator, which: str) -> Given:
    """The lengths at which each half of the bound is ε/2; the other half is sent to 0."""
    Lambda, _, letters = training(rng)
    epsilon, far = rng.uniform(0.1, 0.2), 10**12
    given = {**letters, "ε": epsilon, "κ": float(np.linalg.cond(Lambda))}
    at_one = [float(risk.averaged_bound(Lambda, *pair)) for pair in ((far, 1), (1, far))]
    # The other half leaves d²κ tr Λ/far² or (d + 1)tr Λ/far.
    found = 2 * at_one[0] / epsilon if which == "M" else math.sqrt(2 * at_one[1] / epsilon)
    N, M = risk.context_lengths(Lambda, epsilon)
    assert math.ceil(found) == (M if which == "M" else N)
    return plainly(given), found


def below_d(rng: Generator) -> Given:
    c, Q, M, d = rng.uniform(0.5, 2), positive(rng, 6), int(rng.integers(2, 5)), 6
    value = risk.ols_risk(c * np.eye(d), M, noise_variance=0.7, query_covariance=Q)
    return {"c": c, "Q": Q, "M": M, "d": d, "noise_variance": 0.7}, float(value)


def missed(rng: Generator) -> Given:
    """K - I at A = Γ⁻¹."""
    _, _, letters = training(rng)
    C = positive(rng, 3)
    return {**letters, "C": C}, np.linalg.solve(letters[r"\Gamma"], C) - np.eye(3)


def regressed(rng: Generator, of: str) -> Given:
    """The weights that an estimator reads off five points: one query along each axis."""
    x, y, m = (torch.as_tensor(rng.normal(size=size)) for size in ((5, 3), (5,), (3,)))
    Psi, variance = positive(rng, 3), rng.uniform(0.2, 1)
    prompts = of_model(x, y)
    letters = {"X": array(x), "y": column(y), "I": np.eye(3), "m": column(m), "penalty": variance}
    letters |= {r"\Psi": Psi, r"\sigma": math.sqrt(variance)}
    if of == "ridge":
        return letters, column(estimators.ridge(prompts, variance))
    own = estimators.bayes(prompts, noise_variance=variance, task_mean=m, task_covariance=Psi)
    return letters, column(own)


MOMENTS = (
    of_shift(shifts.Standard, "f(M+d+1)/M - 2t + d"),
    of_shift(shifts.Skewed, "(1+1/M)tr(ΛAΛAᵀΛ) + d tr(AΛAᵀΛ)/M - 2tr(ΛAΛ) + d"),
    of_shift(shifts.ScaledX, "c²{c⁴f(M+d+1)/M - 2c²t + d}", 1.3),
    of_shift(shifts.HalfSubspace, "s³(1 + (r+1)/M)p - 2s²(r/d)t + sr", 1.3),
    of_shift(shifts.OrthogonalQuery, "d{1 + (d+M+1)/(M(d-1)(d+2)) · [(d+1)f - g - t²]}"),
    of_shift(shifts.ContextQuery, "[(d+2M+2)q + (M-1)(M+d)f]/M² - 2t(M+d+1)/M + d"),
    Said(shifts.NoisyLabels, "σ²f/M", noisy),
    Said(
        shifts.HalfSubspace,
        "r(r(d+1) - 2)/(d(d-1)(d+2))",
        lambda rng: projected(rng, r"\alpha"),
    ),
    Said(shifts.HalfSubspace, "r(d-r)/(d(d-1)(d+2))", lambda rng: projected(rng, r"\beta")),
    Said(shifts.HalfSubspace, "αf + β(g + t²)", lambda rng: quadratics(rng, "p")),
    Said(shifts.ContextQuery, "t² + f + g", lambda rng: quadratics(rng, "q")),
    Said(shifts.Orthants, "κf - 2t + d", lambda rng: orthants(rng, "risk")),
    Said(
        shifts.Orthants,
        "(1 - 1/M)(1 + 4(d-1)/π²) + (d+2)/M",
        lambda rng: orthants(rng, "kappa"),
    ),
    Said(
        gaussian.quartic,
        "Λ(A+Aᵀ)Λ + tr(AΛ)Λ",
        lambda rng: moment(rng, gaussian.quartic),
    ),
    Said(
        gaussian.sextic,
        "(tr(AΛ)tr(BΛ) + 2tr(AΛBΛ))Λ + 2(tr(AΛ)ΛBΛ + tr(BΛ)ΛAΛ) + 4(ΛAΛBΛ + ΛBΛAΛ)",
        lambda rng: moment(rng, gaussian.sextic),
    ),
    Said(
        gaussian.sandwich,
        "ΛBΛ + (ΛBᵀΛ + tr(BΛ)Λ)/N",
        lambda rng: moment(rng, gaussian.sandwich),
    ),
    Said(
        gaussian.sandwich,
        "(1+1/N)ΛBΛ + tr(BΛ)Λ/N",
        lambda rng: moment(rng, gaussian.sandwich, symmetric=True),
    ),
    Said(gaussian.sandwich, "ΓΛ", lambda rng: moment(rng, gaussian.sandwich, one=True)),
    Said(
        gaussian.traced,
        "tr(BΛ)Λ + Λ(B+Bᵀ)Λ/N",
        lambda rng: moment(rng, gaussian.traced),
    ),
    Said(
        Gamma,
        "k/(k+2)",
        lambda rng: of_law(rng, lambda v, n: float(Gamma(v["k"], 1.3).shrinkage()), k=1.0),
    ),
    Said(
        Uniform,
        "(b^{n+1} - a^{n+1})/((n+1)(b - a))",
        lambda rng: of_law(rng, lambda v, n: float(Uniform(v["a"], v["b"]).moment(n)), a=0, b=1),
    ),
    Said(
        LogNormal,
        "exp(nm + n²s²/2)",
        lambda rng: of_law(rng, lambda v, n: float(LogNormal(v["m"], v["s"]).moment(n)), m=0, s=1),
    ),
    Said(
        LogNormal,
        "exp(-2s²)",
        lambda rng: of_law(
            rng, lambda v, n: float(LogNormal(v["m"], v["s"]).shrinkage()), m=0, s=1
        ),
    ),
    Said(Exponential.conditional_mean, "scale/2 + |q|√(scale/2)", tells),
    Said(Moments.shrinkage, "m_1m_2/m_3", lambda rng: shrunk(rng, endless=True)),
    Said(
        Moments.shrinkage,
        "m_1m_2 / ((1 + 2/N) m_3 + (d - 1) m_1m_2/N)",
        lambda rng: shrunk(rng, endless=False),
    ),
    Said(risk.random_covariance_risk, "Nm_2/((N+2)m_3 + (d-1)m_1m_2)", random_kappa),
    Said(RotatedCovariance, "(d ζ̄ + 2γ̄)/(d + 2)", rotated),
    Said(
        MixtureCovariance,
        "Σ_k p_k tr[½ u² Γ_kΛ_k U Λ_k Uᵀ − u Λ_k² Uᵀ]",
        lambda rng: mixed(rng, "loss"),
    ),
    Said(MixtureCovariance.pull, "Σ_k p_k Λ_k²", lambda rng: mixed(rng, "pull")),
    Said(risk.context_lengths, "2(d+1)tr Λ/ε", lambda rng: enough(rng, "M")),
    Said(risk.context_lengths, "√(2(1 + 2d + d²κ)tr Λ/ε)", lambda rng: enough(rng, "N")),
    Said(
        risk.ols_risk,
        "tr(Q)(1 - M/d) + noise_variance · tr(Q)/(cd) · M/(d - M - 1)",
        below_d,
    ),
    Said(estimators.ridge, "(XᵀX + penalty I)⁻¹ Xᵀy", lambda rng: regressed(rng, "ridge")),
    Said(
        estimators.bayes,
        "m + Ψ^½ (Ψ^½XᵀXΨ^½ + σ²I)⁻¹ Ψ^½Xᵀ(y - Xm)",
        lambda rng: regressed(rng, "bayes"),
    ),
    Said(risk.risk_curve, "Γ⁻¹(C - Λ - (Λ + tr Λ I)/N)", missed),
)
