"""Random covariances with independent eigenvalues: in fixed axes (Theorem 4.5), or in random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import Count, Matrix, Scalar, Vector
from ..flow.protocol import Spectral
from ._landscape import RandomCovariance
from ._law import Law, moments, scalar

if TYPE_CHECKING:
    Laws: TypeAlias = Law | Sequence[Law]
else:
    Laws: TypeAlias = Any  # judged by `coordinates`


def coordinates(law: Laws, dim: Count) -> tuple[Law, ...]:
    """One law for each of the d eigenvalues: ``law`` d times, or a sequence of d laws.

    Raises TypeError for what is no law, ValueError for another number of laws, laws on different
    devices or of different dtypes, array parameters, or moments that no positive law has.
    """
    d = _checks.length("dim", dim)
    laws: tuple[Any, ...] = tuple(law) if isinstance(law, tuple | list) else (law,) * d
    if len(laws) != d:
        raise ValueError(
            f"law must be one law or a sequence of dim = {d} laws, got {len(laws)}; "
            f"one for each coordinate"
        )
    different = {id(one): one for one in laws}.values()
    firsts = [(f"law[{laws.index(one)}]", scalar(one, moments(one)[0])) for one in different]
    _checks.together(*firsts)
    return laws


class _Independent(RandomCovariance):
    """Independent eigenvalues λ_1, …, λ_d and what depends on their moments only."""

    _source: ClassVar[str] = "law"

    def __init__(self, law: Laws, dim: Count, length: Count) -> None:
        self.laws = coordinates(law, dim)
        self.length = _checks.length("length", length)
        known = {law: moments(law) for law in set(self.laws)}
        each = zip(*(known[law] for law in self.laws), strict=True)
        self._m1, self._m2, self._m3 = (torch.stack(m) for m in each)
        self._zeta = self._curvature()

    def __repr__(self) -> str:
        same = all(law is self.laws[0] for law in self.laws)
        law = repr(self.laws[0]) if same else f"{len(self.laws)} laws"
        return f"{type(self).__name__}({law}, dim={self.dim}, length={self.length})"

    @property
    @implements("lem-rc-dynamics")
    def xi(self) -> Vector:
        """ξ_i = E λ_i², (d,); (C.3) (v1)."""
        return self._m2

    @property
    @implements("lem-rc-dynamics")
    def zeta(self) -> Matrix:
        """ζ_ij = E[(1 + 1/N) λ_i²λ_j + λ_iλ_j tr Λ/N], (d, d), with ζ_ii = γ_i; (C.3) (v1).

        Off the diagonal, with m_k the moments of the coordinates and independence,
        ζ_ij = (1 + 1/N) m_2i m_1j + (m_2i m_1j + m_1i m_2j + m_1i m_1j Σ_{k≠i,j} m_1k)/N.
        It is symmetric only if all m_2i/m_1i are equal.
        """
        return self._zeta

    def _curvature(self) -> Tensor:
        m1, m2, m3 = self._m1, self._m2, self._m3
        N, total = self.length, m1.sum()
        cross = torch.outer(m2, m1)
        others = total - m1[:, None] - m1
        mixed = (1 + 1 / N) * cross + (cross + cross.mT + torch.outer(m1, m1) * others) / N
        diagonal = (1 + 2 / N) * m3 + m2 * (total - m1) / N
        return mixed - mixed.diagonal().diag() + diagonal.diag()

    @property
    @implements("lem-rc-dynamics")
    def gamma(self) -> Vector:
        """γ_i = E[(1 + 1/N) λ_i³ + λ_i² tr Λ/N], (d,): the diagonal of E[ΓΛ²]; (C.3) (v1)."""
        return self.zeta.diagonal()


class DiagonalCovariance(_Independent):
    """Loss with Λ = diag(λ_1, …, λ_d) drawn for each prompt, λ_i independent.

    ℓ(U, u) = ½ u² Σ_ij ζ_ij U_ij² − u Σ_i ξ_i U_ii, less the constant ½ E tr Λ of (4.9).

    Every entry of U has its own curvature, so uU_ij → 1{i=j} ξ_i/γ_i, and the flow is as fast as
    that of one covariance. Methods and state (U, u) as in :class:`RandomCovariance`.

    ``law`` is that of every λ_i, or a sequence of d laws; ``dim`` d; ``length`` N of training.
    Raises TypeError for what is no law, or a law's class, ``Exponential`` for ``Exponential()``;
    ValueError for a law without a finite third moment, with array parameters, another number of
    laws, d or N not an integer ≥ 1.
    Zhang, Frei & Bartlett (2024), Section 4.3, Theorem 4.5 (v1), Theorem 8 (JMLR).
    """

    @property
    def shrinkage(self) -> Vector:
        """E λ_i ξ_i/γ_i, (d,): the mean of uUΛ, which multiplies w in the mean prediction."""
        return self._m1 * self.xi / self.gamma

    def spectral(self) -> Spectral:
        """Curvatures ζ and pulls ξ in the standard basis (the reduction the flow uses)."""
        xi, zeta = self.xi.detach(), self.zeta.detach()
        return Spectral(torch.eye(self.dim, dtype=xi.dtype, device=xi.device), zeta, xi)

    @property
    def pull(self) -> Matrix:
        """B = E Λ² = diag(ξ), (d, d)."""
        return self.xi.diag()

    @property
    def target(self) -> Matrix:
        """P = diag(ξ_i/γ_i), (d, d): the product uU of every minimiser; (C.8) (v1)."""
        return (self.xi / self.gamma).diag()

    def _curved(self, U: Tensor) -> Tensor:
        return self._zeta * U

    def _energy(self, U: Tensor) -> Tensor:
        return (self._zeta * U**2).sum((-2, -1))

    def _spectrum(self) -> Tensor:
        return self._zeta.flatten()

    def _mean(self) -> Tensor:
        return self._m1.diag()


@implements("prp-rotated")
class RotatedCovariance(_Independent):
    """Loss with Λ = Q diag(λ_1, …, λ_d) Qᵀ, λ_i independent and Q uniform on the orthogonal group.

    No axes are preferred: R𝒜(U)Rᵀ = 𝒜(RURᵀ) and RBRᵀ = B for every orthogonal R, so the unique
    minimiser commutes with all R, P = κI, and taking traces of 𝒜P = B

      κ = E tr Λ² / E[(1 + 1/N) tr Λ³ + tr Λ tr Λ²/N] = Σ_i ξ_i / Σ_i γ_i,

    the γ-weighted mean of the diagonal law's ξ_i/γ_i: equal to them if they are equal, as for one
    law of all coordinates. What differs is the curvature. 𝒜 multiplies the multiples of I, the
    symmetric traceless and the antisymmetric matrices by

      γ̄ = mean of γ_i,   (d ζ̄ + 2γ̄)/(d + 2),   ζ̄ = mean of ζ_ij over i ≠ j,

    and only the first are pulled. So ℓ is not diagonal in any basis of entries, and its flow is
    integrated as it stands. Arguments, errors and methods as in :class:`DiagonalCovariance`.
    Not in Zhang, Frei & Bartlett (2024), who restrict Theorem 4.5 to diagonal Λ; from Lemma C.1.
    """

    def __init__(self, law: Laws, dim: Count, length: Count) -> None:
        super().__init__(law, dim, length)
        zeta = self._zeta
        d = len(zeta)
        self._identity = torch.eye(d, dtype=zeta.dtype, device=zeta.device)
        mean = zeta.diagonal().mean()
        rest = (zeta.sum() - zeta.diagonal().sum()) / (d * (d - 1)) if d > 1 else mean
        self._curvatures = torch.stack([mean, (d * rest + 2 * mean) / (d + 2), rest])

    @property
    def kappa(self) -> Scalar:
        """κ = Σξ_i/Σγ_i, ()."""
        return self.xi.sum() / self.gamma.sum()

    @property
    def curvatures(self) -> Vector:
        """Eigenvalues of 𝒜 on I, the symmetric traceless, the antisymmetric matrices, (3,).

        For d = 1 only the first has a space to act on; the others repeat it.
        """
        return self._curvatures

    @property
    def pull(self) -> Matrix:
        """B = E Λ² = (mean of ξ_i) I, (d, d)."""
        return self.xi.mean() * self._identity

    @property
    def target(self) -> Matrix:
        """P = κI, (d, d): the product uU of every minimiser."""
        return self.kappa * self._identity

    def _parts(self, U: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Multiple of I, symmetric traceless and antisymmetric part."""
        mean = U.diagonal(dim1=-2, dim2=-1).mean(-1)[..., None, None]
        scalar, symmetric = mean * self._identity, (U + U.mT) / 2
        return scalar, symmetric - scalar, U - symmetric

    def _curved(self, U: Tensor) -> Tensor:
        scalar, symmetric, skew = self._parts(U)
        a, b, c = self._curvatures
        return a * scalar + b * symmetric + c * skew

    def _energy(self, U: Tensor) -> Tensor:
        squares = torch.stack([part.square().sum((-2, -1)) for part in self._parts(U)], -1)
        return (self._curvatures * squares).sum(-1)

    def _spectrum(self) -> Tensor:
        return self._curvatures

    def _mean(self) -> Tensor:
        return self._m1.mean() * self._identity
