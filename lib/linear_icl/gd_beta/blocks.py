"""Which linear transformer blocks are best, and a block that descent takes for the best."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import ArrayLike
from ..settings import Setting, for_setting
from .landscape import Landscape


class SwappedBlock(NamedTuple):
    """The parameters r, v, w (d,), c = 0, W (d, d); their excess; ``ratio`` > 1 if they hold."""

    r: Tensor
    v: Tensor
    c: Tensor
    W: Tensor
    w: Tensor
    excess: Tensor
    ratio: Tensor


@implements("thm-ltb-best")
@for_setting
def is_best_block(
    setting: Setting,
    r: ArrayLike,
    v: ArrayLike,
    c: ArrayLike,
    W: ArrayLike,
    w: ArrayLike,
    *,
    rtol: ArrayLike = 1e-9,
) -> bool:
    """Whether a linear transformer block (r, v, c, W, w) attains the least risk of all blocks.

    With ū = v + cβ*, Ū = W + β*wᵀ and A = wūᵀ + cŪᵀ it does exactly if, in the seminorm of H,

      r = β*,   τcw = 0,   ū = 0 or HŪH = 0,   HAH = HΓ*H.

    For rank Φ >= 2 that is c ≠ 0, w = 0, v = -cβ*, W = Γ*ᵀ/c (modulo null H); for rank 1 also
    c = 0, W = -β*wᵀ, Γ* = wvᵀ; as a function of the prompt both are the best GD-β.
    r, v, w (d,), W (d, d), c a number; each residual is compared with rtol √τ, in units of y.
    Raises ValueError for sizes that do not fit, or rtol not > 0.
    Zhang, Wu & Bartlett (2024), Theorem 5.3, which needs rank Φ >= 2.
    """
    s, best = setting, Landscape(setting)
    d, like = s.dim, ("setting.H", s.H)
    rtol = _checks.positive("rtol", rtol, shape=(), like=like)
    vectors = {"r": r, "v": v, "w": w}
    r, v, w = (_checks.tensor(k, x, shape=(d,), like=like) for k, x in vectors.items())
    c = _checks.tensor("c", c, shape=(), like=like)
    W = _checks.tensor("W", W, shape=(d, d), like=like)
    b, V, root = v + c * s.beta_star, W + torch.outer(s.beta_star, w), best.root
    B = torch.outer(w, b) + c * V.mT
    residuals = (
        (root @ (r - s.beta_star)).norm(),
        s.tau * c.abs() * (root @ w).norm(),
        (root @ b).norm() * (root @ V @ root).norm(),
        (root @ (B - best.step) @ best.root_0).norm(),
    )
    return bool(torch.stack(residuals).norm() <= rtol * s.tau.sqrt())


@implements("prp-block-swapped")
@for_setting
def swapped_block(setting: Setting) -> SwappedBlock:
    """The critical point with key and value exchanged: c = 0, r = β*, W = -β*wᵀ, v along w.

    It predicts β*ᵀx + (1/M)Σ(vᵀx_i)(y_i - β*ᵀx_i) wᵀx, one step along the leading eigenvector of
    Φ alone, H^½w vᵀH^½ = (φ_1/ω_1) uuᵀ with ω_i = ((M+1)φ_i + τ)/M, and it loses Σ_{i>1} φ_i²/ω_i
    on the best block. For a simple φ_1 it is a strict local minimum of the risk over all blocks,
    up to the rescaling of v against w and null H, if

      ratio = φ_1²(2τ² + 2(M+2)trΦ² - 2φ_1²)/((M+1)φ_1 + τ)² / Σ_{i>1} φ_i² > 1,

    and a saddle below: gradient flow on the parameters of a block need not find the best one. For
    rank Φ = 1 it loses nothing and ratio is infinite. Raises ValueError for Φ = 0.
    """
    s, tau, M = setting, setting.tau, setting.length
    phi, vectors = s.phi, torch.linalg.eigh(s.Phi)[1]
    if _checks.readable(phi) and phi[0] == 0:
        raise ValueError("H^½ΨH^½ must not be 0, got 0; there is no direction to learn")
    omega = ((M + 1) * phi + tau) / M
    # between the rounding of a zero, eps, and the root of the smallest eigenvalue kept, √eps
    cut = torch.finfo(phi.dtype).eps ** 0.75
    along = torch.linalg.pinv(s.root, rtol=cut, hermitian=True) @ vectors[:, -1]
    w = (phi[0] / omega[0]).sqrt() * along
    held = phi[0] ** 2 * (2 * tau**2 + 2 * (M + 2) * phi.square().sum() - 2 * phi[0] ** 2)
    ratio = held / (M * omega[0]) ** 2 / phi[1:].square().sum()
    lost = (phi[1:].square() / omega[1:]).sum()
    mean = s.beta_star
    return SwappedBlock(mean, w, w.new_zeros(()), -torch.outer(mean, w), w, lost, ratio)
