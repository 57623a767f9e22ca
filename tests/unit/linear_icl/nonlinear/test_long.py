"""The experiments at d = 20: what they are, their cost, their curves, one revision for all."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from linear_icl.estimators import ols
from linear_icl.nonlinear import Architecture, Tasks, Transformer, evaluate, flatness, recorded
from linear_icl.nonlinear.__main__ import main
from linear_icl.nonlinear._source import revision
from linear_icl.nonlinear.engine import train
from linear_icl.nonlinear.experiments import TRAINING
from linear_icl.nonlinear.hours import plan
from linear_icl.nonlinear.plan import WEIGHTS, Recipe, Training
from linear_icl.nonlinear.recipes import GROUPS, RECIPES

from tests.unit.common import seeded

SET = [RECIPES[name] for name in GROUPS["experiments"]]


def tiny(**change: Any) -> Recipe:
    architecture = Architecture(2, 4, layers=1, heads=1, width=8, tokens="columns")
    training = Training(12, batch=4, every=5, warmup=2)
    return Recipe("tiny", "a test", architecture, Tasks(2, 3), training, **change)


def test_every_arm_is_trained_alike_and_differs_in_one_thing() -> None:
    """One training for all but one; an arm at N = 40 has its family's model with what it says."""
    longer, base = RECIPES["d20-fixed-longer"], RECIPES["d20-fixed"]
    assert {one.training for one in SET if one is not longer} == {TRAINING}
    same = replace(longer, name=base.name, purpose=base.purpose, training=TRAINING, seeds=5)
    assert same == base and longer.training == replace(TRAINING, steps=3 * TRAINING.steps)
    assert {(one.tasks.dim, one.tasks.noise_variance) for one in SET} == {(20, 0.0)}
    by = {one.name.removeprefix("d20-"): one for one in SET}
    assert {one.tasks.length for one in SET} == {40, 70, 100}
    for family, law in (("fixed", "constant"), ("random", "exponential")):
        base = by[family]
        assert (base.tasks, base.seeds) == (Tasks(20, 40, law), 5)
        blocks = [by[f"{family}-{n}"].architecture for n in ("1-block", "2-blocks", "6-blocks")]
        assert [a.layers for a in (*blocks, base.architecture)] == [1, 2, 6, 3]
        assert all(replace(a, layers=3) == base.architecture for a in blocks)
        alone, linear = by[f"{family}-no-positions"], by[f"{family}-linear"]
        assert alone.architecture == replace(base.architecture, positions="none")
        assert linear.architecture == replace(base.architecture, attention="linear")
        for N in (70, 100):
            longer = by[f"{family}-{N}"]
            assert longer.tasks == replace(base.tasks, length=N) and longer.seeds == 3
    assert by["mean"].tasks == by["mean-no-mlp"].tasks == Tasks(20, 40, task_mean=3.0)


@pytest.mark.parametrize("name", ["fixed", "random", "mean"])
def test_without_perceptrons_there_are_as_many_parameters(name: str) -> None:
    """Within 0.2 %: no other even width is nearer."""
    full, without = (RECIPES[f"d20-{name}{end}"].architecture for end in ("", "-no-mlp"))
    assert not without.mlp and replace(without, mlp=True, width=full.width) == full

    def count(a: Architecture) -> int:
        return sum(p.numel() for p in Transformer(a).parameters())

    widths = (without.width - 2, without.width, without.width + 2)
    far = [abs(count(replace(without, width=w)) / count(full) - 1) for w in widths]
    assert min(far) == far[1] < 0.002


def test_the_grid_of_steps_is_logarithmic_and_ends_at_the_last() -> None:
    steps = sorted(RECIPES["d20-fixed"].curve_steps())
    assert steps[:4] == [1, 2, 3, 4] and steps[-1] == 10_000 and 40 <= len(steps) <= 50
    late = [b / a for a, b in pairwise(steps) if a > 100]
    assert late == pytest.approx([1e4 ** (1 / 49)] * len(late), rel=0.01)
    assert tiny().curve_steps() == frozenset()
    assert tiny(curve=2).curve_steps() == {1, tiny().training.steps}
    for bad, message in ((1, "curve must be 0 or >= 2, got 1"), (-1, "curve must be an integer")):
        with pytest.raises(ValueError, match=message):
            tiny(curve=bad)
    with pytest.raises(ValueError, match="seeds must be an integer >= 1, got 0"):
        tiny(seeds=0)


def test_looking_more_often_changes_no_weight_and_survives_a_kill(tmp_path: Path) -> None:
    plain, often = train(tiny(), 0), train(tiny(curve=4), 0)
    assert torch.equal(plain.fit.losses, often.fit.losses)
    assert [step for step, _ in often.fit.evaluations] == [0, 1, 2, 5, 10, 12]
    train(tiny(curve=4), 0, folder=tmp_path, enough=lambda line: line["step"] == 2)
    resumed = train(tiny(curve=4), 0, folder=tmp_path)
    assert torch.equal(resumed.fit.losses, often.fit.losses)
    risks = [[line["held_out"] for _, line in run.fit.evaluations] for run in (resumed, often)]
    assert risks[0] == risks[1]


def test_held_out_is_the_loss_of_training_on_fixed_prompts() -> None:
    run = train(tiny(), 0)
    x, y = Tasks(2, 3).sample(1024, generator=seeded(20_000))
    errors = (evaluate.at_every_point(run.model, x, y) - y).square().mean(0)
    line = run.fit.evaluations[-1][1]
    assert line["held_out"] == pytest.approx((errors * WEIGHTS["late"](4)).mean().item(), rel=1e-5)
    assert line["risk"] == pytest.approx(errors[-1].item(), rel=1e-5)


def test_flat_is_said_by_the_last_tenth() -> None:
    steps = [0, 50, 89, 90, 95, 100]
    assert flatness.fall(steps, [9.0, 9.0, 9.0, 4.0, 5.0, 3.0]) == pytest.approx(0.25)
    assert flatness.fall(steps, [9.0, 9.0, 9.0, 4.0, 5.0, 5.0]) == pytest.approx(-0.25)
    assert flatness.fall(steps, [0.0] * 6) == 0
    assert flatness.fall([90, 100], [4.0, 3.0]) == 0.25
    assert f"{flatness.FALL:.0%}" in flatness.RULE and f"{flatness.LAST:.0%}" in flatness.RULE
    for bad in ([95, 100], [0, 50, 100], [0]):
        with pytest.raises(ValueError, match="must be of one length, one step in the first 90%"):
            flatness.fall(bad, [1.0, 1.0])


def test_a_record_tells_how_it_was_trained_and_how_its_curves_end() -> None:
    runs = [train(tiny(curve=4), seed) for seed in (0, 1)]
    found = recorded.training(tiny(curve=4), runs)
    assert found["steps"] == [0, 1, 2, 5, 10, 12] and len(found["held_out"]) == 2
    assert found["rule"] == flatness.RULE
    excess = [risk - found["bayes"] for risk in found["risk"][1]]
    assert found["fall"][1] == pytest.approx(1 - excess[-1] / excess[-2])
    assert found["flat"][1] == (found["fall"][1] < flatness.FALL)
    said = found["how"]
    for part in (
        "12 steps of 4 prompts",
        "Muon (rate 0.01, momentum 0.9",
        "Adam (rate 0.01",
        "2 steps of warm-up, 1 to half, then to 0",
        "cut at norm 1",
        "no curriculum",
    ):
        assert part in said, part  # fmt: skip


def test_a_long_curve_keeps_some_lengths_and_their_risks() -> None:
    assert evaluate.grid(Tasks(5, 11), 36) == tuple(range(36)), "the small set keeps all"
    for N in (40, 70, 100):
        at = evaluate.grid(Tasks(20, N), 3 * (N + 1))
        assert at[0] == 0 and at[-1] == 3 * (N + 1) - 1 and len(at) < 50
        assert {1, 19, 20, 21, N - 1, N, N + 1, N + 2} < set(at)
    x, y = Tasks(3, 4).sample(6, 9, generator=seeded())
    at = (0, 2, 5)
    every = evaluate.estimator_at_every_point(ols, x, y, 0 * y[:, 0])
    some = evaluate.estimator_at_every_point(ols, x, y, 0 * y[:, 0], at)
    assert torch.equal(some, every[:, at])


def test_a_curve_on_a_grid_is_the_curve_at_those_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    made, net = tiny(), Transformer(tiny().architecture, generator=seeded())
    size: Any = {"covariances": 6, "each": 5}
    whole = evaluate.curves(made, [net], count=9, **size)
    monkeypatch.setattr(evaluate, "FEW", 4)
    some = evaluate.curves(made, [net], count=9, **size)
    at = some["fixed"]["lengths"]
    assert len(at) < 9 and whole["fixed"]["lengths"] == list(range(9))
    for name, test in some.items():
        for key, band in test["estimators"].items():
            expected = [whole[name]["estimators"][key]["mean"][M] for M in at]
            assert band["mean"] == pytest.approx(expected, rel=1e-9, abs=1e-12), (name, key)
    exact = whole["fixed"]["lsa_exact"]
    assert some["fixed"]["lsa_exact"] == [exact[M - 1] for M in at[1:]]


def repository(path: Path) -> Any:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        subprocess.run(["git", "-C", str(path), *who, *words], check=True, capture_output=True)

    (path / "lib/nonlinear/data").mkdir(parents=True)
    (path / "lib/source.py").write_text("1")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "source")
    return git


def test_one_revision_for_all_records_of_a_source(tmp_path: Path) -> None:
    """Neither records, written or committed, nor what stands outside the package change it."""
    git, package = repository(tmp_path), tmp_path / "lib"
    clean = revision(package)
    assert len(clean) == 12
    (package / "nonlinear/data/one.json").write_text("{}")
    (tmp_path / "page.md").write_text("")
    assert revision(package) == clean
    git("add", ".")
    git("commit", "-qm", "a record and a page")
    assert revision(package) == clean
    (package / "other.py").write_text("")
    assert revision(package) == f"{clean}+"
    git("add", ".")
    git("commit", "-qm", "other source")
    assert revision(package) not in (clean, f"{clean}+", "unknown")
    (tmp_path / "none").mkdir()
    (tmp_path / "none/.git").write_text("no repository")
    assert revision(tmp_path / "none") == "unknown"


def test_a_run_of_another_source_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tiny(), 0, folder=tmp_path)
    monkeypatch.setattr("linear_icl.nonlinear.engine.revision", lambda: "0123456789ab")
    with pytest.raises(ValueError, match=r"hold this run, got .* with revision=.* not '0123456789"):
        train(tiny(), 0, folder=tmp_path)


def test_the_plan_has_the_hours_of_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seconds of a step, here set, times steps and seeds; nothing is trained or written."""
    monkeypatch.setattr("linear_icl.nonlinear.hours.seconds_per_step", lambda recipe, device: 600.0)
    one, two = tiny(seeds=1), replace(tiny(), name="other", seeds=3)
    (tmp_path / "other.json").write_text("{}")
    lines = list(plan([one, two], tmp_path))
    assert lines[1].split() == ["tiny", "1", "12", "600.000", "2.00", "2.00"]
    assert lines[2].split() == ["other", "3", "12", "600.000", "6.00", "8.00", "recorded"]
    assert lines[3] == "8.0 CPU hours of training in all, 2.0 of them to go"
    monkeypatch.setattr("linear_icl.nonlinear.__main__.revision", lambda: "0123456789ab")
    words = ["experiments", "--plan", "--out", str(tmp_path / "runs")]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "revision 0123456789ab" in out and flatness.RULE in out and "torch.optim.Muon" in out
    assert all(name in out for name in GROUPS["experiments"]) and not (tmp_path / "runs").exists()
    monkeypatch.setattr("linear_icl.nonlinear.__main__.revision", lambda: "0123456789ab+")
    assert main(words) == 2
    assert "must be committed before it is recorded, got 0123456789ab+" in capsys.readouterr().err


def test_a_step_is_timed() -> None:
    from linear_icl.nonlinear.hours import seconds_per_step

    assert 0 < seconds_per_step(tiny(curve=4)) < 60
