"""Prompts a second: the moment drawn by its law against prompts drawn and multiplied out.

float32, d = 20, one thread, CPU seconds.  Both sides draw (1/N) Σ x_i y_i, the query and its
label, each in the batch size at which it is fastest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from linear_icl.prompts import GaussianPrompts

from benchmarks._clock import clock, one_thread

DIMENSION = 20
LENGTHS = (40, 1000)
BATCHES = (64, 256, 1024, 4096, 16384)
GOAL = {40: 10, 1000: 200}  # times more prompts a second


def law() -> GaussianPrompts:
    """A spectrum from 1 to 1/10, tasks N(0, I), noise of variance 0.1."""
    spectrum = torch.logspace(0, -1, DIMENSION, dtype=torch.float32)
    return GaussianPrompts(torch.diag(spectrum), noise_variance=0.1)


def rate(draw: Callable[[int], Any], batches: tuple[int, ...]) -> tuple[float, int]:
    """Most prompts a CPU second over the batch sizes, each by its best of some runs."""
    best = (0.0, 0)
    for batch in batches:
        draw(batch)
        best = max(best, (batch / clock(partial(draw, batch), 9)[0], batch))
    return best


def compare(length: int) -> None:
    prompts, generator = law(), torch.Generator().manual_seed(0)

    def multiplied(batch: int) -> Any:
        x, y, x_query, y_query = prompts.sample(batch, length, generator=generator)
        return (y.unsqueeze(-2) @ x).squeeze(-2) / length, x_query, y_query

    def by_law(batch: int) -> Any:
        return prompts.sample_moment(batch, length, generator=generator)

    slow, small = rate(multiplied, tuple(b for b in BATCHES if b * length <= 2**18))
    fast, large = rate(by_law, BATCHES)
    print(f"{length:6d}{slow:14.3g}{small:8d}{fast:14.3g}{large:8d}", end="")
    print(f"{fast / slow:8.0f}{GOAL[length]:8d}")


if __name__ == "__main__":
    one_thread()
    print(f"\nPrompts a second, float32, d = {DIMENSION}")
    print(f"{'N':>6}{'multiplied':>14}{'batch':>8}{'by its law':>14}{'batch':>8}", end="")
    print(f"{'times':>8}{'goal':>8}")
    for length in LENGTHS:
        compare(length)
