"""Applies one mutation at a time to a copy of the tree and runs the test that must see it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("lib", "linear_icl")
BOOK = Path("lib", "linear_icl_book")
EXTENSIONS = Path("book", "_ext")
PAGES = Path("book")
#: A folder of code, or of text: that of its tests.
UNIT = {
    PACKAGE: Path("tests", "unit", "linear_icl"),
    BOOK: Path("tests", "unit", "linear_icl_book"),
    EXTENSIONS: Path("tests", "unit", "book"),
    PAGES: Path("tests", "unit", "repository"),
}
PARTS = ("lib", "tests", "book", "conftest.py", "pyproject.toml", "_toc.yml")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "node_modules")


@dataclass(frozen=True)
class Mutation:
    """One replacement in the package, and the node id of the test that must fail."""

    name: str
    what: str
    file: str  # relative to the root
    pattern: str  # a regular expression that matches once
    replacement: str
    test: str

    def apply(self, text: str) -> str:
        mutated, count = re.subn(self.pattern, self.replacement, text)
        if count != 1 or mutated == text:
            raise ValueError(
                f"{self.name}: the pattern must match once and change {self.file}, "
                f"got {count} matches; the code moved on, adapt the mutation"
            )
        return mutated


def change(
    name: str, what: str, where: str, old: str, new: str, test: str, folder: Path = PACKAGE
) -> Mutation:
    """Put `new` in place of the literal `old`; `test` is in the folder of the tests of `folder`."""
    replacement, file = new.replace("\\", r"\\"), (folder / where).as_posix()
    return Mutation(name, what, file, re.escape(old), replacement, str(UNIT[folder] / test))


def patches(text: str, folder: Path = PACKAGE) -> tuple[Mutation, ...]:
    """What `change` makes, from `name: what`, `file test` and lines taken out (-) and put in (+).

    A blank line ends each. A test without a folder stands in that of the tests of the file's own.
    """
    made = []
    for block in text.strip().split("\n\n"):
        head, place, *lines = block.split("\n")
        (name, what), (where, test) = head.split(": ", 1), place.split()
        old, new = ("\n".join(line[2:] for line in lines if line[0] == sign) for sign in "-+")
        beside = test if "/" in test.partition("::")[0] else (Path(where).parent / test).as_posix()
        made.append(change(name, what, where, old, new, beside, folder))
    return tuple(made)


def verdict(status: int, printed: str) -> str:
    """ "caught" only if a test failed: a module that no longer imports proves nothing."""
    if status == 0:
        return "SURVIVED"
    failed = status == 1 and re.search(r"^FAILED ", printed, re.M)
    return "caught" if failed else "NOT RUN"


def copied(tree: Path) -> Path:
    """The folder, with what the tests need in it; the working tree itself is never touched."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tree / part, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / part, tree / part)
    return tree


def run(mutations: Sequence[Mutation]) -> int:
    """The number of mutations not caught; prints a row for each."""
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(Path(folder))
        status, printed = _pytest(tree, sorted({mutation.test for mutation in mutations}))
        if status != 0:
            print(printed, "The named tests must pass before anything is broken.", sep="\n")
            return len(mutations)
        verdicts = [_run_one(tree, mutation) for mutation in mutations]
    caught = verdicts.count("caught")
    print(f"{caught} of {len(mutations)} mutations caught")
    return len(mutations) - caught


def _run_one(tree: Path, mutation: Mutation) -> str:
    file = tree / mutation.file
    whole, start = file.read_text("utf-8"), time.perf_counter()
    file.write_text(mutation.apply(whole), "utf-8")
    found = verdict(*_pytest(tree, [mutation.test]))
    file.write_text(whole, "utf-8")
    print(
        f"{found:<8} {time.perf_counter() - start:4.0f} s  {mutation.name}: {mutation.what}"
        f"\n{'':<17}{mutation.test}",
        flush=True,
    )
    return found


def _pytest(tree: Path, tests: Iterable[str]) -> tuple[int, str]:
    """pytest's exit status and output, with the tree's package in place of the installed one."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
    options = ("-q", "--color=no", "-p", "no:cacheprovider", "-p", "tests.mutations.imported")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr
