"""A landscape as a system of ordinary differential equations, y' = −∇loss, on flat vectors y."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..protocol import State


class System:
    """Flattens states of the shapes of `start`, tensors (B, …), to y (…, n)."""

    def __init__(self, landscape: Any, start: State) -> None:
        self.landscape = landscape
        self.shapes = [part.shape[1:] for part in start]
        self.has_gap = hasattr(landscape, "gap")
        self.start = self.pack(start)

    def pack(self, state: State) -> Tensor:
        """(…, n) from tensors with leading axes (…), as many as in the start."""
        lead = state[0].shape[: state[0].ndim - len(self.shapes[0])]
        return torch.cat([part.reshape(*lead, -1) for part in state], dim=-1)

    def unpack(self, y: Tensor) -> State:
        sizes = [shape.numel() for shape in self.shapes]
        parts = torch.split(y, sizes, dim=-1)
        return tuple(
            part.reshape(y.shape[:-1] + shape)
            for part, shape in zip(parts, self.shapes, strict=True)
        )

    def velocity(self, y: Tensor) -> Tensor:
        return -self.pack(self.landscape.gradient(*self.unpack(y)))

    def loss(self, y: Tensor) -> Tensor:
        value: Tensor = self.landscape.loss(*self.unpack(y))
        return value

    def gap(self, y: Tensor) -> Tensor:
        value: Tensor = self.landscape.gap(*self.unpack(y))
        return value

    def jacobian(self, y: Tensor) -> Tensor:
        """∂velocity/∂y, (B, n, n), by central differences in one batched call.

        It only steers Newton's iteration, so its error costs steps, never accuracy; and it asks
        of a landscape nothing but its gradient (forward mode took 20 times as long).
        """
        n = y.shape[-1]
        size = y.abs().amax(-1, keepdim=True)
        h = torch.finfo(y.dtype).eps ** (1 / 3) * size.where(size > 0, 1.0)
        shift = h * torch.eye(n, dtype=y.dtype, device=y.device)[:, None]  # (n, B, n)
        ahead, behind = self.velocity(torch.stack([y + shift, y - shift]))
        columns: Tensor = (ahead - behind) / (2 * h)
        return columns.permute(1, 2, 0)
