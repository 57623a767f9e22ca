"""Numbers of chapter 3."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import torch
from linear_icl import lsa, prompts
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl_book.exercises import registry

from tests.text.ties import about, cell, given, output
from tests.text.trends import ascends, descends

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


def _loss(z: torch.Tensor, landscape: FullParameters = full) -> torch.Tensor:
    """The full loss of U, u_21, u_12 and u, in this order."""
    W_KQ = torch.cat([z[:6].reshape(3, 2), torch.zeros(3, 1, dtype=z.dtype)], 1)
    W_PV = torch.cat([torch.zeros(2, 3, dtype=z.dtype), z[6:][None]])
    loss: torch.Tensor = landscape.loss(W_KQ, W_PV)
    return loss


def _curvature(length: int) -> torch.Tensor:
    """The Hessian at the spurious minimum, α = 1, û = βδu."""
    landscape, z = FullParameters(matrix, length), torch.zeros(9, dtype=torch.float64)
    z[4], z[6] = 1 / landscape.Gamma[0, 0], 1.0
    hessian = torch.autograd.functional.hessian(lambda z: _loss(z, landscape), z)
    scale = torch.ones(9, dtype=torch.float64)
    scale[8] = landscape.Gamma[0, 0]
    scaled: torch.Tensor = scale[:, None] * hessian * scale
    return scaled


SPURIOUS = _curvature(N)
LARGE, SMALL = SPURIOUS[[0, 3, 8]][:, [0, 3, 8]], SPURIOUS[1:3, 1:3]
MINORS = [torch.linalg.det(LARGE[:k, :k]) for k in (1, 2, 3)]

TWO = FixedCovariance([[1.0]], 2)  # the smallest case
WAITS = tuple(math.log(1 / (2 * size**2) - 1) / 2 for size in (1e-3, 1e-6))
HALFWAY = 0.5 * SIGMA_MAX
BEGUN = problem.start(HALFWAY, Theta)
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


@functools.cache
def _late(kappa: float) -> float:
    """How many times as late as the first of four directions the last is half learned."""
    case = FixedCovariance(
        torch.diag(2.0 * kappa ** (-torch.arange(4, dtype=torch.float64) / 3)), N
    )
    begin = case.start(0.01)
    times = torch.logspace(-1, 2.5, 2801, dtype=torch.float64)
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
    "say with $u=0.3$ and": cell("problem.start({}, Theta), moments)"),
    r"U=\frac{0.3}{\sqrt7}\begin{pmatrix}": 0.3 / torch.linalg.matrix_norm(root @ root.T),
    "which has norm $0.3$ and": torch.linalg.matrix_norm(problem.start(0.3, Theta)[0]),
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
    "only $3.7$ times: all share the wait": _late(4.0),
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
    r"For $\kappa=1,3,10,30$": cell("for kappa in (1.0, {}, {}, {}):"),
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
        problem.u_lower_bound(HALFWAY, Theta),
        problem.pl_constant(HALFWAY, Theta),
    ),
    "{eq}`eq-u-bound` | $0.232$ | $0.0235$ |": (MIDDLE.sqrt(), 2 * MIDDLE * float(RATES[1])),
    "{prf:ref}`prp-unbalanced` | $0.371$ | $0.0604$ |": (
        problem.u_lower_bound(HALFWAY, Theta, sharp=True),
        problem.pl_constant(HALFWAY, Theta, sharp=True),
    ),
    "| measured | $0.371$ | $0.306$ |": (LOWEST, _slowest()),
    "a logistic curve is half-way up": given("a name for the level ½"),
}

# Words of direction: what they say is evaluated on draws and along flows.
DRAW = torch.Generator().manual_seed(3)


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=DRAW, dtype=torch.float64)


class Case(FixedCovariance):
    """A diagonal covariance, with the letters of the page."""

    def __init__(self, values: Sequence[float], length: int) -> None:
        self.values = torch.tensor(values, dtype=torch.float64)
        super().__init__(self.values.diag(), length)
        self.gammas = self.Gamma.diagonal()
        self.q = torch.outer(self.gammas * self.values, self.values)  # γ_iλ_iλ_j
        self.slowest, self.fastest = self.q.diagonal().min(), self.q.diagonal().max()
        self.omega = self.values.square().norm()

    def F(self, U: torch.Tensor) -> torch.Tensor:
        return (self.pull * U).sum((-2, -1))

    def energy(self, U: torch.Tensor) -> torch.Tensor:
        """q(U)."""
        return (self.q * U.square()).sum((-2, -1))

    def climb(self, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """u'."""
        return self.F(U) - u * self.energy(U)

    def lift(self, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """F' along the flow."""
        return self.F(u[..., None, None] * (self.pull - u[..., None, None] * self.q * U))

    def turn(self, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """The second number in eq-u-sharp, where the loss is below that of silence."""
        D = u**2 - U.square().sum((-2, -1))
        return (D + (D**2 - 8 * self.loss(U, u).clamp(max=0) / self.fastest).sqrt()) / 2

    def steepness(self, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """The squared gradient in U over the height."""
        return self.gradient(U, u)[0].square().sum((-2, -1)) / self.gap(U, u)


class Ways:
    """Flows, and the states on them."""

    def __init__(self, case: Case, U: torch.Tensor, u: torch.Tensor) -> None:
        self.times = torch.cat([0 * u[:1], torch.logspace(-1.5, 2.6, 100, dtype=torch.float64)])
        flow = gradient_flow(case, (U, u), self.times, rtol=1e-8)
        (self.U, self.u), self.gap, self.loss = flow.states, flow.gap, flow.gap + case.minimum
        self.case, self.climb = case, case.climb(self.U, self.u)
        self.better = self.loss[:, 0] < 0
        self.least = torch.minimum(u**2, case.turn(U, u))  # u_min²
        self.size = self.U.square().sum((-2, -1))
        way = (self.U - U[:, None]).square().sum((-2, -1)) + (self.u - u[:, None]) ** 2
        self.moved = way.sqrt()


def plain(U: torch.Tensor) -> torch.Tensor:
    """No negative entry on the diagonal."""
    return U.diagonal(dim1=-2, dim2=-1).amin(-1) >= 0


def states(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """Half of them with no negative diagonal entry."""
    U, u = normal(400, case.dim, case.dim), 2 * normal(400).abs()
    U[::2].diagonal(dim1=-2, dim2=-1).abs_()
    return U, u


def starts(case: Case) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """One better than silence with a negative diagonal entry; two worse, two with neither."""
    U, u = states(case)
    low, near = case.loss(U, u) < 0, U.square().sum((-2, -1)) < 10 * u**2
    return [
        (U[chosen], u[chosen])
        for kinds in ([low & ~plain(U)], [~low & plain(U) & near, low & plain(U) & near])
        for chosen in [torch.cat([torch.where(kind)[0][: len(kinds)] for kind in kinds])]
    ]


def published(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """From half the published bound on u_0 and from close below it."""
    Theta = normal(3, case.dim, case.dim)
    Theta /= torch.linalg.matrix_norm(Theta @ Theta.mT)[:, None, None].sqrt()
    sigma = case.sigma_max(Theta)[0] * torch.tensor([0.5, 0.99], dtype=torch.float64)
    U, u = case.start(sigma, Theta)
    return U.flatten(0, 1), u.flatten()


CASES = [Case([2.0, 0.5], 8), Case([2.0, 1.0, 1.4], 4), Case([1.0, 1.5], 1)]
DRAWN = [(case, *states(case)) for case in CASES]
WAYS = [Ways(case, *start) for case in CASES for start in starts(case)]
BOUNDED = [Ways(case, *published(case)) for case in CASES]


def everywhere(claim: Callable[..., torch.Tensor]) -> bool:
    """Of all drawn states."""
    return all(bool(claim(case, U, u).all()) for case, U, u in DRAWN)


def along(ways: Sequence[Ways], claim: Callable[[Ways], torch.Tensor]) -> bool:
    return all(bool(claim(way).all()) for way in ways)


def _crosses(sigma: float, Theta: torch.Tensor = Theta, level: float = 0.2) -> float:
    """When u passes the level, in the running example."""
    times = torch.linspace(0, 8, 401, dtype=torch.float64)
    u = gradient_flow(problem, problem.start(sigma, Theta), times).states[1]
    k = int((u < level).sum())
    return float(times[k - 1] + 0.02 * (level / u[k - 1]).log() / (u[k] / u[k - 1]).log())


WAIT = {one: _crosses(one) for one in (1e-3, 5e-4, 1e-4, 1e-5)}
DECADE = math.log(10) / OMEGA
EVEN, WEAK = torch.eye(2).double() / 2**0.25, torch.diag(torch.tensor([0.0, 1.0]).double())
COSINE = [float((problem.pull * (one @ one.mT)).sum()) / OMEGA for one in (EVEN, WEAK, Theta)]

# From u_0 = 1e-3 in the running example, with z of the proof of prp-escape.
TIMES, first = torch.linspace(0, 28, 1401, dtype=torch.float64), CASES[0]
SLOW = gradient_flow(problem, problem.start(1e-3, Theta), TIMES)
U, u = SLOW.states
Z = first.F(U) + OMEGA * u
Z_RATE = first.lift(U, u) + OMEGA * first.climb(U, u)
K3 = (first.gammas * first.values**4).norm() / OMEGA + first.fastest


def _steep(case: FixedCovariance, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """The squared gradient."""
    dU, du = case.gradient(U, u)
    return dU.square().sum((-2, -1)) + du.square()


def _decays(U: float, u: float, rate: float) -> bool:
    """Whether the gap of two weights stays below the exponential."""
    flow = gradient_flow(TWO, ([[U]], u), torch.linspace(0, 20, 201))
    return bool((flow.gap <= flow.gap[0] * (-rate * flow.times).exp()).all())


def _increases(D: float, x: float) -> bool:
    """x(x − D) from x on."""
    grid = x + torch.linspace(0, 3, 61, dtype=torch.float64)
    return ascends(grid * (grid - D))


def _curves(case: Case) -> bool:
    """Whether the curvatures in U are at least u²q_min, and one is that."""
    hessian = torch.autograd.functional.hessian(lambda U: case.loss(U, 0.7), case.pull)
    least = torch.linalg.eigvalsh(hessian.reshape(case.dim**2, -1))[0]
    return math.isclose(least, 0.49 * case.slowest, rel_tol=1e-9)


def weights(U: torch.Tensor, u: torch.Tensor, a: Any = 0.0, c: Any = 0.0) -> torch.Tensor:
    """W_KQ and W_PV of U, u, u_12 and u_21."""
    found = torch.zeros(2, *u.shape, U.shape[-1] + 1, U.shape[-1] + 1, dtype=U.dtype)
    found[0, ..., :-1, :-1], found[1, ..., -1, -1] = U, u
    found[1, ..., -1, :-1], found[0, ..., -1, :-1] = a, c
    return found


def _swapped(case: Case) -> torch.Tensor:
    """The point of prp-spurious, k = 1."""
    top = torch.eye(case.dim, dtype=torch.float64)[case.values.argmax()]
    none = torch.zeros(case.dim, case.dim, dtype=torch.float64)
    return weights(none, none[0, 0], top, top / case.gammas.max())


def _odd(case: Case, found: torch.Tensor) -> bool:
    """Whether the answer changes its sign with the labels: whether T_0 = 0."""
    draw = prompts.GaussianPrompts(case.covariance).sample(20, case.length, generator=1)
    layer = lsa.LinearSelfAttention(*found)
    turned = layer.predict(draw._replace(y=-draw.y))
    return bool(torch.allclose(turned, -layer.predict(draw), atol=1e-12))


ORIGIN = torch.autograd.functional.hessian(_loss, torch.zeros(9).double())
LEVEL, LINES = torch.linalg.eigh(SPURIOUS[[6, 7, 4, 5]][:, [6, 7, 4, 5]])  # of a and b


def _off(case: Case, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """R, the product without its best value."""
    return u[:, None, None] * U - (1 / case.gammas).diag()


def _pulled(case: Case, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """The squared gradient in U."""
    return case.gradient(U, u)[0].square().sum((-2, -1))


def _lifted(case: Case, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """Whether F' >= ω²u/2 where q_max uF <= ω²/2."""
    small = torch.minimum(u, case.omega**2 / (2 * case.fastest * case.F(U)))
    return torch.ge(case.lift(U, small), case.omega**2 * small / 2)


def _cubic(case: Case, U: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """Whether the cubic terms of F' and u' are bounded where the norm of U is u."""
    U = U * (u / U.norm(dim=(1, 2)))[:, None, None]
    linear = case.omega**2 * u - case.lift(U, u), case.F(U) - case.climb(U, u)
    bounds = (case.gammas * case.values**4).norm(), case.fastest
    return torch.stack([one <= bound * u**3 for one, bound in zip(linear, bounds, strict=True)])


def _bounded(case: Case, Theta: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    P, L = Theta @ Theta.mT, case.covariance
    bound = (L @ Theta).norm(dim=(1, 2)) ** 2 * P.norm(dim=(1, 2))
    return torch.le((L @ P @ L @ P).norm(dim=(1, 2)), bound)


def _middle(way: Ways) -> torch.Tensor:
    """The middle term of eq-u-bound."""
    middle: torch.Tensor = -way.loss[:, 0] / way.case.omega
    return middle


def _right(way: Ways) -> torch.Tensor:
    """Its right term."""
    u, root = way.u[:, 0], math.sqrt(way.case.dim)
    left = 2 - root * u**2 * way.case.gammas.max()
    return u * way.case.F(way.U[:, 0]) * left / (2 * root * way.case.values.max() ** 2)


NOTHING, AWAY = torch.zeros(2, 3, 3).double(), torch.linspace(0, 0.7, 15).double()
SLOPE = (SLOW.gap[2:] - SLOW.gap[:-2]) / (TIMES[2:] - TIMES[:-2])
STEEP = _steep(problem, U, u)
AT_RATE = bool((SLOPE + STEEP[1:-1]).abs().max() < 0.01 * STEEP.max()) and descends(SLOW.gap)
DESCENDS = all(descends(one.loss) for one in WAYS + BOUNDED)
BY_DECADES = all(
    abs(later - sooner - DECADE) < 1e-3
    for sooner, later in ((WAIT[1e-3], WAIT[1e-4]), (WAIT[1e-4], WAIT[1e-5]))
)
BESIDE = torch.stack(full.limit())[:, None] + normal(2, 300, 3, 3) * torch.logspace(
    -3, 0.5, 300, dtype=torch.float64
).reshape(300, 1, 1)
GROWTH = torch.linalg.eigh(-ORIGIN[4:8, 4:8])
TIES = [
    float(one) for one in re.findall(r"thresholds (.*)", output("pl_convergence"))[0].split(",")
]
LONGER = torch.stack([_curvature(length) for length in (8, 80, 800, 80_000)])

line = FixedCovariance([[1.0]], 1)
away = float(gradient_flow(line, ([[-0.5]], 0.5), [20.0]).gap[0])  # silence has -minimum
waits = gradient_flow(line, ([[-0.5]], 0.5001), [5.0, 40.0]).gap
arrives = gradient_flow(line, ([[0.2]], 1.2), [20.0]).gap[0]

blocks, scalars = gradient_flow(
    problem, problem.start(0.3, Theta), [0.0, 0.5, 1.0, 4.0, 10.0]
).states
ENTRIES = (scalars[:, None] * blocks.diagonal(dim1=-2, dim2=-1)) * problem.Gamma.diagonal()
OTHERS = scalars * blocks[:, 0, 1]
CLAIMS = {
    "This ratio never falls below $4|D|$ nor, starting from": abs(LEAST_APART - 4) < 1e-3,
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
    # Words of direction: two weights, the flow, the PL inequality.
    "close to a point where the gradient vanishes": float(full.loss(*NOTHING)) == TRACE / 2
    and not any(one.any() for one in full.gradient(*NOTHING)),
    "Then the loss falls, all the way. Why": descends(SLOW.gap) and bool(SLOW.gap[-1] < 1e-6),
    "and only $0<A<1$ is better.": all(
        bool(TWO.loss([[a / 10]], 1.0) < 0) == (0 < a < 10) for a in range(-30, 31)
    ),
    "the gradient vanishes; from there the loss falls along $U=u$ and rises along $U=-u$: a": (
        _steep(TWO, torch.zeros(1, 1).double(), torch.zeros(()).double()) == 0
        and descends(TWO.loss(AWAY[:, None, None], AWAY))
        and ascends(TWO.loss(-AWAY[:, None, None], AWAY))
    ),
    r"So the loss falls, at the rate $-L'": AT_RATE,
    r"the height $f-\min f$ falls at the rate": AT_RATE,
    r"the weights move by at most $\sqrt{t\,L(\theta(0))}$": along(
        WAYS + BOUNDED,
        lambda one: one.moved <= 1e-9 + (one.times * (one.loss[:, :1] + one.case.constant)).sqrt(),
    ),
    "so it decays at least like": _decays(0.1, 0.1, 8 * 0.1**2) and _decays(-0.5, 0.6, 4 * 0.11),
    # The best, and the way there.
    r"so $\tilde\ell<0$ is better than silence": bool(
        (
            (full.loss(*weights(*DRAWN[0][1:])) < float(TRACE) / 2)
            == (problem.loss(*DRAWN[0][1:]) < 0)
        ).all()
    ),
    r"height of $\tilde\ell$ above its minimum is a square": everywhere(
        lambda case, U, u: (
            (
                case.loss(U, u) - case.minimum - (case.q * _off(case, U, u) ** 2).sum((-2, -1)) / 2
            ).abs()
            < 1e-9
        )
    ),
    "The square vanishes exactly where $R=0$": everywhere(
        lambda case, U, u: (
            case.gap(U, u) > 0.4 * case.q.min() * _off(case, U, u).norm(dim=(1, 2)) ** 2
        )
    )
    and all(bool(case.gap(case.target, 1.0) < 1e-25) for case in CASES),
    "the lower right entry last, and the others vanish": bool(
        ENTRIES[2, 0] > 0.95 > 0.5 > ENTRIES[2, 1] and OTHERS[0] > 0.03 and OTHERS[-1] < 5e-3
    ),
    # Better than silence is enough.
    r"at least $u^2q_{\min}$ with $q_{\min}$": all(map(_curves, CASES)),
    r"is at least $2u^2q_{\min}$ times the height": everywhere(
        lambda case, U, u: _pulled(case, U, u) >= 2 * u**2 * case.slowest * case.gap(U, u)
    ),
    "a layer that is better than silence never reaches $u=0$": along(
        WAYS + BOUNDED, lambda one: one.u.amin(-1)[one.better] > 0
    )
    and abs(away + float(line.minimum)) < 1e-3,
    r"while by balance $\|U\|_F^2=u^2-D$ stays bounded as $u$ falls": along(
        WAYS, lambda one: (one.size.diff() - one.u.square().diff()).abs() < 1e-5
    )
    and along(
        WAYS,
        lambda one: (one.u * one.case.F(one.U) >= -one.loss[:, :1])[one.better],
    ),
    r"so $u'\le-F$: $u$ falls": everywhere(
        lambda case, U, u: case.climb(U, u)[plain(U) & (case.loss(U, u) >= 0)] < 0
    ),
    r"But $u$ cannot come to rest above zero": everywhere(
        lambda case, U, u: (_pulled(case, U, u) >= -2 * u**2 * case.slowest * case.minimum)[
            case.loss(U, u) >= 0
        ]
    ),
    r"while $F$ grows ($F'\approx u\|\Lambda^2\|_F^2$), and $u$ would rise": everywhere(
        lambda case, U, u: (
            ((case.lift(U, 1e-4 * u) / (1e-4 * u * case.omega**2) - 1).abs() < 0.02)
            & (case.climb(U, 1e-4 * u) > 0)
        )[plain(U)]
    ),
    "The loss does not increase, and": DESCENDS,
    r"As $x(x-D)$ increases on $x\ge\max(0,D)$": all(
        _increases(D, max(0.0, D)) for D in (-2.0, 0.0, 1.5)
    )
    and not _increases(1.5, 0.0),
    "$u^2$ is at such times at least the second number in {eq}`eq-u-sharp`. Below that number $u$ "
    "increases": everywhere(
        lambda case, U, u: (u**2 >= case.turn(U, u))[
            (case.loss(U, u) < 0) & (case.climb(U, u) <= 0)
        ]
    ),
    "So $u^2$ never falls below the smaller of that number": along(
        WAYS + BOUNDED, lambda one: (one.u.amin(-1) ** 2 >= one.least - 1e-9)[one.better]
    ),
    r"the minimum is taken at the smallest eigenvalue, for both indices, since $\gamma_i$ grows": (
        all(
            int(case.q.argmin()) == (case.dim + 1) * int(case.values.argmin())
            and bool((case.gammas.argsort() == case.values.argsort()).all())
            for case in CASES
        )
    ),
    r"as $x(x-D)$ increases where $u^2$ lies, $u^2$ tends to the positive root": along(
        WAYS,
        lambda one: (one.u**2 * one.size)[:, -1] - one.case.target.square().sum() < 1e-4,
    ),
    r"$u$ falls to a limit $u_\infty\ge0$": everywhere(
        lambda case, U, u: (case.climb(U, u) <= -case.F(U))[case.loss(U, u) >= 0]
    ),
    r"From some time on this is at least $\frac12\omega^2u>0$: then $F\ge0$ increases": everywhere(
        lambda case, U, u: _lifted(case, U[plain(U)], u[plain(U)])
    ),
    # The wait.
    r"**The wait grows with $\ln(1/u_0)$.**": BY_DECADES,
    "the wait grows as much as from there to": BY_DECADES,
    r"It grows by about $\ln2/\|\Lambda^2\|_F$": abs(WAIT[5e-4] - WAIT[1e-3] - math.log(2) / OMEGA)
    < 1e-3,
    r"the escape time grows by $\frac1\omega\ln$ of the ratio": abs(
        _crosses(1e-4, WEAK)
        - _crosses(1e-4, EVEN)
        - math.log((1 + COSINE[0]) / (1 + COSINE[1])) / OMEGA
    )
    < 1e-3,
    "it takes the smallest $u$ of the whole path, while $u$ grows exponentially": math.isclose(
        problem.u_lower_bound(1e-3, Theta, sharp=True), u.min(), rel_tol=1e-9
    )
    and bool((50 * u[30:55].log().diff() / OMEGA - 1).abs().max() < 0.02),
    r"and this sum grows like $e^{\omega t}$": bool(
        (Z[:50].log().diff() * 50 / OMEGA - 1).abs().max() < 0.01
    ),
    "the two subtracted terms are at most": everywhere(_cubic),
    r"this is at least $\frac\omega2z$. So $z$ grows": bool(
        (Z_RATE >= OMEGA / 2 * Z)[K3 * u**2 <= OMEGA / 2].all()
    )
    and ascends(Z[K3 * u**2 <= OMEGA / 2]),
    # One direction after another; the start.
    "the curves spread far wider than the variances": _late(20.0) > 3 * 20,
    r"differ by at least the factor $\kappa^2$": all(
        float(case.fastest / case.slowest) >= kappa**2
        for kappa in (1.5, 4.0, 20.0)
        for length in (1, 8, 1000)
        for case in [Case([2.0, 1.0, 2 / kappa], length)]
    ),
    "the start is better than silence, and the gap decays at least like": along(
        BOUNDED,
        lambda one: (
            one.better[:, None]
            & (
                one.gap
                <= one.gap[:, :1] * (-2 * one.least[:, None] * one.case.slowest * one.times).exp()
                + 1e-12
            )
        ),
    ),
    # The spurious minimum.
    r"above the minimum whenever": all(
        bool(landscape.loss(*_swapped(case)) > landscape.minimum + 1e-9) == (case.dim > 1)
        for case in [*CASES, Case([1.3], 3)]
        for landscape in [FullParameters(case.covariance, case.length)]
    ),
    "$T_0$ vanishes there and enters squared": all(_odd(case, _swapped(case)) for case in CASES)
    and not _odd(first, _swapped(first) + weights(*first.limit())),
    r"as $\lambda/\gamma$ grows with $\lambda$": all(
        ascends((case.values / case.gammas)[case.values.argsort()]) for case in CASES
    ),
    r"the form vanishes only along $k'a_1+kb_1=0$": bool(
        LEVEL[0].abs() < 1e-12
        and (LEVEL[1:] > 0.01).all()
        and (LINES[0, 0] / first.gammas[0] + LINES[2, 0]).abs() < 1e-12
    ),
    "and no weights do better": bool((full.loss(*BESIDE) >= full.loss(*full.limit())).all())
    and math.isclose(full.loss(*full.limit()), BEST, rel_tol=1e-12),
    "or a loss below that of silence": along(WAYS, lambda one: one.gap[:, -1] < 1e-6),
    "$(u_{12},u_{21})$ grows along $e_1$": bool(
        torch.allclose(GROWTH[0][-1], torch.tensor(4.0).double())
        and torch.allclose(GROWTH[1][[0, 2], -1].abs(), torch.tensor(0.5).double().sqrt())
    ),
    r"near $\frac{1+\cos\vartheta}2$, rising as $u_0$ falls by": all(
        abs(2 * one / (1 + COSINE[2]) - 1) < 0.03 for one in TIES
    )
    and abs(TIES[2] / TIES[1] - math.exp((OMEGA - 4) * DECADE)) < 2e-3
    and TIES[2] > TIES[1],
    "the noise of short contexts, vanishes as $N$ grows, while": descends(LONGER[:, 3, 3].log())
    and bool(LONGER[-1, 3, 3] < 1e-3 < 0.1 < LONGER[:, 3, 8].abs().amin()),
    # The published route.
    r"has norm at most $\|\Lambda\Theta\|_F^2\|P\|_F": everywhere(_bounded),
    r"Along the flow $\tilde\ell$ does not increase": DESCENDS,
    "A lower bound on the value scalar": along(
        BOUNDED,
        lambda one: (one.u**2 >= _middle(one)[:, None]) & (_middle(one) >= _right(one))[:, None],
    ),
    "of {eq}`eq-u-sharp` is at least the middle term": along(
        BOUNDED, lambda one: one.least >= _middle(one)
    ),
    r"are at least $-\tilde\ell(0)/\omega$": along(
        BOUNDED,
        lambda one: (
            torch.minimum(one.u[:, 0] ** 2, (-2 * one.loss[:, 0] / one.case.fastest).sqrt())
            >= _middle(one)
        ),
    ),
    r"are at most $2u_{\min}^2$. For the rest": along(
        BOUNDED, lambda one: _right(one) <= one.least
    ),
    "| | lower bound on $u$ | rate |": bool(
        problem.u_lower_bound(HALFWAY, Theta) < MIDDLE.sqrt() < LOWEST + 1e-9
    )
    and math.isclose(problem.u_lower_bound(HALFWAY, Theta, sharp=True), LOWEST, rel_tol=1e-9),
}

SETTLED = {
    "a setting": ["The smallest case has dimension one"],
    "a definition": [
        "The height above it, the *gap*, is",
        r"the largest of the $\gamma_i\lambda_i^2$, and",
        r"of the largest eigenvalue $\lambda_1$, and $k\ne0$",
    ],
    "a question": ["And if it is not better?"],
}
