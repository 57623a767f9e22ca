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

NUMBERS = {
    # The frame.
    "a polynomial of degree four": given("the degree"),
    "**Ideas**: 35 minutes.": given("a reading time, which the plan of the course repeats"),
    r"goes down from $10^{-3}$ to $10^{-6}$": given("the two starts of the question"),
    "take a thousand times longer, a million times": given("answers on offer"),
    "The data vary four times more": LAMBDA[0] / LAMBDA[1],
    "What does a factor of ten cost?": given("a question"),
    "four blocks of the weights": given("a count: U, u, u_12 and u_21"),
    # Γ by hand.
    r"we have $\operatorname{tr}\Lambda=\frac52$": TRACE,
    r"\gamma_1=\frac98\cdot2+\frac5{16}=\frac{41}{16}": GAMMA[0],
    r"\gamma_2=\frac98\cdot\frac12+\frac5{16}=\frac78": GAMMA[1],
    r"by the factor $\frac{41}{32}$ in the strong": GAMMA[0] / LAMBDA[0],
    r"direction and $\frac74$ in the weak one": GAMMA[1] / LAMBDA[1],
    # The minimum by hand.
    r"\Gamma^{-1}=\operatorname{diag}(\frac{16}{41},\frac87)": (1 / GAMMA[0], 1 / GAMMA[1]),
    r"-\frac12\bigl(4\cdot\frac{16}{41}+\frac14\cdot\frac87\bigr)=-\frac{265}{287}": MINIMUM,
    r"Add $\frac12\operatorname{tr}\Lambda=\frac54$": TRACE / 2,
    r"the best possible loss is $\frac{375}{1148}$": BEST,
    r"half of the risk $\frac{375}{574}$ of": (HALF, 2 * BEST),
    "about a quarter of the initial loss": about(BEST / (TRACE / 2), within=0.05),
    r"The loss $\frac{375}{1148}$ is the price": BEST,
    "and four other trajectories": given("a count in the drawing"),
    "That is half the derivative": given("the product rule"),
    # Positivity.
    r"Let {prf:ref}`asm-init` hold with $\sigma^2\sqrt d\,\|\Gamma\|_{op}<2$, and": HYPOTHESIS,
    r"\sigma^2<2\big/\bigl(\sqrt2\cdot\frac{41}{16}\bigr)=\frac{16\sqrt2}{41}": SIGMA_MAX**2,
    r"that is $\sigma<0.743$": SIGMA_MAX,
    r"if also $\sigma^2\sqrt d\,\|\Gamma\|_{op}<2$, it is": HYPOTHESIS,
    r"with $\sigma^2\sqrt d\,\|\Gamma\|_{op}<2$ the inequality": HYPOTHESIS,
    r"$\sigma^2\sqrt d\,\|\Gamma\|_{op}<2$. Then": HYPOTHESIS,
    "flow of *all* eighteen parameters": 2 * 3**2,
    # The plateau.
    r"\Lambda^2=\operatorname{diag}(4,\frac14)": tuple(one**2 for one in LAMBDA),
    r"\omega=\sqrt{16+\frac1{16}}=\frac{\sqrt{257}}4": OMEGA,
    "just above four.": about(OMEGA, within=0.002),
    r"A factor of ten in $\sigma$ costs $\frac{\ln10}\omega$": 10,
    "a little more than half a unit of time": about(math.log(10) / OMEGA, within=0.15),
    r"a start a thousand times smaller costs $\frac{\ln1000}{\omega}$": 1e-3 / 1e-6,
    r"A little longer: $\frac{\ln1000}\omega$ units": 1e-3 / 1e-6,
    "suggests a million times": (1e-3 / 1e-6) ** 2,
    # One direction after another.
    r"q_{11}=\frac{41}{16}\cdot4=\frac{41}4": RATES[0],
    r"q_{22}=\frac78\cdot\frac14=\frac7{32}": RATES[1],
    r"relaxes $\frac{41}4\big/\frac7{32}=\frac{328}7$ times": RATES[0] / RATES[1],
    "only four times larger": LAMBDA[0] / LAMBDA[1],
    r"from $\sigma=0.3$, and its limit": cell("problem.start(Theta, {}), moments)"),
    "Four directions, with variances": cell("kappa ** (-torch.arange({}) / 3)"),
    "Four rising curves": cell("kappa ** (-torch.arange({}) / 3)"),
    "starts at twice the bound": cell("high = {} * problem.sigma_max(Theta)"),
    # The spurious minimum.
    r"(1+\frac8N+\frac{15}{N^2})=\frac{143}8$ with": (given("E x⁶"), LARGE[0, 0]),
    r"\frac{143}8&\frac{11}{32}&\frac{63}4\\": tuple(LARGE[0]),
    r"\frac{11}{32}&\frac{11}{128}&-\frac{21}{64}\\": tuple(LARGE[1]),
    r"\frac{63}4&-\frac{21}{64}&\frac{295}8\end": tuple(LARGE[2]),
    r"\frac{99}{32}&\frac{11}{32}\\": tuple(SMALL[0]),
    r"\frac{11}{32}&\frac{11}{32}\end": tuple(SMALL[1]),
    r"$\frac{143}8$, $\frac{363}{256}$, $\frac{835329}{32768}$ and": tuple(MINORS),
    r"and $\frac{99}{32}$, $\frac{121}{128}$.": (SMALL[0, 0], torch.linalg.det(SMALL)),
    r"With $\gamma_1=\frac{41}{16}$ the loss": GAMMA[0],
    r"is $\frac54-\frac12\cdot4\cdot\frac{16}{41}=\frac{77}{164}$": SWAPPED,
    r"against $\frac{375}{1148}$ at best": BEST,
    r"at best: $44\,\%$ more": SWAPPED / BEST - 1,
    r"Up to $\varepsilon/\sigma=0.7$ the product": TIE,
    "from $0.8$ on the other one": TIE + 0.1,
    # Exercises.
    r"$\Gamma=2+1=3$, so $g=\frac13$": (3, 3, Fraction(1, 3)),
    r"D=4-\frac14=\frac{15}4": Fraction(2) ** 2 - HALF**2,
    r"u^2=\frac12\bigl(\frac{15}4+\sqrt{\frac{225}{16}+\frac49}\bigr)": FixedCovariance(
        [[1.0]], 1
    ).limit(3.75)[1]
    ** 2,
    r"diag}(2,2/\kappa)$, $N=8$, the $\Theta$": RUNNING,
    "this chapter and half the bound on": cell("found = pl_ratio(kappa, {})"),
    r"in the window $t\le14$ of": cell("times = torch.linspace(0, {}, 141)"),
    r"for $\kappa=1,3,10,30$": cell("for kappa in (1.0, {}, {}, {}):"),
    r"the fall ($\kappa=3$) and": given("a case of the exercise"),
    r"At $\kappa=30$ it lies at the end": given("a case of the exercise"),
    r"at $\sigma=10^{-4}$. Then measure": cell("escape({}, weak)"),
    r"for $\sigma=0.1$ and $\sigma=0.01$. Does": given("the setting of the exercise"),
    r"at the rate $\lambda_1^2=4$": LAMBDA[0] ** 2,
    r"$\omega=\sqrt{4^2+\frac1{16}}$": OMEGA,
    "As $\\omega$ is a little larger than four": about(OMEGA, within=0.002),
    r"half a percent, for": about(100 * (math.exp((OMEGA - 4) * math.log(10) / OMEGA) - 1), 0.15),
    "for each factor of ten. From": given("the setting of the exercise"),
    "From $0.1$ to $0.01$ it falls instead: at $\\sigma=0.1$": given("the setting of the exercise"),
    "From $0.01$ to $0.001$ it does rise": given("the setting of the exercise"),
    "{prf:ref}`prp-spurious` speaks of $N=8$": RUNNING,
}

line = FixedCovariance([[1.0]], 1)
away = float(gradient_flow(line, ([[-0.5]], 0.5), [20.0]).gap[0])  # silence has -minimum

U, u = problem.limit()
CLAIMS = {
    "| on the slice, $u(0)>0$, non-negative eigenbasis diagonal |": away
    > -0.9 * float(line.minimum),
    "the hyperbola of minima where their product is fixed": float(problem.gap(3 * U, u / 3))
    < 1e-20,
    "the saddle at the origin": problem.loss(0.1 * U, 0.1 * u)
    < problem.loss(0 * U, 0 * u)
    < problem.loss(-0.1 * U, 0.1 * u),
    "leaves the saddle slowly along the diagonal": problem.escape_time(Theta, 1e-3) > 1,
}
