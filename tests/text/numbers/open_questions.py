"""Numbers of chapter 9."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import atan, ceil, exp, floor, isclose, log, pi, prod, sqrt, tan
from typing import NamedTuple

import numpy as np
import torch
from linear_icl.deep import PlainSteps
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters, KeysApart, noise_by_block
from linear_icl.lsa import limit_weights
from linear_icl.nonlinear.recipes import RECIPES
from linear_icl.prompts import GaussianPrompts, embedding
from linear_icl_book.exercises import registry
from scipy.optimize import minimize, minimize_scalar

from tests.text.ties import ROOT, about, cell, given, output
from tests.text.trends import rises

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
CONTROLS = {  # how many starts the swapped mode leads, end high, end on the wrong side, and are
    name: tuple(map(int, counts))
    for name, *counts in re.findall(
        r"control (.+): ahead (\d+), high (\d+), wrong side (\d+) of (\d+)",
        output("open_questions"),
    )
}
LARGE_START, SMALL_START = CONTROLS["2, ½ from 0.1"], CONTROLS["2, 2, 2 from 0.01"]
SORTED = [RACES.get(name, (1, 3, 1, 0, 1.0, 1.0, 0.0)) for name in TWO_OR_THREE]
NEARLY, EQUAL = (
    [RACES.get(name, BEFORE[name]) for name in list(BEFORE)[k : k + 2]] for k in (0, 2)
)

SIMPLE = ([2.0, 0.5], [2.0, 1.0], [2.0, 1.0, 0.5])  # the largest eigenvalue


def hessian(full: FullParameters, W: torch.Tensor) -> torch.Tensor:
    """Of the loss in all weights, W_KQ first."""

    def loss(z: torch.Tensor) -> torch.Tensor:
        return full.loss(*z.reshape(W.shape))

    found: torch.Tensor = torch.func.jacrev(torch.func.grad(loss))(W.flatten())
    return found


def rates(spectrum: list[float]) -> list[float]:
    """At the origin, of all modes of the flow of the full loss, the largest first."""
    size, full = len(spectrum) + 1, FullParameters(torch.tensor(spectrum).double().diag(), 8)
    at_zero = hessian(full, torch.zeros(2, size, size, dtype=torch.float64))
    return sorted((-torch.linalg.eigvalsh(at_zero)).tolist(), reverse=True)


def behind(spectrum: list[float], scale: float) -> float:
    """The chance of |Z'| > g|Z|^power, by (eq-head), as an integral over ln|Z|."""
    power = spectrum[0] ** 2 / sqrt(sum(one**4 for one in spectrum))
    x = torch.linspace(-300, 3, 20_001, dtype=torch.float64)
    density = (x - x.exp() ** 2 / 2).exp() * sqrt(2 / pi)
    chance = torch.erfc(scale ** (power - 1) * (power * x).exp() / sqrt(2))
    return float(torch.trapezoid(density * chance, x))


def fastest_modes() -> bool:
    """Whether the two fastest modes at the origin are u with the diagonal of U, all of one sign,
    and p = q; and whether their rates are as said."""
    found = []
    for lam in SIMPLE:
        d, full = len(lam), FullParameters(torch.tensor(lam).double().diag(), 8)
        at_zero = hessian(full, torch.zeros(2, d + 1, d + 1, dtype=torch.float64))
        modes = torch.linalg.eigh(-at_zero).eigenvectors[:, -2:].mT.reshape(2, 2, d + 1, d + 1)
        swapped, right = (mode / mode.flatten()[mode.abs().argmax()] for mode in modes)
        of_right, of_swapped = torch.zeros(2, 2, d + 1, d + 1, dtype=torch.bool)
        of_right[0, :d, :d], of_right[1, d, d] = torch.eye(d, dtype=torch.bool), True
        of_swapped[:, d, 0] = True
        found += [bool((right[of_right] > 1e-3).all() and right[~of_right].abs().max() < 1e-9)]
        found += [bool((swapped - of_swapped.double()).abs().max() < 1e-9)]
        found += [np.allclose(rates(lam)[:2], [sqrt(sum(one**4 for one in lam)), lam[0] ** 2])]
    return all(found)


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

# The valley of the running example, on the slice and with all weights free.
LAM, N = np.array([2.0, 0.5]), 8
GAM = (1 + 1 / N) * LAM + LAM.sum() / N
FREE = FullParameters(np.diag(LAM), N)


def sharp(u: float) -> float:
    """The largest eigenvalue of (eq-sharpness)."""
    edge = LAM / np.sqrt(GAM)
    both = u**2 * np.diag(GAM * LAM**2) + np.outer(edge, edge) / u**2
    return float(np.linalg.eigvalsh(both)[-1])


END = float(np.sqrt(np.linalg.norm(1 / GAM)))  # balance


def best_layer(u: float, full: FullParameters = FREE) -> torch.Tensor:
    """Both matrices, the mixing blocks empty."""
    d = len(full.Gamma)
    W = torch.zeros(2, d + 1, d + 1, dtype=torch.float64)
    W[0, :d, :d], W[1, d, d] = full.Gamma.inverse() / u, u
    return W


def bent(u: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Eigenvalues and vectors of the full Hessian there."""
    values, vectors = torch.linalg.eigh(hessian(FREE, best_layer(u)))
    return values, vectors


@cache
def all_free(part: float) -> float:
    """The sharpness with all weights free, at the minimum with this part of the end's u."""
    return float(bent(END * part)[0][-1])


TEXT = (ROOT / "book" / "open_questions.md").read_text("utf-8")
BAND_FROM = next(map(float, re.findall(r"linspace\(([\d.]+), 1\.24, 401\) \* u_end", TEXT)))
PARTS = np.linspace(0.2, 1.3, 111)
SHARPNESS = np.array([all_free(float(part)) for part in PARTS])
FLATTEST = minimize_scalar(all_free, bounds=(0.2, 1.3), method="bounded")
LEAST_FREE, FLATTEST_FREE = float(FLATTEST.fun), float(FLATTEST.x)


def kept(W: torch.Tensor) -> torch.Tensor:
    """D = ‖W_KQ‖² − ‖W_PV‖² of weights (..., 2, 3, 3)."""
    keys, values = W.square().sum((-2, -1)).unbind(-1)
    return keys - values


def place(W: torch.Tensor) -> torch.Tensor:
    """The u of the best layer with empty mixing blocks that has their D, by bisection."""
    D, low, high = kept(W), torch.tensor(1e-3), torch.tensor(1e3)
    low, high = low.expand_as(D).double(), high.expand_as(D).double()
    for _ in range(60):
        middle = (low + high) / 2
        beyond = float((1 / GAM**2).sum()) / middle**2 - middle**2 < D
        low, high = torch.where(beyond, low, middle), torch.where(beyond, middle, high)
    return low


def swapped_mode(W: torch.Tensor) -> torch.Tensor:
    """The size of the swapped mode, signed."""
    return (W[..., 0, 2, 0] + W[..., 1, 2, 0]) / sqrt(2)


def eta_h(share: float, u: float) -> float:
    """η times the sharpness at the minimum with this u; η in units of the longest stable step at
    the flow's end."""
    return 2 * share * all_free(u / END) / all_free(1.0)


@cache
def descents() -> torch.Tensor:
    """1000 steps of descent with all weights free, from 24 starts near the flow's end: (shares,
    starts, steps, 2, 3, 3)."""
    seed = torch.Generator().manual_seed(0)
    W = 0.01 * torch.randn(2, 1, 24, 3, 3, generator=seed, dtype=torch.float64)
    W = W + best_layer(END)[:, None, None]
    eta = torch.tensor(SHARES, dtype=torch.float64)[:, None, None, None] * 2 / all_free(1.0)
    path = [W.repeat(1, len(SHARES), 1, 1, 1)]
    for _ in range(1000):
        path.append(path[-1] - eta * torch.stack(FREE.gradient(*path[-1])))
    return torch.stack(path, 3).movedim(0, 3)


def thrown(share: float) -> torch.Tensor:
    """The descent of the figures with this share: that of the second start."""
    return descents()[SHARES.index(share), 1]


def value_scalar(share: float) -> float:
    """The u of that run at its end."""
    return float(thrown(share)[-1, 1, 2, 2])


def leaves_valley(share: float) -> bool:
    """Whether that run ends near the swapped point, by the bound of the record."""
    return abs(value_scalar(share)) < 0.15


def rests(share: float) -> bool:
    """Whether the run of the figure ends at the best loss."""
    return float(FREE.gap(*thrown(share)[-1])) < 1e-3


BETA = 2 * (1 + 2 / N) * float(LAM.sum() ** 2 + 2 * (LAM**2).sum())


def mixing(lam: list[float], u: float = 0.7) -> torch.Tensor:
    """The Hessian of the full loss in (u_12, u_21), (2, d, 2, d), at the best layer with this u."""
    d, full = len(lam), FullParameters(torch.tensor(lam, dtype=torch.float64).diag(), 8)
    D = d + 1
    found = hessian(full, best_layer(u, full)).reshape(2, D, D, 2, D, D)[:, d, :d, :, d, :d]
    return found.flip(0, 2)  # W_PV has u_12, W_KQ u_21


def blocks(of_mixing: torch.Tensor) -> torch.Tensor:
    """The block of each direction, (d, 2, 2)."""
    return of_mixing.diagonal(dim1=1, dim2=3).permute(2, 0, 1)


FIRST_BLOCK = blocks(mixing(LAM.tolist(), 1.0))[0]
ALPHA, KAPPA = float(FIRST_BLOCK[0, 0]), float(FIRST_BLOCK[0, 1])


def of_first_block(u: float) -> float:
    """The largest eigenvalue of the first block of (eq-mixing-sharpness)."""
    return float(torch.linalg.eigvalsh(blocks(mixing(LAM.tolist(), u))[0])[-1])


def sensitive() -> bool:
    """Whether to first order u_12 changes the prediction as 1/u does, and u_21 as u: second
    derivatives are mean products of such changes."""
    tenfold = [blocks(mixing(lam, 2.0)) / blocks(mixing(lam, 0.2)) for lam in SIMPLE]
    said = torch.tensor([[0.01, 1.0], [1.0, 100.0]], dtype=torch.float64)
    return all(torch.allclose(one, said.expand_as(one)) for one in tenfold)


def apart_by_direction() -> bool:
    """Whether the mixing weights of different directions have no mixed derivatives."""
    found = [mixing(lam) for lam in SIMPLE]
    return all(
        float((one - one * torch.eye(one.shape[1])[:, None]).abs().max()) < 1e-12 for one in found
    )


def blocks_grow() -> bool:
    """Whether all entries of the block of a direction grow with its eigenvalue."""
    grown = []
    for lam in ([2.0, 1.0, 0.5], [3.0, 0.2, 0.1], [1.0, 0.9, 0.8]):
        each = blocks(mixing(lam))
        grown.append(bool((each[:-1] > each[1:]).all() and (each > 0).all()))
    return all(grown)


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
    float(share): int(fell)
    for share, fell in re.findall(r"share (\S+): .*; (\d+) near the swapped point", SEEN)
}
SHARES = tuple(SLIDES) or (0.5, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7)
LONG = [share for share in SHARES if share > 1]
FELL = {one: fell for one, fell in SLIDES.items() if fell} or {1.6: 1, 1.7: 17}
SAFE = [share for share in LONG if share not in FELL]
PAYS = [
    (int(d), float(share), float(pays))
    for d, share, pays in re.findall(
        r"d = (\d): one prompt (\S+) of silence, pays from (\S+)", SEEN
    )
]
LONG_PROMPTS = {  # by time: how many end high, and their least and largest gap
    int(time): (int(high), float(least), float(largest))
    for time, high, least, largest in re.findall(
        r"N = 100 at time (\d+): (\d+) of 100 end high, gaps (\S+) to (\S+)", SEEN
    )
}
DRIFTED, BY_MEAN = next(
    (
        tuple(map(float, found))
        for found in re.findall(
            r"after 1000 steps ([\d.]+), by the mean step at a minimum ([\d.]+)", SEEN
        )
    ),
    (0.813, 0.878),
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
# At each length, over the risk of linear attention: the least of one head, the best of each sign
# (−1, 1), the pairs of opposite heads, the other pairs, and what small scores allow.
SOFT = {
    int(length): (
        float(least),
        {-1: float(low), 1: float(high)},
        json.loads(pairs),
        json.loads(rest),
        float(small),
    )
    for length, least, low, high, pairs, rest, small in re.findall(
        r"N = (\d+): one head, least (\S+); best negative (\S+), positive (\S+)\n"
        r"  opposite pairs: \d+, ratios (\[.*\])\n  other pairs: (\[.*\]); small scores (\S+)",
        SEEN,
    )
}
PAIRS = [one for *_, pairs, _, _ in SOFT.values() for one in pairs]
PAIRS_RUN = sum(len(pairs) + len(rest) for *_, pairs, rest, _ in SOFT.values())
AT_QUERY = [
    float(one)
    for both in re.findall(r"query's token, best of each sign: (\S+) (\S+)", SEEN)
    for one in both
]
DIMENSIONS = (1, 2, 3)
WEIGHTS = [(d + 1) ** 2 - 1 for d in DIMENSIONS]


def by_prompts(row: str) -> dict[int, float]:
    """A printed line {B: value, ...}."""
    return {int(B): float(value) for B, value in re.findall(r"(\d+): ([\d.]+)", row)}


# The risk on B prompts themselves over that of silence, d = 2.
OWN = by_prompts("".join(re.findall(r"training risk over that of silence, d = 2: {(.*)}", SEEN)))
# By d and by B: the excess risk over that of silence, and the weights over those of the best layer.
EXCESS, SIZES = (
    {
        int(found[0]): by_prompts(found[k])
        for found in re.findall(
            r"d = (\d): excess risk over silence {(.*)}\n  size over the best layer's {(.*)}", SEEN
        )
    }
    for k in (1, 2)
)
# The largest B after which the weights are not smaller than where prompts are as many as they.
AS_LARGE = max(B for B, size in SIZES[2].items() if size > 0.98 * SIZES[2][WEIGHTS[1]])
FROM = {  # by start, B and steps: the excess risk over that of silence, d = 2
    (start, int(B), int(steps)): float(share)
    for start, B, steps, share in re.findall(
        r"from (.*), B = (\d+), (\d+) steps: (\S+) of silence", SEEN
    )
}
STARTED = ("0.1 I", "0.1", "0.5")
LATER = [FROM[start, 8, 3000] for start in STARTED]


# One length for all lengths.
LONGEST = RECIPES["d20-fixed"].tasks.length

# Two plain steps under Exp(1): E λ(1 − sλ + pλ²)² with moments k!.
S, P = np.linalg.solve([[12, -48], [-48, 240]], [4, -12])
FIRST, SECOND = sorted(np.roots([1, -S, P]).real)
ON_DIAGONAL = json.loads(  # the starts of the figure with equal steps
    next(iter(re.findall(r"cat\(\[ring, torch\.tensor\((.*)\)\]\)\n", TEXT)))
)
AROUND = int(next(iter(re.findall(r"turn = torch\.arange\((\d+)\) \* torch\.pi / 6", TEXT))))
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


STAIR = float(1 / GAM[0])  # u on the stair, for these factors
PUSHED, MULTIPLIED = growth(STAIR, 0.01)[::-1]


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


def when_known(size: float, keys: float | None = None) -> list[tuple[float, float, float]]:
    """∫u, t and U_ii when half of each direction is known, keys apart, by Runge and Kutta; from u
    of this size, and from keys and queries of the same or of another."""
    first = size if keys is None else keys
    z, t, dt = np.array([first, first, size, 0.0]), 0.0, 2e-3
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


def delayed() -> bool:
    """Whether the product of keys and queries starts smaller than the merged U of the figure, and
    whether from a product of that size both directions come sooner."""
    found = []
    for size in (0.3, 0.1, 0.03, 0.01):
        merged = size / sqrt(2)
        same = when_known(size, sqrt(merged))
        found.append(size**2 < merged)
        found += [a[1] > b[1] for a, b in zip(when_known(size), same, strict=True)]
    return all(found)


def swings() -> bool:
    """Whether the run of the figures is thrown from side to side, each time farther, and its place
    falls meanwhile."""
    path = thrown(1.4)
    size, along = swapped_mode(path), place(path)
    top = int(size.abs().argmax())
    last = size[: top + 1]
    farther = bool((last[1:] * last[:-1] < 0).all() and (last.abs().diff() > 0).all())
    return farther and top > 4 and bool((along[: top + 2].diff() < 0).all())


@cache
def at_rest(share: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Of the runs of all starts that end at the best loss: their places, and η times the sharpness
    at the last."""
    runs = descents()[SHARES.index(share)]
    places = place(runs[FREE.gap(*runs[:, -1].unbind(1)) < 1e-3])
    return places, torch.tensor([eta_h(share, float(last)) for last in places[:, -1]])


def fallen(share: float) -> int:
    """How many of the 24 runs end near the swapped point, by the bound of the record and by gap."""
    last = descents()[SHARES.index(share), :, -1]
    near = (FREE.gap(*last.unbind(1)) - (float(WRONG_LOSS) - BEST_LOSS)).abs() < 0.01
    return int(((last[:, 1, 2, 2].abs() < 0.15) & near).sum())


def raised() -> float:
    """By how much at most a step raises the place of a run, up to 1.5 times."""
    return max(float(at_rest(share)[0].diff().max()) for share in SAFE)


def near_the_edge(share: float) -> bool:
    """Whether all runs come back to the valley where their step is about just stable, at a smaller
    u than where flow ends."""
    runs, (_, edge) = descents()[SHARES.index(share)], at_rest(share)
    last = runs[:, -1]
    back = bool(
        (FREE.gap(*last.unbind(1)) < 1e-3).all() and (swapped_mode(last).abs() < 0.01).all()
    )
    edged = float(edge.min()) > 1.915 and float(edge.max()) < 2.015
    return back and len(edge) == 24 and edged and float(last[:, 1, 2, 2].max()) < END - 0.03


def goes_flatter(share: float) -> bool:
    """Whether the run of the figure ends at the best loss and at a flatter minimum than flow."""
    return rests(share) and all_free(value_scalar(share) / END) < all_free(1.0)


def saddle() -> bool:
    """The best of two equal plain steps is critical, and the risk falls if they part."""
    a = torch.tensor(max(np.roots([-120, 72, -18, 2]).real), dtype=torch.float64)
    slopes = STEPS.gradient(torch.stack([a, a]))[0]
    return bool(slopes.abs().max() < 1e-9) and repelled(float(a)) and FIRST < a < SECOND


def slows() -> bool:
    """Whether with merged weights the loss falls slower below the stair, where it loses a share of
    what is left all the time."""
    problem = FixedCovariance(torch.diag(torch.from_numpy(LAM)), N)
    times = torch.linspace(0, 60, 241, dtype=torch.float64)
    gap = gradient_flow(problem, problem.start(0.03), times).gap
    falls = gap[:-1] - gap[1:]
    at = int((gap + BEST_LOSS < float(WRONG_LOSS)).nonzero()[0])
    shares = (falls / gap[:-1])[at:][gap[at:-1] > 1e-6]
    slower = float(falls[at:].max() / falls.max())
    return bool((falls[:at] > 0).all()) and slower < 0.2 and float(shares.min()) > 0.03


def on_the_stair() -> bool:
    """Whether between the two falls, keys apart, the layer knows one direction, hardly the other,
    and in a quarter of a unit of time loses less than a hundredth of what is left."""
    apart = KeysApart(FixedCovariance(torch.diag(torch.from_numpy(LAM)), N))
    start = [0.03 * torch.eye(2, dtype=torch.float64) for _ in range(2)]
    middle = (CAME[0][1] + CAME[1][1]) / 2
    run = gradient_flow(
        apart, (*start, torch.tensor(0.03).double()), [0.0, middle, middle + 0.25], rtol=1e-6
    )
    K, Q, u = (part[1] for part in run.states)
    known = (u * (K.mT @ Q).diagonal() * torch.from_numpy(GAM)).tolist()
    rests = 0 < 1 - float(run.gap[2] / run.gap[1]) < 0.01
    return abs(known[0] - 1) < 0.01 and known[1] < 0.1 and rests


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
def noise_at(r: float) -> tuple[float, float]:
    """The noise of keys and of values at the minimum with this r: of prompts' gradients."""
    KQ, PV = limit_weights(torch.from_numpy(np.diag(LAM)), N)
    moment, query, miss = missed(KQ / r, r * PV, 22)
    keys = miss * (moment @ (r * PV[-1])).norm(dim=1) * query.norm(dim=1)  # a matrix of rank one
    values = miss * (moment @ (query @ KQ.mT / r)[..., None]).squeeze(-1).norm(dim=1)
    return float(keys.square().mean()), float(values.square().mean())


def noisier(r: float) -> float:
    """How much noisier keys than values are there."""
    keys, values = noise_at(r)
    return keys / values


def as_scaled() -> bool:
    """Whether the noise of both blocks at r is as said, from that at the flow's end: a mean with
    heavy tails."""
    at_end = noise_at(1.0)
    near = np.allclose(at_end, NOISE, rtol=0.2)
    return near and all(
        np.allclose(noise_at(r), [r**2 * at_end[0], at_end[1] / r**2], rtol=1e-9)
        for r in (0.2, 0.3, 0.6, 1.5)
    )


def balanced() -> bool:
    """Whether at this r both blocks have the same noise, and their sum is least."""
    total = minimize_scalar(
        lambda r: r**2 * NOISE[0] + NOISE[1] / r**2, bounds=(0.05, 3), method="bounded"
    )
    same = isclose(BALANCED**2 * NOISE[0], NOISE[1] / BALANCED**2)
    return as_scaled() and same and isclose(total.x, BALANCED, rel_tol=1e-3)


def on_batches(W: torch.Tensor, b: int, noise: torch.Generator) -> torch.Tensor:
    """Of each run (2, runs, 3, 3) the gradient of the mean loss on b prompts of its own."""
    law = GaussianPrompts(torch.from_numpy(np.diag(LAM)))
    given = law.sample(W.shape[1] * b, N, generator=noise)
    E, label = embedding(given).unflatten(0, (-1, b)), given.y_query.unflatten(0, (-1, b))
    moment, query = E @ E.mT / N, E[..., -1]

    def loss(W: torch.Tensor) -> torch.Tensor:
        answer = torch.einsum("rj,rbjk,rkl,rbl->rb", W[1, :, -1], moment, W[0], query)
        total: torch.Tensor = (answer - label).square().mean(1).sum() / 2
        return total

    found: torch.Tensor = torch.func.grad(loss)(W)
    return found


@cache
def noisy_places() -> torch.Tensor:
    """The places of eight noisy runs from the flow's end, after each of 1000 steps."""
    W, noise = best_layer(END)[:, None].repeat(1, 8, 1, 1), torch.Generator().manual_seed(0)
    path = [W]
    for _ in range(1000):
        path.append(path[-1] - 0.02 * on_batches(path[-1], 128, noise))
    return place(torch.stack(path, 2).movedim(0, 2))


def same_rule() -> bool:
    """Whether at a best layer, where the mean gradient is zero, that of a batch is not; and whether
    in a step on the batch the block with the larger gradient decides, by the same difference, in
    the mean as said."""
    found = [float(part.abs().max()) < 1e-12 for part in FREE.gradient(*best_layer(END))]
    W = best_layer(END)[:, None].repeat(1, 400, 1, 1)
    slopes = on_batches(W, 128, torch.Generator().manual_seed(1))
    by_keys, by_values = slopes.square().sum((2, 3))
    before, after = W.movedim(0, 1), (W - 0.02 * slopes).movedim(0, 1)
    change, mean = kept(after) - kept(before), 0.02**2 * (NOISE[0] - NOISE[1]) / 128
    found += [isclose(float(change.mean()), mean, rel_tol=0.3), mean > 0]  # heavy tails
    found += [torch.allclose(change, 0.02**2 * (by_keys - by_values), rtol=1e-6, atol=1e-14)]
    found += [bool(((place(after) < place(before)) == (by_keys > by_values)).all())]
    seed = torch.Generator().manual_seed(2)
    anywhere = 0.4 * torch.randn(2, 20, 3, 3, generator=seed, dtype=torch.float64)
    slopes = on_batches(anywhere, 128, seed)
    moved = kept((anywhere - 0.02 * slopes).movedim(0, 1)) - kept(anywhere.movedim(0, 1))
    parts = slopes.square().sum((2, 3))
    found += [torch.allclose(moved, 0.02**2 * (parts[0] - parts[1]), rtol=1e-6, atol=1e-14)]
    return all(found) and bool((by_keys > 0).all())


@cache
def steps_down() -> bool:
    """From a small throw along the sharpest direction, all weights free, at several u: the place
    moves to the flatter side; by one step of descent, against (2) of the result."""
    found = []
    for u in (0.4, 0.5, 0.75, 0.9, 1.1):
        values, vectors = bent(u)
        W = best_layer(u) + 1e-4 * vectors[:, -1].reshape(2, 3, 3)
        after = W - 0.02 * torch.stack(FREE.gradient(*W))
        rise = (all_free((u + 1e-5) / END) - all_free((u - 1e-5) / END)) / 2e-5
        change, said = float(kept(after) - kept(W)), 2e-12 * u * float(values[-1]) * rise
        found.append(isclose(change, said, rel_tol=1e-2))
        found.append(float(place(after) - place(W)) * rise < 0)
    return all(found)


def by_larger_block() -> bool:
    """Whether a step from anywhere moves the place down if W_KQ has the larger gradient, and up if
    W_PV has; this is where its own gradient would be smaller. Of both there are examples."""
    found, larger = [], set()
    for draw in range(6, 12):
        seed = torch.Generator().manual_seed(draw)
        W = 0.4 * torch.randn(2, 3, 3, generator=seed, dtype=torch.float64)
        by_keys, by_values = (float(part.square().sum()) for part in FREE.gradient(*W))
        larger.add(by_keys > by_values)
        sizes = [
            float(sum(part.square().sum() for part in FREE.gradient(W[0] / r, W[1] * r)))
            for r in (1 - 1e-5, 1 + 1e-5)
        ]
        after = W - 0.01 * torch.stack(FREE.gradient(*W))
        rise, change = (sizes[1] - sizes[0]) / 2e-5, float(kept(after) - kept(W))
        found.append(isclose(change, 0.01**2 / 2 * rise, rel_tol=1e-5))
        found.append(isclose(change, 0.01**2 * (by_keys - by_values), rel_tol=1e-9))
        found.append((place(after) < place(W)).item() == (by_keys > by_values))
    return all(found) and larger == {True, False}


def along_q() -> bool:
    """Whether up to 1.5 times each run has, of all its squared gradients, most in q, and several
    times as much in W_KQ as in W_PV; and whether with long steps each place falls, of the runs that
    come back and of the others."""
    found = []
    for share in SAFE:
        runs = descents()[SHARES.index(share)]
        slopes = FREE.gradient(*runs.flatten(0, 1).unbind(1))
        keys, values = (one.square().sum((1, 2)).reshape(runs.shape[:2]).sum(1) for one in slopes)
        of_q = slopes[0][:, 2, 0].square().reshape(runs.shape[:2]).sum(1)
        found.append(bool((of_q > 0.75 * (keys + values)).all() and (keys > 4 * values).all()))
    for share in LONG:
        first, last = place(descents()[SHARES.index(share)][:, [0, -1]]).unbind(1)
        found.append(bool((last < first - 0.03).all()))
    return all(found)


def edge(share: float, u: torch.Tensor) -> torch.Tensor:
    """The same as `eta_h`, by the first block of (eq-mixing-sharpness)."""
    first, second = ALPHA / u**2, BETA * u**2
    top = (first + second) / 2 + ((first - second) ** 2 / 4 + KAPPA**2).sqrt()
    return 2 * share * top / all_free(1.0)


def throws_stop() -> bool:
    """Whether each run up to 1.5 times swings no more soon after its place is stable, and with the
    longest of these steps, from 1.3 on, u arrives much later than the place."""
    found = []
    for share in SAFE:
        runs = descents()[SHARES.index(share)]
        for size, along, u in zip(
            swapped_mode(runs).abs(), place(runs), runs[:, :, 1, 2, 2], strict=True
        ):
            stable = int((edge(share, along) > 2.02).nonzero().max()) + 1
            came = [int(((one - one[-1]).abs() > 0.02).nonzero().max()) + 1 for one in (along, u)]
            found.append(bool(size[stable + 50 :].max() < size.max() / 20 and size[-1] < 0.001))
            found.append(came[1] > (5 if share > 1.25 else 2) * came[0])
    return all(found)


def back_at_the_place() -> bool:
    """Whether each run with long steps that comes back ends, hardly swinging, with the u of its
    place, where its step is about just stable."""
    found = []
    for share in LONG:
        last = descents()[SHARES.index(share), :, -1]
        last = last[FREE.gap(*last.unbind(1)) < 1e-3]
        away, swing = (last[:, 1, 2, 2] - place(last)).abs(), swapped_mode(last).abs()
        found.append(len(last) > 0 and float(edge(share, place(last)).max()) < 2.06)
        found.append(float(swing.max()) < 0.005 and float(away.max()) < 0.005)
        found.append(share not in SAFE or float(away.max()) < 1e-3)
    return all(found)


def scales() -> bool:
    """Whether (W_KQ/r, rW_PV) answers as (W_KQ, W_PV)."""
    W = torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    once = missed(W[0], W[1], 23)[2]
    return all(torch.allclose(missed(W[0] / r, r * W[1], 23)[2], once) for r in (0.3, 2.0))


def idle() -> bool:
    """Whether the weights without influence on the loss, which all have a part in D, are zero in
    the valley, and at most a few times 0.01 where the runs with long steps start."""
    W = torch.randn(2, 40, 3, 3, generator=torch.Generator().manual_seed(6), dtype=torch.float64)
    without = torch.stack(FREE.gradient(*W)).abs().amax(1) < 1e-12
    starts = descents()[:, :, 0][:, :, without].abs().max()
    at_best = best_layer(END)[without].abs().max()
    return int(without.sum()) == 9 and float(at_best) == 0 and 0 < float(starts) < 0.05


def lead_as_said() -> bool:
    """Whether (eq-head) is the size of the swapped part when that of the right part is one."""
    Z, Z_swapped = DRAWS
    found = []
    for lam in SIMPLE:
        omega = sqrt(sum(one**4 for one in lam))
        for start in (0.1, 1e-3):
            clock = np.log(1 / (start * Z)) / omega
            g = start ** -(1 - lam[0] ** 2 / omega)
            said = Z_swapped / (g * Z ** (lam[0] ** 2 / omega))
            found.append(np.allclose(start * Z * np.exp(omega * clock), 1))
            found.append(np.allclose(start * Z_swapped * np.exp(lam[0] ** 2 * clock), said))
    return all(found)


def few_limits() -> bool:
    """Whether (eq-few-tasks) tends, for tasks that span all, to the inverse of Λ, which in endless
    contexts answers every task; and for one task to another limit, though that inverse is perfect
    on this task, too."""
    root, found = np.sqrt(LAM), []
    for tasks, spans in ((np.array([[1.0, 0.3], [0.5, -1.0]]), True), (np.ones((2, 1)), False)):
        half = root[:, None] * tasks
        phi, n = half @ half.T / tasks.shape[1], 1e9
        inner = np.linalg.inv((1 + 1 / n) * phi + np.trace(phi) / n * np.eye(2))
        limit = phi @ inner / np.outer(root, root)
        found.append(np.allclose(limit, np.diag(1 / LAM), atol=1e-6) == spans)
        found.append(np.allclose(limit @ np.diag(LAM) @ tasks, tasks, atol=1e-6))
        found.append(np.allclose(np.diag(1 / LAM) @ np.diag(LAM) @ tasks, tasks))
    return all(found)


def only_apart() -> bool:
    """Whether the flow of two steps leads no equal ones apart, and nearly equal ones apart."""
    equal = torch.tensor([[-0.1] * 2, [0.2] * 2, [0.3] * 2, [0.8] * 2], dtype=torch.float64)
    (still,) = STEPS.gradient(equal)
    (slope,) = STEPS.gradient(equal + torch.tensor([1e-3, -1e-3], dtype=torch.float64))
    return torch.allclose(still[:, 0], still[:, 1]) and bool((slope[:, 0] < slope[:, 1]).all())


def conserved() -> bool:
    """Whether flow conserves D, and D falls along the valley, so that it tells the layer."""
    W = torch.randn(2, 9, 3, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    by_keys, by_values = ((w * g).sum((1, 2)) for w, g in zip(W, FREE.gradient(*W), strict=True))
    along = torch.stack([best_layer(float(u)) for u in np.linspace(0.3, 1.3, 11)])
    told = torch.allclose(place(along), along[:, 1, 2, 2])
    still = bool((by_keys - by_values).abs().max() < 1e-9)
    return still and told and bool((kept(along).diff() < 0).all())


def stable_below_two(u: float) -> bool:
    """Whether near this minimum, all weights free, descent contracts below two and not above."""
    values, vectors = bent(u)
    ends = []
    for product in (1.9, 2.1):
        W = best_layer(u) + 1e-7 * vectors[:, -1].reshape(2, 3, 3)
        first = FREE.gap(*W)
        for _ in range(60):
            W = W - product / values[-1] * torch.stack(FREE.gradient(*W))
        ends.append(float(FREE.gap(*W) / first))
    return ends[0] < 1 < ends[1]


def along_the_valley(u: float) -> float:
    """The size of the best U with this u, by one step of Newton from zero."""
    problem = FixedCovariance(torch.diag(torch.from_numpy(LAM)), N)
    value, zero = torch.tensor(u, dtype=torch.float64), torch.zeros(2, 2, dtype=torch.float64)
    hessian = curvature(LAM.tolist(), zero, u)[:-1, :-1]
    U = -torch.linalg.solve(hessian, problem.gradient(zero, value)[0].flatten())
    return float(U.norm())


def comes_later() -> bool:
    """Whether merged weights know nearly all when with keys apart half of the weak one is known."""
    problem = FixedCovariance(torch.diag(torch.from_numpy(LAM)), N)
    times = torch.tensor([0.0, CAME[1][1]], dtype=torch.float64)
    merged = gradient_flow(problem, problem.start(0.03), times).gap[-1]
    return float(merged) < 0.01


class Head(NamedTuple):
    """The best head of one sign: its risk over linear attention's, its value, the mean product of
    query and what it looks at, along each axis, and the mean weight on the query's token."""

    over: float
    value: float
    seen: list[float]
    at_query: float


@cache
def one_head(length: int, sign: int) -> Head:
    """By a search over two scores, one for each axis, and least squares for the value."""
    Lambda = torch.diag(torch.from_numpy(LAM))
    given = GaussianPrompts(Lambda).sample(20_000, length, generator=99)
    E, label = embedding(given), given.y_query
    products = E[:, :2] * given.x_query[..., None]

    def weights(logs: np.ndarray) -> torch.Tensor:
        scores = sign * torch.from_numpy(logs).exp()
        return torch.einsum("bin,i->bn", products, scores).softmax(-1)

    def answers(logs: np.ndarray) -> tuple[torch.Tensor, float]:
        read = (weights(logs) * E[:, 2]).sum(1)
        value = float(read @ label / (read @ read))
        return value * read, value

    def risk(logs: np.ndarray) -> float:
        return float((answers(logs)[0] - label).square().mean())

    simplex = [[0.0, 0.0], [-0.7, 0.0], [0.0, 0.7]]
    settings = {"initial_simplex": simplex, "xatol": 1e-2, "fatol": 1e-4}
    best = minimize(risk, np.zeros(2), method="Nelder-Mead", options=settings).x
    gamma = (1 + 1 / length) * LAM + LAM.sum() / length
    step = torch.einsum("bin,bn->bi", E[:, :2], E[:, 2]) / length / torch.from_numpy(gamma)
    linear = float(((step * given.x_query).sum(1) - label).square().mean())
    seen = torch.einsum("bin,bn->bi", products[..., :-1], weights(best)[:, :-1]).mean(0)
    at_query = float(weights(best)[:, -1].mean())
    return Head(risk(best) / linear, answers(best)[1], seen.tolist(), at_query)


def near_linear() -> bool:
    """Whether all pairs of opposite heads but two in a hundred runs leave at most 1.3 times what
    linear attention leaves, and all run above it."""
    return PAIRS_RUN == 100 and min(PAIRS) > 1 and sum(one > 1.3 for one in PAIRS) == 2


def no_longer() -> bool:
    """Whether with twice as many prompts as at the peak the risk on them is ten times what "nearly
    fit" allows, and rises from there."""
    peak = int(PEAKS["2"])
    unfit = [left * float(sum(RUNNING)) for count, left in OWN.items() if count >= 2 * peak]
    return unfit[0] > 10 * 0.01 and rises(unfit)


def at_weights(by_dimension: dict[int, dict[int, float]], d: int) -> float:
    """Where prompts are as many as free weights."""
    return by_dimension[d][WEIGHTS[d - 1]]


def shrinks() -> bool:
    """Whether the weights fall from where they are largest, at last by a fifth of that or more, and
    not below those of the best layer."""
    return all(1 <= size[max(size)] < 0.8 * max(size.values()) for size in SIZES.values())


def from_small() -> bool:
    """Whether few prompts are fitted by small weights, smaller than those of the best layer."""
    few = {d: [B for B in size if WEIGHTS[d - 1] >= 3 * B] for d, size in SIZES.items()}
    return all(
        SIZES[d][B] < 0.75 and (d != 2 or OWN[B] < 1e-3)
        for d, counts in few.items()
        for B in counts
    )


def peaks_anyway() -> bool:
    """Whether from each start as many prompts as weights leave more than one and three times as
    many, and more after more steps; and one prompt more or less, by the start."""
    peaked = all(
        FROM[start, 8, 600] > 1.3 * max(FROM[start, 1, 600], FROM[start, 24, 600])
        and FROM[start, 8, 3000] > 1.3 * FROM[start, 8, 600]
        for start in STARTED
    )
    one = [FROM[start, 1, 600] for start in STARTED]
    return peaked and max(one) > 2 * min(one)


def swapped(length: int) -> tuple[FullParameters, torch.Tensor]:
    """The running example at this length, and the swapped point."""
    full, W = FullParameters(np.diag(LAM), length), torch.zeros(2, 3, 3, dtype=torch.float64)
    W[:, 2, 0] = full.Gamma[0, 0] ** -0.5
    return full, W


def least_curvature(length: int) -> float:
    """The least eigenvalue of the Hessian at the swapped point, which is critical."""
    full, W = swapped(length)
    flat = max(float(part.abs().max()) for part in full.gradient(*W)) < 1e-9
    return float(torch.linalg.eigvalsh(hessian(full, W))[0]) if flat else float("nan")


@cache
def beside(length: int) -> tuple[float, float]:
    """The gap where runs from beside the swapped point rest on the wrong side, at a point without a
    direction down, and that of the swapped point itself."""
    full, W = swapped(length)
    draw = torch.Generator().manual_seed(0)
    start = W[:, None] + 1e-2 * torch.randn(2, 3, 3, 3, generator=draw, dtype=torch.float64)
    run = gradient_flow(full, tuple(start), [0.0, 2000.0, 4000.0], rtol=1e-5)
    last = torch.stack([part[:, -1] for part in run.states], 1)
    curved = [torch.linalg.eigvalsh(hessian(full, one))[0] for one in last]
    still = bool((run.gap[:, 1] - run.gap[:, 2]).abs().max() < 1e-6 and min(curved) > -1e-8)
    return (float(run.gap[:, 2].mean()) if still else float("nan")), float(full.gap(*W))


def on_a_curve() -> bool:
    """Whether on pq = 1/γ₁ all points are critical and equally high, as the layers with each u are
    best; and whether the paths of the first figure that end high end near p = q."""
    full, W = swapped(N)
    along = [torch.stack([W[0] / k, W[1] * k]) for k in (0.4, 0.8, 1.5, -0.7)]
    layers = [best_layer(u) for u in (0.4, 0.8, 1.5, -0.7)]
    flat = [
        float(part.abs().max()) < 1e-12 for one in along + layers for part in full.gradient(*one)
    ]
    level = [isclose(float(full.gap(*one)), float(full.gap(*W))) for one in along]
    level += [float(full.gap(*one)) < 1e-12 for one in layers]
    q, p = (part[EARLY.gap[:, -1] > 0.01, -1, 2, 0] for part in EARLY.states)
    met = (p * q * GAM[0] - 1).abs().max() < 1e-3 and (p / q - 1).abs().max() < 0.02
    return all(flat + level) and bool(met) and not bool((along[0] - W).abs().max() < 0.1)


def alone() -> bool:
    """Whether the flow from a small swapped mode and nothing else ends at the swapped point."""
    full, W = swapped(N)
    run = gradient_flow(full, tuple(1e-3 * W[:, None]), [0.0, 40.0], rtol=1e-6)
    return torch.allclose(torch.stack([part[0, -1] for part in run.states]), W, atol=1e-4)


BALANCED = (NOISE[1] / NOISE[0]) ** (1 / 4)
STARTS = 0.03 * torch.randn(
    2, 100, 3, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64
)
EARLY = gradient_flow(
    FullParameters(np.diag(LAM), N), tuple(STARTS[:, :16]), [0.0, 40.0], rtol=1e-5
)
FAIL = int((EARLY.gap[:, -1] > 0.01).sum())


def bounded() -> bool:
    """Derivatives of softmax weights, and answers of two opposite heads, below their bounds."""
    draw = torch.Generator().manual_seed(8)
    s, y = torch.randn(2, 500, 9, generator=draw, dtype=torch.float64)
    y[:, -1] = 0.0  # the query's own token
    size, largest = s.abs().amax(1, keepdim=True), y.abs().amax(1)
    for epsilon in (0.01, 1.0, 10.0):
        up, down = ((way * epsilon * s).softmax(1) for way in (1, -1))
        slope = up * (s - (up * s).sum(1, keepdim=True))
        answer = ((up - down) / (2 * epsilon) * y).sum(1)
        if (slope.abs() > 2 * size).any() or (answer.abs() > 16 * size[:, 0] * largest).any():
            return False
    return True


NUMBERS = {
    "*3.* A best layer is a minimum": INDEX,
    "*2.* The Hessian at": INDEX,
    "in each of the $260$ runs the mode that was ahead won": sum(one[1] for one in SORTED),
    "in $115$ of the $120$ runs the mode that was ahead won": (
        sum(one[1] - one[3] for one in NEARLY),
        sum(one[1] for one in NEARLY),
    ),
    "For the eigenvalues $2$ and $\\frac32$ the exponent is $0.15$": (SETTING, SETTING, POWER),
    "where the rates nearly tie, it is only $0.002$": sqrt(1 + (HALF / 2) ** 4) - 1,
    "Paths of the flow from fourteen starts (dots), two of": AROUND + len(ON_DIAGONAL),
    "here $18.0$. In {numref}`fig-keys` it is $17.2$ from half of the one direction to "
    "half of the other": (
        (WAITS[1] - WAITS[0]) * GAM[0] ** (1 / 3),
        round(TIMED[0.03][1] - TIMED[0.03][0], 1),
        HALF,
        HALF,
    ),
    "Running example, $u_0=0.03$. ```{exercise-end}": 0.03,
    "where the runs hover, $D$ grows $1.5$ times as fast": FASTER,
    "the largest hundredth makes $38$ per cent": 100 * RARE,
    "All eight runs of {numref}`fig-noise` move towards less gradient noise, but faster than "
    "{eq}`eq-noise-drift`: after $1000$ steps their mean place is $0.81$, not $0.88$": (
        cell("repeat(1, {}, 1, 1)]  # eight"),
        cell("for _ in range({}):\n    noisy"),
        DRIFTED,
        driven(1000),
    ),
    "eight runs of noisy descent from the flow's end, all weights free, $\\eta=0.02$, $b=128$": (
        cell("repeat(1, {}, 1, 1)]  # eight"),
        cell("noisy[-1] - {} * slopes"),
        cell("slopes(noisy[-1], {}, noise)"),
    ),
    "Eight lines fall, with a few jumps": cell("repeat(1, {}, 1, 1)]  # eight"),
    "At the flow's end of the running example $T_{KQ}=480$, mostly in a mixing block, and "
    "$T_{PV}=14.2$": (round(NOISE[0]), NOISE[1]),
    "At the best layer with $u=0.46$ the two are equal": BALANCED * END,
    "Down to $u=0.54$": FLATTEST_FREE * END,
    "Eight runs of noisy descent from the flow's end drift this way, faster than this"
    " mean says, which is exact at best layers only; in $1000$ steps none comes near "
    "$0.46$": (
        cell("repeat(1, {}, 1, 1)]  # eight"),
        cell("for _ in range({}):\n    noisy"),
        BALANCED * END,
    ),
    "Flow up to time $40$ from $16$ starts of size $0.03$; dots": (
        cell("torch.linspace(0, {}, 801), rtol"),
        cell("tuple(first[:, :{}])"),
        cell("first = {} * torch.randn(2, 100"),
    ),
    "From the origin ten paths come to the axis": 16 - FAIL,
    "and six rise to a dot above the origin. From": FAIL,
    "with steps $1.4$ times as long as is stable there": cell("SHARES.index({}), 1]"),
    "known to about $0.04$ or better": sqrt(1 / 4 / 150),
    "touches zero twice and stays below that of silence up to about eight": (
        len([FIRST, SECOND]),
        8,
    ),
    "**Here the best two steps leave half of what the best one leaves": LEFT / ALONE,
    "For $d\\ge3$ and equal or nearly equal": given("the hypothesis of a question"),
    "and fall below it at about twice as many": (2),
    "drawn for $\\eta=0.062$, $1.4$ times the longest stable step": (
        1.4 * 2 / all_free(1.0),
        cell("2 / ({} * longest)"),
    ),
    "In five of these runs (two and three)": sum(one[3] for one in NEARLY),
    "before them the bound allows less than half": HALF,
    "a start a million times smaller fails about eight": (1e6, about(1e6**POWER, 0.06)),
    "until there are about twice as many prompts as free weights": given("a bound, see CLAIMS"),
    "six from $u_0=0.1$, three from $0.03$, two from $0.01$": (
        round(TIMED[0.1][1] / TIMED[0.1][0]),
        *TIMED,
    ),
    "At $u_0=0.1$, which is hardly small, half of the": (0.1, HALF),
    "with $2$, $1.99$ and $1.98$ none of $60$ runs": (
        cell("near = race(({}, 1.99, 1.98), 0.1, 60, 8)[1]"),
        cell("near = race((2.0, {}, 1.98), 0.1, 60, 8)[1]"),
        cell("near = race((2.0, 1.99, {}), 0.1, 60, 8)[1]"),
        cell("near = race((2.0, 1.99, 1.98), 0.1, {}, 8)[1]"),
    ),
    "Seven idealisations, loosened": COUNT,
    "start at random, of size $0.03$, in": 0.03,
    "In $44$ of $100$ runs gradient flow": (HIGH, RUNS),
    "This rests on many idealisations; we loosen seven": COUNT,
    "We use this twice, for long steps and for noisy ones": COUNT,
    "and the loss is $0.47$, between $1.25$ for silence and $0.33$ for the best layer": (
        WRONG_LOSS,
        sum(RUNNING) / 2,
        BEST_LOSS,
    ),
    r"the rates are $\sqrt{4^2+(\frac14)^2}=4.008$ and $4$": (OMEGA, OMEGA, 2**2),
    "Let $d=3$ and all eigenvalues be equal. In $64$ of $200$ starts": (SETTING, *EQUAL[0][:2]),
    "Seven rows of dots": len(RACES) or COUNT,
    "just behind, at a lead of $0.85$ or more": min(one[4] for one in NEARLY),
    "the swapped mode was ahead in $64$ of $200$ starts and in $17$ of $60$": (
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
    r"*Smallest case.* $\Lambda=\operatorname{diag}(2,\frac32)$": (SETTING, SETTING),
    r"for small starts. $\Lambda=\operatorname{diag}(2,\frac32)$": (SETTING, SETTING),
    "With the eigenvalues $2$ and $\\frac32$ the power is $0.15$: in the limit a start": (
        SETTING,
        SETTING,
        POWER,
    ),
    "smaller, from 0.39 to 0.06": (in_the_lead(0.1), in_the_lead(1e-7)),
    "A start a million times smaller": given("the width of the figure"),
    r"in which share of $100\,000$ starts": cell("drawn = torch.randn(2, {}, 3"),
    "which share of $150$ runs": cell("race(close, float(size), {}, 9)"),
    "After $1000$ steps the runs of {numref}`fig-steps`": cell("for _ in range({}):\n    descents"),
    r"exactly for $0<\eta h<2$": given("|1 - x| < 1"),
    "all weights moved by $0.01$ times standard": cell("beside = {} * torch.randn"),
    "and take steps $1.4$ times as long as is stable there. Then $\\eta$ times the sharpness is "
    "$2.8$": (
        cell('Axis("share", SHARES, "η over the longest stable", init={})'),
        eta_h(1.4, END),
    ),
    "are the excess risks on new prompts of sixty such": cell("fitted(int(B), runs={})"),
    "this run is back in the valley, at $u=0.91$": value_scalar(1.4),
    "For this gap half the step helps as much as twice": given("the rule, see CLAIMS"),
    "In four settings the mean gaps of $32$ chains of $1000$": (
        len(HOVERS) or COUNT,
        cell("repeat(1, {}, 1, 1), []"),
        cell("for step in range({}):\n        W = W - eta"),
    ),
    "Problem 3. Long": INDEX,
    "After 600 steps of Adam on $B$": cell("lam=(2.0, 0.5), steps={}, random"),
    "Medians of 120 training sets": cell("def fitted(B, runs={},"),
    "both matrices start at $0.1I$": cell("return ({} * torch.eye(D))"),
    "we mostly speak of the risk, which is twice the loss": sum(RUNNING)
    / float(FREE.loss(*torch.zeros(2, 3, 3, dtype=torch.float64))),
    "for $d=2$ the weights are as large after $12$ prompts as after $8$, but the excess "
    "risk is clearly smaller": (..., AS_LARGE, WEIGHTS[1]),
    "For $d=2$ and $8$ prompts the excess risk is about $4$ times that of silence after $600$ "
    "steps, from $0.1I$ and": (
        ...,
        WEIGHTS[1],
        about(FROM["0.1 I", 8, 600], 0.1),
        cell("lam=(2.0, 0.5), steps={}, random"),
        cell("return ({} * torch.eye(D))"),
    ),
    "More steps make it higher: after $3000$ it is $5.5$ to $6.5$ times": (
        cell("(24, 600), (8, {})"),
        min(LATER),
        max(LATER),
    ),
    "after a random start of size $0.5$ it is $2.7$ times": (
        cell("for start in (None, 0.1, {})"),
        FROM["0.5", 1, 600],
    ),
    "What one prompt leaves does depend on the start: from $0.1I$ it is": cell(
        "return ({} * torch.eye(D))"
    ),
    "median training risk below $0.01$": given("a bound, see CLAIMS"),
    "Problem 4. Few": INDEX,
    "with these variances an error along the first axis costs four": RUNNING[0] / RUNNING[1],
    "*Smallest case.* $d=2$, $K=2$": SETTING,
    "the lengths go up to $40$, and the chance": LONGEST,
    "this is training at the single length $\\bar N=20.5$": (LONGEST + 1) * HALF,
    "Problem 5. Lengths": INDEX,
    "$d=2$, lengths $1$ and $2$. *What": (..., SETTING),
    "(2) A critical point with two equal": INDEX,
    "(3) Gradient flow of": INDEX,
    "*2.* Let $a_i=a_j=a$": INDEX,
    "*3.* The flow stays": INDEX,
    "tend to that of *2*, which": INDEX,
    r"the best, $a=\frac13$, leaves a third of": (Fraction(2, 6), ALONE),
    r"The best two, $\frac16$ and $\frac12$, leave": (
        Fraction(FIRST).limit_denominator(1000),
        Fraction(SECOND).limit_denominator(1000),
    ),
    "double all points, queries too, so that $s$ is four times as large: the one step then leaves "
    "$6.3$ times the risk of silence, the two leave $91.7$": (
        2**2,
        leaves(2, [1 / 3]),
        leaves(2, [FIRST, SECOND]),
    ),
    "Problem 6. Free": INDEX,
    "In the running example the weak direction must wait, to leading order, at least for a reading "
    "sixteen times as large as the strong one must": (2 / HALF) ** 2,
    "Between two falls it rests near $0.47$": WRONG_LOSS,
    "The strong direction comes near 0.8, the weak one near fourteen": (
        round(CAME[0][0], 1),
        round(CAME[1][0]),
    ),
    "along the flow from $u_0=0.03$": cell("(K, Q, u) = by_clock({})"),
    "Half is known when $U_{ii}=1/(2u\\gamma_i)$. Take $u$ from the run. For the strong direction "
    "the bound allows half when the clock shows $0.74$, and half is known at $0.80$. For the weak "
    "one the bound allows it at $12.9$, and half is known at $14.1$": (
        HALF,
        HALF,
        ALLOWED[0],
        HALF,
        CAME[0][0],
        ALLOWED[1],
        HALF,
        CAME[1][0],
    ),
    "Problem 2. The": INDEX,
    "Problem 7. Softmax": INDEX,
    "random starts at each of five lengths": len(SOFT),
    "from $20$ random": cell("torch.randn({}, count, *size"),
    "Eigenvalues $2$ ($d=1$); $2,\\frac12$; $2,1,\\frac12$": (2, 2, HALF, 2, HALF),
    "All dots of one head lie above 1.4": floor(10 * min(one[0] for one in SOFT.values())) / 10,
    "after 1000 steps of Adam, $\\Lambda$ as in the running example, on 20 000 new prompts of": (
        cell("def trained(count, length, steps={}):"),
        cell("law.sample({}, n, generator=99)"),
    ),
    "In $58$ of the $100$ runs the two heads become an opposite pair, and $56$ of these pairs "
    "leave at most $1.3$ times": (
        len(PAIRS),
        PAIRS_RUN,
        sum(one <= 1.3 for one in PAIRS),
        ceil(10 * sorted(PAIRS)[-3]) / 10,
    ),
    "With $2$ and $4$ examples the best pairs lie below the limit of {prf:ref}`prp-softmax-pair`, "
    "with $8$ hardly below it. With $16$ and $32$ they lie above it, perhaps because in 1000 steps "
    "training did": (
        *(n for n, (*_, pairs, _, small) in SOFT.items() if min(pairs) < 0.98 * small),
        *(n for n, (*_, pairs, _, small) in SOFT.items() if 0.98 * small <= min(pairs) < small),
        *(n for n, (*_, pairs, _, small) in SOFT.items() if min(pairs) > small),
        cell("def trained(count, length, steps={}):"),
    ),
    "What happened next depended, in our seven rows": len(RACES) or COUNT,
    "multiplies the distance along the sharpest direction by $1-2.8$": 1 - eta_h(1.4, END),
    "nearly all opposite pairs leave at most $1.3$ times its": ceil(10 * sorted(PAIRS)[-3]) / 10,
    "training found nearly all left at most $1.3$ times its": ceil(10 * sorted(PAIRS)[-3]) / 10,
    "for $d=3$ it needs somewhat more": max(PAYS, key=lambda one: one[2] / WEIGHTS[one[0] - 1])[0]
    if PAYS
    else SETTING,
    "A single head leaves at least $1.4$ times": floor(10 * min(one[0] for one in SOFT.values()))
    / 10,
    "With eight examples the best single positive head gives it on average $26$ per cent of the "
    "weight, the best negative one $2$": (
        N,
        *(round(100 * one_head(8, sign).at_query) for sign in (1, -1)),
    ),
    "*Smallest case.* $d=1$, where four weights count": WEIGHTS[0] + 1,
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
    "with $N=100$ the swapped point of the running example is a saddle beside a wrong minimum, and "
    "of the $100$ starts of the opening again $44$ end high": (
        cell("longer = FullParameters(Lambda, {})"),
        len(STARTS[0]),
        LONG_PROMPTS[3000][0],
    ),
    "From $0.1$ the mode that is ahead wins in each of $100$ runs of the running example": (
        cell('"2, ½ from 0.1": ((2.0, 0.5), {}, 100)'),
        LARGE_START[3],
    ),
    "From $0.01$ it leads in $12$ of $200$ starts with three equal": (
        cell('"2, 2, 2 from 0.01": ((2.0, 2.0, 2.0), {}, 200)'),
        SMALL_START[0],
        SMALL_START[3],
    ),
    "The valley is flattest at $u=0.54$, with the sharpness $17.3$": (
        FLATTEST_FREE * END,
        LEAST_FREE,
    ),
    "The flow ends at a larger $u$, at $1.10$, where the sharpness is $45.5$": (END, all_free(1.0)),
    "^{1/4}=0.54$, where it is $\\sqrt{\\alpha_1\\beta_1}+\\kappa_1=17.3$": (
        (ALPHA / BETA) ** 0.25,
        sqrt(ALPHA * BETA) + KAPPA,
    ),
    "On the slice the sharpness at the flow's end is $13.7$": sharp(END),
    "With the factor $1.7$ this happens from $17$ of the $24$ starts": (
        max(FELL),
        FELL[max(FELL)],
        cell("torch.randn(2, 1, {}, 3, 3"),
    ),
    "with the factor $1.6$ one of the $24$ starts ends": (
        min(FELL),
        cell("torch.randn(2, 1, {}, 3, 3"),
    ),
    "The band holds the minima with $u\\ge0.26$": BAND_FROM * END,
    "That was one start of $24$. With $1.1$ to $1.5$ times the longest stable step all $24$ come "
    "back": (
        cell("torch.randn(2, 1, {}, 3, 3"),
        min(SAFE),
        max(SAFE),
        cell("torch.randn(2, 1, {}, 3, 3"),
    ),
    "There $\\eta$ times the sharpness is between $1.92$ and $2.01$": (
        floor(100 * min(float(at_rest(share)[1].min()) for share in SAFE)) / 100,
        ceil(100 * max(float(at_rest(share)[1].max()) for share in SAFE)) / 100,
    ),
    "With $1.1$ to $1.5$ times the longest stable step no single step raises the place by "
    "$0.001$": (
        min(SAFE),
        max(SAFE),
        ceil(1000 * raised()) / 1000,
    ),
    "seen, for $d\\le3$": max(int(d) for d in PEAKS) if PEAKS else 3,
}

CLAIMS = {
    "is at most $2\\max_k|s_k|$ in size, in both heads. So by the mean value theorem the answer is "
    "at most $2M\\max_k|s_k|\\max_j|y_j|$ in size, for every $\\epsilon$": bounded(),
    "A few steps matter much: the largest hundredth": RARE > 0.2,
    "So $\\langle W_{KQ},G_{KQ}\\rangle=\\langle W_{PV},G_{PV}\\rangle$ for the gradient $G$ of "
    "the loss, and flow conserves $D=\\|W_{KQ}\\|_F^2-\\|W_{PV}\\|_F^2$": conserved(),
    "For every $r>0$ the weights $(W_{KQ}/r,\\,rW_{PV})$ make the same predictions": scales(),
    "the middle terms of the two blocks cancel, and $D$ changes by exactly $$ "
    "\\eta^2\\bigl(\\|G_{KQ}\\|_F^2-\\|G_{PV}\\|_F^2\\bigr). $$": by_larger_block(),
    "So *the block with the larger gradient decides*: if it is $W_{KQ}$, the place falls": (
        by_larger_block()
    ),
    "Why to a smaller $u$? The throws are nearly along $q$, and $q$ is in $W_{KQ}$. So we expect "
    "this block to have the larger gradient on the whole, and in our runs the place falls": (
        along_q()
    ),
    "If throws are small, it is proved to leading order that the place falls wherever the "
    "sharpness grows with $u$, as at the flow's end ({prf:ref}`prp-noise-drift`, part "
    "2)": steps_down() and all_free(1 + 1e-4) > all_free(1 - 1e-4),
    "Suppose that both went on growing like this. At the time at which the right part has the size "
    "one, the swapped part has the size": lead_as_said(),
    "In the running example $g$ is nearly one, and the two modes are ahead about equally often": (
        1 < 0.03 ** (4 / OMEGA - 1) < 1.01 and abs(in_the_lead(0.03, (2.0, 0.5)) - 0.5) < 0.005
    ),
    "If the rates are nearly equal, the power of $|Z|$ in {eq}`eq-head` is nearly one, and this "
    "chance is near $\\frac2\\pi\\arctan\\frac1g$": all(
        isclose(
            in_the_lead(start, (2.0, b)),
            2 / pi * atan(start ** (1 - 4 / sqrt(16 + b**4))),
            rel_tol=within,
        )
        for b, within in ((0.5, 1e-3), (1.0, 0.02))
        for start in (0.1, 0.01, 1e-8)
    ),
    "Where the mode that is ahead wins, a smaller start helps, but slowly. By {eq}`eq-head`, for "
    "$d\\ge2$ and small $u_0$ the chance that the swapped mode is ahead falls like "
    "$u_0^{\\omega/\\lambda_1^2-1}$": all(
        like_a_power(lam, sqrt(sum(one**4 for one in lam)) / lam[0] ** 2 - 1)
        for lam in ([2.0, 1.5], [2.0, 1.8, 1.5])
    )
    and 1 < in_the_lead(1e-1) / in_the_lead(1e-3) < 3,
    "While the strong direction grows alone, $k_1^2-u^2$ is conserved": isclose(
        CAME[0][2], (0.5 / GAM[0]) ** (2 / 3), rel_tol=0.02
    ),
    "with a few jumps down, from the level where the flow ends. A dashed line falls more "
    "slowly, and at the end it is above all of them": DRIFTED < BY_MEAN,
    "Eight runs of noisy descent from the flow's end drift this way": (
        BALANCED * END < DRIFTED < float(noisy_places()[:, -1].max()) < 0.9 * END
    ),
    "drift this way, faster than this mean says": float(noisy_places()[:, -1].max())
    < min(BY_MEAN, driven(1000)),
    "in $1000$ steps none comes near $0.46$": float(noisy_places().min()) > 1.5 * BALANCED * END
    and isclose(float(noisy_places()[:, -1].mean()), DRIFTED, abs_tol=1e-3),
    "*Long steps that come back to the valley end at another point; noisy steps drift along it.*": (
        all(map(near_the_edge, SAFE)) and float(noisy_places()[:, -1].max()) < 0.9 * END
    ),
    "but the excess risk is clearly smaller": EXCESS[2][AS_LARGE] < 0.7 * EXCESS[2][8],
    "where the runs hover, $D$ grows": FASTER > 1.2,
    "runs of {numref}`fig-noise` move towards less gradient noise, but faster": DRIFTED
    < BY_MEAN
    < END
    and isclose(BY_MEAN, driven(1000), abs_tol=1e-3),
    "mostly in a mixing block": mixing_share() > 0.6,
    "At the best layer with $u=0.46$ the two are equal, and their sum is least": balanced()
    and all((noisier(r) > 1) == (r > BALANCED) for r in (0.2, 0.3, 0.6, 1.0))
    and isclose(np.linalg.norm(1 / GAM), END**2),
    "So noise, too, lowers the place in the mean": noisier(1.0) > 30 and driven(10) < END,
    "follow it to dots far to the right, and six rise to a dot above the origin": FAIL == 6,
    "**The two fastest ways out of the origin have different ends, and long steps do not stay "
    "where flow ends.**": 0 < FAIL < 16 and rests(1.4) and value_scalar(1.4) < END - 0.1,
    "one of the $24$ starts ends at the swapped point": FELL[min(FELL)] == 1
    and (not SLIDES or {share: fallen(share) for share in SHARES} == SLIDES),
    "The sharpest direction there is nearly that of $q$, the entry of $u_{21}$": abs(
        float(bent(END)[1][:, -1].reshape(2, 3, 3)[0, 2, 0])
    )
    > 0.98,
    "the layer is in the median worse than silence": all(
        peak > silence for peak, silence in PEAKED
    ),
    "and stays below that of silence up to about": all(
        (1 - FIRST * s) ** 2 * (1 - SECOND * s) ** 2 <= 1 for s in np.linspace(0, 8, 801)
    )
    and (1 - FIRST * 8.1) ** 2 * (1 - SECOND * 8.1) ** 2 > 1,
    "three curves rise from about the level of silence, peak together near the vertical line "
    "at one": all(abs(int(peak) / WEIGHTS[int(d) - 1] - 1) < 0.1 for d, peak in PEAKS.items()),
    "By {eq}`eq-keys-apart` the entry $U_{ii}$ cannot reach a fixed positive value before the "
    "clock": all(
        came[2] < 0.03**2 * exp(2 * lam**2 * came[0]) for came, lam in zip(CAME, LAM, strict=True)
    ),
    "The curve with all weights free falls, has its least value at the first vertical line, below "
    "the level of the step, and rises; at the second line, where the flow ends, it is far above "
    "that level. The curve of the slice lies below it everywhere": bool(
        (np.diff(SHARPNESS[PARTS <= FLATTEST_FREE]) < 0).all()
        and (np.diff(SHARPNESS[PARTS >= FLATTEST_FREE]) > 0).all()
    )
    and FLATTEST_FREE < 1
    and all_free(1.0) > 1.5 * LEAST_FREE
    and all(all_free(float(part)) > sharp(part * END) for part in PARTS[4:105:5]),
    "A step $\\eta$ is stable where a curve lies below $2/\\eta$": all(
        map(stable_below_two, (0.4, 0.7, 1.0))
    ),
    "from $0.1I$ it is, in the median, a little less than that of silence": not PAYS
    or all(0.9 < share < 1 for d, share, _ in PAYS if d == 2),
    "The weights run downhill into this minimum": caught(),
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
    "**A layer that knows one task answers every new task with a multiple of the one it knows.** "
    "New": spanned(),
    "leave a sixth ({prf": abs(LEFT - 1 / 6) < 1e-12,
    "where $\\eta$ times the sharpness is just below two": 1.9 < eta_h(1.4, value_scalar(1.4)) < 2,
    "steps lie above the rule, by at most a seventh": all(
        1 < ratio < 8 / 7 for ratio, _ in HOVERS.values()
    ),
    "half the step helps as much as twice the batch": all(
        abs(ratio - HOVERS[0.002, 64][0]) < 2 * (error + HOVERS[0.002, 64][1])
        for ratio, error in HOVERS.values()
    ),
    "In five of these runs (two and three) the swapped mode was just behind, at a lead of "
    "$0.85$ or "
    "more. They end high all the same": [one[3] for one in NEARLY] == [2, 3]
    and max(one[5] for one in NEARLY) < 1,
    "$260$ runs the mode that was ahead won": not any(one[3] for one in SORTED)
    and max(MISTAKES) < 0.1,
    "ahead wins where the swapped point is a minimum; where it is a saddle, being ahead may be in "
    "vain": (not any(one[3] for one in SORTED) and not any(one[2] for one in EQUAL)),
    "so a large start is hardly the reason": (
        LARGE_START[2] == 0 < LARGE_START[1]
        and not mistakes([2.0, 0.5], 0.1)
        and SMALL_START[1] == 0 < SMALL_START[0]
    ),
    "with three equal eigenvalues, and again never wins": SMALL_START[1] == 0,
    "there are $m$ swapped modes": all(
        isclose(found[0], sqrt(sum(one**4 for one in lam)))
        and sum(isclose(one, lam[0] ** 2) for one in found) == lam.count(lam[0])
        and found[lam.count(lam[0]) + 1] < lam[0] ** 2 - 0.1
        for lam in ([2.0, 0.5], [2.0, 2.0], [2.0, 2.0, 1.0], [2.0, 2.0, 2.0])
        for found in [rates(lam)]
    ),
    "The swapped points form a curve, $pq=1/\\gamma_1$, as the best layers do; from small starts "
    "flow comes near $p=q$": on_a_curve(),
    "*A minimum* (first three rows)": not any(one[6] for one in SORTED),
    "*A saddle beside a wrong minimum* (next two)": caught() and all(one[6] < 0 for one in NEARLY),
    "*A saddle, and we saw no wrong minimum* (last two)": all(
        one[6] < 0 and one[2] == 0 for one in EQUAL
    ),
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
    "the medians peak within one prompt of that number": all(
        abs(int(peak) - WEIGHTS[int(d) - 1]) <= 1 for d, peak in PEAKS.items()
    ),
    "Single heads with negative scores look at points *opposite* to the query, and are subtracted. "
    "Those with positive scores look at points in the query's direction": all(
        one_head(n, -1).value < 0 < one_head(n, 1).value
        and max(one_head(n, -1).seen) < 0 < min(one_head(n, 1).seen)
        for n in SOFT
    ),
    "The query's own token is always one of these, and its label is zero": all(
        one_head(n, -1).at_query < 1 / (n + 1) < 1.7 / (n + 1) < one_head(n, 1).at_query
        and all(isclose(best[sign], one_head(n, sign).over, rel_tol=0.02) for sign in (-1, 1))
        and least == best[-1] < best[1] / 1.05
        for n, (least, best, *_) in SOFT.items()
    ),
    "gives it on average $26$ per cent of the weight, the best negative one": all(
        round(100 * seen) == round(100 * one_head(8, sign).at_query)
        for seen, sign in zip(AT_QUERY, (1, -1), strict=True)
    ),
    "**In our runs one softmax head falls short of linear attention; nearly all opposite pairs "
    "leave at most $1.3$ times its risk.**": all(one[0] > 1.4 for one in SOFT.values())
    and near_linear(),
    "of the opposite pairs that training found nearly all left at most": near_linear(),
    "$56$ of these pairs leave at most": near_linear(),
    "They are not the limit of the proposition: in the shortest prompts the best of them leave "
    "less than it (dashed), in the longest more": all(
        min(pairs) < 0.95 * small if n in sorted(SOFT)[:2] else n == 8 or min(pairs) > 1.01 * small
        for n, (*_, pairs, _, small) in SOFT.items()
    ),
    "the best pairs lie below the limit of {prf:ref}`prp-softmax-pair`, with $8$ hardly below it. "
    "With $16$ and $32$ they lie above it": all(
        (min(pairs) < small) == (n <= 8) for n, (*_, pairs, _, small) in SOFT.items()
    ),
    "With more than two examples, pairs that are not opposite mostly stay farther from "
    "linear attention": all(
        min(rest) > sorted(pairs)[-2]
        and (sum(one < 1.3 for one in rest) > len(rest) / 2) == (n == 2)
        for n, (*_, pairs, rest, _) in SOFT.items()
    ),
    "A single head leaves at least $1.4$ times this risk in each run": all(
        one[0] > 1.4 for one in SOFT.values()
    ),
    "All dots of one head lie above 1.4. Those of opposite pairs lie a little above the "
    "line, but for two, and those of other pairs, but for two examples, mostly farther "
    "above. A dashed line falls towards the level line": near_linear()
    and all(min(rest) > sorted(pairs)[-2] for *_, pairs, rest, _ in SOFT.values())
    and rises([-one[-1] for one in SOFT.values()]),
    "With many more prompts no weights fit all of them, and the trained ones shrink": (
        no_longer() and shrinks()
    ),
    "They do not help by themselves: with $N=100$ the swapped point of the running "
    "example is a saddle beside a wrong minimum": LONG_PROMPTS[3000][0] == HIGH
    and least_curvature(8) > -1e-9
    and least_curvature(100) < -1e-3
    and beside(100)[0] < 0.9 * beside(100)[1],
    "It takes a long time until these are in the wrong minimum": LONG_PROMPTS[150][1]
    > 1.1 * beside(100)[0]
    and LONG_PROMPTS[3000][0] == LONG_PROMPTS[150][0] == HIGH
    and LONG_PROMPTS[3000][1:] == (round(beside(100)[0], 3),) * 2,
    "ends at a wrong point, the *swapped point* of {numref}`fig-map`": not WRONG_GAP
    or abs(WRONG_GAP + BEST_LOSS - WRONG_LOSS) < 1e-3,
    # Words of direction.
    "In the *right* mode $u$ and the diagonal of $U$ grow together, at the rate "
    "$\\omega=\\|\\Lambda^2\\|_F$. Let $p$ and $q$ be the entries of $u_{12}$ and $u_{21}$ that "
    "belong to the strongest direction. In the *swapped* mode these two mixing weights grow "
    "together, at the rate $\\lambda_1^2$": fastest_modes(),
    "If this mode grows alone, it leads to the swapped point": alone(),
    "None of them. At most, being ahead": EQUAL[0][2] == 0,
    "then $P=I$, and in endless contexts the limit of $A_N$ solves every task. If they do not, "
    "*the best layers tend to another limit*, though in endless contexts $\\Lambda^{-1}$ is still "
    "perfect on the $K$ tasks": spanned() and few_limits(),
    "*In between, training finds a layer that is worse than silence in the median.*": all(
        peak > silence for peak, silence in PEAKED
    ),
    "If prompts are few, many choices of the weights fit them, and training from a small start "
    "finds a small one": from_small(),
    "hardly any choice is left, and the weights that fit are large": all(
        at_weights(SIZES, d) > 1.3 for d in DIMENSIONS
    ),
    "the weights are as large after $12$ prompts as after $8$": isclose(
        SIZES[2][AS_LARGE], SIZES[2][8], rel_tol=0.02
    ),
    "More steps make it higher": peaks_anyway(),
    "What one prompt leaves does depend on the start": peaks_anyway(),
    "and it does not explain all of ours": all(at_weights(SIZES, d) > 1.3 for d in DIMENSIONS)
    and EXCESS[2][AS_LARGE] < 0.7 * EXCESS[2][8],
    "The peak is there from random starts, too, and its height depends on the time": peaks_anyway(),
    "from $0.1I$ and from random starts alike": all(
        isclose(FROM[start, 8, 600], 4, rel_tol=0.1) for start in ("0.1 I", "0.1", "0.5")
    ),
    "**Worst when prompts are about as many as free weights; there the weights are large, too.**": (
        all(abs(int(peak) - WEIGHTS[int(d) - 1]) <= 1 for d, peak in PEAKS.items())
        and all(at_weights(SIZES, d) > 1.3 for d in DIMENSIONS)
    ),
    "the size of the weights, three curves rise from below the level of the best layer, come "
    "to about "
    "their highest near the vertical line, and fall towards the level": all(
        one[min(one)] < 0.6 and max(one[B] for B in (count, count + 1)) > 0.95 * max(one.values())
        for d, one in SIZES.items()
        for count in [WEIGHTS[d - 1]]
    )
    and shrinks(),
    "The same identity holds for a step on a batch of $b$ new prompts, with the gradient of the "
    "batch. At a best layer this gradient is zero in the mean only. Let $T_{KQ}$ and $T_{PV}$ be "
    "the mean squared norms of one prompt's gradient there, the *gradient noise*: a step from this "
    "layer changes $D$ in the mean by $\\eta^2(T_{KQ}-T_{PV})/b$": same_rule(),
    "(Weights without influence on the prediction count in $D$, too; here they are zero, and we "
    "start them small.)": idle(),
    "For each value of $D$ the valley has exactly one layer with $u>0$": conserved()
    and all(isclose(along_the_valley(u), float(best_layer(u)[0].norm())) for u in (0.5, 0.8, 1.4))
    and along_the_valley(0.5) > along_the_valley(0.8) > along_the_valley(1.4),
    "Flow keeps the place; the larger $D$ is, the lower the place": conserved(),
    "If the eigenvalue $\\lambda_1$ is simple, two modes grow fastest near the origin": all(
        np.allclose(found[:2], [sqrt(sum(one**4 for one in lam)), lam[0] ** 2])
        and found[2] < found[1] - 0.1
        for lam in SIMPLE
        for found in [rates(lam)]
    ),
    "From a smaller start the right mode has more time to use its higher rate, so $g$ grows as "
    "$u_0$ shrinks": all(
        isclose(gain, (exp(omega) / exp(lam[0] ** 2)) ** (-log(start) / omega))
        and gain > (10 * start) ** -(1 - lam[0] ** 2 / omega)
        for lam in SIMPLE
        for omega in [sqrt(sum(one**4 for one in lam))]
        for start in (0.1, 0.01, 0.001)
        for gain in [start ** -(1 - lam[0] ** 2 / omega)]
    ),
    "if the flow from near the swapped point ends above the best loss, $p(u_0)$ falls like": abs(
        log(in_the_lead(1e-7) / in_the_lead(1e-9)) / log(100) - POWER
    )
    < 0.01,
    "A line and dots fall together, slowly, as the start gets smaller": all(
        in_the_lead(small) < in_the_lead(large) < 3 * in_the_lead(small)
        for small, large in ((1e-7, 1e-5), (1e-5, 1e-3), (1e-3, 1e-1))
    ),
    "still fails now and then": in_the_lead(1e-7) > 0.03,
    "For small starts it is nearly proportional to $u_0^{\\omega/\\lambda_1^2-1}$": (
        all(like_a_power([2.0, b], sqrt(1 + (b / 2) ** 4) - 1) for b in (2.0, 1.8, 1.5))
        and like_a_power([2.0], 0)
    ),
    "By {eq}`eq-head` it is ahead if $|Z|$ is below $(|Z'|/g)^{\\omega/\\lambda_1^2}$": all(
        ((DRAWS[1] > g * DRAWS[0] ** power) == (DRAWS[0] < (DRAWS[1] / g) ** (1 / power))).all()
        for g, power in ((1.1, 0.97), (3.0, 0.7))
    ),
    "Near a minimum a step $\\eta$ is stable, to first order, if $\\eta$ times the *sharpness*, "
    "the largest eigenvalue of the Hessian, is below two": all(
        map(stable_below_two, (0.4, 0.7, 1.0))
    ),
    "The largest of all, $\\operatorname{sharp}(u)$": all(
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
    "times the longest stable step all $24$ come back to the valley, at a smaller $u$ than the "
    "flow's end. There $\\eta$ times the sharpness is between": all(
        goes_flatter(share) and near_the_edge(share) for share in SAFE
    ),
    "thrown from side to side of the valley, at first each time farther": swings(),
    "swings up and down, at first farther each time, and comes back to the axis left of them": (
        swings()
        and abs(float(swapped_mode(thrown(1.4)[-1]))) < 1e-3
        and value_scalar(1.4) < END - 0.1
    ),
    "From this start the median layer is worse than silence as soon as there is more than one "
    "prompt. It stays worse until there are about twice as many prompts as free weights; for $d=3$ "
    "it needs somewhat more": not PAYS
    or all(
        (2.2 < pays / WEIGHTS[d - 1] < 2.5 if d == 3 else abs(pays / WEIGHTS[d - 1] - 2) < 0.2)
        and all(risk > 1 for B, risk in EXCESS[d].items() if 1 < B <= 1.6 * WEIGHTS[d - 1])
        and EXCESS[d][1] < 1 < EXCESS[d][2]
        for d, _, pays in PAYS
    ),
    "equal steps end at a saddle between them": saddle(),
    "two of them with equal steps": len(ON_DIAGONAL) == 2
    and all(first == second for first, second in ON_DIAGONAL),
    "In ordinary time $u$ itself must first grow. So the ratio of the two waits is smaller": [
        round(weak / strong) for strong, weak in TIMED.values()
    ]
    == [6, 3, 2]
    and all(abs(weak / strong - round(weak / strong)) < 0.2 for strong, weak in TIMED.values()),
    "a worse layer, in between | seen": not PEAKS or all(int(n) > 2 for n in PEAKS.values()),
    "each direction must wait for the clock": comes_later(),
    "noisy ones drift towards less gradient noise": BALANCED < DRIFTED / END < 1,
    "Two curves rise steeply from zero to one": ALLOWED[0]
    < CAME[0][0]
    < 5
    < ALLOWED[1]
    < CAME[1][0],
    "far above that level, and fall below it at about twice as many": all(
        peak > silence for peak, silence in PEAKED
    ),
    "short enough for the flattest minimum": all_free(1.0) > 1.5 * LEAST_FREE,
    "Merged weights slow down there, but do not rest": slows(),
    "The loss falls in stairs. Between two falls it rests": on_the_stair() and comes_later(),
    "where the strong direction is known ($u\\gamma_1U_{11}$ is near one) and the weak one is "
    "not": on_the_stair(),
    "which vanishes on the slice": all(
        abs(cost_of_mixing(0.0, k)) < 1e-12 < cost_of_mixing(0.1, k) < cost_of_mixing(1.0, k)
        for k in range(5)
    ),
    "zero at two. So more layers can serve more variances": [
        sum(np.prod([1 - a * k / 4 for a in steps]) == 0 for k in range(20))
        for steps in ((0.5,), (0.5, 2.0))
    ]
    == [1, 2],
    "If both are $a$, the product of their factors is $(1-as)^2$. If they become "
    "$a\\pm\\varepsilon$, this product falls by $\\varepsilon^2s^2$, and for small $\\varepsilon$ "
    "the risk falls, too": all(
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
    "Deeper need not be safer": (
        leaves(2, [FIRST, SECOND]) > leaves(2, [1 / 3]) > leaves(1, [1 / 3])
        and leaves(1, [1 / 3]) > leaves(1, [FIRST, SECOND])
    ),
    "A small entry $U_{ii}$ of merged weights follows $U_{ii}'\\approx u\\lambda_i^2$": isclose(
        PUSHED, STAIR * LAM[1] ** 2, rel_tol=0.01
    ),
    "while they are small, $k_i'\\approx u\\lambda_i^2q_i$ and $q_i'\\approx u\\lambda_i^2k_i$: "
    "each grows in proportion to the other": isclose(
        MULTIPLIED, STAIR * LAM[1] ** 2 * 0.01, rel_tol=0.01
    ),
    "The product $W_K^\\top W_Q$ starts smaller, at $u_0^2I$; this delays it, too": delayed(),
    "it is *pushed*, however small it is. With": growth(0.8, 0.0)[1] > 0,
    "So from a small start the weak pair stays small for long, even after the strong direction is "
    "learned": growth(0.8, 0.0)[0] == 0 < growth(0.8, 0.0)[1] and on_the_stair(),
    "from near the flow's end long ones come to rest at flatter points, or leave it": all(
        goes_flatter(share) and near_the_edge(share) for share in SAFE
    )
    and leaves_valley(1.7),
    "so the largest eigenvalue is": all(
        isclose(
            float(FixedCovariance(a * torch.eye(d).double(), N).sharpness(u)),
            g * (a * u) ** 2 + d * a**2 / (g * u**2),
        )
        for a, d, u in ((1.0, 4, 0.7), (0.5, 3, 1.2), (2.0, 2, 0.9))
        for g in [(1 + 1 / N) * a + d * a / N]
    ),
    "The flow ends at a larger $u$": FLATTEST_FREE < 1
    and 0.95 * all_free(1.0) < BETA * END**2 < all_free(1.0),
    "Along the whole of {numref}`fig-sharp` the sharpness with all weights free is an eigenvalue "
    "of the first block": all(
        all_free(float(part)) > 1.1 * sharp(part * END)
        and isclose(all_free(float(part)), of_first_block(part * END))
        for part in PARTS[4:105:5]
    ),
    "a small $u_{12}$ changes the prediction in proportion to $1/u$, and a small $u_{21}$ "
    "in proportion to $u$. So a layer with a small $u$ is sensitive to $u_{12}$, and one with a "
    "large $u$ to $u_{21}$": sensitive(),
    "As $\\rho_i$ grows with $\\lambda_i$, so do": blocks_grow(),
    "for $i\\ne j$ they vanish, because the law is even": apart_by_direction(),
    "and the first block has the largest eigenvalue": all(
        float(tops.max()) == float(tops[0])
        for lam in SIMPLE
        for tops in [torch.linalg.eigvalsh(blocks(mixing(lam)))[:, -1]]
    ),
    "contracts every eigenvector whose eigenvalue is not zero": all(
        map(stable_below_two, (0.4, 0.7, 1.0))
    )
    and all(
        drifts(problem, u, 1.9 / float(values[-1]))
        < 1
        < drifts(problem, u, 2.1 / float(values[-1]))
        for u, problem, values, _ in VALLEYS[::2]
    ),
    "and the wrong one can win; smaller starts help slowly": 1
    < in_the_lead(1e-1) / in_the_lead(1e-3)
    < 3
    and all(one[2] for one in SORTED),
    "the block with the larger gradient decides to which side a step moves along the valley": (
        by_larger_block()
    ),
    "Down to $u=0.54$ the valley is less sharp at a lower place": all(
        all_free(a) < all_free(b)
        for a, b in pairwise(map(float, np.linspace(FLATTEST_FREE, 1, 26)))
    ),
    "In the runs that come back the throws die out once $\\eta$ times the sharpness at the place "
    "is about two or less, and $u$ slowly comes to the place": throws_stop()
    and back_at_the_place(),
    "So near the diagonal the flow drives different steps apart. They never meet, for steps that "
    "are once equal have always been equal": (
        repelled(0.2) and repelled(float(FIRST)) and saddle() and only_apart()
    ),
    "(The swapped mode wins if the run ends above the best loss": (
        min(map(float, re.findall(r"  gaps (\S+) to", output("open_questions")))) > 0.05
    ),
    "on the slice the loss falls in stairs": slows() and comes_later(),
}

SETTLED = {
    "how a figure is drawn": [
        "the upper one (*high*, above the best loss) the swapped",
        "of the two we draw the one that ends at the right or above",
    ],
    "the standard error of a share": [
        "known to about $0.04$ or better. Dashed",
    ],
    "what a work proves": ["that the sharpness of the place falls {cite:p}"],
    "what the folded cell prints of three sizes": [
        "With at most as many prompts as free weights the layer can nearly fit all of them",
        "(median training risk below $0.01$). If prompts are few",
    ],
    "what a question asks": [
        "whether they stay there, and their mean loss above the best",
        "ahead. How many runs end above the best loss?",
        "the probability that a run from such a random start ends above the best loss. *Known.*",
    ],
    "a hypothesis": [
        "and let its support contain at least $n$ positive values",
    ],
    "what a word of the next sentences is introduced for": [
        "If this *lead* is above one, the swapped mode is *ahead*",
    ],
    "where an entry stands in a matrix": [
        "minus the lower right entry",
        r"it holds $y_i-v_l^\top x_i$ below $x_i$",
    ],
    "where they stand on the page": ["the loss in all weights has the eigenvalues below"],
}
