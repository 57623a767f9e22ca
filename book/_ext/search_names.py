"""The search finds theorems, lemmas and definitions by their names and by their numbers.

Sphinx indexes " (Balance)" as a title of its page. Here it becomes "Balance", and "Lemma 3.2" is
another title of the same place; book/_page/scorer.js puts such titles before pages of those words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

Titles = list[tuple[str, str | None]]
SCORER = Path(__file__).parents[1] / "_page" / "scorer.js"
NUMBERED = re.compile(r"[A-Z][a-z]+ (?:P\.)?[\d.]+$")


def number(app: Sphinx, proof: dict[str, Any]) -> str:
    """Such as "Lemma 3.2", empty for a box without a number."""
    table = app.env.toc_fignumbers.get(proof["docname"], {}).get(proof["countertype"], {})
    found = table.get(proof["label"])
    return f"{proof['realtype'].title()} {'.'.join(map(str, found))}" if found else ""


def retitled(titles: Titles, numbers: dict[str, str]) -> Titles:
    """The titles of a page, its boxes under name and number; the same again from an old index."""
    rest = [(title, place) for title, place in titles if place not in numbers]
    names = [(title, place) for title, place in titles if place in numbers]
    bare = [(re.sub(r"^ \((.*)\)$", r"\1", title), place) for title, place in names]
    kept = [(title, place) for title, place in bare if title and not NUMBERED.match(title)]
    return [*rest, *kept, *((title, place) for place, title in numbers.items() if title)]


def name_places(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Before the index is written; adds no page."""
    proofs: dict[str, dict[str, Any]] = getattr(app.env, "proof_list", {})
    indexed: dict[str, Titles] = app.builder.indexer._all_titles  # type: ignore[attr-defined]
    for page, titles in indexed.items():
        numbers = {
            label: number(app, proof) for label, proof in proofs.items() if proof["docname"] == page
        }
        indexed[page] = retitled(titles, numbers)
    return iter(())


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect(
        "config-inited", lambda app, config: setattr(config, "html_search_scorer", str(SCORER))
    )
    app.connect("html-collect-pages", name_places)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
