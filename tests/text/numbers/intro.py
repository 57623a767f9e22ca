"""Numbers of the first page."""

from tests.text.ties import given

NUMBERS = {
    "stands why they are true, in five lines": given("a manner of speaking"),
}
