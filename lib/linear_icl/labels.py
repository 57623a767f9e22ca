"""Label models y = h(x) + noise for one task, and all that the layer's risk asks of them.

For x ~ N(0, Λ) a label model enters the risk of a trained layer through three moments only:
a = Λ⁻¹E[xy], the best linear predictor; Σ = Cov(xy); best = min_w E(y - wᵀx)², what no linear
predictor explains. None has an intercept, and no label is centred.
"""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor

from . import _checks, _kernels
from ._results import implements
from ._types import ArrayLike, Batch, Generator, Matrix, Vector
from .prompts import Normal


class Moments(NamedTuple):
    """a = Λ⁻¹E[xy] (..., d), Sigma = Cov(xy) (..., d, d), best = E(y - aᵀx)² (...)."""

    a: Tensor
    Sigma: Tensor
    best: Tensor


@implements("def-labels")
class LabelModel(ABC):
    """y given x, with a direction ``w`` (d,): the base of the five models below.

    All of them raise ValueError for a direction or a number of another shape, or not finite.
    """

    def __init__(self, w: ArrayLike) -> None:
        self.w = _checks.tensor("w", w, shape=("d",))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(d={self.w.shape[0]})"

    def sample(self, x: ArrayLike, generator: Generator | None = None) -> Batch:
        """Labels (...) of covariates (..., d), the noise drawn anew for each.

        Raises ValueError for another d or a generator on another device.
        """
        x = _checks.tensor("x", x, shape=(..., self.w.shape[0]), like=("w", self.w))
        return self._labels(x, _checks.generator("generator", generator, x.device))

    @implements("def-labels")
    def moments(self, covariance: ArrayLike) -> Moments:
        """a (..., d), Sigma (..., d, d) and best (...) for x ~ N(0, Λ), Λ (..., d, d).

        Raises ValueError for an improper covariance or another d.
        """
        d, like = self.w.shape[0], ("w", self.w)
        Lambda = _checks.covariance("covariance", covariance, shape=(..., d, d), like=like)
        across = Lambda @ self.w  # Λw
        return self._moments(Lambda, across @ self.w, _kernels.outer(across, across))

    @abstractmethod
    def _labels(self, x: Tensor, generator: torch.Generator | None) -> Tensor: ...

    @abstractmethod
    def _moments(self, Lambda: Matrix, p: Batch, outer: Matrix) -> Moments:
        """With p = wᵀΛw and outer = ΛwwᵀΛ."""

    def _along(self, Lambda: Tensor) -> Vector:
        """w, with the batch axes of Λ."""
        return self.w.expand(*Lambda.shape[:-1])


class Noiseless(LabelModel):
    """y = wᵀx: a = w, Σ = wᵀΛw Λ + ΛwwᵀΛ, best = 0.

    ``w`` (d,). Zhang, Frei & Bartlett (2024), after Theorem 4.2.
    """

    def _labels(self, x: Tensor, generator: torch.Generator | None) -> Tensor:
        return x @ self.w

    def _moments(self, Lambda: Tensor, p: Tensor, outer: Tensor) -> Moments:
        return Moments(self._along(Lambda), _times(p, Lambda) + outer, torch.zeros_like(p))


class Noisy(LabelModel):
    """y = wᵀx + N(0, variance): a = w, Σ = (wᵀΛw + variance)Λ + ΛwwᵀΛ, best = variance.

    ``w`` (d,), ``variance`` >= 0.
    """

    def __init__(self, w: ArrayLike, variance: ArrayLike) -> None:
        super().__init__(w)
        self.variance = _checks.nonnegative("variance", variance, shape=(), like=("w", self.w))

    def _labels(self, x: Tensor, generator: torch.Generator | None) -> Tensor:
        return x @ self.w + self.variance.sqrt() * Normal(x, generator)(*x.shape[:-1])

    def _moments(self, Lambda: Tensor, p: Tensor, outer: Tensor) -> Moments:
        Sigma = _times(p + self.variance, Lambda) + outer
        return Moments(self._along(Lambda), Sigma, self.variance.expand(p.shape))


class Quadratic(LabelModel):
    """y = wᵀx + k(vᵀx)², a linear label with a curvature that no linear predictor sees.

    a = w,  Σ = wᵀΛw Λ + ΛwwᵀΛ + k²(3q²Λ + 12q ΛvvᵀΛ) with q = vᵀΛv,  best = 3k²q².
    The mean E y = kq stays in the label, so best is 3k²q² and not the 2k²q² of a predictor with
    an intercept. ``w``, ``v`` (d,), ``k`` a number.
    """

    def __init__(self, w: ArrayLike, v: ArrayLike, k: ArrayLike) -> None:
        super().__init__(w)
        self.v = _checks.tensor("v", v, shape=tuple(self.w.shape), like=("w", self.w))
        self.k = _checks.tensor("k", k, shape=(), like=("w", self.w))

    def _labels(self, x: Tensor, generator: torch.Generator | None) -> Tensor:
        return x @ self.w + self.k * (x @ self.v).square()

    def _moments(self, Lambda: Tensor, p: Tensor, outer: Tensor) -> Moments:
        across = Lambda @ self.v
        q = across @ self.v
        best = 3 * (self.k * q).square()
        bend = _times(12 * self.k.square() * q, _kernels.outer(across, across))
        return Moments(self._along(Lambda), _times(p + best, Lambda) + outer + bend, best)


class Sign(LabelModel):
    """y = sign(wᵀx): a = √(2/(π wᵀΛw)) w, Σ = Λ - (2/π) ΛwwᵀΛ/(wᵀΛw), best = 1 - 2/π.

    ``w`` (d,) not zero, of which only the direction counts. Raises ValueError for w = 0.
    """

    def __init__(self, w: ArrayLike) -> None:
        super().__init__(w)
        if _checks.readable(self.w) and not self.w.any():
            raise ValueError("w must not be zero, got all zeros; the sign of 0 is no label")

    def _labels(self, x: Tensor, generator: torch.Generator | None) -> Tensor:
        return (x @ self.w).sign()

    def _moments(self, Lambda: Tensor, p: Tensor, outer: Tensor) -> Moments:
        a = (2 / (math.pi * p)).sqrt().unsqueeze(-1) * self.w
        Sigma = Lambda - _times(2 / (math.pi * p), outer)
        return Moments(a, Sigma, torch.full_like(p, 1 - 2 / math.pi))


class Relu(LabelModel):
    """y = max(wᵀx, 0): a = w/2, Σ = ½ wᵀΛw Λ + ¾ ΛwwᵀΛ, best = wᵀΛw/4.

    ``w`` (d,). Half of all x count, hence the halves; the mean of y stays in the label.
    """

    def _labels(self, x: Tensor, generator: torch.Generator | None) -> Tensor:
        return (x @ self.w).relu()

    def _moments(self, Lambda: Tensor, p: Tensor, outer: Tensor) -> Moments:
        return Moments(self._along(Lambda) / 2, _times(p / 2, Lambda) + 0.75 * outer, p / 4)


def _times(factor: Tensor, matrix: Tensor) -> Tensor:
    return factor[..., None, None] * matrix
