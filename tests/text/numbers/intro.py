"""Numbers of the first page."""

import torch
import yaml
from linear_icl import random_covariance
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance
from linear_icl.random_covariance import DiagonalCovariance
from linear_icl_book.live import Hero

from tests.text.numbers.ltb_vs_lsa import NO_LARGER_CONSTANT
from tests.text.numbers.what_we_know import LOUD, risk_at
from tests.text.ties import ROOT, given

FIGURE = Hero()
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
(NUMBERED,) = (part for part in TOC["parts"] if part.get("numbered", True))
TITLES = [
    "The layer, opened",
    "Gradient flow finds",
    "What it predicts",
    "Training on many",
    "What the MLP stores",
    "One step from a good",
    "What nonlinear transformers",
    "Seven idealisations, loosened",
]
CASE, WIDTH = FixedCovariance([[2.0, 0.0], [0.0, 0.5]], 8), 4
TIMES = torch.linspace(0, 24, 241)
FLOW = gradient_flow(CASE, CASE.start(1e-3), TIMES.double())
RATES = -FLOW.gap.log().diff()
LAW = random_covariance.Exponential()
(MANY, SAID), (ONE, ALWAYS) = (
    DiagonalCovariance(LAW, WIDTH, 9).limit(),
    FixedCovariance(torch.eye(WIDTH).double(), 9).limit(),
)

SETTLED = {"what a button does": ["the same weights read wider points than in training"]}
CLAIMS = {
    "Long in training: the floor falls like one over the square": 3.9
    < risk_at(1000, 10**12) / risk_at(2000, 10**12)
    < 4,
    "a plateau, then an exponential fall": float(RATES[:5].max()) < 1e-3
    and abs(float(RATES[-1] / RATES[-40]) - 1) < 0.01 < float(RATES[-1]),
    "One step for all covariances: it says less": bool(
        ((SAID * MANY).diagonal() < (ALWAYS * ONE).diagonal()).all()
    ),
    "and no larger constant serves all settings": NO_LARGER_CONSTANT,
    "more than $\\|\\beta^\\ast\\|_\\Lambda^2/(M+1)$ if points see it": 1 < 9 * float(LOUD) < 1.001,
    "and the floor, of order $1/N^2$": abs(risk_at(1000, 10**12) / risk_at(2000, 10**12) - 4)
    < 0.05,
}
NUMBERS = {
    "on prompts of 20 points of variance one": FIGURE.N,
    "reads six examples of the rule": FIGURE.M,
    "## Nine chapters": len(NUMBERED["chapters"]),
    "two of four readings": given("the table of chapter 2"),
    **{f"card}} {k} · {title}": k for k, title in enumerate(TITLES, 2)},
    "card} 9 · Seven idealisations, loosened": (9, given("a count of words")),
}
