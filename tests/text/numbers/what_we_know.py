"""Numbers of the closing page."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path

import torch
import yaml
from linear_icl import gd_beta, ltb, risk
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters, KeysApart
from linear_icl.random_covariance import Constant, DiagonalCovariance, Exponential, Gamma, Uniform

from tests.text.numbers import nonlinear_transformers as chapter_8
from tests.text.numbers.nonlinear_transformers import D as WIDTH
from tests.text.numbers.nonlinear_transformers import seeds
from tests.text.numbers.open_questions import (
    BALANCED,
    EQUAL,
    FIRST,
    HIGH,
    OMEGA,
    RUNS,
    SECOND,
    goes_flatter,
    leaves,
    noisier,
    steps_down,
)
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
    "At $d=20$ ten transformers of three blocks leave what five to seven steps leave": (
        chapter_8.LONG["tasks"]["dim"],
        sum(len(chapter_8.ends(f)) for f in chapter_8.WIDE),
        *sorted({*chapter_8.rungs("fixed"), *chapter_8.rungs("random")}),
    ),
    "three of them make polynomials of degree at most $13$": chapter_8.degrees(3)[-1],
    "Three blocks of linear attention whose points move, $360$ numbers": chapter_8.used(
        chapter_8.MOVING["plain"][0]
    ),
    "Nine chapters, three questions": len(NUMBERED["chapters"]),
    "about half of the time": about(HIGH / RUNS, 0.15),
    "for equal variances in three and five dimensions": given("a count of dimensions"),
    "## Ten theorems": len(THEOREMS),
    r"at most $1+2\,\mathrm{snr}$ times": given("the constants of (eq-bayes-ratio)"),
    "Seven problems of {ref}": len(set(PROBLEMS)),
}

ONE = torch.ones(1, 1, dtype=torch.float64)
LOUD = ltb.lsa_infimum(ltb.Setting(ONE, ONE, [0.05], 1e4, 8), starts=16).gap / 0.05**2


def risk_at(train: int, test: int) -> float:
    """In dimension two without noise."""
    covariance = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
    return float(risk.linear_risk(covariance, train, test))


COVARIANCE = torch.diag(torch.tensor([2.0, 0.5], dtype=torch.float64))
LAYER = FixedCovariance(COVARIANCE, 8)


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
    return float(LAYER.escape_time(u_0)) * rate / math.log(1 / u_0)


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


def high(spectrum: list[float], scale: float) -> float:
    """Of sixty random starts the share that ends at the spurious minimum."""
    d, draw = len(spectrum), torch.Generator().manual_seed(100)
    W = torch.randn(2, 60, d + 1, d + 1, generator=draw, dtype=torch.float64)
    full = FullParameters(torch.diag(torch.tensor(spectrum, dtype=torch.float64)), 8)
    gaps = gradient_flow(full, tuple(scale * W), [0.0, 60.0], rtol=1e-3).gap[:, -1]
    return float((gaps > 0.01).double().mean())


@functools.cache
def fastest() -> torch.Tensor:
    """With keys apart: the largest rate of each direction, in units of λ²|u|."""
    times, start = torch.linspace(0, 40, 161, dtype=torch.float64), 0.03 * torch.eye(2).double()
    path = gradient_flow(KeysApart(LAYER), (start, start, start[0, 0]), times, rtol=1e-6)
    K, Q, u = path.states
    rate = (K.square() + Q.square()).sum(1).log().diff(dim=0) / times[1] / 2
    largest = torch.maximum(u[1:].abs(), u[:-1].abs())
    return (rate / largest[:, None] / COVARIANCE.diagonal() ** 2).amax(0)


SHIFTED = [
    (torch.diag(torch.tensor(one, dtype=torch.float64)), tolerated)
    for one, tolerated in (([2, 0], 1), ([0, 0.5], 1), ([2, 0.25], 0), ([1.5, 0], 0), ([4, 1], 0))
]
CASES = (BOOK / "open_questions.md").read_text("utf-8").split(":::{admonition} Problem")[1:]

CLAIMS = NEEDS | {
    "a step leads along the valley towards smaller gradients: a long one to flatter points, and "
    "noise drives towards the best layer with the least": steps_down()
    and all((noisier(r) > 1) == (r > BALANCED) for r in (0.3, 1.0)),
    "Trained on one covariance, these fail where one axis of the points stands out": (
        (chapter_8.moved_to(6.0) > 50).all()
    ),
    "models like them fail less if their examples are told that they stand earlier": (
        chapter_8.LARGER_OR_SMALLER
    ),
    "where the largest variance is simple and both roles grow at nearly one rate, less often from "
    "smaller starts": OMEGA < 1.01 * 4
    and 0.4 < HIGH / RUNS < 0.6
    and 0.4 < (near := high([2.0, 1.0], 0.03)) < 0.6
    and high([2.0, 1.0], 1e-14) < near
    and high([3.0, 2.0], 1e-8) < 0.2,
    "| directions that vanish and no others that change;": all(
        (risk.linear_risk(COVARIANCE, 10**7, 10**9, test_covariance=one) < 1e-5) == tolerated
        for one, tolerated in SHIFTED
    ),
    "one step for all, and it says less": all(
        DiagonalCovariance(law, 2, length).shrinkage.max()
        < DiagonalCovariance(Constant(law.moment(1)), 2, length).shrinkage.min()
        for law in (Exponential(), Gamma(3.0, 0.5), Uniform(0.2, 3.0))
        for length in (1, 8, 10**6)
    ),
    "points wider than in training": leaves(1, [FIRST, SECOND])
    < leaves(1, [1 / 3])
    < 1
    < leaves(2, [1 / 3])
    < leaves(2, [FIRST, SECOND]),
    r"grows at most at the rate $\lambda_i^2\lvert u\rvert$": bool(
        (fastest() <= 1).all() and (fastest() > 0.9).all()
    ),
    "nearer to one another than to any algorithm that we tried": all(
        (chapter_8.pairs_off(law, family).max(0) < chapter_8.nearest_off(law, family)[1:].min(0))[
            :2
        ].all()
        for family in chapter_8.WIDE
        for law in ("fixed", "random_1")
    ),
    "leave about as much as they on most prompts of training with one covariance, and explode": (
        max(chapter_8.rule_left("plain")) < min(chapter_8.ends("fixed")) * 100
    ),
    "Without MLP layers small ones, too, go below the risk of the start": max(
        seeds("mean-no-mlp", "training")
    )
    < WIDTH
    and max(seeds("mean-10-no-mlp", "training")) < WIDTH,
    "come to rest at a flatter minimum": all(goes_flatter(share) for share in (1.1, 1.3, 1.5)),
    "Seven problems of {ref}`open-questions`, each with its smallest case": len(CASES) == 7
    and all("*Smallest case.* " in one.split(":::")[0] for one in CASES),
    # The largest constant that serves all settings: nearly met in loud noise.
    "pays more than $\\lVert\\beta^\\ast\\rVert_\\Lambda^2/(M+1)$": 1 < 9 * float(LOUD) < 1.001,
    "lowers the floor, like $1/N^2$": abs(risk_at(1000, 10**12) / risk_at(2000, 10**12) - 4) < 0.05,
    "the rest, like $1/M$": abs(risk_at(10**7, 1000) / risk_at(10**7, 2000) - 2) < 0.01,
    "and in our runs never": not any(one[2] for one in EQUAL),
    # The table goes through the list, row by row.
    "| in words | needs | breaks with |": all(
        THEOREMS[k]["labels"][0] in row for k, row in enumerate(ROWS[: len(THEOREMS)])
    ),
}
