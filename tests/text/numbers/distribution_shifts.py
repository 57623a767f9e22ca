"""Numbers of chapter 4."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import torch
from linear_icl import labels, lsa, prompts, risk
from linear_icl.labels import Noiseless, Noisy, Quadratic, Relu, Sign
from linear_icl_book import figures
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
    "The $2$ becomes the *half-length*": (1 + F(1), given("a name")),
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
    "is nearly endless: the risk is $1.03$": Dial(alpha=1, M=256, scale=1.4142).risk(),
    # Any labels.
    "Five kinds are": COUNT,
    "$N=8$, noiseless labels with": RUNNING,
    "The shares are $\\frac{32}{41}$ and $\\frac47$, the half-lengths $\\frac94$ and $6$.": (
        *SHARES,
        given("a name"),
        *SPREAD,
    ),
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
    "not the labels, by $\\sqrt{2/10}$": about(math.sqrt(0.2), within=1e-9),
    "$\\frac12\\cdot20\\cdot\\frac2{10}=2$, the truth": F(2),
    "points $(2,0),(1,1),": CONTEXT.x[0, 0, 0],
    "or turn them by $90°$, and": given("a question"),
    "send the arrow to $(2.73,3.43)$: on new": ENDS["doubled"],
    "its mean squared error is $35.8$, silence's $10$": (WRONG["trained"], WRONG["silence"]),
    "they send it to $(0.10,1.43)$": ENDS["turned"],
    # Nine kinds of prompts.
    "Nine kinds of prompts on one": COUNT,
    "tested them on nine kinds": COUNT,
    "for nine kinds of prompts in dimension six": (COUNT, cell("dim, one = {}, torch")),
    "Below it nine rows of dots. Four rows have": COUNT,
    "doubled points have dots near four": 2**2,
    "Four rows have, at endless": COUNT,
    "**Four kinds change the": COUNT,
    "of the six variances zero and": cell("dim, one = {}, torch"),
    "where the query lies: $s=2$": F(6, 3),
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
    "$B$ falls by 48, not": FALL.round(),
    "88 are left": (GROWTH * FALL).round(),
    "$\\mathbb E[z^6]=15p^3$, $\\mathbb E[z^8]=105p^4$": (given("3·5"), given("3·5·7")),
    "$b=15p^3-9p^3=6p^3$; and $\\Sigma=15p^3\\Lambda+(105-15-9)p^2": given(
        "checked by the cell below: 15 - 9 = 6, 105 - 15 - 9 = 81"
    ),
    "a rotation of $\\Lambda$ by 90 degrees": given("a question: Λ with its axes exchanged"),
    "It grows up to 90 degrees": given("the last column below"),
    # For the record.
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


# What words of direction say, in letters of the page.
DRAWN = torch.Generator().manual_seed(11)
SHAPES = [torch.diag(torch.tensor(one, dtype=torch.float64)) for one in ([2, 0.5], [3, 1, 0.1])]
MODELS = [Noiseless(W), Noisy(W, 0.5), Sign(W), Quadratic(W, V, 0.4), Relu(W)]
LENGTHS = torch.arange(1, 61)


def rises(values: torch.Tensor) -> bool:
    """Along the last axis, everywhere."""
    return bool((values.diff() > 0).all())


def parabola(M: int) -> torch.Tensor:
    """Relative to silence, by share of the way, Λ = 1."""
    return torch.tensor([Dial(alpha=s / 50, M=M, N=8).risk() for s in range(51)])


def relative(squared: float, covariance: torch.Tensor, axis: int) -> float:
    """The error along an axis, of endless prompts with variances `squared` times as large."""
    query = torch.zeros_like(covariance)
    query[axis, axis] = covariance[axis, axis]
    found = risk.linear_risk(
        covariance, 10**7, 10**9, test_covariance=squared * covariance, query_covariance=query
    )
    return float(found / query.trace())


def shares(covariance: torch.Tensor, N: int) -> torch.Tensor:
    return covariance.diagonal() / lsa.gamma(covariance, N).diagonal()


def expectation(function: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Over x ~ N(0, Λ), by a rule that is exact for polynomials of degree fifteen."""
    at, weight = (torch.tensor(one) for one in np.polynomial.hermite_e.hermegauss(8))
    x = torch.cartesian_prod(at, at) @ LAMBDA.sqrt()
    values = function(x)
    mean: torch.Tensor = (weight[:, None] * weight).flatten() @ values / weight.sum().square()
    return mean


def moment(a: int, b: int) -> float:
    return float(expectation(lambda x: (x @ W) ** a * x[:, 0] ** b))


def label(x: torch.Tensor) -> torch.Tensor:
    return torch.mv(x, W) + 0.4 * torch.mv(x, V) ** 2


def best_length(noise: float, axis: int, M: int, covariance: torch.Tensor = LAMBDA) -> int:
    """The best N for the errors along one axis."""
    query = torch.zeros_like(covariance)
    query[axis, axis] = 1
    found = risk.linear_risk(covariance, LENGTHS, M, noise_variance=noise, query_covariance=query)
    return int(found.argmin()) + 1


def falls_then_rises(covariance: torch.Tensor, M: int) -> bool:
    found = risk.linear_risk(covariance, LENGTHS, M)
    return rises(-found[:M]) and rises(found[M - 1 :])


def query_factor(spread: torch.Tensor, covariance: torch.Tensor) -> tuple[float, float]:
    """By what the risk grows for queries with these second moments, and r."""
    usual, new = (
        risk.linear_risk(covariance, N, 5, query_covariance=one) for one in (covariance, spread)
    )
    root = covariance.diagonal().rsqrt()
    return float(new / usual), float(torch.linalg.matrix_norm(root[:, None] * spread * root, 2))


def exceeds(model: labels.LabelModel, N: int, M: int) -> tuple[float, float]:
    """What the layer has over b, and the bound of the proposition."""
    moments = model.moments(LAMBDA)
    found, wide = (
        risk.prediction_risk(LAMBDA, N, M, moments),
        LAMBDA + LAMBDA.trace() * torch.eye(2),
    )
    bound = (moments[1] / M + wide @ torch.outer(moments[0], moments[0]) @ wide / N**2) @ (
        LAMBDA.inverse()
    )
    return float(found.total - found.best), float(bound.trace())


def silent(orthogonal: bool) -> list[float]:
    """Mean squared errors over tasks less that of silence, for one-point contexts."""
    found = []
    for _ in range(20):
        query, x = torch.randn(2, 2, generator=DRAWN, dtype=torch.float64)
        if orthogonal:
            x = torch.stack([-query[1], query[0]]) * x[0]
        error = torch.outer(x, x) @ lsa.gamma(LAMBDA, N).inverse() @ query - query
        found.append(float(error @ error - query @ query))
    return found


def answer_across(query: Sequence[float], covariance: torch.Tensor) -> float:
    """Of the layer, for w and one point x at right angles to the query, w = x = (-q2, q1)."""
    layer = lsa.LinearSelfAttention(*lsa.limit_weights(covariance, N))
    q = torch.tensor([query], dtype=torch.float64)
    x = torch.stack([-q[:, 1], q[:, 0]], 1)
    prompt = prompts.Prompts(x[:, None], (x * x).sum(1)[:, None], q, q[:, 0])
    return layer.predict(prompt).item()


def lengths_enough(covariance: torch.Tensor, goal: float) -> tuple[int, int, float]:
    """M and N of (eq-lengths), and the larger term of the bound there."""
    n = 1 + covariance.trace() / covariance.diagonal()
    terms = [float((covariance.diagonal() * n**power).sum()) for power in (1, 2)]
    M, N = math.ceil(2 * terms[0] / goal), math.ceil(math.sqrt(2 * terms[1] / goal))
    return M, N, max(terms[0] / M, terms[1] / N**2)


def dots(*weights: float) -> np.ndarray:
    """Areas in a drawing like the page's."""
    row = ([1.0, 2.0], weights, "")
    drawn = figures.strips(([0.0, 4.0], [0.0, 1.0]), {"row": row}, xlabel="x", ylabel="y")
    return np.asarray(drawn.axes[1].collections[0].properties()["sizes"])


SHRINK = math.sqrt(0.2)
TWICE = row(*ROWS["context doubled, $y=2x$"])
GAMMAS = [lsa.gamma(LAMBDA, length).diagonal() for length in (N, 80)]
BIAS_PARTS, VARIANCE_PARTS = (
    [LAMBDA.diagonal() * factor / gamma**2 for gamma in GAMMAS]
    for factor in ((LAMBDA.diagonal() + LAMBDA.trace()) ** 2, PLAIN[1].diagonal())
)
FIVE = [exceeds(model, N, M) for model in MODELS for N, M in ((1, 1), (8, 2), (2, 50), (99, 99))]
SPREADS = [
    (root @ root.mT, one)
    for one in SHAPES
    for root in torch.randn(9, len(one), len(one), generator=DRAWN, dtype=torch.float64)
]

CLAIMS = {
    "Then $m$ grows by $c^2$": all(
        row((2 * c, -c), (4 * c, -2 * c), 1, 2)[5] == c**2 * row((2, -1), (4, -2), 1, 2)[5]
        for c in (2, 3, 7)
    ),
    "lower the parabola's bottom and move it to the right": all(
        few.min() > more.min() and few.argmin() < more.argmin()
        for few, more in pairwise(parabola(M) for M in (2, 8, 64))
    ),
    "worse than silence exactly if the variance has more than doubled": all(
        (relative(c, one, axis) > 1) == (c > 2)
        for one in SHAPES
        for c in (0.3, 1.0, 1.9, 2.1, 3.0)
        for axis in range(len(one))
    ),
    r"\,\mathbb E[\delta]$ vanishes": bool(
        expectation(lambda x: (label(x) - x @ QUADRATIC.a)[:, None] * x).norm() < 1e-9
        and expectation(lambda x: (label(x) - 1.1 * x @ QUADRATIC.a)[:, None] * x).norm() > 0.1
    ),
    "For fixed $M$ it falls in $N$ up to $N=M$, and rises beyond": all(
        falls_then_rises(one, M) for one, M in product(SHAPES, (1, 3, 20))
    ),
    r"s_i=\frac N{N+n_i}$, which increases in $N$": all(
        (shares(one, few) < shares(one, more)).all()
        for one in SHAPES
        for few, more in pairwise((1, 2, 8, 99))
    ),
    "falls by some $B>0$": all(rises(-risk.risk_curve(one, LENGTHS).floor) for one in SHAPES),
    "grows by some $V>0$": all(rises(risk.risk_curve(one, LENGTHS).slope) for one in SHAPES),
    "A layer trained on few points is the better one on few points": all(
        (risk.linear_risk(one, few, M) < risk.linear_risk(one, many, M)) == (few == M)
        for one in SHAPES
        for few, many in ((1, 2), (3, 20), (20, 50))
        for M in (few, many)
    ),
    # Along an axis, with the noise of each: the variance of m, and the best length.
    "makes the measurement worse, so the step should go less far, as after fewer points": all(
        (Noisy(W, noise).moments(LAMBDA).Sigma - PLAIN.Sigma).diagonal().min() > 0
        and best_length(noise, axis, 40) < best_length(0, axis, 40) == 40
        and best_length(0, axis, M := best_length(noise, axis, 40)) == M
        for noise in (1.0, 3.0)
        for axis in (0, 1)
    ),
    "the risk grows at most by the factor $r$": all(
        factor <= r + 1e-12 for factor, r in (query_factor(*one) for one in SPREADS)
    )
    and math.isclose(*query_factor(3 * LAMBDA, LAMBDA)),
    r"the term with $\frac1M$ vanishes": all(
        abs(risk.linear_risk(LAMBDA, 8, 10**9, test_covariance=one) / rest - 1) < 1e-6
        for one in (4 * LAMBDA, BOTH + LAMBDA)
        if (rest := risk.risk_curve(LAMBDA, 8, test_covariance=one).floor)
    )
    and rises(-risk.linear_risk(LAMBDA, 8, LENGTHS, test_covariance=4 * LAMBDA)),
    "$m$ and $x_q$ both shrink by this factor": math.isclose(
        sum(SHRINK * x * y for x, y in zip(TWICE[:2], TWICE[2:4], strict=True)) / 2,
        SHRINK * TWICE[5],
    )
    and SHRINK < 1,
    "larger dots where more of the query lies": bool(
        np.diff(dots(1, 3)) > 0 and np.diff(dots(3, 1)) < 0
    ),
    r"both $\gamma_i$ fall": bool((GAMMAS[0] > GAMMAS[1]).all()),
    r"The weak $\gamma_2$ falls relatively more": rises(GAMMAS[0] / GAMMAS[1]),
    "and counts more in the bias": all(
        bias[1] / bias.sum() > variance[1] / variance.sum()
        for bias, variance in zip(BIAS_PARTS, VARIANCE_PARTS, strict=True)
    ),
    "Moments of odd order vanish": all(
        (abs(moment(*powers)) < 1e-9) == (sum(powers) % 2 == 1)
        for powers in product(range(5), repeat=2)
    ),
    r"is at most $\varepsilon$ if": all(
        risk.linear_risk(one, N, M) <= goal < risk.linear_risk(one, 1, 1)
        and risk.linear_risk(one, *risk.context_lengths(one, goal)) <= goal
        for one, goal in product(SHAPES, (0.01, 0.1, 1.0))
        for M, N, _ in [lengths_enough(one, goal)]
    ),
    r"each term is at most $\frac\varepsilon2$": all(
        goal / 4 < lengths_enough(one, goal)[2] <= goal / 2
        for one, goal in product(SHAPES, (0.01, 0.1, 1.0))
    ),
    "the risk of the trained layer exceeds $b$ by at most": all(
        0 < over <= bound for over, bound in FIVE
    ),
    "tends to zero when both lengths grow": all(
        exceeds(model, 10**6, 10**6)[1] < 1e-4 < exceeds(model, 8, 10**6)[1] for model in MODELS
    ),
    r"never less than the error $\|x_q\|^2$ of silence": min(silent(True)) >= -1e-12
    and min(silent(False)) < -0.1,
    r"vanishes for all $w$ and all $x_1\perp x_q$ only if": all(
        (abs(answer_across(query, one)) < 1e-12) == eigen
        for query, one, eigen in (
            ([1, 0], LAMBDA, True),
            ([0, 3], LAMBDA, True),
            ([1, -1], LAMBDA, False),
            ([2, 1], LAMBDA, False),
            ([2, 1], 2 * torch.eye(2, dtype=torch.float64), True),
        )
    ),
    "points $(2,0),(1,1),(-1,0),(0,-1)$ with $w=(1,1)$": (
        CONTEXT.x[0].tolist() == [[2, 0], [1, 1], [-1, 0], [0, -1]]
    ),
    "$\\frac23$ and $1$ on one point": crossing_risk(4, 1) == 1,
    "{set}`Turned <step-plane: turn = 90>`, they send": TURNED.turn == 90,
    "{set}`Doubled <step-plane: scale = 2>`, the points": DOUBLED.scale == 2,
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
    "timid in one direction, too bold in the other": ENDS["turned"][0]
    < 0.5
    < 1
    < ENDS["turned"][1],
}

SETTLED = {
    "a question": [
        "How much wider may points become",
        "Are longer training prompts always better?",
        "from which $M$ on is the bias larger than the variance?",
    ],
    "answers to choose from": ["\n- fewer\n"],
    "a definition": ["if, as both lengths grow"],
    "where something stands on the page or in a figure": [
        "(here and below: context",
        "an arrow at the lower edge says",
        "Above, the parabola $(1-s)^2$ of endless prompts; below it,",
        "*noisy* of the table above",
    ],
}
