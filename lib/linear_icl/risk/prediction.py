"""Theorem 4.2: the risk of the trained layer for labels of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from torch import Tensor

from .. import _checks
from .._kernels import times, trace
from .._lengths import Lengths, along, finite, lengths
from .._results import implements
from .._types import ArrayLike
from ._parts import given, one_batch, square, trained

if TYPE_CHECKING:
    MomentsLike: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]
else:
    MomentsLike: TypeAlias = Any  # judged by `prediction_risk`


class Risk(NamedTuple):
    """total = best + variance + bias, each (..., [len N], [len M])."""

    total: Tensor
    best: Tensor
    variance: Tensor
    bias: Tensor


@implements("thm-prediction")
def prediction_risk(
    covariance: ArrayLike, train_length: Lengths, test_length: Lengths, moments: MomentsLike
) -> Risk:
    """E(ŷ - y_query)² of the trained layer for labels of any kind, in its three parts.

    best = min_w E(y - wᵀx)²,  variance = tr[ΣΓ⁻²Λ]/M,  bias = ‖Γ⁻¹(Λ + tr Λ I)a‖²_Λ/N²,

    for a = Λ⁻¹E[xy] and Σ = Cov(xy): ``moments`` = (a, Sigma, best), from
    ``labels.….moments(covariance)`` or your own, shapes (..., d), (..., d, d), (...); they must
    belong to this ``covariance`` Λ (..., d, d). The bias is the printed
    [‖a‖²_{Γ⁻²Λ³} + 2tr Λ‖a‖²_{Γ⁻²Λ²} + (tr Λ)²‖a‖²_{Γ⁻²Λ}]/N², a square. Measured against the
    query's own label, noise and all. Needs E y² < ∞ besides the moments of the claim.
    Raises TypeError for moments that are no tuple, ValueError for an improper covariance, lengths,
    moments of another shape, a Sigma with a negative eigenvalue, or a result that is not finite.
    Zhang, Frei & Bartlett (2024), Theorem 4.2 (v1); the slides' variance lacks 1/M.
    """
    Lambda = _checks.covariance("covariance", covariance)
    d, like = Lambda.shape[-1], ("covariance", Lambda)
    fix = "call .moments(covariance) of a label model"
    _checks.instance("moments", moments, tuple, noun="(a, Sigma, best)", fix=fix)
    if len(moments) != 3:
        raise ValueError(f"moments must be (a, Sigma, best), got {len(moments)} parts; {fix}")
    a = _checks.tensor("moments.a", moments[0], shape=(..., d), like=like)
    Sigma = given("moments.Sigma", moments[1], Lambda)
    best = _checks.nonnegative("moments.best", moments[2], like=like)
    one_batch(covariance=Lambda.shape[:-2], a=a.shape[:-1], Sigma=Sigma.shape[:-2], best=best.shape)
    N = lengths("train_length", train_length, Lambda)
    M = lengths("test_length", test_length, Lambda)
    if N.ndim:
        Lambda, Sigma = Lambda.unsqueeze(-3), Sigma.unsqueeze(-3)
        a, best = a.unsqueeze(-2), best.unsqueeze(-1)
    A, E = trained(Lambda, Lambda, N)
    short = times(E, a)  # (..., [len N], d): what is lost of a
    bias = along(square(short, Lambda), M)
    variance = along(trace(A @ Sigma @ A, Lambda), M) / M
    best = along(best, M)
    total = finite("risk", best + variance + bias)
    return Risk(total, *(part.expand(total.shape) for part in (best, variance, bias)))
