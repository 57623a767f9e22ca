"""Numbers of chapter 1."""

from __future__ import annotations

from fractions import Fraction

import torch
from linear_icl import risk
from linear_icl_book.live import StepPlane

from tests.text.ties import cell, given

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

covariance = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
BEST_AT = {length: risk.linear_risk(covariance, length, length) for length in (4, 8)}
FIVE = 5  # dimensions of question 2, whose half-length is one more
FULL_STEP = {M: Fraction(FIVE * (FIVE + 1), M) for M in (6, 7)}

NUMBERS = {
    "**Ideas**: 25 minutes. **Every proof**: 60 minutes": (
        given("a reading time, which the plan of the course repeats"),
        given("a reading time, which the plan of the course repeats"),
    ),
    "with the label y 1, x 2 with y 2": (given("an index"), given("an index")),
    # The little prompt.
    "$m=5$ and $S=\\frac52$": (MOMENT, SPREAD),
    "| averaging | $m^\\top x_q$ | $5$ |": MOMENT,
    "| $\\frac52$ with $A=\\frac12$ |": (MOMENT / 2, HALF),
    "| $\\hat w^\\top x_q$ | $2$ |": MOMENT / SPREAD,
    "One prompt, four answers": given("a count of rows"),
    "$x=(2,-1)$, with labels $y=(4,-2)$": (X[0], *Y),
    "ask four learners": given("a count of rows"),
    "Four learners, and none": given("a count of rows"),
    "with the *half-length*": given("a name"),
    "{prf:corollary} Half-length": given("a name"),
    "is trusted half": HALF,
    "The half-lengths are": given("a name"),
    "shares and half-lengths": given("a name"),
    "Right: the half-length": given("a name"),
    "without the factor $\\frac12$ of the training": given("the training loss"),
    # Half a step.
    "prompts of $N=2$ points": given("a setting"),
    "$\\mathbb E[S^2]=\\frac14(3+3+2)=2$": Fraction(3 + 3 + 2, 4),
    "and best at $\\alpha=\\frac12$": Fraction(2, 2 * 2),
    "fully, half, or double": given("answers on offer"),
    "Half. The best slope": Fraction(2, 2 + 2),
    "(this counts $2$)": given("the variance of a squared standard normal"),
    # The running example.
    "$M=8$, no noise": RUNNING,
    "are $\\frac94$ and $6$, the best shares": HALF_LENGTH,
    "$\\frac{32}{41}$ and $\\frac47$": SHARES,
    "$2\\cdot\\frac9{41}+\\frac12\\cdot\\frac37=\\frac{375}{574}$. Averaging": BEST,
    "goes the shares $2$ and $\\frac12$": LAMBDA,
    "$2\\bigl[1+\\frac98\\bigr]+\\frac12\\bigl[\\frac14+\\frac3{16}\\bigr]=\\frac{143}{32}$": PLAIN,
    "than the $\\frac52$ of silence": SILENCE,
    "with eight points": N,
    "a million points": given("a thought"),
    "Four points, $w=(1,1)$": given("the context that the figure begins with"),
    "trained at $N=8$ keeps": RUNNING,
    "$2\\bigl(\\frac9{41}\\bigr)^2+\\frac12\\bigl(\\frac37\\bigr)^2=0.188$": FLOOR,
    "$7.5\\,\\%$": FLOOR / SILENCE,
    "a quarter at $N=d+1$": Fraction(1, 2) ** 2,
    "drawn from four points on": given("d + 2, the condition of the proposition"),
    # Check yourself.
    "Let $\\Lambda=I$, $d=5$": given("a setting"),
    "From five, as many": given("an answer on offer"),
    "From six\n": FIVE + 1,
    "$n=d+1=6$. At six points": FIVE + 1,
    "equal, from seven on": FIVE + 2,
    "train at $N=20$ and": given("a setting"),
    "test at $M=20000$": given("an answer on offer"),
    "train at $N=40$\n": given("twice the setting"),
    # Exercises.
    "$\\alpha=\\frac{136}{335}$": ALPHA,
    "Take $k=1,2,3,4$ gradient steps": cell("for k in (1, {}, {}, {}):"),
    "$\\frac{55}{64}$ by {eq}`eq-step-risk` against $\\frac{375}{574}$; from": (
        risk_of((HALF, HALF)),
        BEST,
    ),
    "are below four": Fraction(2) / HALF,
    "=2+\\frac18$": risk_of(LAMBDA, None),
    "the lengths 4, 16, 64, 128, 256, 640 gives": cell("in ({}, {}, {}, {}, {}, {})}"),
    "in the median over twenty training sets": cell(
        "fits = [fit_step(running, 2560 // length, length, k) for k in range({})"
    ),
    "$N=128$, with only twenty tasks, and from $64$ to $256$": (
        given("the smallest of the medians printed below"),
        Fraction(2560, 128),
        given("medians printed below"),
        given("medians printed below"),
    ),
    # For the record.
    "for $k\\ge3$, and infinity for $k\\le2$": (given("of degrees"), given("of degrees")),
    "take the place of columns, and $k=2$": given("of degrees"),
    "$\\frac{17}4\\cdot\\frac{\\sigma^2}M$": SQUARES,
    "With four or five points least squares loses most, from six on": (
        given("2/(M-3) > 17/(4M): checked below"),
        given("2/(M-3) > 17/(4M): checked below"),
        given("2/(M-3) < 17/(4M): checked below"),
    ),
    "over forty training sets": cell("for k in range({})]) - inverse"),
    "half as many prompts double it. Half the length": (given("a thought"), given("a thought")),
    "from $0.65$ at": BEST_AT[8],
    "to $1.02$ at $N=4$": (BEST_AT[4], given("half of the running example's")),
}

# What the words that set fig-step-plane say of its trained step, for a true w of (1, 1).
SHORT, LONG = (StepPlane(M=40, N=length).estimates()["trained"] for length in (8, 64))

CLAIMS = {
    "this arrow still stops short of the truth": bool((SHORT < 1).all()),
    "the layer trusts more, and on these points goes too far in the weak direction": bool(
        (LONG > SHORT).all() and LONG[1] > 1
    ),
    "one percent at $N=9(d+1)$": Fraction(1, 9 + 1) ** 2 == Fraction(1, 100),
    "no better than silence at $\\alpha=1$": 2 - 2 + 1 == 1,
    "is *worse than saying nothing*": PLAIN > SILENCE,
    "both risks are equal": FULL_STEP[6] == FIVE > FULL_STEP[7],
    "that divides the floor by more than three": all(
        (20 + n) ** 2 * 3 < (40 + n) ** 2 for n in HALF_LENGTH[:1]
    )
    and sum(one * (n / (20 + n)) ** 2 for one, n in zip(LAMBDA, HALF_LENGTH, strict=True))
    > 3 * sum(one * (n / (40 + n)) ** 2 for one, n in zip(LAMBDA, HALF_LENGTH, strict=True)),
    "least squares loses most": all(
        (Fraction(2, M - 3) > SQUARES / M) == (M < 6) for M in range(4, 50)
    ),
}
