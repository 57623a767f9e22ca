"""The exact risk of any block, and the best that a block can do."""

from __future__ import annotations

from types import EllipsisType
from typing import NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._kernels import dot, outer, times, trace
from .._results import implements
from .._types import Batch, Scalar
from ..settings import Setting, for_setting
from .block import Reduced, for_block


class Excess(NamedTuple):
    """What a block loses on the best one, in two non-negative parts, each (...)."""

    odd: Tensor
    even: Tensor


@implements("prp-ltb-risk")
@for_setting
@for_block
def risk(setting: Setting, block: Reduced) -> Batch:
    """E(ŷ - y)² against the noisy label, shape (...), for any parameters, any PSD H and Ψ.

    With ū₁₂ = u₁₂ + uβ*, Ū = U + β*u₂₁ᵀ, A = u₂₁ū₁₂ᵀ + uŪᵀ, r̄ = r - β*, τ, Φ, Ω_0 of the setting
    and E τ̂² = (1 + 2/M)(τ² + 2trΦ²),

      R = σ² + [tr(HAΩ_0Aᵀ) - 2tr(HAHΨ) + tr(HΨ)]
        + {tr(HŪᵀ[((M+1)/M)Hū₁₂ū₁₂ᵀH + (ū₁₂ᵀHū₁₂/M)H]Ū) + ‖r̄‖²_H + u²‖u₂₁‖²_H E τ̂²
           + 2r̄ᵀHŪᵀHū₁₂ + 2uτr̄ᵀHu₂₁ + 2uu₂₁ᵀHŪᵀ(τH + (2/M)HΨH)ū₁₂}:

    the parts odd and even in (δ, ε), δ the task's deviation from β*, which are uncorrelated.
    Attention alone has r = 0. The parts of ``block`` have the same batch axes, none of them
    broadcast. A polynomial: gradients pass to the parameters and to the setting.
    Raises TypeError for what is no :class:`Reduced`, ValueError for shapes that do not fit.
    Zhang, Wu & Bartlett (2024), (B.2) to (B.15), whose formulas are derived anew here.
    """
    bar = centred(setting, block, ...)
    HA, HPsi = setting.H @ slope(bar), setting.H @ setting.Psi
    odd = trace(HA @ setting.Omega_0, slope(bar).mT) - 2 * trace(HA, HPsi) + trace(HPsi)
    return setting.noise_variance + odd + _even(setting, bar)


@implements("prp-ltb-risk", "prp-ltb-infimum")
@for_setting
@for_block
def excess(setting: Setting, block: Reduced) -> Excess:
    """R - inf_LTB in two squares, each (...); arguments and errors of :func:`risk`.

      odd = ‖(H^½AH^½ - ΦΩ⁻¹)Ω^½‖²_F,   even = E‖r̄ + ŪᵀSū₁₂ + u τ̂ u₂₁‖²_H,

    S = (1/M)Σ x_ix_iᵀ, τ̂ = (1/M)Σ (y_i - x_iᵀβ*)². Both vanish for the best block; with r = 0 the
    second cannot. Never a difference of risks, so a small gap keeps its digits.
    """
    bar, root = centred(setting, block, ...), setting.root
    best = root @ setting.Psi @ root
    values, basis = torch.linalg.eigh(setting.Omega)
    positive = values.where(values > 0, 1)  # Ω = 0 if τ = 0: then A costs nothing
    difference = root @ slope(bar) @ root @ basis * values.sqrt() - best @ basis / positive.sqrt()
    odd = difference.square().sum((-2, -1)) * (values[0] > 0)
    return Excess(odd, _even(setting, bar))


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


def centred(setting: Setting, block: Reduced, *lead: EllipsisType) -> Reduced:
    """The same block for centred labels, (r̄, ū₁₂, u, Ū, u₂₁), from checked parameters; ``lead``
    is ... where batch axes may come first."""
    d, like, mean = setting.dim, ("setting.H", setting.H), setting.beta_star
    U = _checks.tensor("U", block.U, shape=(*lead, d, d), like=like)
    batch = tuple(U.shape[:-2])
    r, u_12, u_21 = (
        _checks.tensor(name, getattr(block, name), shape=(*batch, d), like=like)
        for name in ("r", "u_12", "u_21")
    )
    u = _checks.tensor("u", block.u, shape=batch, like=like)
    moved = U + outer(mean.expand_as(u_21), u_21)
    return Reduced(r - mean, u_12 + u.unsqueeze(-1) * mean, u, moved, u_21)


def slope(bar: Reduced) -> Tensor:
    """u₂₁ū₁₂ᵀ + uŪᵀ, the A of a block for centred labels, (..., d, d)."""
    return outer(bar.u_21, bar.u_12) + bar.u[..., None, None] * bar.U.mT


def _even(setting: Setting, bar: Reduced) -> Tensor:
    """E‖r̄ + ŪᵀSū₁₂ + u τ̂ u₂₁‖²_H; the mean of the vector inside is r̄ + ŪᵀHū₁₂ + uτu₂₁."""
    (r, u_12, u, U, u_21), H, M, tau = bar, setting.H, setting.length, setting.tau
    HPsi = H @ setting.Psi
    K = (1 + 2 / M) * (tau**2 + 2 * trace(HPsi, HPsi))
    Hb, Hw = u_12 @ H, u_21 @ H
    mean = times(U.mT, Hb)  # ŪᵀHū₁₂
    squares = (M + 1) / M * dot(mean @ H, mean)
    squares = squares + dot(Hb, u_12) / M * trace(H @ U.mT, H @ U)
    squares = squares + K * u**2 * dot(Hw, u_21) + dot(r @ H, r)
    cross = dot(r @ H, mean) + u * tau * dot(r, Hw)
    both = tau * Hb + 2 / M * (Hb @ HPsi.mT)  # (τH + (2/M)HΨH)ū₁₂
    cross = cross + u * dot(Hw, times(U.mT, both))
    return squares + 2 * cross
