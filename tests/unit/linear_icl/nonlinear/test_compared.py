"""Algorithms against closed forms, distances of models that are algorithms, and the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from linear_icl.estimators import gradient_descent, ols
from linear_icl.nonlinear import Architecture, Recipe, Tasks, Training, Transformer
from linear_icl.nonlinear.__main__ import main
from linear_icl.nonlinear.compared import (
    ADAPTIVE,
    FITTED,
    INSIDE,
    NEWTON,
    PROMPTS,
    STEPS,
    TO,
    Readout,
    Truth,
    between,
    beyond,
    blank,
    distances,
    edge,
    lent,
    misplaced,
    misplaced_otherwise,
    mixtures,
    newton,
    one_by_one,
    placed,
    plain_steps,
    quieter,
    spread,
    spread_out,
    told,
)
from linear_icl.nonlinear.evaluate import estimator_at_every_point
from linear_icl.prompts import GaussianPrompts, Prompts
from torch import Tensor, nn
from torch.testing import assert_close

from tests.unit.common import seeded


def drawn(seed: int, B: int = 60, N: int = 9) -> Prompts:
    return GaussianPrompts(torch.eye(3).double()).sample(B, N, generator=seeded(seed))


@pytest.mark.parametrize("k", [0, 1, 3])
def test_newton_squares_the_residual_at_each_step(k: int) -> None:
    """X_k m = S⁻¹(I - (I - SX_0)^{2^k}) m, by eigenvalues."""
    prompts = drawn(1)
    S = prompts.x.mT @ prompts.x / 9
    values, Q = torch.linalg.eigh(S)
    left = (1 - values.square() / values[:, -1:].square()) ** (2**k)
    m = Q.mT @ (prompts.x * prompts.y.unsqueeze(-1)).mean(1, keepdim=True).mT
    w = (Q @ (((1 - left) / values).unsqueeze(-1) * m)).squeeze(-1)
    assert_close(newton(prompts, k), (prompts.x_query * w).sum(-1))


def test_newton_ends_at_least_squares_and_counts_its_steps() -> None:
    prompts = drawn(2)
    assert_close(newton(prompts, 40), ols(prompts))
    with pytest.raises(ValueError, match="steps must be an integer >= 1, got -1"):
        newton(prompts, -1)


def test_plain_steps_have_the_best_coefficients() -> None:
    """No fixed step sizes do better on the prompts of the fit; d steps are least squares there."""
    prompts = drawn(3, B=400)

    def risk(said: torch.Tensor) -> float:
        return float((said - prompts.y_query).square().mean())

    own = [risk(plain_steps(prompts, n, fitted_on=prompts)) for n in (1, 2, 3)]
    assert own[0] > own[1] > own[2]
    for size in (0.5, 0.8, 1.0):
        assert own[1] < risk(gradient_descent(prompts, steps=2, step_size=size))
    one = prompts._replace(x=prompts.x[:1], y=prompts.y[:1], x_query=prompts.x_query[:1])
    one = one._replace(y_query=prompts.y_query[:1])
    assert_close(
        plain_steps(one, 2, fitted_on=prompts), plain_steps(prompts, 2, fitted_on=prompts)[:1]
    )


class LeastSquares(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return estimator_at_every_point(ols, x, y, torch.zeros_like(y[:, 0])).to(x)


class Silent(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(y)


def stirred() -> Transformer:
    """A model to whose answers every example matters, and where it stands."""
    model = Transformer(recipe().architecture, generator=3)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(3 * torch.randn(p.shape, generator=seeded(p.numel())))
    return model


def recipe() -> Recipe:
    architecture = Architecture(3, 9, layers=1, heads=1, width=8, tokens="columns")
    return Recipe("fixed", "a test", architecture, Tasks(3, 8), Training(2, batch=4))


def test_a_model_that_is_an_algorithm_has_no_distance_from_it() -> None:
    found = distances(recipe().tasks, [LeastSquares(), Silent()], [2, 8], count=200)
    names = [f"{n} plain" for n in STEPS] + [f"{n} adaptive" for n in ADAPTIVE]
    names += [f"{k} Newton" for k in NEWTON]
    assert list(found)[: len(names)] == names and list(found)[-1] == "truth"
    assert max(found["least squares"][0]) < 1e-8 and found["truth"][0][1] < 1e-8
    assert found["1 plain"][0][1] > found["8 plain"][0][1], "more steps come nearer"
    assert found["truth"][1] == pytest.approx([3, 3], rel=0.35), "silence has the risk d"


def test_the_distances_of_the_truth_are_the_risks_of_the_algorithms() -> None:
    """One plain step on I leaves d(d+1)/(M+d+1); least squares leaves d - M, and nothing beyond."""
    found = distances(recipe().tasks, [Truth()], [2, 8], count=3000, fitted=3000)
    assert found["1 plain"][0] == pytest.approx([3 * 4 / 6, 3 * 4 / 12], rel=0.1)
    assert found["least squares"][0] == pytest.approx([1, 0], rel=0.15, abs=1e-8)
    assert found["truth"][0] == [0, 0]


def test_pairs_of_models_are_as_far_apart_as_they_say() -> None:
    """Silence is as far from least squares as its own distances say; two that agree are at zero."""
    found = between(recipe().tasks, [LeastSquares(), Silent(), LeastSquares()], [2, 8], count=200)
    far = distances(recipe().tasks, [Silent()], [2, 8], count=200)["least squares"][0]
    assert found == [pytest.approx(far), [0, 0], pytest.approx(far)]
    with pytest.raises(ValueError, match="models must be at least two, got 1"):
        between(recipe().tasks, [Silent()], [2])


@pytest.mark.parametrize(("tokens", "rows"), [("columns", [4]), ("interleaved", [7, 8])])
def test_beyond_training_points_are_lent_the_last_trained_row(tokens: str, rows: list[int]) -> None:
    """With four examples; a label beyond has the row of the last label that was trained."""
    model = Transformer(Architecture(3, 9, layers=1, heads=1, width=8, tokens=tokens))
    before, trained = model.positions.clone(), rows[-1] + 1
    table = lent(model, 4).positions
    assert torch.equal(table[:trained], before[:trained])
    for k, row in enumerate(rows):
        own = before[row].expand_as(table[trained + k :: len(rows)])
        assert torch.equal(table[trained + k :: len(rows)], own)
    assert torch.equal(model.positions, before), "the model itself is left alone"


@pytest.mark.parametrize("copied", [lent, blank])
def test_no_position_is_lent_where_none_is_learned(copied: Callable[..., object]) -> None:
    model = Transformer(Architecture(3, 9, layers=1, heads=1, width=8, positions="none"))
    with pytest.raises(ValueError, match="positions must be learned, got none"):
        copied(model, 4)


@pytest.mark.parametrize(("tokens", "trained"), [("columns", 5), ("interleaved", 9)])
def test_blank_positions_begin_after_the_query(tokens: str, trained: int) -> None:
    model = Transformer(Architecture(3, 9, layers=1, heads=1, width=8, tokens=tokens))
    before, table = model.positions.clone(), blank(model, 4).positions
    assert torch.equal(table[:trained], before[:trained])
    assert not table[trained:].any() and len(table) > trained
    assert torch.equal(model.positions, before), "the model itself is left alone"


@pytest.mark.parametrize(("tokens", "step"), [("columns", 1), ("interleaved", 2)])
def test_positions_are_spread_evenly_over_more_examples(tokens: str, step: int) -> None:
    """Three trained examples over five: 1, 1, 2, 2, 3; a label goes with its point."""
    model = Transformer(Architecture(3, 9, layers=1, heads=1, width=8, tokens=tokens))
    before, table = model.positions.clone(), spread(model, 3, 5).positions
    for k, own in enumerate([0, 0, 1, 1, 2]):
        assert torch.equal(
            table[step * k : step * k + step], before[step * own : step * own + step]
        )
    assert torch.equal(table[5 * step], before[3 * step]), "the query's"
    assert torch.equal(model.positions, before), "the model itself is left alone"
    drawn = recipe().tasks.sample(5, 4, generator=1)
    assert_close(spread(model, 3, 3)(*drawn), model(*drawn), rtol=0, atol=0)


@pytest.mark.parametrize(
    ("positions", "count", "message"),
    [
        ("none", 5, "positions must be learned, got none"),
        ("learned", 36, "rows must be at most 36, from 0 to 35, got 37"),
    ],
)
def test_what_cannot_be_spread_says_why(positions: str, count: int, message: str) -> None:
    model = Transformer(Architecture(3, 9, layers=1, heads=1, width=8, positions=positions))
    with pytest.raises(ValueError, match=message):
        spread(model, 4, count)


def test_spread_positions_are_asked_of_queries_after_so_many_examples() -> None:
    model = Transformer(replace(recipe().architecture, capacity=17), generator=3)
    with torch.no_grad():
        model.positions.add_(3 * torch.randn(17, 8, generator=seeded(4)))
    found = spread_out(recipe(), [model], count=200)
    assert found["spread"][0][0] == pytest.approx(found["own"][0][0], rel=1e-3)
    x, y = recipe().tasks.sample(200, 17, generator=80_000)
    with torch.no_grad():
        off = spread(model, 8, 13)(x[:, :14], y[:, :14])[:, -1] - y[:, 13]
    assert found["spread"][0][5] == pytest.approx(float(off.square().mean()), rel=1e-3)
    with torch.no_grad():
        off = blank(model, 8)(x[:, :14], y[:, :14])[:, -1] - y[:, 13]
    assert found["blank"][0][5] == pytest.approx(float(off.square().mean()), rel=1e-3)


@pytest.mark.parametrize(
    ("places", "rows"),
    [(0, [0, 1, 2, 3, 4]), (2, [0, 0, 0, 1, 4]), (-1, [1, 2, 3, 3, 4]), (9, [0, 0, 0, 0, 4])],
)
def test_examples_are_told_other_places_and_the_query_its_own(places: int, rows: list[int]) -> None:
    assert told(4, places) == rows


@pytest.mark.parametrize(("tokens", "step"), [("columns", 1), ("interleaved", 2)])
def test_each_point_has_the_position_of_its_row(tokens: str, step: int) -> None:
    """The last is a query: the row of its label is as it was, and so are all later ones."""
    model = Transformer(Architecture(3, 9, layers=1, heads=1, width=8, tokens=tokens))
    before, table = model.positions.clone(), placed(model, [2, 0, 5]).positions
    for k, own in enumerate([2, 0]):
        for part in range(step):
            assert torch.equal(table[step * k + part], before[step * own + part])
    assert torch.equal(table[2 * step], before[5 * step])
    assert torch.equal(table[2 * step + 1 :], before[2 * step + 1 :])
    assert torch.equal(model.positions, before), "the model itself is left alone"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "rows must have an entry for each point, got none"),
        ([0, -1], "rows must be at most 9, from 0 to 8, got 2 from -1 to 0"),
        ([0, 9], "got 2 from 0 to 9"),
        ([0] * 10, "got 10 from 0 to 0"),
    ],
)
def test_a_position_that_is_not_there_says_so(rows: list[int], message: str) -> None:
    model = Transformer(
        Architecture(3, 9, capacity=9, layers=1, heads=1, width=8, tokens="columns")
    )
    with pytest.raises(ValueError, match=message):
        placed(model, rows)


def test_told_examples_are_asked_on_the_prompts_of_the_edge() -> None:
    """With its own places a model has the shares of `edge`; the query alone is no example."""
    model = stirred()
    found, known = misplaced(recipe(), [model], count=200), edge(recipe(), [model], count=200)
    own = found["places"].index(0)
    assert found["stretched"][0][own] == known["stretched"][0][known["to"].index(6)]
    assert found["apart"][0][own] == known["apart"][0][known["ratios"].index(7)]
    assert found["random"][0][own] == known["shrunk"]["as drawn"][0]
    x, y = recipe().tasks.sample(200, 9, generator=70_000)
    for which, rows in (
        (found, [0, 0, 0, 1, 2, 3, 4, 5, 8]),
        (found["question"], [*range(8), 6]),
        (found["both"], [0, 0, 0, 1, 2, 3, 4, 5, 6]),
    ):
        with torch.no_grad():
            off = placed(model, rows)(x, y)[:, -1] - y[:, -1]
        share = float(off.square().mean() / y[:, -1].square().mean())
        earlier = own + 2 if which is found else 1
        assert which["unchanged"][0][earlier] == pytest.approx(share, rel=1e-3)


def test_answers_one_by_one_are_those_whose_shares_are_on_record() -> None:
    model = stirred()
    found, known = one_by_one(recipe(), model, count=200), misplaced(recipe(), [model], count=200)
    for law, places in (("unchanged", [0]), ("stretched", found["places"])):
        label = torch.tensor(found[law]["label"])
        for k, said in zip(places, torch.tensor(found[law]["answers"]), strict=True):
            share = float((said - label).square().mean() / label.square().mean())
            assert known[law][0][known["places"].index(k)] == pytest.approx(share, rel=2e-3)


def test_the_controls_place_examples_as_they_say() -> None:
    model = stirred()
    found = misplaced_otherwise(recipe(), [model], count=200)
    x, y = recipe().tasks.sample(200, 9, generator=70_000)
    few = recipe().tasks.sample(200, 5, generator=70_000)
    for name, rows, asked in (
        ("exchanged", [1, 0, 3, 2, 5, 4, 7, 6, 8], (x, y)),
        ("thrice", [0, 0, 0, 3, 4, 5, 6, 7, 8], (x, y)),
        ("late", [0, 1, 0, 1, 2, 3, 4, 5, 8], (x, y)),
        ("first", [0, 0, 2, 3, 4, 5, 6, 7, 8], (x, y)),
        ("last", [0, 1, 2, 3, 4, 5, 4, 5, 8], (x, y)),
        ("dropped", [0, 1, 2, 3, 4, 5, 6], (x[:, 2:], y[:, 2:])),
        ("spread 0.75", [0, 0, 1, 2, 3, 3, 4, 5, 8], (x, y)),
        ("half", [0, 1, 2, 3, 4], few),
        ("half of N", [0, 2, 4, 6, 8], few),
    ):
        with torch.no_grad():
            off = placed(model, rows)(*asked)[:, -1] - asked[1][:, -1]
        share = float(off.square().mean() / asked[1][:, -1].square().mean())
        assert found[name]["unchanged"] == [[pytest.approx(share, rel=1e-3)]], name
    known = edge(recipe(), [model], count=200)["louder"][0]
    assert found["louder"][0][0] == pytest.approx(known[TO[::2].index(6.0)], rel=1e-3)
    assert abs(found["louder"][0][1] - found["louder"][0][0]) > 0.1


def test_least_squares_answers_in_full_along_the_stretched_axis() -> None:
    """And positions that it does not read change nothing."""

    class Told(Transformer):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            said: torch.Tensor = LeastSquares()(x, y)
            return said

    found = misplaced(recipe(), [Told(recipe().architecture)], count=200)
    assert found["along"][0] == pytest.approx([1] * len(found["places"]), abs=1e-5)
    assert max(found["unchanged"][0]) < 1e-6


def test_lent_positions_matter_beyond_the_length_of_training_only() -> None:
    model = Transformer(replace(recipe().architecture, capacity=17), generator=3)
    with torch.no_grad():
        model.positions[9:] += 3 * torch.randn(8, 8, generator=seeded(4))
    found = beyond(recipe(), [model], count=200)
    assert found["lengths"] == [*range(8, 17)]
    assert found["own"][0][0] == found["lent"][0][0]
    assert all(a != b for a, b in zip(found["own"][0][1:], found["lent"][0][1:], strict=True))


def test_the_readout_of_all_blocks_does_no_worse_than_the_models_own() -> None:
    """On the points of its fit, at every length, in batches or not; of fewer blocks it differs."""
    model = Transformer(replace(recipe().architecture, layers=2), generator=3)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.3 * torch.randn(p.shape, generator=seeded(p.numel())))
    drawn = recipe().tasks.sample(600, 9, generator=5)
    one, two = (Readout(model, k, drawn)(*drawn) for k in (1, 2))
    risk, own = ((said - drawn.y).square().mean(0) for said in (two, model(*drawn)))
    assert (risk <= own + 1e-6).all() and (risk < own - 1e-3).any()
    assert not torch.allclose(one, two, rtol=0.1)
    with pytest.raises(ValueError, match="blocks must be at most the 2 of the model, got 3"):
        Readout(model, 3, drawn)


def test_a_readout_finds_what_one_block_was_built_to_say() -> None:
    """The layer of the book as a block, with another last map: the readout undoes that."""
    plain = Architecture(2, 9, layers=1, heads=1, width=3, mlp=False, norm=False)
    plain = replace(plain, positions="none", attention="linear", tokens="columns")
    model, one = Transformer(plain), torch.eye(3)
    with torch.no_grad():
        for p in model.parameters():
            p.zero_()
        block: Any = model.blocks[0]
        model.read.weight.copy_(one)
        block.query.copy_(3**0.5 * one)
        for p in (block.key, block.value, block.out.weight):
            p.copy_(one)
        model.write.weight.copy_(torch.tensor([[0.3, -1.0, 0.2]]))
    fit, new = (Tasks(2, 8).sample(4000, 9, generator=seed) for seed in (1, 2))
    said = Readout(model, 1, fit)(*new)[:, -1]
    step = 8 / 11 * ((new.y[:, :8, None] * new.x[:, :8]).mean(1) * new.x[:, -1]).sum(-1)
    apart = (said - step).square().mean() / step.square().mean()
    assert apart < 0.02, "four numbers found on 4000 prompts"


def test_coefficients_from_too_few_prompts_show_in_the_distance() -> None:
    """Four plain steps fitted on six prompts stray from least squares; Newton is not fitted."""
    few, many = (
        distances(recipe().tasks, [LeastSquares()], [8], count=200, fitted=n) for n in (6, 3000)
    )
    assert few["4 plain"][0][0] > 2 * many["4 plain"][0][0]
    assert few["10 Newton"] == many["10 Newton"]


class Causal(nn.Module):
    """Two steps under a causal mask: example j corrects its label by the examples up to j."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        j = torch.arange(1, x.shape[1] + 1)
        gram = x @ x.mT
        v = y + ((torch.tril(gram) / j.unsqueeze(-1)) @ y.unsqueeze(-1)).squeeze(-1)
        said = (torch.tril(gram, -1) @ v.unsqueeze(-1)).squeeze(-1) / (j - 1).clamp(min=1)
        return said


def test_a_mixture_finds_what_it_is_made_of() -> None:
    """Causal steps are found with causal ones only; least squares by either, silence too."""
    models = [LeastSquares(), Causal()]
    found = mixtures(Tasks(3, 8), models, [8], fitted=2000)
    (least,), (causal,) = found["blind"]
    assert least < 1e-6 and causal > 0.02
    assert [row[0] < 1e-6 for row in found["causal"]] == [True, True]
    assert found["lengths"] == [8]


class Narrow(nn.Module):
    """The truth, and twice as much where S has an eigenvalue above 4; it keeps the smallest."""

    def __init__(self) -> None:
        super().__init__()
        self.smallest: list[float] = []

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        X = x[:, :-1].double()
        values = torch.linalg.eigvalsh(X.mT @ X / X.shape[1])
        self.smallest.append(float(values[:, 0].mean()))
        large = values[:, -1:] > 4
        return torch.where(large, 2 * y, y)


def test_the_edge_is_found_where_it_is() -> None:
    """(1 + √(4/64))² = 1.6 is below 4: nothing is left of the failure with axes or prompts shrunk,
    all with the middle ones; silence has a share of one everywhere."""
    architecture = Architecture(4, 65, layers=1, heads=1, width=8, tokens="columns")
    own = replace(recipe(), tasks=Tasks(4, 64), architecture=architecture)
    model = Narrow()
    found = edge(own, [model, Silent()], count=300)
    assert model.smallest[:13] == pytest.approx([0.70] * 13, abs=0.03), "only the largest moves"
    assert found["most"] == 1.25**2
    narrow, silent = found["stretched"]
    assert [share > 0.99 for share in narrow] == [value > 4 for value in found["to"]]
    assert max(narrow[:4]) < 1e-6 and set(silent) == {1.0}
    drawn, beyond, middle, whole = (
        found["shrunk"][name][0] for name in ("as drawn", "beyond", "middle", "all")
    )
    assert 0.1 < drawn < 1 and beyond == whole == 0 and middle == pytest.approx(drawn, rel=0.4)
    assert all(row[1] == 1 for row in found["shrunk"].values())
    louder, still = found["louder"]
    assert [share > 0.99 for share in louder[:2] + louder[3:]] == [False] * 2 + [True] * 4
    assert set(still) == {1}
    assert max(found["apart"][0]) < 1e-9 and len(found["apart"][0]) == len(found["ratios"])
    assert found["others"] == pytest.approx(0.88, abs=0.02), "all have the mean one, nearly"
    ratios = model.smallest[13 + 7 : 13 + 7 + 6]
    assert [a * r for a, r in zip(ratios, found["ratios"], strict=True)] == pytest.approx(
        [2.5 * 0.76] * 6, abs=0.1
    )
    assert len(found["parts"]["stretched"]) == 7 and len(found["parts"]["random"]) == 2
    filter_, order, neither = found["parts"]["stretched"][3][0]  # 2y at 5 is a filter, nearly
    assert filter_ > 0.5 and abs(order) < 1e-9 and neither < 0.5 * filter_
    assert found["parts"]["random"][1] == [1, 0, 0], "silence is the filter 0"


class OthersSeen(nn.Module):
    """Answers y, and keeps the means of the eigenvalues but the largest, and of their ratios."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[float, float]] = []

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        X = x[:, :-1].double()
        values = torch.linalg.eigvalsh(X.mT @ X / X.shape[1])
        others = values[:, :-1].mean(-1)
        assert others == pytest.approx(float(others[0]), rel=1e-4)
        self.seen.append((float(others[0]), float((values[:, -1] / values[:, 0]).mean())))
        return 1.1 * y


def test_quieter_prompts_keep_the_ratios_of_their_eigenvalues() -> None:
    architecture = Architecture(4, 65, layers=1, heads=1, width=8, tokens="columns")
    own = replace(recipe(), tasks=Tasks(4, 64), architecture=architecture)
    model = OthersSeen()
    found = quieter(own, [model, Silent()], count=300)
    ratios = found["ratios"]
    assert [others for others, _ in model.seen] == pytest.approx(
        [INSIDE / ratio for ratio in ratios], rel=1e-4
    )
    spread = [ratio for _, ratio in model.seen]
    assert spread == pytest.approx([spread[0]] * len(ratios), rel=1e-3) and spread[0] > 1.5
    assert found["left"][0] == pytest.approx([0.01] * len(ratios), rel=1e-3)
    assert found["left"][1] == [1] * len(ratios)


def test_the_command_compares_finished_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from linear_icl.nonlinear.engine import train

    own = recipe()
    monkeypatch.setattr("linear_icl.nonlinear.recipes.RECIPES", {"fixed": own})
    words = ["fixed", "--seed", "4", "--out", str(tmp_path), "--data", str(tmp_path / "data")]
    assert main([*words, "--compare"]) == 2
    assert "out must hold the run of seed 4, got no" in capsys.readouterr().err
    train(own, 4, folder=tmp_path / "fixed-4")
    assert main([*words, "--compare"]) == 0
    result: dict[str, Any] = json.loads((tmp_path / "data/compared/fixed.json").read_text())
    assert (result["prompts"], result["fitted"]) == (PROMPTS, FITTED)
    assert result["seeds"] == [4] and result["lengths"] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert all(len(rows) == 1 and len(rows[0]) == 9 for rows in result["distances"].values())
    assert [*result["risks"], "truth"] == [*result["distances"]]
    assert result["risks"]["least squares"][5] == pytest.approx(0, abs=1e-8)
    assert len(result["after_blocks"]) == own.architecture.layers == 1
    (after,) = result["after_blocks"]
    assert [*after] == [*result["distances"]]
    assert after["truth"][0][7] == pytest.approx(result["distances"]["truth"][0][7], rel=0.2)
    assert [len(row) for row in result["orders"]["moved"]] == [8]
    assert [len(row) for row in result["orders"]["swapped"]] == [3]
    assert result["mixtures"]["lengths"] == [4, 8] and len(result["mixtures"]["causal"][0]) == 2
    assert len(result["edge"]["stretched"][0]) == len(result["edge"]["to"]) == 13
    assert result["quieter"]["seeds"] == [4] and len(result["quieter"]["left"][0]) == 6
    assert result["off"]["lengths"] == [4, 8, 9]
    assert [*result["off"]["laws"]] == ["fixed", "random_1", "random_4", "random_9"]
    on = result["off"]["laws"]["fixed"]["distances"]["truth"][0][1]
    assert on == pytest.approx(result["distances"]["truth"][0][7], rel=0.1)
    assert len(result["spectra"]["models"][0]) == len(result["spectra"]["edges"]) - 1 == 20
    assert result["spectra"]["algorithms"]["least squares"][8] == pytest.approx(1)
    assert result["beyond"]["lengths"] == [*range(8, 17)]
    assert len(result["beyond"]["own"][0]) == len(result["beyond"]["lent"][0]) == 9
    assert result["spread"]["seeds"] == [4] and len(result["spread"]["spread"][0]) == 9
    assert result["misplaced"]["seeds"] == [4] and len(result["misplaced"]["both"]["along"][0]) == 5
    assert len(result["misplaced"]["otherwise"]["half"]["stretched"][0]) == 1
    drawn = result["misplaced"]["one by one"]["stretched"]
    assert [len(row) for row in drawn["answers"]] == 3 * [len(drawn["label"])]
    longer = replace(own, training=replace(own.training, steps=3))
    monkeypatch.setattr("linear_icl.nonlinear.recipes.RECIPES", {"fixed": longer})
    assert main([*words, "--compare"]) == 2
    assert "the run must be finished, got" in capsys.readouterr().err
