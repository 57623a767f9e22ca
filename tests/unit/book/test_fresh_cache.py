"""A change of the package executes the pages again; one of the build's code writes them again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from book._ext.fresh_cache import CACHE, RECEIPTS, drop_stale, fingerprint, receipts_file

ROOT = Path(__file__).resolve().parents[3]
PAGE = """---
file_format: mystnb
kernelspec: {name: python3}
---
# Page

```{code-cell}
import os, sys, uuid
sys.path.insert(0, "../lib")
import package
print("value", package.VALUE, os.path.basename(os.environ["LINEAR_ICL_RECEIPTS"]))
print("run", uuid.uuid4())
```
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "package.py").write_text("VALUE = 1\n")
    (tmp_path / "requirements.txt").write_text("numpy==2.4.6\n")
    return tmp_path


def test_the_fingerprint_covers_what_executes(project: Path) -> None:
    first = fingerprint(project)
    (project / "lib" / "__pycache__").mkdir()
    (project / "lib" / "__pycache__" / "package.pyc").write_text("made by Python")
    (project / "README.md").write_text("prose")
    assert fingerprint(project) == first
    (project / "lib" / "live.js").write_text("// front end")
    second = fingerprint(project)
    (project / "constraints.txt").write_text("torch==2.13.0\n")
    assert len({first, second, fingerprint(project)}) == 3


def test_a_stale_cache_is_dropped_once(project: Path) -> None:
    assert drop_stale(project)
    for folder in (CACHE, RECEIPTS):
        (project / folder).mkdir(parents=True, exist_ok=True)
        (project / folder / "kept").touch()
    assert not drop_stale(project)
    assert (project / CACHE / "kept").exists()
    (project / "lib" / "package.py").write_text("VALUE = 2\n")
    assert drop_stale(project)
    assert not (project / CACHE / "kept").exists()
    assert not (project / RECEIPTS / "kept").exists()


def test_receipts_have_one_file_a_page(project: Path) -> None:
    assert receipts_file(project, "book/pl") == project / RECEIPTS / "pl.json"


def test_the_build_executes_again_after_a_change_of_the_package(project: Path) -> None:
    """Plain Sphinx builds: only the first and the last execute; a page that stands is written again
    where the build's code changed."""
    (project / "book").mkdir()
    (project / "book" / "page.md").write_text(PAGE)
    (project / "conf.py").write_text(
        'extensions = ["myst_nb", "book._ext.fresh_cache"]\n'
        'root_doc = "book/page"\n'
        'exclude_patterns = ["_build", "lib"]\n'
        f'nb_execution_mode = "cache"\nnb_execution_cache_path = {str(project / CACHE)!r}\n'
    )
    first, second = _build(project), _build(project)
    assert "value 1 page.json" in first
    assert second == first
    page = project / "_build" / "html" / "book" / "page.html"
    page.write_text("value as an older extension wrote it")
    assert _build(project) != first
    (project / "book" / "_ext").mkdir()
    (project / "book" / "_ext" / "marks.py").write_text("")
    assert _build(project) == first
    (project / "lib" / "package.py").write_text("VALUE = 2\n")
    third = _build(project)
    assert "value 2 page.json" in third
    assert third != first


def _build(project: Path) -> str:
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-qW", "-b", "html", ".", "_build/html"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    page = (project / "_build" / "html" / "book" / "page.html").read_text("utf-8")
    return re.sub(r"<.*?>", "", page[page.index("value") :])
