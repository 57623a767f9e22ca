"""What one types first: each line works, or the error says what to write."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import linear_icl
import torch
from linear_icl import gd_beta, lsa, ltb, nonlinear
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, FullParameters
from linear_icl.prompts import GaussianPrompts, embedding
from torch.testing import assert_close

from tests.unit.common import double, eye, refuses

EYE = eye(2)
COVARIANCE = torch.diag(double([1.0, 0.5]))
CASE, FULL = FixedCovariance(COVARIANCE, 8), FullParameters(COVARIANCE, 8)
START = CASE.start(0.1)
PROMPTS = GaussianPrompts(EYE).sample(3, 8, generator=0)
LAYER = lsa.LinearSelfAttention(*lsa.limit_weights(COVARIANCE, 8))
SETTING = ltb.Setting(EYE, EYE, [1.0, 0.0], 0.5, 4)
# What a type checker would refuse is typed all the same.
PACKAGE: Any = linear_icl
TRAIN: Any = nonlinear.train
TRANSFORMER: Any = nonlinear.Transformer
DESCENT: Any = gd_beta.Landscape


test_a_value_that_does_not_fit_is_told_what_to_write = refuses(
    (lambda: gradient_flow(CASE, START), "neither; write e.g. until_gap=1e-8"),
    (lambda: gradient_flow(CASE, START, 10), r"for a single one write \[10\]"),
    (
        lambda: CASE.start(0.1, torch.eye(2, dtype=torch.float32)),
        r"Theta and covariance must have one dtype, .* convert one with .to\(dtype\)",
    ),
    (
        lambda: FULL.start(EYE / 2**0.25, 0.1),
        r"sigma must be a number or a vector of numbers, got shape \(2, 2\); a matrix is Theta",
    ),
    (
        lambda: CASE.start(0.1, EYE),
        r"‖ΘΘᵀ‖_F must be 1, got 1.41421; divide Theta by torch.linalg.matrix_norm\(Theta @",
    ),
    (
        lambda: LAYER(PROMPTS),
        r"got Prompts; write layer.predict\(prompts\), or prompts.embedding\(prompts\) for E",
    ),
    (
        lambda: gd_beta.estimator(PROMPTS, gd_beta.optimum(SETTING), EYE),
        "beta must be one array of numbers, got Optimum; name one of its parts: beta, A",
    ),
)
test_a_wrong_name_is_told_what_to_write = refuses(
    (lambda: PACKAGE.lsaa, "'linear_icl' has no attribute 'lsaa'"),
    error=AttributeError,
)
test_a_wrong_type_is_told_what_to_write = refuses(
    (lambda: DESCENT(3), "got int; write ltb.Setting"),
    (lambda: TRAIN("fixed", 0), r"got str; write nonlinear.RECIPES\['fixed'"),
    (
        lambda: TRANSFORMER(dim=5),
        r"architecture must be given, an Architecture; write Architecture\(dim=5, points=21\)",
    ),
    error=TypeError,
)


def test_what_the_errors_say_works() -> None:
    flow = gradient_flow(CASE, START, [10])
    U, u = flow.states
    assert U.shape == (1, 2, 2) and u.shape == (1,)
    assert [part.shape for part in flow.state(0)] == [(2, 2), ()]
    Theta = EYE / torch.linalg.matrix_norm(EYE @ EYE.mT) ** 0.5
    assert_close(CASE.start(0.1, Theta), START)
    assert_close(LAYER.predict(PROMPTS), LAYER(embedding(PROMPTS))[:, -1, -1])
    assert nonlinear.Transformer(nonlinear.Architecture(dim=5, points=21)).architecture.dim == 5
    assert nonlinear.RECIPES["fixed"].name == "fixed"


def test_the_best_step_predicts() -> None:
    best = gd_beta.optimum(gd_beta.Setting(EYE, EYE, [1.0, 0.0], 0.5, 4))
    expected = gd_beta.estimator(PROMPTS, best.beta, best.A)
    assert_close(best.predict(PROMPTS), expected, rtol=0, atol=0)


def test_the_start_of_all_parameters_is_that_of_the_slice() -> None:
    """Its loss and its flow are the slice's, U and u in their blocks and nothing beside them."""
    theta = EYE[None] / 2**0.25
    first, second = FULL.start([0.1, 0.2], theta)
    assert first.shape == second.shape == (2, 1, 3, 3)
    U, u_21, u_12, u = lsa.blocks(first, second)
    assert (u_21 == 0).all() and (u_12 == 0).all()
    assert second.count_nonzero() == 2 and first[..., 2].count_nonzero() == 0
    U_slice, u_slice = CASE.start([0.1, 0.2], theta)
    assert_close((U, u), (U_slice, u_slice), rtol=0, atol=0)
    assert_close(FULL.gap(first, second), CASE.gap(U, u))
    assert_close(FULL.start([0.1, 0.2]), (first[:, 0], second[:, 0]), rtol=0, atol=0)


def test_a_minimum_is_that_of_the_landscape_s_own_loss() -> None:
    """½E(ŷ − y)² without its constant, with it, and the risk without the ½."""
    assert_close(CASE.minimum, CASE.loss(*CASE.limit()))
    assert_close(FULL.minimum, CASE.minimum + CASE.constant)
    best = gd_beta.optimum(SETTING)
    risk = gd_beta.risk(SETTING, best.beta, best.A)
    assert_close(gd_beta.Landscape(SETTING).minimum, risk)


def test_a_module_comes_when_it_is_named_and_not_before() -> None:
    code = (
        "import sys, linear_icl;"
        "assert 'torch' not in sys.modules, 'heavy';"
        "assert {'lsa', 'flow', 'nonlinear'} <= set(dir(linear_icl));"
        "assert 'torch' not in sys.modules;"
        "print(linear_icl.lsa.gamma([[1.0]], 1).item())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3.0\n"  # (1 + 1/N)Λ + tr(Λ)/N
