"""Numbers of chapter 2."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import torch
from linear_icl import lsa, prompts
from linear_icl.estimators import gradient_descent
from linear_icl.landscape import FullParameters
from linear_icl.softmax import SoftmaxAttention

from tests.text.ties import cell, given

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)

# The little prompt, and the weights of the hand computation.
X, Y, QUERY = (2, -1), (4, -2), 1
RULE = Fraction(Y[0], X[0])
TOKENS = [*zip(X, Y, strict=True), (QUERY, 0)]
KEYS, VALUES = (HALF, HALF), (Fraction(1), Fraction(1))  # (U, u_21) and (u_12, u)
COMPARED = [[one[k] * KEYS[k] * QUERY / len(X) for one in TOKENS] for k in (0, 1)]
COPIED = [[one[k] * VALUES[k] for one in TOKENS] for k in (0, 1)]
PRODUCTS = [s * v for s, v in zip(COMPARED[0], COPIED[1], strict=True)]
CELLS = [
    [sum((s * v for s, v in zip(scores, copies, strict=True)), Fraction(0)) for copies in COPIED]
    for scores in COMPARED
]
ANSWER = sum((sum(row, Fraction(0)) for row in CELLS), Fraction(0))
STEP = sum(PRODUCTS, Fraction(0))

DIRECT = CELLS[0][1] / (KEYS[0] * VALUES[1])  # what multiplies uU in the answer

Z = [[Fraction(sum(a[i] * a[j] for a in TOKENS), len(X)) for j in (0, 1)] for i in (0, 1)]
H = np.kron([[0, 1], [1, 0]], np.array(Z, dtype=float)) / 2
SPECTRUM = np.linalg.eigvalsh(H)


def softmax(query: float) -> float:
    """The answer, where ρ = 1 and labels are copied."""
    points, labels = (torch.tensor([one], dtype=torch.float64) for one in (X, Y))
    asked = torch.tensor([[query]], dtype=torch.float64)
    prompt = prompts.Prompts(points[..., None], labels, asked, asked[0])
    keys, values = torch.tensor([[[1.0, 0], [0, 0]], [[0, 0], [0, 1.0]]], dtype=torch.float64)
    layer = SoftmaxAttention(len(X) * keys, keys, values, torch.eye(2, dtype=torch.float64))
    return layer.predict(prompt).item()


AVERAGE = softmax(QUERY)

LAMBDA, N = (Fraction(2), HALF), 8
OMEGA = float(sum(one**4 for one in LAMBDA)) ** 0.5
GAMMA = [(1 + Fraction(1, N)) * one + sum(LAMBDA) / N for one in LAMBDA]
FLAT = [Fraction(-1), HALF, Fraction(1), Fraction(2)]  # the points of exercise 2.5
SQUARED = sum(one**2 for one in FLAT)
MEAN = sum(FLAT) / 5
SPREAD = sum((one * (one - MEAN) for one in FLAT), Fraction(0))
SCALE = Fraction(5 * 20, 4) / (1 + Fraction(2, 4)) * SQUARED / SPREAD
MOMENT = sum(g * one for g, one in zip(GAMMA, LAMBDA, strict=True))

NAMED = given("a count of what the page lists")

NUMBERS = {
    "two points and a query as a table of six numbers": 2 * len(TOKENS),
    "Of its eight weights four reach": (2 * 2 * 2, len(KEYS + VALUES)),
    # One pass.
    "points $2,-1$ with labels $4,-2$, and": (X[0], *Y),
    r"E=\begin{pmatrix}2&-1&1\\4&-2&0\end{pmatrix}": Y,
    r"One key, $U=\frac12$": given("a setting"),
    r"$(2,4)$ | $\frac12$ | $4$ | $2$ |": (X[0], Y[0], COMPARED[0][0], COPIED[1][0], PRODUCTS[0]),
    r"$(-1,-2)$ | $-\frac14$ | $-2$ | $\frac12$ |": (
        Y[1],
        COMPARED[0][1],
        COPIED[1][1],
        PRODUCTS[1],
    ),
    r"$(1,0)$, the query | $\frac14$": COMPARED[0][2],
    r"The products add up to $\hat y=\frac52$: the half step": (STEP, HALF),
    # Softmax.
    "the labels average to $2.75$; the truth is $2$": (AVERAGE, RULE),
    "One head, twelve points": cell("sample(1, {}, generator=5)"),
    # Four readings.
    "they read a prompt in four ways; one": NAMED,
    "## Four ways to read": NAMED,
    r"with $U=u_{21}=\frac12$ and": HALF,
    "copies points: $2,-1,1$": COPIED[0][0],
    "copies labels: $4,-2,0$": tuple(COPIED[1][:2]),
    r"compares points: $\frac12,-\frac14,\frac14$": tuple(COMPARED[0]),
    r"$1+\frac14+\frac14=\frac32$": CELLS[0][0],
    r"*direct*: $2+\frac12+0=\frac52$": CELLS[0][1],
    r"compares labels: $1,-\frac12,0$": COMPARED[1][1],
    r"*swapped*: $2+\frac12+0=\frac52$": CELLS[1][0],
    "$4+1+0=5$": CELLS[1][1],
    "All four pairs by hand": NAMED,
    r"$\frac32+\frac52+\frac52+5=\frac{23}2$": ANSWER,
    "How many of the four numbers change": NAMED,
    "the quadratic one twice": NAMED,
    "- all four": NAMED,
    "of the four readings change sign": NAMED,
    "{prf:proposition} Four readings": NAMED,
    # The saddle of the direct cell.
    r"should answer $2$: the loss is $\frac12(5uU-2)^2$. It is $2$ at silence": (
        RULE * QUERY,
        (RULE * QUERY) ** 2 / 2,
    ),
    "silence lies half-way between": HALF,
    "With all four readings the answer": NAMED,
    "+5(uU+u_{12}u_{21})+10uu_{21}$": Z[1][1],
    # The form of the little prompt.
    r"$Z=\frac{EE^\top}2=\begin{pmatrix}3&5\\5&10\end{pmatrix}$": (Z[0][1], *Z[1]),
    r"plus and minus half those of $Z$: $\pm6.302$, $\pm0.198$": (
        HALF,
        float(SPECTRUM[3]),
        float(SPECTRUM[2]),
    ),
    "is of degree four": given("a product of two products"),
    "The Hessian is $-2$ times": given("the factor of a quadratic form's Hessian, and a sign"),
    # The ways down.
    r"$\frac{\sqrt{257}}4=4.008$, and $4$ and $\frac14$": (
        OMEGA,
        OMEGA,
        LAMBDA[0] ** 2,
        LAMBDA[1] ** 2,
    ),
    "| four readings ({prf": NAMED,
    # Check yourself.
    "is written twice": given("a setting"),
    "$d=5$ and $N=2$. How many": given("a setting"),
    r"three, $\min(2,5)+1$": given("of the setting"),
    "the Hessian six": 5 + 1,
    # Exercises.
    r"$\frac18\cdot\frac52\cdot4=\frac54$": Fraction(1, 8) * Fraction(5, 2) * 4,
    r"so $t=-\frac12$": Fraction(-1, 2),
    r"here $\frac{89}{16}+\frac5{16}=\frac{47}8$": MOMENT + sum(LAMBDA) / N,
    r"They agree at the scale $\frac{125}6$": SCALE,
    # For the record.
    r"$\frac{41}{16}\cdot2+\frac78\cdot\frac12=\frac{89}{16}$": MOMENT,
}

# Near silence, in the running example with all weights: W_PV and W_KQ as a row.
WHOLE = FullParameters(torch.diag(torch.tensor([float(one) for one in LAMBDA])).double(), N)
ORIGIN = torch.zeros(18, dtype=torch.float64)


def whole(weights: torch.Tensor) -> torch.Tensor:
    return WHOLE.loss(*weights.reshape(2, 3, 3))


def slope(weights: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = torch.autograd.functional.jacobian(whole, weights)
    return found


RATES, WAYS = torch.linalg.eigh(torch.autograd.functional.hessian(whole, ORIGIN))
DOWN = WAYS.T[RATES < -1e-9]
LOWERED = [float(whole(0.01 * way) - whole(ORIGIN)) for way in DOWN]
GROWN = torch.stack([-slope(1e-6 * way) / 1e-6 for way in DOWN])  # at the rate r along the way
COLUMNS = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))


def costs(U: float, u: float) -> float:
    """Of the little prompt, in the direct reading."""
    return (DIRECT * u * U - float(RULE * QUERY)) ** 2 / 2


BEST = (float(RULE * QUERY) / DIRECT) ** 0.5  # u = U


def chapter_1_has_its_transpose() -> bool:
    """The layer with uU = A answers as the step Aᵀ of chapter 1, and not as the step A."""
    generator = torch.Generator().manual_seed(1)
    drawn = prompts.GaussianPrompts(torch.eye(2).double()).sample(20, 5, generator=generator)
    A = torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 0, 0]], dtype=torch.float64)
    copy = torch.zeros_like(A)
    copy[2, 2] = 1.0
    layer = lsa.LinearSelfAttention(A, copy).predict(drawn)
    steps = [gradient_descent(drawn, 1, preconditioner=P[:2, :2]) for P in (A.mT, A)]
    return torch.allclose(layer, steps[0]) and not torch.allclose(layer, steps[1])


SETTLED = {
    "a place in a matrix": ["lower right entry is"],
    "a question": ["As the scores shrink and the output scale grows"],
    "a place on the page": ["by the weights below"],
    "a claim of the literature": ["claims at least"],
}
CLAIMS = {
    "(Chapter 1's step matrix is $A^\\top$.)": chapter_1_has_its_transpose(),
    "only those of rank at most one. (": all(
        torch.linalg.matrix_rank(torch.outer(a, b)) == 1 for a, b in pairwise(COLUMNS)
    ),
    "the swapped one those of rank at most one": torch.linalg.matrix_rank(COLUMNS[:4]) == 4,
    "the same sign; where their signs differ the loss rises": (
        costs(0.1, 0.1) < costs(0, 0) < costs(0.1, -0.1)
    ),
    "The gradient vanishes at silence": bool((slope(ORIGIN) == 0).all()),
    "and $(-U,-u)$, and is worse": costs(0, 0) > costs(BEST, BEST) == costs(-BEST, -BEST),
    "Near silence the loss falls where the answer has the truth's sign": all(
        (costs(U, u) < costs(0, 0)) == (U * u > 0) for U in (-0.1, 0.1) for u in (-0.1, 0.1)
    ),
    "cancel in the mean loss, and these can lower it": len(LOWERED) == len(LAMBDA) + 1
    and max(LOWERED) < -1e-5,
    "makes weights near silence grow like $e^{rt}$": bool(
        torch.allclose(GROWN, -RATES[RATES < -1e-9, None] * DOWN, rtol=1e-6, atol=1e-6)
    ),
    "the direct reading alone answers $5uU$": DIRECT == 5,
    r"is answered by $3u_{12}U+5(uU+u_{12}u_{21})": Z[0] == [3, 5],
    "plus and minus half those of $Z$": bool(
        np.allclose(SPECTRUM[2:], np.linalg.eigvalsh(np.array(Z, dtype=float)) / 2)
        and np.allclose(SPECTRUM, -SPECTRUM[::-1])
    ),
    "the two steepest are nearly equal": LAMBDA[0] ** 2 < OMEGA < 1.01 * float(LAMBDA[0] ** 2),
}
