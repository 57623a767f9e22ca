"""pytest plugin: the package under test must be the one in the tree that the tests stand in."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def pytest_sessionstart(session: pytest.Session) -> None:
    found = importlib.util.find_spec("linear_icl")
    expected = session.config.rootpath / "lib" / "linear_icl"
    if found is None or Path(str(found.origin)).parent.resolve() != expected.resolve():
        raise pytest.UsageError(f"linear_icl must come from {expected}, got {found}")
