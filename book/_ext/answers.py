"""Below each exercise whose answer is numbers, a field that judges them in the page, and hints.

The right answer, how near is right, and the wrong answers that the exercise knows by name come from
the registry (`linear_icl_book.exercises`), for the numbers of the page; `book/_page/answers.js`
compares. Without a script only the hints are shown.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from typing import Any

import numpy as np
from linear_icl_book.exercises import Exercise, registry
from linear_icl_book.exercises._answer import read
from linear_icl_book.exercises._judge import Target
from sphinx.application import Sphinx

from book._ext.page_bridge import Page
from book._ext.previews import element

EXERCISE = re.compile(r'<div class="exercise[^"]*" id="(?P<label>[\w-]+)">')
MOST = 6  # numbers that one writes into a line

Values = list[list[float]]


@cache
def spec(number: str) -> dict[str, Any] | None:
    """What the page must know to judge an exercise; None where the answer is not a few numbers.

    `wanted`: for each number its value and how far off is still right; `mistakes`: what to say, and
    the same for the numbers that a mistake leads to."""
    exercise = registry()[number]
    target = Target.of(exercise, exercise.book)
    if np.squeeze(target.value).ndim > 1 or target.value.size > MOST:
        return None
    wrong = [(one.what, read(one.value(**exercise.book))) for one in exercise.mistakes]
    return {
        "wanted": _values(target, target.value),
        "mistakes": [
            [what, _values(target, value)] for what, value in wrong if target.mistaken(value, value)
        ],
    }


def _values(target: Target, values: np.ndarray) -> Values:
    margins = np.broadcast_to(target.margin(values), np.shape(values))
    pairs = zip(np.ravel(values), np.ravel(margins), strict=True)
    return [[float(value), float(margin)] for value, margin in pairs]


def form(exercise: Exercise) -> str:
    """The field, empty where the exercise has none."""
    found = spec(exercise.number)
    if found is None:
        return ""
    asked = escape(f"Your answer: {exercise.asked(exercise.book)}")
    field = f"answer-{exercise.number}"
    data = escape(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
    return (
        f'<form class="answer" data-exercise="{exercise.number}" data-answer="{data}">'
        f'<label for="{field}">{asked}</label><input type="text" id="{field}"'
        ' autocomplete="off" autocapitalize="off" spellcheck="false">'
        f'<button type="submit">Check</button><output></output>{_hints(exercise.hints)}</form>'
    )


def _hints(hints: tuple[str, ...]) -> str:
    """Folds within each other, so that the stronger hint is out of sight."""
    if not hints:
        return ""
    return f"<details><summary>Hint</summary><p>{escape(hints[0])}</p>{_hints(hints[1:])}</details>"


def add(app: Sphinx, page: Page) -> None:
    """Each exercise of the registry gets its field, at the end of its box."""
    if app.builder.name != "html":
        return
    known = {exercise.label: exercise for exercise in registry().values()}
    parts, end = [], 0
    for found in EXERCISE.finditer(page.html):
        if found["label"] not in known:
            continue
        box = element(page.html, found.start(), "div")
        stop = found.start() + len(box) - len("</div>")
        parts += [page.html[end:stop], form(known[found["label"]])]
        end = stop
    page.html = "".join([*parts, page.html[end:]])


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("page-rendered", add)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
