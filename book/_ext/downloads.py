"""Files to take away from the built book: each chapter as a notebook, and the package as a wheel.

The notebook stands beside the page's source in `_sources/`, where the theme's download button
looks; the wheel stands in `_downloads/`. Both are made from the sources alone: the notebook has no
outputs, because a reader is asked to predict them, and because a live figure in it needs a kernel
in any case. It carries its drawings, so that it may lie alone in a folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from linear_icl import __version__
from linear_icl_book.class_notebook import TABLE, Numbers
from linear_icl_book.class_notebook import notebook as class_notebook
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from book._ext import number_table

LIB = Path(__file__).resolve().parents[2] / "lib"
WHEEL = f"linear_icl-{__version__}-py3-none-any.whl"
EXTRA = "chapters"  # of lib/pyproject.toml: what the chapters need as notebooks
EPOCH = "315532800"  # the first second that a zip file can name
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"


def build_wheel(folder: Path, lib: Path = LIB) -> Path:
    """The wheel of `lib` in `folder`, the same bytes for the same sources; needs no network.

    Raises ExtensionError with the build's own words, or if its name is not the expected one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("linear_icl-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as work:
        # A copy, because setuptools builds beside its sources.
        copy = Path(work, "lib")
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
        shutil.copytree(lib, copy, ignore=ignored, copy_function=shutil.copyfile)
        for path in copy.rglob("*"):  # a wheel keeps permissions, which follow the umask
            path.chmod(0o755 if path.is_dir() else 0o644)
        done = subprocess.run(
            [sys.executable, "-c", BUILD, str(folder.resolve())],
            cwd=copy,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode or not (folder / WHEEL).is_file():
        raise ExtensionError(f"{WHEEL} was not built:\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return folder / WHEEL


def install_line(base: str) -> str:
    """The command that installs the wheel and JupyterLab.

    base: the address of the built book, with its last slash; empty, the file is in the folder."""
    what = f"linear-icl[{EXTRA}] @ {base}_downloads/{WHEEL}" if base else f"./{WHEEL}[{EXTRA}]"
    return f'pip install "{what}" jupyterlab jupyterlab-myst'


def notebook(source: Path, base: str, numbers: Numbers | None = None) -> nbformat.NotebookNode:
    """The page as a class notebook that needs no other file: no outputs, its drawings inside.

    base: the address of the built book, with its last slash, empty if nowhere; numbers: those of
    the build, else the committed table. Raises ValueError as the class notebook does."""
    table = numbers or Numbers.read(source.parent / TABLE)
    return class_notebook(source, table, address=base, needs=install_line(base))


def links(app: Sphinx, page: str) -> str:
    """HTML for the box of a page: the files, and the line that installs the package."""
    up = "../" * page.count("/")
    files = {
        f"_sources/{page}.ipynb": "notebook (.ipynb)",
        f"_sources/{page}.md{app.config.html_sourcelink_suffix}": "text (.md)",
        f"_downloads/{WHEEL}": "package (.whl)",
    }
    shown = ", ".join(
        f'<a href="{up}{path}" download>{escape(name)}</a>' for path, name in files.items()
    )
    base = app.config.html_baseurl
    where = "" if base else ", in the folder of the package"
    return (
        f"<p>Without the book's folder: download {shown}; then, with Python 3.11 or newer{where}:"
        f'</p><pre tabindex="0">{escape(install_line(base), quote=False)}</pre>'
    )


def notebook_pages(app: Sphinx) -> list[str]:
    """The pages that name a kernel."""
    return sorted(
        page for page in app.env.found_docs if "kernelspec" in app.env.metadata.get(page, {})
    )


def offer(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The notebook in the theme's download button too, above the source."""
    if page not in notebook_pages(app):
        return
    for group in context.get("header_buttons", []):
        if group["label"] == "download-buttons":
            url = f"{context['pathto']('_sources', 1)}/{page}.ipynb"
            tip = "Download notebook file"
            entry = {"type": "link", "url": url, "text": ".ipynb", "tooltip": tip}
            group["buttons"].insert(
                0, {**entry, "icon": "fas fa-code", "label": "download-notebook-button"}
            )


def write(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    build_wheel(out / "_downloads")
    numbers = Numbers(**number_table.table(app))
    for page in notebook_pages(app):
        path = out / "_sources" / f"{page}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            made = notebook(Path(app.env.doc2path(page)), app.config.html_baseurl, numbers)
        except (ValueError, nbformat.ValidationError) as fault:
            raise ExtensionError(f"{page} makes no notebook: {fault}") from fault
        path.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    # Behind the theme, which makes the buttons at 501.
    app.connect("html-page-context", offer, priority=600)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
