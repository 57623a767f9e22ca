"""Numbers of the primer."""

from fractions import Fraction

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
CLAIMS = {
    "gives $1+\\frac2N$. With so few points": 1 + Fraction(2, 2) == 2,
    "where the rows of $AYB$ are": BY_ROWS != ROWS and COLUMNS == [1, 3, 1, 3],
}
