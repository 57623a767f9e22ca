"""Losses that are quadratic in the product uU, all of it: one covariance, or one a prompt."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor

from .. import _checks
from .._kernels import inner
from .._types import ArrayLike, Batch, Matrix, Scalar


class ProductLandscape(ABC):
    """Population loss of the layer on the slice u_12 = u_21 = 0, less its ``constant`` ½ E tr Λ.

    ℓ(U, u) = ½ u² ⟨U, 𝒜U⟩ − u ⟨B, U⟩,   𝒜U = E[ΓΛ U Λ],   B = E Λ²,   Γ = (1 + 1/N)Λ + (tr Λ/N) I,

    with ⟨A, B⟩ = tr(ABᵀ). 𝒜 is a symmetric positive definite operator on matrices, so uU = P with
    𝒜P = B is the only minimiser. The base of :class:`FixedCovariance`, where Λ is one matrix, and
    of :class:`linear_icl.random_covariance.RandomCovariance`, where each prompt draws its own; they
    name the numbers of these statements in the papers.

    The state is (U, u), shapes (*batch, d, d) and (*batch). Tensors, arrays and lists are taken;
    tensors must share device and dtype of the covariance or law. Gradients pass through every
    method. Methods raise ValueError for a state or a Θ of another shape, dtype or device, or
    ‖ΘΘᵀ‖_F other than 1.
    """

    length: int
    _source: ClassVar[str] = "covariance"  # the argument that the state follows
    _above: ClassVar[str] = "the flow still converges, but this bound is not proved there"

    # -- what a subclass must know ----------------------------------------------------------------

    @property
    @abstractmethod
    def pull(self) -> Matrix:
        """B = E Λ², (d, d)."""

    @property
    @abstractmethod
    def target(self) -> Matrix:
        """P = 𝒜⁻¹B, (d, d): the product uU of every minimiser."""

    @abstractmethod
    def _curved(self, U: Tensor) -> Tensor:
        """𝒜U, (*batch, d, d)."""

    @abstractmethod
    def _energy(self, U: Tensor) -> Tensor:
        """⟨U, 𝒜U⟩ as a sum of squares, (*batch)."""

    @abstractmethod
    def _spectrum(self) -> Tensor:
        """Eigenvalues of 𝒜, the smallest η and the largest K among them, (n,)."""

    @abstractmethod
    def _mean(self) -> Tensor:
        """E Λ, (d, d)."""

    def _published(self, square: Tensor) -> tuple[Tensor, Tensor]:
        """As published: what bounds ⟨ΘΘᵀ, 𝒜ΘΘᵀ⟩/√d, for ΘΘᵀ = ``square`` (*thetas, d, d), and what
        the PL constant multiplies the lower bound on u² by, ()."""
        raise ValueError(
            f"sharp must be True for {self!r}; published constants, which hold below it, are "
            f"those of one covariance only"
        )

    # -- the loss ---------------------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """d."""
        return self.pull.shape[-1]

    def loss(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ = ½ u² ⟨U, 𝒜U⟩ − u ⟨B, U⟩, (*batch)."""
        U, u = self._state(U, u)
        return u * (u * inner(U, self._curved(U)) / 2 - inner(self.pull, U))

    def gradient(self, U: ArrayLike, u: ArrayLike) -> tuple[Matrix, Batch]:
        """(∂ℓ/∂U, ∂ℓ/∂u) = (u² 𝒜U − uB, u ⟨U, 𝒜U⟩ − ⟨B, U⟩), shaped like the state."""
        U, u = self._state(U, u)
        curved, pull, scale = self._curved(U), self.pull, u[..., None, None]
        return scale**2 * curved - scale * pull, u * inner(U, curved) - inner(pull, U)

    @property
    def constant(self) -> Scalar:
        """½ E tr Λ, the loss of the prediction 0, which ``loss`` and ``minimum`` leave out:
        ``loss(U, u) + constant`` is ½E(ŷ − wᵀx_q)²."""
        return self._mean().diagonal().sum() / 2

    @property
    def minimum(self) -> Scalar:
        """min ℓ = −½ ⟨B, P⟩, ()."""
        return -inner(self.pull, self.target) / 2

    def gap(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ − min ℓ = ½ ⟨uU − P, 𝒜(uU − P)⟩, (*batch).

        A sum of squares: it stays exact where a difference of losses would be rounding alone.
        """
        U, u = self._state(U, u)
        return self._energy(u[..., None, None] * U - self.target) / 2

    def _state(self, U: ArrayLike, u: ArrayLike) -> tuple[Tensor, Tensor]:
        mean = self._mean()
        U = _checks.tensor("U", U, shape=(..., *mean.shape), like=(self._source, mean))
        u = _checks.tensor("u", u, like=(self._source, mean))
        if u.shape != U.shape[:-2]:
            raise ValueError(
                f"u must have the batch axes of U, {tuple(U.shape[:-2])}, got {tuple(u.shape)}; "
                "give one u per matrix U"
            )
        return U, u

    # -- limits and starts ------------------------------------------------------------------------

    def limit(self, balance: ArrayLike = 0.0) -> tuple[Matrix, Batch]:
        """The minimiser with u > 0 and u² − ‖U‖²_F = ``balance``, the conserved D, (*batch):

        uU = P and u² = (D + √(D² + 4g²))/2, g = ‖P‖_F. Balance 0 (Assumption 3.3) gives u = √g
        and U = P/√g. A bounded analytic trajectory converges to a critical point, and one that
        keeps u > 0 to this one: every start with u > 0 and ℓ < 0 does, since ℓ = 0 where u = 0.
        """
        target = self.target
        D = _checks.tensor("balance", balance, like=(self._source, target))
        g = target.square().sum().sqrt()
        root = torch.hypot(D, 2 * g)
        squared = torch.where(D > 0, (root + D.abs()) / 2, 2 * g**2 / (root + D.abs()))
        u = squared.sqrt()
        return target / u[..., None, None], u

    def start(self, sigma: ArrayLike, Theta: ArrayLike | None = None) -> tuple[Matrix, Batch]:
        """U(0) = σΘΘᵀ, u(0) = σ, balanced because ‖ΘΘᵀ‖_F = 1. Θ is I/d^¼ by default.

        sigma () or (sigmas,), Theta (*thetas, d, d); the state has batch axes (*sigmas, *thetas).
        ValueError for a matrix as sigma, unless σ > 0, and unless ‖ΘΘᵀ‖_F = 1.
        Zhang, Frei & Bartlett (2024), Assumption 3.3 (v1).
        """
        sigma, square = self._start(sigma, Theta)
        u = sigma.expand(sigma.shape[: sigma.ndim - square.ndim + 2] + square.shape[:-2])
        return u[..., None, None] * square, u.clone()

    def _start(self, sigma: ArrayLike, Theta: ArrayLike | None) -> tuple[Tensor, Tensor]:
        """σ (*sigmas, 1 for each axis of thetas) and ΘΘᵀ (*thetas, d, d), checked."""
        pull = self.pull
        like = (self._source, pull)
        sigma = _checks.tensor("sigma", sigma, like=like)
        if sigma.ndim > 1:
            raise ValueError(
                f"sigma must be a number or a vector of numbers, got shape {tuple(sigma.shape)}; "
                "a matrix is Theta, the argument after sigma"
            )
        sigma = _checks.positive("sigma", sigma)
        if Theta is None:
            Theta = torch.eye(self.dim, dtype=pull.dtype, device=pull.device) / self.dim**0.25
        Theta = _checks.tensor("Theta", Theta, shape=(..., *pull.shape), like=like)
        square = Theta @ Theta.mT
        norms = square.square().sum((-2, -1)).sqrt()
        if _checks.readable(norms):
            worst = norms.flatten()[(norms - 1).abs().argmax()].item()
            if abs(worst - 1) > math.sqrt(torch.finfo(norms.dtype).eps):
                raise ValueError(
                    f"‖ΘΘᵀ‖_F must be 1, got {worst:.6g}; "
                    "divide Theta by torch.linalg.matrix_norm(Theta @ Theta.mT) ** 0.5"
                )
        return sigma.reshape(sigma.shape + (1,) * norms.ndim), square

    def escape_time(self, sigma: ArrayLike, Theta: ArrayLike | None = None) -> Batch:
        """When the flow from ``start`` leaves the plateau near the origin, to leading order in σ.

        Near 0 the flow is U' = uB, u' = ⟨B, U⟩, so with p = ‖B‖_F and a = σ⟨B, ΘΘᵀ⟩/p

            u(t) = σ cosh(pt) + a sinh(pt),   U ≈ uB/p.

        On that ray s = u² is logistic, s' = 2ps(1 − s/s*), s* = p³/⟨B, 𝒜B⟩, so it is half-way when
        the linear solution reaches √s*: T = ln[2√s*/(σ(1 + ⟨B, ΘΘᵀ⟩/p))]/p + O(σ²). The time at
        which u² = s*/2 differs from T by an amount that stays bounded as σ → 0 (0 for Λ ∝ I).

        Arguments of ``start``, shape (*sigmas, *thetas). ValueError if it is beyond the plateau.
        """
        sigma, square = self._start(sigma, Theta)
        pull = self.pull
        p = pull.square().sum().sqrt()
        ceiling = (p**3 / self._energy(pull)).sqrt()
        along = sigma * inner(pull, square) / p
        if _checks.readable(sigma) and (sigma >= ceiling).any():
            raise ValueError(
                f"sigma must be below {ceiling.item():.6g} to start on the plateau, got "
                f"{sigma.max().item():.6g}; take a smaller sigma"
            )
        grown = ceiling + (ceiling**2 - sigma**2 + along**2).sqrt()
        return (grown / (sigma + along)).log() / p

    # -- constants along the flow: as published, or ``sharp`` -------------------------------------

    def sigma_max(self, Theta: ArrayLike | None = None, *, sharp: bool = False) -> Batch:
        """The scale below which Assumption 3.3 starts with ℓ < 0, and so u stays > 0, (*thetas).

        ``sharp`` the exact threshold √(2⟨B, ΘΘᵀ⟩/⟨ΘΘᵀ, 𝒜ΘΘᵀ⟩), else as published, for one
        covariance only, here and below: √(2/(√d ‖Γ‖_op)). Only the constants below need it where
        the flow converges anyway.
        """
        _, square = self._start(1.0, Theta)
        size = self._energy(square) if sharp else math.sqrt(self.dim) * self._published(square)[0]
        return (2 * inner(self.pull, square) / size).sqrt()

    def u_lower_bound(
        self, sigma: ArrayLike, Theta: ArrayLike | None = None, *, sharp: bool = False
    ) -> Batch:
        """u(t) >= this for all t >= 0 on the flow from ``start``, (*sigmas, *thetas).

        As published u² >= σ²‖ΛΘ‖²_F(2 − √d σ²‖Γ‖_op)/(2√d ‖Λ²‖_op); ``sharp``
        u² >= min{σ², (−2ℓ(0)/K)^½}, K the largest eigenvalue of 𝒜: where u' <= 0,
        −ℓ <= ½u²⟨U, 𝒜U⟩ <= ½Ku⁴, and ℓ never grows.
        ValueError unless σ < ``sigma_max(Theta, sharp=sharp)``.
        """
        sigma, square = self._start(sigma, Theta)
        bound = self.sigma_max(Theta, sharp=sharp)
        if _checks.readable(sigma) and (sigma >= bound).any():
            raise ValueError(
                f"sigma must be below sigma_max(Theta{', sharp=True' if sharp else ''}) = "
                f"{bound.min().item():.6g}, got {sigma.max().item():.6g}; {self._above}: "
                f"take a smaller sigma"
            )
        # Both losses at the start are σ²·pulled·(1 − σ²/bound²), up to their sign.
        fallen = sigma**2 * inner(self.pull, square) * (1 - (sigma / bound) ** 2)
        if sharp:
            return torch.minimum(sigma, (2 * fallen / self._spectrum().amax()) ** 0.25)
        largest = torch.linalg.eigvalsh(self.pull).amax()
        return (fallen / (math.sqrt(self.dim) * largest)).sqrt()

    def pl_constant(
        self, sigma: ArrayLike, Theta: ArrayLike | None = None, *, sharp: bool = False
    ) -> Batch:
        """μ with ‖∇ℓ‖² >= μ (ℓ − min ℓ) along the flow from ``start``, (*sigmas, *thetas).

        ‖∂ℓ/∂U‖² = u²‖𝒜(uU − P)‖² >= 2u²η·gap, η the smallest eigenvalue of 𝒜: ``sharp`` is
        2η·(sharp lower bound)², as published a smaller factor times the published one.
        ValueError as in ``u_lower_bound``.
        """
        _, square = self._start(sigma, Theta)
        factor = 2 * self._spectrum().amin() if sharp else self._published(square)[1]
        return factor * self.u_lower_bound(sigma, Theta, sharp=sharp) ** 2
