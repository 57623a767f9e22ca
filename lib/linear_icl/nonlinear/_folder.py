"""The folder of a run: what it is, what it measured, and a checkpoint that it goes on from."""

import json
import os
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor


class State:
    """All that changes in training, to be saved and loaded as one file."""

    def __init__(self, model: Any, optimizer: Any, generator: Any, losses: Tensor) -> None:
        self.model, self.optimizer, self.generator = model, optimizer, generator
        self.losses, self.made, self.agreed = losses, 0, 0
        self.evaluations: list[tuple[int, Any]] = []
        self.seconds = self.cpu_seconds = 0.0
        self.start()

    def start(self) -> None:
        """Training begins, or goes on after an evaluation: its time alone is counted."""
        self._begun = time.perf_counter(), time.process_time()

    def reached(self, made: int) -> None:
        """So many losses are there."""
        wall, cpu = self._begun
        self.seconds += time.perf_counter() - wall
        self.cpu_seconds += time.process_time() - cpu
        self.made = made

    def agree(self, fabric: Any) -> None:
        """Losses become those of the global batch: the mean over the processes' equal shares."""
        new = self.losses[self.agreed : self.made]
        if fabric.world_size > 1:
            new.copy_(fabric.all_reduce(new, reduce_op="mean"))
        self.agreed = self.made

    def save(self, path: Path) -> None:
        """Written beside and then moved, so a kill leaves the old file or the new one."""
        numbers = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "losses": self.losses[: self.made],
            "evaluations": self.evaluations,
            "seconds": (self.seconds, self.cpu_seconds),
        }
        torch.save(numbers, path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)

    def load(self, path: Path, device: torch.device) -> None:
        """Go on from the file, if there is one. Raises ValueError for one that is damaged."""
        if not path.exists():
            return
        try:
            numbers = torch.load(path, map_location=device, weights_only=True)
            self.model.load_state_dict(numbers["model"])
            self.optimizer.load_state_dict(numbers["optimizer"])
            self.generator.set_state(numbers["generator"].cpu())
            self.made = self.agreed = len(numbers["losses"])
            self.losses[: self.made] = numbers["losses"]
            self.evaluations = [(int(step), line) for step, line in numbers["evaluations"]]
            self.seconds, self.cpu_seconds = numbers["seconds"]
        except Exception as error:  # torch raises another type for each kind of damage
            raise ValueError(
                f"a checkpoint must be whole, got {path}, which cannot be read "
                f"({type(error).__name__}); put back a copy, or delete it to train from the start"
            ) from error


def append(path: Path, line: dict[str, Any]) -> None:
    """Add the line, unless a run that was broken off after its checkpoint has written it."""
    if path.exists() and line["step"] in _steps(path):
        return
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _steps(path: Path) -> list[int]:
    """The steps of the lines that stand in the file."""
    found = []
    for number, old in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            found.append(json.loads(old)["step"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"every line of the metrics must be whole, got {path} with line {number} damaged; "
                f"delete that line: if it was the last, its step is made again"
            ) from error
    return found


def prepared(folder: Path, wanted: dict[str, Any], fabric: Any) -> Path:
    """The folder of this run, made if need be; another run's is never touched."""
    if fabric.is_global_zero:
        note = folder / "recipe.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not note.exists():
                if any(folder.iterdir()):
                    raise ValueError(
                        f"folder must be empty or hold this run, got {folder} with other files; "
                        f"choose another one"
                    )
                note.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")
            text = note.read_bytes()
        except OSError as error:
            raise ValueError(
                f"folder must be one that can be written, got {folder}: {error}; choose another one"
            ) from error
        try:
            noted = json.loads(text)
        except ValueError as error:
            raise ValueError(
                f"the note of a run must be whole, got {note}, damaged: {error}; put back a copy, "
                f"or choose another folder"
            ) from error
        if noted != wanted:
            raise ValueError(
                f"folder must be empty or hold this run, got {folder} with "
                f"{_difference(noted, wanted)}; choose another one, or give the recipe as it was"
            )
    fabric.barrier()
    return folder


def _difference(noted: Any, wanted: Any, name: str = "") -> str:
    """The first field that differs, as "training.steps=100, not 200"."""
    if isinstance(noted, dict) and isinstance(wanted, dict):
        for key in [*wanted, *noted]:
            if noted.get(key) != wanted.get(key):
                return _difference(noted.get(key), wanted.get(key), f"{name}.{key}".strip("."))
    return f"{name}={noted!r}, not {wanted!r}"
