"""Numbers of chapter 4."""

from __future__ import annotations

import math
from fractions import Fraction

import torch
from linear_icl import labels, risk
from linear_icl_book.live import Dial, StepPlane

from tests.text.ties import about, cell, given

F, HALF, RUNNING = Fraction, Fraction(1, 2), given("the running example")
LAMBDA, N = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64)), 8
W, V = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
PLAIN = labels.Noiseless(W).moments(LAMBDA)
SHORT = risk.prediction_risk(LAMBDA, N, 1, PLAIN)
LONG = risk.prediction_risk(LAMBDA, 80, 1, PLAIN)
GROWTH, FALL = LONG.variance / SHORT.variance, SHORT.bias / LONG.bias
QUADRATIC = labels.Quadratic(W, V, 0.4).moments(LAMBDA)
SPREAD = tuple(PLAIN[1].diagonal() / LAMBDA.diagonal() ** 2)  # v
SHARES = (F(32, 41), F(4, 7))


def short_and_long() -> float:
    """Where the risks of the layers trained at 8 and at 64 cross in the running example."""
    few, many = (risk.risk_curve(LAMBDA, length) for length in (8, 64))
    return float((many.slope - few.slope) / (few.floor - many.floor))


# The little prompt, one part changed at a time: (x, y, x_q) and the slope of the rule.
ROWS = {
    "as it was, $y=2x$": ((2, -1), (4, -2), 1, 2),
    "task doubled, $y=4x$": ((2, -1), (8, -4), 1, 4),
    "query doubled": ((2, -1), (4, -2), 2, 2),
    "context doubled, $y=2x$": ((4, -2), (8, -4), 1, 2),
}


def row(x: tuple[int, int], y: tuple[int, int], query: int, slope: int) -> tuple[Fraction, ...]:
    """x, y, x_q, m, S, the layer's answer with Γ = 2, the truth."""
    m = F(sum(a * b for a, b in zip(x, y, strict=True)), 2)
    S = F(sum(a * a for a in x), 2)
    return (*map(F, (*x, *y, query)), m, S, m / 2 * query, F(slope * query))


def printed_row(name: str) -> str:
    *x_y, query, m, S, answer, truth = row(*ROWS[name])
    tex = [
        f"\\frac{value.numerator}2" if value.denominator == 2 else str(value)
        for value in (S, answer)
    ]
    x, y = (",".join(map(str, pair)) for pair in (x_y[:2], x_y[2:]))
    return f"| {name} | ${x}$ | ${y}$ | ${query}$ | ${m}$ | ${tex[0]}$ | ${tex[1]}$ | ${truth}$ |"


def letters(variance: Fraction) -> tuple[Fraction, ...]:
    """n_i, γ_i and s_i in the running example."""
    n = 1 + F(5, 2) / variance
    gamma = (1 + F(1, N)) * variance + F(5, 2) / N
    return n, gamma, variance / gamma


def crossing_risk(length: int, M: int) -> Fraction:
    """Dimension one, variance one, half-length two."""
    s = F(length, length + 2)
    return (1 - s) ** 2 + F(2, M) * s**2


TURNED, DOUBLED = StepPlane(turn=90), StepPlane(scale=2)
ENDS = {
    name: tuple(one.estimates()["trained"])
    for name, one in (("turned", TURNED), ("doubled", DOUBLED))
}
WRONG = {name: error for name, (_, error) in DOUBLED.table().items()}
CONTEXT = StepPlane().context()
ENOUGH = risk.context_lengths(LAMBDA, 0.1)
HALF_LENGTHS = (F(9, 4), F(6))
SHARPER = sum(one * n**2 for one, n in zip((F(2), HALF), HALF_LENGTHS, strict=True))
LEFT = F(216, 287)
COUNT = given("a count of words")

NUMBERS = {
    # The little prompt, one part changed at a time.
    "trained on $N=2$ points of variance one: $\\Gamma=2$": (given("a setting"), 1 + F(2, 2)),
    **{printed_row(name): given("the row is made above") for name in ROWS},
    "way to the truth: $\\frac54$ in": row(*ROWS["query doubled"])[6] / 2,
    "rows, $5$ in the last": row(*ROWS["context doubled, $y=2x$"])[6] / 2,
    "have grown by four": row(*ROWS["context doubled, $y=2x$"])[6] / row(*ROWS["query doubled"])[6],
    # One parabola.
    "trained at $N=8$, the strong direction has": RUNNING,
    "$n_1=\\frac94$, $\\gamma_1=\\frac{41}{16}$ and the share $\\frac{32}{41}$, the": letters(F(2)),
    "$n_2=6$, $\\gamma_2=\\frac78$ and the share $\\frac47$.": letters(HALF),
    "with the *half-length*": given("a name"),
    "deserves half of our trust": HALF,
    "lengthens the half-length at test": given("a name"),
    "if and only if $c_i^2>2$": (1 + F(1)),
    "and the risk, four times as large": F(2) ** 2,
    "*and* query), $c=2$. Every share tends to $4$, and the error to nine times": (
        given("a setting"),
        F(2) ** 2,
        (F(2) ** 2 - 1) ** 2,
    ),
    "\n- $\\sqrt2$ times\n- twice\n- four times\n": given("answers to choose from"),
    "$\\sqrt2$ times: the share is then $2$, as far": (
        about(1.4142, within=0.001),
        about(1.4142**2, within=0.001),
    ),
    "is nearly endless: risk $1.03$": Dial(alpha=1, M=256, scale=1.4142).risk(),
    # Any labels.
    "Five kinds are": COUNT,
    "$N=8$, noiseless labels with": RUNNING,
    "shares $\\frac{32}{41}$ and $\\frac47$, and": SHARES,
    "$v=(\\frac94,6)$": SPREAD,
    "the half-lengths, because $w": given("a name"),
    "$2\\bigl(\\frac9{41}\\bigr)^2+\\frac12\\bigl(\\frac37\\bigr)^2$. Var": SHORT.bias,
    "$\\frac1M\\bigl[2\\bigl(\\frac{32}{41}\\bigr)^2\\frac94+\\frac12": 2
    * SHARES[0] ** 2
    * HALF_LENGTHS[0],
    "Together $0.188+\\frac{3.72}M$": (SHORT.bias, SHORT.variance),
    "points are least squares on 4000 prompts": cell("labelled(model, M), {}).mean"),
    "here $w^\\top x+0.4\\,(x_1-x_2)^2$": cell("labels.Quadratic(w, v, {})"),
    "with $b=3$. {set}": QUADRATIC[2],
    "takes over from $M=20$ on": (SHORT.variance / SHORT.bias).ceil(),
    # Two lengths.
    "variance one, half-length $2$": (given("a name"), 1 + F(1)),
    "Trained at $N=1$ the layer goes $\\frac13$ of the way, at $N=4$ it goes $\\frac23$": (
        F(1, 1 + 2),
        given("a setting"),
        F(4, 4 + 2),
    ),
    "short training first: $\\frac23$ and": crossing_risk(1, 1),
    "$\\frac{14}{27}$ and $\\frac{11}{27}$ on three": (
        crossing_risk(1, 3),
        crossing_risk(4, 3),
    ),
    "they tie, at $\\frac59$:": crossing_risk(1, 2),
    "$\\frac13$ and $\\frac23$ lie symmetric about $\\frac12$": (
        F(1, 3),
        F(4, 6),
        F(2, 2 + 2),
    ),
    "(by hand: $4$, for $3$ and $6$)": (2 / (F(1, 3) + F(1, 6)), F(1 + 2), F(4 + 2)),
    "*2.* From": given("the number of a claim"),
    "$\\varepsilon=\\frac1{10}$: $M\\ge150$, $N\\ge24$": (
        cell("risk.context_lengths(Lambda, {})"),
        ENOUGH[1],
        math.ceil(math.sqrt(2 * SHARPER * 10)),
    ),
    "Tests will have $M=20$ points, without noise": given("a question"),
    # Points from elsewhere.
    "$m=4$ may be the task $4$ on": (F(4) * 1, given("a setting")),
    "on points of variance four. The": F(4) / 1,
    # Whitening.
    "the first table $S=10$ and $\\Gamma=2$": (
        row(*ROWS["context doubled, $y=2x$"])[6],
        1 + F(2, 2),
    ),
    "by $\\sqrt{2/10}$, so that": about(math.sqrt(0.2), within=1e-9),
    "$\\frac12\\cdot20\\cdot\\frac2{10}=2$, the truth": F(2),
    "points $(2,0),(1,1),": CONTEXT.x[0, 0, 0],
    "or turn them by $90°$, with": given("a question"),
    "ends at $(2.73,3.43)$: on new": ENDS["doubled"],
    "its mean squared error is $35.8$, that of silence $10$": (WRONG["trained"], WRONG["silence"]),
    "it ends at $(0.10,1.43)$": ENDS["turned"],
    # Nine kinds of prompts.
    "Nine kinds of prompts on one": COUNT,
    "tested them on nine kinds": COUNT,
    "for nine kinds of prompts in dimension six": (COUNT, cell("dim, one = {}, torch")),
    "Below it nine rows of dots. Four rows have": COUNT,
    "doubled points have dots near four": 2**2,
    "Four rows have, at endless": COUNT,
    "**Four kinds change the": COUNT,
    "of the six variances zero and": cell("dim, one = {}, torch"),
    "where they are doubled: $s=2$": F(6, 3),
    # Check yourself.
    "trained at $N=8$ and one trained at $64$ are tested on four points": (
        RUNNING,
        given("a setting"),
        given("a setting"),
    ),
    "a. … the one trained at $64$": given("a setting"),
    "On four points boldness": given("a setting"),
    "b. … the one trained at $8$": RUNNING,
    "the risks cross at $M=16.4$ only": short_and_long(),
    # Exercises.
    "not the hundred of": (80 / 8) ** 2,
    "why is the factor near a hundred, but less": about(GROWTH * FALL, within=0.15),
    "From $N=8$ to $80$ both": (RUNNING, cell("for length in (8, {}):")),
    "so $V$ rises, by 1.84": GROWTH,
    "$B$ falls by 48 only": FALL.round(),
    "88 are left": (GROWTH * FALL).round(),
    "$\\mathbb E[z^6]=15p^3$, $\\mathbb E[z^8]=105p^4$": (given("3·5"), given("3·5·7")),
    "$b=15p^3-9p^3=6p^3$; and $\\Sigma=15p^3\\Lambda+(105-15-9)p^2": given(
        "checked by the cell below: 15 - 9 = 6, 105 - 15 - 9 = 81"
    ),
    "a rotation of $\\Lambda$ by 90 degrees": given("a question: Λ with its axes exchanged"),
    "It grows up to 90 degrees": given("the last column below"),
    # For the record.
    "\nFive kinds of labels, bounds": COUNT,
    "formulas of the nine shifts": COUNT,
    "### Five kinds of labels": COUNT,
    "+12k^2\\|v\\|_\\Lambda^2\\,\\Lambda vv^\\top\\Lambda$ |": given("sampled by the receipt"),
    "+12\\|v\\|_\\Lambda^2\\,\\Lambda vv^\\top\\Lambda$. Mom": given("sampled by the receipt"),
    "the rectifier half of all": given("a share"),
    "the answer $-\\frac{432}{287}$": -2 * LEFT,
    "### Nine formulas": COUNT,
    "*The first six* are": COUNT,
}

ENDLESS = {M: 2 * F(1, M) for M in (7, 8, 9)}  # d = 1: a full step on M points

SIZE = float(W @ LAMBDA @ W)  # ‖w‖² in the norm of Λ
BOTH = LAMBDA @ W[:, None] @ W[None] @ LAMBDA


def moments_are(
    model: labels.LabelModel, a: float, plain: float, outer: float, best: float
) -> bool:
    """The row of a kind of labels: a w, plain Λ + outer Λwwᵀ Λ, and the best risk."""
    found = model.moments(LAMBDA)
    return bool(
        torch.allclose(found.a, a * W)
        and torch.allclose(found.Sigma, plain * LAMBDA + outer * BOTH)
        and abs(float(found.best) - best) < 1e-12
    )


CLAIMS = {
    "points $(2,0),(1,1),(-1,0),(0,-1)$ with $w=(1,1)$": (
        CONTEXT.x[0].tolist() == [[2, 0], [1, 1], [-1, 0], [0, -1]]
    ),
    "$\\frac23$ and $1$ on one point": crossing_risk(4, 1) == 1,
    "{set}`Turned <step-plane: turn = 90>` it ends": TURNED.turn == 90,
    "{set}`Doubled <step-plane: scale = 2>`, the arrow": DOUBLED.scale == 2,
    r"$w$ | $\|w\|_\Lambda^2\Lambda+\Lambda ww^\top\Lambda$ | $0$ |": moments_are(
        labels.Noiseless(W), 1, SIZE, 1, 0
    ),
    r"$w$ | $(\|w\|_\Lambda^2+\sigma^2)\Lambda+\Lambda ww^\top\Lambda$ | $\sigma^2$ |": moments_are(
        labels.Noisy(W, 0.3), 1, SIZE + 0.3, 1, 0.3
    ),
    r"| $\sqrt{\frac2\pi}\,\frac w{\|w\|_\Lambda}$ | "
    r"$\Lambda-\frac2{\pi\|w\|_\Lambda^2}\Lambda ww^\top\Lambda$ | $1-\frac2\pi$ |": moments_are(
        labels.Sign(W), (2 / math.pi / SIZE) ** 0.5, 1, -2 / math.pi / SIZE, 1 - 2 / math.pi
    ),
    r"| $\frac12w$ | $\frac12\|w\|_\Lambda^2\Lambda+\frac34\Lambda ww^\top\Lambda$ | "
    r"$\frac14\|w\|_\Lambda^2$ |": moments_are(labels.Relu(W), 0.5, SIZE / 2, 0.75, SIZE / 4),
    "That is below $M$, though": risk.linear_risk(LAMBDA, range(1, 61), 40, noise_variance=3.0)
    .argmin()
    .item()
    + 1
    < 40,
    "below it that of $N_1$ is smaller, above it that of $N_2$": crossing_risk(1, 1)
    < crossing_risk(4, 1)
    and crossing_risk(1, 3) > crossing_risk(4, 3),
    "for $N_2=\\infty$, at $M=2N_1+d+1$": crossing_risk(3, 7) < ENDLESS[7]
    and crossing_risk(3, 8) == ENDLESS[8]
    and crossing_risk(3, 9) > ENDLESS[9],
    "in one direction timid, in the other too bold": ENDS["turned"][0]
    < 0.5
    < 1
    < ENDS["turned"][1],
}
