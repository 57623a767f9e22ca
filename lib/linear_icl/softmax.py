"""Softmax attention with its four matrices: what linear attention simplifies."""

import torch
from torch import Tensor, nn

from . import _checks
from ._layers import parameter, tokens
from ._results import implements
from ._types import ArrayLike, Embedding, PerPrompt
from .prompts import PromptsLike, checked, embedding


@implements("def-softmax-attention")
class SoftmaxAttention(nn.Module):
    """One head of attention: f(E) = E + W_P W_V E softmax((W_K E)ᵀ(W_Q E)/ρ), without a mask.

    The softmax is taken over each column: token j attends to all tokens with weights that sum
    to 1. ρ is the number of context tokens, columns of E minus one, as in
    :class:`linear_icl.lsa.LinearSelfAttention`, which is this layer without the softmax, with
    W_KQ = W_KᵀW_Q and W_PV = W_P W_V.
    ``W_K``, ``W_Q`` (k, d+1), ``W_V`` (m, d+1), ``W_P`` (d+1, m) become parameters (copies).
    Raises ValueError for weights whose sizes do not fit.
    Zhang, Frei & Bartlett (2024), Section 3.2, the formula before (3.3); ρ > 0 is free there.
    """

    def __init__(self, W_K: ArrayLike, W_Q: ArrayLike, W_V: ArrayLike, W_P: ArrayLike) -> None:
        super().__init__()
        key = _checks.tensor("W_K", W_K, shape=("k", "d+1"))
        k, D = key.shape
        if k < 1 or D < 2:
            raise ValueError(
                f"W_K must have shape (k, d+1) with d, k >= 1, got {(k, D)}; "
                f"its last column reads the label"
            )
        query = _checks.tensor("W_Q", W_Q, shape=(k, D), like=("W_K", key))
        value = _checks.tensor("W_V", W_V, shape=("m", D), like=("W_K", key))
        out = _checks.tensor("W_P", W_P, shape=(D, value.shape[0]), like=("W_K", key))
        self.W_K, self.W_Q, self.W_V, self.W_P = map(parameter, (key, query, value, out))

    def scores(self, E: ArrayLike) -> Tensor:
        """(W_K E)ᵀ(W_Q E)/ρ before the softmax, (..., N+1, N+1): rows are keys, columns queries.

        Raises ValueError for another shape.
        """
        E = tokens(E, like=("W_K", self.W_K))
        return (self.W_K @ E).mT @ (self.W_Q @ E) / (E.shape[-1] - 1)

    def forward(self, E: ArrayLike) -> Embedding:
        """E (..., d+1, N+1) -> the same shape; [f(E)]_{d+1,N+1} is the prediction.

        Raises ValueError for another d or an empty context.
        """
        E = tokens(E, like=("W_K", self.W_K))
        attention = torch.softmax(self.scores(E), dim=-2)  # (..., N+1, N+1)
        return E + self.W_P @ (self.W_V @ E @ attention)

    def predict(self, prompts: PromptsLike) -> PerPrompt:
        """ŷ = [f(E)]_{d+1,N+1}, (B,), from the query's column alone: no (N+1)×(N+1) matrix.

        Raises ValueError if the prompts do not fit together or to the weights.
        """
        prompts = checked(prompts)
        d = self.W_K.shape[1] - 1
        _checks.tensor("x_query", prompts.x_query, shape=("B", d), like=("W_K", self.W_K))
        E = embedding(prompts)  # (B, d+1, N+1)
        query = self.W_Q @ E[..., -1:]  # (B, k, 1)
        key = (E.mT @ (self.W_K.mT @ query)).squeeze(-1)  # (B, N+1)
        attention = torch.softmax(key / prompts.x.shape[1], dim=-1)
        values = (self.W_P[-1] @ self.W_V) @ E  # (B, N+1), the last row of W_P W_V E
        return (values * attention).sum(-1)
