"""The loop: that of training.fit, resumed bit by bit, the same on two processes; its optimiser."""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from linear_icl.nonlinear import Architecture, Curriculum, Tasks, Transformer
from linear_icl.nonlinear.engine import seeds, train
from linear_icl.nonlinear.optimizers import MuonAndAdam, split
from linear_icl.nonlinear.plan import WEIGHTS, Recipe, Training
from torch.testing import assert_close

from tests.unit.common import refuses, seeded

TINY = Architecture(2, 4, layers=1, heads=1, width=8, tokens="columns")


def recipe(**change: Any) -> Recipe:
    training = Training(**({"steps": 12, "batch": 8, "every": 5, "warmup": 2} | change))
    return Recipe("tiny", "to test the loop", TINY, Tasks(2, 3), training)


def weights(model: Transformer) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_it_is_the_plain_loop() -> None:
    """Written out: the same prompts, rates and steps give the same weights, bit by bit."""
    plan, own = recipe(), seeds(3)
    run, t = train(plan, 3), plan.training
    model, draw = Transformer(TINY, generator=seeded(own["weights"])), seeded(own["prompts"])
    rates = {"lr": t.learning_rate, "rest_lr": t.rest_rate}
    descent, losses = MuonAndAdam(model, **rates, momentum=t.momentum, betas=t.betas), []
    for k in range(12):
        x, y = plan.tasks.sample(8, generator=draw)
        loss = ((model(x, y) - y).square() * WEIGHTS["late"](4)).mean()
        for group, rate in zip(descent.param_groups, rates.values(), strict=True):
            group["lr"] = rate * t.factor(k)
        descent.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), t.clip)
        descent.step()
        losses.append(loss.item())
    assert run.fit.losses.tolist() == losses
    assert torch.equal(weights(run.model), weights(model))
    assert run.fit.losses.std() > 0 and run.seeds == own


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


class Killed(Exception):
    pass


def test_killed_in_the_middle_and_resumed_it_is_the_unbroken_run(tmp_path: Path) -> None:
    whole = recipe(curriculum=Curriculum(1, 2, every=4))
    unbroken = train(whole, 0, folder=tmp_path / "unbroken")

    def kill(line: dict[str, Any]) -> bool:
        if line["step"] == 5:
            raise Killed
        return False

    # The line of step 5 and its checkpoint are written before `kill` is asked; those steps of
    # 6 to 10 that a real kill would lose are never made.
    with pytest.raises(Killed):
        train(whole, 0, folder=tmp_path / "broken", enough=kill)
    resumed = train(whole, 0, folder=tmp_path / "broken")
    assert torch.equal(resumed.fit.losses, unbroken.fit.losses)
    assert torch.equal(weights(resumed.model), weights(unbroken.model))
    steps, risks = zip(*((s, line["risk"]) for s, line in resumed.fit.evaluations), strict=True)
    assert steps == (0, 5, 10, 12)
    assert risks == tuple(line["risk"] for _, line in unbroken.fit.evaluations)
    lines = lines_of(tmp_path / "broken")
    assert [line["step"] for line in lines] == [0, 5, 10, 12]
    again = train(whole, 0, folder=tmp_path / "broken")
    assert again.seconds == resumed.seconds, "a finished run is read"
    assert torch.equal(again.fit.losses, resumed.fit.losses)


def test_a_line_written_after_the_last_checkpoint_is_not_written_twice(tmp_path: Path) -> None:
    train(recipe(), 0, folder=tmp_path / "whole")
    train(recipe(), 0, folder=tmp_path / "cut", enough=lambda line: line["step"] == 5)
    late = (tmp_path / "whole/metrics.jsonl").read_text().splitlines()[2]
    with (tmp_path / "cut/metrics.jsonl").open("a") as file:
        file.write(late + "\n")
    train(recipe(), 0, folder=tmp_path / "cut")
    lines = lines_of(tmp_path / "cut")
    assert [line["step"] for line in lines] == [0, 5, 10, 12]


def half(path: Path) -> bytes:
    """The first half of the file, which is all that is left of it; what it was."""
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return whole


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "checkpoint.pt",
            r"checkpoint must be whole, got .*run/checkpoint.pt.* or delete it to tr",
        ),
        ("metrics.jsonl", r"must be whole, got .*run/metrics.jsonl with line 2 damaged; delete"),
        ("recipe.json", r"note of a run must be whole, got .*run/recipe.json, .*; put back a copy"),
    ],
)
def test_a_file_cut_in_half_is_named_and_nothing_is_lost(
    name: str, message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    train(recipe(), 0, folder=folder, enough=lambda line: line["step"] == 5)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    whole = half(folder / name)
    with pytest.raises(ValueError, match=message):
        train(recipe(), 0, folder=folder)
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {**after, name: whole} == before
    (folder / name).write_bytes(whole)
    assert len(train(recipe(), 0, folder=folder).fit.losses) == 12, "with a copy it goes on"


def test_without_its_checkpoint_a_run_starts_anew_and_keeps_its_lines(tmp_path: Path) -> None:
    first = train(recipe(), 0, folder=tmp_path / "run")
    half(tmp_path / "run/checkpoint.pt")
    (tmp_path / "run/checkpoint.pt").unlink()  # the cure that the error names
    again = train(recipe(), 0, folder=tmp_path / "run")
    assert torch.equal(again.fit.losses, first.fit.losses)
    assert [line["step"] for line in lines_of(tmp_path / "run")] == [0, 5, 10, 12]


def test_two_processes_have_the_losses_of_one(tmp_path: Path) -> None:
    """Gloo on a CPU; float32 sums in another order, so 1e-5 after twelve steps."""
    one = train(recipe(), 0)
    (tmp_path / "recipe").write_bytes(pickle.dumps(recipe()))
    script = (
        "import pickle, sys, torch\n"
        "from linear_icl.nonlinear.engine import train\n"
        "run = train(pickle.load(sys.stdin.buffer), 0, devices=2)\n"
        "assert torch.distributed.get_backend() == 'gloo'\n"
        "print(run.fit.losses.tolist())\n"
        "print([p.tolist() for p in run.model.parameters()][0])\n"
        "torch.distributed.destroy_process_group()\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Set, these make both processes start at once; unset, Lightning starts the second from the
    # first, which takes as long again.
    group = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1"}
    processes = []
    for rank in range(2):
        with (tmp_path / "recipe").open("rb") as given:
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-c", script],
                    env={**os.environ, **group, "LOCAL_RANK": str(rank)},
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
    for process in processes:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        losses, first = (torch.tensor(json.loads(line)) for line in out.splitlines()[-2:])
        assert_close(losses, one.fit.losses.float(), rtol=1e-5, atol=0)
        assert_close(first, next(one.model.parameters()), rtol=0, atol=1e-5)


def test_seeds_determine_the_run() -> None:
    first, again, other = (train(recipe(), seed).fit.losses for seed in (0, 0, 1))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_mixed_precision_is_near_the_whole_one() -> None:
    whole, mixed = (train(recipe(precision=p), 0).fit.losses for p in ("32-true", "bf16-mixed"))
    assert 0 < (mixed - whole).abs().max() < 0.02 * whole.max()  # bfloat16 has eight bits


def test_a_small_model_learns() -> None:
    """d = 1, β* = 3, so E y² = 10, of which 9 is the same line in every prompt."""
    architecture = replace(TINY, dim=1)
    training = Training(steps=100, batch=64, every=100, warmup=10)
    run = train(Recipe("small", "learns", architecture, Tasks(1, 3, task_mean=3.0), training), 0)
    (_, before), (_, after) = run.fit.evaluations
    assert before["risk"] > 0.9 * before["zero"] > 8 and after["bayes"] < 1e-9
    assert after["risk"] < 0.3 * after["zero"]
    assert before["loss"] is None and after["loss"] == pytest.approx(run.fit.losses.mean().item())


def test_schedules_and_weights() -> None:
    training = recipe(steps=100, warmup=10).training
    assert [training.factor(k) for k in (0, 9, 49, 75, 99)] == pytest.approx([0.1, 1, 1, 0.5, 0.02])
    for weigh in WEIGHTS.values():
        assert weigh(5).mean().item() == pytest.approx(1) and weigh(1).tolist() == [1.0]
    assert WEIGHTS["late"](3).tolist() == [0, 1, 2]


class Both(torch.nn.Module):
    """A matrix inside a block, and a vector outside."""

    def __init__(self, *shape: int) -> None:
        super().__init__()
        self.blocks = torch.nn.ParameterList([torch.zeros(shape)])
        self.write = torch.nn.Parameter(torch.zeros(5))


@pytest.mark.parametrize("shape", [(6, 4), (4, 6)])
def test_matrices_take_steps_of_one_size_and_the_rest_those_of_adam(shape: tuple[int, int]) -> None:
    """G = USVᵀ -> W - η√max(1, m/n) UTVᵀ with T within 0.65 to 1.25; without G nothing moves."""
    both, other = Both(*shape), torch.nn.Parameter(torch.zeros(5))
    p = both.blocks[0]
    optimizer = MuonAndAdam(both, lr=0.1, rest_lr=0.02, momentum=0.9, betas=(0.9, 0.99))
    adam = torch.optim.Adam([other], lr=0.02, betas=(0.9, 0.99))
    p.grad = torch.zeros_like(p)
    optimizer.step()
    assert (p == 0).all() and (both.write == 0).all(), "and no weight decay"
    p.grad = torch.randn(shape, generator=seeded(0))
    U, _, Vt = torch.linalg.svd(p.grad, full_matrices=False)
    optimizer.step()
    T = -U.mT @ p.detach() @ Vt.mT / (0.1 * max(1, shape[0] / shape[1]) ** 0.5)
    diagonal = T.diagonal()
    assert diagonal.min() > 0.65 and diagonal.max() < 1.25
    # bfloat16: a few of its 2^-8
    assert_close(T, diagonal.diag(), rtol=0, atol=2**-5)
    for k in range(5):
        both.write.grad = other.grad = torch.randn(5, generator=seeded(k))
        optimizer.step()
        adam.step()
    assert_close(both.write, other)


def test_every_parameter_of_a_transformer_has_its_optimiser() -> None:
    model = Transformer(TINY, generator=seeded(0))
    matrices, rest = split(model)
    assert {p.ndim for p in matrices} == {2}
    assert len(matrices) + len(rest) == len(list(model.parameters()))


test_improper_training = refuses(
    ({"steps": 0}, "steps must be an integer >= 1, got 0"),
    ({"warmup": 0}, "warmup must be an integer >= 1, got 0"),
    ({"weights": "early"}, "weights must be one of even, late"),
    ({"precision": "8-bit"}, "precision must be one of 32-true, bf16-mixed"),
    ({"learning_rate": -1.0}, "learning_rate must be > 0, got -1"),
    ({"clip": 0.0}, "clip must be > 0, got 0"),
    by=lambda change: recipe(**change),
)


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"empty or hold this run, got .* with other files"):
        train(recipe(), 0, folder=tmp_path)
    train(recipe(), 0, folder=tmp_path / "run")
    kept = (tmp_path / "run/metrics.jsonl").read_text()
    with pytest.raises(ValueError, match=r"with training.steps=12, not 13; choose another"):
        train(recipe(steps=13), 0, folder=tmp_path / "run")
    with pytest.raises(ValueError, match=r"with seeds.weights=0, not 1"):
        train(recipe(), 1, folder=tmp_path / "run")
    assert (tmp_path / "run/metrics.jsonl").read_text() == kept
    with pytest.raises(ValueError, match=r"must be one that can be written, got .*notes.txt"):
        train(recipe(), 0, folder=tmp_path / "notes.txt")


def test_progress_names_the_step(capsys: pytest.CaptureFixture[str]) -> None:
    train(recipe(), 0, progress=True)
    assert "tiny, seed 0: step 12/12  risk " in capsys.readouterr().err


EXPLOSIVE = {"learning_rate": 1e30}
test_runs_that_cannot_be = refuses(
    (
        lambda: Recipe("no", "", TINY, Tasks(2, 4), recipe().training),
        "points=5 as its tasks do, got",
    ),
    (lambda: train(recipe(**EXPLOSIVE), 0), r"finite, got .* lower learning_rate, 1e\+30"),
    (lambda: train(recipe(), 0, device="cuda:99"), "one that exists here, got 'cuda:99'"),
    (
        lambda: train(recipe(), 0, device="cpu:0", devices=2),
        "no index for several processes, got 'cpu:0' for 2 x 1",
    ),
)
