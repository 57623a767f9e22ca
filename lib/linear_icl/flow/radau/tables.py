"""Tables of the Radau IIA methods, collocation at the nodes 0 < c_1 < … < c_s = 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from ..collocation import chebyshev, gauss


@dataclass(frozen=True, eq=False)
class Radau:
    """Tables of the method on [0, 1]; the s − 1 complex eigenvalues come as one of each pair."""

    stages: int
    nodes: Tensor  # (s,)
    values: Tensor  # eigenvalues of A⁻¹, (1 + (s−1)/2,) complex, the real one first
    vectors: Tensor  # (s, 1 + (s−1)/2) complex, pairs doubled: Z = Re(vectors @ W)
    duals: Tensor  # (1 + (s−1)/2, s) complex: W = duals @ Z
    estimate: Tensor  # (s,): the error is (μ₀/h − J)⁻¹ (f₀ + Σ_i estimate_i z_i/h)
    modal: Tensor  # (s+1, s+1): values at 0, c_1 … c_s -> Chebyshev coefficients


@lru_cache
def radau(stages: int, device: torch.device | None = None) -> Radau:
    """The tables for an odd number of stages, built once per device."""
    k = torch.arange(stages - 1, dtype=torch.float64)
    beside = (k[1:] * (k[1:] + 1)).sqrt() / (2 * k[1:] + 1)
    jacobi = torch.diag(-1 / ((2 * k + 1) * (2 * k + 3)))
    jacobi = jacobi + torch.diag(beside, 1) + torch.diag(beside, -1)
    inner = (1 + torch.linalg.eigvalsh(jacobi)) / 2
    one = torch.ones(1, dtype=torch.float64)
    c = torch.cat([inner, one])
    lagrange = torch.linalg.inv(chebyshev(c, stages - 1))
    x, w = gauss(stages)
    A = torch.einsum("k,j,kjl->kl", c, w, chebyshev(c[:, None] * x, stages - 1) @ lagrange)
    inverse = torch.linalg.inv(A)
    values, vectors = torch.linalg.eig(inverse)
    duals = torch.linalg.inv(vectors)
    keep = torch.cat([values.imag.abs().argmin()[None], (values.imag > 1e-8).nonzero()[:, 0]])
    double = torch.full((len(keep),), 2.0, dtype=torch.float64)
    double[0] = 1.0
    # ŷ − y = γ₀hf₀ + Σ_i e_i hf(Y_i) with Σ_i e_i c_i^k = −γ₀δ_k0, and hf(Y) = A⁻¹z
    first = torch.zeros(stages, dtype=torch.float64)
    first[0] = -1.0
    e = torch.linalg.solve((c[:, None] ** torch.arange(stages)).mT, first)
    nodes = torch.cat([0 * one, c])
    tables = (
        c,
        values[keep],
        vectors[:, keep] * double,
        duals[keep],
        inverse.mT @ e,
        torch.linalg.inv(chebyshev(nodes, stages)),
    )
    return Radau(stages, *(table.to(device) for table in tables))
