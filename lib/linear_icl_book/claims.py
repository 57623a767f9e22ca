"""The orderings that chapter 8 claims, judged from the records alone, with their intervals."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from linear_icl.nonlinear.recorded import read


class Interval(NamedTuple):
    """A risk and the ends of its 90 % interval; an exact one has no width."""

    mean: float
    low: float
    high: float


class Ordering(NamedTuple):
    """One claim, ``smaller`` x ``factor`` <= ``larger``, as the seeds of each model measured it.

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


Record = Mapping[str, Any]
Read = Callable[[Record], tuple[Interval, ...]]
Lengths = Callable[[int], Iterable[int]]
Side = Mapping[str, Read]


class Claim(NamedTuple):
    """What an :class:`Ordering` is made of: name of a record -> what is read from it, each side."""

    name: str
    claim: str
    smaller: Side
    larger: Side
    factor: float = 1.0

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of the records that it needs."""
        return (*self.smaller, *self.larger)

    def judge(self, records: Mapping[str, Record]) -> Ordering:
        """The ordering that these records show."""

        def seen(side: Side) -> tuple[Interval, ...]:
            return tuple(one for name, look in side.items() for one in look(records[name]))

        return Ordering(self.name, self.claim, seen(self.smaller), seen(self.larger), self.factor)


def query(test: str) -> Read:
    """Every seed's risk at M = N, from more prompts than the curves have."""
    return lambda record: tuple(map(_interval, record["query"][test]["seeds"]))


def curve(test: str, lengths: Lengths) -> Read:
    """Every seed's risk at the length, of these for N, where its lower end is highest."""

    def look(record: Record) -> tuple[Interval, ...]:
        own = record["curves"][test]
        at = [own["lengths"].index(M) for M in lengths(record["recipe"]["tasks"]["length"])]
        return tuple(
            max((_interval(seed, k) for k in at), key=lambda interval: interval.low)
            for seed in own["seeds"]
        )

    return look


def shift(*rows: str) -> Read:
    """Every seed's risk on these shifts."""
    return lambda record: tuple(
        _interval(seed) for row in rows for seed in record["shifts"][row]["seeds"]
    )


def share(*rows: str) -> Read:
    """Every seed's risk on these shifts, divided by the exact one of the linear layer."""
    return lambda record: tuple(
        Interval(*(end / record["shifts"][row]["lsa_exact"] for end in interval))
        for row in rows
        for interval in shift(row)(record)
    )


def least_squares(row: str) -> Read:
    """The risk of least squares on this shift."""
    return lambda record: (_interval(record["shifts"][row]["estimators"]["ols"]),)


def layer(test: str) -> Read:
    """The exact risk, at M = N, of the linear layer trained alike."""
    return lambda record: _exact(record["query"][test]["lsa_exact"])


def start(record: Record) -> tuple[Interval, ...]:
    """The exact risk of x ↦ β*ᵀx for Λ = I: d."""
    return _exact(float(record["recipe"]["tasks"]["dim"]))


def _exact(risk: float) -> tuple[Interval, ...]:
    return (Interval(risk, risk, risk),)


def _interval(band: Record, *at: int) -> Interval:
    ends = (band[key] for key in Interval._fields)
    return Interval(*(end[at[0]] if at else end for end in ends))


def at_N(N: int) -> Iterable[int]:
    return (N,)


def next_to_N(N: int) -> Iterable[int]:
    return (N + 1,)


def beyond_N(N: int) -> Iterable[int]:
    return range(N + 1, 2 * N + 1)


def twice_N(N: int) -> Iterable[int]:
    return (2 * N,)


def both(look: Callable[[str], Read], kind: str = "") -> Side:
    """Both families, fixed and random, of models of one kind, each on the law of its training."""
    return {"fixed" + kind: look("fixed"), "random" + kind: look("random_1")}


def alike(look: Read) -> Side:
    """Both families, with what is read the same."""
    return both(lambda test: look)


def along(lengths: Lengths) -> Callable[[str], Read]:
    return partial(curve, lengths=lengths)


def around(name: str, mean: str) -> tuple[Claim, ...]:
    """What is claimed of the models for tasks around this mean, with MLP layers and without."""
    bare = f"{name}-no-mlp"
    complete, without = {name: query("training")}, {bare: query("training")}
    return (
        Claim(f"{name}_helps", f"β* = {mean}: with MLP layers < without", complete, without),
        Claim(
            f"{name}_not_tenfold",
            f"β* = {mean}: a tenth of the risk without MLP layers < with them",
            without,
            complete,
            factor=0.1,
        ),
        Claim(
            f"{name}_start",
            f"β* = {mean}: without MLP layers < the start alone, exact",
            without,
            {bare: start},
        ),
    )


MILD = (
    "standard",
    "orthants",
    "skewed",
    "half_subspace",
    "scaled_x",
    "scaled_y",
    "context_query",
)
"""The shifts on which the claim is that transformers have less than a third of one step's risk."""

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "beats_layer",
        "at c = 1: trained on random covariance < one step, exact",
        {"random": query("random_1")},
        {"random": layer("random_1")},
    ),
    Claim(
        "fixed_fails",
        "at c = 2: trained on random covariance < trained on the fixed one",
        {"random": query("random_4")},
        {"fixed": query("random_4")},
    ),
    Claim(
        "fixed_scales_badly",
        "trained on the fixed covariance: 4 × the risk at c = 1 < the risk at c = 2",
        {"fixed": query("random_1")},
        {"fixed": query("random_4")},
        factor=4.0,
    ),
    Claim(
        "spikes",
        "learned positions, both families: the risk at M = N < at M = N + 1",
        both(along(at_N)),
        both(along(next_to_N)),
    ),
    Claim(
        "no_positions_do_not",
        "largest risk at N < M ≤ 2N, both families: no positions < learned ones",
        both(along(beyond_N), "-no-positions"),
        both(along(beyond_N)),
    ),
    Claim(
        "no_positions_fall",
        "no positions, both families: the risk at M = 2N < at M = N",
        both(along(twice_N), "-no-positions"),
        both(along(at_N), "-no-positions"),
    ),
    Claim(
        "columns_ahead",
        "random covariance, M = N: columns < interleaved tokens",
        {"random": query("random_1")},
        {"random-interleaved": query("random_1")},
    ),
    Claim(
        "linear_ahead",
        "M = N, both families, learned positions: linear attention < softmax",
        both(query, "-linear"),
        both(query),
    ),
    Claim(
        "linear_breaks",
        "M = 2N, both families, learned positions: softmax < linear attention",
        both(along(twice_N)),
        both(along(twice_N), "-linear"),
    ),
    Claim(
        "linear_uses_positions",
        "M = N, fixed covariance, linear attention: with learned positions < without",
        {"fixed-linear": query("fixed")},
        {"fixed-linear-no-positions": query("fixed")},
    ),
    Claim(
        "linear_holds",
        "largest risk at N < M ≤ 2N, linear attention: no positions < learned ones",
        {"fixed-linear-no-positions": curve("fixed", beyond_N)},
        {"fixed-linear": curve("fixed", beyond_N)},
    ),
    Claim(
        "softmax_goes_on",
        "M = 2N, fixed covariance, no positions: softmax < linear attention",
        {"fixed-no-positions": curve("fixed", twice_N)},
        {"fixed-linear-no-positions": curve("fixed", twice_N)},
    ),
    Claim(
        "mlp_helps",
        "β* = 0: with MLP layers < without",
        {"fixed": query("fixed")},
        {"fixed-no-mlp": query("fixed")},
    ),
    *around("mean", "(3, …, 3)"),
    *around("mean-10", "(10, …, 10)"),
    Claim(
        "below_layer",
        "seven shifts, both families: 3 × the risk, as a share of one step's < 1",
        alike(share(*MILD)),
        {"fixed": lambda record: _exact(1.0)},
        factor=3.0,
    ),
    Claim(
        "some_cost",
        "both families: 3 × the risk without shift < orthant, and doubled points",
        alike(shift("standard")),
        alike(shift("orthants", "scaled_x")),
        factor=3.0,
    ),
    Claim(
        "noise_costs",
        "noisy labels: least squares < the transformers of both families",
        {"fixed": least_squares("noisy_labels")},
        alike(shift("noisy_labels")),
    ),
    Claim(
        "families_differ",
        "doubled points: trained on random covariance < trained on the fixed one",
        {"random": shift("scaled_x")},
        {"fixed": shift("scaled_x")},
    ),
    Claim(
        "not_linear",
        "both families: 4 × the risk without a shift < the risk with doubled labels",
        alike(shift("standard")),
        alike(shift("scaled_y")),
        factor=4.0,
    ),
)
"""What chapter 8 claims."""


FAMILIES = ("fixed", "random")


def orderings(folder: Path | str, prefix: str = "") -> dict[str, Ordering]:
    """All claims by name, judged on the records of the small set in ``folder``.

    With a ``prefix`` ("d20-"), those about the two families alone, judged on the records of these
    names with it. Raises ValueError for a record that is missing or of another form.
    """
    claims = [claim for claim in CLAIMS if not prefix or {*claim.reads} <= {*FAMILIES}]
    names = dict.fromkeys(name for claim in claims for name in claim.reads)
    records = {name: read(Path(folder) / f"{prefix}{name}.json") for name in names}
    return {claim.name: claim.judge(records) for claim in claims}


def permutation(ordering: Ordering, *, paired: bool = False) -> Fraction:
    """The exact one-sided p-value of an ordering of two groups of seeds.

    If both sides had one law, all divisions of the seeds into groups of these sizes would be
    equally likely; this is the share of them in which at least as many pairs of models are in the
    order that is claimed. ``paired``: runs of one seed have something in common, and may be
    exchanged with each other only. Of means: their intervals do not enter. The sides must be other
    models: an exact number, or one model tested twice, is no group.
    Raises ValueError for pairs of sides of different lengths.
    """
    sides = [[one.mean for one in side] for side in (ordering.smaller, ordering.larger)]
    risks = [ordering.factor * risk for risk in sides[0]] + sides[1]
    small, every = len(sides[0]), range(len(risks))
    if paired and len(risks) != 2 * small:
        raise ValueError(
            f"paired sides must have as many seeds, got {small} and {len(risks) - small}; "
            f"leave paired out"
        )

    def right(group: tuple[int, ...]) -> int:
        rest = [k for k in every if k not in group]
        return sum(risks[i] < risks[k] for i in group for k in rest)

    pairs = product(*((k, k + small) for k in range(small)))
    groups = pairs if paired else combinations(every, small)
    found = [right(group) >= right(tuple(range(small))) for group in groups]
    return Fraction(sum(found), len(found))
