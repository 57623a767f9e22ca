"""A risk curve at d = 1000: prepared once, then 200 test lengths.

One thread, CPU seconds.  A covariate shift, a query shift and one task: nothing is diagonal.
"""

from __future__ import annotations

import torch
from linear_icl import gaussian, lsa
from linear_icl.risk import risk_curve

from benchmarks._clock import clock, one_thread

DIMENSION, LENGTH = 1000, 500
GOAL = 10e-3  # seconds


def covariance(seed: int) -> torch.Tensor:
    """Dense, with eigenvalues between about 0.1 and 4."""
    generator = torch.Generator().manual_seed(seed)
    root = torch.randn(DIMENSION, DIMENSION, dtype=torch.float64, generator=generator)
    return root @ root.mT / DIMENSION + 0.1 * torch.eye(DIMENSION, dtype=torch.float64)


def compare() -> None:
    Lambda, C, Q = (covariance(seed) for seed in range(3))
    prepared, curve = clock(
        lambda: risk_curve(
            Lambda, LENGTH, test_covariance=C, query_covariance=Q, noise_variance=0.1
        )
    )
    lengths = torch.arange(1, 201) * 50
    best, risks = clock(lambda: curve(lengths), 20)
    # The same mean from E[SBS] and a single length, as the chapter writes it down.
    M = int(lengths[0])
    A = torch.linalg.inv(lsa.gamma(Lambda, LENGTH))
    B = A @ Q @ A
    plain = gaussian.sandwich(C, M, (B + B.mT) / 2) - 2 * C @ A @ Q + Q
    other = plain.trace() + 0.1 * (B * C).sum() / M
    print(f"\nRisk at d = {DIMENSION}, N = {LENGTH}, 200 values of M from 50 to 10000")
    print(f"prepared once {prepared:8.3f} s")
    print(f"the curve     {1e3 * best:8.3f} ms, goal {1e3 * GOAL:.0f} ms")
    print(f"E[SBS] at M = {M} differs by {float(other / risks[0]) - 1:.0e} of it")


if __name__ == "__main__":
    one_thread()
    compare()
