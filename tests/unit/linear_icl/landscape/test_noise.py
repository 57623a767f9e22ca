"""The exact noise of the gradient against fractions and against sampled directions."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
import torch
from linear_icl.landscape import gradient_noise, noise_by_block
from linear_icl.lsa import limit_weights
from linear_icl.montecarlo import estimate
from linear_icl.prompts import Prompts, embedding
from numpy.polynomial.hermite_e import hermegauss
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, refuses, seeded

EXAMPLE = [[2.0, 0.0], [0.0, 0.5]]
OTHER = [[1.2, 0.3, -0.2], [0.3, 0.9, 0.1], [-0.2, 0.1, 0.6]]


@pytest.mark.parametrize(("strength", "N"), [(1, 1), (2, 8), (Fraction(1, 3), 3)])
def test_dimension_one_in_fractions(strength: Fraction, N: int) -> None:
    """All in powers of w, x and S = λχ²_N/N, with U² = u² = 1/γ and r = wx(S/γ - 1)."""
    gamma = strength * (1 + Fraction(2, N))

    def x(k: int) -> Fraction:  # E x^(2k)
        return Fraction(strength) ** k * prod(range(1, 2 * k, 2))

    def S(k: int) -> Fraction:  # E S^k
        return (Fraction(strength) / N) ** k * prod(range(N, N + 2 * k, 2))

    def residual(k: int) -> Fraction:  # E (S/γ - 1)² S^k
        return S(k + 2) / gamma**2 - 2 * S(k + 1) / gamma + S(k)

    to_U, to_c, to_u = (power * x(2) * residual(2) for power in (3, 15, 3))  # E w⁴, w⁶, w⁴
    to_a = x(2) * residual(2) + 2 * x(3) * residual(1) / N + x(4) * residual(0) / N**2
    parts = [float(part / gamma) for part in (to_U + to_c, to_u + to_a)]
    found = [part.item() for part in noise_by_block([[float(strength)]], N)]
    assert found == pytest.approx(parts, rel=1e-13)
    assert gradient_noise([[float(strength)]], N).item() == pytest.approx(sum(parts), rel=1e-13)


def chi_squared(degrees: int) -> tuple[Tensor, Tensor]:
    """Five points, and weights that give the first four moments."""
    points = degrees * double([0.2, 0.6, 1.0, 1.8, 3.0])
    moments = [float(prod(range(degrees, degrees + 2 * k, 2))) for k in range(5)]
    powers = torch.stack([points**k for k in range(5)])
    return points, torch.linalg.solve(powers, double(moments))


def squared_gradient(
    weights: tuple[Tensor, Tensor], w: Tensor, x_query: Tensor, x: Tensor
) -> Tensor:
    def loss(weights: tuple[Tensor, Tensor], E: Tensor, label: Tensor) -> Tensor:
        W_KQ, W_PV = weights
        return ((W_PV @ E @ E.mT @ W_KQ @ E[:, -1] / x.shape[1])[-1] - label).square() / 2

    y, y_query = (x @ w[:, :, None])[..., 0], (w * x_query).sum(-1)
    E = embedding(Prompts(x, y, x_query, y_query))
    gradient = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return torch.stack([part.square().sum((1, 2)) for part in gradient(weights, E, y_query)])


@pytest.mark.parametrize("covariance", [EXAMPLE, [[1.2, 0.3], [0.3, 0.5]]])
def test_one_example_exactly(covariance: list[list[float]]) -> None:
    """A polynomial of degree 8 in x and x_q and 6 in w: five nodes in each of six coordinates."""
    Lambda, (nodes, mass) = double(covariance), map(double, hermegauss(5))
    at = torch.cartesian_prod(*[nodes] * 6)
    each = torch.cartesian_prod(*[mass / mass.sum()] * 6).prod(-1)
    w, x_query, x = at.split(2, dim=-1)
    root = torch.linalg.cholesky(Lambda).mT
    squares = squared_gradient(limit_weights(Lambda, 1), w, x_query @ root, (x @ root)[:, None])
    parts = torch.stack(noise_by_block(Lambda, 1))
    assert_close(parts, squares @ each, rtol=1e-11, atol=0)
    assert_close(gradient_noise(Lambda, 1), parts.sum(), rtol=1e-15, atol=0)


@pytest.mark.parametrize(("covariance", "N"), [(EXAMPLE, 8), (EXAMPLE, 1), (OTHER, 5)])
def test_sampled_directions(covariance: list[list[float]], N: int) -> None:
    """Lengths of w, x_q and the context by their moments; only directions, bounded, are drawn."""
    Lambda = double(covariance)
    d, root = len(Lambda), torch.linalg.cholesky(Lambda)
    optimum = limit_weights(Lambda, N)

    def draw(n: int, generator: torch.Generator) -> Tensor:
        parts = [
            torch.nn.functional.normalize(torch.randn(n, k, generator=generator, dtype=DOUBLE))
            for k in (d, d, N * d)
        ]
        total = torch.zeros(n, dtype=DOUBLE)
        rules = [zip(*chi_squared(part.shape[1]), strict=True) for part in parts]
        for lengths in product(*rules):
            w, z, Z = (s.sqrt() * part for (s, _), part in zip(lengths, parts, strict=True))
            square = squared_gradient(optimum, w, z @ root.mT, Z.reshape(n, N, d) @ root.mT)
            total += square.sum(0) * float(prod(mass for _, mass in lengths))
        return total

    generator = seeded(d + N)
    result = estimate(draw, count=12_000, batch=3000, generator=generator)
    noise = gradient_noise(Lambda, N).item()
    assert abs(result.z(noise)) < 3 < abs(result.z(1.1 * noise))  # three comparisons at 3e-3


def test_turned_axes_and_single_precision() -> None:
    noise = gradient_noise(OTHER, 4)
    turn = torch.linalg.qr(double(OTHER).cos())[0]
    turned = gradient_noise(turn @ double(OTHER) @ turn.mT, 4)
    assert_close(turned, noise, rtol=1e-12, atol=0)
    single = gradient_noise(torch.tensor(EXAMPLE), 8)
    assert single.dtype == torch.float32 and single.shape == ()
    assert single.item() == pytest.approx(gradient_noise(EXAMPLE, 8).item(), rel=1e-5)


test_bad_input = refuses(
    (lambda: gradient_noise(torch.eye(4), 8), "covariance must have at most 3 rows, got 4"),
    (lambda: gradient_noise(EXAMPLE, 0), "length must be an integer >= 1, got 0"),
    (lambda: gradient_noise([[1, 2], [2, 1]], 8), "covariance must be symmetric positive definite"),
)
