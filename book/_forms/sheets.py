"""Sheets of graded problems, one for each chapter and seed, and a key to each.

The problems are the chapter's exercises with the numbers of the seed. A sheet for students is one
file to print or to hand out, and a notebook with the beginnings of the code; it holds no answer.
The key has the answers, and the wrong answers that tell what went wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from bs4 import Tag
from linear_icl_book.exercises import Exercise, registry, stub
from linear_icl_book.exercises._judge import Target, judge

from book._forms.pages import ROOT, Light, Page, glyph_sheet

STYLE = Path(__file__).with_name("sheets.css")
STATEMENT = re.compile(
    r"```\{exercise-start\} .*?\n:label: (\S+)\n.*?```\n(.*?)```\{exercise-end\}", re.DOTALL
)
SOLUTION = re.compile(r"```\{solution-start\} (\S+)\n.*?```\n(.*?)```\{solution-end\}", re.DOTALL)
CODE = re.compile(r"```\{code-cell\}[^\n]*\n(?:---\n.*?\n---\n)?(.*?)```", re.DOTALL)
ROLE = re.compile(r"\{[a-z:]+\}`[^`]*`")
EQUATION_LABEL = re.compile(r"\$\$ \(eq-[\w-]+\)")
FOR_THE_WAY, FOR_A_NUMBER = 2, 1  # points


@dataclass(frozen=True)
class Problem:
    """An exercise with the numbers of a seed: its statement as HTML and as Markdown, its start."""

    exercise: Exercise
    title: str
    html: str
    markdown: str
    start: str
    numbers: dict[str, Any]

    @property
    def asked(self) -> str:
        return self.exercise.asked(self.numbers)

    @property
    def answers(self) -> list[Any]:
        """The right answer, as a list of what is handed in."""
        return _several(self.exercise.solve(**self.numbers))

    @property
    def precision(self) -> str:
        """How near to the right answer is right."""
        tolerance = Target.of(self.exercise, self.numbers).tolerance
        return f"within {100 * tolerance:g} %" if tolerance else "exactly"

    @property
    def points(self) -> int:
        """For the way to the answer, and for each number, vector or matrix handed in."""
        return FOR_THE_WAY + FOR_A_NUMBER * len(self.answers)


def problems(page: Page, seed: str) -> list[Problem]:
    """The exercises of a chapter in its order.

    ValueError if the page and its source do not have the same ones."""
    source = (ROOT / f"{page.name}.md").read_text(encoding="utf-8")
    statements = dict(STATEMENT.findall(source))
    solutions = {
        label: "\n".join(code.strip() for code in CODE.findall(text))
        for label, text in SOLUTION.findall(source)
    }
    known = {exercise.label: exercise for exercise in registry().values()}
    light = Light(page.article)
    found = []
    for box in light.soup.select("div.exercise[id]"):
        label = str(box["id"])
        if label not in known or label not in statements or label not in solutions:
            raise ValueError(f"exercise {label!r} must stand in {page.name}.md, with a solution")
        exercise, heading = known[label], box.find(class_="box-title")
        body = box.find("section", recursive=False)
        assert isinstance(heading, Tag) and isinstance(body, Tag)
        links = [link.get_text() for link in body.find_all("a")]
        for link in body.find_all("a"):
            link.unwrap()  # the sheet stands alone
        found.append(
            Problem(
                exercise,
                heading.get_text().partition("(")[2].rstrip(")"),
                light.whole(body.decode_contents()),
                _plain_markdown(statements[label], links),
                stub(exercise.number, solutions[label]),
                exercise.numbers(seed),
            )
        )
    return found


def _plain_markdown(text: str, links: Sequence[str]) -> str:
    """MyST as any notebook shows it: each role replaced by what the page has at its place."""
    text = EQUATION_LABEL.sub("$$", text.strip())
    if len(ROLE.findall(text)) != len(links):
        raise ValueError(f"each role must be a link of the page, got {len(links)} in {text!r}")
    names = iter(links)
    return ROLE.sub(lambda _: next(names), text)


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def readable(value: Any) -> str:
    """A number to six digits; rows of a matrix in brackets."""
    entries = np.asarray(value)
    if entries.ndim == 0:
        return f"{entries.item():.6g}"
    return "[" + ", ".join(map(readable, entries)) + "]"


# ---- the files ---------------------------------------------------------------------------------


def sheet(page: Page, seed: str, given: Sequence[Problem]) -> str:
    """The students' sheet."""
    blocks = "".join(
        f"{_head(problem)}{problem.html}"
        f'<p class="asked"><b>With your numbers, hand in</b> {_asked(problem)}.</p>'
        '<div class="room"></div></section>'
        for problem in given
    )
    total = sum(problem.points for problem in given)
    names = '<p class="names">Name <span></span> Points <span class="short"></span> of '
    intro = (
        f"<p>Where a problem has other numbers below it than in its text, those below count. "
        f"In a notebook, <code>check</code> says whether an answer is right after "
        f"<code>seed({escape(json.dumps(seed, ensure_ascii=False))})</code>.</p>"
    )
    return _document(page, f"Problems: {page.title}", f"{names}{total}</p>{intro}{blocks}")


def key(page: Page, seed: str, given: Sequence[Problem]) -> str:
    """The teacher's key: answers, tolerance, and what a wrong answer tells."""
    blocks = "".join(
        f'{_head(problem)}<p class="asked">{_asked(problem)}.</p>'
        f'<p class="answer"><b>{escape("; ".join(map(readable, problem.answers)))}</b> '
        f"({problem.precision})</p>{_mistakes(problem)}</section>"
        for problem in given
    )
    title = f"Key: {page.title}"
    return _document(page, title, f"<p>Seed: {escape(seed)}. Not for students.</p>{blocks}")


def _head(problem: Problem) -> str:
    return (
        f'<section class="problem"><h2>{problem.exercise.number} {escape(problem.title)} '
        f'<span class="points">{problem.points} points</span></h2>'
    )


def _asked(problem: Problem) -> str:
    """What to hand in; no line breaks at an equals sign or before a per cent."""
    return re.sub(" (?=[=%])|(?<==) ", "\N{NO-BREAK SPACE}", escape(problem.asked))


def _mistakes(problem: Problem) -> str:
    """Without those that happen to be right with these numbers."""
    rows = "".join(
        f"<tr><td>{escape('; '.join(map(readable, _several(wrong))))}</td>"
        f"<td>{escape(mistake.what)}</td></tr>"
        for mistake in problem.exercise.mistakes
        for wrong in [mistake.value(**problem.numbers)]
        if not judge(problem.exercise, problem.numbers, wrong).right
    )
    return (
        "<table><thead><tr><th>if it is</th><th>then</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def notebook(page: Page, seed: str, given: Iterable[Problem]) -> str:
    """The students' notebook, as the text of an .ipynb file."""
    start = f"from linear_icl_book import check, hint, numbers, seed\n\nseed({seed!r})"
    texts = [
        ("markdown", f"# Problems: {page.title}\n\nRun the next cell first: it sets your numbers."),
        ("code", start),
    ]
    for problem in given:
        head = f"## {problem.exercise.number} {problem.title} ({problem.points} points)"
        asked = f"**With your numbers, hand in** {problem.asked}."
        texts.append(("markdown", f"{head}\n\n{problem.markdown}\n\n{asked}"))
        texts.append(("code", _with_numbers(problem)))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {
        "cells": [_cell(kind, text, k) for k, (kind, text) in enumerate(texts)],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def _cell(kind: str, text: str, place: int) -> dict[str, Any]:
    cell = {"cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": text}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _with_numbers(problem: Problem) -> str:
    """The beginning of the code, asking for this seed's numbers instead of the page's."""
    page, own = problem.exercise.asked(problem.exercise.book), problem.asked
    start = problem.start.replace(f"# {page}\n", f"# {own}\n").strip()
    return f'numbers("{problem.exercise.number}")\n\n{start}'


def _document(page: Page, title: str, body: str) -> str:
    """One file that stands alone: style, fonts and glyphs are in it."""
    static = page.file.parents[1] / "_static"
    css = "".join((static / name).read_text("utf-8") for name in ("fonts.css", "book.css"))
    own = STYLE.read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{css}{own}</style></head><body>"
        f'<main class="sheet"><h1>{escape(title)}</h1>{body}</main>'
        f"{glyph_sheet(page.glyphs)}</body></html>\n"
    )


def write(pages: Sequence[Page], folder: Path, seeds: Sequence[str]) -> Path:
    """Sheets, notebooks and keys of the chapters for each seed; returns the list of them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for seed in seeds:
        own = folder / re.sub(r"\W+", "-", seed)
        own.mkdir(exist_ok=True)
        for page in pages:
            given = problems(page, seed)
            if not given:
                continue
            files = {
                f"problems-{page.number}.html": sheet(page, seed, given),
                f"problems-{page.number}.ipynb": notebook(page, seed, given),
                f"key-{page.number}.html": key(page, seed, given),
            }
            for name, text in files.items():
                (own / name).write_text(text, encoding="utf-8")
            points = sum(problem.points for problem in given)
            links = ", ".join(
                f'<a href="{own.name}/{name}">{text}</a>'
                for name, text in zip(files, ("sheet", "notebook", "key"), strict=True)
            )
            rows.append(
                f"<tr><td>{escape(seed)}</td><td>{escape(page.title)}</td>"
                f"<td>{len(given)}</td><td>{points}</td><td>{links}</td></tr>"
            )
    head = "".join(
        f"<th>{name}</th>" for name in ("seed", "chapter", "problems", "points", "files")
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    index = folder / "index.html"
    index.write_text(_document(pages[0], "Problem sheets", table), encoding="utf-8")
    return index
