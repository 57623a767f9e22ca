"""What a reader's hands do on a page, where things stand on it, and when it is at rest."""

from __future__ import annotations

from playwright.sync_api import FloatRect, Locator, Page

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
Place = tuple[float, float]


def settle(page: Page) -> None:
    """Two frames: figures draw in the first, after a change of their size in the second."""
    page.evaluate("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))")


def address(page: Page) -> str:
    """Once it is written, 200 ms after the last change; the page's own timers keep their order."""
    settle(page)
    page.evaluate("new Promise((told) => setTimeout(told, 250))")
    return page.url


def box(node: Locator) -> FloatRect:
    found = node.bounding_box()
    assert found is not None
    return found


def middle(node: Locator) -> Place:
    own = box(node)
    return own["x"] + own["width"] / 2, own["y"] + own["height"] / 2


def drag(page: Page, start: Place, end: Place) -> None:
    """With the mouse."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()
    settle(page)


def swipe(page: Page, start: Place, end: Place) -> None:
    """With a finger."""
    client, steps = page.context.new_cdp_session(page), 8
    for k in range(steps + 1):
        x, y = (a + (b - a) * k / steps for a, b in zip(start, end, strict=True))
        kind = "touchMove" if k else "touchStart"
        points = [{"x": x, "y": y}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    settle(page)


def sticking_out(figure: Locator) -> list[str]:
    """Texts, values and controls that do not lie inside the figure's own box."""
    found: list[str] = figure.evaluate(
        """(root) => {
          const box = root.getBoundingClientRect();
          const parts = root.querySelectorAll(
            "text, td, th, li, label, input, select, button, span");
          return [...parts].filter((part) => {
            const own = part.getBoundingClientRect();
            return part.checkVisibility() && !part.closest(".ex-hidden")
              && (own.left < box.left - 1 || own.right > box.right + 1);
          }).map((part) => part.outerHTML);
        }"""
    )
    return found
