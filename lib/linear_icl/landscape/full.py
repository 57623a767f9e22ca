"""The population loss of ALL parameters (W_KQ, W_PV), exact: no block is assumed to vanish."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from .. import _checks, _kernels
from .._kernels import inner, sandwich, trace, traced
from .._layers import squares
from .._results import implements
from .._types import ArrayLike, Batch, Count, Scalar, Weights
from ..lsa import blocks, limit_weights
from .fixed import FixedCovariance


@implements("thm-all-parameters", "lem-even-part")
class FullParameters:
    """L(W_KQ, W_PV) = ½E(ŷ - wᵀx_q)² over noiseless prompts, for any parameters.

    x_i, x_q ~ N(0, Λ), w ~ N(0, I), S = (1/N)Σx_ix_iᵀ, ŷ = [aᵀ u](EEᵀ/N)[U; cᵀ]x_q with a = u_12
    and c = u_21; EEᵀ contains x_q x_qᵀ (no mask). The state is (W_KQ, W_PV), both (..., d+1, d+1),
    with the same leading batch axes; every result has those axes. With A = acᵀ + uU,

      ŷ = T_1 + T_0,   T_1 = wᵀSAx_q (odd in w),
      T_0 = pᵀx_q + (aᵀx_q)(x_qᵀUx_q)/N (even in w),   p = UᵀSa + u(wᵀSw)c.

    w and -w have one law, so E[T_0(T_1 - wᵀx_q)] = 0 and 2L = E(T_1 - wᵀx_q)² + E[T_0²], where

      E(T_1 - wᵀx_q)² = tr(ΓΛAΛAᵀ) - 2tr(Λ²A) + trΛ,
      E[T_0²] = E[pᵀΛp] + (2/N) E[p]ᵀQa + aᵀXa/N²,   E[p] = UᵀΛa + u trΛ c,
      E[pᵀΛp] = aᵀZa + 2u cᵀΛUᵀRa + u²k cᵀΛc,

    with Z = E[SUΛUᵀS], Q = E[xxᵀUxxᵀ], X = E[(xᵀUx)²xxᵀ], R = E[tr(S)S] and
    k = E(wᵀSw)² = E[(tr S)² + 2tr S²] = (1+2/N)((trΛ)² + 2trΛ²), all in :mod:`linear_icl.gaussian`.
    Only E[T_0²] sees more of the parameters than A, and it is zero on the slice a = c = 0, so the
    minimum over all parameters is the slice's and Theorem 4.1's limit attains it.

    ``covariance`` Λ (d, d), ``length`` N. Raises ValueError for improper arguments or states.
    Zhang, Frei & Bartlett (2024), (3.8); the paper treats u_12 = u_21 = 0 only.
    """

    def __init__(self, covariance: ArrayLike, length: Count) -> None:
        self.covariance = Lambda = _checks.covariance("covariance", covariance, shape=("d", "d"))
        self.length = _checks.length("length", length)
        self.Gamma = _kernels.gamma(self.covariance, self.length)
        self._inverse = torch.linalg.inv(self.Gamma)
        self._size = trace(self.covariance)
        identity = torch.eye(Lambda.shape[0], dtype=Lambda.dtype, device=Lambda.device)
        self._R = traced(self.covariance, self.length, identity)
        self._squared = self.covariance @ self.covariance
        second = sandwich(self.covariance, self.length, identity)  # E[S²] = ΓΛ
        self._k = trace(self._R) + 2 * trace(second)
        self._left = torch.linalg.cholesky(second)
        self._right = torch.linalg.cholesky(self.covariance)

    def __repr__(self) -> str:
        return f"FullParameters(d={self.covariance.shape[0]}, length={self.length})"

    def loss(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> Batch:
        """L(W_KQ, W_PV), shape (...)."""
        U, c, a, u = self._rows(W_KQ, W_PV)
        A, Lambda = a.mT @ c + u * U, self.covariance
        odd = trace(self.Gamma @ Lambda @ A, Lambda @ A.mT) - 2 * trace(Lambda @ Lambda, A)
        return (odd + self._size + self._even(U, c, a, u)) / 2

    @implements("thm-all-parameters")
    def gap(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> Batch:
        """L - min L = ½‖(ΓΛ)^½(A - Γ⁻¹)Λ^½‖²_F + ½E[T_0²], never a difference, shape (...)."""
        U, c, a, u = self._rows(W_KQ, W_PV)
        root = self._left.mT @ (a.mT @ c + u * U - self._inverse) @ self._right
        return (root.square().sum((-2, -1)) + self._even(U, c, a, u)) / 2

    def gradient(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> tuple[Weights, Weights]:
        """(∂L/∂W_KQ, ∂L/∂W_PV); zero in the entries that do not reach the prediction.

        With D = ΓΛ(A - Γ⁻¹)Λ = ∂(½E(T_1 - wᵀx_q)²)/∂A; the maps Z, Q, X of U are self-adjoint:

          ∂U = uD + E[SaaᵀS]UΛ + uRacᵀΛ + (Λa(Qa)ᵀ + Q(E[p]aᵀ))/N + E[(aᵀx)²(xᵀUx)xxᵀ]/N²
          ∂c = Dᵀa + uv,   ∂u = tr(DᵀU) + cᵀv,   v = ΛUᵀRa + ukΛc + trΛ Qa/N
          ∂a = Dc + Za + uRUΛc + (ΛUQa + QE[p])/N + Xa/N²

        What is quadratic in a has rank one or two: besides ΛU, M = ΛUΛ and D = Γ(uM + Λa(Λc)ᵀ) - Λ²
        there are only products with vectors. With b = Λa, H = M + Mᵀ, s = aᵀΛa and t = tr ΛU

          E[SaaᵀS]UΛ = (1 + 1/N) b(ΛUᵀb)ᵀ + sM/N,   Q(E[p]aᵀ) = ΛE[p]bᵀ + b(ΛE[p])ᵀ + (bᵀE[p])Λ,
          E[(aᵀx)²(xᵀUx)xxᵀ] = (st + aᵀHa)Λ + sH + 2tbbᵀ + 2(b(Ha)ᵀ + Habᵀ).

        Every term of ∂c and ∂a holds a or c: the slice a = c = 0 is invariant under the flow.
        """
        Lambda, N, R, k = self.covariance, self.length, self._R, self._k
        U, c, a, u = self._rows(W_KQ, W_PV)
        M, t, Za, Qa, Xa, p = self._moments(U, c, a, u)
        b, g, q, Ra, H = a @ Lambda, c @ Lambda, p @ Lambda, a @ R, M + M.mT
        s, twice = a @ b.mT, (2 * a @ H + t * b) / N**2
        D = self.Gamma @ (u * M + b.mT @ g) - self._squared
        v = Ra @ U @ Lambda + u * k * g + self._size / N * Qa
        left = torch.cat([b, q / N + twice, u * Ra], dim=-2)
        right = torch.cat([(1 + 1 / N) * (b @ U @ Lambda) + (Qa + q) / N + twice, b, g], dim=-2)
        to_U = u * D + s / N * (M + H / N) + left.mT @ right
        to_U = to_U + (p @ b.mT + (s * t + a @ H @ a.mT) / N) / N * Lambda
        to_c = a @ D + u * v
        to_a = c @ D.mT + Za + u * (g @ U.mT @ R)
        to_a = to_a + (Qa @ U.mT @ Lambda + p @ H + t * q) / N + Xa / N**2
        to_u = inner(D, U)[..., None, None] + c @ v.mT
        d = Lambda.shape[0]
        first = pad(torch.cat([to_U, to_c], dim=-2), (0, 1))
        second = pad(torch.cat([to_a, to_u], dim=-1), (0, 0, d, 0))
        return first, second

    @property
    @implements("thm-all-parameters")
    def minimum(self) -> Scalar:
        """The minimum over all parameters, ½trΛ - ½tr(Λ²Γ⁻¹)."""
        Lambda = self.covariance
        return (self._size - trace(Lambda @ Lambda, self._inverse)) / 2

    @implements("prp-stability")
    def sharpness(self, u: ArrayLike) -> Batch:
        """Largest eigenvalue of the Hessian of L at the best layer uU = Γ⁻¹, a = c = 0, (*batch).

        In the eigenbasis it is the largest of :meth:`FixedCovariance.sharpness` and of the blocks
        [α_i/u², κ_i; κ_i, β_iu²] of (a_i, c_i); the first is largest. Descent with a step above 2
        over it leaves the minimum. ``u`` (*batch). Raises ValueError unless every u > 0.
        """
        values = torch.linalg.eigvalsh(self.covariance)
        kept = _checks.positive("u", u, like=("covariance", self.covariance))
        N, size, most = self.length, self._size, values[-1]
        parts = values / torch.linalg.eigvalsh(self.Gamma)  # ρ_i = λ_i/γ_i
        rho, first, second = parts[-1], parts.sum(), parts.square().sum()
        query = (first**2 + 2 * second + 4 * rho * first + 8 * rho**2) / N**2
        own = (1 + 1 / N) * rho**2 + (second + 2 * rho * (first + 2 * rho)) / N
        keys = most * self._k * kept**2
        points = most * (own + query) / kept**2
        both = most * (rho * (size + 2 * most / N) + size * (first + 2 * rho) / N)
        mixing = (keys + points) / 2 + torch.hypot((keys - points) / 2, both)
        return torch.maximum(mixing, FixedCovariance(self.covariance, N).sharpness(kept))

    def start(self, sigma: ArrayLike, Theta: ArrayLike | None = None) -> tuple[Weights, Weights]:
        """W_KQ = σ[ΘΘᵀ, 0; 0, 0] and W_PV = σ[0, 0; 0, 1], where a = c = 0 and stay so.

        The arguments of :meth:`ProductLandscape.start`, with its errors; Θ is I/d^¼ by default.
        Zhang, Frei & Bartlett (2024), Assumption 3.3 (v1).
        """
        U, u = FixedCovariance(self.covariance, self.length).start(sigma, Theta)
        d = U.shape[-1]
        return pad(U, (0, 1, 0, 1)), pad(u[..., None, None], (d, 0, d, 0))

    def limit(self) -> tuple[Weights, Weights]:
        """Theorem 4.1's (W_KQ, W_PV), a global minimum: :func:`linear_icl.lsa.limit_weights`."""
        return limit_weights(self.covariance, self.length)

    def _rows(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """U (..., d, d), cᵀ and aᵀ (..., 1, d), u (..., 1, 1)."""
        like = ("covariance", self.covariance)
        first, second = squares(..., W_KQ=W_KQ, W_PV=W_PV, like=like)
        D = self.covariance.shape[0] + 1
        _checks.tensor("W_KQ", first, shape=(..., D, D))
        U, u_21, u_12, u = blocks(first, second)
        return U, u_21.unsqueeze(-2), u_12.unsqueeze(-2), u[..., None, None]

    def _moments(self, U: Tensor, c: Tensor, a: Tensor, u: Tensor) -> tuple[Tensor, ...]:
        """M = ΛUΛ and t = tr ΛU, then the rows Za, Qa, Xa and E[p], without forming Z, Q, X.

        With H = M + Mᵀ and b = Λa: Q = H + tΛ, Za = (1 + 1/N) MUᵀb + ⟨M, U⟩b/N and
        Xa = (t² + ⟨H, U⟩)b + 2H(ta + (U + Uᵀ)b).
        """
        Lambda, N = self.covariance, self.length
        M, b = Lambda @ U @ Lambda, a @ Lambda
        H, below = M + M.mT, b @ U
        t, square, both = (x[..., None, None] for x in (trace(U, Lambda), inner(M, U), inner(H, U)))
        Za = (1 + 1 / N) * (below @ M.mT) + square / N * b
        Xa = (t**2 + both) * b + 2 * (t * a + below + b @ U.mT) @ H
        return M, t, Za, a @ H + t * b, Xa, below + u * self._size * c

    def _even(self, U: Tensor, c: Tensor, a: Tensor, u: Tensor) -> Tensor:
        """E[T_0²], term by term as in the class docstring."""
        N, g = self.length, c @ self.covariance
        _, _, Za, Qa, Xa, p = self._moments(U, c, a, u)
        mixed = 2 * u * (g @ U.mT @ self._R) + Za + Xa / N**2
        even: Tensor = a @ mixed.mT + u**2 * self._k * (c @ g.mT) + 2 / N * (p @ Qa.mT)
        return even[..., 0, 0]
