"""pytest plugin: every executable page of _toc.yml is a notebook test with compared outputs.

nbval alone collects .ipynb only and compares no cell without an execution count, so a page
converted for it passes whatever it prints. Here each page goes through jupytext to nbval's items,
one per code cell, and the text that the cells print is compared with tests/reference/<page>.json.
The cells run in one kernel per page, through the same nbclient that builds the book, and a page
that passes is left in the book's jupyter-cache: it executes once for the test and the page.

    python -m pytest --nbval book                       compare
    python -m pytest --nbval book --update-reference    write the references anew: read their diff

In a cell's metadata: `nbval: {rtol: 1e-2}` widens its tolerance, to 5e-2 at most; the run's summary
names the cell. No cell is left out of the comparison, whatever its tags say.
"""

from __future__ import annotations

import copy
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jupytext
import pytest
from filelock import FileLock
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbval.plugin import IPyNbCell, IPyNbFile

from book._ext.fresh_cache import CACHE, cap_threads, drop_stale, receipts_file
from tests.nbval_pages.compare import RTOL, WIDEST, differences, text_of
from tests.nbval_pages.reference import (
    REFERENCE,
    cell_key,
    executable_pages,
    read_reference,
    reference_of,
    write_reference,
)

UPDATE = "python -m pytest --nbval book --update-reference"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # of IPython's tracebacks, unreadable in a log
OPTIONS = defaultdict(bool, check=True)  # what nbval asks its items for
CELL_SECONDS = 300  # as execute.timeout in _config.yml


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("nbval")
    group.addoption(
        "--update-reference",
        action="store_true",
        help="write tests/reference anew from what the pages print now",
    )


@contextmanager
def opened_cache(root: Path) -> Iterator[Any]:
    """The cache of executed pages, for one worker at a time: it enters a page before its file.

    Its database is closed at the end, as jupyter-cache does not.
    """
    (root / CACHE).mkdir(parents=True, exist_ok=True)
    with FileLock(root / CACHE / "lock"):
        cache = get_cache(str(root / CACHE))
        database = cache.db
        try:
            yield cache
        finally:
            database.dispose()


def pytest_configure(config: pytest.Config) -> None:
    if config.option.nbval and not hasattr(config, "workerinput"):  # once, not in each worker
        drop_stale(config.rootpath)
        with opened_cache(config.rootpath):
            pass  # the database stands before workers race to make it


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if parent.config.option.nbval and file_path.suffix == ".md":
        root = parent.config.rootpath
        if file_path.resolve() in executable_pages(root):
            return Page.from_parent(parent, path=file_path)  # type: ignore[no-any-return]
    return None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, [])]
    notes = [dict(r.user_properties) for r in reports if r.when == "call"]
    cells = [note for note in notes if "nbval" in note]
    for page, seconds in (note["page"] for note in notes if "page" in note):
        terminalreporter.write_line(f"nbval: {page} took {seconds:.1f} s")
    if not cells:
        return
    count = Counter(note["nbval"] for note in cells)
    terminalreporter.write_line(
        f"nbval: {len(cells)} cells run, {count['compared']} outputs compared, "
        f"{count['written']} written, {count['silent']} silent"
    )
    for note in cells:
        if note["rtol"] != RTOL:
            terminalreporter.write_line(f"nbval: compared within {note['rtol']}: {note['cell']}")


class Page(IPyNbFile):  # type: ignore[misc]
    """One page, its kernel and its reference."""

    def collect(self) -> Iterator[pytest.Item]:
        root = self.config.rootpath
        self.nb = jupytext.read(self.path)
        self.kernelspec = copy.deepcopy(self.nb.metadata.kernelspec)
        self.reference_path = reference_of(root, self.path)
        self.reference = {} if self.config.option.update_reference else self._read()
        self.current: dict[str, list[str]] = {}
        self.receipts = receipts_file(root, str(self.path.relative_to(root).with_suffix("")))
        self.cells: list[Cell] = []
        seen: Counter[str] = Counter()
        for index, cell in enumerate(self.nb.cells):
            if cell.cell_type == "code":
                key = cell_key(cell.source, seen)
                number = len(self.cells)
                item = Cell.from_parent(
                    self, name=f"Cell {number}", cell_num=number, cell=cell, options=OPTIONS
                )
                item.index, item.key = index, key
                self.cells.append(item)
        yield from self.cells
        yield References.from_parent(self, name="References")

    def _read(self) -> dict[str, list[str]]:
        try:
            return read_reference(self.reference_path)
        except ValueError as error:
            raise self.CollectError(f"{error}; restore it with git, or {UPDATE}") from error

    def setup(self) -> None:
        cap_threads()
        self.receipts.unlink(missing_ok=True)
        self.receipts.parent.mkdir(parents=True, exist_ok=True)
        self.started = time.perf_counter()
        self.failed: Cell | None = None
        self.client = NotebookClient(
            self.nb,
            timeout=CELL_SECONDS,
            resources={"metadata": {"path": str(self.path.parent)}},
            record_timing=False,
        )
        self.client.reset_execution_trackers()
        self.client.create_kernel_manager()
        environment = {**os.environ, "LINEAR_ICL_RECEIPTS": str(self.receipts)}
        self.client.start_new_kernel(env=environment)
        self.client.start_new_kernel_client()

    def run_up_to(self, last: Cell) -> None:
        """Execute the cells not yet executed up to this one, so that any selection can run."""
        for cell in self.cells[: last.cell_num + 1]:
            if self.failed is not None:
                pytest.skip(f"cell {self.failed.cell_num} failed before it")  # and it is reported
            if not cell.executed:
                try:
                    self.client.execute_cell(cell.cell, cell.index)
                except (CellControlSignal, DeadKernelError) as error:  # raised, timed out or died
                    self.failed = cell
                    cell.raise_cell_error(
                        "The cell raised an exception", COLOUR.sub("", str(error))
                    )
                cell.executed = True

    def teardown(self) -> None:
        self.client.set_widgets_metadata()  # before the kernel goes
        self.client._cleanup_kernel()
        seconds = time.perf_counter() - self.started
        complete = all(cell.passed for cell in self.cells)
        if self.config.option.update_reference and complete:
            write_reference(self.reference_path, self.current)
        if complete:
            # The cache finds a page by its code and its kernelspec, and nbclient overwrote that.
            self.nb.metadata.kernelspec = self.kernelspec
            bundle = CacheBundleIn(self.nb, str(self.path), data={"execution_seconds": seconds})
            with opened_cache(self.config.rootpath) as cache:
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


class Cell(IPyNbCell):  # type: ignore[misc]
    """One code cell: executed, and its text compared."""

    index: int
    key: str
    executed = False
    passed = False

    def runtest(self) -> None:
        page: Page = self.parent
        page.run_up_to(self)
        self.test_outputs = self.cell.outputs
        if any(out.get("name") == "stderr" for out in self.cell.outputs):
            errors = "".join(out.text for out in self.cell.outputs if out.get("name") == "stderr")
            self.raise_cell_error("The cell wrote to stderr", errors)
        rtol = self.cell.metadata.get("nbval", {}).get("rtol", RTOL)
        if not 0 < rtol <= WIDEST:
            self.raise_cell_error(
                f"rtol must be at most {WIDEST}, got {rtol}",
                "print fewer digits, or words where the number is not the point",
            )
        judged = self.judge(page, rtol)
        self.user_properties += [("nbval", judged), ("cell", self.nodeid), ("rtol", rtol)]
        self.passed = True

    def judge(self, page: Page, rtol: float) -> str:
        """Compare the text with the reference, or note it; says which of them was done."""
        text = text_of(self.cell.outputs)
        if self.config.option.update_reference:
            if text:
                page.current[self.key] = text
            return "written" if text else "silent"
        expected = page.reference.get(self.key)
        if expected is None and text:
            state = "cell is new or changed since" if page.reference else "page has no"
            self.raise_cell_error(
                f"No reference for this output: the {state} reference; after checking it: {UPDATE}",
                "\n".join(text),
            )
        if found := differences(expected or [], text, rtol):
            was, now = ["--- reference", *(expected or [])], ["+++ now", *text]
            self.raise_cell_error("Cell outputs differ", "\n".join([*found, *was, *now]))
        return "compared" if text else "silent"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}: cell {self.cell_num}"


class References(pytest.Item):
    """A reference belongs to a cell of its page, a file of them to a page, and one is not empty."""

    def runtest(self) -> None:
        page: Any = self.parent
        root = self.config.rootpath
        seconds = time.perf_counter() - page.started
        self.user_properties.append(("page", (page.path.stem, seconds)))
        current = page.current if self.config.option.update_reference else page.reference
        keys = {cell.key for cell in page.cells}
        problems = [
            f"{page.reference_path.name}: no cell prints {key!r} any more"
            for key in current
            if key not in keys
        ]
        if not current and page.cells:
            problems.append(f"{page.path.name}: nothing that this page prints is compared")
        pages = executable_pages(root)
        if page.path.resolve() == pages[0]:
            known = {reference_of(root, other) for other in pages}
            for file in sorted({*(root / REFERENCE).rglob("*.json")} - known):
                if self.config.option.update_reference:
                    file.unlink()
                else:
                    problems.append(f"{file.name}: no page of this name runs")
        if problems:
            raise OrphanedReference("\n".join([*problems, f"cure: {UPDATE}"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}: references"


class OrphanedReference(Exception):
    """A reference that nothing is compared with."""
