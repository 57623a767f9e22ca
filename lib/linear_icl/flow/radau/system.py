"""A landscape as a system of ordinary differential equations, y' = −∇loss, on flat vectors y."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..protocol import State


def tiny(y: Tensor) -> float:
    """Keeps a division defined where nothing moves."""
    return torch.finfo(y.dtype).tiny


def unpacked(y: Tensor, shapes: list[torch.Size]) -> State:
    """A state with leading axes (…) from y (…, n)."""
    parts = torch.split(y, [shape.numel() for shape in shapes], dim=-1)
    return tuple(
        part.reshape(y.shape[:-1] + shape) for part, shape in zip(parts, shapes, strict=True)
    )


class System:
    """Flattens states of the shapes of `start`, tensors (B, …), to y (…, n)."""

    def __init__(self, landscape: Any, start: State) -> None:
        self.landscape = landscape
        self.shapes = [part.shape[1:] for part in start]
        self.has_gap = hasattr(landscape, "gap")
        self.start = self.pack(start)
        self.moving = self._moving()

    def pack(self, state: State) -> Tensor:
        """(…, n) from tensors with leading axes (…), as many as in the start."""
        lead = state[0].shape[: state[0].ndim - len(self.shapes[0])]
        return torch.cat([part.reshape(*lead, -1) for part in state], dim=-1)

    def unpack(self, y: Tensor) -> State:
        return unpacked(y, self.shapes)

    def velocity(self, y: Tensor) -> Tensor:
        return -self.pack(self.landscape.gradient(*self.unpack(y)))

    def loss(self, y: Tensor) -> Tensor:
        return self.landscape.loss(*self.unpack(y))

    def gap(self, y: Tensor) -> Tensor:
        return self.landscape.gap(*self.unpack(y))

    def _moving(self) -> Tensor:
        """The coordinates that leave their start, (m,).

        The velocity has an entry there at the start, or where those that have one are moved at
        random: what has none there either stands still for ever. All, if nothing moves.
        """
        y = self.start
        size = y.abs().amax(-1, keepdim=True)
        drawn = torch.randn(y.shape, generator=torch.Generator().manual_seed(0), dtype=y.dtype)
        noise = size.where(size > 0, 1.0) * drawn.to(y.device)
        moving, before = (self.velocity(y) != 0).any(0), -1
        while int(moving.sum()) > before:
            before = int(moving.sum())
            moving = moving | (self.velocity(y + noise * moving) != 0).any(0)
        return (moving if before else ~moving).nonzero()[:, 0]
