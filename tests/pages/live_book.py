"""A page with live figures made in this process: no kernel, a second or two to build."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ipywidgets
import nbformat
import numpy as np
from linear_icl_book.live import Axis, LiveFigure
from nbformat import v4

ROOT = Path(__file__).resolve().parents[2]
STATE = "application/vnd.jupyter.widget-state+json"
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
extensions = ["myst_nb", "book._ext.live_page", "book._ext.figure_set"]
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


def heat_map() -> LiveFigure:
    """30 × 30 cells of value rate · x · y over 1 … 1000, one of them absent, and what lies over."""
    centres = np.logspace(0, 3, 30)
    shape = np.outer(centres, centres)
    shape[3, 5] = np.nan

    def product(rate: float, law: str) -> dict[str, Any]:
        value = rate * (shape if law == "product" else shape**0.5)
        path = (np.array([1.0, 1000.0]), np.array([1000.0, 1.0]))
        return {"risk": value, "path": path, "here": ([rate], [10.0]), "limit": 20.0 * rate}

    return LiveFigure(
        product,
        [
            Axis("rate", [0.1, 1.0, 10.0], "rate"),
            Axis("law", ["product", "root, of #1 = 50%"], "law of the risk"),
        ],
        x={"values": centres, "label": "M, test length", "scale": "log"},
        y={"values": centres, "label": "N, training length", "scale": "log"},
        z={"label": "excess risk", "scale": "log", "domain": (0.05, 3e7)},
        series={
            "risk": {"kind": "heat", "color": "U"},
            "path": {"color": "u", "dash": "6 4"},
            "here": {"kind": "point", "color": "query"},
            "limit": {"kind": "hline", "color": "Gamma"},
        },
        title="A map",
        alt="A map whose colours grow towards the upper right.",
    )


def band() -> LiveFigure:
    """A line at the rate inside a band of one above and below; recorded, so it snaps."""
    rates, one = np.array([2.0, 3.0, 5.0]), np.ones((3, 6))
    line = one * rates[:, None]
    return LiveFigure.from_grid(
        {"mean": line, "one error": (line - 1, line + 1)},
        [Axis("rate", rates, "rate")],
        x={"values": np.arange(6.0), "label": "x"},
        y={"label": "y"},
        series={"mean": {"color": "U"}, "one error": {"kind": "band", "color": "U"}},
        title="A band",
        alt="A line inside a band.",
    )


def areas() -> LiveFigure:
    """Stacked areas and no line; recorded, so it snaps."""
    rates, x = np.array([2.0, 3.0, 5.0]), np.arange(6.0)
    first = rates[:, None] * x
    return LiveFigure.from_grid(
        {"first": (0 * first, first), "second": (first, first + 1)},
        [Axis("rate", rates, "rate")],
        x={"values": x, "label": "x"},
        y={"label": "y"},
        series={"first": {"kind": "band", "color": "U"}, "second": {"kind": "band", "color": "u"}},
        title="Areas",
        alt="An area, and a strip of height one on it.",
    )


def beyond() -> LiveFigure:
    """A curve that is 0, one that is infinite, a band whose lower edge is negative, points and a
    line outside: all of it by hand, on a frame from 0.01 to 100."""
    x = np.arange(6.0)

    def drawn(scale: float) -> dict[str, Any]:
        falls = np.array([8.0, 4.0, 2.0, 0.0, 0.0, 0.0])
        rises = np.array([np.inf, 5000.0, 50.0, 5.0, 5.0, 5.0])
        return {
            "band": (scale * np.array([2.0, 1, 0.5, -1, -2, -1]), scale * np.full(6, 10.0)),
            "falls": scale * falls,
            "rises": scale * rises,
            "dots": ([1.0, 2.0, 3.0], scale * np.array([1.0, 200.0, 700.0])),
            "level": 1e-4 * scale,
        }

    return LiveFigure(
        drawn,
        [Axis("scale", [0.5, 1.0, 2.0], "scale")],
        x={"values": x, "label": "x"},
        y={"label": "y", "scale": "log", "domain": (0.01, 100)},
        series={
            "band": {"kind": "band", "color": "U"},
            "falls": {"color": "U"},
            "rises": {"color": "u"},
            "dots": {"kind": "point", "color": "query"},
            "level": {"kind": "hline"},
        },
        title="Beyond",
        alt="Curves that leave the frame.",
    )


def plane() -> LiveFigure:
    """A circle and a point in a plane of equal units, twice as wide as high."""
    turn = np.linspace(0, 2 * np.pi, 41)
    return LiveFigure(
        lambda r: {
            "circle": (r * np.cos(turn), r * np.sin(turn)),
            "big": ([0.0], [r]),
            "small": ([0.0], [r]),
        },
        [Axis("r", [0.5, 1.0, 3.0], "r")],
        x={"label": "a", "domain": (-4, 4)},
        y={"label": "b", "domain": (-2, 2)},
        series={"circle": {}, "big": {"kind": "point", "color": "u"}, "small": {"kind": "point"}},
        title="Plane",
        alt="A circle.",
        equal=True,
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


def dressed(page: Path, below: str = "") -> str:
    """The address of a built page, in the book's colours, with this HTML below."""
    css = (ROOT / "book" / "_page" / "book.css").read_text("utf-8")
    theme = "document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)')"
    head = (
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{css} body {{ background: var(--paper) }} .body {{ max-width: 46rem }}</style>"
        f"<script>{theme}.matches ? 'dark' : 'light'</script>"
    )
    # the theme of this page is not the book's, and has no narrow form
    text = re.sub(r'<link rel="stylesheet"[^>]*/(?:basic|pygments)[^>]*>', "", page.read_text())
    page.write_text(text.replace("</head>", f"{head}</head>").replace("</body>", f"{below}</body>"))
    return page.as_uri()


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
