"""The reduced loss ℓ̃(U, u) of chapter 3: one covariance for all prompts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import ArrayLike, Batch, Count, Matrix, Scalar, Vector
from ..lsa import _gamma
from .protocol import Spectral


@dataclass(frozen=True, eq=False)
class FixedCovariance:
    """Population loss of the layer on the slice u_12 = u_21 = 0, up to the constant ½ tr Λ.

    ℓ̃(U, u) = tr[½ u² ΓΛ U Λ Uᵀ − u Λ² Uᵀ],   Γ = (1 + 1/N)Λ + (tr Λ/N) I.

    The state is (U, u), shapes (*batch, d, d) and (*batch).  Tensors, arrays and lists are taken;
    tensors must share device and dtype of ``covariance``.  Gradients pass through every method.

    Args:
        covariance: Λ, (d, d), symmetric positive definite.
        length: N, the number of training examples in a prompt.

    Raises:
        ValueError: Λ not symmetric positive definite or not (d, d); N not an integer ≥ 1.

    Zhang, Frei & Bartlett (2024), equation (5.5) and Lemma 5.2 (v1).
    """

    covariance: Matrix
    length: int

    def __init__(self, covariance: ArrayLike, length: Count) -> None:
        matrix = _checks.covariance("covariance", covariance)
        _checks.tensor("covariance", matrix, shape=(None, None))
        object.__setattr__(self, "covariance", matrix)
        object.__setattr__(self, "length", _checks.length("length", length))

    @property
    def gamma(self) -> Matrix:
        """Γ = (1 + 1/N)Λ + (tr Λ/N) I, (d, d); commutes with Λ."""
        return _gamma(self.covariance, self.length)

    @cached_property
    def _eigen(self) -> tuple[Tensor, Tensor]:
        values, vectors = torch.linalg.eigh(self.covariance.detach())
        return values.flip(-1), vectors.flip(-1)

    @property
    def eigenvalues(self) -> Vector:
        """λ_1 ≥ … ≥ λ_d, (d,), without gradient."""
        return self._eigen[0]

    @property
    def basis(self) -> Matrix:
        """Orthonormal eigenvectors of Λ in the columns, (d, d), without gradient."""
        return self._eigen[1]

    @implements("prp-clock")
    def spectral(self) -> Spectral:
        """Curvatures γ_iλ_iλ_j and pulls λ_i² in the eigenbasis (the reduction the flow uses)."""
        values = self.eigenvalues
        weighted = ((1 + 1 / self.length) * values + values.sum() / self.length) * values
        return Spectral(self.basis, torch.outer(weighted, values), values**2)

    # -- the loss ---------------------------------------------------------------------------------

    def _state(self, U: ArrayLike, u: ArrayLike) -> tuple[Tensor, Tensor]:
        d = self.covariance.shape[0]
        U = _checks.tensor("U", U, shape=(..., d, d), like=self.covariance)
        u = _checks.tensor("u", u, like=self.covariance)
        if u.shape != U.shape[:-2]:
            raise ValueError(
                f"u must have the batch axes of U, {tuple(U.shape[:-2])}, got {tuple(u.shape)}; "
                "give one u per matrix U"
            )
        return U, u

    def loss(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ̃ = tr[½ u² ΓΛ U Λ Uᵀ − u Λ² Uᵀ], (*batch); v1 (5.5)."""
        U, u = self._state(U, u)
        L = self.covariance
        curved = ((self.gamma @ L) @ U @ L * U).sum((-2, -1))
        pulled = (L @ L * U).sum((-2, -1))
        value: Tensor = u * (u * curved / 2 - pulled)
        return value

    @implements("lem-dynamics")
    def gradient(self, U: ArrayLike, u: ArrayLike) -> tuple[Matrix, Batch]:
        """(∂ℓ̃/∂U, ∂ℓ̃/∂u) = (u² ΓΛUΛ − uΛ², tr[u ΓΛUΛUᵀ − Λ²Uᵀ]); minus Lemma 5.2 (v1)."""
        U, u = self._state(U, u)
        L = self.covariance
        square = L @ L
        curved = (self.gamma @ L) @ U @ L
        scale = u[..., None, None]
        by_U = scale**2 * curved - scale * square
        return by_U, u * (curved * U).sum((-2, -1)) - (square * U).sum((-2, -1))

    @property
    @implements("cor-minimum")
    def minimum(self) -> Scalar:
        """min ℓ̃ = −½ tr(Λ² Γ⁻¹); Corollary A.2 (v1), with its sign mended."""
        square = self.covariance @ self.covariance
        value: Tensor = -torch.linalg.solve(self.gamma, square).diagonal().sum() / 2
        return value

    @implements("cor-minimum")
    def gap(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ̃ − min ℓ̃ = ½ ‖Γ^½ (u Λ^½ U Λ^½ − Λ Γ⁻¹)‖²_F, (*batch); Corollary A.2 (v1).

        Computed as ½ ‖Aᵀ (uU − Γ⁻¹) B‖²_F with AAᵀ = ΓΛ and BBᵀ = Λ, a sum of squares: it stays
        exact where a difference of losses would be rounding alone.
        """
        U, u = self._state(U, u)
        G = self.gamma
        A = torch.linalg.cholesky(_symmetric(G @ self.covariance))
        B = torch.linalg.cholesky(self.covariance)
        distance = A.mT @ (u[..., None, None] * U - _inverse(G)) @ B
        value: Tensor = distance.square().sum((-2, -1)) / 2
        return value

    # -- limits -----------------------------------------------------------------------------------

    @implements("thm-limit")
    def limit(self, balance: ArrayLike = 0.0) -> tuple[Matrix, Batch]:
        """Where the flow ends: u U = Γ⁻¹ with u² = (D + √(D² + 4g²))/2, g = ‖Γ⁻¹‖_F.

        ``balance`` is the conserved D = u² − ‖U‖²_F, shape (*batch); 0 (Assumption 3.3) gives
        u = ‖Γ⁻¹‖_F^½ and U = ‖Γ⁻¹‖_F^−½ Γ⁻¹, Theorem 4.1 (v1), Theorem 4 (JMLR).
        """
        D = _checks.tensor("balance", balance, like=self.covariance)
        inverse = _inverse(self.gamma)
        g = inverse.square().sum().sqrt()
        root = torch.hypot(D, 2 * g)
        squared = torch.where(D > 0, (root + D.abs()) / 2, 2 * g**2 / (root + D.abs()))
        u = squared.sqrt()
        return inverse / u[..., None, None], u

    # -- starts and the constants that depend on them ---------------------------------------------

    def _start(self, Theta: ArrayLike, sigma: ArrayLike) -> tuple[Tensor, Tensor]:
        """ΘΘᵀ (*thetas, d, d) and σ (*sigmas, 1 for each axis of thetas), checked."""
        d = self.covariance.shape[0]
        Theta = _checks.tensor("Theta", Theta, shape=(..., d, d), like=self.covariance)
        sigma = _checks.positive("sigma", sigma, like=self.covariance)
        square = Theta @ Theta.mT
        norms = square.square().sum((-2, -1)).sqrt()
        if _checks.readable(norms):
            worst = norms.flatten()[(norms - 1).abs().argmax()].item()
            if abs(worst - 1) > math.sqrt(torch.finfo(norms.dtype).eps):
                raise ValueError(
                    f"‖ΘΘᵀ‖_F must be 1, got {worst:.6g}; "
                    "divide Theta by torch.linalg.matrix_norm(Theta @ Theta.mT) ** 0.5"
                )
        return square, sigma.reshape(sigma.shape + (1,) * norms.ndim)

    def start(self, Theta: ArrayLike, sigma: ArrayLike) -> tuple[Matrix, Batch]:
        """Assumption 3.3: U(0) = σΘΘᵀ, u(0) = σ, balanced because ‖ΘΘᵀ‖_F = 1.

        Theta (*thetas, d, d), sigma (*sigmas); the state has batch axes (*sigmas, *thetas).
        ValueError unless σ > 0 and ‖ΘΘᵀ‖_F = 1.
        """
        square, sigma = self._start(Theta, sigma)
        u = sigma.expand(sigma.shape[: sigma.ndim - square.ndim + 2] + square.shape[:-2])
        return u[..., None, None] * square, u.clone()

    def sigma_max(self, Theta: ArrayLike, *, sharp: bool = False) -> Batch:
        """The scale below which Assumption 3.3 starts with ℓ̃ < 0, (*thetas).

        √(2/(√d ‖Γ‖_op)), (A.13) of v1, the same for all Θ; ``sharp`` gives the exact threshold
        √(2 tr(Λ²ΘΘᵀ)/tr(ΓΛΘΘᵀΛΘΘᵀ)).  The constants below need it; convergence does not.
        """
        square, _ = self._start(Theta, 1.0)
        pull, curved = self._overlaps(square)
        if sharp:
            return (2 * pull / curved).sqrt()
        d = self.covariance.shape[0]
        return (2 / (math.sqrt(d) * _norm(self.gamma))).sqrt().expand_as(pull).clone()

    def _overlaps(self, square: Tensor) -> tuple[Tensor, Tensor]:
        """‖ΛΘ‖²_F = tr(Λ²ΘΘᵀ) and tr(ΓΛΘΘᵀΛΘΘᵀ)."""
        L = self.covariance
        curved = (self.gamma @ L) @ square @ L
        return (L @ L * square).sum((-2, -1)), (curved * square).sum((-2, -1))

    def _below(self, sigma: Tensor, bound: Tensor, name: str) -> None:
        if _checks.readable(sigma) and (sigma >= bound).any():
            raise ValueError(
                f"sigma must be below {name} = {bound.min().item():.6g}, got "
                f"{sigma.max().item():.6g}; the flow still converges, but this bound is not proved "
                "there: take a smaller sigma"
            )

    @implements("lem-u-bound")
    def u_lower_bound(self, Theta: ArrayLike, sigma: ArrayLike) -> Batch:
        """u(t)² ≥ σ²‖ΛΘ‖²_F (2 − √d σ²‖Γ‖_op)/(2√d ‖Λ‖²_op) for all t; u is returned.

        Shape (*sigmas, *thetas).  ValueError unless σ < ``sigma_max``.  Lemma A.5, (A.14) (v1).
        """
        square, sigma = self._start(Theta, sigma)
        self._below(sigma, self.sigma_max(Theta), "sigma_max(Theta)")
        root = math.sqrt(self.covariance.shape[0])
        slack = 2 - root * sigma**2 * _norm(self.gamma)
        pull, _ = self._overlaps(square)
        bound: Tensor = sigma * (pull * slack / (2 * root)).sqrt() / _norm(self.covariance)
        return bound

    @implements("lem-pl", "lem-pl-sharp")
    def pl_constant(self, Theta: ArrayLike, sigma: ArrayLike, *, sharp: bool = False) -> Batch:
        """μ with ‖∇ℓ̃‖² ≥ μ (ℓ̃ − min ℓ̃) along the flow from ``start(Theta, sigma)``.

        Loose: 2 u_low²/(tr(Γ⁻¹Λ⁻¹) tr(Λ⁻¹)), Lemma 5.4, (5.7) (v1), for σ < ``sigma_max``.
        Sharp: 2c² min_i γ_iλ_i² with c² = −ℓ̃(0)/‖Λ²‖_F, for every start with ℓ̃(0) < 0.
        Shape (*sigmas, *thetas); ValueError at or above the bound on σ.
        """
        square, scale = self._start(Theta, sigma)
        L, G = self.covariance, self.gamma
        if sharp:
            self._below(scale, self.sigma_max(Theta, sharp=True), "sigma_max(Theta, sharp=True)")
            pull, curved = self._overlaps(square)
            squared = scale**2 * (pull - scale**2 * curved / 2) / (L @ L).square().sum().sqrt()
            # γ_iλ_i² is increasing in λ_i
            smallest = torch.linalg.eigvalsh(L).amin()
            mu: Tensor = 2 * squared * torch.linalg.eigvalsh(G).amin() * smallest**2
            return mu
        inverse = _inverse(L)
        trace = torch.linalg.solve(G, inverse).diagonal().sum() * inverse.diagonal().sum()
        mu = 2 * self.u_lower_bound(Theta, sigma) ** 2 / trace
        return mu

    @implements("prp-escape")
    def escape_time(self, Theta: ArrayLike, sigma: ArrayLike) -> Batch:
        """When the flow leaves the plateau near the origin, to leading order in σ.

        Near 0 the flow is U' = uΛ², u' = tr(Λ²U), so with p = ‖Λ²‖_F and a = σ‖ΛΘ‖²_F/p

            u(t) = σ cosh(pt) + a sinh(pt),   U ≈ u Λ²/p.

        On that ray s = u² is logistic, s' = 2ps(1 − s/s*), s* = p³/tr(ΓΛ⁶), so it is half-way when
        the linear solution reaches s*: T = ln[2√s*/(σ(1 + ‖ΛΘ‖²_F/p))]/p + O(σ²).  The time at
        which u² = s*/2 differs from T by an amount that stays bounded as σ → 0 (0 for Λ ∝ I).

        Shape (*sigmas, *thetas).  ValueError if the start is beyond the plateau already.
        """
        square, sigma = self._start(Theta, sigma)
        L = self.covariance
        cube = L @ L @ L
        p = (L @ L).square().sum().sqrt()
        ceiling = (p**3 / (self.gamma @ cube * cube).sum()).sqrt()
        along = sigma * self._overlaps(square)[0] / p
        if _checks.readable(sigma) and (sigma >= ceiling).any():
            raise ValueError(
                f"sigma must be below {ceiling.item():.6g} to start on the plateau, got "
                f"{sigma.max().item():.6g}; take a smaller sigma"
            )
        grown = ceiling + (ceiling**2 - sigma**2 + along**2).sqrt()
        time: Tensor = (grown / (sigma + along)).log() / p
        return time


def _symmetric(matrix: Tensor) -> Tensor:
    """Drops the rounding that a product of commuting symmetric matrices leaves."""
    symmetric: Tensor = (matrix + matrix.mT) / 2
    return symmetric


def _inverse(matrix: Tensor) -> Tensor:
    """Inverse of a symmetric positive definite matrix, symmetric."""
    inverse: Tensor = torch.cholesky_inverse(torch.linalg.cholesky(matrix))
    return inverse


def _norm(matrix: Tensor) -> Tensor:
    """Operator norm of a symmetric positive definite matrix."""
    largest: Tensor = torch.linalg.eigvalsh(matrix).amax()
    return largest
