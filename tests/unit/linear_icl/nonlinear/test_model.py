"""The model: nothing sees its own label, linear attention is LSA, the start is GPT-2's."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from linear_icl.lsa import LinearSelfAttention
from linear_icl.nonlinear import Architecture, Curriculum, Tasks, Transformer
from linear_icl.nonlinear.tasks import LAWS, points
from linear_icl.prompts import GaussianPrompts
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, refuses, seeded

KINDS = [(t, a) for t in ("interleaved", "columns") for a in ("softmax", "linear")]


def model(points: int = 5, **change: Any) -> Transformer:
    """Two small layers in double precision, with weights large enough to matter."""
    arguments: Any = {"layers": 2, "heads": 2, "width": 8}
    built = Transformer(Architecture(2, points, **(arguments | change)), generator=seeded())
    built = built.double()
    with torch.no_grad():
        for p in built.parameters():
            p.normal_(0, 0.5, generator=seeded(p.numel()))
    return built


def batch(points: int = 5, prompts: int = 3, dim: int = 2) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(prompts, points, dim, generator=seeded(1), dtype=DOUBLE)
    return x, torch.randn(prompts, points, generator=seeded(2), dtype=DOUBLE)


@pytest.mark.parametrize(("tokens", "attention"), KINDS)
def test_prediction_i_reads_labels_before_i_and_no_others(tokens: str, attention: str) -> None:
    """The Jacobian dŷ_i/dy_j is non-zero exactly for j < i, and dŷ_i/dx_j for j <= i."""
    x, y = batch(prompts=1)
    net = model(tokens=tokens, attention=attention)
    to_y = torch.autograd.functional.jacobian(lambda y: net(x, y)[0], y)[:, 0]
    to_x = torch.autograd.functional.jacobian(lambda x: net(x, y)[0], x)[:, 0].abs().sum(-1)
    before = torch.ones(5, 5, dtype=torch.bool).tril(-1)
    assert torch.equal(to_y != 0, before)
    assert torch.equal(to_x != 0, before | torch.eye(5, dtype=torch.bool))


@pytest.mark.parametrize(("tokens", "attention"), KINDS)
@pytest.mark.parametrize("positions", ["learned", "none"])
def test_a_longer_prompt_does_not_change_earlier_predictions(
    tokens: str, attention: str, positions: str
) -> None:
    x, y = batch(points=7)
    net = model(tokens=tokens, attention=attention, positions=positions)
    assert_close(net(x, y)[:, :4], net(x[:, :4], y[:, :4]))
    assert_close(net(x, y), net(x, y[:, :-1]))


def as_lsa(W_KQ: torch.Tensor, W_PV: torch.Tensor, points: int) -> Transformer:
    """The transformer of one linear head, without normalisation or perceptron, with its weights."""
    D = W_KQ.shape[0]
    plain: Any = {"layers": 1, "heads": 1, "width": D, "mlp": False, "norm": False}
    plain |= {"positions": "none", "attention": "linear", "tokens": "columns"}
    net = Transformer(Architecture(D - 1, points, **plain)).double()
    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
        net.read.weight.copy_(eye(D))
        net.write.weight.copy_(eye(D)[-1:])
        block: Any = net.blocks[0]
        # q·k/√D = (W_Q e)ᵀ(W_K e')/√D shall be e'ᵀ W_KQ e.
        block.query.copy_(math.sqrt(D) * W_KQ)
        block.key.copy_(eye(D))
        block.value.copy_(eye(D))
        block.out.weight.copy_(W_PV)
    return net


def test_one_linear_head_is_linear_self_attention_at_every_length() -> None:
    """Prediction i is [f(E)] of the prompt of i - 1 examples and query x_i, with ρ = i - 1."""
    prompts = GaussianPrompts(torch.diag(double([2.0, 0.5]))).sample(4, 6, generator=seeded())
    W = torch.randn(2, 3, 3, generator=seeded(3), dtype=DOUBLE)
    layer, net = LinearSelfAttention(W[0], W[1]), as_lsa(W[0], W[1], points=7)
    assert_close(net.predict(prompts), layer.predict(prompts))
    x, y = points(prompts)
    every = net(x, y)
    for i in (1, 3, 5):
        shorter = prompts._replace(x=x[:, :i], y=y[:, :i], x_query=x[:, i])
        assert_close(every[:, i], layer.predict(shorter))


@pytest.mark.parametrize("attention", ["softmax", "linear"])
def test_one_layer_without_positions_does_not_see_the_order_of_the_context(attention: str) -> None:
    x, y = batch(points=6)
    order = [3, 0, 4, 1, 2, 5]  # the query stays last
    arguments: Any = {"tokens": "columns", "attention": attention, "layers": 1}
    blind = model(6, positions="none", **arguments)
    assert_close(blind(x, y)[:, -1], blind(x[:, order], y[:, order])[:, -1])
    sees = model(6, positions="learned", **arguments)
    assert (sees(x, y)[:, -1] - sees(x[:, order], y[:, order])[:, -1]).abs().min() > 1e-3


def test_fused_softmax_attention_is_the_formula() -> None:
    """scaled_dot_product_attention against softmax(QKᵀ/√D_head) V under the same mask."""
    net = model(tokens="columns")
    block: Any = net.blocks[0]
    h = torch.randn(2, 9, 8, generator=seeded(), dtype=DOUBLE)
    mask = net._mask(5, h.device)
    matrices = (block.query, block.key, block.value)
    q, k, v = (h @ W.mT + b for W, b in zip(matrices, block.bias.view(3, 8), strict=True))
    heads = []
    for part in (slice(0, 4), slice(4, 8)):
        scores = q[..., part] @ k[..., part].mT / 2
        heads.append(scores.masked_fill(~mask, -math.inf).softmax(-1) @ v[..., part])
    expected = torch.cat(heads, dim=-1)
    assert_close(block._attend(h, mask, slice(None)), expected)
    assert_close(block._attend(h, mask, slice(4, None)), expected[:, 4:])


def test_the_start_is_that_of_gpt2() -> None:
    net = Transformer(Architecture(5, 12, layers=8, width=64), generator=seeded())
    for name, p in net.named_parameters():
        spread = p.std().item() if p.numel() > 1 else 0.0
        if name.endswith(("out.weight", "down.weight")):
            assert spread == pytest.approx(0.02 / 4, rel=0.06), name
        elif name.startswith("read"):
            assert p.abs().max() <= (1 if "y" in name else 5**-0.5), name
        elif p.ndim > 1:
            assert spread == pytest.approx(0.02, rel=0.3 if name == "write.weight" else 0.06), name
        else:
            assert spread == 0 and p[0].item() == ("norm" in name and name.endswith("weight")), name
    again = Transformer(Architecture(5, 12, layers=8, width=64), generator=seeded())
    for p, q in zip(net.parameters(), again.parameters(), strict=True):
        assert torch.equal(p, q)


def test_without_a_table_of_tokens_the_parameters_are_few() -> None:
    """12 D² + 13 D a layer with a perceptron, 4 D² + 6 D without."""
    D, tokens = 64, 2 * 48 - 1
    rest = (5 + 1) * D + 2 * D + tokens * D + 2 * D + D + 1
    for mlp, layer in ((True, 12 * D * D + 13 * D), (False, 4 * D * D + 6 * D)):
        net = Transformer(Architecture(5, 12, layers=3, width=D, mlp=mlp))
        assert sum(p.numel() for p in net.parameters()) == 3 * layer + rest


def test_a_prompt_may_have_one_point_or_as_many_as_there_is_room_for() -> None:
    net = Transformer(Architecture(2, 3, layers=1, heads=1, width=8, capacity=3))
    for count in (1, 3):
        assert net(torch.zeros(4, count, 2), torch.zeros(4, count)).shape == (4, count)


test_impossible_architectures = refuses(
    ({"width": 9}, "width must be a multiple of heads, got width=9, heads=2; try width=8"),
    ({"width": 2, "heads": 4}, "got width=2, heads=4; try width=4"),
    ({"layers": 0}, "layers must be an integer >= 1, got 0"),
    ({"positions": "rotary"}, "positions must be one of learned, none, got 'rot"),
    ({"attention": "hard"}, "attention must be one of softmax, linear"),
    ({"tokens": "rows"}, "tokens must be one of interleaved, columns"),
    ({"capacity": 4}, "capacity must be >= points, got capacity=4, points=5"),
    by=lambda change: model(**change),
)


def test_training_prompts_follow_their_law() -> None:
    """Means of y², x_i² and x_i² y² against closed forms, by standard errors."""
    tasks = Tasks(3, 4, law="exponential", task_mean=2.0, noise_variance=0.5)
    x, y = tasks.sample(40000, generator=seeded())
    assert x.shape == (40000, 5, 3) and y.shape == (40000, 5) and x.dtype == torch.float32
    assert tasks.blind_risk == 3.5
    for draws, exact in ((y.square().mean(1), 15.5), (x.square().mean((1, 2)), 1.0)):
        error = draws.std().item() / 200
        assert abs(draws.mean().item() - exact) < 4 * error < 0.1 * exact
    same = tasks.sample(40000, generator=seeded())
    assert torch.equal(x, same.x) and torch.equal(y, same.y)


def test_fixed_covariance_without_noise_is_solved_by_least_squares() -> None:
    tasks = Tasks(3, 4, parameters=(4.0,))
    sampled = tasks.sample(500, count=9, generator=seeded())
    x, y = sampled.x.double(), sampled.y.double()
    w = torch.linalg.lstsq(x, y.unsqueeze(-1)).solution
    assert_close((x @ w).squeeze(-1), y, rtol=1e-5, atol=1e-5)  # float32 labels
    assert x.var().item() == pytest.approx(4, rel=0.05)
    prompts = sampled.prompts
    assert torch.equal(points(prompts).x, sampled.x) and torch.equal(points(prompts).y, sampled.y)


def test_the_curriculum_of_garg() -> None:
    tasks, plan = Tasks(20, 40), Curriculum(5, 11)
    seen = [plan.at(step, tasks) for step in (0, 1999, 2000, 28000, 30000, 10**6)]
    assert seen == [(5, 11), (5, 11), (6, 13), (19, 39), (20, 41), (20, 41)]
    x, y = tasks.sample(2, 11, 5, generator=seeded())
    assert x.shape == (2, 11, 20) and (x[..., 5:] == 0).all() and (x[..., :5] != 0).all()
    assert y.shape == (2, 11)


def test_every_law_of_the_eigenvalues_can_be_named() -> None:
    given = {"gamma": (2.0,), "lognormal": (0.0, 0.5), "uniform": (0.5, 1.5)}
    for name in LAWS:
        x, _ = Tasks(2, 3, law=name, parameters=given.get(name, ())).sample(4, generator=seeded())
        assert x.isfinite().all()


test_improper_laws = refuses(
    ({"law": "cauchy"}, "law must be one of constant, exponential, gamma"),
    ({"law": "gamma"}, "parameters must be those of Gamma, got"),
    ({"parameters": (-1.0,)}, "got -1"),
    ({"noise_variance": -0.1}, "noise_variance must be >= 0, got -0.1"),
    ({"dim": 0}, "dim must be an integer >= 1, got 0"),
    by=lambda change: Tasks(**({"dim": 2, "length": 3} | change)),
)


test_prompts_that_do_not_fit = refuses(
    (lambda: model()(*batch(dim=3)), r"shapes \(B, P, 2\) and \(B, P\), got \(3, 5, 3\)"),
    (lambda: model()(*batch(points=21)), "1 to 20 points, got 21; build the model with a larger"),
    (lambda: model()(batch()[0], batch(points=3)[1]), r"got \(3, 5, 2\) and \(3, 3\)"),
    (lambda: Tasks(2, 3).sample(1, dims=3, generator=seeded()), "dims must be <= dim=2, got 3"),
)
