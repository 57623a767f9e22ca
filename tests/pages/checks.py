"""What a page has to satisfy. Each check returns a list of faults, empty for a sound page.

`test_checks.py` shows each of them a page with that fault; `test_pages.py` shows them the book.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.pages.site import Site

SCRIPT = Path(__file__).with_name("checks.js")
AXE = Path(__file__).parents[2] / "book/_page/node/node_modules/axe-core/axe.min.js"
# Two frames, for what is drawn anew, and the end of what fades: axe measures contrast.
DRAWN = """() => new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))
  .then(() => document.getAnimations())
  .then((all) => all.filter((one) => one.effect?.getComputedTiming().endTime < 1e6))
  .then((all) => Promise.allSettled(all.map((one) => one.finished)))
  .then(() => document.fonts.ready).then(() => {})"""
# The inside of a picture is presentational, by its role, and most of a page's elements.
RUN_AXE = """(rules) => {
  const said = (node) => ["title", "desc"].includes(node.nodeName);
  const pictures = [...document.querySelectorAll("svg[role=img], svg[aria-hidden]")];
  const inside = pictures.map((svg) => [...svg.childNodes]);
  for (const [k, svg] of pictures.entries()) svg.replaceChildren(...inside[k].filter(said));
  const options = { ...rules, resultTypes: ["violations"], preload: false };
  return axe.run({ exclude: [["svg[aria-hidden]"]] }, options)
    .then((result) => result.violations)
    .finally(() => pictures.forEach((svg, k) => svg.replaceChildren(...inside[k])));
}"""
# axe's rules that a theme can break, and those that a width can.
OF_COLOUR = ("color-contrast", "link-in-text-block")
OF_WIDTH = ("target-size", "scrollable-region-focusable")
BUDGET = {"apparatus": 180, "text": 350, "figures": 200, "all": 616}  # KB, compressed
FIGURE = re.compile(
    r'<script type="application/vnd\.jupyter[^>]*>.*?</script>|<svg id="drawing-.*?</svg>',
    re.DOTALL,
)
STILL = 0.05  # of the window, that may move
SHIFTS = """() => new Promise((told) => {
  const moved = [];
  const name = ({ node }) => (node?.outerHTML ?? node?.textContent ?? "").slice(0, 80);
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) moved.push([value, sources.map(name)]);
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => told(moved), 50);
})"""
APPARATUS = {".css", ".js", ".woff2", ".svg", ".json", ".png", ".ico"}


class Visit:
    """A page opened in the browser, with all that it asked for and complained of."""

    def __init__(self, browser: Browser, url: str, *, width: int = 1350, **context: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        seen = {"viewport": {"width": width, "height": 940}, "reduced_motion": "reduce"}
        self._context = browser.new_context(**{**seen, **context})
        self.page: Page = self._context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("console", self._listen)
        self.page.goto(url, wait_until="load")

    def _listen(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def unfold(self) -> None:
        self.page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        self.page.evaluate(DRAWN)

    def rest(self) -> None:
        """Until nothing is asked for any more and what came is drawn."""
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate(DRAWN)

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *error: object) -> None:
        self._context.close()


@contextmanager
def opened(browser: Browser, url: str, **context: Any) -> Iterator[Page]:
    """The page of a visit; it must not complain."""
    with Visit(browser, url, **context) as visit:
        yield visit.page
        assert visit.complaints == []


# Sphinx says so below the title, in whichever words, once the last result is listed.
SEARCHED = "document.querySelector('#search-results .search-summary')?.textContent.trim()"


def search_without_excerpts(page: Page) -> None:
    """For each result the search loads and parses its whole page, which can block for minutes."""
    words = {"body": '<div role="main">An excerpt.</div>', "content_type": "text/html"}
    fetched = lambda route: route.request.resource_type == "fetch"  # noqa: E731
    page.route(
        "**/*.html", lambda route: route.fulfill(**words) if fetched(route) else route.continue_()
    )


def stop_clock(page: Page) -> Callable[[int], None]:
    """Frames and timers come when the milliseconds of what it returns are asked for."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    return page.clock.run_for


def outside(visit: Visit, home: str) -> list[str]:
    """Requests that leave `home`."""
    allowed = (home, "data:", "blob:")
    return [f"asks {url}" for url in visit.requests if not url.startswith(allowed)]


def complaints(visit: Visit) -> list[str]:
    """Errors thrown or logged."""
    return list(visit.complaints)


def ask(page: Page, name: str) -> Any:
    """What checks.js answers."""
    if said := page.evaluate(f"window.pageChecks && [pageChecks.{name}()]"):
        return said[0]
    page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    return page.evaluate(f"pageChecks.{name}()")


def mathematics(page: Page) -> list[str]:
    """Formulas that were not typeset, have no extent, no outline or no MathML."""
    return list(ask(page, "mathematics"))


def alternatives(page: Page) -> list[str]:
    """Images that do not say what they show."""
    return list(ask(page, "alternatives"))


def shifts(page: Page) -> list[str]:
    """What moved by itself while the page was loading, if it was much (web.dev/cls: 0.1 is too)."""
    moved = page.evaluate(SHIFTS)
    if sum(share for share, _ in moved) <= STILL:
        return []
    return [f"moved by {share:.3f}: {' '.join(parts)}" for share, parts in moved]


def sideways(page: Page) -> list[str]:
    """What makes the page wider than the window."""
    return list(ask(page, "sideways"))


def hints(page: Page) -> list[str]:
    """What scrolls sideways without a sign of it."""
    return list(ask(page, "hints"))


def accessibility(page: Page, *rules: str) -> list[str]:
    """Violations that axe-core finds, of all its rules or of these."""
    if not AXE.exists():
        raise FileNotFoundError("axe-core is not installed; run: npm ci --prefix book/_page/node")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(RUN_AXE, {"runOnly": list(rules)} if rules else {})
    return [
        f"{rule['id']} ({rule['impact']}) at {' '.join(map(str, node['target']))}: {node['html']}"
        for rule in found
        for node in rule["nodes"][:5]
    ]


def keyboard(page: Page) -> list[str]:
    """What the tab key does not reach, or reaches out of order, or without a visible focus."""
    wanted: list[str] = ask(page, "focusable")
    reached: list[int] = []
    faults = []
    for _ in range(2 * len(wanted) + 5):
        page.keyboard.press("Tab")
        number, visible, end = ask(page, "focused")
        if number in reached or (end and reached):
            break
        if number is not None:
            reached.append(number)
            if not visible:
                faults.append(f"focus is invisible on {wanted[number]}")
    faults += [f"not reached: {html}" for k, html in enumerate(wanted) if k not in reached]
    if reached != sorted(reached):
        faults.append(f"out of order: {reached}")
    return faults


def readable(page: Page) -> list[str]:
    """What is missing where scripts do not run: text, formulas, pictures."""
    faults = []
    if len(page.locator("article, main").first.inner_text().split()) < 20:
        faults.append("no text")
    for picture in page.locator("article img, article svg.drawing").all():
        box = picture.bounding_box()
        if picture.is_visible() and (box is None or box["width"] < 20 or box["height"] < 20):
            faults.append(f"no picture: {picture.evaluate('e => e.outerHTML')[:120]}")
    for figure in page.locator("article figure").all():
        if not figure.locator("img:visible, svg:visible").count() and figure.is_visible():
            faults.append(f"no static picture in the figure {figure.get_attribute('id')}")
    return faults


def weights(site: Site, urls: Iterable[str]) -> dict[str, float]:
    """KB on the wire by class: apparatus, text with formulas, data of the figures."""
    kilobytes = dict.fromkeys(BUDGET, 0.0)
    for url in set(urls):
        if not url.startswith(site.url):
            continue
        path = url.removeprefix(site.url).lstrip("/").split("?")[0].split("#")[0]
        if site.body(path) is None:
            continue
        size, suffix = site.sizes[path], Path(path).suffix
        picture = path.startswith(("_images/", "book/_images/"))
        kilobytes["all"] += size
        if suffix == ".html":
            html = (site.folder / path).read_text(encoding="utf-8")
            lean = FIGURE.sub("", html)
            text = len(gzip.compress(lean.encode(), 6))
            kilobytes["text"] += text
            kilobytes["figures"] += size - text
        else:
            kilobytes["apparatus" if suffix in APPARATUS and not picture else "figures"] += size
    return {name: round(size / 1024, 1) for name, size in kilobytes.items()}


def too_heavy(measured: dict[str, float], budget: dict[str, int] = BUDGET) -> list[str]:
    """Classes above their budget."""
    return [
        f"{name}: {measured[name]} KB of {limit} KB"
        for name, limit in budget.items()
        if measured[name] > limit
    ]
