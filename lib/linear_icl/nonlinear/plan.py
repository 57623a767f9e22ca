"""What determines a run but its seed: the model, its prompts, and how it is trained."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from .. import _checks
from ..training import OPTIMIZERS
from .model import Architecture, Transformer
from .optimizers import MuonAndAdam, split
from .tasks import Curriculum, Tasks

SCHEDULES: dict[str, Callable[[float], float]] = {
    "constant": lambda share: 1.0,
    "cosine": lambda share: 0.5 * (1 + math.cos(math.pi * share)),
    "linear": lambda share: min(1.0, 2 * (1 - share)),
}
"""Learning rate at a share of the run, over the largest; "linear" falls in the second half."""

WEIGHTS: dict[str, Callable[[int], Tensor]] = {
    "even": lambda P: torch.ones(P),
    "late": lambda P: 2 * torch.arange(P) / max(1, P - 1) if P > 1 else torch.ones(1),
    "query": lambda P: P * torch.nn.functional.one_hot(torch.tensor(P - 1), P).float(),
}
"""Weight of each point's squared error in the loss, of mean 1."""

PRECISIONS = {p: p for p in ("32-true", "16-mixed", "bf16-mixed")}


@dataclass(frozen=True)
class Training:
    """How a model is trained; every field goes into the records.

    ``optimizer`` muon, adam, adamw or sgd with ``learning_rate``; muon's Adam for the rest of the
    parameters has ``rest_rate``; ``momentum`` and ``betas`` are those of muon and adam.
    ``warmup`` steps of linearly growing rate, then ``schedule`` constant, cosine or linear.
    ``clip`` > 0 bounds the norm of the gradient (0: not). ``weights`` even (Garg), late or query.
    ``curriculum`` or None. ``every``: steps between evaluations, each with a checkpoint.
    ``precision`` as in Lightning Fabric; ``compile``: by torch.compile, worth it on a GPU.
    Raises ValueError for unknown names or improper numbers.
    """

    steps: int
    batch: int = 64
    optimizer: str = "muon"
    learning_rate: float = 0.01
    rest_rate: float = 0.01
    momentum: float = 0.9
    betas: tuple[float, float] = (0.9, 0.99)
    warmup: int = 50
    schedule: str = "linear"
    clip: float = 1.0
    weights: str = "late"
    curriculum: Curriculum | None = None
    every: int = 250
    precision: str = "32-true"
    compile: bool = False

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "every"):
            _checks.length(name, getattr(self, name))
        _checks.choice("optimizer", self.optimizer, {"muon": 0, **OPTIMIZERS})
        for name in ("learning_rate", "rest_rate"):
            _checks.positive(name, getattr(self, name), shape=())
        for name in ("warmup", "clip"):
            _checks.nonnegative(name, getattr(self, name), shape=())
        _checks.choice("schedule", self.schedule, SCHEDULES)
        _checks.choice("weights", self.weights, WEIGHTS)
        _checks.choice("precision", self.precision, PRECISIONS)

    def statement(self) -> str:
        """Optimiser, rates and schedule in words, for a record and a page."""
        rate, warm = f"rate {self.learning_rate:g}", f"{self.warmup} steps of warm-up"
        betas = f"betas {self.betas[0]:g} and {self.betas[1]:g}"
        how = {
            "muon": f"torch.optim.Muon ({rate}, momentum {self.momentum:g}, no decay) on the "
            f"matrices of the blocks, torch.optim.Adam (rate {self.rest_rate:g}, {betas}) on the "
            f"rest",
            "sgd": f"sgd ({rate})",
        }
        falls = {
            "constant": "",
            "cosine": ", then a cosine to 0",
            "linear": ", 1 to half, then to 0",
        }
        return (
            f"{self.steps} steps of {self.batch} prompts; "
            f"{how.get(self.optimizer, f'{self.optimizer} ({rate}, {betas})')}; rates times: {warm}"
            f"{falls[self.schedule]}; gradient "
            f"{f'cut at norm {self.clip:g}' if self.clip else 'not cut'}; points weighted "
            f"{self.weights}; {'no curriculum' if self.curriculum is None else self.curriculum}"
        )

    def factor(self, step: int) -> float:
        """What the learning rates are multiplied by at this step."""
        warm = min(1.0, (step + 1) / self.warmup) if self.warmup else 1.0
        return warm * SCHEDULES[self.schedule](step / self.steps)

    def optimizer_of(self, model: Transformer) -> torch.optim.Optimizer:
        """The optimiser, its rates not yet multiplied by :meth:`factor`."""
        if self.optimizer == "muon":
            return MuonAndAdam(
                *split(model),
                lr=self.learning_rate,
                rest_lr=self.rest_rate,
                momentum=self.momentum,
                betas=self.betas,
            )
        extra = {} if self.optimizer == "sgd" else {"betas": self.betas}
        return OPTIMIZERS[self.optimizer](model.parameters(), lr=self.learning_rate, **extra)


@dataclass(frozen=True)
class Recipe:
    """One experiment: a name, what it is for, the model, its prompts, its training.

    ``seeds``: how many its record has, 0, 1, …; ``curve``: how many points of a logarithmic grid of
    steps are evaluated besides every so many (0: none).
    Raises ValueError unless model and prompts have one d and one N, or for improper numbers.
    """

    name: str
    purpose: str
    architecture: Architecture
    tasks: Tasks
    training: Training
    seeds: int = 3
    curve: int = 0

    def __post_init__(self) -> None:
        _checks.length("seeds", self.seeds)
        if self.curve != 0 and _checks.length("curve", self.curve) < 2:
            raise ValueError(f"curve must be 0 or >= 2, got {self.curve}; a grid has two ends")
        a, t = self.architecture, self.tasks
        if a.dim != t.dim or a.points != t.length + 1:
            raise ValueError(
                f"architecture must have dim={t.dim} and points={t.length + 1} as its tasks do, "
                f"got dim={a.dim}, points={a.points}; points counts the query too"
            )

    def curve_steps(self) -> frozenset[int]:
        """1 = s^0, …, s^1 = ``steps`` at ``curve`` equal ratios, rounded; equal ones are one."""
        last = self.curve - 1
        return frozenset(round(self.training.steps ** (k / last)) for k in range(self.curve))

    def record(self) -> dict[str, Any]:
        """Everything that determines the weights but the seed, as JSON can hold it."""
        training = asdict(self.training) | {"betas": list(self.training.betas)}
        return {
            "name": self.name,
            "architecture": self.architecture.record(),
            "tasks": self.tasks.record(),
            "training": training,
        }
