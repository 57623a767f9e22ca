"""The Jacobian of a gradient flow, which is symmetric: its eigenvectors solve every shifted system.

J = ∂velocity/∂y is minus the Hessian of the loss, so J = QΛQᵀ, and (μ − J)w = r costs two products
with Q, whatever μ is: a new step length costs nothing, and J is kept as long as Newton converges.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .system import System, tiny

# Columns of J that are differenced in one call, times the batch: bounds the memory.
COLUMNS = 256
# Differences know J to about √eps of its norm: a smaller rate has no sign.
UNKNOWN = 10
# Rounding of a velocity, in eps of ‖J‖‖y‖.
ROUNDING = 100


class Curvature:
    """J at y (B, n), in its eigenvectors, on the m coordinates that move."""

    def __init__(self, system: System, y: Tensor) -> None:
        self.at, self.moving = y, system.moving
        self.rates, self.vectors = torch.linalg.eigh(jacobian(system, y))  # (B, m), (B, m, m)
        self.norm = self.rates.abs().amax(-1)  # (B,)
        eps = torch.finfo(y.dtype).eps
        self.smallest = UNKNOWN * eps**0.5 * self.norm + tiny(y)  # (B,): a rate that is not zero
        self.rounding = ROUNDING * eps * self.norm * y.norm(dim=-1)  # (B,): a speed that is

    def parts(self, f: Tensor) -> Tensor:
        """Qᵀf, (B, m)."""
        return (self.vectors.mT @ f[..., self.moving, None])[..., 0]

    def growth(self, f: Tensor) -> Tensor:
        """The largest rate > 0 of which the velocity f has a part above rounding, else 0; (B,)."""
        there = self.parts(f).abs() > self.rounding[:, None]
        there &= self.rates > self.smallest[:, None]
        return self.rates.where(there, 0.0).amax(-1)

    def solve(self, shifts: Tensor, right: Tensor) -> Tensor:
        """w with (shift − J)w = right, (k, B, n) complex, for shifts (k,)."""
        w = right / shifts[:, None, None]  # where the loss does not look, J = 0
        inside = torch.view_as_real(right[..., self.moving]).permute(1, 2, 0, 3)  # (B, m, k, 2)
        parts = torch.view_as_complex(_times(self.vectors.mT, inside))
        solved = torch.view_as_real(parts / (shifts - self.rates[..., None]))
        w[..., self.moving] = torch.view_as_complex(_times(self.vectors, solved)).permute(2, 0, 1)
        return w


def _times(matrix: Tensor, columns: Tensor) -> Tensor:
    """(B, m, m) times (B, m, k, 2)."""
    return (matrix @ columns.flatten(2)).view(columns.shape)


def jacobian(system: System, y: Tensor) -> Tensor:
    """∂velocity/∂y on the coordinates that move, (B, m, m), symmetric, by differences.

    It only steers Newton's iteration, so its error costs steps, never accuracy; and it asks of a
    landscape nothing but its gradient (forward mode took 20 times as long).
    """
    size = y.abs().amax(-1, keepdim=True)
    h = torch.finfo(y.dtype).eps ** 0.5 * size.where(size > 0, 1.0)  # (B, 1)
    f, columns = system.velocity(y), []
    for some in torch.split(system.moving, max(1, COLUMNS // len(y))):
        shift = torch.zeros(len(some), 1, y.shape[1], dtype=y.dtype, device=y.device)
        shift[torch.arange(len(some)), 0, some] = 1.0
        columns.append((system.velocity(y + h * shift) - f)[..., system.moving] / h)
    J = torch.cat(columns).movedim(0, -1)
    return (J + J.mT) / 2
