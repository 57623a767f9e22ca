"""Moments against Isserlis' sum over pairings, written out on index tensors, and closed facts."""

import itertools
import math
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
import torch
from linear_icl import gaussian
from linear_icl.lsa import gamma
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, random, refuses, seeded

TIGHT: Any = {"rtol": 1e-12, "atol": 1e-12}  # sums of at most 15·3⁶ terms of order one


def problem(d: Any, matrices: Any, seed: int = 0) -> Any:
    generator = seeded(seed)
    root, *rest = torch.randn(1 + matrices, d, d, dtype=DOUBLE, generator=generator)
    return root @ root.mT / d + 0.2 * eye(d), *rest


def moment(Lambda: Any, order: Any) -> Any:
    """The tensor E[x_i x_j …] of the given order, by Isserlis' theorem on indices."""
    letters = "ijklmn"[:order]

    def pairings(rest: Any) -> Any:
        if not rest:
            yield []
        for k in range(1, len(rest)):
            for tail in pairings(rest[1:k] + rest[k + 1 :]):
                yield [rest[0] + rest[k], *tail]

    terms = [f"{','.join(p)}->{letters}" for p in pairings(letters)]
    assert len(terms) == math.prod(range(1, order, 2))
    return sum(torch.einsum(term, *[Lambda] * (order // 2)) for term in terms)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_quartic_and_sextic_are_contractions_of_the_moment_tensors(d: Any) -> None:
    Lambda, A, B = problem(d, 2)
    fourth, sixth = moment(Lambda, 4), moment(Lambda, 6)
    assert_close(gaussian.quartic(Lambda, A), torch.einsum("ijkl,jk->il", fourth, A), **TIGHT)
    assert_close(
        gaussian.sextic(Lambda, A, B), torch.einsum("ijklmn,ij,kl->mn", sixth, A, B), **TIGHT
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_quadratic_forms(count: Any) -> None:
    Lambda, *matrices = problem(3, count)
    tensor = moment(Lambda, 2 * count)
    for A in reversed(matrices):
        tensor = (tensor * A).sum((-2, -1))
    assert_close(gaussian.quadratic_forms(Lambda, *matrices), tensor, **TIGHT)


def test_moments_of_one_standard_normal() -> None:
    """E x² = 1, E x⁴ = 3, E x⁶ = 15, E x⁸ = 105, and odd moments vanish."""
    one = torch.ones(1, dtype=DOUBLE)
    for order, value in {0: 1, 1: 0, 2: 1, 3: 0, 4: 3, 6: 15, 8: 105}.items():
        assert gaussian.linear_forms([[1]], *[one] * order) == value
    assert gaussian.quadratic_forms([[1]], *[[[1]]] * 3) == 15


def test_linear_forms_agree_with_rank_one_quadratic_forms() -> None:
    Lambda, V = problem(3, 1)
    forms = [torch.outer(v, w) for v, w in itertools.pairwise([*V, V[0]])]
    vectors = [V[0], V[1], V[1], V[2], V[2], V[0]]
    assert_close(
        gaussian.linear_forms(Lambda, *vectors), gaussian.quadratic_forms(Lambda, *forms), **TIGHT
    )


@pytest.mark.parametrize("N", [1, 2, 7])
@pytest.mark.parametrize("d", [1, 3])
def test_wishart_moments_by_the_law_of_a_stacked_vector(d: Any, N: Any) -> None:
    """S is a quadratic function of z = (x_1, …, x_N) ~ N(0, I ⊗ Λ): its fourth moments decide."""
    Lambda, B = problem(d, 1)
    fourth = moment(torch.kron(eye(N), Lambda), 4).reshape([N, d] * 4)
    SS = torch.einsum("aiajbkbl->ijkl", fourth) / N**2  # E[S_ij S_kl]
    assert_close(gaussian.sandwich(Lambda, N, B), torch.einsum("ijkl,jk->il", SS, B), **TIGHT)
    assert_close(gaussian.traced(Lambda, N, B), torch.einsum("ijkl,ji->kl", SS, B), **TIGHT)


def test_second_moment_of_S_is_gamma_lambda() -> None:
    Lambda, _ = problem(3, 1)
    identity = eye(3)
    assert_close(gaussian.sandwich(Lambda, 5, identity), gamma(Lambda, 5) @ Lambda, **TIGHT)


def test_exact_isserlis_by_hand() -> None:
    """With u = v of variance ½: E u⁴ = 3/4, E u⁶ = 15/8; and Λ_00Λ_11 + 2Λ_01² = 2/3 + 2/9."""
    half = [[Fraction(1, 2)]]
    assert gaussian.exact_isserlis(half, *[[1]] * 4) == Fraction(3, 4)
    assert gaussian.exact_isserlis(half, *[np.array([1])] * 6) == Fraction(15, 8)
    Lambda = [[2, Fraction(1, 3)], [Fraction(1, 3), Fraction(1, 3)]]
    assert gaussian.exact_isserlis(Lambda, [1, 0], [1, 0], [0, 1], [0, 1]) == Fraction(8, 9)
    assert gaussian.exact_isserlis(Lambda, [1, 0]) == 0 and gaussian.exact_isserlis(Lambda) == 1


@pytest.mark.parametrize("N", [1, 2, 8])
def test_the_sandwich_without_a_tolerance(N: Any) -> None:
    """E[SBS] at d = 2 in fractions: N(N-1) pairs of different x, and N of the same by Isserlis."""
    Lambda = np.array([[Fraction(2), Fraction(1, 3)], [Fraction(1, 3), Fraction(1, 2)]])
    B = np.array([[Fraction(1), Fraction(-2, 7)], [Fraction(-2, 7), Fraction(3)]])
    e = [[1, 0], [0, 1]]
    same = np.array([[Fraction(0)] * 2] * 2)
    for i, j, k, l in itertools.product(range(2), repeat=4):
        same[i, j] += B[k, l] * gaussian.exact_isserlis(Lambda, e[i], e[k], e[l], e[j])
    direct = (Fraction(N - 1, N)) * (Lambda @ B @ Lambda) + Fraction(1, N) * same
    formula = Fraction(N + 1, N) * (Lambda @ B @ Lambda) + Fraction(1, N) * (
        np.trace(B @ Lambda) * Lambda
    )
    assert (direct == formula).all()
    rounded = gaussian.sandwich(Lambda.astype(float), N, B.astype(float))
    exact = double(direct.astype(float))
    assert_close(rounded, exact, **TIGHT)


def test_batch_axes_equal_a_loop() -> None:
    Lambda, _ = problem(3, 1)
    A, B = random(2, 4, 3, 3, seed=5)
    for batched, single in [
        (gaussian.quartic(Lambda, A), lambda k: gaussian.quartic(Lambda, A[k])),
        (gaussian.sextic(Lambda, A, B), lambda k: gaussian.sextic(Lambda, A[k], B[k])),
        (gaussian.sandwich(Lambda, 4, A), lambda k: gaussian.sandwich(Lambda, 4, A[k])),
        (gaussian.traced(Lambda, 4, A), lambda k: gaussian.traced(Lambda, 4, A[k])),
    ]:
        assert_close(batched, torch.stack([single(k) for k in range(4)]), **TIGHT)


EYE = [[1, 0], [0, 1]]


test_bad_input = refuses(
    (lambda: gaussian.quartic([[1, 2], [0, 1]], EYE), "covariance must be symmetric"),
    (lambda: gaussian.quartic([EYE], EYE), r"covariance must have shape \(d, d\)"),
    (lambda: gaussian.quartic(EYE, [[1]]), r"matrix must have shape \(\.\.\., 2, 2\)"),
    (lambda: gaussian.sextic(EYE, EYE, [EYE]), "share their batch axes, got .*; expand one"),
    (
        lambda: gaussian.quadratic_forms(EYE),
        "quadratic_forms takes one to three matrices, got 0; linear_forms",
    ),
    (lambda: gaussian.quadratic_forms(EYE, *[EYE] * 4), "one to three matrices, got 4"),
    (lambda: gaussian.linear_forms(EYE, [1]), r"vectors must have shape \(2,\), got \(1,\)"),
    (
        lambda: gaussian.exact_isserlis([[0.5]]),
        r"covariance must hold integers or Fraction, got float 0\.5; write e\.g\. Fraction",
    ),
    (lambda: gaussian.exact_isserlis([[1, 2], [0, 1]]), "covariance must be symmetric, got"),
    (lambda: gaussian.exact_isserlis([[1, 2]]), "covariance must have length 1, got 2"),
    (lambda: gaussian.exact_isserlis(EYE, [1]), "vectors must have length 2, got 1"),
    (lambda: gaussian.sandwich(EYE, 0, EYE), "length must be an integer >= 1, got 0"),
    (lambda: gaussian.traced(EYE, cast(Any, 2.0), EYE), "length must be an integer >= 1, got 2.0"),
)
