"""Every function that a result of the book names is run by the unit tests, by what they covered.

python -m pytest tests/unit --cov && python -m pytest tests/receipts
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import coverage
import pytest

from book._ext.ledger_rules import implementations

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / ".coverage"


def function(name: str) -> Callable[..., Any]:
    """The function or method of a qualified name, without its decorators."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: Any = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = inspect.getattr_static(found, part)
        found = getattr(found, "__func__", getattr(found, "fget", None) or found)
        return inspect.unwrap(found)  # type: ignore[no-any-return]
    raise LookupError(name)


def body(found: Callable[..., Any]) -> tuple[str, set[int]]:
    """The file and the lines with which the body of a function, or those of a class, begin."""
    if inspect.isclass(found):
        methods = [m for m in vars(found).values() if inspect.isfunction(inspect.unwrap(m))]
        bodies = [body(inspect.unwrap(method)) for method in methods]
        return inspect.getfile(found), set().union(*(lines for _, lines in bodies))
    code = found.__code__
    own = {line for *_, line in code.co_lines() if line and line > code.co_firstlineno}
    return code.co_filename, own


def not_run(names: Mapping[str, list[str]], covered: Callable[[str], set[int]]) -> list[str]:
    """The functions none of whose lines were run, with the result that names them."""
    faults = []
    for label, functions in names.items():
        for name in functions:
            file, lines = body(function(name))
            if not lines & covered(file):
                faults.append(f"{label}: no unit test runs {name}")
    return faults


def test_the_unit_tests_run_every_function_that_a_result_names() -> None:
    if not DATA.is_file():
        pytest.fail("nothing is covered yet: run python -m pytest tests/unit --cov first")
    data = coverage.CoverageData(str(DATA))
    data.read()
    names = implementations()
    assert len(names) > 50
    assert not_run(names, lambda file: set(data.lines(file) or ())) == []


def test_a_function_that_nothing_runs_is_seen() -> None:
    names = {"thm-limit": ["linear_icl.lsa.gamma"]}
    _, lines = body(function("linear_icl.lsa.gamma"))
    assert lines and not_run(names, lambda file: {max(lines)}) == []
    assert not_run(names, lambda file: set()) == [
        "thm-limit: no unit test runs linear_icl.lsa.gamma"
    ]
