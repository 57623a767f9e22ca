"""One small training loop, for every chapter that trains: a seed, evaluations, clear errors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from . import _checks
from ._types import ArrayLike, Count, Generator

Sample = TypeVar("Sample")


@dataclass(frozen=True)
class Fit:
    """What happened: the module itself holds the weights.

    ``losses`` (steps,) float64 on the CPU, each before its step; ``evaluations`` pairs
    (step, value), from step 0.
    """

    losses: Tensor
    evaluations: tuple[tuple[int, Any], ...] = ()


@_checks.judged("module", nn.Module, "a torch.nn.Module", "wrap its weights in one")
def fit(
    module: nn.Module,
    draw_batch: Callable[[torch.Generator], Sample],
    loss: Callable[[Any, Sample], Tensor],
    *,
    steps: Count,
    generator: Generator,
    learning_rate: ArrayLike | Callable[[int], ArrayLike] = 1e-2,
    evaluate: Callable[[Any], Any] | None = None,
    every: Count = 100,
) -> Fit:
    """Minimise the mean of ``loss(module, draw_batch(generator))`` by ``steps`` steps of Adam.

    Trains ``module`` in place; ``loss`` returns one number. ``learning_rate`` is a number > 0 or a
    function of the step 0, 1, …. Deterministic given the weights and the generator, if the module
    draws nothing itself. Every ``every`` steps, at the start and at the end, ``evaluate(module)``
    is recorded, without gradients and in eval mode; its random numbers are its own affair.

    Raises TypeError for a module that is none, ValueError for improper arguments, a module without
    trainable parameters, a loss that is not one number which depends on them, or a loss that is not
    finite (with its step).
    """
    total, period = _checks.length("steps", steps), _checks.length("every", every)
    parameters = _trainable(module)
    drawn = _checks.seeded("generator", generator, parameters[0].device)
    rate = _schedule(learning_rate)
    descent = torch.optim.Adam(parameters, lr=rate(0))
    losses = torch.empty(total, dtype=torch.float64, device=parameters[0].device)
    evaluations: list[tuple[int, Any]] = []

    def look(made: int) -> None:
        _finite(losses[:made], rate)
        if evaluate is not None:
            evaluations.append((made, _evaluated(module, evaluate)))

    look(0)
    module.train()
    for made in range(total):
        value = _one_number(loss(module, draw_batch(drawn)))
        descent.param_groups[0]["lr"] = rate(made)
        descent.zero_grad()
        torch.autograd.backward(value)
        descent.step()
        losses[made] = value.detach()
        if (made + 1) % period == 0 or made + 1 == total:
            look(made + 1)
    return Fit(losses.cpu(), tuple(evaluations))


def _trainable(module: nn.Module) -> list[nn.Parameter]:
    parameters = [p for p in module.parameters() if p.requires_grad]
    if not parameters:
        raise ValueError(
            f"module must have parameters that require gradients, got {type(module).__name__} "
            f"with none; wrap its weights in torch.nn.Parameter"
        )
    return parameters


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
