"""The page's npm packages are those of the lock file, however old the folder is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from sphinx.errors import ExtensionError

from book._ext import node_tools


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "package-lock.json").write_text("{}", "utf-8")
    return tmp_path


@pytest.fixture
def npm(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What npm is told; in its place a folder is made."""
    told: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        told.append(command)
        (project / "node_modules").mkdir(exist_ok=True)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return told


def test_packages_are_installed_once_and_again_for_another_lock(
    project: Path, npm: list[list[str]]
) -> None:
    for count in (1, 1):
        assert node_tools.install(project) == project / "node_modules"
        assert len(npm) == count and "ci" in npm[-1]
    (project / "package-lock.json").write_text('{"lockfileVersion": 3}', "utf-8")
    node_tools.install(project)
    assert len(npm) == 2


def test_without_a_lock_the_versions_are_those_of_the_package_file(
    project: Path, npm: list[list[str]]
) -> None:
    (project / "package-lock.json").rename(project / "package.json")
    for count, text in ((1, "{}"), (1, "{}"), (2, '{"private": true}')):
        (project / "package.json").write_text(text, "utf-8")
        node_tools.install(project)
        assert len(npm) == count and {"install", "--no-package-lock"} <= set(npm[-1])


def test_an_install_that_was_broken_off_is_done_again(project: Path, npm: list[list[str]]) -> None:
    (project / "node_modules").mkdir()  # and no word that it is whole
    node_tools.install(project)
    assert len(npm) == 1


def test_what_npm_says_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "npm error code EUSAGE")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(ExtensionError, match=r"(?s)`npm ci` failed in .* EUSAGE"):
        node_tools.install(project)
    assert not (project / "node_modules").exists()
