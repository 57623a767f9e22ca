"""The exact risk: cubature through the token-level block, Monte Carlo, derivatives, invariances."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import torch
from linear_icl import gaussian, ltb
from linear_icl.prompts import Prompts
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, random, refuses


def factors(d: int, rank_H: int, rank_Psi: int) -> tuple[Tensor, Tensor]:
    root, spread = random(2, d, d, seed=d)
    root[:, rank_H:], spread[:, rank_Psi:] = 0, 0
    return root, spread


def setting(root: Tensor, spread: Tensor, noise: float, M: int) -> ltb.Setting:
    mean = random(len(root), seed=5)
    return ltb.Setting(root @ root.mT, spread @ spread.mT, mean, noise, M)


def parameters(d: int, *batch: int, seed: int = 1) -> Any:
    r, v, w = random(3, *batch, d, seed=seed)
    return ltb.Reduced(r, v, random(*batch, seed=seed + 1), random(*batch, d, d, seed=seed + 2), w)


def weights(p: Any) -> tuple[Tensor, Tensor, Tensor]:
    """A block with these reduced parameters and junk in the entries that must not matter."""
    d = len(p.r)
    W_21, W_KQ, W_PV = torch.full((3, d + 1, d + 1), 9.0, dtype=DOUBLE)
    W_21[d, :d], W_21[d, d] = p.r, 2.0
    W_PV[d, :d], W_PV[d, d] = (p.v - 9 * p.r.sum()) / 2, (p.c - 9 * p.r.sum()) / 2
    W_KQ[:d, :d], W_KQ[d, :d] = p.W, p.w
    return W_21, W_KQ, W_PV


def cubature(problem: ltb.Setting, root: Tensor, spread: Tensor) -> tuple[Prompts, Tensor]:
    """Prompts and weights that integrate every block's squared error without error.

    It has degree at most 4 in each coordinate of the context, the task and the context's noise,
    where three Gauss-Hermite nodes are exact up to 5, and 2 in each of the query and its noise,
    where two are exact up to 3.
    """
    d, M = problem.dim, problem.length
    three = double([-math.sqrt(3), 0, math.sqrt(3)])
    two = double([-1.0, 1])
    nodes = [three] * (M * d + d + M) + [two] * (d + 1)
    shares = [double([1, 4, 1]) / 6] * (M * d + d + M)
    shares += [double([0.5, 0.5])] * (d + 1)
    z = torch.cartesian_prod(*nodes)
    context, task, noise, query, last = z.split([M * d, d, M, d, 1], dim=-1)
    x = context.reshape(-1, M, d) @ root.mT
    x_query, beta = query @ root.mT, problem.beta_star + task @ spread.mT
    deviation = problem.noise_variance.sqrt()
    y = (x @ beta.unsqueeze(-1)).squeeze(-1) + deviation * noise
    y_query = (x_query * beta).sum(-1) + deviation * last[:, 0]
    return Prompts(x, y, x_query, y_query), torch.cartesian_prod(*shares).prod(-1)


CASES = [
    (1, 1, 1, 0.0, 1),
    (1, 1, 1, 0.7, 2),
    (1, 1, 1, 0.3, 3),
    (1, 1, 0, 0.3, 2),
    (1, 0, 1, 0.3, 2),
    (2, 2, 2, 0.5, 1),
    (2, 2, 2, 0.5, 2),
    (2, 1, 2, 0.5, 2),
    (2, 2, 1, 0.0, 2),
    (2, 1, 1, 0.2, 1),
]


@pytest.mark.parametrize(("d", "rank_H", "rank_Psi", "noise", "M"), CASES)
def test_cubature_through_the_token_level_block(
    d: int, rank_H: int, rank_Psi: int, noise: float, M: int
) -> None:
    root, spread = factors(d, rank_H, rank_Psi)
    problem, p = setting(root, spread, noise, M), parameters(d)
    prompts, share = cubature(problem, root, spread)
    with torch.no_grad():
        error = ltb.LinearTransformerBlock(*weights(p)).predict(prompts) - prompts.y_query
    expected = (share * error.square()).sum().item()
    risk = ltb.risk(problem, *p).item()
    assert risk == pytest.approx(expected, rel=1e-12)  # at most 5e4 terms of one sign


def test_isserlis_in_rational_arithmetic() -> None:
    """d = 1, M = 2, no noise: each term a product of linear forms in (x_1, x_2, θ, x)."""
    H, Psi, mean, r, v, c, W, w = (Fraction(n, 2) for n in (4, 6, 10, 2, -4, 6, 1, -2))
    covariance = [[(H, H, Psi, H)[i] if i == j else 0 for j in range(4)] for i in range(4)]
    x_1, x_2, theta, x = ([int(i == j) for j in range(4)] for i in range(4))
    terms = [(r - mean, (x,)), (Fraction(-1), (theta, x))]
    for x_i in (x_1, x_2):
        value = [(v + c * mean, (x_i,)), (c, (theta, x_i))]
        score = [(W + w * mean, (x_i, x)), (w, (theta, x_i, x))]
        terms += [(a * b / 2, (*f, *g)) for (a, f), (b, g) in product(value, score)]
    total = sum(
        a * b * gaussian.exact_isserlis(covariance, *f, *g)
        for (a, f), (b, g) in product(terms, terms)
    )
    problem = ltb.Setting([[2]], [[3]], [5], 0, 2)
    numbers: Any = [[float(r)], [float(v)], float(c), [[float(W)]], [float(w)]]
    assert ltb.risk(problem, *numbers).item() == pytest.approx(float(total), rel=1e-14)


@pytest.mark.parametrize(("d", "M"), [(2, 5), (3, 4)])
def test_monte_carlo_through_the_token_level_block(d: int, M: int) -> None:
    problem = setting(*factors(d, d, d), 0.4, M)
    p = ltb.Reduced(*[0.4 * part for part in parameters(d)])
    block = ltb.LinearTransformerBlock(*weights(p))

    def draw(n: int, generator: torch.Generator) -> Tensor:
        prompts = problem.sample(n, generator=generator)
        with torch.no_grad():
            return (block.predict(prompts) - prompts.y_query).square()

    risk = ltb.risk(problem, *p).item()
    agrees(draw, risk, 3.5, count=400_000, batch=100_000, seed=d, off=1.1)


@pytest.mark.parametrize(("d", "rank_H", "rank_Psi", "noise", "M"), CASES)
def test_risk_is_the_infimum_plus_two_squares(
    d: int, rank_H: int, rank_Psi: int, noise: float, M: int
) -> None:
    problem, p = setting(*factors(d, rank_H, rank_Psi), noise, M), parameters(d, 20)
    odd, even = ltb.excess(problem, *p)
    assert (odd >= 0).all() and (even >= 0).all()
    total = ltb.infimum(problem) + odd + even
    assert_close(total, ltb.risk(problem, *p), rtol=1e-12, atol=1e-12)


def best(problem: ltb.Setting) -> Any:
    """r = β*, v = -β*, c = 1, w = 0, Wᵀ = ΨH^½Ω⁻¹H^{-½}."""
    root, mean = problem.root, problem.beta_star
    inverse = torch.linalg.pinv(root, hermitian=True)
    Omega = torch.linalg.pinv(problem.Omega, hermitian=True)
    Gamma = problem.Psi @ root @ Omega @ inverse
    return ltb.reduced(*ltb.weights_for_gd_beta(mean, Gamma))


@pytest.mark.parametrize(("d", "rank_H", "rank_Psi", "noise", "M"), CASES)
def test_the_infimum_is_attained_and_nothing_is_below(
    d: int, rank_H: int, rank_Psi: int, noise: float, M: int
) -> None:
    problem = setting(*factors(d, rank_H, rank_Psi), noise, M)
    floor = ltb.infimum(problem)
    assert_close(ltb.risk(problem, *best(problem)), floor, rtol=1e-12, atol=1e-13)
    many = ltb.Reduced(*[0.3 * part for part in parameters(d, 500)])
    assert (ltb.risk(problem, *many) >= floor * (1 - 1e-12)).all()


def test_the_infimum_by_hand() -> None:
    """φ = (4, 1), σ² = 1, so τ = 6, M = 3: 1 + 4·10/22 + 1·7/10; β* plays no part."""
    problem = ltb.Setting([[4, 0], [0, 1]], [[1, 0], [0, 1]], [9, -9], 1, 3)
    assert ltb.infimum(problem).item() == pytest.approx(1 + 40 / 22 + 0.7, rel=1e-15)
    assert ltb.infimum(problem.replace(beta_star=[0, 0])) == ltb.infimum(problem)
    silent = ltb.Setting([[4]], [[0]], [1], 0, 3)
    assert ltb.infimum(silent) == 0


def test_gradients_to_parameters_and_to_the_setting() -> None:
    root, spread = factors(2, 2, 1)
    values = [root, spread, random(2, seed=5), double(0.3), *parameters(2, 3)]
    leaves = [part.clone().requires_grad_() for part in values]

    def function(root: Tensor, spread: Tensor, mean: Tensor, noise: Tensor, *p: Tensor) -> Tensor:
        problem = ltb.Setting(root @ root.mT, spread @ spread.mT, mean, noise, 3)
        return ltb.risk(problem, *p)

    assert torch.autograd.gradcheck(function, leaves)


def test_the_gradient_vanishes_at_the_best_block() -> None:
    problem = setting(*factors(3, 3, 3), 0.4, 4)
    slopes = torch.func.grad(lambda p: ltb.risk(problem, *p))(tuple(best(problem)))
    assert max(slope.abs().max().item() for slope in slopes) < 1e-13


def test_symmetries() -> None:
    """A rotation, the gauge (s v, s c, W/s, w/s), and units of the label, y -> 2y."""
    problem, p = setting(*factors(3, 3, 3), 0.4, 4), parameters(3)
    risk, (r, v, c, W, w) = ltb.risk(problem, *p), p
    Q = torch.linalg.qr(random(3, 3, seed=9))[0]
    rotated = ltb.Setting(
        Q @ problem.H @ Q.mT, Q @ problem.Psi @ Q.mT, Q @ problem.beta_star, 0.4, 4
    )
    assert_close(ltb.risk(rotated, Q @ r, Q @ v, c, Q @ W @ Q.mT, Q @ w), risk)
    assert_close(ltb.risk(problem, r, 4 * v, 4 * c, W / 4, w / 4), risk)
    doubled = ltb.Setting(problem.H, 4 * problem.Psi, 2 * problem.beta_star, 1.6, 4)
    assert_close(ltb.risk(doubled, 2 * r, 2 * v, c, W, w / 2), 4 * risk)


def test_batch_axes_equal_a_loop() -> None:
    problem, p = setting(*factors(2, 2, 2), 0.4, 4), parameters(2, 3, 2)
    one = ltb.Reduced(*[part[2, 1] for part in p])
    assert_close(ltb.risk(problem, *p)[2, 1], ltb.risk(problem, *one))
    assert_close(ltb.excess(problem, *p).even[2, 1], ltb.excess(problem, *one).even)
    assert_close(ltb.excess(problem, *p).odd[2, 1], ltb.excess(problem, *one).odd)


PROBLEM = ltb.Setting([[2, 0], [0, 1]], [[1, 0], [0, 1]], [1, 0], 0.5, 4)
R, V, C, W, w = parameters(2)


test_bad_input = refuses(
    (lambda: ltb.risk(PROBLEM, R, V, C, W[:1], w), r"W must have shape \(\.\.\., 2, 2\)"),
    (lambda: ltb.risk(PROBLEM, R[:1], V, C, W, w), r"r must have shape \(2,\), got \(1,\)"),
    (lambda: ltb.risk(PROBLEM, R, V, C, W[None], w), r"r must have shape \(1, 2\)"),
    (lambda: ltb.risk(PROBLEM, R, V, C[None], W, w), r"c must have shape \(\), got \(1,\)"),
    (lambda: ltb.risk(PROBLEM, R, V, C, W, w[None]), r"w must have shape \(2,\)"),
    (lambda: ltb.excess(PROBLEM, R, V, C, W.float(), w), "must have one dtype"),
    (lambda: ltb.risk(PROBLEM, R, V / 0, C, W, w), "v must be finite"),
    (lambda: ltb.Setting([[1, 2], [2, 1]], PROBLEM.Psi, R, 0, 4), "H must be symmetric pos"),
    (lambda: PROBLEM.replace(length=0), "length must be an integer >= 1, got 0"),
)
