"""Weights of a finished run as a file, small enough for a page that runs the model itself."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .compared import trained
from .model import Architecture, Transformer
from .plan import Recipe
from .recorded import RECORDS

SINGLE = "<f4"  # float32, little end first, whatever the machine
KEYS = ("recipe", "seed", "trained_at", "shapes", "float32")


def write(path: Path, recipe: Recipe, seed: int, out: Path) -> Path:
    """The parameters of the run of this seed in the folder ``out``, with where they come from.

    Raises ValueError where there is no such run, or it is not finished.
    """
    state = trained(recipe, seed, out).state_dict()
    note = json.loads((out / f"{recipe.name}-{seed}" / "recipe.json").read_text("utf-8"))
    row = np.concatenate([part.numpy().astype(SINGLE).ravel() for part in state.values()])
    found = {
        "recipe": recipe.record(),
        "seed": seed,
        "trained_at": note["revision"],
        "shapes": {name: list(part.shape) for name, part in state.items()},
        "float32": base64.b64encode(row.tobytes()).decode("ascii"),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, separators=(",", ":")).replace('},"', '},\n"') + "\n")
    return path


def read(name: str, folder: Path = RECORDS) -> dict[str, Any]:
    """The weights of a recipe as they were written: ``recipe``, ``seed``, ``trained_at`` (the
    revision), ``shapes`` by name, and ``float32``, all of them in a row, in base64.

    Raises ValueError for a missing file or another form.
    """
    path = folder / "weights" / f"{name}.json"
    try:
        found = json.loads(path.read_text("utf-8"))
        missing = [key for key in KEYS if key not in found]
    except (OSError, ValueError) as error:
        raise ValueError(f"name must be that of recorded weights, got {path}: {error}") from error
    if missing:
        raise ValueError(f"weights must have {', '.join(KEYS)}, got {path} without {missing[0]}")
    return dict(found)


def model(name: str, folder: Path = RECORDS) -> Transformer:
    """The transformer with the recorded weights of a recipe, in eval mode.

    Raises ValueError as :func:`read` does.
    """
    found = read(name, folder)
    built = Transformer(Architecture(**found["recipe"]["architecture"]))
    row = np.frombuffer(base64.b64decode(found["float32"]), SINGLE).astype(np.float32)
    sizes = [int(np.prod(shape)) for shape in found["shapes"].values()]
    parts = torch.split(torch.from_numpy(row), sizes)
    shapes = found["shapes"].items()
    built.load_state_dict(
        {name: part.reshape(shape) for (name, shape), part in zip(shapes, parts, strict=True)}
    )
    return built.eval()
