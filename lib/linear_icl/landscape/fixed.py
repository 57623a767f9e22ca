"""The reduced loss ℓ̃(U, u) of chapter 3: one covariance for all prompts."""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from .. import _checks
from .._kernels import gamma, inner, trace
from .._results import implements
from .._types import ArrayLike, Batch, Count, Matrix, Vector
from ..flow.protocol import Spectral
from .product import ProductLandscape


@implements(
    gradient="lem-dynamics",
    minimum="cor-minimum",
    gap="cor-minimum",
    limit="thm-limit",
    u_lower_bound=("lem-u-bound", "lem-u-sharp"),
    pl_constant=("lem-pl", "lem-pl-sharp"),
    escape_time="prp-escape",
)
class FixedCovariance(ProductLandscape):
    """The :class:`ProductLandscape` of one Λ: 𝒜U = ΓΛ U Λ, B = Λ² and P = Γ⁻¹, constant ½ tr Λ.

    ℓ̃(U, u) = tr[½ u² ΓΛ U Λ Uᵀ − u Λ² Uᵀ],   Γ = (1 + 1/N)Λ + (tr Λ/N) I.

    In Zhang, Frei & Bartlett (2024), v1:
        loss: (5.5); gradient: minus Lemma 5.2.
        minimum, gap: Corollary A.2, the minimum with its sign mended: −½ tr(Λ²Γ⁻¹) and
            ½ ‖Γ^½ (u Λ^½ U Λ^½ − Λ Γ⁻¹)‖²_F.
        limit: Theorem 4.1 (JMLR 4), u = ‖Γ⁻¹‖_F^½ and U = ‖Γ⁻¹‖_F^−½ Γ⁻¹ for balance 0.
        sigma_max: (A.13), √(2/(√d ‖Γ‖_op)), the same for all Θ.
        u_lower_bound: Lemma A.5, (A.14), u² >= σ²‖ΛΘ‖²_F (2 − √d σ²‖Γ‖_op)/(2√d ‖Λ‖²_op).
        pl_constant: Lemma 5.4, (5.7), 2u_low²/(tr(Γ⁻¹Λ⁻¹) tr(Λ⁻¹)), for σ < sigma_max. Sharp it
            is 2c² min_i γ_iλ_i² with the sharp lower bound c, for every start with ℓ̃(0) < 0.

    Args:
        covariance: Λ, (d, d), symmetric positive definite.
        length: N, the number of training examples in a prompt.

    Raises:
        ValueError: Λ not symmetric positive definite or not (d, d); N not an integer ≥ 1.
    """

    def __init__(self, covariance: ArrayLike, length: Count) -> None:
        self.covariance = _checks.covariance("covariance", covariance, shape=("d", "d"))
        self.length = _checks.length("length", length)

    def __repr__(self) -> str:
        return f"FixedCovariance(d={self.dim}, length={self.length})"

    @property
    def Gamma(self) -> Matrix:
        """Γ = (1 + 1/N)Λ + (tr Λ/N) I, (d, d); commutes with Λ."""
        return gamma(self.covariance, self.length)

    @cached_property
    def _eigen(self) -> tuple[Tensor, Tensor]:
        values, vectors = torch.linalg.eigh(self.covariance.detach())
        return values.flip(-1), vectors.flip(-1)

    @cached_property
    def _gammas(self) -> Tensor:
        """Γ's eigenvalues in the order of Λ's."""
        return gamma(self.eigenvalues.diag(), self.length).diagonal()

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
        return Spectral(self.basis, torch.outer(self._gammas * values, values), values**2)

    @implements("prp-stability")
    def sharpness(self, u: ArrayLike) -> Batch:
        """Largest eigenvalue of the Hessian of ℓ̃ at the minimum uU = Γ⁻¹ with this u, (*batch).

        It is that of u² diag(γ_iλ_i²) + (λ_iλ_j/√(γ_iγ_j))_ij/u². Descent with a step above 2 over
        it leaves the minimum. ``u`` (*batch). Raises ValueError unless every u > 0.
        """
        square = (
            _checks.positive("u", u, like=("covariance", self.covariance))[..., None, None] ** 2
        )
        values = self.eigenvalues
        edge = values / self._gammas.sqrt()
        both = square * (self._gammas * values**2).diag() + torch.outer(edge, edge) / square
        return torch.linalg.eigvalsh(both)[..., -1]

    @property
    def pull(self) -> Matrix:
        """B = Λ², (d, d)."""
        return self.covariance @ self.covariance

    @property
    def target(self) -> Matrix:
        """P = Γ⁻¹, (d, d): the product uU of every minimiser."""
        return _inverse(self.Gamma)

    def _curved(self, U: Tensor) -> Tensor:
        return (self.Gamma @ self.covariance) @ U @ self.covariance

    def _energy(self, U: Tensor) -> Tensor:
        """‖Aᵀ U B‖²_F with AAᵀ = ΓΛ and BBᵀ = Λ."""
        second = self.Gamma @ self.covariance
        A = torch.linalg.cholesky((second + second.mT) / 2)  # they commute: drops the rounding
        return (A.mT @ U @ torch.linalg.cholesky(self.covariance)).square().sum((-2, -1))

    def _spectrum(self) -> Tensor:
        """γ_iλ_i², which increase with λ_i."""
        gammas, values = map(torch.linalg.eigvalsh, (self.Gamma, self.covariance))
        return gammas * values**2

    def _mean(self) -> Tensor:
        return self.covariance

    def _published(self, square: Tensor) -> tuple[Tensor, Tensor]:
        largest: Tensor = torch.linalg.eigvalsh(self.Gamma).amax()
        inverse = _inverse(self.covariance)
        factor = 2 / (trace(self.target, inverse) * trace(inverse))
        return largest * inner(self.pull, square), factor


def _inverse(matrix: Tensor) -> Tensor:
    """Inverse of a symmetric positive definite matrix, symmetric."""
    return torch.cholesky_inverse(torch.linalg.cholesky(matrix))
