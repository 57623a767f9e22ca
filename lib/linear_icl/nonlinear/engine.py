"""Training on Lightning Fabric: one loop for a CPU, a GPU or many, that can be killed and resumed.

Beside what :func:`linear_icl.training.fit` does, a transformer needs warm-up and decay, clipping,
a curriculum, mixed precision, checkpoints. Every process draws the whole global batch from the same
generator, on its own device, and takes its share; so the batches do not depend on the number of
processes.
"""

import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .. import _checks
from ..estimators import bayes
from ..training import Fit
from ._folder import State, append, prepared
from ._source import revision
from .model import Transformer
from .optimizers import MuonAndAdam
from .plan import WEIGHTS, Recipe, Training
from .tasks import Points


@dataclass
class Run:
    """What came of one seed: the model (in eval mode, on its device), and how the loss fell.

    ``seconds`` of training alone, ``cpu_seconds`` of this process; a resumed run adds them up.
    """

    model: Transformer
    fit: Fit
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    seeds: dict[str, int] = field(default_factory=dict)


def seeds(seed: int) -> dict[str, int]:
    """The seeds of a run: its weights', its prompts', and the evaluations', which all share."""
    return {"weights": seed, "prompts": 10_000 + seed, "evaluation": 20_000}


@_checks.judged(
    "recipe", Recipe, "a Recipe", "write nonlinear.RECIPES['fixed'], or nonlinear.Recipe(...)"
)
def train(
    recipe: Recipe,
    seed: int,
    *,
    folder: Path | str | None = None,
    device: str = "cpu",
    devices: int = 1,
    nodes: int = 1,
    progress: bool = False,
    enough: Callable[[dict[str, Any]], bool] | None = None,
    fabric: Any = None,
) -> Run:
    """Train the recipe's model from this seed, on ``devices`` x ``nodes`` devices of one kind.

    In ``folder`` stand recipe.json, metrics.jsonl (one line an evaluation) and checkpoint.pt. If a
    checkpoint of the same recipe, seed and source is there, training goes on from it: on a CPU with
    one process bit by bit as if never broken off. ``enough`` is asked after every evaluation, with
    its line, whether to stop there. ``fabric`` replaces the one built from the other arguments.
    Raises TypeError for anything but a recipe, ValueError for a missing device, a batch that the
    processes do not divide, a folder that cannot be written or holds another run, or a loss that is
    not finite.
    """
    fabric = _fabric(recipe, device, devices, nodes) if fabric is None else fabric
    share = _share(recipe.training.batch, fabric)
    t, streams = recipe.training, seeds(seed)
    noted = recipe.record() | {"seeds": streams, "revision": revision()}
    place = None if folder is None else prepared(Path(folder), noted, fabric)
    model = Transformer(recipe.architecture, generator=_seeded(streams["weights"]))
    optimizer = MuonAndAdam(
        model, lr=t.learning_rate, rest_lr=t.rest_rate, momentum=t.momentum, betas=t.betas
    )
    rates = [group["lr"] for group in optimizer.param_groups]
    generator = _seeded(streams["prompts"], fabric.device)
    examine = _examination(recipe, _seeded(streams["evaluation"], fabric.device))
    compiled = torch.compile(model) if t.compile else model
    wrapped, optimizer = fabric.setup(compiled, optimizer)
    weights = {
        P: WEIGHTS[t.weights](P).to(fabric.device) for P in range(1, recipe.tasks.length + 2)
    }
    losses = torch.empty(t.steps, dtype=torch.float64, device=fabric.device)
    state = State(model, optimizer, generator, losses)
    if place is not None:
        state.load(place / "checkpoint.pt", fabric.device)

    def look() -> bool:
        line = _line(state, t, examine(model))
        state.evaluations.append((state.made, line))
        if place is not None and fabric.is_global_zero:
            append(place / "metrics.jsonl", line)
            state.save(place / "checkpoint.pt")
        if progress and fabric.is_global_zero:
            text = f"step {state.made}/{t.steps}  risk {line['risk']:.4g} of {line['zero']:.4g}"
            print(f"\r{recipe.name}, seed {seed}: {text}", end="", file=sys.stderr, flush=True)
        return enough is not None and enough(line)

    def step(made: int) -> Tensor:
        dims, count = recipe.tasks.dim, recipe.tasks.length + 1
        if t.curriculum is not None:
            dims, count = t.curriculum.at(made, recipe.tasks)
        x, y = recipe.tasks.sample(t.batch, count, dims, generator=generator)
        x, y = x[share], y[share]
        loss: Tensor = ((wrapped(x, y) - y).square() * weights[count]).mean()
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * t.factor(made)
        optimizer.zero_grad()
        fabric.backward(loss)
        fabric.clip_gradients(wrapped, optimizer, max_norm=t.clip, error_if_nonfinite=False)
        optimizer.step()
        return loss.detach()

    made, stop = state.made, not state.evaluations and look()
    asked = recipe.curve_steps() | {t.steps}
    model.train()
    state.start()
    while made < t.steps and not stop:
        losses[made] = step(made)
        made += 1
        if made % t.every == 0 or made in asked:
            state.reached(made)
            state.agree(fabric)
            _finite(state, t)
            stop = look()
            state.start()
    if progress and fabric.is_global_zero:
        print(file=sys.stderr)
    model.eval()
    fit = Fit(losses[: state.made].cpu(), tuple(state.evaluations))
    return Run(model, fit, state.seconds, state.cpu_seconds, streams)


def _examination(recipe: Recipe, generator: torch.Generator) -> Callable[[Any], dict[str, float]]:
    """Risks against the query's label, on 1024 prompts of the training law drawn once.

    ``held_out`` is the loss as it is trained, over all points, on the same prompts.
    """
    tasks = recipe.tasks
    x, y = tasks.sample(1024, generator=generator)
    prompts = Points(x, y).prompts
    mean = x.new_full((tasks.dim,), tasks.task_mean)
    best = bayes(prompts, noise_variance=tasks.noise_variance, task_mean=mean)
    optimum = (best - prompts.y_query).square().mean().item()
    zero = prompts.y_query.square().mean().item()
    weights = WEIGHTS[recipe.training.weights](tasks.length + 1).to(x)

    def examine(model: Transformer) -> dict[str, float]:
        mode = model.training
        model.eval()
        with torch.no_grad():
            errors = (model(x, y) - y).square()
        model.train(mode)
        held_out = (errors * weights).mean().item()
        risk = errors[:, -1].mean().item()
        return {"risk": risk, "held_out": held_out, "bayes": optimum, "zero": zero}

    return examine


def _line(state: State, t: Training, risks: dict[str, float]) -> dict[str, Any]:
    since = state.losses[max(0, state.made - t.every) : state.made]
    loss = since.mean().item() if state.made else math.nan
    return {
        "step": state.made,
        "loss": loss if math.isfinite(loss) else None,
        **risks,
        "rate": t.learning_rate * t.factor(max(0, state.made - 1)),
        "seconds": round(state.seconds, 3),
        "cpu_seconds": round(state.cpu_seconds, 3),
    }


def _finite(state: State, t: Training) -> None:
    bad = (~torch.isfinite(state.losses[: state.made])).nonzero()
    if len(bad):
        raise ValueError(
            f"loss must be finite, got {state.losses[bad[0]].item()} at step {int(bad[0])}; "
            f"lower learning_rate, {t.learning_rate:.3g} now"
        )


def _seeded(seed: int, device: torch.device | str = "cpu") -> torch.Generator:
    return torch.Generator(device).manual_seed(seed)


def _share(batch: int, fabric: Any) -> slice:
    """This process's prompts of the global batch."""
    if batch % fabric.world_size:
        raise ValueError(
            f"batch must be a multiple of the number of processes, got {batch} for "
            f"{fabric.world_size}; change one of them"
        )
    size = batch // fabric.world_size
    return slice(size * fabric.global_rank, size * (fabric.global_rank + 1))


def _fabric(recipe: Recipe, device: str, devices: int, nodes: int) -> Any:
    from lightning_fabric import Fabric  # two seconds, which only training should cost

    kind = _checks.device(device).type
    many = _checks.length("devices", devices) * _checks.length("nodes", nodes) > 1
    index = torch.device(device).index
    if many and index is not None:
        raise ValueError(
            f"device must have no index for several processes, got {device!r} for {devices} x "
            f"{nodes}; write {kind!r}"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it advises on processes and on hardware not asked for
        fabric = Fabric(
            accelerator=kind,
            devices=devices if index is None else [index],
            num_nodes=nodes,
            strategy="ddp" if many else "auto",
            precision=recipe.training.precision,  # type: ignore[arg-type]
        )
        fabric.launch()
    return fabric
