"""Seeds of one recipe that were recorded apart, in several sittings, as one record."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .evaluate import Band

Record = Mapping[str, Any]
BY_SEED = ("seeds", "seconds", "cpu_seconds")  # of the provenance
CURVES = ("risk", "held_out", "loss", "fall", "flat")  # of the training, by seed
SAME_PROMPTS = 1e-3  # records keep four digits


def merge(records: Sequence[Record]) -> dict[str, Any]:
    """One record of all the seeds, in their order, as if they had been recorded at once.

    Of the transformer's mean over the models there is the mean alone: its interval would need the
    errors of each prompt. Days, machines and versions that differ stand behind each other.
    Raises ValueError for no records, and unless they are of one recipe, trained at one revision,
    tested on the same prompts, and of different seeds.
    """
    if not records:
        raise ValueError("there must be at least one record, got none; name the files to merge")
    records = sorted(records, key=_seeds)
    first = records[0]
    for other in records[1:]:
        _alike(first, other)
    seeds = [seed for record in records for seed in _seeds(record)]
    if len(set(seeds)) < len(seeds):
        twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
        raise ValueError(f"every seed must be there once, got {twice} twice; leave one file out")
    result: dict[str, Any] = copy.deepcopy(dict(first))
    result["provenance"] = _provenance([record["provenance"] for record in records])
    for key in CURVES:
        result["training"][key] = [one for record in records for one in record["training"][key]]
    for part, test in _tests(first):
        own = result[part][test]
        own["seeds"] = [band for record in records for band in record[part][test]["seeds"]]
        if len(records) > 1:
            own["estimators"]["transformer"] = {"mean": _mean(own["seeds"])}
    return result


def _seeds(record: Record) -> list[int]:
    return [own["weights"] for own in record["provenance"]["seeds"]]


def _tests(record: Record) -> Iterator[tuple[str, str]]:
    return ((part, test) for part in ("curves", "query", "shifts") for test in record[part])


def _alike(first: Record, other: Record) -> None:
    """Raises ValueError with what differs."""
    named = {
        "recipe": (first["recipe"], other["recipe"]),
        "revision": (first["provenance"]["revision"], other["provenance"]["revision"]),
        "steps of its evaluations": (first["training"]["steps"], other["training"]["steps"]),
        "tests": ([*_tests(first)], [*_tests(other)]),
    }
    for what, (here, there) in named.items():
        if here != there:
            raise ValueError(
                f"records to merge must have one {what}, got {_short(here)} for seeds "
                f"{_seeds(first)} and {_short(there)} for {_seeds(other)}; train the missing seeds "
                f"with the source and the recipe of the others"
            )
    for part, test in _tests(first):
        here, there = (_sizes(record[part][test]) for record in (first, other))
        if len(here) != len(there) or any(
            abs(a - b) > SAME_PROMPTS * max(abs(a), abs(b))
            for a, b in zip(here, there, strict=True)
        ):
            raise ValueError(
                f"records to merge must be tested on the same prompts, got other risks of silence "
                f"for seeds {_seeds(first)} and {_seeds(other)} in {part}, {test}; evaluate both "
                f"with one version of torch"
            )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < 80 else f"{text[:60]} … ({len(text)} characters)"


def _sizes(test: Record) -> list[float]:
    """The risk of silence, which tells one draw of prompts from another."""
    mean = test["estimators"]["zero"]["mean"]
    return list(mean) if isinstance(mean, list) else [mean]


def _mean(bands: Sequence[Record]) -> Any:
    key = Band._fields[0]
    means = [band[key] for band in bands]
    if isinstance(means[0], list):
        return [sum(column) / len(column) for column in zip(*means, strict=True)]
    return sum(means) / len(means)


def _provenance(each: Sequence[Record]) -> dict[str, Any]:
    result = dict(each[0])
    for key in BY_SEED:
        result[key] = [one for record in each for one in record[key]]
    result["date"] = max(record["date"] for record in each)
    result["threads"] = max(record["threads"] for record in each)
    for key in ("device", "torch", "python"):
        result[key] = ", ".join(dict.fromkeys(record[key] for record in each))
    return result
