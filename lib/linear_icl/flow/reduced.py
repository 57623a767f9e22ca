"""The flow of a landscape that separates in a known basis: collocation of one scalar function.

In the clock τ = ∫ u² dt, with v = 1/u, every entry of V = basisᵀ U basis obeys a linear equation,

    dV_ij/dτ = −q_ij V_ij + δ_ij p_i v(τ),      dt/dτ = v².

Off the diagonal it is solved: V_ij(τ) = V_ij(0) e^{−q_ijτ}.  On the diagonal a polynomial v on
[τ_n, τ_n + h] is convolved with the exponentials exactly.  What remains is v itself, fixed at the
Lobatto nodes by the conserved u² − ‖U‖²_F, in increments so that nothing cancels:

    v^{−2} = u_n² + ΔT + Σ_i ΔV_ii (2V_ii(τ_n) + ΔV_ii),      T(τ) = Σ_{i≠j} V_ij(0)² e^{−2q_ijτ},

s equations a step whatever d, solved by Newton.  The defect between nodes is the error estimate.
All batch elements share the mesh in τ, hence the weights; their clocks t differ.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import NamedTuple

import torch
from torch import Tensor

from .collocation import LARGE, Collocation, collocation
from .exponentials import ExponentialSum
from .protocol import Spectral, State

DEGREE = 20
NEWTON_STEPS = 12


class Point(NamedTuple):
    """The reduced state at P places."""

    diagonal: Tensor  # V_ii, (P, d)
    squared: Tensor  # u², (P,)
    slope: Tensor  # T'(τ), (P,)


class Step(NamedTuple):
    """A solved step: node values of v, the state at its end, the defect over its tolerance."""

    v: Tensor  # (B, s+1)
    end: Point
    defect: float


class ClockSystem:
    """The equations for B starts U (B, d, d), u (B,), in the eigenbasis and with u > 0."""

    def __init__(self, spectral: Spectral, start: State, degree: int = DEGREE) -> None:
        self.spectral, (U, u) = spectral, start
        # (U, u) → (−U, −u) is a symmetry; the reduction wants u > 0.
        self.sign = u.sign()
        self.V = V = self.sign[:, None, None] * (spectral.basis.mT @ U @ spectral.basis)
        q = spectral.curvature.diagonal()
        self.order = q.argsort(descending=True)  # fast directions first
        self.q, self.p = q[self.order], spectral.pull[self.order]
        self.target = self.p / self.q  # u V_ii in the limit
        self.rest = ExponentialSum.off_diagonal(spectral.curvature, V)
        self.tables: Collocation = collocation(degree, u.device)
        self._falling = (-self.q).tolist()
        self._decay, self._pull = -self.q * self.tables.points[:, None], self.p[:, None]
        diagonal = V.diagonal(dim1=-2, dim2=-1)[:, self.order]
        self.start = Point(diagonal, u**2, self.rest.slope(0.0))

    def fits(self) -> bool:
        """Whether u ≠ 0 and, for u > 0, V_ii ≥ 0: then it stays so, and the clock τ runs on.

        Far from balance, D = u² − ‖U‖²_F ≪ 0, u² is a small difference of large terms: at its
        limit (D + √(D² + 4g²))/2, g = ‖p/q‖, and where u rests while U has hardly moved.  Beyond
        three digits the generic form is better.
        """
        start, norm = self.start, self.V.square().sum((-2, -1))
        lack = norm - start.squared  # −D
        above = (self.sign != 0) & (start.diagonal.amin(1) >= -1e-14 * norm.sqrt())
        if not bool(above.all()) or bool((lack <= 1e-14 * norm).all()):
            return bool(above.all())
        g = self.target.norm()
        end = 2 * g**2 / (torch.hypot(lack, 2 * g) + lack)
        rest = start.diagonal @ self.p / (start.diagonal**2 @ self.q - start.slope / 2)
        return bool((1e3 * torch.minimum(end, rest**2) >= lack).all())

    def gap(self, point: Point) -> Tensor:
        """½ Σ_i q_i (uV_ii − p_i/q_i)² − ¼ u² T'(τ): squares only, since T' < 0."""
        distance = point.squared.sqrt()[..., None] * point.diagonal - self.target
        return (distance**2 @ self.q) / 2 - point.squared * point.slope / 4

    def loss(self, point: Point) -> Tensor:
        """½ u² (Σ_i q_i V_ii² − ½ T'(τ)) − u Σ_i p_i V_ii."""
        u = point.squared.sqrt()
        curved = point.diagonal**2 @ self.q - point.slope / 2
        return u * (u * curved / 2 - point.diagonal @ self.p)

    def gap_slope(self, point: Point, bend: Tensor) -> Tensor:
        """d gap/dτ = −‖∇‖²/u²; `bend` is T''(τ)."""
        u, V = point.squared.sqrt(), point.diagonal
        by_V = ((u[:, None] * self.q * V - self.p) ** 2).sum(-1) + point.squared * bend / 4
        by_u = u * (V**2 @ self.q - point.slope / 2) - V @ self.p
        return -(by_V + by_u**2 / point.squared)

    def step(self, tau: float, begin: Point, h: float, guess: Tensor, rtol: float) -> Step | None:
        """Solves [τ, τ + h] for ln v at the nodes after τ, from a guess; None if Newton fails."""
        tables, s = self.tables, self.tables.degree
        V, squared = begin.diagonal[:, None], begin.squared[:, None]
        weights = tables.step_weights(self.q * h, bisect_right(self._falling, -LARGE / h))
        G = weights * (h * self._pull)  # (s+3, d, s+1)
        inner, outer = G[:s, :, 1:], G.flatten(0, 1).mT
        decayed = torch.expm1(h * self._decay) * V
        v_0 = squared.rsqrt()
        fixed, outer = torch.addmm(decayed.flatten(1), v_0, outer[:1]), outer[1:]
        known = squared + self.rest.increment(tau, h * tables.points)  # (B, s+3)
        enough, error_before = max(1e-13, 1e-2 * rtol), math.inf
        for _ in range(NEWTON_STEPS):
            v = torch.exp(guess)
            dV = torch.addmm(fixed, v, outer).view_as(decayed)  # (B, s+3, d)
            X = V + dV
            value = known + torch.linalg.vecdot(V + X, dV)  # u² at the points, (B, s+3)
            wanted = value[:, :s]
            missed = torch.add(guess, wanted.log(), alpha=0.5)
            error = 2 * float(torch.linalg.vector_norm(missed, math.inf))  # of ln u²
            # Rounding is reached where Newton stops gaining.
            if error < enough or error_before / 10 < error < rtol / 10 or not error < 1e6:
                break
            error_before = error
            slope = torch.bmm(X[:, :s].transpose(0, 1), inner).transpose(0, 1) * v[:, None]
            slope.diagonal(dim1=1, dim2=2).add_(wanted)
            guess = guess - torch.linalg.solve_ex(slope, missed * wanted)[0]
        if not error < rtol / 10:
            return None
        v = torch.cat([v_0, v], dim=1)
        miss = (v @ tables.between) * value[:, s:].sqrt() - 1
        defect = float(torch.linalg.vector_norm(miss, math.inf)) / rtol
        end = Point(X[:, s - 1].clone(), value[:, s - 1], self.rest.slope(tau + h))
        return Step(v, end, defect)

    def scales(self) -> tuple[float, float]:
        """The first step to try, and the least lag: u² grows from about τ = −lag.

        The step is a few of the times in which u² can change by its own size.
        """
        V, squared, slope = self.start
        growth = 2 * (V @ self.p) / squared.sqrt() + self.p.norm()
        decay = 2 * (V**2 @ self.q) - slope
        return 2.5 * float((squared / (decay + growth)).amin()), float((squared / growth).amin())
