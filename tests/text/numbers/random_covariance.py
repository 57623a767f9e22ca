"""Numbers of chapter 5."""

from tests.text.ties import given

NUMBERS = {
    "Take $d=2$, $\\lambda_1\\sim": given("the setting of the exercise"),
}
