"""What attention alone must lose, proved: three bounds and the family that attains the constant."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import ArrayLike, Count, Scalar
from ..settings import Setting, for_setting


class MeanForm(NamedTuple):
    """Moments of Q = (1/M) Σ_i η_iᵀFη_i, each (...), and what Lemma lem-signature says of them."""

    mean: Tensor
    second: Tensor
    floor: Tensor


@implements("lem-signature")
def mean_form(matrix: ArrayLike, length: Count) -> MeanForm:
    """E Q = trF, E Q² = (trF)² + (2/M)trF², and the floor (1 + 2/(kM))(E Q)² <= E Q².

    η_1, …, η_M ~ N(0, I) independent; ``matrix`` F (..., n, n), of which only the symmetric part
    counts; k = max(number of positive, number of negative eigenvalues) of that part. For
    η ~ N(0, LLᵀ) pass LᵀFL. k = 2 gives 1 + 1/M, k = 1 gives 1 + 2/M.
    Raises ValueError for a matrix that is not square or a length below 1.
    """
    M = _checks.length("length", length)
    A = _checks.tensor("matrix", matrix, shape=(..., "n", "n"))
    A = (A + A.mT) / 2
    values = torch.linalg.eigvalsh(A)
    zero = A.shape[-1] * torch.finfo(A.dtype).eps * values.abs().amax(-1, keepdim=True)
    k = torch.maximum((values > zero).sum(-1), (values < -zero).sum(-1)).clamp(min=1).to(A)
    mean = A.diagonal(dim1=-2, dim2=-1).sum(-1)
    square = A.square().sum((-2, -1))
    return MeanForm(mean, mean**2 + 2 / M * square, (1 + 2 / (k * M)) * mean**2)


@implements("thm-ltb-gap")
@for_setting
def gap_lower_bound(setting: Setting) -> Scalar:
    """inf_LSA - inf_LTB >= ‖β*‖²_H/(M+1), ‖β*‖²_H = β*ᵀHβ*; strict unless it is zero.

    Along H^½β* the even part of the prediction is a mean of M Gaussian quadratic forms with at
    most two positive and two negative eigenvalues, so its second moment is at least 1 + 1/M times
    the square of its mean, and it cannot meet ‖β*‖_H better than that.
    Zhang, Wu & Bartlett (2024), Theorem 4.1, with our proof and constant.
    """
    return _square(setting) / (setting.length + 1)


@implements("prp-no-mixing")
@for_setting
def no_mixing_gap(setting: Setting) -> Scalar:
    """2‖β*‖²_H/(M+2): what attention alone loses at least if u₂₁ = 0.

    The quadratic form is then a product of two linear ones, with one positive and one negative
    eigenvalue. It is the exact loss for d = 1, and whenever Φ = 0 or Φ is a multiple of eeᵀ,
    e = H^½β*/‖β*‖_H; for other Φ the least loss is larger: ``lsa_infimum(setting, mixing=False)``.
    """
    return 2 * _square(setting) / (setting.length + 2)


@implements("prp-large-start")
@for_setting
def large_start_bounds(setting: Setting) -> tuple[Scalar, Scalar]:
    """(lower, upper) on inf_LSA - inf_LTB; over ‖β*‖²_H both tend to 2/(M+2) as β* grows.

    With t = ‖β*‖_H, e = H^½β*/t, φ_e = eᵀΦe and Ω of the setting,

      (t√(2/(M+2)) - √φ_e)₊² - φ_e + eᵀΦΩ⁻¹Φe  <=  gap  <=  2t²/(M+2) + tr(Φ²Ω⁻¹).

    The lower one says nothing for small t, where it is negative. At β* = 0 it takes e = 0.
    """
    M, root, phi = setting.length, setting.root, setting.Phi
    square = _square(setting)
    Omega = setting.Omega + (setting.tau == 0) * torch.eye(setting.dim).to(phi)
    gain = phi @ torch.linalg.solve(Omega, phi)  # ΦΩ⁻¹Φ, zero with Φ
    u = root @ setting.beta_star / square.where(square > 0, 1).sqrt()
    along, kept = u @ phi @ u, u @ gain @ u
    distance = (square * 2 / (M + 2)).sqrt() - along.clamp(min=0).sqrt()
    lower: Tensor = distance.clamp(min=0).square() - along + kept
    return lower, no_mixing_gap(setting) + gain.diagonal().sum()


@implements("prp-extremal")
def extremal(length: Count, noise_variance: ArrayLike = 1e4) -> Setting:
    """d = 1, H = Ψ = 1 and the largest β* for which noise drives the gap to its lower bound.

    β* = √τ(M+1)/(M+1+τ), τ = 1 + noise_variance: up to there attention alone can read both
    Σx_i² and Σy_i² as noisy constants without losing in its odd part. The gap is at most
    :func:`extremal_gap`, so gap (M+1)/β*² -> 1 as the noise grows. At a fixed β* it does not: the
    ratio climbs back to 2(M+1)/(M+2) once the noise has pushed that threshold below β*.
    Raises ValueError for a length below 1 or negative noise.
    """
    M = _checks.length("length", length)
    noise = _checks.nonnegative("noise_variance", noise_variance, shape=()).item()
    tau = 1 + noise
    return Setting([[1.0]], [[1.0]], [math.sqrt(tau) * (M + 1) / (M + 1 + tau)], noise, M)


@implements("prp-extremal")
@for_setting
def extremal_gap(setting: Setting) -> Scalar:
    """‖β*‖²_H (1 + ξ + (M+2)ξ²/2)/(M+1 + ξ + (M+2)ξ²/2), ξ = φ/τ: an upper bound on the gap.

    For d = 1 and ‖β*‖_H <= √τ(M+1)φ/((M+1)φ+τ), as in :func:`extremal` and below it.
    Raises ValueError for other settings.
    """
    M, tau = setting.length, setting.tau
    phi, square = setting.phi[0], _square(setting)
    # Rounding must not exclude the threshold itself.
    reach = tau * ((M + 1) * phi / ((M + 1) * phi + tau)) ** 2 * (1 + 1e-9)
    if setting.dim != 1 or bool(tau <= 0) or bool(square > reach):
        raise ValueError(
            f"setting must have d = 1, positive τ and ‖β*‖²_H <= τ((M+1)φ/((M+1)φ+τ))², got "
            f"d={setting.dim}, ‖β*‖²_H={square.item():.6g}; take extremal(length, noise_variance)"
        )
    xi = phi / tau
    extra = xi + (M + 2) / 2 * xi**2
    return square * (1 + extra) / (M + 1 + extra)


def _square(setting: Setting) -> Tensor:
    """‖β*‖²_H."""
    square: Tensor = setting.beta_star @ setting.H @ setting.beta_star
    return square.clamp(min=0)
