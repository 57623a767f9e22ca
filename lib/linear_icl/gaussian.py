"""Moments of Gaussian quadratic forms: Isserlis' theorem up to sixth order, and Wishart moments.

Throughout x ~ N(0, Λ), and S = (1/N) Σ_i x_i x_iᵀ is the second-moment matrix of N independent
copies (normaliser N, no centring). The functions validate; their formulas stand in
``_kernels``, for what has been checked. Λ is one matrix (d, d); the others may carry batch axes.
"""

from collections.abc import Iterator
from fractions import Fraction
from numbers import Rational
from typing import Any

from torch import Tensor

from . import _checks, _kernels
from ._results import implements
from ._types import ArrayLike, Batch, Count, Matrix, Scalar


@implements("lem-isserlis")
def linear_forms(covariance: ArrayLike, *vectors: ArrayLike) -> Scalar:
    """Isserlis: E[Π_k v_kᵀx] = Σ over pairings of Π v_iᵀΛv_j, for any number of vectors.

    Each vector (d,). An odd number gives zero. The sum has (n-1)!! terms: it is the oracle of the
    formulas below, not a way to compute. Raises ValueError for an improper covariance or vector.
    Isserlis (1918); Zhang, Frei & Bartlett (2024) use it for Lemma D.2.
    """
    Lambda = _covariance(covariance)
    v = [
        _checks.tensor("vectors", x, shape=Lambda.shape[:1], like=("covariance", Lambda))
        for x in vectors
    ]
    total = Lambda.new_zeros(())
    for pairing in _pairings(tuple(range(len(v)))):
        term = Lambda.new_ones(())
        for i, j in pairing:
            term = term * (v[i] @ Lambda @ v[j])
        total = total + term
    return total


@implements("lem-isserlis")
def exact_isserlis(covariance: Any, *vectors: Any) -> Fraction:
    """:func:`linear_forms` in rational arithmetic, without rounding and so without tolerance.

    ``covariance`` (d, d) and ``vectors`` (d,) hold integers or Fraction: lists, or NumPy arrays of
    dtype object, whose products stay exact. Takes any symmetric matrix: Isserlis' sum is a
    polynomial in its entries. Raises ValueError for other numbers or sizes that do not fit.
    """
    Lambda = [_fractions("covariance", row, len(covariance)) for row in covariance]
    if any(Lambda[i][j] != Lambda[j][i] for i in range(len(Lambda)) for j in range(i)):
        raise ValueError(f"covariance must be symmetric, got {covariance}; check its entries")
    v = [_fractions("vectors", vector, len(Lambda)) for vector in vectors]
    across = [[sum(a * b for a, b in zip(row, x, strict=True)) for row in Lambda] for x in v]
    total = Fraction(0)
    for pairing in _pairings(tuple(range(len(v)))):
        term = Fraction(1)
        for i, j in pairing:
            term *= sum((a * b for a, b in zip(v[i], across[j], strict=True)), Fraction(0))
        total += term
    return total


@implements("lem-gaussian-quartic")
def quartic(covariance: ArrayLike, A: ArrayLike) -> Matrix:
    """E[x xᵀA x xᵀ] = Λ(A+Aᵀ)Λ + tr(AΛ)Λ, for any A (..., d, d).

    Raises ValueError for an improper covariance or matrix.
    Zhang, Frei & Bartlett (2024), Lemma D.2 (v1).
    """
    Lambda = _covariance(covariance)
    return _kernels.quartic(Lambda, *_matrices(Lambda, A))


@implements("lem-gaussian-sextic")
def sextic(covariance: ArrayLike, A: ArrayLike, B: ArrayLike) -> Matrix:
    """E[(xᵀAx)(xᵀBx) xxᵀ], for any A and B of one shape (..., d, d).

    With A and B replaced by their symmetric parts (xᵀAx does not see the rest) it is
    (tr(AΛ)tr(BΛ) + 2tr(AΛBΛ))Λ + 2(tr(AΛ)ΛBΛ + tr(BΛ)ΛAΛ) + 4(ΛAΛBΛ + ΛBΛAΛ):
    1 + 2, 2 + 2 and 4 + 4 of Isserlis' 15 pairings.
    Raises ValueError for an improper covariance or matrix.
    """
    Lambda = _covariance(covariance)
    return _kernels.sextic(Lambda, *_matrices(Lambda, A, B))


@implements("lem-gaussian-quartic", "lem-gaussian-sextic")
def quadratic_forms(covariance: ArrayLike, *matrices: ArrayLike) -> Batch:
    """E[Π_k xᵀA_kx] for one, two or three matrices of one shape (..., d, d), shape (...).

    tr(AΛ), then tr(B E[xxᵀAxxᵀ]), then tr(C E[(xᵀAx)(xᵀBx)xxᵀ]).
    Raises ValueError for an improper covariance or matrix, or another number of them.
    """
    Lambda = _covariance(covariance)
    if not 1 <= len(matrices) <= 3:
        raise ValueError(
            f"quadratic_forms takes one to three matrices, got {len(matrices)}; "
            f"linear_forms has no such limit"
        )
    first, *rest = _matrices(Lambda, *matrices)
    if not rest:
        return _kernels.trace(first, Lambda)
    if len(rest) == 1:
        return _kernels.trace(rest[0], _kernels.quartic(Lambda, first))
    return _kernels.trace(rest[1], _kernels.sextic(Lambda, first, rest[0]))


@implements("lem-ess")
def sandwich(covariance: ArrayLike, length: Count, B: ArrayLike) -> Matrix:
    """E[S B S] = ΛBΛ + (ΛBᵀΛ + tr(BΛ)Λ)/N, for any B (..., d, d).

    For symmetric B it is (1+1/N)ΛBΛ + tr(BΛ)Λ/N, so E[S²] = ΓΛ.
    Of the N² pairs (i, j), N(N-1) have i ≠ j and give ΛBΛ; the N others give :func:`quartic`.
    Raises ValueError for an improper covariance, length or matrix.
    """
    Lambda = _covariance(covariance)
    N = _checks.length("length", length)
    return _kernels.sandwich(Lambda, N, *_matrices(Lambda, B))


@implements("lem-ess")
def traced(covariance: ArrayLike, length: Count, B: ArrayLike) -> Matrix:
    """E[tr(BS) S] = tr(BΛ)Λ + Λ(B+Bᵀ)Λ/N, for any B (..., d, d).

    For i ≠ j the factors are independent; the N pairs i = j give :func:`quartic` over N².
    Raises ValueError for an improper covariance, length or matrix.
    """
    Lambda = _covariance(covariance)
    N = _checks.length("length", length)
    return _kernels.traced(Lambda, N, *_matrices(Lambda, B))


def _covariance(value: ArrayLike) -> Tensor:
    return _checks.covariance("covariance", value, shape=("d", "d"))


def _matrices(Lambda: Tensor, *values: ArrayLike) -> list[Tensor]:
    matrices = [
        _checks.tensor("matrix", value, shape=(..., *Lambda.shape), like=("covariance", Lambda))
        for value in values
    ]
    for other in matrices[1:]:
        if other.shape != matrices[0].shape:
            raise ValueError(
                f"matrices must share their batch axes, got {tuple(matrices[0].shape)} and "
                f"{tuple(other.shape)}; expand one"
            )
    return matrices


def _fractions(name: str, values: Any, size: int) -> list[Fraction]:
    values = list(values)
    if len(values) != size:
        raise ValueError(f"{name} must have length {size}, got {len(values)}; d must be the same")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Rational):
            raise ValueError(
                f"{name} must hold integers or Fraction, got {type(value).__name__} {value!r}; "
                f"write e.g. Fraction(1, 2)"
            )
    return [Fraction(int(value.numerator), int(value.denominator)) for value in values]


def _pairings(items: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """All ways to split the items into pairs (none when their number is odd)."""
    if not items:
        yield []
    for k in range(1, len(items)):
        for rest in _pairings(items[1:k] + items[k + 1 :]):
            yield [(items[0], items[k]), *rest]
