"""What the page serves of ours: the code of the sources, without what only authors read."""

from __future__ import annotations

import pytest

from book._ext.lean_page import terse


@pytest.mark.parametrize(
    ("suffix", "source", "served"),
    [
        (
            ".js",
            "// why\nconst a = 1; // why\n\n  /** what */\n  b();\n",
            "const a = 1;\nb();\n",
        ),
        (".js", "/** two\n * lines */\nconst url = 'https://a';\n", "const url = 'https://a';\n"),
        (".js", "let a = 'x; // y';\n", "let a = 'x; // y';\n"),
        (".js", "let a = `x\n${b}`;\n", "let a = `x\n${b}`;\n"),
        (
            ".css",
            "/* ---- */\na { b: c; } /* d\n e */\n\n  f { g: h }\n",
            "a{b: c;}f{g: h}\n",
        ),
        (".css", """q::after { content: " ; {" ; }\n""", """q::after{content: " ; {";}\n"""),
    ],
)
def test_comments_and_spaces_go(suffix: str, source: str, served: str) -> None:
    assert terse(source, suffix) == served
    assert terse(served, suffix) == served
