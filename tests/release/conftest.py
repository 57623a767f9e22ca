"""A class environment built anew, JupyterLab in it, and the table of what was measured."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pages.conftest import browser, site  # noqa: F401  the same for pages and releases
from tests.release.environments import CPU, WORK, environment, gigabytes, repository
from tests.release.lab import Lab

# An environment made before may be named, to look at one chapter again.
MADE = os.environ.get("LINEAR_ICL_CLASS")
REPORT: list[str] = []


@dataclass(frozen=True)
class Class:
    """The folder that a student sees, the environment's programs, and what they cost."""

    folder: Path
    programs: Path
    gigabytes: float


@pytest.fixture(scope="session")
def report() -> list[str]:
    """Lines that are printed at the end."""
    return REPORT


@pytest.fixture(scope="session")
def classroom(report: list[str]) -> Class:
    """The repository as a host clones it, and the environment of binder/hub.txt: no index is named
    there, so it installs where the ordinary one is all that can be reached."""
    folder = repository(WORK / "class")
    requirements = folder / "binder" / "hub.txt"
    begun = time.monotonic()
    programs = Path(MADE) / "bin" if MADE else WORK / "class-environment" / "bin"
    if not MADE:
        environment(programs.parent, "-r", str(requirements), *CPU, cwd=folder)
    size = gigabytes(programs.parent)
    how = "made before" if MADE else f"installed in {time.monotonic() - begun:.0f} s"
    report.append(f"class environment: {size:.2f} GB, {how}")
    return Class(folder, programs, size)


@pytest.fixture(scope="session")
def lab(classroom: Class) -> Iterator[Lab]:
    home = WORK / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    with Lab(classroom.programs, classroom.folder, home) as running:
        yield running


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if REPORT:
        terminalreporter.section("release check")
        terminalreporter.write_line("\n".join(REPORT))
