"""What models answered to the prompts of their comparison, so that a rule can be held against them
without their weights."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..prompts import Prompts
from . import _written
from ._source import revision
from .compared import asked, finished
from .plan import Recipe
from .recorded import RECORDS
from .tasks import Points, Tasks

KEYS = ("recipe", "seeds", "trained_at", "answered_at", "lengths", "labels", "answers")


class Apart(NamedTuple):
    """Distances in per cent of the risk of silence, one column for each of ``lengths``.

    ``models`` (n, L): of the rule from each model. ``pairs`` (n(n - 1)/2, L): of the models from
    one another, (0, 1), (0, 2), …: the yardstick.
    """

    lengths: list[int]
    models: Tensor
    pairs: Tensor


def write(path: Path, recipe: Recipe, seeds: Sequence[int], out: Path) -> Path:
    """The answers of the runs of these seeds in the folder ``out``, after N/2 and N examples.

    Raises ValueError where there is no such run, or it is not finished.
    """
    models, trained_at = finished(recipe, seeds, out)
    N = recipe.tasks.length
    lengths = [max(1, N // 2), N]
    points, said = asked(recipe.tasks, models, N + 2)
    found: dict[str, Any] = {
        "recipe": recipe.record(),
        "seeds": list(seeds),
        "trained_at": trained_at,
        "answered_at": revision(),
        "lengths": lengths,
        "labels": _packed(points.y, lengths),
        "answers": [_packed(one, lengths) for one in said],
    }
    return _written.write(path, found)


def _packed(rows: Tensor, lengths: Sequence[int]) -> str:
    return _written.packed(rows[:, lengths].numpy().ravel())


def apart(
    rule: Callable[[Prompts], Tensor], name: str = "d20-fixed", folder: Path = RECORDS
) -> Apart:
    """How far a rule is from recorded models, and how far these are from one another.

    mean (ŷ_rule - ŷ_model)² over 2048 prompts of the recipe's law, in per cent of the risk of
    silence. ``rule`` maps :class:`linear_icl.prompts.Prompts` in double precision to predictions
    (B,), as the estimators of :mod:`linear_icl.estimators` do; it is asked at each length.
    Raises ValueError for a missing or an old file, for predictions of another shape or not finite,
    and where this machine draws other prompts than those that were asked.
    """
    found = _written.read("answers", name, KEYS, folder)
    law, lengths = Tasks.recorded(found["recipe"]["tasks"]), found["lengths"]
    points, _ = asked(law, [], law.length + 2)
    labels = points.y[:, lengths].double()
    if not torch.allclose(labels, _table(found["labels"], lengths), atol=1e-5):
        raise ValueError(
            "prompts must be those that the models were asked, got others; this version of torch "
            f"({torch.__version__}) draws other numbers"
        )
    said = torch.stack([_table(one, lengths) for one in found["answers"]])  # (n, B, L)
    ours = torch.stack([_predictions(rule, points, M) for M in lengths], dim=1)
    n, scale = len(said), 100 / law.blind_risk
    upper = torch.triu_indices(n, n, offset=1)
    return Apart(
        lengths,
        scale * (said - ours).square().mean(1),
        scale * (said[upper[0]] - said[upper[1]]).square().mean(1),
    )


def _table(text: str, lengths: Sequence[int]) -> Tensor:
    rows: np.ndarray = _written.unpacked(text).reshape(-1, len(lengths))
    return torch.from_numpy(rows).double()


def _predictions(rule: Callable[[Prompts], Tensor], points: Points, M: int) -> Tensor:
    x, y = (part[:, : M + 1].double() for part in points)
    said = torch.as_tensor(rule(Points(x, y).prompts))
    if said.shape != y[:, M].shape or not torch.isfinite(said).all():
        raise ValueError(
            f"rule must return a finite prediction for each of the {len(y)} prompts, got shape "
            f"{tuple(said.shape)} with {int((~torch.isfinite(said)).sum())} not finite, M = {M}"
        )
    return said.double()
