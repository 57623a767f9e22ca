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

from tests.unit.common import DOUBLE, agrees, double, eye, random, refuses


def factors(d: int, rank_H: int, rank_Psi: int) -> tuple[Tensor, Tensor]:
    root, spread = random(2, d, d, seed=d)
    root[:, rank_H:], spread[:, rank_Psi:] = 0, 0
    return root, spread


def setting(root: Tensor, spread: Tensor, noise: float, M: int) -> ltb.Setting:
    mean = random(len(root), seed=5)
    return ltb.Setting(root @ root.mT, spread @ spread.mT, mean, noise, M)


def parameters(d: int, *batch: int, seed: int = 1) -> Any:
    r, u_12, u_21 = random(3, *batch, d, seed=seed)
    u, U = random(*batch, seed=seed + 1), random(*batch, d, d, seed=seed + 2)
    return ltb.Reduced(r, u_12, u, U, u_21)


def weights(p: Any) -> tuple[Tensor, Tensor, Tensor]:
    """A block with these reduced parameters and junk in the entries that must not matter."""
    d = len(p.r)
    W_21, W_KQ, W_PV = torch.full((3, d + 1, d + 1), 9.0, dtype=DOUBLE)
    W_21[d, :d], W_21[d, d] = p.r, 2.0
    W_PV[d, :d], W_PV[d, d] = (p.u_12 - 9 * p.r.sum()) / 2, (p.u - 9 * p.r.sum()) / 2
    W_KQ[:d, :d], W_KQ[d, :d] = p.U, p.u_21
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
    risk = ltb.risk(problem, p).item()
    assert risk == pytest.approx(expected, rel=1e-12)  # at most 5e4 terms of one sign


def test_isserlis_in_rational_arithmetic() -> None:
    """d = 1, M = 2, no noise: each term a product of linear forms in (x_1, x_2, θ, x)."""
    H, Psi, mean, r, u_12, u, U, u_21 = (Fraction(n, 2) for n in (4, 6, 10, 2, -4, 6, 1, -2))
    covariance = [[(H, H, Psi, H)[i] if i == j else 0 for j in range(4)] for i in range(4)]
    x_1, x_2, theta, x = ([int(i == j) for j in range(4)] for i in range(4))
    terms = [(r - mean, (x,)), (Fraction(-1), (theta, x))]
    for x_i in (x_1, x_2):
        value = [(u_12 + u * mean, (x_i,)), (u, (theta, x_i))]
        score = [(U + u_21 * mean, (x_i, x)), (u_21, (theta, x_i, x))]
        terms += [(a * b / 2, (*f, *g)) for (a, f), (b, g) in product(value, score)]
    total = sum(
        a * b * gaussian.exact_isserlis(covariance, *f, *g)
        for (a, f), (b, g) in product(terms, terms)
    )
    problem = ltb.Setting([[2]], [[3]], [5], 0, 2)
    numbers: Any = [[float(r)], [float(u_12)], float(u), [[float(U)]], [float(u_21)]]
    assert ltb.risk(problem, ltb.Reduced(*numbers)).item() == pytest.approx(float(total), rel=1e-14)


@pytest.mark.parametrize(("d", "M"), [(2, 5), (3, 4)])
def test_monte_carlo_through_the_token_level_block(d: int, M: int) -> None:
    problem = setting(*factors(d, d, d), 0.4, M)
    p = ltb.Reduced(*[0.4 * part for part in parameters(d)])
    block = ltb.LinearTransformerBlock(*weights(p))

    def draw(n: int, generator: torch.Generator) -> Tensor:
        prompts = problem.sample(n, generator=generator)
        with torch.no_grad():
            return (block.predict(prompts) - prompts.y_query).square()

    risk = ltb.risk(problem, p).item()
    agrees(draw, risk, 3.5, count=400_000, batch=100_000, seed=d, off=1.1)


@pytest.mark.parametrize(("d", "rank_H", "rank_Psi", "noise", "M"), CASES)
def test_risk_is_the_infimum_plus_two_squares(
    d: int, rank_H: int, rank_Psi: int, noise: float, M: int
) -> None:
    problem, p = setting(*factors(d, rank_H, rank_Psi), noise, M), parameters(d, 20)
    odd, even = ltb.excess(problem, p)
    assert (odd >= 0).all() and (even >= 0).all()
    total = ltb.infimum(problem) + odd + even
    assert_close(total, ltb.risk(problem, p), rtol=1e-12, atol=1e-12)


def best(problem: ltb.Setting) -> Any:
    """r = β*, u_12 = -β*, u = 1, u_21 = 0, Uᵀ = ΨH^½Ω⁻¹H^{-½}."""
    root, mean = problem.root, problem.beta_star
    inverse = torch.linalg.pinv(root, hermitian=True)
    Omega = torch.linalg.pinv(problem.Omega, hermitian=True)
    A = problem.Psi @ root @ Omega @ inverse
    return ltb.reduced(*ltb.weights_for_gd_beta(mean, A))


@pytest.mark.parametrize(("d", "rank_H", "rank_Psi", "noise", "M"), CASES)
def test_the_infimum_is_attained_and_nothing_is_below(
    d: int, rank_H: int, rank_Psi: int, noise: float, M: int
) -> None:
    problem = setting(*factors(d, rank_H, rank_Psi), noise, M)
    floor = ltb.infimum(problem)
    assert_close(ltb.risk(problem, best(problem)), floor, rtol=1e-12, atol=1e-13)
    many = ltb.Reduced(*[0.3 * part for part in parameters(d, 500)])
    assert (ltb.risk(problem, many) >= floor * (1 - 1e-12)).all()


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
        return ltb.risk(problem, ltb.Reduced(*p))

    assert torch.autograd.gradcheck(function, leaves)


def test_the_gradient_vanishes_at_the_best_block() -> None:
    problem = setting(*factors(3, 3, 3), 0.4, 4)
    slopes = torch.func.grad(lambda p: ltb.risk(problem, p))(best(problem))
    assert max(slope.abs().max().item() for slope in slopes) < 1e-13


def test_symmetries() -> None:
    """A rotation, the gauge (s u_12, s u, U/s, u_21/s), and units of the label, y -> 2y."""
    problem, p = setting(*factors(3, 3, 3), 0.4, 4), parameters(3)
    risk, (r, u_12, u, U, u_21) = ltb.risk(problem, p), p
    Q = torch.linalg.qr(random(3, 3, seed=9))[0]
    rotated = ltb.Setting(
        Q @ problem.H @ Q.mT, Q @ problem.Psi @ Q.mT, Q @ problem.beta_star, 0.4, 4
    )
    turned = ltb.Reduced(Q @ r, Q @ u_12, u, Q @ U @ Q.mT, Q @ u_21)
    assert_close(ltb.risk(rotated, turned), risk)
    scaled = ltb.Reduced(r, 4 * u_12, 4 * u, U / 4, u_21 / 4)
    assert_close(ltb.risk(problem, scaled), risk)
    doubled = ltb.Setting(problem.H, 4 * problem.Psi, 2 * problem.beta_star, 1.6, 4)
    moved = ltb.Reduced(2 * r, 2 * u_12, u, U, u_21 / 2)
    assert_close(ltb.risk(doubled, moved), 4 * risk)


def test_batch_axes_equal_a_loop() -> None:
    problem, p = setting(*factors(2, 2, 2), 0.4, 4), parameters(2, 3, 2)
    one = ltb.Reduced(*[part[2, 1] for part in p])
    assert_close(ltb.risk(problem, p)[2, 1], ltb.risk(problem, one))
    assert_close(ltb.excess(problem, p).even[2, 1], ltb.excess(problem, one).even)
    assert_close(ltb.excess(problem, p).odd[2, 1], ltb.excess(problem, one).odd)


PROBLEM = ltb.Setting([[2, 0], [0, 1]], [[1, 0], [0, 1]], [1, 0], 0.5, 4)
BLOCK = parameters(2)


def with_(**parts: Any) -> Any:
    return lambda: ltb.risk(PROBLEM, BLOCK._replace(**parts))


test_bad_input = refuses(
    (with_(U=BLOCK.U[:1]), r"U must have shape \(\.\.\., 2, 2\)"),
    (with_(r=BLOCK.r[:1]), r"r must have shape \(2,\), got \(1,\)"),
    (with_(U=BLOCK.U[None]), r"r must have shape \(1, 2\)"),
    (with_(u=BLOCK.u[None]), r"u must have shape \(\), got \(1,\)"),
    (with_(u_21=BLOCK.u_21[None]), r"u_21 must have shape \(2,\)"),
    (with_(U=BLOCK.U.float()), "must have one dtype"),
    (with_(u_12=BLOCK.u_12 / 0), "u_12 must be finite"),
    (lambda: ltb.Setting([[1, 2], [2, 1]], PROBLEM.Psi, BLOCK.r, 0, 4), "H must be symmetric pos"),
    (lambda: PROBLEM.replace(length=0), "length must be an integer >= 1, got 0"),
)
LAYER: Any = ltb.LinearTransformerBlock(eye(3), eye(3), eye(3))
test_what_is_no_block_is_told_what_to_write = refuses(
    (tuple(BLOCK), r"block must be a Reduced, got tuple; .* ltb\.Reduced\(r, u_12, u, U, u_21\)"),
    (LAYER, r"block must be a Reduced, got LinearTransformerBlock; write net\.reduced\(\), or"),
    by=lambda block: (ltb.risk(PROBLEM, block), ltb.excess(PROBLEM, block)),
    error=TypeError,
)
