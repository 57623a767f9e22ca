"""Numbers of chapter 9."""

from fractions import Fraction

from linear_icl_book.exercises import registry

from tests.text.ties import given

CHANCE = {exercise.label: exercise for exercise in registry().values()}["ex-head-start"].book[
    "chance"
]

NUMBERS = {
    "makes nine of ten runs succeed in the running example, and": (
        Fraction(CHANCE).limit_denominator(100).numerator,
        Fraction(CHANCE).limit_denominator(100).denominator,
    ),
    "Find it within a quarter.": given("the precision that is asked for"),
    "uniform on $[0,2]$, length 20. Does": (..., given("the setting of the exercise")),
}
