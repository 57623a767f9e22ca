"""Numbers of the page on how the book is checked."""

from tests.nbval_pages.compare import RTOL

NUMBERS = {"tolerance of one in a thousand": 1 / RTOL}
