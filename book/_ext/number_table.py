"""The numbers that the book's build gives, kept as a small table for those who build no book.

`book/numbers.json` has, for each label, the page and the words of a reference to it ("Theorem 3.1",
"Figure 1.2", a section's title); for each page its number and title; for each cited work its
authors, year and address. The class notebooks are made with it (`linear_icl_book.class_notebook`),
where neither Sphinx nor the other pages are at hand. Every build compares it with what was
numbered, and fails where it is out of date; the new table then lies beside it in `_build/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pybtex.database import Person, parse_file
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from book._ext.search_names import number

logger = logging.getLogger(__name__)
FILE = Path("book") / "numbers.json"
FRESH = Path("_build") / "numbers.json"
LETTERS = {"book/primer": "P"}  # pages with numbered results before the first chapter
Row = list[Any]
ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")


@cache  # compared before the pages are written, used again for the notebooks behind them
def table(app: Sphinx) -> dict[str, dict[str, Row]]:
    """What the build numbered: `pages`, `labels`, `cited`, each by name; to be asked for when
    every page is read."""
    return {
        "pages": {page: _page(app, page) for page in sorted(app.env.found_docs)},
        "labels": dict(sorted(_labels(app).items())),
        "cited": _cited(
            Path(app.srcdir) / file for file in getattr(app.config, "bibtex_bibfiles", ())
        ),
    }


def _page(app: Sphinx, page: str) -> Row:
    digits = app.env.toc_secnumbers.get(page, {}).get("", ())
    return [".".join(map(str, digits)), app.env.titles[page].astext()]


def _labels(app: Sphinx) -> dict[str, Row]:
    env, standard = app.env, app.env.domains["std"]
    found: dict[str, Row] = {}
    for label, (page, place, title) in standard.labels.items():
        found[label] = [page, _figure(app, page, place) or title]
    for label, (page, place) in standard.anonlabels.items():
        if label not in found and page in env.titles:
            found[label] = [page, _figure(app, page, place) or env.titles[page].astext()]
    for label, proof in getattr(env, "proof_list", {}).items():
        found[label] = [proof["docname"], number(app, proof) or proof["realtype"].title()]
    for label, box in getattr(env, "sphinx_exercise_registry", {}).items():
        numbers = env.toc_fignumbers.get(box["docname"], {}).get("exercise", {})
        if label in numbers:
            found[label] = [box["docname"], f"Exercise {_dotted(numbers[label])}"]
    for label, (page, count) in env.domains["math"].equations.items():
        numbers = env.toc_fignumbers.get(page, {}).get("displaymath", {})
        counted = numbers.get(f"equation-{label}", (count,))
        found[label] = [page, f"({_dotted(counted)})"]
    return {
        label: row
        for label, row in found.items()
        if row[0] in env.found_docs and row[1] and "/" not in label  # Sphinx's own have a slash
    }


def _figure(app: Sphinx, page: str, place: str) -> str:
    numbers = app.env.toc_fignumbers.get(page, {}).get("figure", {})
    return f"Figure {_dotted(numbers[place])}" if place in numbers else ""


def _dotted(digits: Any) -> str:
    return ".".join(map(str, digits))


def _cited(files: Iterable[Path]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for file in files:
        for key, entry in parse_file(str(file)).entries.items():
            writers = [_family(person) for person in entry.persons.get("author", ())]
            found[key] = [writers, entry.fields.get("year", ""), _address(entry.fields)]
    return dict(sorted(found.items()))


def _address(fields: Mapping[str, str]) -> str:
    """Where the work can be read, empty if the entry does not say."""
    for name, start in ("doi", "https://doi.org/"), ("url", ""):
        if fields.get(name):
            return start + fields[name]
    arxiv = ARXIV.search(" ".join(fields.values()))
    return f"https://arxiv.org/abs/{arxiv[1]}" if arxiv else ""


def _family(person: Person) -> str:
    return " ".join([*person.prelast_names, *person.last_names])


def written(made: dict[str, dict[str, Row]]) -> str:
    """A line for each row, so that a change is read as one."""
    parts = []
    for name, rows in made.items():
        lines = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(row, ensure_ascii=False)}" for key, row in rows.items()
        )
        parts.append(f"{json.dumps(name)}: {{\n{lines}\n}}")
    return "{" + ",\n".join(parts) + "}\n"


def compare(app: Sphinx) -> list[Any]:
    """Before the pages that are made are written: is the committed table that of this build?"""
    root = Path(app.srcdir)
    fresh, kept = written(table(app)), root / FILE
    if not kept.exists() or kept.read_text(encoding="utf-8") != fresh:
        (root / FRESH).parent.mkdir(exist_ok=True)
        (root / FRESH).write_text(fresh, encoding="utf-8")
        logger.warning("%s is out of date; run: cp %s %s", FILE, FRESH, FILE, type="numbers")
    return []


def letter(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Lemma P.2 instead of Lemma 2, once Sphinx has numbered the pages without a number as one."""
    for page, first in LETTERS.items():
        for counted in env.toc_fignumbers.get(page, {}).values():
            for k, place in enumerate(counted, 1):
                counted[place] = (first, k)  # type: ignore[assignment]
    return []


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-get-updated", letter, priority=900)
    app.connect("html-collect-pages", compare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
