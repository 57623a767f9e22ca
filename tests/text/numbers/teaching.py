"""Numbers of the teaching page."""

from linear_icl_book.live import Hero, OnePass

PAIRS = len(OnePass().terms())

NUMBERS = {
    "Six examples": Hero().M,
    "two values: four readings": PAIRS,
    "Of the four numbers": PAIRS,
}
