"""The exact risk of any block, and the best that a block can do."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._kernels import dot, outer, times, trace
from .._results import implements
from .._types import ArrayLike, Batch, Scalar
from ..settings import Setting, for_setting


class Excess(NamedTuple):
    """What a block loses on the best one, in two non-negative parts, each (...)."""

    odd: Tensor
    even: Tensor


@implements("prp-ltb-risk")
@for_setting
def risk(
    setting: Setting, r: ArrayLike, v: ArrayLike, c: ArrayLike, W: ArrayLike, w: ArrayLike
) -> Batch:
    """E(ŷ - y)² against the noisy label, shape (...), for any parameters, any PSD H and Ψ.

    With ū = v + cβ* (the book's ū_12), Ū = W + β*wᵀ, A = wūᵀ + cŪᵀ, r̄ = r - β*, τ, Φ, Ω_0 of the
    setting and E τ̂² = (1 + 2/M)(τ² + 2trΦ²),

      R = σ² + [tr(HAΩ_0Aᵀ) - 2tr(HAHΨ) + tr(HΨ)]
        + {tr(HŪᵀ[((M+1)/M)HūūᵀH + (ūᵀHū/M)H]Ū) + ‖r̄‖²_H + c²‖w‖²_H E τ̂²
           + 2r̄ᵀHŪᵀHū + 2cτr̄ᵀHw + 2cwᵀHŪᵀ(τH + (2/M)HΨH)ū}:

    the parts odd and even in (δ, ε), δ the task's deviation from β*, which are uncorrelated.
    Attention alone has r = 0.
    ``r``, ``v``, ``w`` (..., d), ``c`` (...), ``W`` (..., d, d) with the same batch axes, none of
    them broadcast. A polynomial: gradients pass to the parameters and to the setting.
    Raises ValueError for shapes that do not fit.
    Zhang, Wu & Bartlett (2024), (B.2) to (B.15), whose formulas are derived anew here.
    """
    b, c, V, w, q = _centred(setting, r, v, c, W, w)
    B = outer(w, b) + c[..., None, None] * V.mT
    HB, HPsi = setting.H @ B, setting.H @ setting.Psi
    odd = trace(HB @ setting.Omega_0, B.mT) - 2 * trace(HB, HPsi) + trace(HPsi)
    return setting.noise_variance + odd + _even(setting, b, c, V, w, q)


@implements("prp-ltb-risk", "prp-ltb-infimum")
@for_setting
def excess(
    setting: Setting, r: ArrayLike, v: ArrayLike, c: ArrayLike, W: ArrayLike, w: ArrayLike
) -> Excess:
    """R - inf_LTB in two squares, each (...); arguments and errors of :func:`risk`.

      odd = ‖(H^½AH^½ - ΦΩ⁻¹)Ω^½‖²_F,   even = E‖r̄ + ŪᵀSū + c τ̂ w‖²_H,

    S = (1/M)Σ x_ix_iᵀ, τ̂ = (1/M)Σ (y_i - x_iᵀβ*)². Both vanish for the best block; with r = 0 the
    second cannot. Never a difference of risks, so a small gap keeps its digits.
    """
    b, c, V, w, q = _centred(setting, r, v, c, W, w)
    root = setting.root
    best = root @ setting.Psi @ root
    values, basis = torch.linalg.eigh(setting.Omega)
    B = outer(w, b) + c[..., None, None] * V.mT
    positive = values.where(values > 0, 1)  # Ω = 0 if τ = 0: then B costs nothing
    difference = root @ B @ root @ basis * values.sqrt() - best @ basis / positive.sqrt()
    odd = difference.square().sum((-2, -1)) * (values[0] > 0)
    return Excess(odd, _even(setting, b, c, V, w, q))


@implements("prp-ltb-infimum")
@for_setting
def infimum(setting: Setting) -> Scalar:
    """The least risk of a block, σ² + Σ_i φ_i(φ_i + τ)/((M+1)φ_i + τ), whatever β* is.

    φ_i are the eigenvalues of Φ, τ = tr(HΨ) + σ². Attained by GD-β (:func:`weights_for_gd_beta`).
    Zhang, Wu & Bartlett (2024), (5.2) in Theorem 5.2 and Theorem 5.3.
    """
    phi, tau = setting.phi, setting.tau
    denominator = (setting.length + 1) * phi + tau
    rest = phi * (phi + tau) / denominator.where(denominator > 0, 1)
    return setting.noise_variance + rest.sum()


def _centred(
    setting: Setting, r: ArrayLike, v: ArrayLike, c: ArrayLike, W: ArrayLike, w: ArrayLike
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """(ū, c, Ū, w, r̄), without β*, from checked parameters; in code b, c, V, w, q."""
    d, like, mean = setting.dim, ("setting.H", setting.H), setting.beta_star
    W = _checks.tensor("W", W, shape=(..., d, d), like=like)
    batch = tuple(W.shape[:-2])
    vectors = {"r": r, "v": v, "w": w}
    r, v, w = (_checks.tensor(k, x, shape=(*batch, d), like=like) for k, x in vectors.items())
    c = _checks.tensor("c", c, shape=batch, like=like)
    return v + c.unsqueeze(-1) * mean, c, W + outer(mean.expand_as(w), w), w, r - mean


def _even(setting: Setting, b: Tensor, c: Tensor, V: Tensor, w: Tensor, q: Tensor) -> Tensor:
    """E‖q + VᵀSb + c τ̂ w‖²_H; the mean of the vector inside is q + VᵀHb + cτw."""
    H, M, tau = setting.H, setting.length, setting.tau
    HPsi = H @ setting.Psi
    K = (1 + 2 / M) * (tau**2 + 2 * trace(HPsi, HPsi))
    Hb, Hw = b @ H, w @ H
    mean = times(V.mT, Hb)  # VᵀHb
    squares = (M + 1) / M * dot(mean @ H, mean)
    squares = squares + dot(Hb, b) / M * trace(H @ V.mT, H @ V)
    squares = squares + K * c**2 * dot(Hw, w) + dot(q @ H, q)
    cross = dot(q @ H, mean) + c * tau * dot(q, Hw)
    both = tau * Hb + 2 / M * (Hb @ HPsi.mT)  # (τH + (2/M)HΨH)b
    cross = cross + c * dot(Hw, times(V.mT, both))
    return squares + 2 * cross
