"""The prompt distributions on which Garg et al. tested transformers trained on N(0, I).

Each shift draws prompts and knows the exact risk, against the query's label without noise, of any
one-step learner ŷ = (1/M) Σ y_i x_iᵀAx_q = wᵀSAx_q + noise; A = Γ⁻¹ is the trained layer. With
w ~ N(0, I) that risk is E‖SAx_q‖² - 2E x_qᵀSAx_q + E‖x_q‖², moments of x alone. The formulas write
f = ‖A‖²_F, g = tr A², t = tr A; for a symmetric A, f = g.
Garg, Tsipras, Liang & Valiant (2022), Section 4, and the evaluation code published with it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from . import _checks
from ._kernels import inner, trace
from ._lengths import Lengths, finite, lengths
from ._results import implements
from ._types import ArrayLike, Batch, Count
from .prompts import Normal, PromptLaw


@implements("prp-garg-shifts")
class Shift(PromptLaw):
    """A law of prompts in dimension ``dim``: y_i = scale · wᵀx_i + noise, w ~ N(0, I).

    ``dtype`` and ``device`` are those of what is drawn. Raises ValueError for an improper size
    (some shifts need dim >= 2), dtype or device, a variance < 0, a factor or a scale not > 0.
    """

    smallest = 1
    short_only = False  # M < d
    task_scale: float | Tensor = 1.0
    noise_variance: float | Tensor = 0.0

    def __init__(
        self, dim: Count, *, dtype: torch.dtype = torch.float64, device: Any = "cpu"
    ) -> None:
        self.dim = _checks.length("dim", dim)
        if self.dim < self.smallest:
            raise ValueError(
                f"dim must be >= {self.smallest} for {type(self).__name__}, got {self.dim}; "
                f"take a larger one"
            )
        if dtype not in _checks.FLOATS:
            raise ValueError(f"dtype must be torch.float32 or torch.float64, got {dtype}; take one")
        self._empty = torch.empty(0, dtype=dtype, device=_checks.device(device))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dim={self.dim})"

    @property
    def _like(self) -> Tensor:
        return self._empty

    def _draw(self, normal: Normal, B: int, N: int) -> tuple[Tensor, Tensor]:
        self._allow(N)
        w = self.task_scale * normal(B, self.dim)
        x, x_query = self._covariates(normal, B, N)
        return w, torch.cat([x, x_query.unsqueeze(1)], dim=1)

    @implements("prp-garg-shifts")
    def risk(self, preconditioner: ArrayLike, length: Lengths) -> Batch:
        """E(ŷ - scale · wᵀx_q)² of the learner with A = ``preconditioner`` (..., d, d), exact.

        ``length`` M may be a list: shape (..., [len M]). Raises ValueError for another shape,
        improper lengths, or a result that is not finite.
        """
        A = _checks.tensor("preconditioner", preconditioner, shape=(..., self.dim, self.dim))
        M = lengths("length", length, A)
        if _checks.readable(M):
            self._allow(int(M.max().item()))
        if M.ndim:  # traces of A get an axis for M
            A = A.unsqueeze(-3)
        scale = self.task_scale if isinstance(self.task_scale, float) else self.task_scale.to(A)
        return finite("risk", scale**2 * self._risk(A, M) + self._noise(A, M))

    def _allow(self, M: int) -> None:
        if self.short_only and self.dim <= M:
            raise ValueError(
                f"length must be below dim = {self.dim}, got {M}; "
                f"a longer context leaves no orthogonal direction"
            )

    @abstractmethod
    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        """The context's (B, M, d) and the query's (B, d)."""

    @abstractmethod
    def _risk(self, A: Tensor, M: Tensor) -> Tensor: ...

    def _noise(self, A: Tensor, M: Tensor) -> Tensor:
        return torch.zeros_like(M)


class Standard(Shift):
    """No shift: x_i, x_q ~ N(0, I). Risk f(M+d+1)/M - 2t + d."""

    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        return normal(B, M, self.dim), normal(B, self.dim)

    def _risk(self, A: Tensor, M: Tensor) -> Tensor:
        return inner(A, A) * (M + self.dim + 1) / M - 2 * trace(A) + self.dim


class NoisyLabels(Standard):
    """Labels with noise of variance σ² = ``variance``, Garg's is 1: adds σ²f/M.

    Garg's code then divides all labels by their spread, which is not done here.
    """

    def __init__(self, dim: Count, variance: ArrayLike = 1.0, **like: Any) -> None:
        super().__init__(dim, **like)
        value = _checks.nonnegative("variance", variance, shape=())
        self.noise_variance = value.to(self._like)

    def _noise(self, A: Tensor, M: Tensor) -> Tensor:
        return torch.as_tensor(self.noise_variance).to(A) * inner(A, A) / M


class ScaledY(Standard):
    """w → cw with c = ``factor``: c² times the risk without shift. Garg's c: 1/3, 1/2, 2, 3."""

    def __init__(self, dim: Count, factor: ArrayLike = 2.0, **like: Any) -> None:
        super().__init__(dim, **like)
        self.task_scale = _checks.positive("factor", factor, shape=()).to(self._like)


class Skewed(Shift):
    """x_i, x_q ~ N(0, Λ), Λ diagonal with eigenvalues ∝ 1/i² and trace d.

    Risk (1+1/M)tr(ΛAΛAᵀΛ) + d tr(AΛAᵀΛ)/M - 2tr(ΛAΛ) + d. Garg turns the eigenvectors at random,
    which changes nothing for a learner with A ∝ I.
    """

    def _eigenvalues(self, like: Tensor) -> Tensor:
        values = 1 / torch.arange(1, self.dim + 1).to(like).square()
        return values * (self.dim / values.sum())

    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        root = self._eigenvalues(self._like).sqrt()
        return normal(B, M, self.dim) * root, normal(B, self.dim) * root

    def _risk(self, A: Tensor, M: Tensor) -> Tensor:
        values = self._eigenvalues(A)
        squares = (A.square() * values).sum(-1)  # (AΛAᵀ)_ii
        sandwich, spread = (values**2 * squares).sum(-1), (values * squares).sum(-1)
        cross = (values**2 * A.diagonal(dim1=-2, dim2=-1)).sum(-1)
        return sandwich + (sandwich + values.sum() * spread) / M - 2 * cross + values.sum()


class ScaledX(Shift):
    """x → cx with c = ``factor``, context and query: c²{c⁴f(M+d+1)/M - 2c²t + d}.

    Garg's c: 1/3, 1/2, 2, 3.
    """

    def __init__(self, dim: Count, factor: ArrayLike = 2.0, **like: Any) -> None:
        super().__init__(dim, **like)
        self.factor = _checks.positive("factor", factor, shape=()).to(self._like)

    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        return self.factor * normal(B, M, self.dim), self.factor * normal(B, self.dim)

    def _risk(self, A: Tensor, M: Tensor) -> Tensor:
        square, d = self.factor.to(A).square(), self.dim
        spread = square.square() * inner(A, A) * (M + d + 1) / M
        return square * (spread - 2 * square * trace(A) + d)


class HalfSubspace(Shift):
    """x_i, x_q ~ N(0, sP), P the projection on a random subspace of r = ⌊d/2⌋ dimensions.

    s = ``scale``, by default d/r as in Garg's code, which keeps E‖x‖² = d; s = 1 keeps the size of
    each coordinate seen. With E tr(PAPAᵀ) = p = αf + β(g + t²) for the uniform P,

      risk = s³(1 + (r+1)/M)p - 2s²(r/d)t + sr,
      α = r(r(d+1) - 2)/(d(d-1)(d+2)),  β = r(d-r)/(d(d-1)(d+2)).
    """

    smallest = 2

    def __init__(self, dim: Count, scale: ArrayLike | None = None, **like: Any) -> None:
        super().__init__(dim, **like)
        self.rank = self.dim // 2
        value = self.dim / self.rank if scale is None else scale
        self.scale = _checks.positive("scale", value, shape=()).to(self._like)

    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        basis = torch.linalg.qr(normal(B, self.dim, self.rank)).Q  # (B, d, r)
        x = self.scale.sqrt() * normal(B, M + 1, self.rank) @ basis.mT
        return x[:, :-1], x[:, -1]

    def _risk(self, A: Tensor, M: Tensor) -> Tensor:
        s, d, r = self.scale.to(A), self.dim, self.rank
        alpha, beta = _projection(d, r)
        twice = alpha * inner(A, A) + beta * _swap(A)
        return s**3 * (1 + (r + 1) / M) * twice - 2 * s**2 * (r / d) * trace(A) + s * r


class Orthants(Shift):
    """The context lies in one random orthant, x_i = s∘|z_i|; the query is N(0, I) as ever.

    s (d,) holds random signs, drawn once a prompt; Garg's "random quadrants". Then S has the mean
    C_s = (1 - 2/π)I + (2/π)ssᵀ given s, and over s too E S = I, E S² = κI:

      risk = κf - 2t + d,   κ = (1 - 1/M)(1 + 4(d-1)/π²) + (d+2)/M.
    """

    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        signs = normal(B, 1, self.dim).sign()
        return signs * normal(B, M, self.dim).abs(), normal(B, self.dim)

    def _risk(self, A: Tensor, M: Tensor) -> Tensor:
        d, of_square = self.dim, 1 + 4 * (self.dim - 1) / math.pi**2  # (C_s²)_ii
        kappa = (1 - 1 / M) * of_square + (d + 2) / M
        return kappa * inner(A, A) - 2 * trace(A) + d


@implements("prp-orthogonal")
class OrthogonalQuery(Shift):
    """A query orthogonal to the M < d examples, uniform in direction, as long as one of N(0, I).

      risk = d{1 + (d+M+1)/(M(d-1)(d+2)) · [(d+1)f - g - t²]}.

    The bracket vanishes for A ∝ I alone, where the prediction is 0; for A symmetric it is
    d²(the variance of A's eigenvalues). Zhang, Frei & Bartlett (2024), Section 4.2 (v1), claim a
    prediction of 0 for every A = Γ⁻¹.
    """

    smallest = 2
    short_only = True

    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        x, z = normal(B, M, self.dim), normal(B, self.dim, 1)
        basis = torch.linalg.qr(x.mT).Q  # (B, d, M)
        rest = z - basis @ (basis.mT @ z)
        length = torch.linalg.vector_norm(z, dim=1) / torch.linalg.vector_norm(rest, dim=1)
        return x, rest.squeeze(-1) * length

    def _risk(self, A: Tensor, M: Tensor) -> Tensor:
        d = self.dim
        bracket = (d + 1) * inner(A, A) - _swap(A)
        return d * (1 + (d + M + 1) / (M * (d - 1) * (d + 2)) * bracket)


class ContextQuery(Shift):
    """The query is one of the examples, x_q = x_1 (which one does not matter).

    With q = t² + f + g = E(xᵀAx)², x ~ N(0, I),

      risk = [(d+2M+2)q + (M-1)(M+d)f]/M² - 2t(M+d+1)/M + d.
    """

    def _covariates(self, normal: Normal, B: int, M: int) -> tuple[Tensor, Tensor]:
        x = normal(B, M, self.dim)
        return x, x[:, 0]

    def _risk(self, A: Tensor, M: Tensor) -> Tensor:
        d, f = self.dim, inner(A, A)
        twice = (d + 2 * M + 2) * (f + _swap(A)) + (M - 1) * (M + d) * f
        return twice / M**2 - 2 * trace(A) * (M + d + 1) / M + d


SHIFTS: Mapping[str, Callable[..., Shift]] = MappingProxyType(
    {
        "standard": Standard,
        "orthants": Orthants,
        "skewed": Skewed,
        "half_subspace": HalfSubspace,
        "scaled_x": ScaledX,
        "scaled_y": ScaledY,
        "noisy_labels": NoisyLabels,
        "orthogonal_query": OrthogonalQuery,
        "context_query": ContextQuery,
    }
)
"""Name -> factory(dim): ``SHIFTS["scaled_x"](20, 3.0)``; chapter 8 runs over the same table."""


def _projection(d: int, r: int) -> tuple[float, float]:
    """α and β of E[P_ijP_kl] = αδ_ijδ_kl + β(δ_ikδ_jl + δ_ilδ_jk), P uniform of rank r."""
    below = d * (d - 1) * (d + 2)
    return r * (r * (d + 1) - 2) / below, r * (d - r) / below


def _swap(A: Tensor) -> Tensor:
    """g + t² = tr A² + (tr A)²."""
    return trace(A, A) + trace(A).square()
