"""How long the book's exercises take to solve: the slowest one, at its own numbers.

One thread, CPU seconds, the best of three seeds.  A student waits this long for a verdict.
"""

from __future__ import annotations

from functools import partial

from linear_icl_book.exercises import Exercise, registry

from benchmarks._clock import clock, one_thread

GOAL = 0.5  # seconds


def seconds(exercise: Exercise) -> float:
    """The best of three, after one that loads and caches."""
    exercise.solve(**exercise.numbers("quick"))
    seeds = [exercise.numbers(seed) for seed in ("one", "two", "three")]
    return min(clock(partial(exercise.solve, **numbers))[0] for numbers in seeds)


def compare() -> None:
    spent = {label: seconds(exercise) for label, exercise in registry().items()}
    slowest = max(spent, key=lambda label: spent[label])
    print(f"\nSolving an exercise, {len(spent)} of them")
    print(f"slowest       {1e3 * spent[slowest]:8.1f} ms, goal {1e3 * GOAL:.0f} ms: {slowest}")
    print(f"all           {1e3 * sum(spent.values()):8.1f} ms")


if __name__ == "__main__":
    one_thread()
    compare()
