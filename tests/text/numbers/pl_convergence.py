"""Numbers of chapter 3."""

from __future__ import annotations

import math
from fractions import Fraction

import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl_book.exercises import registry

from tests.text.ties import about, cell, given

HALF, RUNNING = Fraction(1, 2), given("the running example")
LAMBDA, N = (Fraction(2), HALF), 8
TRACE = sum(LAMBDA)
GAMMA = tuple((1 + Fraction(1, N)) * one + TRACE / N for one in LAMBDA)
MINIMUM = -HALF * sum(one**2 / gamma for one, gamma in zip(LAMBDA, GAMMA, strict=True))
BEST = MINIMUM + TRACE / 2
SWAPPED = TRACE / 2 - HALF * LAMBDA[0] ** 2 / GAMMA[0]
OMEGA = math.hypot(*(one**2 for one in LAMBDA))
RATES = tuple(gamma * one**2 for one, gamma in zip(LAMBDA, GAMMA, strict=True))

matrix = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
problem, full = FixedCovariance(matrix, N), FullParameters(matrix, N)
root = torch.tensor([[1.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
Theta = root / torch.linalg.matrix_norm(root @ root.T) ** 0.5
SIGMA_MAX = problem.sigma_max(Theta)
HYPOTHESIS = SIGMA_MAX**2 * math.sqrt(2) * float(GAMMA[0])  # σ²√d‖Γ‖ where σ meets its bound
TIE = math.floor(10 * registry()["3.5"].solve(slope=1.0)) / 10  # of ε/σ, on the figure's grid


def _loss(z: torch.Tensor) -> torch.Tensor:
    """The full loss of U, u_21, u_12 and u, in this order."""
    W_KQ = torch.cat([z[:6].reshape(3, 2), torch.zeros(3, 1, dtype=z.dtype)], 1)
    return full.loss(W_KQ, torch.cat([torch.zeros(2, 3, dtype=z.dtype), z[6:][None]]))


def _forms() -> tuple[torch.Tensor, torch.Tensor]:
    """The two blocks of K at the spurious minimum, α = 1, û = βδu."""
    z = torch.zeros(9, dtype=torch.float64)
    z[4], z[6] = 1 / problem.Gamma[0, 0], 1.0
    hessian = torch.func.jacrev(torch.func.grad(_loss))(z)
    scale = torch.diag(torch.stack([torch.ones(()), torch.ones(()), problem.Gamma[0, 0]]).double())
    return scale @ hessian[[0, 3, 8]][:, [0, 3, 8]] @ scale, hessian[1:3, 1:3]


LARGE, SMALL = _forms()
MINORS = [torch.linalg.det(LARGE[:k, :k]) for k in (1, 2, 3)]

TWO = FixedCovariance([[1.0]], 2)  # the smallest case
WAITS = tuple(math.log(1 / (2 * size**2) - 1) / 2 for size in (1e-3, 1e-6))
HALFWAY = 0.5 * SIGMA_MAX
BEGUN = problem.start(Theta, HALFWAY)
MIDDLE = -problem.loss(*BEGUN) / OMEGA  # of eq-u-bound


def _slowest() -> torch.Tensor:
    """The least ratio of squared gradient and gap along the flow from half the bound."""
    flow = gradient_flow(problem, BEGUN, torch.linspace(0, 14, 1401))
    dU, du = problem.gradient(*flow.states)
    ratio = (dU.square().sum((-2, -1)) + du.square()) / flow.gap
    return ratio[flow.gap > 1e-12].min()


LOWEST = gradient_flow(problem, BEGUN, torch.linspace(0, 14, 1401)).states[1].min()


def _least(U: float, u: float) -> float:
    """The least ratio of squared gradient and height of two weights on the way from U and u."""
    blocks, scalars = gradient_flow(TWO, ([[U]], u), torch.linspace(0, 20, 201)).states
    return float(4 * (scalars**2 + blocks[:, 0, 0] ** 2).min())


LEAST_APART = _least(-0.5, 0.6) / (0.6**2 - 0.5**2)  # U changes its sign on this way
LEAST_BALANCED = _least(0.1, 0.1) / 0.1**2


def _late(kappa: float) -> float:
    """How many times as late as the first of four directions the last is half learned."""
    case = FixedCovariance(
        torch.diag(2.0 * kappa ** (-torch.arange(4, dtype=torch.float64) / 3)), N
    )
    begin = case.start(torch.eye(4, dtype=torch.float64) / 2**0.5, 0.01)
    times = torch.logspace(-1, 2.5, 7001, dtype=torch.float64)
    U, u = gradient_flow(case, begin, times).states
    progress = u[:, None] * U.diagonal(dim1=-2, dim2=-1) * case.Gamma.diagonal()
    first, last = times[(progress[:, [0, 3]] < 0.5).sum(0)]
    return float(last / first)


NUMBERS = {
    # The frame.
    "Six small matrices with their entries, the product uU at five times": given(
        "the moments of the figure and its limit"
    ),
    # Two weights.
    "prompts of $N=2$ points": TWO.length,
    "is half the risk of {ref}": given("the factor ½ of the loss"),
    r"The loss is least, $\frac14$,": TWO.minimum + TWO.constant,
    r"on the hyperbola $uU=\frac12$. On both": TWO.target[0, 0],
    r"the layer is silent, with loss $\frac12$": TWO.constant,
    r"monotonically towards $\frac12$": TWO.target[0, 0],
    r"and $uU=\frac12$ follows": TWO.target[0, 0],
    r"ends at $u=U=1/\sqrt2$": TWO.limit()[1],
    "four times the squared distance": 2 * TWO.Gamma[0, 0],
    r"from $u=U=u_0\le1/\sqrt2$, below $8u_0^2$": TWO.limit()[1],
    "Half of the final value": HALF,
    r"at $6.561$ from $u_0=10^{-3}$": (WAITS[0], given("the first start")),
    r"at $13.469$ from $10^{-6}$": (WAITS[1], given("the second start")),
    # The loss.
    "four blocks matter": given("a count: U, u, u_12 and u_21"),
    "read a prompt in four ways": given("a count: two compare, two copy"),
    "Five pairs of bars": given("a count in the drawing"),
    "each of the four ways": given("a count: the same readings"),
    # The minimum by hand.
    r"\gamma_1=\frac98\cdot2+\frac5{16}=\frac{41}{16}": GAMMA[0],
    r"\gamma_2=\frac98\cdot\frac12+\frac5{16}=\frac78": GAMMA[1],
    r"-\frac12\bigl(4\cdot\frac{16}{41}+\frac14\cdot\frac87\bigr)=-\frac{265}{287}": MINIMUM,
    r"Add $\frac12\operatorname{tr}\Lambda=\frac54$": TRACE / 2,
    r"the best possible loss is $\frac{375}{1148}$": BEST,
    r"half of chapter 1's best risk $\frac{375}{574}$": (HALF, 2 * BEST),
    "about a quarter of it": about(BEST / (TRACE / 2), within=0.05),
    "say with $u=0.3$ and": cell("problem.start(Theta, {}), moments)"),
    r"U=\frac{0.3}{\sqrt7}\begin{pmatrix}": 0.3 / torch.linalg.matrix_norm(root @ root.T),
    "which has norm $0.3$ and": torch.linalg.matrix_norm(problem.start(Theta, 0.3)[0]),
    # The theorems.
    r"If $u_0^2\sqrt d\,\|\Gamma\|_{op}<2$, the start": HYPOTHESIS,
    # Better than silence.
    "the same least value, a quarter, at one half, one and two. They": (
        TWO.minimum + TWO.constant,
        TWO.target[0, 0] / 1.0,
    ),
    "the level of silence, one half, at U = 0": TWO.constant,
    # The wait.
    r"The start shrinks from $u_0=10^{-3}$ to $10^{-6}$. Training": given("the two starts"),
    "- a million times longer\n": given("an answer on offer"),
    "- a thousand times longer\n": given("an answer on offer"),
    r"$\omega=\frac{\sqrt{257}}4$, just": OMEGA,
    "just above four.": about(OMEGA, within=0.002),
    r"A start ten times smaller costs $\frac{\ln10}\omega$": 10,
    "a little more than half a unit of time": about(math.log(10) / OMEGA, within=0.15),
    # One direction after another.
    "variances of four directions fall": cell("kappa ** (-torch.arange({}) / 3)"),
    r"by the factor $\kappa=20$ in all": cell('init={}),\n     Axis("sigma"'),
    "- about $20$ times as late": given("an answer on offer"),
    r"**At $\kappa=20$ the curves": cell('init={}),\n     Axis("sigma"'),
    "Far later: $72$ times, from $u_0=0.01$": (
        round(_late(20.0)),
        given("the size first shown"),
    ),
    "last direction is half learned": HALF,
    "only $3.7$ times: the wait": _late(4.0),
    "Four rising curves": cell("kappa ** (-torch.arange({}) / 3)"),
    # The spurious minimum.
    r"grows at the rate $\lambda_1^2=4$, the first at $\omega\approx4.008$ in": (
        LAMBDA[0] ** 2,
        OMEGA,
    ),
    r"From $u_0=0.1$ the first route": cell("mixed_start({}, ratio), window"),
    r"wins up to $\|u_{12}\|=\|u_{21}\|=0.7\,u_0$": TIE,
    r"the second from $0.8\,u_0$ on": TIE + 0.1,
    r"(1+\frac8N+\frac{15}{N^2})=\frac{143}8$:": (given("E x⁶"), LARGE[0, 0]),
    r"\frac{143}8&\frac{11}{32}&\frac{63}4\\": tuple(LARGE[0]),
    r"\frac{11}{32}&\frac{11}{128}&-\frac{21}{64}\\": tuple(LARGE[1]),
    r"\frac{63}4&-\frac{21}{64}&\frac{295}8\end": tuple(LARGE[2]),
    r"\frac{99}{32}&\frac{11}{32}\\": tuple(SMALL[0]),
    r"\frac{11}{32}&\frac{11}{32}\end": tuple(SMALL[1]),
    r"$\frac{143}8$, $\frac{363}{256}$, $\frac{835329}{32768}$ and": tuple(MINORS),
    r"and $\frac{99}{32}$, $\frac{121}{128}$.": (SMALL[0, 0], torch.linalg.det(SMALL)),
    r"is $\frac54-\frac12\cdot4\cdot\frac{16}{41}=\frac{77}{164}$": SWAPPED,
    r"against $\frac{375}{1148}$ at best": BEST,
    r"at best: $44\,\%$ more": SWAPPED / BEST - 1,
    # Exercises.
    r"$\Gamma=2+1=3$, so $u_\ast^2=\frac13$": (3, 3, Fraction(1, 3)),
    r"D=4-\frac14=\frac{15}4": Fraction(2) ** 2 - HALF**2,
    r"u^2=\frac12\bigl(\frac{15}4+\sqrt{\frac{225}{16}+\frac49}\bigr)": FixedCovariance(
        [[1.0]], 1
    ).limit(3.75)[1]
    ** 2,
    r"$u(0)=\frac{51}{100}$ arrive": given("the other start of the exercise"),
    r"diag}(2,2/\kappa)$, $N=8$, the $\Theta$": RUNNING,
    "this chapter and half the published bound": HALF,
    r"for $t\le14$, divided": cell("times = torch.linspace(0, {}, 141)"),
    r"for $\kappa=1,3,10,30$": cell("for kappa in (1.0, {}, {}, {}):"),
    r"at $u_0=10^{-4}$. Then measure": cell("escape({}, weak)"),
    "for $u_0=0.1$, which is not yet": cell("tie = threshold({})"),
    "for $u_0=0.01$ and $u_0=0.001$. What": cell("{threshold({}):.4f}, {threshold({}):.4f}"),
    r"at the rate $\lambda_1^2=4$, from": LAMBDA[0] ** 2,
    r"$\omega=\sqrt{4^2+\frac1{16}}$": OMEGA,
    r"half a percent, for": about(100 * (math.exp((OMEGA - 4) * math.log(10) / OMEGA) - 1), 0.15),
    "for each factor of ten. From": given("the setting of the exercise"),
    "From $0.01$ to $0.001$ it does": given("the setting of the exercise"),
    "{prf:ref}`prp-spurious` speaks of $N=8$": RUNNING,
    # For the record.
    r"Let {prf:ref}`asm-init` hold with $u_0^2\sqrt d\,\|\Gamma\|_{op}<2$, and": HYPOTHESIS,
    r"with $u_0^2\sqrt d\,\|\Gamma\|_{op}<2$ the inequality": HYPOTHESIS,
    r"$u_0^2<2\big/\bigl(\sqrt2\cdot\frac{41}{16}\bigr)=\frac{16\sqrt2}{41}": SIGMA_MAX**2,
    "that is $u_0<0.743$": SIGMA_MAX,
    "from half the papers' bound, $u_0=0.371$": (HALF, HALFWAY),
    "{eq}`eq-mu` | $0.176$ | $0.0100$ |": (
        problem.u_lower_bound(Theta, HALFWAY),
        problem.pl_constant(Theta, HALFWAY),
    ),
    "{eq}`eq-u-bound` | $0.232$ | $0.0235$ |": (MIDDLE.sqrt(), 2 * MIDDLE * float(RATES[1])),
    "{prf:ref}`prp-unbalanced` | $0.371$ | $0.0604$ |": (
        problem.u_lower_bound(Theta, HALFWAY, sharp=True),
        problem.pl_constant(Theta, HALFWAY, sharp=True),
    ),
    "| measured | $0.371$ | $0.306$ |": (LOWEST, _slowest()),
    "a logistic curve is half-way up": given("a name for the level ½"),
}

line = FixedCovariance([[1.0]], 1)
away = float(gradient_flow(line, ([[-0.5]], 0.5), [20.0]).gap[0])  # silence has -minimum
waits = gradient_flow(line, ([[-0.5]], 0.5001), [5.0, 40.0]).gap
arrives = gradient_flow(line, ([[0.2]], 1.2), [20.0]).gap[0]

blocks, scalars = gradient_flow(problem, problem.start(Theta, 0.3), [0.0, 0.5, 1.0, 4.0]).states
ENTRIES = (scalars[:, None] * blocks.diagonal(dim1=-2, dim2=-1)) * problem.Gamma.diagonal()
CLAIMS = {
    "It never falls below $4|D|$, nor, from": abs(LEAST_APART - 4) < 1e-3,
    r"below $8u_0^2$. **How": abs(LEAST_BALANCED - 8) < 1e-9,
    "{set}`On this line <flow-lab: start = -0.5, 0.5>` the ball runs into the saddle": (
        abs(away + float(line.minimum)) < 1e-3
    ),
    "{set}`Just off it <flow-lab: start = -0.5, 0.5001>` the ball runs to the saddle, waits, and": (
        float(waits[0]) > -0.9 * float(line.minimum) and float(waits[1]) < 1e-6
    ),
    "{set}`Elsewhere <flow-lab: start = 0.2, 1.2>` it follows": float(arrives) < 1e-6,
    "| on the slice, $u(0)>0$, better than silence or non-negative eigenbasis diagonal |": away
    > -0.9 * float(line.minimum),
    "The strong direction first, the weak one later": bool(
        ENTRIES[2, 0] > 0.95 > 0.5 > ENTRIES[2, 1] and ENTRIES[3, 0] > ENTRIES[3, 1]
    ),
    "a plateau near the level of silence": problem.escape_time(Theta, 1e-3) > 1,
}
