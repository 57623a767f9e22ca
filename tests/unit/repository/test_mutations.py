"""The mutations fit the code as it stands; `make mutants` runs them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mutations.catalogue import MUTATIONS
from tests.mutations.runner import PACKAGE, ROOT, UNIT, Mutation, verdict
from tests.mutations.sampled import TESTS, draw, equivalent
from tests.mutations.sites import sites


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_fits_the_code_and_names_a_test(mutation: Mutation) -> None:
    mutation.apply((ROOT / mutation.file).read_text("utf-8"))
    file, _, name = mutation.test.partition("::")
    bare = name.partition("[")[0]
    assert re.search(rf"^(def {bare}\(|{bare} = refuses\()", (ROOT / file).read_text("utf-8"), re.M)


def test_names_are_unique() -> None:
    assert set(Counter(mutation.name for mutation in MUTATIONS).values()) == {1}


@pytest.mark.parametrize(("text", "matches"), [("N + 1; N + 1", 2), ("n", 0)])
def test_a_pattern_that_does_not_match_once_is_refused(text: str, matches: int) -> None:
    mutation = Mutation("length", "N for N + 1", "lsa.py", r"N \+ 1", "N", "a test")
    assert mutation.apply("x / (N + 1)") == "x / (N)"
    with pytest.raises(ValueError, match=f"match once and change lsa.py, got {matches} matches"):
        mutation.apply(text)


@pytest.mark.parametrize(
    ("status", "printed", "expected"),
    [
        (1, "FAILED tests/unit/test_lsa.py::test_gamma", "caught"),
        (0, "1 passed", "SURVIVED"),
        (1, "ERROR tests/unit/test_lsa.py::test_gamma - a fixture", "NOT RUN"),
        (2, "ERROR collecting: ImportError", "NOT RUN"),
        (4, "not found", "NOT RUN"),
    ],
)
def test_only_a_failing_test_counts(status: int, printed: str, expected: str) -> None:
    assert verdict(status, printed) == expected


SOURCE = '''"""A docstring with 1 + 1."""
from torch import Tensor

def f(x: Tensor, y: float = 2.5) -> Tensor | None:
    "Not 3 either."
    if not x.any() and y > 0:
        raise ValueError(f"got {1 + 1}")
    total = g(x, y) @ x.mT
    total += max(x, y) ** 2
    return -total
'''


def test_the_tool_finds_each_kind_of_breakage() -> None:
    assert [site.name for site in sites(SOURCE)] == [
        "f: def f(x: Tensor, y: float = (5.0)) -> Tensor | None:",
        "f: if (not x.any() or y > 0):",
        "f: if (x.any()) and y > 0:",
        "f: if not x.any() and (y >= 0):",
        "f: if not x.any() and y > (1):",
        "f: total = (x.mT @ g(x, y))",
        "f: total = (g(y, x)) @ x.mT",
        "f: total = g(x, y) @ (x)",
        "f: total -= max(x, y) ** 2",
        "f: total += (max(x, y) * 2)",
        "f: total += max(x, y) ** (3)",
        "f: return (total)",
    ]


@pytest.mark.parametrize("module", TESTS)
def test_each_breakage_of_a_module_is_one_line_that_parses(module: str) -> None:
    source = (ROOT / PACKAGE / module).read_text("utf-8")
    found = sites(source)
    assert len({site.name for site in found}) == len(found) > 0
    for site in found:
        compile(site.text, module, "exec")
        assert site.text != source
    unit, path = ROOT / UNIT[PACKAGE], Path(module)
    assert all((unit / test).is_file() for test in TESTS[module])
    own = unit.glob(f"{path.parent}/test_{path.stem}*.py")
    assert {test.relative_to(unit).as_posix() for test in own} <= set(TESTS[module])


def test_excused_mutants_exist_and_are_not_drawn() -> None:
    drawn = {(module, site.name) for module, site in draw(list(TESTS), 0)}
    for module, reasons in equivalent().items():
        names = {site.name for site in sites((ROOT / PACKAGE / module).read_text("utf-8"))}
        assert sorted(set(reasons) - names) == []
        assert not drawn & {(module, name) for name in reasons}
        assert all(reasons.values())


def test_the_draw_is_even_and_its_seed_decides() -> None:
    modules = ["lsa.py", "gaussian.py", "prompts.py"]
    first = draw(modules, 1)
    assert [module for module, _ in first[:6]] == modules * 2
    assert first == draw(modules, 1) != draw(modules, 2)
