"""In-context learners that are not trained: each maps prompts to predictions (B,)."""

import torch
from torch import Tensor

from ._results import implements
from ._types import PerPrompt
from .prompts import PromptsLike, checked


@implements("def-ols")
def ols(prompts: PromptsLike) -> PerPrompt:
    """Least squares: ŷ = x_queryᵀ X⁺ y, the solution of minimum norm when N < d, shape (B,).

    X (N, d) holds the covariates as rows; without noise and with N >= d it recovers w exactly.
    Singular values below max(N, d) eps of the largest count as zero.
    Raises ValueError if the prompts do not fit together.
    """
    x, y, x_query, _ = checked(prompts)
    w: Tensor = (torch.linalg.pinv(x) @ y.unsqueeze(-1)).squeeze(-1)  # (B, d)
    return (x_query * w).sum(-1)
