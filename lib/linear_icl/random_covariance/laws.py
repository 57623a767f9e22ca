"""Laws of one eigenvalue λ > 0 of a random covariance: exact moments, and samples."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._torch import standard_gamma
from .._types import ArrayLike, Batch, Count
from ..prompts import Normal
from ._law import LIGHTER, Law, moments, scalar, short


class Gamma(Law):
    """Density ∝ λ^{k-1}e^{-λ/scale}: E λⁿ = scaleⁿ k(k+1)…(k+n-1), shrinkage k/(k+2).

    ``k`` > 0 the shape, ``scale`` > 0. Raises ValueError for other values or two shapes.
    """

    def __init__(self, k: ArrayLike, scale: ArrayLike = 1.0) -> None:
        self.k = _checks.positive("k", k)
        self.scale = _matched("scale", _checks.positive("scale", scale, like=("k", self.k)), self.k)
        moments(self)

    def __repr__(self) -> str:
        return f"Gamma(k={short(self.k)}, scale={short(self.scale)})"

    def moment(self, k: Count) -> Batch:
        """scaleⁿ times the rising factorial of the shape, shape (...)."""
        n = _checks.length("k", k)
        return math.prod(((self.k + i) * self.scale for i in range(n)), start=self.k.new_ones(()))

    def _draw(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        return standard_gamma(self.k.expand(shape), generator) * self.scale


class Exponential(Gamma):
    """Density e^{-λ/scale}/scale, mean ``scale`` > 0 (a rate is 1/scale): shrinkage 1/3.

    Raises ValueError for another scale.
    Zhang, Frei & Bartlett (2024), the example after (4.12) (v1), with scale 1.
    """

    def __init__(self, scale: ArrayLike = 1.0) -> None:
        scale = _checks.positive("scale", scale)
        super().__init__(torch.ones_like(scale), scale)

    def __repr__(self) -> str:
        return f"Exponential(scale={short(self.scale)})"

    @implements("prp-conditional-mean")
    def conditional_mean(self, query: ArrayLike) -> Batch:
        """E[λ | q] = scale/2 + |q|√(scale/2) for a coordinate q ~ N(0, λ) of the query.

        Given q, λ has a density ∝ λ^{-1/2} exp(-λ/scale - q²/(2λ)): a large query coordinate tells
        of a large eigenvalue. So E[ŷ | x_q, w] = κ Σ_i E[λ_i | q_i] w_i q_i is not ⟨w, x_q⟩/3.
        ``query`` any shape, the law's parameter a scalar. Raises ValueError otherwise.
        """
        scale = scalar(self, self.scale)
        q = _checks.tensor("query", query, like=("scale", scale))
        return scale / 2 + q.abs() * (scale / 2).sqrt()


class Uniform(Law):
    """Uniform on (a, b): E λⁿ = (b^{n+1} - a^{n+1})/((n+1)(b - a)).

    0 <= ``a`` < ``b``. Raises ValueError for other values or two shapes.
    """

    def __init__(self, a: ArrayLike, b: ArrayLike) -> None:
        self.a = _checks.nonnegative("a", a)
        self.b = _matched("b", _checks.tensor("b", b, like=("a", self.a)), self.a)
        if _checks.readable(self.b) and (self.b <= self.a).any():
            raise ValueError(
                f"b must be > a, got a = {short(self.a)}, b = {short(self.b)}; are they swapped?"
            )
        moments(self)

    def __repr__(self) -> str:
        return f"Uniform(a={short(self.a)}, b={short(self.b)})"

    def moment(self, k: Count) -> Batch:
        """(aⁿ + aⁿ⁻¹b + … + bⁿ)/(n+1), the quotient without its cancellation, shape (...)."""
        n = _checks.length("k", k)
        return _powers(self.a, self.b, n) / (n + 1)

    def _draw(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        unit = torch.rand(shape, generator=generator, dtype=self.a.dtype, device=self.a.device)
        return self.a + (self.b - self.a) * (1 - unit)  # in (a, b]: never 0


class LogNormal(Law):
    """λ = exp(m + s z), z ~ N(0, 1): E λⁿ = exp(nm + n²s²/2), shrinkage exp(-2s²).

    ``s`` > 0 is the standard deviation of ln λ. Raises ValueError for other values or two shapes.
    """

    def __init__(self, m: ArrayLike, s: ArrayLike) -> None:
        self.m = _checks.tensor("m", m)
        self.s = _matched("s", _checks.positive("s", s, like=("m", self.m)), self.m)
        moments(self)

    def __repr__(self) -> str:
        return f"LogNormal(m={short(self.m)}, s={short(self.s)})"

    def moment(self, k: Count) -> Batch:
        """exp(nm + n²s²/2), shape (...)."""
        n = _checks.length("k", k)
        return (n * self.m + n**2 * self.s**2 / 2).exp()

    def _draw(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        return (self.m + self.s * Normal(self.m, generator)(*shape)).exp()


class Constant(Law):
    """λ = ``c`` > 0, not random: shrinkage 1 as N → ∞. Raises ValueError for another value."""

    def __init__(self, c: ArrayLike) -> None:
        self.c = _checks.positive("c", c)
        moments(self)

    def __repr__(self) -> str:
        return f"Constant(c={short(self.c)})"

    def moment(self, k: Count) -> Batch:
        """cⁿ, shape (...)."""
        return self.c ** _checks.length("k", k)

    def _draw(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        return self.c.expand(shape).clone()


class Moments(Law):
    """Any law with E λ = ``m1``, E λ² = ``m2``, E λ³ = ``m3``: all that the landscape reads.

    It cannot be sampled. Raises ValueError unless a positive law has these moments, that is unless
    m1 > 0, m2 >= m1² and m1 m3 >= m2².
    """

    def __init__(self, m1: ArrayLike, m2: ArrayLike, m3: ArrayLike) -> None:
        first = _moment("m1", m1, None)
        self.m = (first, *(_moment(name, m, first) for name, m in (("m2", m2), ("m3", m3))))
        moments(self)

    def __repr__(self) -> str:
        return "Moments({}, {}, {})".format(*(short(m) for m in self.m))

    def moment(self, k: Count) -> Batch:
        """m_k for k = 1, 2, 3, shape (...). Raises ValueError for other k."""
        n = _checks.length("k", k)
        if n > 3:
            raise ValueError(f"k must be 1, 2 or 3 for Moments, got {n}; only three were given")
        return self.m[n - 1]


def _matched(name: str, value: Tensor, first: Tensor) -> Tensor:
    """A parameter of the first one's shape; a scalar is repeated."""
    if value.ndim and value.shape != first.shape:
        raise ValueError(
            f"{name} must be a number or have the shape {tuple(first.shape)} of the first "
            f"parameter, got {tuple(value.shape)}; expand one"
        )
    return value.expand_as(first)


def _powers(a: Tensor, b: Tensor, n: int) -> Tensor:
    """aⁿ + aⁿ⁻¹b + … + bⁿ."""
    return torch.stack([a**i * b ** (n - i) for i in range(n + 1)]).sum(0)


def _moment(name: str, value: ArrayLike, first: Tensor | None) -> Tensor:
    if isinstance(value, float) and math.isinf(value):
        raise ValueError(f"{name} must be finite, got {value}; {LIGHTER}")
    moment = _checks.tensor(name, value, like=None if first is None else ("m1", first))
    return moment if first is None else _matched(name, moment, first)
