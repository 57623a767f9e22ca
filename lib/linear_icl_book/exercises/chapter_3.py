"""The exercises of chapter 3: the gradient flow, where it ends, and how fast."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import Any

import numpy as np
import torch
from linear_icl.flow import Flow, gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters

from ._exercise import Exercise, Mistake

RUNNING = ((2.0, 0.0), (0.0, 0.5))
N = 8


def _theta(slope: float = 1.0) -> torch.Tensor:
    """The page's Θ with another lower left entry, ‖ΘΘᵀ‖ = 1."""
    root = torch.tensor([[1.0, 0.0], [slope, 1.0]], dtype=torch.float64)
    scaled: torch.Tensor = root / torch.linalg.matrix_norm(root @ root.T) ** 0.5
    return scaled


# 3.1


def _meeting(D: float, g: float) -> list[float]:
    """Where the hyperbolas u² − U² = D and uU = g meet, by bisection along the second."""
    low, high = 1e-9, 1e9
    for _ in range(200):
        u = math.sqrt(low * high)
        low, high = (u, high) if u * u - (g / u) ** 2 < D else (low, u)
    return [u, g / u]


def _end(N: int, u: float, U: float) -> list[float]:
    return _meeting(u * u - U * U, 1 / FixedCovariance([[1.0]], N).Gamma.item())


def _draw_end(rng: random.Random) -> dict[str, Any]:
    return {
        "N": rng.randint(2, 9),
        "u": rng.randint(6, 12) / 4,
        "U": rng.randint(1, 5) / 4,
    }


ONE_DIMENSION = Exercise(
    number="3.1",
    label="ex-one-dimension",
    asks="two numbers, u and then U at the end, for N = {N}, u(0) = {u} and U(0) = {U}",
    draw=_draw_end,
    book={"N": 1, "u": 2.0, "U": 0.5},
    solve=_end,
    mistakes=(
        Mistake(
            "that is the balanced end; this start has u² − U² ≠ 0, and keeps it",
            lambda N, u, U: _meeting(0.0, N / (N + 2)),
        ),
        Mistake(
            "1/Λ stands where 1/Γ belongs",
            lambda N, u, U: _meeting(u * u - U * U, 1.0),
        ),
        Mistake(
            "the trace term of Γ is missing",
            lambda N, u, U: _meeting(u * u - U * U, N / (N + 1)),
        ),
        Mistake(
            "what is conserved is the difference u² − U², not the sum",
            lambda N, u, U: _meeting(u * u + U * U, N / (N + 2)),
        ),
        Mistake(
            "U and u are taken for each other in what is conserved",
            lambda N, u, U: _meeting(U * U - u * u, N / (N + 2)),
        ),
    ),
    hints=(
        "Two equations for two numbers: what does the flow conserve, and where does it end?",
        "It ends where uU = 1/Γ. Put U = 1/(Γu) into u² − U² = D.",
        "For u² that is a quadratic equation.",
    ),
)

# 3.2


@cache
def _along_the_line(N: int, sigma: float, t: float) -> float:
    flow = gradient_flow(FixedCovariance([[1.0]], N), ([[-sigma]], sigma), [0.0, t])
    return float(flow.states[1][-1])


def _bernoulli(gamma: float, sigma: float, t: float) -> float:
    return 1 / math.sqrt((sigma**-2 + gamma) * math.exp(2 * t) - gamma)


def _draw_never(rng: random.Random) -> dict[str, Any]:
    return {
        "N": rng.randint(2, 9),
        "sigma": rng.randint(15, 70) / 100,
        "t": rng.randint(4, 16) / 8,
    }


NEVER_ESCAPES = Exercise(
    number="3.2",
    label="ex-never-escapes",
    asks="u(t) at t = {t}, a number, for λ = 1, N = {N} and u₀ = {sigma}",
    draw=_draw_never,
    book={"N": 4, "sigma": 0.5, "t": 1.0},
    solve=_along_the_line,
    mistakes=(
        Mistake("that is u(t)², not u(t)", lambda **given: _along_the_line(**given) ** 2),
        Mistake(
            "that is the linear part only; the cubic term counts for this u₀",
            lambda N, sigma, t: sigma * math.exp(-t),
        ),
        Mistake(
            "λ stands where γ belongs",
            lambda N, sigma, t: _bernoulli(1.0, sigma, t),
        ),
        Mistake(
            "the sign of γ is lost: the cubic term pulls towards zero too",
            lambda N, sigma, t: (
                1 / math.sqrt((sigma**-2 - 1 - 2 / N) * math.exp(2 * t) + 1 + 2 / N)
            ),
        ),
        Mistake(
            "that start has U(0) = +u₀, and escapes",
            lambda N, sigma, t: (
                1 / math.sqrt((sigma**-2 - 1 - 2 / N) * math.exp(-2 * t) + 1 + 2 / N)
            ),
        ),
        Mistake("the exponent is 2λ²t", lambda N, sigma, t: _bernoulli(1 + 2 / N, sigma, t / 2)),
    ),
    hints=(
        "Put U = −u into both equations. Do they agree?",
        "What is left is u′ = −γλ²u³ − λ²u. Which power of u obeys a linear equation?",
        "Take z = 1/u².",
    ),
)

# 3.3


@cache
def _descent(kappa: float) -> tuple[FixedCovariance, torch.Tensor, Flow]:
    """The problem, half its bound on u₀, and the flow on a grid of step 0.01."""
    case = FixedCovariance([[2.0, 0.0], [0.0, 2.0 / kappa]], N)
    sigma = 0.5 * case.sigma_max(_theta())
    times = np.linspace(0, 14, 1401)
    return case, sigma, gradient_flow(case, case.start(sigma, _theta()), times)


def _ratios(kappa: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The gap while it is well above rounding, and the rate at which its logarithm falls."""
    gap = _descent(kappa)[2].gap
    gap = gap[gap > 1e-12]
    return gap[1:], -gap.log().diff() / 0.01


def _published(kappa: float, *, sharp: bool = False) -> float:
    case, sigma, _ = _descent(kappa)
    return float(case.pl_constant(sigma, _theta(), sharp=sharp))


def _loose(kappa: float) -> float:
    """Along the flow the squared gradient is the rate at which the gap falls."""
    return float(_ratios(kappa)[1].min()) / _published(kappa)


def _loose_at_start(kappa: float) -> float:
    case, _, flow = _descent(kappa)
    U, u = case.gradient(*flow.state(0))
    return float((U.square().sum() + u.square()) / flow.gap[0]) / _published(kappa)


def _loose_in_U(kappa: float) -> float:
    case, _, flow = _descent(kappa)
    slope = case.gradient(*flow.states)[0].square().sum((-2, -1))
    return float((slope / flow.gap)[flow.gap > 1e-12].min()) / _published(kappa)


def _loose_without_square(kappa: float) -> float:
    gap, rate = _ratios(kappa)
    return float((rate / gap).sqrt().min()) / _published(kappa)


LOOSE = Exercise(
    number="3.3",
    label="ex-loose",
    asks="the smallest ratio over the published μ, a number, for κ = {kappa}",
    draw=lambda rng: {"kappa": rng.randint(40, 300) / 10},
    book={"kappa": 10.0},
    solve=_loose,
    mistakes=(
        Mistake(
            "that is over the sharper constant; the published one is wanted",
            lambda kappa: _loose(kappa) * _published(kappa) / _published(kappa, sharp=True),
        ),
        Mistake("that is the ratio at the start, not the smallest", _loose_at_start),
        Mistake("the gradient has a part in u, not only in U", _loose_in_U),
        Mistake("‖∇ℓ̃‖ stands where its square belongs", _loose_without_square),
    ),
    hints=(
        "case.gradient(*flow.states) has both parts of the gradient, flow.gap the gap.",
        "Where the gap is at the rounding error the ratio means nothing: leave that out.",
    ),
    tolerance=0.02,  # the page reads the minimum off a grid of times with step 0.1
)

# 3.4


def _longer(a: float, b: float) -> float:
    """The linear flow's growing direction, numerically, and how much of it each start has."""
    linear = np.array([[0.0, 0.0, a * a], [0.0, 0.0, b * b], [a * a, b * b, 0.0]])
    rates, directions = np.linalg.eigh(linear)
    root = 1 / math.sqrt(2)
    weak, even = (
        abs(np.array(start) @ directions[:, -1]) for start in ((0, 1, 1), (root, root, 1))
    )
    return float(np.log(even / weak) / rates[-1])


def _rhos(a: float, b: float, omega: float) -> tuple[float, float]:
    return b * b / omega, (a * a + b * b) / (math.sqrt(2) * omega)


def _longer_with(a: float, b: float, omega: float) -> float:
    weak, even = _rhos(a, b, omega)
    return math.log((1 + even) / (1 + weak)) / omega


def _longer_without_one(a: float, b: float) -> float:
    weak, even = _rhos(a, b, math.hypot(a * a, b * b))
    return math.log(even / weak) / math.hypot(a * a, b * b)


WEAK_START = Exercise(
    number="3.4",
    label="ex-weak-start",
    asks="how much longer, in units of the flow's time, by the linear solution, a number, "
    "for Λ = diag({a}, {b})",
    draw=lambda rng: {"a": rng.randint(12, 24) / 10, "b": rng.randint(3, 7) / 10},
    book={"a": 2.0, "b": 0.5},
    solve=_longer,
    mistakes=(
        Mistake("the 1 of 1 + cos ϑ is left out: u starts at u₀ too", _longer_without_one),
        Mistake(
            "1/ω is left out: a factor in the amplitude is a logarithm over ω in time",
            lambda a, b: _longer(a, b) * math.hypot(a * a, b * b),
        ),
        Mistake(
            "tr Λ² stands where ω = ‖Λ²‖ belongs",
            lambda a, b: _longer_with(a, b, a * a + b * b),
        ),
        Mistake(
            "the weak direction does not escape alone, at the rate λ₂²: it feeds u",
            lambda a, b: math.log(1e4) * (1 / (b * b) - 1 / math.hypot(a * a, b * b)),
        ),
        Mistake(
            "that is a decimal logarithm; here it is the natural one",
            lambda a, b: _longer(a, b) / math.log(10),
        ),
    ),
    hints=(
        "Both starts grow at the same rate ω. In what do they differ?",
        "Only cos ϑ differs. When do two curves Ae^(ωt) and Be^(ωt) reach the same height?",
    ),
    tolerance=0.02,  # a measured plateau, at u₀ = 1e-4 on a grid of times, is taken too
)

# 3.5


@cache
def _threshold(slope: float) -> float:
    """Which product is larger when the race is over, for 36 ratios at once."""
    sigma, ratios = 0.1, torch.linspace(0.45, 1.15, 36, dtype=torch.float64)
    weights = torch.zeros(2, len(ratios), 3, 3, dtype=torch.float64)
    U, u = FixedCovariance(RUNNING, N).start(sigma, _theta(slope))
    weights[0, :, :2, :2], weights[1, :, 2, 2] = U, u
    weights[:, :, 2, 0] = sigma * ratios
    flow = gradient_flow(FullParameters(RUNNING, N), tuple(weights), [0.0, 4.0], rtol=1e-4)
    W_KQ, W_PV = (end[:, -1] for end in flow.states)
    on_slice = W_PV[:, 2, 2].abs() * W_KQ[:, :2, :2].norm(dim=(1, 2))
    mixed = W_PV[:, 2, :2].norm(dim=1) * W_KQ[:, 2, :2].norm(dim=1)
    won = int((on_slice > mixed).sum())
    return float((ratios[won - 1] + ratios[won]) / 2)


def _rho(slope: float, power: int = 2) -> float:
    force = np.diag([2.0**power, 0.5**power])
    start = (_theta(slope) @ _theta(slope).T).numpy()
    return float((force * start).sum() / np.linalg.norm(force))


RACE = Exercise(
    number="3.5",
    label="ex-race",
    asks="the ratio to u₀ at which the winner changes, a number, for u₀ = 0.1 and Θ in proportion "
    "to the rows (1, 0) and ({slope}, 1)",
    draw=lambda rng: {"slope": rng.randint(4, 36) / 20},
    book={"slope": 1.0},
    solve=_threshold,
    mistakes=(
        Mistake("that is cos ϑ; of the slice half of u₀(1 + cos ϑ) grows", _rho),
        Mistake(
            "the ½ is left out: ½u₀(1 + cos ϑ) grows, and ½u₀(1 − cos ϑ) decays",
            lambda slope: 1 + _rho(slope),
        ),
        Mistake("of the slice only a part grows: equal sizes are no tie", lambda slope: 1.0),
        Mistake(
            "the force on the slice is Λ², not Λ",
            lambda slope: (1 + _rho(slope, power=1)) / 2,
        ),
    ),
    hints=(
        "Run the flow from mixed_start for a few ratios; the loss at the end names the winner.",
        "Halve the interval between a ratio where one wins and a ratio where the other does.",
        "To check: both start to grow at almost the same rate. How much of each start grows?",
    ),
    tolerance=0.04,  # steps of 0.02 in the ratio; the linear theory is 2 % below
)

# 3.6


def _coupling(a: float, b: float, N: int, *, query: float = 1.0, gamma: bool = True) -> float:
    """The determinant of the form in U₁₁, U₂₂ and u, by Gaussian moments.

    `query` 0 leaves x_q x_qᵀ/N out of the tokens' second moments; without `gamma` γ₁ is λ₁.
    """
    t, q = a + b, query / N
    eleven = a**3 * (1 + 2 / N + 6 * q + 15 * q * q)
    mixed = a * a * b * (q + 3 * q * q)
    twice = a * b * b * (1 / N + 3 * q * q)
    with_u = a * a * (t + 2 * a / N) + 3 * t * a * a * q
    pull = b * b * ((1 + 1 / N) * a + t / N if gamma else a)
    labels = a * (1 + 2 / N) * (t * t + 2 * (a * a + b * b))
    form = [
        [eleven, mixed, with_u],
        [mixed, twice, t * a * b * q - pull],
        [with_u, t * a * b * q - pull, labels],
    ]
    return float(np.linalg.det(np.array(form)))


def _longest(a: float, b: float, **forgotten: Any) -> int:
    """The other minors stay positive, so the form is positive where its determinant is."""
    N = 1
    while _coupling(a, b, N + 1, **forgotten) > 0:
        N += 1
    return N


def _draw_longest(rng: random.Random) -> dict[str, Any]:
    a = rng.randint(11, 29) / 10
    return {"a": a, "b": round(a * rng.randint(20, 45) / 100, 2)}


SPURIOUS_LENGTH = Exercise(
    number="3.6",
    label="ex-spurious-length",
    asks="the largest N, a whole number, for Λ = diag({a}, {b})",
    draw=_draw_longest,
    book={"a": 2.0, "b": 0.5},
    solve=_longest,
    mistakes=(
        Mistake(
            "that is the first length at which the point is a saddle",
            lambda a, b: _longest(a, b) + 1,
        ),
        Mistake(
            "the query is a token too: S + x_q x_qᵀ/N stands in the form",
            lambda a, b: _longest(a, b, query=0.0),
        ),
        Mistake(
            "λ₁ stands where γ₁ belongs in the coupling",
            lambda a, b: _longest(a, b, gamma=False),
        ),
    ),
    hints=(
        "At which sign of the smallest eigenvalue of the Hessian is the point a minimum?",
        "One eigenvalue is zero for every N: the scaling. Allow for the rounding of it.",
        "Go through N from 2 on, with a new FullParameters each, until the sign changes.",
    ),
)

EXERCISES = (ONE_DIMENSION, NEVER_ESCAPES, LOOSE, WEAK_START, RACE, SPURIOUS_LENGTH)
