"""What a trained model predicts, beside zero, least squares, Bayes and the exact LSA limit.

All risks are means of (ŷ - y)² against the label without noise, not divided by d. Every estimator
reads the same prompts, so differences between two of them are much better known than either.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .. import _checks
from .._types import Count
from ..estimators import bayes, ols
from ..landscape import FixedCovariance
from ..prompts import Prompts
from ..random_covariance import DiagonalCovariance
from ..risk import linear_risk, random_covariance_risk
from ..shifts import SHIFTS
from .plan import Recipe
from .tasks import Points, Tasks, points

# Zhang, Frei & Bartlett (2024) took 64 x 64. E λ³ = 6 comes from few covariances: with 64 of them
# the interval misses the exact risk of the LSA limit more often than not.
COVARIANCES, PROMPTS = 512, 4
FEW = 36  # lengths of a curve: all of d = 5, N = 11; of longer ones a record has no room for all
MANY = 4096  # covariances for the risks at M = N, which the claims of chapter 8 compare
SCALES = (1, 4, 9)
LEVEL = 0.9


class Band(NamedTuple):
    """A mean over prompts, and the ends of its bootstrap interval, one number a position."""

    mean: Tensor
    low: Tensor
    high: Tensor


def bands(errors: Tensor, *, level: float = LEVEL, resamples: Count = 400, seed: int = 0) -> Band:
    """The mean of errors (K, R, ...) over K covariances and R prompts of each, and its interval.

    Percentile bootstrap in two stages: K covariances are drawn with replacement, then R prompts of
    each drawn one. With K = 1 only prompts are resampled, and with R = 1 only covariances. Errors
    of one shape share their resamples under one ``seed``.
    Raises ValueError for a level outside (0, 1) or fewer than two axes.
    """
    if errors.ndim < 2 or not 0 < level < 1:
        raise ValueError(
            f"bands takes errors (K, R, ...) and a level in (0, 1), got shape "
            f"{tuple(errors.shape)} and {level}; reshape the errors to covariances x prompts"
        )
    K, R = errors.shape[:2]
    weights = _resampled(K, R, _checks.length("resamples", resamples), seed).to(errors)
    means = torch.tensordot(weights, errors.flatten(0, 1), dims=1)  # (resamples, ...)
    tail = (1 - level) / 2
    ends = means.quantile(torch.tensor([tail, 1 - tail]).to(means), dim=0)
    return Band(errors.mean((0, 1)), ends[0], ends[1])


@lru_cache(maxsize=4)
def _resampled(K: int, R: int, n: int, seed: int) -> Tensor:
    """How often each prompt occurs in each resample, over KR: (n, KR), rows of sum 1."""
    generator = torch.Generator().manual_seed(seed)
    counts = torch.empty(n, K * R)
    for k in range(n):
        covariance = torch.randint(K, (K, 1), generator=generator)
        prompt = torch.randint(R, (K, R), generator=generator)
        counts[k] = torch.bincount((covariance * R + prompt).flatten(), minlength=K * R)
    return counts / (K * R)


def preconditioner(tasks: Tasks) -> Tensor:
    """A = uU of the LSA layer trained on this law by gradient flow, (d, d): ŷ = wᵀSAx_q.

    Theorem 4.1 for a fixed covariance, Theorem 4.5 for a random one; both with task mean 0.
    """
    law, d = tasks.eigenvalues(torch.device("cpu")), tasks.dim
    if tasks.law == "constant":
        U, u = FixedCovariance(law.moment(1).double() * torch.eye(d), tasks.length).limit()
    else:
        U, u = DiagonalCovariance(law, d, tasks.length).limit()
    return (u * U).double()


def at_every_point(model: Any, x: Tensor, y: Tensor, *, batch: int = 512) -> Tensor:
    """Predictions (B, P) of a transformer, without gradients, in eval mode, some at a time.

    They are made on the model's device and returned on that of x.
    """
    mode, where = model.training, next(model.parameters(), x).device
    model.eval()
    with torch.no_grad():
        parts = [
            model(some.to(where), labels.to(where)).to(x.device)
            for some, labels in zip(torch.split(x, batch), torch.split(y, batch), strict=True)
        ]
    model.train(mode)
    return torch.cat(parts)


def lsa_at_every_point(A: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """(B, P): ŷ_i = x_iᵀA'(1/(i-1)) Σ_{j<i} y_jx_j, the layer with A; ŷ_1 = 0."""
    sums = (y.unsqueeze(-1) * x).cumsum(1)[:, :-1]  # (B, P-1, d)
    M = torch.arange(1, x.shape[1], device=x.device).unsqueeze(-1)
    later = ((x[:, 1:] @ A.mT.to(x)) * (sums / M)).sum(-1)
    return torch.nn.functional.pad(later, (1, 0))


def estimator_at_every_point(
    estimator: Callable[[Prompts], Tensor],
    x: Tensor,
    y: Tensor,
    first: Tensor,
    lengths: Sequence[int] | None = None,
) -> Tensor:
    """(B, P): any estimator on every prefix, in float64; ``first`` (B,) is said without context.

    With ``lengths``, M = 0 first, only on the prefixes of these lengths.
    """
    x, y = x.double(), y.double()
    some = range(x.shape[1]) if lengths is None else lengths
    later = [estimator(Prompts(x[:, :M], y[:, :M], x[:, M], y[:, M])) for M in some[1:]]
    return torch.stack([first.double(), *later], dim=1)


def grid(tasks: Tasks, count: int) -> tuple[int, ...]:
    """The lengths 0 … count-1 of a curve: all if they are few, else about FEW of them.

    Those around d and N are among them: there least squares and learned positions change.
    """
    if count <= FEW:
        return tuple(range(count))
    d, N = tasks.dim, tasks.length
    kept = {*range(0, count, -(-count // FEW)), 1, d - 1, d, d + 1, *range(N - 1, N + 4), count - 1}
    return tuple(sorted(kept & set(range(count))))


class Sample(NamedTuple):
    """Prompts of a test, and what zero, OLS and (if it differs) Bayes say of them."""

    points: Points
    errors: dict[str, Tensor]  # (K, R, number of lengths) each


@lru_cache(maxsize=8)
def sample(
    tasks: Tasks,
    count: int,
    covariances: int = COVARIANCES,
    each: int = PROMPTS,
    lengths: tuple[int, ...] | None = None,
) -> Sample:
    """The prompts of one test, the same for every model; ``count`` points long.

    The errors are those at the context ``lengths``, by default 0 … count-1.
    """
    if tasks.noise_variance:
        raise ValueError(
            f"noise_variance must be 0 for a curve over prefixes, got {tasks.noise_variance}; "
            f"noisy labels are one of the shifts"
        )
    x, y = tasks.sample(covariances * each, count, each=each, generator=30_000)
    at = tuple(range(count)) if lengths is None else lengths
    zero = torch.zeros_like(y[:, at])
    predicted = {"zero": zero, "ols": estimator_at_every_point(ols, x, y, zero[:, 0], at)}
    if tasks.task_mean:
        mean = x.new_full((tasks.dim,), tasks.task_mean).double()

        def posterior(prompts: Prompts) -> Tensor:
            return bayes(prompts, noise_variance=0.0, task_mean=mean)

        predicted["bayes"] = estimator_at_every_point(posterior, x, y, x[:, 0].double() @ mean, at)
    shape = (covariances, each, len(at))
    return Sample(Points(x, y), {k: _errors(v, y[:, at]).view(shape) for k, v in predicted.items()})


def tests(tasks: Tasks) -> dict[str, Tasks]:
    """Name -> law of the test prompts: fixed I and c·diag(Exp(1)), or, for β* ≠ 0, training's."""
    if tasks.task_mean:
        return {"training": tasks}
    d, N = tasks.dim, tasks.length
    random = {f"random_{c}": Tasks(d, N, law="exponential", parameters=(float(c),)) for c in SCALES}
    return {"fixed": Tasks(d, N), **random}


def curves(
    recipe: Recipe, models: Sequence[nn.Module], *, count: int | None = None, **size: int
) -> dict[str, Any]:
    """Risk against the context lengths M of :func:`grid`, on each of :func:`tests`, with bands.

    ``count`` points, by default three times those of training. For each test: ``lengths``, the
    estimators transformer (mean over the models), ols, zero, lsa (limit of the training law) or,
    for β* ≠ 0, bayes, each {mean, low, high}; ``seeds``, the same for each model; ``lsa_exact`` for
    M >= 1 where a formula exists.
    """
    a = recipe.architecture
    P = min(a.capacity, 3 * a.points) if count is None else _checks.length("count", count)
    A, at, result = preconditioner(recipe.tasks), grid(recipe.tasks, P), {}
    for name, law in tests(recipe.tasks).items():
        (x, y), baselines = sample(law, P, lengths=at, **size)
        shape = baselines["zero"].shape
        all_errors = [_errors(at_every_point(model, x, y), y) for model in models]
        errors = [one[:, at].view(shape) for one in all_errors]
        if not recipe.tasks.task_mean:
            lsa = _errors(lsa_at_every_point(A, x, y), y)[:, at].view(shape)
            baselines = {**baselines, "lsa": lsa}
        result[name] = {
            "lengths": list(at),
            **_measured(errors, baselines),
            "lsa_exact": _exact(recipe.tasks, law, A, list(at[1:])),
        }
    return result


def at_query(
    recipe: Recipe,
    models: Sequence[nn.Module],
    *,
    covariances: int = MANY,
    each: int = PROMPTS,
) -> dict[str, Any]:
    """The risks at M = N of :func:`curves`, on more prompts: the same form, one number a band.

    ``length`` is N; the prompts are the same for every recipe.
    """
    N, A, result = recipe.tasks.length, preconditioner(recipe.tasks), {}
    shape = (covariances, each)
    for name, law in tests(recipe.tasks).items():
        drawn = law.sample(covariances * each, N + 1, each=each, generator=50_000)
        exact = _exact(recipe.tasks, law, A, [N])
        result[name] = {
            "length": N,
            **_at_last(models, A, drawn, shape, task_mean=law.task_mean),
            "lsa_exact": None if exact is None else exact[0],
        }
    return result


def over_shifts(
    recipe: Recipe, models: Sequence[nn.Module], *, batch: int = COVARIANCES * PROMPTS
) -> dict[str, Any]:
    """Risk at the query under every shift of chapter 4, M = N (or d - 1 where it must be short).

    For each shift: ``length``, the estimators as in :func:`curves`, ``seeds``, and ``lsa_exact``.
    The noise of the query's label is taken off in the mean: risks are those against wᵀx_q.
    Empty for β* ≠ 0, since the shifts are of tasks around 0, and for d = 1, where some are not.
    """
    if recipe.tasks.task_mean or recipe.tasks.dim == 1:
        return {}
    d, N = recipe.tasks.dim, recipe.tasks.length
    A, result = preconditioner(recipe.tasks), {}
    for name, factory in SHIFTS.items():
        shift = factory(d, dtype=torch.float32)
        M = min(N, d - 1) if shift.short_only else N
        drawn = points(shift.sample(batch, M, generator=40_000))
        noise = float(shift.noise_variance)
        result[name] = {
            "length": M,
            **_at_last(models, A, drawn, (batch, 1), noise=noise),
            "lsa_exact": shift.risk(A, M).item(),
        }
    return result


def _at_last(
    models: Sequence[nn.Module],
    A: Tensor,
    drawn: Points,
    shape: tuple[int, int],
    *,
    task_mean: float = 0.0,
    noise: float = 0.0,
) -> dict[str, Any]:
    """The bands of the errors at the last point, less the ``noise`` of its label.

    Of zero, least squares and Bayes or, for tasks around 0, A. ``shape`` is (K, R), as for `bands`.
    """
    x, y = drawn
    prompts, truth = Prompts(*(part.double() for part in drawn.prompts)), y[:, -1]
    said = {"zero": torch.zeros_like(truth), "ols": ols(prompts)}
    if task_mean:
        mean = prompts.x.new_full(x.shape[-1:], task_mean)
        said["bayes"] = bayes(prompts, noise_variance=0.0, task_mean=mean)
    else:
        said["lsa"] = lsa_at_every_point(A, x, y)[:, -1]

    def errors(predicted: Tensor) -> Tensor:
        return _errors(predicted, truth).view(shape) - noise

    by_model = [errors(at_every_point(model, x, y)[:, -1]) for model in models]
    return _measured(by_model, {name: errors(predicted) for name, predicted in said.items()})


def _measured(errors: list[Tensor], baselines: dict[str, Tensor]) -> dict[str, Any]:
    """The bands of all estimators, the transformer's a mean over the models, and of each model."""
    named = {"transformer": torch.stack(errors).mean(0), **baselines}
    return {
        "estimators": {key: _listed(bands(value)) for key, value in named.items()},
        "seeds": [_listed(bands(value)) for value in errors],
    }


def _exact(trained: Tasks, tested: Tasks, A: Tensor, lengths: list[int]) -> list[float] | None:
    """The limit's exact risk where chapter 4 or 5 has a formula for it."""
    if trained.task_mean:
        return None
    law = tested.eigenvalues(torch.device("cpu"))
    if tested.law == "constant":
        Lambda = law.moment(1).double() * torch.eye(tested.dim, dtype=torch.float64)
        risks = linear_risk(Lambda, None, lengths, preconditioner=A)
    elif trained.law == "exponential" and not trained.parameters:
        c = law.moment(1).double()
        base = trained.eigenvalues(torch.device("cpu"))
        risks = random_covariance_risk(base, trained.dim, trained.length, lengths, scale=c.float())
    else:
        return None
    return [float(risk) for risk in risks]


def _errors(predicted: Tensor, y: Tensor) -> Tensor:
    return (predicted.double() - y.double()).square()


def _listed(band: Band) -> dict[str, Any]:
    return {key: value.tolist() for key, value in band._asdict().items()}
