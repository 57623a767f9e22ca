"""Live figures in a page that a browser shows: opened, read, and moved by keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route

Swap = Callable[[str], str]


@contextmanager
def opened(
    browser: Browser, url: str, *, swap: tuple[re.Pattern[str], Swap] | None = None, **context: Any
) -> Iterator[Page]:
    """A page in a context of its own; `swap` rewrites what the server sends for some addresses."""
    context.setdefault("viewport", {"width": 1350, "height": 940})
    made = browser.new_context(**{"reduced_motion": "reduce", **context})
    page = made.new_page()
    if swap is not None:
        pattern, rewrite = swap

        def answer(route: Route) -> None:
            response = route.fetch()
            route.fulfill(response=response, body=rewrite(response.text()))

        page.route(pattern, answer)
    page.goto(url, wait_until="load")
    yield page
    made.close()


def figures(page: Page) -> list[Locator]:
    """The mounted figures, in folds that are opened."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    return page.locator(".live-fig").all()


# A path is told by its ends and a digest, so that a failure can be read.
STATE = """(root) => {
  const brief = (d) => {
    const at = d.match(/-?[\\d.]+/g);
    const digest = [...d].reduce((sum, c) => (Math.imul(sum, 31) + c.charCodeAt(0)) | 0, 7);
    return at && `${at.slice(0, 2)} to ${at.slice(-2)} #${(digest >>> 0).toString(16)}`;
  };
  return {
    figure: root.getAttribute("aria-label"),
    values: [...root.querySelectorAll("input, select")].map(
      (control) => control.getAttribute("aria-valuetext") ?? control.value),
    shown: [...root.querySelectorAll(".live-number")].map((number) => number.textContent),
    paths: [...root.querySelectorAll("path[data-series]")].map(
      (path) => brief(path.getAttribute("d") ?? "")),
  };
}"""
SHAPE = """(root) => [root, root.querySelector(".live-plot"), root.querySelector("svg[role=img]")]
  .map((part) => part.getBoundingClientRect())
  .flatMap(({ width, height }) => [width, height].map(Math.round))"""


def state(figure: Locator) -> dict[str, Any]:
    """What a figure shows: the values spoken for its controls, the legend, its paths in short."""
    found: dict[str, Any] = figure.evaluate(STATE)
    return found


def press(control: Locator, *keys: str) -> list[dict[str, Any]]:
    """The states of a control's figure after each of these keys, drawn in the next frame."""
    root = control.locator("xpath=ancestor::*[contains(@class, 'live-fig')]").element_handle()
    control.focus()
    found = []
    for key in keys:
        control.page.keyboard.press(key)
        found.append(
            root.evaluate(
                f"(root) => new Promise((told) => requestAnimationFrame(() => told({{"
                f"...({STATE})(root), shape: ({SHAPE})(root)}})))"
            )
        )
    return found


def controls(figure: Locator) -> list[Locator]:
    """Sliders and menus, in the order of `state`."""
    return figure.locator("input, select").all()


def is_menu(control: Locator) -> bool:
    return bool(control.evaluate("(control) => control.matches('select')"))


def stops(control: Locator) -> int:
    """How many values a control has."""
    return int(control.evaluate("(control) => control.options?.length ?? +control.max + 1"))
