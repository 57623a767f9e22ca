"""What determines a run but its seed: the model, its prompts, and how it is trained."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from .. import _checks
from .model import Architecture
from .tasks import Curriculum, Tasks

WEIGHTS: dict[str, Callable[[int], Tensor]] = {
    "even": lambda P: torch.ones(P),
    "late": lambda P: 2 * torch.arange(P) / max(1, P - 1) if P > 1 else torch.ones(1),
}
"""Weight of each point's squared error in the loss, of mean 1."""

PRECISIONS = {p: p for p in ("32-true", "bf16-mixed")}


@dataclass(frozen=True)
class Training:
    """How a model is trained; every field goes into the records.

    Muon with ``learning_rate`` and ``momentum`` on the matrices of the blocks, Adam with
    ``rest_rate`` and ``betas`` on the rest. ``warmup`` steps of linearly growing rates, which fall
    linearly to 0 in the second half. ``clip`` bounds the norm of the gradient. ``weights`` of the
    points even (Garg) or late.
    ``curriculum`` or None. ``every``: steps between evaluations, each with a checkpoint.
    ``precision`` as in Lightning Fabric; ``compile``: by torch.compile, worth it on a GPU.
    Raises ValueError for unknown names or improper numbers.
    """

    steps: int
    batch: int = 64
    learning_rate: float = 0.01
    rest_rate: float = 0.01
    momentum: float = 0.9
    betas: tuple[float, float] = (0.9, 0.99)
    warmup: int = 50
    clip: float = 1.0
    weights: str = "late"
    curriculum: Curriculum | None = None
    every: int = 250
    precision: str = "32-true"
    compile: bool = False

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "every", "warmup"):
            _checks.length(name, getattr(self, name))
        for name in ("learning_rate", "rest_rate", "clip"):
            _checks.positive(name, getattr(self, name), shape=())
        _checks.choice("weights", self.weights, WEIGHTS)
        _checks.choice("precision", self.precision, PRECISIONS)

    def statement(self) -> str:
        """Optimiser, rates and schedule in words, for a record and a page."""
        return (
            f"{self.steps} steps of {self.batch} prompts; torch.optim.Muon (rate "
            f"{self.learning_rate:g}, momentum {self.momentum:g}, no decay) on the matrices of the "
            f"blocks, torch.optim.Adam (rate {self.rest_rate:g}, betas {self.betas[0]:g} and "
            f"{self.betas[1]:g}) on the rest; rates times: {self.warmup} steps of warm-up, 1 to "
            f"half, then to 0; gradient cut at norm {self.clip:g}; points weighted {self.weights}; "
            f"{'no curriculum' if self.curriculum is None else self.curriculum}"
        )

    def factor(self, step: int) -> float:
        """What the learning rates are multiplied by at this step."""
        return min(1.0, (step + 1) / self.warmup) * min(1.0, 2 * (1 - step / self.steps))


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
        fixed = {"betas": list(self.training.betas), "optimizer": "muon", "schedule": "linear"}
        return {
            "name": self.name,
            "architecture": self.architecture.record(),
            "tasks": self.tasks.record(),
            "training": asdict(self.training) | fixed,
        }
