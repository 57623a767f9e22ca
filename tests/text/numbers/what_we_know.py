"""Numbers of the closing page."""

from __future__ import annotations

import re
from pathlib import Path

import torch
import yaml
from linear_icl import ltb, risk

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
    "Seven problems, each": len(set(PROBLEMS)),
}

ONE = torch.ones(1, 1, dtype=torch.float64)
LOUD = ltb.lsa_infimum(ltb.Setting(ONE, ONE, [0.05], 1e4, 8), starts=16).gap / 0.05**2


def risk_at(train: int, test: int) -> float:
    """In dimension two without noise."""
    covariance = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
    return float(risk.linear_risk(covariance, train, test))


CLAIMS = {
    # The largest constant that serves all settings: nearly met in loud noise.
    "pays more than $\\lVert\\beta^\\ast\\rVert_\\Lambda^2/(M+1)$": 1 < 9 * float(LOUD) < 1.001,
    "lowers the floor, like $1/N^2$": abs(risk_at(1000, 10**12) / risk_at(2000, 10**12) - 4) < 0.05,
    "the rest, like $1/M$": abs(risk_at(10**7, 1000) / risk_at(10**7, 2000) - 2) < 0.01,
    "and in our runs never": not any(high for *_, high in EQUAL),
    # The table goes through the list, row by row.
    "| in words | needs | breaks with |": all(
        THEOREMS[k]["labels"][0] in row for k, row in enumerate(ROWS[: len(THEOREMS)])
    ),
}
