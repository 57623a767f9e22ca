"""The token-level block: the full product against O(Md), its mask, attention alone, GD-β."""

from typing import Any

import pytest
import torch
from linear_icl import ltb
from linear_icl.lsa import LinearSelfAttention
from linear_icl.prompts import Prompts, embedding
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, refuses, seeded

SHAPES = [(1, 1), (1, 5), (3, 1), (3, 8), (5, 40)]


def problem(d: int, M: int, batch: int = 4) -> Any:
    generator = seeded(d + 10 * M)
    weights = torch.randn(3, d + 1, d + 1, dtype=DOUBLE, generator=generator)
    law = ltb.Setting(eye(d), eye(d), torch.ones(d, dtype=DOUBLE), 0.3, M)
    return weights, law.sample(batch, generator=generator)


@pytest.mark.parametrize(("d", "M"), SHAPES)
def test_forward_and_predict_agree(d: Any, M: Any) -> None:
    weights, prompts = problem(d, M)
    block = ltb.LinearTransformerBlock(*weights)
    prediction = block.predict(prompts)
    tolerance = 1e-12 * prediction.abs().max().item()  # an entry may cancel
    tokens = block(embedding(prompts))
    assert tokens.shape == (4, d + 1, M + 1)
    assert_close(tokens[:, -1, -1], prediction, rtol=0, atol=tolerance)


def test_a_prediction_by_hand() -> None:
    """d = 1, M = 2: x = (1, 2), y = (3, 4), x_q = 5.

    Last row of W_21 (2, 3), so (u_12, u) = (2·1 + 3·1, 2·0 + 3·2) = (5, 6) and rx_q = 10; U = 1,
    u_21 = 2: scores 5 + 30 = 35 and 10 + 40 = 50 against values 5 + 18 = 23 and 10 + 24 = 34.
    """
    parts: Any = ([[[1], [2]]], [[3, 4]], [[5]], [0])
    prompts = Prompts(*[double(part) for part in parts])
    weights = [[-7, -7], [2, 3]], [[1, -7], [2, -7]], [[1, 0], [1, 2]]
    block = ltb.LinearTransformerBlock(*weights)
    assert [part.tolist() for part in block.reduced()] == [[2], [5], 6, [[1]], [2]]
    assert block.predict(prompts).item() == 10 + (35 * 23 + 50 * 34) / 2


@pytest.mark.parametrize(("d", "M"), SHAPES)
def test_attention_alone_differs_from_the_layer_without_mask_by_the_querys_own_term(
    d: int, M: int
) -> None:
    (_, W_KQ, W_PV), prompts = problem(d, M)
    masked = ltb.LinearTransformerBlock.attention_only(W_KQ, W_PV)
    x, v, W = prompts.x_query, W_PV[-1, :-1], W_KQ[:-1, :-1]
    itself = (x @ v) * torch.einsum("bi,ij,bj->b", x, W, x) / M
    unmasked = LinearSelfAttention(W_KQ, W_PV).predict(prompts)
    scale = unmasked.abs().max().item()
    assert_close(masked.predict(prompts) + itself, unmasked, rtol=0, atol=1e-12 * scale)
    assert itself.abs().max() > 1e-6 * scale  # they do differ
    W_PV[-1, :-1] = 0
    masked = ltb.LinearTransformerBlock.attention_only(W_KQ, W_PV)
    unmasked = LinearSelfAttention(W_KQ, W_PV).predict(prompts)
    assert_close(masked.predict(prompts), unmasked, rtol=1e-11, atol=1e-12)


def test_attention_only_keeps_the_identity_through_training() -> None:
    (_, W_KQ, W_PV), prompts = problem(2, 5)
    block = ltb.LinearTransformerBlock.attention_only(W_KQ, W_PV)
    optimizer = torch.optim.SGD([p for p in block.parameters() if p.requires_grad], lr=0.1)
    block.predict(prompts).sum().backward()
    optimizer.step()
    assert torch.equal(block.W_21, eye(3))
    assert not torch.equal(block.W_PV, W_PV) and not torch.equal(block.W_KQ, W_KQ)
    r, _, _, _, _ = block.reduced()
    assert not r.any()


def test_weights_are_copied_and_only_the_used_ones_get_gradients() -> None:
    weights, prompts = problem(2, 3)
    block = ltb.LinearTransformerBlock(*weights)
    block.predict(prompts).sum().backward()
    to_21, to_PV, to_KQ = (W.grad for W in (block.W_21, block.W_PV, block.W_KQ))
    assert to_21 is not None and to_PV is not None and to_KQ is not None
    assert not to_21[:-1].any() and to_21[-1].all()
    assert to_PV.all() and not to_KQ[:, -1].any()
    with torch.no_grad():
        block.W_PV.zero_()
    assert weights[2].any()


def test_the_order_of_the_context_is_irrelevant() -> None:
    weights, prompts = problem(3, 8)
    block = ltb.LinearTransformerBlock(*weights)
    flipped = prompts._replace(x=prompts.x.flip(1), y=prompts.y.flip(1))
    assert_close(block.predict(flipped), block.predict(prompts))


@pytest.mark.parametrize(("d", "M"), SHAPES)
def test_gd_beta_is_a_block(d: int, M: int) -> None:
    """Lemma 5.1 on random prompts, to 1e-12 of the largest prediction."""
    _, prompts = problem(d, M)
    beta, A = problem(d, M + 1)[0][0][:d, 0], problem(d, M + 2)[0][0][:d, :d]
    weights = ltb.weights_for_gd_beta(beta, A)
    residual = prompts.x @ beta - prompts.y  # (B, M)
    step = torch.einsum("ij,bmj,bm->bi", A, prompts.x, residual) / M
    expected = ((beta - step) * prompts.x_query).sum(-1)
    got = ltb.LinearTransformerBlock(*weights).predict(prompts)
    tolerance = 1e-12 * max(1.0, expected.abs().max().item())
    assert_close(got, expected, rtol=0, atol=tolerance)
    r, u_12, u, U, u_21 = ltb.reduced(*weights)
    assert torch.equal(r, beta) and torch.equal(u_12, -beta) and u == 1
    assert torch.equal(U, A.mT) and not u_21.any()


def test_batch_axes_of_weights() -> None:
    generator = seeded()
    weights = torch.randn(3, 2, 4, 3, 3, dtype=DOUBLE, generator=generator)
    batched, single = ltb.reduced(*weights), ltb.reduced(*weights[:, 1, 2])
    for many, one in zip(batched, single, strict=True):
        # a batched product may add in another order
        assert_close(many[1, 2], one, rtol=1e-14, atol=1e-14)
    beta, A = weights[0, ..., 0, :2], weights[1, ..., :2, :2]
    batched, single = (
        ltb.reduced(*ltb.weights_for_gd_beta(beta, A)),
        ltb.reduced(*ltb.weights_for_gd_beta(beta[1, 2], A[1, 2])),
    )
    for many, one in zip(batched, single, strict=True):
        # a batched product may add in another order
        assert_close(many[1, 2], one, rtol=1e-14, atol=1e-14)


EYE: Any = eye(3)
BLOCK = ltb.LinearTransformerBlock(EYE, EYE, EYE)


test_bad_input = refuses(
    (lambda: ltb.LinearTransformerBlock(EYE[:2], EYE, EYE), r"W_21 must .*got \(2, 3\); is"),
    (lambda: ltb.LinearTransformerBlock([[1]], [[1]], [[1]]), r"d >= 1, got \(1, 1\)"),
    (lambda: ltb.LinearTransformerBlock(EYE, EYE[:2], EYE), r"W_KQ must have shape \(3, 3\)"),
    (lambda: ltb.LinearTransformerBlock(EYE, EYE, EYE.float()), "must have one dtype"),
    (lambda: ltb.LinearTransformerBlock(*[EYE[None]] * 3), r"W_21 must have shape \(d\+1, d\+1\)"),
    (lambda: ltb.LinearTransformerBlock.attention_only(EYE[None], EYE), "W_KQ must have shape"),
    (lambda: ltb.reduced(EYE, EYE, EYE[:2, :2]), r"W_PV must have shape \(3, 3\)"),
    (lambda: BLOCK(EYE[:2]), r"E must have shape \(\.\.\., 3, N\+1\), got \(2, 3\)"),
    (lambda: BLOCK(EYE[:, :1]), r"d, N >= 1, got \(3, 1\); the last column"),
    (lambda: BLOCK.predict(problem(3, 2)[1]), r"x_query must have shape \(B, 2\)"),
    (lambda: ltb.weights_for_gd_beta(EYE[0], EYE[:2]), r"A must have shape \(3, 3\)"),
    (lambda: ltb.weights_for_gd_beta(1.0, EYE), r"beta must have shape \(\.\.\., d\)"),
)
