"""The directive `{environment}`: what the book was built with, read at build time.

Python, system, processors and date, then every package that requirements.txt pins, as installed.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PIN = re.compile(r"^([A-Za-z0-9_.-]+)==")


class Environment(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # another machine may finish what one began
        text = (Path(self.env.app.srcdir) / "requirements.txt").read_text("utf-8")
        return [_table([*machine(), *versions(text)])]


def machine() -> list[tuple[str, str]]:
    """Python, system, processors, and when the page was made."""
    now = datetime.datetime.now(datetime.UTC)
    return [
        ("built", f"{now:%Y-%m-%d %H:%M} UTC"),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()}, {platform.machine()}"),
        ("processors", str(os.cpu_count())),
    ]


def versions(requirements: str) -> list[tuple[str, str]]:
    """(package, installed version) for every pin; another version than the pin is said."""
    found = []
    for line in requirements.splitlines():
        if match := PIN.match(line):
            name, pinned = match[1], line.split("==")[1].strip()
            try:
                installed = metadata.version(name)
            except metadata.PackageNotFoundError:
                installed = "not installed"
            same = installed.partition("+")[0] == pinned  # a local version such as 2.13.0+cpu
            found.append((name, installed if same else f"{installed} (pinned: {pinned})"))
    return found


def _table(rows: list[tuple[str, str]]) -> nodes.table:
    group = nodes.tgroup(cols=2)
    group += [nodes.colspec(colwidth=1), nodes.colspec(colwidth=2)]
    group += nodes.thead("", _row(("what", "which")))
    group += nodes.tbody("", *(_row(row) for row in rows))
    return nodes.table("", group)


def _row(cells: tuple[str, str]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("environment", Environment)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
