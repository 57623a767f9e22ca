"""Bad states and starts (U, u), which every landscape of a product uU refuses."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from linear_icl.landscape import FixedCovariance, ProductLandscape
from linear_icl.random_covariance import DiagonalCovariance, Exponential, RotatedCovariance

from tests.unit.common import DOUBLE

LANDSCAPES = [
    FixedCovariance([[2, 0], [0, 0.5]], 8),
    DiagonalCovariance(Exponential(), 2, 8),
    RotatedCovariance(Exponential(), 2, 8),
]

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


@pytest.mark.parametrize("landscape", LANDSCAPES, ids=repr)
@pytest.mark.parametrize(("U", "u", "message"), BAD_STATES)
def test_bad_state(landscape: ProductLandscape, U: Any, u: Any, message: str) -> None:
    for method in (landscape.loss, landscape.gradient, landscape.gap):
        with pytest.raises(ValueError, match=message):
            method(U, u)


@pytest.mark.parametrize("landscape", LANDSCAPES, ids=repr)
@pytest.mark.parametrize(("Theta", "sigma", "message"), BAD_STARTS)
def test_bad_start(landscape: ProductLandscape, Theta: Any, sigma: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        landscape.start(Theta, sigma)
