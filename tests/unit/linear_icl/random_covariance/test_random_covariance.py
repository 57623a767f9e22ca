"""Theorem 4.5's landscape and its rotated twin: by hand, by enumeration, by samples, by the flow.

The exact second route is a finite mixture: a law of two values has 2^d diagonal covariances, and
an average over all rotations of polynomials of degree four is one over a finite group.
"""

import math
from itertools import product
from typing import Any

import pytest
import torch
from linear_icl.flow import gradient_flow
from linear_icl.landscape import FixedCovariance, SpectralLandscape
from linear_icl.lsa import LinearSelfAttention
from linear_icl.random_covariance import (
    Constant,
    DiagonalCovariance,
    Exponential,
    Gamma,
    Law,
    LogNormal,
    MixtureCovariance,
    Moments,
    RandomCovariancePrompts,
    RotatedCovariance,
    Uniform,
)
from linear_icl.risk import random_covariance_risk
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, eye, same_landscape, theta

EXAMPLE = DiagonalCovariance(Exponential(), 2, 8)  # the running law
ROTATED = RotatedCovariance(Exponential(), 2, 8)
LAWS = [Gamma(2.0, 0.5), Uniform(0.2, 1), LogNormal(0.1, 0.5)]
THREE = DiagonalCovariance(LAWS, 3, 6)
BALL = RotatedCovariance(LAWS, 3, 6)
IDENTITY = eye(2) / 2**0.25


class TwoPoint(Law):
    """λ = a with probability p, else b: a law that can be enumerated."""

    def __init__(self, a: float, b: float, p: float) -> None:
        self.atoms = ((a, p), (b, 1 - p))

    def moment(self, k: Any) -> Any:
        return double(sum(p * value**k for value, p in self.atoms))


TWO = [TwoPoint(0.3, 2, 0.6), TwoPoint(0.5, 1, 0.2), TwoPoint(1, 3, 0.9)]


def enumerated(laws: list[TwoPoint], turns: Tensor, length: int) -> MixtureCovariance:
    """All diagonal covariances of the laws, each turned by all of the matrices (G, d, d)."""
    cases = list(product(*(law.atoms for law in laws)))
    values = double([[value for value, _ in case] for case in cases])
    p = double([math.prod(p for _, p in case) for case in cases])
    turned = turns[:, None] @ values.diag_embed() @ turns[:, None].mT
    weights = (p / len(turns)).repeat(len(turns))
    symmetric = (turned + turned.mT) / 2
    return MixtureCovariance(symmetric.flatten(0, 1), weights / weights.sum(), length=length)


def rotations(d: int) -> Tensor:
    """A finite group that averages polynomials of degree 4 in Λ's axes as Haar does.

    d = 2: the turns by π/5, for Λ is the same after half a turn. d = 3: the icosahedron's 60.
    """
    if d == 2:
        angle = torch.arange(5, dtype=DOUBLE) * torch.pi / 5
        return torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], -1).reshape(
            5, 2, 2
        )
    phi = (1 + 5**0.5) / 2
    five = double([[1, -phi, 1 / phi], [phi, 1 / phi, -1], [1 / phi, 1, phi]])
    cycle = eye(3).roll(1, 0)
    group = [eye(3)]
    for element in group:  # grows while it is read
        for generator in (five / 2, cycle):
            new = element @ generator
            if all((new - old).norm() > 1e-6 for old in group):
                group.append(new)
    assert len(group) == 60
    return torch.stack(group)


@pytest.mark.parametrize("kind", [DiagonalCovariance, RotatedCovariance])
@pytest.mark.parametrize("law", [Exponential(1.5), *LAWS])
def test_the_constant_makes_the_minimum_half_a_risk(kind: Any, law: Law) -> None:
    """The exact risk of the layer so trained, at its own length, knows nothing of the loss."""
    problem = kind(law, 4, 7)
    half = random_covariance_risk(law, 4, 7, 7) / 2
    assert_close(problem.minimum + problem.constant, half, rtol=1e-13, atol=0)


@pytest.mark.parametrize(("problem", "rotated"), [(THREE, False), (BALL, True)])
def test_the_constant_is_half_the_mean_square_of_a_label(problem: Any, rotated: bool) -> None:
    prompts = RandomCovariancePrompts(LAWS, 3, rotated=rotated)
    half = lambda n, g: prompts.sample(n, 1, generator=g).y_query.square() / 2  # noqa: E731
    agrees(half, problem.constant, 3.5, count=200_000, seed=3)


# -- the numbers of the running law --------------------------------------------------------------


def test_running_law_by_hand() -> None:
    """Exp(1), d = 2, N = 8: E λ, λ², λ³ = 1, 2, 6, and all is exact in float64."""
    assert EXAMPLE.xi.tolist() == [2, 2]
    # γ = (9/8)6 + (6 + 2)/8; ζ_12 = (9/8)2 + (2 + 2)/8
    assert EXAMPLE.zeta.tolist() == [[31 / 4, 11 / 4], [11 / 4, 31 / 4]]
    assert EXAMPLE.gamma.tolist() == [31 / 4, 31 / 4]
    assert EXAMPLE.target.tolist() == [[8 / 31, 0], [0, 8 / 31]]
    assert float(EXAMPLE.minimum) == -16 / 31
    assert EXAMPLE.shrinkage.tolist() == [8 / 31] * 2
    # ½·4·(31/4·(1 + 1) + 11/4·4) - 2·2·(1 - 1) at U = [[1, 2], [0, -1]], u = 2
    assert float(EXAMPLE.loss([[1, 2], [0, -1]], 2)) == 53
    U, u = EXAMPLE.limit()
    assert float(u) == pytest.approx((128 / 961) ** 0.25, rel=1e-15)  # √(2·64/961) = u²
    assert (u * U).flatten().tolist() == pytest.approx([8 / 31, 0, 0, 8 / 31], rel=1e-15)


def test_running_law_rotated_by_hand() -> None:
    """Same κ, minimum and limit; 31/4, 21/4, 11/4 on I, symmetric traceless, antisymmetric U."""
    assert float(ROTATED.kappa) == 8 / 31
    assert ROTATED.curvatures.tolist() == [31 / 4, 21 / 4, 11 / 4]
    assert float(ROTATED.minimum) == -16 / 31
    for ours, theirs in zip(ROTATED.limit(), EXAMPLE.limit(), strict=True):
        assert_close(ours, theirs, rtol=1e-15, atol=0)
    # diag(1, -1) is traceless; its off-diagonal neighbour is symmetric too, or half antisymmetric
    assert float(ROTATED.loss([[1, 0], [0, -1]], 1)) == 21 / 4
    assert float(EXAMPLE.loss([[1, 0], [0, -1]], 1)) == 31 / 4
    assert float(ROTATED.loss([[0, 1], [0, 0]], 1)) == (21 / 4 + 11 / 4) / 4
    assert float(EXAMPLE.loss([[0, 1], [0, 0]], 1)) == 11 / 8


def test_running_law_constants_by_hand() -> None:
    """Θ = I/2^¼, where ⟨B, ΘΘᵀ⟩ = 2√2 and ⟨ΘΘᵀ, 𝒜ΘΘᵀ⟩ = 31/4."""
    sharp = 2 * 2 * math.sqrt(2) / (31 / 4)
    assert float(EXAMPLE.sigma_max(IDENTITY, sharp=True)) ** 2 == pytest.approx(sharp, rel=1e-15)
    fallen = 0.64 * 2 * math.sqrt(2) - 0.64**2 / 2 * 31 / 4  # -ℓ(0) at σ = 0.8
    for law in (EXAMPLE, DiagonalCovariance(Moments(1, 2, 6), 2, 8)):
        assert float(law.u_lower_bound(0.25, IDENTITY, sharp=True)) == 0.25
        low = float(law.u_lower_bound(0.8, IDENTITY, sharp=True)) ** 2
        assert low == pytest.approx(math.sqrt(2 * fallen / (31 / 4)), rel=1e-14)
        found = float(law.pl_constant(0.8, IDENTITY, sharp=True))
        assert found == pytest.approx(2 * 11 / 4 * low, rel=1e-14)


# -- the loss, by enumeration and by prompts -----------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3])
def test_diagonal_law_by_enumeration(d: int) -> None:
    ours = DiagonalCovariance(TWO[:d], d, 5)
    same_landscape(ours, enumerated(TWO[:d], eye(d)[None], 5))
    expected = [law.moment(1) for law in TWO[:d]]
    shrunk = ours.target.diagonal() * torch.stack(expected)
    assert_close(ours.shrinkage, shrunk, rtol=1e-15, atol=0)


@pytest.mark.parametrize("d", [2, 3])
def test_rotated_law_by_a_finite_group(d: int) -> None:
    ours, theirs = RotatedCovariance(TWO[:d], d, 5), enumerated(TWO[:d], rotations(d), 5)
    same_landscape(ours, theirs)
    values = torch.linalg.eigvalsh(theirs.operator)
    spaces = torch.tensor([1, d * (d + 1) // 2 - 1, d * (d - 1) // 2])
    expected = ours.curvatures.repeat_interleave(spaces).sort().values
    assert_close(values, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("laws", [LAWS[1], [LAWS[1], Uniform(0.5, 1.5)]])
@pytest.mark.parametrize("rotated", [False, True])
def test_loss_is_that_of_prompts(laws: Any, rotated: bool) -> None:
    """½E(ŷ - y)² of the layer at weights with U and u, less ½ E tr Λ."""
    landscape = (RotatedCovariance if rotated else DiagonalCovariance)(laws, 2, 4)
    prompts = RandomCovariancePrompts(laws, 2, rotated=rotated)
    U, u = double([[0.9, -0.5], [0.2, 0.4]]), 1.1
    W_KQ, W_PV = torch.zeros(2, 3, 3, dtype=DOUBLE)
    W_KQ[:2, :2], W_PV[2, 2] = U, u
    layer = LinearSelfAttention(W_KQ, W_PV)
    trace = sum(law.moment(1) for law in (laws if isinstance(laws, list) else [laws] * 2))

    def draw(n: int, g: torch.Generator) -> Tensor:
        sample = prompts.sample(n, 4, generator=g)
        return (layer.predict(sample) - sample.y_query).detach() ** 2 / 2

    expected = float(landscape.loss(U, u) + trace / 2)
    agrees(draw, expected, 3.3, count=400_000, seed=4)  # four comparisons at 1e-3 each


def test_constant_law_is_one_covariance() -> None:
    ours = DiagonalCovariance([Constant(2), Constant(0.5)], 2, 8)
    fixed = FixedCovariance([[2, 0], [0, 0.5]], 8)
    same_landscape(ours, fixed, rtol=1e-13)
    for a, b in zip(ours.spectral(), fixed.spectral(), strict=True):
        assert_close(a, b, rtol=1e-13, atol=0)


# -- identities ----------------------------------------------------------------------------------


def test_rotating_mixes_the_shrinkages() -> None:
    """κ is a mean of the ξ_i/γ_i, the same only if they are equal; the rotated minimum is above."""
    each = THREE.xi / THREE.gamma
    assert each.min() < BALL.kappa < each.max()
    assert BALL.minimum > THREE.minimum
    same = [kind(Gamma(0.7), 4, 9) for kind in (DiagonalCovariance, RotatedCovariance)]
    assert_close(same[0].target, same[1].target, rtol=1e-14, atol=0)
    assert_close(same[0].minimum, same[1].minimum, rtol=1e-14, atol=0)


# -- the flow ------------------------------------------------------------------------------------


def test_flow_by_the_spectral_and_by_the_generic_form() -> None:
    """One landscape twice: as a diagonal law, and as the mixture of its cases."""
    ours = DiagonalCovariance(TWO[:2], 2, 5)
    theirs = enumerated(TWO[:2], eye(2)[None], 5)
    assert isinstance(ours, SpectralLandscape)
    assert not isinstance(theirs, SpectralLandscape)
    start, times = ours.start(0.1, theta(2)), torch.linspace(0, 6, 13, dtype=DOUBLE)
    fast, slow = (gradient_flow(side, start, times) for side in (ours, theirs))
    for a, b in zip(fast.states, slow.states, strict=True):
        assert_close(a, b, rtol=1e-6, atol=1e-8)  # rtol 1e-9 a step


def test_rotated_flow_leaves_its_spaces_apart() -> None:
    """From I the two flows are one; off I the traceless part decays as e^{-ατ}, τ = ∫u²."""
    times = torch.linspace(0, 2, 401, dtype=DOUBLE)
    flat, turned = (gradient_flow(s, s.start(0.3, IDENTITY), times) for s in (EXAMPLE, ROTATED))
    assert_close(flat.loss, turned.loss, rtol=1e-7, atol=1e-9)
    start = (double([[0.3, 0.1], [0.0, 0.1]]), double(0.4))
    U, u = gradient_flow(ROTATED, start, times).states
    tau = torch.cumulative_trapezoid(u**2, times)[-1]
    for part, alpha in (
        (lambda V: V[0, 0] - V[1, 1], 21 / 4),
        (lambda V: V[0, 1] - V[1, 0], 11 / 4),
    ):
        decay = float(part(U[-1]) / part(U[0]))
        assert -math.log(decay) == pytest.approx(alpha * float(tau), rel=1e-4)  # the trapezia


# -- entry ---------------------------------------------------------------------------------------


def test_one_dimension_has_nothing_to_rotate() -> None:
    flat, turned = (kind(Gamma(0.7), 1, 9) for kind in (DiagonalCovariance, RotatedCovariance))
    same_landscape(flat, turned)


@pytest.mark.parametrize(
    ("law", "dim", "length", "message"),
    [
        (Exponential(), 0, 8, r"dim must be an integer >= 1, got 0"),
        (Exponential(), 2, 8.0, r"length must be an integer >= 1, got 8.0"),
        ([Exponential()] * 3, 2, 8, r"law must be one law or a sequence of dim = 2 laws, got 3"),
        (Gamma([1, 2]), 2, 8, r"law must have scalar parameters, got Gamma.* pass a list of laws"),
        (
            [Exponential(), Exponential(torch.tensor(1.0))],
            2,
            8,
            r"law\[0\] and law\[1\] must have one dtype, got torch.float64 and torch.float32",
        ),
    ],
)
def test_bad_problem(law: Any, dim: Any, length: Any, message: str) -> None:
    for kind in (DiagonalCovariance, RotatedCovariance):
        with pytest.raises(ValueError, match=message):
            kind(law, dim, length)


def test_repr() -> None:
    assert repr(EXAMPLE) == "DiagonalCovariance(Exponential(scale=1), dim=2, length=8)"
    assert repr(BALL) == "RotatedCovariance(3 laws, dim=3, length=6)"
