"""A module imports from the layers above its own, or from its own layer without a circle."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "lib" / "linear_icl"
#: From the design: what stands further down may use what stands further up.
LAYERS = (
    ("_checks", "_results", "_types"),
    ("flow", "settings", "gaussian", "prompts", "labels", "shifts"),
    ("estimators", "lsa", "softmax", "deep"),
    ("landscape", "random_covariance", "risk", "ltb", "gd_beta"),
    ("montecarlo", "training"),
    ("nonlinear",),
    ("figures", "live"),
    ("course",),
)
LAYER = {part: number for number, parts in enumerate(LAYERS, start=1) for part in parts}

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


def faults(imports: Imports) -> list[str]:
    """Imports that break the order, each as a sentence."""
    layer = place(imports)
    found = [
        f"{part} stands in no layer of tests/unit/test_layers.py"
        for part in sorted(layer)
        if part not in LAYER and not part.startswith("_")
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


def place(imports: Imports) -> dict[str, int]:
    """The layer of each part; a private helper stands with the first part that uses it."""
    layer = {_part(name): LAYER.get(_part(name), len(LAYERS)) for name in imports}
    for _ in LAYERS:  # a helper's helper is placed one round later
        for name, used in imports.items():
            for helper in {_part(other) for other in used} - set(LAYER) - {""}:
                layer[helper] = min(layer[helper], layer[_part(name)])
    return layer


def _part(name: str) -> str:
    return name.split(".")[0]


def test_the_package_keeps_its_layers() -> None:
    assert faults(read_imports(PACKAGE)) == []


@pytest.mark.parametrize(
    ("imports", "message"),
    [
        ({"flow": {"lsa"}, "lsa": set()}, "flow (layer 2) imports lsa (layer 3)"),
        ({"landscape.fixed": {"course"}, "course": set()}, "layer 4) imports course (layer 8)"),
        ({"live.widget": {"figures"}, "figures": {"live.widget"}}, "circle: "),
        ({"lsa": {""}}, "lsa imports from the package itself"),
        ({"magic": set()}, "magic stands in no layer"),
        (
            {"flow": {"_solver"}, "_solver": {"course"}, "course": set()},
            "_solver (layer 2) imports course (layer 8)",
        ),
    ],
)
def test_a_fault_is_seen(imports: Imports, message: str) -> None:
    assert any(message in fault for fault in faults(imports))


def test_the_solver_does_not_import_the_paper() -> None:
    code = "import sys, linear_icl.flow; print(*(m for m in sys.modules if 'linear_icl.' in m))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {_part(_inside(name)) for name in shown.stdout.split()}
    assert loaded == {"flow", "_checks", "_results", "_types"}


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
