"""Numbers of the closing page."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.text.numbers.open_questions import EQUAL, HIGH, RUNS
from tests.text.ties import ROOT, about, given

BOOK = Path(ROOT, "book")
TOC = yaml.safe_load(Path(ROOT, "_toc.yml").read_text("utf-8"))
(NUMBERED,) = (part for part in TOC["parts"] if part.get("numbered", True))
THEOREMS = yaml.safe_load((BOOK / "main_results.yml").read_text("utf-8"))
PAGE = (BOOK / "what_we_know.md").read_text("utf-8")
ROWS = PAGE[PAGE.index("## Ten theorems") : PAGE.index("```{dropdown}")].splitlines()[4:]
PROBLEMS = re.findall("Problem \\d", (BOOK / "open_questions.md").read_text("utf-8"))

NUMBERS = {
    "Nine chapters, three questions": len(NUMBERED["chapters"]),
    "about half of the time": about(HIGH / RUNS, 0.15),
    "for equal variances in three and five dimensions": given("a count of dimensions"),
    "## Ten theorems": len(THEOREMS),
    r"at most $1+2\,\mathrm{snr}$ times": given("the constants of (eq-bayes-ratio)"),
    "a few hundred prompts": given("what fig-fitted shows"),
    "Six problems, each": len(set(PROBLEMS)),
}

CLAIMS = {
    "and in our runs never": not any(high for *_, high in EQUAL),
    # The table goes through the list, row by row.
    "| in words | needs | breaks with |": all(
        THEOREMS[k]["labels"][0] in row for k, row in enumerate(ROWS[: len(THEOREMS)])
    ),
}
