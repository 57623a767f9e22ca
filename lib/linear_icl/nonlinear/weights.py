"""Weights of finished runs as a file, small enough for a page that runs the models itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from . import _written
from .compared import finished
from .model import Architecture, Transformer
from .plan import Recipe
from .recorded import RECORDS

KEYS = ("recipe", "seeds", "trained_at", "shapes", "float32")


def write(path: Path, recipe: Recipe, seeds: Sequence[int], out: Path) -> Path:
    """The parameters of the runs of these seeds in the folder ``out``, and where they come from.

    Raises ValueError where there is no such run, or it is not finished.
    """
    models, trained_at = finished(recipe, seeds, out)
    states = [model.state_dict() for model in models]
    found = {
        "recipe": recipe.record(),
        "seeds": list(seeds),
        "trained_at": trained_at,
        "shapes": {name: list(part.shape) for name, part in states[0].items()},
        "float32": [_packed(state) for state in states],
    }
    return _written.write(path, found)


def _packed(state: dict[str, Tensor]) -> str:
    return _written.packed(np.concatenate([part.numpy().ravel() for part in state.values()]))


def read(name: str, folder: Path = RECORDS) -> dict[str, Any]:
    """The weights of a recipe's models as they were written.

    ``recipe``, ``seeds``, ``trained_at`` (the revision), ``shapes`` by name, and ``float32``: for
    each seed all parameters in a row, in base64.
    Raises ValueError for a missing file or another form.
    """
    return _written.read("weights", name, KEYS, folder)


def models(name: str, folder: Path = RECORDS) -> list[Transformer]:
    """The transformers of a recipe with their recorded weights, in eval mode, one a seed.

    Raises ValueError as :func:`read` does.
    """
    found = read(name, folder)
    built = []
    for packed in found["float32"]:
        model = Transformer(Architecture(**found["recipe"]["architecture"]))
        row = _written.unpacked(packed)
        ends = np.cumsum([int(np.prod(shape)) for shape in found["shapes"].values()])
        parts = np.split(row, ends[:-1])
        model.load_state_dict(
            {
                key: torch.from_numpy(part).reshape(shape)
                for (key, shape), part in zip(found["shapes"].items(), parts, strict=True)
            }
        )
        built.append(model.eval())
    return built
