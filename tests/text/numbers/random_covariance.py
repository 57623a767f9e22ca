"""Numbers of chapter 5."""

import math

from tests.text.ties import given

NUMBERS = {
    "so $0<x<2$, and": given("x is twice σ² over its bound"),
    "too short for 95 directions in a hundred": (100 * (1 - math.exp(-3)) // 1, 100),
    "Take $d=2$, $\\lambda_1\\sim": given("the setting of the exercise"),
}
