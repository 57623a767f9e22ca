"""Numbers of the first page."""

import yaml
from linear_icl_book.live import Hero

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
    "Seven idealisations, removed",
]
CLAIMS = {
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
    "card} 9 · Seven idealisations, removed": (9, given("a count of words")),
}
