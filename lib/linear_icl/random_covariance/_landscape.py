"""What all laws of a random covariance share: a quadratic form in U, averaged over the law."""

from __future__ import annotations

import math
from abc import abstractmethod

import torch
from torch import Tensor

from .._results import implements
from .._types import ArrayLike, Batch, Matrix, Scalar
from ..landscape.product import ProductLandscape, _inner


class RandomCovariance(ProductLandscape):
    """Population loss with one covariance Λ a prompt, on the slice u_12 = u_21 = 0, less its
    ``constant`` ½ E tr Λ.

    ℓ(U, u) = ½ u² ⟨U, 𝒜U⟩ − u ⟨B, U⟩,   𝒜U = E[ΓΛ U Λ],   B = E Λ²,   Γ = (1 + 1/N)Λ + (tr Λ/N) I,

    with ⟨A, B⟩ = tr(ABᵀ). 𝒜 is a symmetric positive definite operator on matrices, so uU = P with
    𝒜P = B is the only minimiser: a :class:`linear_icl.landscape.ProductLandscape`, where ``start``
    and ``escape_time`` stand. The base of :class:`DiagonalCovariance`,
    :class:`RotatedCovariance` and :class:`MixtureCovariance`, which know 𝒜 and P exactly.

    The state is (U, u), shapes (*batch, d, d) and (*batch). Tensors, arrays and lists are taken;
    tensors must share device and dtype of the law. Gradients pass through every method. Methods
    raise ValueError for a state or a Θ of another shape, dtype or device, or ‖ΘΘᵀ‖_F other than 1.
    Zhang, Frei & Bartlett (2024), (4.9), Lemma C.1 (v1).
    """

    length: int

    # -- what a law must know, besides pull, target and _curved -----------------------------------

    @abstractmethod
    def _energy(self, U: Tensor) -> Tensor:
        """⟨U, 𝒜U⟩ as a sum of squares, (*batch)."""

    @abstractmethod
    def _smallest(self) -> Tensor:
        """η, the smallest eigenvalue of 𝒜, ()."""

    @abstractmethod
    def _mean(self) -> Tensor:
        """E Λ, (d, d)."""

    @abstractmethod
    def _size(self) -> Tensor:
        """E[‖Γ‖_op ‖Λ‖²_F], ()."""

    # -- the loss ---------------------------------------------------------------------------------

    @implements("lem-rc-loss")
    def loss(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ = ½ u² ⟨U, 𝒜U⟩ − u ⟨B, U⟩, (*batch); Lemma C.3, (C.5) (v1)."""
        U, u = self._state(U, u)
        value: Tensor = u * (u * _inner(U, self._curved(U)) / 2 - _inner(self.pull, U))
        return value

    @implements("lem-rc-dynamics")
    def gradient(self, U: ArrayLike, u: ArrayLike) -> tuple[Matrix, Batch]:
        """(∂ℓ/∂U, ∂ℓ/∂u) = (u² 𝒜U − uB, u ⟨U, 𝒜U⟩ − ⟨B, U⟩); minus (C.1) and (C.4) (v1)."""
        U, u = self._state(U, u)
        curved, pull, scale = self._curved(U), self.pull, u[..., None, None]
        return scale**2 * curved - scale * pull, u * _inner(U, curved) - _inner(pull, U)

    @property
    def constant(self) -> Scalar:
        """½ E tr Λ, the loss of the prediction 0, which ``loss`` and ``minimum`` leave out:
        ``loss(U, u) + constant`` is ½E(ŷ − wᵀx_q)²."""
        return self._mean().diagonal().sum() / 2

    @property
    @implements("cor-rc-minimum")
    def minimum(self) -> Scalar:
        """min ℓ = −½ ⟨B, P⟩; Lemma C.4, (C.6) (v1)."""
        return -_inner(self.pull, self.target) / 2

    @implements("cor-rc-minimum")
    def gap(self, U: ArrayLike, u: ArrayLike) -> Batch:
        """ℓ − min ℓ = ½ ⟨uU − P, 𝒜(uU − P)⟩, (*batch); Lemma C.4, (C.7) (v1).

        A sum of squares: it stays exact where a difference of losses would be rounding alone.
        """
        U, u = self._state(U, u)
        return self._energy(u[..., None, None] * U - self.target) / 2

    # -- limits -----------------------------------------------------------------------------------

    @implements("thm-random-limit")
    def limit(self, balance: ArrayLike = 0.0) -> tuple[Matrix, Batch]:
        """The minimiser with u > 0 on the flow's level set: uU = P, u² = (D + √(D² + 4g²))/2,
        g = ‖P‖_F.

        ``balance`` is the conserved D = u² − ‖U‖²_F, shape (*batch); 0 (Assumption 3.3) gives
        u = g^½ and U = g^−½ P. A bounded analytic trajectory converges to a critical point, and
        one that keeps u > 0 to this one: every start with ℓ < 0 does, since ℓ = 0 where u = 0,
        and for diagonal and rotated laws every balanced start with u > 0 and U positive
        semidefinite (U_ii >= 0, or tr U >= 0, stays so and grows near the origin).
        Theorem 4.5 and (C.17) (v1), Theorem 8 (JMLR); (C.15) prints ξ_i/γ_i for ξ_i²/γ_i² in u.
        """
        return super().limit(balance)

    # -- starts and the constants that depend on them ---------------------------------------------

    def _pulled(self, square: Tensor, sharp: bool) -> Tensor:
        """⟨B, ΘΘᵀ⟩ = E‖ΛΘ‖²_F, or what Jensen's inequality leaves of it, ‖E ΛΘ‖²_F."""
        mean = self._mean()
        return _inner(self.pull if sharp else mean @ mean, square)

    @implements("lem-rc-positive")
    def sigma_max(self, Theta: ArrayLike, *, sharp: bool = False) -> Batch:
        """The scale below which Assumption 3.3 starts with ℓ < 0, and so u stays > 0, (*thetas).

        √(2‖E ΛΘ‖²_F / (√d E[‖Γ‖_op ‖Λ‖²_F])), (4.10) and (C.10) of v1; ``sharp`` gives the exact
        threshold √(2⟨B, ΘΘᵀ⟩/⟨ΘΘᵀ, 𝒜ΘΘᵀ⟩). The constants below need it; the convergence of
        diagonal and rotated laws does not.
        Raises ValueError for ``Moments`` without ``sharp``: E‖Γ‖_op is no function of moments.
        """
        square, _ = self._start(Theta, 1.0)
        pulled = self._pulled(square, sharp)
        if sharp:
            return (2 * pulled / self._energy(square)).sqrt()
        bound: Tensor = (2 * pulled / (math.sqrt(square.shape[-1]) * self._size())).sqrt()
        return bound

    @implements("lem-rc-u-bound")
    def u_lower_bound(self, Theta: ArrayLike, sigma: ArrayLike, *, sharp: bool = False) -> Batch:
        """u(t) >= this for all t >= 0 on the flow from ``start``, (*sigmas, *thetas).

        u² >= σ²(2‖E ΛΘ‖²_F − √d σ² E[‖Γ‖_op ‖Λ‖²_F]) / (2√d ‖E Λ²‖_op), Lemma C.7 (v1), with the
        denominator of its proof and of (C.13): (C.12) prints ‖E ΛΘ‖²_F there. ``sharp``:
        u² >= −ℓ(0)/‖E Λ²‖_F, for balance gives ℓ >= −u⟨B, U⟩ >= −u²‖B‖_F and ℓ never grows.
        ValueError unless σ < ``sigma_max(Theta, sharp=sharp)``.
        """
        square, sigma = self._start(Theta, sigma)
        bound = self.sigma_max(Theta, sharp=sharp)
        self._below(sigma, bound, f"sigma_max(Theta{', sharp=True' if sharp else ''})")
        # Both losses at the start are σ²·pulled·(1 − σ²/bound²), up to their sign.
        fallen = sigma**2 * self._pulled(square, sharp) * (1 - (sigma / bound) ** 2)
        if sharp:
            return (fallen / self.pull.square().sum().sqrt()).sqrt()
        largest = torch.linalg.eigvalsh(self.pull).amax()
        low: Tensor = (fallen / (math.sqrt(square.shape[-1]) * largest)).sqrt()
        return low

    @implements("lem-rc-pl")
    def pl_constant(self, Theta: ArrayLike, sigma: ArrayLike, *, sharp: bool = False) -> Batch:
        """ν with ‖∇ℓ‖² >= ν (ℓ − min ℓ) along the flow from ``start``, (*sigmas, *thetas).

        ‖∂ℓ/∂U‖² = u²‖𝒜(uU − P)‖² >= 2u²η·gap, η the smallest eigenvalue of 𝒜 (of γ_i and ζ_ij
        for a diagonal law). ν = η·(lower bound on u)² is Lemma C.8, (C.13) (v1), half of what this
        allows; ``sharp`` is 2η·(sharp lower bound)². ValueError as in ``u_lower_bound``.
        """
        low = self.u_lower_bound(Theta, sigma, sharp=sharp)
        nu: Tensor = (2 if sharp else 1) * self._smallest() * low**2
        return nu
