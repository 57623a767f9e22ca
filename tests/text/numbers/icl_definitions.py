"""Numbers of chapter 1."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import torch
from linear_icl import estimators
from linear_icl.lsa import gamma
from linear_icl.prompts import GaussianPrompts
from linear_icl_book.live import StepPlane

from tests.text.ties import cell, given

SQUARE = Fraction(2 * 3 + 2, 2**2)  # E[S²] of two points of variance one
HALF, RUNNING = Fraction(1, 2), given("the running example")
LAMBDA, N = (Fraction(2), HALF), 8
SILENCE = sum(LAMBDA)
HALF_LENGTH = tuple(1 + SILENCE / one for one in LAMBDA)
SHARES = tuple(N / (N + n) for n in HALF_LENGTH)
GAMMA = tuple(one * (1 + n / N) for one, n in zip(LAMBDA, HALF_LENGTH, strict=True))


def risk_of(shares: tuple[Fraction, ...], length: int | None = N) -> Fraction:
    """(eq-shares) without noise; None for an endless context."""
    terms = zip(LAMBDA, shares, HALF_LENGTH, strict=True)
    return sum(
        (one * ((1 - s) ** 2 + (n / length * s**2 if length else 0)) for one, s, n in terms),
        Fraction(0),
    )


BEST, PLAIN, FLOOR = risk_of(SHARES), risk_of(LAMBDA), risk_of(SHARES, None)
SQUARES = sum(one**2 for one in LAMBDA)
ALPHA = SQUARES / sum(g * one**2 for g, one in zip(GAMMA, LAMBDA, strict=True))

# The little prompt: two points on a line.
X, Y = (2, -1), (4, -2)
MOMENT = Fraction(sum(x * y for x, y in zip(X, Y, strict=True)), len(X))
SPREAD = Fraction(sum(x * x for x in X), len(X))


# The four dots: two points each, and the slope.
DOTS = ((2, -1, 2), (1, -1, 2), (2, 0, 1), (1, 0, -1))


def moment(dot: tuple[int, int, int]) -> Fraction:
    """The mean of label times point."""
    a, b, w = dot
    return Fraction(w * a * a + w * b * b, 2)


covariance = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
SHORT_CONTEXT = {
    length: risk_of(tuple(length / (length + n) for n in HALF_LENGTH), 2) for length in (8, 64)
}
FIVE = 5  # dimensions of question 2, whose half-length is one more

NUMBERS = {
    # The little prompt.
    "$m=\\frac1M\\sum_iy_ix_i=5$, and answers $m\\,x_q=5$": MOMENT,
    "The *half step* answers $\\frac52$": (HALF, MOMENT / 2),
    "$S=\\frac1M\\sum_ix_ix_i^\\top=\\frac52$, and answers $\\frac mSx_q=2$": (
        SPREAD,
        MOMENT / SPREAD,
    ),
    "A, with which we began, is $(5,2)$": (moment(DOTS[0]), DOTS[0][2]),
    "and $w=2$, is $(2,2)$": (DOTS[1][2], moment(DOTS[1]), DOTS[1][2]),
    "C, with $2,0$ and $w=1$, is $(2,1)$": (DOTS[2][0], moment(DOTS[2])),
    "is $(-\\frac12,-1)$": moment(DOTS[3]),
    "One prompt, four answers": given("a count of rows"),
    "$x_1=2$ and $x_2=-1$ with the labels $y_1=4$ and $y_2=-2$": (X[0], *Y),
    "with the *half-length*": given("a name"),
    "{prf:corollary} Half-length": given("a name"),
    "is trusted half": HALF,
    "The half-lengths are": given("a name"),
    # Half a step.
    "and with $\\mathbb E[x_i^4]=3$ we have": given("the fourth moment of a standard normal"),
    "For $N=2$ the risk is": given("the setting of the prediction"),
    "$\\frac12$ at $\\alpha=\\frac12$": (SQUARE * HALF**2 - 2 * HALF + 1, 1 / SQUARE),
    "- fully\n- half\n- double": given("answers on offer"),
    "Half: from $N$ points": 1 / SQUARE,
    # The running example.
    "$\\Lambda=\\operatorname{diag}(2,\\frac12)$, $M=8$, no noise": RUNNING,
    "are $\\frac94$ and $6$, the best shares": HALF_LENGTH,
    "the best shares $\\frac{32}{41}$ and $\\frac47$": SHARES,
    "the best risk $\\frac{375}{574}$": BEST,
    "has the shares $2$ and $\\frac12$": LAMBDA,
    "$2\\bigl[1+\\frac98\\bigr]+\\frac12\\bigl[\\frac14+\\frac3{16}\\bigr]=\\frac{143}{32}$": PLAIN,
    "Silence has $\\frac52$": SILENCE,
    "On a million points the best share": given("a thought"),
    "Four points, $w=(1,1)$": given("the context that the figure begins with"),
    "Trained at $N=8$, the step keeps": RUNNING,
    "keeps a floor of $0.188$": FLOOR,
    "drawn from four points on": given("d + 2 in dimension two, checked below"),
    "training gives the risk $2.05$ at $N=8$ and": (SHORT_CONTEXT[8], RUNNING),
    "$3.36$ at $N=64$; silence has $2.5$": (
        SHORT_CONTEXT[64],
        given("the longest on the slider"),
        SILENCE,
    ),
    "$7.5\\,\\%$": FLOOR / SILENCE,
    # Check yourself.
    "**1.** $\\Lambda=I$, $d=5$": given("a setting"),
    "From five, as many": given("an answer on offer"),
    "From six\n": FIVE + 1,
    "Right: the half-length is $n=d+1=6$": (given("a name"), FIVE + 1),
    "Trained at $N=20$, tested": given("a setting"),
    "$M=20000$ or $N=40$": (given("an answer on offer"), given("twice the setting")),
    "$N=40$: the risk at": given("twice the setting"),
    # Exercises.
    "$\\alpha=\\frac{136}{335}$": ALPHA,
    "Take $k=1,2,3,4$ gradient": cell("for k in (1, {}, {}, {}):"),
    "one; $k=2,3,4$ do": cell("for k in (1, {}, {}, {}):"),
    "are below four": Fraction(2) / HALF,
    "=2+\\frac18$": risk_of(LAMBDA, None),
    "of one length: 4, 16, 64, 128, 256 or 640": cell("in ({}, {}, {}, {}, {}, {})]"),
    "over twenty training sets": cell("2560 // length, length, {})"),
    # For the record.
    "for $k\\ge3$, infinity for $k\\le2$": given("of degrees"),
    "take the place of columns, and $k=2$": given("of degrees"),
    "over forty training sets": cell("int(B), length, {})"),
}

# What the words below fig-step-plane say of its steps, for a true w of (1, 1).
FOUR, FORTY = (StepPlane(M=M).estimates() for M in (4, 40))
PLAIN_TIP, TRAINED_TIP = FOUR["plain"], FOUR["trained"]


def several(steps: int) -> float:
    """The risk of so many steps of exercise 1.3, drawn."""
    drawn = GaussianPrompts(covariance).sample(50_000, N, generator=9)
    half = covariance.inverse() / 2
    answers = estimators.gradient_descent(drawn, steps, preconditioner=half)
    return float((answers - drawn.y_query).square().mean())


def trained_at(length: int, context: int | None) -> Fraction:
    return risk_of(tuple(length / (length + n) for n in HALF_LENGTH), context)


def scaled(s: Fraction) -> Fraction:
    """What s times averaging leaves in endless contexts, of silence."""
    return sum((one * (s * one - 1) ** 2 for one in LAMBDA), Fraction(0)) / SILENCE


BEST_SCALE = Fraction(SQUARES) / sum((one**3 for one in LAMBDA), Fraction(0))
NEAR, NEXT = (Fraction(k, 1000) for k in (999, 1001))
# The squared error of so many half steps along one direction, by the eigenvalue of the context.
STEPS_OFF = {value: [(1 - value / 2) ** (2 * k) for k in range(5)] for value in (0.5, 3.9, 4.1)}
# A learner that ignores the labels answers the same for w and -w.
IGNORANT = [((a - 1) ** 2 + (a + 1) ** 2) / 2 for a in (-0.5, 0.0, 0.5)]

SETTLED = {
    "a case that is chosen": ["In the smallest such case"],
    "a question": ["is averaging no worse than silence?"],
    "a definition": ["solution of smallest norm", "it is below eta plus epsilon"],
}
CLAIMS = {
    "Right, the risk falls with the points": trained_at(8, 4)
    > trained_at(8, 8)
    > trained_at(8, 99)
    > FLOOR,
    "No learner that ignores the labels has less": min(IGNORANT) == IGNORANT[1] == 1,
    "Learning begins below": BEST < SILENCE == risk_of((Fraction(0),) * 2),
    r"\frac N{N+2}$, below one because $S$ scatters": all(
        float(1 / gamma([[1.0]], n)) < 1 for n in (1, 8, 99)
    ),
    r"smallest at $\alpha=\mathbb E[S]/\mathbb E[S^2]$": all(
        SQUARE * a**2 - 2 * a > SQUARE * HALF**2 - 2 * HALF for a in (NEAR / 2, NEXT / 2)
    ),
    "The share $s_i=1$ is worse than silence in direction $i$ exactly while": all(
        (1 + n / M - 1 > 1) == (n > M) for n in HALF_LENGTH for M in range(1, 12)
    ),
    "without noise, has a risk that decreases in $M$ to": trained_at(8, 10**9) - FLOOR < 1e-8
    and all(trained_at(8, M) > trained_at(8, M + 1) > FLOOR for M in range(1, 60)),
    r"up to this $\eta$, which falls like $1/N^2$": abs(
        trained_at(10**6, None) / trained_at(2 * 10**6, None) - 4
    )
    < 1e-4,
    r"only $\frac{n_i}M$ depends on $M$, and decreases to $0$": {
        (trained_at(8, M) - FLOOR) * M for M in (1, 8, 99)
    }
    == {sum(one * n * s**2 for one, n, s in zip(LAMBDA, HALF_LENGTH, SHARES, strict=True))},
    "Longer training prompts lower the floor": all(
        trained_at(n, None) > trained_at(n + 1, None) for n in range(1, 60)
    ),
    "Steps come closer to least squares while the eigenvalues": all(
        (off[-1] < off[0]) == (value < 4) for value, off in STEPS_OFF.items()
    ),
    "then the error grows geometrically": all(
        math.isclose(after, 1.05**2 * before) for before, after in pairwise(STEPS_OFF[4.1])
    ),
    r"is smallest at $s=\operatorname{tr}": min(
        (scaled(BEST_SCALE * k), k) for k in (NEAR, Fraction(1), NEXT)
    )[1]
    == 1,
    "does not beat the trained one; $k=2,3,4$ do": risk_of((HALF, HALF)) > BEST
    and all(several(k) < BEST - Fraction(1, 10) for k in (2, 3, 4)),
    "from $N$ points the best step is $\\frac N{N+2}$": all(
        abs(float(1 / gamma([[1.0]], n)) - n / (n + 2)) < 1e-12 for n in (1, 2, 9)
    ),
    "the fraction is $\\bigl(\\frac{d+1}{N+d+1}\\bigr)^2$": all(
        abs(
            float((1 - 1 / gamma(3 * torch.eye(d).double(), 7)[0, 0] * 3) ** 2)
            - ((d + 1) / (7 + d + 1)) ** 2
        )
        < 1e-12
        for d in (1, 2, 5)
    ),
    "the floor at $N=9(d+1)$ is one percent of silence": all(
        Fraction(d + 1, 9 * (d + 1) + d + 1) ** 2 == Fraction(1, 100) for d in (1, 2, 5)
    ),
    "The plain arrow overshoots in the strong direction and falls short in the weak one": bool(
        PLAIN_TIP[0] > 1 > PLAIN_TIP[1]
    ),
    "The trained arrow here ends nearer": bool((TRAINED_TIP - 1).norm() < (PLAIN_TIP - 1).norm()),
    "but short of it, even with": bool((FORTY["trained"] < 1).all()),
    "$2\\alpha^2-2\\alpha+1$": SQUARE == 2,
    "and at $\\alpha=1$ as large as that of silence": SQUARE - 2 + 1 == 1,
    "is *worse than saying nothing*": PLAIN > SILENCE,
}
