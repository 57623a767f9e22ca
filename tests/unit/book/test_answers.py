"""The fields below the exercises: what the page knows is what the registry judges by."""

from __future__ import annotations

from html import escape
from types import SimpleNamespace

import numpy as np
import pytest
from linear_icl_book.exercises import registry
from linear_icl_book.exercises._judge import judge

from book._ext.answers import MOST, add, form, spec
from book._ext.page_bridge import Page

NUMBERS = [number for number in registry() if spec(number) is not None]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_page_and_the_package_agree(number: str) -> None:
    """The right answer is right for both, a mistake wrong with the same words, both at a nudge."""
    exercise, found = registry()[number], spec(number)
    assert found is not None
    right = np.array([value for value, _ in found["wanted"]])
    margins = np.array([margin for _, margin in found["wanted"]])
    assert 0 < right.size <= MOST and (margins >= 0).all()
    shaped = right if right.size > 1 else float(right[0])
    assert judge(exercise, exercise.book, shaped).right is True
    off = right + 1.01 * margins + (margins == 0)
    assert (
        judge(exercise, exercise.book, off if right.size > 1 else float(off[0])).right is not True
    )
    for what, values in found["mistakes"]:
        wrong = np.array([value for value, _ in values])
        said = judge(exercise, exercise.book, wrong if wrong.size > 1 else float(wrong[0]))
        assert said.right is not True
        assert what in {mistake.what for mistake in exercise.mistakes}


def test_nearly_every_exercise_has_a_field() -> None:
    assert len(NUMBERS) >= len(registry()) - 2


def test_the_field_stands_at_the_end_of_its_box() -> None:
    exercise = registry()["1.1"]
    box = f'<div class="exercise box" id="{exercise.label}"><div>text</div></div>'
    page = Page("book/a", "page.html", f'<p>a</p>{box}<div class="exercise" id="ex-none">b</div>')
    add(SimpleNamespace(builder=SimpleNamespace(name="html")), page)  # type: ignore[arg-type]
    assert page.html.startswith(f"<p>a</p>{box.removesuffix('</div>')}{form(exercise)}</div>")
    assert page.html.count("<form") == 1 and page.html.endswith('id="ex-none">b</div>')


def test_a_stronger_hint_stands_in_the_fold_of_the_one_before() -> None:
    exercise = registry()["1.1"]
    html = form(exercise)
    assert html.count("<details>") == len(exercise.hints) >= 2
    at = [html.index(escape(hint)) for hint in exercise.hints]
    assert at == sorted(at) and "</details>" not in html[: at[-1]]


def test_what_is_asked_stands_above_the_field() -> None:
    exercise = registry()["3.1"]
    html = form(exercise)
    asked = escape(f"Your answer: {exercise.asked(exercise.book)}")
    assert html.index(f'<label for="answer-3.1">{asked}</label>') < html.index('id="answer-3.1"')
    assert html.count(asked) == 1  # no placeholder, which ends where the field does


def test_other_builders_have_none() -> None:
    page = Page("book/a", "page.html", '<div class="exercise" id="ex-best-plain-step"></div>')
    add(SimpleNamespace(builder=SimpleNamespace(name="text")), page)  # type: ignore[arg-type]
    assert "<form" not in page.html
