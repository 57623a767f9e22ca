"""Results as files: small JSON with the recipe, the seeds, the machine and the day."""

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from . import flatness
from ._source import revision
from .engine import Run
from .plan import Recipe

RECORDS = Path(__file__).resolve().with_name("data")  # of chapter 8; they come with the package
SCHEMA = 1
LARGEST = 60_000  # bytes: these files live in the package
CURVES = ("risk", "held_out", "loss")
KEYS = ("schema", "recipe", "purpose", "provenance", "training", "curves", "query", "shifts")


def provenance(runs: list[Run], device: str) -> dict[str, Any]:
    """Where, when and with what the runs were made; times in seconds, one a seed."""
    on_gpu = torch.device(device).type == "cuda"
    name = torch.cuda.get_device_name(device) if on_gpu else _processor()
    return {
        "seeds": [run.seeds for run in runs],
        "device": f"{torch.device(device).type}: {name}",
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "revision": revision(),
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": [round(run.seconds, 1) for run in runs],
        "cpu_seconds": [round(run.cpu_seconds, 1) for run in runs],
    }


def _processor() -> str:
    """The CPU's own name where Linux tells it, else the architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return (names or [platform.processor() or platform.machine()])[0]


def training(recipe: Recipe, runs: list[Run]) -> dict[str, Any]:
    """How the recipe is trained, and the learning curves, one list a seed.

    ``risk`` at the query and ``held_out``, the loss over all points, are on fixed prompts of the
    training law; ``loss`` is the mean of the training losses of the last steps. ``fall`` and
    ``flat`` say how each curve ends, by ``rule``.
    """
    lines = [[line for _, line in run.fit.evaluations] for run in runs]
    steps = [line["step"] for line in lines[0]]
    falls = [flatness.fall(steps, [line["risk"] - line["bayes"] for line in one]) for one in lines]
    return {
        "how": recipe.training.statement(),
        "steps": steps,
        **{key: [[line[key] for line in one] for one in lines] for key in CURVES},
        "bayes": lines[0][-1]["bayes"],
        "zero": lines[0][-1]["zero"],
        "rule": flatness.RULE,
        "fall": falls,
        "flat": [one < flatness.FALL for one in falls],
    }


def record(
    recipe: Recipe, runs: list[Run], device: str, *, curves: Any, query: Any, shifts: Any
) -> dict[str, Any]:
    """All that is known of a recipe's runs, as :func:`write` and the chapters take it."""
    return {
        "schema": SCHEMA,
        "recipe": recipe.record(),
        "purpose": recipe.purpose,
        "provenance": provenance(runs, device),
        "training": training(recipe, runs),
        "curves": curves,
        "query": query,
        "shifts": shifts,
    }


def write(path: Path | str, result: Mapping[str, Any], *, replace: bool = False) -> Path:
    """Write a record, numbers to four digits; an older file stays unless ``replace``.

    Raises ValueError for missing keys, a file that is there, one that would be too large for the
    repository, or a place that cannot be written.
    """
    path = Path(path)
    _complete(path, result)
    text = json.dumps(_rounded(result), separators=(",", ":")).replace('},"', '},\n"') + "\n"
    if len(text) > LARGEST:
        raise ValueError(
            f"a record must be below {LARGEST} bytes, got {len(text)} for {path.name}; "
            f"take fewer positions or fewer seeds"
        )
    if path.exists() and not replace:
        raise ValueError(
            f"path must be free, got {path}, which holds a record; choose another folder, or say "
            f"that it shall be replaced"
        )
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ValueError(f"path must be writable, got {path}: {error}; choose another") from error
    return path


def read(path: Path | str) -> dict[str, Any]:
    """A record as it was written. Raises ValueError for a missing file or another form."""
    path = Path(path)
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # not there, no text, or cut
        raise ValueError(
            f"path must be a record, got {path}: {error}; `make experiments-small` writes them"
        ) from error
    _complete(path, result)
    return dict(result)


def _complete(path: Path, result: Any) -> None:
    missing = [key for key in KEYS if not isinstance(result, Mapping) or key not in result]
    if missing or result["schema"] != SCHEMA:
        what = f"without {', '.join(missing)}" if missing else f"of schema {result['schema']}"
        raise ValueError(
            f"a record must have schema {SCHEMA} and {', '.join(KEYS[1:])}, got {path.name} {what};"
            f" write it anew with `make experiments-small`"
        )


def _rounded(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, int | str):
        return value
    if isinstance(value, float):
        return float(f"{value:.4g}") if value == value else None
    if isinstance(value, Mapping):
        return {str(key): _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value]
