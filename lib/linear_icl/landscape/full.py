"""The population loss of ALL parameters (W_KQ, W_PV), exact: no block is assumed to vanish."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from .. import _checks, _kernels
from .._kernels import quartic, sandwich, sextic, trace, traced
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
        Lambda = _checks.covariance("covariance", covariance)
        self.covariance = _checks.tensor("covariance", Lambda, shape=("d", "d"))
        self.length = _checks.length("length", length)
        self.Gamma = _kernels.gamma(self.covariance, self.length)
        self._inverse = torch.linalg.inv(self.Gamma)
        self._size = trace(self.covariance)
        identity = torch.eye(Lambda.shape[0], dtype=Lambda.dtype, device=Lambda.device)
        self._R = traced(self.covariance, self.length, identity)
        self._second = sandwich(self.covariance, self.length, identity)  # E[S²] = ΓΛ
        self._k = trace(self._R) + 2 * trace(self._second)
        self._left = torch.linalg.cholesky(self._second)
        self._right = torch.linalg.cholesky(self.covariance)

    def __repr__(self) -> str:
        return f"FullParameters(d={self.covariance.shape[0]}, length={self.length})"

    def loss(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> Batch:
        """L(W_KQ, W_PV), shape (...)."""
        U, c, a, u = self._columns(W_KQ, W_PV)
        A, Lambda = a @ c.mT + u * U, self.covariance
        odd = trace(self.Gamma @ Lambda @ A, Lambda @ A.mT) - 2 * trace(Lambda @ Lambda, A)
        return (odd + self._size + self._even(U, c, a, u)) / 2

    @implements("thm-all-parameters")
    def gap(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> Batch:
        """L - min L = ½‖(ΓΛ)^½(A - Γ⁻¹)Λ^½‖²_F + ½E[T_0²], never a difference, shape (...)."""
        U, c, a, u = self._columns(W_KQ, W_PV)
        root = self._left.mT @ (a @ c.mT + u * U - self._inverse) @ self._right
        return (root.square().sum((-2, -1)) + self._even(U, c, a, u)) / 2

    def gradient(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> tuple[Weights, Weights]:
        """(∂L/∂W_KQ, ∂L/∂W_PV); zero in the entries that do not reach the prediction.

        With D = ΓΛ(A - Γ⁻¹)Λ = ∂(½E(T_1 - wᵀx_q)²)/∂A; the maps Z, Q, X of U are self-adjoint:

          ∂U = uD + E[SaaᵀS]UΛ + uRacᵀΛ + (Λa(Qa)ᵀ + Q(E[p]aᵀ))/N + E[(aᵀx)²(xᵀUx)xxᵀ]/N²
          ∂c = Dᵀa + uv,   ∂u = tr(DᵀU) + cᵀv,   v = ΛUᵀRa + ukΛc + trΛ Qa/N
          ∂a = Dc + Za + uRUΛc + (ΛUQa + QE[p])/N + Xa/N²

        Every term of ∂c and ∂a holds a or c: the slice a = c = 0 is invariant under the flow.
        """
        Lambda, N, R, k = self.covariance, self.length, self._R, self._k
        U, c, a, u = self._columns(W_KQ, W_PV)
        Z, Q, X, p = self._moments(U, c, a, u)
        D = self._second @ (a @ c.mT + u * U - self._inverse) @ Lambda
        v = Lambda @ (U.mT @ R @ a + u * k * c) + self._size / N * Q @ a
        to_U = u * (D + R @ a @ c.mT @ Lambda) + sandwich(Lambda, N, a @ a.mT) @ U @ Lambda
        to_U = to_U + (Lambda @ a @ a.mT @ Q + quartic(Lambda, p @ a.mT)) / N
        to_U = to_U + sextic(Lambda, a @ a.mT, U) / N**2
        to_c = D.mT @ a + u * v
        to_a = D @ c + (Z + X / N**2) @ a + u * R @ U @ Lambda @ c
        to_a = to_a + (Lambda @ U @ Q @ a + Q @ p) / N
        to_u = trace(D.mT, U)[..., None, None] + c.mT @ v
        d = Lambda.shape[0]
        first = pad(torch.cat([to_U, to_c.mT], dim=-2), (0, 1))
        second = pad(torch.cat([to_a.mT, to_u], dim=-1), (0, 0, d, 0))
        return first, second

    @property
    @implements("thm-all-parameters")
    def minimum(self) -> Scalar:
        """The minimum over all parameters, ½trΛ - ½tr(Λ²Γ⁻¹)."""
        Lambda = self.covariance
        return (self._size - trace(Lambda @ Lambda, self._inverse)) / 2

    def start(self, Theta: ArrayLike, sigma: ArrayLike) -> tuple[Weights, Weights]:
        """W_KQ = σ[ΘΘᵀ, 0; 0, 0] and W_PV = σ[0, 0; 0, 1], where a = c = 0 and stay so.

        Theta (*thetas, d, d), sigma (*sigmas); the state has batch axes (*sigmas, *thetas).
        ValueError unless σ > 0 and ‖ΘΘᵀ‖_F = 1.
        Zhang, Frei & Bartlett (2024), Assumption 3.3 (v1).
        """
        U, u = FixedCovariance(self.covariance, self.length).start(Theta, sigma)
        d = U.shape[-1]
        return pad(U, (0, 1, 0, 1)), pad(u[..., None, None], (d, 0, d, 0))

    def limit(self) -> tuple[Weights, Weights]:
        """Theorem 4.1's (W_KQ, W_PV), a global minimum: :func:`linear_icl.lsa.limit_weights`."""
        return limit_weights(self.covariance, self.length)

    def _columns(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """U (..., d, d), c and a (..., d, 1), u (..., 1, 1)."""
        like = ("covariance", self.covariance)
        first, second = squares(..., W_KQ=W_KQ, W_PV=W_PV, like=like)
        D = self.covariance.shape[0] + 1
        _checks.tensor("W_KQ", first, shape=(..., D, D))
        U, u_21, u_12, u = blocks(first, second)
        return U, u_21.unsqueeze(-1), u_12.unsqueeze(-1), u[..., None, None]

    def _moments(
        self, U: Tensor, c: Tensor, a: Tensor, u: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Z, Q, X and E[p] of the class docstring."""
        Lambda = self.covariance
        Z = sandwich(Lambda, self.length, U @ Lambda @ U.mT)
        p = U.mT @ Lambda @ a + u * self._size * c
        return Z, quartic(Lambda, U), sextic(Lambda, U, U), p

    def _even(self, U: Tensor, c: Tensor, a: Tensor, u: Tensor) -> Tensor:
        """E[T_0²], term by term as in the class docstring."""
        Lambda, N = self.covariance, self.length
        Z, Q, X, p = self._moments(U, c, a, u)
        linear = a.mT @ Z @ a + 2 * u * (c.mT @ Lambda @ U.mT @ self._R @ a)
        linear = linear + u**2 * self._k * (c.mT @ Lambda @ c)
        even: Tensor = linear + 2 / N * (p.mT @ Q @ a) + a.mT @ X @ a / N**2
        return even[..., 0, 0]
