"""The workflows cannot run here; the commands in them can."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}


def steps(workflow: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = WORKFLOWS[workflow]["jobs"]["check"]["steps"]
    return found


def command(workflow: str, name: str) -> str:
    (text,) = [step["run"] for step in steps(workflow) if step.get("name") == name]
    return str(text)


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_jobs_have_limits_and_no_more_rights_than_they_name(name: str) -> None:
    for job in WORKFLOWS[name]["jobs"].values():
        assert job["permissions"] and ("needs" in job or job["timeout-minutes"] <= 60)
        assert all(re.search(r"@v\d+$", step.get("uses", "@v1")) for step in job["steps"])
    assert ".ci/run" in [step.get("run") for step in steps(name)]


def test_newest_keeps_only_the_pins_that_must_stay(tmp_path: Path) -> None:
    for name in ("requirements.txt", "binder/requirements.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    lift = command("newest", "lift the pins").replace("make lock", "true")
    subprocess.run(["bash", "-e", "-c", lift], cwd=tmp_path, check=True)
    lines = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.txt")).splitlines()
    pinned = {line.partition("==")[0] for line in lines if "==" in line and line[0] != "#"}
    assert pinned == {"jupyter-book", "sphinx-book-theme", "pydata-sphinx-theme"}
    assert "numpy" in lines and "torch" in lines


def test_a_pull_request_names_the_changed_pages(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "book").mkdir()
    git("init", "-b", "main")
    for name in ("book/a.md", "book/b.md", "README.md"):
        (tmp_path / name).write_text("before")
    git("add", ".")
    git("commit", "-m", "base")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    for name in ("book/b.md", "README.md"):
        (tmp_path / name).write_text("after")
    git("commit", "-am", "change")
    env = {**os.environ, "GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": str(tmp_path / "s")}
    listed = command("book", "name the changed pages")
    subprocess.run(["bash", "-e", "-c", listed], cwd=tmp_path, env=env, check=True)
    assert (tmp_path / "s").read_text().splitlines()[1:] == ["- book/b.html"]
