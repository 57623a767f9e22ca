"""Numbers of the teaching page."""

from linear_icl_book.live import Hero

NUMBERS = {"Six examples": Hero().M}
