"""Numbers of chapter 8."""

from tests.text.ties import given

NUMBERS = {
    "is the half-width of one seed's band larger": given("a word"),
    "standard deviation of the three means over half-width": given("a word"),
}
