"""Exercises 7.1 to 9.6: their answers against the package, for the numbers of several students."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from linear_icl import gd_beta, ltb, prompts
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters, KeysApart
from linear_icl.nonlinear.moving import MovingPoints, rules
from linear_icl.nonlinear.recipes import RECIPES
from linear_icl.nonlinear.recorded import RECORDS
from linear_icl.settings import Setting
from torch import Tensor


def tensor(values: Any) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float64)


H, ONE = torch.diag(tensor([2.0, 0.5])), torch.eye(2, dtype=torch.float64)


def running(M: int, noise_variance: float, variances: Any = (2.0, 0.5)) -> Setting:
    return Setting(torch.diag(tensor(variances)), ONE, [1.0, 2.0], noise_variance, M)


def one_point(h: float, psi: float) -> list[float]:
    best = gd_beta.optimum(Setting([[h]], [[psi]], [1.0], 0.0, 1))
    return [float(best.A), float(best.risk)]


def half_start(start: float, M: int, noise_variance: float) -> Tensor:
    setting = running(M, noise_variance)
    least = gd_beta.optimum(setting).risk

    def price(missing: float) -> Tensor:
        D = missing * setting.beta_star
        step = gd_beta.optimum(setting.replace(Psi=ONE + torch.outer(D, D))).A
        return gd_beta.risk(setting, setting.beta_star - D, step) - least

    return 1 - price(1 - start) / price(1.0)


def cost(setting: Setting, w: Tensor, W: Tensor, q: Tensor) -> float:
    best = gd_beta.optimum(setting)
    risk = ltb.risk(setting, ltb.Reduced(best.beta + q, -best.beta, tensor(1.0), W, w))
    return float(risk - best.risk)


def squared_labels(w: Any, M: int, noise_variance: float) -> list[float]:
    setting, w = running(M, noise_variance), tensor(w)
    W = gd_beta.optimum(setting).A.T - torch.outer(setting.beta_star, w)
    return [cost(setting, w, W, q) for q in (0 * w, -setting.tau * w)]


def overshoot(M: int, noise_variance: float) -> Tensor:
    case = Setting([[1.0]], [[1.0]], [1.0], noise_variance, M)
    times = torch.linspace(0, 0.2, 2001, dtype=torch.float64)
    path = gradient_flow(gd_beta.Landscape(case), ([-300.0], [[0.0]]), times, rtol=1e-6)
    largest: Tensor = path.states[1].max()
    return largest


def trap(h: float, noise_variance: float) -> list[int]:
    found = []
    for noise in (0.0, noise_variance):
        cases = (running(M, noise, (2.0, h)) for M in range(1, 400))
        found.append(next(c.length for c in cases if ltb.swapped_block(c).ratio <= 1) - 1)
    return found


@torch.no_grad()
def stretched(
    largest: float,
    generator: int,
    *,
    kind: str = "plain",
    which: int = 0,
    label: bool = True,
    question: bool = True,
) -> tuple[Tensor, Tensor]:
    """Two answers and a label of each prompt: by singular values, token by token, in double.

    ``which`` counts the singular values from the largest; without ``label`` y is not stretched, and
    without ``question`` its point and label.
    """
    law = RECIPES["d20-fixed"].tasks
    x, y = (part.double() for part in law.sample(512, 41, generator=generator))
    w = torch.linalg.pinv(x) @ y[..., None]  # of 41 points; 20 alone can be nearly singular
    _, sizes, axes = torch.linalg.svd(x[:, :40], full_matrices=False)
    axis, asked = axes[:, which, None], x[:, 40:]
    factor = (40 * largest) ** 0.5 / sizes[:, which, None]
    x = x + ((factor - 1) * (x * axis).sum(-1))[..., None] * axis
    x = x if question else torch.cat([x[:, :40], asked], dim=1)
    y = (x @ w)[..., 0] if label else y
    rule = rules("d20-fixed", kind)[0].double()
    flipped = [torch.cat([part[:, :40].flip(1), part[:, 40:]], dim=1) for part in (x, y)]
    return torch.stack([by_hand(rule, *some) for some in ((x, y), flipped)]), y[:, 40]


def by_hand(rule: MovingPoints, x: Tensor, y: Tensor) -> Tensor:
    """The answer to the last point alone, by sums over the examples one at a time."""
    size = x.norm(dim=-1) / 20**0.5 if rule.normalised else torch.ones_like(y)
    X, r, q, said = x[:, :40] / size[:, :40, None], y[:, :40] / size[:, :40], x[:, 40], 0 * y[:, 0]
    q = q / size[:, 40, None]
    for (a, b), (A, B) in zip(rule.examples, rule.questions[..., 40], strict=True):
        near = torch.einsum("pid,pd->pi", X, q)
        said = said + B * (near * r).sum(1)
        q = q + rule.moves * A * torch.einsum("pi,pid->pd", near, X)
        new_X, new_r = X.clone(), r.clone()
        for j in range(40):
            before = X[:, : j + 1]
            seen = torch.einsum("pid,pd->pi", before, X[:, j])
            new_r[:, j] -= b[j] * (seen * r[:, : j + 1]).sum(1)
            new_X[:, j] += rule.moves * a[j] * torch.einsum("pi,pid->pd", seen, before)
        X, r = new_X, new_r
    return said * size[:, 40]


def stretch_one_axis(largest: float, generator: int) -> list[float]:
    (one, other), label = stretched(largest, generator)
    rest = [(one - label).square(), torch.stack([one, other]).var(0, correction=0)]
    return [float(100 * part.mean() / label.square().mean()) for part in rest]


def over_orders(K: int, once: float, averaged: float) -> list[float]:
    """As two linear equations, once = V + rest and averaged = V/K + rest."""
    both = torch.tensor([[1, 1], [1 / K, 1]], dtype=torch.float64)
    risks = torch.tensor([once, averaged], dtype=torch.float64)
    return [float(part) for part in torch.linalg.solve(both, risks)]


def steps_enough(ratio: float | int, percent: float | int) -> list[int]:
    """By the recurrence of the polynomials at zero, on the Jacobi matrix of the limit."""

    def least(N_over_d: float | int) -> int:
        off = N_over_d**-0.5
        before, q, kernel, n = 0.0, 1.0, 1.0, 0
        while kernel * percent < 100 * (1 - 1e-9):
            middle = 1 + off**2 * (n > 0)
            before, q, n = q, -(off * before + middle * q) / off, n + 1
            kernel += q**2
        return n

    return [least(ratio), least(1)]


def after_two_blocks(first: float, second: float, value: float) -> float:
    """What is left of a task of 1 along one direction, by moving three points and a question."""
    x = tensor([1.0, -2.0, 0.5])
    x, r, q, said = x * (value / x.square().mean()) ** 0.5, 0 * x, tensor(1.0), 0.0
    r = x.clone()
    for b in (first, second):
        said += b * float((x * q * r).mean())
        q, r, x = (
            q - b * (x * q * x).mean(),
            r - b * x * (x * r).mean(),
            x - b * x * (x * x).mean(),
        )
    return 1 - said


def two_blocks(first: float, second: float) -> list[float]:
    grid = torch.arange(1, 400_001, dtype=torch.float64) / 40_000
    inside = [abs(after_two_blocks(first, second, float(v))) <= 1 for v in grid[::400]]
    k = 400 * inside.index(False)
    low, high = float(grid[k - 400]), float(grid[k])
    for _ in range(60):
        middle = (low + high) / 2
        if abs(after_two_blocks(first, second, middle)) <= 1:
            low = middle
        else:
            high = middle
    return [after_two_blocks(first, second, 1.0) ** 2, low]


@cache
def recorded_answers() -> tuple[Tensor, Tensor, Tensor]:
    """The points and labels that were asked, and the answers (n, B, 2), read from the file."""
    found = json.loads((RECORDS / "answers/d20-fixed.json").read_text("utf-8"))
    said = [
        torch.tensor(list(memoryview(base64.b64decode(one)).cast("f"))).view(-1, 2)
        for one in found["answers"]
    ]
    x, y = RECIPES["d20-fixed"].tasks.sample(2048, 42, generator=70_000)
    return x.double(), y.double(), torch.stack(said).double()


def hold_a_rule(
    steps: int, power: float, *, labels: bool = True, question: bool = False
) -> list[float]:
    """By least squares within a Krylov space, built orthogonal vector by vector."""
    x, y, said = recorded_answers()
    found = []
    for k, M in enumerate((20, 40)):
        size = x[:, : M + 1].square().sum(-1) ** (power / 2)
        X, q = x[:, :M] / size[:, :M, None], x[:, M]
        z = y[:, :M] / size[:, :M] if labels else y[:, :M]
        q = q / size[:, M, None] if question else q
        basis = torch.zeros(len(X), 20, 0, dtype=torch.float64)
        v = (X.mT @ z[..., None])[..., 0]
        for _ in range(steps):
            for _ in range(2):
                v = v - (basis @ (basis.mT @ v[..., None]))[..., 0]
            basis = torch.cat([basis, (v / v.norm(dim=-1, keepdim=True))[..., None]], dim=-1)
            v = (X.mT @ (X @ basis[..., -1:]))[..., 0]
        inside = X @ basis
        weights = torch.linalg.lstsq(inside, z[..., None]).solution
        answer = (q * (basis @ weights)[..., 0]).sum(-1)
        found.append(float(5 * (said[..., k] - answer).square().mean()))
    return found


def flattest(strength: float, d: int, N: int) -> list[float]:
    case = FixedCovariance(strength * torch.eye(d, dtype=torch.float64), N)
    balance = case.limit()[1]
    shares = torch.linspace(0.95, 1.05, 5, dtype=torch.float64)

    def sharpness(u: Tensor) -> Tensor:
        z = torch.cat([(case.Gamma.inverse() / u).flatten(), u[None]])
        hessian = torch.autograd.functional.hessian(
            lambda z: case.loss(z[:-1].reshape(d, d), z[-1]), z
        )
        largest: Tensor = torch.linalg.eigvalsh(hessian)[-1]
        return largest

    sharp = torch.stack([sharpness(share * balance) for share in shares])
    return [float(shares[sharp.argmin()] * balance), float(sharpness(balance) / sharp.min())]


@cache
def excesses_times_prompts(B: int = 150, runs: int = 60) -> Tensor:
    """B times each excess, as a share of the best risk, fitted by descent on all weights."""
    law = prompts.GaussianPrompts(H)
    given = law.sample(B * runs, 8, generator=torch.Generator().manual_seed(0))
    E = prompts.embedding(given).unflatten(0, (runs, B))
    moment, query = E @ E.mT / 8, E[..., -1]
    label = given.y_query.view(runs, B)
    W = [(0.5 * torch.eye(3, dtype=torch.float64)).repeat(runs, 1, 1) for _ in range(2)]
    W = [w.requires_grad_() for w in W]
    descent = torch.optim.LBFGS(W, max_iter=80, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        descent.zero_grad()
        row = (W[1][:, None, -1:] @ moment)[..., 0, :]
        predicted = (row * (W[0][:, None] @ query[..., None])[..., 0]).sum(-1)
        loss: Tensor = (predicted - label).square().mean(1).sum()
        loss.backward()
        return loss

    descent.step(closure)
    gap = FullParameters(H, 8).gap(*(w.detach() for w in W))
    best = 2 * FixedCovariance(H, 8).minimum + H.trace()
    times_B: Tensor = B * 2 * gap / best
    return times_B


def depth_random(low: float, high: float) -> list[Tensor]:
    k = torch.arange(6, dtype=torch.float64)
    moment = (high ** (k + 1) - low ** (k + 1)) / ((k + 1) * (high - low))
    floors = []
    for L in (1, 2):
        j = torch.arange(1, L + 1)
        mixed, square = moment[j + 1], moment[j[:, None] + j + 1]
        floors.append(moment[1] - mixed @ torch.linalg.solve(square, mixed))
    return floors


def stair(eigenvalues: Any, N: int, size: float) -> list[float]:
    """u where the flow rests whose weak key is zero; rates of growth by gradients."""
    problem = FixedCovariance(torch.diag(tensor(eigenvalues)), N)
    landscape = KeysApart(problem)
    strong = torch.diag(tensor([size, 0.0]))
    u = gradient_flow(landscape, (strong, strong, tensor(size)), [0.0, 1e4], rtol=1e-6).states[2]
    small = 1e-6 * ONE
    first, second = (-landscape.gradient(small, small, tensor(1.0))[0]).diagonal() / 1e-6
    known = torch.diag(tensor([(u[-1] * problem.Gamma[0, 0]) ** -0.5, 1e-6]))
    rate = -landscape.gradient(known, known, u[-1])[0][1, 1] / 1e-6
    return [float(u[-1]), float((1 - second / first) * math.log(1 / size) / rate)]


def one_task(variances: Any, met: Any, new: Any) -> list[Tensor]:
    """The best step from zero at a huge length, for tasks of mean zero with this second moment."""
    Lambda, w, v = torch.diag(tensor(variances)), tensor(met), tensor(new)
    tasks = Setting(Lambda, torch.outer(w, w), [0.0, 0.0], 0.0, 10**9)
    answer = gd_beta.optimum(tasks).A @ Lambda
    wrong = answer - ONE
    return [(answer @ v)[0] / w[0], (wrong.T @ Lambda @ wrong).trace()]


ROUTES: dict[str, Callable[..., Any]] = {
    "7.1": one_point,
    "7.2": half_start,
    "7.3": squared_labels,
    "7.4": overshoot,
    "7.5": trap,
    "8.1": stretch_one_axis,
    "8.2": over_orders,
    "8.3": steps_enough,
    "8.4": two_blocks,
    "8.5": hold_a_rule,
    "9.1": flattest,
    "9.2": stair,
    "9.3": lambda chance: math.tan(math.pi / 2 * (1 - chance)),
    "9.4": lambda share: excesses_times_prompts().median() / share,
    "9.5": depth_random,
    "9.6": one_task,
}
