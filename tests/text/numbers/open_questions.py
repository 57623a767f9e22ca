"""Numbers of chapter 9."""

import re
from fractions import Fraction
from math import atan, pi, sqrt

from linear_icl_book.exercises import registry

from tests.text.ties import about, cell, given, output, printed

CHANCE = {exercise.label: exercise for exercise in registry().values()}["ex-head-start"].book[
    "chance"
]

DIFFERENT = r"diag\(2\.0, [10].*?\), σ = 0\.\d+: (\d+) of (\d+) end"  # eigenvalues, not tiny starts
SHARES = [Fraction(*map(int, pair)) for pair in re.findall(DIFFERENT, output("open_questions"))]
WRONG = max(SHARES, key=lambda share: abs(share - Fraction(1, 2)))
SETTINGS = given("settings of the cell above")


def gain(spectrum: tuple[float, ...], sigma: float) -> float:
    """g = σ^-(1 - λ_1²/ω), ω = ‖Λ²‖_F."""
    return float(sigma ** -(1 - spectrum[0] ** 2 / sqrt(sum(each**4 for each in spectrum))))


NUMBERS = {
    r"For $\operatorname{diag}(2,1)$, $\operatorname{diag}(2,\frac12)$ and": SETTINGS,
    r"$\operatorname{diag}(2,1,\frac12)$": SETTINGS,
    "roughly half of the runs end at the wrong place": about(WRONG, 0.25),
    r"these are $\frac14\sqrt{257}$ and $\frac14\sqrt{256}$": (sqrt(2**4 + 0.5**4), 2.0**2),
    "a half at $g=1$": 2 / pi * atan(1),
    r"by the factor $\sqrt2$, and at $\sigma=10^{-8}$ the factor $g$ is about $220$": (
        sqrt(2),
        cell("(2.0, 2.0), {}, 100),\n         ((2.0, 1.0), 0.3"),
        about(gain((2, 2), 1e-8), 0.01),
    ),
    r"For $\operatorname{diag}(2,1)$ they differ": SETTINGS,
    r"$g$ is $1.7$ at the same": gain((2, 1), 1e-8),
    "the picture gives a third": about(2 / pi * atan(1 / gain((2, 1), 1e-8)), 0.02),
    "In the running example about fifty.": about(
        100 * 2 / pi * atan(1 / gain((2, 0.5), 0.03)), 0.02
    ),
    r"At $\eta=0.080$, though not just below it, nine of the twenty": (
        cell("etas = torch.tensor([0.06, {}, 0.115, 0.12])"),
        printed("η = 0.080: 11 of 20 at the minimum, {} at the spurious one"),
        printed("η = 0.080: 11 of {} at the minimum"),
    ),
    "$c=2$ here is $c=4$ there": (given("an example"), 2**2),
    "about half of them for different": about(WRONG, 0.25),
    "makes nine of ten runs succeed in the running example, and": (
        Fraction(CHANCE).limit_denominator(100).numerator,
        Fraction(CHANCE).limit_denominator(100).denominator,
    ),
    "Find it within a quarter.": given("the precision that is asked for"),
    "uniform on $[0,2]$, length 20. Does": (..., given("the setting of the exercise")),
}
