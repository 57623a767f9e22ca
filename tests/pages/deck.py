"""A deck of slides opened in the browser, and what a slide must not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from book._forms.pages import Page
from book._forms.slides import FOLDER, deck_html, write_assets
from tests.pages.checks import DRAWN, Visit

OVERFULL = Path(__file__).with_name("deck.js")


def folder_of(built: Path, folder: Path) -> Path:
    """A folder like that of the built book, with slides to come beside its pages."""
    for name in ("_static", "book"):
        (folder / name).symlink_to((built / name).resolve())
    write_assets(folder / FOLDER)
    return folder


def write_deck(folder: Path, page: Page) -> str:
    """Write the deck of a page; its address from `folder`."""
    name = f"{FOLDER}/{page.stem}.html"
    (folder / name).write_text(deck_html(page), encoding="utf-8")
    return name


class Show(Visit):
    """A deck that has begun, on a stage of its own size unless told otherwise."""

    def __init__(self, browser: Browser, url: str, *, width: int = 1280, **context: Any) -> None:
        super().__init__(browser, url, width=width, **context)
        self.page.set_viewport_size({"width": width, "height": width * 9 // 16})
        self.page.wait_for_function("document.documentElement.dataset.deck === 'ready'")

    def __enter__(self) -> Show:
        return self

    def at(self) -> int:
        return int(self.page.evaluate("Reveal.getIndices().h"))

    def go(self, selector: str) -> None:
        """To the first slide that has such a part."""
        self.page.evaluate(
            "s => Reveal.slide(Reveal.getIndices(document.querySelector(s).closest('.frame')).h)",
            selector,
        )
        self.page.evaluate(DRAWN)

    def overfull(self) -> list[str]:
        faults: list[str] = self.page.evaluate(OVERFULL.read_text(encoding="utf-8"))
        return faults
