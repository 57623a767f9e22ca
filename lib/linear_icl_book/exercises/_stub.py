"""The starting point of an exercise, cut from its solution: imports, signatures, and a blank."""

from __future__ import annotations

import ast

from ._registry import registry


def stub(number: str, solution: str) -> str:
    """The code that a student starts from, of the code of the page's solution.

    Imports and the first lines of functions and classes stay, with `...` for a body. All else
    goes, except the last `check("3.2", value)`: it becomes `course.check("3.2", answer)`, below
    `answer = ...` and what is to be handed in. `course` is imported, for `check` speaks of
    `course.hint`.

    Raises:
        ValueError: if the solution does not end in the check of this exercise.
    """
    exercise = registry()[number]
    statements = ast.parse(solution).body
    if not statements or _checked(statements[-1]) != number:
        raise ValueError(
            f"the solution of {number} must end in its check, got none; "
            f'write check("{number}", value) as its last line'
        )
    kept = ["import linear_icl_book as course", *map(_blank, statements)]
    answer = f"answer = ...  # {exercise.asked(exercise.book)}"
    return "\n".join([*filter(None, kept), answer, f'course.check("{number}", answer)']) + "\n"


def _checked(statement: ast.stmt) -> object:
    """The exercise that a statement checks, None if it checks none."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 2:
        return None
    named = isinstance(call.func, ast.Name) and call.func.id == "check"
    number = call.args[0]
    return number.value if named and isinstance(number, ast.Constant) else None


def _blank(statement: ast.stmt) -> str:
    if isinstance(statement, ast.ImportFrom) and statement.module == "linear_icl_book":
        statement.names = [alias for alias in statement.names if alias.name != "check"]
        return ast.unparse(statement) if statement.names else ""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return ast.unparse(statement)
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        statement.body = [ast.Expr(ast.Constant(...))]
        return ast.unparse(statement) + "\n"
    return ""
