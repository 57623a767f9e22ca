"""Losses that are quadratic in the product uU: what does not depend on where they come from."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor

from .. import _checks
from .._types import ArrayLike, Batch, Matrix


class ProductLandscape(ABC):
    """ℓ(U, u) = ½ u² ⟨U, 𝒜U⟩ − u ⟨B, U⟩, ⟨A, B⟩ = tr(ABᵀ), 𝒜 symmetric positive definite.

    uU = P with 𝒜P = B is the only minimiser, and ``loss`` leaves out a ``constant`` that the
    subclasses know. The base of :class:`FixedCovariance` and
    :class:`linear_icl.random_covariance.RandomCovariance`.
    """

    _source: ClassVar[str] = "covariance"  # the argument that the state follows
    _above: ClassVar[str] = "the flow still converges, but this bound is not proved there"

    @property
    @abstractmethod
    def pull(self) -> Matrix:
        """B, (d, d)."""

    @property
    @abstractmethod
    def target(self) -> Matrix:
        """P = 𝒜⁻¹B, (d, d): the product uU of every minimiser."""

    @abstractmethod
    def _curved(self, U: Tensor) -> Tensor:
        """𝒜U, (*batch, d, d)."""

    def _energy(self, U: Tensor) -> Tensor:
        """⟨U, 𝒜U⟩, (*batch)."""
        return _inner(U, self._curved(U))

    def _state(self, U: ArrayLike, u: ArrayLike) -> tuple[Tensor, Tensor]:
        pull = self.pull
        U = _checks.tensor("U", U, shape=(..., *pull.shape), like=(self._source, pull))
        u = _checks.tensor("u", u, like=(self._source, pull))
        if u.shape != U.shape[:-2]:
            raise ValueError(
                f"u must have the batch axes of U, {tuple(U.shape[:-2])}, got {tuple(u.shape)}; "
                "give one u per matrix U"
            )
        return U, u

    def limit(self, balance: ArrayLike = 0.0) -> tuple[Matrix, Batch]:
        """The minimiser with u > 0 and u² − ‖U‖²_F = ``balance``, D of shape (*batch):

        uU = P and u² = (D + √(D² + 4g²))/2, g = ‖P‖_F.
        """
        target = self.target
        D = _checks.tensor("balance", balance, like=(self._source, target))
        g = target.square().sum().sqrt()
        root = torch.hypot(D, 2 * g)
        squared = torch.where(D > 0, (root + D.abs()) / 2, 2 * g**2 / (root + D.abs()))
        u = squared.sqrt()
        return target / u[..., None, None], u

    def _start(self, Theta: ArrayLike, sigma: ArrayLike) -> tuple[Tensor, Tensor]:
        """ΘΘᵀ (*thetas, d, d) and σ (*sigmas, 1 for each axis of thetas), checked."""
        pull = self.pull
        Theta = _checks.tensor("Theta", Theta, shape=(..., *pull.shape), like=(self._source, pull))
        sigma = _checks.positive("sigma", sigma, like=(self._source, pull))
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
        """U(0) = σΘΘᵀ, u(0) = σ, balanced because ‖ΘΘᵀ‖_F = 1.

        Theta (*thetas, d, d), sigma (*sigmas); the state has batch axes (*sigmas, *thetas).
        ValueError unless σ > 0 and ‖ΘΘᵀ‖_F = 1.
        Zhang, Frei & Bartlett (2024), Assumption 3.3 (v1).
        """
        square, sigma = self._start(Theta, sigma)
        u = sigma.expand(sigma.shape[: sigma.ndim - square.ndim + 2] + square.shape[:-2])
        return u[..., None, None] * square, u.clone()

    def _below(self, sigma: Tensor, bound: Tensor, name: str) -> None:
        if _checks.readable(sigma) and (sigma >= bound).any():
            raise ValueError(
                f"sigma must be below {name} = {bound.min().item():.6g}, got "
                f"{sigma.max().item():.6g}; {self._above}: take a smaller sigma"
            )

    def escape_time(self, Theta: ArrayLike, sigma: ArrayLike) -> Batch:
        """When the flow from ``start`` leaves the plateau near the origin, to leading order in σ.

        Near 0 the flow is U' = uB, u' = ⟨B, U⟩, so with p = ‖B‖_F and a = σ⟨B, ΘΘᵀ⟩/p

            u(t) = σ cosh(pt) + a sinh(pt),   U ≈ uB/p.

        On that ray s = u² is logistic, s' = 2ps(1 − s/s*), s* = p³/⟨B, 𝒜B⟩, so it is half-way when
        the linear solution reaches √s*: T = ln[2√s*/(σ(1 + ⟨B, ΘΘᵀ⟩/p))]/p + O(σ²).

        Shape (*sigmas, *thetas). ValueError if the start is beyond the plateau already.
        """
        square, sigma = self._start(Theta, sigma)
        pull = self.pull
        p = pull.square().sum().sqrt()
        ceiling = (p**3 / self._energy(pull)).sqrt()
        along = sigma * _inner(pull, square) / p
        if _checks.readable(sigma) and (sigma >= ceiling).any():
            raise ValueError(
                f"sigma must be below {ceiling.item():.6g} to start on the plateau, got "
                f"{sigma.max().item():.6g}; take a smaller sigma"
            )
        grown = ceiling + (ceiling**2 - sigma**2 + along**2).sqrt()
        time: Tensor = (grown / (sigma + along)).log() / p
        return time


def _inner(A: Tensor, B: Tensor) -> Tensor:
    return (A * B).sum((-2, -1))
