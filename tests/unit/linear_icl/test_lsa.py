"""The layer three ways (full product, O(Nd), quadratic form), and the weights it is trained to."""

from typing import Any

import pytest
import torch
from linear_icl import gaussian, lsa
from linear_icl.prompts import GaussianPrompts, Prompts, embedding
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, refuses, seeded

SHAPES = [(1, 1), (1, 5), (3, 1), (3, 2), (3, 8), (5, 40)]


def problem(d: int, N: int, batch: int = 4) -> Any:
    generator = seeded(d + 10 * N)
    weights = torch.randn(2, d + 1, d + 1, dtype=DOUBLE, generator=generator)
    law = GaussianPrompts(torch.diag(torch.arange(1, d + 1, dtype=DOUBLE)), noise_variance=0.3)
    return weights, law.sample(batch, N, generator=generator)


@pytest.mark.parametrize(("d", "N"), SHAPES)
def test_forward_predict_and_quadratic_form_agree(d: Any, N: Any) -> None:
    weights, prompts = problem(d, N)
    layer, E = lsa.LinearSelfAttention(*weights), embedding(prompts)
    prediction = layer.predict(prompts)
    # relative to the largest of the batch: an entry may cancel
    tolerance = 1e-12 * prediction.abs().max().item()
    assert_close(layer(E)[:, -1, -1], prediction, rtol=0, atol=tolerance)
    vec, H = lsa.reduced_vector(*weights), lsa.quadratic_form(E)
    assert_close(vec @ H @ vec, prediction, rtol=0, atol=tolerance)


@pytest.mark.parametrize(("d", "N"), SHAPES)
def test_the_quadratic_form_has_as_many_negative_eigenvalues_as_E_has_rank(d: Any, N: Any) -> None:
    """min(N, d) + 1 of each sign without noise (y = wᵀx adds no rank); the rest vanish."""
    law = GaussianPrompts(eye(d))
    E = embedding(law.sample(3, N, generator=seeded(d + N)))
    values = torch.linalg.eigvalsh(lsa.quadratic_form(E))
    small = 1e-12 * values.abs().amax(-1, keepdim=True)
    assert ((values < -small).sum(-1) == min(N, d) + 1).all()
    assert ((values > small).sum(-1) == min(N, d) + 1).all()


def test_vec_is_in_column_order() -> None:
    W_KQ, W_PV = [[1, 2, -9], [3, 4, -9], [5, 6, -9]], [[-9] * 3, [-9] * 3, [7, 8, 9]]
    # the matrix [[1, 2, 7], [3, 4, 8], [5, 6, 9]], column by column
    assert lsa.reduced_vector(W_KQ, W_PV).tolist() == [1, 3, 5, 2, 4, 6, 7, 8, 9]


def test_a_prediction_by_hand() -> None:
    """d = 1, N = 2: x = (1, 2), y = (3, 4), x_q = 5, U = 1, u_21 = 2, u_12 = 3, u = 4.

    Scores x_i·5 + y_i·10 = 35, 50 and 25 for the query; values 3x_i + 4y_i = 15, 22 and 15.
    """
    prompts = Prompts(*map(double, ([[[1], [2]]], [[3, 4]], [[5]], [0])))
    layer = lsa.LinearSelfAttention([[1, -7], [2, -7]], [[-7, -7], [3, 4]])
    assert layer.predict(prompts).item() == (35 * 15 + 50 * 22 + 25 * 15) / 2


def test_the_order_of_the_context_is_irrelevant_and_scale_is_cubic() -> None:
    weights, prompts = problem(3, 8)
    layer = lsa.LinearSelfAttention(*weights)
    flipped = prompts._replace(x=prompts.x.flip(1), y=prompts.y.flip(1))
    doubled = Prompts(*[2 * part for part in prompts])
    prediction = layer.predict(prompts)
    assert_close(layer.predict(flipped), prediction, rtol=1e-12, atol=1e-12)
    assert torch.equal(layer.predict(doubled), 8 * prediction)  # powers of two are exact


def test_weights_are_copied_and_gradients_reach_them() -> None:
    (W_KQ, W_PV), prompts = problem(2, 3)
    layer = lsa.LinearSelfAttention(W_KQ, W_PV)
    layer.predict(prompts).sum().backward()
    assert layer.W_KQ.grad is not None and layer.W_PV.grad is not None
    assert not layer.W_KQ.grad[:, -1].any() and not layer.W_PV.grad[:-1].any()  # never reached
    with torch.no_grad():
        layer.W_KQ.zero_()
    assert W_KQ.any()


def test_gamma_by_hand_and_as_the_second_moment() -> None:
    """Λ = diag(2, ½), N = 8: (9/8)Λ + (5/16)I = diag(41/16, 7/8), exactly."""
    Lambda = double([[2, 0], [0, 0.5]])
    assert lsa.gamma(Lambda, 8).tolist() == [[41 / 16, 0], [0, 7 / 8]]
    second = gaussian.sandwich(Lambda, 8, eye(2))  # E[S²]
    assert torch.equal(lsa.gamma(Lambda, 8) @ Lambda, second)


def test_gamma_of_a_grid_of_covariances() -> None:
    """Leading axes of any number: each matrix as if it came alone."""
    scales = torch.arange(1, 7, dtype=DOUBLE).view(2, 3, 1, 1)
    Lambda = double([[2, 0.25], [0.25, 0.5]])
    expected = scales * lsa.gamma(Lambda, 8)  # Γ is linear in Λ
    assert_close(lsa.gamma(scales * Lambda, 8), expected)


@pytest.mark.parametrize("N", [1, 8, 1000])
def test_limit_weights_are_balanced_and_multiply_to_the_inverse(N: Any) -> None:
    generator = seeded(N)
    R = torch.randn(2, 4, 4, dtype=DOUBLE, generator=generator)
    Lambda = R @ R.mT + eye(4)
    U, u_21, u_12, u = lsa.blocks(*lsa.limit_weights(Lambda, N))
    product = u[:, None, None] * U @ lsa.gamma(Lambda, N)
    assert_close(product, eye(4).expand(2, 4, 4))
    assert_close(u, torch.linalg.matrix_norm(U))
    assert not u_21.any() and not u_12.any() and torch.equal(U, U.mT)


def test_for_identity_covariance_the_limit_is_a_multiple_of_the_identity() -> None:
    """Γ = (1 + (d+1)/N) I: with d = 3, N = 2 it is 3I, so g = ‖I/3‖_F = 1/√3."""
    W_KQ, W_PV = lsa.limit_weights(eye(3), 2)
    assert_close(W_PV[3, 3], double(3**-0.25))
    assert_close(W_KQ[:3, :3], 3**0.25 / 3 * eye(3))


EYE = eye(3)
LAYER = lsa.LinearSelfAttention(EYE, EYE)


test_bad_input = refuses(
    (lambda: lsa.gamma([[1, 2], [0, 1]], 3), "covariance must be symmetric"),
    (lambda: lsa.limit_weights([[1]], 0), "length must be an integer >= 1, got 0"),
    (lambda: lsa.LinearSelfAttention(EYE[:2], EYE), r"W_KQ must have shape .*got \(2, 3\); is"),
    (lambda: lsa.LinearSelfAttention([[1]], [[1]]), r"with d >= 1, got \(1, 1\)"),
    (lambda: lsa.LinearSelfAttention(EYE, EYE[:2, :2]), r"W_PV must have shape \(3, 3\)"),
    (lambda: lsa.LinearSelfAttention(EYE[None], EYE[None]), r"W_KQ must have shape \(d\+1, d\+1\)"),
    (lambda: lsa.LinearSelfAttention(EYE, EYE.float()), "must have one dtype"),
    (lambda: lsa.LinearSelfAttention(EYE, EYE / 0), "W_PV must be finite, got inf"),
    (lambda: LAYER(EYE[:2]), r"E must have shape \(\.\.\., 3, N\+1\), got \(2, 3\)"),
    (lambda: LAYER(EYE[:, :1]), r"d, N >= 1, got \(3, 1\); the last column"),
    (lambda: LAYER(EYE.to("meta")), "must be on one device"),
    (lambda: LAYER.predict(problem(3, 2)[1]), r"x_query must have shape \(B, 2\)"),
    (lambda: lsa.quadratic_form(EYE), "E must end in 0, the query's unknown label, got 1; build"),
    (lambda: lsa.quadratic_form(torch.stack([eye(3).roll(1, 0), EYE])), "E must end in 0, .* 1"),
    (lambda: lsa.quadratic_form(EYE[:1]), r"d, N >= 1, got \(1, 3\)"),
    (lambda: lsa.reduced_vector(EYE, EYE[0]), r"W_PV must have shape \(3, 3\), got \(3,\)"),
)
