"""Numbers of chapter 5."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from linear_icl.random_covariance import Gamma, Law, LogNormal, Uniform

from tests.text.ties import given

HALF, RUNNING = Fraction(1, 2), given("the running example")
SPELLED = given("a formula of the text in words")

# Two variances, equally often: the step, and what it leaves along each and in all.
LOUD, QUIET = Fraction(2), HALF


def moment(n: int) -> Fraction:
    return (LOUD**n + QUIET**n) / 2


ALPHA = moment(2) / moment(3)
FIRST = tuple(one / LOUD for one in (LOUD, QUIET))  # from zero towards (1, 1)
SECOND = tuple(at + one / QUIET * (1 - at) for at, one in zip(FIRST, (LOUD, QUIET), strict=True))
LEFT = {one: (ALPHA * one - 1) ** 2 for one in (LOUD, QUIET)}
TOGETHER = 1 - moment(2) ** 2 / moment(1) / moment(3)
MEAN_STEP = 1 / moment(1)

# The exchanged axes at N = 8, and Exp(1) at d = 2, N = 8.
N = 8
EXP = tuple(Fraction(math.factorial(n)) for n in range(4))
ZETA = Fraction(N + 1, N) * EXP[3] + (EXP[3] + EXP[2] * EXP[1]) / N
STEP = EXP[2] / ZETA
STEP_3 = EXP[2] / EXP[3]
SLOPE = EXP[2] ** 2 / EXP[3]  # a page's "two thirds" is twice one third

# Where the best two steps of Exp(1) have their zeros: a Laguerre polynomial.
ZEROS = tuple(
    sorted(np.roots([(-1) ** j * math.comb(4, 2 - j) / math.factorial(j) for j in (2, 1, 0)]))
)

# The bill of Exp(1): shares by quadrature.
lam = np.linspace(0, 60, 600_001)
silence = lam * np.exp(-lam)
layer = silence * (lam / 3 - 1) ** 2


def share(bill: np.ndarray, where: np.ndarray) -> float:
    return float(np.trapezoid(np.where(where, bill, 0), lam) / np.trapezoid(bill, lam))


def fixed(c: Fraction, step: Fraction) -> Fraction:
    """The risk per dimension at scale c, Exp(1), endless contexts, of a step."""
    return step**2 * c**6 * EXP[3] - 2 * step * c**4 * EXP[2] + c**2


# Two points and a uniform law, the exercises, M = 1.
PRICE = {k: Fraction(1, k + 2) for k in (8, 9)}
DEEP = {k: Fraction(2, (k + 2) * (k + 3)) for k in (2, 3)}


NUMBERS = {
    # The opening.
    "Half of all prompts have $\\Lambda=\\operatorname{diag}(2,\\frac12)$, half ": (
        HALF,
        LOUD,
        QUIET,
        HALF,
    ),
    "$\\operatorname{diag}(\\frac12,2)$; contexts": (QUIET, LOUD),
    "=\\tfrac{65}{16}\\alpha^2-\\tfrac{17}4\\alpha+\\tfrac54": (moment(3), 2 * moment(2)),
    "The right steps would be $\\frac12$ and $2$.": (1 / LOUD, 1 / QUIET),
    "At $\\alpha=\\frac45$, right for the mean variance $\\frac54$, the layer says $\\frac85$ of "
    "the truth along the loud axis and $\\frac25$ along": (
        MEAN_STEP,
        moment(1),
        MEAN_STEP * LOUD,
        MEAN_STEP * QUIET,
    ),
    "Both keep $(\\frac35)^2=36\\,\\%$": (1 - MEAN_STEP * QUIET) ** 2,
    "of larger variance, in half of all prompts": HALF,
    "The vertex is at $\\alpha=\\frac{34}{65}=0.523$": ALPHA,
    "nearly the right step for variance $2$": LOUD,
    "Of the cost of silence $0.2\\,\\%$ is left along": LEFT[LOUD],
    "$55\\,\\%$ along the quiet one, together $11\\,\\%$": (LEFT[QUIET], TOGETHER),
    "Here the weights are $8$ and $\\frac18$, as $64$ to $1$.": (
        LOUD**3,
        QUIET**3,
        LOUD**3 / QUIET**3,
    ),
    # Exp(1).
    "are $1,2,6$, the step is $\\frac13$, and a third of silence": (
        *EXP[2:],
        EXP[2] / EXP[3],
        1 - EXP[2] ** 2 / EXP[3],
    ),
    "Only $5\\,\\%$ of draws are beyond $3$": (math.exp(-3), EXP[3] / EXP[2]),
    "Variances below $1$, $63\\,\\%$ of all, make up $26\\,\\%$ of silence's risk, "
    "$51\\,\\%$ of the layer's": (
        1 - math.exp(-1),
        share(silence, lam < 1),
        share(layer, lam < 1),
    ),
    "Above $6$ the layer says more than twice": (2 * EXP[3] / EXP[2], SPELLED),
    # By hand.
    "$\\xi_i=2$, $\\zeta_{ii}=\\frac98\\cdot6+\\frac18(6+2)=\\frac{31}4$": (EXP[2], ZETA, ZETA),
    "so $uU=\\frac8{31}I$": STEP,
    # Twice the vertex.
    "## Wider by √2": given("the square root: the claim below"),
    "{prf:proposition} Twice the vertex": given("the claim below"),
    "exactly for $c>\\sqrt2$": math.sqrt(2),
    "is as high at twice its vertex": SPELLED,
    "Neither: they meet at $\\sqrt2$": math.sqrt(2),
    "points √2 times wider": given("the square root"),
    # The witness.
    "for $\\operatorname{Exp}(1)$ is a third of the truth": EXP[2] / EXP[3],
    "**One third, a bent curve, two thirds: three": (
        EXP[2] / EXP[3],
        SLOPE / 2,
    ),
    "a line of slope two thirds": SLOPE / 2,
    "Two thirds: $\\mathbb E[\\hat yy]": SLOPE / 2,
    "/\\mathbb E[y^2]=\\mathbb E[\\frac\\lambda3\\cdot\\lambda]/\\mathbb E\\lambda=\\frac23$": (
        STEP_3 * EXP[2] / EXP[1]
    ),
    "And two thirds is one minus the share": SLOPE / 2,
    "both slopes are $\\frac13$": EXP[2] / EXP[3],
    # Degrees and cures.
    "Make all points twice as large": given("a thought"),
    "twice through $m$ and once": SPELLED,
    "becomes eight times as large": 2**3,
    "as both traces are $\\frac52$": 2 * moment(1),
    "in all four blocks": given("a count of blocks"),
    "Make the step $\\frac12$ and then the step $2$, in both": (1 / LOUD, 1 / QUIET),
    "the steps $\\frac12$ and $2$ from zero, and the best single step, $\\frac{34}{65}$": (
        1 / LOUD,
        1 / QUIET,
        ALPHA,
    ),
    "Left an arrow runs to one, a quarter, and": FIRST[1],
    "the best step has its zero at $3$, the best two have theirs at $2$ and $6$": (
        EXP[3] / EXP[2],
        *ZEROS,
    ),
    "the risk is twice the minimum plus": given("the factor ½ of the loss"),
    # What is known, check yourself.
    "worse than silence beyond $c=\\sqrt2$": math.sqrt(2),
    "the two risks meet at $c^2=2$": 2,
    "$m_1/m_2=\\frac12$ instead of $\\frac13$, and it leaves $\\frac12$ of the risk of silence "
    "instead of $\\frac13$": (
        EXP[1] / EXP[2],
        EXP[2] / EXP[3],
        fixed(Fraction(1), HALF),
        fixed(Fraction(1), Fraction(1, 3)),
    ),
    # Exercises.
    "all moments tend to $\\frac12$, so the step is $1$ and the share $\\frac12$": HALF,
    "=\\frac1{k+2}$: below a tenth for $k>8$": (PRICE[8], 8),
    "{prf:ref}`prp-rc-depth`: below a tenth for $k>2$": (DEEP[2], 2),
    "Take $d=2$, $\\lambda_1\\sim": given("the setting of the exercise"),
    "in the line at 22.5 degrees": Fraction(45, 2),
    "up to the scale $c=\\sqrt2$ of": math.sqrt(2),
    # For the record.
    "Five laws and their": given("a count of rows"),
    "finite for $n\\le3$; here": given("moments"),
    "| exponential of mean 1 | $1$ | $2$ | $6$ |": EXP[2:],
    "so $0<x<2$, and": given("x is twice σ² over its bound"),
}


def moments(law: Law) -> list[float]:
    return [float(law.moment(k)) for k in (1, 2, 3)]


def close(one: Sequence[float], other: Sequence[float]) -> bool:
    return bool(np.allclose(one, other, rtol=1e-9))


CLAIMS = {
    # Gamma laws of mean one: the rate grows with m2, and the step is m2/m3 in endless contexts.
    "**More spread in a gamma law: out of the plateau sooner, to a smaller step.**": (
        (wide := moments(Gamma(0.5, 2.0)))[1] > (narrow := moments(Gamma(4.0, 0.25)))[1]
        and wide[1] / wide[2] < narrow[1] / narrow[2]
    ),
    # The table of laws, with k, r = 3, ½; a, b = 1, 4; μ, v = 0.2, 0.3.
    "| $kr$ | $k(k+1)r^2$ | $k(k+1)(k+2)r^3$ |": close(moments(Gamma(3.0, 0.5)), [1.5, 3.0, 7.5]),
    "| $\\frac{a+b}2$ | $\\frac{b^3-a^3}{3(b-a)}$ | $\\frac{b^4-a^4}{4(b-a)}$ |": close(
        moments(Uniform(1.0, 4.0)), [5 / 2, 63 / 9, 255 / 12]
    ),
    "| $e^{\\mu+v/2}$ | $e^{2\\mu+2v}$ | $e^{3\\mu+9v/2}$ |": close(
        moments(LogNormal(0.2, 0.3**0.5)), [math.exp(0.35), math.exp(1.0), math.exp(1.95)]
    ),
    "is rare: three times the mean": EXP[3] / EXP[2] == 3 * EXP[1],
    "is lowest when that variance is three": EXP[3] / EXP[2] == 3,
    "Three. The moments": EXP[3] / EXP[2] == 3,
    "Loudness counts three times.": all(
        (ALPHA * one - 1) ** 2 * one == one**3 * (ALPHA - 1 / one) ** 2 for one in LEFT
    ),
    "end at the task; one step cannot.": all(at == 1 for at in SECOND) and all(LEFT.values()),
    "$m_2=1+\\frac1k$. And for a shorter step: in endless contexts $m_2/m_3=\\frac k{k+2}$": all(
        (1 + 1 / k) / ((1 + 1 / k) * (1 + 2 / k)) == k / (k + 2) for k in (QUIET, LOUD)
    ),
    "a parabola is as high at twice its vertex as at zero": moment(3) * (2 * ALPHA) ** 2
    == 2 * moment(2) * 2 * ALPHA,
    "right for the mean variance": (MEAN_STEP * QUIET - 1) ** 2 == (MEAN_STEP * LOUD - 1) ** 2,
    "below a tenth for $k>8$": PRICE[9] < Fraction(1, 10) == PRICE[8],
    "below a tenth for $k>2$": DEEP[3] < Fraction(1, 10) == DEEP[2],
    # In endless contexts the step trained on I is one: better up to c² = ½, lost from ⅔ on.
    "The longer step trained on $I$ (dashed) is better at small $c$ and loses sooner": all(
        (fixed(c, Fraction(1)) < fixed(c, STEP_3)) == (2 * c**2 < 1)
        and (fixed(c, Fraction(1)) > c**2) == (3 * c**2 > 2)
        for c in (Fraction(1, 2), Fraction(3, 4), Fraction(9, 10), Fraction(5, 4))
    ),
    "is left along the loud axis": LEFT[LOUD] < LEFT[QUIET],
}
