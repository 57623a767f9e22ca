"""The page's own arithmetic against the package: kernel.js on random inputs.

``deviations()`` is what a receipt prints and a test bounds. Each family draws an input, asks
kernel.js with it, and computes the same with the package, through predictions where it can.
"""

import json
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from linear_icl import estimators, flow, lsa, ltb, risk
from linear_icl.landscape import FixedCovariance
from linear_icl.prompts import Prompts, embedding
from linear_icl.settings import Setting
from torch import Tensor

from .. import bundle
from . import node
from .bill import Bill
from .gaussians import gaussians

Generator = torch.Generator
# What kernel.js is asked, by family: arguments to a flat list of numbers.
ASKED = """
const { problem } = kernel;
const asked = {
  product: (A, B) => kernel.product(A, B),
  inverse: (A) => kernel.inverse(A),
  axes: (A) => {
    const { values, angle } = kernel.axes(A);
    return [...values, ...kernel.onAxes(values, angle)];
  },
  steps: (L, N, noise) => [...kernel.gamma(L, N), ...kernel.stepMatrix(L, N, noise)],
  learners: (xs, ys, L, N, penalty, A, count, start, w) => {
    const c = kernel.moments(xs, ys);
    const trained = kernel.steps(c, kernel.stepMatrix(L, N), 1)[1];
    return [...kernel.steps(c, kernel.identity, 1)[1], ...trained, ...kernel.leastSquares(c),
      ...kernel.ridge(c, penalty), ...kernel.steps(c, A, count)[count],
      ...kernel.steps(c, A, 1, start)[1], kernel.contextLoss(c, start),
      kernel.newError(L, trained, w)];
  },
  pass: (xs, ys, query, U, u21, u12, u) => {
    const { tokens, terms, answer } = kernel.pass(xs, ys, query, { U, u21, u12, u });
    const [scores, copies] = ["score", "value"].map((name) => tokens.map((one) => one[name]));
    return [...scores, ...copies, ...terms, answer];
  },
  fit: (prompts) => kernel.fittedStep(prompts.map(([q, m, w]) => ({ q, m, w }))),
  risks: (C, A, M, noise, Q) => [kernel.stepRisk(C, A, M), kernel.stepRisk(C, A, M, { noise, Q })],
  bill: (variances, share, alpha) => {
    const shares = [share, 1 - share];
    const each = variances.map((value) => kernel.leftAlong(alpha, value));
    const all = kernel.leftInAll(alpha, variances, shares);
    return [kernel.sharedStep(variances, shares), ...each, all];
  },
  shares: (L, N, M) => L.map((l) => {
    const n = kernel.halfLength(L[0] + L[1], l);
    return l * kernel.relativeRisk(N / (N + n), n, M);
  }).reduce((a, b) => a + b),
  landscape: (L, N, U, u) => {
    const p = problem(L, N);
    return [kernel.loss(p, U, u), kernel.gap(p, U, u), ...kernel.velocity(p, U, u).flat(),
      p.minimum, p.silence, ...p.target];
  },
  escape: (L, N, U, u) => kernel.escapeTime(problem(L, N), U, u),
  flow: (L, N, U, u, at) => {
    const p = problem(L, N);
    return kernel.flow(p, U, u, at, 1e-12).flatMap((z) => [...z.U, z.u, kernel.gap(p, z.U, z.u)]);
  },
  gaussians: (seed, count) => kernel.gaussians(seed, count),
  lines: (lines, beta, M, S, w) => [kernel.layerRisk(lines, beta, M),
    kernel.layerSlope(lines, S, w), kernel.blockSlope(beta, M, S, w)],
};
console.log(JSON.stringify(calls.map(({ name, args }) => [asked[name](...args)].flat(Infinity))));
"""


class Call(NamedTuple):
    """One input of a family, and the numbers that the package gives for it."""

    family: str
    name: str
    args: list[Any]
    expected: list[float]


def _flat(*parts: Any) -> list[float]:
    return torch.cat([torch.as_tensor(p, dtype=torch.float64).reshape(-1) for p in parts]).tolist()


def _normal(g: Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=g, dtype=torch.float64)


def _whole(g: Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high, (), generator=g))


def _covariance(g: Generator) -> Tensor:
    root = _normal(g, 2, 2)
    return root @ root.mT + 0.1 * torch.eye(2, dtype=torch.float64)


def _vector(learner: Callable[[Prompts], Tensor], x: Tensor, y: Tensor) -> Tensor:
    """The v with prediction vᵀx_q: what the learner answers to both unit vectors."""
    unit = torch.eye(2, dtype=x.dtype)
    return learner(Prompts(x.expand(2, *x.shape), y.expand(2, *y.shape), unit, unit[0])).detach()


def _algebra(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    A, B, L = _normal(g, 2, 2), _normal(g, 2, 2), _covariance(g)
    yield "product", [_flat(A), _flat(B)], _flat(A @ B)
    yield "inverse", [_flat(A + 3 * torch.eye(2))], _flat(torch.linalg.inv(A + 3 * torch.eye(2)))
    yield "axes", [_flat(L)], _flat(torch.linalg.eigvalsh(L).flip(0), L)


def _learners(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    L, N, M = _covariance(g), _whole(g, 1, 100), _whole(g, 1, 30)
    x, y, A, (start, w) = _normal(g, M, 2), _normal(g, M), _normal(g, 2, 2) / 4, _normal(g, 2, 2)
    penalty, count = float(torch.rand((), generator=g)), _whole(g, 1, 6)
    layer = lsa.LinearSelfAttention(*lsa.limit_weights(L, N))
    trained = _vector(layer.predict, x, y)
    shifted = _vector(
        lambda p: estimators.gradient_descent(p, 1, preconditioner=A), x, y - x @ start
    )
    expected = _flat(
        _vector(estimators.averaging, x, y),
        trained,
        _vector(estimators.ols, x, y),
        _vector(lambda p: estimators.bayes(p, noise_variance=penalty), x, y),
        _vector(lambda p: estimators.gradient_descent(p, count, preconditioner=A), x, y),
        start + shifted,
        (y - x @ start).square().mean() / 2,
        (trained - w) @ L @ (trained - w),
    )
    args = [x.tolist(), y.tolist(), _flat(L), N, penalty, _flat(A), count, _flat(start), _flat(w)]
    yield "learners", args, expected


def _passes(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    N = _whole(g, 1, 12)
    x, y, query, W = _normal(g, N, 2), _normal(g, N), _normal(g, 2), _normal(g, 2, 3, 3)
    prompt = Prompts(x[None], y[None], query[None], query[:1])
    E, (U, u_21, u_12, u) = embedding(prompt)[0], lsa.blocks(*W)

    def said(*pair: tuple[Any, Any]) -> Tensor:  # by the layer whose other blocks are empty
        part = torch.zeros_like(W)
        for which, place in pair:
            part[which][place] = W[which][place]
        return lsa.LinearSelfAttention(*part).predict(prompt).detach()

    keys = (0, (slice(2), slice(2))), (0, (2, slice(2)))
    values = (1, (2, slice(2))), (1, (2, 2))
    terms = [said(key, value) for key in keys for value in values]
    scores, copied = (E.mT @ W[0] @ E)[:, -1] / N, W[1][-1] @ E
    expected = _flat(scores, copied, *terms, said(*keys, *values))
    args = [x.tolist(), y.tolist(), _flat(query), _flat(U), _flat(u_21), _flat(u_12), float(u)]
    yield "pass", args, expected


def _fits(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    q, m, w = _normal(g, 3, _whole(g, 2, 40))
    expected = torch.linalg.lstsq((q * m)[:, None], (q * w)[:, None]).solution
    yield "fit", [torch.stack([q, m, w], 1).tolist()], _flat(expected)


def _risks(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    C, Q, A = _covariance(g), _covariance(g), _normal(g, 2, 2)
    N, M, noise = _whole(g, 1, 100), _whole(g, 1, 100), float(torch.rand((), generator=g))
    read: dict[str, Any] = {"preconditioner": A.mT}  # the package multiplies the query by it
    plain = risk.linear_risk(C, None, M, **read)
    shifted = risk.linear_risk(C, None, M, noise_variance=noise, query_covariance=Q, **read)
    yield "risks", [_flat(C), _flat(A), M, noise, _flat(Q)], _flat(plain, shifted)
    values = 0.1 + torch.rand(2, generator=g, dtype=torch.float64)
    yield "shares", [_flat(values), N, M], _flat(risk.linear_risk(values.diag(), N, M))
    best = torch.linalg.inv(lsa.gamma(C, N) + noise / N * torch.eye(2, dtype=torch.float64))
    yield "steps", [_flat(C), N, noise], _flat(lsa.gamma(C, N), best)


def _bills(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    variances = 0.1 + 3.9 * torch.rand(2, generator=g, dtype=torch.float64)
    share, alpha = torch.rand(2, generator=g, dtype=torch.float64).mul(0.9).add(0.05).tolist()
    figure = Bill(variances=variances.tolist(), share=share, alpha=4 * alpha + 0.05)
    expected = [figure.best(), *figure.left()]
    yield "bill", [figure.variances, figure.share, figure.alpha], expected


def _landscapes(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    L, N, U, u = _covariance(g), _whole(g, 1, 100), _normal(g, 2, 2), _normal(g)
    yield "landscape", [_flat(L), N, _flat(U), float(u)], _at(FixedCovariance(L, N), U, u)
    one = FixedCovariance(L[:1, :1], N)
    args = [[float(L[0, 0]), 0, 0, 0], N, [float(U[0, 0]), 0, 0, 0], float(u)]
    yield "landscape", args, _at(one, U[:1, :1], u)


def _at(case: FixedCovariance, U: Tensor, u: Tensor) -> list[float]:
    """Loss, gap, velocity, minimum, silence and target; one entry is the first of four."""

    def four(matrix: Tensor) -> list[float]:
        return _flat(matrix) if matrix.numel() == 4 else [float(matrix), 0.0, 0.0, 0.0]

    dU, du = case.gradient(U, u)
    ends = [*_flat(-du, case.minimum, case.constant), *four(case.target)]
    return [*_flat(case.loss(U, u), case.gap(U, u)), *four(-dU), *ends]


def _escapes(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    L, N, Theta = _covariance(g), _whole(g, 1, 100), _normal(g, 2, 2)
    Theta = Theta / torch.linalg.matrix_norm(Theta @ Theta.mT).sqrt()
    sigma = 10 ** float(4 * torch.rand((), generator=g) - 6)
    case = FixedCovariance(L, N)
    U, u = case.start(sigma, Theta)
    yield "escape", [_flat(L), N, _flat(U), float(u)], _flat(case.escape_time(sigma, Theta))
    yield "escape", [_flat(L), N, _flat(-U), -float(u)], _flat(case.escape_time(sigma, Theta))


def _flows(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    L, N, U = _covariance(g), _whole(g, 1, 100), _normal(g, 2, 2)
    L, u = L / L.trace(), 0.2 + float(torch.rand((), generator=g))  # a second is a fair share
    at = [0.3, 1.0, 4.0]
    run = flow.gradient_flow(FixedCovariance(L, N), (U, u), at, rtol=1e-11)
    rows = [part for k in range(3) for part in (*run.state(k), run.gap[k])]
    yield "flow", [_flat(L), N, _flat(U), u, at], _flat(*rows)


def _seeds(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    seed = _whole(g, 0, 2**32)
    yield "gaussians", [seed, 9], gaussians(seed, 9)


def _lines(g: Generator) -> Iterator[tuple[str, list[Any], list[float]]]:
    (root, U, u21, beta, w), M = _normal(g, 5), _whole(g, 1, 40)
    x = _normal(g, 1, M, 1)
    one = torch.ones(1, dtype=torch.float64)
    prompt = Prompts(x, w * x[..., 0], one[None], one)
    zero, step = torch.zeros((), dtype=torch.float64), (M / (M + 2) * one)[None]
    keys, values = torch.stack([U, zero, u21, zero]), torch.stack([zero, zero, -root, zero + 1])
    layer = ltb.LinearTransformerBlock.attention_only(keys.view(2, 2), values.view(2, 2))
    block = ltb.LinearTransformerBlock(*ltb.weights_for_gd_beta(beta[None], step))
    case = Setting([[1.0]], [[1.0]], [float(beta)], 0.0, M)
    parts = ltb.Reduced(zero[None], -root[None], zero + 1, U[None, None], u21[None])
    cost = ltb.risk(case, parts)
    answers = [net.predict(prompt).detach() for net in (layer, block)]
    lines = {"root": float(root), "U": float(U), "u21": float(u21)}
    args = [lines, float(beta), M, float(x.square().mean()), float(w)]
    yield "lines", args, _flat(cost, *answers)


FAMILIES = {
    "algebra": _algebra,
    "learners": _learners,
    "passes": _passes,
    "fits": _fits,
    "risks": _risks,
    "bills": _bills,
    "landscapes": _landscapes,
    "escapes": _escapes,
    "flows": _flows,
    "random numbers": _seeds,
    "two lines": _lines,
}


def calls(count: int = 200) -> list[Call]:
    """``count`` inputs of every family with the package's numbers; the same ones each time."""
    made = []
    for family, draw in FAMILIES.items():
        g = Generator().manual_seed(0)
        made += [Call(family, *call) for _ in range(count) for call in draw(g)]
    return made


def deviations(asked: list[Call] | None = None, kernel: str | None = None) -> dict[str, float]:
    """The largest |a - b| / max(1, |b|) of each family, a from kernel.js and b from the package.

    ``asked``: by default ``calls()``. ``kernel``: a text in the place of kernel.js. A missing,
    extra or non-finite number counts as infinity. Raises NoNode where there is no Node.js.
    """
    asked = calls() if asked is None else asked
    question = json.dumps([{"name": call.name, "args": call.args} for call in asked])
    program = bundle.scopes(("kernel",), {"kernel": kernel} if kernel else None)
    answers = json.loads(node.run(f"{program}const calls = {question};\n{ASKED}"))
    worst = dict.fromkeys(FAMILIES, 0.0)
    for call, found in zip(asked, answers, strict=True):
        worst[call.family] = max(worst[call.family], off(found, call.expected))
    return worst


def off(found: list[float | int | None], expected: list[float]) -> float:
    """The largest |a - b| / max(1, |b|); infinity unless both have as many finite numbers."""
    if len(found) != len(expected) or None in found:
        return math.inf
    pairs = zip(found, expected, strict=True)
    return max(abs((a or 0.0) - b) / max(1.0, abs(b)) for a, b in pairs)
