"""What the best GD-β loses to Bayes: the posterior mean, its exact excess, bounds on both."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from .. import _checks, estimators
from .._results import implements
from .._types import ArrayLike, Count, PerPrompt, Scalar
from ..prompts import Normal, PromptsLike, semidefinite_root
from ..settings import Setting, for_setting


@implements("cor-nearly-bayes")
@for_setting
def near_bayes_bounds(setting: Setting) -> tuple[Scalar, Scalar]:
    """Bounds (lower, upper) on the best excess min R - σ²: cm and m/c, m = Σ_i min(φ_i, τ/(M+1)).

    c = (M+2)/(2(M+1)), between ½ and ¾. Both are attained at every M: the lower one where every
    φ_i that is not 0 is τ/(M+1) (k equal φ and σ² = (M+1-k)φ), the upper one where τ is a single
    φ_1 (no noise and rank 1).
    Zhang, Wu & Bartlett (2024), Corollary 6.2, up to constants and for tr(HΨ) <= σ² times one.
    """
    M = setting.length
    m = setting.phi.minimum(setting.tau / (M + 1)).sum()
    c = (M + 2) / (2 * (M + 1))
    return c * m, m / c


@implements("lem-bayes-risk")
@for_setting
def bayes(prompts: PromptsLike, setting: Setting) -> PerPrompt:
    """The posterior mean of β̃ᵀx_query, (B,): no function of the prompt has a lower risk.

    ŷ = ⟨β* + Ψ^½(Ψ^½XᵀXΨ^½ + σ²I)⁻¹Ψ^½Xᵀ(y - Xβ*), x_query⟩, :func:`linear_icl.estimators.bayes`.
    Raises ValueError if the prompts do not fit the setting.
    Zhang, Wu & Bartlett (2024), Lemma 6.1.
    """
    return estimators.bayes(
        prompts,
        noise_variance=setting.noise_variance,
        task_mean=setting.beta_star,
        task_covariance=setting.Psi,
    )


@implements("lem-bayes-risk")
@for_setting
def posterior_variance(setting: Setting, x: ArrayLike) -> PerPrompt:
    """tr(HΨ^½(Ψ^½XᵀXΨ^½/σ² + I)⁻¹Ψ^½), (B,): Bayes' risk given the covariates, less σ².

    For a regular Ψ it is tr(H(XᵀX/σ² + Ψ⁻¹)⁻¹); σ² = 0 is the limit σ² -> 0, the part of Ψ that
    the context leaves open. x (B, M, d), any M. Raises ValueError for another d.
    Zhang, Wu & Bartlett (2024), Lemma 6.1, where it is bounded with high probability.
    """
    s = setting
    x = _checks.tensor("x", x, shape=("B", "M", s.dim), like=("setting.H", s.H))
    root = semidefinite_root(s.Psi)
    triangle = torch.linalg.qr(x @ root, mode="r").R  # (B, min(M, d), d), same Gram
    _, singular, rows = torch.linalg.svd(triangle, full_matrices=True)
    pad = s.dim - singular.shape[-1]
    singular = torch.nn.functional.pad(singular, (0, pad))
    floor = max(x.shape[-2:]) * torch.finfo(x.dtype).eps * singular[:, :1]
    seen = singular > floor
    shrunk = s.noise_variance / (singular.square() + s.noise_variance).where(seen, 1)
    weight = (rows @ root @ s.root).square().sum(-1)  # (B, d)
    return (shrunk.where(seen, 1) * weight).sum(-1)


@implements("lem-bayes-risk")
@for_setting
def bayes_excess(
    setting: Setting, length: Count | None = None
) -> Callable[[int, torch.Generator], Tensor]:
    """A draw for :func:`linear_icl.montecarlo.estimate` whose mean is Bayes' risk less σ².

    ``draw(size, generator)`` gives :func:`posterior_variance`, (size,), of fresh covariates of
    ``length`` examples (M of the setting if None): task and noise are integrated out exactly.
    Raises ValueError for a length below 1.
    """
    M = setting.length if length is None else _checks.length("length", length)

    def draw(size: int, generator: torch.Generator) -> Tensor:
        normal = Normal(setting.H, generator)(size, M, setting.dim)
        return posterior_variance(setting, normal @ setting.root)

    return draw


@implements("lem-bayes-risk", "cor-nearly-bayes")
@for_setting
def bayes_lower_bound(setting: Setting) -> Scalar:
    """Σ_i φ_iσ²/(Mφ_i + σ²) <= E tr(H(XᵀX/σ² + Ψ⁻¹)⁻¹), by Jensen: A -> A⁻¹ is convex.

    For every M the best excess of GD-β is at most (1 + 2tr(HΨ)/σ²) times this: term by term,
    (φ+τ)/((M+1)φ+τ) <= (φ+τ)/(Mφ+σ²) and φ + τ <= 2tr(HΨ) + σ².
    """
    phi, noise = setting.phi, setting.noise_variance
    below = setting.length * phi + noise
    return (phi * noise / below.where(below > 0, 1)).sum()
