"""The page "Notation and glossary" names what the package has."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import linear_icl
import pytest

PAGE = Path(__file__).resolve().parents[3] / "book" / "notation.md"
MODULES = ("prompts", "lsa", "landscape", "softmax", "random_covariance", "settings", "ltb")
NAME = re.compile(r"`(?P<path>[\w.]+)(?:\((?P<argument>\w+)\))?`")


def names(page: str) -> list[tuple[str, str | None]]:
    """The code column of every table that has one: (dotted name, argument or None)."""
    found = []
    column = None
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            column = None
        elif "code" in cells:
            column = cells.index("code")
        elif column is not None:
            found += [(m["path"], m["argument"]) for m in NAME.finditer(cells[column])]
    return found


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


def has(path: str, argument: str | None) -> bool:
    found = resolve(path)
    return argument is None or argument in inspect.signature(found).parameters  # type: ignore[arg-type]


TABLE = names(PAGE.read_text("utf-8"))


def test_the_page_names_code() -> None:
    assert len(TABLE) > 25


@pytest.mark.parametrize(("path", "argument"), TABLE)
def test_every_name_of_the_notation_page_exists(path: str, argument: str | None) -> None:
    assert has(path, argument), f"{path} has no argument {argument}"


def test_a_wrong_name_or_argument_is_seen() -> None:
    page = "| symbol | code |\n|---|---|\n| $a$ | `lsa.gama` |\n| $b$ | `lsa.gamma(size)` |\n"
    (wrong, _), gamma = names(page)
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        resolve(wrong)
    assert not has(*gamma)
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        resolve("Prompt.x")
    assert has("lsa.gamma", "covariance")
