"""The public modules of the package, and what a dotted name below it names."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import linear_icl

PACKAGE = Path(linear_icl.__file__).parent


def modules() -> Iterator[ModuleType]:
    for path in sorted(PACKAGE.iterdir()):
        name = path.stem
        if not name.startswith("_") and (path.suffix == ".py" or (path / "__init__.py").exists()):
            yield importlib.import_module(f"linear_icl.{name}")


MODULES = ("prompts", "lsa", "landscape", "softmax", "random_covariance", "settings", "ltb")


def resolve(path: str) -> object:
    """What `path` names below linear_icl: modules first, then attributes or fields. A class may
    stand without its module."""
    first = path.split(".")[0]
    for name in MODULES if first[0].isupper() else ():
        if hasattr(importlib.import_module(f"linear_icl.{name}"), first):
            path = f"{name}.{path}"
            break
    found: object = linear_icl
    dotted = "linear_icl"
    for part in path.split("."):
        dotted += f".{part}"
        if hasattr(found, part):
            found = getattr(found, part)
        elif inspect.ismodule(found):
            found = importlib.import_module(dotted)
        else:
            raise AttributeError(f"{path}: {part!r} is not there")
    return found
