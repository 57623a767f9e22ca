"""The notebook tests see every kind of difference, and a green run has compared something."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from myst_nb.core.read import read_myst_markdown_notebook

from book._ext.fresh_cache import RECEIPTS
from tests.nbval_pages.compare import WIDGET, differences, text_of
from tests.nbval_pages.plugin import opened_cache
from tests.nbval_pages.reference import (
    REFERENCE,
    cell_key,
    executable_pages,
    read_reference,
    write_reference,
)

ROOT = Path(__file__).resolve().parents[3]
RUN = ("--nbval", "--color=no", "-rf", "-p", "no:cacheprovider")
HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A page
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("loss 0.5000", "loss 0.5004"),
        ("loss 0.5", "loss   0.5"),
        ("1.234e-12", "1.2345e-12"),
        ("gap < 1e-9", "gap < 1e-9"),
        ("x0 W_21 3f", "x0 W_21 3f"),
    ],
)
def test_outputs_agree(old: str, new: str) -> None:
    assert differences([old], [new]) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("loss 0.500", "loss 0.501", "0.500 became 0.501"),
        ("2000 steps", "2001 steps", "2000 became 2001"),
        ("N is 2000.", "N is 2001.", "2000. became 2001."),
        ("1", "1.0", "1 became 1.0"),
        ("0.25", "-0.25", "0.25 became -0.25"),
        ("1.0e-13", "2.0e-13", "1.0e-13 became 2.0e-13"),
        ("0.0", "1e-30", "0.0 became 1e-30"),
        ("it holds", "it fails", "'it holds' became 'it fails'"),
        ("x0", "x1", "'x0' became 'x1'"),
        ("1.5", "nan", "'1.5' became 'nan'"),
        ("gap < 1e-9", "gap < 1e-8", "1e-9 became 1e-8"),
        ("[1.5, 2.5]", "[1.5]", r"'\[1.5, 2.5\]' became '\[1.5\]'"),
    ],
)
def test_outputs_differ(old: str, new: str, message: str) -> None:
    (found,) = differences([old], [new])
    assert re.fullmatch(f"line 1: {message}", found)


def test_lines_may_neither_come_nor_go() -> None:
    assert differences(["a"], ["a", "b"]) == ["line 2: 'b' is new"]
    assert differences(["a", "b"], ["a"]) == ["line 2: 'b' is gone"]


def test_the_tolerance_can_be_widened() -> None:
    assert differences(["0.50"], ["0.51"], rtol=0.05) == []
    assert differences(["7"], ["8"], rtol=0.5) == ["line 1: 7 became 8"]


def test_what_is_compared() -> None:
    def result(kind: str, **data: str) -> dict[str, Any]:
        return {"output_type": kind, "data": {k.replace("_", "/"): v for k, v in data.items()}}

    figure = result("display_data", image_png="…", text_plain="<Figure size 576x360>")
    live = result("display_data", image_svg="…", text_plain="LiveFigure: mean 0.5")
    live["data"][WIDGET] = {"model_id": "random"}
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": "printed  \n\n"},
        result("execute_result", text_plain="4", text_html="<b>4</b>"),
        result("display_data", text_html="<i>alone</i>"),
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []},
        figure,
        live,
    ]
    expected = ["printed", "4", "<i>alone</i>", "ValueError: no", "LiveFigure: mean 0.5"]
    assert text_of(outputs) == expected


def test_a_stream_may_come_in_pieces() -> None:
    def printed(*pieces: str) -> list[str]:
        return text_of({"output_type": "stream", "name": "stdout", "text": t} for t in pieces)

    assert printed("one\ntwo\n") == printed("one", "\n", "two\n") == printed("one\nt", "wo\n")
    assert printed("one\n\ntwo") != printed("one\ntwo")


class Book:
    """A book of its own in a temporary folder."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester, self.root = pytester, pytester.path
        (self.root / "book").mkdir()
        pytester.makeini("[pytest]")
        self.toc("page")

    def toc(self, first: str, *others: str) -> None:
        files = "".join(f"\n  - file: book/{name}" for name in others)
        chapters = f"chapters:{files}\n" if others else ""
        self.write("_toc.yml", f"format: jb-book\nroot: book/{first}\n{chapters}")

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.write_text(text, "utf-8")
        return file

    def page(self, *cells: str, name: str = "page") -> None:
        blocks = [f"```{{code-cell}}\n{cell}\n```\n" for cell in cells]
        self.write(f"book/{name}.md", "\n".join([HEADER, *blocks]))

    def run(self, *arguments: str) -> tuple[list[str], str]:
        """The failed items of `pytest --nbval`, and all that it printed."""
        plugin = ("-p", "no:jaxtyping", "-p", "tests.nbval_pages.plugin")
        if not any("book" in argument for argument in arguments):
            arguments = ("book", *arguments)
        done = self.pytester.runpytest_inprocess(*plugin, *RUN, *arguments)
        return failed_items(done.ret, done.stdout.str())

    def run_broken(self) -> str:
        """What `pytest --nbval` prints of a page that cannot be collected."""
        plugin = ("-p", "no:jaxtyping", "-p", "tests.nbval_pages.plugin")
        done = self.pytester.runpytest_inprocess(*plugin, *RUN, "book")
        assert done.ret == pytest.ExitCode.INTERRUPTED
        return done.stdout.str()

    def run_as_users_do(self, *arguments: str) -> tuple[list[str], str]:
        """The same in a process of its own, with this repository's conftest and settings."""
        (self.root / "tox.ini").unlink()
        for name in ("conftest.py", "pyproject.toml"):
            shutil.copy(ROOT / name, self.root)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *RUN, "book", *arguments],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        return failed_items(done.returncode, done.stdout)

    def refer(self, *outputs: tuple[str, str], name: str = "page") -> None:
        """Write the reference of a page: the code of each cell and what it is to print."""
        seen: Counter[str] = Counter()
        lines = {cell_key(code, seen): text.splitlines() for code, text in outputs}
        write_reference(self.root / REFERENCE / f"{name}.json", lines)

    def reference(self, name: str = "page") -> dict[str, list[str]]:
        return read_reference(self.root / REFERENCE / f"{name}.json")

    def cached(self, name: str = "page") -> bool:
        """Whether jupyter-book would find the page, as its own reader sees it, executed."""
        text = (self.root / "book" / f"{name}.md").read_text("utf-8")
        try:
            with opened_cache(self.root) as cache:
                cache.match_cache_notebook(read_myst_markdown_notebook(text))
        except KeyError:
            return False
        return True


def failed_items(status: int, printed: str) -> tuple[list[str], str]:
    failed = re.findall(r"^FAILED book/(\S+?)\.md::(.+?)(?: - .*)?$", printed, re.M)
    assert status == (1 if failed else 0), printed
    return [f"{page} {item}" for page, item in failed], printed


@pytest.fixture
def book(pytester: pytest.Pytester) -> Book:
    return Book(pytester)


READING = 'import pathlib\ntext = pathlib.Path("values").read_text().split(";")\nprint(text[0])'
WIDGET_CELL = f"""---
tags: [hide-input]
---
class Live:
    def _repr_mimebundle_(self, **_):
        return {{"{WIDGET}": {{"model_id": str(id(self))}}, "image/svg+xml": "<svg/>",
                "text/plain": text[4]}}
Live()"""
KINDS = (READING, "print(text[1])", "text[2]", "display(text[3])", WIDGET_CELL, "quiet = 1;")


def test_each_kind_of_output_is_compared(book: Book) -> None:
    book.page(*KINDS)
    book.write("book/values", "gap 0.125;12 steps;it holds;shown;LiveFigure: U mean 0.3333")
    assert book.run("--update-reference")[0] == []
    clean, printed = book.run()
    assert clean == []
    assert "nbval: 6 cells run, 5 outputs compared, 0 written, 1 silent" in printed
    assert book.cached()
    book.write("book/values", "gap 0.126;13 steps;it fails;hidden;LiveFigure: U mean 0.3433")
    failed, printed = book.run()
    assert failed == [f"page Cell {k}" for k in range(5)]
    assert "line 1: 0.125 became 0.126" in printed
    assert "line 1: 0.3333 became 0.3433" in printed


def test_outputs_need_a_reference(book: Book) -> None:
    book.page('print("new")')
    failed, printed = book.run()
    assert failed == ["page Cell 0", "page References"]
    assert "the page has no reference" in printed
    assert not book.cached()


def test_a_changed_cell_makes_its_reference_stale(book: Book) -> None:
    book.page('print("same")', "print(3 / 2)")
    book.refer(('print("same")', "same"), ("print(1.5)", "1.5"))
    failed, printed = book.run()
    assert failed == ["page Cell 1", "page References"]
    assert "cell is new or changed since" in printed


def test_references_of_nothing_are_orphans(book: Book) -> None:
    book.page('print("kept")', 'print("kept")')
    kept = ('print("kept")', "kept")  # two equal cells have two references
    book.refer(kept, kept, ("print(2)", "2"))
    book.refer(kept, name="renamed")
    failed, printed = book.run()
    assert failed == ["page References"]
    assert "no cell prints" in printed
    assert "renamed.json: no page of this name runs" in printed
    assert book.run("--update-reference")[0] == []
    assert (len(book.reference()), len(book.reference("renamed"))) == (2, 0)


def test_a_cell_that_prints_no_more_is_seen(book: Book) -> None:
    book.page("x = 1", "2")
    book.refer(("x = 1", "1"), ("2", "2"))
    failed, printed = book.run()
    assert failed == ["page Cell 0"]
    assert "line 1: '1' is gone" in printed


def test_a_page_that_compares_nothing_fails(book: Book) -> None:
    book.page("x = 1")
    failed, printed = book.run("--update-reference")
    assert failed == ["page References"]
    assert "nothing that this page prints is compared" in printed


def test_an_exception_fails_and_stops_the_page(book: Book) -> None:
    book.page('print("before")', "1 / 0", 'print("after")')
    failed, printed = book.run("--update-reference")
    assert failed == ["page Cell 1"]
    assert "ZeroDivisionError" in printed
    assert "1 failed, 2 passed, 1 skipped" in printed
    assert book.reference() == {}  # a broken page writes no reference
    assert not book.cached()


def test_an_announced_exception_is_compared(book: Book) -> None:
    code = 'raise ValueError("length >= 1, got 0")'
    book.page(f"---\ntags: [raises-exception]\n---\n{code}")
    book.refer((code, "ValueError: length >= 1, got 1"))
    failed, printed = book.run()
    assert failed == ["page Cell 0"]
    assert "line 1: 0 became 1" not in printed
    assert "line 1: 1 became 0" in printed


def test_writing_to_stderr_fails(book: Book) -> None:
    book.page('import sys\nprint("warning", file=sys.stderr)')
    failed, printed = book.run("--update-reference")
    assert "page Cell 0" in failed
    assert "The cell wrote to stderr" in printed


def test_no_tag_takes_a_cell_out(book: Book) -> None:
    book.page("---\ntags: [nbval-ignore-output, nbval-skip]\n---\n2")
    book.refer(("2", "1"))
    assert book.run()[0] == ["page Cell 0"]


def test_the_metadata_of_a_cell_widens_its_tolerance_within_bounds(book: Book) -> None:
    book.page("---\nnbval: {rtol: 0.05}\n---\n0.52", "-0.52", "---\nnbval: {rtol: 100}\n---\n.25")
    book.refer(("0.52", "0.50"), ("-0.52", "-0.50"), (".25", "0.25"))
    failed, printed = book.run()
    assert failed == ["page Cell 1", "page Cell 2"]
    assert "rtol must be at most 0.05, got 100" in printed
    assert "nbval: compared within 0.05: book/page.md::Cell 0" in printed


@pytest.mark.parametrize("damage", ['{"abc": ["1"', '["1"]', '{"abc": 1}', "\x00"])
def test_a_damaged_reference_is_named_with_its_cure(book: Book, damage: str) -> None:
    book.page("1", "2")
    book.refer(("1", "1"), ("2", "2"))
    path = book.write("tests/reference/page.json", damage)
    printed = book.run_broken()
    assert f"got {path}" in printed and "--update-reference" in printed
    assert path.read_text("utf-8") == damage
    assert book.run("--update-reference")[0] == [] and book.run()[0] == []


def test_one_cell_runs_after_those_before_it(book: Book) -> None:
    book.page("x = 41", "x += 1", "print(x)")
    book.refer(("print(x)", "42"))
    failed, printed = book.run("book/page.md::Cell 2")
    assert failed == []
    assert "1 passed" in printed
    assert not book.cached()  # not every cell was judged


def test_workers_keep_a_page_together_and_fill_the_cache(book: Book) -> None:
    """As users run it; only pages of _toc.yml that name a kernel, each with its own receipts."""
    book.toc("one", "two", "prose")
    receipts = (
        'import os\npath = os.environ["LINEAR_ICL_RECEIPTS"]\nx = open(path, "w").write("[]")'
    )
    threads = 'print(os.environ["OMP_NUM_THREADS"], os.path.basename(path))'
    for name in ("one", "two"):
        code = f"{threads}  # {name}"  # the cache knows a page by its code
        book.page(receipts, code, name=name)
        book.refer((code, f"1 {name}.json"), name=name)
    book.page("1 / 0", name="outside")
    book.write("book/prose.md", "# No kernel\n\n```python\n1 / 0\n```\n")
    failed, printed = book.run_as_users_do("-n", "2")
    assert failed == []
    assert "4 cells run, 2 outputs compared" in printed
    assert [book.cached(name) for name in ("one", "two", "outside")] == [True, True, False]
    assert (book.root / RECEIPTS / "two.json").is_file()


def test_a_page_of_cards_without_a_header_has_no_kernel(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: cards\n", "utf-8")
    (tmp_path / "cards.md").write_text("# A\n\n::::{grid} 1\n\n:::{card} B\n:::\n::::\n", "utf-8")
    assert executable_pages(tmp_path) == ()
