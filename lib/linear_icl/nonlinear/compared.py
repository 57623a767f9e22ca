"""How far a model's predictions are from those of algorithms, on the same prompts."""

import copy
import json
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .. import _checks
from .._types import Count, PerPrompt
from ..estimators import conjugate_gradient, ols, ridge
from ..prompts import Prompts, PromptsLike, checked
from ._source import revision
from .evaluate import at_every_point, tests
from .model import Transformer
from .moving import KINDS, rules
from .plan import Recipe
from .probes import (
    Stretched,
    answers,
    by_largest,
    by_order,
    nearest_filter,
    reshaped,
    second_moment,
    split,
    stretched,
    swapped,
    tasks_of,
)
from .recorded import RECORDS
from .tasks import Points, Tasks

STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 12)
ADAPTIVE = range(1, 11)
NEWTON = range(2, 15)
PENALTIES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
PROMPTS = 2048
FITTED = 30_000  # for the coefficients of plain steps; 2048 are too few for eight of them
READ = 8192  # for those of a readout, as many as the model is wide
EDGES = [2 ** (k / 2) for k in range(-12, 9)]  # of intervals of eigenvalues, 1/64 to 16
LARGEST = [1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 12.0]  # of intervals of the largest
PROBED = 8192  # prompts, for filters
TO = [2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0]  # the largest eigenvalue
RATIOS = [3.0, 4.0, 5.0, 6.0, 7.0, 8.0]  # of the largest eigenvalue to the mean of the others
INSIDE = 2.5  # a largest eigenvalue of training at d = 20, N = 40
PLACES = [*range(-3, 6)]  # that examples are told to stand earlier
DRAWN, SHIFTED = 120, (0, 2, -2)  # prompts, and those of PLACES, where answers are drawn one by one
FAR, APART = 6.0, 7.0  # of TO, of RATIOS
SHARES = (0.9, 0.75)  # of the positions, that all examples share
MIXTURES = ("blind", "causal")
MIXED = 16_384  # prompts, for the coefficients of mixtures


def newton(prompts: PromptsLike, steps: Count) -> PerPrompt:
    """ŷ = x_queryᵀX_k m after k = ``steps`` of Newton's iteration for S⁻¹, shape (B,).

    X_0 = S/‖S‖², X_{j+1} = X_j(2I - S X_j), with S and m the means of x xᵀ and y x: the residual
    I - S X squares at each step, so k steps make a polynomial of degree 2^{k+1} - 1 in S.
    Raises ValueError for a negative number of steps or prompts that do not fit together.
    Fu, Chen, Jia & Sharan (2024).
    """
    x, y, x_query, _ = checked(prompts)
    k = 0 if steps == 0 else _checks.length("steps", steps)
    S, m = x.mT @ x / x.shape[1], (x * y.unsqueeze(-1)).mean(1)
    X = S / torch.linalg.matrix_norm(S, 2).square()[:, None, None]
    two = 2 * torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    for _ in range(k):
        X = X @ (two - S @ X)
    said: Tensor = (x_query * (X @ m.unsqueeze(-1)).squeeze(-1)).sum(-1)
    return said


def plain_steps(prompts: PromptsLike, steps: Count, *, fitted_on: PromptsLike) -> PerPrompt:
    """ŷ = x_queryᵀ(a_1 m + a_2 S m + … + a_n S^{n-1}m), the a of least squared error, (B,).

    n = ``steps`` gradient steps from 0, each of a size of its own, are of this form; ``fitted_on``
    are the prompts, of the same length, on which the a are found.
    Raises ValueError for less than one step or prompts that do not fit together.
    """
    n = _checks.length("steps", steps)
    fit, own = (_powers(some, n) for some in (fitted_on, prompts))
    return _fitted(fit, checked(fitted_on).y_query, own)


def _fitted(fit: Tensor, labels: Tensor, own: Tensor, driver: str | None = None) -> Tensor:
    """own a, (B,), with the a of least ‖fit a - labels‖."""
    size = fit.norm(dim=0)
    a = torch.linalg.lstsq(fit / size, labels.unsqueeze(-1), driver=driver).solution
    said: Tensor = (own / size @ a).squeeze(-1)
    return said


def _powers(prompts: PromptsLike, n: int) -> Tensor:
    """x_queryᵀS^k m for k < n, (B, n)."""
    x, y, x_query, _ = checked(prompts)
    v, found = (x * y.unsqueeze(-1)).mean(1), []
    for _ in range(n):
        found.append((x_query * v).sum(-1))
        v = (x * (x @ v.unsqueeze(-1))).mean(1)
    return torch.stack(found, dim=1)


def algorithms(prompts: Prompts, fitted_on: Prompts) -> dict[str, Tensor]:
    """What each algorithm predicts, (B,); ridge's penalty is on the scale of the sum XᵀX."""
    fit, own = (_powers(some, max(STEPS)) for some in (fitted_on, prompts))
    labels = fitted_on.y_query
    said = {f"{n} plain": _fitted(fit[:, :n], labels, own[:, :n]) for n in STEPS}
    said |= {f"{n} adaptive": conjugate_gradient(prompts, n) for n in ADAPTIVE}
    said |= {f"{k} Newton": newton(prompts, k) for k in NEWTON}
    said |= {f"ridge {penalty:g}": ridge(prompts, penalty) for penalty in PENALTIES}
    return said | {"least squares": ols(prompts), "truth": prompts.y_query}


def distances(
    law: Tasks,
    models: Sequence[nn.Module],
    lengths: Sequence[int],
    *,
    count: Count = PROMPTS,
    fitted: Count = FITTED,
) -> dict[str, Any]:
    """Mean squared distance of the models from each algorithm, on prompts of a ``law``.

    {name: one list for each model, over the ``lengths`` of the context}; "truth" is the risk. The
    coefficients of plain steps are found on ``fitted`` other prompts of the same law.
    """
    fit = law.sample(fitted, max(lengths) + 1, generator=60_000)
    own, said = asked(law, models, max(lengths) + 1, count)
    found: dict[str, list[list[float]]] = {}
    for M in lengths:
        named = algorithms(_prefix(own, M), _prefix(fit, M))
        for name, other in named.items():
            rows = found.setdefault(name, [[] for _ in models])
            for row, one in zip(rows, said, strict=True):
                row.append(float((one[:, M] - other).square().mean()))
    return found


def between(
    law: Tasks, models: Sequence[nn.Module], lengths: Sequence[int], *, count: Count = PROMPTS
) -> list[list[float]]:
    """Mean squared distance of the models from one another, on the prompts of `distances`.

    One list for each pair, (0, 1), (0, 2), …, over the ``lengths``: how far apart runs of the same
    recipe are. Raises ValueError for fewer than two models.
    """
    if len(models) < 2:
        raise ValueError(f"models must be at least two, got {len(models)}; one makes no pair")
    _, said = asked(law, models, max(lengths) + 1, count)
    each = [one[:, lengths] for one in said]
    return [(a - b).square().mean(0).tolist() for a, b in combinations(each, 2)]


def asked(
    law: Tasks, models: Sequence[nn.Module], points: Count, count: Count = PROMPTS
) -> tuple[Points, list[Tensor]]:
    """Prompts of so many ``points``, and what each model answers at every one of them, (B, P).

    Answer M is that after M examples. The prompts of a comparison have N + 2 points.
    """
    own = law.sample(count, points, generator=70_000)
    return own, [at_every_point(model, *own).double() for model in models]


def causal_steps(prompts: PromptsLike, most: Count) -> Tensor:
    """x_queryᵀXᵀKᵏy/M for k < ``most``, with K_ji = x_jᵀx_i/M for i <= j, else 0; then x_jᵀx_i/j.

    Shape (B, 2 ``most``). Steps in which the example j corrects its label by the examples 1, …, j
    only, as under a causal mask, by a sum (Ding, Levinboim, Wu, Goodman & Soricut 2024) or a mean;
    mixtures of these see the order.
    """
    x, y, x_query, _ = checked(prompts)
    n, M = _checks.length("most", most), x.shape[1]
    near, found = (x @ x_query.unsqueeze(-1)).squeeze(-1) / M, []
    for over in (torch.full((M,), M), torch.arange(1, M + 1)):
        K, v = torch.tril(x @ x.mT) / over.to(x).unsqueeze(-1), y
        for _ in range(n):
            found.append((near * v).sum(-1))
            v = (K @ v.unsqueeze(-1)).squeeze(-1)
    return torch.stack(found, dim=1)


def mixtures(
    law: Tasks, models: Sequence[nn.Module], lengths: Sequence[int], *, fitted: Count = MIXED
) -> dict[str, Any]:
    """How near one mixture of all `algorithms` comes to a model, if it is fitted to the model.

    "blind" has a coefficient for each of them but the truth, "causal" also for `causal_steps` (10);
    one list for each model over the ``lengths``, mean squared, on the prompts of `distances`. The
    coefficients have least squared error from the model's answers to ``fitted`` other prompts.
    """
    fit = law.sample(fitted, max(lengths) + 1, generator=61_000)
    told = [at_every_point(model, *fit).double() for model in models]
    own, said = asked(law, models, max(lengths) + 1)
    found: dict[str, Any] = {name: [[] for _ in models] for name in MIXTURES}
    for M in lengths:
        prompts = known, _ = _prefix(fit, M), _prefix(own, M)
        blind = [_blind(some, known) for some in prompts]
        steps = [causal_steps(some, 10) for some in prompts]
        both = [torch.cat(parts, dim=1) for parts in zip(blind, steps, strict=True)]
        for name, (a, b) in zip(MIXTURES, (blind, both), strict=True):
            for row, labels, wanted in zip(found[name], told, said, strict=True):
                off = _fitted(a, labels[:, M], b, "gelsd") - wanted[:, M]
                row.append(float(off.square().mean()))
    return {"lengths": [*lengths]} | found


def from_moving(
    recipe: Recipe, models: Sequence[nn.Module], lengths: Sequence[int], *, folder: Path = RECORDS
) -> dict[str, Any]:
    """Mean squared distance of the models from the rules with moving points, on those prompts.

    For each kind of :func:`moving.rules`, the first rule that was fitted to the recipe's law: one
    list for each model over the ``lengths``. Raises ValueError where none was fitted.
    """
    most = recipe.tasks.length + 1
    own, said = asked(recipe.tasks, models, most + 1)
    found: dict[str, Any] = {"at": revision(), "lengths": [*lengths]}
    for kind in KINDS:
        rule = rules(recipe.name, kind, folder)[0]
        other = at_every_point(rule, own.x[:, :most], own.y[:, :most]).double()
        found[kind] = [
            _short((one[:, lengths] - other[:, lengths]).square().mean(0).tolist()) for one in said
        ]
    return found


def _blind(prompts: Prompts, fitted_on: Prompts) -> Tensor:
    """What all algorithms predict, (B, 44 + 1), a column each."""
    said = algorithms(prompts, fitted_on)
    return torch.stack([said[name] for name in said if name != "truth"], dim=1)


class Truth(nn.Module):
    """The model that answers every question with its label: its distances are risks."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return y


def _rows_of_a_point(model: Transformer) -> int:
    """In the table of positions. Raises ValueError for a model without a table of learned ones."""
    own = model.architecture
    if own.positions != "learned":
        raise ValueError(f"positions must be learned, got {own.positions}; there is no row to lend")
    return 1 if own.tokens == "columns" else 2


def lent(model: Transformer, length: Count) -> Transformer:
    """A copy in which each point after the query of ``length`` examples has the query's position.

    These rows of the table were never trained on prompts of so many examples; with interleaved
    tokens a label has the row of the last trained label.
    Raises ValueError for a model without a table of learned positions.
    """
    N, step = _checks.length("length", length), _rows_of_a_point(model)
    result = copy.deepcopy(model)
    with torch.no_grad():
        for k in range(step * N + 1, len(result.positions)):
            result.positions[k] = result.positions[k - step]
    return result


def blank(model: Transformer, length: Count) -> Transformer:
    """A copy in which each point after the query of ``length`` examples has the position zero.

    What these rows add, which training never moved, is gone; what is missing stays missing.
    Raises ValueError for a model without a table of learned positions.
    """
    N, step = _checks.length("length", length), _rows_of_a_point(model)
    result = copy.deepcopy(model)
    with torch.no_grad():
        result.positions[step * N + 1 :] = 0.0
    return result


def placed(model: Transformer, rows: Sequence[Count]) -> Transformer:
    """A copy in which point k of a prompt has the position of point ``rows[k]`` of the model.

    With interleaved tokens a label follows its point. Later points keep their positions.
    Raises ValueError for a model without a table of learned positions, or one without these points.
    """
    step, most = _rows_of_a_point(model), model.architecture.capacity
    if not rows:
        raise ValueError("rows must have an entry for each point, got none")
    if min(rows) < 0 or max(*rows, len(rows) - 1) >= most:
        raise ValueError(
            f"rows must be at most {most}, from 0 to {most - 1}, got {len(rows)} from "
            f"{min(rows)} to {max(rows)}; build the model with a larger capacity"
        )
    index = (step * torch.tensor([*rows])[:, None] + torch.arange(step)).flatten()
    if step > 1:
        index = index[:-1]  # the last point is a query; its label is not read
    result = copy.deepcopy(model)
    with torch.no_grad():
        result.positions[: len(index)] = model.positions[index]
    return result


def spread(model: Transformer, length: Count, count: Count) -> Transformer:
    """A copy for prompts of ``count`` examples, over which it spreads the positions of ``length``.

    Of k = 0, 1, …, example k has the trained position ⌊k·length/count⌋, and the query that which
    it has after ``length`` examples. It is made for queries after just ``count`` examples: other
    questions have positions that they never had. Raises ValueError as `placed` does.
    """
    N, M = _checks.length("length", length), _checks.length("count", count)
    return placed(model, [*_evenly(N, M), N])


def _evenly(places: int, count: int) -> list[int]:
    """Of so many places that of each of ``count`` examples, over which they are spread."""
    return [k * places // count for k in range(count)]


def told(length: Count, places: int) -> list[int]:
    """For `placed`: each of ``length`` examples is told that it stands ``places`` earlier, or later
    below zero, but none before the first or after the last; the query after them has its own."""
    N = _checks.length("length", length)
    return [*(min(N - 1, max(0, k - places)) for k in range(N)), N]


class Readout(nn.Module):
    """What the tokens of the questions say after the first ``blocks`` blocks of a model.

    An affine map of the normalised token at each question, found by least squares on the labels
    of the points ``fitted_on``, one for each length of the context; they have no more points than
    these. Raises ValueError for more blocks than the model has.
    """

    def __init__(self, model: Transformer, blocks: Count, fitted_on: Points) -> None:
        super().__init__()
        k, most = _checks.length("blocks", blocks), len(model.blocks)
        if k > most:
            raise ValueError(f"blocks must be at most the {most} of the model, got {k}")
        self.first = copy.deepcopy(model)
        self.first.blocks = self.first.blocks[:k]
        size = model.architecture.width + 2
        gram = torch.zeros(fitted_on.x.shape[1], size, size, dtype=torch.float64)
        with torch.no_grad():
            for x, y in zip(*(torch.split(part, 512) for part in fitted_on), strict=True):
                h = torch.cat([self._tokens(x, y), y.double().unsqueeze(-1)], dim=-1)
                gram += torch.einsum("bpi,bpj->pij", h, h)
        self.map = torch.linalg.lstsq(gram[:, :-1, :-1], gram[:, :-1, -1:]).solution.squeeze(-1)

    def _tokens(self, x: Tensor, y: Tensor) -> Tensor:
        """Of each question, (B, P, D + 1), with a one at the end."""
        h: Tensor = self.first.norm(self.first.stream(x, y)).double()
        return nn.functional.pad(h, (0, 1), value=1.0)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return (self._tokens(x, y) * self.map[: x.shape[1]]).sum(-1)


def beyond(recipe: Recipe, models: Sequence[Transformer], *, count: Count = PROMPTS) -> Any:
    """Risks of the models from N to 2N examples, with own positions, `lent` and `blank` ones."""
    N, law = recipe.tasks.length, recipe.tasks
    x, y = law.sample(count, 2 * N + 1, generator=80_000)

    def risks(some: Sequence[Transformer]) -> list[list[float]]:
        errors = ((at_every_point(model, x, y) - y).double() for model in some)
        return [_short(error.square().mean(0)[N:].tolist()) for error in errors]

    return {
        "lengths": [*range(N, 2 * N + 1)],
        "own": risks(models),
        "lent": risks([lent(model, N) for model in models]),
        "blank": risks([blank(model, N) for model in models]),
    }


def spread_out(recipe: Recipe, models: Sequence[Transformer], *, count: Count = PROMPTS) -> Any:
    """`beyond` N as there, and with the trained positions `spread` over the examples instead."""
    found, N = beyond(recipe, models, count=count), recipe.tasks.length
    x, y = recipe.tasks.sample(count, 2 * N + 1, generator=80_000)
    found["spread"] = []
    for model in models:
        row = []
        for M in found["lengths"]:
            said = at_every_point(spread(model, N, M), x[:, : M + 1], y[:, : M + 1])[:, -1]
            row.append(float((said - y[:, M]).double().square().mean()))
        found["spread"].append(_short(row))
    return found


def misplaced(
    recipe: Recipe, models: Sequence[Transformer], *, count: Count = PROMPTS
) -> dict[str, Any]:
    """Shares of silence's risk at N examples that are `told` to stand elsewhere.

    A list for each model, along PLACES, on prompts of the law of training ("unchanged"), on those
    of `edge` with the largest eigenvalue FAR ("stretched") and APART times the mean of the others
    ("apart"), and on random covariances ("random"). "along" is the part of the answers to
    "stretched" along the stretched axis, by least squares, in units of the right one. "question"
    and "both" have the same where the query alone, or all tokens, are told so, along those of
    PLACES above zero.
    """
    N = recipe.tasks.length
    found = _by_places(recipe, models, N, count)
    earlier = [places for places in PLACES if places > 0]
    return {
        "at": revision(),
        "places": PLACES,
        **found([told(N, places) for places in PLACES]),
        "question": found([[*range(N), max(0, N - places)] for places in earlier]),
        "both": found([[*told(N, places)[:-1], max(0, N - places)] for places in earlier]),
    }


def misplaced_otherwise(
    recipe: Recipe, models: Sequence[Transformer], *, count: Count = PROMPTS
) -> dict[str, Any]:
    """Controls for `misplaced`, with its keys and lists of one number for each model.

    N examples whose neighbours have exchanged their positions ("exchanged"); the first place three
    times, all others right ("thrice"); all two places earlier but the first quarter ("late"), or
    only the first quarter ("first"), or only the last one ("last"); spread over nine tenths and
    three quarters of the positions ("spread 0.9", "spread 0.75"). The same prompts without their
    first two examples: the others truly stand two places earlier ("dropped"). Half as many
    examples, if these are at least d: with their own places ("half"), or told that they are every
    second of N ("half of N"). And "louder", by model, the shares where all axes of the prompts are
    scaled up until the largest eigenvalue is FAR, with examples `told` to stand 0 and 2 earlier.
    """
    N, d = recipe.tasks.length, recipe.tasks.dim
    found, M = _by_places(recipe, models, N, count), N // 2
    own, early, quarter = [*range(N)], told(N, 2)[:-1], N // 4
    rows = {
        "exchanged": [min(k ^ 1, N - 1) for k in own],
        "thrice": early[:3] + own[3:],
        "late": own[:quarter] + early[quarter:],
        "first": early[:quarter] + own[quarter:],
        "last": own[: N - quarter] + early[N - quarter :],
        **{f"spread {share}": _evenly(int(share * N), N) for share in SHARES},
    }
    result: dict[str, Any] = {name: found([[*row, N]]) for name, row in rows.items()}
    result["dropped"] = _by_places(recipe, models, N, count, skip=2)([[*range(N - 1)]])
    if d <= M:
        fewer = _by_places(recipe, models, M, count)
        result["half"] = fewer([[*range(M + 1)]])
        result["half of N"] = fewer([[*range(0, 2 * M, 2), N]])
    louder = reshaped(recipe.tasks.sample(count, N + 1, generator=70_000), _louder_to(FAR))
    pairs = ([placed(model, told(N, places)) for places in (0, 2)] for model in models)
    result["louder"] = [_short(_shares(pair, louder)) for pair in pairs]
    return {"at": revision()} | result


def one_by_one(recipe: Recipe, model: Transformer, *, count: Count = DRAWN) -> dict[str, Any]:
    """Labels and answers of one model, prompt by prompt, for a picture of what `misplaced` says.

    At N examples of the law of training ("unchanged", one row of answers), and of these with the
    largest eigenvalue FAR ("stretched"), with a row for each of the "places" earlier that the
    examples are `told` to stand.
    """
    N = recipe.tasks.length
    own = recipe.tasks.sample(count, N + 1, generator=70_000)
    moved = [placed(model, told(N, places)) for places in SHIFTED]

    def row(points: Points, some: Sequence[nn.Module]) -> dict[str, Any]:
        said = [_short(answers(one, points).tolist()) for one in some]
        return {"label": points.y[:, -1].double().round(decimals=5).tolist(), "answers": said}

    return {
        "at": revision(),
        "places": [*SHIFTED],
        "unchanged": row(own, [model]),
        "stretched": row(reshaped(own, _largest_at(FAR)), moved),
    }


def _by_places(
    recipe: Recipe, models: Sequence[Transformer], M: int, count: Count, skip: int = 0
) -> Callable[[Sequence[Sequence[int]]], dict[str, list[list[float]]]]:
    """What `misplaced` records of rows of positions, at M examples without the first ``skip``."""
    d, law = recipe.tasks.dim, recipe.tasks
    own = law.sample(count, M + 1, generator=70_000)
    asked = {
        "unchanged": own,
        "stretched": reshaped(own, _largest_at(FAR)),
        "apart": reshaped(own, _apart_by(APART)),
        "random": Tasks(d, M, law="exponential").sample(count, M + 1, generator=40_002),
    }
    axis = torch.linalg.eigh(second_moment(own)).eigenvectors[..., -1]
    right = (axis * tasks_of(own)).sum(-1) * (asked["stretched"].x[:, -1].double() * axis).sum(-1)
    asked = {name: Points(x[:, skip:], y[:, skip:]) for name, (x, y) in asked.items()}

    def along(model: nn.Module) -> float:
        miss = answers(model, asked["stretched"]) - asked["stretched"].y[:, -1]
        return 1 + float((miss.double() @ right) / (right @ right))

    def found(rows: Sequence[Sequence[int]]) -> dict[str, list[list[float]]]:
        moved = [[placed(model, row) for row in rows] for model in models]
        result = {
            name: [_short(_shares(some, points)) for some in moved]
            for name, points in asked.items()
        }
        return result | {"along": [_short(list(map(along, some))) for some in moved]}

    return found


def off_law(
    recipe: Recipe, models: Sequence[nn.Module], lengths: Sequence[int], **size: Count
) -> dict[str, Any]:
    """`distances` and `between` on each law of :func:`evaluate.tests`, with the risk of silence."""
    found = {}
    for name, law in tests(recipe.tasks).items():
        far = _rows(distances(law, models, lengths, **size), slice(None))
        found[name] = {"silence": law.blind_risk, "distances": far}
        if len(models) > 1:
            found[name]["between"] = [_short(row) for row in between(law, models, lengths)]
    return {"lengths": [*lengths], "laws": found}


def spectra(
    recipe: Recipe, models: Sequence[nn.Module], readouts: Sequence[nn.Module], *, count: Count
) -> dict[str, Any]:
    """The filters nearest to models, readouts and algorithms, and risks by largest eigenvalue.

    "models", "readouts" and "algorithms" are :func:`probes.nearest_filter` at N examples stretched
    along one axis, between EDGES; the coefficients of plain steps are those of training. "own" has,
    on the law of training at d and at N examples, each model's distance from its nearest filter and
    that filter's risk. "largest" is :func:`probes.by_largest` at N, between LARGEST, on random
    covariances.
    """
    N, d, law = recipe.tasks.length, recipe.tasks.dim, recipe.tasks
    prompts = stretched(d, N, count=count, generator=torch.Generator().manual_seed(40_000))

    def known(values: Sequence[float]) -> list[float | None]:  # JSON has no nan
        return [None if math.isnan(one) else one for one in _short(values)]

    def listed(said: Tensor) -> list[float | None]:
        return known(nearest_filter(said, prompts, EDGES).found)

    def largest(model: nn.Module) -> list[float | None]:
        return known(by_largest(answers(model, random), random, LARGEST))

    asked = law.sample(count, N + 1, generator=40_001)
    w = tasks_of(asked)

    def own(model: nn.Module, M: int) -> list[float]:
        some = Points(asked.x[:, : M + 1], asked.y[:, : M + 1])
        return _short(nearest_filter(answers(model, some), Stretched(some, w), EDGES)[1:])

    random = Tasks(d, N, law="exponential").sample(count, N + 1, generator=40_002)
    fit = _prefix(law.sample(FITTED, N + 1, generator=60_000), N)
    said = algorithms(_prefix(prompts.points, N), fit)

    return {
        "at": revision(),
        "edges": EDGES,
        "prompts": count,
        "models": [listed(answers(model, prompts.points)) for model in models],
        "readouts": [listed(answers(readout, prompts.points)) for readout in readouts],
        "algorithms": {name: listed(said[name]) for name in said if name != "truth"},
        "own": [[own(model, M) for M in (min(d, N), N)] for model in models],
        "largest_edges": LARGEST,
        "largest": [largest(model) for model in models],
    }


def edge(recipe: Recipe, models: Sequence[nn.Module], *, count: Count = PROMPTS) -> dict[str, Any]:
    """Shares of silence's risk at N examples, when the axes of prompts are stretched or shrunk.

    "stretched", a list for each model: on the law of training, the largest eigenvalue of S made
    each of "to". "shrunk", a number for each model: on random covariances "as drawn"; with every
    eigenvalue above "most", (1 + √(d/N))², made equal to it ("beyond"); the same factors on as
    many axes in the middle of the spectrum instead ("middle"), or the largest on all ("all").
    "louder" has all points scaled instead, until the largest is each of every other "to"; in
    "apart" it is INSIDE, and the others are scaled until it is each of "ratios" times their mean;
    "others" is that mean on the law. "parts" are :func:`probes.split`, a triple for each model: at
    every other one of "to", and on random covariances as drawn ("random").
    """
    N, d, law = recipe.tasks.length, recipe.tasks.dim, recipe.tasks
    own = law.sample(count, N + 1, generator=70_000)
    random = Tasks(d, N, law="exponential").sample(count, N + 1, generator=40_002)
    most = (1 + math.sqrt(d / N)) ** 2

    shares = partial(_shares, models)

    def middle(values: Tensor) -> Tensor:
        result, factors = values.clone(), values.clamp(max=most) / values
        n = min(d // 2, int((values > most).sum(-1).max()))
        result[:, d // 2 - n : d // 2] *= factors[:, d - n :]
        return result

    changes: dict[str, Callable[[Tensor], Tensor]] = {
        "as drawn": lambda values: values,
        "beyond": lambda values: values.clamp(max=most),
        "middle": middle,
        "all": lambda values: values * (most / values[:, -1:]).clamp(max=1),
    }

    def listed(each: Iterable[Points]) -> list[list[float]]:
        return [_short(row) for row in zip(*map(shares, each), strict=True)]

    stretched = [reshaped(own, _largest_at(value)) for value in TO]
    others = torch.linalg.eigvalsh(second_moment(own))[:, :-1].mean()

    def parts(points: Points) -> list[list[float]]:
        prompts = Stretched(points, tasks_of(points))
        return [_short(split(model, prompts, EDGES, orders=8)) for model in models]

    return {
        "at": revision(),
        "to": TO,
        "stretched": listed(stretched),
        "louder": listed(reshaped(own, _louder_to(value)) for value in TO[::2]),
        "ratios": RATIOS,
        "apart": listed(reshaped(own, _apart_by(ratio)) for ratio in RATIOS),
        "others": float(f"{others:.4g}"),
        "most": most,
        "shrunk": {
            name: _short(shares(reshaped(random, change))) for name, change in changes.items()
        },
        "parts": {
            "stretched": [parts(points) for points in stretched[::2]],
            "random": parts(random),
        },
    }


def quieter(
    recipe: Recipe, models: Sequence[nn.Module], *, count: Count = PROMPTS
) -> dict[str, Any]:
    """Shares of silence's risk at N examples, a list for each model, when all axes are quieter.

    All points of a prompt of the law of training are scaled alike, until the mean of all
    eigenvalues of S but the largest is INSIDE over each of "ratios": as large as where `edge`
    shrinks the others and keeps the largest at INSIDE ("apart").
    """
    own = recipe.tasks.sample(count, recipe.tasks.length + 1, generator=70_000)
    changes = (partial(_others_at, INSIDE / ratio) for ratio in RATIOS)
    found = [_shares(models, reshaped(own, change)) for change in changes]
    rows = [_short(row) for row in zip(*found, strict=True)]
    return {"at": revision(), "ratios": RATIOS, "left": rows}


def _shares(models: Sequence[nn.Module], points: Points) -> list[float]:
    """What each model misses of the last label, as a share of what silence misses."""
    label = points.y[:, -1].double()
    misses = (answers(model, points) - label for model in models)
    return [float(miss.square().mean() / label.square().mean()) for miss in misses]


def _largest_at(value: float) -> Callable[[Tensor], Tensor]:
    return lambda values: torch.cat([values[:, :-1], 0 * values[:, -1:] + value], dim=1)


def _louder_to(value: float) -> Callable[[Tensor], Tensor]:
    return lambda values: values * value / values[:, -1:]


def _apart_by(ratio: float) -> Callable[[Tensor], Tensor]:
    return lambda values: _largest_at(INSIDE)(_others_at(INSIDE / ratio, values))


def _others_at(mean: float, values: Tensor) -> Tensor:
    return values * mean / values[:, :-1].mean(-1, keepdim=True)


def _rows(found: dict[str, Any], which: slice) -> dict[str, Any]:
    return {name: [_short(row) for row in rows[which]] for name, rows in found.items()}


def _short(values: Sequence[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


def _prefix(points: Points, M: int) -> Prompts:
    """The first M points as context, the next one as query, in double precision."""
    x, y = (part[:, : M + 1].double() for part in points)
    return Points(x, y).prompts


def finished(recipe: Recipe, seeds: Sequence[int], out: Path) -> tuple[list[Transformer], str]:
    """The models of finished runs and their revision. Raises ValueError where one is missing."""
    models, steps = [], recipe.training.steps
    for seed in seeds:
        path = out / f"{recipe.name}-{seed}" / "checkpoint.pt"
        try:
            numbers = torch.load(path, map_location="cpu", weights_only=True)
        except OSError as error:
            raise ValueError(f"out must hold the run of seed {seed}, got no {path}") from error
        if len(numbers["losses"]) < steps:
            raise ValueError(
                f"the run must be finished, got {path} after {len(numbers['losses'])} of {steps} "
                f"steps; give the same command without --compare to go on with it"
            )
        model = Transformer(recipe.architecture)
        model.load_state_dict(numbers["model"])
        models.append(model.eval())
    note = json.loads(path.with_name("recipe.json").read_text("utf-8"))
    return models, note["revision"]


def write(path: Path, recipe: Recipe, seeds: Sequence[int], out: Path) -> Path:
    """Compare the finished runs of these seeds, at ten lengths up to a little beyond N."""
    N, step = recipe.tasks.length, max(1, recipe.tasks.length // 10)
    lengths = [*range(step, N + 1, step), N + 1]
    models, trained_at = finished(recipe, seeds, out)
    fit = recipe.tasks.sample(READ, max(lengths) + 1, generator=90_000)
    depth, n = recipe.architecture.layers, len(models)
    readouts = [Readout(model, k, fit) for k in range(1, depth + 1) for model in models]
    found = distances(recipe.tasks, [*models, *readouts, Truth()], lengths)
    orders = by_order(recipe.tasks, models, lengths[:-1])
    result: dict[str, Any] = {
        "recipe": recipe.name,
        "seeds": list(seeds),
        "trained_at": trained_at,
        "compared_at": revision(),
        "prompts": PROMPTS,
        "fitted": FITTED,
        "read": READ,
        "lengths": lengths,
        "distances": _rows(found, slice(n)),
        "after_blocks": [_rows(found, slice(k * n, (k + 1) * n)) for k in range(1, depth + 1)],
        "risks": {name: _short(rows[-1]) for name, rows in found.items() if name != "truth"},
    }
    result["orders"] = {name: [_short(row) for row in rows] for name, rows in orders.items()}
    result["orders"]["swapped"] = [_short(row) for row in swapped(recipe.tasks, models, N // 2)]
    near = mixtures(recipe.tasks, models, [N // 2, N])
    result["mixtures"] = near | {name: [_short(row) for row in near[name]] for name in MIXTURES}
    if (RECORDS / "moving" / f"{recipe.name}.json").exists():
        result["moving"] = from_moving(recipe, models, lengths[:-1])
    result["edge"] = edge(recipe, models)
    result["quieter"] = {"seeds": list(seeds)} | quieter(recipe, models)
    result["off"] = off_law(recipe, models, [max(1, N // 2), N, N + 1])
    result["spectra"] = spectra(recipe, models, readouts, count=PROBED)
    if n > 1:
        result["between"] = [_short(row) for row in between(recipe.tasks, models, lengths)]
    if recipe.architecture.positions == "learned":
        far = spread_out(recipe, models)
        result["beyond"] = {name: far[name] for name in ("lengths", "own", "lent")}
        result["spread"] = {"seeds": list(seeds), "at": revision()} | far
        result["misplaced"] = {"seeds": list(seeds)} | misplaced(recipe, models)
        result["misplaced"]["otherwise"] = misplaced_otherwise(recipe, models)
        result["misplaced"]["one by one"] = one_by_one(recipe, models[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, separators=(",", ":")).replace('],"', '],\n"') + "\n")
    return path
