"""What a reader downloads is enough: the notebooks run alone in a folder beside the wheel.

The environment has the wheel and what it needs, installed by the line that the pages show.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser

from book._ext import downloads
from tests.release.conftest import Class
from tests.release.environments import CHAPTERS, CPU, ROOT, TOC, WORK, bare, environment
from tests.release.lab import Lab, show


@pytest.fixture(scope="module")
def reader() -> tuple[Path, Path]:
    """A folder with the downloads of the book in it and nothing else, and the programs."""
    folder = WORK / "reader"
    shutil.rmtree(folder, ignore_errors=True)
    downloads.build_wheel(folder)
    pip, install, *wanted = shlex.split(downloads.install_line(""))
    assert (pip, install) == ("pip", "install")
    # The versions of the book: the newest torch would bring several GB of CUDA on Linux.
    locked = ["-c", str(ROOT / "constraints.txt"), *CPU]
    programs = environment(WORK / "reader-environment", *wanted, *locked, cwd=folder)
    return folder, programs


@pytest.mark.parametrize("chapter", [TOC["root"], *CHAPTERS])
def test_a_downloaded_notebook_runs_alone(reader: tuple[Path, Path], chapter: str) -> None:
    folder, programs = reader
    alone = folder / Path(chapter).name
    alone.mkdir()
    path = alone / f"{alone.name}.ipynb"
    nbformat.write(downloads.notebook(ROOT / f"{chapter}.md", ""), path)
    done = subprocess.run(
        [str(programs / "jupyter-execute"), "--inplace", path.name],
        cwd=alone,
        env=bare(OMP_NUM_THREADS="1", IPYTHONDIR=str(folder / "ipython")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    cells = nbformat.read(path, as_version=4).cells
    assert all(cell.execution_count for cell in cells if cell.cell_type == "code")
    assert [file.name for file in alone.iterdir()] == [path.name]


def test_a_downloaded_notebook_shows_its_drawings(
    classroom: Class, lab: Lab, browser: Browser
) -> None:
    page = "book/lsa_quadratic_reduction"
    made = downloads.notebook(ROOT / f"{page}.md", "")
    (classroom.folder / "downloaded").mkdir(exist_ok=True)
    path = classroom.folder / "downloaded" / "chapter.ipynb"
    nbformat.write(made, path)
    visit = lab.open(browser, "downloaded/chapter.ipynb")
    show(visit, "data:image/svg+xml")
    picture = visit.locator(".jp-NotebookPanel figure img").first
    picture.wait_for()
    visit.wait_for_function(
        "(image) => image.complete && image.naturalWidth > 300", arg=picture.element_handle()
    )
    lab.close(visit)
