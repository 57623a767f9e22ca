"""How long the chapters are: words, heights, open code, stretches without a picture.

    python -m tests.pages.lengths            the built book beside the baseline and the budgets
    python -m tests.pages.lengths --write    makes the built book the baseline

`lengths.js` says what counts.  A chapter in `RETOLD` must keep its budgets, which are shares of the
baseline (the book as it was before it was told again); the test is `test_lengths.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from book._forms import chromium
from tests.pages.site import Site

HERE = Path(__file__).parent
BASELINE = HERE / "lengths.json"
SCREEN = {"width": 1440, "height": 900}
CHAPTERS = (
    "icl_definitions",
    "lsa_quadratic_reduction",
    "pl_convergence",
    "distribution_shifts",
    "random_covariance",
    "ltb_vs_lsa",
    "gd_beta",
    "nonlinear_transformers",
    "open_questions",
)
RETOLD = (
    "icl_definitions",
    "lsa_quadratic_reduction",
    "pl_convergence",
    "distribution_shifts",
    "random_covariance",
    "ltb_vs_lsa",
    "gd_beta",
    "open_questions",
)
# Chapters that argue with experiments may show more of their code.
EXPERIMENTS = CHAPTERS[-2:]

Lengths = dict[str, int]


def measure(browser: Browser, site: Site, chapter: str) -> Lengths:
    """Words and pixels of one chapter of the built book."""
    page = browser.new_page(viewport=SCREEN)  # type: ignore[arg-type]
    page.goto(f"{site.url}/book/{chapter}.html", wait_until="load")
    page.wait_for_function("document.fonts.status === 'loaded'")
    found: Lengths = page.evaluate((HERE / "lengths.js").read_text(encoding="utf-8"))
    page.close()
    return found


def baseline() -> dict[str, Lengths]:
    """The lengths before the chapters were told again."""
    read: dict[str, Lengths] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return read


def budgets(chapter: str) -> dict[str, tuple[str, int]]:
    """For each measure the sentence and the number that it must not exceed."""
    old = baseline()[chapter]
    code = 0.08 if chapter in EXPERIMENTS else 0.05
    return {
        "main": ("two thirds of the words of the main line", round(old["main"] * 2 / 3)),
        "all": ("nine tenths of all words, folds open", round(old["all"] * 0.9)),
        "height": ("0.72 of the height, folds closed", round(old["height"] * 0.72)),
        "code_height": (f"{code:.0%} of that height for code", round(old["height"] * 0.72 * code)),
        "dark": ("two screens without a picture", 2 * SCREEN["height"]),
    }


def over(chapter: str, found: Lengths) -> list[str]:
    """Each budget that the chapter exceeds, in words."""
    return [
        f"{chapter}: {key} is {found[key]}, the budget {limit} ({what})"
        for key, (what, limit) in budgets(chapter).items()
        if found[key] > limit
    ]


def _table(found: dict[str, Lengths]) -> str:
    keys = list(next(iter(found.values())))
    rows = ["".join([f"{'':26}", *(f"{key:>13}" for key in keys)])]
    for chapter, lengths in found.items():
        rows.append("".join([f"{chapter:26}", *(f"{lengths[key]:13}" for key in keys)]))
        limits: dict[str, Any] = {key: limit for key, (_, limit) in budgets(chapter).items()}
        rows.append("".join([f"{'  budget':26}", *(f"{limits.get(key, ''):>13}" for key in keys)]))
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    book = HERE.parents[1] / "_build" / "html"
    if not (book / "index.html").exists():
        print("There is no book to measure yet; run: make book", file=sys.stderr)
        return 1
    with chromium.browser() as browser, Site(book) as site:
        found = {chapter: measure(browser, site, chapter) for chapter in CHAPTERS}
    if "--write" in arguments:
        BASELINE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(_table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
