"""What the layers share: checked weights and tokens, the map of the tokens, its fast prediction."""

from __future__ import annotations

from types import EllipsisType

from torch import Tensor, nn

from . import _checks
from ._kernels import times
from ._types import ArrayLike
from .prompts import Prompts


def squares(
    *lead: str | EllipsisType, like: _checks.Like | None = None, **weights: ArrayLike
) -> tuple[Tensor, ...]:
    """Weights of one shape (*lead, d+1, d+1), d >= 1, as tensors; a ValueError names the wrong one.

    ``lead`` is ``...`` for any batch axes, or letters for axes that must be there.
    """
    (name, given), *others = weights.items()
    first = _checks.tensor(name, given, shape=(*lead, "d+1", "d+1"), like=like)
    stack = 0 if ... in lead else len(lead)
    if first.shape[-1] < 2 or 0 in first.shape[:stack]:
        axes = ", ".join(["..." if axis is ... else str(axis) for axis in lead] + ["d+1", "d+1"])
        raise ValueError(
            f"{name} must have shape ({axes}) with d >= 1, got {tuple(first.shape)}; "
            f"the last row and column belong to the label"
        )
    shape, like = tuple(first.shape), (name, first)
    return first, *(_checks.tensor(n, value, shape=shape, like=like) for n, value in others)


def parameter(value: Tensor) -> nn.Parameter:
    """A copy that is trained; the tensor it comes from stays as it is."""
    return nn.Parameter(value.detach().clone())


def tokens(E: ArrayLike, *, like: _checks.Like | None = None) -> Tensor:
    """E (..., d+1, N+1) with d, N >= 1, as a tensor; ``like`` is a weight with d+1 columns."""
    D = "d+1" if like is None else like[1].shape[-1]
    result = _checks.tensor("E", E, shape=(..., D, "N+1"), like=like)
    if result.shape[-1] < 2 or result.shape[-2] < 2:
        raise ValueError(
            f"E must have shape (..., d+1, N+1) with d, N >= 1, got {tuple(result.shape)}; "
            f"the last column is the query"
        )
    return result


def attended(E: Tensor, W_KQ: Tensor, W_PV: Tensor, *, masked: bool) -> Tensor:
    """W_PV E D Eᵀ W_KQ E/N, D = I, or diag(1, …, 1, 0) if no token reads the query's; O(Nd²)."""
    read = E[..., :-1] if masked else E
    moment = read @ read.mT / (E.shape[-1] - 1)  # (..., d+1, d+1)
    return W_PV @ moment @ W_KQ @ E


def answered(prompts: Prompts, W: Tensor, w: Tensor, v: Tensor, c: Tensor) -> Tensor:
    """(1/N) Σ_i (vᵀx_i + c y_i)(x_iᵀWx + y_i wᵀx), x the query, (B,), in O(Nd + d²) a prompt.

    Reads the product from the right, a score per token; no (N+1)×(N+1) matrix.
    """
    x, y, query, _ = prompts
    scores = times(x, query @ W.mT) + y * (query @ w).unsqueeze(-1)  # (B, N)
    return (scores * (x @ v + c * y)).mean(-1)
