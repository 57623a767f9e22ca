"""What the risks share: the trained A, traces, and the rule for batch axes."""

from __future__ import annotations

import torch
from torch import Tensor

from .. import _checks, _kernels
from .._types import ArrayLike


def trained(Lambda: Tensor, C: Tensor, N: Tensor) -> tuple[Tensor, Tensor]:
    """A = Γ⁻¹ and E = Γ⁻¹C - I = Γ⁻¹(C - Λ - (Λ + tr Λ I)/N); an axis of N is there already."""
    excess = _kernels.excess(Lambda, N)
    A = torch.cholesky_inverse(torch.linalg.cholesky(Lambda + excess))
    return A, A @ (C - Lambda - excess)


def square(vector: Tensor, matrix: Tensor) -> Tensor:
    """‖v‖²_B = vᵀBv."""
    return _kernels.dot(_kernels.times(matrix, vector), vector)


def given(name: str, value: ArrayLike, Lambda: Tensor) -> Tensor:
    """A second moment beside the covariance Λ, (..., d, d) and possibly singular."""
    d, like = Lambda.shape[-1], ("covariance", Lambda)
    return _checks.covariance(name, value, shape=(..., d, d), like=like, semidefinite=True)


def one_batch(**shapes: torch.Size) -> None:
    """Batch axes are the same or absent: nothing is broadcast that merely happens to fit."""
    named = {name: tuple(shape) for name, shape in shapes.items() if shape}
    if len(set(named.values())) > 1:
        listed = ", ".join(f"{name} {shape}" for name, shape in named.items())
        raise ValueError(f"batch axes must be the same, got {listed}; expand one, or drop them")
