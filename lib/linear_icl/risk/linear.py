"""Linear labels under shifts of task, context and query, for any one-step learner."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .. import _checks
from .._kernels import times, trace
from .._lengths import Lengths, along, finite, lengths
from .._results import implements
from .._types import ArrayLike, Batch
from ._parts import given, one_batch, square, trained


@dataclass(frozen=True)
class RiskCurve:
    """A risk as a function of the test length alone: floor + slope/M.

    ``floor`` (..., [len N]) is what no context cures, the risk at M = ∞; ``slope`` has its shape.
    Preparing both costs O(d³), a value of the curve two floating-point operations.
    """

    floor: Tensor
    slope: Tensor

    def __call__(self, test_length: Lengths) -> Batch:
        """The risk at M, (..., [len N], [len M]). Raises ValueError for improper lengths."""
        M = lengths("test_length", test_length, self.floor)
        return along(self.floor, M) + along(self.slope, M) / M


@implements("prp-linear-risk")
def risk_curve(
    covariance: ArrayLike,
    train_length: Lengths | None,
    *,
    task: ArrayLike | None = None,
    noise_variance: ArrayLike = 0.0,
    test_covariance: ArrayLike | None = None,
    query_covariance: ArrayLike | None = None,
    preconditioner: ArrayLike | None = None,
) -> RiskCurve:
    """:func:`linear_risk` prepared for many test lengths.

    For the context's covariance C, the query's Q, the matrix A and K = AᵀC:

      floor = ‖(K - I)w‖²_Q,   slope = ‖Kw‖²_Q + tr(AQAᵀC)(wᵀCw + noise_variance),

    or their means over w ~ N(0, I). At A = Γ⁻¹ the bracket K - I is computed as
    Γ⁻¹(C - Λ - (Λ + tr Λ I)/N), so that a floor of order 1/N² keeps all its digits.
    Arguments and errors of :func:`linear_risk`.
    """
    Lambda = _checks.covariance("covariance", covariance)
    d, like = Lambda.shape[-1], ("covariance", Lambda)
    C = Lambda if test_covariance is None else given("test_covariance", test_covariance, Lambda)
    Q = C if query_covariance is None else given("query_covariance", query_covariance, Lambda)
    noise = _checks.nonnegative("noise_variance", noise_variance, like=like)
    w = None if task is None else _checks.tensor("task", task, shape=(..., d), like=like)
    batches = {"covariance": Lambda.shape[:-2], "noise_variance": noise.shape}
    batches |= {} if test_covariance is None else {"test_covariance": C.shape[:-2]}
    batches |= {} if query_covariance is None else {"query_covariance": Q.shape[:-2]}
    batches |= {} if w is None else {"task": w.shape[:-1]}
    _checks.exactly_one(
        "linear_risk",
        "the trained layer's preconditioner follows from its training length",
        train_length=train_length,
        preconditioner=preconditioner,
    )
    if preconditioner is not None:
        A = _checks.tensor("preconditioner", preconditioner, shape=(..., d, d), like=like)
        one_batch(**batches, preconditioner=A.shape[:-2])
        E = A.mT @ C - torch.eye(d, dtype=C.dtype, device=C.device)
    elif train_length is not None:
        one_batch(**batches)
        N = lengths("train_length", train_length, Lambda)
        if N.ndim:  # an axis for N, last of the batch axes
            Lambda, C, Q = Lambda.unsqueeze(-3), C.unsqueeze(-3), Q.unsqueeze(-3)
            w, noise = None if w is None else w.unsqueeze(-2), noise.unsqueeze(-1)
        A, E = trained(Lambda, C, N)
    K, spread = A.mT @ C, trace(A @ Q @ A.mT, C)
    if w is None:
        size = C.diagonal(dim1=-2, dim2=-1).sum(-1)
        floor, turned = trace(E @ E.mT, Q), trace(K @ K.mT, Q)
    else:
        short = times(E, w)
        size = square(w, C)
        floor, turned = square(short, Q), square(times(K, w), Q)
    slope = finite("risk", turned + spread * (size + noise))
    return RiskCurve(finite("risk", floor).expand(slope.shape), slope)


@implements("prp-linear-risk", "prp-task-shift", "prp-query-shift", "prp-covariate-shift")
def linear_risk(
    covariance: ArrayLike,
    train_length: Lengths | None,
    test_length: Lengths,
    *,
    task: ArrayLike | None = None,
    noise_variance: ArrayLike = 0.0,
    test_covariance: ArrayLike | None = None,
    query_covariance: ArrayLike | None = None,
    preconditioner: ArrayLike | None = None,
) -> Batch:
    """E(ŷ - wᵀx_q)², exact under any shift of task, context and query, (..., [len N], [len M]).

    ŷ = (1/M) Σ y_i x_iᵀAx_q with x_i ~ N(0, C), y_i = wᵀx_i + N(0, noise_variance) and a query of
    second moment Q that is independent of them (its law need not be Gaussian nor centred).
    Measured against the label without noise: add ``noise_variance`` for the other.

    ``covariance`` Λ (..., d, d) of training; ``task`` w (..., d), by default the mean over
    w ~ N(0, I); ``test_covariance`` C, by default Λ, and ``query_covariance`` Q, by default C,
    (..., d, d) and possibly singular; ``preconditioner`` A (..., d, d), any matrix, in place of
    ``train_length`` (None then), for another one-step learner: by default A = Γ⁻¹.
    Batch axes must be the same, or absent from what all share.
    Raises ValueError for improper arguments, train_length and preconditioner both given or both
    missing, batch axes that differ, or a result that is not finite.
    Zhang, Frei & Bartlett (2024), Section 4.2 (v1) in words; Theorem 4.2 for C = Q = Λ.
    """
    curve = risk_curve(
        covariance,
        train_length,
        task=task,
        noise_variance=noise_variance,
        test_covariance=test_covariance,
        query_covariance=query_covariance,
        preconditioner=preconditioner,
    )
    return curve(test_length)
