"""Least squares beside the layer."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .. import _checks
from .._kernels import trace
from .._lengths import Lengths, along, lengths
from .._results import implements
from .._types import ArrayLike, Batch
from ._parts import given, one_batch


@implements("prp-ols-risk")
def ols_risk(
    covariance: ArrayLike,
    test_length: Lengths,
    *,
    noise_variance: ArrayLike = 0.0,
    query_covariance: ArrayLike | None = None,
) -> Batch:
    """E(x_qᵀX⁺y - wᵀx_q)² of least squares, w ~ N(0, I), shape (..., [len M]).

      M >= d:          noise_variance · tr(QC⁻¹)/(M - d - 1)
      M < d, C = cI:   tr(Q)(1 - M/d) + noise_variance · tr(Q)/(cd) · M/(d - M - 1)

    Infinite, with noise, for d - 1 <= M <= d + 1; without noise 0 from M = d on. For M >= d no task
    matters; below d there is a closed form for C = cI alone.
    ``covariance`` C (..., d, d) of the context; ``query_covariance`` Q (..., d, d), default C.
    Raises ValueError for improper arguments, or a length below d unless C = cI.
    E (XᵀX)⁻¹ = C⁻¹/(M - d - 1), the mean of an inverse Wishart matrix: Muirhead (1982), §3.2.
    """
    C = _checks.covariance("covariance", covariance)
    d = C.shape[-1]
    Q = C if query_covariance is None else given("query_covariance", query_covariance, C)
    noise = _checks.nonnegative("noise_variance", noise_variance, like=("covariance", C))
    shared = {} if query_covariance is None else {"query_covariance": Q.shape[:-2]}
    one_batch(covariance=C.shape[:-2], **shared, noise_variance=noise.shape)
    M = lengths("test_length", test_length, C)
    if _checks.readable(C):
        _isotropic_below(C, M)
    identity = torch.eye(d, dtype=C.dtype, device=C.device)
    size = along(Q.diagonal(dim1=-2, dim2=-1).sum(-1), M)
    c = along(C.diagonal(dim1=-2, dim2=-1).mean(-1), M)
    ratio = along(trace(torch.linalg.solve(C, identity), Q), M)
    spare = torch.where(d <= M, M - d - 1, d - M - 1)
    factor = torch.where(d <= M, ratio, size / (c * d) * M) / spare.clamp(min=1)
    noise = along(noise, M)
    singular = torch.where(noise > 0, math.inf, 0.0).to(C.dtype)
    missing = torch.where(d <= M, torch.zeros_like(size), size * (1 - M / d))
    return missing + torch.where(spare >= 1, noise * factor, singular)


def _isotropic_below(C: Tensor, M: Tensor) -> None:
    d = C.shape[-1]
    short = M.reshape(-1)[M.reshape(-1) < d] if _checks.readable(M) else M.new_zeros(0)
    c = C.detach().diagonal(dim1=-2, dim2=-1).mean(-1)[..., None, None]
    away = (C.detach() - c * torch.eye(d, dtype=C.dtype, device=C.device)).abs().amax()
    if short.numel() and away > 100 * torch.finfo(C.dtype).eps * c.amax():
        raise ValueError(
            f"test_length must be >= d = {d} unless the covariance is a multiple of I, got "
            f"{int(short[0].item())}; below d take estimators.ols and Monte Carlo"
        )
