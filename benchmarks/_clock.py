"""One thread for every benchmark, whatever the caller's environment says, and one clock."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch


def one_thread() -> None:
    """Starts again with one thread, which NumPy and torch read only when they load."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    if any(os.environ.get(name) != "1" for name in names):
        os.environ.update(dict.fromkeys(names, "1"))
        os.execv(sys.executable, sys.orig_argv)
    torch.set_num_threads(1)


def clock(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Least CPU seconds of some runs, the time of a machine at rest, and the last answer."""
    best, answer = float("inf"), None
    for _ in range(repeats):
        begin = time.process_time()
        answer = work()
        best = min(best, time.process_time() - begin)
    return best, answer


def duel(ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Median CPU seconds of both, run in turn, so that they meet the same machine."""
    spent = [[clock(work)[0] for work in (ours, theirs)] for _ in range(repeats)]
    mine, other = (median(one) for one in zip(*spent, strict=True))
    return mine, other
