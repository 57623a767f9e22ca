"""Exercises 1.1 to 3.6."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters

from .. import routes_1_to_3 as routes
from . import Told


def power_sums(n: Any) -> tuple[float, ...]:
    """tr Λ, tr Λ², tr Λ³."""
    return tuple(n.a**k + n.b**k for k in (1, 2, 3))


def best_step(n: Any, own: float, trace: float) -> list[float]:
    """α and its risk if Γ is own·Λ + (trace·tr Λ/M) I."""
    t1, t2, t3 = power_sums(n)
    curve = own * t3 + trace * t1 * t2 / n.M
    return [t2 / curve, t1 - t2**2 / curve]


def without_query(n: Any) -> list[Any]:
    t1, t2, _ = power_sums(n)
    alpha = t1 / ((1 + 1 / n.M) * t2 + t1**2 / n.M)
    return [alpha, routes.step_risk(routes.diagonal(n.a, n.b), alpha * routes.I, n.M)]


def one_full_step(n: Any) -> Any:
    one = torch.eye(n.d, dtype=torch.float64)
    return routes.step_risk(one, one, n.M)


def whole_steps(n: Any) -> list[float]:
    """E tr(I − W)²ᵏ over the two eigenvalues of a Wishart matrix, l and lv, by quadrature."""
    nodes, mass = np.polynomial.legendre.leggauss(160)
    large, v = (100 * (nodes + 1))[:, None], (nodes + 1) / 2
    density = (
        large ** (n.M - 1) * v ** ((n.M - 3) / 2) * (1 - v) * np.exp(-large * (1 + v) / 2)
    )  # |l − lv| (l·lv)^((M−3)/2), times l for dv
    weight = mass[:, None] * mass * density
    left = [(1 - large / n.M) ** (2 * k) + (1 - large * v / n.M) ** (2 * k) for k in (1, 2, 3)]
    return [(n.a + n.b) / 2 * float((weight * one).sum() / weight.sum()) for one in left]


def plain_risk(n: Any, s: float) -> Any:
    return sum(s * x * (s * x - 1) ** 2 for x in (n.a, n.b))


def local_minimum(n: Any, r: Any) -> list[float]:
    t1, t2, t3 = power_sums(n)
    s = max(np.roots([3 * t3, -4 * t2, t1]).real)  # the larger critical point of a cubic that rises
    assert plain_risk(n, s) < min(plain_risk(n, 0.9 * s), plain_risk(n, 1.1 * s))
    return [r[0], s, plain_risk(n, s) / (s * t1)]


def too_few_factors(n: Any, r: Any) -> list[float]:
    t1, t2, _ = power_sums(n)
    return [r[0], t1 / t2, plain_risk(n, t1 / t2) * t2 / t1**2]


def mask(n: Any, N: int, U: Any = None) -> float:
    x, middle = np.array(n.x_query), np.array(n.U if U is None else U)
    return float(np.array(n.u12) @ x * (x @ middle @ x) / N)


def counted(n: Any, row_and_column: Callable[[int, int], int], products: int = 1) -> int:
    """The first N whose ratio is reached; W_KQ times the query always takes d(d + 1)."""
    D, N = n.d + 1, 1
    while products * (D**2 * (N + 1) + D * (N + 1) ** 2) < n.ratio * (
        n.d * D + row_and_column(D, N + 1)
    ):
        N += 1
    return N


def flat(n: Any, tokens: int, mean: float) -> float:
    x = np.array(n.x)
    slope = n.sharpness * (x * (x - mean)).sum() / tokens
    return float((x * x).mean() / (1 + 2 / len(x)) / slope)


def end(D: float, product: float) -> list[float]:
    """The positive solution of u² − U² = D and uU = product."""
    u = math.sqrt((D + math.hypot(D, 2 * product)) / 2)
    return [u, product / u]


def along_the_line(n: Any, gamma: float, t: float) -> float:
    return float(1 / math.sqrt((n.sigma**-2 + gamma) * math.exp(2 * t) - gamma))


def escaping(n: Any, _: Any) -> Any:
    start = ([[n.sigma]], n.sigma)
    return gradient_flow(FixedCovariance([[1.0]], n.N), start, [0.0, n.t]).states[1][-1]


def along_the_flow(n: Any, ask: Callable[..., Any], *, sharp: bool = False) -> Any:
    """The least of ask(∂U, ∂u, gap) over the times of the flow, over μ or μ_*."""
    case = FixedCovariance(routes.diagonal(2.0, 2.0 / n.kappa), 8)
    sigma = 0.5 * case.sigma_max(routes.theta())
    flow = gradient_flow(case, case.start(sigma, routes.theta()), np.linspace(0, 14, 141))
    dU, du = case.gradient(*flow.states)
    found = ask(dU.square().sum((-2, -1)), du.square(), flow.gap)[flow.gap > 1e-12]
    return found.min() / case.pl_constant(sigma, routes.theta(), sharp=sharp)


def cosines(n: Any) -> tuple[float, float, float]:
    """cos ϑ of the weak start and of the even one, and ω."""
    omega = math.sqrt(n.a**4 + n.b**4)
    return n.b**2 / omega, (n.a**2 + n.b**2) / math.sqrt(2) / omega, omega


def without_one(n: Any) -> float:
    weak, even, omega = cosines(n)
    return math.log(even / weak) / omega


def with_trace(n: Any) -> Any:
    weak, even, omega = cosines(n)
    trace = n.a**2 + n.b**2
    return math.log((1 + even * omega / trace) / (1 + weak * omega / trace)) / trace


def escaping_alone(n: Any) -> Any:
    """From u₀ = 1e-4 to one, at λ₂² and at ω."""
    return math.log(1e4) / n.b**2 - math.log(1e4) / cosines(n)[2]


def cosine(n: Any, power: int = 2) -> float:
    force = torch.linalg.matrix_power(routes.RUNNING, power)
    square = routes.theta(n.slope) @ routes.theta(n.slope).T
    return float((force * square).sum() / torch.linalg.matrix_norm(force))


def grown_and_decayed(n: Any, _: Any) -> float:
    """u at a time t is the sum of what grows and what decays; the ½ is left out of the first."""
    square, force = routes.theta(n.slope) @ routes.theta(n.slope).T, routes.RUNNING**2
    flow = torch.zeros(5, 5, dtype=torch.float64)  # of the entries of U, and u
    flow[:4, 4], flow[4, :4] = force.flatten(), force.flatten()
    start = torch.cat([square.flatten(), torch.ones(1, dtype=torch.float64)])
    rates, vectors = torch.linalg.eigh(flow)
    parts = vectors[4] * (vectors.T @ start)
    assert math.isclose(parts[0], (1 - cosine(n)) / 2, rel_tol=1e-9) and rates[0] < 0 < rates[-1]
    return float(2 * parts[-1])


def longest(n: Any, positive: Callable[[int], bool]) -> int:
    return next(N for N in range(2, 400) if not positive(N + 1))


def without_the_query_token(n: Any, N: int) -> bool:
    """The form in U₁₁, U₂₂ and u/γ₁ with the moments of S alone."""
    t1, t2 = n.a + n.b, n.a**2 + n.b**2
    eleven = n.a * n.a**2 * (1 + 2 / N)  # E x₁² E S₁₁²
    twelve = n.b * n.a * n.b / N  # E x₂² E S₁₂²
    mixed = n.a * (n.a**2 * (1 + 2 / N) + n.a * n.b)  # E x₁² E S₁₁ wᵀSw
    labels = n.a * (t1**2 + 2 * t2) * (1 + 2 / N)  # E x₁² E (wᵀSw)²
    coupling = -(n.b**2) * ((1 + 1 / N) * n.a + t1 / N)
    form = [[eleven, 0, mixed], [0, twelve, coupling], [mixed, coupling, labels]]
    return bool(np.linalg.eigvalsh(np.array(form))[0] > 0)


def with_variance_in_the_coupling(n: Any, N: int) -> bool:
    """The package's Hessian in U₁₁, U₂₂ and u, its coupling λ₂² with a factor λ₁/γ₁."""
    case = FullParameters(routes.diagonal(n.a, n.b), N)

    def loss(z: torch.Tensor) -> torch.Tensor:
        W_KQ, W_PV = torch.zeros(2, 3, 3, dtype=z.dtype)
        fixed = torch.stack([1 / case.Gamma[0, 0], torch.ones_like(z[0])])
        at = (torch.tensor([0, 1, 2]), torch.tensor([0, 1, 0]))
        W_KQ = W_KQ.index_put(at, torch.stack([z[0], z[1], fixed[0]]))
        W_PV = W_PV.index_put(
            (torch.tensor([2, 2]), torch.tensor([0, 2])), torch.stack([fixed[1], z[2]])
        )
        return case.loss(W_KQ, W_PV)

    form = torch.func.jacrev(torch.func.grad(loss))(torch.zeros(3, dtype=torch.float64))
    form[1, 2] += n.b**2 * (1 - n.a / case.Gamma[0, 0])
    return float(torch.linalg.eigvalsh(form, UPLO="U")[0]) > 0


TOLD: Told = {
    "1.1": {
        "that is the best step for infinitely many points, where S = Λ": lambda n, r: best_step(
            n, 1, 0
        ),
        "the trace term of Γ is missing, (tr Λ/M)I": lambda n, r: best_step(n, 1 + 1 / n.M, 0),
        "1 stands where 1 + 1/M belongs in Γ": lambda n, r: best_step(n, 1, 1),
        "the query's covariance is left out: one factor Λ too few in both traces": (
            lambda n, r: without_query(n)
        ),
        "the second number has the ½ of the training loss; the risk has none": (
            lambda n, r: [r[0], r[1] / 2]
        ),
    },
    "1.2": {
        "that part of the task is seen; the risk is what is not": lambda n, r: n.d - r,
        "that is the risk of zero, which uses no point at all": lambda n, r: r + n.M,
        "that is the share of the risk of zero, not the risk": lambda n, r: r / n.d,
        "d − M − 1 belongs to the risk with noise; without noise the risk has no denominator": (
            lambda n, r: n.d - n.M - 1
        ),
        "that is one full gradient step; least squares fits its points exactly": (
            lambda n, r: one_full_step(n)
        ),
    },
    "1.3": {
        "that has a new context for every step; here all steps use the same": lambda n, r: [
            (n.a + n.b) * ((1 + 3 / n.M) / 4) ** k
            for k in (1, 2, 3)  # E(I − ½W)², a multiple of I
        ],
        "that is with S = Λ, a context of infinitely many points": (
            lambda n, r: [(n.a + n.b) * (1 - 1 / 2) ** (2 * k) for k in (1, 2, 3)]
        ),
        "that is with A = Λ⁻¹; here the step is half as long": lambda n, r: whole_steps(n),
        "these are training losses, with a factor ½; the risk has none": lambda n, r: r / 2,
    },
    "1.4": {
        "the query's covariance is left out: tr(Λ − I)² stands where tr[(Λ − I)²Λ] belongs": (
            lambda n, r: [(n.a - 1) ** 2 + (n.b - 1) ** 2, *r[1:]]
        ),
        "there the risk itself has a local minimum, not its share of the risk of zero": (
            local_minimum
        ),
        "one factor Λ too few in both traces of s": too_few_factors,
        "the third number is the risk at s; divide by that of zero, s tr Λ": lambda n, r: [
            *r[:2],
            r[2] * r[1] * (n.a + n.b),
        ],
        "the first number has the ½ of the training loss; the risk has none": (
            lambda n, r: [r[0] / 2, *r[1:]]
        ),
    },
    "1.5": {
        "prompts of 4 points have a bad best step, however many they are": (
            lambda n, r: routes.typical(n.points, 4, n.M)
        ),
        "prompts of 640 points leave too few tasks to fit a step on": (
            lambda n, r: routes.typical(n.points, 640, n.M, runs=400)
        ),
        "that is the best step for infinitely many tasks of length M": lambda n, r: (
            routes.step_risk(
                routes.RUNNING, torch.linalg.inv(FixedCovariance(routes.RUNNING, n.M).Gamma), n.M
            )
        ),
        "that is the training loss, with a factor ½; the risk has none": lambda n, r: r / 2,
    },
    "2.1": {
        "1/N is left out": lambda n, r: mask(n, 1),
        "the layer divides by N, the points of the context, not by all tokens": (
            lambda n, r: mask(n, n.N + 1)
        ),
        "U is left out of x_qᵀUx_q": lambda n, r: mask(n, n.N, np.eye(2)),
        "that is ŷ without the query minus ŷ with it": lambda n, r: -r,
        "x_q stands in there three times: once with u₁₂ and twice around U": (
            lambda n, r: np.array(n.u12) @ np.array(n.U) @ np.array(n.x_query) / n.N
        ),
    },
    "2.2": {
        "that forms EEᵀ first; the row and the column need no matrix": (
            lambda n, r: counted(n, lambda D, N: D**2 * N + D**2 + D)
        ),
        "E is met twice, in the column (the scores) and in the row (the values)": (
            lambda n, r: counted(n, lambda D, N: D * N + N)
        ),
        "W_PV E and its product are not asked for, only EᵀW_KQ E": (
            lambda n, r: counted(n, lambda D, N: 2 * D * N + N, products=2)
        ),
        "that is the leading order for large N and d, a ratio of N/2; keep the terms below it": (
            lambda n, r: 2 * n.ratio
        ),
    },
    "2.3": {
        "that query is parallel to w": lambda n, r: n.w[1] / n.w[0],
        "the sign of w₁ is lost": lambda n, r: n.w[0] / n.w[1],
        "w₁ and w₂ are swapped": lambda n, r: 1 / r,
    },
    "2.4": {
        "that is without noise": lambda n, r: routes.moment(n.a, n.b, n.N, 0.0),
        "every point has noise of its own: its mean square falls like 1/N": (
            lambda n, r: routes.moment(n.a, n.b, n.N, 0.0) + n.noise * (n.a + n.b)
        ),
        "the noise is multiplied by points, of mean square tr Λ, not d": (
            lambda n, r: r + n.noise / n.N * (2 - n.a - n.b)
        ),
        "E S² is more than Λ²: a short context scatters": (
            lambda n, r: power_sums(n)[1] + n.noise / n.N * power_sums(n)[0]
        ),
    },
    "2.5": {
        "the query is a token too: the softmax is over N + 1": (
            lambda n, r: flat(n, len(n.x), float(np.mean(n.x)))
        ),
        "the weights are relative to the mean over all tokens; here it is not zero": (
            lambda n, r: flat(n, len(n.x) + 1, 0.0)
        ),
        "the trained layer divides by γ = 1 + 2/N": lambda n, r: r * (1 + 2 / len(n.x)),
        "1/ρ is left out": lambda n, r: r * n.sharpness,
    },
    "3.1": {
        "that is the balanced end; this start has u² − U² ≠ 0, and keeps it": (
            lambda n, r: end(0, n.N / (n.N + 2))
        ),
        "1/Λ stands where 1/Γ belongs": lambda n, r: end(n.u**2 - n.U**2, 1),
        "the trace term of Γ is missing": lambda n, r: end(n.u**2 - n.U**2, 1 / (1 + 1 / n.N)),
        "what is conserved is the difference u² − U², not the sum": (
            lambda n, r: end(n.u**2 + n.U**2, n.N / (n.N + 2))
        ),
        "U and u are taken for each other in what is conserved": (
            lambda n, r: end(n.U**2 - n.u**2, n.N / (n.N + 2))
        ),
    },
    "3.2": {
        "that is u(t)², not u(t)": lambda n, r: r**2,
        "that is the linear part only; the cubic term counts for this u₀": (
            lambda n, r: n.sigma * math.exp(-n.t)
        ),
        "λ stands where γ belongs": lambda n, r: along_the_line(n, 1, n.t),
        "the sign of γ is lost: the cubic term pulls towards zero too": (
            lambda n, r: along_the_line(n, -1 - 2 / n.N, n.t)
        ),
        "that start has U(0) = +u₀, and escapes": escaping,
        "the exponent is 2λ²t": lambda n, r: along_the_line(n, 1 + 2 / n.N, n.t / 2),
    },
    "3.3": {
        "that is over the sharper constant; the published one is wanted": (
            lambda n, r: along_the_flow(n, lambda U, u, gap: (U + u) / gap, sharp=True)
        ),
        "that is the ratio at the start, not the smallest": (
            lambda n, r: along_the_flow(n, lambda U, u, gap: ((U + u) / gap)[0] + 0 * gap)
        ),
        "the gradient has a part in u, not only in U": (
            lambda n, r: along_the_flow(n, lambda U, u, gap: U / gap)
        ),
        "‖∇ℓ̃‖ stands where its square belongs": (
            lambda n, r: along_the_flow(n, lambda U, u, gap: (U + u).sqrt() / gap)
        ),
    },
    "3.4": {
        "the 1 of 1 + cos ϑ is left out: u starts at u₀ too": lambda n, r: without_one(n),
        "1/ω is left out: a factor in the amplitude is a logarithm over ω in time": (
            lambda n, r: r * cosines(n)[2]
        ),
        "tr Λ² stands where ω = ‖Λ²‖ belongs": lambda n, r: with_trace(n),
        "the weak direction does not escape alone, at the rate λ₂²: it feeds u": (
            lambda n, r: escaping_alone(n)
        ),
        "that is a decimal logarithm; here it is the natural one": lambda n, r: (
            r * math.log10(math.e)
        ),
    },
    "3.5": {
        "that is cos ϑ; of the slice half of u₀(1 + cos ϑ) grows": lambda n, r: cosine(n),
        "the ½ is left out: ½u₀(1 + cos ϑ) grows, and ½u₀(1 − cos ϑ) decays": grown_and_decayed,
        "of the slice only a part grows: equal sizes are no tie": lambda n, r: 1.0,
        "the force on the slice is Λ², not Λ": lambda n, r: (1 + cosine(n, 1)) / 2,
    },
    "3.6": {
        "that is the first length at which the point is a saddle": lambda n, r: int(r) + 1,
        "the query is a token too: S + x_q x_qᵀ/N stands in the form": (
            lambda n, r: longest(n, partial(without_the_query_token, n))
        ),
        "λ₁ stands where γ₁ belongs in the coupling": (
            lambda n, r: longest(n, partial(with_variance_in_the_coupling, n))
        ),
    },
}
