"""Chapter 6 meets chapter 7: GD-β is a block, and every best block is the best GD-β."""

from typing import Any

import pytest
import torch
from linear_icl import gd_beta, ltb
from linear_icl.ltb import Reduced, reduced, weights_for_gd_beta
from linear_icl.settings import Setting
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, random, refuses, seeded, setting

SETTINGS = {
    "regular": setting(3, 3, 3, 0),
    "singular-H": setting(3, 2, 3, 1),
    "singular-Psi": setting(3, 3, 2, 2, length=1),
    "rank-one": setting(3, 2, 1, 3),
    "noiseless": setting(3, 2, 2, 4, noise_variance=0),
}
NAMES = list(SETTINGS)


@pytest.mark.parametrize("name", NAMES)
def test_two_modules_have_one_risk_and_one_minimum(name: Any) -> None:
    own, parameters = SETTINGS[name], (random(4, 3), random(4, 3, 3, seed=1))
    block = reduced(*weights_for_gd_beta(*parameters))
    assert_close(ltb.risk(own, block), gd_beta.risk(own, *parameters), rtol=1e-12, atol=0)
    odd, even = ltb.excess(own, block)
    assert_close(odd + even, gd_beta.excess(own, *parameters), rtol=1e-11, atol=0)
    best = gd_beta.optimum(own)
    assert_close(ltb.infimum(own), best.risk, rtol=1e-12, atol=0)
    optimal = reduced(*weights_for_gd_beta(best.beta, best.A))
    assert sum(ltb.excess(own, optimal)) < 1e-24


@pytest.mark.parametrize("name", NAMES)
def test_conditions_of_the_theorem_are_no_excess(name: Any) -> None:
    """`is_best_block` at a distance: its residuals vanish with the excess and at its rate."""
    own = SETTINGS[name]
    best = gd_beta.optimum(own)
    block = reduced(*weights_for_gd_beta(best.beta, best.A))
    assert ltb.is_best_block(own, block)
    for seed in range(4):
        shift = Reduced(
            random(3, seed=seed), random(3, seed=seed + 9), random(seed=seed),
            random(3, 3, seed=seed), random(3, seed=seed + 20),
        )  # fmt: skip
        moved = Reduced(*(part + 1e-4 * by for part, by in zip(block, shift, strict=True)))
        share = float((sum(ltb.excess(own, moved)) / own.tau).sqrt())
        assert share > 1e-6
        assert not ltb.is_best_block(own, moved, rtol=0.1 * share)
        assert ltb.is_best_block(own, moved, rtol=10 * share)


def _descend(own: Setting, seed: int) -> Reduced:
    """A block trained on the exact excess from a random start, all five parameters free."""
    d = own.dim
    shapes: tuple[tuple[int, ...], ...] = ((d,), (d,), (), (d, d), (d,))
    leaves = [0.5 * random(*shape, seed=seed + k) for k, shape in enumerate(shapes)]
    leaves = [leaf.requires_grad_() for leaf in leaves]
    optimiser = torch.optim.LBFGS(
        leaves,
        max_iter=250,
        history_size=30,
        tolerance_grad=1e-12,
        tolerance_change=0,
        line_search_fn="strong_wolfe",
    )

    def closure() -> Tensor:
        optimiser.zero_grad()
        odd, even = ltb.excess(own, Reduced(*leaves))
        loss: Tensor = odd + even
        torch.autograd.backward(loss)
        return loss

    optimiser.step(closure)
    return Reduced(*(leaf.detach() for leaf in leaves))


@pytest.mark.parametrize(
    "own", [setting(2, 2, 2, 5, length=40), setting(2, 1, 2, 6)], ids=["rank-two", "rank-one"]
)
def test_blocks_found_by_descent_are_the_best_gd_beta_as_functions(own: Setting) -> None:
    """From random starts. Where rank Φ = 1 they end in the other form, u = 0, and the same."""
    prompts = own.sample(30, generator=seeded(0))
    best = gd_beta.optimum(own)
    expected = gd_beta.estimator(prompts, best.beta, best.A)
    for seed in (0, 10):
        found = _descend(own, seed)
        assert sum(ltb.excess(own, found)) < 1e-14
        assert ltb.is_best_block(own, found, rtol=1e-6)
        assert (abs(float(found.u)) < 1e-4) == (own.length == 5)
        r, u_12, u, U, u_21 = found
        keys = (prompts.x @ (prompts.x_query @ U.mT)[..., None])[..., 0]
        keys = keys + prompts.y * (prompts.x_query @ u_21)[:, None]
        block = prompts.x_query @ r + ((prompts.x @ u_12 + u * prompts.y) * keys).mean(-1)
        # an excess of 1e-14 is 1e-7 in the root mean square of the difference
        assert (block - expected).abs().max() < 1e-5


# -- the best blocks -----------------------------------------------------------------------------


def _best(own: Setting, u: float = 1.0) -> Reduced:
    size, beta = torch.tensor(u, dtype=DOUBLE), own.beta_star
    return Reduced(beta, -u * beta, size, gd_beta.optimum(own).A.mT / u, 0 * beta)


@pytest.mark.parametrize("name", NAMES)
def test_best_blocks_by_the_theorem(name: Any) -> None:
    """u ≠ 0 is free; null H is free in r, u_12, u_21 and on both sides of U; nothing else is."""
    own = SETTINGS[name]
    null, P = eye(3) - own.image, own.image
    good = _best(own, u=-2.5)
    free = Reduced(
        r=null @ random(3, seed=1),
        u_12=null @ random(3, seed=2),
        u=torch.zeros((), dtype=DOUBLE),
        U=null @ random(3, 3, seed=4) + random(3, 3, seed=5) @ null,
        u_21=null @ random(3, seed=3),
    )
    assert ltb.is_best_block(own, good)
    moved = Reduced(*(part + by for part, by in zip(good, free, strict=True)))
    assert ltb.is_best_block(own, moved)
    shifts: dict[str, Any] = {"r": P[0], "u_12": P[0], "u_21": P[0], "U": P, "u": 1}
    for key, wrong in shifts.items():
        changed = good._replace(**{key: getattr(good, key) + 1e-5 * wrong})
        assert not ltb.is_best_block(own, changed), key
        assert ltb.is_best_block(own, changed, rtol=1e-2), key


def test_rank_one_has_another_form_of_best_block() -> None:
    """Ψ = ppᵀ: also u = 0, U = -β*u_21ᵀ, A* = u_21u_12ᵀ, which Theorem 5.3 excludes by its rank.

    ŷ = rᵀx + u_12ᵀ(XᵀX U + Xᵀy u_21ᵀ)x/M is then GD-β all the same.
    """
    p = random(3)
    own = setting(Psi=torch.outer(p, p))
    best = gd_beta.optimum(own)
    u_21 = best.A @ p
    u_12 = best.A.mT @ p / (p @ u_21)  # A* = A*p pᵀA*/(pᵀA*p) for rank one
    U, r = -torch.outer(own.beta_star, u_21), own.beta_star
    swapped = Reduced(r, u_12, torch.zeros((), dtype=DOUBLE), U, u_21)
    assert ltb.is_best_block(own, swapped)
    assert not ltb.is_best_block(setting(), swapped)
    x, y, x_query, _ = prompts = own.sample(20, generator=seeded(0))
    keys = (x @ (U @ x_query[..., None]))[..., 0] + y * (x_query @ u_21)[:, None]  # (B, M)
    block = x_query @ r + ((x @ u_12) * keys).mean(-1)
    expected = gd_beta.estimator(prompts, *best[:2])
    assert_close(block, expected, rtol=1e-11, atol=1e-12)


OWN = SETTINGS["regular"]
GOOD = _best(OWN)
PAIR: Any = double([1, 2])


test_bad_block = refuses(
    (lambda: ltb.is_best_block(OWN, GOOD._replace(u=PAIR)), r"u must have shape \(\)"),
    (lambda: ltb.is_best_block(OWN, GOOD._replace(u_21=PAIR)), r"u_21 must have shape \(3,\)"),
    (lambda: ltb.is_best_block(OWN, GOOD._replace(U=PAIR)), r"U must have shape \(3, 3\)"),
    (lambda: ltb.is_best_block(OWN, GOOD, rtol=-1), "rtol must be > 0, got -1"),
)


# -- the swapped block, where descent can end --------------------------------------------------


def _flat(block: Any) -> Tensor:
    return torch.cat([part.reshape(-1) for part in block])


def _risk(own: Setting, flat: Tensor) -> Tensor:
    d = own.dim
    r, u_12, u, U, u_21 = torch.split(flat, [d, d, 1, d * d, d])
    return ltb.risk(own, Reduced(r, u_12, u.squeeze(), U.reshape(d, d), u_21))


@pytest.mark.parametrize("name", ["regular", "singular-H", "noiseless"])
@pytest.mark.parametrize("M", [1, 8, 12, 16, 100])
def test_swapped_block_is_critical_and_its_test_is_that_of_the_hessian(name: Any, M: Any) -> None:
    """One eigenvalue is zero, for u_12 against u_21; H's null space adds its own."""
    own = SETTINGS[name].replace(length=M)
    found = ltb.swapped_block(own)
    odd, even = ltb.excess(own, found.block)
    assert_close(odd + even, found.excess, rtol=1e-11, atol=1e-14)
    flat = _flat(found.block)
    slope = torch.autograd.functional.jacobian(lambda x: _risk(own, x), flat)
    assert slope.abs().max() < 1e-12  # rounding
    values = torch.linalg.eigvalsh(torch.autograd.functional.hessian(lambda x: _risk(own, x), flat))
    falls = bool(values[0] < -1e-10 * values[-1])
    assert falls == (found.ratio < 1)


def test_swapped_block_on_both_sides_of_its_threshold() -> None:
    """d = 2: the ratio passes 1 between M = 12 and M = 13; descent from random starts ends there
    below, and at the best block where the point is a saddle."""
    own = setting(2, 2, 2, 5)
    ratios = {M: float(ltb.swapped_block(own.replace(length=M)).ratio) for M in (3, 12, 13, 40)}
    assert ratios[3] > ratios[12] > 1 > ratios[13] > ratios[40]
    short = own.replace(length=3)
    ended = sum(ltb.excess(short, _descend(short, 0)))
    assert_close(ended, ltb.swapped_block(short).excess, rtol=1e-9, atol=0)


def test_swapped_block_of_rank_one_is_best() -> None:
    own = SETTINGS["rank-one"]
    found = ltb.swapped_block(own)
    assert ltb.is_best_block(own, found.block)
    assert found.excess == 0 and torch.isposinf(found.ratio)
    with pytest.raises(ValueError, match="must not be 0, got 0; there is no direction"):
        ltb.swapped_block(own.replace(Psi=0 * own.Psi))


@pytest.mark.parametrize("name", NAMES)
def test_attention_alone_lies_between_gd_zero_and_the_block(name: Any) -> None:
    own = SETTINGS[name]
    attention = ltb.lsa_infimum(own, starts=6).risk
    assert gd_beta.optimum(own).risk < attention <= gd_beta.gd_zero(own).risk * (1 + 1e-12)
