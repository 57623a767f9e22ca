"""All small breakages of a module: one operator, constant, transpose or call of its syntax tree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
TRANSPOSES = {"T", "mT"}
# Swapped arguments change nothing.
SYMMETRIC = {"max", "min", "maximum", "minimum", "hypot", "inner"}
# What has no value of its own: annotations and decorators are read, not computed with.
FIELDS_LEFT_OUT = {"annotation", "returns", "decorator_list", "type_params"}


@dataclass(frozen=True)
class Site:
    """One breakage. `name` says function and changed line, and survives moves of the code."""

    name: str
    line: int
    text: str  # the whole module, broken


def sites(source: str) -> list[Site]:
    """Every breakage of a module's source, in the order of its lines."""
    found, counts = [], Counter[str]()
    for function, old, new in _changes(ast.parse(source), "module"):
        text, shown = _replace(source, old, new)
        name = f"{function}: {shown}"
        counts[name] += 1
        name += f" #{counts[name]}" if counts[name] > 1 else ""
        found.append(Site(name, old.lineno, text))
    return sorted(found, key=lambda site: site.line)


def _changes(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """(function it stands in, node to replace, the replacing code) for all below `node`."""
    if isinstance(node, ast.FunctionDef):
        function = node.name
    if isinstance(node, ast.Raise | ast.ImportFrom) or _is_docstring(node):
        return  # the wording of an error has its own tests
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return
    if isinstance(node, ast.expr | ast.AugAssign):
        for new in _variants(node):
            yield function, node, new
    for name, value in ast.iter_fields(node):
        if name in FIELDS_LEFT_OUT:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _changes(child, function)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _variants(node: ast.expr | ast.AugAssign) -> Iterator[str]:
    """The code that may stand in the place of `node`."""
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            if ast.unparse(left) != ast.unparse(right):
                yield ast.unparse(ast.BinOp(right, ast.MatMult(), left))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            yield ast.unparse(ast.BinOp(left, OPERATORS[type(op)](), right))  # type: ignore[arg-type]
        case ast.BoolOp(op=op, values=values):
            yield ast.unparse(ast.BoolOp(OPERATORS[type(op)](), values))  # type: ignore[arg-type]
        case ast.Compare(left=left, ops=[op], comparators=values) if type(op) in OPERATORS:
            yield ast.unparse(ast.Compare(left, [OPERATORS[type(op)]()], values))  # type: ignore[list-item]
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in OPERATORS:
            yield ast.unparse(ast.AugAssign(target, OPERATORS[type(op)](), value))  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield ast.unparse(operand)
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
        case ast.Constant(value=float(value)):
            yield repr(2 * value if value else 1.0)
        case ast.Attribute(value=value, attr=attr) if attr in TRANSPOSES:
            yield ast.unparse(value)
        case ast.Call(args=[first, second, *rest]) if not isinstance(first, ast.Starred):
            called = ast.unparse(node.func).rpartition(".")[2]
            same = isinstance(second, ast.Starred) or ast.unparse(first) == ast.unparse(second)
            if not same and called not in SYMMETRIC:
                yield ast.unparse(ast.Call(node.func, [second, first, *rest], node.keywords))


def _replace(source: str, node: ast.expr | ast.stmt, new: str) -> tuple[str, str]:
    """The source with `new` in brackets for the node, and its changed lines on one line."""
    lines = source.encode().splitlines(keepends=True)  # ast counts bytes
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    code = new if isinstance(node, ast.stmt) else f"({new})"
    changed = lines[first][: node.col_offset] + code.encode() + lines[last][node.end_col_offset :]
    text = b"".join([*lines[:first], changed, *lines[last + 1 :]]).decode()
    return text, " ".join(changed.decode().split())
