"""Answers of finished runs: written, and rules held against them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
import torch
from linear_icl.estimators import conjugate_gradient
from linear_icl.nonlinear import Architecture, Recipe, Tasks, Training
from linear_icl.nonlinear.__main__ import main
from linear_icl.nonlinear.answered import apart
from linear_icl.nonlinear.compared import between, distances
from linear_icl.nonlinear.engine import train
from linear_icl.nonlinear.recorded import RECORDS
from linear_icl.prompts import Prompts
from torch import Tensor


def recipe() -> Recipe:
    architecture = Architecture(2, 5, layers=1, heads=2, width=4, tokens="columns")
    return Recipe("tiny", "a test", architecture, Tasks(2, 4), Training(2, batch=4), seeds=2)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("linear_icl.nonlinear.recipes.RECIPES", {"tiny": recipe()})
    for seed in (0, 1):
        train(recipe(), seed, folder=tmp_path / f"tiny-{seed}")
    folder = tmp_path / "data"
    assert main(["tiny", "--answers", "--out", str(tmp_path), "--data", str(folder)]) == 0
    return folder


def silence(prompts: Prompts) -> Tensor:
    return torch.zeros_like(prompts.y_query)


def test_distances_are_those_of_the_comparison(written: Path, tmp_path: Path) -> None:
    """The same models, asked by `distances` and `between` at N/2, N and N + 1."""
    models = [train(recipe(), seed, folder=tmp_path / f"tiny-{seed}").model for seed in (0, 1)]
    law = recipe().tasks
    wanted = torch.tensor(distances(law, models, [2, 4, 5], fitted=100)["2 adaptive"])
    found = apart(lambda prompts: conjugate_gradient(prompts, 2), "tiny", written)
    assert found.lengths == [2, 4]
    assert torch.allclose(found.models, 50 * wanted[:, :2].double(), rtol=1e-4)
    pair = torch.tensor(between(law, models, [2, 4, 5]))
    assert torch.allclose(found.pairs, 50 * pair[:, :2].double(), rtol=1e-4)


def test_a_rule_sees_the_prompts_as_an_estimator_does(written: Path) -> None:
    seen: list[Prompts] = []

    def look(prompts: Prompts) -> Tensor:
        seen.append(prompts)
        return silence(prompts)

    apart(look, "tiny", written)
    assert [tuple(one.x.shape) for one in seen] == [(2048, 2, 2), (2048, 4, 2)]
    assert all(part.dtype == torch.float64 for one in seen for part in one)


def test_the_recorded_models_are_those_of_the_comparison() -> None:
    """Up to four digits, the distances in `compared/d20-fixed-again.json` of the same seeds."""
    record = json.loads((RECORDS / "compared/d20-fixed-again.json").read_text("utf-8"))
    answers = json.loads((RECORDS / "answers/d20-fixed.json").read_text("utf-8"))
    rows = [record["seeds"].index(seed) for seed in answers["seeds"]]
    at = [record["lengths"].index(M) for M in answers["lengths"]]
    found = apart(lambda prompts: conjugate_gradient(prompts, 8))
    wanted = 5 * torch.tensor(record["distances"]["8 adaptive"])[rows][:, at].double()
    assert torch.allclose(found.models, wanted, rtol=1e-3)
    pairs = [
        [*combinations(range(len(record["seeds"])), 2)].index(p) for p in combinations(rows, 2)
    ]
    wanted = 5 * torch.tensor(record["between"])[pairs][:, at].double()
    assert torch.allclose(found.pairs, wanted, rtol=2e-3)
    assert answers["trained_at"] == record["trained_at"]


def test_what_is_no_rule(written: Path) -> None:
    with pytest.raises(ValueError, match=r"for each of the 2048 prompts, got shape \(2048, 1\)"):
        apart(lambda prompts: silence(prompts)[:, None], "tiny", written)
    with pytest.raises(ValueError, match=r"with 2048 not finite, M = 2"):
        apart(lambda prompts: silence(prompts) / 0, "tiny", written)


def test_other_prompts_than_those_that_were_asked(written: Path) -> None:
    path = written / "answers/tiny.json"
    found = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(found | {"labels": found["answers"][0]}))
    with pytest.raises(ValueError, match=r"prompts must be those that the models were asked, got"):
        apart(silence, "tiny", written)


def test_answers_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"name must be that of recorded answers, got .*none.json"):
        apart(silence, "none", tmp_path)
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers/old.json").write_text(json.dumps({"recipe": {}, "seeds": []}))
    with pytest.raises(ValueError, match=r"old.json without trained_at, answered_at, lengths,"):
        apart(silence, "old", tmp_path)
