"""Causal steps whose points move: against their definition, token by token, and as written down."""

from pathlib import Path

import numpy as np
import pytest
import torch
from linear_icl.lsa import LinearSelfAttention
from linear_icl.nonlinear import recorded
from linear_icl.nonlinear.__main__ import main
from linear_icl.nonlinear.compared import Truth, from_moving
from linear_icl.nonlinear.evaluate import at_every_point
from linear_icl.nonlinear.moving import KINDS, Fitted, MovingPoints, fit, rules
from linear_icl.nonlinear.recipes import RECIPES
from linear_icl.nonlinear.tasks import Points, Tasks
from linear_icl.prompts import Prompts
from torch import Tensor, nn

D, N = 3, 5


def random_rule(blocks: int = 3, *, normalised: bool = False) -> MovingPoints:
    rule = MovingPoints(D, N, blocks, normalised=normalised).double()
    generator = torch.Generator().manual_seed(3)
    for p in rule.parameters():
        p.data = 0.2 * torch.randn(p.shape, dtype=torch.float64, generator=generator)
    return rule


def drawn(count: int = 4, points: int = N + 1) -> Points:
    x, y = Tasks(D, N).sample(count, points, generator=torch.Generator().manual_seed(1))
    return Points(x.double(), y.double())


def by_hand(rule: MovingPoints, x: Tensor, y: Tensor, M: int) -> float:
    """One prompt's answer after M examples, a token at a time; x (M + 1, d), y (M,)."""
    own, asked = rule.examples.tolist(), rule.questions.tolist()
    points, left, q, said = [x[j] for j in range(M)], [y[j] for j in range(M)], x[M], 0.0
    for k in range(len(own)):
        near = [float(points[i] @ q) for i in range(M)]
        said += asked[k][1][M] * sum(near[i] * float(left[i]) for i in range(M))
        moved = q + asked[k][0][M] * sum((near[i] * points[i] for i in range(M)), 0 * q)
        new_points, new_left = [], []
        for j in range(M):
            scores = [float(points[i] @ points[j]) for i in range(j + 1)]
            new_left.append(left[j] - own[k][1][j] * sum(s * left[i] for i, s in enumerate(scores)))
            step = sum((s * points[i] for i, s in enumerate(scores)), 0 * q)
            new_points.append(points[j] + own[k][0][j] * step)
        q, points, left = moved, new_points, new_left
    return said


@pytest.mark.parametrize("M", [0, 1, 2, N])
def test_every_answer_is_that_of_the_definition_token_by_token(M: int) -> None:
    rule, (x, y) = random_rule(), drawn()
    said = at_every_point(rule, x, y)[:, M].tolist()
    assert said == pytest.approx([by_hand(rule, x[k], y[k], M) for k in range(4)], abs=1e-12)


def test_one_block_is_the_linear_layer_with_a_scalar_step() -> None:
    rule, (x, y) = random_rule(1), drawn()
    step = rule.questions[0, 1, N].item() * N
    W = torch.zeros(2, D + 1, D + 1, dtype=torch.float64)
    W[0, :D, :D], W[1, D, D] = torch.eye(D), step
    layer = LinearSelfAttention(*W)
    prompts = Prompts(x[:, :N], y[:, :N], x[:, N], y[:, N])
    assert torch.allclose(at_every_point(rule, x, y)[:, N], layer.predict(prompts), atol=1e-12)


def test_no_answer_reads_its_own_label_or_what_comes_later() -> None:
    rule, (x, y) = random_rule(), drawn()
    before = at_every_point(rule, x, y)
    y[:, 3:], x[:, 4:] = 7.0, -1.0
    assert torch.equal(at_every_point(rule, x, y)[:, :4], before[:, :4])
    assert not torch.allclose(at_every_point(rule, x, y)[:, 4], before[:, 4])


def test_normalised_it_does_not_see_the_sizes_of_examples() -> None:
    x, y = drawn()
    size = torch.tensor([0.5, 2.0, 3.0, 0.1, 1.0, 4.0], dtype=torch.float64)
    changed = Points(x * size[:, None], y * size)
    rule, plain = random_rule(normalised=True), random_rule()
    before, after = (at_every_point(rule, *some)[:, -1] for some in ((x, y), changed))
    assert torch.allclose(after, 4 * before, atol=1e-12)
    before, after = (at_every_point(plain, *some)[:, -1] for some in ((x, y), changed))
    assert not torch.allclose(after, 4 * before, rtol=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_lowers_the_risk_below_that_of_one_step_and_can_be_repeated(kind: str) -> None:
    law, how = Tasks(2, 6), Fitted(steps=300, batch=64, rate=0.02)
    rule, again = (fit(law, 2, 0, kind=kind, how=how) for _ in range(2))
    x, y = law.sample(4096, generator=torch.Generator().manual_seed(9))
    risk = float((at_every_point(rule, x, y)[:, -1] - y[:, -1]).square().mean()) / 2
    assert risk < 0.8 * (1 - 6 / 9)
    assert all(
        torch.equal(a, b) for a, b in zip(rule.parameters(), again.parameters(), strict=True)
    )


def test_a_rate_that_is_too_large_is_told() -> None:
    with pytest.raises(ValueError, match=r"the loss must stay finite, got .* lower the rate"):
        fit(Tasks(2, 6), 3, 0, how=Fitted(steps=300, rate=100.0))


def test_bad_sizes_and_prompts_are_named() -> None:
    with pytest.raises(ValueError, match="blocks must be"):
        MovingPoints(D, N, 0)
    rule, (x, y) = random_rule(), drawn(points=N + 2)
    with pytest.raises(ValueError, match=r"at most 6 points, got \(4, 7, 3\)"):
        rule(x, y)
    with pytest.raises(ValueError, match=r"shape \(B, P, 3\)"):
        rule(x[:, :4, :2], y[:, :4])


def test_what_is_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linear_icl.nonlinear.moving.Fitted", lambda: Fitted(steps=20, batch=8))
    words = ["fixed", "--moving", "--seed", "0", "1", "--data", str(tmp_path)]
    assert main(words) == 0
    (own, other), (unit, _) = (rules("fixed", kind, tmp_path) for kind in ("plain", "normalised"))
    fitted = fit(Tasks(5, 11), 3, 0, how=Fitted(steps=20, batch=8))
    for a, b in zip(own.parameters(), fitted.parameters(), strict=True):
        assert torch.allclose(a, b, rtol=1e-5)
    assert not torch.equal(own.questions, other.questions)
    assert unit.normalised
    assert not own.normalised


def test_a_missing_file_and_another_kind_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--moving` writes them"):
        rules("fixed", "plain", tmp_path)
    with pytest.raises(ValueError, match="kind must be one of plain, normalised, still"):
        rules("fixed", "blind", tmp_path)


@pytest.mark.parametrize("kind", ["plain", "normalised"])
def test_the_recorded_rules_leave_as_little_as_the_transformers(kind: str) -> None:
    x, y = Tasks(20, 40).sample(2048, generator=torch.Generator().manual_seed(77))
    record = recorded.read(recorded.RECORDS / "d20-fixed.json")
    worst = max(one["mean"] for one in record["query"]["fixed"]["seeds"])
    for rule in rules("d20-fixed", kind):
        miss = float((at_every_point(rule, x, y)[:, -1] - y[:, -1]).square().mean())
        assert miss < worst


class OfRule(nn.Module):
    """Says what a rule says, and nothing of what it cannot take."""

    def __init__(self, rule: MovingPoints) -> None:
        super().__init__()
        self.rule = rule

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        most = self.rule.questions.shape[-1]
        said: Tensor = self.rule(x[:, :most], y[:, :most])
        return nn.functional.pad(said, (0, x.shape[1] - most))


def test_distances_from_rules_are_zero_for_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linear_icl.nonlinear.moving.Fitted", lambda: Fitted(steps=20, batch=8))
    assert main(["fixed", "--moving", "--seed", "0", "1", "--data", str(tmp_path)]) == 0
    rule = rules("fixed", "plain", tmp_path)[0]
    found = from_moving(RECIPES["fixed"], [OfRule(rule), Truth()], [5, 11], folder=tmp_path)
    own, truth = found["plain"]
    assert own == [0, 0]
    assert found["lengths"] == [5, 11]
    x, y = Tasks(5, 11).sample(2048, 13, generator=torch.Generator().manual_seed(70_000))
    risks = (at_every_point(rule, x[:, :12], y[:, :12]) - y[:, :12]).square().mean(0)
    assert truth == pytest.approx(risks[[5, 11]].tolist(), rel=1e-3)
    assert found["normalised"][0] != [0, 0]


def handed_on(rule: MovingPoints) -> tuple[Tensor, Tensor]:
    """After every block: what is left of the labels but for the task, w, on the moved points; and
    what the answer misses but for the task on the question after its last move."""
    x, _ = drawn(1)
    w = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    X, r, q, differ = x[0, :N], x[0, :N] @ w, x[0, N], []
    for (a, b), (A, _) in zip(rule.examples, rule.questions[..., N], strict=True):
        near, asked = (X @ X.T).tril(), X @ q
        r, q, X = r - b * (near @ r), q + A * (asked @ X), X + a[:, None] * (near @ X)
        differ.append((r - X @ w).abs().max())
    missed = x[0, N] @ w - at_every_point(rule, x, x @ w)[0, N]
    return torch.stack(differ), (missed - q @ w).abs()


def test_prp_moving_with_equal_numbers_each_block_hands_on_the_same_task() -> None:
    rule = random_rule()
    with torch.no_grad():
        differ, missed = handed_on(rule)
        assert differ.min() > 0.01 and missed > 0.01, "not for any numbers"
        for table in (rule.examples, rule.questions):
            table[:, 0] = -table[:, 1]
        differ, missed = handed_on(rule)
    assert differ.max() < 1e-12 and missed < 1e-12


def louder(rule: MovingPoints, s: np.ndarray) -> np.ndarray:
    """ŷ/√s of one prompt whose points are all multiplied by √s."""
    x, y = drawn(1)
    said = [float(at_every_point(rule, x * t**0.5, y * t**0.5)[0, -1]) for t in s]
    return np.array(said) / s**0.5


@pytest.mark.parametrize(("blocks", "degree"), [(1, 1), (2, 4), (3, 13)])
def test_prp_moving_the_degree_of_the_answer_in_the_loudness_is_no_more_and_no_less(
    blocks: int, degree: int
) -> None:
    nodes, rule = np.linspace(0.1, 2.0, 60), random_rule(blocks)
    said = louder(rule, nodes) / nodes
    enough = np.polynomial.Polynomial.fit(nodes, said, degree - 1)
    assert np.allclose(enough(nodes), said, rtol=0, atol=1e-8 * np.abs(said).max())
    if degree > 1:
        fewer = np.polynomial.Polynomial.fit(nodes, said, degree - 2)
        assert np.abs(fewer(nodes) - said).max() > 1e-7 * np.abs(said).max()


def test_prp_moving_points_that_stay_make_one_degree_a_block() -> None:
    nodes, rule = np.linspace(0.1, 2.0, 40), random_rule(3)
    for table in (rule.examples, rule.questions):
        table.data[:, 0] = 0
    said = louder(rule, nodes) / nodes
    assert np.allclose(np.polynomial.Polynomial.fit(nodes, said, 2)(nodes), said, atol=1e-9)
    assert not np.allclose(np.polynomial.Polynomial.fit(nodes, said, 1)(nodes), said, atol=1e-4)


def test_points_that_are_told_to_stay_are_those_whose_numbers_are_zero() -> None:
    rule, (x, y) = random_rule(), drawn()
    still = MovingPoints(D, N, 3, moves=False).double()
    still.load_state_dict(rule.state_dict())
    before = at_every_point(still, x, y)
    assert not torch.allclose(before, at_every_point(rule, x, y))
    for table in (rule.examples, rule.questions):
        table.data[:, 0] = 0
    assert torch.allclose(before, at_every_point(rule, x, y), atol=1e-14)
