"""How many lines of code the repository has: `python -m tests.size [REVISION …]`, a column each.

A line is a line of a tracked file, blanks and comments included. Code is .py, .js, .mjs and .ts;
tables are .json, .yml and .yaml, so that code which moves into one is still counted. Left out are
what pages print (tests/reference), recorded results, and lock files. Without a revision: HEAD.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

LEFT_OUT = ("tests/reference/", "linear_icl/data/", "nonlinear/data/", "package-lock.json")
CODE, TABLES = (".py", ".js", ".mjs", ".ts"), (".json", ".yml", ".yaml")
#: A file counts in the first row whose path it begins with; the notes' parts were in the package.
ROWS = {
    "the notes' package": (
        "lib/linear_icl_book/",
        *(f"lib/linear_icl/{part}" for part in ("course/", "live/", "figures", "_figure")),
    ),
    "linear_icl": ("lib/linear_icl/",),
    "book": ("book/",),
    "tests": ("tests/", "conftest.py"),
    "the rest": ("",),
}


def git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def count(revision: str) -> Counter[str]:
    """Lines by row, of code and of tables, at a revision."""
    lines = Counter[str]()
    # An empty tree on the left: every file is an addition, with its number of lines.
    empty = git("hash-object", "-t", "tree", "/dev/null").strip()
    for entry in git("diff", "--numstat", empty, revision).splitlines():
        added, _, path = entry.split("\t")
        kind = "code" if path.endswith(CODE) else "tables" if path.endswith(TABLES) else ""
        if kind and added != "-" and not any(part in path for part in LEFT_OUT):
            row = next(row for row, starts in ROWS.items() if path.startswith(starts))
            lines[f"{kind}: {row}"] += int(added)
            lines[f"{kind}: all"] += int(added)
    return lines


def main(revisions: list[str]) -> None:
    columns = [count(revision) for revision in revisions]
    print(f"{'lines':28}", *(f"{revision[:12]:>12}" for revision in revisions))
    for row in [f"{kind}: {row}" for kind in ("code", "tables") for row in (*ROWS, "all")]:
        print(f"{row:28}", *(f"{column[row]:12}" for column in columns))


if __name__ == "__main__":
    main(sys.argv[1:] or ["HEAD"])
