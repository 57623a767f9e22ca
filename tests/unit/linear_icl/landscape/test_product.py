"""What holds for every landscape of a product uU, whatever its law of Λ."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, Landscape, ProductLandscape, SpectralLandscape
from linear_icl.random_covariance import (
    DiagonalCovariance,
    Exponential,
    Gamma,
    LogNormal,
    MixtureCovariance,
    Moments,
    RotatedCovariance,
    Uniform,
)
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import double, eye, random, random_state, theta

LAWS = [Gamma(2.0, 0.5), Uniform(0.2, 1), LogNormal(0.1, 0.5)]


def covariances(count: int, d: int = 3, seed: int = 0) -> Tensor:
    R = random(count, d, d, seed=seed)
    return R @ R.mT / d + 0.2 * eye(d)


#: The atoms of the mixtures do not commute.
PRODUCTS: dict[str, ProductLandscape] = {
    "fixed": FixedCovariance(covariances(1)[0], 10),
    "diagonal": DiagonalCovariance(LAWS, 3, 6),
    "rotated": RotatedCovariance(LAWS, 3, 6),
    "mixture": MixtureCovariance(covariances(4), [0.1, 0.2, 0.3, 0.4], length=6),
    "pair": MixtureCovariance([[[3, 0], [0, 0.2]], [[0.5, 0.4], [0.4, 0.5]]], length=8),
}


@pytest.fixture(params=PRODUCTS)
def own(request: Any) -> ProductLandscape:
    return PRODUCTS[request.param]


# -- loss, gradient, gap -------------------------------------------------------------------------


def test_gradient_is_that_of_the_loss(own: ProductLandscape) -> None:
    state = random_state(own.dim, 5)
    leaves = [part.clone().requires_grad_() for part in state]
    expected = torch.autograd.grad(own.loss(*leaves).sum(), leaves)
    for ours, theirs in zip(own.gradient(*state), expected, strict=True):
        assert_close(ours, theirs, rtol=1e-13, atol=1e-13)


def test_gap_is_loss_above_minimum(own: ProductLandscape) -> None:
    state = random_state(own.dim, 2, 4)
    gap = own.gap(*state)
    assert gap.shape == (2, 4)
    assert_close(gap, own.loss(*state) - own.minimum, rtol=1e-12, atol=0)


def test_gap_keeps_its_digits_near_the_minimum(own: ProductLandscape) -> None:
    """At U* + εE it is ½ε²u²⟨E, 𝒜E⟩: 1e-22 here, far below the rounding of the loss."""
    (E, _), (U, u) = random_state(own.dim), own.limit()
    by_U, _ = own.gradient(u * E, u)  # = u²𝒜(uE) - uB, from which 𝒜E
    curved = (by_U / u + own.pull) / u**2
    expected = 1e-22 * u**2 * (E * curved).sum() / 2
    assert_close(own.gap(U + 1e-11 * E, u), expected, rtol=1e-4, atol=0)


def symmetric(A: Tensor) -> Tensor:
    return (A + A.mT) / 2


#: A landscape of d = 2 as a function of what it is made of, and where to differentiate it.
MADE: dict[str, tuple[Callable[..., ProductLandscape], tuple[Tensor, ...]]] = {
    "fixed": (lambda L: FixedCovariance(symmetric(L), 6), (covariances(1, 2)[0],)),
    "mixture": (
        lambda L: MixtureCovariance(symmetric(L), [0.3, 0.7], length=6),
        (covariances(2, 2),),
    ),
}
for kind in (DiagonalCovariance, RotatedCovariance):
    MADE[kind.__name__] = (
        lambda k, scale, kind=kind: kind([Gamma(k, scale), Exponential(scale)], 2, 6),
        (double(1.7), double(0.6)),
    )


@pytest.mark.parametrize("name", ["loss", "gap"])
@pytest.mark.parametrize("kind", MADE)
def test_differentiable_in_what_it_is_made_of(name: str, kind: str) -> None:
    (make, leaves), state = MADE[kind], random_state(2)

    def value(*parts: Tensor) -> Tensor:
        result: Tensor = getattr(make(*parts), name)(*state)
        return result

    assert torch.autograd.gradcheck(value, tuple(x.clone().requires_grad_() for x in leaves))


# -- limits and starts ---------------------------------------------------------------------------


def test_limits_of_all_balances(own: ProductLandscape) -> None:
    D = double([-1e6, -3.0, 0.0, 0.5, 2.0, 1e6])
    U, u = own.limit(D)
    assert U.shape == (6, own.dim, own.dim) and (u > 0).all()
    # u² and ‖U‖² differ by D; at |D| = 1e6 their rounding is 1e-10.
    assert_close(u**2 - U.square().sum((-2, -1)), D, rtol=1e-13, atol=1e-13)
    assert (own.gap(U, u) < 1e-25).all()
    assert_close(own.loss(U, u), own.minimum.expand(6), rtol=1e-13, atol=0)
    for part in own.gradient(U, u):
        largest = part.abs().reshape(6, -1).amax(1)
        assert (largest < 1e-13 * (1 + D.abs().sqrt())).all()


def test_start_is_balanced_and_batched(own: ProductLandscape) -> None:
    Theta, sigma = theta(own.dim, 2), double([0.1, 0.2, 0.3])
    U, u = own.start(sigma, Theta)
    assert U.shape == (3, 2, own.dim, own.dim) and u.shape == (3, 2)
    assert_close(U[1, 0], 0.2 * Theta[0] @ Theta[0].mT)
    assert_close(U.square().sum((-2, -1)), u**2, rtol=1e-14, atol=0)
    assert own.pl_constant(
        0.5 * own.sigma_max(Theta, sharp=True).min(), Theta, sharp=True
    ).shape == (2,)


def test_theta_is_isotropic_by_default(own: ProductLandscape) -> None:
    even = eye(own.dim) / own.dim**0.25
    assert_close(own.start([0.1, 0.2]), own.start([0.1, 0.2], even), rtol=0, atol=0)
    assert_close(own.sigma_max(sharp=True), own.sigma_max(even, sharp=True), rtol=0, atol=0)
    for number in (own.escape_time, own.u_lower_bound, own.pl_constant):
        sharp = {} if number == own.escape_time else {"sharp": True}
        assert_close(number(0.1, **sharp), number(0.1, even, **sharp), rtol=0, atol=0)


MOMENTS = DiagonalCovariance(Moments(1, 2, 6), 3, 4)
#: From above sigma_max too, where the diagonal and the rotated law converge all the same.
ENDS = [(own, 0.8) for own in PRODUCTS.values()]
ENDS += [(PRODUCTS["diagonal"], 3.0), (PRODUCTS["rotated"], 3.0), (MOMENTS, 0.3), (MOMENTS, 3.0)]


@pytest.mark.parametrize(("own", "share"), ENDS)
def test_flow_ends_at_the_limit(own: ProductLandscape, share: float) -> None:
    """From three Θ at once."""
    Theta = theta(own.dim, 3)
    start = own.start(share * float(own.sigma_max(Theta, sharp=True).min()), Theta)
    flow = gradient_flow(own, start, until_gap=1e-14 * -float(own.minimum))
    for found, expected in zip(flow.state(-1), own.limit(), strict=True):
        assert_close(found, expected.expand_as(found), rtol=0, atol=3e-6)  # the root of the gap


# -- constants along the flow --------------------------------------------------------------------


def test_sharp_sigma_bound_is_where_the_loss_starts_at_zero(own: ProductLandscape) -> None:
    Theta = theta(own.dim, 6)
    sharp = own.sigma_max(Theta, sharp=True)
    for part, bound in zip(Theta, sharp, strict=True):
        below, above = (own.loss(*own.start(bound * k, part)) for k in (1 - 1e-9, 1 + 1e-9))
        assert below < 0 < above


def test_sharp_bounds_are_sharper() -> None:
    own = PRODUCTS["fixed"]
    Theta = theta(own.dim, 6)
    sigma = 0.9 * float(own.sigma_max(Theta).min())
    assert (own.sigma_max(Theta) < own.sigma_max(Theta, sharp=True)).all()
    strictest = f"{float(own.sigma_max(Theta).min()):.6g}"  # of several, the one that refuses first
    with pytest.raises(ValueError, match=rf"sigma_max\(Theta\) = {re.escape(strictest)}, got"):
        own.u_lower_bound(2 * own.sigma_max(Theta).max(), Theta)
    for bound in (own.u_lower_bound, own.pl_constant):
        assert (bound(sigma, Theta) > 0).all()
        assert (bound(sigma, Theta) < bound(sigma, Theta, sharp=True)).all()


KINDS = [("fixed", False), *((name, True) for name in PRODUCTS)]


@pytest.mark.parametrize(("name", "sharp"), KINDS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_bounds_hold_along_the_flow(name: str, share: float, sharp: bool) -> None:
    own = PRODUCTS[name]
    Theta = theta(own.dim)
    sigma = share * float(own.sigma_max(Theta, sharp=sharp))
    flow = gradient_flow(own, own.start(sigma, Theta), until_gap=1e-8)
    U, u = flow.states
    squared = sum(part.square().reshape(len(flow), -1).sum(1) for part in own.gradient(U, u))
    assert (squared >= own.pl_constant(sigma, Theta, sharp=sharp) * flow.gap).all()
    assert (u >= own.u_lower_bound(sigma, Theta, sharp=sharp)).all()
    assert_close(u**2, U.square().sum((-2, -1)), rtol=1e-7, atol=0)  # balanced


# -- entry ---------------------------------------------------------------------------------------


def test_protocol() -> None:
    assert all(isinstance(own, Landscape) for own in PRODUCTS.values())
    separate = {name for name, own in PRODUCTS.items() if isinstance(own, SpectralLandscape)}
    assert separate == {"fixed", "diagonal"}


def test_arrays_and_lists(own: ProductLandscape) -> None:
    U, u = random_state(own.dim)
    reference = own.loss(U, u)
    assert own.loss(U.numpy(), float(u)) == own.loss(U.tolist(), u.numpy()) == reference


TWO = [
    FixedCovariance([[2, 0], [0, 0.5]], 8),
    DiagonalCovariance(Exponential(), 2, 8),
    RotatedCovariance(Exponential(), 2, 8),
    MixtureCovariance([[[2, 0], [0, 0.5]], [[1, 0.5], [0.5, 1]]], length=8),
]
EYE = eye(2)
BAD_STATES: list[tuple[Any, Any, str]] = [
    ([[1]], 1, r"U must have shape \(..., 2, 2\), got \(1, 1\)"),
    (EYE, [1, 2], r"u must have the batch axes of U, \(\), got \(2,\)"),
    (EYE.float(), 1, r"must have one dtype, got torch.float32 and torch.float64"),
    (EYE.to("meta"), 1, r"must be on one device, got meta and cpu"),
    ([[1, 2], [3, math.inf]], 1, r"U must be finite, got inf"),
]
#: (Theta, sigma, message) for the start of Assumption 3.3.
BAD_STARTS: list[tuple[Any, Any, str]] = [
    ([[1, 0], [0, 1]], 0.1, r"‖ΘΘᵀ‖_F must be 1, got 1.41421; divide Theta by"),
    ([[[1, 0], [0, 0]], [[1, 0], [0, 1]]], 0.1, r"must be 1, got 1.41421"),
    ([[[1, 0], [0, 0]], [[0.5, 0], [0, 0]]], 0.1, r"must be 1, got 0.25"),
    ([[1, 0], [0, 0]], 0.0, r"sigma must be > 0, got 0"),
    ([[1, 0], [0, 0]], [0.1, -0.2], r"sigma must be > 0, got -0.2"),
    ([[1, 0]], 0.1, r"Theta must have shape \(..., 2, 2\)"),
    (
        0.1,
        [[1, 0], [0, 0]],
        r"sigma must be a number .*, got shape \(2, 2\); a matrix is Theta, the",
    ),
    (None, [[0.5, 0.1], [0.1, 0.5]], r"sigma must be a number .*, got shape \(2, 2\)"),
]


@pytest.mark.parametrize("own", TWO, ids=repr)
@pytest.mark.parametrize(("U", "u", "message"), BAD_STATES)
def test_bad_state(own: ProductLandscape, U: Any, u: Any, message: str) -> None:
    for method in (own.loss, own.gradient, own.gap):
        with pytest.raises(ValueError, match=message):
            method(U, u)


@pytest.mark.parametrize("own", TWO, ids=repr)
@pytest.mark.parametrize(("Theta", "sigma", "message"), BAD_STARTS)
def test_bad_start(own: ProductLandscape, Theta: Any, sigma: Any, message: str) -> None:
    for method in (own.start, own.escape_time, own.u_lower_bound, own.pl_constant):
        with pytest.raises(ValueError, match=message):
            method(sigma, Theta)


@pytest.mark.parametrize(
    ("own", "Theta", "message"),
    [
        (TWO[0], [[1, 0], [0, 0]], "0.88.*still converges"),
        (TWO[1], EYE / 2**0.25, "0.85.*still converges"),
        (TWO[3], [[1, 0], [0, 0]], ".*neither convergence nor this bound is proved there"),
    ],
    ids=["fixed", "diagonal", "mixture"],
)
def test_constants_refuse_a_sigma_above_their_bound(
    own: ProductLandscape, Theta: Any, message: str
) -> None:
    bound = float(own.sigma_max(Theta, sharp=True))
    for constant in (own.pl_constant, own.u_lower_bound):
        assert constant(0.99 * bound, Theta, sharp=True) > 0
        with pytest.raises(ValueError, match=rf"sharp=True\) = {message}.*take a smaller sigma"):
            constant([0.1, bound], Theta, sharp=True)
        refused = r"below sigma_max\(Theta\) = 0.74" if own is TWO[0] else "sharp must be True for "
        with pytest.raises(ValueError, match=refused):
            constant([0.1, bound], Theta)
    with pytest.raises(ValueError, match=r"to start on the plateau, got 50"):
        own.escape_time(50.0, Theta)
