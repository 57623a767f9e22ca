"""The page on the package: its table of arguments is true, and every public module is named."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import linear_icl
import linear_icl_book
import pytest
import torch
from linear_icl import ltb
from linear_icl.landscape import FixedCovariance
from linear_icl.prompts import GaussianPrompts
from linear_icl.random_covariance import Exponential

from book._ext import api_page
from tests.unit.common import DOUBLE, seeded, setting
from tests.unit.repository.names import modules, resolve

PAGE = (Path(__file__).resolve().parents[3] / "book" / "using_the_package.md").read_text("utf-8")
PACKAGE = Path(linear_icl.__file__).parent
PAGE_OF_NOTATION = (Path(__file__).resolve().parents[3] / "book/notation.md").read_text("utf-8")
SIZES = {"d": 2, "d+1": 3, "N+1": 4, "K": 3}
EYE = torch.eye(2, dtype=DOUBLE)
#: What a shape does not determine, or what else a function needs.
VALUES: dict[str, Any] = {
    "block": ltb.Reduced(EYE[0], EYE[0], EYE[0, 0], EYE, EYE[0]),
    "E": torch.ones(3, 4, dtype=DOUBLE).tril(),  # its query has no label
    "Theta": EYE / 2**0.25,
    "landscape": FixedCovariance(EYE, 8),
    "law": Exponential(),
    "prompts": GaussianPrompts(EYE).sample(5, 3, generator=seeded()),
    "setting": setting(d=2),
    "start": (EYE, torch.tensor(1.0, dtype=DOUBLE)),
    "times": torch.tensor([0.0, 1.0, 2.0], dtype=DOUBLE),
}
#: Names that many functions take and that are no letters of the papers.
PLAIN = {"batch", "device", "dtype", "generator", "k", "like", "self", "setting", "sharp"}
#: Modules whose arguments are not the papers' letters.
OTHERS = {"nonlinear", "training"}


class Row(NamedTuple):
    """One argument: its name, its shape in letters, and what takes it."""

    argument: str
    shape: str
    where: str


def rows(page: str) -> Iterator[Row]:
    table = page.partition("(letters-and-arguments)=")[2].partition("\n## Examples")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "letter":
            for name in re.findall(r"`(\w+)`", cells[1]):
                yield Row(name, cells[2].replace("`", ""), cells[3].strip("`"))


ROWS = list(rows(PAGE))


def size(shape: str) -> tuple[int, ...]:
    """(2, 2) for "(…, d, d)": without batch axes."""
    letters = [letter for letter in re.split(r"[(), ]+", shape) if letter not in ("", "…")]
    return tuple(SIZES[letter] for letter in letters)


def value(row: Row) -> Any:
    """Something of the shape that the table gives."""
    if row.argument in VALUES:
        return VALUES[row.argument]
    if row.shape.startswith("integer"):
        return 8
    if row.shape.startswith("number"):
        return 0.5
    sizes = size(row.shape)
    if len(sizes) == 2:
        return torch.eye(*sizes, dtype=DOUBLE)
    return torch.ones(sizes, dtype=DOUBLE)


def call(row: Row) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function of a row with all that it needs, and the row's own argument."""
    found: Any = resolve(row.where)
    if inspect.isfunction(found) and "self" in inspect.signature(found).parameters:
        found = getattr(VALUES["landscape"], row.where.rpartition(".")[2])
    given = {}
    for name, parameter in inspect.signature(found).parameters.items():
        known = [other for other in ROWS if other.argument == name]
        here = [other for other in known if other.where == row.where]
        if parameter.default is inspect.Parameter.empty or name == row.argument:
            given[name] = VALUES[name] if name in VALUES else value((here or known)[0])
    return found, given


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.where}({row.argument})")
def test_every_argument_of_the_table_is_taken_in_its_shape(row: Row) -> None:
    function, given = call(row)
    assert row.argument in given, f"{row.where} has no argument {row.argument}"
    function(**given)
    if row.shape.endswith(" or (K,)"):
        function(**given | {row.argument: list(range(1, 1 + SIZES["K"]))})
    own = given[row.argument]
    if row.shape.startswith("("):
        assert torch.as_tensor(own).shape == size(row.shape)
    if row.shape.startswith("number") or (row.shape.startswith("(") and size(row.shape)):
        wrong = torch.ones(2, 3, 5, 7, dtype=DOUBLE)
        with pytest.raises(ValueError, match=rf"^{row.argument} must .*, got"):
            function(**given | {row.argument: wrong})


def public() -> Iterator[tuple[ModuleType, str, Any]]:
    for module in modules():
        if module.__name__.partition(".")[2] not in OTHERS:
            for name, found in api_page.public(module):
                yield module, name, found
                for own, member in api_page.members(found) if inspect.isclass(found) else ():
                    if inspect.isfunction(member):
                        yield module, f"{name}.{own}", member


def test_every_letter_that_many_functions_take_is_in_the_table() -> None:
    taken = Counter[str]()
    for found in {id(found): found for _, _, found in public()}.values():  # inherited: once
        taken.update(set(inspect.signature(found).parameters))
    often = {name for name, count in taken.items() if count >= 5} - PLAIN
    assert len(often) > 15 and often <= {row.argument for row in ROWS}


def test_the_package_says_what_is_in_each_module_and_the_page_refers_to_it() -> None:
    text = linear_icl.__doc__ or ""
    named = re.findall(r"^    (\w+) {2,}\S", text, flags=re.MULTILINE)
    there = [module.__name__.partition(".")[2] for module in modules()]
    assert sorted(named) == there and len(set(named)) == len(named)
    listed = re.findall(r"^```\{api\} linear_icl\.(\w+)$", PAGE, flags=re.MULTILINE)
    assert sorted([*listed, "nonlinear"]) == there  # which has a chapter and a help of its own


def test_the_book_s_package_says_what_is_in_each_module() -> None:
    named = re.findall(r"^    (\w+) {2,}\S", linear_icl_book.__doc__ or "", flags=re.MULTILINE)
    there = [module.name for module in pkgutil.iter_modules(linear_icl_book.__path__)]
    assert sorted(named) == [name for name in there if not name.startswith("_")]
