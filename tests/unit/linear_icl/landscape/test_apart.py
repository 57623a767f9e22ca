"""Keys apart from queries: the gradient against automatic differentiation, the flow to the end."""

import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, KeysApart, Landscape
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, seeded

MERGED = FixedCovariance([[2.0, 0.3], [0.3, 0.5]], 8)
APART = KeysApart(MERGED)


def test_the_gradient_is_that_of_the_loss() -> None:
    assert isinstance(APART, Landscape)
    draw = seeded(0)
    K, Q = torch.randn(2, 5, 2, 2, dtype=DOUBLE, generator=draw)
    u = torch.randn(5, dtype=DOUBLE, generator=draw)
    slopes = torch.func.grad(lambda *state: APART.loss(*state).sum(), argnums=(0, 1, 2))(K, Q, u)
    for found, slope in zip(APART.gradient(K, Q, u), slopes, strict=True):
        assert_close(found, slope)
    assert_close(APART.gap(K, Q, u), APART.loss(K, Q, u) - MERGED.minimum)


def test_the_flow_reaches_the_minimum() -> None:
    start = (0.3 * eye(2), 0.3 * eye(2), double(0.3))
    K, Q, u = gradient_flow(APART, start, [0.0, 400.0]).state(-1)
    assert_close(u * K.mT @ Q, MERGED.target, atol=1e-6, rtol=1e-6)
