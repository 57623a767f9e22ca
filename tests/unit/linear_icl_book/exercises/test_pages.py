"""Exercises in the pages and in the package are the same, and every solution is judged right."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import jupytext
import pytest
from linear_icl_book.exercises import Exercise, registry, stub

from tests.nbval_pages.reference import executable_pages, read_reference, reference_of

ROOT = Path(__file__).resolve().parents[4]
START = re.compile(r"```\{exercise-start\}.*\n:label: ([\w-]+)\n")
FENCE = re.compile(r"```\{solution-(start\} ([\w-]+)|end\})")
each = pytest.mark.parametrize("exercise", registry().values(), ids=lambda one: one.label)


@cache
def chapters() -> tuple[Path, ...]:
    """The pages with exercises, in the order of the book: chapter k comes at place k."""
    return tuple(page for page in executable_pages(ROOT) if START.search(page.read_text("utf-8")))


def page_of(exercise: Exercise) -> Path:
    return chapters()[int(exercise.number.split(".")[0]) - 1]


@cache
def solutions(page: Path) -> dict[str, str]:
    """The code of each solution by the label of its exercise, its cells put together."""
    found: dict[str, str] = {}
    label = None
    for cell in jupytext.read(page).cells:
        if cell.cell_type == "code":
            if label:
                found[label] = found.get(label, "") + cell.source + "\n"
        else:
            for fence in FENCE.finditer(cell.source):
                label = fence[2]
    return found


def test_the_pages_have_the_exercises_of_the_package_and_no_others() -> None:
    assert len(chapters()) == 9
    found = {
        f"{chapter}.{place}": label
        for chapter, page in enumerate(chapters(), start=1)
        for place, label in enumerate(START.findall(page.read_text("utf-8")), start=1)
    }
    assert found == {number: exercise.label for number, exercise in registry().items()}


@each
def test_a_solution_ends_in_the_check_of_its_exercise(exercise: Exercise) -> None:
    code = solutions(page_of(exercise))[exercise.label]
    last = ast.parse(code).body[-1]
    assert ast.unparse(last).startswith(f"check('{exercise.number}', ")


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_check_is_imported_before_it_is_used(page: Path) -> None:
    code = "\n".join(c.source for c in jupytext.read(page).cells if c.cell_type == "code")
    imported = re.search(r"^from linear_icl_book import .*\bcheck\b", code, re.M)
    assert imported and imported.end() < code.index('check("')


@each
def test_the_executed_solution_was_judged_right(exercise: Exercise) -> None:
    reference = read_reference(reference_of(ROOT, page_of(exercise)))
    lines = [line for cell in reference.values() for line in cell]
    told = lines.count(f"✓ {exercise.number} right.")
    assert told == 1, f"{told} such lines; a new solution: pytest --nbval PAGE --update-reference"
    assert not any(re.match(rf"[✗–] {exercise.number} ", line) for line in lines)


@each
def test_a_stub_keeps_imports_and_signatures_only(exercise: Exercise) -> None:
    code = solutions(page_of(exercise))[exercise.label]
    made = stub(exercise.number, code)
    tree = ast.parse(made)
    assert ast.unparse(tree.body[0]) == "import linear_icl_book as course"
    assert ast.unparse(tree.body[-1]) == f"course.check('{exercise.number}', answer)"
    assert ast.unparse(tree.body[-2]) == "answer = ..."
    assert f"# {exercise.asked(exercise.book)}" in made
    for statement in tree.body[:-2]:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            assert [ast.unparse(line) for line in statement.body] == ["..."]
        else:
            assert isinstance(statement, ast.Import | ast.ImportFrom)
    kept = {line.strip() for line in made.splitlines()} & {
        line.strip() for line in code.splitlines() if line.strip()
    }
    assert all(line.startswith(("import ", "from ", "def ", "class ", "@")) for line in kept)


SOLUTION = '''
import math
from linear_icl_book import check, receipt

def area(r, pi=math.pi):
    """Of a circle."""
    return pi * r**2

class Ring:
    inner = 1.0

radius = 2.0
print(f"{area(radius):.3f}")
check("1.1", [area(radius), radius])
'''


def test_a_stub_reads_as_a_start() -> None:
    asked = registry()["1.1"].asked(registry()["1.1"].book)
    assert stub("1.1", SOLUTION) == (
        "import linear_icl_book as course\nimport math\nfrom linear_icl_book import receipt\n"
        "def area(r, pi=math.pi):\n    ...\n\n"
        "class Ring:\n    ...\n\n"
        f'answer = ...  # {asked}\ncourse.check("1.1", answer)\n'
    )


@pytest.mark.parametrize(
    "code",
    [
        "",
        "x = 1",
        'check("1.2", 3)',
        'check("1.1")',
        'check("1.1", 2)\nprint(1)',
        'other("1.1", 2)',
        'if True:\n    check("1.1", 2)',
    ],
)
def test_a_solution_without_its_check_has_no_stub(code: str) -> None:
    with pytest.raises(ValueError, match=r"the solution of 1\.1 must end in its check"):
        stub("1.1", code)
