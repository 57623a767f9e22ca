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
from ..flow.protocol import Spectral
from ..lsa import _gamma
from .product import ProductLandscape, _inner


@dataclass(frozen=True, eq=False)
class FixedCovariance(ProductLandscape):
    """Population loss of the layer on the slice u_12 = u_21 = 0, less its ``constant`` ½ tr Λ.

    ℓ̃(U, u) = tr[½ u² ΓΛ U Λ Uᵀ − u Λ² Uᵀ],   Γ = (1 + 1/N)Λ + (tr Λ/N) I.

    The :class:`ProductLandscape` with 𝒜U = ΓΛ U Λ, B = Λ² and P = Γ⁻¹; ``start`` stands there.

    The state is (U, u), shapes (*batch, d, d) and (*batch).  Tensors, arrays and lists are taken;
    tensors must share device and dtype of ``covariance``.  Gradients pass through every method.

    Args:
        covariance: Λ, (d, d), symmetric positive definite.
        length: N, the number of training examples in a prompt.

    Raises:
        ValueError: Λ not symmetric positive definite or not (d, d); N not an integer ≥ 1. In the
            methods: a state or a Θ of another shape, dtype or device, or ‖ΘΘᵀ‖_F other than 1.

    Zhang, Frei & Bartlett (2024), equation (5.5) and Lemma 5.2 (v1).
    """

    covariance: Matrix
    length: int

    def __init__(self, covariance: ArrayLike, length: Count) -> None:
        matrix = _checks.covariance("covariance", covariance)
        _checks.tensor("covariance", matrix, shape=("d", "d"))
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

    @property
    def pull(self) -> Matrix:
        """B = Λ², (d, d)."""
        return self.covariance @ self.covariance

    @property
    def target(self) -> Matrix:
        """P = Γ⁻¹, (d, d): the product uU of every minimiser."""
        return _inverse(self.gamma)

    def _curved(self, U: Tensor) -> Tensor:
        L = self.covariance
        return (self.gamma @ L) @ U @ L

    def loss(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ̃ = tr[½ u² ΓΛ U Λ Uᵀ − u Λ² Uᵀ], (*batch); v1 (5.5)."""
        U, u = self._state(U, u)
        value: Tensor = u * (u * self._energy(U) / 2 - _inner(self.pull, U))
        return value

    @implements("lem-dynamics")
    def gradient(self, U: ArrayLike, u: ArrayLike) -> tuple[Matrix, Batch]:
        """(∂ℓ̃/∂U, ∂ℓ̃/∂u) = (u² ΓΛUΛ − uΛ², tr[u ΓΛUΛUᵀ − Λ²Uᵀ]); minus Lemma 5.2 (v1)."""
        U, u = self._state(U, u)
        curved, pull, scale = self._curved(U), self.pull, u[..., None, None]
        return scale**2 * curved - scale * pull, u * _inner(U, curved) - _inner(pull, U)

    @property
    def constant(self) -> Scalar:
        """½ tr Λ, the loss of the prediction 0, which ``loss`` and ``minimum`` leave out:
        ``loss(U, u) + constant`` is ½E(ŷ − wᵀx_q)²."""
        return self.covariance.diagonal().sum() / 2

    @property
    @implements("cor-minimum")
    def minimum(self) -> Scalar:
        """min ℓ̃ = −½ tr(Λ² Γ⁻¹); Corollary A.2 (v1), with its sign mended."""
        value: Tensor = -torch.linalg.solve(self.gamma, self.pull).diagonal().sum() / 2
        return value

    @implements("cor-minimum")
    def gap(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ̃ − min ℓ̃ = ½ ‖Γ^½ (u Λ^½ U Λ^½ − Λ Γ⁻¹)‖²_F, (*batch); Corollary A.2 (v1).

        Computed as ½ ‖Aᵀ (uU − Γ⁻¹) B‖²_F with AAᵀ = ΓΛ and BBᵀ = Λ, a sum of squares: it stays
        exact where a difference of losses would be rounding alone.
        """
        U, u = self._state(U, u)
        A = torch.linalg.cholesky(_symmetric(self.gamma @ self.covariance))
        B = torch.linalg.cholesky(self.covariance)
        distance = A.mT @ (u[..., None, None] * U - self.target) @ B
        value: Tensor = distance.square().sum((-2, -1)) / 2
        return value

    # -- limits -----------------------------------------------------------------------------------

    @implements("thm-limit")
    def limit(self, balance: ArrayLike = 0.0) -> tuple[Matrix, Batch]:
        """Where the flow ends: u U = Γ⁻¹ with u² = (D + √(D² + 4g²))/2, g = ‖Γ⁻¹‖_F.

        ``balance`` is the conserved D = u² − ‖U‖²_F, shape (*batch); 0 (Assumption 3.3) gives
        u = ‖Γ⁻¹‖_F^½ and U = ‖Γ⁻¹‖_F^−½ Γ⁻¹, Theorem 4.1 (v1), Theorem 4 (JMLR).
        """
        return super().limit(balance)

    # -- starts and the constants that depend on them ---------------------------------------------

    def sigma_max(self, Theta: ArrayLike, *, sharp: bool = False) -> Batch:
        """The scale below which Assumption 3.3 starts with ℓ̃ < 0, (*thetas).

        √(2/(√d ‖Γ‖_op)), (A.13) of v1, the same for all Θ; ``sharp`` gives the exact threshold
        √(2 tr(Λ²ΘΘᵀ)/tr(ΓΛΘΘᵀΛΘΘᵀ)).  The constants below need it; convergence does not.
        """
        square, _ = self._start(Theta, 1.0)
        if sharp:
            return (2 * _inner(self.pull, square) / self._energy(square)).sqrt()
        d = self.covariance.shape[0]
        bound = (2 / (math.sqrt(d) * _norm(self.gamma))).sqrt()
        return bound.expand(square.shape[:-2]).clone()

    @implements("lem-u-bound")
    def u_lower_bound(self, Theta: ArrayLike, sigma: ArrayLike) -> Batch:
        """u(t)² ≥ σ²‖ΛΘ‖²_F (2 − √d σ²‖Γ‖_op)/(2√d ‖Λ‖²_op) for all t; u is returned.

        Shape (*sigmas, *thetas).  ValueError unless σ < ``sigma_max``.  Lemma A.5, (A.14) (v1).
        """
        square, sigma = self._start(Theta, sigma)
        self._below(sigma, self.sigma_max(Theta), "sigma_max(Theta)")
        root = math.sqrt(self.covariance.shape[0])
        slack = 2 - root * sigma**2 * _norm(self.gamma)
        pulled = _inner(self.pull, square)
        bound: Tensor = sigma * (pulled * slack / (2 * root)).sqrt() / _norm(self.covariance)
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
            pull = self.pull
            fallen = scale**2 * (_inner(pull, square) - scale**2 * self._energy(square) / 2)
            squared = fallen / pull.square().sum().sqrt()
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
        """When the flow leaves the plateau, T = ln[2√s*/(σ(1 + ‖ΛΘ‖²_F/p))]/p + O(σ²).

        Derived in :class:`ProductLandscape`; here p = ‖Λ²‖_F and s* = p³/tr(ΓΛ⁶). The time at
        which u² = s*/2 differs from T by an amount that stays bounded as σ → 0 (0 for Λ ∝ I).

        Shape (*sigmas, *thetas).  ValueError if the start is beyond the plateau already.
        """
        return super().escape_time(Theta, sigma)


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
