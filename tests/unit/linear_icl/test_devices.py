"""Everything stays on the device and in the precision of what it is given.

The device ``meta`` has no numbers: what is created beside it fails, or is found on the CPU. In
single precision the same numbers come out, to five digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from linear_icl import estimators, gaussian, gd_beta, labels, lsa, ltb, risk
from linear_icl import random_covariance as rc
from linear_icl.deep import LinearTransformer, descent_weights
from linear_icl.landscape import FixedCovariance, FullParameters, KeysApart
from linear_icl.prompts import GaussianPrompts, Prompts, embedding
from linear_icl.settings import Setting
from linear_icl.shifts import SHIFTS
from linear_icl.softmax import SoftmaxAttention
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, random, seeded

Given = Callable[[Any], Tensor]  # puts numbers where, and in the precision in which, all is asked
L, A = [[2.0, 0.3], [0.3, 0.5]], [[0.5, 0.2], [0.0, 0.4]]
SHAPES = [(3, 4, 2), (3, 4), (3, 2), (3,)]  # of three prompts with four examples
THETA = [[2**-0.25, 0.0], [0.0, 2**-0.25]]


def put(place: str, dtype: torch.dtype) -> Given:
    return lambda value: torch.as_tensor(value, dtype=DOUBLE).to(place, dtype)


def prompts(on: Given) -> Prompts:
    return Prompts(*(on(random(*shape, seed=k)) for k, shape in enumerate(SHAPES)))


def layers(on: Given) -> Iterable[Tensor]:
    weights, given = lsa.limit_weights(on(L), 3), prompts(on)
    E = embedding(given)
    layer, deep = lsa.LinearSelfAttention(*weights), LinearTransformer(*descent_weights(on([A, A])))
    softmax = SoftmaxAttention(*(on(random(3, 3, seed=k)) for k in range(4)))
    block = ltb.LinearTransformerBlock(*ltb.weights_for_gd_beta(on([1.0, 2.0]), on(A)))
    alone = ltb.LinearTransformerBlock.attention_only(*weights)
    for model in (layer, deep, softmax, block, alone):
        yield from (model(E), model.predict(given))
    yield from (E, *weights, *lsa.gradient_step_weights(on(A)), *block.reduced(), alone.W_21)
    yield from (lsa.quadratic_form(E), lsa.reduced_vector(*weights), softmax.scores(E))
    yield lsa.gamma(on(L), 3)


def learners(on: Given) -> Iterable[Tensor]:
    given = prompts(on)
    for learner in (estimators.zero, estimators.averaging, estimators.ols):
        yield learner(given)
    yield estimators.ridge(given, 0.5)
    yield estimators.conjugate_gradient(given, 2)
    yield estimators.bayes(given, noise_variance=0.5)
    yield estimators.gradient_descent(given, 3, step_size=0.1)
    yield gd_beta.estimator(given, on([1.0, 2.0]), on(A))


def moments(on: Given) -> Iterable[Tensor]:
    Lambda, B = on(L), on(A)
    yield from (gaussian.quartic(Lambda, B), gaussian.sextic(Lambda, B, B))
    yield from (gaussian.quadratic_forms(Lambda, B, B), gaussian.linear_forms(Lambda, B[0], B[1]))
    yield from (gaussian.sandwich(Lambda, 3, B), gaussian.traced(Lambda, 3, B))


def label_models(on: Given) -> Iterable[Tensor]:
    w, v = on([1.0, -2.0]), on([0.3, 0.4])
    bent = [labels.Quadratic(w, v, 0.8), labels.Sign(w), labels.Relu(w)]
    for model in (labels.Noiseless(w), labels.Noisy(w, 0.7), *bent):
        yield from model.moments(on(L))


def products(own: Any, on: Given, *more: Any) -> Iterable[Tensor]:
    """All of a landscape of uU, and what is its own."""
    state, Theta = (on([A, L]), on([1.0, -0.5])), on(THETA)
    yield from (own.pull, own.target, own.minimum, own.constant, own.loss(*state), own.gap(*state))
    yield from (*own.gradient(*state), *own.limit(), *own.start(0.1, Theta))
    yield from (own.escape_time(0.1, Theta), *more)
    for sharp in (False, True) if isinstance(own, FixedCovariance) else (True,):
        yield own.sigma_max(Theta, sharp=sharp)
        yield own.u_lower_bound(0.1, Theta, sharp=sharp)
        yield own.pl_constant(0.1, Theta, sharp=sharp)


def fixed(on: Given) -> Iterable[Tensor]:
    own = FixedCovariance(on(L), 8)
    _, curvature, pull = own.spectral()
    yield from products(own, on, own.Gamma, own.eigenvalues, curvature, pull, own.sharpness(0.5))
    apart, (U, u) = KeysApart(own), (on(A), on(0.5))
    yield from (apart.loss(U, U, u), apart.gap(U, U, u), *apart.gradient(U, U, u))


def laws(on: Given) -> list[rc.Law]:
    return [rc.Gamma(on(2.0), 0.5), rc.LogNormal(on(0.1), 0.5)]


def random_covariances(on: Given) -> Iterable[Tensor]:
    flat, turned = rc.DiagonalCovariance(laws(on), 2, 8), rc.RotatedCovariance(laws(on), 2, 8)
    more = (flat.xi, flat.zeta, flat.gamma, flat.shrinkage, *flat.spectral())
    yield from products(flat, on, *more)
    yield from products(turned, on, turned.kappa, turned.curvatures)
    mixture = rc.MixtureCovariance(on([L, [[1, 0.5], [0.5, 1]]]), length=8)
    yield from products(mixture, on, mixture.operator)
    one = on(1.0)
    for law in (*laws(on), rc.Exponential(one), rc.Uniform(0 * one, 1), rc.Constant(one)):
        yield from (law.moment(3), law.shrinkage(2, 8))
    yield risk.random_covariance_risk(rc.Exponential(one), 2, 8, [3, 4], scale=one)


def all_parameters(on: Given) -> Iterable[Tensor]:
    own, state = FullParameters(on(L), 8), on(random(2, 3, 3, 3, seed=1))
    yield from (own.minimum, own.loss(*state), own.gap(*state), *own.gradient(*state))
    yield from (*own.limit(), *own.start(0.1, on(THETA)), own.sharpness([0.5, 2.0]))


def blocks(on: Given) -> Iterable[Tensor]:
    own = Setting(on(L), [[1.0, 0.2], [0.2, 0.5]], [1, 2], 0.4, 5)
    yield from (own.tau, own.root, own.image, own.Phi, own.phi, own.Omega, own.Omega_0)
    best, zero = gd_beta.optimum(own), gd_beta.gd_zero(own)
    yield from (*best, *zero)
    given = prompts(on)
    yield from (gd_beta.bayes(given, own), gd_beta.posterior_variance(own, given.x))
    yield from (gd_beta.bayes_lower_bound(own), *gd_beta.near_bayes_bounds(own))
    descent, state = gd_beta.Landscape(own), (on([[1.0, 0.5], [0.3, 2]]), on([A, L]))
    yield from (descent.loss(*state), descent.gap(*state), descent.minimum)
    yield from (*descent.gradient(*state), *descent.limit(*state))
    yield from (gd_beta.risk(own, *state), gd_beta.excess(own, *state))
    parts = ltb.Reduced(on([1.0, 2]), on([0.5, 1]), on(0.7), on(A), on([0.2, 0.1]))
    yield from (ltb.risk(own, parts), *ltb.excess(own, parts), ltb.infimum(own))


def risks(on: Given) -> Iterable[Tensor]:
    Lambda, task = on(L), on([1.0, -2.0])
    yield risk.linear_risk(Lambda, [3, 4], 5, test_covariance=Lambda, task=task)
    yield risk.linear_risk(Lambda, None, range(5, 7), preconditioner=on(A))
    yield from risk.prediction_risk(Lambda, 3, torch.arange(5, 7), (task, Lambda, 0.5))
    yield risk.averaged_bound(Lambda, [8, 16], [5, 6, 7])
    yield risk.ols_risk(Lambda, [5, 6], noise_variance=1)
    for name, shift in SHIFTS.items():
        yield shift(2).risk(on(A), 1 if name == "orthogonal_query" else [1, 3])


LAYERS: list[Callable[[Given], Iterable[Tensor]]] = [layers, learners, moments, label_models]
ALL = [*LAYERS, fixed, random_covariances, all_parameters, blocks, risks]


@pytest.mark.parametrize("made", ALL)
def test_nothing_is_created_on_another_device(made: Any) -> None:
    here, there = (made(put(place, DOUBLE)) for place in ("cpu", "meta"))
    for ours, theirs in zip(there, here, strict=True):
        assert ours.is_meta and (ours.dtype, ours.shape) == (DOUBLE, theirs.shape)


@pytest.mark.parametrize("made", ALL)
def test_single_precision_is_kept_and_five_digits_with_it(made: Any) -> None:
    single, exact = (made(put("cpu", dtype)) for dtype in (torch.float32, DOUBLE))
    for ours, theirs in zip(single, exact, strict=True):
        assert ours.dtype == torch.float32
        assert_close(ours.double(), theirs, rtol=2e-5, atol=1e-5)


DRAWN: dict[str, Callable[[Given], Iterable[Tensor]]] = {
    "prompts": lambda on: GaussianPrompts(on(L), noise_variance=0.1).sample(3, 4),
    "moment": lambda on: GaussianPrompts(on(L)).sample_moment(3, 4),
    "setting": lambda on: Setting(on(L), L, [1, 2], 0.4, 4).sample(3),
    "random": lambda on: rc.RandomCovariancePrompts(laws(on), 2).sample(3, 4),
    "covariance": lambda on: [rc.RandomCovariancePrompts(laws(on), 2).sample_covariance(3)],
    "rotated": lambda on: rc.RandomCovariancePrompts(laws(on), 2, rotated=True).sample(3, 4),
    "law": lambda on: [law.sample((2, 3)) for law in laws(on)],
    "uniform": lambda on: [rc.Uniform(on(0.0), 1).sample(3), rc.Constant(on(1.0)).sample(3)],
    "exponential": lambda on: [rc.Exponential(on(1.0)).sample(3)],
    "labels": lambda on: [labels.Noisy(on([1.0, 2]), 0.5).sample(on([A, L]))],
}


@pytest.mark.parametrize("name", DRAWN)
def test_draws_follow_too(name: str) -> None:
    for place, dtype in (("meta", DOUBLE), ("cpu", torch.float32), ("cpu", DOUBLE)):
        results = list(DRAWN[name](put(place, dtype)))
        assert all(part.device.type == place and part.dtype == dtype for part in results)
        if len(results) > 2:  # prompts, or the moment in the place of x and y
            shapes = [(3, 2), (3, 2), (3,)] if name == "moment" else [*SHAPES]
            assert [part.shape for part in results] == shapes


def test_a_draw_and_a_verdict_of_a_setting() -> None:
    single, meta = (Setting(torch.tensor(L, device=d), L, [1, 2], 0.4, 5) for d in ("cpu", "meta"))
    assert gd_beta.bayes_excess(single)(3, seeded()).dtype == torch.float32
    assert gd_beta.excess(meta, *gd_beta.optimum(meta)[:2]).is_meta
