"""A page with live figures made in this process: no kernel, a second or two to build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import ipywidgets
import nbformat
from linear_icl.live import Axis, LiveFigure
from nbformat import v4

EXTENSIONS = Path(__file__).resolve().parents[2] / "book" / "_ext"
STATE = "application/vnd.jupyter.widget-state+json"
CONF = f"""
import sys
sys.path.insert(0, {str(EXTENSIONS)!r})
extensions = ["myst_nb", "live_page"]
nb_execution_mode = "off"
exclude_patterns = ["_build"]
html_theme = "basic"
epub_show_urls = "no"
version = "1"
"""


def figure(title: str) -> LiveFigure:
    """A figure whose one curve is the line y = slope · x; </script> in a text must do no harm."""
    return LiveFigure(
        lambda slope, n: {"a </script> line": [0.0, slope, 2.0 * slope]},
        [Axis("slope", [1.0, 2.0, 3.0], "slope"), Axis("n", [1, 2], "n")],
        x={"values": [0, 1, 2], "label": "x"},
        y={"label": "y"},
        series={"a </script> line": {"color": "U"}},
        title=title,
        alt=f"What {title} shows.",
    )


def notebook(*shown: Any, others: tuple[Any, ...] = ()) -> nbformat.NotebookNode:
    """An executed notebook: a heading, then a cell for each of `shown`."""
    cells = [v4.new_markdown_cell("# Live")]
    for one in shown:
        data, metadata = (one._repr_mimebundle_(), {})
        if isinstance(data, tuple):
            data, metadata = data
        output = v4.new_output("execute_result", data=data, metadata=metadata, execution_count=1)
        cells.append(v4.new_code_cell("figure", outputs=[output], execution_count=1))
    made: nbformat.NotebookNode = v4.new_notebook(
        cells=cells, metadata={"language_info": {"name": "python"}}
    )
    widgets = [*shown, *others, *(one.layout for one in shown)]
    made.metadata["widgets"] = {STATE: ipywidgets.Widget.get_manager_state(widgets=widgets)}
    return made


def build(
    folder: Path, pages: dict[str, nbformat.NotebookNode], builder: str = "html"
) -> tuple[Path, str]:
    """Where the pages were built, and Sphinx's warnings; one page is called index."""
    (folder / "conf.py").write_text(CONF, "utf-8")
    pages["index"].cells[0].source += "\n\n```{toctree}\n:glob:\n*\n```"
    for name, page in pages.items():
        nbformat.write(page, folder / f"{name}.ipynb")
    out = folder / "_build" / builder
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-b", builder, str(folder), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return out, done.stderr
