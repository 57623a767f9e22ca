"""Weights of finished runs: written, read, and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from linear_icl.nonlinear import Architecture, Recipe, Tasks, Training, weights
from linear_icl.nonlinear.__main__ import main
from linear_icl.nonlinear.engine import train
from linear_icl.nonlinear.recorded import RECORDS, read


def recipe() -> Recipe:
    architecture = Architecture(1, 4, layers=1, heads=2, width=4, tokens="columns")
    return Recipe("tiny", "a test", architecture, Tasks(1, 3), Training(2, batch=4), seeds=2)


def test_the_command_writes_the_weights_of_finished_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = recipe()
    monkeypatch.setattr("linear_icl.nonlinear.recipes.RECIPES", {"tiny": own})
    words = ["tiny", "--weights", "--out", str(tmp_path), "--data", str(tmp_path / "data")]
    assert main(words) == 2
    assert "out must hold the run of seed 0, got no" in capsys.readouterr().err
    runs = [train(own, seed, folder=tmp_path / f"tiny-{seed}") for seed in (0, 1)]
    assert main(words) == 0
    found = weights.read("tiny", tmp_path / "data")
    assert found["seeds"] == [0, 1] and found["recipe"]["training"]["steps"] == 2
    models = weights.models("tiny", tmp_path / "data")
    for model, run in zip(models, runs, strict=True):
        assert not model.training
        for name, value in run.model.state_dict().items():
            assert torch.equal(model.state_dict()[name], value), name
    assert main([*words, "--seed", "1"]) == 0
    assert weights.read("tiny", tmp_path / "data")["float32"] == found["float32"][1:]
    longer = replace(own, training=replace(own.training, steps=3))
    monkeypatch.setattr("linear_icl.nonlinear.recipes.RECIPES", {"tiny": longer})
    assert main(words) == 2
    assert "the run must be finished, got" in capsys.readouterr().err


def test_weights_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"name must be that of recorded weights, got .*none.json"):
        weights.read("none", tmp_path)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights/old.json").write_text(json.dumps({"recipe": {}, "seeds": []}))
    with pytest.raises(ValueError, match=r"old.json without trained_at, shapes, float32; write"):
        weights.read("old", tmp_path)


def test_recorded_weights_have_the_recorded_risk() -> None:
    """On prompts of their own: the risks at N in the record, within four deviations."""
    record = read(RECORDS / "d1-fixed.json")
    x, y = Tasks(1, 8).sample(4000, generator=7)
    for model, told in zip(
        weights.models("d1-fixed"), record["query"]["fixed"]["seeds"], strict=True
    ):
        with torch.no_grad():
            errors = (model(x, y) - y)[:, -1].double().square()
        deviation = float(errors.std()) / 4000**0.5 + (told["high"] - told["low"]) / 3.29
        assert abs(float(errors.mean()) - told["mean"]) < 4 * deviation
