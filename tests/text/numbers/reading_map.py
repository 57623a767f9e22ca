"""What the list of further reading says of the results here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial

import numpy as np
import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, KeysApart

from tests.text.numbers.nonlinear_transformers import AGAIN, apart_in, nearest_to

RUNNING = FixedCovariance(torch.diag(torch.tensor([2.0, 0.5]).double()), 8)
TIMES = torch.linspace(0, 60, 241).double()


def merged(size: float) -> np.ndarray:
    """The gap along the flow of the running example."""
    start = RUNNING.start(size)
    return gradient_flow(RUNNING, start, TIMES / 8, rtol=1e-4).gap.numpy()


def apart(size: float) -> np.ndarray:
    """The same with keys apart from queries."""
    one = size * torch.eye(2).double()
    return gradient_flow(KeysApart(RUNNING), (one, one, one[0, 0]), TIMES, rtol=1e-4).gap.numpy()


def plunges(gap: np.ndarray) -> int:
    """How often the loss falls faster than before and after."""
    rate = -np.diff(gap)
    peaks = (rate[1:-1] > rate[:-2]) & (rate[1:-1] > rate[2:]) & (rate[1:-1] > 1e-3)
    return int(peaks.sum())


def abrupt(gap: np.ndarray) -> bool:
    """Whether most of the fall takes a third of the wait before it, or less."""
    first, last = (int(np.argmax(gap < share * gap[0])) for share in (0.95, 0.3))
    return 0 < 3 * (last - first) < first


def risk(width: int, *steps: float) -> float:
    """What plain steps leave of silence on Exp(1) variances, with points so many times wider."""
    factor = np.poly1d([1.0])
    for a in steps:
        factor *= np.poly1d([-a * width**2, 1.0])
    powers: Iterator[tuple[int, float]] = enumerate((factor**2).coeffs[::-1])
    return sum(c * factorial(k + 1) for k, c in powers)


def deeper(width: int, *levels: Sequence[float]) -> list[float]:
    return [risk(width, *steps) for steps in levels]


LEVELS = ((1 / 3,), (1 / 6, 1 / 2))  # the best step, the best two
MERGED = [merged(size) for size in (1e-2, 1e-4)]

CLAIMS = {
    "with other starts as yardstick: these are nearer": all(
        apart_in(AGAIN, M).max() < nearest_to(AGAIN, M).min() for M in AGAIN["lengths"][:-1]
    ),
    "the loss falls once and abruptly": (
        [plunges(gap) for gap in MERGED] == [1, 1] != [plunges(apart(0.03))] * 2
        and abrupt(MERGED[1])
    ),
    "that deeper is worse on wider points": (
        deeper(2, *LEVELS) == sorted(deeper(2, *LEVELS))
        and deeper(1, *LEVELS) == sorted(deeper(1, *LEVELS))[::-1]
    ),
}

SETTLED = {
    "what other work shows": [
        "when dimension, context and number of tasks grow together",
        "With separate key and query matrices it falls in steps",
        "falls short of a gradient step with a good starting point",
        "several heads are better than one",
        "linear attention is never better than a linear predictor",
    ],
}
