"""The orderings that chapter 8 claims, judged from the records alone, with their intervals."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .recorded import read

Records = Mapping[str, Mapping[str, Any]]


class Interval(NamedTuple):
    """A risk and the ends of its 90 % interval; an exact one has no width."""

    mean: float
    low: float
    high: float


class Ordering(NamedTuple):
    """One claim, ``smaller`` x ``factor`` <= ``larger``, as three seeds measured it.

    Both hold the seeds' intervals (one, if the number is exact or shared). ``holds``: in every
    seed, the upper end of the smaller times ``factor`` stays below the lower end of the larger.
    """

    name: str
    claim: str
    smaller: tuple[Interval, ...]
    larger: tuple[Interval, ...]
    factor: float = 1.0

    @property
    def holds(self) -> bool:
        least = min(interval.low for interval in self.larger)
        return all(self.factor * interval.high < least for interval in self.smaller)

    def __str__(self) -> str:
        sides = " | ".join(
            ", ".join(f"{i.mean:.3g} [{i.low:.3g}, {i.high:.3g}]" for i in side)
            for side in (self.smaller, self.larger)
        )
        return f"{self.name}: {self.claim}: {sides}: {'holds' if self.holds else 'DOES NOT HOLD'}"


def seeds(record: Mapping[str, Any], test: str, M: int) -> tuple[Interval, ...]:
    """Every seed's risk of the transformer on a test, at context length M."""
    every = record["curves"][test]["seeds"]
    return tuple(Interval(*(one[key][M] for key in Interval._fields)) for one in every)


def at_query(record: Mapping[str, Any], test: str) -> tuple[Interval, ...]:
    """Every seed's risk of the transformer at M = N, from more prompts than the curves have."""
    every = record["query"][test]["seeds"]
    return tuple(Interval(*(one[key] for key in Interval._fields)) for one in every)


def largest(record: Mapping[str, Any], test: str, lengths: Sequence[int]) -> tuple[Interval, ...]:
    """Every seed's risk at the length, of these, where its lower end is highest."""
    each = zip(*(seeds(record, test, M) for M in lengths), strict=True)
    return tuple(max(one, key=lambda interval: interval.low) for one in each)


def beats_limit(records: Records) -> Ordering:
    """Trained on random covariance, at c = 1, against the exact risk of the layer's limit."""
    record = records["random"]
    exact = record["query"]["random_1"]["lsa_exact"]
    return Ordering(
        "beats_limit",
        "trained on random covariance < the exact LSA limit, c = 1",
        at_query(record, "random_1"),
        (Interval(exact, exact, exact),),
    )


def fixed_fails(records: Records) -> Ordering:
    """At c = 4, N examples: trained on random covariance against trained on the fixed one."""
    return Ordering(
        "fixed_fails",
        "at c = 4, trained on random covariance < trained on the fixed one",
        at_query(records["random"], "random_4"),
        at_query(records["fixed"], "random_4"),
    )


def fixed_scales_badly(records: Records) -> Ordering:
    """Trained on the fixed covariance: four times the risk at c = 1 against the risk at c = 4.

    A learner that does not mind scale, as least squares, has four times the risk at c = 4.
    """
    return Ordering(
        "fixed_scales_badly",
        "trained on fixed covariance: 4 x the risk at c = 1 < the risk at c = 4",
        at_query(records["fixed"], "random_1"),
        at_query(records["fixed"], "random_4"),
        factor=4.0,
    )


def spikes(records: Records) -> Ordering:
    """Learned positions: the risk at N against the largest at N < M <= 2N, fixed covariance."""
    record = records["fixed"]
    N = record["recipe"]["tasks"]["length"]
    return Ordering(
        "spikes",
        "learned positions: the risk at M = N < the largest at N < M <= 2N",
        seeds(record, "fixed", N),
        largest(record, "fixed", range(N + 1, 2 * N + 1)),
    )


def no_positions_do_not(records: Records) -> Ordering:
    """The largest risk at N < M <= 2N without positions against that with learned ones."""
    N = records["fixed"]["recipe"]["tasks"]["length"]
    beyond = range(N + 1, 2 * N + 1)
    return Ordering(
        "no_positions_do_not",
        "the largest risk at N < M <= 2N, without positions < with learned ones",
        largest(records["fixed-no-positions"], "fixed", beyond),
        largest(records["fixed"], "fixed", beyond),
    )


def needs_perceptron(records: Records) -> Ordering:
    """At β* ≠ 0: with perceptrons against without, at least ten times."""
    return Ordering(
        "needs_perceptron",
        "β* ≠ 0: ten times the risk with perceptrons < the risk without",
        at_query(records["mean"], "training"),
        at_query(records["mean-no-mlp"], "training"),
        factor=10.0,
    )


ORDERINGS: tuple[Callable[[Records], Ordering], ...] = (
    beats_limit,
    fixed_fails,
    fixed_scales_badly,
    spikes,
    no_positions_do_not,
    needs_perceptron,
)


def orderings(folder: Path | str) -> tuple[Ordering, ...]:
    """All claims, judged on the records of the small set in ``folder``.

    Raises ValueError for a record that is missing or of another form.
    """
    names = ("fixed", "random", "fixed-no-positions", "mean", "mean-no-mlp")
    records = {name: read(Path(folder) / f"{name}.json") for name in names}
    return tuple(claim(records) for claim in ORDERINGS)
