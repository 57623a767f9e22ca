"""python -m linear_icl.nonlinear NAME: train, evaluate and record a named experiment."""

import argparse
import sys
from pathlib import Path
from types import ModuleType

import torch

from .. import _checks
from . import answered, compared, flatness, hours, moving, weights
from ._source import revision
from .engine import Run, train
from .evaluate import at_query, curves, over_shifts
from .merging import merge
from .plan import Recipe
from .recipes import GROUPS, RECIPES, changed, named
from .recorded import read, record, write


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m linear_icl.nonlinear",
        description="Train, evaluate and record an experiment. Broken off, the same command goes "
        "on from the last checkpoint; a finished run is not made again.",
    )
    add = parser.add_argument
    add("name", nargs="?", help="a recipe or a group of recipes; --list shows them")
    add(
        "--list", action="store_true", help="show the recipes; with a NAME, the names it stands for"
    )
    add(
        "--plan", action="store_true", help="time some steps of each recipe and show the hours only"
    )
    add("--merge", nargs="+", metavar="FILE", help="train nothing: one record of these, by seed")
    add("--compare", action="store_true", help="train nothing: finished runs against algorithms")
    add("--weights", action="store_true", help="train nothing: the weights of finished runs")
    add("--answers", action="store_true", help="train nothing: the answers of finished runs")
    add("--moving", action="store_true", help="fit rules with moving points to the recipe's law")
    add("--seed", type=int, nargs="+", help="one run for each; by default the recipe's, 0 1 2 ...")
    add("--out", default="runs", help="folder of checkpoints and metrics (runs)")
    add("--data", help="folder of the records (OUT/records)")
    add("--replace", action="store_true", help="replace the records in the folder of --data")
    add("--device", default="cpu", help="cpu, cuda, cuda:1, mps (cpu)")
    add("--devices", type=int, default=1, help="how many of them, one process each (1)")
    add("--nodes", type=int, default=1, help="machines, each with so many devices (1)")
    add("--threads", type=int, default=1, help="of each process, on a CPU (1)")
    add("--steps", type=int, help="other than the recipe's")
    add("--batch", type=int, help="prompts of a step, over all devices")
    add("--every", type=int, help="steps between two evaluations, each with a checkpoint")
    add("--quiet", action="store_true", help="no progress on the error stream")
    return parser


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = _parser()
    arguments = parser.parse_args(words)
    if arguments.name is None and not arguments.list:
        parser.error("a name is needed; --list shows the recipes")
    return arguments


def _show() -> None:
    for name, members in GROUPS.items():
        print(f"{name}: {', '.join(members)}")
    print()
    for recipe in RECIPES.values():
        a, t = recipe.architecture, recipe.training
        size = f"{a.layers} layers/{a.heads} heads/{a.width}"
        print(f"{recipe.name:20} {size:22} {t.steps:6} x {t.batch:<4} {recipe.purpose}")


def main(words: list[str] | None = None) -> int:
    """What the command does; returns its exit status, 2 for arguments that cannot be meant."""
    arguments = _arguments(words)
    if arguments.list and arguments.name is None:
        _show()
        return 0
    try:
        if arguments.list:
            print(*(recipe.name for recipe in named(arguments.name)), sep="\n")
        elif arguments.plan:
            _plan(arguments)
        elif made := _made(arguments):
            folder, module = made
            for recipe in _recipes(arguments):
                seeds = arguments.seed or range(recipe.seeds)
                path = _data(arguments) / folder / f"{recipe.name}.json"
                print(module.write(path, recipe, [*seeds], Path(arguments.out)))
        elif arguments.merge:
            _merge(arguments)
        else:
            _run(arguments)
    except ValueError as error:
        print(f"{Path(__file__).parent.name}: {error}", file=sys.stderr)
        return 2
    return 0


# Flag -> the folder, and the module whose ``write`` fills it.
MADE: dict[str, tuple[str, ModuleType]] = {
    "compare": ("compared", compared),
    "weights": ("weights", weights),
    "answers": ("answers", answered),
    "moving": ("moving", moving),
}


def _made(arguments: argparse.Namespace) -> tuple[str, ModuleType] | None:
    """What is written without training, by its flag."""
    return next((made for flag, made in MADE.items() if getattr(arguments, flag)), None)


def _recipes(arguments: argparse.Namespace) -> list[Recipe]:
    """The recipes that are meant, and as many threads."""
    # More threads than free cores cost far more than they bring to matrices of this size.
    torch.set_num_threads(_checks.length("threads", arguments.threads))
    return [
        changed(recipe, steps=arguments.steps, batch=arguments.batch, every=arguments.every)
        for recipe in named(arguments.name)
    ]


def _data(arguments: argparse.Namespace) -> Path:
    return Path(arguments.data) if arguments.data else Path(arguments.out) / "records"


def _plan(arguments: argparse.Namespace) -> None:
    """The hours, and the rules; only a committed source may be recorded by the thousand steps."""
    recipes, made_with = _recipes(arguments), revision()
    if made_with.endswith("+"):
        raise ValueError(
            f"the source must be committed before it is recorded, got {made_with}, changed since; "
            f"commit the package, or undo the change"
        )
    print(f"revision {made_with}")
    for statement in dict.fromkeys(recipe.training.statement() for recipe in recipes):
        print(statement)
    print(flatness.RULE)
    for line in hours.plan(recipes, _data(arguments), device=arguments.device):
        print(line, flush=True)


def _merge(arguments: argparse.Namespace) -> None:
    """The records of the files as one, which has the name of the recipe."""
    (recipe,) = named(arguments.name)
    files = [read(path) for path in arguments.merge]
    for path, one in zip(arguments.merge, files, strict=True):
        if one["recipe"]["name"] != recipe.name:
            raise ValueError(
                f"files must be records of {recipe.name}, got {path} of {one['recipe']['name']}"
            )
    path = write(_data(arguments) / f"{recipe.name}.json", merge(files), replace=arguments.replace)
    print(f"{recipe.name}: {len(read(path)['provenance']['seeds'])} seeds -> {path}")


def _run(arguments: argparse.Namespace) -> None:
    recipes, out, data = _recipes(arguments), Path(arguments.out), _data(arguments)
    if not arguments.replace:
        for recipe in recipes:
            if (data / f"{recipe.name}.json").exists():
                raise ValueError(
                    f"the record must not be there yet, got {data / recipe.name}.json; "
                    f"choose another --data, or say --replace"
                )
    for recipe in recipes:
        runs: list[Run] = []
        for seed in dict.fromkeys(arguments.seed or range(recipe.seeds)):
            run = train(
                recipe,
                seed,
                folder=out / f"{recipe.name}-{seed}",
                device=arguments.device,
                devices=arguments.devices,
                nodes=arguments.nodes,
                progress=not arguments.quiet,
            )
            runs.append(run)
        if torch.distributed.is_initialized() and torch.distributed.get_rank() != 0:
            continue  # the first process writes
        models = [run.model for run in runs]
        result = record(
            recipe,
            runs,
            arguments.device,
            curves=curves(recipe, models),
            query=at_query(recipe, models),
            shifts=over_shifts(recipe, models),
        )
        path = write(data / f"{recipe.name}.json", result, replace=arguments.replace)
        _summary(recipe, runs, path, result["training"]["flat"])


def _summary(recipe: Recipe, runs: list[Run], path: Path, flat: list[bool]) -> None:
    """The distance to the Bayes risk at the query, over the risk without context, by seed."""
    ends = [run.fit.evaluations[-1][1] for run in runs]
    shares = [(end["risk"] - end["bayes"]) / recipe.tasks.blind_risk for end in ends]
    distances = ", ".join(f"{100 * share:.1f} %" for share in shares)
    converged = "" if max(shares) < 0.1 else "; NOT CONVERGED: 10 % or more"
    seconds = sum(run.cpu_seconds for run in runs)
    print(
        f"{recipe.name}: excess over Bayes {distances} of the risk without context{converged}; "
        f"{sum(flat)} of {len(flat)} curves flat; {seconds:.0f} CPU s -> {path}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
