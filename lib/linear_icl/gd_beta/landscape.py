"""The population risk of GD-β as a landscape for the flow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from .. import _checks
from .._kernels import outer, times
from .._results import implements
from .._types import ArrayLike, Batch, Matrix, Scalar, Vector
from ..prompts import semidefinite_root
from ..settings import Setting, for_setting


@dataclass(frozen=True, eq=False)
class Landscape:
    """The risk R(β, A) = E(ŷ - y_query)² of GD-β, its gradient and its minimum, all exact.

    With D = β* - β (the book's β̄ is -D), h = HD, a = (M+1)/M and the letters of
    :class:`linear_icl.settings.Setting`,

      R = τ + ‖D‖²_H - 2tr(A(HΨH + hhᵀ)) + tr(HA(Ω_0 + Ω_D)Aᵀ),  Ω_D = ahhᵀ + (‖D‖²_H/M)H,

    measured against the noisy label; no factor ½. The state is (β, A), shapes (*batch, d) and
    (*batch, d, d). H and Ψ may be singular. ``loss``, ``gradient`` and ``minimum`` pass gradients
    to the setting too; ``gap`` does where the eigenvalues of H and of Ω_0 are distinct.
    Raises TypeError for anything but a Setting, ValueError for states that do not fit it.
    Zhang, Wu & Bartlett (2024), Theorem 5.2, Corollary G.1, Theorem 6.3.
    """

    setting: Setting

    @for_setting
    def __init__(self, setting: Setting) -> None:
        vars(self).update(setting=setting)  # frozen, and judged before the type checker sees it

    def _state(self, beta: ArrayLike, A: ArrayLike) -> tuple[Tensor, Tensor]:
        d, like = self.setting.dim, ("setting.H", self.setting.H)
        A = _checks.tensor("A", A, shape=(..., d, d), like=like)
        beta = _checks.tensor("beta", beta, shape=(..., d), like=like)
        if beta.shape[:-1] != A.shape[:-2]:
            raise ValueError(
                f"beta and A must share their batch axes, got {tuple(beta.shape[:-1])} and "
                f"{tuple(A.shape[:-2])}; expand one"
            )
        return beta, A

    # -- the loss ---------------------------------------------------------------------------------

    @implements("prp-gd-beta-risk")
    def loss(self, beta: ArrayLike, A: ArrayLike) -> Batch:
        """R(β, A), shape (*batch)."""
        beta, A = self._state(beta, A)
        s = self.setting
        h, squared = self._pull(beta)
        hh = outer(h, h)
        moved = ((s.H @ s.Psi @ s.H + hh) * A).sum((-2, -1))
        second = s.Omega_0 + self._start_noise(hh, squared)
        stepped: Tensor = ((s.H @ A @ second) * A).sum((-2, -1))
        return s.tau + squared - 2 * moved + stepped

    @implements("lem-gd-dynamics", "lem-gd-matrix")
    def gradient(self, beta: ArrayLike, A: ArrayLike) -> tuple[Vector, Matrix]:
        """(∂R/∂β, ∂R/∂A) = (-2Q(A)D, 2HA(Ω_0 + Ω_D) - 2H(Ψ + DDᵀ)H), shaped like the state.

        Q(A) = H - HAH - HAᵀH + aHAᵀHAH + tr(HAHAᵀ)H/M. Both lie in the image of H: what H does
        not see never moves. The part in Ψ is computed as 2H(A - A*)Ω_0, which vanishes with A - A*.
        Minus Lemma G.2 of Zhang, Wu & Bartlett (2024).
        """
        beta, A = self._state(beta, A)
        s, a = self.setting, 1 + 1 / self.setting.length
        h, squared = self._pull(beta)
        hh, HA = outer(h, h), s.H @ A
        along = times(HA, h)  # HAh
        spread = ((HA @ s.H) * A).sum((-2, -1)) / s.length
        # h - HAh - HAᵀ(h - aHAh): the transposed step meets what the step has left
        back = times(s.H @ A.mT, h - a * along)
        by_beta = -2 * (h - along - back + spread.unsqueeze(-1) * h)
        by_A = s.H @ (A - self.step) @ s.Omega_0
        by_A = by_A + HA @ self._start_noise(hh, squared) - hh
        return by_beta, 2 * by_A

    @implements("cor-gd-excess")
    def gap(self, beta: ArrayLike, A: ArrayLike) -> Batch:
        """R - min R = ‖H^½(A - A*)Ω_0^½‖²_F + DᵀQ(A)D, (*batch): squares, never a difference.

        With e = H^½D and K = H^½AH^½, DᵀQ(A)D = ‖e - Ke‖² + ‖Ke‖²/M + ‖K‖²_F‖e‖²/M, which is at
        least 2‖D‖²_H/(M+2), with equality for K = (M/(M+2)) eeᵀ/‖e‖².
        Zhang, Wu & Bartlett (2024), Corollary G.1.
        """
        beta, A = self._state(beta, A)
        root, M = self.root, self.setting.length
        e = (beta - self.setting.beta_star) @ root  # (*batch, d)
        K = root @ A @ root
        Ke = times(K, e)
        matrix = (root @ (A - self.step) @ self.root_0).square().sum((-2, -1))
        spread = Ke.square().sum(-1) + K.square().sum((-2, -1)) * e.square().sum(-1)
        return matrix + (e - Ke).square().sum(-1) + spread / M

    @property
    @implements("thm-gd-beta-best")
    def minimum(self) -> Scalar:
        """min R = σ² + Σ_i φ_i(φ_i + τ)/((M+1)φ_i + τ); β* does not enter.

        Computed as σ² + tr[((M+1)HΨ + τI)⁻¹HΨ(HΨ + τI)], the same without a root.
        Zhang, Wu & Bartlett (2024), Theorem 5.2, (5.2).
        """
        s = self.setting
        identity, HP = torch.eye(s.dim).to(s.H), s.H @ s.Psi
        tau = self._tau * identity
        best = torch.linalg.solve((s.length + 1) * HP + tau, HP @ (HP + tau))
        return s.noise_variance + best.diagonal().sum()

    # -- minimisers, limits, rates ----------------------------------------------------------------

    @implements("thm-gd-flow")
    def limit(self, beta: ArrayLike, A: ArrayLike) -> tuple[Vector, Matrix]:
        """Where the flow from (β, A) ends, shaped like the state: the minimiser nearest to it.

        With P the projector onto Im H, β -> Pβ* + (I - P)β and A -> PA*P + (A - PAP); for a regular
        H the only minimiser, from every start. Raises ValueError for τ = 0, where every A is
        optimal at β* and the flow's limit depends on its path.
        Zhang, Wu & Bartlett (2024), Theorem 6.3.
        """
        beta, A = self._state(beta, A)
        s, P = self.setting, self.setting.image
        if _checks.readable(s.tau) and s.tau == 0:
            raise ValueError(
                "tau = tr(H Psi) + noise_variance must be > 0 for the minimisers to be known, got "
                "0; tasks that do not vary leave A without a purpose"
            )
        start = P @ s.beta_star + (beta - beta @ P)
        return start, P @ self.step @ P + (A - P @ A @ P)

    # -- prepared once ----------------------------------------------------------------------------

    @cached_property
    def _tau(self) -> Tensor:
        """τ, or 1 where it is 0: then HΨ = 0 and any value gives the same minimum."""
        tau = self.setting.tau
        return tau.where(tau > 0, 1)

    @cached_property
    def step(self) -> Matrix:
        """Ψ(aHΨ + (τ/M)I)⁻¹ = Ψ^½(aΨ^½HΨ^½ + (τ/M)I)⁻¹Ψ^½, symmetric PSD; A* is this times P."""
        s = self.setting
        system = (s.length + 1) * s.Psi @ s.H + self._tau * torch.eye(s.dim).to(s.H)
        step: Tensor = s.length * torch.linalg.solve(system, s.Psi)
        return (step + step.mT) / 2

    @cached_property
    def root(self) -> Matrix:
        """H^½, (d, d)."""
        return self.setting.root

    @cached_property
    def root_0(self) -> Matrix:
        """Ω_0^½, (d, d)."""
        return semidefinite_root(self.setting.Omega_0)

    def _pull(self, beta: Tensor) -> tuple[Tensor, Tensor]:
        """h = HD and ‖D‖²_H of D = β* - β."""
        D = self.setting.beta_star - beta
        h = D @ self.setting.H
        return h, (D * h).sum(-1)

    def _start_noise(self, hh: Tensor, squared: Tensor) -> Tensor:
        """Ω_D = ((M+1)/M)hhᵀ + (‖D‖²_H/M)H."""
        M = self.setting.length
        return (1 + 1 / M) * hh + squared[..., None, None] / M * self.setting.H
