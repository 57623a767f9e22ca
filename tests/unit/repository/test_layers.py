"""A module imports from the layers above its own, or from its own layer without a circle.

Above all stands `linear_icl`: it knows nothing of the notes. `linear_icl_book` stands on it.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "lib" / "linear_icl"
BOOK = ROOT / "lib" / "linear_icl_book"
#: What only the notes need; `linear_icl` runs where none of it is installed.
NOTES = {"linear_icl_book", "book", "matplotlib", "ipywidgets", "anywidget", "traitlets", "IPython"}
#: From the design: what stands further down may use what stands further up.
LAYERS = (
    ("_checks", "_results", "_types"),
    ("flow", "settings", "gaussian", "prompts", "labels", "shifts"),
    ("estimators", "lsa", "softmax", "deep"),
    ("landscape", "random_covariance", "risk", "ltb", "gd_beta"),
    ("montecarlo", "training"),
    ("nonlinear",),
)
BOOK_LAYERS = (
    ("figures", "live", "receipts"),
    ("exercises", "claims"),
    ("class_notebook",),
)

Layers = tuple[tuple[str, ...], ...]

Imports = dict[str, set[str]]


def read_imports(package: Path) -> Imports:
    """Which modules of the package each module imports, by their names inside it."""
    files = {}
    for path in package.rglob("*.py"):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        files[name.removesuffix(".__init__")] = path
    imports = {}
    for name, path in files.items():
        parent = name if path.name == "__init__.py" else name.rpartition(".")[0]
        used = _imported(ast.parse(path.read_text("utf-8")), parent, set(files))
        imports[_inside(name)] = {_inside(other) for other in used & set(files)}
    del imports[""]  # the package's own __init__ may re-export anything
    return imports


def _imported(tree: ast.AST, parent: str, modules: set[str]) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), parent)
            names = {f"{source}.{alias.name}" for alias in node.names}
            found |= names & modules
            if not names <= modules:  # a name that is no module comes from the source itself
                found.add(source)
    return found


def _inside(name: str) -> str:
    return name.partition(".")[2]


def faults(imports: Imports, layers: Layers = LAYERS) -> list[str]:
    """Imports that break the order, each as a sentence."""
    known, layer = numbered(layers), place(imports, layers)
    found = [
        f"{part} stands in no layer of tests/unit/repository/test_layers.py"
        for part in sorted(layer)
        if part not in known and not part.startswith("_")
    ]
    for name, used in sorted(imports.items()):
        here = layer[_part(name)]
        for other in sorted(used):
            if not other:
                found.append(f"{name} imports from the package itself; import from its module")
            elif here < layer[_part(other)]:
                found.append(f"{name} (layer {here}) imports {other} (layer {layer[_part(other)]})")
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found.append("circle: " + " → ".join(error.args[1]))
    return found


def numbered(layers: Layers) -> dict[str, int]:
    return {part: number for number, parts in enumerate(layers, start=1) for part in parts}


def place(imports: Imports, layers: Layers) -> dict[str, int]:
    """The layer of each part; a private helper stands with the first part that uses it."""
    known = numbered(layers)
    layer = {_part(name): known.get(_part(name), len(layers)) for name in imports}
    for _ in layers:  # a helper's helper is placed one round later
        for name, used in imports.items():
            for helper in {_part(other) for other in used} - set(known) - {""}:
                layer[helper] = min(layer[helper], layer[_part(name)])
    return layer


def _part(name: str) -> str:
    return name.split(".")[0]


def strangers(package: Path, forbidden: set[str]) -> list[str]:
    """Imports of the forbidden packages, as "file: name", those inside functions too."""
    found = []
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            found += [
                f"{path.relative_to(package.parent)}: {name}"
                for name in names
                if name.partition(".")[0] in forbidden
            ]
    return found


def test_the_package_keeps_its_layers() -> None:
    assert faults(read_imports(PACKAGE)) == []


def test_the_package_of_the_book_keeps_its_layers() -> None:
    assert faults(read_imports(BOOK), BOOK_LAYERS) == []


def test_the_mathematics_does_not_know_the_notes() -> None:
    assert strangers(PACKAGE, NOTES) == []
    assert strangers(BOOK, {"book"}) == []  # the page's build is not in the wheel


def test_the_mathematics_runs_without_what_the_notes_need() -> None:
    """Every module of it, in a Python that has none of that."""
    code = (
        "import importlib, pkgutil, sys;"
        f"sys.modules |= dict.fromkeys({sorted(NOTES)});"  # None: the import fails
        "import linear_icl;"
        "names = [m.name for m in pkgutil.walk_packages(linear_icl.__path__, 'linear_icl.')];"
        "[importlib.import_module(n) for n in names if not n.endswith('__main__')];"
        "print(len(names))"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


def test_the_tests_have_the_folders_of_the_packages() -> None:
    unit = ROOT / "tests" / "unit"
    for package in (PACKAGE, BOOK):
        for folder in (package, *(path.parent for path in package.rglob("*/__init__.py"))):
            # what stands two folders deep is tested in the folder above
            place = Path(*folder.relative_to(package.parent).parts[:2])
            assert any((unit / place).glob("test_*.py")), f"no test in tests/unit/{place}"
    loose = sorted(path.name for path in unit.glob("test_*.py"))
    assert loose == [], "a test stands in the folder of its module, or in book/ or repository/"


def test_a_stranger_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "linear_icl"
    package.mkdir()
    (package / "lsa.py").write_text(
        "from . import book\ndef late():\n    import matplotlib.pyplot as plt\n"
        "    from linear_icl_book import live\n"
    )
    assert strangers(package, NOTES) == [
        "linear_icl/lsa.py: matplotlib.pyplot",
        "linear_icl/lsa.py: linear_icl_book",
    ]


@pytest.mark.parametrize(
    ("imports", "message"),
    [
        ({"flow": {"lsa"}, "lsa": set()}, "flow (layer 2) imports lsa (layer 3)"),
        (
            {"landscape.fixed": {"nonlinear"}, "nonlinear": set()},
            "layer 4) imports nonlinear (layer 6)",
        ),
        ({"ltb.block": {"risk"}, "risk": {"ltb.block"}}, "circle: "),
        ({"lsa": {""}}, "lsa imports from the package itself"),
        ({"magic": set()}, "magic stands in no layer"),
        (
            {"flow": {"_solver"}, "_solver": {"nonlinear"}, "nonlinear": set()},
            "_solver (layer 2) imports nonlinear (layer 6)",
        ),
    ],
)
def test_a_fault_is_seen(imports: Imports, message: str) -> None:
    assert any(message in fault for fault in faults(imports))


def test_the_solver_does_not_import_the_paper() -> None:
    code = "import sys, linear_icl.flow; print(*(m for m in sys.modules if 'linear_icl.' in m))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {_part(_inside(name)) for name in shown.stdout.split()}
    assert loaded == {"flow", "_checks", "_results", "_torch", "_types"}


def test_imports_are_read(tmp_path: Path) -> None:
    package = tmp_path / "linear_icl"
    (package / "landscape").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "lsa.py").write_text("import torch\nfrom linear_icl import __version__, gaussian\n")
    (package / "gaussian.py").write_text("def late():\n    import linear_icl.lsa\n")
    (package / "prompts.py").write_text("from . import lsa\nfrom .landscape import fixed\n")
    (package / "landscape" / "fixed.py").write_text("from ..gaussian import moments\n")
    (package / "landscape" / "__init__.py").write_text("from linear_icl.lsa import gamma\n")
    assert read_imports(package) == {
        "lsa": {"gaussian", ""},
        "gaussian": {"lsa"},
        "prompts": {"lsa", "landscape.fixed"},
        "landscape": {"lsa"},
        "landscape.fixed": {"gaussian"},
    }
