"""Numbers of chapter 7."""

import math
import re

from tests.text.ties import output

# From which test length on retraining halves the error, by training length and noise.
HALVED = {
    int(M): [int(T) for T in re.findall(r": (\d+)", row)]
    for M, row in re.findall(r"M = (\d+): \{(.*)\}", output("gd_beta"))
}


def times(M: int) -> tuple[int, int, int]:
    """M, and whole multiples of it between which all these lengths lie."""
    return M, min(HALVED[M]) // M, math.ceil(max(HALVED[M]) / M)


NUMBERS = {
    "At $M=8$ six to seven times the training length": times(8),
    "At $M=64$ it lies between 9 and 22 times": times(64),
}
