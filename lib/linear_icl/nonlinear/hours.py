"""What a set of experiments will cost: measured seconds of a step, times the steps."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .engine import train
from .plan import Recipe

STEPS = 5  # timed, after as many to warm up


def seconds_per_step(recipe: Recipe, *, device: str = "cpu") -> float:
    """CPU seconds of this process for one step of training, without evaluations."""
    training = replace(recipe.training, steps=2 * STEPS, every=STEPS)
    short = replace(recipe, training=training, curve=0)
    (_, _), (_, warm), (_, end) = train(short, 0, device=device).fit.evaluations
    return float(end["cpu_seconds"] - warm["cpu_seconds"]) / STEPS


def plan(recipes: Sequence[Recipe], data: Path, *, device: str = "cpu") -> Iterator[str]:
    """One line a recipe, measured when it is asked for, and last the sums.

    CPU hours of training alone; a recipe whose record stands in ``data`` counts as done.
    """
    whole = left = 0.0
    yield f"{'':28}{'seeds':>6}{'steps':>8}{'s/step':>9}{'hours':>8}{'so far':>8}"
    for recipe in recipes:
        each = seconds_per_step(recipe, device=device)
        steps = recipe.training.steps
        hours = recipe.seeds * steps * each / 3600
        done = (data / f"{recipe.name}.json").exists()
        whole, left = whole + hours, left + hours * (not done)
        yield (
            f"{recipe.name:28}{recipe.seeds:6}{steps:8}{each:9.3f}{hours:8.2f}{whole:8.2f}"
            f"{'  recorded' * done}"
        )
    yield f"{whole:.1f} CPU hours of training in all, {left:.1f} of them to go"
