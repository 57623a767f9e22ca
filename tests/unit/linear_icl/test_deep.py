"""Stacked linear attention against gradient descent, token by token."""

import pytest
import torch
from linear_icl import estimators, prompts
from linear_icl.deep import LinearTransformer, descent_weights

D, M = 3, 7


def drawn(seed: int = 0) -> prompts.Prompts:
    law = prompts.GaussianPrompts(torch.diag(torch.tensor([2.0, 1.0, 0.5]).double()))
    return law.sample(20, M, generator=torch.Generator().manual_seed(seed))


def matrices(layers: int, scale: float = 0.2) -> torch.Tensor:
    generator = torch.Generator().manual_seed(layers)
    return scale * torch.randn(layers, D, D, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_layers_are_preconditioned_steps(layers: int) -> None:
    A, given = matrices(layers), drawn()
    v = torch.zeros(20, D, dtype=torch.float64)
    for step in A:  # the recursion of the docstring, written apart
        residual = given.y - (given.x @ v[..., None])[..., 0]
        v = v + (residual[..., None] * given.x).mean(1) @ step
    predicted = LinearTransformer(*descent_weights(A)).predict(given)
    torch.testing.assert_close(predicted.detach(), (v * given.x_query).sum(-1))


def test_equal_layers_are_the_estimator() -> None:
    P = torch.diag(torch.tensor([0.3, 0.5, 0.7]).double())
    given = drawn()
    predicted = LinearTransformer(*descent_weights(P.expand(3, D, D))).predict(given)
    torch.testing.assert_close(
        predicted.detach(), estimators.gradient_descent(given, 3, preconditioner=P)
    )


def test_movers_move_the_covariates() -> None:
    A, B, given = matrices(1), matrices(2)[:1], drawn()
    E = prompts.embedding(given)
    moved = LinearTransformer(*descent_weights(A, B))(E).detach()[:, :D]
    S = given.x.mT @ given.x / M
    torch.testing.assert_close(moved, E[:, :D] - B @ S @ A @ E[:, :D])


def test_query_is_not_attended_to() -> None:
    model = LinearTransformer(*descent_weights(matrices(2), matrices(2)))
    given = drawn()
    E = prompts.embedding(given)
    other = E.clone()
    other[..., -1] = 5.0
    torch.testing.assert_close(model(E)[..., :-1], model(other)[..., :-1])


def test_context_order_is_irrelevant() -> None:
    given = drawn()
    generator = torch.Generator().manual_seed(3)
    weights = 0.3 * torch.randn(2, 2, D + 1, D + 1, generator=generator, dtype=torch.float64)
    model = LinearTransformer(*weights)
    shuffled = given._replace(x=given.x.flip(1), y=given.y.flip(1))
    torch.testing.assert_close(model.predict(given), model.predict(shuffled))


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"W_KQ must have shape \(L, d\+1, d\+1\)"):
        LinearTransformer(torch.zeros(2, 3, 4), torch.zeros(2, 3, 4))
    with pytest.raises(ValueError, match="W_PV must have shape"):
        LinearTransformer(torch.zeros(2, 3, 3), torch.zeros(1, 3, 3))
    with pytest.raises(ValueError, match=r"preconditioners must have shape \(L, d, d\)"):
        descent_weights(torch.zeros(2, 3, 2))
    with pytest.raises(ValueError, match="movers must have shape"):
        descent_weights(torch.zeros(2, 3, 3), torch.zeros(1, 3, 3))
    model = LinearTransformer(torch.zeros(1, 3, 3), torch.zeros(1, 3, 3))
    with pytest.raises(ValueError, match="d, N >= 1"):
        model(torch.zeros(3, 1))
