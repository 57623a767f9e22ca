"""Numbers of the first page."""

from linear_icl_book.live import Hero

from tests.text.ties import given

FIGURE = Hero()
NUMBERS = {
    "on prompts of 20 points of variance one": FIGURE.N,
    "reads six examples of the rule": FIGURE.M,
    "stands why they are true, in five lines": given("a manner of speaking"),
}
