"""Numbers of the page that explains the pages."""

from tests.text.ties import given

NUMBERS = {"stands why they are true, in five lines": given("a manner of speaking")}
