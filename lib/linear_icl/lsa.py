"""Linear self-attention: the layer, the weights it is trained to, its quadratic form."""

import torch
from torch import Tensor, nn

from . import _checks, _kernels
from ._kernels import dot
from ._layers import answered, attended, parameter, squares, tokens
from ._results import implements
from ._types import ArrayLike, Count, Embedding, Matrix, PerPrompt, Weights
from .prompts import PromptsLike, checked


@implements("def-gamma")
def gamma(covariance: ArrayLike, length: Count) -> Matrix:
    """Γ = (1 + 1/N)Λ + (tr Λ/N) I, shape (..., d, d); it commutes with Λ and E[S²] = ΓΛ.

    ``covariance`` Λ (..., d, d), ``length`` N the training length.
    Raises ValueError for an improper covariance or length.
    Zhang, Frei & Bartlett (2024), Theorem 4.1 (v1), Theorem 4 (JMLR).
    """
    Lambda = _checks.covariance("covariance", covariance)
    return _kernels.gamma(Lambda, _checks.length("length", length))


@implements("thm-limit")
def limit_weights(covariance: ArrayLike, length: Count) -> tuple[Weights, Weights]:
    """The limit (W_KQ, W_PV) of gradient flow, each (..., d+1, d+1).

    W_KQ = g^{-1/2} [[Γ⁻¹, 0], [0, 0]],  W_PV = g^{1/2} [[0, 0], [0, 1]],  g = ‖Γ⁻¹‖_F.
    Their product is what predicts; the split is the balanced one, u² = ‖U‖²_F.
    Raises ValueError for an improper covariance or length.
    Zhang, Frei & Bartlett (2024), (4.1) in Theorem 4.1 (v1), Theorem 4 (JMLR).
    """
    inverse = torch.linalg.inv(gamma(covariance, length))
    inverse = (inverse + inverse.mT) / 2  # inv returns it symmetric up to rounding only
    g = torch.linalg.matrix_norm(inverse)[..., None, None]
    W_KQ = nn.functional.pad(inverse / g.sqrt(), (0, 1, 0, 1))
    d = inverse.shape[-1]
    W_PV = nn.functional.pad(g.sqrt(), (d, 0, d, 0))
    return W_KQ, W_PV


@implements("prp-gradient-step")
def gradient_step_weights(preconditioner: ArrayLike) -> tuple[Weights, Weights]:
    """Weights (W_KQ, W_PV) whose layer predicts after one preconditioned gradient step.

    W_KQ = [[Pᵀ, 0], [0, 0]],  W_PV = [[0, 0], [0, 1]]:  ŷ = x_queryᵀ P (1/N) Σ y_i x_i, which is
    :func:`linear_icl.estimators.gradient_descent` with one step. P = ``preconditioner``
    (..., d, d); P = step_size I is von Oswald et al. (2023), P = Γ⁻¹ predicts as
    :func:`limit_weights` does, with another split between W_KQ and W_PV.
    Raises ValueError for anything but a square matrix.
    """
    P = _checks.tensor("preconditioner", preconditioner, shape=(..., "d", "d"))
    u, d = P.new_ones((*P.shape[:-2], 1, 1)), P.shape[-1]
    return nn.functional.pad(P.mT, (0, 1, 0, 1)), nn.functional.pad(u, (d, 0, d, 0))


def blocks(W_KQ: Tensor, W_PV: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """U (..., d, d), u_21 (..., d), u_12 (..., d), u (...): all that reaches the prediction.

    Views of the two weights, tensors of one shape (..., d+1, d+1), which are not checked here.
    """
    return W_KQ[..., :-1, :-1], W_KQ[..., -1, :-1], W_PV[..., -1, :-1], W_PV[..., -1, -1]


@implements("def-lsa")
class LinearSelfAttention(nn.Module):
    """One layer of linear self-attention: f(E) = E + W_PV E (Eᵀ W_KQ E)/ρ, without a mask.

    ``W_KQ``, ``W_PV`` (d+1, d+1) become parameters (copies). ρ is the number of context tokens,
    columns of E minus one: N in training, M at test. The query attends to itself.
    Raises ValueError for weights that are not two square matrices of one size.
    Zhang, Frei & Bartlett (2024), (3.3).
    """

    def __init__(self, W_KQ: ArrayLike, W_PV: ArrayLike) -> None:
        super().__init__()
        self.W_KQ, self.W_PV = map(parameter, squares(W_KQ=W_KQ, W_PV=W_PV))

    def forward(self, E: ArrayLike) -> Embedding:
        """E (..., d+1, N+1) -> the same shape; [f(E)]_{d+1,N+1} is the prediction.

        Raises ValueError for another d or an empty context.
        """
        E = tokens(E, like=("W_KQ", self.W_KQ))
        return E + attended(E, self.W_KQ, self.W_PV, masked=False)

    def predict(self, prompts: PromptsLike) -> PerPrompt:
        """ŷ = [u_12ᵀ u] (EEᵀ/N) [U; u_21ᵀ] x_query, (B,), in O(Nd + d²) per prompt.

        Raises ValueError if the prompts do not fit together or to the weights.
        Zhang, Frei & Bartlett (2024), (3.6).
        """
        prompts = checked(prompts)
        query, N = prompts.x_query, prompts.x.shape[1]
        U, u_21, u_12, u = blocks(self.W_KQ, self.W_PV)
        _checks.tensor("x_query", query, shape=("B", U.shape[0]), like=("W_KQ", self.W_KQ))
        itself = dot(query, query @ U.mT) * (query @ u_12)  # (B,): no mask
        return answered(prompts, U, u_21, u_12, u) + itself / N


@implements("lem-quadratic")
def quadratic_form(E: ArrayLike) -> Tensor:
    """H = ½ X ⊗ (EEᵀ/N), X = [[0, x_query], [x_queryᵀ, 0]]; the prediction is vecᵀ H vec.

    E (..., d+1, N+1) -> H (..., (d+1)², (d+1)²), for vec of :func:`reduced_vector`. H is
    indefinite: almost surely it has min(N, d) + 1 negative eigenvalues, the rank of EEᵀ, and as
    many positive.
    Raises ValueError for another shape or a label in the query column.
    Zhang, Frei & Bartlett (2024), Lemma 5.1 (v1), which says "at least d+1": true for N >= d.
    """
    E = tokens(E)
    if _checks.readable(E) and (E[..., -1, -1] != 0).any():
        raise ValueError(
            f"E must end in 0, the query's unknown label, got "
            f"{E[..., -1, -1].abs().max().item():.6g}; build it with prompts.embedding"
        )
    D = E.shape[-2]
    Z = E @ E.mT / (E.shape[-1] - 1)
    x = E[..., :, -1:]  # (..., d+1, 1): the query above its 0
    last = nn.functional.pad(x.new_ones((*x.shape[:-2], 1, 1)), (D - 1, 0))  # (..., 1, d+1)
    X = x @ last + (x @ last).mT
    H = torch.einsum("...ij,...kl->...ikjl", X, Z) / 2
    return H.reshape(*H.shape[:-4], D * D, D * D)


@implements("lem-quadratic")
def reduced_vector(W_KQ: ArrayLike, W_PV: ArrayLike) -> Tensor:
    """vec of [[U, u_12], [u_21ᵀ, u]] in column order, shape (..., (d+1)²).

    Row order is wrong here: it pairs with (EEᵀ/N) ⊗ X instead.
    Raises ValueError for weights that are not two square matrices of one size.
    Zhang, Frei & Bartlett (2024), Lemma 5.1 (v1).
    """
    U, u_21, u_12, u = blocks(*squares(..., W_KQ=W_KQ, W_PV=W_PV))
    columns = torch.cat([U, u_21.unsqueeze(-2)], dim=-2)  # (..., d+1, d)
    last = torch.cat([u_12, u.unsqueeze(-1)], dim=-1)  # (..., d+1)
    return torch.cat([columns.mT.flatten(-2), last], dim=-1)
