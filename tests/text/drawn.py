"""Words of text alternatives that tests/pages judges in the numbers or curves that are drawn."""

from __future__ import annotations

import ast
import functools

from tests.text.ties import ROOT


@functools.cache
def _judged() -> list[str]:
    """The words in front of each row of alts.py and stills.py."""
    files = [ROOT / "tests" / "pages" / f"{kind}.py" for kind in ("alts", "stills")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    keys = [key for node in nodes if isinstance(node, ast.Dict) for key in node.keys]
    constants = [key.value for key in keys if isinstance(key, ast.Constant)]
    return [words for words in constants if isinstance(words, str)]


def drawn(words: str) -> bool:
    """Whether a row there says so, too; its condition is tried on the built page."""
    return any(words in row for row in _judged())
