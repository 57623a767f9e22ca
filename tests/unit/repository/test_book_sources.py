"""What the pages may be: in the table of contents, importing what a student has, with receipts
that compute; and what the tests may ask: no clock."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import jupytext
import pytest
import yaml
from linear_icl import __version__
from linear_icl_book.exercises import registry
from sphinx_external_toc.parsing import parse_toc_yaml

from tests.nbval_pages.reference import executable_pages
from tests.release.environments import CHAPTERS

ROOT = Path(__file__).resolve().parents[3]
#: What a notebook beside the wheel finds; book/_ext and the packages of the build are not there.
ALLOWED = {"linear_icl", "linear_icl_book", "numpy", "torch", "matplotlib", "ipywidgets"}
#: Calls that only say of what kind a typed number is.
WRAPPERS = {"Fraction", "array", "asarray", "float", "int", "list", "tensor", "tuple"}
#: Parts of a record that say what was asked for, and not what came out.
SETTINGS = {"recipe", "provenance", "purpose"}
CLOCKS = {"monotonic", "perf_counter", "perf_counter_ns", "process_time", "thread_time", "time"}


def cells(page: Path) -> list[ast.Module]:
    return [ast.parse(c.source) for c in jupytext.read(page).cells if c.cell_type == "code"]


each_page = pytest.mark.parametrize("page", executable_pages(ROOT), ids=lambda page: page.stem)


# -- the table of contents ------------------------------------------------------------------------


def outside_the_toc(root: Path) -> list[str]:
    listed = {f"{name}.md" for name in parse_toc_yaml(root / "_toc.yml")}
    files = [path.relative_to(root) for path in (root / "book").rglob("*.md")]
    pages = {path.as_posix() for path in files if "node_modules" not in path.parts}
    return sorted(pages - listed)


def test_every_page_is_in_the_table_of_contents(tmp_path: Path) -> None:
    assert outside_the_toc(ROOT) == []
    (tmp_path / "book").mkdir()
    for name in ("intro", "lost"):
        (tmp_path / f"book/{name}.md").touch()
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/intro\n")
    assert outside_the_toc(tmp_path) == ["book/lost.md"]


#: Addresses that others have written down: the chapters by number, each with its exercises.
ADDRESSES = {
    "icl_definitions": "best-plain-step too-few-points several-steps plain-price tasks-or-points",
    "lsa_quadratic_reduction": "mask count degenerate moment flat-softmax",
    "pl_convergence": "one-dimension never-escapes loose weak-start race spurious-length",
    "distribution_shifts": "noise-length take-over cubic normalise rotation",
    "random_covariance": "two-points price own-axes mixture beat-silence",
    "ltb_vs_lsa": "mean-dominates roots swapped-valley points-for-mean which-valley",
    "gd_beta": "gd-one-point half-start squared-labels overshoot trap",
    "nonlinear_transformers": "stretch-one-axis orders enough two-blocks",
    "open_questions": "flattest stair head-start how-many depth-random few-tasks",
}


def test_chapters_and_exercises_keep_their_numbers_and_addresses() -> None:
    """The part of the chapters is the only numbered one, whatever stands before it."""
    assert [f"book/{name}" for name in ADDRESSES] == CHAPTERS
    for chapter, (name, exercises) in enumerate(ADDRESSES.items(), start=1):
        page = (ROOT / f"book/{name}.md").read_text("utf-8")
        assert f"\n({name.replace('_', '-')})=\n# " in page
        for place, label in enumerate(exercises.split(), start=1):
            assert registry()[f"{chapter}.{place}"].label == f"ex-{label}"


# -- imports --------------------------------------------------------------------------------------


def imported(tree: ast.AST) -> Iterator[str]:
    """The top-level packages that the code imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


def foreign(trees: list[ast.Module]) -> set[str]:
    return {name for tree in trees for name in imported(tree)} - ALLOWED - sys.stdlib_module_names


@each_page
def test_cells_import_only_what_a_student_has(page: Path) -> None:
    assert foreign(cells(page)) == set()


@each_page
def test_cells_are_short(page: Path) -> None:
    """At most twelve lines with code."""
    code = [cell.source for cell in jupytext.read(page).cells if cell.cell_type == "code"]
    counted = [sum(bool(line.strip()) for line in source.splitlines()) for source in code]
    assert counted and max(counted) <= 12


def test_an_import_of_the_toolchain_is_seen() -> None:
    planted = [
        "import myst_nb.core",
        "def late():\n    from sphinx import util",
        "import json, torch",
    ]
    assert foreign([ast.parse(cell) for cell in planted]) == {"myst_nb", "sphinx"}


# -- receipts -------------------------------------------------------------------------------------


def assignments(trees: list[ast.Module]) -> dict[str, list[ast.expr]]:
    """Every expression that a name of the page stands for, in a loop those that it runs over."""
    found: dict[str, list[ast.expr]] = {}
    for node in (node for tree in trees for node in ast.walk(tree)):
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = [(node.target, node.iter)]
        for target, value in pairs:
            for name in (n.id for n in ast.walk(target) if isinstance(n, ast.Name)):
                found.setdefault(name, []).append(value)
    return found


def computes(node: ast.expr, names: dict[str, list[ast.expr]], seen: frozenset[str]) -> bool:
    """Whether a call or the arithmetic of a name is in it; typing a number is neither, nor is
    looking up how a recorded run was set."""
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return key not in SETTINGS and computes(node.value, names, seen)
    if isinstance(node, ast.Name):
        known = [] if node.id in seen else names.get(node.id, [])
        return any(computes(value, names, seen | {node.id}) for value in known)
    if isinstance(node, ast.Call):
        own = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if own not in WRAPPERS:
            return True
    inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    if isinstance(node, ast.BinOp) and any(isinstance(n, ast.Name) for n in ast.walk(node)):
        return True
    return any(computes(child, names, seen) for child in inner)


def typed_twice(trees: list[ast.Module]) -> list[str]:
    """Receipts neither side of which computes anything."""
    names = assignments(trees)
    return [
        ast.unparse(node)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "receipt"
        and not any(computes(side, names, frozenset()) for side in node.args[1:3])
    ]


@each_page
def test_a_receipt_computes(page: Path) -> None:
    assert typed_twice(cells(page)) == []


@pytest.mark.parametrize(
    ("cell", "refused"),
    [
        ("receipt('def-x', [3, 2], [a['layers'], HEADS])", True),
        ("r = read(path)\na = r['recipe']['tasks']\nreceipt('def-x', 3, a['dim'])", True),
        ("b = 0.5\nreceipt('def-x', 1 / 2, b)", True),
        ("for b in (1, 2):\n    receipt('def-x', b, torch.tensor(b))", True),
        ("receipt('def-x', 4 / 9, gap(setting))", False),
        ("b = gap(setting)\nreceipt('def-x', 4 / 9, b[0])", False),
        ("r = read(path)\nreceipt('def-x', 4380 / 43, r['query']['risk'])", False),
        ("receipt('def-x', 4 / 9, (Lambda @ A).trace())", False),
        ("receipt('def-x', Fraction(1, 2), d * (d + 1))", False),
    ],
)
def test_constants_typed_twice_are_refused(cell: str, refused: bool) -> None:
    assert bool(typed_twice([ast.parse(cell)])) is refused


# -- clocks ---------------------------------------------------------------------------------------


def clocks(source: str) -> set[str]:
    """Names of clocks that a file of tests reads; a busy machine would fail it."""
    tree = ast.parse(source)
    from_time = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("time", "timeit")
        for alias in node.names
    }
    read = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("time", "timeit")
    }
    in_pages = {word for word in ("performance.now", "draw-ms", "mount-ms") if word in source}
    return (from_time | read) & CLOCKS | in_pages


def test_no_test_reads_a_clock() -> None:
    """Speed is measured by benchmarks; tests/release measures what teachers are told."""
    here = Path(__file__).resolve()
    files = [p for p in (ROOT / "tests").rglob("test_*.py") if "release" not in p.parts]
    assert len(files) > 50
    assert {p.name: c for p in files if p != here and (c := clocks(p.read_text("utf-8")))} == {}
    assert clocks("import time\nx = time.process_time()") == {"process_time"}
    assert clocks("from time import perf_counter") == {"perf_counter"}


# -- the citation ---------------------------------------------------------------------------------


def test_the_citation_names_the_version_of_the_package() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == __version__
