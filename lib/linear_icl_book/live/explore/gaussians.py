"""The figures' Gaussian numbers with a seed, for a notebook that continues a figure."""

import math

BITS = 0xFFFFFFFF


def gaussians(seed: int, count: int) -> list[float]:
    """The first ``count`` numbers that kernel.js draws with this seed: Mulberry32, Box and Muller.

    A longer draw begins with a shorter one. ValueError unless 0 <= seed < 2³², count >= 0.
    """
    if not (0 <= seed <= BITS and count >= 0):
        raise ValueError(f"seed must be 0 to 2³² - 1 and count >= 0, got {seed} and {count}")

    def uniform() -> float:
        nonlocal seed
        seed = (seed + 0x6D2B79F5) & BITS
        bits = (seed ^ seed >> 15) * (seed | 1) & BITS
        bits ^= bits + (bits ^ bits >> 7) * (bits | 61) & BITS
        return ((bits ^ bits >> 14) + 0.5) / 2**32

    drawn: list[float] = []
    while len(drawn) < count:
        radius, turn = math.sqrt(-2 * math.log(uniform())), 2 * math.pi * uniform()
        drawn += [radius * math.cos(turn), radius * math.sin(turn)]
    return drawn[:count]
