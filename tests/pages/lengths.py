"""How long the chapters are: words, heights, open code, stretches without a picture.

    python -m tests.pages.lengths            the built book beside the budgets

`lengths.js` says what counts.  A chapter that needs more gets it here, in sight.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser

from book._forms import chromium
from tests.pages.site import Site

HERE = Path(__file__).parent
SCREEN = {"width": 1440, "height": 900}
# Words of the main line, of all with folds open; pixels with folds closed, of open code in them.
MEASURES = ("main", "all", "height", "code_height")
BUDGETS = {
    "icl_definitions": (1_203, 3_224, 7_454, 373),
    "lsa_quadratic_reduction": (1_054, 2_804, 7_713, 386),
    "pl_convergence": (2_305, 7_043, 14_779, 739),
    "distribution_shifts": (2_162, 6_154, 12_725, 636),
    "random_covariance": (1_757, 5_524, 11_900, 595),
    "ltb_vs_lsa": (2_541, 7_662, 14_961, 748),
    "gd_beta": (2_985, 9_234, 17_392, 870),
    "nonlinear_transformers": (4_200, 18_150, 16_800, 1_191),
    "open_questions": (4_470, 13_860, 17_600, 919),
}
# Pixels without a picture, in every chapter: two screens.
DARK = 2 * SCREEN["height"]

Lengths = dict[str, int]


def measure(browser: Browser, site: Site, chapter: str) -> Lengths:
    """Words and pixels of one chapter of the built book."""
    page = browser.new_page(viewport=SCREEN)  # type: ignore[arg-type]
    page.goto(f"{site.url}/book/{chapter}.html", wait_until="load")
    page.wait_for_function("document.fonts.status === 'loaded'")
    found: Lengths = page.evaluate((HERE / "lengths.js").read_text(encoding="utf-8"))
    page.close()
    return found


def budgets(chapter: str) -> Lengths:
    """What each measure must not exceed."""
    return {**dict(zip(MEASURES, BUDGETS[chapter], strict=True)), "dark": DARK}


def over(chapter: str, found: Lengths) -> list[str]:
    """Each budget that the chapter exceeds, in words."""
    return [
        f"{chapter}: {key} is {found[key]}, the budget {limit}"
        for key, limit in budgets(chapter).items()
        if found[key] > limit
    ]


def main() -> int:
    book = HERE.parents[1] / "_build" / "html"
    if not (book / "index.html").exists():
        print("There is no book to measure yet; run: make book", file=sys.stderr)
        return 1
    with chromium.browser() as browser, Site(book) as site:
        for chapter in BUDGETS:
            found = measure(browser, site, chapter)
            limits = budgets(chapter).items()
            print(f"{chapter:24}", *(f"{key} {found[key]} / {limit}" for key, limit in limits))
    return 0


if __name__ == "__main__":
    sys.exit(main())
