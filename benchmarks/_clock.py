"""One thread for every benchmark, whatever the caller's environment says."""

from __future__ import annotations

import os
import sys

import torch


def one_thread() -> None:
    """Starts again with one thread, which NumPy and torch read only when they load."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    if any(os.environ.get(name) != "1" for name in names):
        os.environ.update(dict.fromkeys(names, "1"))
        os.execv(sys.executable, sys.orig_argv)
    torch.set_num_threads(1)
