"""Which linear transformer blocks are best, and a block that descent takes for the best."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import ArrayLike
from ..gd_beta.landscape import Landscape
from ..settings import Setting, for_setting
from .block import Reduced, for_block
from .population import centred, slope


class SwappedBlock(NamedTuple):
    """The block, without batch axes; its excess; ``ratio`` > 1 if descent is held there."""

    block: Reduced
    excess: Tensor
    ratio: Tensor


@implements("thm-ltb-best")
@for_setting
@for_block
def is_best_block(setting: Setting, block: Reduced, *, rtol: ArrayLike = 1e-9) -> bool:
    """Whether a linear transformer block attains the least risk of all blocks.

    With ū₁₂ = u₁₂ + uβ*, Ū = U + β*u₂₁ᵀ and A = u₂₁ū₁₂ᵀ + uŪᵀ it does exactly if, in the seminorm
    of H,

      r = β*,   τuu₂₁ = 0,   ū₁₂ = 0 or HŪH = 0,   HAH = HA*H.

    For rank Φ >= 2 that is u ≠ 0, u₂₁ = 0, u₁₂ = -uβ*, U = A*ᵀ/u (modulo null H); for rank 1 also
    u = 0, U = -β*u₂₁ᵀ, A* = u₂₁u₁₂ᵀ; as a function of the prompt both are the best GD-β.
    The block has no batch axes; each residual is compared with rtol √τ, in units of y.
    Raises TypeError for what is no :class:`Reduced`, ValueError for sizes that do not fit, or rtol
    not > 0.
    Zhang, Wu & Bartlett (2024), Theorem 5.3, which needs rank Φ >= 2.
    """
    s, best = setting, Landscape(setting)
    rtol = _checks.positive("rtol", rtol, shape=(), like=("setting.H", s.H))
    bar, root = centred(s, block), best.root
    residuals = (
        (root @ bar.r).norm(),
        s.tau * bar.u.abs() * (root @ bar.u_21).norm(),
        (root @ bar.u_12).norm() * (root @ bar.U @ root).norm(),
        (root @ (slope(bar) - best.step) @ best.root_0).norm(),
    )
    return bool(torch.stack(residuals).norm() <= rtol * s.tau.sqrt())


@implements("prp-block-swapped")
@for_setting
def swapped_block(setting: Setting) -> SwappedBlock:
    """The critical point with key and value exchanged: u = 0, r = β*, U = -β*u₂₁ᵀ, u₁₂ along u₂₁.

    It predicts β*ᵀx + (1/M)Σ(u₁₂ᵀx_i)(y_i - β*ᵀx_i) u₂₁ᵀx, one step along the leading eigenvector e
    of Φ alone, H^½u₂₁u₁₂ᵀH^½ = (φ_1/ω_1) eeᵀ with ω_i = ((M+1)φ_i + τ)/M, and it loses
    Σ_{i>1} φ_i²/ω_i on the best block. For a simple φ_1 it is a strict local minimum of the risk
    over all blocks, up to the rescaling of u₁₂ against u₂₁ and null H, if

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
    side = (phi[0] / omega[0]).sqrt() * along  # u₁₂ and u₂₁
    held = phi[0] ** 2 * (2 * tau**2 + 2 * (M + 2) * phi.square().sum() - 2 * phi[0] ** 2)
    ratio = held / (M * omega[0]) ** 2 / phi[1:].square().sum()
    lost = (phi[1:].square() / omega[1:]).sum()
    zero, U = side.new_zeros(()), -torch.outer(s.beta_star, side)
    return SwappedBlock(Reduced(s.beta_star, side, zero, U, side), lost, ratio)
