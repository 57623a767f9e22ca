"""What the hints say: each formula and each statement of size or direction, with what it must be.

Under a fragment, word for word, stands a `Formula`, which evaluates it as printed; a condition that
the fragment states; or the reason why there is nothing to evaluate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import torch
from linear_icl import gd_beta, labels, ltb, risk
from linear_icl import random_covariance as rc
from linear_icl.estimators import ols
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl.nonlinear.answered import apart
from linear_icl.nonlinear.probes import reshaped, second_moment, tasks_of
from linear_icl.nonlinear.recipes import RECIPES
from linear_icl.nonlinear.tasks import Tasks
from linear_icl.settings import Setting
from linear_icl_book.exercises import registry
from linear_icl_book.exercises._answer import read
from linear_icl_book.exercises.chapter_9 import _excesses

from tests.text.page import text_of
from tests.text.printed import Formula

from . import routes_1_to_3 as first
from . import routes_4_to_6 as middle
from . import routes_7_to_9 as last
from .diagnoses.chapters_1_to_3 import cosine

Tie: TypeAlias = str | Formula | Callable[[], Any]
RUNNING = np.diag([2.0, 0.5])
NODES, MASS = np.polynomial.hermite_e.hermegauss(12)
MASS = MASS / MASS.sum()


@cache
def solved(number: str) -> Any:
    one = registry()[number]
    return read(one.solve(**one.numbers("anna")))


def numbers(number: str) -> SimpleNamespace:
    return SimpleNamespace(**registry()[number].numbers("anna"))


def near(left: Any, right: Any, within: float = 1e-6) -> bool:
    return np.allclose(np.asarray(left, float), np.asarray(right, float), rtol=within, atol=1e-9)


def degree(function: Callable[[float], float], most: int) -> bool:
    """A polynomial of this degree and of none below."""
    values = np.array([float(function(0.5 + k / 4)) for k in range(most + 3)])
    size = np.abs(values).max()
    above, own = (np.abs(np.diff(values, most + k)).max() for k in (1, 0))
    return bool(above < 1e-9 * size < 1e-3 * own)


def in_cells(page: str, *code: str) -> bool:
    return all(one in text_of(page) for one in code)


def value(*says: Any, **letters: Any) -> Formula:
    """An expression, or members and relations in turn; `__` in a name is a backslash."""
    return Formula({k.replace("__", "\\"): v for k, v in letters.items()}, [says])


# What follows is computed from the package, for the numbers of one student.


def plain_step(alpha: float) -> float:
    n = numbers("1.1")
    return float(first.step_risk(first.diagonal(n.a, n.b), alpha * first.I, n.M))


def best_of_parabola() -> bool:
    curve, slope = np.polyfit([0.0, 1.0, 2.0], [plain_step(a) for a in (0.0, 1.0, 2.0)], 2)[:2]
    return degree(plain_step, 2) and near(-slope / 2 / curve, solved("1.1")[0])


def share_of_silence(s: float) -> float:
    n = numbers("1.4")
    Lambda = s * first.diagonal(n.a, n.b)
    return float(first.step_risk(Lambda, first.I, 10**12) / Lambda.trace())


def pseudo_inverse() -> tuple[np.ndarray, np.ndarray]:
    n = numbers("1.2")
    X = np.random.default_rng(1).normal(size=(n.M, n.d))
    return X, np.linalg.pinv(X)


def projects() -> bool:
    X, inverse = pseudo_inverse()
    P, d = inverse @ X, X.shape[1]
    return near(P @ P, P) and near(P, P.T) and near(np.trace(np.eye(d) - P), solved("1.2"))


def query_term() -> bool:
    n = numbers("2.1")
    token = np.array([*n.x_query, 0.0])
    block = np.outer(n.x_query, n.x_query)
    return near(np.outer(token, token), np.pad(block, ((0, 1), (0, 1))))


def ratio(n: float, D: int = 21) -> float:
    """E^T W E against a row times a column, multiplication by multiplication."""
    return (D * D * n + n * D * n) / (D * (D - 1) + D * n + D * n + n)


def noisy_part() -> Any:
    n = numbers("2.4")
    without = float(first.moment(n.a, n.b, n.N, 0.0))
    return (float(solved("2.4")) - without) / (n.noise * (n.a + n.b))


def softmax_slopes(slope: Callable[[np.ndarray, float, int], np.ndarray]) -> bool:
    """d/dx_q of the weights at zero, the query's token among them."""
    n = numbers("2.5")
    x, h = np.array(n.x), 1e-5

    def weights(query: float) -> np.ndarray:
        e = np.exp(n.sharpness * query * np.array([*n.x, query]))
        return np.asarray(e / e.sum())[:-1]

    mean = x.sum() / (len(x) + 1)
    return near((weights(h) - weights(-h)) / (2 * h), slope(x, mean, len(x)) * n.sharpness)


def one_dimensional() -> tuple[float, float, float, float]:
    n, (u, U) = numbers("3.1"), solved("3.1")
    return float(u), float(U), 1 + 2 / n.N, n.u**2 - n.U**2


def pull_on_the_line(N: int = 4, variance: float = 1.7, u: float = 0.6) -> float:
    case = FixedCovariance([[variance]], N)
    dU, du = case.gradient([[-u]], u)
    assert near(dU, -du)  # U = −u stays
    return -float(du)


def zs() -> np.ndarray:
    n = numbers("3.2")
    flow = gradient_flow(
        FixedCovariance([[1.0]], n.N), ([[-n.sigma]], n.sigma), [0.0, 0.5, 1.0], rtol=1e-11
    )
    return np.asarray(flow.states[1]) ** -2.0


def equal_heights() -> bool:
    n = numbers("3.4")
    omega = math.hypot(n.a**2, n.b**2)
    ahead = [1 + n.b**2 / omega, 1 + (n.a**2 + n.b**2) / math.sqrt(2) / omega]
    late = solved("3.4")
    return near(ahead[0] * math.exp(omega * (1 + late)), ahead[1] * math.exp(omega), 1e-6)


def spurious_hessian(N: int) -> np.ndarray:
    case = FullParameters(first.diagonal(2.0, 0.5), N)
    zero = torch.zeros(3, 1, dtype=torch.float64)

    def loss(z: torch.Tensor) -> torch.Tensor:
        W_PV = torch.cat([torch.zeros(2, 3, dtype=z.dtype), z[None, 6:]])
        return case.loss(torch.cat([z[:6].reshape(3, 2), zero], 1), W_PV)

    z = torch.zeros(9, dtype=torch.float64)
    z[4], z[6] = 1 / case.Gamma[0, 0], 1.0
    return np.linalg.eigvalsh(torch.func.jacrev(torch.func.grad(loss))(z))


def bias_and_variance(M: int, w: Any = (1.0, 2.0), N: int = 8) -> tuple[float, float]:
    moments = labels.Noiseless(middle.tensor(w)).moments(middle.LAMBDA)
    parts = risk.prediction_risk(middle.LAMBDA, N, M, moments)
    return float(parts.bias), float(parts.variance)


def even_moment(k: int, p: float = 1.3) -> float:
    return float(MASS @ (math.sqrt(p) * NODES) ** (2 * k))


def cubic_means() -> bool:
    """Of h = z³, by quadrature over both axes."""
    x = np.stack(np.meshgrid(NODES, NODES, indexing="ij"), -1).reshape(-1, 2) * np.sqrt([2, 0.5])
    mass, w = np.outer(MASS, MASS).ravel(), np.array([1.0, -1.5])
    z = x @ w
    h, shadow, p = z**3, RUNNING @ w, w @ RUNNING @ w
    rank_one = np.outer(shadow, shadow)
    zh, hh, zzhh = mass @ (z * h), mass @ h**2, mass @ (z * h) ** 2
    second = (x.T * mass * h**2) @ x
    return near((mass * h) @ x, zh / p * shadow) and near(
        second, hh * (RUNNING - rank_one / p) + zzhh / p**2 * rank_one
    )


@cache
def squares_and_traces() -> tuple[float, float]:
    """Standard errors of 100 000 prompts, as shares, from 20 000: squares, and traces."""
    draw = first.generator()
    x = 2 * torch.randn(20_000, 101, 2, generator=draw, dtype=torch.float64)
    w = torch.randn(20_000, 2, 1, generator=draw, dtype=torch.float64)
    x = x @ middle.LAMBDA.sqrt()
    S = x[:, :100].mT @ x[:, :100] / 100
    size = S.diagonal(dim1=1, dim2=2).sum(1)[:, None, None] / 2.5
    wrong = torch.linalg.solve(FixedCovariance(middle.LAMBDA, 64).Gamma, S) / size - torch.eye(2)
    squares = (x[:, 100:] @ wrong @ w).flatten() ** 2
    traces = (4 * middle.LAMBDA @ wrong @ wrong.mT).diagonal(dim1=1, dim2=2).sum(1)
    return tuple(float(one.std() / one.mean() / 1e5**0.5) for one in (squares, traces))  # type: ignore[return-value]


def turned(degrees: float, strong: float = 2.0, kappa: float = 7.0) -> float:
    angle = math.radians(degrees)
    Q = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    Lambda = np.diag([strong, strong / kappa])
    wrong = np.linalg.inv(Lambda) @ Q @ Lambda @ Q.T - np.eye(2)
    return float(np.trace(Q @ Lambda @ Q.T @ wrong @ wrong.T))


def two_points(k: int) -> float:
    n = numbers("5.1")
    return float(n.probability * n.epsilon**k + 1 - n.probability)


def gamma_moment(k: int, mean: float, shape: float) -> float:
    return math.exp(math.lgamma(shape + k) - math.lgamma(shape)) * (mean / shape) ** k


def own_axes() -> rc.DiagonalCovariance:
    n = numbers("5.3")
    return rc.DiagonalCovariance([rc.Gamma(1.0, n.mean), rc.Constant(n.constant)], 2, n.N)


def growth() -> bool:
    law = own_axes()
    xi, zeta = law.xi, law.zeta.diagonal()
    apart, together = (xi**2 / zeta).sum(), xi.sum() ** 2 / zeta.sum()
    left = 2 * law.minimum + law._mean().trace()
    return near(apart - together, solved("5.3")[2]) and near(left, law._mean().trace() - apart)


def mixed_gradient() -> bool:
    n = numbers("5.4")
    one = torch.diag(middle.tensor([n.strong, n.weak]))
    Q = torch.matrix_exp(
        math.radians(n.degrees) * torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    )
    A, both = torch.as_tensor(solved("5.4")), [one, Q @ one @ Q.T]
    left = sum(FixedCovariance((L + L.T) / 2, n.N).Gamma @ L @ A @ L for L in both)
    return near(left, sum(L @ L for L in both))


def exponential_risk(square: float) -> float:
    """At points scaled by c, as a function of c²."""
    n = numbers("5.5")
    return float(risk.random_covariance_risk(rc.Exponential(), n.d, n.N, n.M, scale=square))


def factorised() -> bool:
    n, (u12, U, u21) = numbers("6.2"), solved("6.2")
    bar_12, bar = u12 + n.beta_star, U + n.beta_star * u21
    return near([bar_12 * bar, bar_12 * u21 + bar, u21], [n.alpha, n.B, n.gamma])


def setting(number: str) -> ltb.Setting:
    return middle.problem(**vars(numbers(number)))


def lost() -> float:
    """What rank one leaves of ΦΩ^(−½)."""
    case = setting("6.3")
    values, axes = np.linalg.eigh(case.Omega.numpy())
    target = case.Phi.numpy() @ (axes / np.sqrt(values)) @ axes.T
    return float((np.linalg.svd(target)[1][1:] ** 2).sum())


def large_mean(M: int = 40) -> bool:
    found = ltb.lsa_infimum(ltb.Setting([[1.0]], [[1.0]], [30.0], 1.0, M), starts=6).gap
    return near(found, 2 * 30.0**2 / (M + 2), 0.01)


def one_point(A: float) -> float:
    n = numbers("7.1")
    return float(MASS @ (1 - A * n.h * NODES**2) ** 2)


def half_started() -> tuple[Any, Any, Any]:
    """The setting, what the start misses, and the setting of the hint."""
    n = numbers("7.2")
    case = last.running(n.M, n.noise_variance)
    miss = (1 - n.start) * case.beta_star
    return case, miss, case.replace(Psi=last.ONE + torch.outer(miss, miss))


def best_from_there() -> bool:
    case, miss, wider = half_started()
    best = gd_beta.optimum(wider).A
    risks = [
        gd_beta.risk(case, case.beta_star - miss, best + 1e-3 * last.tensor(move))
        for move in ([[0, 0], [0, 0]], [[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [-1, 1]])
    ]
    return bool(min(risks) == risks[0]) and near(risks[0], gd_beta.optimum(wider).risk)


def label_costs() -> bool:
    """The least cost of r = β* + k·τu₂₁ is at k = −1, and is the variance's part."""
    n = numbers("7.3")
    case, w = last.running(n.M, n.noise_variance), last.tensor(n.w)
    W = gd_beta.optimum(case).A.T - torch.outer(case.beta_star, w)
    costs = [last.cost(case, w, W, k * case.tau * w) for k in (-1.01, -1.0, -0.99)]
    size = float(w @ last.H @ w)
    square = (1 + 2 / n.M) * (float(case.tau) ** 2 + 2 * 4.25)
    return (
        min(costs) == costs[1]
        and near(costs[1], (square - float(case.tau) ** 2) * size)
        and near(last.cost(case, w, W, 0 * w), square * size)
    )


def rates() -> bool:
    """Exponents near the end of each: of A like β̄², of β free of β̄."""
    n = numbers("7.4")
    case = gd_beta.Landscape(Setting([[1.0]], [[1.0]], [1.0], n.noise_variance, n.M))

    def slopes(miss: float, A: float) -> list[float]:
        return [float(one) for one in case.gradient([1.0 - miss], [[A]])]

    def of_A(miss: float) -> float:
        return slopes(miss, 1.0)[1] - slopes(miss, 0.0)[1]

    relative = [slopes(miss, 0.5)[0] / miss for miss in (1e3, 1e4)]
    return near(of_A(1e4) / of_A(1e3), 100, 1e-3) and near(relative[0], relative[1], 1e-3)


def border_sides(M: int) -> tuple[float, float]:
    """Left side over M, right side over M², of the condition for φ = (2, h)."""
    n = numbers("7.5")
    tau, squares = 2 + n.h, 4 + n.h**2
    share = 2 * M / ((M + 1) * 2 + tau)
    return 2 * share**2 * (tau**2 + (M + 2) * squares - 4) / M, n.h**2


def made_anew() -> bool:
    """Of `reshaped`: eigenvalues are those that are wanted, and labels those of the same tasks."""
    points = Tasks(3, 6).sample(4, 7, generator=1)
    new = reshaped(points, lambda values: values + 1)
    spectra = [torch.linalg.eigvalsh(second_moment(some)) for some in (points, new)]
    w = tasks_of(points)
    return near(spectra[1], spectra[0] + 1, 1e-5) and near(
        new.y, torch.einsum("bpd,bd->bp", new.x.double(), w), 1e-4
    )


def a_quarter() -> bool:
    return near(np.var([0.3, 1.7]), (1.7 - 0.3) ** 2 / 4)


def over_orders() -> bool:
    """Answers in all orders, as errors from the label: exactly for two drawn, with replacement."""
    error = np.array([0.1, 0.9, 0.2, 0.7])
    V, rest = error.var(), error.mean() ** 2
    both = np.mean([((a + b) / 2) ** 2 for a in error for b in error])
    return near(np.mean(error**2), V + rest) and near(both, V / 2 + rest)


def held() -> bool:
    """Each prompt gets one prediction, and the questions' labels are no part of it."""
    told = [ols(Tasks(20, M).sample(7, generator=1).prompts).shape for M in (20, 40)]
    return told == [(7,), (7,)] and apart(ols).lengths == [20, 40]


def replaced() -> bool:
    given = Tasks(20, 4).sample(2, generator=1).prompts
    other = given._replace(x=2 * given.x, y=2 * given.y)
    kept = other.x_query is given.x_query and other.y_query is given.y_query
    return kept and torch.equal(other.x, 2 * given.x)


def is_least(total: Callable[[int], float], n: int, percent: float) -> bool:
    return 1 / total(int(n)) <= percent / 100 * (1 + 1e-9) < 1 / total(int(n) - 1) * (1 + 1e-6)


def enough() -> bool:
    n, (long, equal) = numbers("8.3"), solved("8.3")
    powers = lambda r: lambda k: sum(r**j for j in range(k + 1))  # noqa: E731
    return is_least(powers(n.ratio), long, n.percent) and is_least(powers(1), equal, n.percent)


def of_ones() -> bool:
    d, vector = 4, np.ones(4)
    values, axes = np.linalg.eigh(1.5 * np.eye(d) + 0.7 * np.ones((d, d)))
    return near(abs(axes[:, -1] @ vector), math.sqrt(d)) and near(values[-1], 1.5 + 0.7 * d)


def ahead() -> bool:
    """The share of angles at which |Z| > f|Z′|."""
    angle = (np.arange(400_000) + 0.5) / 400_000 * 2 * math.pi
    f = float(solved("9.3"))
    return near(
        np.mean(np.abs(np.cos(angle)) > f * np.abs(np.sin(angle))), numbers("9.3").chance, 1e-4
    )


def times_median() -> bool:
    """Nearly constant in B, and its standard error for sixty runs."""
    medians = [B * float(np.median(_excesses(B))) for B in (100, 200, 400)]
    rng = np.random.default_rng(0)
    drawn = [np.median(rng.choice(_excesses(200), 60)) for _ in range(400)]
    share = float(np.std(drawn) / np.median(_excesses(200)))
    return max(medians) < 1.25 * min(medians) and 0.05 < share < 0.15


def two_random_steps(s: float, p: float) -> float:
    n, (x, mass) = numbers("9.5"), np.polynomial.legendre.leggauss(12)
    lam = (n.low + n.high) / 2 + (n.high - n.low) / 2 * x
    return float(mass / 2 @ (lam * (1 - s * lam + p * lam**2) ** 2))


def least_of_two() -> float:
    design = np.array([[1.0, s, p, s * s, s * p, p * p] for s in range(3) for p in range(3)])
    values = [two_random_steps(s, p) for s in range(3) for p in range(3)]
    _, a, b, c, d, e = np.linalg.lstsq(design, np.array(values), rcond=None)[0]
    s, p = np.linalg.solve([[2 * c, d], [d, 2 * e]], [-a, -b])
    return two_random_steps(float(s), float(p))


def one_task() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    n = numbers("9.6")
    Lambda, w, v = np.diag(n.variances), np.array(n.met), np.array(n.new)
    line = np.sqrt(Lambda) @ w
    return Lambda, w, v, np.outer(line, line) / (line @ line)


def answers_with_the_task() -> bool:
    Lambda, w, v, P = one_task()
    root = np.diag(np.diag(Lambda) ** -0.5)
    return near(root @ P @ root @ Lambda @ v, solved("9.6")[0] * w)


HINTS: dict[str, dict[str, Tie]] = {
    "1.1": {
        "A = αI": "what is put in",
        "A parabola: the best α is half of what multiplies −α, over what multiplies α²": (
            best_of_parabola
        ),
        "γ = (1 + 1/M)λ + tr Λ/M": value(
            r"\gamma", "=", 0.5 * (1 + 1 / 7) + 2.5 / 7, M=7, __lambda=0.5, __Lambda=RUNNING
        ),
    },
    "1.2": {
        "X⁺y = X⁺Xw": "y = Xw is put in",
        "X⁺X is a projection": projects,
    },
    "1.3": {
        "400 000 prompts, as the page does": lambda: in_cells("icl_definitions", "count=400_000"),
        "the risk of a step with A = ½Λ⁻¹ is a formula of the page": lambda: near(
            first.step_risk(
                L := first.diagonal(numbers("1.3").a, numbers("1.3").b),
                L.inverse() / 2,
                numbers("1.3").M,
            ),
            solved("1.3")[0],
        ),
    },
    "1.4": {
        "With infinitely many points S = Λ. What does the step A = I": lambda: near(
            share_of_silence(1.0) * (numbers("1.4").a + numbers("1.4").b), solved("1.4")[0]
        ),
        "λ(λ − 1)²": value(1.7 - 2 * 1.7**2 + 1.7**3, __lambda=1.7),
        "put sλ for λ": lambda: near(share_of_silence(solved("1.4")[1]), solved("1.4")[2]),
        "a parabola in s": lambda: degree(share_of_silence, 2),
    },
    "1.5": {},
    "2.1": {"with a zero below: its term is x_q x_qᵀ in the upper left block": query_term},
    "2.2": {
        "takes pqr multiplications; a vector has r = 1": "how products are counted",
        "n = N + 1 and D = d + 1": "names",
        "Both counts are polynomials in n; which has an n²?": lambda: degree(
            lambda n: ratio(n) * (21 * 20 + 43 * n), 2
        ),
        "nD/(2D + 1)": value(ratio(1e12), n=10**12, D=21),
        "For large n the ratio is about nD/(2D + 1) plus a constant": lambda: (
            abs(ratio(1e9) - 1e9 * 21 / 43) < 21
        ),
    },
    "2.3": {},
    "2.4": {
        "yᵢ = wᵀxᵢ + εᵢ": "labels with noise",
        "E‖Sw‖² = tr E[S²]": lambda: near(
            first.moment(2.0, 0.5, 8, 0.0),
            np.trace((1 + 1 / 8) * RUNNING @ RUNNING + 2.5 / 8 * RUNNING),
        ),
        "only pairs i = i survive: N terms, each with a factor 1/N²": lambda: near(
            noisy_part(), numbers("2.4").N / numbers("2.4").N ** 2
        ),
    },
    "2.5": {
        "Expand e^(x_q xᵢ/ρ) to first order, above and below the fraction bar": lambda: (
            softmax_slopes(lambda x, mean, N: (x - mean) / (N + 1))
        ),
        "about 1/(N + 1) times 1 + x_q (xᵢ − mean of x)/ρ": lambda: softmax_slopes(
            lambda x, mean, N: 1 / (N + 1) * (x - mean)
        ),
    },
    "3.1": {
        "uU = 1/Γ": lambda: near(
            one_dimensional()[0] * one_dimensional()[1] * 3, 3 / one_dimensional()[2]
        ),
        "U = 1/(Γu)": lambda: near(
            one_dimensional()[1], 1 / one_dimensional()[0] / one_dimensional()[2]
        ),
        "u² − U² = D": lambda: near(
            one_dimensional()[0] ** 2 - one_dimensional()[1] ** 2, one_dimensional()[3]
        ),
        "For u² that is a quadratic equation": lambda: near(
            max(np.roots([1, -one_dimensional()[3], -(one_dimensional()[2] ** -2)])),
            one_dimensional()[0] ** 2,
        ),
    },
    "3.2": {
        "U = −u": lambda: bool(pull_on_the_line()),
        "u′ = −γλ²u³ − λ²u": value(
            "u′", "=", pull_on_the_line(), __gamma=1.7 * 1.5, __lambda=1.7, u=0.6
        ),
        "Which power of u obeys a linear equation?": lambda: near(
            (zs()[2] - zs()[1]) / (zs()[1] - zs()[0]), math.e
        ),
        "z = 1/u²": "a name",
    },
    "3.3": {},
    "3.4": {
        "Both starts grow at the same rate ω": "that of the growing mode, ω = ‖Λ²‖",
        "Ae^(ωt) and Be^(ωt)": equal_heights,
    },
    "3.5": {
        "both start to grow at almost the same rate": lambda: 0 < math.hypot(4, 0.25) - 4 < 0.01,
        "How much of each start grows?": lambda: near(
            (1 + cosine(numbers("3.5"))) / 2, solved("3.5"), 0.04
        ),
    },
    "3.6": {
        "the smallest eigenvalue of the Hessian": "a question",
        "One eigenvalue is zero for every N: the scaling": lambda: all(
            np.abs(spurious_hessian(N)).min() < 1e-9 for N in (3, 30)
        ),
        "Go through N from 2 on": lambda: in_cells("pl_convergence", "range(2, 60)"),
    },
    "4.1": {
        "Training gives Γ⁻¹ of length N": lambda: near(
            FixedCovariance(RUNNING, 8).target, np.linalg.inv(FixedCovariance(RUNNING, 8).Gamma)
        ),
        "For Λ = I both are multiples of I": lambda: near(
            FixedCovariance(np.eye(3), 8).Gamma, (1 + 4 / 8) * np.eye(3)
        ),
    },
    "4.2": {
        "V/M with a V that does not contain M; the bias B contains no M at all": lambda: near(
            bias_and_variance(7), np.array(bias_and_variance(1)) / [1, 7]
        ),
        "p = wᵀΛw": value(
            "p", "=", 2 * 1.0 + 0.5 * 4, w=np.array([[1.0], [2.0]]), __Lambda=RUNNING
        ),
        "Both have 1/γᵢ² in every term, which nearly cancels in V/B": lambda: (
            0.8 < registry()["4.2"].solve(**registry()["4.2"].book)[1] / 100 < 1
        ),
    },
    "4.3": {
        "a rest that is independent of z = wᵀx": "uncorrelated normal parts",
        "3p²": value(even_moment(2), p=1.3),
        "15p³": value(even_moment(3), p=1.3),
        "105p⁴": value(even_moment(4), p=1.3),
        "E[yx] needs E[zh], E[y²xxᵀ] needs E[h²] and E[z²h²]": cubic_means,
    },
    "4.4": {
        "100 000 prompts: their standard error is about 1 %": lambda: (
            0.005 < squares_and_traces()[0] < 0.015
        ),
        "much less noise": lambda: squares_and_traces()[1] < squares_and_traces()[0] / 3,
    },
    "4.5": {
        "symmetric about 90 degrees": lambda: near(turned(70), turned(110)),
        "At the worst angle the rotated covariance is diagonal again": lambda: (
            max(range(181), key=turned) == 90
        ),
    },
    "5.1": {
        "m₂/m₃, whatever d was": lambda: near(
            solved("5.1")[0] / two_points(1), two_points(2) / two_points(3)
        ),
        "E λ(αλ − 1)²": lambda: near(
            sum(
                q * x * (two_points(2) / two_points(3) * x - 1) ** 2
                for x, q in (
                    (numbers("5.1").epsilon, numbers("5.1").probability),
                    (1, 1 - numbers("5.1").probability),
                )
            ),
            solved("5.1")[1],
        ),
    },
    "5.2": {
        "c = 1": "the scale of the tests",
        "m₁ − m₂²/m₃": value(
            float(risk.random_covariance_risk(rc.Gamma(3.0, 0.6), 1, 10**12, 10**12)),
            **{f"m_{k}": gamma_moment(k, 1.8, 3.0) for k in (1, 2, 3)},
        ),
        "r = mean/k": lambda: near(rc.Gamma(3.0, 1.8 / 3).moment(1), 1.8),
        "what m₂² and m₃ have in common": "a step of the calculation",
        "one fraction with k in its denominator only": lambda: degree(
            lambda k: 1 / (1.8 - gamma_moment(2, 1.8, k) ** 2 / gamma_moment(3, 1.8, k)), 1
        ),
    },
    "5.3": {
        "2μ²": value(gamma_moment(2, 1.7, 1.0), __mu=1.7),
        "6μ³": value(gamma_moment(3, 1.7, 1.0), __mu=1.7),
        "The risk at M = N is what is left of E tr Λ: subtract Σξᵢ²/ζᵢᵢ, or (Σξᵢ)²/Σζᵢᵢ": growth,
    },
    "5.4": {
        "until the gap is small": "when to stop",
        "E[ΓΛAΛ] = E[Λ²] is linear": mixed_gradient,
    },
    "5.5": {
        "The risk is a cubic polynomial in c²": lambda: degree(exponential_risk, 3),
        "the risk of silence is d c² m₁": "the risk of zero, m₁ = 1 at c = 1",
        "Divide by c⁴: what is left is linear in c²": lambda: degree(
            lambda x: (exponential_risk(x) - numbers("5.5").d * x) / x**2, 1
        ),
    },
    "6.1": {
        "at least ‖β*‖²/(M + 1)": lambda: near(
            ltb.gap_lower_bound(setting("6.3")),
            float(np.array(numbers("6.3").variances) @ np.square(numbers("6.3").beta_star))
            / (numbers("6.3").M + 1),
        ),
        "What must it be at least?": "a question",
        "Φ = I": "H = Ψ = I",
        "τ = tr(ΛΨ) + σ²": value(
            r"\tau",
            "=",
            float(ltb.Setting(RUNNING, 3 * np.eye(2), [1.0, 2.0], 0.7**2, 8).tau),
            __Lambda=RUNNING,
            __Psi=3 * np.eye(2),
            __sigma=0.7,
        ),
    },
    "6.2": {
        "p_x X² + AX + p_z into (ū₁₂X + u)(ŪX + u₂₁), two real linear forms": factorised,
        "u = 1": "a choice",
        "ū₁₂ = u₁₂ + uβ*, Ū = U + β*u₂₁": factorised,
    },
    "6.3": {
        "With u = 0 the odd part has only u₂₁ū₁₂ᵀ, the even part only Ū and ū₁₂": (
            "A and p of the page, with u = 0"
        ),
        "the smallest value is that of layers without u₂₁": lambda: near(
            ltb.no_mixing_gap(setting("6.3")), solved("6.3") - lost()
        ),
        "the best approximation of rank one to ΦΩ^(−½)": lambda: near(
            lost(), ltb.swapped_block(setting("6.3")).excess
        ),
    },
    "6.4": {
        "go up until the layer's risk is not larger": lambda: min(solved("6.4")) > numbers("6.4").M,
        "For large means the price is nearly 2β*²/(M + 2)": large_mean,
        "how must M grow with β*?": "a question",
    },
    "6.5": {
        "r = 0": "what a layer is",
        "until the gradient is small: 1500 steps of Adam with the rate 0.03": lambda: in_cells(
            "ltb_vs_lsa", "range(1500)", "lr=0.03"
        ),
    },
    "7.1": {
        "1 − Ax² times what was there": lambda: near(
            1.4 - 0.3 * 0.9 * (0.9 * 1.4), (1 - 0.3 * 0.9**2) * 1.4
        ),
        "a parabola in A, with E x² and E x⁴ in it": lambda: degree(one_point, 2),
        "E x⁴ is three times the square of E x²": lambda: near(
            even_moment(2), 3 * even_moment(1) ** 2
        ),
    },
    "7.2": {"covariance Ψ + β̄β̄ᵀ": best_from_there},
    "7.3": {
        "The even part is r − β* + uτ̂u₂₁": label_costs,
        "The best r − β* is minus the mean of uτ̂u₂₁, so that only the variance of τ̂ remains": (
            label_costs
        ),
    },
    "7.4": {
        "A moves at a rate of order β̄², the miss shrinks at one of order one": rates,
        "the A that makes Q(A) smallest": lambda: near(
            solved("7.4"), 1 / (1 + 2 / numbers("7.4").M)
        ),
    },
    "7.5": {
        "Which one grows like M², and which like M?": lambda: near(
            border_sides(10**6)[0], border_sides(10**8)[0], 1e-4
        ),
        "φ = (2, φ₂)": "the variances of the exercise",
        "from M = 1": "where the search starts",
        "The page's smallest(case) looks at the Hessian: just below zero is rounding": lambda: (
            in_cells("gd_beta", "def smallest(case")
        ),
    },
    "8.1": {
        "reshaped moves eigenvalues, and makes the labels anew": made_anew,
        "the first 40 points and labels in reverse order": lambda: (
            RECIPES["d20-fixed"].tasks.length == 40
        ),
        "a quarter of their squared difference": a_quarter,
    },
    "8.2": {
        "One order leaves V more than the mean over all of them": over_orders,
        "the mean of K answers has the variance V/K": over_orders,
        "Two equations, two unknowns": lambda: len(solved("8.2")) == 2,
    },
    "8.3": {
        "one over a sum of powers of N/d": enough,
        "For N = d all powers are one": lambda: near(
            solved("8.3")[1] + 1, math.ceil(100 / numbers("8.3").percent)
        ),
    },
    "8.4": {
        "λ(1 − b₁λ)²": value(1.2 * (1 - 0.3 * 1.2) ** 2, __lambda=1.2, b_1=0.3),
        "a product of two factors; it is as large as silence where it is 1 or −1": lambda: near(
            abs(
                last.after_two_blocks(
                    numbers("8.4").first, numbers("8.4").second, float(solved("8.4")[1])
                )
            ),
            1,
            1e-6,
        ),
    },
    "8.5": {
        "A rule takes prompts and returns a prediction for each": held,
        "prompts._replace(x=..., y=...) are the same prompts with other examples": replaced,
        "a row for each model and a column for each length": lambda: (
            apart(ols).models.shape == (len(last.recorded_answers()[2]), 2)
        ),
    },
    "9.1": {
        "The largest eigenvalue of their sum belongs to the vector of ones": of_ones,
        "Make it small": "what to do",
    },
    "9.2": {
        "While the strong direction grows alone, what is conserved of its key and u": "a question",
        "On the stair u γ₁ k₁² = 1": lambda: near(
            solved("9.2")[0] ** 3
            * FixedCovariance(np.diag(numbers("9.2").eigenvalues), numbers("9.2").N).Gamma[0, 0],
            1,
        ),
        "By the clock ∫u the direction i comes at ln(1/u₀)/λ_i²": "the clock of the page",
        "u hardly changes, so the clock runs at the rate u": "the clock is the integral of u",
    },
    "9.3": {
        "For g = 1 the right mode is ahead where |Z| > f|Z′|": ahead,
        "two independent normal numbers of one size": "Z and Z′ of the page",
        "|Z| > f|Z′| holds inside two opposite sectors": ahead,
    },
    "9.4": {
        "Try 80, 160 and 320 prompts": lambda: in_cells("open_questions", "[80, 160, 320]"),
        "how does the median fall when B is doubled?": "a question",
        "B times the median is nearly constant. With sixty runs it is known to about a tenth": (
            times_median
        ),
    },
    "9.5": {
        "a polynomial of degree n, which is one at λ = 0": lambda: degree(
            lambda x: (1 - 0.5 * x) * (1 - 2 * x) * (1 - x), 3
        ),
        "write it 1 − sλ + pλ²: the risk is quadratic in s and p": lambda: near(
            least_of_two(), solved("9.5")[1]
        ),
        "risk/d is the mean of λ times the square of that polynomial": lambda: near(
            least_of_two(), solved("9.5")[1]
        ),
    },
    "9.6": {
        "m = Λv, and the step is Λ^-½ P Λ^-½": answers_with_the_task,
        "The trace of PΛ is wᵀΛ²w over wᵀΛw": lambda: near(
            np.trace(one_task()[0]) - np.trace(one_task()[3] @ one_task()[0]), solved("9.6")[1]
        ),
    },
}
