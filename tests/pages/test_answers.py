"""What a reader answers in the page: chips, ticks, numbers, and that they are remembered."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.pages import checks
from tests.pages.site import Site

SCRIPT = Path(__file__).parents[2] / "book" / "_page" / "answers.js"
SPEC = {
    "wanted": [[0.6533101045296167, 0.001], [2.0, 0.0]],
    "mistakes": [["N stands where M belongs", [[0.5, 0.001], [2.0, 0.0]]]],
}
FOLD = (
    '<details class="fold"><summary><span class="sd-summary-text">{0}</span></summary>'
    '<div class="sd-card-body"><p>{1}</p></div></details>'
)
SMALL = f"""<!doctype html><meta charset="utf-8"><article class="bd-article"><h1>Small</h1>
<div class="predict"><ul><li><p>up</p></li><li>down</li></ul></div>
<section id="check-yourself"><h2>Check yourself</h2><p>1.</p>
{FOLD.format("a", "No.")}{FOLD.format("b", "Right: so.")}<p>2.</p>
{FOLD.format("a", "Right.")}{FOLD.format("b", "Rightly not.")}<p>3.</p>
{FOLD.format("Answer", "Of the order of M.")}</section>
<section id="exercises"><h2>Exercises</h2><div class="exercise">
<form class="answer" data-exercise="1.1" data-answer="{html.escape(json.dumps(SPEC))}">
<input type="text" aria-label="two numbers"><button type="submit">Check</button><output></output>
</form></div></section></article><script src="answers.js"></script>"""


@pytest.fixture(scope="module")
def small(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("answers")
    (folder / "small.html").write_text(SMALL, encoding="utf-8")
    (folder / "answers.js").write_bytes(SCRIPT.read_bytes())
    with Site(folder) as served:
        yield served


@pytest.fixture
def page(browser: Browser, small: Site) -> Iterator[Page]:
    context = browser.new_context()  # storage of its own
    opened = context.new_page()
    opened.goto(f"{small.url}/small.html")
    yield opened
    context.close()


def answer(page: Page, text: str) -> str:
    page.get_by_label("two numbers").fill(text)
    page.keyboard.press("Enter")
    return page.locator("form.answer output").inner_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("375/574 2", "✓ right"),
        ("0.6533 2", "✓ right"),
        ("0.6533, 2", "✓ right"),
        ("65.33 %; 2.0", "✓ right"),
        ("375 / 574  2", "✓ right"),
        ("0.66 2", "✗ not yet"),
        ("0.6533 3", "✗ not yet"),
        ("−0.6533 2", "✗ not yet"),
        ("1/2 2", "✗ not yet: N stands where M belongs"),
        ("0.6533", "– 2 numbers are wanted, 1 came; put spaces between"),
        ("x 2", "– “x” is no number; write 0.65, 375/574 or 65 %"),
        ("1/0 2", "– “1/0” is no number; write 0.65, 375/574 or 65 %"),
        ("", "– 2 numbers are wanted"),
    ],
)
def test_numbers_are_judged(page: Page, text: str, said: str) -> None:
    assert answer(page, text) == said


def test_an_answer_is_counted_and_remembered(page: Page) -> None:
    answer(page, "what")
    assert page.locator("#exercises .tally").count() == 0
    answer(page, "1 2")
    assert page.locator("#exercises .tally").inner_text().strip() == "0 of 1 right"
    answer(page, "375/574 2")
    page.reload()
    assert page.locator("#exercises .tally").inner_text().strip() == "1 of 1 right"
    assert page.get_by_label("two numbers").input_value() == "375/574 2"
    assert page.locator("form.answer output").inner_text() == "✓ right"


def test_the_first_choice_of_a_question_counts(page: Page) -> None:
    folds = page.locator("details.fold")
    for place in (0, 1, 2):
        folds.nth(place).locator("summary").click()
    page.wait_for_function("document.querySelectorAll('[data-said]').length === 3")
    said = folds.evaluate_all("(folds) => folds.map((fold) => fold.dataset.said ?? '')")
    assert said == ["wrong", "right", "right", "", ""]
    assert page.locator("#check-yourself .tally").inner_text().strip() == "1 of 2 right"
    page.reload()
    assert page.locator("#check-yourself .tally").inner_text().strip() == "1 of 2 right"


def test_an_answer_to_read_is_no_choice(page: Page) -> None:
    folds = page.locator("details.fold")
    for place in (4, 1):
        folds.nth(place).locator("summary").click()
    page.wait_for_function("document.querySelectorAll('[data-said]').length === 1")
    assert folds.nth(4).get_attribute("data-said") is None
    assert page.locator("#check-yourself .tally").inner_text().strip() == "1 of 2 right"


def test_a_word_that_begins_like_right_is_not(page: Page) -> None:
    page.locator("details.fold").nth(3).locator("summary").click()
    page.wait_for_function("document.querySelectorAll('[data-said=wrong]').length === 1")


def test_a_prediction_is_one_chip_by_mouse_and_keys(page: Page) -> None:
    chips = page.locator(".predict button")
    pressed = "(chips) => chips.map((chip) => chip.getAttribute('aria-pressed'))"
    assert chips.all_inner_texts() == ["up", "down"]
    assert chips.evaluate_all(pressed) == ["false", "false"]
    chips.nth(0).click()
    chips.nth(1).focus()
    page.keyboard.press("Enter")
    assert chips.evaluate_all(pressed) == ["false", "true"]
    page.reload()
    assert chips.evaluate_all(pressed) == ["false", "true"]


def test_damaged_storage_is_no_obstacle(page: Page) -> None:
    page.evaluate("localStorage.setItem('answers', '{')")
    page.reload()
    assert answer(page, "375/574 2") == "✓ right"


def test_the_book_judges_by_its_registry(browser: Browser, site: Site) -> None:
    """The first exercise of the book: the answer of its solution, and one of its mistakes."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{site.url}/book/icl_definitions.html")
    form = page.locator("#ex-best-plain-step form.answer")
    form.locator("input").fill("136/335 0.7742")
    form.get_by_role("button").click()
    said = form.locator("output").inner_text()
    assert said == "✓ right"
    form.locator("input").fill("1 0.7742")
    form.get_by_role("button").click()
    assert form.locator("output").inner_text().startswith("✗ not yet")
    assert checks.sideways(page) == []
    context.close()


def test_without_a_script_there_is_no_field_but_a_hint(browser: Browser, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.url}/book/icl_definitions.html")
    assert page.locator("form.answer").count() >= 3
    first = page.locator("form.answer").first
    assert not first.locator("input").is_visible()
    first.get_by_text("Hint", exact=True).first.click()
    assert first.locator("p").first.is_visible() and not first.locator("p").nth(1).is_visible()
    context.close()
