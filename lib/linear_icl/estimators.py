"""In-context learners that are not trained: each maps prompts to predictions (B,)."""

import torch
from torch import Tensor

from . import _checks
from ._kernels import times
from ._results import implements
from ._types import ArrayLike, Count, PerPrompt
from .prompts import PromptsLike, checked, semidefinite_root


@implements("def-ols")
def ols(prompts: PromptsLike) -> PerPrompt:
    """Least squares: ŷ = x_queryᵀ X⁺ y, the solution of minimum norm when N < d, shape (B,).

    X (N, d) holds the covariates as rows; without noise it recovers w exactly if X has rank d.
    Singular values below max(N, d) eps of the largest count as zero.
    Raises ValueError if the prompts do not fit together.
    """
    x, y, x_query, _ = checked(prompts)
    w: Tensor = times(torch.linalg.pinv(x), y)  # (B, d)
    return (x_query * w).sum(-1)


@implements("def-estimators")
def zero(prompts: PromptsLike) -> PerPrompt:
    """ŷ = 0, the learner that ignores its context, shape (B,); its risk is E y_query².

    Raises ValueError if the prompts do not fit together.
    """
    x_query = checked(prompts).x_query
    return x_query.new_zeros(x_query.shape[0])


@implements("def-estimators")
def averaging(prompts: PromptsLike) -> PerPrompt:
    """ŷ = x_queryᵀ (1/M) Σ y_i x_i, shape (B,): for Λ = I an unbiased estimate of w.

    M is the length of these prompts. One gradient step of size 1 from v = 0 predicts the same.
    Raises ValueError if the prompts do not fit together.
    """
    x, y, x_query, _ = checked(prompts)
    return (x_query * _average(x, y)).sum(-1)


@implements("def-estimators")
def ridge(prompts: PromptsLike, penalty: ArrayLike) -> PerPrompt:
    """ŷ = x_queryᵀ (XᵀX + penalty I)⁻¹ Xᵀy, shape (B,); penalty 0 means :func:`ols`.

    ``penalty`` >= 0, a number on the scale of the sum XᵀX, not of the mean XᵀX/M.
    Raises ValueError for a negative penalty or prompts that do not fit together.
    """
    x, y, x_query, _ = checked(prompts)
    penalty = _checks.nonnegative("penalty", penalty, shape=(), like=("x", x))
    return (x_query * _shrunk(x, y, penalty)).sum(-1)


@implements("def-estimators")
def bayes(
    prompts: PromptsLike,
    *,
    noise_variance: ArrayLike,
    task_mean: ArrayLike | None = None,
    task_covariance: ArrayLike | None = None,
) -> PerPrompt:
    """The posterior mean of wᵀx_query for w ~ N(m, Ψ) and noise N(0, σ²), shape (B,).

    ŷ = x_queryᵀ(m + Ψ^½ (Ψ^½XᵀXΨ^½ + σ²I)⁻¹ Ψ^½Xᵀ(y - Xm)): of all functions of the context and
    the query the one of least squared error, for any law of the covariates that does not depend on
    w. σ² = 0 is the limit σ² → 0, where the inverse is a pseudo-inverse.
    ``noise_variance`` σ² >= 0; ``task_mean`` m (d,), default 0; ``task_covariance`` Ψ (d, d)
    positive semidefinite, default I, for which this is :func:`ridge` with penalty σ².
    Raises ValueError for improper arguments or prompts that do not fit together.
    Zhang, Wu & Bartlett (2024), Lemma 6.1.
    """
    x, y, x_query, _ = checked(prompts)
    d = x.shape[-1]
    noise = _checks.nonnegative("noise_variance", noise_variance, shape=(), like=("x", x))
    m = x.new_zeros(d) if task_mean is None else task_mean
    m = _checks.tensor("task_mean", m, shape=(d,), like=("x", x))
    if task_covariance is None:
        w = m + _shrunk(x, y - x @ m, noise)
    else:
        Psi = _checks.covariance(
            "task_covariance", task_covariance, shape=(d, d), like=("x", x), semidefinite=True
        )
        root = semidefinite_root(Psi)
        w = m + _shrunk(x @ root, y - x @ m, noise) @ root  # (B, d)
    return (x_query * w).sum(-1)


@implements("def-estimators")
def gradient_descent(
    prompts: PromptsLike,
    steps: Count,
    *,
    step_size: ArrayLike | None = None,
    preconditioner: ArrayLike | None = None,
) -> PerPrompt:
    """ŷ = x_queryᵀv_k after k gradient steps on (1/2M) Σ (y_i - vᵀx_i)² from v_0 = 0, shape (B,).

    v_{t+1} = v_t + P (1/M) Σ (y_i - v_tᵀx_i) x_i, with P = ``preconditioner`` (d, d), symmetric or
    not, or P = ``step_size`` I. M is the length of these prompts. Without preconditioner it
    converges to :func:`ols` for 0 < step_size < 2/λ_max(XᵀX/M); above it grows without bound in
    general.
    Raises ValueError unless exactly one of the two is given, or for prompts that do not fit.
    von Oswald et al. (2023): one step is what linear attention can do.
    """
    x, y, x_query, _ = checked(prompts)
    k, d = _checks.length("steps", steps), x.shape[-1]
    _checks.exactly_one(
        "gradient_descent",
        "write e.g. step_size=0.1",
        step_size=step_size,
        preconditioner=preconditioner,
    )
    if step_size is not None:
        P = _checks.positive("step_size", step_size, shape=(), like=("x", x)) * torch.eye(d).to(x)
    elif preconditioner is not None:
        P = _checks.tensor("preconditioner", preconditioner, shape=(d, d), like=("x", x))
    S, target = x.mT @ x / x.shape[1], _average(x, y)
    v = target @ P.mT  # (B, d), the first step
    for _ in range(k - 1):
        v = v + (target - times(S, v)) @ P.mT
    return (x_query * v).sum(-1)


def conjugate_gradient(prompts: PromptsLike, steps: Count) -> PerPrompt:
    """ŷ = x_queryᵀv_k after k conjugate gradient steps for Sv = m from v_0 = 0, shape (B,).

    S = XᵀX/M and m = Xᵀy/M. Of all v = p(S)m with a polynomial p of degree below k, v_k has the
    least squared error on the prompt's own examples; so its steps adapt to the prompt. It is
    :func:`ols` after as many steps as S has different positive eigenvalues, and then rests.
    Raises ValueError for steps below 1, or for prompts that do not fit.
    Hestenes and Stiefel (1952).
    """
    x, y, x_query, _ = checked(prompts)
    S, residual = x.mT @ x / x.shape[1], _average(x, y)
    v, direction, size = torch.zeros_like(residual), residual, residual.norm(dim=-1, keepdim=True)
    eps, scale = max(x.shape[-2:]) * torch.finfo(x.dtype).eps, size
    reach = S.diagonal(dim1=-2, dim2=-1).sum(-1, keepdim=True)
    for _ in range(_checks.length("steps", steps)):
        left = size > eps * (scale + reach * v.norm(dim=-1, keepdim=True))  # else it has arrived
        turned = times(S, direction)
        bend = (direction * turned).sum(-1, keepdim=True).where(left, 1)
        pace = torch.where(left, size**2 / bend, 0)
        v, residual = v + pace * direction, residual - pace * turned
        last, size = size.where(left, 1), residual.norm(dim=-1, keepdim=True)
        direction = residual + torch.where(left, (size / last) ** 2, 0) * direction
    return (x_query * v).sum(-1)


def _average(x: Tensor, y: Tensor) -> Tensor:
    """(1/M) Σ y_i x_i, (B, d)."""
    return (y.unsqueeze(-2) @ x).squeeze(-2) / x.shape[1]


def _shrunk(x: Tensor, y: Tensor, penalty: Tensor) -> Tensor:
    """(xᵀx + penalty I)⁻¹ xᵀy, (B, d), from x = P diag(s) Qᵀ, which does not square the condition.

    s below max(N, d) eps of the largest count as zero, so that penalty → 0 ends at penalty = 0.
    """
    P, s, Qt = torch.linalg.svd(x, full_matrices=False)
    floor = max(x.shape[-2:]) * torch.finfo(x.dtype).eps * s[..., :1]
    factor = torch.where(s > floor, s / (s * s + penalty).where(s > floor, 1), 0)
    along = times(P.mT, y)  # (B, min(N, d))
    return times(Qt.mT, factor * along)
