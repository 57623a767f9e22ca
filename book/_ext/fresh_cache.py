"""Executes the pages again when the package or a version changed, and keeps their receipts.

A change of the build's own code (book/_ext) writes them again from what was executed.

jupyter-cache knows a page by its code alone: after a change in lib/ it would republish old numbers
and old widget code. So its folder carries a fingerprint of what the code runs on, and is dropped
when that differs. The notebook tests (tests/nbval_pages), which fill the same cache, use the same
functions.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

CACHE = Path("_build", ".jupyter_cache")
RECEIPTS = CACHE / "receipts"  # beside the outputs they belong to: `jupyter-book clean` keeps both
LOCKS = ("requirements.txt", "constraints.txt")


def cap_threads() -> None:
    """One thread for each kernel: faster for small matrices, and sums round alike everywhere."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def fingerprint(root: Path) -> str:
    """A hash over all that executes beside the pages: lib/, the two locks, the Python version."""
    sources = (path for path in sorted((root / "lib").rglob("*")) if _is_source(path))
    return digest(sys.version, root, [*sources, *(root / name for name in LOCKS)])


def digest(start: str, root: Path, paths: Iterable[Path]) -> str:
    """A hash over `start` and all files among these paths, with their places below `root`."""
    hashed = hashlib.sha256(start.encode())
    for path in filter(Path.is_file, paths):
        hashed.update(f"\0{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return hashed.hexdigest()


def apparatus(root: Path) -> str:
    """A hash over the code that makes pages of what was executed: it drops no output."""
    return digest("", root, sorted((root / "book" / "_ext").glob("*.*")))


def _is_source(path: Path) -> bool:
    return not any(part == "__pycache__" or part.endswith(".egg-info") for part in path.parts)


def drop_stale(root: Path) -> bool:
    """Empty the cache, receipts included, unless it was made with this package; True if emptied."""
    cache, now = root / CACHE, fingerprint(root)
    stamp = cache / "fingerprint"
    fresh = stamp.is_file() and stamp.read_text("utf-8") == now
    if not fresh:
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        stamp.write_text(now, "utf-8")
    return not fresh


def receipts_file(root: Path, page: str) -> Path:
    """Where the receipts of a page (its path from the root, without suffix) are kept."""
    return root / RECEIPTS / f"{page.removeprefix('book/')}.json"


def _prepare(app: Sphinx, config: Config) -> None:
    cap_threads()
    root = Path(app.srcdir)
    drop_stale(root)
    # A configuration value that changes makes Sphinx read every page again, cached doctrees or not.
    config.package_fingerprint = fingerprint(root) + apparatus(root)


def _keep_receipts(app: Sphinx, page: str, _source: list[str]) -> None:
    path = receipts_file(Path(app.srcdir), page)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.environ["LINEAR_ICL_RECEIPTS"] = str(path)  # inherited by the kernel if the page executes


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("package_fingerprint", "", "env")
    app.connect("config-inited", _prepare)
    app.connect("source-read", _keep_receipts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
