"""No receipt compares a computation with itself."""

from __future__ import annotations

import ast
from pathlib import Path

import jupytext
import pytest

from tests.nbval_pages.reference import executable_pages

ROOT = Path(__file__).resolve().parents[3]


def circular(code: str) -> list[str]:
    """The receipts of a page's code whose two sides are the same expression, once the names in them
    are replaced by what they were last given."""
    given: dict[str, ast.expr] = {}
    found = []
    for statement in ast.parse(code).body:
        for call in ast.walk(statement):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != "receipt":
                continue
            if len(call.args) >= 3:
                one, other = (_whole(side, given) for side in call.args[1:3])
                if one == other:
                    found.append(ast.unparse(call))
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            given[statement.targets[0].id] = statement.value
    return found


def _whole(side: ast.expr, given: dict[str, ast.expr], depth: int = 3) -> str:
    class Replaced(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            read = depth and isinstance(node.ctx, ast.Load)
            value = given.get(node.id) if read else None
            return ast.parse(_whole(value, given, depth - 1), mode="eval").body if value else node

    copy = ast.parse(ast.unparse(side), mode="eval")
    return ast.unparse(Replaced().visit(copy).body)


@pytest.mark.parametrize("page", executable_pages(ROOT), ids=lambda page: page.stem)
def test_the_sides_of_a_receipt_are_two_computations(page: Path) -> None:
    cells = jupytext.read(page).cells
    code = "\n".join(c.source for c in cells if c.cell_type == "code" and "%" not in c.source[:1])
    assert circular(code) == []


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('receipt("a", f(x), f(x))', 1),
        ('receipt("a", f( x ), f(x), tolerance=1e-9)', 1),
        ('y = f(x)\nreceipt("a", y, f(x))', 1),
        ('y = f(x)\nz = y\nreceipt("a", z, f(x))', 1),
        ('for k in range(3):\n    receipt("a", f(k), f(k))', 1),
        ('receipt("a", f(x), g(x))', 0),
        ('y = f(x)\ny = g(x)\nreceipt("a", y, f(x))', 0),
        ('receipt("a", 1, f(x))', 0),
    ],
)
def test_one_computation_is_seen(code: str, count: int) -> None:
    assert len(circular(code)) == count
