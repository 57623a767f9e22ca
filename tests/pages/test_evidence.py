"""Receipts out of the reader's way, and within reach."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.pages.reader import box
from tests.pages.site import Site

CHAPTER = "pl_convergence"
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def page(browser: Browser, site: Site) -> Iterator[Page]:
    opened = browser.new_page()
    opened.goto(f"{site.url}/book/{CHAPTER}.html")
    opened.wait_for_function("document.fonts.status === 'loaded'")
    yield opened
    opened.close()


def test_receipts_stand_in_the_margin_of_a_wide_page(page: Page) -> None:
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    text = box(page.locator("article h1"))
    lines = page.locator("article > section > section > div.cell > details.receipt")
    assert lines.count() > 5
    for line in lines.all():
        own = box(line)
        assert own["x"] > text["x"] + text["width"], line.inner_text()
        assert own["x"] + own["width"] <= WIDE["width"], line.inner_text()


def test_an_open_receipt_returns_to_the_column_and_shows_its_code(page: Page) -> None:
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    receipt = page.locator("details.receipt").first
    code = receipt.locator(".cell_input").first
    assert not code.is_visible()
    receipt.locator("summary").focus()
    page.keyboard.press("Enter")
    text, own = box(page.locator("article h1")), box(receipt)
    assert code.is_visible() and own["x"] + own["width"] <= text["x"] + text["width"] + 1
    page.keyboard.press("Enter")


def test_both_numbers_are_seen_on_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for sides in page.locator("details.receipt .receipt-sides").all():
        if not sides.is_visible():
            continue  # within a fold
        own, said = box(sides), sides.inner_text()
        assert "predicted" in said and "measured" in said
        assert own["x"] >= 0 and own["x"] + own["width"] <= PHONE["width"], said


def test_names_of_statements_are_words(page: Page) -> None:
    names = page.locator("details.receipt .receipt-name").all_inner_texts()
    assert names and not [name for name in names if "-" in name], names


def test_on_paper_the_line_stays_and_the_code_goes(page: Page) -> None:
    page.emulate_media(media="print")
    try:
        page.evaluate("document.querySelectorAll('article details').forEach(f => f.open = true)")
        receipt = page.locator("details.receipt").first
        assert receipt.locator("summary").is_visible()
        assert not receipt.locator(".cell_input").first.is_visible()
        assert not page.locator("details.figure-code").first.is_visible()
    finally:
        page.evaluate("document.querySelectorAll('article details').forEach(f => f.open = false)")
        page.emulate_media(media="screen")
