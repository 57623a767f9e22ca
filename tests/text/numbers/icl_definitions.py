"""Numbers of chapter 1."""

from __future__ import annotations

from fractions import Fraction

import torch
from linear_icl import estimators, risk
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


def bracket(share: Fraction, half_length: Fraction) -> Fraction:
    """The risk of one direction, relative to silence, after N points."""
    return (1 - share) ** 2 + half_length / N * share**2


BEST, PLAIN, FLOOR = risk_of(SHARES), risk_of(LAMBDA), risk_of(SHARES, None)
SQUARES = sum(one**2 for one in LAMBDA)
ALPHA = SQUARES / sum(g * one**2 for g, one in zip(GAMMA, LAMBDA, strict=True))

# The little prompt: two points on a line.
X, Y = (2, -1), (4, -2)
MOMENT = Fraction(sum(x * y for x, y in zip(X, Y, strict=True)), len(X))
SPREAD = Fraction(sum(x * x for x in X), len(X))

covariance = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
BEST_AT = {length: risk.linear_risk(covariance, length, length) for length in (4, 8)}


def excess(prompts: int) -> float:
    """The median of twenty fits on so many prompts of length 8, above the best risk."""
    fits = []
    for seed in range(20):
        train = GaussianPrompts(covariance).sample(prompts, N, generator=seed)
        moment = (train.x * train.y[..., None]).mean(1)
        features = (moment[:, :, None] * train.x_query[:, None]).flatten(1)
        fit = torch.linalg.lstsq(features, train.y_query[:, None]).solution.reshape(2, 2).mT
        off = fit - gamma(covariance, N).inverse()
        spread = covariance @ off @ gamma(covariance, N) @ covariance @ off.mT
        fits.append(spread.trace())
    return float(torch.stack(fits).quantile(0.5))


EXCESS = {prompts: excess(prompts) for prompts in (5, 1280)}
SHORT_CONTEXT = {
    length: risk_of(tuple(length / (length + n) for n in HALF_LENGTH), 2) for length in (8, 64)
}
FIVE = 5  # dimensions of question 2, whose half-length is one more
FULL_STEP = {M: Fraction(FIVE * (FIVE + 1), M) for M in (6, 7)}

NUMBERS = {
    "**Ideas**: 25 minutes. **Every proof**: 60 minutes": (
        given("a reading time, which the plan of the course repeats"),
        given("a reading time, which the plan of the course repeats"),
    ),
    "with the label y 1, x 2 with y 2": (given("an index"), given("an index")),
    # The little prompt.
    "Four learners answer.": given("a count of learners"),
    "$m=\\frac1M\\sum_iy_ix_i=5$, and says $m\\,x_q=5$": (MOMENT, MOMENT),
    "The *half step* says $\\frac52$": (HALF, MOMENT / 2),
    "$S=\\frac1M\\sum_ix_ix_i^\\top=\\frac52$, and says $\\frac mSx_q=2$": (
        SPREAD,
        MOMENT / SPREAD,
    ),
    "One prompt, four answers": given("a count of rows"),
    "$x_1=2$ and $x_2=-1$, with the labels $y_1=4$ and $y_2=-2$": (X[0], *Y),
    "None of the four was": given("a count of learners"),
    "with the *half-length*": given("a name"),
    "{prf:corollary} Half-length": given("a name"),
    "is trusted half": HALF,
    "The half-lengths are": given("a name"),
    "Right: the half-length": given("a name"),
    # Half a step.
    "have the mean $\\mathbb E[x_i^4]=3$": given("the fourth moment of a standard normal"),
    "For $N=2$ the risk is": given("the setting of the prediction"),
    "$\\frac12$ at $\\alpha=\\frac12$": (SQUARE * HALF**2 - 2 * HALF + 1, 1 / SQUARE),
    "- fully\n- half\n- double": given("answers on offer"),
    "Half.\n": 1 / SQUARE,
    # The running example.
    "$\\Lambda=\\operatorname{diag}(2,\\frac12)$, $M=8$, no noise": RUNNING,
    "are $\\frac94$ and $6$, the best shares": HALF_LENGTH,
    "the best shares $\\frac{32}{41}$ and $\\frac47$": SHARES,
    "ends at $m$, with shares $2$ and $\\frac12$": LAMBDA,
    "$\\Gamma_8^{-1}m$, with shares $\\frac{32}{41}$ and $\\frac47$": SHARES,
    "the best risk $\\frac{375}{574}$": BEST,
    "goes the shares $2$ and $\\frac12$": LAMBDA,
    "$2\\bigl[1+\\frac98\\bigr]+\\frac12\\bigl[\\frac14+\\frac3{16}\\bigr]=\\frac{143}{32}$": PLAIN,
    "Silence has $\\frac52$": SILENCE,
    "A context of a million points": given("a thought"),
    "Four points, $w=(1,1)$": given("the context that the figure begins with"),
    "trained at $N=8$ keeps": RUNNING,
    "keeps a floor of $0.188$": FLOOR,
    "drawn from four points on": given("d + 2 in dimension two, checked below"),
    "trained at $N=8$ has the risk $2.05$": (RUNNING, SHORT_CONTEXT[8]),
    "trained at $N=64$ has $3.36$, and silence has $2.5$": (
        given("the longest on the slider"),
        SHORT_CONTEXT[64],
        SILENCE,
    ),
    "$7.5\\,\\%$": FLOOR / SILENCE,
    "a quarter at $N=d+1$": Fraction(1, 2) ** 2,
    # Check yourself.
    "**1.** $\\Lambda=I$, $d=5$": given("a setting"),
    "From five, as many": given("an answer on offer"),
    "From six\n": FIVE + 1,
    "$n=d+1=6$. At six points": FIVE + 1,
    "equal, from seven on": FIVE + 2,
    "Trained at $N=20$, tested": given("a setting"),
    "$M=20000$ or $N=40$": (given("an answer on offer"), given("twice the setting")),
    "$N=40$: in the": given("twice the setting"),
    # Exercises.
    "$\\alpha=\\frac{136}{335}$": ALPHA,
    "Take $k=1,2,3,4$ gradient": cell("for k in (1, {}, {}, {}):"),
    "$\\frac{55}{64}$ by {eq}`eq-step-risk` against $\\frac{375}{574}$; $k": (
        risk_of((HALF, HALF)),
        BEST,
    ),
    "$k=2,3,4$ beat it": cell("for k in (1, {}, {}, {}):"),
    "are below four": Fraction(2) / HALF,
    "=2+\\frac18$": risk_of(LAMBDA, None),
    "of one length: 4, 16, 64, 128, 256 or 640": cell("in ({}, {}, {}, {}, {}, {})]"),
    "median risk over twenty training sets": cell("2560 // length, length, {})"),
    "With these seeds $N=128$ is best; twenty sets cannot tell it from $64$ or $256$": (
        given("the smallest of the medians printed below"),
        Fraction(2560, 128),
        given("medians printed below"),
        given("medians printed below"),
    ),
    # For the record.
    "for $k\\ge3$, infinity for $k\\le2$": (given("of degrees"), given("of degrees")),
    "take the place of columns, and $k=2$": given("of degrees"),
    "$\\frac{17}4\\cdot\\frac{\\sigma^2}M$": SQUARES,
    "With four or five points least squares pays more. With six or more": (
        given("2/(M-3) > 17/(4M): checked below"),
        given("2/(M-3) > 17/(4M): checked below"),
        given("2/(M-3) < 17/(4M): checked below"),
    ),
    "over forty training sets": cell("int(B), length, {})"),
    "half as many roughly double the excess. Half the length": (
        given("a thought"),
        given("a thought"),
    ),
    "from $0.65$ at": BEST_AT[8],
    "to $1.02$ at $N=4$": (BEST_AT[4], given("half of the running example's")),
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


CLAIMS = {
    "; $k=2,3,4$ beat it": all(several(k) < BEST - Fraction(1, 10) for k in (2, 3, 4)),
    "the best step is $\\frac N{N+2}$. For": all(
        abs(float(1 / gamma([[1.0]], n)) - n / (n + 2)) < 1e-12 for n in (1, 2, 9)
    ),
    "it is the fraction $\\bigl(\\frac{d+1}{N+d+1}\\bigr)^2$": all(
        abs(
            float((1 - 1 / gamma(3 * torch.eye(d).double(), 7)[0, 0] * 3) ** 2)
            - ((d + 1) / (7 + d + 1)) ** 2
        )
        < 1e-12
        for d in (1, 2, 5)
    ),
    "training prompts of $N=9(d+1)$ points leave one percent": all(
        Fraction(d + 1, 9 * (d + 1) + d + 1) ** 2 == Fraction(1, 100) for d in (1, 2, 5)
    ),
    "The plain arrow overshoots in the strong direction and falls short in the weak one": bool(
        PLAIN_TIP[0] > 1 > PLAIN_TIP[1]
    ),
    "The trained arrow here ends nearer": bool((TRAINED_TIP - 1).norm() < (PLAIN_TIP - 1).norm()),
    "it stops short of $w$": bool((FORTY["trained"] < 1).all()),
    "With a handful of prompts it is above": EXCESS[5] > BEST_AT[8] > 20 * EXCESS[1280],
    "one percent at $N=9(d+1)$": Fraction(1, 9 + 1) ** 2 == Fraction(1, 100),
    "$2\\alpha^2-2\\alpha+1$": SQUARE == 2,
    "and at $\\alpha=1$ as large as that of silence": SQUARE - 2 + 1 == 1,
    "is *worse than saying nothing*": PLAIN > SILENCE,
    "Averaging lies near the bottom of the weak one and above silence on the strong one": all(
        (
            bracket(LAMBDA[1], HALF_LENGTH[1]) < 1.05 * bracket(SHARES[1], HALF_LENGTH[1]),
            bracket(LAMBDA[0], HALF_LENGTH[0]) > 1,
        )
    ),
    "both risks are equal": FULL_STEP[6] == FIVE > FULL_STEP[7],
    "it divides the floor by more than three": all(
        (20 + n) ** 2 * 3 < (40 + n) ** 2 for n in HALF_LENGTH[:1]
    )
    and sum(one * (n / (20 + n)) ** 2 for one, n in zip(LAMBDA, HALF_LENGTH, strict=True))
    > 3 * sum(one * (n / (40 + n)) ** 2 for one, n in zip(LAMBDA, HALF_LENGTH, strict=True)),
    "least squares pays more. With six or more averaging does": all(
        (Fraction(2, M - 3) > SQUARES / M) == (M < 6) for M in range(4, 50)
    ),
}
