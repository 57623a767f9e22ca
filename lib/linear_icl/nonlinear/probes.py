"""What a model's answers depend on: the order of the examples, and the spectrum of their points."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .. import _checks
from .._kernels import times
from .._results import implements
from .._types import Count, Generator
from .evaluate import at_every_point
from .tasks import Points, Tasks

ORDERS = 16
MOST = 16.0  # by which eigenvalues are stretched, or their inverse


@implements("prp-order-price")
def by_order(
    law: Tasks,
    models: Sequence[nn.Module],
    lengths: Sequence[int],
    *,
    count: Count = 1024,
    orders: Count = ORDERS,
) -> dict[str, Any]:
    """How the answers change when the same examples come in other orders.

    Of ``count`` prompts of the ``law``, one list for each model over the ``lengths`` M: "moved" is
    E Var_π ŷ(π), the variance of an answer over uniformly random orders π (unbiased), which
    `prp-order-price` shows to be the least mean squared distance from a learner that does not see
    the order, and what averaging over all orders saves; "risk" and "averaged" are the risks of the
    first order and of the mean of the ``orders``. "between" has, for each pair of models, the mean
    squared distance of their means.
    Raises ValueError for fewer than two orders: one shows no variance.
    """
    R, drawn = _several(orders), torch.Generator().manual_seed(50_000)
    own = law.sample(count, max(lengths) + 1, generator=50_001)
    found: dict[str, list[list[float]]] = {
        name: [[] for _ in models] for name in ("moved", "risk", "averaged")
    }
    pairs: list[list[float]] = [[] for _ in combinations(models, 2)]
    for M in lengths:
        rows = _orders(M, R, drawn)
        label = own.y[:, M].double()
        means = []
        for k, model in enumerate(models):
            said = torch.stack([answers(model, Points(own.x[:, r], own.y[:, r])) for r in rows])
            means.append(said.mean(0))
            found["moved"][k].append(float(said.var(0).mean()))
            found["risk"][k].append(float((said[0] - label).square().mean()))
            found["averaged"][k].append(float((means[-1] - label).square().mean()))
        for pair, (a, b) in zip(pairs, combinations(means, 2), strict=True):
            pair.append(float((a - b).square().mean()))
    return found | {"between": pairs}


def answers(model: nn.Module, points: Points) -> Tensor:
    """What a model says at the last point of each prompt, (B,), in double precision."""
    return at_every_point(model, *points)[:, -1].double()


def second_moment(points: Points) -> Tensor:
    """Of the points of the examples, (B, d, d), in double precision; the last is the query."""
    X = points.x[:, :-1].double()
    S: Tensor = X.mT @ X / X.shape[1]
    return S


def _several(orders: Count) -> int:
    R = _checks.length("orders", orders)
    if R < 2:
        raise ValueError(f"orders must be at least two, got {R}; one shows no variance")
    return R


def _orders(M: int, count: int, drawn: torch.Generator) -> list[Tensor]:
    """Random orders of M examples, with the query last."""
    return [
        torch.cat([torch.randperm(M, generator=drawn), torch.tensor([M])]) for _ in range(count)
    ]


def swapped(
    law: Tasks, models: Sequence[nn.Module], length: Count, *, count: Count = 1024
) -> list[list[float]]:
    """How far an answer moves when the examples j and j + 1 change places, j = 1, …, M - 1.

    Mean squared, of ``count`` prompts of ``length`` M of the ``law``; one list for each model.
    """
    M = _checks.length("length", length)
    x, y = law.sample(count, M + 1, generator=50_002)
    before = [answers(model, Points(x, y)) for model in models]
    found: list[list[float]] = [[] for _ in models]
    for j in range(M - 1):
        row = torch.arange(M + 1)
        row[j], row[j + 1] = j + 1, j
        other = Points(x[:, row], y[:, row])
        for moved, model, own in zip(found, models, before, strict=True):
            moved.append(float((answers(model, other) - own).square().mean()))
    return found


class Stretched(NamedTuple):
    """Prompts without noise whose examples are stretched along one axis: points and tasks."""

    points: Points
    tasks: Tensor


def stretched(
    dim: Count, length: Count, *, count: Count, most: float = MOST, generator: Generator
) -> Stretched:
    """N(0, I), but the first entry of the examples times √s, log s uniform up to ± log ``most``.

    The query, point ``length`` + 1, is not stretched. Points (B, M + 1, d), labels, tasks (B, d).
    Raises ValueError for counts below 1 and for ``most`` that is not above one.
    """
    d, M = _checks.length("dim", dim), _checks.length("length", length)
    B = _checks.length("count", count)
    if not (math.isfinite(most) and most > 1):
        raise ValueError(f"most must be finite and above 1, got {most}; it is the largest stretch")
    drawn = _checks.seeded("generator", generator)
    s = most ** (2 * torch.rand(B, 1, generator=drawn, device=drawn.device) - 1)
    x = torch.randn(B, M + 1, d, generator=drawn, device=drawn.device)
    x[:, :M, 0] *= s.sqrt()
    w = torch.randn(B, d, generator=drawn, device=drawn.device)
    return Stretched(Points(x, times(x, w)), w)


def tasks_of(points: Points) -> Tensor:
    """The tasks w (B, d) of prompts without noise that have at least d points, y = Xw."""
    x, y = (part.double() for part in points)
    return torch.linalg.lstsq(x, y.unsqueeze(-1)).solution.squeeze(-1)


def reshaped(points: Points, change: Callable[[Tensor], Tensor]) -> Points:
    """The prompts with other eigenvalues of S: every point is scaled along each eigenvector.

    ``change`` gives, for the eigenvalues (B, d) of S in increasing order, the wanted ones; the
    eigenvectors, and the tasks w of labels y = Xw, stay. Raises ValueError for prompts that have
    no more points than entries, whose tasks are not known, or for eigenvalues not above zero.
    """
    x = points.x.double()
    if x.shape[1] <= x.shape[2]:
        raise ValueError(f"points must be more than their entries, got {(*x.shape[1:],)}")
    values, V = torch.linalg.eigh(second_moment(points))
    wanted = change(values)
    if not (wanted > 0).all():
        raise ValueError(f"eigenvalues must be above zero, got {wanted.min()}")
    new = (x @ V * (wanted / values).sqrt().unsqueeze(1)) @ V.mT
    return Points(new.to(points.x.dtype), times(new, tasks_of(points)).to(points.y.dtype))


class Filter(NamedTuple):
    """h(λ) in each interval, the distance of the answers from its own, and its own risk."""

    found: list[float]
    distance: float
    risk: float


def nearest_filter(said: Tensor, prompts: Stretched, edges: Sequence[float]) -> Filter:
    """The filter h, constant between the ``edges``, whose answers x_qᵀh(S)w are nearest.

    With S = XᵀX/M, its eigenvalues λ_i and eigenvectors v_i, h has the least mean of
    (ŷ - Σ_i h(λ_i) v_iᵀx_q v_iᵀw)² over the last answers ``said`` (B,): h = 1 for least squares,
    αλ for one step of size α, λ/(λ + μ/M) for ridge with μ on the scale of XᵀX. Eigenvalues
    outside the edges belong to the interval next to them; nan where no eigenvalue lies.
    Raises ValueError for edges that do not increase, or answers that do not fit the prompts.
    """
    ends = [float(e) for e in edges]
    if len(ends) < 2 or any(a >= b for a, b in pairwise(ends)):
        raise ValueError(f"edges must be two or more, increasing, got {ends}")
    x, y = (part.double() for part in prompts.points)
    if said.shape != y[:, -1].shape:
        raise ValueError(f"said must be (B,) = {(len(y),)}, got {(*said.shape,)}")
    values, V = torch.linalg.eigh(second_moment(prompts.points))
    parts = times(V.mT, prompts.tasks.double()) * times(V.mT, x[:, -1])
    inner = torch.tensor(ends[1:-1], dtype=values.dtype, device=values.device)
    which = torch.bucketize(values, inner, right=True)
    columns = torch.zeros(len(y), len(ends) - 1, dtype=values.dtype, device=values.device)
    columns = columns.scatter_add(1, which, parts)
    h = torch.linalg.lstsq(columns, said.double().unsqueeze(-1), driver="gelsd").solution
    own = (columns @ h).squeeze(-1)
    empty = columns.square().sum(0) == 0
    return Filter(
        h.squeeze(-1).masked_fill(empty, math.nan).tolist(),
        float((said.double() - own).square().mean()),
        float((own - y[:, -1]).square().mean()),
    )


class Parts(NamedTuple):
    """Of what a model misses, in shares of the risk of silence: three that add up to all of it."""

    by_filter: float
    by_order: float
    by_neither: float


def split(
    model: nn.Module,
    prompts: Stretched,
    edges: Sequence[float],
    *,
    orders: Count = ORDERS,
    count: Count = 1024,
) -> Parts:
    """The risk of the `nearest_filter` f, the order's V, and E(ŷ - f)² - V, over that of silence.

    Without noise the label is a filter, h = 1, so E(ŷ - y)² = E(f - y)² + E(ŷ - f)²; f does not see
    the order, so the last part is at least V = E Var_π ŷ(π) for exchangeable examples
    (`prp-order-price`). V is estimated, unbiased, by the ``orders`` of the first ``count`` prompts.
    Raises ValueError for fewer than two orders.
    """
    R, (x, y) = _several(orders), prompts.points
    silence = float(y[:, -1].double().square().mean())
    near = nearest_filter(answers(model, prompts.points), prompts, edges)
    rows = _orders(x.shape[1] - 1, R, torch.Generator().manual_seed(50_003))
    each = [answers(model, Points(x[:count, row], y[:count, row])) for row in rows]
    V = float(torch.stack(each).var(0).mean())
    return Parts(near.risk / silence, V / silence, (near.distance - V) / silence)


def by_largest(said: Tensor, points: Points, edges: Sequence[float]) -> list[float]:
    """Risk over that of silence, among prompts whose S has its largest eigenvalue in an interval.

    ``said`` (B,) are the last answers; nan where no prompt lies.
    """
    label = points.y[:, -1].double()
    largest = torch.linalg.eigvalsh(second_moment(points))[:, -1]
    found = []
    for low, high in pairwise(edges):
        here = (low <= largest) & (largest < high)
        miss = (said.double() - label)[here].square().mean()
        found.append(float(miss / label[here].square().mean()))
    return found
