"""Formulas on checked tensors: what landscapes, risks and layers call at each step.

Λ is ``Lambda`` (..., d, d), x ~ N(0, Λ), and S = (1/N) Σ_i x_i x_iᵀ of N independent copies.
:mod:`linear_icl.gaussian` and :func:`linear_icl.lsa.gamma` have the same for arguments that anybody
gives, with what each is and where it comes from.
"""

import torch
from torch import Tensor


def trace(A: Tensor, B: Tensor | None = None) -> Tensor:
    """tr(A), or tr(AB) without the product."""
    if B is None:
        return A.diagonal(dim1=-2, dim2=-1).sum(-1)
    return (A * B.mT).sum((-2, -1))


def inner(A: Tensor, B: Tensor) -> Tensor:
    """⟨A, B⟩ = tr(ABᵀ) of matrices."""
    return (A * B).sum((-2, -1))


def dot(a: Tensor, b: Tensor) -> Tensor:
    """aᵀb of vectors."""
    return (a * b).sum(-1)


def outer(a: Tensor, b: Tensor) -> Tensor:
    """abᵀ of vectors."""
    return a.unsqueeze(-1) * b.unsqueeze(-2)


def times(A: Tensor, x: Tensor) -> Tensor:
    """Ax of a matrix (..., m, n) and a vector (..., n)."""
    return (A @ x.unsqueeze(-1)).squeeze(-1)


def excess(Lambda: Tensor, N: int | Tensor) -> Tensor:
    """Γ - Λ = (Λ + tr Λ I)/N; several N (..., n) stand along the last of the batch axes."""
    identity = torch.eye(Lambda.shape[-1], dtype=Lambda.dtype, device=Lambda.device)
    summed = Lambda + trace(Lambda)[..., None, None] * identity
    return summed / (N[..., None, None] if isinstance(N, Tensor) and N.ndim else N)


def gamma(Lambda: Tensor, N: int | Tensor) -> Tensor:
    """Γ = (1 + 1/N)Λ + (tr Λ/N) I."""
    return Lambda + excess(Lambda, N)


def quartic(Lambda: Tensor, A: Tensor) -> Tensor:
    """E[x xᵀA x xᵀ]."""
    return Lambda @ (A + A.mT) @ Lambda + trace(A, Lambda)[..., None, None] * Lambda


def sextic(Lambda: Tensor, A: Tensor, B: Tensor) -> Tensor:
    """E[(xᵀAx)(xᵀBx) xxᵀ]."""
    LA, LB = Lambda @ (A + A.mT) / 2, Lambda @ (B + B.mT) / 2
    a, b = trace(LA)[..., None, None], trace(LB)[..., None, None]
    mixed = LA @ LB
    crossed = a * LB + b * LA + 2 * (mixed + LB @ LA)
    return (a * b + 2 * trace(mixed)[..., None, None]) * Lambda + 2 * crossed @ Lambda


def sandwich(Lambda: Tensor, N: int, B: Tensor) -> Tensor:
    """E[S B S]."""
    once = B.mT / N + B
    return Lambda @ once @ Lambda + trace(B, Lambda)[..., None, None] * Lambda / N


def traced(Lambda: Tensor, N: int, B: Tensor) -> Tensor:
    """E[tr(BS) S]."""
    return trace(B, Lambda)[..., None, None] * Lambda + Lambda @ (B + B.mT) @ Lambda / N
