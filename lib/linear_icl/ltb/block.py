"""The token-level block with its mask, and the five parameters that reach its prediction."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from .. import _checks
from .._layers import answered, attended, parameter, squares, tokens
from .._results import implements
from .._types import ArrayLike, Embedding, PerPrompt, Weights
from ..prompts import PromptsLike, checked


class Reduced(NamedTuple):
    """All that reaches the prediction: r, u_12, u_21 (..., d), u (...), U (..., d, d).

    ŷ = rᵀx + (1/M) Σ_i (u₁₂ᵀx_i + u y_i)(x_iᵀUx + y_i u₂₁ᵀx), x the query. The block paper writes
    (r, v, c, W, w) for (r, u₁₂, u, U, u₂₁).
    """

    r: Tensor
    u_12: Tensor
    u: Tensor
    U: Tensor
    u_21: Tensor


#: Passes the argument ``block`` only if it is one, before the function runs.
for_block = _checks.judged(
    "block", Reduced, "a Reduced", "write net.reduced(), or ltb.Reduced(r, u_12, u, U, u_21)"
)


@implements("lem-ltb-reduced")
def reduced(W_21: ArrayLike, W_KQ: ArrayLike, W_PV: ArrayLike) -> Reduced:
    """(r, u₁₂, u, U, u₂₁) of weights (..., d+1, d+1) with the same leading batch axes.

    The order is that of every layer here, W_KQ before W_PV, after the MLP that only a block has.

    (rᵀ, s) is the last row of W_21, (U; u₂₁ᵀ) the first d columns of W_KQ, and (u₁₂ᵀ, u) =
    (rᵀ, s) W_PV. W_21 = I is attention alone: r = 0, s = 1.
    Raises ValueError for weights that are not square, of one size and one batch.
    Zhang, Wu & Bartlett (2024), (B.1) and (D.1).
    """
    return _reduced(*squares(..., W_21=W_21, W_KQ=W_KQ, W_PV=W_PV))


def _reduced(W_21: Tensor, W_KQ: Tensor, W_PV: Tensor) -> Reduced:
    last = W_21[..., -1, :]
    values = (last.unsqueeze(-2) @ W_PV).squeeze(-2)  # (..., d+1)
    return Reduced(
        last[..., :-1], values[..., :-1], values[..., -1], W_KQ[..., :-1, :-1], W_KQ[..., -1, :-1]
    )


@implements("def-ltb")
class LinearTransformerBlock(nn.Module):
    """f(E) = W_21 (E + W_PV E Mask (Eᵀ W_KQ E)/M), Mask = diag(1, …, 1, 0).

    No token reads the query's. ``W_21`` = W_2ᵀW_1 (the linear MLP), ``W_KQ`` = W_KᵀW_Q and
    ``W_PV`` = W_PᵀW_V, each (d+1, d+1), become parameters (copies). M is the number of context
    tokens, columns of E minus one. With W_21 = I it is linear self-attention
    (:meth:`attention_only`), which equals :class:`linear_icl.lsa.LinearSelfAttention`, a layer
    without mask, exactly if u₁₂ = 0 or the symmetric part of U is: there the query adds its own
    (u₁₂ᵀx)(xᵀUx)/M.
    Raises ValueError for weights that are not three square matrices of one size.
    Zhang, Wu & Bartlett (2024), (3.2) to (3.4).
    """

    def __init__(self, W_21: ArrayLike, W_KQ: ArrayLike, W_PV: ArrayLike) -> None:
        super().__init__()
        weights = squares(W_21=W_21, W_KQ=W_KQ, W_PV=W_PV)
        self.W_21, self.W_KQ, self.W_PV = map(parameter, weights)

    @classmethod
    def attention_only(cls, W_KQ: ArrayLike, W_PV: ArrayLike) -> LinearTransformerBlock:
        """The block without its MLP: W_21 = I, which no training changes."""
        keys = _checks.tensor("W_KQ", W_KQ, shape=("d+1", "d+1"))
        block = cls(torch.eye(keys.shape[-1]).to(keys), keys, W_PV)
        block.W_21.requires_grad_(False)
        return block

    def forward(self, E: ArrayLike) -> Embedding:
        """E (..., d+1, M+1) -> the same shape; [f(E)]_{-1,-1} is the prediction.

        Raises ValueError for another d or an empty context.
        """
        E = tokens(E, like=("W_21", self.W_21))
        return self.W_21 @ (E + attended(E, self.W_KQ, self.W_PV, masked=True))

    @implements("lem-ltb-reduced")
    def predict(self, prompts: PromptsLike) -> PerPrompt:
        """ŷ, (B,), in O(Md + d²) per prompt: the attention matrix is never formed.

        Raises ValueError if the prompts do not fit together or to the weights.
        """
        prompts = checked(prompts)
        r, u_12, u, U, u_21 = self.reduced()
        query = _checks.tensor("x_query", prompts.x_query, shape=("B", len(r)), like=("W_21", r))
        return query @ r + answered(prompts, U, u_21, u_12, u)

    def reduced(self) -> Reduced:
        """(r, u₁₂, u, U, u₂₁) of the present weights, with their gradients."""
        return _reduced(self.W_21, self.W_KQ, self.W_PV)


@implements("lem-gd-beta-block")
def weights_for_gd_beta(beta: ArrayLike, A: ArrayLike) -> tuple[Weights, Weights, Weights]:
    """(W_21, W_KQ, W_PV) whose block is GD-β, ŷ = ⟨β - AXᵀ(Xβ - y)/M, x⟩.

    W_21 = [[I, 0], [βᵀ, 1]], W_KQ = [[Aᵀ, 0], [0, 0]], W_PV = [[0, 0], [-βᵀ, 1]], each
    (..., d+1, d+1): so r = β, u₁₂ = -β, u = 1, U = Aᵀ, u₂₁ = 0. ``beta`` (..., d),
    ``A`` (..., d, d) with the same batch axes. The MLP stores β.
    Raises ValueError for shapes that do not fit.
    Zhang, Wu & Bartlett (2024), Lemma 5.1, which writes Γ for A.
    """
    beta = _checks.tensor("beta", beta, shape=(..., "d"))
    d = beta.shape[-1]
    A = _checks.tensor("A", A, shape=(*beta.shape, d), like=("beta", beta))
    one = beta.new_ones((*beta.shape[:-1], 1))
    W_PV = pad(torch.cat([-beta, one], dim=-1).unsqueeze(-2), (0, 0, d, 0))
    stored = pad(beta.unsqueeze(-2), (0, 1, d, 0))  # β below a zero block
    return torch.eye(d + 1).to(beta) + stored, pad(A.mT, (0, 1, 0, 1)), W_PV
