"""The class environment: its versions are the book's, its first page lists every chapter."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.release.environments import CHAPTERS, GIGABYTES, SECONDS

ROOT = Path(__file__).resolve().parents[3]
BINDER = ROOT / "binder"
LOCK = ROOT / "constraints.txt"
OWN = "./lib[chapters]"


def requirements(path: Path) -> Iterator[Requirement]:
    for line in path.read_text("utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if text and not text.startswith(("-", "./")):
            yield Requirement(text)


def locked() -> dict[str, Version]:
    """The one version of each package that the book was tested with, by normalised name."""
    found = {}
    for requirement in requirements(LOCK):
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        found[requirement.name.lower().replace("_", "-")] = Version(pin.version)
    return found


def off_the_lock(path: Path) -> list[str]:
    """Requirements that the lock does not know, or knows in another release."""
    versions = locked()
    return [
        str(requirement)
        for requirement in requirements(path)
        if requirement.name not in versions
        or not requirement.specifier.contains(Version(f"{versions[requirement.name]}+cpu"))
    ]


def test_the_class_gets_the_versions_of_the_book() -> None:
    for file in BINDER / "hub.txt", BINDER / "requirements.txt", ROOT / "requirements.txt":
        assert [*requirements(file)], file
        assert off_the_lock(file) == [], file
    assert (BINDER / options("hub.txt")["-c"]).resolve() == LOCK


def options(file: str) -> dict[str, str]:
    lines = (BINDER / file).read_text("utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line.startswith("-"))


def test_a_hub_needs_the_ordinary_index_and_binder_adds_torchs_own() -> None:
    """A local version (+cpu) is in torch's own index only, which not every hub can reach."""
    assert options("hub.txt").keys() == {"-c"}
    assert not [r for r in requirements(BINDER / "hub.txt") if "+" in str(r.specifier)]
    assert options("requirements.txt").keys() == {"--extra-index-url", "-r"}
    assert options("requirements.txt")["-r"] == "hub.txt"
    (ours,) = requirements(BINDER / "requirements.txt")
    (torch,) = [r for r in requirements(BINDER / "hub.txt") if r.name == "torch"]
    assert str(ours) == f"{torch}+cpu"
    for file in "README.md", "binder/hub.txt", "book/running.md", "requirements.txt":
        assert set(re.findall(r"torch==[\d.]+\d", (ROOT / file).read_text("utf-8"))) == {str(torch)}


def test_another_version_is_seen(tmp_path: Path) -> None:
    text = "torch==2.12.0+cpu\njupytext\nno-such-package\nnumpy>=2\n-c x.txt\n./lib\n"
    (tmp_path / "r.txt").write_text(text)
    assert off_the_lock(tmp_path / "r.txt") == ["torch==2.12.0+cpu", "no-such-package"]


def test_the_class_gets_what_the_chapters_import() -> None:
    project = tomllib.loads((ROOT / "lib" / "pyproject.toml").read_text("utf-8"))["project"]
    needed = set(project["optional-dependencies"])
    (own,) = [r for r in project["optional-dependencies"]["chapters"] if r.startswith("linear-icl")]
    assert Requirement(own).extras == needed - {"chapters"}
    assert OWN in (BINDER / "hub.txt").read_text("utf-8").splitlines()


def minutes(chapter: str, path: str) -> str:
    """What the chapter itself says: "25 minutes", "two hours"."""
    found = re.search(rf"\*\*{path}\*\*\W+([\w ]+? (?:minutes|hours?))\b", chapter)
    assert found is not None, path
    return found[1]


def test_the_first_page_lists_every_chapter_with_its_minutes() -> None:
    rows = []
    for number, chapter in enumerate(CHAPTERS, start=1):
        text = (ROOT / f"{chapter}.md").read_text("utf-8")
        title = re.search(r"^# (.+)$", text, re.M)
        assert title is not None
        times = [minutes(text, path) for path in ("Ideas", "Every proof")]
        rows.append(f"| {number} [{title[1]}](../{chapter}.md) | {' | '.join(times)} |")
    index = (BINDER / "index.md").read_text("utf-8")
    assert [line for line in index.splitlines() if re.match(r"\| \d", line)] == rows
    targets = re.findall(r"\]\(([^)]+)\)", index)
    assert [target for target in targets if not (BINDER / target).is_file()] == []


def test_teachers_are_told_the_budgets_of_the_release_check() -> None:
    text = (ROOT / "book" / "running.md").read_text("utf-8").split("make release-check")[1]
    assert re.findall(r"more than (\d+) seconds", text) == [f"{SECONDS:g}"]
    assert set(re.findall(r"([\d.]+) GB", text)) == {f"{GIGABYTES:g}"}


@pytest.mark.parametrize("script", ["postBuild", "start", "lab"])
def test_what_binder_runs_can_be_run(script: str) -> None:
    assert os.access(BINDER / script, os.X_OK)
    assert (BINDER / script).read_bytes().startswith(b"#!/bin/bash\n")


def test_figures_are_saved_with_a_notebook_wherever_start_runs() -> None:
    """JupyterLab reads the settings from a folder of this variable."""
    done = subprocess.run(
        [BINDER / "start", "printenv", "JUPYTER_CONFIG_PATH"],
        cwd=BINDER.parent / "book",
        env={**os.environ, "JUPYTER_CONFIG_PATH": "/theirs"},
        capture_output=True,
        text=True,
        check=True,
    )
    ours, theirs = done.stdout.strip().split(":")
    assert theirs == "/theirs"
    settings = json.loads(
        (Path(ours) / "labconfig" / "default_setting_overrides.json").read_text("utf-8")
    )
    assert settings["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}
