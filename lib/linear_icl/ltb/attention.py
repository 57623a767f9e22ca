"""The least risk of attention alone: a minimum over directions of one quotient, by Newton.

With η_i = (x_i, y_i - x_iᵀβ*), p = (ū₁₂, u) and Z = [Ū; u₂₁ᵀ], in the letters of the book,
a block predicts xᵀ(β* + r̄ + Zᵀf) with f = (1/M) Σ_i η_i η_iᵀ p: a linear regression of the task on
d+1 statistics of the context, which p chooses. The MLP gives it an intercept, r; attention alone
has none. For fixed p the best Z is least squares, so what is left is a function of the direction of
p,

  min_Z R = σ² + trΦ + ‖β*‖²_H - tr(GᵀA⁻¹G),   A = E ffᵀ,   G = E f(β* + δ)ᵀ,

A quadratic and G linear in p. For τ > 0 it is continuous on the sphere: the infimum is attained.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import Count, Generator
from ..settings import Setting, for_setting
from ._quotient import Quotient
from .block import Reduced
from .bounds import gap_lower_bound
from .population import excess, infimum, risk

STEPS = 100


class LSAInfimum(NamedTuple):
    """The least risk found, and what certifies it.

    risk: smallest over the starts, with noise; ``gap`` = risk - inf_LTB, computed as two squares.
    bound: gap_lower_bound; no attention layer can have a smaller gap.
    spread: largest minus smallest risk over the starts: zero if all found one minimum.
    hits: how many starts reached the smallest, within 1e-6 of the gap.
    gradient: largest entry of the exact risk's gradient in (u₁₂, u, U, u₂₁), where it was found.
    curvature: smallest eigenvalue of the quotient's Hessian over the sphere, in units of τ:
        positive at a strict local minimum (sign p and scale excepted).
    parameters: with r = 0, scaled so that ‖(u₁₂, u)‖ = ‖(U; u₂₁ᵀ)‖_F.
    risks: (starts,) of all starts, ascending.
    """

    risk: Tensor
    gap: Tensor
    bound: Tensor
    spread: Tensor
    hits: int
    gradient: Tensor
    curvature: Tensor
    parameters: Reduced
    risks: Tensor


@implements("thm-ltb-gap", "prp-no-mixing")
@for_setting
def lsa_infimum(
    setting: Setting,
    *,
    starts: Count = 64,
    generator: Generator = 0,
    mixing: bool = True,
) -> LSAInfimum:
    """The infimum of the exact risk over attention alone (r = 0), from many starts.

    ``starts`` directions p, the structured ones first (u₁₂ = 0, as in one step from zero; u = 0,
    best for a large β*; each covariate), the others random with log-uniform scales, each followed
    by Newton's method on the sphere to convergence. By default a fixed seed, so the result
    repeats. ``mixing`` False keeps u₂₁ = 0.
    What the search cannot exclude is a better minimum that no start found; ``bound`` limits that.
    Raises ValueError for starts below 1, or a generator that is none or None.
    """
    count = _checks.length("starts", starts)
    H = setting.H
    drawn = _checks.seeded("generator", generator, H.device)
    problem = Quotient(setting, mixing)
    p = problem.descend(problem.starts(count, drawn), STEPS)
    candidates = Reduced(*[part.to(H) for part in problem.parameters(p)])
    odd, even = excess(setting, candidates)
    losses = odd + even
    order = losses.argsort()
    best = order[0]
    parameters = Reduced(*[part[best] for part in candidates])
    gap, floor = losses[best], infimum(setting)
    return LSAInfimum(
        risk=floor + gap,
        gap=gap,
        bound=gap_lower_bound(setting),
        spread=losses[order[-1]] - gap,
        hits=int((losses <= gap * (1 + 1e-6)).sum()),
        gradient=_gradient(setting, parameters, mixing),
        curvature=problem.curvature(p[best]).to(H),
        parameters=parameters,
        risks=floor + losses[order],
    )


def _gradient(setting: Setting, parameters: Reduced, mixing: bool) -> Tensor:
    """Largest entry of the exact risk's gradient in what may be trained."""
    r, *parts = [part.detach() for part in parameters]
    trained = [part.requires_grad_() for part in (parts if mixing else parts[:3])]
    with torch.enable_grad():
        slopes = torch.autograd.grad(risk(setting, Reduced(r, *parts)), trained)
    return torch.stack([slope.abs().amax() for slope in slopes]).amax()
