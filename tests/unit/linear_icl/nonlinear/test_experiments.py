"""Evaluation against closed forms, records in a round trip, the command and its errors."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from linear_icl.estimators import gradient_descent, ols
from linear_icl.lsa import LinearSelfAttention, limit_weights
from linear_icl.nonlinear import Architecture, Tasks, Transformer, evaluate, recorded
from linear_icl.nonlinear.__main__ import _arguments, _parser, _summary, main
from linear_icl.nonlinear.engine import Run, train
from linear_icl.nonlinear.plan import Recipe, Training
from linear_icl.nonlinear.recipes import GROUPS, RECIPES, changed, named
from linear_icl.nonlinear.tasks import points
from linear_icl.prompts import GaussianPrompts
from linear_icl.shifts import SHIFTS
from linear_icl.training import Fit
from torch import nn
from torch.testing import assert_close

from tests.unit.common import seeded

SIZE: Any = {"covariances": 6, "each": 5}


def recipe(**tasks: Any) -> Recipe:
    architecture = Architecture(3, 5, layers=1, heads=1, width=8, tokens="columns")
    return Recipe("tiny", "a test", architecture, Tasks(3, 4, **tasks), Training(2, batch=4))


class Silent(nn.Module):
    """A model that says 0 at every point."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(x[..., 0])


def test_the_bootstrap_covers_the_mean_of_correlated_errors() -> None:
    """e_kr = a_k + b_kr: the band's half width is 1.645 √(1/K + 1/(KR))-like, and 9 in 10 cover."""
    K, R, covered, widths = 40, 4, 0, []
    for trial in range(60):
        generator = seeded(trial)
        errors = torch.randn(K, 1, 1, generator=generator) + torch.randn(
            K, R, 1, generator=generator
        )
        band = evaluate.bands(errors, resamples=200, seed=1)
        assert band.mean.item() == pytest.approx(errors.mean().item(), abs=1e-6)
        covered += bool(band.low <= 0 <= band.high)
        widths.append((band.high - band.low).item() / 2)
    # Resampling prompts inside resampled covariances counts their spread twice.
    expected = 1.645 * math.sqrt(1 / K + 2 / (K * R))
    assert sum(widths) / 60 == pytest.approx(expected, rel=0.1)
    assert covered >= 48  # 60 x 0.9 = 54, standard deviation 2.3


def test_bands_of_a_constant_and_of_one_covariance() -> None:
    assert [float(end) for end in evaluate.bands(torch.full((3, 4), 2.0))] == pytest.approx([2] * 3)
    errors = torch.randn(1, 400, 1, generator=seeded())
    band = evaluate.bands(errors)
    assert (band.high - band.low).item() / 2 == pytest.approx(1.645 / 20, rel=0.15)
    for bad, level in ((torch.ones(3), 0.9), (torch.ones(3, 2), 1.0), (torch.ones(3, 2), 0.0)):
        with pytest.raises(ValueError, match=r"errors \(K, R, ...\) and a level in"):
            evaluate.bands(bad, level=level)


def test_the_limit_at_every_point_is_the_layer_on_each_prefix() -> None:
    tasks = Tasks(3, 4, parameters=(2.0,))
    A, Lambda = evaluate.preconditioner(tasks), 2 * torch.eye(3, dtype=torch.float64)
    layer = LinearSelfAttention(*limit_weights(Lambda, 4))
    prompts = GaussianPrompts(Lambda).sample(5, 6, generator=seeded())
    x, y = points(prompts)
    said = evaluate.lsa_at_every_point(A, x, y)
    assert (said[:, 0] == 0).all()
    assert_close(said[:, -1], layer.predict(prompts))
    shorter = prompts._replace(x=x[:, :2], y=y[:, :2], x_query=x[:, 2])
    assert_close(said[:, 2], layer.predict(shorter))
    one_sided = torch.tensor([[0.0, 1, 0], [0, 0, 2], [3, 0, 0]]).double()
    step = gradient_descent(prompts, 1, preconditioner=one_sided.mT)
    assert_close(evaluate.lsa_at_every_point(one_sided, x, y)[:, -1], step)
    every = evaluate.estimator_at_every_point(ols, x, y, y[:, 0])
    assert_close(every[:, 2], ols(shorter))
    assert torch.equal(every[:, 0], y[:, 0]), "in float64"
    # κI with κ = N m_2/((N+2) m_3 + (d-1) m_1 m_2), m = 1, 2, 6
    random = evaluate.preconditioner(Tasks(3, 4, law="exponential"))
    assert_close(random, torch.eye(3, dtype=torch.float64) * 8 / (36 + 4))


@pytest.mark.parametrize("law", ["constant", "exponential"])
def test_curves_hold_every_estimator_and_agree_with_the_exact_risks(law: str) -> None:
    made = recipe(law=law)
    found = evaluate.curves(made, [Silent(), Silent()], count=7, **SIZE)
    assert list(found) == ["fixed", "random_1", "random_4", "random_9"]
    for name, test in found.items():
        assert test["lengths"] == list(range(7)) and len(test["seeds"]) == 2
        assert set(test["estimators"]) == {"transformer", "zero", "ols", "lsa"}
        assert test["estimators"]["transformer"] == test["estimators"]["zero"] == test["seeds"][1]
        assert max(test["estimators"]["ols"]["mean"][3:]) < 1e-6, "least squares is exact from d on"
        assert (test["lsa_exact"] is None) == (law == "constant" and name != "fixed")
    c = [found[f"random_{c}"]["estimators"]["zero"]["mean"][0] for c in (1, 4, 9)]
    assert_close(torch.tensor(c), c[0] * torch.tensor([1.0, 4.0, 9.0]))


def test_the_limits_measured_risk_is_the_exact_one() -> None:
    """Fixed covariance, 4000 prompts: within four standard errors at each length, 3 % off not."""
    x, y = Tasks(3, 4).sample(40000, 6, generator=seeded())
    A = evaluate.preconditioner(Tasks(3, 4))
    errors = (evaluate.lsa_at_every_point(A, x, y) - y).square()[:, 1:]
    exact = torch.tensor(evaluate._exact(Tasks(3, 4), Tasks(3, 4), A, [1, 2, 3, 4, 5]))
    error = errors.std(0) / 200
    assert ((errors.mean(0) - exact).abs() < 4 * error).all() and (error < 0.03 * exact).all()


def test_around_a_mean_the_posterior_starts_at_it() -> None:
    found = evaluate.curves(recipe(task_mean=5.0), [Silent()], count=5, **SIZE)
    assert list(found) == ["training"]
    by = found["training"]["estimators"]
    assert set(by) == {"transformer", "zero", "ols", "bayes"}
    assert by["bayes"]["mean"][0] < 0.2 * by["zero"]["mean"][0]  # tr Λ = 3 against 78
    assert by["bayes"]["mean"][1] < by["bayes"]["mean"][0] < by["ols"]["mean"][1]
    assert evaluate.over_shifts(recipe(task_mean=5.0), []) == {}
    assert evaluate.over_shifts(RECIPES["d1-fixed"], []) == {}, "a half of one dimension is none"


def test_risks_at_the_query_are_those_of_the_curves_on_other_prompts() -> None:
    """4000 prompts a side of fixed covariance: within four deviations of each other, and exact."""
    size: Any = {"covariances": 1000, "each": 4}
    many = evaluate.at_query(recipe(), [Silent()], **size)
    curve = evaluate.curves(recipe(), [Silent()], count=5, **size)
    assert list(many) == list(curve)
    for name, one in many.items():
        assert one["length"] == 4 and one["seeds"] == [one["estimators"]["zero"]]
        assert one["estimators"]["ols"]["mean"] < 1e-6
        exact = curve[name]["lsa_exact"]
        assert one["lsa_exact"] == (None if exact is None else exact[3])
    there, here = many["fixed"]["estimators"], curve["fixed"]["estimators"]
    for key in ("zero", "lsa"):
        deviation = (there[key]["high"] - there[key]["low"]) / 3.29
        assert abs(there[key]["mean"] - here[key]["mean"][4]) < 4 * 1.5 * deviation
    assert abs(there["lsa"]["mean"] - many["fixed"]["lsa_exact"]) < 4 * deviation
    around = evaluate.at_query(recipe(task_mean=5.0), [Silent()], **SIZE)["training"]
    assert set(around["estimators"]) == {"transformer", "zero", "ols", "bayes"}


def test_noise_is_for_the_shifts() -> None:
    with pytest.raises(ValueError, match="noise_variance must be 0 for a curve over prefixes, got"):
        evaluate.sample(Tasks(2, 3, noise_variance=0.1), 3)


def test_every_shift_of_chapter_4_is_measured() -> None:
    """The limit's measured risk is the exact one, by its interval widened to four deviations."""
    found = evaluate.over_shifts(recipe(), [Silent()], batch=4000)
    assert set(found) == set(SHIFTS)
    assert [name for name, shift in found.items() if shift["length"] != 4] == ["orthogonal_query"]
    for name, shift in found.items():
        lsa, zero = shift["estimators"]["lsa"], shift["estimators"]["zero"]
        deviation = (lsa["high"] - lsa["low"]) / 3.29
        assert abs(lsa["mean"] - shift["lsa_exact"]) < 4 * deviation, name
        assert shift["seeds"] == [zero] and shift["estimators"]["transformer"] == zero


def made(tmp_path: Path) -> tuple[Recipe, list[Run], dict[str, Any]]:
    small = recipe()
    runs = [train(small, seed) for seed in (0, 1)]
    curves = evaluate.curves(small, [run.model for run in runs], count=4, **SIZE)
    return small, runs, recorded.record(small, runs, "cpu", curves=curves, query={}, shifts={})


def test_a_record_survives_the_round_trip(tmp_path: Path) -> None:
    small, runs, result = made(tmp_path)
    path = recorded.write(tmp_path / "deep/tiny.json", result)
    found = recorded.read(path)
    assert set(found) == set(recorded.KEYS)
    assert found["recipe"] == json.loads(json.dumps(small.record()))
    p = found["provenance"]
    assert [own["weights"] for own in p["seeds"]] == [0, 1] and p["torch"] == torch.__version__
    assert len(p["seconds"]) == 2 and p["device"].startswith("cpu: ") and p["revision"]
    assert found["training"]["steps"] == [0, 2]
    assert found["training"]["risk"][1][1] == pytest.approx(
        runs[1].fit.evaluations[-1][1]["risk"], rel=1e-3
    )
    mean = result["curves"]["fixed"]["estimators"]["lsa"]["mean"]
    assert found["curves"]["fixed"]["estimators"]["lsa"]["mean"] == pytest.approx(mean, rel=1e-3)
    with pytest.raises(ValueError, match=r"path must be free, got .*tiny.json, which holds"):
        recorded.write(path, result)
    recorded.write(path, {**result, "purpose": "other"}, replace=True)
    assert recorded.read(path)["purpose"] == "other"


def test_records_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"path must be a record, got .*; `make experiments-small"):
        recorded.read(tmp_path / "none.json")
    for damage in (b'{"schema": 1, "rec', b"\xff\xfe"):  # cut; no text
        (tmp_path / "cut.json").write_bytes(damage)
        with pytest.raises(ValueError, match=r"a record, got .*cut.json: .*; `make experiments-"):
            recorded.read(tmp_path / "cut.json")
    (tmp_path / "old.json").write_text('{"schema": 0}')
    with pytest.raises(ValueError, match=r"got old.json without recipe, purpose, provenance"):
        recorded.read(tmp_path / "old.json")
    complete: dict[str, Any] = {key: {} for key in recorded.KEYS}
    with pytest.raises(ValueError, match=r"must have schema 1 .* got x.json of schema 2"):
        recorded.write(tmp_path / "x.json", {**complete, "schema": 2})
    with pytest.raises(ValueError, match="must be below 60000 bytes, got"):
        recorded.write(tmp_path / "x.json", {**complete, "schema": 1, "purpose": "a" * 60000})
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match=r"path must be writable, got .*; choose another"):
        recorded.write(tmp_path / "file/x.json", {**complete, "schema": 1})
    assert (tmp_path / "file").read_text() == "mine"


def test_recipes_can_be_built_named_and_changed() -> None:
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(RECIPES)
    for one in RECIPES.values():
        json.dumps(one.record())
    assert named("fixed") == (RECIPES["fixed"],) and len(named("paper")) == 6
    assert changed(RECIPES["fixed"]) is RECIPES["fixed"]
    assert changed(RECIPES["fixed"], steps=7).training.steps == 7
    big = RECIPES["paper-random-100"]
    steps, plan = big.training.steps, big.training.curriculum
    assert plan is not None and plan.at(steps // 2, big.tasks) == (20, 101), "full size by half"


def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command with one model small enough for a test."""
    table = {"tiny": replace(recipe(), name="tiny", seeds=2)}
    monkeypatch.setattr("linear_icl.nonlinear.recipes.RECIPES", table)
    command = "linear_icl.nonlinear.__main__"
    monkeypatch.setattr(f"{command}.curves", partial(evaluate.curves, **SIZE))
    monkeypatch.setattr(f"{command}.at_query", partial(evaluate.at_query, **SIZE))
    monkeypatch.setattr(f"{command}.over_shifts", partial(evaluate.over_shifts, batch=40))


def test_the_command_trains_evaluates_and_records_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny(monkeypatch)
    words = ["tiny", "--seed", "0", "5", "--out", str(tmp_path / "runs")]
    assert main(words) == 0
    out = capsys.readouterr()
    assert "tiny: excess over Bayes" in out.out and "NOT CONVERGED" in out.out
    assert "tiny, seed 5: step 2/2" in out.err
    path = tmp_path / "runs/records/tiny.json"
    found = recorded.read(path)
    assert [own["weights"] for own in found["provenance"]["seeds"]] == [0, 5]
    assert set(found["shifts"]) == set(SHIFTS)
    before = path.read_text()
    assert main([*words, "--quiet"]) == 2, "a record is not overwritten"
    assert "the record must not be there yet, got" in capsys.readouterr().err
    assert path.read_text() == before
    assert main([*words, "--quiet", "--replace"]) == 0
    again = recorded.read(path)
    assert again["curves"] == found["curves"] and again["training"] == found["training"]
    assert main([*words, "--quiet", "--replace", "--steps", "3"]) == 2, "another run's folder"
    assert "training.steps=2, not 3" in capsys.readouterr().err
    for option in ("batch", "every"):
        assert main([*words, "--quiet", "--replace", f"--{option}", "7"]) == 2
        said = capsys.readouterr().err
        assert f"training.{option}=" in said and ", not 7" in said


def test_without_seeds_the_command_takes_those_of_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(monkeypatch)
    assert main(["tiny", "--quiet", "--out", str(tmp_path)]) == 0
    found = recorded.read(tmp_path / "records/tiny.json")
    assert [own["weights"] for own in found["provenance"]["seeds"]] == [0, 1]


def test_the_command_does_by_default_what_its_help_says() -> None:
    """(…) at the end of an option's help; three seeds for a recipe, as the chapter has."""
    found = vars(_arguments(["fixed"]))
    assert found["seed"] is None and RECIPES["fixed"].seeds == 3
    assert not (found["replace"] or found["quiet"] or found["plan"])
    helped = {action.dest: action.help or "" for action in _parser()._actions}
    said = {
        name: told[1] for name, text in helped.items() if (told := re.search(r"\((.*)\)$", text))
    }
    assert said.pop("data") == "OUT/records" and found["data"] is None
    assert {"out", "device", "devices", "nodes", "threads"} == set(said)
    for name, default in said.items():
        value = found[name]
        assert " ".join(map(str, value if isinstance(value, list) else [value])) == default, name
    assert [found[name] for name in ("steps", "batch", "every")] == [None] * 3


@pytest.mark.parametrize(("share", "converged"), [(0.099, True), (0.101, False)])
def test_ten_per_cent_above_bayes_is_not_converged(
    share: float, converged: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the worst seed, over Bayes and as a share of the risk without context, here 3."""
    ends = [{"risk": 0.5 + 3 * one, "bayes": 0.5} for one in (0.01, share)]
    fits = [Fit(torch.zeros(2), ((0, {}), (2, end))) for end in ends]
    runs = [Run(Transformer(recipe().architecture), fit, 1.0, 1.0) for fit in fits]
    assert recipe().tasks.blind_risk == 3
    _summary(recipe(), runs, tmp_path, [True, False])
    said = capsys.readouterr().out
    assert f"1.0 %, {100 * share:.1f} % of the risk without context" in said
    assert "; 1 of 2 curves flat; " in said
    assert ("NOT CONVERGED: 10 % or more" in said) is not converged


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in (*RECIPES, *GROUPS))
    assert main(["small", "--list"]) == 0
    assert capsys.readouterr().out.split() == list(GROUPS["small"])
    (tmp_path / "file").write_text("mine")
    out = str(tmp_path / "out")
    for words, message in (
        (["gpt"], "nonlinear: name must be one of fixed, random"),
        (["fixed", "--threads", "0"], "threads must be an integer >= 1, got 0"),
        (["fixed", "--steps", "0"], "steps must be an integer >= 1, got 0"),
        (["fixed", "--device", "tpu", "--out", out], "device must be one that exists here"),
        (["fixed", "--out", str(tmp_path / "file/x")], "folder must be one that can be written"),
        (["fixed", "--devices", "0", "--out", out], "devices must be an integer >= 1, got 0"),
    ):
        assert main([*words, "--quiet"]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([])
    assert "a name is needed; --list shows the recipes" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"
