"""The estimator GD-β, its exact risk, its optimum with all minimisers, and GD-0."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import ArrayLike, Batch, PerPrompt
from ..prompts import PromptsLike, checked
from ..settings import Setting, for_setting
from .landscape import Landscape


class Optimum(NamedTuple):
    """The best start β (d,), matrix step A (d, d) and their risk, against the noisy label."""

    beta: Tensor
    A: Tensor
    risk: Tensor

    def predict(self, prompts: PromptsLike) -> PerPrompt:
        """ŷ of one step from β with A, shape (B,): :func:`estimator`."""
        return estimator(prompts, self.beta, self.A)


@implements("def-gd-beta")
def estimator(prompts: PromptsLike, beta: ArrayLike, A: ArrayLike) -> PerPrompt:
    """ŷ = ⟨β - AXᵀ(Xβ - y)/M, x_query⟩, shape (B,).

    One step from β (d,) on (1/2M)‖Xv - y‖², with the matrix step A (d, d), symmetric or not. M is
    the length of these prompts. β = 0 is :func:`linear_icl.estimators.gradient_descent`, one step.
    Raises ValueError for prompts, a β or an A that do not fit together.
    Zhang, Wu & Bartlett (2024), (5.1).
    """
    x, y, x_query, _ = checked(prompts)
    d = x.shape[-1]
    beta = _checks.tensor("beta", beta, shape=(d,), like=("x", x))
    A = _checks.tensor("A", A, shape=(d, d), like=("x", x))
    slope = ((x @ beta - y).unsqueeze(-2) @ x).squeeze(-2) / x.shape[1]  # (B, d)
    return (x_query * (beta - slope @ A.mT)).sum(-1)


@implements("prp-gd-beta-risk")
@for_setting
def risk(setting: Setting, beta: ArrayLike, A: ArrayLike) -> Batch:
    """R(β, A) = E(ŷ - y_query)², against the noisy label, shape (*batch): :class:`Landscape`.

    β (*batch, d), A (*batch, d, d). The length is the test length: the optimum of one setting has
    its risk on prompts of length M by ``risk(setting.replace(length=M), *optimum(setting)[:2])``.
    Raises ValueError for a state that does not fit. Zhang, Wu & Bartlett (2024), Appendix C.
    """
    return Landscape(setting).loss(beta, A)


@implements("cor-gd-excess")
@for_setting
def excess(setting: Setting, beta: ArrayLike, A: ArrayLike) -> Batch:
    """R(β, A) - min R as a sum of squares, shape (*batch): :meth:`Landscape.gap`."""
    return Landscape(setting).gap(beta, A)


@implements("thm-gd-beta-best")
@for_setting
def optimum(setting: Setting) -> Optimum:
    """The best GD-β: β*, A* = ΨH^½Ω⁻¹H^{-½} (pseudo-inverse), min R.

    For regular H and Ψ, A* = (((M+1)/M)H + (τ/M)Ψ⁻¹)⁻¹, symmetric: the matrix of the Bayes rule
    with (M+1)H for XᵀX and τ for σ². For M -> ∞ it is H⁻¹ and the step is Newton's.
    All minimisers: β* + null H, A* + {Z : HZH = 0}; the nearest is :meth:`Landscape.limit`.
    Zhang, Wu & Bartlett (2024), Theorem 5.2, (5.3), which needs τ > 0.
    """
    best = Landscape(setting)
    return Optimum(setting.beta_star, best.step @ setting.image, best.minimum)


@implements("prp-gd-zero")
@for_setting
def gd_zero(setting: Setting) -> Optimum:
    """The best GD-0: β = 0 and the A that is best for it, with its risk.

    The task β* + δ enters the risk of β = 0 by its second moment Ψ + β*β*ᵀ alone, so A is
    the optimum of the setting with mean 0 and that covariance. The risk is at least
    min R + 2‖β*‖²_H/(M+2).
    Zhang, Wu & Bartlett (2024), Section 5.
    """
    mean = setting.beta_star
    second = setting.Psi + mean[:, None] * mean
    return optimum(setting.replace(Psi=second, beta_star=torch.zeros_like(mean)))
