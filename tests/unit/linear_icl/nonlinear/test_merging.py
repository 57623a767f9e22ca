"""Records of seeds made apart are the record of all; what does not belong together is refused."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from linear_icl.nonlinear import Architecture, Recipe, Tasks, Training, evaluate, recorded
from linear_icl.nonlinear.__main__ import main
from linear_icl.nonlinear.engine import train
from linear_icl.nonlinear.merging import merge

SIZE: Any = {"covariances": 6, "each": 5}


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    """Of the seeds 0 and 1, of 2, and of all three."""
    architecture = Architecture(2, 4, layers=1, heads=1, width=8, tokens="columns")
    recipe = Recipe("fixed", "a test", architecture, Tasks(2, 3), Training(3, batch=4))
    runs = [train(recipe, seed) for seed in range(3)]

    def made(some: list[Any]) -> dict[str, Any]:
        models = [run.model for run in some]
        found = recorded.record(
            recipe,
            some,
            "cpu",
            curves=evaluate.curves(recipe, models, count=5, **SIZE),
            query=evaluate.at_query(recipe, models, **SIZE),
            shifts=evaluate.over_shifts(recipe, models, batch=40),
        )
        return copy.deepcopy(found)

    return {"early": made(runs[:2]), "late": made(runs[2:]), "all": made(runs)}


def test_seeds_recorded_apart_are_the_record_of_all(records: dict[str, Any]) -> None:
    """In their order, whatever that of the files; but for the interval of the mean over models."""
    before = copy.deepcopy(records)
    whole, merged = records["all"], merge([records["late"], records["early"]])
    assert records == before, "what is merged stays as it is"
    assert merged["training"] == whole["training"] and merged["recipe"] == whole["recipe"]
    assert merged["provenance"] == whole["provenance"]
    for part in ("curves", "query", "shifts"):
        assert list(merged[part]) == list(whole[part])
        for name, test in merged[part].items():
            expected = whole[part][name]
            assert test["seeds"] == expected["seeds"] and len(test["seeds"]) == 3
            own = test["estimators"].pop("transformer")
            other = expected["estimators"].pop("transformer")
            assert set(own) == {"mean"}
            assert own["mean"] == pytest.approx(other["mean"], rel=1e-6)
            assert test == expected, "whatever is no transformer's, of the same prompts"
    assert merge([records["early"]]) == records["early"]


def test_several_sittings_are_said(records: dict[str, Any]) -> None:
    late = copy.deepcopy(records["late"])
    late["provenance"] |= {"date": "2031-01-02", "device": "cpu: other", "threads": 4}
    found = merge([records["early"], late])["provenance"]
    assert found["device"] == f"{records['early']['provenance']['device']}, cpu: other"
    assert (found["date"], found["threads"]) == ("2031-01-02", 4)
    assert found["torch"] == late["provenance"]["torch"] and len(found["cpu_seconds"]) == 3


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("recipe", "training", "steps"), 4, "one recipe, got .* for seeds .* the missing seeds"),
        (("provenance", "revision"), "0" * 12, r"one revision, got \w+.* and 0{12} for \[2\]"),
        (("provenance", "seeds"), [{"weights": 1}], r"every seed .* got \[1\] twice; leave one"),
        (("training", "steps"), [0, 2], r"one steps of its evaluations, got \[0, 3\]"),
        (("query",), {}, "one tests, got"),
        (("query", "fixed", "estimators", "zero", "mean"), 0.1, "same prompts, .* in query, fixed"),
        (("curves", "fixed", "estimators", "zero", "mean"), [2.0], "prompts, .* in curves, fixed"),
        (("curves", "fixed", "estimators", "zero", "mean", 4), 0.1, "prompts, .* curves, fixed"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    records: dict[str, Any], where: tuple[Any, ...], value: Any, message: str
) -> None:
    other = copy.deepcopy(records["late"])
    part = other
    for key in where[:-1]:
        part = part[key]
    part[where[-1]] = value
    with pytest.raises(ValueError, match=message):
        merge([records["early"], other])


def test_the_command_merges_files(
    records: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="there must be at least one record, got none"):
        merge([])
    files = [str(recorded.write(tmp_path / f"{k}.json", records[k])) for k in ("late", "early")]
    words = ["fixed", "--data", str(tmp_path / "data"), "--merge", *files]
    assert main(words) == 0
    assert "fixed: 3 seeds -> " in capsys.readouterr().out
    found = recorded.read(tmp_path / "data/fixed.json")
    assert [own["weights"] for own in found["provenance"]["seeds"]] == [0, 1, 2]
    assert main(words) == 2, "a record is not overwritten"
    assert "path must be free" in capsys.readouterr().err
    assert main([*words, "--replace"]) == 0
    assert main(["random", *words[1:], "--replace"]) == 2
    assert "files must be records of random, got" in capsys.readouterr().err
