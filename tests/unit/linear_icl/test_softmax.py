"""Softmax attention: against linear attention, by hand, and where the softmax is uniform."""

from typing import Any

import pytest
import torch
from linear_icl.lsa import LinearSelfAttention
from linear_icl.prompts import GaussianPrompts, Prompts, embedding
from linear_icl.softmax import SoftmaxAttention
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, refuses, seeded


def problem(d: int, N: int, k: int = 2, m: int = 3) -> Any:
    generator = seeded(d + 10 * N)
    shapes = ((k, d + 1), (k, d + 1), (m, d + 1), (d + 1, m))
    weights = [torch.randn(shape, dtype=DOUBLE, generator=generator) for shape in shapes]
    law = GaussianPrompts(eye(d), noise_variance=0.3)
    return weights, law.sample(4, N, generator=generator)


@pytest.mark.parametrize(("d", "N"), [(1, 1), (2, 8), (5, 3)])
def test_without_the_softmax_and_merged_it_is_linear_attention(d: Any, N: Any) -> None:
    (W_K, W_Q, W_V, W_P), prompts = problem(d, N)
    E = embedding(prompts)
    softmax = SoftmaxAttention(W_K, W_Q, W_V, W_P)
    linear = LinearSelfAttention(W_K.mT @ W_Q, W_P @ W_V)
    assert_close(E + W_P @ W_V @ E @ softmax.scores(E), linear(E))


@pytest.mark.parametrize(("d", "N"), [(1, 1), (2, 8), (5, 3)])
def test_predict_is_the_last_entry_of_forward(d: Any, N: Any) -> None:
    weights, prompts = problem(d, N)
    layer = SoftmaxAttention(*weights)
    assert_close(layer.predict(prompts), layer(embedding(prompts))[:, -1, -1])


def test_by_hand() -> None:
    """d = N = 1, x = 1, y = 3, x_q = 2, key and query read x, value and projection the label.

    The query's scores are 1·2 and 2·2, so the context gets 1/(1 + e²) of its attention.
    """
    prompts = Prompts(*[double(part) for part in ([[[1]]], [[3]], [[2]], [0])])
    layer = SoftmaxAttention([[1, 0]], [[1, 0]], [[0, 1]], [[0], [1]])
    expected = double([3.0]) / (1 + double(2.0).exp())
    assert_close(layer.predict(prompts), expected)
    assert layer(embedding(prompts))[0, 0].tolist() == [1, 2]  # nothing is added to the covariates


def test_without_keys_it_averages_the_values_of_all_tokens() -> None:
    """Uniform attention over N+1 tokens; the query's label counts as 0."""
    (W_K, W_Q, _, _), prompts = problem(2, 8)
    layer = SoftmaxAttention(0 * W_K, W_Q, [[0, 0, 1]], [[0], [0], [1]])
    assert_close(layer.predict(prompts), prompts.y.sum(-1) / 9)


def test_with_small_keys_it_is_linear_attention_of_centred_values() -> None:
    """d/dε of Σ_i softmax(εs)_i v_i at 0 is Σ_i s_i (v_i - v̄)/(N+1): the softmax centres."""
    (W_K, W_Q, W_V, W_P), prompts = problem(3, 6)
    E, epsilon = embedding(prompts), double(0.0)
    key = SoftmaxAttention(W_K, W_Q, W_V, W_P).scores(E)[..., -1].detach()  # (B, N+1)
    values = (W_P[-1] @ W_V) @ E

    def predict(scale: Any) -> Any:
        parts = {"W_K": scale * W_K, "W_Q": W_Q, "W_V": W_V, "W_P": W_P}
        layer = SoftmaxAttention(W_K, W_Q, W_V, W_P)
        return torch.func.functional_call(layer, parts, (E,))[..., -1, -1]

    slope = torch.autograd.functional.jacobian(predict, epsilon)
    centred = values - values.mean(-1, keepdim=True)
    assert_close(slope, (key * centred).mean(-1))


def test_the_order_of_the_context_is_irrelevant_and_a_prediction_is_a_mean_of_values() -> None:
    weights, prompts = problem(3, 8)
    layer = SoftmaxAttention(*weights)
    flipped = prompts._replace(x=prompts.x.flip(1), y=prompts.y.flip(1))
    prediction = layer.predict(prompts)
    assert_close(layer.predict(flipped), prediction)
    values = (weights[3][-1] @ weights[2]) @ embedding(prompts)
    assert (prediction < values.amax(-1)).all() and (prediction > values.amin(-1)).all()


def test_weights_are_copied_and_gradients_reach_them() -> None:
    weights, prompts = problem(2, 3)
    layer = SoftmaxAttention(*weights)
    layer.predict(prompts).sum().backward()
    assert all(parameter.grad is not None for parameter in layer.parameters())
    with torch.no_grad():
        layer.W_V.zero_()
    assert weights[2].any()


KEY, QUERY, VALUE, OUT = problem(2, 3)[0]
LAYER = SoftmaxAttention(KEY, QUERY, VALUE, OUT)


test_bad_input = refuses(
    (lambda: SoftmaxAttention([[1]], QUERY, VALUE, OUT), r"W_K must have .*got \(1, 1\); its last"),
    (
        lambda: SoftmaxAttention(KEY, QUERY[:1], VALUE, OUT),
        r"W_Q must have shape \(2, 3\), got \(1, 3\)",
    ),
    (lambda: SoftmaxAttention(KEY, QUERY, VALUE.float(), OUT), "must have one dtype"),
    (lambda: SoftmaxAttention(KEY, QUERY, VALUE, OUT.mT[:2]), r"W_P must have shape \(3, 3\)"),
    (lambda: LAYER(OUT[:, :1]), r"N >= 1, got \(3, 1\); the last column is the query"),
    (lambda: LAYER.scores(OUT[:2]), r"E must have shape \(\.\.\., 3, N\+1\)"),
    (lambda: LAYER.predict(problem(3, 2)[1]), r"x_query must have shape \(B, 2\)"),
)
