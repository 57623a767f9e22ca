"""Which pages run, and what each printed when its author last looked."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from pathlib import Path

import jupytext
import pytest
from sphinx_external_toc.parsing import parse_toc_yaml

REFERENCE = Path("tests", "reference")


@functools.cache
def executable_pages(root: Path) -> tuple[Path, ...]:
    """The pages of _toc.yml that name a kernel, in the order of the book."""
    toc = root / "_toc.yml"
    if not toc.is_file():
        raise pytest.UsageError(f"--nbval runs the pages of _toc.yml; there is none in {root}")
    pages = [(root / f"{name}.md").resolve() for name in parse_toc_yaml(toc)]
    return tuple(page for page in pages if page.is_file() and _has_kernel(page))


def _has_kernel(page: Path) -> bool:
    # Named, or a page of colons without a header is taken for Pandoc's Markdown.
    return "kernelspec" in jupytext.read(page, fmt="md:myst").metadata


def reference_of(root: Path, page: Path) -> Path:
    return root / REFERENCE / page.resolve().relative_to(root / "book").with_suffix(".json")


def cell_key(source: str, seen: Counter[str]) -> str:
    """The hash of a cell's code; a cell that repeats another's gets a number too."""
    digest = hashlib.sha256(source.strip().encode()).hexdigest()[:12]
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def read_reference(path: Path) -> dict[str, list[str]]:
    """The lines that each cell of a page printed, by the cell's key and in page order.

    Raises ValueError, with the file, for anything else."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"a reference must be whole, got {path}, damaged: {error}") from error
    lists = found.values() if isinstance(found, dict) else [None]
    if not all(isinstance(lines, list) for lines in lists):
        raise ValueError(f"a reference must map each cell to its lines, got {path} of another form")
    return dict(found)


def write_reference(path: Path, outputs: dict[str, list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(outputs, indent=1, ensure_ascii=False) + "\n", "utf-8")
