"""The loss on the slice with keys apart from queries: three factors instead of two."""

from __future__ import annotations

from .._types import ArrayLike, Batch, Matrix
from .product import ProductLandscape


class KeysApart:
    """ℓ(W_KᵀW_Q, u) for a :class:`ProductLandscape` ℓ(U, u), the landscape with merged weights.

    The state is (W_K, W_Q, u), shapes (*batch, d, d), (*batch, d, d) and (*batch), tensors. With
    G = ∂ℓ/∂U at U = W_KᵀW_Q the gradient is (W_Q Gᵀ, W_K G, ∂ℓ/∂u).
    The methods raise ValueError where those of ``merged`` do.
    """

    def __init__(self, merged: ProductLandscape) -> None:
        self.merged = merged

    def loss(self, W_K: Matrix, W_Q: Matrix, u: ArrayLike) -> Batch:
        """ℓ at the product, (*batch)."""
        return self.merged.loss(W_K.mT @ W_Q, u)

    def gap(self, W_K: Matrix, W_Q: Matrix, u: ArrayLike) -> Batch:
        """ℓ at the product, above its minimum, (*batch)."""
        return self.merged.gap(W_K.mT @ W_Q, u)

    def gradient(self, W_K: Matrix, W_Q: Matrix, u: ArrayLike) -> tuple[Matrix, Matrix, Batch]:
        """∂ℓ/∂W_K, ∂ℓ/∂W_Q and ∂ℓ/∂u, shaped like the state."""
        by_U, by_u = self.merged.gradient(W_K.mT @ W_Q, u)
        return W_Q @ by_U.mT, W_K @ by_U, by_u
