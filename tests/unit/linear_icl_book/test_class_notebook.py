"""The class notebook: the book's numbers, stubs for solutions, nothing that only the page knows."""

from __future__ import annotations

import ast
import builtins
import json
import re
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest
from linear_icl_book import class_notebook
from linear_icl_book.class_notebook import Numbers, notebook, write
from linear_icl_book.exercises import registry
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[3]
BOOK = ROOT / "book"
HEAD = """---
kernelspec: {name: python3, display_name: Python 3}
---

(here)=
# A title

"""
NUMBERS = Numbers(
    pages={"book/page": ["2", "The layer"], "book/other": ["3", "Flow"], "book/map": ["", "Map"]},
    labels={
        "here": ["book/page", "The layer"],
        "thm-a": ["book/page", "Theorem 2.1"],
        "eq-a": ["book/page", "(2.7)"],
        "eq-b": ["book/page", "(2.8)"],
        "fig-a": ["book/page", "Figure 2.4"],
        "ex-few": ["book/page", "Exercise 1.2"],
        "flow": ["book/other", "Flow"],
        "thm-far": ["book/other", "Theorem 3.9"],
        "row": ["book/map", "Map"],
    },
    cited={
        "one": [["Doe"], "2020", "https://example.org/one"],
        "many": [["Garg", "Tsipras", "Liang"], "2022", ""],
    },
)
FAR = frozenset({"book/page", "book/other"})


OTHER = """# Flow

```{code-cell}
---
mystnb:
  figure:
    name: fig-wait
---
LiveFigure(f, [Axis("sigma", [1e-3, 1])],
    title="The wait!", alt="It waits.")
```
"""


def made(tmp_path: Path, text: str, **given: Any) -> nbformat.NotebookNode:
    source = tmp_path / "page.md"
    (tmp_path / "other.md").write_text(OTHER, encoding="utf-8")
    source.write_text(HEAD + text, encoding="utf-8")
    return notebook(source, NUMBERS, notebooks=FAR, **given)


def text_of(book: nbformat.NotebookNode) -> str:
    return "\n\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")


@pytest.mark.parametrize(
    ("role", "shown"),
    [
        ("{prf:ref}`thm-a`", "[Theorem 2.1](#thm-a)"),
        ("{eq}`eq-a`", "[(2.7)](#eq-a)"),
        ("{numref}`fig-a`", "[Figure 2.4](#fig-a)"),
        ("{ref}`that page <here>`", "[that page](#here)"),
        ("{prf:ref}`thm-far`", "[Theorem 3.9](other.ipynb#thm-far)"),
        ("{ref}`a row <row>`", "a row"),
        ("{cite:t}`one`", "[Doe (2020)](https://example.org/one)"),
        ("{cite:t}`many`", "Garg et al. (2022)"),
        ("{cite:ts}`many`", "Garg, Tsipras and Liang (2022)"),
        ("{cite:p}`many, one`", "(Garg et al., 2022), [(Doe, 2020)](https://example.org/one)"),
        ("{numref}`{number}. {name} <flow>`", "[3. Flow](other.ipynb#flow)"),
        (
            "{figure-at}`long <other the-wait; sigma = 1e-3; law = c, k = 2>`",
            "[long](other.ipynb#fig-wait) (`fig_wait.sigma = 0.001; fig_wait.law = 'c, k = 2'`)",
        ),
        ("{figure-at}`long <other fig-still; sigma = 1e-3>`", "long"),
        ("{kbd}`Tab`", "{kbd}`Tab`"),
    ],
)
def test_a_role_becomes_words_and_a_link(tmp_path: Path, role: str, shown: str) -> None:
    assert text_of(made(tmp_path, f"See {role}.")).endswith(f"See {shown}.")


def test_what_has_no_notebook_is_linked_to_the_built_book(tmp_path: Path) -> None:
    found = text_of(made(tmp_path, "{ref}`a row <row>`", address="https://book/"))
    assert found.endswith("[a row](https://book/book/map.html#row)")


def test_the_title_has_the_number_of_the_chapter(tmp_path: Path) -> None:
    head = class_notebook.UNNUMBERED + "(here)=\n# 2. The layer\n"
    assert text_of(made(tmp_path, "Text.")).startswith(head)
    assert "`pip install x`" in text_of(made(tmp_path, "Text.", needs="pip install x"))


def test_a_statement_is_a_box_with_its_number_and_a_place(tmp_path: Path) -> None:
    text = ":::{prf:theorem} Limit\n:label: thm-a\nIt is so.\n:::\n\n:::{prf:proof}\nEasy.\n:::"
    assert text_of(made(tmp_path, text)).endswith(
        "(thm-a)=\n\n:::{admonition} Theorem 2.1 (Limit)\nIt is so.\n:::\n\n"
        ":::{dropdown} Proof\nEasy.\n:::"
    )


def test_a_card_is_a_link_without_the_pages_picture(tmp_path: Path) -> None:
    options = ":img-top: _page/a.svg\n:link: thm-far\n:link-type: ref"
    text = f":::{{grid-item-card}} Can it?\n{options}\nYes.\n:::"
    assert text_of(made(tmp_path, text)).endswith(
        ":::{grid-item-card} [Can it?](other.ipynb#thm-far)\nYes.\n:::"
    )


def test_equations_have_the_numbers_of_the_book(tmp_path: Path) -> None:
    text = "First\n$$\na=b\n$$ (eq-a)\nthen\n$$\nc\n$$\nand\n$$\nd.\n$$ (eq-b)\nend"
    assert text_of(made(tmp_path, text)).endswith(
        "First\n\n(eq-a)=\n$$\na=b\\tag{2.7}\n$$\nthen\n$$\nc\n$$\nand\n\n"
        "(eq-b)=\n$$\nd.\\tag{2.8}\n$$\nend"
    )


FIGURE = """```{code-cell}
---
tags: [hide-input]
mystnb:
  figure:
    name: fig-a
    caption: |
      **It falls.** See {prf:ref}`thm-a`.
---
rows = [1]
StepPlane(
    M=4)
```

Move {set}`it <step-plane: M = 40; w = 1, -1>`, or {set}`another <dial: N = 2>`.
"""


def test_a_figure_has_a_name_a_number_and_folded_code(tmp_path: Path) -> None:
    book = made(tmp_path, FIGURE)
    cell, caption, prose = book.cells[-3:]
    assert cell.source == "rows = [1]\nfig_a = StepPlane(\n    M=4)\nfig_a"
    assert cell.metadata == {"jupyter": {"source_hidden": True}}
    assert caption.source == (
        "(fig-a)=\n**Figure 2.4.** **It falls.** See [Theorem 2.1](#thm-a). "
        "*In this notebook:* `fig_a`."
    )
    assert prose.source == "Move it (`fig_a.M = 40; fig_a.w = [1, -1]`), or another."
    assert made(tmp_path, FIGURE, instructor=True).cells[-3].metadata == {}


EXERCISE = """```{exercise-start} Few
:label: ex-few
```
How much?
```{exercise-end}
```

```{solution-start} ex-few
:class: dropdown
```
It is {eq}`eq-a`.

```{code-cell}
from linear_icl_book import check
found = 2
check("1.2", found)
```
```{solution-end}
```

After it.
"""


def test_a_solution_is_a_stub_and_text_behind_the_page(tmp_path: Path) -> None:
    book = made(tmp_path, EXERCISE)
    (stub,) = (cell for cell in book.cells if cell.cell_type == "code")
    assert "answer = ..." in stub.source and "found" not in stub.source
    assert "(ex-few)=\n### Exercise 1.2. Few\n\nHow much?" in text_of(book)
    head, solution = book.cells[-2:]
    assert head.metadata["jp-MarkdownHeadingCollapsed"] is True
    assert solution.source.startswith("::::::{dropdown} Solution of Exercise 1.2\nIt is [(2.7)]")
    assert 'found = 2\ncheck("1.2", found)' in solution.source


def test_each_solution_imports_its_check(tmp_path: Path) -> None:
    """The page has the import once, in a solution that a student may never copy."""
    line = "from linear_icl_book import check\n"
    for text in EXERCISE, EXERCISE.replace(line, ""):
        solution = made(tmp_path, text).cells[-1].source
        assert solution.count(line) == 1
        assert solution.index(line) < solution.index('check("1.2"')


def test_opening_changes_nothing_that_jupyterlab_would_save() -> None:
    from ipykernel.ipkernel import IPythonKernel

    assert IPythonKernel().language_info == class_notebook.LANGUAGE


def test_the_instructor_has_the_solution_where_it_belongs(tmp_path: Path) -> None:
    book = made(tmp_path, EXERCISE, instructor=True)
    assert [c.source for c in book.cells if c.cell_type == "code"] == [
        'from linear_icl_book import check\nfound = 2\ncheck("1.2", found)'
    ]
    assert "## Solutions" not in text_of(book)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{prf:ref}`thm-none`", "'thm-none' must be a label of the book"),
        ("{cite:t}`none`", "'none' must be a work that the book cites"),
        ("$$\na\n$$ (eq-none)", "'eq-none' must be a label"),
        (EXERCISE.replace("```{solution-end}\n```", ""), "the solution of ex-few must have an end"),
        (EXERCISE.replace('check("1.2", found)', "found"), "must end in its check"),
        ("{set}`no figure`", "a role must read TEXT <…>, got 'no figure'"),
        ("{figure-at}`words <other>`", "a role must read TEXT <…>"),
        ("```{figure} dot.svg\n:name: fig-a\n\nno end", "must be closed"),
    ],
)
def test_what_cannot_be_made_says_why(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        made(tmp_path, text)


def test_a_page_without_a_title_and_a_folder_without_a_table_say_so(tmp_path: Path) -> None:
    source = tmp_path / "page.md"
    source.write_text("---\nkernelspec: {name: python3, display_name: P}\n---\n\nText.\n")
    with pytest.raises(ValueError, match="must begin with a title"):
        notebook(source, NUMBERS)
    with pytest.raises(ValueError, match="must be the book's table of numbers"):
        write(tmp_path, tmp_path / "out")
    (tmp_path / "numbers.json").write_text("{")
    with pytest.raises(ValueError, match=r"numbers\.json must be"):
        write(tmp_path, tmp_path / "out")
    (tmp_path / "numbers.json").write_text('{"pages": {}, "labels": {}, "cited": {}}')
    source.unlink()
    with pytest.raises(ValueError, match="must hold pages with a kernelspec"):
        write(tmp_path, tmp_path / "out")


# ---- the book's own pages -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("class")
    write(BOOK, out, index=ROOT / "binder" / "index.md")
    return out


def books(folder: Path) -> dict[str, nbformat.NotebookNode]:
    return {path.stem: nbformat.read(path, as_version=4) for path in folder.glob("*.ipynb")}


def test_every_page_leaves_nothing_that_jupyterlab_does_not_know(folder: Path) -> None:
    unknown = re.compile(
        r"\{(?:prf|exercise|solution|code-cell|eq|ref|numref|cite|set|figure-at|doc)[:}-]|%%exercise"
    )
    for name, book in books(folder).items():
        assert unknown.findall(text_of(book)) == [], name


def test_the_lists_links_and_the_teachers_page_have_notebooks(folder: Path) -> None:
    found = books(folder)
    targets = set(re.findall(r"\]\(([^)#]+)\)", text_of(found["index"])))
    assert targets == {f"{name}.ipynb" for name in found} - {
        "index.ipynb",
        "how_a_page_works.ipynb",
        "using_the_package.ipynb",
    }
    for name, least in ("teaching", 30), ("one_lecture", 10):
        text = text_of(found[name])
        assert "{number}" not in text
        links = (BOOK / f"{name}.md").read_text("utf-8").count("{figure-at}")
        assert len(re.findall(r"\(`fig_\w+\.\w+ = [^`]+`\)", text)) == links > least
    assert "[3. Gradient flow finds" in text_of(found["teaching"])
    assert "](running.ipynb#running)" in text_of(found["teaching"])
    assert all(book.metadata.kernelspec.name == "python3" for book in found.values())


def test_every_word_that_sets_a_figure_says_how_in_python() -> None:
    for page in class_notebook.pages(BOOK):
        sets = page.read_text("utf-8").count("{set}`")
        made = notebook(page, Numbers.read(BOOK / "numbers.json"))
        said = len(re.findall(r"\(`fig_\w+\.\w+ = [^`]+`\)", text_of(made)))
        assert said == sets, page.stem


def test_every_exercise_has_one_stub_and_no_cell_has_its_answer(folder: Path) -> None:
    code = [c.source for b in books(folder).values() for c in b.cells if c.cell_type == "code"]
    for number in registry():
        checks = [source for source in code if f'check("{number}"' in source]
        assert len(checks) == 1, number
        assert checks[0].startswith("import linear_icl_book as course\n"), number
        assert checks[0].endswith(f'\ncourse.check("{number}", answer)'), number


@pytest.mark.parametrize("page", class_notebook.pages(BOOK), ids=lambda page: page.stem)
def test_no_code_of_a_page_is_lost(page: Path) -> None:
    book = notebook(page, Numbers.read(BOOK / "numbers.json"), instructor=True)
    found = [cell.source for cell in book.cells if cell.cell_type == "code"]
    bare = [re.sub(r"(?ms)^(fig_\w+) = (.*)\n\1\Z", r"\2", source) for source in found]
    assert bare == [c.source.rstrip() for c in jupytext.read(page).cells if c.cell_type == "code"]


def unbound(book: nbformat.NotebookNode) -> set[str]:
    """Names that the cells of a notebook read and none of them binds."""
    read, bound = set(), {*dir(builtins)}
    for cell in (cell for cell in book.cells if cell.cell_type == "code"):
        for node in ast.walk(ast.parse(cell.source)):
            match node:
                case ast.Name(name, ast.Load()):
                    read.add(name)
                case ast.Name(name):
                    bound.add(name)
                case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    bound.add(name)
                case ast.alias(name, other):
                    bound.add(other or name.partition(".")[0])
    return read - bound


def test_no_cell_needs_a_solution_to_have_run(folder: Path) -> None:
    assert {name: unbound(book) for name, book in books(folder).items() if unbound(book)} == {}


def test_a_name_that_only_a_solution_binds_is_seen(tmp_path: Path) -> None:
    text = EXERCISE + "\n```{code-cell}\nprint(found)\n```\n"
    assert unbound(made(tmp_path, text)) == {"found"}


def test_every_link_to_a_notebook_leads_to_a_place_in_it(folder: Path) -> None:
    found = books(folder)
    places = {name: set(class_notebook.LABEL.findall(text_of(b))) for name, b in found.items()}
    count = 0
    for name, book in found.items():
        for target, place in re.findall(r"\]\((?:(\w+)\.ipynb)?#([\w-]+)\)", text_of(book)):
            assert place in places[target or name], (name, target, place)
            count += 1
    assert count > 500


def test_what_a_student_wrote_is_kept(folder: Path) -> None:
    mine = folder / "errata.ipynb"
    before = mine.read_text("utf-8")
    mine.write_text("mine")
    assert write(BOOK, folder) == []
    assert mine.read_text() == "mine"
    mine.write_text(before, "utf-8")


def test_the_command_says_what_it_made_and_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert class_notebook.main([str(BOOK), str(tmp_path)]) == 0
    count = len([*tmp_path.iterdir()])
    assert capsys.readouterr().out == f"{count} notebooks made in {tmp_path}, 0 kept as they are\n"
    assert class_notebook.main([str(tmp_path), str(tmp_path)]) == 1
    assert "must be the book's table of numbers" in capsys.readouterr().err


def test_a_chapter_runs_to_its_end_judges_nothing_and_answers_when_asked(folder: Path) -> None:
    book = nbformat.read(folder / "lsa_quadratic_reduction.ipynb", as_version=4)
    exercise = registry()["2.1"]
    right = exercise.solve(**exercise.book)
    asked = f'check("2.1", 10)\ncheck("2.1", {right})'
    book.cells.append(nbformat.v4.new_code_cell(f"from linear_icl_book import check\n{asked}"))
    NotebookClient(book, timeout=300, kernel_name="python3").execute()
    *cells, last = (cell for cell in book.cells if cell.cell_type == "code")
    outputs = json.dumps([cell.outputs for cell in cells], ensure_ascii=False)
    assert outputs.count("nothing handed in yet") >= 3
    assert "✓ 2." not in outputs and "✗ 2." not in outputs
    said = json.dumps(last.outputs, ensure_ascii=False)
    assert "✗ 2.1" in said and "✓ 2.1" in said
