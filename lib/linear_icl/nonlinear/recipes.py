"""The named experiments: the small set, for a laptop; d = 20, for a night; a GPU's, 12 blocks."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from .. import _checks
from . import experiments
from .model import Architecture
from .plan import Recipe, Training
from .tasks import Curriculum, Tasks

SMALL = Architecture(dim=5, points=12, layers=3, heads=2, width=64, tokens="columns")
SHORT = Training(steps=1500)
LAW = Tasks(dim=5, length=11)
LONG = Training(steps=4000)
# So small that a page can carry its weights and run it, and that its prompts can be seen.
SEEN = Architecture(dim=1, points=9, layers=2, heads=2, width=16, tokens="columns")
# Every entry of β*. Zhang, Wu & Bartlett (2024), Table 1, take 10, for which 4000 steps are too
# few here.
BETA_STAR = 3.0
PAPER_BETA_STAR = 10.0


def _small(
    name: str, purpose: str, tasks: Tasks = LAW, training: Training = SHORT, **change: Any
) -> Recipe:
    """The small set's model but for what is changed in its architecture."""
    return Recipe(name, purpose, replace(SMALL, **change), tasks, training)


def _paper(law: str, length: int) -> Recipe:
    """The scale of the JMLR experiments, with our optimiser; Garg's tokens and curriculum."""
    architecture = Architecture(
        dim=20, points=length + 1, layers=12, heads=8, width=256, capacity=2 * length + 1
    )
    grow = Curriculum(dims=5, points=11, every=200, more=max(2, -(-(length - 10) // 15)))
    training = Training(
        steps=12_000,
        batch=256,
        learning_rate=0.02,
        rest_rate=0.003,
        momentum=0.95,
        weights="even",
        warmup=200,
        curriculum=grow,
        every=1000,
        precision="bf16-mixed",
        compile=True,
    )
    name = "fixed" if law == "constant" else "random"
    purpose = f"12 layers, 8 heads, 256; d = 20, N = {length}, {name} covariance"
    return Recipe(f"paper-{name}-{length}", purpose, architecture, Tasks(20, length, law), training)


_RANDOM = replace(LAW, law="exponential")
_MEAN = replace(LAW, task_mean=BETA_STAR)
_MEAN_10 = replace(LAW, task_mean=PAPER_BETA_STAR)
# Tokens in a row leave a plateau first; late weights and a faster Adam prolong it.
_INTERLEAVED = replace(SHORT, learning_rate=0.02, rest_rate=0.003, momentum=0.95, weights="even")

_ALL = (
    _small("fixed", "trained on the fixed covariance I"),
    _small("random", "trained on diag(Exp(1)), new in every prompt", _RANDOM),
    _small("fixed-no-positions", "fixed covariance, without positions", positions="none"),
    _small(
        "random-no-positions", "random covariance, without positions", _RANDOM, positions="none"
    ),
    _small(
        "fixed-linear-no-positions",
        "fixed covariance, attention without softmax and without positions",
        attention="linear",
        positions="none",
    ),
    _small("fixed-linear", "fixed covariance, attention without softmax", attention="linear"),
    _small(
        "random-linear", "random covariance, attention without softmax", _RANDOM, attention="linear"
    ),
    _small("fixed-no-mlp", "fixed covariance, β* = 0, without perceptrons", mlp=False),
    _small("mean", "tasks around β* = (3, …, 3)", _MEAN, LONG),
    _small(
        "mean-no-mlp", "tasks around β* = (3, …, 3), without perceptrons", _MEAN, LONG, mlp=False
    ),
    _small("mean-10", "tasks around β* = (10, …, 10)", _MEAN_10, LONG),
    _small(
        "mean-10-no-mlp",
        "tasks around β* = (10, …, 10), without perceptrons",
        _MEAN_10,
        LONG,
        mlp=False,
    ),
    _small(
        "random-interleaved",
        "random covariance, Garg's tokens x_1, y_1, x_2, …",
        _RANDOM,
        _INTERLEAVED,
        tokens="interleaved",
    ),
    Recipe("d1-fixed", "d = 1, for a figure that runs it", SEEN, Tasks(dim=1, length=8), LONG),
    *experiments.recipes(),
    *(_paper(law, N) for law in ("constant", "exponential") for N in (40, 70, 100)),
)

RECIPES: Mapping[str, Recipe] = MappingProxyType({recipe.name: recipe for recipe in _ALL})
"""Name -> recipe."""

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "small": tuple(name for name in RECIPES if not name.startswith(("d1-", "d20-", "paper-"))),
        "page": tuple(name for name in RECIPES if name.startswith("d1-")),
        "experiments": tuple(name for name in RECIPES if name.startswith("d20-")),
        "paper": tuple(name for name in RECIPES if name.startswith("paper-")),
    }
)
"""Name -> names of recipes that belong together."""


def named(name: str) -> tuple[Recipe, ...]:
    """The recipe of this name, or all of a group. Raises ValueError with the names there are."""
    if name in GROUPS:
        return tuple(RECIPES[member] for member in GROUPS[name])
    table = {**{one: (RECIPES[one],) for one in RECIPES}, **dict.fromkeys(GROUPS, ())}
    return _checks.choice("name", name, table)


def changed(
    recipe: Recipe, *, steps: int | None = None, batch: int | None = None, every: int | None = None
) -> Recipe:
    """The recipe with another number of steps, batch or period of evaluations."""
    given = {"steps": steps, "batch": batch, "every": every}
    change = {key: value for key, value in given.items() if value is not None}
    if not change:
        return recipe
    return replace(recipe, training=replace(recipe.training, **change))  # type: ignore[arg-type]
