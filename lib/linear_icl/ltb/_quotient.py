"""The quotient that is left of the risk once least squares has been done, and its descent."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .._kernels import dot, outer, times
from ..settings import Setting
from .block import Reduced


class Derivatives(NamedTuple):
    """At each p: the value, the gradient and the Hessian over the sphere, and Z = A⁻¹G."""

    value: Tensor
    gradient: Tensor
    hessian: Tensor
    Z: Tensor


class Quotient:
    """-tr(GᵀA⁻¹G) over p = (b, c), the block's (ū₁₂, u), a function of the direction of p alone.

    In coordinates in which x ~ N(0, I) on the image of H, Φ is diagonal and labels are measured
    in √τ, so that (η = y - xᵀβ*, all divided by √τ) with a = (M+1)/M and Ω = aΦ + I/M

      A = [[a bbᵀ + (‖b‖²/M)I + c²Ω,  c(I + (2/M)Φ + Ω)b], [·ᵀ,  Kc² + bᵀΩb]],
      G = [cΦ + bβ*ᵀ; (Φb + cβ*)ᵀ].

    For τ = 0 there is no η: c and the last row go. ``mixing`` False drops the last row alone.
    """

    def __init__(self, setting: Setting, mixing: bool) -> None:
        H, mean = setting.H.detach().double(), setting.beta_star.detach().double()
        values, vectors = torch.linalg.eigh(H)
        kept = values > setting.dim * torch.finfo(setting.H.dtype).eps * values[-1]
        kept[-1] = True  # H = 0 keeps one direction, in which nothing happens
        root = vectors[:, kept] * values[kept].clamp(min=0).sqrt()  # (d, k), x = root g
        variance = setting.tau.detach().double()
        self.unit = variance.sqrt().where(variance > 0, 1)
        phi, frame = torch.linalg.eigh(root.mT @ setting.Psi.detach().double() @ root)
        self.root, self.mean = root @ frame, mean
        self.beta = self.root.mT @ mean / self.unit  # (k,)
        self.Phi = torch.diag(phi.clamp(min=0)) / self.unit**2
        self.M, self.k = setting.length, len(phi)
        self.tau = float(variance > 0)
        size = self.k + int(self.tau > 0)  # how many numbers p has
        self.rows = size if mixing else self.k
        basis = torch.eye(size).to(root)
        once, self.G = self._moments(basis)
        pairs = self._moments((basis[:, None] + basis).flatten(0, 1))[0]
        pairs = pairs.reshape(size, size, *pairs.shape[1:])
        self.T = (pairs - once[:, None] - once) / 2  # A = Σ p_k p_l T_kl

    def _moments(self, p: Tensor) -> tuple[Tensor, Tensor]:
        """A (n, rows, rows) and G (n, rows, k) at p (n, size)."""
        k, M, Phi, beta = self.k, self.M, self.Phi, self.beta
        b = p[:, :k]
        c = p[:, k] if self.tau else b.new_zeros(len(p))
        identity = torch.eye(k).to(b)
        Omega = (M + 1) / M * Phi + self.tau / M * identity
        K = (1 + 2 / M) * (self.tau + 2 * Phi.square().sum())
        square = dot(b, b)[:, None, None] / M * identity
        first = (M + 1) / M * outer(b, b) + square + c[:, None, None] ** 2 * Omega
        cross = c[:, None] * times(identity + 2 / M * Phi + Omega, b)
        last = K * c**2 + dot(b @ Omega, b)
        A = torch.cat([first, cross[:, None, :]], dim=1)
        A = torch.cat([A, torch.cat([cross, last[:, None]], dim=1).unsqueeze(-1)], dim=-1)
        G = torch.cat(
            [
                c[:, None, None] * Phi + outer(b, beta.expand_as(b)),
                (b @ Phi + c[:, None] * beta)[:, None],
            ],
            dim=1,
        )
        return A[:, : self.rows, : self.rows], G[:, : self.rows]

    def values(self, p: Tensor) -> Tensor:
        A, G = self._moments(p)
        return -(G * torch.linalg.solve(A, G)).sum((-2, -1))

    def derivatives(self, p: Tensor) -> Derivatives:
        """With X = A⁻¹G and D_k = ∂_kG - ∂_kA X: ∂_k = -X·(∂_kG + D_k) and
        ∂_k∂_l = -2 D_k·A⁻¹D_l + 2 X·T_klX, then both are projected, p being a unit vector."""
        A, G = self._moments(p)
        X = torch.linalg.solve(A, G)
        slopes = 2 * torch.tensordot(p, self.T, dims=1)  # (n, size, rows, rows)
        D = self.G - slopes @ X.unsqueeze(1)  # (n, size, rows, k)
        gradient = -torch.einsum("nij,nkij->nk", X, self.G + D)
        flat = D.movedim(1, 2).flatten(2)  # (n, rows, size k): one factorisation for all
        inner = (
            torch.linalg.solve(A, flat).reshape(len(p), self.rows, len(self.G), -1).movedim(2, 1)
        )
        hessian = 2 * torch.tensordot(X @ X.mT, self.T, dims=([1, 2], [2, 3]))
        hessian = hessian - 2 * D.flatten(2) @ inner.flatten(2).mT
        tangent = torch.eye(p.shape[1]).to(p) - outer(p, p)
        return Derivatives(
            -(G * X).sum((-2, -1)), times(tangent, gradient), tangent @ hessian @ tangent, X
        )

    def starts(self, count: int, generator: torch.Generator) -> Tensor:
        """(count, size) unit vectors: u₁₂ = 0, u = 0, each covariate, then random ones."""
        size, k = self.G.shape[0], self.k
        like = {"generator": generator, "dtype": torch.float64, "device": self.beta.device}
        drawn = torch.randn(count, size, **like)
        decades = 6 * torch.rand(count, 1, **like) - 3
        drawn[:, :k] = drawn[:, :k] * 10**decades
        first = torch.zeros(2 + k, size).to(drawn)
        first[:, k:] = 1
        first[0, :k] = first[1, :k] = self.beta
        first[1, k:] = 0
        first[2:, :k] = torch.eye(k)
        first[first.square().sum(-1) == 0, 0] = 1  # β* = 0
        p = torch.cat([first, drawn])[:count]
        return self._retract(p, torch.zeros_like(p))

    def descend(self, p: Tensor, steps: int) -> Tensor:
        """Newton's method on |Hessian| with a line search; saddles are left along their slope."""
        p, active = p.clone(), torch.arange(len(p), device=p.device)
        for _ in range(steps):
            now = self.derivatives(p[active])
            step = self._newton(now)
            slope = (now.gradient * step).sum(-1)
            # Done where rounding would hide the decrease, unless the step leaves a saddle.
            resolved = slope < -1e-15 * (1 + now.value.abs())
            waiting = (resolved | (step.norm(dim=-1) > 1e-3)).nonzero()[:, 0]
            moved = torch.zeros_like(active, dtype=torch.bool)
            for halvings in range(12 if len(waiting) else 0):
                length = 0.5**halvings
                tried = self._retract(p[active[waiting]], length * step[waiting])
                wanted = now.value[waiting] + 1e-4 * length * slope[waiting]
                lower = self.values(tried) < wanted
                p[active[waiting[lower]]] = tried[lower]
                moved[waiting[lower]] = True
                waiting = waiting[~lower]
                if not len(waiting):
                    break
            active = active[moved]
            if not len(active):
                break
        for _ in range(3):  # values no longer resolve the minimum; gradients do
            now = self.derivatives(p)
            tried = self._retract(p, self._newton(now))
            smaller = self.derivatives(tried).gradient.norm(dim=-1) < now.gradient.norm(dim=-1)
            p = torch.where(smaller[:, None], tried, p)
        return p

    @staticmethod
    def _newton(now: Derivatives) -> Tensor:
        values, vectors = torch.linalg.eigh(now.hessian)
        slope = (vectors * now.gradient.unsqueeze(-1)).sum(-2)
        largest = values.abs().amax(-1, keepdim=True)
        step = -slope / values.abs().clamp(min=1e-13 * largest + 1e-300)
        away = 0.05 * torch.where(slope > 0, -1.0, 1.0)
        leave = (values < -1e-9 * largest) & (step.abs() < 0.05)
        step = torch.where(leave, away, step)
        step = step * (1 / step.norm(dim=-1, keepdim=True).clamp(min=1))
        return times(vectors, step)

    @staticmethod
    def _retract(p: Tensor, step: Tensor) -> Tensor:
        moved = p + step
        return moved / moved.norm(dim=-1, keepdim=True)

    def curvature(self, p: Tensor) -> Tensor:
        """Smallest eigenvalue of the Hessian over the sphere's tangent space at p (size,)."""
        hessian = self.derivatives(p[None]).hessian[0]
        across = torch.linalg.svd(p[None])[2][1:]  # an orthonormal basis of the tangent space
        if not len(across):
            return p.new_zeros(())
        return torch.linalg.eigvalsh(across @ hessian @ across.mT)[0]

    def parameters(self, p: Tensor) -> Reduced:
        """(r, u₁₂, u, U, u₂₁) in the setting's own coordinates, the two factors balanced."""
        A, G = self._moments(p)
        Z = torch.linalg.solve(A, G)
        back = torch.linalg.pinv(self.root).mT  # (d, k): b = back b̂
        k, d = self.k, len(self.mean)
        b, V = p[:, :k] @ back.mT, self.unit * (back @ Z[:, :k] @ back.mT)
        c = p[:, k] / self.unit if self.tau else b.new_zeros(len(p))
        u_21 = Z[:, k] @ back.mT if self.rows > k else b.new_zeros(len(p), d)
        u_12, U = b - c[:, None] * self.mean, V - self.mean[:, None] * u_21[:, None]
        one = (u_12.square().sum(-1) + c**2).sqrt()
        two = (U.square().sum((-2, -1)) + u_21.square().sum(-1)).sqrt()
        scale = (two / one).sqrt().where(two > 0, 1)[:, None]
        zero = torch.zeros_like(u_12)
        return Reduced(zero, u_12 * scale, c * scale[:, 0], U / scale[..., None], u_21 / scale)
