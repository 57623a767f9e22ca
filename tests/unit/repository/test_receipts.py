"""No receipt compares a computation with itself."""

from __future__ import annotations

import ast
from copy import deepcopy
from pathlib import Path

import jupytext
import pytest

from tests.nbval_pages.reference import executable_pages

ROOT = Path(__file__).resolve().parents[3]


LONG = 6000  # characters of an expression that is no longer written out
WRAPPERS = {"float", "int", "torch.tensor", "torch.as_tensor", "np.array", "np.asarray"}


def circular(code: str) -> list[str]:
    """The receipts of a page's code whose two sides are the same expression, once every name in
    them is written out: what it was last given, an entry of a tuple, the turns of a loop over what
    stands there, the helper that is called."""
    found: dict[str, None] = {}
    _run(ast.parse(code).body, {}, found)
    return list(found)


Given = dict[str, ast.expr | ast.FunctionDef]


def _run(body: list[ast.stmt], given: Given, found: dict[str, None]) -> None:
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name, args=arguments):
                given[name] = statement
                names = {one.arg for one in arguments.args}
                _run(statement.body, {k: v for k, v in given.items() if k not in names}, found)
            case ast.For(target=target, iter=things, body=inner):
                for thing in _turns(_written(things, given)):
                    _give(target, thing, given)
                    _run(inner, given, found)
            case ast.If() | ast.With() | ast.While() | ast.Try():
                _run([*statement.body, *getattr(statement, "orelse", [])], given, found)
            case _:
                for call in ast.walk(statement):
                    if isinstance(call, ast.Call):
                        _look(call, given, found)
                _change(statement, given)
                if isinstance(statement, ast.Assign):
                    for target in statement.targets:
                        _give(target, _written(statement.value, given), given)


def _change(statement: ast.stmt, given: Given) -> None:
    """What is changed in place is no longer what it was given."""
    match statement:
        case ast.AugAssign(target=target):
            changed: list[ast.expr] = [target]
        case ast.Assign(targets=targets):
            changed = [one for one in targets if isinstance(one, ast.Subscript | ast.Attribute)]
        case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
            changed = [method]
        case _:
            return
    for one in changed:
        while isinstance(one, ast.Subscript | ast.Attribute | ast.Call):
            one = one.func if isinstance(one, ast.Call) else one.value
        if isinstance(one, ast.Name) and one.id in given:
            given[one.id] = ast.Name(f"{one.id}, changed in line {statement.lineno}")


def _look(call: ast.Call, given: Given, found: dict[str, None]) -> None:
    """A receipt, or a helper that may call one."""
    helper = given.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if isinstance(helper, ast.FunctionDef):
        _run(
            helper.body,
            {**given, helper.name: ast.Constant(...), **_bound(helper, call, given)},
            found,
        )
    elif ast.unparse(call.func).rpartition(".")[2] == "receipt":
        named = {word.arg: word.value for word in call.keywords}
        sides = [*call.args[1:3], *(named[k] for k in ("predicted", "measured") if k in named)]
        one, other = (ast.unparse(_written(side, given)) for side in sides[:2])
        if one == other:
            found[ast.unparse(call)] = None


def _bound(helper: ast.FunctionDef, call: ast.Call, given: Given) -> Given:
    names = [one.arg for one in helper.args.args]
    values = dict(zip(names[::-1], helper.args.defaults[::-1], strict=False))
    values |= dict(zip(names, call.args, strict=False))
    values |= {word.arg: word.value for word in call.keywords if word.arg in names}
    return {name: _written(value, given) for name, value in values.items()}


def _turns(things: ast.expr) -> list[ast.expr]:
    """What a loop goes through, if it stands there; else one turn with something unknown."""
    match things:
        case ast.List(elts=found) | ast.Tuple(elts=found):
            return found
        case ast.Call(func=ast.Name(id="zip"), args=lists) if lists:
            return [ast.Tuple(list(row)) for row in zip(*map(_turns, lists), strict=False)]
    return [ast.Call(ast.Name("one_of"), [things], [])]


def _give(target: ast.expr, value: ast.expr, given: Given) -> None:
    if isinstance(target, ast.Name):
        short = len(ast.unparse(value)) < LONG
        given[target.id] = value if short else ast.Name(f"{target.id}_{len(given)}")
    elif isinstance(target, ast.Tuple | ast.List):
        entries = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        for k, one in enumerate(target.elts):
            there = len(entries) == len(target.elts)
            _give(one, entries[k] if there else ast.Subscript(value, ast.Constant(k)), given)


def _written(node: ast.expr, given: Given) -> ast.expr:
    found: ast.expr = _Written(given).visit(deepcopy(node))
    return found


class _Written(ast.NodeTransformer):
    """An expression with its names written out, without wrappers that compute nothing."""

    def __init__(self, given: Given) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.given.get(node.id)
        return value if isinstance(value, ast.expr) and not isinstance(value, ast.Lambda) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        whole, place = self.visit(node.value), self.visit(node.slice)
        entries = whole.elts if isinstance(whole, ast.Tuple | ast.List) else []
        at = place.value if isinstance(place, ast.Constant) else None
        if isinstance(at, int) and at < len(entries):
            return entries[at]
        return ast.Subscript(whole, place, ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        helper = self.given.get(name)
        if isinstance(helper, ast.Lambda):
            helper = ast.FunctionDef(name, helper.args, [ast.Return(helper.body)], [])
        if isinstance(helper, ast.FunctionDef) and isinstance(helper.body[-1], ast.Return):
            inner = {**self.given, name: ast.Constant(...), **_bound(helper, node, self.given)}
            _run(helper.body[:-1], inner, {})
            if helper.body[-1].value is not None:
                return _written(helper.body[-1].value, inner)
        self.generic_visit(node)
        wraps = ast.unparse(node.func) in WRAPPERS and len(node.args) == 1
        return node.args[0] if wraps else node


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
        ('y = f(x)\ny[0] += 1\nreceipt("a", y, f(x))', 0),
        ('x = g()\ny = f(x)\nx.step()\nreceipt("a", y, f(x))', 0),
        ('receipt("a", predicted=f(x), measured=f(x))', 1),
        ('course.receipt("a", float(f(x)), f(x))', 1),
        ('y, z = f(x), g(x)\nreceipt("a", y, f(x))', 1),
        ('y, z = f(x)\nreceipt("a", z, f(x)[1])', 1),
        ('y = f(x), g(x)\nreceipt("a", y[1], g(x))', 1),
        ('y = f(x)\nx = 2\nreceipt("a", y, f(x))', 0),
        ('x = 1\nx = x + 1\nreceipt("a", x, x + 1)', 0),
        ('for n, y, z in [("a", f(x), g(x)), ("b", g(x), g(x))]:\n    receipt(n, y, z)', 1),
        ('for y, z in zip((f(x), 1), (g(x), 1)):\n    receipt("a", y, z)', 1),
        ('for k in range(3):\n    y = f(k)\n    receipt("a", y, f(k))', 1),
        ('def h(z):\n    y = z + 1\n    return f(y)\nreceipt("a", h(x), f(x + 1))', 1),
        ('h = lambda z, k=2: f(z, k)\nreceipt("a", h(x), f(x, 2))', 1),
        ('def say(a, b):\n    receipt("a", a, b)\nsay(f(x), g(x))\nsay(f(x), f(x))', 1),
    ],
)
def test_one_computation_is_seen(code: str, count: int) -> None:
    assert len(circular(code)) == count
