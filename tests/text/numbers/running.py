"""Numbers of the page on running the notebooks."""

from tests.release.environments import GIGABYTES, SECONDS
from tests.text.ties import given

LIMIT = given("mybinder.org's own guidelines, linked beside it, as read on the date given")

NUMBERS = {
    "Four ways": given("a count: the bold words below"),
    "between 1 and 2 GB of memory": LIMIT,
    "after 10 minutes without activity": LIMIT,
    "aims at six hours": LIMIT,
    "takes 100 users": LIMIT,
    "more than 60 seconds": SECONDS,
    "or 1.5 GB of memory": GIGABYTES,
    "more than 1.5 GB of disk": GIGABYTES,
}

SETTLED = {
    "mybinder.org's own guidelines, linked beside it": ["and restarts the kernel above, ends"],
    "the sizes of another's packages": ["several GB larger; where"],
}
