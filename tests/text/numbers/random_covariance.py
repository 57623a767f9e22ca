"""Numbers of chapter 5."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import torch
from linear_icl import estimators, lsa, prompts, risk
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl.random_covariance import (
    Constant,
    DiagonalCovariance,
    Exponential,
    Gamma,
    Law,
    LogNormal,
    MixtureCovariance,
    Moments,
    RandomCovariancePrompts,
    RotatedCovariance,
    Uniform,
)

from tests.text.ties import given
from tests.text.trends import descends

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
    "each axis is *loud* (of larger variance) in half of all prompts": HALF,
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
    "Two thirds. One prompt hears": SLOPE / 2,
    "/\\mathbb E[y^2]=\\mathbb E[\\frac\\lambda3\\cdot\\lambda]/\\mathbb E\\lambda=\\frac23$": (
        STEP_3 * EXP[2] / EXP[1]
    ),
    "And two thirds is one minus the share": SLOPE / 2,
    "both have slope $\\frac13$": EXP[2] / EXP[3],
    # Degrees and cures.
    "Make all points twice as large": given("a thought"),
    "twice through $m$ and once": SPELLED,
    "becomes eight times as large": 2**3,
    "as both traces are $\\frac52$": 2 * moment(1),
    "in all four blocks": given("a count of blocks"),
    "make the step $\\frac12$, then the step $2$": (1 / LOUD, 1 / QUIET),
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


# What words of direction say, in letters of the page.
DRAWN = torch.Generator().manual_seed(5)
ONE = torch.ones((), dtype=torch.float64)
norm = torch.linalg.matrix_norm
LAWS = [Gamma(0.5, 2.0), Exponential(), Uniform(0.2, 3.0), LogNormal(0.2, 0.5)]
SHAPES, SIZES = (0.25, 1.0, 8.0), (0.001, 0.1)
START = torch.tensor([[1.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
THETA = torch.linalg.cholesky(START / norm(START))
TIMES = torch.linspace(0, 12, 49, dtype=torch.float64)


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=DRAWN, dtype=torch.float64)


def covariances(count: int, d: int, diagonal: bool = False) -> torch.Tensor:
    if diagonal:
        return torch.diag_embed(normal(count, d) ** 2 + 0.1)
    root = normal(count, d, d)
    return square_of(root) + 0.1 * torch.eye(d)


def starting(d: int) -> torch.Tensor:
    root = normal(d, d)
    scale: torch.Tensor = norm(square_of(root)).sqrt()
    return root / scale


def gamma_law(shape: float) -> DiagonalCovariance:
    return DiagonalCovariance(Gamma(shape, 1 / shape), 2, N)


class Path:
    """The flow from the start of the figure, or a drawn one: states, loss, gap, du/dt."""

    def __init__(self, problem: DiagonalCovariance | MixtureCovariance, size: float) -> None:
        U, self.u = gradient_flow(problem, problem.start(size, THETA), TIMES).states
        self.loss, self.gap = problem.loss(U, self.u), problem.gap(U, self.u)
        self.force = -problem.gradient(U, self.u)[1]
        self.product = self.u[:, None, None] * U


@functools.cache
def path(shape: float, size: float) -> Path:
    return Path(gamma_law(shape), size)


def each_path() -> list[tuple[DiagonalCovariance, float, Path]]:
    """Small starts, and one from which u falls first."""
    problems = {shape: gamma_law(shape) for shape in SHAPES}
    return [
        (one, size, path(shape, size))
        for shape, one in problems.items()
        for size in (*SIZES, 0.95 * one.sigma_max(THETA, sharp=True).item())
    ]


def decays(gap: torch.Tensor, rate: torch.Tensor) -> bool:
    """At least like exp(-rate t), as far as rounding lets one see."""
    seen = int((gap > 1e-10).sum())
    slopes = -gap[:seen].log().diff() / TIMES[1]
    return bool(rate > 0 and (slopes >= rate * (1 - 1e-6)).all())


def one_sign(atoms: torch.Tensor, c: float) -> bool:
    """Worse than silence at the scale c?"""
    problem, d = MixtureCovariance(atoms, length=7), atoms.shape[-1]
    paid = [risk.linear_risk(c**2 * one, None, 7, preconditioner=problem.target) for one in atoms]
    return bool(sum(paid) > c**2 * atoms.diagonal(dim1=1, dim2=2).sum()) and d > 1


def step_risk(one: torch.Tensor, step: float) -> float:
    """Of a plain step relative to silence."""
    matrix = step * torch.eye(len(one), dtype=torch.float64)
    return float(risk.linear_risk(one, None, 7, preconditioner=matrix) / one.trace())


def bounds(atoms: torch.Tensor, share: float, diagonal: bool) -> tuple[float, float]:
    """u_min² of the lemma and (C.12) as printed, u_0² a share of the largest that it allows."""
    d, Theta = atoms.shape[-1], starting(atoms.shape[-1])
    gammas = torch.stack([lsa.gamma(one, N) for one in atoms])
    widths = norm(gammas, 2)
    K_bar = (widths * norm(atoms) ** 2).mean()
    a = norm(atoms.mean(0) @ Theta) ** 2
    square = share * 2 * a / (math.sqrt(d) * K_bar)
    lam = atoms.diagonal(dim1=1, dim2=2)
    zeta = torch.einsum("ki,ki,kj->kij", gammas.diagonal(dim1=1, dim2=2), lam, lam).mean(0)
    K = zeta.max() if diagonal else (widths * norm(atoms, 2) ** 2).mean()
    problem = MixtureCovariance(atoms, length=N)
    lost = -problem.loss(*problem.start(square.sqrt(), Theta))
    printed = square / (2 * math.sqrt(d) * a) * (2 * a - math.sqrt(d) * square * K_bar)
    return float(torch.minimum(square, (2 * lost / K).sqrt())), float(printed)


def square_of(root: torch.Tensor) -> torch.Tensor:
    return root @ root.mT


def traces(one: torch.Tensor, P: torch.Tensor) -> tuple[float, float, float]:
    """The trace at the start of the flow, and its two bounds."""
    Gamma_, d = lsa.gamma(one, N), len(one)
    size = math.sqrt(d) * norm(Gamma_, 2)
    first, second = one @ P @ one @ P, norm(one) ** 2 * norm(P) ** 2
    return float((Gamma_ @ first).trace()), float(size * norm(first)), float(size * second)


def squares_of(covariance: torch.Tensor, M: int) -> float:
    """Mean squared error of least squares, without noise."""
    given_ = prompts.GaussianPrompts(covariance).sample(50, M, generator=1)
    return float((estimators.ols(given_) - given_.y_query).square().mean())


# Two variances on each of two axes: four covariances, their loss with all blocks.
TWO_POINT = DiagonalCovariance(Moments(*(float(moment(k)) for k in (1, 2, 3))), 2, N)
FOUR = [
    FullParameters(torch.diag(torch.tensor(pair, dtype=torch.float64)), N)
    for pair in product((2.0, 0.5), repeat=2)
]


def all_blocks(W: torch.Tensor) -> float:
    return float(sum(one.loss(*W) for one in FOUR) / 4)


def best_weights() -> torch.Tensor:
    W = torch.zeros(2, 3, 3, dtype=torch.float64)
    W[0, :2, :2], W[1, 2, 2] = TWO_POINT.limit()
    return W


def orthogonality(n: int, k: int) -> np.ndarray:
    """Of the best p with p(0) = 1 of degree n: its products with powers 0 to n, λ^(k+1) dλ."""
    integral = [[math.factorial(i + j + k) / k ** (i + j + k + 1) for j in range(n + 2)]
                for i in range(n + 2)]  # fmt: skip
    gram = np.array(integral)
    rest = np.linalg.solve(gram[1 : n + 1, 1 : n + 1], -gram[1 : n + 1, 0])
    return np.array([1, *rest]) @ gram[: n + 1, 1 : n + 2]


def growth_rate(dim: int) -> float:
    """Near the origin, along the ray that grows: the rate at which the weights do."""
    problem = DiagonalCovariance(Exponential(), dim, N)
    U, u = 1e-6 * problem.pull / norm(problem.pull), 1e-6 * ONE
    dU, du = problem.gradient(U, u)
    return float(-du / u) if torch.allclose(dU * u, du * U, rtol=1e-5) else math.nan


def rotated_risks(*laws: Law) -> tuple[float, float]:
    """The least losses with random and with fixed axes."""
    return tuple(float(one(laws, len(laws), N).minimum) for one in KINDS)  # type: ignore


KINDS = (RotatedCovariance, DiagonalCovariance)
PLAIN_LAYER = lsa.LinearSelfAttention(*lsa.gradient_step_weights(TWO_POINT.target))
PROMPTS = RandomCovariancePrompts(Exponential(), 2).sample(20, N, generator=3)


def tripled(c: float) -> bool:
    """Points times c: labels times c, answers times c³."""
    wide = PROMPTS._replace(
        x=c * PROMPTS.x, y=c * PROMPTS.y, x_query=c * PROMPTS.x_query, y_query=c * PROMPTS.y_query
    )
    return torch.allclose(PLAIN_LAYER.predict(wide), c**3 * PLAIN_LAYER.predict(PROMPTS))


def by_scale(power: int) -> torch.Tensor:
    """Losses at fixed weights over 1 + ‖Λ‖^power, for covariances a hundred times as large each."""
    U, u = normal(5, 2, 2), normal(5)
    return torch.stack(
        [
            FixedCovariance(s * COV, N).loss(U, u).abs() / (1 + norm(s * COV, 2) ** power)
            for s in (1e-2, 1.0, 1e2, 1e4)
        ]
    ).amax(1)


COV = covariances(1, 2)[0]
MIXED = [covariances(3, d, diagonal) for d in (2, 3) for diagonal in (True, False)]
TURNING = MixtureCovariance(covariances(3, 2), length=N)


CLAIMS = {
    "Its vertex is below the $m_2/m_3$": all(
        EXP[2] / ((1 + Fraction(2, n)) * EXP[3] + Fraction(d - 1, n) * EXP[1] * EXP[2])
        < Fraction(EXP[2], EXP[3])
        for n in (1, 8, 99)
        for d in (1, 2, 5)
    ),
    "A prompt of at least $d$ points": all(
        (squares_of(one, M) < 1e-9) == (M >= 3)
        for one in covariances(2, 3)
        for M in (1, 2, 3, 4, 9)
    ),
    "truth: worse than silence": all(
        ((one * STEP_3 - 1) ** 2 > 1) == (one > 6) for one in (1, 3, 5, 6, 7, 20)
    ),
    r"which grow at the rate $\|\xi\|=\sqrt d\,m_2$": all(
        math.isclose(growth_rate(dim), math.sqrt(dim) * EXP[2], rel_tol=1e-4) for dim in (1, 2, 5)
    ),
    "ends at the best step along each axis, and no weights do better": all(
        all_blocks(best_weights() + size * normal(2, 3, 3)) > all_blocks(best_weights())
        for size in (1e-3, 0.1, 1.0)
        for _ in range(5)
    )
    and math.isclose(all_blocks(best_weights()), TWO_POINT.minimum + TWO_POINT.constant),
    r"coefficients at most a constant times $1+\|\Lambda\|_{op}^3$": bool(
        (by_scale(3).diff()[-1] < 0.1 * by_scale(3)[-1]) and by_scale(2)[-1] > 50 * by_scale(2)[-2]
    ),
    "plus the constant, at least its minimum": all(
        one.loss(A, ONE) >= one.minimum
        for one in (gamma_law(k) for k in SHAPES)
        for A in (one.target + size * normal(2, 2) for size in (0.01, 0.3, 3))
    ),
    "since the loss does not increase": all(descends(one.loss) for *_, one in each_path()),
    "the gap vanishes exponentially": all(
        decays(one.gap, 2 * problem.zeta.min() * one.u.min() ** 2)
        for problem, _, one in each_path()
    ),
    r"the first trace is at most $\sqrt d\,\|\Gamma_\Lambda\|_{op}\|\Lambda P\Lambda P\|_F\le": all(
        first <= second <= third
        for one in (*covariances(9, 2), *covariances(9, 3))
        for first, second, third in [traces(one, square_of(starting(len(one))))]
    )
    and np.ptp(traces(ONE * torch.eye(3), ONE * torch.eye(3) / 3**0.5)[:2]) < 1e-6,
    "The loss does not increase, and it is zero where $u=0$": descends(
        Path(TURNING, 0.5 * TURNING.sigma_max(THETA, sharp=True).item()).loss
    )
    and float(TURNING.loss(normal(2, 2), 0 * ONE)) == 0,
    "A lower bound on the value scalar": all(
        0.5 * low <= problem.u_lower_bound(size, THETA, sharp=True) <= low * (1 + 1e-9)
        for problem, size, one in each_path()
        for low in [one.u.min()]
    )
    and max(size / float(one.u.min()) for _, size, one in each_path()) > 1.1,
    "this is at least the bound that the paper prints": all(
        found >= printed > 0
        for atoms, diagonal in zip(MIXED, (True, False) * 2, strict=True)
        for share in (0.01, 0.3, 0.7, 0.99)
        for found, printed in [bounds(atoms, share, diagonal)]
    ),
    r"and below $(-2\ell_{\mathrm{rdm}}(0)/\mathcal K)^{1/2}$ the square $u^2$ increases": all(
        bool((one.force[low] > 0).all() and low.any() == (size in SIZES))
        for problem, size, one in each_path()
        for low in [one.u**2 < (-2 * one.loss[0] / problem.zeta.max()).sqrt()]
    ),
    "so the gap decays at least like": all(
        decays(one.gap, problem.pl_constant(size, THETA, sharp=True))
        for problem, size, one in each_path()
    ),
    "This multiplies labels by $c$ and answers by $c^3$": all(tripled(c) for c in (0.5, 2.0, 3.0)),
    r"worse than silence exactly for $c>\sqrt2$": all(
        one_sign(atoms, c) == (c > 2**0.5) for atoms in MIXED for c in (0.5, 1.41, 1.42, 3.0)
    ),
    "because a small plain step is already better than silence": all(
        step_risk(one, 1e-3) < 1 < step_risk(one, 10.0) for atoms in MIXED for one in atoms
    ),
    "The minimiser is orthogonal to all lower degrees": all(
        np.abs(found[:n]).max() < 1e-9 < 1e-3 < abs(found[n])
        for n, k in product((1, 2, 3), (1, 2))
        for found in [orthogonality(n, k)]
    ),
    "no length brings the risk below the share that $m_2/m_3$ leaves": all(
        risk.random_covariance_risk(law, d, length, M) / d / law.moment(1) > left
        for law in LAWS
        for left in [1 - law.moment(2) ** 2 / (law.moment(1) * law.moment(3))]
        for d, length, M in product((1, 3), (1, 20, 10**5), (1, 20, 10**5))
    ),
    "It falls: see the $d-1$": all(
        DiagonalCovariance(law, 2, N).target[0, 0] > DiagonalCovariance(law, 3, N).target[0, 0]
        for law in LAWS
    ),
    r"In general the risk at $M=N$ is larger, unless all $\xi_i/\zeta_{ii}$ are equal": all(
        (turned > fixed_ + 1e-9) == unequal
        for laws, unequal in (
            ((Exponential(), Constant(1.0)), True),
            ((Exponential(), Uniform(0.2, 3.0), Constant(2.0)), True),
            ((Exponential(), Exponential()), False),
        )
        for turned, fixed_ in [rotated_risks(*laws)]
    ),
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

SETTLED = {
    "the choice of an example": ["Take the smallest case."],
    "a question": ["The dimension grows with $N$ fixed."],
}
