"""The data of chapters 6 and 7: linear regression whose tasks share a mean, H and Ψ any PSD."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from . import _checks
from ._results import implements
from ._types import ArrayLike, Count, Generator, Matrix, Scalar, Vector
from .prompts import Normal, PromptLaw, Prompts, semidefinite_root


@implements("asm-ltb-data")
@dataclass(frozen=True, eq=False, repr=False)
class Setting(PromptLaw):
    """x ~ N(0, H), y = xᵀ(β* + δ) + ε, δ ~ N(0, Ψ), ε ~ N(0, σ²), M examples in the context.

    H is the block paper's letter for what the book calls Λ, and β* + δ is its task w. The derived
    letters carry the exact risks; a = (M+1)/M:

      τ = tr(HΨ) + σ²,   Φ = H^½ΨH^½,   Ω = aΦ + (τ/M)I,   Ω_0 = H^½ΩH^½ = aHΨH + (τ/M)H.

    ``H`` covariance of the covariates and the query, and ``Psi`` Ψ of the tasks, (d, d), positive
    semidefinite; ``beta_star`` β*, the tasks' mean, (d,); ``noise_variance`` σ² >= 0; ``length`` M,
    an integer >= 1: training length or test length, as the reader means it.

    H and Ψ may be singular. Device and dtype are those of H; lists and numbers follow it.
    Raises ValueError for a matrix that is not PSD, sizes that do not fit, negative noise, M < 1.
    What takes a ``setting`` raises TypeError for anything else.
    Zhang, Wu & Bartlett (2024), Assumption 3.1.
    """

    H: Matrix
    Psi: Matrix
    beta_star: Vector
    noise_variance: Scalar
    length: int

    def __init__(
        self,
        H: ArrayLike,
        Psi: ArrayLike,
        beta_star: ArrayLike,
        noise_variance: ArrayLike,
        length: Count,
    ) -> None:
        H = _checks.covariance("H", H, shape=("d", "d"), semidefinite=True)
        d, like = H.shape[0], ("H", H)
        Psi = _checks.covariance("Psi", Psi, shape=(d, d), like=like, semidefinite=True)
        noise = _checks.nonnegative("noise_variance", noise_variance, shape=(), like=like)
        mean = _checks.tensor("beta_star", beta_star, shape=(d,), like=like)
        M = _checks.length("length", length)
        vars(self).update(H=H, Psi=Psi, beta_star=mean, noise_variance=noise, length=M)

    def __repr__(self) -> str:
        given = _checks.given(beta_star=self.beta_star, noise_variance=self.noise_variance)
        return (
            f"Setting(d={self.dim}{given}, length={self.length}, dtype={self.H.dtype}, "
            f"device={self.H.device})"
        )

    def replace(self, **changes: Any) -> Setting:
        """The same setting with other H, Psi, beta_star, noise_variance or length.

        Raises ValueError for values that do not fit, TypeError for another name.
        """
        return dataclasses.replace(self, **changes)

    @property
    def dim(self) -> int:
        """d."""
        return self.H.shape[0]

    @property
    def tau(self) -> Scalar:
        """τ = tr(HΨ) + σ², the variance of a label about its mean β*ᵀx.

        A trace within rounding of zero, where H and Ψ share no direction, is zero.
        """
        trace, eps = (self.H * self.Psi).sum(), torch.finfo(self.H.dtype).eps
        floor = self.dim * eps * self.H.diagonal().sum() * self.Psi.diagonal().sum()
        return trace.where(trace > floor, 0) + self.noise_variance

    @property
    def root(self) -> Matrix:
        """H^½, (d, d), the symmetric root; eigenvalues within rounding of zero are zero."""
        return semidefinite_root(self.H)

    @property
    @implements("lem-image")
    def image(self) -> Matrix:
        """The orthogonal projector onto Im H = Im H^½, (d, d): exactly I for a regular H.

        Without gradient, since it jumps where the rank changes.
        Zhang, Wu & Bartlett (2024), Lemma H.5.
        """
        values, vectors = torch.linalg.eigh(self.H.detach())
        kept = values > self.dim * torch.finfo(values.dtype).eps * values[-1:]
        if _checks.readable(values) and bool(kept.all()):
            return torch.eye(self.dim).to(vectors)
        return (vectors * kept) @ vectors.mT

    @property
    def Phi(self) -> Matrix:
        """Φ = H^½ΨH^½, (d, d): the covariance of the task as seen through the covariates."""
        root = self.root
        return root @ self.Psi @ root

    @property
    def phi(self) -> Vector:
        """φ_1 >= … >= φ_d >= 0, the eigenvalues of Φ, (d,); they are those of HΨ too."""
        values: Tensor = torch.linalg.eigvalsh(self.Phi).flip(-1)
        floor = self.dim * torch.finfo(values.dtype).eps * values[:1]
        return values.where(values > floor, 0)

    @property
    def Omega(self) -> Matrix:
        """Ω = ((M+1)/M)Φ + (τ/M)I, (d, d)."""
        M, identity = self.length, torch.eye(self.dim).to(self.H)
        return (M + 1) / M * self.Phi + self.tau / M * identity

    @property
    def Omega_0(self) -> Matrix:
        """Ω_0 = H^½ΩH^½ = ((M+1)/M)HΨH + (τ/M)H, (d, d), without a root.

        The covariance of Xᵀ(y - Xβ*)/M, which is minus the gradient of the context's squared loss
        at β* and all that one step from there reads.
        """
        M = self.length
        return (M + 1) / M * self.H @ self.Psi @ self.H + self.tau / M * self.H

    def sample(
        self, batch: Count, length: Count | None = None, generator: Generator | None = None
    ) -> Prompts:
        """Draw ``batch`` prompts of ``length`` examples, M of the setting if None.

        As :meth:`linear_icl.prompts.GaussianPrompts.sample` does.
        """
        M = self.length if length is None else length
        return super().sample(batch, M, generator=generator)

    @property
    def _like(self) -> Tensor:
        return self.H

    def _draw(self, normal: Normal, B: int, N: int) -> tuple[Tensor, Tensor]:
        d = self.dim
        w = self.beta_star + normal(B, d) @ semidefinite_root(self.Psi)
        return w, torch.cat([normal(B, N, d), normal(B, 1, d)], dim=1) @ self.root


for_setting = _checks.judged("setting", Setting, "a Setting", "write ltb.Setting(...)")
"""Decorates what takes a ``setting``: anything else is a TypeError."""
