"""Bad states and starts (U, u) that every landscape of a product uU refuses, with the messages."""

from __future__ import annotations

import math
from typing import Any

import torch

from tests.unit.common import DOUBLE

#: (U, u, message) for d = 2, float64, CPU.
BAD_STATES: list[tuple[Any, Any, str]] = [
    ([[1]], 1, r"U must have shape \(..., 2, 2\), got \(1, 1\)"),
    (torch.eye(2, dtype=DOUBLE), [1, 2], r"u must have the batch axes of U, \(\), got \(2,\)"),
    (torch.eye(2), 1, r"must have one dtype, got torch.float32 and torch.float64"),
    (torch.eye(2, dtype=DOUBLE, device="meta"), 1, r"must be on one device, got meta and cpu"),
    ([[1, 2], [3, math.inf]], 1, r"U must be finite, got inf"),
]

#: (Theta, sigma, message) for the start of Assumption 3.3, d = 2.
BAD_STARTS: list[tuple[Any, Any, str]] = [
    ([[1, 0], [0, 1]], 0.1, r"‖ΘΘᵀ‖_F must be 1, got 1.41421; divide Theta by"),
    ([[[1, 0], [0, 0]], [[1, 0], [0, 1]]], 0.1, r"must be 1, got 1.41421"),
    ([[[1, 0], [0, 0]], [[0.5, 0], [0, 0]]], 0.1, r"must be 1, got 0.25"),
    ([[1, 0], [0, 0]], 0.0, r"sigma must be > 0, got 0"),
    ([[1, 0], [0, 0]], [0.1, -0.2], r"sigma must be > 0, got -0.2"),
    ([[1, 0]], 0.1, r"Theta must have shape \(..., 2, 2\)"),
]
