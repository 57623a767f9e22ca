"""The page "Notation and glossary" names what the package has."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from tests.unit.repository.names import resolve

PAGE = Path(__file__).resolve().parents[3] / "book" / "notation.md"
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
