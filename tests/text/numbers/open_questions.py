"""Numbers of chapter 9."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import atan, exp, isclose, log, pi, prod, sqrt, tan

import numpy as np
import torch
from linear_icl.deep import PlainSteps
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters, KeysApart, noise_by_block
from linear_icl.lsa import limit_weights
from linear_icl.nonlinear.recipes import RECIPES
from linear_icl.prompts import GaussianPrompts, embedding
from linear_icl_book.exercises import registry

from tests.text.ties import about, cell, given, output

HALF = Fraction(1, 2)
CHANCE = {exercise.label: exercise for exercise in registry().values()}["ex-head-start"].book[
    "chance"
]
COUNT, INDEX = given("a count of words"), given("the number of a problem or of a step of a proof")
SETTING = given("the setting of an exercise or of a problem")
SUCCESS = Fraction(CHANCE).limit_denominator(100)

# The race from a random start.
OMEGA = sqrt(2**4 + HALF**4)
TURN = (
    r"(.+): (\d+) of (\d+) ahead, (\d+) end high, (\d+) on the wrong side"
    r"(?:, leads ([\d.]+) to ([\d.]+))?; curvature (\S+)"
)
RACES = {
    name: (*map(int, counts), float(low or 1), float(top or 1), float(curvature))
    for name, *counts, low, top, curvature in re.findall(TURN, output("open_questions"))
}
RUNS, HIGH = RACES.get("2, ½ from 0.03", (44, 100, 44))[1:3]
TWO_OR_THREE = {
    "2, ½ from 0.03": ([2.0, 0.5], 0.03),
    "2, 1 from 10⁻⁸": ([2.0, 1.0], 1e-8),
    "2, 1, ½ from 0.01": ([2.0, 1.0, 0.5], 0.01),
}


def mistakes(spectrum: list[float], scale: float) -> list[float]:
    """How far from (eq-head) are fresh starts that end on its wrong side: |ln| of a ratio."""
    lam, d = torch.tensor(spectrum, dtype=torch.float64), len(spectrum)
    seed = torch.Generator().manual_seed(100)
    W = torch.randn(2, 100, d + 1, d + 1, generator=seed, dtype=torch.float64)
    omega = lam.square().norm()
    right = (W[0, :, :d, :d].diagonal(dim1=1, dim2=2) @ lam**2 / omega + W[1, :, d, d]).abs()
    swapped = (W[0, :, d, 0] + W[1, :, d, 0]).abs()
    full = FullParameters(torch.diag(lam), 8)
    high = gradient_flow(full, tuple(scale * W), [0.0, 40.0], rtol=1e-4).gap[:, -1] > 0.01
    power = lam[0] ** 2 / omega
    Z, Z_swapped = right / sqrt(2), swapped / sqrt(2)
    ahead = torch.log(Z_swapped / Z**power) - (power - 1) * log(scale)
    wrong: list[float] = ahead[(ahead > 0) != high].abs().tolist()
    return wrong


def in_the_lead(size: float, lam: tuple[float, float] = (2.0, 1.5)) -> float:
    """The chance that |Z'| > g|Z|^p, by quadrature over Z."""
    p = lam[0] ** 2 / sqrt(lam[0] ** 4 + lam[1] ** 4)
    z = (np.arange(200_000) + 0.5) * 6 / 200_000
    density = 2 * np.exp(-(z**2) / 2) / sqrt(2 * pi) * 6 / 200_000
    limit = torch.from_numpy(size ** (p - 1) * z**p / sqrt(2))
    return float((torch.erfc(limit).numpy() * density).sum())


POWER = sqrt(2**4 + 1.5**4) / 4 - 1
MISTAKES = [one for case in TWO_OR_THREE.values() for one in mistakes(*case)]
BEFORE = {  # a run of the page whose output is not yet a reference
    "five from 2 to ½, from 0.001": (6, 60, 8, 2, 0.87, 0.89, -0.09),
    "2, 2 from 0.03": (16, 60, 19, 3, 0.85, 0.91, -0.37),
    "2, 2, 2 from 0.1": (11, 60, 0, 11, 1.01, 2.09, -0.55),
    "1, 1, 1, 1, 1 from 0.1": (6, 20, 0, 6, 1.1, 2.22, -0.15),
}
SORTED = [RACES.get(name, (1, 3, 1, 0, 1.0, 1.0, 0.0)) for name in TWO_OR_THREE]
NEARLY, EQUAL = (
    [RACES.get(name, BEFORE[name]) for name in list(BEFORE)[k : k + 2]] for k in (0, 2)
)

SIMPLE = ([2.0, 0.5], [2.0, 1.0], [2.0, 1.0, 0.5])  # the largest eigenvalue


def rates(spectrum: list[float]) -> list[float]:
    """At the origin, of all modes of the flow of the full loss, the largest first."""
    size, full = len(spectrum) + 1, FullParameters(torch.tensor(spectrum).double().diag(), 8)

    def loss(z: torch.Tensor) -> torch.Tensor:
        return full.loss(*z.reshape(2, size, size))

    hessian = torch.func.jacrev(torch.func.grad(loss))(torch.zeros(2 * size**2).double())
    return sorted((-torch.linalg.eigvalsh(hessian)).tolist(), reverse=True)


def behind(spectrum: list[float], scale: float) -> float:
    """The chance of |Z'| > g|Z|^power, by (eq-head), as an integral over ln|Z|."""
    power = spectrum[0] ** 2 / sqrt(sum(one**4 for one in spectrum))
    x = torch.linspace(-300, 3, 20_001, dtype=torch.float64)
    density = (x - x.exp() ** 2 / 2).exp() * sqrt(2 / pi)
    chance = torch.erfc(scale ** (power - 1) * (power * x).exp() / sqrt(2))
    return float(torch.trapezoid(density * chance, x))


def like_a_power(spectrum: list[float], rate: float) -> bool:
    """Whether that chance falls as u₀ to this power, far down."""
    ends = [log(behind(spectrum, 10.0**-k)) for k in (250, 260)]
    return abs((ends[0] - ends[1]) / (10 * log(10)) - rate) < 1e-3


def caught() -> bool:
    """Whether of runs that start beside the swapped saddle some end at a lower local minimum."""
    ends = []
    for spectrum in ([2.0, 1.5, 1.0, 0.7, 0.5], [2.0, 2.0]):
        d, full = len(spectrum), FullParameters(torch.tensor(spectrum).double().diag(), 8)
        W = torch.zeros(2, 6, d + 1, d + 1, dtype=torch.float64)
        W[:, :, d, 0] = full.Gamma[0, 0] ** -0.5
        height = float(full.gap(*W[:, 0]))
        draw = torch.Generator().manual_seed(0)
        W = W + 1e-3 * torch.randn(W.shape, generator=draw, dtype=torch.float64)
        gap = gradient_flow(full, tuple(W), [0.0, 200.0, 400.0], rtol=1e-5).gap[:, 1:]
        rests = (gap[:, 0] - gap[:, 1]).abs() < 1e-6
        ends.append(bool(((gap[:, 1] > 0.3) & (gap[:, 1] < 0.99 * height) & rests).any()))
    return all(ends)


CAUGHT = [
    tuple(map(float, found))
    for found in re.findall(
        r"gaps ([\d.]+) to ([\d.]+), swapped point ([\d.]+)", output("open_questions")
    )[3:]
] or [(0.960, 0.960, 1.002), (0.663, 0.663, 0.727)]

DRAWS = np.abs(np.random.default_rng(0).normal(size=(2, 50)))

# Long steps on the slice of the running example, on the two diagonals.
LAM, N = np.array([2.0, 0.5]), 8
GAM = (1 + 1 / N) * LAM + LAM.sum() / N


def sharp(u: float) -> float:
    """The largest eigenvalue of (eq-sharpness)."""
    edge = LAM / np.sqrt(GAM)
    both = u**2 * np.diag(GAM * LAM**2) + np.outer(edge, edge) / u**2
    return float(np.linalg.eigvalsh(both)[-1])


END = float(np.sqrt(np.linalg.norm(1 / GAM)))  # balance
GRID = np.linspace(0.3, 2.0, 3401)


def all_free(part: float) -> float:
    """The largest eigenvalue of the full Hessian at the minimum with this part of the end's u."""
    full, W = FullParameters(np.diag(LAM), N), torch.zeros(2, 3, 3, dtype=torch.float64)
    W[0, :2, :2], W[1, 2, 2] = torch.diag(torch.from_numpy(1 / GAM)) / (END * part), END * part

    def loss(z: torch.Tensor) -> torch.Tensor:
        return full.loss(*z.reshape(2, 3, 3))

    return float(torch.linalg.eigvalsh(torch.func.jacrev(torch.func.grad(loss))(W.flatten()))[-1])


LEAST_FREE = min(all_free(float(part)) for part in np.linspace(0.2, 1.5, 131))
FLATTEST = float(GRID[np.argmin([sharp(u) for u in GRID])])


def descended(share: float, count: int) -> list[tuple[np.ndarray, float]]:
    """(U, u) along descent from U = 0.1 I/√2, u = 0.1, which stays diagonal."""
    eta, U, u = share * 2 / sharp(END), np.full(2, 0.1 / sqrt(2)), 0.1
    path = [(U, u)]
    for _ in range(count):
        dU = u**2 * GAM * LAM**2 * U - u * LAM**2
        du = u * float((GAM * LAM**2 * U**2).sum()) - float((LAM**2 * U).sum())
        U, u = U - eta * dU, u - eta * du
        path.append((U, u))
    return path


def descent(share: float, count: int) -> list[float]:
    """u along it."""
    return [u for _, u in descended(share, count)]


PATH = descent(1.2, 600)
LAST = 2.4 / sharp(END) * sharp(PATH[-1])
CYCLE = descent(1.9, 1500)[-40:]

REST = {share: descent(share, 3000)[-2:] for share in (0.9, 1.1, 1.2, 1.35, 1.5, 1.7)}
RESTING = [sharp(u) for u, _ in list(REST.values())[:-1]]


def curvature(lam: list[float], U: torch.Tensor, u: float) -> torch.Tensor:
    """The Hessian of the loss on the slice, entries of U first."""
    problem, d = FixedCovariance(torch.tensor(lam, dtype=torch.float64).diag(), 8), len(lam)
    slope = torch.func.grad(lambda z: problem.loss(z[:-1].reshape(d, d), z[-1]))
    at = torch.cat([U.flatten(), torch.tensor([u], dtype=torch.float64)])
    found: torch.Tensor = torch.func.jacrev(slope)(at)
    return found


def mixed(lam: list[float], U: torch.Tensor) -> float:
    """The largest mixed derivative of an entry of U off the diagonal, at u = 0.7."""
    d = len(lam)
    hessian = curvature(lam, U, 0.7)
    hessian.fill_diagonal_(0)
    off = [i * d + j for i in range(d) for j in range(d) if i != j]
    return float(hessian[off].abs().max())


def valley(lam: list[float], u: float) -> tuple[FixedCovariance, torch.Tensor, torch.Tensor]:
    """At the minimum with this u: the Hessian's eigenvalues, and its u²γ_iλ_iλ_j."""
    problem = FixedCovariance(torch.tensor(lam, dtype=torch.float64).diag(), 8)
    hessian = curvature(lam, problem.target / u, u)
    return problem, torch.linalg.eigvalsh(hessian), hessian.diagonal()[:-1].reshape(len(lam), -1)


VALLEYS = [(u, *valley(lam, u)) for lam in SIMPLE for u in (0.5, 1.4)]


def drifts(problem: FixedCovariance, u: float, eta: float) -> float:
    """How the gap grows in 200 steps from beside the minimum with this u."""
    value = torch.tensor(u, dtype=torch.float64)
    U = problem.target / u + 1e-7 * torch.ones_like(problem.target)
    first = problem.gap(U, value)
    for _ in range(200):
        dU, du = problem.gradient(U, value)
        U, value = U - eta * dU, value - eta * du
    return float(problem.gap(U, value) / first)


def cost_of_mixing(a: float, draw: int) -> float:
    """The full loss, mean of two lengths, less that of its A; the mixing blocks of size a."""
    Lambda = torch.diag(torch.from_numpy(LAM))
    W = torch.randn(2, 3, 3, generator=torch.manual_seed(draw), dtype=torch.float64)
    W[0, 2, :2] *= a
    W[1, 2, :2] *= a
    A = torch.outer(W[1, 2, :2], W[0, 2, :2]) + W[1, 2, 2] * W[0, :2, :2]
    one = torch.ones((), dtype=torch.float64)
    costs = [
        FullParameters(Lambda, M).loss(*W) - FixedCovariance(Lambda, M).loss(A, one) - LAM.sum() / 2
        for M in (3, 8)
    ]
    return float(sum(costs)) / 2


SEEN = output("open_questions")
HOVERS = {
    (float(eta), int(b)): tuple(map(float, found))
    for eta, b, *found in re.findall(
        r"η = ([\d.]+), b = (\d+): gap over rule ([\d.]+) ± ([\d.]+)", SEEN
    )
}
SLIDES = {
    share: (int(best), float(u) if best != "0" else 0.0, int(wrong), int(moving))
    for share, best, u, wrong, moving in re.findall(
        r"share (\S+): (\d+) at the best loss, u (\S+); (\d+) at the wrong point; (\d+) still move",
        SEEN,
    )
}
PAYS = [
    (int(d), float(share), float(pays))
    for d, share, pays in re.findall(
        r"d = (\d): one prompt (\S+) of silence, pays from (\S+)", SEEN
    )
]
DRIFTED, BY_MEAN, THERE = next(
    (
        tuple(map(float, found))
        for found in re.findall(
            r"after 1000 steps ([\d.]+), by the mean step at a minimum ([\d.]+), u itself ([\d.]+)",
            SEEN,
        )
    ),
    (0.813, 0.878, 0.77),
)
FASTER, RARE = next(
    (
        tuple(map(float, both))
        for both in re.findall(r"D grows ([\d.]+) times as fast; .* makes ([\d.]+) of it", SEEN)
    ),
    (1.52, 0.38),
)
NOISE = [float(one) for one in noise_by_block(np.diag(LAM), N)]
PEAKED = [
    tuple(map(float, both))
    for row in re.findall(r"at the peak, and silence: (.*)", SEEN)
    for both in re.findall(r"\[([\d.]+), ([\d.]+)\]", row)
]
PEAKS = dict(re.findall(r"'d = (\d)': (\d+)", SEEN))
HEADS = {
    int(k): [float(x) for x in found.split(", ")]
    for k, found in re.findall(r"'heads: (\d)': \[([^]]+)\]", SEEN)
}
EXACT = {name: float(x) for name, x in re.findall(r"'([a-z ]+)': ([\d.]+)", SEEN)}
WEIGHTS = [(d + 1) ** 2 - 1 for d in (1, 2, 3)]


# One length for all lengths.
LONGEST = RECIPES["d20-fixed"].tasks.length
HARMONIC = LONGEST / sum(Fraction(1, k) for k in range(1, LONGEST + 1))

# Two plain steps under Exp(1): E λ(1 − sλ + pλ²)² with moments k!.
S, P = np.linalg.solve([[12, -48], [-48, 240]], [4, -12])
FIRST, SECOND = sorted(np.roots([1, -S, P]).real)
LEFT, ALONE = 1 - 2 * S + 6 * P, 1 - 2 * 2 / 6 * 2 + 6 * (2 / 6) ** 2


def leaves(c: Fraction | int, steps: Sequence[float]) -> float:
    """What these steps leave of the risk of silence on points c times as wide."""
    s, mass = np.polynomial.laguerre.laggauss(12)
    factors = [(1 - a * float(c) ** 2 * s) ** 2 for a in steps]
    return float(mass @ (s * np.prod(factors, axis=0)))


NODES, MASS = np.polynomial.laguerre.laggauss(12)
STEPS = PlainSteps(NODES, NODES * MASS)
# Along the flow two equal steps of three, until rounding parts them, and three different ones.
THREE = gradient_flow(
    STEPS,
    (torch.tensor([[0.3, 0.3, 0.8], [0.5, 0.5, 0.1], [-0.1, 0.4, 0.9]], dtype=torch.float64),),
    [0.0, 0.01, 0.1, 1.0, 10.0],
    rtol=1e-6,
).states[0]
RISKS = STEPS.loss(THREE)


def parts(a: torch.Tensor) -> bool:
    """Whether the flow takes the first two steps further apart, once they are so."""
    off = torch.tensor([1e-3, -1e-3, 0.0], dtype=torch.float64)
    (gradient,) = STEPS.gradient(a + off)
    return bool(gradient[0] < gradient[1])


def repelled(a: float, *more: float) -> bool:
    """Whether the risk falls if two equal steps part, and by what their product loses."""
    e, equal = Fraction(1, 50), Fraction(a)
    lost = [(1 - equal * s) ** 2 - (1 - (equal + e) * s) * (1 - (equal - e) * s) for s in range(4)]
    apart = leaves(1, [a + 0.02, a - 0.02, *more]) < leaves(1, [a, a, *more])
    return apart and lost == [(e * s) ** 2 for s in range(4)]


def without(a: Sequence[float], k: int) -> np.poly1d:
    """The product of the factors 1 − as without the k-th."""
    factors = [np.poly1d([-one, 1]) for one in [*a[:k], *a[k + 1 :]]]
    return prod(factors, start=np.poly1d([1.0]))


def independent(a: Sequence[float]) -> bool:
    """Whether the products without one factor each are so: by their values at as many places."""
    at = [[without(a, k)(s) for s in range(1, len(a) + 1)] for k in range(len(a))]
    return bool(np.linalg.matrix_rank(np.array(at)) == len(a))


def only_zero(values: Sequence[float]) -> bool:
    """Whether no polynomial of their number as degree, without constant term, is zero at all."""
    powers = np.vander([0.0, *values], increasing=True)[1:, 1:]
    return bool(np.linalg.matrix_rank(powers) == len(values))


MANY = ([0.2, 0.7, 1.1], [0.0, 0.3, -0.4, 0.8])  # different steps


# Keys apart from queries, where the strong direction is known and the weak one almost nothing.
def growth(u: float, weak: float) -> tuple[float, float]:
    """The derivatives in time of the weak key, and of its entry of U if merged."""
    problem = FixedCovariance(torch.diag(torch.from_numpy(LAM)), N)
    factors = torch.diag(torch.tensor([1.0, weak], dtype=torch.float64))
    value = torch.tensor(u, dtype=torch.float64)
    by_K, *_ = KeysApart(problem).gradient(factors, factors, value)
    by_U, _ = problem.gradient(factors @ factors, value)
    return -float(by_K[1, 1]), -float(by_U[1, 1])


# Uniform variances on [0, 2] have moments 2^k/(k + 1).
MOMENTS = [Fraction(2**k, k + 1) for k in range(6)]
ONE_STEP = MOMENTS[1] - MOMENTS[2] ** 2 / MOMENTS[3]
(A, B), (_, D), (X, Y) = (MOMENTS[3:5], MOMENTS[4:6], MOMENTS[2:4])
TWO_STEPS = MOMENTS[1] - (D * X * X - 2 * B * X * Y + A * Y * Y) / (A * D - B * B)

# One known task (1, 1), a new one (0, 1).
RUNNING = (Fraction(2), HALF)
MULTIPLE = RUNNING[1] / sum(RUNNING)
UNKNOWN = sum(RUNNING) - sum(one**2 for one in RUNNING) / sum(RUNNING)

# The wrong point of the running example, which is also the stair of keys apart.
BEST_LOSS = float(FixedCovariance(torch.diag(torch.from_numpy(LAM)), N).minimum) + sum(LAM) / 2
WRONG_LOSS = Fraction(5, 4) - HALF * 4 / Fraction(41, 16)
WRONG_GAP = next((float(gap) for gap in re.findall(r"gaps [\d.]+ to ([\d.]+), swapped", SEEN)), 0.0)
WAITS = [-log(0.03) / lam**2 for lam in LAM]


def apart_slope(z: np.ndarray) -> np.ndarray:
    """Of k = q, u and ∫u, keys apart on the diagonal of the slice."""
    k, u = z[:2], z[2]
    dU = u**2 * GAM * LAM**2 * k**2 - u * LAM**2
    du = u * (GAM * LAM**2 * k**4).sum() - (LAM**2 * k**2).sum()
    return np.array([*(-dU * k), -du, u])


def when_known(size: float) -> list[tuple[float, float, float]]:
    """∫u, t and U_ii when half of each direction is known, keys apart, by Runge and Kutta."""
    z, t, dt = np.array([size, size, size, 0.0]), 0.0, 2e-3
    found: list[tuple[float, float, float]] = []
    while len(found) < 2 and t < 60:
        a = apart_slope(z)
        b = apart_slope(z + dt / 2 * a)
        c = apart_slope(z + dt / 2 * b)
        z, t = z + dt / 6 * (a + 2 * b + 2 * c + apart_slope(z + dt * c)), t + dt
        if z[2] * GAM[len(found)] * z[len(found)] ** 2 > 0.5:
            found.append((float(z[3]), t, float(z[len(found)] ** 2)))
    return found


CAME = when_known(0.03)
ALLOWED = [log(came[2] / 0.03**2) / (2 * lam**2) for came, lam in zip(CAME, LAM, strict=True)]
TIMED = {size: tuple(one[1] for one in when_known(size)) for size in (0.1, 0.03, 0.01)}


def thrown() -> bool:
    """Whether u swings farther and farther below the flow's end before it turns back."""
    turn = 100 + int(np.argmin(PATH[100:]))
    lows = [PATH[k] for k in range(112, turn + 1) if PATH[k] <= min(PATH[k - 1], PATH[k + 1])]
    return len(lows) > 2 and lows == sorted(lows, reverse=True)


def saddle() -> bool:
    """The best of two equal plain steps is critical, and the risk falls if they part."""
    a = torch.tensor(max(np.roots([-120, 72, -18, 2]).real), dtype=torch.float64)
    slopes = STEPS.gradient(torch.stack([a, a]))[0]
    return bool(slopes.abs().max() < 1e-9) and repelled(float(a)) and FIRST < a < SECOND


def slows() -> bool:
    """Whether with merged weights the loss falls slower near the stair, and never stops."""
    problem = FixedCovariance(torch.diag(torch.from_numpy(LAM)), N)
    times = torch.linspace(0, 60, 241, dtype=torch.float64)
    loss = gradient_flow(problem, problem.start(0.03), times).gap + BEST_LOSS
    falls = -(loss[1:] - loss[:-1])
    at = int((loss < float(WRONG_LOSS)).nonzero()[0])
    return bool((falls[:at] > 0).all() and falls[at] < falls.max() / 5)


def spanned() -> bool:
    """Whether one known task leaves a step of rank one, whose misses are orthogonal to it in Λ."""
    w, Lam = np.ones(2), np.diag(LAM)
    m = np.random.default_rng(0).normal(size=(2, 5))
    answers = np.outer(w, w @ Lam @ m) / (w @ Lam @ w)
    free = np.linalg.lstsq(np.sqrt(Lam) @ w[:, None], np.sqrt(Lam) @ m)[0]  # nearest in Λ
    return bool(np.allclose(answers, w[:, None] * free) and np.linalg.matrix_rank(answers) == 1)


def missed(KQ: torch.Tensor, PV: torch.Tensor, draw: int) -> tuple[torch.Tensor, ...]:
    """Of 50 000 prompts EEᵀ/N and the query's token, and what a layer misses."""
    given = GaussianPrompts(torch.from_numpy(np.diag(LAM))).sample(50_000, N, generator=draw)
    E = embedding(given)
    moment, query = E @ E.mT / N, E[..., -1]
    miss = torch.einsum("j,bjk,kl,bl->b", PV[-1], moment, KQ, query) - given.y_query
    return moment, query, miss


def mixing_share() -> float:
    """Of the noise of W_KQ at the flow's end, in its last row: over prompts."""
    KQ, PV = limit_weights(torch.from_numpy(np.diag(LAM)), N)
    moment, query, miss = missed(KQ, PV, 21)
    noise = torch.einsum("b,j,bjk,bl->bkl", miss, PV[-1], moment, query).var(0)
    return float(noise[-1].sum() / noise.sum())


def driven(count: int) -> float:
    """u after so many mean steps of (eq-noise-drift), 0.02 and 128, as an equation of r² alone."""
    r2 = 1.0
    for _ in range(count):  # dD/d(r²) along the valley, D = END²(1/r² − r²), by the midpoint
        half = r2
        for part in (0.5, 1.0):
            grows = 0.02**2 / 128 * (half * NOISE[0] - NOISE[1] / half)
            half = r2 - part * grows / END**2 / (1 / half**2 + 1)
        r2 = half
    return END * sqrt(r2)


@cache
def noisier(r: float) -> float:
    """How much noisier keys than values are at the minimum with this r: of prompts' gradients."""
    KQ, PV = limit_weights(torch.from_numpy(np.diag(LAM)), N)
    moment, query, miss = missed(KQ / r, r * PV, 22)
    keys = miss * (moment @ (r * PV[-1])).norm(dim=1) * query.norm(dim=1)  # a matrix of rank one
    values = miss * (moment @ (query @ KQ.mT / r)[..., None]).squeeze(-1).norm(dim=1)
    return float(keys.square().mean() / values.square().mean())


@cache
def steps_down() -> bool:
    """From a small throw along the steepest direction on the slice, at several u: D grows, and u
    falls, where the sharpness rises with u; by one step of descent, against (2) of the result."""
    found = []
    for u in (0.45, 0.55, 0.75, 0.9, 1.1):
        U, h = np.diag(1 / GAM / u), sharp(u)
        problem = FixedCovariance(np.diag(LAM), N)
        hessian = curvature(LAM.tolist(), torch.from_numpy(U), u)
        throw = 1e-4 * torch.linalg.eigh(hessian)[1][:, -1]
        V, v = torch.from_numpy(U) + throw[:-1].reshape(2, 2), torch.tensor(u) + throw[-1]
        dU, du = problem.gradient(V, v)
        change = ((V - 0.1 * dU).square().sum() - (v - 0.1 * du) ** 2) - (V.square().sum() - v**2)
        rise = (sharp(u + 1e-5) - sharp(u - 1e-5)) / 2e-5
        found.append(isclose(float(change) / 1e-8, 0.005 * u * h * rise, rel_tol=1e-2))
    return all(found)


def read_from_D() -> bool:
    """Along descent with long steps the u of the best layer that has their D only falls, and ends
    just inside the stable minima, though u itself dips below."""
    said = True
    for share in (1.1, 1.2, 1.35, 1.5):
        thrown = descended(share, 600)[100:]
        D = [float((U**2).sum()) - u**2 for U, u in thrown]
        ended = sqrt((sqrt(D[-1] ** 2 + 4 * END**4) - D[-1]) / 2)
        said &= np.diff(D).min() > -1e-5 and min(u for _, u in thrown) < ended - 0.02
        said &= 1.95 < share * 2 / sharp(END) * sharp(ended) < 2
    return bool(said)


BALANCED = (NOISE[1] / NOISE[0]) ** (1 / 4)
PARTS = np.linspace(0.3, 1.0, 701)
FLATTEST_FREE = float(PARTS[np.argmin([all_free(part) for part in PARTS])])
STARTS = 0.03 * torch.randn(
    2, 100, 3, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64
)
FAIL = int(
    (
        gradient_flow(
            FullParameters(np.diag(LAM), N), tuple(STARTS[:, :16]), [0.0, 40.0], rtol=1e-5
        ).gap[:, -1]
        > 0.01
    ).sum()
)


NUMBERS = {
    "$u$ first falls to $0.85$, and then comes back to $0.97$": (min(PATH[100:]), PATH[-1]),
    "*3.* A best layer is a minimum": INDEX,
    "*2.* The Hessian at": INDEX,
    "then $u=1.10\\,r$": END,
    "won in each of the $260$ runs": sum(one[1] for one in SORTED),
    "for the eigenvalues $2$ and $\\frac32$ this power is $0.15$": (SETTING, SETTING, POWER),
    "Paths of the flow from twelve starts (dots), and from two with equal": cell(
        "turn = torch.arange({}) * torch.pi / 6 + 0.3"
    ),
    "here $18.0$. In {numref}`fig-keys` it is $17.2$ from half of the one direction to "
    "half of the other": (
        (WAITS[1] - WAITS[0]) * GAM[0] ** (1 / 3),
        round(TIMED[0.03][1] - TIMED[0.03][0], 1),
        HALF,
        HALF,
    ),
    "Running example, $u_0=0.03$. ```{exercise-end}": 0.03,
    "and there $D$ grows $1.5$ times as fast as {eq}`eq-noise-drift` says. A few steps do "
    "much of it: the largest hundredth makes $38$ per cent. These are the jumps of the "
    "figure. No run has come near $u=0.46$": (round(FASTER, 1), 100 * RARE, BALANCED * END),
    "All eight runs move this way, but faster: after $1000$ steps the $u$ that is read "
    "from $D$ is $0.81$ in the mean, and {eq}`eq-noise-drift` gives $0.88$": (
        cell("repeat(1, {}, 1, 1)]  # eight"),
        cell("for _ in range({}):\n    noisy"),
        DRIFTED,
        driven(1000),
    ),
    "Eight runs of noisy descent from the flow's end, $\\eta=0.02$, $b=128$": (
        cell("repeat(1, {}, 1, 1)]  # eight"),
        cell("noisy[-1] - {} * slopes"),
        cell("slopes(noisy[-1], {}, noise)"),
    ),
    "Eight lines fall, with a few jumps": cell("repeat(1, {}, 1, 1)]  # eight"),
    "$T_{PV}=14.2$ and $T_{KQ}=480$, most of it in a mixing block. So the noise is least "
    "at $u=0.46$, beyond both flattest minima": (
        round(NOISE[1], 1),
        about(NOISE[0], 0.002),
        BALANCED * END,
    ),
    "Flow up to time $40$ from $16$ starts of size $0.03$ (dots: its ends, the upper one": (
        cell("torch.linspace(0, {}, 801), rtol"),
        cell("tuple(first[:, :{}])"),
        cell("first = {} * torch.randn(2, 100"),
    ),
    "From the origin ten paths, most of which bend away from the axis, come to it and "
    "follow it to dots far to the right, and six rise": (16 - FAIL, FAIL),
    "known to about $0.04$ or better": sqrt(1 / 4 / 150),
    "one over the zeros $6$ and $2$ of a generalised": (1 / FIRST, 1 / SECOND),
    "touches zero twice and stays below that of silence up to about eight": (
        len([FIRST, SECOND]),
        8,
    ),
    "and of the best one and two steps, in proportion $1$, $\\frac13$, $\\frac16$": (ALONE, LEFT),
    "**Two zeros leave half of what one leaves": LEFT / ALONE,
    "That leaves $3$, $8$ and $15$": tuple(WEIGHTS),
    "For equal or nearly equal eigenvalues and $d\\ge3$": given("the hypothesis of a question"),
    "and fall below it at about twice as many": (2),
    "drawn for the step of the text, $0.175$": 2.4 / sharp(END),
    "Five of these runs (two and three)": sum(one[3] for one in NEARLY),
    "before them the bound allows less than half": HALF,
    "a start a million times smaller fails about eight": (1e6, about(1e6**POWER, 0.06)),
    "from roughly twice as many prompts as free": given("a bound, see CLAIMS"),
    "from $u_0=0.1$, $0.03$ and $0.01$ the weak direction comes six, three and two": (
        *TIMED,
        round(TIMED[0.1][1] / TIMED[0.1][0]),
    ),
    "At $u_0=0.1$, which is hardly small, half of the": (0.1, HALF),
    "with $2$, $1.99$ and $1.98$ none of $60$ runs": (
        cell("near = race(({}, 1.99, 1.98), 0.1, 60, 8)[1]"),
        cell("near = race((2.0, {}, 1.98), 0.1, 60, 8)[1]"),
        cell("near = race((2.0, 1.99, {}), 0.1, 60, 8)[1]"),
        cell("near = race((2.0, 1.99, 1.98), 0.1, {}, 8)[1]"),
    ),
    "Seven idealisations, loosened": COUNT,
    "In $44$ of $100$ runs from size $0.03$ gradient flow": (HIGH, RUNS, 0.03),
    "Seven idealisations stand behind it": COUNT,
    "the strong direction only. Its loss is $0.47$; silence has $1.25$, the best layer "
    "$0.33$. (A loss is half": (WRONG_LOSS, sum(RUNNING) / 2, BEST_LOSS, HALF),
    r"the rates are $\sqrt{4^2+(\frac14)^2}=4.008$ and $4$": (OMEGA, OMEGA, 2**2),
    "is nearly one, a half.": about(2 / pi * atan(0.03 ** (1 - 4 / OMEGA)), 0.01),
    "Three eigenvalues are equal, and in $64$ of $200$ starts": EQUAL[0][:2],
    "Seven rows of dots": len(RACES) or COUNT,
    "just behind, at a lead of $0.85$ or more": min(one[4] for one in NEARLY),
    "The swapped mode leads in $64$ of $200$ starts of the one row and in $17$ of $60$": (
        *EQUAL[0][:2],
        *EQUAL[1][:2],
    ),
    "by up to a factor of $13.6$": max(one[5] for one in EQUAL),
    "With five different eigenvalues all runs that end high have the gap $0.960$ at the end, and "
    "the swapped point has $1.002$; with two equal ones it is $0.663$, and $0.727$": (
        5,
        *CAUGHT[0][1:],
        *CAUGHT[1][1:],
    ),
    "a dashed line of the power 0.15": POWER,
    "Dashed: the power $0.15$": POWER,
    r"operatorname{diag}(2,\frac32)$": (SETTING, SETTING),
    "The power is $0.15$: in the limit a start": POWER,
    "Take the eigenvalues $2$ and $\\frac32$. The": (SETTING, SETTING),
    "smaller, from 0.39 to 0.06": (in_the_lead(0.1), in_the_lead(1e-7)),
    "A start a million times smaller": given("the width of the figure"),
    r"in which share of $100\,000$ starts": cell("drawn = torch.randn(2, {}, 3"),
    "which share of $150$ runs": cell("race(close, float(size), {}, 9)"),
    "At the flow's end the sharpness is $45.5$, not $13.7$, and along the valley it is at "
    "least $17.3$": (
        all_free(1.0),
        sharp(END),
        LEAST_FREE,
    ),
    "the flow's end is now unstable from $0.30$ on, and every minimum of the valley from $0.79$": (
        sharp(END) / all_free(1.0),
        sharp(END) / LEAST_FREE,
    ),
    "We tried three steps, each from $24$ starts, whose weights are $10^{-3}$ times normal "
    "numbers away from that of the figure. At $0.5$ all slide and come to rest at "
    "$u=0.83$. At $0.55$ only $13$ do; the others end at the swapped point. At $0.85$ all": (
        cell("torch.randn(2, 1, {}, 3, 3, generator=torch.manual_seed(0)).repeat(1, 3"),
        cell("W = {} * torch.randn(2, 1, 24"),
        cell("shares = torch.tensor([{}, 0.55, 0.85])"),
        SLIDES.get("0.50", (24, 0.831, 0, 0))[1],
        cell("shares = torch.tensor([0.5, {}, 0.85])"),
        SLIDES.get("0.55", (13, 0, 0, 0))[0],
        cell("shares = torch.tensor([0.5, 0.55, {}])"),
    ),
    r"exactly for $0<\eta h<2$": given("|1 - x| < 1"),
    r"the flattest has $u=0.65$, the flow ends at $u=1.10$, and there the valley is $1.64$ times": (
        FLATTEST,
        END,
        sharp(END) / sharp(FLATTEST),
    ),
    r"Take $\eta=0.175$, which is $1.2$ times": (
        2.4 / sharp(END),
        cell('Axis("share", SHARES, "η as a share of the longest stable", init={})'),
    ),
    "For a hundred steps descent goes to that end": 100,
    "are the excess risks on new prompts of sixty such": cell("fitted(int(B), runs={})"),
    "sharp}(u)$ is $2.4$, so": 1.2 * 2 / sharp(END) * sharp(PATH[100]),
    "It comes to rest at $u=0.97$": PATH[-1],
    "at $1.9$ descent ends in a cycle": cell("1.6, 1.7, {}]"),
    "Beyond a share of $1.64$ no": sharp(END) / sharp(FLATTEST),
    "For this gap half the step helps as much as twice": given("the rule, see CLAIMS"),
    "In four settings the mean gaps of $32$ chains of $1000$": (
        len(HOVERS) or COUNT,
        cell("repeat(1, {}, 1, 1), []"),
        cell("for step in range({}):\n        W = W - eta"),
    ),
    "Problem 3. Long": INDEX,
    "after 600 steps of Adam": cell("for _ in range({}):\n        descent"),
    "Medians of 120 training sets; the band holds the middle half": (
        cell("def fitted(B, runs={},"),
        HALF,
    ),
    "median training risk below $0.01$": given("a bound, see CLAIMS"),
    "Problem 4. Few": INDEX,
    "what the best layer for the task $(1,1)$ alone answers, "
    "$\\Lambda=\\operatorname{diag}(2,\\frac12)$, in": (*RUNNING,),
    "with these variances an error along the first axis costs four": RUNNING[0] / RUNNING[1],
    "*Smallest case.* $d=2$, $K=2$": SETTING,
    r"with lengths up to $40$, the chance": LONGEST,
    "this is training with $\\bar N=20.5$. With equally likely lengths it would be $9.3$": (
        (LONGEST + 1) * HALF,
        HARMONIC,
    ),
    "Problem 5. Lengths": INDEX,
    "$d=2$, lengths $1$ and $2$. *What": (..., SETTING),
    "(2) A critical point with two equal": INDEX,
    "(3) Gradient flow of": INDEX,
    "*2.* Let $a_i=a_j=a$": INDEX,
    "*3.* The flow stays": INDEX,
    "tend to that of *2*, which": INDEX,
    r"at best a third of the risk of silence, at $a=\frac13$": (ALONE, Fraction(2, 6)),
    r"The best two are $\frac16$ and $\frac12$, one over": (
        Fraction(FIRST).limit_denominator(1000),
        Fraction(SECOND).limit_denominator(1000),
    ),
    "which multiplies $s$ by four. One step leaves $6.3$ times the risk of silence, two "
    "leave $91.7$": (
        2**2,
        leaves(2, [1 / 3]),
        leaves(2, [FIRST, SECOND]),
    ),
    "Problem 6. Free": INDEX,
    "for the weak direction of the running example sixteen": (2 / HALF) ** 2,
    "Between two falls the loss stays near $0.47$": WRONG_LOSS,
    "The strong direction comes near 0.8, the weak one near fourteen": (
        round(CAME[0][0], 1),
        round(CAME[1][0]),
    ),
    "along the flow from $u_0=0.03$": cell("(K, Q, u) = by_clock({})"),
    "Half is known when $U_{ii}=1/(2u\\gamma_i)$. With the $u$ of the run the bound "
    "allows this for the strong direction from $0.74$ on, and it is known at $0.80$; for "
    "the weak one from $12.9$ on, and it is known at $14.1$": (
        HALF,
        ALLOWED[0],
        CAME[0][0],
        ALLOWED[1],
        CAME[1][0],
    ),
    "Problem 2. The": INDEX,
    "Problem 7. Softmax": INDEX,
    "Train one, two and four heads": cell("for count in (1, 2, {})"),
    "from random weights about half of the runs": about(HIGH / RUNS, 0.13),
    "Five rows of dots": given("a count of rows"),
    "Eigenvalues $2$ ($d=1$); $2,\\frac12$; $2,1,\\frac12$": (2, 2, HALF, 2, HALF),
    "Four heads lie": cell("for count in (1, 2, {})"),
    "Risk after 1000 steps of Adam in the running example, on the same 20 000 new prompts, "
    "where silence has $2.52$; one dot for each of four": (
        cell("def trained(count, steps={}):"),
        cell("given = law.sample({}, N, generator=99)"),
        EXACT.get("silence", 2.52),
        cell("torch.randn({}, count, *size"),
    ),
    "which here is slightly better, $0.72$ and not $0.73$. Linear attention leaves $0.66$: "
    "centring costs $0.07$. Four heads leave from $0.64$ to $0.69$": (
        max(HEADS.get(2, [0.72])),
        EXACT.get("limit of two", 0.73),
        EXACT.get("linear attention", 0.66),
        EXACT.get("limit of two", 0.73) - EXACT.get("linear attention", 0.66),
        4,
        *(pick(HEADS.get(4, [0.64, 0.69])) for pick in (min, max)),
    ),
    "makes nine of ten runs succeed in the running example, by": (
        SUCCESS.numerator,
        SUCCESS.denominator,
    ),
    r"nine of ten for $f=\tan\frac\pi{20}$, about $0.16$": (
        SUCCESS.numerator,
        SUCCESS.denominator,
        2 / (1 - SUCCESS),
        tan(pi / 2 * (1 - CHANCE)),
    ),
    "Find it within a quarter.": given("the precision that is asked for"),
    "median excess of sixty runs falls": cell("fitted(int(B), runs={})"),
    r"One step leaves $\frac19$, two leave $\frac1{36}$": (ONE_STEP, TWO_STEPS),
    r"c=\frac{w^\top\Lambda v}{w^\top\Lambda w}=\frac15": MULTIPLE,
    r"=\frac52-\frac{17}{10}=\frac45$": UNKNOWN,
}

CLAIMS = {
    "A few steps do much of it: the largest hundredth makes": RARE > 0.2,
    "A step leads along the valley towards smaller gradients of its loss": steps_down(),
    "(In {numref}`fig-steps` $u$ first falls to $0.85$, and then comes back to $0.97$. "
    "Meanwhile the layer is beside the valley. Judged by $D$, it slides one way only, as "
    "soon as it is thrown": read_from_D(),
    "So each step moves the layer along the valley towards where its gradient would be "
    "smaller. A *long step* is thrown along the steepest direction. There the gradient is "
    "$\\delta$ times the sharpness; so to leading order the layer moves to where the "
    "valley is flatter": steps_down(),
    "and did not win once. Does a smaller start help? Slowly. The chance that the swapped "
    "mode is ahead falls like a power": like_a_power([2.0, 1.5], POWER),
    "Flow conserves $D=\\|W_{KQ}\\|_F^2-\\|W_{PV}\\|_F^2$, which falls as $r$ grows": all(
        np.diff([norms[0] / r**2 - norms[1] * r**2 for r in (0.5, 1.0, 2.0)]).max() < 0
        for norms in [[1.0, 0.5], [0.5, 1.0]]
    ),
    "While the strong direction grows alone, $k_1^2-u^2$ is conserved": isclose(
        CAME[0][2], (0.5 / GAM[0]) ** (2 / 3), rel_tol=0.02
    ),
    "with a few jumps down, from the level where the flow ends. A dashed line falls more "
    "slowly, and at the end it is above all of them": DRIFTED < BY_MEAN,
    "It is exact at a minimum only; the runs hover beside the valley, and there $D$ grows": FASTER
    > 1.2,
    "All eight runs move this way, but faster": DRIFTED < BY_MEAN < END
    and isclose(BY_MEAN, driven(1000), abs_tol=1e-3),
    "most of it in a mixing block": mixing_share() > 0.6,
    "From a best layer the mean step leads towards the one with the least noise, which": all(
        (noisier(r) > 1) == (r > BALANCED) for r in (0.2, 0.3, 0.6, 1.0)
    )
    and noisier(1.0) > 30
    and driven(10) < END
    and isclose(np.linalg.norm(1 / GAM), END**2),
    "follow it to dots far to the right, and six rise to a dot above the origin": FAIL == 6,
    "The other goes up, out of the slice, to the wrong point of the opening": FAIL > 0,
    "That leaves $3$, $8$ and $15$, and the medians peak": len(PEAKS) in (0, 3),
    "two of these runs beat linear attention": not HEADS
    or sum(one < EXACT["linear attention"] for one in HEADS[4]) == 2,
    "With all weights free long steps can fall out of the valley": not SLIDES
    or SLIDES["0.55"][2] > 0,
    "our runs were mostly worse than silence": all(peak > silence for peak, silence in PEAKED),
    "smaller starts help slowly": 1 < in_the_lead(1e-1) / in_the_lead(1e-3) < 3,
    "the shorter the step, the smaller the cloud ({eq}": not HOVERS
    or all(abs(one[0] - 1.1) < 0.1 for one in HOVERS.values()),
    "and stays below that of silence up to about": all(
        (1 - FIRST * s) ** 2 * (1 - SECOND * s) ** 2 <= 1 for s in np.linspace(0, 8, 801)
    )
    and (1 - FIRST * 8.1) ** 2 * (1 - SECOND * 8.1) ** 2 > 1,
    "They rise from about the level of silence, peak together near the vertical line at one": all(
        abs(int(peak) / WEIGHTS[int(d) - 1] - 1) < 0.1 for d, peak in PEAKS.items()
    ),
    "There a long step can slide, or be thrown out of the valley": (
        not SLIDES or SLIDES["0.55"][2] == 11
    ),
    "is at most $u_0^2e^{2\\lambda_i^2\\cdot\\text{clock}}$": all(
        came[2] < 0.03**2 * exp(2 * lam**2 * came[0]) for came, lam in zip(CAME, LAM, strict=True)
    ),
    "has its least value at the third vertical line and below the level of the step, and "
    "rises; at the last line, where the flow ends, it is above that level. The curve of "
    "the full layer lies above it everywhere, and has its least value at the second line": FLATTEST
    < END
    and sharp(FLATTEST) < sharp(END) / 1.2 < sharp(END)
    and FLATTEST_FREE * END < FLATTEST
    and all(all_free(part) > sharp(part * END) for part in np.linspace(0.24, 1.24, 21)),
    "a curve lies below $2/\\eta$": sharp(0.97) < sharp(END) / 1.2 < sharp(0.99),
    "The mode that was ahead won in nearly every run": all(
        one[2] >= one[0] and one[3] <= 3 for one in NEARLY
    ),
    "For a hundred steps descent goes to that end. There": abs(PATH[100] - END) < 0.02,
    "about as good as silence, or a little better; then": not PAYS
    or all(0.7 < share < 1 for _, share, _ in PAYS),
    "The weights leave the saddle downhill, and fall into this minimum": caught(),
    "Vertical lines: before them the bound allows less than half": all(
        abs(size**2 * exp(2 * lam**2 * line) - came[2]) < 1e-9
        for size, lam, line, came in zip((0.03, 0.03), LAM, ALLOWED, CAME, strict=True)
    ),
    "a start a million times smaller fails about eight times less often": in_the_lead(0.1)
    / in_the_lead(1e-7)
    > 6,
    "each direction comes soon after the bound allows it": all(
        1 < came[0] / line < 1.15 for came, line in zip(CAME, ALLOWED, strict=True)
    ),
    "none of $60$ runs ended high, either": not SEEN or "nearly equal: 0 of 60 end high" in SEEN,
    "**A layer that knows one task answers every task with a multiple of it.** New": spanned(),
    "and leave a sixth ({prf": abs(LEFT - 1 / 6) < 1e-12,
    r"where $\eta\operatorname{sharp}(u)$ is just below two": 1.98 < LAST < 2,
    "descent ends in a cycle": len({round(u, 6) for u in CYCLE}) == 2,
    "steps lie above the rule, by at most a seventh": all(
        1 < ratio < 8 / 7 for ratio, _ in HOVERS.values()
    ),
    "half the step helps as much as twice the batch": all(
        abs(ratio - HOVERS[0.002, 64][0]) < 2 * (error + HOVERS[0.002, 64][1])
        for ratio, error in HOVERS.values()
    ),
    "Five of these runs (two and three) end high although the swapped mode was just behind": [
        one[3] for one in NEARLY
    ]
    == [2, 3]
    and max(one[5] for one in NEARLY) < 1,
    "There the weights stay: the mode that was ahead won in each of the $260$ runs": not any(
        one[3] for one in SORTED
    )
    and max(MISTAKES) < 0.1,
    "ahead wins where the swapped point is a minimum; elsewhere the swapped mode may lead": (
        not any(one[3] for one in SORTED) and not any(one[2] for one in EQUAL)
    ),
    "Then it depends on what this point is: a minimum, or a saddle": all(
        one[6] < 0 for one in NEARLY + EQUAL
    )
    and not any(one[6] for one in SORTED),
    "*A saddle beside a wrong minimum*, in the next two": caught(),
    "all runs that end high have the gap": all(
        low == top < swapped for low, top, swapped in CAUGHT
    ),
    "the standard errors reach a ninth": not HOVERS
    or abs(max(error for _, error in HOVERS.values()) - 1 / 9) < 0.01,
    "the layer can nearly fit all of them": all(
        float(fit) < 0.01
        for row in re.findall(r"median training risk: {(.*)}", SEEN)
        for fit in re.findall(r": ([\d.]+)", row)
    ),
    "and the medians peak at as many prompts, or at one more": all(
        abs(int(peak) - WEIGHTS[int(d) - 1]) <= 1 for d, peak in PEAKS.items()
    ),
    "Training finds opposite signs, but not small scores: they are": not HEADS
    or len(re.findall(r"products of: tensor\(-1\.\) tensor\(-1\.\)", SEEN)) == 1,
    "**In these runs one softmax head falls short; two come near linear attention.**": not HEADS
    or (
        min(HEADS[1]) > 1.5 * EXACT["linear attention"]
        and max(HEADS[2]) < 1.1 * EXACT["linear attention"]
    ),
    "two softmax heads come near it": not HEADS or max(HEADS[2]) < min(HEADS[1]),
    "which here is slightly better, $0.72$ and not": not HEADS
    or max(HEADS[2]) < EXACT["limit of two"],
    # Words of direction.
    "a valley, along which $U$ grows as $u$ shrinks": all(
        problem.target.norm() / u > problem.target.norm() / (1.1 * u) for u, problem, *_ in VALLEYS
    ),
    "Near the origin two modes grow fastest": all(
        np.allclose(found[:2], [sqrt(sum(one**4 for one in lam)), lam[0] ** 2])
        and found[2] < found[1] - 0.1
        for lam in SIMPLE
        for found in [rates(lam)]
    ),
    "For simple $\\lambda_1$ two modes grow fastest": rates(SIMPLE[0])[2]
    < rates(SIMPLE[0])[1] - 0.1,
    "The smaller the start, the more time the right mode has to use its higher rate; this "
    "is the factor $g$": all(
        isclose(gain, (exp(omega) / exp(lam[0] ** 2)) ** (log(100) / omega)) and gain > 1
        for lam in SIMPLE
        for omega in [sqrt(sum(one**4 for one in lam))]
        for gain in [0.01 ** -(1 - lam[0] ** 2 / omega)]
    ),
    "For such $\\lambda_1$ and $d\\ge2$, where the flow from near the swapped point ends "
    "above the best loss, $p(u_0)$ falls like": abs(
        log(in_the_lead(1e-7) / in_the_lead(1e-9)) / log(100) - POWER
    )
    < 0.01,
    "A line and dots fall together, slowly, as the start gets smaller": all(
        in_the_lead(small) < in_the_lead(large) < 3 * in_the_lead(small)
        for small, large in ((1e-7, 1e-5), (1e-5, 1e-3), (1e-3, 1e-1))
    ),
    "still fails now and then": in_the_lead(1e-7) > 0.03,
    "$g^{-\\omega/\\lambda_1^2}=u_0^{\\omega/\\lambda_1^2-1}$: it falls very slowly": (
        all(like_a_power([2.0, b], sqrt(1 + (b / 2) ** 4) - 1) for b in (2.0, 1.8, 1.5))
        and like_a_power([2.0], 0)
    ),
    "By {eq}`eq-head` it is ahead if $|Z|$ is below $(|Z'|/g)^{\\omega/\\lambda_1^2}$. If "
    "the start is small enough, so is this threshold, and the chance that $|Z|$ is below it": all(
        ((DRAWS[1] > g * DRAWS[0] ** power) == (DRAWS[0] < (DRAWS[1] / g) ** (1 / power))).all()
        for g, power in ((1.1, 0.97), (3.0, 0.7))
    ),
    r"if $\eta$ times the *sharpness*, the largest eigenvalue of the Hessian, is below two": all(
        drifts(problem, u, 1.9 / float(values[-1]))
        < 1
        < drifts(problem, u, 2.1 / float(values[-1]))
        for u, problem, values, _ in VALLEYS[::2]
    ),
    r"Its largest eigenvalue, $\operatorname{sharp}(u)$, is the largest of all": all(
        abs(float(values[-1] / problem.sharpness(u)) - 1) < 1e-9
        for u, problem, values, _ in VALLEYS
    ),
    "mixed derivatives vanish where $U$ is diagonal": all(
        mixed(lam, torch.diag(U[: len(lam)])) < 1e-12 < mixed(lam, torch.diag(U[: len(lam)]) + 0.1)
        for lam in SIMPLE
        for U in torch.tensor([[0.4, -0.9, 1.3], [1.1, 0.2, 0.6]], dtype=torch.float64)
    ),
    "The off-diagonal eigenvalues are no larger": all(
        bool((square <= u**2 * problem.Gamma[0, 0] * problem.covariance[0, 0] ** 2 + 1e-9).all())
        for u, problem, _, square in VALLEYS
    ),
    r"modulus below one exactly": all(
        (abs(1 - step) < 1) == (0 < step < 2) for step in np.linspace(-1, 3, 400)
    ),
    "descent ends at a flatter minimum, if one is flat enough. Take": (
        all(abs(u - last) < 5e-4 for share, (u, last) in REST.items() if share < 1.7)
        and max(RESTING[1:]) < sharp(END)
        and abs(REST[1.7][0] - REST[1.7][1]) > 0.1
    ),
    "and slides along it. It comes to rest": sharp(PATH[-1]) < sharp(PATH[100])
    and min(PATH[100:]) < PATH[-1] - 0.1,
    "so it is thrown from side to side of the valley, each time farther": thrown(),
    "At $0.5$ all slide and come to rest at $u=0.83$": not SLIDES
    or (
        SLIDES["0.50"][0] == 24
        and SLIDES["0.55"][0] + SLIDES["0.55"][2] == 24
        and SLIDES["0.85"][0] == 0
        and SLIDES["0.85"][3] == 24
    ),
    "then worse, and better again only from roughly twice as many": not PAYS
    or all(
        abs(share - 1) < 0.25 and abs(pays / WEIGHTS[d - 1] - 2) < 0.5 for d, share, pays in PAYS
    ),
    "equal steps end at a saddle between them": saddle(),
    "as at the wrong point above": True
    if not WRONG_GAP
    else abs(WRONG_GAP + BEST_LOSS - WRONG_LOSS) < 1e-3,
    "In ordinary time the ratio is smaller, because the first wait is spent on growing $u$ "
    "itself": all(
        abs(weak / strong - round(weak / strong)) < 0.2 for strong, weak in TIMED.values()
    ),
    "more prompts can be worse than fewer | arrival at a worse layer": bool(PEAKS) is False
    or all(int(n) > 2 for n in PEAKS.values()),
    "With all weights free the valley is steeper ({numref}`fig-sharp`)": all_free(1.0)
    > 2 * sharp(END),
    "Two curves rise steeply from zero to one": ALLOWED[0]
    < CAME[0][0]
    < 5
    < ALLOWED[1]
    < CAME[1][0],
    "far above that level, and fall below it at about twice as many": all(
        peak > silence for peak, silence in PEAKED
    ),
    "in all runs of ours, long steps slide to a flatter minimum, if one is flat enough": sharp(
        PATH[-1]
    )
    < sharp(END),
    "With merged weights the loss only slows down there": slows(),
    "which vanishes on the slice": all(
        abs(cost_of_mixing(0.0, k)) < 1e-12 < cost_of_mixing(0.1, k) < cost_of_mixing(1.0, k)
        for k in range(5)
    ),
    "zero at two. So more layers can serve more variances": [
        sum(np.prod([1 - a * k / 4 for a in steps]) == 0 for k in range(20))
        for steps in ((0.5,), (0.5, 2.0))
    ]
    == [1, 2],
    "falls by $\\varepsilon^2s^2$. Its square, which the risk integrates, falls by": all(
        repelled(a, *more) for a in (0.1, 0.25, 0.5, 0.9) for more in ((), (0.3,), (0.8, 1.2))
    ),
    "that vanishes at $n$ positive values is zero": all(
        only_zero(positive) and not only_zero([0.0, *positive[1:]])
        for positive in ([1.5], [0.2, 3.0], [0.5, 1.0, 2.5, 4.0])
    ),
    r"vanishes at $1/a_k$ for $k\ne i$, $f_k$ does not, and at most one": all(
        (abs(without(a, i)(1 / a[k])) < 1e-9) == (k != i)
        for a in MANY
        for i in range(len(a))
        for k in range(len(a))
        if a[k]
    )
    and not independent([0.0, 0.0, 0.5]),
    "they span all polynomials $h$ of degree below $n$": all(
        independent(a) and max(without(a, k).order for k in range(len(a))) == len(a) - 1
        for a in MANY
    )
    and not independent([0.3, 0.3, 0.8]),
    "has at most $n-1$ zeros": [[without(a, k).order - len(a) for k in (0, 1)] for a in MANY]
    == [[-1, -1], [-1, -2]],
    "stays where $R$ is at most its initial value": bool((RISKS[:, 1:] < RISKS[:, :1]).all()),
    r"$|a_i-a_j|$ would grow from some time on": all(parts(path[3]) for path in THREE[:2]),
    "Deeper is not safer": (
        leaves(2, [FIRST, SECOND]) > leaves(2, [1 / 3]) > leaves(1, [1 / 3])
        and leaves(1, [1 / 3]) > leaves(1, [FIRST, SECOND])
    ),
    "in proportion to its size, and what starts small is small for long": growth(0.8, 0.0)[0]
    == 0
    < growth(0.8, 0.0)[1],
    "long ones slide along the valley to flatter points, noisy ones to less noise; with "
    "all weights free long ones can leave it": sorted(RESTING) == RESTING[::-1]
    and len({round(one) for one in RESTING}) > 3,
    "so the largest eigenvalue is": all(
        isclose(
            float(FixedCovariance(a * torch.eye(d).double(), N).sharpness(u)),
            g * (a * u) ** 2 + d * a**2 / (g * u**2),
        )
        for a, d, u in ((1.0, 4, 0.7), (0.5, 3, 1.2), (2.0, 2, 0.9))
        for g in [(1 + 1 / N) * a + d * a / N]
    ),
}

SETTLED = {
    "how a figure is drawn": [
        "(The first vertical line is for noisy steps, below.)",
        "we draw the one that ends at the right or above",
        "across, the value scalar $u$; up, the swapped mode of the next",
    ],
    "the standard error of a share": [
        "known to about $0.04$ or better. Dashed",
    ],
    "seen, and said so": ["That the loss rests between the two falls we have seen"],
    "what the folded cell prints of three sizes": [
        "With at most as many prompts as free weights the layer can nearly fit all of them",
        "(median training risk below $0.01$). With far fewer, many",
    ],
    "what the proposition of the section says": ["a least wait proved, by a clock; stairs seen"],
    "what a question asks": [
        "Why to flatter minima? And where",
        "the loss falls in stairs | from equal small starts it arrived, later",
        "ahead. How many runs end above the best loss?",
        "gradient flow ends above the best loss. *Known.*",
        "short enough for the flattest minimum",
        "for larger $d$, whether every local minimum",
        "Does the loss still fall once, or in stairs?",
    ],
    "a hypothesis": [
        "If the largest eigenvalue occurs $m$ times",
        "Who is ahead? While all weights are small each mode grows exponentially",
        r"let $\eta$ be below $2/\operatorname{sharp}$ of the flattest",
        "and at least $n$ positive values in its support",
    ],
    "what a word of the next sentences is introduced for": [
        "is above one the swapped mode was there first; if it is below, the right one",
        "grows at the rate $\\omega=",
    ],
    "where an entry stands in a matrix": [
        "minus the lower right entry",
        r"it holds $y_i-v_l^\top x_i$ below $x_i$",
    ],
}
