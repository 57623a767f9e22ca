"""Numbers of the teaching page."""

from itertools import pairwise

import torch
from linear_icl import ltb, risk
from linear_icl.flow import gradient_flow
from linear_icl.labels import Noiseless, Sign
from linear_icl.landscape import FixedCovariance
from linear_icl.random_covariance import DiagonalCovariance, Gamma
from linear_icl_book.live import Hero, OnePass

from tests.text.numbers.distribution_shifts import best_length
from tests.text.numbers.nonlinear_transformers import N, beyond
from tests.text.numbers.one_lecture import LAMBDA, left_after
from tests.text.numbers.open_questions import when_known
from tests.text.ties import about, given

PAIRS = len(OnePass().terms())

#: What these questions say of their figures is compared in tests/pages/test_teaching.py.
CHAPTERS = given("numbers of chapters: what their pages say under *You need*")
DRAWN = given("how many the figure of the question draws")

FALLS = (0.03, 0.01)  # sizes of the start with keys apart from queries


def fallen(size: float) -> list[float]:
    """When half of each direction is known, keys apart from queries."""
    return [t for _, t, _ in when_known(size)]


NUMBERS = {
    "*a* Three times as late, *b* about twice": about(fallen(0.01)[1] / fallen(0.03)[1], 0.1),
    "the loss falls twice. From": len(fallen(0.03)),
    "Trained on eleven examples": N,
    "Forty directions, the first the strongest": DRAWN,
    "Six examples": Hero().M,
    "8 needs 4, and the statements of 5; 9 needs 3, 5 and for few tasks 7": 7 * (CHAPTERS,),
    "two values: four readings": PAIRS,
    "Of the four numbers": PAIRS,
}

# What the right choices say, and what a question takes for granted; wrong choices are settled.
CLOUDS = {M: ltb.Setting([[1.0]], [[1.0]], [8.0], 1.0, M) for M in (8, 64, 512)}
LAYER = {M: float(ltb.lsa_infimum(one, starts=16).risk - 1) ** 0.5 for M, one in CLOUDS.items()}
BLOCK = {M: float(ltb.infimum(one) - 1) ** 0.5 for M, one in CLOUDS.items()}
MERGED = FixedCovariance(LAMBDA, 8)
EARLY = gradient_flow(MERGED, MERGED.start(1e-6), torch.linspace(0.5, 2, 7)).states[1]
NARROW, WIDE = (DiagonalCovariance(Gamma(k, 1 / k), 2, 8) for k in (64.0, 0.5))


LINEAR, SIGNS = (
    risk.prediction_risk(LAMBDA, 8, 10**9, one.moments(LAMBDA))
    for one in (Noiseless([1.0, 1.0]), Sign([1.0, 1.0]))
)


def alone(length: int, dim: int = 5) -> float:
    """Trained on I, tested on Exp(1), relative to silence."""
    step, zeta = 1 / (1 + (dim + 1) / length), 6 + (12 + 2 * (dim - 1)) / length
    return step**2 * zeta - 4 * step + 1


def floors(length: int) -> tuple[float, float]:
    """Of the layer trained at a length: the floor, and the risk on four points."""
    found = risk.linear_risk(LAMBDA, length, 4, noise_variance=0.001)
    return float(risk.risk_curve(LAMBDA, length).floor), float(found)


CLAIMS = {
    "the first fall comes three times as late. And the second? *a* Three times as late, "
    "*b* about twice": all(
        abs(smaller / larger - times) < 0.3
        for larger, smaller, times in zip(fallen(0.03), fallen(0.01), (3, 2), strict=True)
    ),
    "the loss falls twice. From {figure-at}": [len(fallen(size)) for size in FALLS] == [2, 2],
    "*b* rises for the one with learned positions": (
        beyond("fixed", "fixed", 12) > 2 * beyond("fixed", "fixed", 11)
        and beyond("fixed-no-positions", "fixed", 12) < beyond("fixed-no-positions", "fixed", 11)
    ),
    "and its floor is lower": floors(64)[0] < floors(8)[0],
    "*b* equally good, *c* worse": floors(64)[1] > 1.2 * floors(8)[1],
    "the weights grow exponentially": bool(
        (EARLY.log().diff().diff().abs() < 0.02 * EARLY.log().diff()[1:]).all()
        and EARLY[-1] > 100 * EARLY[0]
    ),
    "what it makes is a worse minimum": left_after(0.9) > 0.1,
    "*b* to the bias in the first and above it in the second": (
        LINEAR.best == 0 < SIGNS.best and LINEAR.variance < 1e-6 and SIGNS.total > 2 * SIGNS.bias
    ),
    "Noise makes a context worth less, like a shorter one": all(
        best_length(1.0, axis, M) < best_length(0, axis, M) == M
        for axis in (0, 1)
        for M in (10, 40)
    ),
    "*b* sooner, for a smaller step": bool(
        WIDE.pull.norm() > 2 * NARROW.pull.norm() and WIDE.target[0, 0] < NARROW.target[0, 0] / 2
    ),
    "At $c=1$ the layer trained on one covariance is worse than silence": alone(100) > 1,
    "*c* still worse": alone(100_000) > 1,
    "and worse than before": alone(100) < alone(100_000),
    "*b* narrower than before and several times as wide as the block's": (
        3 * LAYER[512] < LAYER[8] and 4 * BLOCK[512] < LAYER[512]
    ),
    "with a variance that falls with $M$": all(LAYER[a] > LAYER[b] for a, b in pairwise(CLOUDS)),
}

SETTLED = {
    "where something stands on the page": [
        "the second is the right column below",
        "the question below of that figure",
        "the text above it",
    ],
    "a choice that is wrong, judged with its figure in tests/pages/test_teaching.py": [
        "*a* no steeper",
        "the second is *a* better",
        "*a* A still larger scale",
        "*a* later, for a smaller step",
        "*c* sooner, for a larger one",
        "it is *a* better than silence",
        "*a* falls for both",
        "*c* rises for both",
        "*a* diverges",
    ],
    "what the clock of the chapter says": ["The first wait is spent on growing the value $u$"],
    "the states that the links set": ["The common signal grows"],
}
