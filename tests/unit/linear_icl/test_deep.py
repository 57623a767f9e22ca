"""Stacked linear attention against gradient descent, token by token."""

import numpy as np
import pytest
import torch
from linear_icl import estimators, prompts
from linear_icl.deep import LinearTransformer, PlainSteps, descent_weights
from linear_icl.flow import gradient_flow
from torch.testing import assert_close

from tests.unit.common import refuses, seeded

D, M = 3, 7


def drawn(seed: int = 0) -> prompts.Prompts:
    law = prompts.GaussianPrompts(torch.diag(torch.tensor([2.0, 1.0, 0.5]).double()))
    return law.sample(20, M, generator=seeded(seed))


def matrices(layers: int, scale: float = 0.2) -> torch.Tensor:
    generator = seeded(layers)
    return scale * torch.randn(layers, D, D, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_layers_are_preconditioned_steps(layers: int) -> None:
    A, given = matrices(layers), drawn()
    v = torch.zeros(20, D, dtype=torch.float64)
    for step in A:  # the recursion of the docstring, written apart
        residual = given.y - (given.x @ v[..., None])[..., 0]
        v = v + (residual[..., None] * given.x).mean(1) @ step
    predicted = LinearTransformer(*descent_weights(A)).predict(given)
    assert_close(predicted.detach(), (v * given.x_query).sum(-1))


def test_equal_layers_are_the_estimator() -> None:
    P = torch.diag(torch.tensor([0.3, 0.5, 0.7]).double())
    given = drawn()
    predicted = LinearTransformer(*descent_weights(P.expand(3, D, D))).predict(given)
    assert_close(predicted.detach(), estimators.gradient_descent(given, 3, preconditioner=P))


def test_query_is_not_attended_to() -> None:
    weights = 0.3 * torch.randn(2, 2, D + 1, D + 1, generator=seeded(3), dtype=torch.float64)
    model, given = LinearTransformer(*weights), drawn()
    E = prompts.embedding(given)
    other = E.clone()
    other[..., -1] = 5.0
    assert_close(model(E)[..., :-1], model(other)[..., :-1])


def test_context_order_is_irrelevant() -> None:
    given = drawn()
    generator = seeded(3)
    weights = 0.3 * torch.randn(2, 2, D + 1, D + 1, generator=generator, dtype=torch.float64)
    model = LinearTransformer(*weights)
    shuffled = given._replace(x=given.x.flip(1), y=given.y.flip(1))
    assert_close(model.predict(given), model.predict(shuffled))


def test_plain_steps_by_hand() -> None:
    """Exp(1), by moments: 1 − 4e₁ + 12e₂ + 6e₁² − 48e₁e₂ + 120e₂², and its gradient."""
    at, mass = map(torch.tensor, np.polynomial.laguerre.laggauss(8))
    case, a = (
        PlainSteps(at, at * mass),
        torch.tensor([[0.3, 0.7], [0.5, 0.5], [-1.0, 0.2]]).double(),
    )
    e, f = a.sum(1), a.prod(1)
    by_hand = 1 - 4 * e + 12 * f + 6 * e**2 - 48 * e * f + 120 * f**2
    assert_close(case.loss(a), by_hand)
    slope = torch.func.grad(lambda a: case.loss(a).sum())(a)
    assert_close(case.gradient(a)[0], slope)
    for length in (1, 3):
        a = torch.linspace(-0.2, 0.6, length).double()
        assert_close(case.gradient(a)[0], torch.func.grad(case.loss)(a))


def test_three_different_steps_become_those_of_the_best_polynomial() -> None:
    """(prp-two-steps) for prompts of length M, beside least squares in the coefficients."""
    x, Lambda = drawn().x, torch.diag(torch.tensor([2.0, 1.0, 0.5]).double())
    at, v = torch.linalg.eigh(x.mT @ x / M)
    mass = torch.einsum("bik,ij,bjk->bk", v, Lambda, v).flatten() / len(x)
    root = mass.sqrt()[:, None]
    powers = at.flatten()[:, None] ** torch.arange(1, 4) * root
    c = torch.linalg.lstsq(powers, root).solution[:, 0]  # 1 - f(s), without a constant term
    best = np.sort(1 / np.roots([*-c.flip(0).numpy(), 1.0]))
    start = torch.tensor([0.0, 0.1, 0.2]).double()
    flow = gradient_flow(PlainSteps(at.flatten(), mass), (start,), [0.0, 1000.0])
    np.testing.assert_allclose(flow.states[0][-1].numpy(), best, rtol=1e-5)


ZERO = torch.zeros(2, 3, 3)


test_bad_input = refuses(
    (lambda: LinearTransformer(ZERO[:, :, :2], ZERO), r"W_KQ must have shape \(L, d\+1, d\+1\)"),
    (lambda: LinearTransformer(ZERO, ZERO[:1]), "W_PV must have shape"),
    (lambda: LinearTransformer(ZERO, ZERO)(ZERO[0, :, :1]), "d, N >= 1"),
    (lambda: descent_weights(ZERO[:, :, :2]), r"preconditioners must have shape \(L, d, d\)"),
    (lambda: descent_weights(ZERO[:0]), "preconditioners must be of one layer at least, got none"),
    (lambda: PlainSteps([1.0, 2.0], [1.0]), "mass must have shape"),
)
