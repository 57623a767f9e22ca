"""How long contexts must be: upper bounds on the averaged risk."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .. import _checks
from .._lengths import Lengths, along, lengths
from .._results import implements
from .._types import ArrayLike, Batch


@implements("prp-bounds")
def averaged_bound(covariance: ArrayLike, train_length: Lengths, test_length: Lengths) -> Batch:
    """(d+1)tr Λ/M + (1 + 2d + d²κ)tr Λ/N² >= the risk without noise, averaged over w ~ N(0, I).

    κ is the condition number of ``covariance`` Λ (..., d, d). Shape (..., [len N], [len M]).
    Raises ValueError for an improper covariance or lengths.
    Zhang, Frei & Bartlett (2024), after Theorem 4.2, as the slides have it; v1's
    ((1+2d)tr Λ + d²κ)/N² is no bound, it is not homogeneous in Λ.
    """
    Lambda = _checks.covariance("covariance", covariance)
    N = lengths("train_length", train_length, Lambda)
    M = lengths("test_length", test_length, Lambda)
    for_M, for_N = _bound_numerators(Lambda)
    per_N = along(along(for_N, N) / N**2, M)
    return per_N + along(along(for_M, N), M) / M


@implements("cor-lengths")
def context_lengths(covariance: ArrayLike, epsilon: ArrayLike) -> tuple[int, int]:
    """Lengths (N, M) of training and test that bring the averaged risk below ``epsilon``.

    M >= 2(d+1)tr Λ/ε and N >= √(2(1 + 2d + d²κ)tr Λ/ε), each rounded up, so that each half of
    :func:`averaged_bound` is at most ε/2. Sufficient, not necessary.
    ``covariance`` Λ (d, d), ``epsilon`` > 0 on the scale of the label's variance tr Λ.
    Raises ValueError for an improper covariance or epsilon.
    Zhang, Frei & Bartlett (2024), Corollary 4.3 (v1), whose N lacks tr Λ and a factor 2.
    """
    Lambda = _checks.covariance("covariance", covariance, shape=("d", "d"))
    goal = _checks.positive("epsilon", epsilon, shape=(), like=("covariance", Lambda))
    for_M, for_N = (2 * part / goal for part in _bound_numerators(Lambda))
    return math.ceil(math.sqrt(for_N.item())), math.ceil(for_M.item())


def _bound_numerators(Lambda: Tensor) -> tuple[Tensor, Tensor]:
    """(d+1)tr Λ and (1 + 2d + d²κ)tr Λ."""
    values, d = torch.linalg.eigvalsh(Lambda), Lambda.shape[-1]
    trace, kappa = values.sum(-1), values[..., -1] / values[..., 0]
    return (d + 1) * trace, (1 + 2 * d + d * d * kappa) * trace
