"""Prompts whose covariance is drawn anew for each: Definition 4.4's training distribution."""

from __future__ import annotations

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import ArrayLike, Count, Generator, Matrix
from ..prompts import Normal, PromptLaw
from .diagonal import Laws, coordinates


@implements("def-random-training")
class RandomCovariancePrompts(PromptLaw):
    """Prompts with Λ = scale·diag(λ_1, …, λ_d), or scale·Q diag(λ) Qᵀ, drawn for each of them.

    λ_i ~ ``law`` independent (or the i-th of a sequence of ``dim`` laws), w ~ N(0, I), Q uniform on
    the orthogonal group if ``rotated``; given Λ, x_i and x_query ~ N(0, Λ) are independent, and
    y_i = wᵀx_i + ε_i with ε_i ~ N(0, ``noise_variance``). ``scale`` > 0 multiplies the covariance,
    not the covariates. Device and dtype are the law's.
    Raises TypeError for what is no law, ValueError for improper laws or numbers, and in ``sample``
    for ``Moments``.
    Zhang, Frei & Bartlett (2024), Section 4.3: the training prompts of (4.9), scale 1, no noise.
    """

    def __init__(
        self,
        law: Laws,
        dim: Count,
        *,
        rotated: bool = False,
        scale: ArrayLike = 1.0,
        noise_variance: ArrayLike = 0.0,
    ) -> None:
        self.laws = coordinates(law, dim)
        self.rotated = rotated
        like = self.laws[0].moment(1)
        self.scale = _checks.positive("scale", scale, shape=(), like=("law", like))
        self.noise_variance = _checks.nonnegative(
            "noise_variance", noise_variance, shape=(), like=("law", like)
        )

    def __repr__(self) -> str:
        form, d = "rotated" if self.rotated else "diagonal", len(self.laws)
        given = _checks.given(noise_variance=self.noise_variance)
        return f"RandomCovariancePrompts({form}, d={d}{given}, dtype={self.scale.dtype})"

    def _roots(self, B: int, generator: torch.Generator | None) -> Tensor:
        each = [law.sample(B, generator=generator) for law in self.laws]
        root = (self.scale * torch.stack(each, -1)).sqrt()  # (B, d)
        return _rotations(root, generator) * root[:, None, :] if self.rotated else root.diag_embed()

    def sample_covariance(self, batch: Count, *, generator: Generator | None = None) -> Matrix:
        """``batch`` independent draws of Λ, (B, d, d); the ones ``sample`` makes under this seed.

        Raises ValueError for a count below 1 or a generator on another device.
        """
        root = self._roots(_checks.length("batch", batch), self._generator(generator))
        return root @ root.mT

    @property
    def _like(self) -> Tensor:
        return self.noise_variance

    def _draw(self, normal: Normal, B: int, N: int) -> tuple[Tensor, Tensor]:
        root = self._roots(B, normal.generator)  # (B, d, d)
        d = root.shape[-1]
        return normal(B, d), normal(B, N + 1, d) @ root.mT


def _rotations(like: Tensor, generator: torch.Generator | None) -> Tensor:
    """Q of a Gaussian matrix's QR, (B, d, d): Haar up to signs of its columns.

    The signs, which QR leaves to the library, cancel in Q diag(λ) Qᵀ.
    """
    return torch.linalg.qr(Normal(like, generator)(*like.shape, like.shape[-1]))[0]
