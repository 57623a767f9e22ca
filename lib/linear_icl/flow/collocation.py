"""Collocation on one step: Lobatto nodes and exponential convolution weights.

A step of length 1 carries nodes 0 = c_0 < … < c_s = 1.  The weights of a rate z ≥ 0 are

    A_kl(z) = ∫_0^{c_k} e^{−z(c_k − x)} ℓ_l(x) dx,      ℓ_l the Lagrange polynomials of the nodes,

so that y' = −z y + v with a polynomial v is solved exactly, whatever the size of z (stiffness costs
nothing).  Below `LARGE` they come from Gauss–Legendre quadrature, above it from integration by
parts, which ends after s+1 terms because v is a polynomial:

    y(x) = P(x) − e^{−zx} P(0),      P = Σ_m (−1)^m v^{(m)} / z^{m+1}.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

# The series loses a factor max_m ‖v^{(m)}‖/z^m; at 150 and 20 nodes that is two digits of sixteen.
LARGE = 150.0


def gauss(count: int, power: float = 0.0) -> tuple[Tensor, Tensor]:
    """Gauss's nodes and weights on [0, 1] for the weight (x(1−x))^power, of integral 1."""
    k = torch.arange(1.0, count, dtype=torch.float64)
    squared = k * (k + 2 * power) / ((2 * k + 2 * power - 1) * (2 * k + 2 * power + 1))
    x, vectors = torch.linalg.eigh(torch.diag(squared.sqrt(), 1) + torch.diag(squared.sqrt(), -1))
    return (1 + x) / 2, vectors[0] ** 2  # Golub and Welsch


def lobatto(degree: int) -> Tensor:
    """The degree+1 Gauss–Lobatto nodes on [0, 1], both ends among them."""
    ends = torch.tensor([0.0, 1.0], dtype=torch.float64)
    return torch.cat([ends[:1], gauss(degree - 1, 1.0)[0], ends[1:]])


def chebyshev(x: Tensor, degree: int) -> Tensor:
    """Values of T_k(1 − 2x) = cos(2k arcsin √x), k = 0 … degree, at x (…), shape (…, degree+1)."""
    twice = torch.arange(0, 2 * degree + 1, 2, dtype=x.dtype, device=x.device)
    return torch.cos(torch.arcsin(x.sqrt())[..., None] * twice)


def series(modes: Tensor, x: Tensor) -> Tensor:
    """Σ_k modes[…, k] T_k(1 − 2x) by Clenshaw's recurrence; x and modes[…, 0] are broadcast."""
    y, (first, *terms) = 1 - 2 * x, modes.unbind(-1)
    now = later = torch.zeros_like(first)
    for term in reversed(terms):
        now, later = torch.addcmul(term, y, now, value=2).sub_(later), now
    return torch.addcmul(first, y, now).sub_(later)


def _derivative(degree: int) -> Tensor:
    """D with (d/dx) Σ_j a_j T_j(1−2x) = Σ_i (D a)_i T_i(1−2x)."""
    i = torch.arange(degree + 1)
    below = (i[:, None] < i) & ((i[:, None] + i) % 2 == 1)
    return torch.where(below, -4.0 * i, 0.0).double() / (1 + (i == 0).double())[:, None]


@dataclass(frozen=True, eq=False)
class Collocation:
    """Tables of a step with s+1 nodes; `points` are c_1 … c_s and three places between nodes."""

    degree: int
    nodes: Tensor  # (s+1,)
    points: Tensor  # (s+3,)
    modal: Tensor  # (s+1, s+1) node values -> Chebyshev coefficients
    between: Tensor  # (s+1, 3) node values -> values at the places between
    mean: Tensor  # (s+1,) Lobatto weights: node values -> ∫_0^1
    both: Tensor  # (2, 1, s+1, s+2) node values -> coefficients of ∫_0^x, and of the integrand
    cumulative: Tensor  # (s+1, s+1) node values -> ∫_0^x at the nodes
    folded: Tensor  # (s+3, n, s+1): c_k w_j ℓ_l(c_k x_j)
    decay: Tensor  # (s+3, 1, n): c_k (x_j − 1)
    parts: Tensor  # (s+3, s+1, s+1): (−1)^m ℓ_l^{(m)} at points, indices k, m, l
    parts_start: Tensor  # (s+1, s+1): the same at 0
    parts_modal: Tensor  # (s+1, s+1, s+1): the same as Chebyshev coefficients

    @property
    def width(self) -> int:
        """Quadrature points of a convolution."""
        return self.decay.shape[-1]

    def integral(self, x: Tensor) -> Tensor:
        """∫_0^x of the Lagrange polynomials, shape (…, s+1)."""
        return chebyshev(x, self.degree + 1) @ self.both[0, 0].mT

    def step_weights(self, z: Tensor, stiff: int) -> Tensor:
        """A_kl(z) at `points`, (s+3, d, s+1), for z (d,) of which the first `stiff` > LARGE."""
        near = z[stiff:] if stiff else z
        small = torch.bmm(torch.exp(near[:, None] * self.decay), self.folded)  # (s+3, d', s+1)
        if stiff == 0:
            return small
        far = z[:stiff]
        power = (1 / far[:, None]).pow(torch.arange(1, self.degree + 2, device=z.device))
        large = power @ self.parts - torch.exp(-far[:, None] * self.points[:, None, None]) * (
            power @ self.parts_start
        )
        return torch.cat([large, small], dim=1)

    def convolve(self, z: Tensor, x: Tensor, v: Tensor) -> Tensor:
        """∫_0^x e^{−z(x − y)} v(y) dy at x (P,) for z (P, d) and node values v (P, s+1); (P, d)."""
        # On [0, x] v is a polynomial of the same degree: its values at x c_0 … x c_s are enough.
        modes = (v @ self.modal.mT)[:, None]
        scaled = series(modes, x[:, None] * self.nodes) * x[:, None]
        force = scaled @ self.folded[self.degree - 1].mT
        zx = z * x[:, None]
        kernel = torch.exp(zx.clamp(max=LARGE)[..., None] * self.decay[self.degree - 1])
        small = torch.bmm(kernel, force[..., None])[..., 0]
        stiff = (zx > LARGE).any(1).nonzero()[:, 0]
        if len(stiff) == 0:
            return small
        x, v, zx = x[stiff], v[stiff], zx[stiff]
        far = z[stiff].clamp(min=LARGE)
        power = (1 / far[..., None]).pow(torch.arange(1, self.degree + 2, device=z.device))
        terms = (v @ self.parts_modal.flatten(0, 1).mT).reshape(len(v), self.degree + 1, -1)
        at_x, at_0 = series(terms, x[:, None]), v @ self.parts_start.mT
        large = (power * at_x[:, None]).sum(-1) - torch.exp(-zx) * (power * at_0[:, None]).sum(-1)
        small[stiff] = torch.where(zx > LARGE, large, small[stiff])
        return small


@lru_cache
def collocation(degree: int, device: torch.device | None = None) -> Collocation:
    """The tables for s = degree, built once per device."""
    nodes = lobatto(degree)
    gaps = (nodes[1:] + nodes[:-1]) / 2
    points = torch.cat([nodes[1:], gaps[[0, degree // 2, degree - 1]]])
    modal = torch.linalg.inv(chebyshev(nodes, degree))
    # e^{−z(1−x)}·(degree s) is integrated to machine precision once 2n − s exceeds about 7√z.
    x, w = gauss((degree + 90) // 2)
    folded = (points[:, None] * w)[..., None] * (chebyshev(points[:, None] * x, degree) @ modal)
    slope = _derivative(degree)
    chain = [modal]
    for _ in range(degree):
        chain.append(-slope @ chain[-1])
    modes = torch.stack(chain)  # (m, i, l)
    parts = torch.einsum("ki,mil->kml", chebyshev(points, degree), modes)
    start = torch.einsum("i,mil->ml", chebyshev(nodes[0], degree), modes)
    # ∫_0^x T_j(1 − 2y) dy has −1/4k and 1/4k at T_k for j = k − 1 and k + 1, and vanishes at 0
    k = torch.arange(1, degree + 2)
    raise_ = torch.zeros(degree + 2, degree + 1, dtype=torch.float64)
    raise_[k, k - 1], raise_[k[:-2], k[1:-1]] = -0.25 / k.double(), 0.25 / k[:-2].double()
    raise_[1, 0] *= 2
    raise_[0] = -raise_.sum(0)
    decay = (points[:, None] * (x - 1))[:, None]
    between = (chebyshev(points[degree:], degree) @ modal).mT
    cumulative = chebyshev(nodes, degree + 1) @ raise_ @ modal
    both = torch.stack([raise_ @ modal, torch.cat([modal, 0 * modal[:1]])]).mT[:, None]
    tables = [nodes, points, modal, between, cumulative[-1], both, cumulative]
    tables += [folded, decay, parts, start, modes]
    return Collocation(degree, *(table.to(device) for table in tables))
