"""A finite mixture of arbitrary covariances: Lemma C.1 without diagonality, exact."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from .. import _checks, _kernels
from .._results import implements
from .._types import ArrayLike, Count, Matrix
from ._landscape import RandomCovariance


@implements("lem-rc-loss")
class MixtureCovariance(RandomCovariance):
    """Loss with Λ = Λ_k with probability p_k, for any symmetric positive definite Λ_1, …, Λ_K.

    ℓ(U, u) = Σ_k p_k tr[½ u² Γ_kΛ_k U Λ_k Uᵀ − u Λ_k² Uᵀ], less the constant ½ E tr Λ of (4.9).

    𝒜 = Σ_k p_k Λ_k ⊗ Γ_kΛ_k on vec U in column order; the minimiser solves 𝒜 vec P = vec B, one
    system of d² equations. For atoms that do not commute P is not symmetric in general. With one
    atom this is :class:`linear_icl.landscape.FixedCovariance` and P = Γ⁻¹; with K draws of a law it
    is the landscape of K training covariances. Methods and state as in :class:`RandomCovariance`.
    ``limit`` is where the flow ends if ℓ < 0 at its start (σ < ``sigma_max(Theta, sharp=True)``).

    ``covariances`` Λ_k, (K, d, d); ``weights`` p_k > 0, (K,), sum 1, default 1/K; ``length`` N of
    training. Raises ValueError for an improper covariance or weight, weights that do not sum to 1,
    N not an integer ≥ 1.
    Zhang, Frei & Bartlett (2024), Lemma C.1 (v1), which stops at the dynamics.
    """

    _source: ClassVar[str] = "covariances"
    _above: ClassVar[str] = "neither convergence nor this bound is proved there"

    def __init__(
        self, covariances: ArrayLike, weights: ArrayLike | None = None, *, length: Count
    ) -> None:
        self.covariances, self.weights = atoms(covariances, weights)
        self.length = _checks.length("length", length)
        Lambda = self.covariances
        gamma = _kernels.gamma(Lambda, self.length)
        curved = gamma @ Lambda
        self._second = (curved + curved.mT) / 2  # they commute: drops the rounding
        self._left = torch.linalg.cholesky(self._second)
        self._right = torch.linalg.cholesky(Lambda)
        self._pull = self._average(Lambda @ Lambda)
        # vec in column order fills the transposed matrix by rows; B is its own transpose
        solved = torch.linalg.solve(self.operator, self._pull.reshape(-1))
        self._target: Tensor = solved.reshape(self._pull.shape).mT

    def __repr__(self) -> str:
        K, d, _ = self.covariances.shape
        return f"MixtureCovariance(K={K}, d={d}, length={self.length})"

    def _average(self, each: Tensor) -> Tensor:
        """Σ_k p_k each_k over the axis -3 of atoms."""
        return (self.weights[:, None, None] * each).sum(-3)

    @property
    @implements("lem-rc-dynamics")
    def operator(self) -> Tensor:
        """𝒜 = Σ_k p_k Λ_k ⊗ Γ_kΛ_k, (d², d²), symmetric positive definite, on vec in columns."""
        d = self.covariances.shape[-1]
        left = self.weights[:, None, None] * self.covariances
        kron = torch.einsum("kij,klm->iljm", left, self._second)
        return kron.reshape(d * d, d * d)

    @property
    def pull(self) -> Matrix:
        """B = Σ_k p_k Λ_k², (d, d)."""
        return self._pull

    @property
    def target(self) -> Matrix:
        """P = 𝒜⁻¹B, (d, d): the product uU of every minimiser."""
        return self._target

    def _curved(self, U: Tensor) -> Tensor:
        return self._average(self._second @ U[..., None, :, :] @ self.covariances)

    def _energy(self, U: Tensor) -> Tensor:
        roots = self._left.mT @ U[..., None, :, :] @ self._right  # (*batch, K, d, d)
        return roots.square().sum((-2, -1)) @ self.weights

    def _spectrum(self) -> Tensor:
        return torch.linalg.eigvalsh(self.operator)

    def _mean(self) -> Tensor:
        return self._average(self.covariances)


def atoms(covariances: ArrayLike, weights: ArrayLike | None) -> tuple[Tensor, Tensor]:
    """Λ_k (K, d, d) and p_k (K,), checked; equal weights by default."""
    Lambda = _checks.tensor("covariances", covariances, shape=("K", "d", "d"))
    K = Lambda.shape[0]
    if K == 0:
        raise ValueError("covariances must hold at least one matrix, got none; give (K, d, d)")
    _checks.covariance("covariances", Lambda)
    if weights is None:
        return Lambda, torch.full((K,), 1 / K, dtype=Lambda.dtype, device=Lambda.device)
    p = _checks.positive("weights", weights, shape=(K,), like=("covariances", Lambda))
    if _checks.readable(p) and abs(p.sum().item() - 1) > 4 * K * torch.finfo(p.dtype).eps:
        raise ValueError(
            f"weights must sum to 1, got {p.sum().item():.9g}; divide them by their sum"
        )
    return Lambda, p
