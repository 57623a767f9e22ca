"""Numbers of chapter 8."""

import math

from tests.text.ties import given, printed

THEIRS = given("as the papers have it")

NUMBERS = {
    "| 12 and 8 | 6 and 4 | 3 and 2 |": (*4 * (THEIRS,), printed("{} blocks, {} heads")),
    "| 256 | | 64 |": (THEIRS, printed("heads, width {}, ")),
    "| 20; 40, 70 or 100 | | 5; 11 |": (*4 * (THEIRS,), printed("; d = {}, N = {}")),
    "| 1500 steps of 64 prompts (4000 for": (
        printed("{} steps of {} prompts, "),
        printed("prompts, {} around a mean"),
    ),
    "| 512 covariances, 4 prompts each |": printed("tests: {} covariances with {} prompts each"),
    "band over 512 covariances and four prompts of each": (
        printed("tests: {} covariances with {} prompts each")
    ),
    "taken over 4096 covariances": printed("each, {} covariances at M = N"),
    "a table of 48 positions": printed("{} positions; d"),
    "The recorded models took 1500 steps each": printed("{} steps of 64 prompts"),
    "in one case of twenty, and no claim": math.comb(6, 3),  # orders of three and three
    "is the half-width of one seed's band larger": given("a word"),
    "standard deviation of the three means over half-width": given("a word"),
}
