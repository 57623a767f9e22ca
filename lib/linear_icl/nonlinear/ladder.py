"""What a few plain steps leave, as a yardstick: random covariances, and the fixed one."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from .. import _checks
from .._results import implements
from .._types import Count

LOUDEST = 5  # of the proposals for a loud axis; the k-th is weighted like the power 2k
Array = np.ndarray[Any, np.dtype[np.float64]]


def plain_ladder(
    most: Count, d: Count, N: Count, *, batches: Count = 8, batch: Count = 25_000, seed: int = 1
) -> tuple[list[float], list[float]]:
    """The risks of 1, …, ``most`` plain steps with the best coefficients, and E tr ΛSᵏ, k = 0, ….

    Contexts of N points x ~ N(0, diag λ) with λ_i ~ Exp(1), tasks w ~ N(0, I), no noise. The
    moments, of which the risks are made, come from a weighted sample: in every other context one
    axis is loud, for most of a high moment comes from contexts that a plain sample hardly has.
    Raises ValueError for counts below 1.
    """
    n, d, N = (_checks.length(*pair) for pair in (("most", most), ("d", d), ("N", N)))
    count, rng = _checks.length("batches", batches), np.random.default_rng(seed)
    size = _checks.length("batch", batch)
    traces = np.zeros(2 * n + 1)
    for _ in range(count):
        lam, x, weight = _contexts(size, d, N, rng)
        S, power = x.mT @ x / N, lam[:, :, None] * np.eye(d)
        for k in range(len(traces)):
            traces[k] += np.mean(weight * np.trace(power, axis1=1, axis2=2)) / count
            power = power @ S
    gram = np.array([[traces[i + j] for i in range(1, n + 1)] for j in range(1, n + 1)])
    one = traces[1 : n + 1]
    left = [traces[0] - one[:m] @ np.linalg.solve(gram[:m, :m], one[:m]) for m in range(1, n + 1)]
    return [float(value) for value in left], [float(value) for value in traces]


@implements("prp-plain-limit")
def fixed_ladder(most: Count, d: Count, N: Count) -> list[float]:
    """What 1, …, ``most`` plain steps leave of the risk of silence, with the best coefficients.

    Contexts of N points x ~ N(0, I), tasks w ~ N(0, I), no noise; exact. After n steps w - ŵ is
    p(S)w, S the points' second moment and p a polynomial of degree n with p(0) = 1, the same for
    all prompts. The least E tr p(S)²/d is 1/(e_0ᵀH⁻¹e_0) with H_ij = E tr S^(i+j)/d, i, j <= n. For
    d, N → ∞ with N/d fixed it is 1/(1 + N/d + … + (N/d)ⁿ) (Proposition 8.6 of the book).
    Raises ValueError for counts below 1.
    """
    n, d, N = (_checks.length(*pair) for pair in (("most", most), ("d", d), ("N", N)))
    moments = _moments(2 * n, d, N)
    rows = [[*moments[i : i + n + 1], Fraction(i == 0)] for i in range(n + 1)]
    kernel, left = Fraction(0), []
    for i in range(n + 1):  # elimination; what it leaves of e_0, squared over the pivots, adds up
        row = rows[i]
        kernel += row[-1] ** 2 / row[i]
        left.append(float(1 / kernel))
        for k in range(i + 1, n + 1):
            share = rows[k][i] / row[i]
            rows[k] = [here - share * there for here, there in zip(rows[k], row, strict=True)]
    return left[1:]


def _moments(most: int, d: int, N: int) -> list[Fraction]:
    """E tr Sᵏ/d for k = 0, …, most, exactly.

    Rotations make the matrix of points bidiagonal. The squares of its entries are independent χ²
    with N, d - 1, N - 1, d - 2, … degrees of freedom. A corner of (NS)ᵏ sums over the walks of 2k
    steps that climb from the ground and return to it: one with n climbs to level h has the n-th
    power of the h-th χ², and m climbs beyond fit between these in C(n + m - 1, m) ways.
    """

    def power(h: int, n: int) -> int:
        freedom = max(d - h // 2 if h % 2 == 0 else N - h // 2, 0)
        return math.prod(range(freedom, freedom + 2 * n, 2)) if freedom else 0

    total = [1] + [0] * most
    walks = {(n, n): power(1, n) for n in range(1, most + 1)}  # climbs to this level, and in all
    h = 1
    while walks:
        higher: dict[tuple[int, int], int] = {}
        for (n, k), weight in walks.items():
            total[k] += weight
            for m in range(1, most - k + 1):
                if more := weight * math.comb(n + m - 1, m) * power(h + 1, m):
                    higher[m, k + m] = higher.get((m, k + m), 0) + more
        walks, h = higher, h + 1
    return [Fraction(weight, N**k) for k, weight in enumerate(total)]


def _contexts(count: int, d: int, N: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Eigenvalues (B, d), points (B, N, d) and the weights that undo the loud axes (B,)."""
    x, lam = rng.standard_normal((count, N, d)), rng.exponential(size=(count, d))
    half = np.arange(0, count, 2)
    axis = rng.integers(d, size=len(half))
    j = 2.0 * rng.integers(1, LOUDEST + 1, size=len(half))
    lam[half, axis] = rng.gamma(j + 2)
    length = 2 * rng.gamma(N / 2 + j) / np.square(x[half, :, axis]).sum(1)
    x[half, :, axis] *= np.sqrt(length)[:, None]
    gamma, k = np.vectorize(math.lgamma), 2.0 * np.arange(1, LOUDEST + 1)[:, None, None]
    share = (k + 1) * np.log(lam) - gamma(k + 2) + gamma(N / 2) - gamma(N / 2 + k)
    share = share + k * np.log(np.square(x).sum(1) / 2)
    return lam, x * np.sqrt(lam)[:, None], 2 / (1 + np.exp(share).mean((0, 2)))
