"""One small training loop, for every chapter that trains: seeds, progress, a stop, clear errors."""

import math
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from . import _checks
from ._types import ArrayLike, Count, Generator
from .montecarlo import Estimate

Sample = TypeVar("Sample")
OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}


@dataclass(frozen=True)
class Fit:
    """What happened: the module itself holds the weights.

    ``losses`` (steps,) float64 on the CPU, each before its step; ``steps`` how many were made;
    ``settled`` whether the stop rule ended them; ``evaluations`` pairs (step, value), from step 0.
    """

    losses: Tensor
    steps: int
    settled: bool
    evaluations: tuple[tuple[int, Any], ...] = ()

    @property
    def tail(self) -> Estimate:
        """Mean and standard error of the last quarter of the losses (two at least)."""
        return _mean(self.losses[min(3 * self.steps // 4, max(self.steps - 2, 0)) :])


@_checks.judged("module", nn.Module, "a torch.nn.Module", "wrap its weights in one")
def fit(
    module: nn.Module,
    draw_batch: Callable[[torch.Generator], Sample],
    loss: Callable[[Any, Sample], Tensor],
    *,
    steps: Count,
    generator: Generator,
    learning_rate: ArrayLike | Callable[[int], ArrayLike] = 1e-2,
    optimizer: str = "adam",
    evaluate: Callable[[Any], Any] | None = None,
    every: Count = 100,
    stop_error: ArrayLike | None = None,
    progress: bool = False,
) -> Fit:
    """Minimise the mean of ``loss(module, draw_batch(generator))`` by at most ``steps`` steps.

    Trains ``module`` in place; ``loss`` returns one number. ``learning_rate`` is a number > 0 or a
    function of the step 0, 1, …; ``optimizer`` one of adam, adamw, sgd, with torch's defaults.
    Deterministic given the weights and the generator, if the module draws nothing itself.
    ``progress`` writes the step and its loss to the standard error stream.

    Every ``every`` steps, at the start and at the end, ``evaluate(module)`` is recorded, without
    gradients and in eval mode; its random numbers are its own affair. At the same steps t, with
    ``stop_error`` > 0, the rule is asked: let A be the losses of steps t/2 to 3t/4, B those since;
    stop if

      mean A - mean B + 2 √(var A/|A| + var B/|B|) <= stop_error,

    that is, if a quarter of the run has gained less than ``stop_error`` even at two standard
    errors. For fresh prompts these losses are an unbiased running evaluation. A plateau that lasts
    for half of the run counts as settled: the rule cannot know of a later fall.

    Raises TypeError for a module that is none, ValueError for improper arguments, a module without
    trainable parameters, a loss that is not one number which depends on them, or a loss that is not
    finite (with its step).
    """
    total, period = _checks.length("steps", steps), _checks.length("every", every)
    build = _checks.choice("optimizer", optimizer, OPTIMIZERS)
    threshold = None
    if stop_error is not None:
        threshold = _checks.positive("stop_error", stop_error, shape=()).item()
    parameters = _trainable(module)
    drawn = _checks.seeded("generator", generator, parameters[0].device)
    rate = _schedule(learning_rate)
    descent = build(parameters, lr=rate(0))
    losses = torch.empty(total, dtype=torch.float64, device=parameters[0].device)
    evaluations: list[tuple[int, Any]] = []

    def look(step: int) -> None:
        if evaluate is not None:
            evaluations.append((step, _evaluated(module, evaluate)))
        if progress and step:
            print(f"\rstep {step}/{total}  loss {losses[step - 1]:.6g}", end="", file=sys.stderr)

    def step(made: int) -> Tensor:
        value = _one_number(loss(module, draw_batch(drawn)))
        descent.param_groups[0]["lr"] = rate(made)
        descent.zero_grad()
        torch.autograd.backward(value)
        descent.step()
        return value.detach()

    settled = False

    def judge(made: int) -> bool:
        nonlocal settled
        _finite(losses[:made], rate)
        look(made)
        settled = threshold is not None and _settled(losses[:made], threshold)
        return settled

    look(0)
    module.train()
    made = loop(losses, step, judge, every=period)
    if progress:
        print(file=sys.stderr)
    return Fit(losses[:made].cpu(), made, settled, tuple(evaluations))


def loop(
    losses: Tensor,
    step: Callable[[int], Tensor],
    judge: Callable[[int], bool],
    *,
    every: int,
    also: Collection[int] = (),
    made: int = 0,
) -> int:
    """Fill ``losses`` by ``step(k)``, k = made, …; return how many are filled in the end.

    ``judge(k)`` is asked after each multiple of ``every``, at the steps ``also`` and at the end
    whether k are enough.
    """
    enough = False
    while made < len(losses) and not enough:
        losses[made] = step(made)
        made += 1
        if made % every == 0 or made in also or made == len(losses):
            enough = judge(made)
    return made


def _trainable(module: nn.Module) -> list[nn.Parameter]:
    parameters = [p for p in module.parameters() if p.requires_grad]
    if not parameters:
        raise ValueError(
            f"module must have parameters that require gradients, got {type(module).__name__} "
            f"with none; wrap its weights in torch.nn.Parameter"
        )
    return parameters


def _settled(losses: Tensor, threshold: float) -> bool:
    t = len(losses)
    if t < 8:  # two losses in each quarter, for their variances
        return False
    before, after = _mean(losses[t // 2 : 3 * t // 4]), _mean(losses[3 * t // 4 :])
    error = math.hypot(before.standard_error, after.standard_error)
    return before.mean - after.mean + 2 * error <= threshold


def _mean(losses: Tensor) -> Estimate:
    n = len(losses)
    error = (losses.var() / n).sqrt().item() if n > 1 else math.inf
    return Estimate(losses.mean().item(), error, n)


def _evaluated(module: nn.Module, evaluate: Callable[[Any], Any]) -> Any:
    mode = module.training
    module.eval()
    with torch.no_grad():
        value = evaluate(module)
    module.train(mode)
    return value


def _schedule(learning_rate: ArrayLike | Callable[[int], ArrayLike]) -> Callable[[int], float]:
    if not callable(learning_rate):
        constant = _checks.positive("learning_rate", learning_rate, shape=()).item()
        return lambda step: constant
    return lambda step: _checks.nonnegative("learning_rate", learning_rate(step), shape=()).item()


def _one_number(value: Any) -> Tensor:
    if not isinstance(value, Tensor) or value.numel() != 1 or not value.requires_grad:
        got = type(value).__name__
        if isinstance(value, Tensor):
            got = "a constant" if value.numel() == 1 else f"shape {tuple(value.shape)}"
        raise ValueError(
            f"loss must return one number that depends on the parameters, got {got}; "
            f"take the mean() over the prompts, without detach() or item()"
        )
    return value.squeeze()


def _finite(losses: Tensor, rate: Callable[[int], float]) -> None:
    bad = (~torch.isfinite(losses)).nonzero()
    if len(bad):
        k = int(bad[0])
        fix = (
            f"lower learning_rate, {rate(k - 1):.3g} there, or start from smaller weights"
            if k
            else "the start is to blame: check the weights, the batch and the loss"
        )
        raise ValueError(f"loss must be finite, got {losses[k].item()} at step {k}; {fix}")
