"""Numbers of the teaching page."""

from linear_icl_book.live import Hero, OnePass

from tests.text.ties import given

PAIRS = len(OnePass().terms())

#: What these questions say of their figures is compared in tests/pages/test_teaching.py.
DRAWN = given("how many the figure of the question draws")
SAID = given("a share in a question; its answer is compared with the figure")

NUMBERS = {
    "Forty directions, the first the strongest": DRAWN,
    "Of a hundred random starts": DRAWN,
    "about half end above the best loss": SAID,
    "of sixty, end high": DRAWN,
    "end high *a* more than half, *b* about half, *c* none": SAID,
    "Six examples": Hero().M,
    "two values: four readings": PAIRS,
    "Of the four numbers": PAIRS,
}
