"""Numbers of the primer."""

from fractions import Fraction

import numpy as np
import torch

from tests.text.ties import given

HALF, N = Fraction(1, 2), 8
LAMBDA = (Fraction(2), HALF)
MEETS = tuple(3 * one**2 + one * (sum(LAMBDA) - one) for one in LAMBDA)  # E[xxᵀxxᵀ]
TWO_POINTS, ONE_POINT = Fraction(N - 1, N), Fraction(1, N)
SQUARES = tuple(one**2 for one in LAMBDA)
SPREAD = tuple(
    TWO_POINTS * square + ONE_POINT * same for square, same in zip(SQUARES, MEETS, strict=True)
)
GAMMA = tuple(one / two for one, two in zip(SPREAD, LAMBDA, strict=True))

A, Y, B = (torch.tensor(one) for one in ([[1, 2], [3, 4]], [[0, 1], [0, 0]], [[1, 0], [1, 1]]))
KRONECKER = torch.kron(B.T.contiguous(), A)
PRODUCT = A @ Y @ B
COLUMNS, ROWS = PRODUCT.T.flatten().tolist(), PRODUCT.flatten().tolist()
BY_ROWS = (KRONECKER @ Y.flatten()).tolist()
ENTRY = given("an entry of a matrix of the example")


def pairings(n: int) -> int:
    return 1 if n == 0 else (n - 1) * pairings(n - 2)


NUMBERS = {
    "=3\\cdot4+2\\cdot\\frac12=13$, the second $2\\cdot\\frac12+3\\cdot\\frac14=\\frac74$": tuple(
        one for one in MEETS for _ in range(2)
    ),
    "=\\frac78\\operatorname{diag}(4,\\frac14)+\\frac18\\operatorname{diag}(13,\\frac74)": (
        TWO_POINTS,
        *SQUARES,
        ONE_POINT,
        *MEETS,
    ),
    "=\\operatorname{diag}(\\frac{41}8,\\frac7{16})$, where": SPREAD,
    "would give $\\Lambda^2=\\operatorname{diag}(4,\\frac14)$": SQUARES,
    "$\\Gamma=\\operatorname{diag}(\\frac{41}{16},\\frac78)$": GAMMA,
    "From $\\eta=2$ on": given("two over a curvature of one"),
    "$f'^2/f$ tends to four": Fraction(2**2),
    "$A=\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}$": ENTRY,
    "$AYB=\\begin{pmatrix}1&1\\\\3&3\\end{pmatrix}$": PRODUCT[1, 1].item(),
    "are $(1,3,1,3)$;": (COLUMNS[1], COLUMNS[3]),
    "$(Ae_2,0)=(2,4,0,0)$": tuple(BY_ROWS[:2]),
    "are $(1,1,3,3)$:": tuple(ROWS[2:]),
    "three for fourth moments, fifteen for sixth": pairings(6),
    "for the six orders": Fraction(6),
    "It falls to a quarter": given("an answer on offer"),
    "with $\\mu=4$": Fraction(2**2),
}
# x² + 3 sin² x, which satisfies a PL inequality and is not convex, on a grid without its minimum.
PLACES = np.concatenate([np.linspace(-9, -1e-3, 4000), np.linspace(1e-3, 9, 4000)])
STEEP, HIGH = 2 * PLACES + 3 * np.sin(2 * PLACES), PLACES**2 + 3 * np.sin(PLACES) ** 2
RATIO = STEEP**2 / HIGH
SHOULDER = abs(np.abs(PLACES) - np.pi / 2) < 0.1
BENT = 2 + 6 * np.cos(2 * PLACES)


def descents(rate: float) -> list[float]:
    """|θ| after some steps on ½θ²."""
    return [abs(1 - rate) ** k for k in range(9)]


def parabola_lies_below(curve: float, mu: float) -> bool:
    """Of f(y) = curve·y²/2, at drawn points x and y."""
    x, y = np.random.default_rng(0).normal(size=(2, 500))
    f = curve / 2 * np.array([x**2, y**2])
    return bool((f[1] >= f[0] + curve * x * (y - x) + mu / 4 * (y - x) ** 2 - 1e-12).all())


def gaps(eta: float) -> list[float]:
    """What a step of size eta ≤ 1/ℓ leaves of the gap, over the bound 1 − ημ/2, curvatures to ℓ."""
    return [(1 - eta * one) ** 2 / (1 - eta * one) for one in (0.1, 0.5, 0.9)]  # μ = 2·curvature


def traces() -> list[tuple[float, int]]:
    """|tr P_kᵀQ_l| and min(k, l) for drawn partial isometries."""
    rng, found = np.random.default_rng(0), []
    for k in range(1, 5):
        for l in range(1, 5):
            a, b, c, e = (np.linalg.qr(rng.normal(size=(5, 5)))[0] for _ in range(4))
            found.append(
                (abs(np.trace((a[:, :k] @ b[:, :k].T).T @ (c[:, :l] @ e[:, :l].T))), min(k, l))
            )
    return found


SETTLED = {
    "a place in a drawing": ["a point with its label below it"],
    "a condition": ["as soon as the right side is at most $r$"],
    "a place in the text": ["Strong convexity, as above, implies"],
}
CLAIMS = {
    "**The largest curvature limits the step.**": all(
        (descents(rate)[-1] < 0.5) == (rate < 2) for rate in (0.5, 1.5, 2.0, 2.1)
    ),
    "because along it the loss never rises": all(
        np.diff(np.exp(-2 * curve * np.linspace(0, 5, 50)) * curve / 2).max() <= 0
        for curve in (0.1, 1.0, 30.0)
    ),
    "asks for more, a parabola below $f$ at every point": parabola_lies_below(1.0, 2.0)
    and not parabola_lies_below(1.0, 2.1),
    "So a step multiplies the gap by at most": max(gaps(1.0) + gaps(0.3)) <= 1,
    "has no parabola below it at its shoulders": BENT[SHOULDER].max() < 0,
    "its smallest value is the largest constant": bool(
        (RATIO.min() * HIGH <= STEEP**2).all() and (1.01 * RATIO.min() * HIGH > STEEP**2).any()
    ),
    "is at most one in absolute value, because": max(one for one, most in traces() if most == 1)
    <= 1,
    "the trace is also at most $k$. So it is at most": all(one <= most for one, most in traces()),
    "along $y$ it is flat, and no parabola lies below": not parabola_lies_below(0.0, 0.1),
    "$S$ is known no better than up to its own size": 1 + Fraction(2, 2) - 1 == 1,
    "where the rows of $AYB$ are": BY_ROWS != ROWS and COLUMNS == [1, 3, 1, 3],
}
