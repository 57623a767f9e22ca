"""Fresh environments as a class and as a reader would make them, and their size."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
(NUMBERED,) = (part for part in TOC["parts"] if part.get("numbered", True))
CHAPTERS = [entry["file"] for entry in NUMBERED["chapters"]]
WORK = ROOT / "_build" / "release"
SECONDS = 60.0  # for all cells of a chapter
GIGABYTES = 1.5  # of the class environment on disk, and of a chapter in memory
#: The index of torch's CPU build that make was called with; without one, pip's own settings serve.
CPU = [f"--extra-index-url={os.environ['TORCH_INDEX']}"] if os.environ.get("TORCH_INDEX") else []
CPU_TORCH = (
    "torch's CPU build was not found; name its index: "
    "make release-check TORCH_INDEX=https://download.pytorch.org/whl/cpu"
)


def repository(folder: Path) -> Path:
    """A copy of what the repository tracks, as a host would clone it, in the state of the tree."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def environment(folder: Path, *wanted: str, cwd: Path) -> Path:
    """A new virtual environment with what pip is told to install; its folder of programs."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, *wanted], cwd=cwd, env=bare(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (
        f"{done.stderr[-2000:]}\n{CPU_TORCH if 'torch' in done.stderr else ''}"
    )
    return folder / "bin"


def bare(**more: str) -> dict[str, str]:
    """The environment of this process without what points to this one's packages."""
    dropped = ("VIRTUAL_ENV", "PYTHONPATH", "PYTEST_CURRENT_TEST")
    return {**{k: v for k, v in os.environ.items() if k not in dropped}, **more}


def gigabytes(folder: Path) -> float:
    """What the files of a folder occupy, in 10⁹ bytes."""
    files = (path.lstat() for path in folder.rglob("*"))
    return sum(512 * file.st_blocks for file in files) / 1e9
