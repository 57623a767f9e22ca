"""What a few plain steps leave, as a yardstick: random covariances, and the fixed one."""

import math
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
def fixed_ladder(
    most: Count, d: Count, N: Count, *, prompts: Count = 20_000, seed: int = 1
) -> list[float]:
    """What 1, …, ``most`` plain steps leave of the risk of silence, with the best coefficients.

    Contexts of N points x ~ N(0, I), tasks w ~ N(0, I), no noise, the same coefficients for all.
    After n steps w - ŵ = p(S)w, S the points' second moment and p a polynomial of degree n with
    p(0) = 1, so the share is the least mean of p² over the eigenvalues of S, 1/(q_0(0)² + … +
    q_n(0)²) with the orthonormal polynomials q_j of their law. Here of those of ``prompts``
    contexts. If d and N grow, d/N fixed, q_j(0)² tends to (N/d)^j (Proposition 8.5 of the book).
    Raises ValueError for counts below 1, and for as many steps as eigenvalues.
    """
    n, d, N = (_checks.length(*pair) for pair in (("most", most), ("d", d), ("N", N)))
    count, rng = _checks.length("prompts", prompts), np.random.default_rng(seed)
    if n >= (found := count * min(d, N)):
        raise ValueError(f"most={n} needs more than {n} eigenvalues, got {found}; raise prompts")
    batches = np.array_split(np.arange(count), -(-count * d * N // 10**6))
    x = (rng.standard_normal((len(batch), N, d)) for batch in batches)
    of_S = np.concatenate([np.linalg.eigvalsh(one.mT @ one / N).ravel() for one in x])
    q, before, back = np.ones_like(of_S), np.zeros_like(of_S), 0.0
    at_0, at_0_before, kernel = 1.0, 0.0, 1.0
    left = []
    for _ in range(n):
        middle = float(np.mean(of_S * q**2))
        after = (of_S - middle) * q - back * before
        size = float(np.sqrt(np.mean(after**2)))
        at_0, at_0_before = (-middle * at_0 - back * at_0_before) / size, at_0
        q, before, back = after / size, q, size
        kernel += at_0**2
        left.append(1 / kernel)
    return left


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
