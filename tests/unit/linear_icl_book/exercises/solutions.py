"""What the solutions say, as `hinted` has it: formulas in TeX, and statements of direction.

What is a number alone is tied in `tests/text/numbers/`.
"""

from __future__ import annotations

import json
import math
import operator
from typing import Any

import numpy as np
import torch
from linear_icl import gd_beta, labels, ltb, risk
from linear_icl import random_covariance as rc
from linear_icl.estimators import ols
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, KeysApart
from linear_icl.nonlinear import recorded
from linear_icl.nonlinear.answered import apart
from linear_icl.settings import Setting
from linear_icl_book.exercises import registry

from . import routes_1_to_3 as first
from . import routes_4_to_6 as middle
from . import routes_7_to_9 as last
from .diagnoses.chapters_1_to_3 import cosine
from .hinted import (
    RUNNING,
    Tie,
    best_from_there,
    cubic_means,
    even_moment,
    exponential_risk,
    gamma_moment,
    label_costs,
    lost,
    mixed_gradient,
    near,
    numbers,
    of_ones,
    one_task,
    query_term,
    rates,
    ratio,
    setting,
    share_of_silence,
    solved,
    spurious_hessian,
    squares_and_traces,
    turned,
    value,
)

L = np.diag([2.0, 0.7])


def strong_alone() -> bool:
    """Along the flow from equal small factors: k₁² − u², while the weak direction is not there."""
    size = torch.tensor(1e-3, dtype=torch.float64)
    factor = torch.diag(torch.stack([size, 0 * size]))
    landscape = KeysApart(FixedCovariance(np.diag([2.0, 0.5]), 8))
    K, Q, u = gradient_flow(landscape, (factor, factor, size), np.linspace(0, 400, 50)).states
    kept = (K[:, 0, 0] * Q[:, 0, 0] - u**2).abs().max()
    return float(u[-1]) > 0.5 and float(kept) < 1e-6


GAMMA = (1 + 1 / 9) * L + 2.7 / 9 * np.eye(2)
BETA = np.array([[1.0], [2.0]])


def book(number: str) -> Any:
    one = registry()[number]
    return one.solve(**one.book)


def plain_best() -> tuple[float, float]:
    """α and risk for L, M = 9, by the package."""
    case = FixedCovariance(L, 9)

    def of(alpha: float) -> float:
        return float(2 * case.loss(alpha * np.eye(2), 1.0) + 2.7)

    curve, slope, start = np.polyfit([0.0, 1.0, 2.0], [of(a) for a in (0.0, 1.0, 2.0)], 2)
    return -slope / 2 / curve, start - slope**2 / 4 / curve


def softmax_slope() -> tuple[float, np.ndarray, np.ndarray]:
    """The slope at x_q = 0 of Σyᵢ softmax(xᵢx_q/ρ), the query a token with the label zero."""
    x, y = np.array([-1.0, 0.5, 1.0, 2.3]), np.array([0.3, 1.1, -0.7, 2.0])

    def said(query: float) -> float:
        e = np.exp(query * np.array([*x, query]) / 1.7)
        return float(e[:-1] @ y / e.sum())

    return (said(1e-4) - said(-1e-4)) / 2e-4, x, y


def line() -> tuple[float, float]:
    """u′ and z′ on the line U = −u, for λ = 1.7, N = 4, u = 0.6."""
    case = FixedCovariance([[1.7]], 4)
    du = -float(case.gradient([[-0.6]], 0.6)[1])
    return du, -2 * 0.6**-3 * du


def on_the_line(t: float) -> float:
    case = FixedCovariance([[1.7]], 4)
    flow = gradient_flow(case, ([[-0.6]], 0.6), [0.0, t], rtol=1e-11)
    return float(flow.states[1][-1]) ** 2


def other_start() -> bool:
    """U(0) = −½, u(0) = 0.51: u stays above √D, U turns."""
    flow = gradient_flow(FixedCovariance([[1.0]], 4), ([[-0.5]], 0.51), np.linspace(0, 40, 400))
    U, u = flow.states
    D = 0.51**2 - 0.25
    return D > 0 and bool((u >= D**0.5 - 1e-9).all()) and float(U[0]) < 0 < float(U[-1])


def take_over() -> Any:
    """V, B at N = 8 and at 80 for w = (1, 1)."""
    moments = labels.Noiseless(middle.tensor([1.0, 1.0])).moments(middle.LAMBDA)
    parts = [risk.prediction_risk(middle.LAMBDA, N, 1, moments) for N in (8, 80)]
    return [(float(p.variance), float(p.bias)) for p in parts]


def with_gammas(N: int) -> dict[str, Any]:
    lam, w = np.array([2.0, 0.5]), np.array([1.0, 2.0])
    moments = labels.Noiseless(middle.tensor(w)).moments(middle.LAMBDA)
    parts = risk.prediction_risk(middle.LAMBDA, N, 1, moments)
    return {
        "letters": {
            r"\lambda": lam,
            r"\gamma": (1 + 1 / N) * lam + 2.5 / N,
            r"\Sigma": np.diag(moments.Sigma.numpy()),
            r"\Lambda": np.diag(lam),
            "w": w,
            "N": N,
        },
        "V": float(parts.variance),
        "B": float(parts.bias),
    }


TAKE = with_gammas(9)
W = np.array([[1.0], [-1.5]])
P = float(W[0, 0] ** 2 * 2 + W[1, 0] ** 2 * 0.5)


def rotated_sum() -> float:
    return turned(90, 2.0, 7.0)


def two_laws(epsilon: float) -> list[float]:
    return [float(one) for one in registry()["5.1"].solve(epsilon=epsilon, probability=0.5)]


def two_step_price(k: float) -> float:
    """E λF² at the best polynomial of degree two, F(0) = 1, gamma law of mean one."""
    m = [gamma_moment(i, 1.0, k) for i in range(6)]
    pull, square = np.array(m[2:4]), np.array([[m[3], m[4]], [m[4], m[5]]])
    return m[1] - float(pull @ np.linalg.solve(square, pull))


def spread(N: int) -> float:
    n = numbers("5.5")
    return float(rc.DiagonalCovariance(rc.Exponential(), n.d, N).gamma[0])


def meeting() -> bool:
    """α_N c²ζ^(M) = 2m₂ at the answer, and the risks are equal there."""
    n, square = numbers("5.5"), float(solved("5.5")) ** 2
    alpha = 2 / spread(n.N)
    return (
        near(alpha * square * spread(n.M), 2 * 2)
        and near(square, 2 * spread(n.N) / spread(n.M))
        and near(exponential_risk(square), n.d * square)
    )


def mean_dominates() -> dict[str, Any]:
    case = ltb.Setting(np.eye(3), np.eye(3), [1.0, 0.0, 0.0], 0.0, 11)
    return {"risk": float(ltb.infimum(case)), "bound": float(ltb.infimum(case)) * 12}


def larger_than_promised() -> bool:
    n = numbers("6.1")
    mean = np.full(n.d, (float(solved("6.1")) / n.d) ** 0.5)
    case = ltb.Setting(np.eye(n.d), np.eye(n.d), mean, 0.0, n.M)
    return float(ltb.lsa_infimum(case, starts=8).risk / ltb.infimum(case)) > 2


def swapped_even() -> tuple[float, float]:
    """The even part at the U of the text, and a little beside it, by the risk of weights."""
    case = setting("6.3")
    none, M = torch.zeros(2, dtype=torch.float64), case.length
    b = middle.tensor([0.6, -0.3])
    square = float(b @ case.H @ b)
    V = M / (M + 2) * torch.outer(b, case.beta_star) / square
    even = [
        float(
            ltb.risk(case, ltb.Reduced(none, b, 0 * b[0], share * V, none))
            - ltb.risk(case, ltb.Reduced(case.beta_star, none, 0 * b[0], 0 * V, none))
        )
        for share in (1.0, 1.01, 0.99)
    ]
    return even[0], min(even[1:])


def even_price() -> float:
    case = setting("6.3")
    return float(2 * case.beta_star @ case.H @ case.beta_star / (case.length + 2))


def parts_of_swapped() -> dict[str, Any]:
    case = setting("6.3")
    phi = np.sort(np.linalg.eigvalsh(case.Phi.numpy()))[::-1]
    omega = (case.length + 1) / case.length * phi + float(case.tau) / case.length
    return {
        r"\varphi": phi,
        r"\omega": omega,
        r"\beta^\ast": case.beta_star.numpy()[:, None],
        r"\Lambda": case.H.numpy(),
        "M": case.length,
    }


SWAPPED = parts_of_swapped()


def attained(number: str = "6.3") -> bool:
    even, beside = swapped_even()
    return even < beside and near(even, even_price())


def guess() -> bool:
    """The layer's excess is about 2β*²/(M + 2) + 3/(M + 3), and the block's own 3/7 at M = 4."""
    M = 306
    block = [float(ltb.infimum(ltb.Setting([[1.0]], [[1.0]], [0.0], 1.0, m)) - 1) for m in (4, M)]
    layer = ltb.lsa_infimum(ltb.Setting([[1.0]], [[1.0]], [8.0], 1.0, M), starts=6).risk - 1
    return near(block, [3 / 7, 3 / (M + 3)]) and near(layer, 2 * 64 / (M + 2) + block[1], 0.02)


def overshoot(noise: float, miss: float = 1e3, M: int = 4) -> float:
    """The best step from this far."""
    case = Setting([[1.0]], [[1.0 + miss**2]], [1.0], noise, M)
    return float(gd_beta.optimum(case).A)


def traps() -> bool:
    """Noise raises τ and shortens s₁; the border moves out."""
    without, noisy = book("7.5")
    tau = [2.5, 6.5]
    share = [2 * 30 / (31 * 2 + t) for t in tau]
    return tau[0] < tau[1] and share[0] > share[1] and without < noisy


def flattest() -> tuple[float, float]:
    """λ²/γ and the largest eigenvalue at u = 0.8, for Λ = 1.5 I, d = 3, N = 8."""
    case = FixedCovariance(1.5 * np.eye(3), 8)
    return 1.5**2 / float(case.Gamma[0, 0]), float(case.sharpness(torch.tensor(0.8).double()))


def known_task(what: str) -> bool:
    Lambda, w, v, P = one_task()
    root = np.sqrt(Lambda)
    answer = np.linalg.inv(root) @ P @ root @ v
    if what == "multiple":
        return near(answer, solved("9.6")[0] * w)
    others = [solved("9.6")[0] + move for move in (0, 1e-3, -1e-3)]
    missed = [float((v - c * w) @ Lambda @ (v - c * w)) for c in others]
    return min(missed) == missed[0]


def trained_step_between() -> Any:
    """One step of ½Λ⁻¹ is worse than the trained one, two and three are better."""
    one, two, three = book("1.3")
    trained = float(2 * FixedCovariance(RUNNING, 8).minimum + 2.5)
    return one > trained > two > three


def contraction() -> bool:
    """|1 − w/2| is below one just where 0 < w < 4."""
    return all((abs(1 - w / 2) < 1) == (w < 4) for w in np.arange(0.1, 9, 0.2))


def count_parts() -> dict[str, Any]:
    D, n = 21, 1000
    return {"D": D, "n": n, "d": D - 1}


def smallest_share() -> bool:
    best = float(solved("1.4")[1])
    return share_of_silence(best) < min(share_of_silence(best + move) for move in (1e-3, -1e-3))


def omega_of(a: float = 2.0, b: float = 0.7) -> float:
    return math.hypot(a * a, b * b)


def cosine_of(square: np.ndarray, a: float = 2.0, b: float = 0.7) -> float:
    """cos ϑ of the start ΘΘᵀ, of norm one."""
    return float((np.diag([a * a, b * b]) * square).sum() / omega_of(a, b))


def escape_time() -> bool:
    n = numbers("3.4")
    weak, even = (
        1 + cosine_of(one, n.a, n.b) for one in (np.diag([0.0, 1.0]), np.eye(2) / math.sqrt(2))
    )
    return near(solved("3.4"), math.log(even / weak) / omega_of(n.a, n.b))


def growing() -> bool:
    """The largest rates of (u₁₂, u₂₁) and (U, u) at the origin, and what grows of the second."""
    linear = np.zeros((5, 5))
    linear[4, :4] = linear[:4, 4] = (RUNNING @ RUNNING).ravel()
    pair = np.block([[np.zeros((2, 2)), RUNNING @ RUNNING], [RUNNING @ RUNNING, np.zeros((2, 2))]])
    values, axes = np.linalg.eigh(linear)
    square = (first.theta(numbers("3.5").slope) @ first.theta(numbers("3.5").slope).T).numpy()
    part = axes[4, -1] * (axes[:, -1] @ [*square.ravel(), 1.0])
    return near([np.linalg.eigvalsh(pair)[-1], values[-1]], [4, math.sqrt(16 + 1 / 16)]) and near(
        part, (1 + cosine(numbers("3.5"))) / 2
    )


def noisy_step(Lambda: np.ndarray, M: int, noise: float) -> np.ndarray:
    """The A with the least risk at length M with noise, by the normal equations of `risk_curve`."""
    d = len(Lambda)

    def of(A: np.ndarray) -> float:
        curve = risk.risk_curve(
            Lambda, None, task=None, noise_variance=noise, query_covariance=Lambda, preconditioner=A
        )
        return float(curve.floor + curve.slope / M)

    one, basis = of(np.zeros((d, d))), np.eye(d * d).reshape(d * d, d, d)
    plus, minus = (np.array([of(sign * e) for e in basis]) for sign in (1, -1))
    half = np.array([[of(e + f) for f in basis] for e in basis])
    square = half - plus[:, None] - plus[None] + one
    return np.linalg.solve(square, -(plus - minus) / 2).reshape(d, d)


def falls_more() -> bool:
    """γ₂ falls more than γ₁, and the weak term is the larger part of the bias."""
    lam = np.array([2.0, 0.5])
    short, long = ((1 + 1 / N) * lam + 2.5 / N for N in (8, 80))
    fall, terms = short / long, (lam + 2.5) ** 2 * lam / short**2
    shares = terms / terms.sum(), lam**2 * (lam + 2.5) / short**2
    return bool(fall[1] > fall[0] > 1 and shares[0][1] > shares[1][1] / shares[1].sum())


def cubic_covariance() -> np.ndarray:
    """Cov(yx) by quadrature."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(8)
    mass = np.outer(mass, mass).ravel() / (2 * math.pi)
    x = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), -1).reshape(-1, 2) @ np.sqrt(RUNNING)
    yx = (x @ W) ** 3 * x
    mean = mass @ yx
    return np.asarray((yx.T * mass) @ yx - np.outer(mean, mean))


def reflected(A: np.ndarray) -> Any:
    """In the line at 22.5 degrees."""
    cos, sin = math.cos(math.pi / 4), math.sin(math.pi / 4)
    R = np.array([[cos, sin], [sin, -cos]])
    return R @ A @ R


def price_of_block() -> float:
    n = numbers("6.1")
    return float(ltb.infimum(ltb.Setting(np.eye(n.d), np.eye(n.d), np.zeros(n.d), 0.0, n.M)))


def two_means() -> bool:
    """Answers to one prompt in K of all orders, drawn with replacement: exactly, K = 2."""
    said, label = np.array([0.3, 1.1, 0.4, 0.9]), 0.2
    V, rest = said.var(), (said.mean() - label) ** 2
    both = np.mean([((a + b) / 2 - label) ** 2 for a in said for b in said])
    return near(np.mean((said - label) ** 2), V + rest) and near(both, V / 2 + rest)


def of_the_record() -> bool:
    """The numbers of the exercise: of the first of the four, with 40 examples."""
    found = json.loads((recorded.RECORDS / "compared/d20-fixed.json").read_text("utf-8"))["orders"]
    own = {"once": found["risk"][1][-1], "averaged": found["averaged"][1][-1]}
    return all(near(5 * own[key], registry()["8.2"].book[key], 2e-3) for key in own)


COUNT = count_parts()

SOLUTIONS: dict[str, dict[str, Tie]] = {
    "1.1": {
        r"\alpha=\operatorname{tr}\Lambda^2/\operatorname{tr}(\Gamma_M\Lambda^2)": value(
            r"\alpha", "=", plain_best()[0], __Lambda=L, __Gamma_M=GAMMA
        ),
        r"\operatorname{tr}\Lambda-(\operatorname{tr}\Lambda^2)^2"
        r"/\operatorname{tr}(\Gamma_M\Lambda^2)": value(
            plain_best()[1], __Lambda=L, __Gamma_M=GAMMA
        ),
    },
    "1.2": {
        r"$\hat w=Qw$ with the projection $Q$ on the span of the $M$ points, almost surely of "
        r"dimension $M$": "what X⁺X is",
        r"\mathbb E\|(I-Q)w\|^2=": "the risk of Qw for Λ = I",
        r"\operatorname{tr}(I-Q)=d-M": value(
            book("1.2"), "=", book("1.2"), I=np.eye(6), Q=np.diag([1.0, 1, 1, 1, 0, 0]), d=6, M=4
        ),
    },
    "1.3": {
        "One such step does not beat the trained one; $k=2,3,4$ do": trained_step_between,
        r"least squares while the eigenvalues of $\Lambda^{-1/2}S\Lambda^{-1/2}$ are below four. "
        "With positive probability they are not; then the error grows geometrically": contraction,
    },
    "1.4": {
        r"\operatorname{tr}[(\Lambda-I)^2\Lambda]=2+\frac18": value(
            17 / 8, "=", 17 / 8, __Lambda=RUNNING, I=np.eye(2)
        ),
        r"\operatorname{tr}[(s\Lambda-I)^2\Lambda]/\operatorname{tr}\Lambda": value(
            float((first.step_risk(0.7 * torch.as_tensor(RUNNING), first.I, 10**12)) / 0.7 / 2.5),
            s=0.7,
            __Lambda=RUNNING,
            I=np.eye(2),
        ),
        r"is smallest at $s=\operatorname{tr}\Lambda^2/\operatorname{tr}\Lambda^3$": smallest_share,
        r"s=\operatorname{tr}\Lambda^2/\operatorname{tr}\Lambda^3": value(
            "s", "=", book("1.4")[1], __Lambda=RUNNING
        ),
    },
    "1.5": {},
    "2.1": {
        r"\frac1N\binom{x_q}0\binom{x_q}0^\top$ to $EE^\top/N": query_term,
    },
    "2.2": {
        "$D=d+1$ and $n=N+1$": "names",
        "D^2n+Dn^2": value(ratio(1000) * (21 * 20 + 43 * 1000), **COUNT),
        "$dD+Dn$ for the column, $Dn$ for the row and $n$ for their product": lambda: near(
            ratio(1000) * (20 * 21 + 21 * 1000 + 21 * 1000 + 1000), 21 * 21 * 1000 + 21 * 10**6
        ),
    },
    "2.3": {
        r"x_q\perp w": lambda: near(np.array([1, float(solved("2.3"))]) @ numbers("2.3").w, 0),
        r"(x,w^\top x)": lambda: near(
            np.linalg.det(np.array([[1, 0, 1], [0, 1, 2], [1, -0.5, 0]])), 0
        ),
    },
    "2.4": {
        r"\frac1N\sum_i\varepsilon_ix_i": "the noise of the labels, averaged as they are",
        r"\operatorname{tr}(\Gamma_N\Lambda)+\frac{\sigma^2}N\operatorname{tr}\Lambda": value(
            float(registry()["2.4"].solve(a=2.0, b=0.7, N=9, noise=1.3**2)),
            __Lambda=L,
            __Gamma_N=GAMMA,
            __sigma=1.3,
            N=9,
        ),
    },
    "2.5": {
        "by the weights below": "a place on the page",
        r"$\frac1{(N+1)\rho}\sum_iy_i(x_i-\bar x)$ times the scale": "the slope below",
        r"\frac1{(N+1)\rho}\sum_iy_i(x_i-\bar x)": value(
            softmax_slope()[0],
            N=4,
            x=softmax_slope()[1],
            y=softmax_slope()[2],
            __rho=1.7,
            **{r"\bar x": 2.8 / 5},
        ),
        r"\bar x=\frac1{N+1}\sum_ix_i": value(r"\bar x", "=", 2.8 / 5, N=4, x=softmax_slope()[1]),
        r"\frac1{N\gamma}\sum_iy_ix_i": value(
            float(softmax_slope()[1] @ softmax_slope()[2] / 4 * FixedCovariance([[1.0]], 4).target),
            N=4,
            x=softmax_slope()[1],
            y=softmax_slope()[2],
            __gamma=1.5,
        ),
        r"\gamma=1+\frac2N": value(r"\gamma", "=", float(FixedCovariance([[1.0]], 9).Gamma), N=9),
    },
    "3.1": {
        r"u_\ast^2=\frac13": "a number of the page",
        r"u^2=\frac12\bigl(\frac{15}4+\sqrt{\frac{225}{16}+\frac49}\bigr)": value(
            "u^2", "=", book("3.1")[0] ** 2
        ),
        r"U=\frac1{3u}": value("U", "=", book("3.1")[1], u=book("3.1")[0]),
    },
    "3.2": {
        "U=-u": "a line that the flow keeps; the next formula",
        r"u'=-\gamma\lambda^2u^3-\lambda^2u": value(
            "u'", "=", line()[0], __gamma=1.7 * 1.5, __lambda=1.7, u=0.6
        ),
        "z=u^{-2}": "a name",
        r"z'=2\lambda^2z+2\gamma\lambda^2": value(
            "z'", "=", line()[1], __gamma=1.7 * 1.5, __lambda=1.7, z=0.6**-2
        ),
        r"u(t)^2=\bigl((u_0^{-2}+\gamma)e^{2\lambda^2t}-\gamma\bigr)^{-1}\to0": lambda: near(
            on_the_line(0.3), 1 / ((0.6**-2 + 2.55) * math.exp(2 * 1.7**2 * 0.3) - 2.55)
        ),
        r"$D>0$, so $u\ge\sqrt D$ for all times, and $U$ changes its sign": other_start,
    },
    "3.3": {},
    "3.4": {
        r"\operatorname{tr}(\Lambda^2)/(\sqrt2\,\omega)": value(
            cosine_of(np.eye(2) / math.sqrt(2)), __Lambda=L, __omega=omega_of()
        ),
        r"\lambda_2^2/\omega": value(
            cosine_of(np.diag([0.0, 1.0])), __omega=omega_of(), **{r"\lambda_2": 0.7}
        ),
        r"the escape time grows by $\frac1\omega\ln$ of the ratio of the two $1+\cos\vartheta$": (
            escape_time
        ),
    },
    "3.5": {
        r"grows along $e_1$ at the rate $\lambda_1^2=4$, from the ratio times $u_0$, and $(U,u)$ "
        r"at $\omega=\sqrt{4^2+\frac1{16}}$, from $\frac{1+\cos\vartheta}2u_0$": growing,
        r"we expect the threshold near $\frac{1+\cos\vartheta}2$": lambda: near(
            (1 + cosine(numbers("3.5"))) / 2, solved("3.5"), 0.04
        ),
        r"rising as $u_0$ falls by the factor $e^{(\omega-4)\ln10/\omega}$, half a percent": (
            lambda: 0.004 < math.exp((1 - 4 / math.hypot(4, 0.25)) * math.log(10)) - 1 < 0.006
        ),
    },
    "3.6": {
        r"the coefficient of $\hat U_{22}^2$, the noise of short contexts, vanishes as $N$ grows, "
        r"while its coupling with $\hat u$ does not: for long prompts the point is a saddle": (
            lambda: spurious_hessian(9)[0] > -1e-9 and spurious_hessian(400)[0] < -1e-3
        ),
    },
    "4.1": {
        r"A=\bigl(\Gamma_M+\frac{\sigma^2}MI\bigr)^{-1}": value(
            "A", "=", noisy_step(L, 9, 1.3**2), __Gamma_M=GAMMA, __sigma=1.3, M=9, I=np.eye(2)
        ),
        r"\bigl(1+\frac{d+1+\sigma^2}M\bigr)^{-1}I": value(
            noisy_step(np.eye(3), 9, 1.3**2), d=3, __sigma=1.3, M=9, I=np.eye(3)
        ),
        r"\bigl(1+\frac{d+1}N\bigr)^{-1}I": value(
            FixedCovariance(np.eye(3), 9).target.numpy(), d=3, N=9, I=np.eye(3)
        ),
        r"N=M\,\frac{d+1}{d+1+\sigma^2}": value(
            "N",
            "=",
            registry()["4.1"].solve(d=4, M=135, noise_variance=4),
            d=4,
            M=135,
            __sigma=2,
        ),
    },
    "4.2": {
        "The variance is $V/M$, so $M=V/B$": lambda: near(
            book("4.2")[0], take_over()[0][0] / take_over()[0][1]
        ),
        r"V=\sum_i\Sigma_{ii}\lambda_i/\gamma_i^2": value("V", "=", TAKE["V"], **TAKE["letters"]),
        r"B=\frac1{N^2}\sum_i(\lambda_i+\operatorname{tr}\Lambda)^2\lambda_iw_i^2/\gamma_i^2": (
            value("B", "=", TAKE["B"], **TAKE["letters"])
        ),
        r"both $\gamma_i$ fall, so $V$ rises, by 1.84, and $B$ falls by 48, not the hundred "
        r"of $1/N^2$. The weak $\gamma_2$ falls relatively more, and counts more in the "
        "bias": lambda: (
            near(take_over()[1][0] / take_over()[0][0], 1.84, 0.003)
            and near(take_over()[0][1] / take_over()[1][1], 48, 0.01)
            and falls_more()
        ),
    },
    "4.3": {
        r"$z=w^\top x$ and $p=w^\top\Lambda w$": "names",
        r"3p^2": value(even_moment(2), p=1.3),
        r"\mathbb E[z^6]=15p^3": lambda: near(even_moment(3), 15 * 1.3**3),
        r"\mathbb E[z^8]=105p^4": lambda: near(even_moment(4), 105 * 1.3**4),
        r"\mathbb E[z^4]=3p^2": lambda: near(even_moment(2), 3 * 1.3**2),
        r"\mathbb E[yx]=3p\Lambda w": cubic_means,
        "a=3pw": value("a", "=", 3 * P * W, p=P, w=W),
        "b=15p^3-9p^3=6p^3": value(
            "b", "=", even_moment(3) - 9 * 1.3**3, "=", even_moment(3) - 9 * 1.3**3, p=1.3
        ),
        r"\Sigma=15p^3\Lambda+(105-15-9)p^2\,\Lambda ww^\top\Lambda": value(
            r"\Sigma", "=", cubic_covariance(), p=P, w=W, __Lambda=RUNNING
        ),
    },
    "4.4": {
        r"w^\top x=(\hat cw)^\top(x/\hat c)": value(
            0.5, "=", 0.5, w=W, x=np.array([[2.0], [1.0]]), **{r"\hat c": 1.7}
        ),
        r"For long contexts $\hat c$ is nearly constant: a harmless task shift, with the "
        r"covariance $\Lambda_{\mathrm{ctx}}/\hat c^2$, of trace $\operatorname{tr}\Lambda$": (
            lambda: squares_and_traces()[1] < squares_and_traces()[0]
        ),
        r"$\Lambda_{\mathrm{ctx}}=c^2\Lambda$: no projection but $Q=I$ leaves the trace": lambda: (
            turned(90) > 1 > 1e-9 > abs(turned(0))
        ),
    },
    "4.5": {
        "It grows up to 90 degrees": lambda: all(np.diff([turned(k) for k in range(91)]) > 0),
        r"\sum_i\mu_i(\mu_i/\lambda_i-1)^2": value(
            rotated_sum(), **{r"\mu": np.array([2 / 7, 2.0]), r"\lambda": np.array([2.0, 2 / 7])}
        ),
        r"for large $\kappa$ it is about $\lambda_1\kappa^2$": lambda: near(
            turned(90, 2.0, 1e5), 2 * 1e10, 1e-4
        ),
    },
    "5.1": {
        r"As $\varepsilon\to0$ all moments tend to $\frac12$, so the step is $1$ and the share "
        r"$\frac12$, while the risk $m_1-m_2^2/m_3$ tends to $0$": lambda: near(
            two_laws(1e-9), [0.5, 0.0]
        ),
    },
    "5.2": {
        r"m_2=1+\frac1k": value("m_2", "=", gamma_moment(2, 1.0, 3.0), k=3),
        r"m_3=(1+\frac1k)(1+\frac2k)": value("m_3", "=", gamma_moment(3, 1.0, 3.0), k=3),
        r"1-\frac{m_2^2}{m_3}=1-\frac{k+1}{k+2}=\frac1{k+2}": value(
            *[0.2, "=", 0.2, "=", 0.2],
            k=3,
            **{f"m_{i}": gamma_moment(i, 1.0, 3.0) for i in (2, 3)},
        ),
        "below a tenth for $k>8$": lambda: near(book("5.2"), 8),
        r"\frac2{(k+2)(k+3)}": value(two_step_price(3.0), k=3),
        "below a tenth for $k>2$": lambda: near(two_step_price(2.0), 0.1),
    },
    "5.3": {},
    "5.4": {
        r"\mathbb E[\Gamma_\Lambda\Lambda A\Lambda]=\mathbb E[\Lambda^2]": mixed_gradient,
        "Both sides are symmetric under the reflection": lambda: near(
            *(np.asarray(book("5.4")), reflected(np.asarray(book("5.4"))))
        ),
    },
    "5.5": {
        r"$\zeta^{(M)}$ for $\zeta_{ii}$ at length $M$": "a name",
        r"$\alpha_Nc^2\zeta^{(M)}=2m_2$, and $\alpha_N=m_2/\zeta^{(N)}$. So "
        r"$c^2=2\zeta^{(N)}/\zeta^{(M)}$": meeting,
    },
    "6.1": {
        r"$\varphi_i=1$ and $\tau=d$": lambda: near(
            ltb.Setting(np.eye(3), np.eye(3), np.zeros(3), 0.0, 11).tau, 3
        ),
        r"R_{\mathrm{block}}=\frac{d(d+1)}{M+d+1}": value(
            r"R_{\mathrm{block}}", "=", mean_dominates()["risk"], d=3, M=11
        ),
        r"The price is at least that if $\|\beta^\ast\|^2\ge\frac{d(d+1)(M+1)}{M+d+1}$": lambda: (
            near(solved("6.1") / (numbers("6.1").M + 1), price_of_block())
        ),
        r"\frac{d(d+1)(M+1)}{M+d+1}": value(mean_dominates()["bound"], d=3, M=11),
        "The ratio is larger": larger_than_promised,
    },
    "6.2": {
        "0.6X^2+0.7X+0.2=(2X+1)(0.3X+0.2)": value(
            *[0.6 * 1.3**2 + 0.7 * 1.3 + 0.2, "=", 0.6 * 1.3**2 + 0.7 * 1.3 + 0.2], X=1.3
        ),
        r"u_{12}=\bar u_{12}-u\beta^\ast=0": value(
            "u_{12}", "=", 0.0, "=", 0.0, **{r"\bar u_{12}": 2.0, "u": 1, r"\beta^\ast": 2}
        ),
        r"U=\bar U-\beta^\ast u_{21}=-0.1": value(
            "U", "=", -0.1, "=", -0.1, **{r"\bar U": 0.3, "u_{21}": 0.2, r"\beta^\ast": 2}
        ),
        "(1.5X+1)(0.4X+0.2)": value(0.6 * 1.3**2 + 0.7 * 1.3 + 0.2, X=1.3),
    },
    "6.3": {
        r"$A=u_{21}\bar u_{12}^\top$ has rank one and $p=-\beta^\ast+\bar U^\top S\bar u_{12}$": (
            "the two parts of the page at u = 0"
        ),
        r"The even part is at least $\frac2{M+2}\|\beta^\ast\|_\Lambda^2$": attained,
        r"\frac2{M+2}\|\beta^\ast\|_\Lambda^2": value(even_price(), **SWAPPED),
        r"$\bar U=\frac M{M+2}\,\bar u_{12}\,\beta^{\ast\top}/\|\bar u_{12}\|_\Lambda^2$ attains "
        r"it for every $\bar u_{12}$ with $\|\bar u_{12}\|_\Lambda>0$": attained,
        r"the distance, after multiplication with $\Omega^{1/2}$, of a matrix of rank one from "
        r"$\Phi\Omega^{-1/2}$": lambda: near(lost(), ltb.swapped_block(setting("6.3")).excess),
        r"\frac{2}{M+2}\|\beta^\ast\|_\Lambda^2+\sum_{i\ge2}\varphi_i^2/\omega_i": value(
            float(solved("6.3")), **SWAPPED
        ),
        r"what is lost is $\sum_{i\ge2}\varphi_i^2/\omega_i$": lambda: near(
            lost(), solved("6.3") - even_price()
        ),
        "{eq}`eq-large-start`": "a place on the page",
    },
    "6.4": {
        r"The layer pays about $\frac2{M+2}\beta^{\ast2}$, besides the $\frac3{M+3}$ that a block "
        r"of its own length pays": guess,
        r"$M\approx\frac73(2\beta^{\ast2}+3)$, for $\beta^\ast=8$ about 306": lambda: near(
            7 / 3 * (2 * 64 + 3), 306, 0.002
        ),
        "{prf:ref}`prp-large-start` keeps $M$ fixed": "a place on the page",
    },
    "6.5": {
        "near zero: it is in the swapped valley, a little below the": lambda: (
            0.95 < book("6.5")[1] / (38 / 35) < 1
        ),
    },
    "7.1": {
        r"A^\ast=\frac13": lambda: near(book("7.1")[0], 1 / 3),
        r"The right step would be $1/x_1^2$; a fixed step is too short for small $x_1$ and too "
        "long for large": lambda: 1 / 0.1**2 > 1 / 3 > 1 / 3.0**2,
    },
    "7.2": {
        r"Only $B=\Psi+\bar\beta\bar\beta^\top$ matters": best_from_there,
        r"\bar\beta=-\frac12\beta^\ast": "the start is ½β*",
        r"B=\begin{pmatrix}\frac54&\frac12\\\frac12&2\end{pmatrix}": lambda: near(
            np.eye(2) + BETA @ BETA.T / 4, [[5 / 4, 1 / 2], [1 / 2, 2]]
        ),
        r"A=\frac4{1297}\begin{pmatrix}121&16\\16&388\end{pmatrix}": lambda: near(
            gd_beta.optimum(last.running(8, 0.5).replace(Psi=np.eye(2) + BETA @ BETA.T / 4)).A,
            4 / 1297 * np.array([[121, 16], [16, 388]]),
        ),
    },
    "7.3": {
        r"\bar r=r-\beta^\ast": "a name",
        r"the even part is $\bar r+u\,\hat\tau\,u_{21}$. With $\bar r=0$, $u=1$ it costs "
        r"$\mathbb E[\hat\tau^2]\,\|u_{21}\|_\Lambda^2$": label_costs,
        r"\mathbb E[\hat\tau^2]=(1+\frac2M)(\tau^2+2\sum\varphi_i^2)=\frac54(9+\frac{17}2)": (
            lambda: near(book("7.3")[0], 5 / 4 * (9 + 17 / 2) / 50)
        ),
        r"The best $\bar r=-\tau u_{21}$ takes away the mean, and "
        r"$(\frac{175}8-9)\|u_{21}\|_\Lambda^2$ remains": label_costs,
        r"\|u_{21}\|_\Lambda^2=\frac1{50}": lambda: near(2 * 0.1**2, 1 / 50),
    },
    "7.4": {
        r"From far away $\bar\beta^2$ is all that counts": lambda: near(
            overshoot(0.5, 1e6), book("7.4"), 1e-4
        ),
        r"\frac M{M+2}": value(book("7.4"), M=4),
        "with noise it is shorter, so $A$ stays below": lambda: (
            overshoot(0.5, 3.0) < overshoot(0.0, 3.0) < 4 / 6 + 1e-9
        ),
        r"$A$ moves at a rate of order $\bar\beta^2$": rates,
        r"the larger the miss, the nearer $A$ gets before": lambda: (
            overshoot(0.5, 3.0) < overshoot(0.5, 30.0)
        ),
    },
    "7.5": {
        r"Noise makes $\tau$ larger, but it shortens the step, $s_1$. At these lengths both count "
        "little, the first a little more": traps,
    },
    "8.1": {
        "they have the variance $(a-b)^2/4$": lambda: near(np.var([0.3, 1.7]), 1.4**2 / 4),
    },
    "8.2": {
        "One order leaves $V$ more than the mean over all": two_means,
        "the mean of $16$ random ones $V/16$ more": lambda: two_means() and of_the_record(),
        r"\frac{15}{16}V": value(1 - 1 / 16, V=1),
    },
    "8.3": {
        "For $N=2d$ the share is $1/(2^{n+1}-1)$": lambda: near(
            sum(2**k for k in range(7)), 2**7 - 1
        ),
        "1/(2^{n+1}-1)": value(1 / sum(2**k for k in range(7)), n=6),
        "1/(n+1)": value(1 / sum(1**k for k in range(7)), n=6),
        "$N=d$": "the second case",
    },
    "8.4": {
        r"multiplies question and points by $1-b_1\lambda$": lambda: near(
            last.after_two_blocks(0.3, 0.0, 1.2), 1 - 0.3 * 1.2
        ),
        r"\lambda(1-b_1\lambda)^2": value(1.2 * (1 - 0.3 * 1.2) ** 2, __lambda=1.2, b_1=0.3),
        r"(1-b_1\lambda)\bigl(1-b_2\lambda(1-b_1\lambda)^2\bigr)": value(
            last.after_two_blocks(0.3, 0.7, 1.2), __lambda=1.2, b_1=0.3, b_2=0.7
        ),
    },
    "8.5": {
        "A little nearer than eight adaptive steps are, and far from as near as another model": (
            lambda: (
                all(map(operator.lt, book("8.5"), last.hold_a_rule(8, 0)))
                and max(apart(ols).pairs[:, 0]) < book("8.5")[0] / 3
            )
        ),
    },
    "9.1": {
        r"equal entries $\lambda^2/\gamma$": lambda: near(flattest()[0], 2.25 / (1.5 * 1.5)),
        r"\gamma\lambda^2u^2+\frac{d\lambda^2}{\gamma u^2}": value(
            flattest()[1], __gamma=1.5 * 1.5, __lambda=1.5, u=0.8, d=3
        ),
        "so the largest eigenvalue is": of_ones,
        r"least at $u^2=\sqrt d/\gamma$, which is balance": lambda: near(
            FixedCovariance(np.eye(4), 8).limit()[1] ** 2, 2 / (1 + 5 / 8)
        ),
        r"u^2=\sqrt d/\gamma": value("u^2", "=", book("9.1")[0] ** 2, d=4, __gamma=1 + 5 / 8),
    },
    "9.2": {
        "While the strong direction grows alone, $k_1^2-u^2$ is conserved": strong_alone,
        "it is zero at the start": "k₁ = u₀ = u there",
        r"$u\gamma_1k_1^2=1$ means $u=\gamma_1^{-1/3}$": lambda: near(
            book("9.2")[0], ((1 + 1 / 8) * 2 + 2.5 / 8) ** (-1 / 3)
        ),
        r"does not come before about $\frac1{\lambda_i^2}\ln\frac1{u_0}$": "the bound of the page",
        r"about the length $\bigl(\frac1{\lambda_2^2}-\frac1{\lambda_1^2}\bigr)\frac1u"
        r"\ln\frac1{u_0}$, here $18.0$": (lambda: near(book("9.2")[1], 18.0, 1e-3)),
        "it is $17.2$ from half of the one direction to half of the other": "tied on the page",
    },
    "9.3": {
        r"$f|Z'|$, which is the same as $g=\frac1f$": "the formula of the page with g = 1/f",
        r"1-\frac2\pi\arctan f": lambda: near(
            1 - 2 / math.pi * math.atan(float(solved("9.3"))), numbers("9.3").chance
        ),
        r"$f=\tan\frac\pi{20}$, about $0.16$": lambda: near(
            book("9.3"), math.tan(math.pi / 20), 1e-4
        ),
    },
    "9.4": {
        r"falls nearly like $1/B$, so $B$ times the median gives $B$": "the hint of 9.4",
    },
    "9.5": {
        "least squares in the coefficients of the polynomial": "the name of the problem",
        r"\mathbb E\lambda^k=\frac{2^k}{k+1}": "the moments below",
        r"\frac{2^k}{k+1}": value(2**5 / 5 / 2, k=4),
    },
    "9.6": {
        r"$P$ projects on $\Lambda^{1/2}w$, so $\hat w=\Lambda^{-1/2}P\Lambda^{1/2}v$ is the "
        r"multiple of $w$ whose answers are nearest to those of $v$": lambda: (
            known_task("multiple") and known_task("nearest")
        ),
        r"c=\frac{w^\top\Lambda v}{w^\top\Lambda w}=\frac15": value(
            *["c", "=", 0.2, "=", 0.2],
            w=np.array([[1.0], [1.0]]),
            v=np.array([[0.0], [1.0]]),
            __Lambda=RUNNING,
        ),
        r"\operatorname{tr}\Lambda-\frac{w^\top\Lambda^2w}{w^\top\Lambda w}"
        r"=\frac52-\frac{17}{10}=\frac45": value(
            *[book("9.6")[1], "=", book("9.6")[1], "=", book("9.6")[1]],
            w=np.array([[1.0], [1.0]]),
            __Lambda=RUNNING,
        ),
    },
}
