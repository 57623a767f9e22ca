"""The exercises of chapter 2: tokens, the prediction as a quadratic form, its moment vector."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from linear_icl.gaussian import sandwich
from linear_icl.lsa import LinearSelfAttention
from linear_icl.prompts import Prompts, embedding
from linear_icl.softmax import SoftmaxAttention

from ._exercise import Exercise, Mistake

Row = tuple[int | float, ...]


def _prompt(x: Any, y: Any, x_query: Any) -> Prompts:
    """One prompt, of points (N, d) and labels (N,)."""
    points, labels, query = (torch.as_tensor(part, dtype=torch.float64) for part in (x, y, x_query))
    return Prompts(points[None], labels[None], query[None], torch.zeros(1, dtype=torch.float64))


# 2.1


def _query_effect(N: int, u12: Row, x_query: Row, U: tuple[Row, Row]) -> float:
    """Two passes of the layer over one prompt, of which the second does not see the query."""
    rng = np.random.default_rng(0)
    E = embedding(_prompt(rng.normal(size=(N, 2)), rng.normal(size=N), x_query))
    W_KQ, W_PV = np.zeros((2, 3, 3))
    W_KQ[:2, :2], W_PV[2, :2] = U, u12
    seen = LinearSelfAttention(W_KQ, W_PV)(E)[0, -1, -1].item()
    tokens = E[0].numpy()
    context = tokens[:, :-1]
    return float(seen - (W_PV @ context @ context.T @ W_KQ @ tokens[:, -1])[-1] / N)


def _draw_mask(rng: random.Random) -> dict[str, Any]:
    return {
        "N": rng.randint(5, 12),
        "u12": (rng.randint(1, 3) / 2, float(rng.randint(1, 3))),
        "x_query": (float(rng.randint(1, 3)), float(rng.randint(1, 3))),
        "U": ((1.0, rng.randint(1, 4) / 4), (0.0, rng.randint(3, 6) / 4)),
    }


def _mask_formula(N: int, left: Any, x_query: Row, U: Any) -> float:
    x = np.array(x_query)
    return float((np.array(left) @ x) * (x @ np.array(U) @ x) / N)


MASK = Exercise(
    number="2.1",
    label="ex-mask",
    asks="ŷ with the query in EEᵀ minus ŷ without it, a number, for N = {N}, u₁₂ = {u12}, "
    "x_q = {x_query} and U = {U}, by rows",
    draw=_draw_mask,
    book={"N": 8, "u12": (0.5, 1.0), "x_query": (1.0, 2.0), "U": ((1.0, 0.5), (0.0, 0.5))},
    solve=_query_effect,
    mistakes=(
        Mistake("1/N is left out", lambda N, u12, x_query, U: _mask_formula(1, u12, x_query, U)),
        Mistake(
            "the layer divides by N, the points of the context, not by all tokens",
            lambda N, u12, x_query, U: _mask_formula(N + 1, u12, x_query, U),
        ),
        Mistake(
            "U is left out of x_qᵀUx_q",
            lambda N, u12, x_query, U: _mask_formula(N, u12, x_query, np.eye(2)),
        ),
        Mistake(
            "that is ŷ without the query minus ŷ with it",
            lambda N, u12, x_query, U: -_mask_formula(N, u12, x_query, U),
        ),
        Mistake(
            "x_q stands in there three times: once with u₁₂ and twice around U",
            lambda N, u12, x_query, U: float(np.array(u12) @ np.array(U) @ np.array(x_query)) / N,
        ),
    ),
    hints=(
        "EEᵀ is a sum over tokens. Which term is the query's?",
        "The query's token is x_q with a zero below: its term is x_q x_qᵀ in the upper left "
        "block. Which of the four weight blocks does that block meet?",
    ),
)

# 2.2


def _needed(d: int, ratio: int, *, layers: int = 1, passes: int = 2, formed: bool = False) -> float:
    """The first N whose counts have the ratio; the options count something else.

    `layers` 2 counts W_PV E and its product too, `passes` 1 leaves out the values, and `formed`
    multiplies EEᵀ out before it meets a vector.
    """
    D = d + 1
    n = 2
    while True:
        whole = layers * (D * D * n + n * D * n)
        vectors = D * D * n if formed else passes * D * n + n
        if whole >= ratio * (d * D + vectors):
            return float(n - 1)
        n += 1


COUNT = Exercise(
    number="2.2",
    label="ex-count",
    asks="the first N at which the ratio is at least {ratio}, a number, for d = {d}",
    draw=lambda rng: {"d": rng.randint(10, 30), "ratio": 50 * rng.randint(6, 30)},
    book={"d": 20, "ratio": 1000},
    solve=_needed,
    mistakes=(
        Mistake(
            "that forms EEᵀ first; the row and the column need no matrix",
            lambda d, ratio: _needed(d, ratio, formed=True),
        ),
        Mistake(
            "E is met twice, in the column (the scores) and in the row (the values)",
            lambda d, ratio: _needed(d, ratio, passes=1),
        ),
        Mistake(
            "W_PV E and its product are not asked for, only EᵀW_KQ E",
            lambda d, ratio: _needed(d, ratio, layers=2),
        ),
        Mistake(
            "that is the leading order for large N and d, a ratio of N/2; keep the terms below it",
            lambda d, ratio: 2 * ratio,
        ),
    ),
    hints=(
        "A product of the matrices p × q and q × r takes pqr multiplications; a vector has r = 1.",
        "Put n = N + 1 and D = d + 1. Both counts are polynomials in n; which has an n²?",
        "For large n the ratio is about nD/(2D + 1) plus a constant; to be exact, count.",
    ),
    tolerance=0.005,  # the order of the products of one vector moves N by a few
)

# 2.3


def _degenerate(w: Row) -> float:
    """The t at which (x_q, 0) comes nearest to the span of all (x, wᵀx): a parabola's vertex."""
    span = np.vstack([np.eye(2), w])
    shadow = span @ np.linalg.pinv(span)

    def distance(t: float) -> float:
        return float(np.square((np.eye(3) - shadow) @ [1.0, t, 0.0]).sum())

    low, middle, high = (distance(t) for t in (-1.0, 0.0, 1.0))
    return (low - high) / (2 * (low - 2 * middle + high))


def _draw_degenerate(rng: random.Random) -> dict[str, Any]:
    return {"w": (float(rng.randrange(-9, 10, 2)), float(rng.randrange(2, 20, 2)))}


DEGENERATE = Exercise(
    number="2.3",
    label="ex-degenerate",
    asks="the t, a number, for the task w = {w} and the query x_q = (1, t)",
    draw=_draw_degenerate,
    book={"w": (1.0, 2.0)},
    solve=_degenerate,
    mistakes=(
        Mistake("that query is parallel to w", lambda w: w[1] / w[0]),
        Mistake("the sign of w₁ is lost", lambda w: w[0] / w[1]),
        Mistake("w₁ and w₂ are swapped", lambda w: -w[1] / w[0]),
    ),
    hints=(
        "The context spans the space of all (x, wᵀx). What must happen for the query's token, "
        "which ends in a zero, to lie in it?",
        "The label of the query must be the zero that stands in its token.",
    ),
)

# 2.4


def _moment(a: float, b: float, N: int, noise: float) -> float:
    """E‖Sw‖² = tr E[S²] over the tasks, and the noise of N points."""
    squares = sandwich([[a, 0.0], [0.0, b]], N, np.eye(2)).trace().item()
    return float(squares + noise * (a + b) / N)


def _draw_moment(rng: random.Random) -> dict[str, Any]:
    return {
        "a": rng.randint(11, 30) / 10,
        "b": rng.randint(3, 9) / 10,
        "N": rng.randint(4, 12),
        "noise": rng.randint(5, 25) / 10,
    }


MOMENT = Exercise(
    number="2.4",
    label="ex-moment",
    asks="the mean square, a number, for Λ = diag({a}, {b}), N = {N} and σ² = {noise}",
    draw=_draw_moment,
    book={"a": 2.0, "b": 0.5, "N": 8, "noise": 1.0},
    solve=_moment,
    mistakes=(
        Mistake("that is without noise", lambda a, b, N, noise: _moment(a, b, N, 0.0)),
        Mistake(
            "every point has noise of its own: its mean square falls like 1/N",
            lambda a, b, N, noise: _moment(a, b, N, N * noise),
        ),
        Mistake(
            "the noise is multiplied by points, of mean square tr Λ, not d",
            lambda a, b, N, noise: _moment(a, b, N, 0.0) + 2 * noise / N,
        ),
        Mistake(
            "E S² is more than Λ²: a short context scatters",
            lambda a, b, N, noise: a * a + b * b + noise * (a + b) / N,
        ),
    ),
    hints=(
        "Insert yᵢ = wᵀxᵢ + εᵢ: two parts. Are they correlated?",
        "The first is Sw, with E‖Sw‖² = tr E[S²]; the page has that mean.",
        "In the second only pairs i = i survive: N terms, each with a factor 1/N².",
    ),
)

# 2.5


def _output_scale(x: Row, sharpness: float) -> float:
    """The slopes of both layers at x_q = 0, by automatic differentiation of their predictions."""
    query = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    keys, values = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    N = len(x)
    soft = SoftmaxAttention(N * sharpness * keys, keys, values, np.eye(2))
    linear = LinearSelfAttention(keys / (1 + 2 / N), values)

    def slope(layer: SoftmaxAttention | LinearSelfAttention) -> float:
        prediction = layer.predict(_prompt(np.array(x)[:, None], x, query))
        return torch.autograd.grad(prediction.sum(), query)[0].item()

    return slope(linear) / slope(soft)


def _scale_by_hand(
    x: Row, sharpness: float, *, extra: int = 1, centred: bool = True, gamma: bool = True
) -> float:
    """The solution's formula, with what a student may forget as options."""
    points, N = np.array(x), len(x)
    tokens = N + extra
    mean = points.sum() / tokens if centred else 0.0
    linear = np.square(points).mean() / (1 + 2 / N if gamma else 1.0)
    return float(linear / (sharpness * (points * (points - mean)).sum() / tokens))


def _draw_flat(rng: random.Random) -> dict[str, Any]:
    points = [rng.randint(-8, -2) / 4, rng.randint(1, 6) / 4, rng.randint(7, 12) / 4]
    return {"x": (*points, rng.randint(13, 16) / 4), "sharpness": rng.choice([0.02, 0.05, 0.1])}


FLAT_SOFTMAX = Exercise(
    number="2.5",
    label="ex-flat-softmax",
    asks="the output scale, a number, for the points x = {x} with y = x, and 1/ρ = {sharpness}",
    draw=_draw_flat,
    book={"x": (-1.0, 0.5, 1.0, 2.0), "sharpness": 0.05},
    solve=_output_scale,
    mistakes=(
        Mistake(
            "the query is a token too: the softmax is over N + 1",
            lambda x, sharpness: _scale_by_hand(x, sharpness, extra=0),
        ),
        Mistake(
            "the weights are relative to the mean over all tokens; here it is not zero",
            lambda x, sharpness: _scale_by_hand(x, sharpness, centred=False),
        ),
        Mistake(
            "the trained layer divides by γ = 1 + 2/N",
            lambda x, sharpness: _scale_by_hand(x, sharpness, gamma=False),
        ),
        Mistake("1/ρ is left out", lambda x, sharpness: sharpness * _scale_by_hand(x, sharpness)),
    ),
    hints=(
        "Expand e^(x_q xᵢ/ρ) to first order, above and below the fraction bar of the softmax.",
        "The weight of token i is about 1/(N + 1) times 1 + x_q (xᵢ − mean of x)/ρ.",
        "Compare the factors of x_q in both predictions; the query's own label is zero.",
    ),
)

EXERCISES = (MASK, COUNT, DEGENERATE, MOMENT, FLAT_SOFTMAX)
