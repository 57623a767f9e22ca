"""Numbers of the teaching page."""

from linear_icl_book.live import Hero

NUMBERS = {"Six examples, as wide as": Hero().M}
