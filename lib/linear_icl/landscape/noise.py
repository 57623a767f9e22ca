"""The noise of stochastic gradients at the minimum, exact; sampled, its error bar means nothing."""

import numpy as np
import torch
from torch import Tensor

from .. import _checks
from .._kernels import quartic, sextic
from .._results import implements
from .._types import ArrayLike, Count, Scalar
from ..lsa import blocks, limit_weights

LARGEST = 3  # the quadrature has 1125 nodes for d = 2, 421 875 for d = 3


def gradient_noise(covariance: ArrayLike, length: Count) -> Scalar:
    """E|g|² at Theorem 4.1's limit, g the gradient of one prompt's loss ½(ŷ - wᵀx_q)².

    E[g] = 0 there, so E|g|² is the trace of the covariance C of g. The loss of each prompt does not
    change along (sW_KQ, W_PV/s) and in the entries that do not reach ŷ, so g has no part there, and
    tr(PC) = trC for the projection P on the range of the Hessian.

    The sum of the two parts of :func:`noise_by_block`, whose arguments and errors it has. Returns a
    0-dimensional tensor.
    """
    of_keys, of_values = noise_by_block(covariance, length)
    return of_keys + of_values


@implements("prp-noise-drift")
def noise_by_block(covariance: ArrayLike, length: Count) -> tuple[Scalar, Scalar]:
    """E|∂W_KQ|² and E|∂W_PV|² of one prompt's loss ½(ŷ - wᵀx_q)², at Theorem 4.1's limit.

    A step η from (W_KQ/r, rW_PV), on the mean of n independent prompts' losses, changes
    |W_KQ|² - |W_PV|² in the mean by η²/n (r² E|∂W_KQ|² - E|∂W_PV|²/r²).

    With b = (uSU - I)x_q, v = SUx_q and r = ŷ - wᵀx_q = wᵀb the parts of the gradient are

      ∂U = ru Sw x_qᵀ,   ∂u_21 = ru (wᵀSw) x_q,   ∂u_12 = r(v + x_q(x_qᵀUx_q)/N),   ∂u = r wᵀv.

    Isserlis over w ~ N(0, I), with T = tr(S²)I + 2S² = E[|Sw|² wwᵀ] and X = E[(wᵀSw)² wwᵀ]:

      E_w|∂W_KQ|² = u²|x_q|² bᵀ(T + X)b,
      E_w|∂W_PV|² = |b|²|v + x_q(x_qᵀUx_q)/N|² + |b|²|v|² + 2(bᵀv)².

    These are polynomials, of degree 8 in x_q and 4 in S. x_q = Λ^½z and S = Λ^½AAᵀΛ^½/N with
    Bartlett's A, lower trapezoidal: A_jj² is chi-squared with N - j + 1 degrees of freedom, the
    entries below are normal. S does not change with the sign of a column of A, so only even powers
    of A_jj survive. Gauss-Hermite with 5 and Gauss-Laguerre with 3 nodes in each are exact.

    ``covariance`` Λ (d, d) with d at most 3, ``length`` N. Returns two 0-dimensional tensors.
    Raises ValueError for improper arguments.
    """
    Lambda = _checks.covariance("covariance", covariance, shape=("d", "d"))
    N, d = _checks.length("length", length), Lambda.shape[0]
    if d > LARGEST:
        raise ValueError(
            f"covariance must have at most {LARGEST} rows, got {d}; the quadrature has "
            f"3^d 5^(d(d+1)/2) nodes; pass the leading block of a diagonal covariance"
        )
    U, _, _, u = blocks(*limit_weights(Lambda, N))
    root, identity = torch.linalg.cholesky(Lambda), torch.eye(d).to(Lambda)
    z, mass = _normals(d)
    A, wishart_mass = _bartlett(d, N)
    x, half = z.to(Lambda) @ root.mT, root @ A.to(Lambda)  # (n, d), (m, d, d)
    S = half @ half.mT / N
    b, v = x @ (u * S @ U - identity).mT, x @ (S @ U).mT  # (m, n, d)
    fourth = quartic(identity, S @ S) + sextic(identity, S, S)  # T + X
    moved = v + x * (x @ U.mT * x).sum(-1, keepdim=True) / N
    of_keys = u**2 * _square(x) * (b @ fourth * b).sum(-1)
    of_values = _square(b) * (_square(moved) + _square(v)) + 2 * (b * v).sum(-1) ** 2
    keys, values = (
        wishart_mass.to(Lambda) @ each @ mass.to(Lambda) for each in (of_keys, of_values)
    )
    return keys, values


def _square(rows: Tensor) -> Tensor:
    return rows.square().sum(-1)


def _normals(count: int) -> tuple[Tensor, Tensor]:
    """Nodes (n, count) and mass (n,) of that many independent normal numbers."""
    nodes, mass = map(torch.from_numpy, np.polynomial.hermite_e.hermegauss(5))
    return _grid([(nodes, mass / mass.sum())] * count)


def _bartlett(d: int, N: int) -> tuple[Tensor, Tensor]:
    """Nodes (m, d, d) and mass (m,) of A with AAᵀ ~ Wishart(I, N)."""
    columns = range(min(d, N))
    below = [(i, j) for j in columns for i in range(j + 1, d)]
    roots, mass = _grid([_chi_squared(N - j) for j in columns])
    normal, normal_mass = _normals(len(below))
    A = torch.zeros(len(roots), len(normal), d, d, dtype=torch.float64)
    for j in columns:
        A[:, :, j, j] = roots[:, None, j].sqrt()
    for k, (i, j) in enumerate(below):
        A[:, :, i, j] = normal[:, k]
    return A.flatten(0, 1), torch.outer(mass, normal_mass).flatten()


def _chi_squared(degrees: int) -> tuple[Tensor, Tensor]:
    """Three nodes and their mass, from the recurrence of the Laguerre polynomials."""
    k, a = torch.arange(3, dtype=torch.float64), degrees / 2 - 1
    side = (k[1:] * (k[1:] + a)).sqrt()
    nodes, vectors = torch.linalg.eigh((2 * k + 1 + a).diag() + side.diag(1) + side.diag(-1))
    return 2 * nodes, vectors[0].square()


def _grid(rules: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """The product of rules for one number each: nodes (n, count), mass (n,)."""
    if not rules:
        return torch.zeros(1, 0, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    nodes, masses = ([rule[part] for rule in rules] for part in (0, 1))
    grids = (torch.meshgrid(*parts, indexing="ij") for parts in (nodes, masses))
    points, weights = (torch.stack(grid, -1).flatten(0, -2) for grid in grids)
    return points, weights.prod(-1)
