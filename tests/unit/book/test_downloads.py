"""What a reader can take away: the wheel and the notebooks, made from the sources alone."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from linear_icl import __version__
from linear_icl.nonlinear.recorded import RECORDS
from linear_icl_book.class_notebook import UNNUMBERED
from sphinx.errors import ExtensionError

from book._ext import downloads
from tests.nbval_pages.reference import executable_pages

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("linear_icl", "linear_icl_book")
HOST = "https://owner.github.io/name/"
PAGE = """---
kernelspec: {name: python3, display_name: Python 3}
---

(a-label)=
# A title

```{figure} pictures/dot.svg
:alt: a dot
```

```{code-cell}
---
tags: [hide-cell, receipt]
---
1 + 1
```
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return downloads.build_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_both_packages_the_records_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {*PACKAGES, f"linear_icl-{__version__}.dist-info"}
    sources = {
        path.relative_to(ROOT / "lib").as_posix()
        for package in PACKAGES
        for path in (ROOT / "lib" / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.split("/")[0] in PACKAGES} == sources
    assert {f"linear_icl/nonlinear/data/{path.name}" for path in RECORDS.glob("*.json")} <= sources


def test_the_wheel_is_the_same_again_and_leaves_the_sources_alone(
    wheel: Path, tmp_path: Path
) -> None:
    (tmp_path / "linear_icl-0.0.0-py3-none-any.whl").touch()
    before = {path for path in (ROOT / "lib").glob("*") if path.name != "__pycache__"}
    again = downloads.build_wheel(tmp_path)
    assert again.read_bytes() == wheel.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == [downloads.WHEEL]
    assert {path for path in (ROOT / "lib").glob("*") if path.name != "__pycache__"} == before


def test_a_package_that_cannot_be_built_says_why(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "pyproject.toml").write_text("[project]\nname = 3\n")
    with pytest.raises(ExtensionError, match=r"(?s)was not built.*name"):
        downloads.build_wheel(tmp_path / "out", tmp_path / "lib")


def test_the_extra_of_the_install_line_exists(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = [name for name in archive.namelist() if name.endswith("METADATA")]
    assert f"Provides-Extra: {downloads.EXTRA}\n" in archive.read(metadata).decode()
    near, far = downloads.install_line(""), downloads.install_line(HOST)
    assert near == f'pip install "./{downloads.WHEEL}[chapters]" jupyterlab jupyterlab-myst'
    assert f'"linear-icl[chapters] @ {HOST}_downloads/{downloads.WHEEL}"' in far


@pytest.mark.parametrize("page", executable_pages(ROOT), ids=lambda page: page.stem)
def test_a_notebook_is_the_page_without_outputs_and_without_other_files(page: Path) -> None:
    made = downloads.notebook(page, "")
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert set(made.metadata) == {"kernelspec", "language_info"}
    text = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    assert "_page/" not in text and downloads.install_line("") in made.cells[0].source
    assert json.dumps(made) == json.dumps(downloads.notebook(page, ""))


def test_drawings_travel_inside_and_folds_stay_folded(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "dot.svg").write_text("<svg/>")
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "numbers.json").write_text('{"pages": {}, "labels": {}, "cited": {}}')
    text, code = downloads.notebook(tmp_path / "page.md", HOST).cells
    carried = base64.b64encode(b"<svg/>").decode()
    assert f"```{{image}} data:image/svg+xml;base64,{carried}\n:alt: a dot\n" in text.source
    lines = text.source.removeprefix(UNNUMBERED).splitlines()
    assert lines[:2] == ["(a-label)=", "# A title"] and downloads.install_line(HOST) in lines[3]
    assert code.metadata["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    (tmp_path / "page.md").write_text(PAGE.replace("# A title", "No title"))
    with pytest.raises(ValueError, match=r"page.md must begin with a title"):
        downloads.notebook(tmp_path / "page.md", "")


@pytest.mark.parametrize(("base", "where"), [("", ", in the folder of the package:"), (HOST, ":")])
def test_links_are_relative_and_the_line_names_the_host_if_there_is_one(
    base: str, where: str
) -> None:
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=base, html_sourcelink_suffix=""))
    html = downloads.links(app, "book/chapter")  # type: ignore[arg-type]
    for path in ("_sources/book/chapter.ipynb", "_sources/book/chapter.md", "_downloads/"):
        assert f'<a href="../{path}' in html
    assert f"Python 3.11 or newer{where}</p>" in html
    assert (HOST in html) == bool(base)
