"""Numbers of the closing page."""

from __future__ import annotations

import math
import re
from pathlib import Path

import torch
import yaml
from linear_icl import gd_beta, ltb, risk
from linear_icl.landscape import FixedCovariance

from tests.text.numbers.open_questions import EQUAL, HIGH, RUNS
from tests.text.numbers.pl_convergence import BEST, SWAPPED, away, line
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


COVARIANCE = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
LAYER = FixedCovariance(COVARIANCE, 8)
EVEN = torch.eye(2, dtype=torch.float64) / 2**0.25


def loud(step: torch.Tensor | None) -> float:
    """At N = 8, with noise in the labels."""
    return float(
        risk.linear_risk(COVARIANCE, 8, 8, noise_variance=1.0)
        if step is None
        else risk.linear_risk(COVARIANCE, None, 8, noise_variance=1.0, preconditioner=step)
    )


def late(u_0: float) -> float:
    """The plateau in units of what the table says of it."""
    rate = float(torch.linalg.matrix_norm(COVARIANCE @ COVARIANCE))
    return float(LAYER.escape_time(EVEN, u_0)) * rate / math.log(1 / u_0)


def exact_labels(noise: float) -> float:
    """Error of the best block over that of Bayes, with more points than directions."""
    setting = ltb.Setting(COVARIANCE, torch.eye(2).double(), [1.0, 2.0], noise, 8)
    draw = gd_beta.bayes_excess(setting)
    bayes = float(draw(2000, torch.Generator().manual_seed(1)).mean())
    return float(ltb.infimum(setting) - noise) / max(bayes, 1e-300)


# A row of the table keeps what its theorem needs: here it fails without that.
NEEDS = {
    r"| Gaussian points of one $\Lambda$, tasks $w\sim-w$ of covariance $I$, no noise |": loud(
        torch.linalg.inv(LAYER.Gamma + torch.eye(2).double() / 8)
    )
    < 0.99 * loud(None),
    r"| empty mixing blocks, $u>0$, better than silence or no negative diagonal of $U$ in": (
        away > -0.9 * float(line.minimum) and SWAPPED > 1.4 * BEST
    ),
    "| the start of {prf:ref}`asm-init`, small $u_0$ |": (
        abs(late(1e-9) - 1) < 0.05 and abs(late(0.4) - 1) > 0.1
    ),
    r"| the $\Lambda$ of training, independent copies of $(x,y)$ with finite moments |": float(
        risk.risk_curve(COVARIANCE, 1000, test_covariance=4 * COVARIANCE).floor
    )
    > 1,
    r"| Gaussian points and tasks, $\tau>0$; for Bayes Gaussian noise, $\sigma^2>0$ |": (
        exact_labels(1.0) < 1 + 2 * 2.5 < 1e6 < exact_labels(0.0)
    ),
}

CLAIMS = NEEDS | {
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
