"""Formulas of docstrings about landscapes, blocks and their settings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from linear_icl import gaussian, gd_beta, ltb
from linear_icl.landscape import FixedCovariance, FullParameters, ProductLandscape

from tests.text.docstrings import Given, Said, gamma, of_setting, plainly
from tests.text.formulas._settings import Generator, array, column, training
from tests.text.formulas.block import block
from tests.text.formulas.layer import started


def on_product(rng: Generator, value: Callable[..., Any]) -> Given:
    """A state and a start; what 𝒜 makes of matrices has names of its own."""
    case, Theta, _, letters = started(rng)
    U, u, sigma = rng.normal(size=(3, 3)), rng.normal(), 1e-7
    Lambda, B, square = letters[r"\Lambda"], array(case.pull), Theta @ Theta.T

    def curved(M: np.ndarray) -> np.ndarray:
        return np.asarray(letters[r"\Gamma"] @ Lambda @ M @ Lambda)

    P, p = array(case.target), float(np.linalg.norm(B))
    half_way = p**3 / float((B * curved(B)).sum())
    given = {"U": U, "u": u, "B": B, "P": P, "p": p, "σ": sigma, "s*": half_way}
    given |= {"𝒜U": curved(U), "𝒜B": curved(B), "𝒜ΘΘᵀ": curved(square)}
    given |= {"𝒜(uU − P)": curved(u * U - P)}
    return letters | plainly(given), value(case, U, u, Theta, sigma)


def of_product(of: Any, formula: str, value: Callable[..., Any]) -> Said:
    return Said(of, formula, lambda rng: on_product(rng, value))


def half_way(case: Any, _U: Any, _u: Any, Theta: Any, sigma: float) -> float:
    """s* from the time to reach it."""
    p, T = case.pull.norm(), case.escape_time(sigma, Theta)
    turned = 1 + (case.pull * torch.as_tensor(Theta @ Theta.T)).sum() / p
    return float(((T * p).exp() * sigma * turned / 2).square())


def fallen(rng: Generator) -> Given:
    """σ far below its bound, where u only grows, or near it, where u falls first."""
    case, Theta, _, letters = started(rng)
    sigma = rng.choice([0.3, 0.98]) * float(case.sigma_max(Theta, sharp=True))
    values = np.linalg.eigvalsh(letters[r"\Lambda"])
    gammas = np.linalg.eigvalsh(letters[r"\Gamma"])
    largest = float((gammas * values**2).max())
    given = {"σ": sigma, "K": largest, "ℓ(0)": float(case.loss(*case.start(sigma, Theta)))}
    return plainly(given), float(case.u_lower_bound(sigma, Theta, sharp=True)) ** 2


def below(rng: Generator) -> Given:
    case, Theta, sigma, letters = started(rng)
    return letters | {r"\sigma": sigma}, float(case.u_lower_bound(sigma, Theta)) ** 2


def published(rng: Generator) -> Given:
    case, Theta, sigma, letters = started(rng)
    low = float(case.u_lower_bound(sigma, Theta))
    return letters | {"u_low": low}, float(case.pl_constant(sigma, Theta))


def full(rng: Generator, part: str) -> Given:
    """All weights: every letter of the docstrings, by the moments of `gaussian`."""
    Lambda, N, letters = training(rng)
    case, weights = FullParameters(Lambda, N), torch.as_tensor(rng.normal(size=(2, 4, 4)))
    U, c = array(weights[0, :3, :3]), column(weights[0, 3, :3])
    a, u = column(weights[1, 3, :3]), float(weights[1, 3, 3])
    A, trace, Gamma = a @ c.T + u * U, letters["t"], letters[r"\Gamma"]
    flat = torch.zeros(2, 4, 4).double()
    flat[0, :3, :3], flat[1, 3, 3] = torch.as_tensor(A), 1.0
    odd = 2 * float(case.loss(*flat))
    R, Q = array(gaussian.traced(Lambda, N, np.eye(3))), array(gaussian.quartic(Lambda, U))
    Z = array(gaussian.sandwich(Lambda, N, U @ Lambda @ U.T))
    X, mean = array(gaussian.sextic(Lambda, U, U)), U.T @ Lambda @ a + u * trace * c
    two = array(gaussian.sandwich(Lambda, N, np.eye(3)))
    k = float(np.trace(R) + 2 * np.trace(two))
    D = Gamma @ Lambda @ (A - np.linalg.inv(Gamma)) @ Lambda
    v = Lambda @ U.T @ R @ a + u * k * Lambda @ c + trace * Q @ a / N
    square = a.T @ Z @ a + 2 * u * c.T @ Lambda @ U.T @ R @ a + u**2 * k * c.T @ Lambda @ c
    by_key, by_value = map(array, case.gradient(*weights))
    given = {"A": A, "U": U, "a": a, "c": c, "u": u, "R": R, "Q": Q, "Z": Z, "X": X, "k": k}
    given |= {"D": D, "v": v, "E[p]": mean, "E[pᵀΛp]": float(square.item())}
    given |= {"E[SaaᵀS]": array(gaussian.sandwich(Lambda, N, a @ a.T))}
    given |= {"Q(E[p]aᵀ)": array(gaussian.quartic(Lambda, mean @ a.T))}
    given |= {"E[(aᵀx)²(xᵀUx)xxᵀ]": array(gaussian.sextic(Lambda, a @ a.T, U))}
    M, b, even = Lambda @ U @ Lambda, Lambda @ a, 2 * float(case.loss(*weights)) - odd
    given |= {"M": M, "b": b, "H": M + M.T, "s": float((a.T @ b).item()), "E[T_0²]": even}
    given |= {"t": float(np.trace(Lambda @ U))}
    values = {
        "twice": given["E[SaaᵀS]"] @ U @ Lambda, "turned": given["Q(E[p]aᵀ)"],
        "sixth": given["E[(aᵀx)²(xᵀUx)xxᵀ]"], "A": A, "D": D, "v": v, "mean": mean,
        "whole": float(case.gap(*weights)),
        "odd": odd, "even": even, "k": k,
        "square": float(square.item()), "U": by_key[:3, :3], "c": column(by_key[3, :3]),
        "a": column(by_value[3, :3]), "u": by_value[3, 3],
    }  # fmt: skip
    return letters | plainly(given), values[part]


def of_full(of: Any, part: str, formula: str) -> Said:
    return Said(of, formula, lambda rng: full(rng, part))


def stepped(rng: Generator, part: str) -> Given:
    """GD-β at a state away from the best one."""
    setting, letters = block(rng)
    case, A, D = gd_beta.Landscape(setting), rng.normal(size=(3, 3)), rng.normal(size=(3, 1))
    H, M = letters["H"], setting.length
    a, best = (M + 1) / M, array(gd_beta.optimum(setting).A)
    h, size = H @ D, float(D[:, 0] @ H @ D[:, 0])
    Q = H - H @ A @ H - H @ A.T @ H + a * H @ A.T @ H @ A @ H
    Q = Q + np.trace(H @ A @ H @ A.T) * H / M
    values, vectors = np.linalg.eigh(H)
    root = vectors * values**0.5 @ vectors.T
    state = (letters[r"\beta^\ast"] - D)[:, 0], A
    by_beta, by_A = map(array, case.gradient(*state))
    apart = float(case.gap(*state) - case.gap(array(setting.beta_star), A))
    given = {"D": D, "A": A, "A*": best, "Q(A)": Q, "a": a, "Ω_0": array(setting.Omega_0)}
    given |= {"Ω_D": a * h @ h.T + size / M * H, "e": root @ D, "K": root @ A @ root}
    given |= {"I": np.eye(3), "Ω": array(setting.Omega), "Φ": array(setting.Phi), "h": h}
    found = {
        "β": column(by_beta), "A": by_A, "gap": float(case.gap(*state)), "apart": apart,
        "Q": Q, "best": best,
        "minimum": float(case.minimum), "Ω_D": given["Ω_D"],
    }  # fmt: skip
    return letters | plainly(given), found[part]


def of_step(of: Any, part: str, formula: str) -> Said:
    return Said(of, formula, lambda rng: stepped(rng, part))


def said_of_setting(of: Any, formula: str, value: Callable[[Any], Any]) -> Said:
    return Said(of, formula, lambda rng: of_setting(rng, value))


def any_block(rng: Generator, part: str) -> Given:
    setting, letters = block(rng)
    r, u_12, u_21, U, u = (rng.normal(size=size) for size in ((3,), (3,), (3,), (3, 3), ()))
    parts = ltb.Reduced(*map(torch.as_tensor, (r, u_12, u, U, u_21)))
    total, squares = float(ltb.risk(setting, parts)), ltb.excess(setting, parts)
    mean, tau, M = letters[r"\beta^\ast"], letters[r"\tau"], setting.length
    b, V, w = column(u_12) + u * mean, U + mean @ u_21[None], column(u_21)
    Phi = array(setting.Phi)
    square = (1 + 2 / M) * (tau**2 + 2 * np.trace(Phi @ Phi))
    plain = {"ū₁₂": b, "Ū": V, "r̄": column(r) - mean, "u₂₁": w, "u": float(u)}
    plain |= {"A": w @ b.T + u * V.T, "E τ̂²": square, "Φ": Phi}
    plain |= {"Ω": array(setting.Omega), "Ω_0": array(setting.Omega_0)}
    shown = {"risk": total, "odd": float(squares.odd), "square": square, "A": plain["A"]}
    shown |= {"ū₁₂": b, "Ū": V, "r̄": plain["r̄"]}
    more = {"u₁₂": column(u_12), "U": U, "r": column(r)}
    return letters | plainly(plain | more), shown[part]


def far_start(rng: Generator, part: str) -> Given:
    """A mean long enough that the lower bound says something."""
    setting, letters = block(rng)
    setting = setting.replace(beta_star=20 * setting.beta_star)
    along = np.linalg.cholesky(letters["H"])
    values, vectors = np.linalg.eigh(along @ along.T)
    e = vectors * values**0.5 @ vectors.T @ array(setting.beta_star)
    t = float(np.linalg.norm(e))
    e, Phi = column(e / t), array(setting.Phi)
    given = {"t": t, "e": e, "φ_e": float((e.T @ Phi @ e).item()), "Φ": Phi}
    given |= {"Ω": array(setting.Omega), "M": setting.length}
    low, high = map(float, ltb.large_start_bounds(setting))
    return plainly(given), low if part == "low" else high


def extreme(rng: Generator, part: str) -> Given:
    M, noise = int(rng.integers(2, 9)), rng.uniform(1, 5)
    setting = ltb.extremal(M, noise)
    given = {"M": M, "τ": 1 + noise, "ξ": 1 / (1 + noise), "β*": setting.beta_star[:, None]}
    letters = plainly(given | {"β*": array(given["β*"]), "H": np.eye(1)})
    if part == "gap":
        return letters, float(ltb.extremal_gap(setting))
    return letters, float(setting.beta_star[0])


def form(rng: Generator, part: str) -> Given:
    F, M = rng.normal(size=(3, 3)), int(rng.integers(2, 9))
    F = F + F.T
    values, found = np.linalg.eigvalsh(F), ltb.mean_form(F, M)
    k = max((values > 0).sum(), (values < 0).sum())
    letters = {"F": F, "M": M, "k": int(k), "E Q": float(np.trace(F))}
    return letters, float(getattr(found, part))


LANDSCAPES = (
    of_product(
        ProductLandscape, "½ u² ⟨U, 𝒜U⟩ − u ⟨B, U⟩", lambda c, U, u, *_: float(c.loss(U, u))
    ),
    of_product(
        ProductLandscape.gradient, "u² 𝒜U − uB", lambda c, U, u, *_: array(c.gradient(U, u)[0])
    ),
    of_product(
        ProductLandscape.gradient,
        "u ⟨U, 𝒜U⟩ − ⟨B, U⟩",
        lambda c, U, u, *_: float(c.gradient(U, u)[1]),
    ),
    of_product(ProductLandscape.minimum, "−½ ⟨B, P⟩", lambda c, *_: float(c.minimum)),
    of_product(
        ProductLandscape.gap, "½ ⟨uU − P, 𝒜(uU − P)⟩", lambda c, U, u, *_: float(c.gap(U, u))
    ),
    of_product(
        ProductLandscape.escape_time,
        "ln[2√s*/(σ(1 + ⟨B, ΘΘᵀ⟩/p))]/p",
        lambda c, U, u, Theta, sigma: float(c.escape_time(sigma, Theta)),
    ),
    of_product(ProductLandscape.escape_time, "p³/⟨B, 𝒜B⟩", half_way),
    of_product(
        ProductLandscape.sigma_max,
        "√(2⟨B, ΘΘᵀ⟩/⟨ΘΘᵀ, 𝒜ΘΘᵀ⟩)",
        lambda c, U, u, Theta, _: float(c.sigma_max(Theta, sharp=True)),
    ),
    of_product(
        FixedCovariance,
        "√(2/(√d ‖Γ‖_op))",
        lambda c, U, u, Theta, _: float(c.sigma_max(Theta)),
    ),
    Said(ProductLandscape.u_lower_bound, "min{σ², (−2ℓ(0)/K)^½}", fallen),
    Said(
        ProductLandscape.u_lower_bound,
        "σ²‖ΛΘ‖²_F(2 − √d σ²‖Γ‖_op)/(2√d ‖Λ²‖_op)",
        below,
    ),
    Said(FixedCovariance, "2u_low²/(tr(Γ⁻¹Λ⁻¹) tr(Λ⁻¹))", published),
    of_full(FullParameters, "odd", "tr(ΓΛAΛAᵀ) - 2tr(Λ²A) + trΛ"),
    of_full(FullParameters, "even", "E[pᵀΛp] + (2/N) E[p]ᵀQa + aᵀXa/N²"),
    of_full(FullParameters, "square", "aᵀZa + 2u cᵀΛUᵀRa + u²k cᵀΛc"),
    of_full(FullParameters, "k", "(1+2/N)((trΛ)² + 2trΛ²)"),
    of_full(
        FullParameters.gradient,
        "U",
        "uD + E[SaaᵀS]UΛ + uRacᵀΛ + (Λa(Qa)ᵀ + Q(E[p]aᵀ))/N + E[(aᵀx)²(xᵀUx)xxᵀ]/N²",
    ),
    of_full(FullParameters, "A", "acᵀ + uU"),
    of_full(FullParameters, "mean", "UᵀΛa + u trΛ c"),
    of_full(FullParameters.gap, "whole", "½‖(ΓΛ)^½(A - Γ⁻¹)Λ^½‖²_F + ½E[T_0²]"),
    of_full(FullParameters.gradient, "D", "ΓΛ(A - Γ⁻¹)Λ"),
    of_full(FullParameters.gradient, "v", "ΛUᵀRa + ukΛc + trΛ Qa/N"),
    of_full(FullParameters.gradient, "D", "Γ(uM + Λa(Λc)ᵀ) - Λ²"),
    of_full(FullParameters.gradient, "twice", "(1 + 1/N) b(ΛUᵀb)ᵀ + sM/N"),
    of_full(FullParameters.gradient, "turned", "ΛE[p]bᵀ + b(ΛE[p])ᵀ + (bᵀE[p])Λ"),
    of_full(FullParameters.gradient, "sixth", "(st + aᵀHa)Λ + sH + 2tbbᵀ + 2(b(Ha)ᵀ + Habᵀ)"),
    of_full(FullParameters.gradient, "a", "Dc + Za + uRUΛc + (ΛUQa + QE[p])/N + Xa/N²"),
    of_full(FullParameters.gradient, "c", "Dᵀa + uv"),
    of_full(FullParameters.gradient, "u", "tr(DᵀU) + cᵀv"),
    of_step(gd_beta.Landscape, "Ω_D", "ahhᵀ + (‖D‖²_H/M)H"),
    of_step(gd_beta.Landscape.gradient, "β", "-2Q(A)D"),
    of_step(gd_beta.Landscape.gradient, "A", "2HA(Ω_0 + Ω_D) - 2H(Ψ + DDᵀ)H"),
    of_step(gd_beta.Landscape.gradient, "Q", "H - HAH - HAᵀH + aHAᵀHAH + tr(HAHAᵀ)H/M"),
    of_step(gd_beta.Landscape.gap, "gap", "‖H^½(A - A*)Ω_0^½‖²_F + DᵀQ(A)D"),
    of_step(gd_beta.Landscape.gap, "apart", "‖e - Ke‖² + ‖Ke‖²/M + ‖K‖²_F‖e‖²/M"),
    of_step(gd_beta.Landscape.minimum, "minimum", "σ² + Σ_i φ_i(φ_i + τ)/((M+1)φ_i + τ)"),
    of_step(gd_beta.Landscape.minimum, "minimum", "σ² + tr[((M+1)HΨ + τI)⁻¹HΨ(HΨ + τI)]"),
    of_step(gd_beta.Landscape.step, "best", "Ψ(aHΨ + (τ/M)I)⁻¹"),
    of_step(gd_beta.Landscape.step, "best", "Ψ^½(aΨ^½HΨ^½ + (τ/M)I)⁻¹Ψ^½"),
    of_step(gd_beta.optimum, "best", "ΨH^½Ω⁻¹H^{-½}"),
    said_of_setting(gd_beta.bayes_lower_bound, "Σ_i φ_iσ²/(Mφ_i + σ²)", gd_beta.bayes_lower_bound),
    said_of_setting(ltb.Setting, "tr(HΨ) + σ²", lambda s: s.tau),
    said_of_setting(ltb.Setting, "H^½ΨH^½", lambda s: s.Phi),
    said_of_setting(ltb.Setting.tau, "tr(HΨ) + σ²", lambda s: s.tau),
    said_of_setting(ltb.Setting.Phi, "H^½ΨH^½", lambda s: s.Phi),
    said_of_setting(ltb.Setting.Omega, "((M+1)/M)Φ + (τ/M)I", lambda s: s.Omega),
    said_of_setting(ltb.Setting.Omega_0, "((M+1)/M)HΨH + (τ/M)H", lambda s: s.Omega_0),
    Said(
        ltb.risk,
        "σ² + [tr(HAΩ_0Aᵀ) - 2tr(HAHΨ) + tr(HΨ)] "
        "+ {tr(HŪᵀ[((M+1)/M)Hū₁₂ū₁₂ᵀH + (ū₁₂ᵀHū₁₂/M)H]Ū) + ‖r̄‖²_H + u²‖u₂₁‖²_H E τ̂² "
        "+ 2r̄ᵀHŪᵀHū₁₂ + 2uτr̄ᵀHu₂₁ + 2uu₂₁ᵀHŪᵀ(τH + (2/M)HΨH)ū₁₂}",
        lambda rng: any_block(rng, "risk"),
    ),
    *(
        Said(ltb.risk, formula, functools.partial(any_block, part=part))
        for part, formula in (
            ("ū₁₂", "u₁₂ + uβ*"),
            ("Ū", "U + β*u₂₁ᵀ"),
            ("A", "u₂₁ū₁₂ᵀ + uŪᵀ"),
            ("r̄", "r - β*"),
            ("square", "(1 + 2/M)(τ² + 2trΦ²)"),
        )
    ),
    *(
        Said(of, "(1 + 1/N)Λ + (tr Λ/N) I", gamma)
        for of in (ProductLandscape, FixedCovariance, FixedCovariance.Gamma)
    ),
    Said(ltb.excess, "‖(H^½AH^½ - ΦΩ⁻¹)Ω^½‖²_F", lambda rng: any_block(rng, "odd")),
    Said(
        ltb.large_start_bounds,
        "(t√(2/(M+2)) - √φ_e)₊² - φ_e + eᵀΦΩ⁻¹Φe",
        lambda rng: far_start(rng, "low"),
    ),
    Said(ltb.large_start_bounds, "2t²/(M+2) + tr(Φ²Ω⁻¹)", lambda rng: far_start(rng, "high")),
    Said(ltb.extremal, "√τ(M+1)/(M+1+τ)", lambda rng: extreme(rng, "beta")),
    Said(
        ltb.extremal_gap,
        "‖β*‖²_H (1 + ξ + (M+2)ξ²/2)/(M+1 + ξ + (M+2)ξ²/2)",
        lambda rng: extreme(rng, "gap"),
    ),
    Said(ltb.mean_form, "(trF)² + (2/M)trF²", lambda rng: form(rng, "second")),
    Said(ltb.mean_form, "(1 + 2/(kM))(E Q)²", lambda rng: form(rng, "floor")),
)
