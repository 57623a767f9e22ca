"""A rule that can be written down: causal steps whose points move, two numbers a place."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .. import _checks
from .._kernels import times
from .._types import Count
from . import _written
from ._source import revision
from .model import Labels, Points, Predictions
from .plan import WEIGHTS, Recipe
from .recorded import RECORDS
from .tasks import Tasks

STEPS, BATCH, RATE = 10_000, 64, 5e-3  # as many steps and prompts as the transformers have
DIGITS = 6
KINDS: dict[str, dict[str, bool]] = {
    "plain": {},
    "normalised": {"normalised": True},
    "still": {"moves": False},
}
"""Name -> what is particular: normalised points, or points that do not move."""


class MovingPoints(nn.Module):
    """Blocks of linear attention that read nothing but inner products, two numbers a position.

    Example j has a point x_j and what is left of its label, r_j = y_j at the start; a question has
    a point x and an answer ŷ = 0. In each block, with the numbers a, b of the token's position,

        r_j ← r_j - b_j Σ_{i≤j} ⟨x_i, x_j⟩ r_i,    x_j ← x_j + a_j Σ_{i≤j} ⟨x_i, x_j⟩ x_i,
        ŷ ← ŷ + b Σ_i ⟨x_i, x⟩ r_i,                 x ← x + a Σ_i ⟨x_i, x⟩ x_i

    over the examples i before the question. The first prediction, without a context, is 0; the
    last block moves no points. ``examples`` (L, 2, N) and ``questions`` (L, 2, N + 1) hold a, b.
    With ``normalised`` every point is first divided by its size ‖x_j‖/√d, and its label with it;
    the answer is multiplied by the size of the question. Then the sizes of the examples change no
    answer, if there is no noise. Without ``moves`` all a are zero.
    Von Oswald et al. (2023); Ding et al. (2024).

    Raises ValueError for sizes below 1.
    """

    def __init__(
        self,
        dim: Count,
        length: Count,
        blocks: Count,
        *,
        normalised: bool = False,
        moves: bool = True,
    ) -> None:
        super().__init__()
        self.dim, N = _checks.length("dim", dim), _checks.length("length", length)
        L = _checks.length("blocks", blocks)
        self.normalised, self.moves = normalised, moves
        self.examples = nn.Parameter(torch.zeros(L, 2, N))
        self.questions = nn.Parameter(torch.zeros(L, 2, N + 1))
        with torch.no_grad():
            self.questions[0, 1] = 1 / (N + dim + 1)  # one step of the best size, at N

    def forward(self, x: Points, y: Labels) -> Predictions:
        """Predictions at every point, (B, P); number i reads x_1 … x_i and y_1 … y_{i-1}.

        Raises ValueError for another dimension, or more points than there are numbers.
        """
        P, most = x.shape[1], self.questions.shape[-1]
        if x.shape[-1] != self.dim or not 1 <= P <= most:
            raise ValueError(
                f"x must have shape (B, P, {self.dim}) with at most {most} points, "
                f"got {tuple(x.shape)}"
            )
        q, X, r = x, x[:, :-1], y[:, : P - 1]
        size = torch.ones_like(q[..., 0])
        if self.normalised:
            size = q.norm(dim=-1) / self.dim**0.5
            q, X, r = q / size.unsqueeze(-1), X / size[:, :-1, None], r / size[:, :-1]
        said = torch.zeros_like(size)
        for k, (own, asked) in enumerate(zip(self.examples, self.questions, strict=True)):
            a, b = own[:, : P - 1]
            near, seen = (X @ X.mT).tril(), (q @ X.mT).tril(-1)
            said = said + asked[1, :P] * times(seen, r)
            if k + 1 < len(self.examples):
                r = r - b * times(near, r)
                if self.moves:
                    q, X = q + asked[0, :P, None] * (seen @ X), X + a[:, None] * (near @ X)
        return said * size


@dataclass(frozen=True)
class Fitted:
    """How a rule was fitted: by Adam, at ``rate`` falling to 0, on new prompts in each step."""

    steps: int = STEPS
    batch: int = BATCH
    rate: float = RATE


def fit(
    tasks: Tasks, blocks: Count, seed: int, *, kind: str = "plain", how: Fitted | None = None
) -> MovingPoints:
    """The rule of least loss on a law of prompts, with the transformers' loss: late points more.

    ``kind`` is one of KINDS. Raises ValueError for another, and for a loss that is not finite.
    """
    how, change = how or Fitted(), _checks.choice("kind", kind, KINDS)
    rule = MovingPoints(tasks.dim, tasks.length, blocks, **change)
    optimizer = torch.optim.Adam(rule.parameters(), lr=how.rate)
    rates = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, how.rate, total_steps=how.steps, pct_start=0.1
    )
    drawn = torch.Generator().manual_seed(10_000 + seed)
    late = WEIGHTS["late"](tasks.length + 1)
    for step in range(how.steps):
        x, y = tasks.sample(how.batch, generator=drawn)
        loss = ((rule(x, y) - y).square() * late).mean()
        if not torch.isfinite(loss):
            raise ValueError(
                f"the loss must stay finite, got {loss} in step {step}; lower the rate"
            )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(rule.parameters(), 1.0)
        optimizer.step()
        rates.step()
    return rule.eval()


def write(path: Path, recipe: Recipe, seeds: Sequence[int], out: Path) -> Path:
    """Fit rules of as many blocks to the recipe's law, of each of KINDS, and keep them.

    ``out`` is not used: nothing is read.
    """
    how, L = Fitted(), recipe.architecture.layers
    found: dict[str, Any] = {
        "tasks": recipe.tasks.record(),
        "seeds": list(seeds),
        "blocks": L,
        "how": asdict(how),
        "fitted_at": revision(),
    }
    for kind in KINDS:
        rules = [fit(recipe.tasks, L, seed, kind=kind, how=how) for seed in seeds]
        found[kind] = [{name: _rounded(p) for name, p in rule.named_parameters()} for rule in rules]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, separators=(",", ":")).replace("],", "],\n") + "\n")
    return path


def _rounded(numbers: Tensor) -> Any:
    flat = [float(f"{value:.{DIGITS}g}") for value in numbers.detach().flatten().tolist()]
    return torch.tensor(flat, dtype=torch.float64).view(numbers.shape).tolist()


def rules(name: str, kind: str, folder: Path = RECORDS) -> list[MovingPoints]:
    """The rules fitted to a recipe's law, ``kind`` one of KINDS, one a seed.

    Raises ValueError for a missing file or another kind.
    """
    change = _checks.choice("kind", kind, KINDS)
    found = _written.read("moving", name, ("tasks", "blocks", *KINDS), folder)
    law = found["tasks"]
    built = []
    for numbers in found[kind]:
        rule = MovingPoints(law["dim"], law["length"], found["blocks"], **change)
        rule.load_state_dict({key: torch.tensor(value) for key, value in numbers.items()})
        built.append(rule.eval())
    return built
