"""Files that the command writes beside the records: read, or refused with what writes them."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

SINGLE = "<f4"  # float32, little end first, whatever the machine


def read(kind: str, name: str, keys: Sequence[str], folder: Path) -> dict[str, Any]:
    """What ``python -m linear_icl.nonlinear NAME --KIND`` has written under ``folder``.

    Raises ValueError for a missing file or another form.
    """
    path = folder / kind / f"{name}.json"
    command = f"python -m linear_icl.nonlinear {name} --{kind}"
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"name must be that of recorded {kind}, got {path}: {error}; `{command}` writes them"
        ) from error
    missing = [key for key in keys if key not in found]
    if missing:
        raise ValueError(
            f"{kind} must have {', '.join(keys)}, got {path} without {', '.join(missing)}; "
            f"write them anew with `{command}`"
        )
    return dict(found)


def write(path: Path, found: dict[str, Any]) -> Path:
    """As JSON, each text of a list on a line of its own; returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, separators=(",", ":")).replace('","', '",\n"') + "\n")
    return path


def packed(row: np.ndarray) -> str:
    """Numbers as float32 in base64."""
    return base64.b64encode(row.astype(SINGLE).tobytes()).decode("ascii")


def unpacked(text: str) -> np.ndarray:
    """The numbers again, a row in float32."""
    return np.frombuffer(base64.b64decode(text), SINGLE).astype(np.float32)
