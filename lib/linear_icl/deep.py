"""Several layers of linear self-attention: what the layers can compute together."""

from __future__ import annotations

import torch
from torch import nn

from . import _checks
from ._layers import attended, parameter, squares, tokens
from ._results import implements
from ._types import ArrayLike, Batch, Embedding, PerPrompt, Vector, Weights
from .prompts import PromptsLike, embedding


@implements("def-deep")
class LinearTransformer(nn.Module):
    """L layers E ← E + W_PV E D Eᵀ W_KQ E/M with D = diag(I_M, 0): the query is not attended to.

    ``W_KQ``, ``W_PV`` (L, d+1, d+1) become parameters (copies), one pair a layer. M is the number
    of context tokens, columns of E minus one. The lower right entry of E starts at 0 and ends at
    minus the prediction: the label row holds what is still unexplained.
    Raises ValueError for weights that are not two stacks of square matrices of one shape.
    Ahn, Cheng, Daneshmand & Sra (2023), Section 2.
    """

    def __init__(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> None:
        super().__init__()
        self.W_KQ, self.W_PV = map(parameter, squares("L", W_KQ=W_KQ, W_PV=W_PV))

    def forward(self, E: ArrayLike) -> Embedding:
        """E (..., d+1, M+1) -> the same shape after all layers; O(M d²) a layer.

        Raises ValueError for another d or an empty context.
        """
        E = tokens(E, like=("W_KQ", self.W_KQ))
        for W_KQ, W_PV in zip(self.W_KQ, self.W_PV, strict=True):
            E = E + attended(E, W_KQ, W_PV, masked=True)
        return E

    def predict(self, prompts: PromptsLike) -> PerPrompt:
        """ŷ = −[E_L]_{d+1, M+1}, (B,). Raises ValueError if the prompts do not fit."""
        return -self(embedding(prompts))[..., -1, -1]


@implements("prp-deep-steps")
def descent_weights(preconditioners: ArrayLike) -> tuple[Weights, Weights]:
    """(W_KQ, W_PV), each (L, d+1, d+1): L preconditioned gradient steps, one a layer.

    W_KQ = [[−A_l, 0], [0, 0]],  W_PV = [[0, 0], [0, 1]].

    The prediction is x_qᵀv_L with v_0 = 0 and v_{l+1} = v_l + A_lᵀ(1/M)Σ(y_i − v_lᵀx_i)x_i:
    gradient descent on the context. ``preconditioners`` A, (L, d, d), one matrix a layer.
    Raises ValueError for anything but a stack of square matrices.
    Ahn, Cheng, Daneshmand & Sra (2023), Lemma 1.
    """
    A = _checks.tensor("preconditioners", preconditioners, shape=("L", "d", "d"))
    if not len(A):
        raise ValueError("preconditioners must be of one layer at least, got none; give (L, d, d)")
    W_KQ = nn.functional.pad(-A, (0, 1, 0, 1))
    W_PV = torch.zeros_like(W_KQ)
    W_PV[:, -1, -1] = 1
    return W_KQ, W_PV


class PlainSteps:
    """Risk of n steps with multiples of I: R(a_1, …, a_n) = Σ_k mass_k Π_l (1 − a_l s_k)².

    ``at`` s and ``mass`` (K,): the variances of the contexts, and what each counts for, which are
    E tr[Λφ(S)] = Σ_k mass_k φ(s_k). A landscape; the state is (a,), a (*batch, n).
    Raises ValueError for places and masses of two lengths, or negative ones.
    """

    def __init__(self, at: ArrayLike, mass: ArrayLike) -> None:
        self.at = _checks.nonnegative("at", at, shape=("K",))
        shape = tuple(self.at.shape)
        self.mass = _checks.nonnegative("mass", mass, shape=shape, like=("at", self.at))

    def loss(self, a: ArrayLike) -> Batch:
        """R, (*batch)."""
        a = _checks.tensor("a", a, shape=(..., "n"), like=("at", self.at))
        return (1 - a[..., None] * self.at).prod(-2).square() @ self.mass

    def gradient(self, a: ArrayLike) -> tuple[Vector]:
        """(∂R/∂a_l), shaped like a: −2 Σ_k mass_k s_k Π_j(1 − a_j s_k) Π_{j≠l}(1 − a_j s_k)."""
        a = _checks.tensor("a", a, shape=(..., "n"), like=("at", self.at))
        factors = 1 - a[..., None] * self.at  # (*batch, n, K)
        others = torch.stack(
            [factors[..., torch.arange(a.shape[-1]) != k, :].prod(-2) for k in range(a.shape[-1])],
            dim=-2,
        )
        both = factors.prod(-2, keepdim=True) * others
        return (-2 * both @ (self.at * self.mass),)
