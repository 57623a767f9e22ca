"""What is taken out of a finished page for its previews, and which links get one."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document

from book._ext import previews
from book._ext.page_bridge import Page

FORMULA = '<div class="formula"><svg><use href="#mx-a"/></svg></div>'
EQUATION = f'<div class="tex-display" id="equation-eq-one">{FORMULA}<span>(1)</span></div>'
THEOREM = f'<div class="proof theorem box" id="thm-one"><p>Let</p><div>{EQUATION}</div></div>'
FOLDED = '<details class="proof remark fold box" id="rem-two"><details>x</details></details>'
OTHERS = (
    '<details class="proof fold box" id="p"><p>So.</p></details>'
    '<div class="proof proof box" id="q">Hence</div>'
    f'<div class="tex-display">{FORMULA}</div><div class="tip box" id="tip">No</div>'
    '<svg><use href="#mx-b"/></svg>'
)
SHEET = '<svg class="glyphs"><defs><path id="mx-a" d="M1"/><path id="mx-b" d="M2"/></defs></svg>'
PAGE = f"<body>{OTHERS}<section>{THEOREM}</section>{FOLDED}{OTHERS}{SHEET}</body>"


def test_boxes_and_numbered_equations_are_taken_whole_with_their_outlines_alone() -> None:
    stated = previews.statements(PAGE)
    assert stated["boxes"] == {"thm-one": THEOREM, "equation-eq-one": EQUATION, "rem-two": FOLDED}
    assert stated["outlines"] == {"mx-a": "M1"}


def test_a_box_that_is_never_closed_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"<div> is never closed: '<div class=\"proof theorem"):
        previews.statements('<div class="proof theorem box" id="t"><p>Let</p>')


def test_the_script_is_the_page_by_its_name() -> None:
    stated = {"boxes": {"t": 'a ½ "b" </script>'}, "outlines": {}}
    text = previews.script('book/a"b', stated)
    before, _, after = text.partition(" = ")
    assert before == r'(window.statements ??= {})["book/a\"b"]'
    assert json.loads(after.removesuffix(";\n")) == stated


def app(folder: Path, **proofs: str) -> Any:
    listed = {label: {"realtype": kind} for label, kind in proofs.items()}
    builder = SimpleNamespace(name="html")
    return SimpleNamespace(builder=builder, outdir=folder, env=SimpleNamespace(proof_list=listed))


def test_a_page_that_is_not_written_keeps_its_script_and_one_without_statements_has_none(
    tmp_path: Path,
) -> None:
    first, second = (tmp_path / previews.FOLDER / f"book/{name}.js" for name in ("one", "two"))
    for name in ("one", "two"):
        previews.write(app(tmp_path), Page(f"book/{name}", "page.html", PAGE))
    kept = first.read_text("utf-8")
    previews.write(app(tmp_path), Page("book/two", "page.html", "<body>nothing</body>"))
    assert "thm-one" in kept and first.read_text("utf-8") == kept and not second.exists()


def test_links_to_statements_and_equations_alone_are_marked(tmp_path: Path) -> None:
    goals = {
        "#thm-one": True,
        "a.html#thm-one": True,
        "../a.html#equation-eq-one": True,
        "a.html#prf-one": False,
        "a.html#section": False,
        "a.html": False,
    }
    document = new_document("page")
    for uri in goals:
        own = {"refid": uri[1:]} if uri.startswith("#") else {"refuri": uri}
        document += nodes.reference("", "text", internal=True, **own)
    outside = nodes.reference("", "text", refuri="https://example.org/#thm-one")
    document += outside
    previews.mark(app(tmp_path, **{"thm-one": "theorem", "prf-one": "proof"}), document, "page")
    marked = ["preview" in link["classes"] for link in document.findall(nodes.reference)]
    assert marked == [*goals.values(), False]
