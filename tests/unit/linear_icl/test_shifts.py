"""Garg's shifts: exact risks against drawn prompts, against the general formulas, by hand."""

import math
from typing import Any, cast

import pytest
import torch
from linear_icl import gaussian
from linear_icl.estimators import averaging, gradient_descent
from linear_icl.risk import linear_risk
from linear_icl.shifts import (
    SHIFTS,
    ContextQuery,
    HalfSubspace,
    NoisyLabels,
    Orthants,
    OrthogonalQuery,
    ScaledX,
    ScaledY,
    Shift,
    Skewed,
    Standard,
)
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, eye, refuses, seeded

D, M = 4, 3
ALL: dict[str, Shift] = {
    "standard": Standard(D),
    "orthants": Orthants(D),
    "skewed": Skewed(D),
    "half_subspace": HalfSubspace(D),
    "half_subspace of an odd d": HalfSubspace(5, 1.5),
    "scaled_x": ScaledX(D, 1.5),
    "scaled_y": ScaledY(D, 3),
    "noisy_labels": NoisyLabels(D, 5.0),
    "orthogonal_query": OrthogonalQuery(D),
    "context_query": ContextQuery(D),
}


def matrix(d: int, seed: int = 0) -> Any:
    """Not symmetric, of the size of a trained preconditioner."""
    generator = seeded(seed)
    return 0.3 * eye(d) + 0.3 * torch.randn(d, d, dtype=DOUBLE, generator=generator)


def scalar(value: float, d: int = D) -> Any:
    return value * eye(d)


def rotation(d: int) -> Any:
    return torch.linalg.qr(matrix(d, 7))[0]


@pytest.mark.parametrize("name", ALL)
def test_exact_risk_on_drawn_prompts(name: Any) -> None:
    """The learner's own code on the sampled prompts; the noise of y_query is taken off again."""
    shift = ALL[name]
    A = matrix(shift.dim)

    def draw(n: Any, generator: Any) -> Any:
        prompts = shift.sample(n, M, generator=generator)
        y_hat = gradient_descent(prompts, 1, preconditioner=A.mT)
        return (y_hat - prompts.y_query).square()

    count = 800_000 if name == "context_query" else 400_000  # x_1 to the sixth power: heavy tails
    agrees(draw, shift.risk(A, M) + shift.noise_variance, 4, count=count)


@pytest.mark.parametrize("name", ALL)
def test_law_of_the_covariates(name: Any) -> None:
    """Second moments over all prompts, of examples and query: I, or what the shift says."""
    shift = ALL[name]
    d = shift.dim
    prompts = shift.sample(100_000, 2, generator=seeded(2))
    expected = torch.ones(d, dtype=DOUBLE)
    if isinstance(shift, Skewed):
        expected = double([1.0, 1 / 4, 1 / 9, 1 / 16]) * 4 * 144 / 205
    if isinstance(shift, ScaledX):
        expected = expected * 1.5**2
    if isinstance(shift, HalfSubspace):
        expected = expected * shift.scale * (d // 2) / d
    for x in (prompts.x[:, 0], prompts.x[:, 1], prompts.x_query):
        products = x[:, :, None] * x[:, None, :]
        target = torch.diag(expected)
        error = products.std(0) / math.sqrt(len(x))
        assert ((products.mean(0) - target) / error).abs().max() < 4.5  # up to 25 comparisons
        assert ((products.mean(0) - 1.05 * target) / error).abs().max() > 4.5


def test_what_makes_each_shift_what_it_is() -> None:
    generator = seeded(3)
    x, y, x_query, y_query = Orthants(D).sample(200, 5, generator=generator)
    assert (x.sign() == x[:, :1].sign()).all() and (x_query.sign() != x[:, 0].sign()).any()
    assert x[:, 0].sign().unique(dim=0).shape[0] == 2**D
    x, _, x_query, _ = OrthogonalQuery(D).sample(200, 3, generator=generator)
    assert (x @ x_query[..., None]).abs().max() < 1e-12 and x_query.square().mean() > 0.5
    x, y, x_query, y_query = ContextQuery(D).sample(200, 3, generator=generator)
    assert torch.equal(x[:, 0], x_query)
    assert_close(y[:, 0], y_query)
    x, _, x_query, _ = HalfSubspace(6).sample(200, 5, generator=generator)
    together = torch.cat([x, x_query[:, None]], 1)
    assert (torch.linalg.matrix_rank(together) == 3).all()
    noisy = NoisyLabels(D, 4).sample(20_000, 1, generator=generator)
    assert noisy.y_query.var().item() == pytest.approx(D + 4, rel=0.05)  # 5 standard errors
    assert ScaledY(D, 3).sample(20_000, 1, generator=generator).y.var().item() == pytest.approx(
        9 * D, rel=0.1
    )


def test_gaussian_shifts_are_linear_risk() -> None:
    A, identity, lengths = matrix(D), scalar(1.0), [1, 4, 30]
    skewed = torch.diag(double([1.0, 1 / 4, 1 / 9, 1 / 16]) * 4 * 144 / 205)
    for shift, C, options, factor in (
        (Standard(D), identity, {}, 1),
        (Skewed(D), skewed, {}, 1),
        (ScaledX(D, 1.5), 2.25 * identity, {}, 1),
        (ScaledY(D, 3), identity, {}, 9),
        (NoisyLabels(D, 5.0), identity, {"noise_variance": 5.0}, 1),
    ):
        expected = linear_risk(C, None, lengths, preconditioner=A, **cast(Any, options))
        assert_close(shift.risk(A, lengths), factor * expected)


@pytest.mark.parametrize("s", [1.0, 3.0])
def test_half_subspace_given_the_subspace(s: Any) -> None:
    """Given P it is a covariate shift to sP, of singular covariance: the mean over drawn P."""
    A, shift = matrix(4), HalfSubspace(4, s)

    def draw(n: Any, generator: Any) -> Any:
        basis = torch.linalg.qr(torch.randn(n, 4, 2, dtype=DOUBLE, generator=generator)).Q
        C = s * basis @ basis.mT
        return linear_risk(scalar(1.0), None, 3, test_covariance=(C + C.mT) / 2, preconditioner=A)

    agrees(draw, shift.risk(A, 3), 4, count=40_000, batch=20_000, seed=4, off=1.02)


def test_half_subspace_by_hand() -> None:
    """A = aI: r dimensions of variance s, s³a²(M+r+1)r/M − 2s²ar + sr, whatever d."""
    for d, r in ((2, 1), (5, 2), (6, 3)):
        value = HalfSubspace(d, 1.5).risk(scalar(0.4, d), 7).item()
        expected = 1.5**3 * 0.16 * (8 + r) * r / 7 - 2 * 2.25 * 0.4 * r + 1.5 * r
        assert value == pytest.approx(expected, rel=1e-13)
    # P seen with unit variance costs A = I nothing; at Garg's scale x̂ = 2x: d(2 − 1)²
    far = 10**12
    assert HalfSubspace(4, 1).risk(scalar(1.0), far).item() == pytest.approx(0, abs=1e-10)
    assert HalfSubspace(4).risk(scalar(1.0), far).item() == pytest.approx(4, rel=1e-9)


def test_orthants_by_hand() -> None:
    """d = 1: a sign is no shift. A = aI, d = 2, M = 2: κ = ½(1 + 4/π²) + 2."""
    lengths = [1, 2, 9]
    assert_close(Orthants(1).risk([[0.7]], lengths), Standard(1).risk([[0.7]], lengths))
    kappa = 0.5 * (1 + 4 / math.pi**2) + 2
    value = Orthants(2).risk(scalar(0.5, 2), 2).item()
    assert value == pytest.approx(0.25 * kappa * 2 - 2 + 2, rel=1e-14)
    # A = I, M = ∞: the learner that is right on N(0, I) is off by 4d(d-1)/π²
    far = Orthants(6).risk(scalar(1.0, 6), 10**12).item()
    assert far == pytest.approx(4 * 30 / math.pi**2, rel=1e-9)


def test_orthogonal_query_sees_nothing_for_scalar_A_alone() -> None:
    """Risk d, that of the zero learner, for A = aI; by Haar's second moments above it else."""
    for a in (0.3, 5.0):
        values = OrthogonalQuery(D).risk(scalar(a), [1, 2, 3])
        assert_close(values, torch.full((3,), float(D), dtype=DOUBLE))
    prompts = OrthogonalQuery(D).sample(50, 3, generator=seeded(5))
    assert averaging(prompts).abs().max() < 1e-12
    # d = 2, M = 1, A = diag(3, 1): the bracket is 3·10 − 10 − 16 = (3 − 1)², its factor 4/4
    value = OrthogonalQuery(2).risk([[3.0, 0], [0, 1.0]], 1).item()
    assert value == pytest.approx(2 * (1 + 4), rel=1e-14)


def test_orthogonal_query_in_the_plane_by_integration() -> None:
    """d = 2, M = 1: x = r e(φ), x_q = ±R e(φ+π/2); wᵀSAx_q has mean square E r⁴ E R² (eᵀAe⊥)²."""
    A = matrix(2)
    phi = torch.arange(64, dtype=DOUBLE) * (2 * math.pi / 64)  # exact for a trigonometric quartic
    e = torch.stack([phi.cos(), phi.sin()], -1)
    across = torch.stack([-phi.sin(), phi.cos()], -1)
    square = ((e @ A) * across).sum(-1).square().mean()
    assert_close(OrthogonalQuery(2).risk(A, 1), 8 * 2 * square + 2)


def test_context_query_by_sixth_moments() -> None:
    """SAx_1 = (x_1ᵀAx_1 x_1 + (M−1)S'Ax_1)/M with S' of the others: Isserlis for each part."""
    A, I = matrix(D), scalar(1.0)
    for m in (1, 2, 6):
        whole = gaussian.quadratic_forms(I, I, A, A) / m**2
        cross = gaussian.quadratic_forms(I, I, A) / m + (m - 1) / m * A.trace()
        if m > 1:
            whole = whole + 2 * (m - 1) / m**2 * gaussian.quadratic_forms(I, A, A)
            others = gaussian.sandwich(I, m - 1, I)
            whole = whole + ((m - 1) / m) ** 2 * (A.mT @ others @ A).trace()
        assert_close(ContextQuery(D).risk(A, m), whole - 2 * cross + D)
    # d = 1, M = 1: E(ax³ − x)² = 15a² − 6a + 1
    assert ContextQuery(1).risk([[0.5]], 1).item() == pytest.approx(15 / 4 - 3 + 1, rel=1e-14)


def test_context_query_is_forgotten_in_a_long_context() -> None:
    A = matrix(D)
    near, far = (ContextQuery(D).risk(A, m) - Standard(D).risk(A, m) for m in (10**3, 10**4))
    assert near.item() / far.item() == pytest.approx(10, rel=0.02)  # 1/M, up to terms of d/M


@pytest.mark.parametrize("name", sorted(set(ALL) - {"skewed", "orthants"}))
def test_rotated_learners_are_alike_where_the_law_is_round(name: Any) -> None:
    """A → QAQᵀ changes nothing, except for orthants and a fixed spectrum."""
    shift = ALL[name]
    A, Q = matrix(shift.dim), rotation(shift.dim)
    value, turned = shift.risk(A, 3), shift.risk(Q @ A @ Q.mT, 3)
    if "query too" in name:
        assert abs(turned - value) > 1e-3
    else:
        assert_close(turned, value)


@pytest.mark.parametrize("name", ALL)
def test_lengths_batches_gradients_devices(name: Any) -> None:
    shift = ALL[name]
    d = shift.dim
    many = torch.stack([matrix(d, seed) for seed in range(2)])
    values = shift.risk(many, [1, 2, 3])
    assert values.shape == (2, 3)
    for b in range(2):
        for j in range(3):
            assert_close(values[b, j], shift.risk(many[b], j + 1))
    gradient = many.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda A: shift.risk(A, [1, 3]), gradient)
    meta = shift.risk(many.to("meta"), 3)
    assert meta.is_meta and meta.shape == (2,)
    single = shift.risk(many.float(), 3)
    assert single.dtype == torch.float32
    assert_close(single.double(), shift.risk(many, 3), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SHIFTS)
def test_the_table(name: Any) -> None:
    shift = SHIFTS[name](6)
    assert shift.dim == 6 and "dim=6" in repr(shift)
    there = SHIFTS[name](6, dtype=torch.float32, device="meta").sample(5, 3)
    assert [tuple(part.shape) for part in there] == [(5, 3, 6), (5, 3), (5, 6), (5,)]
    assert all(part.is_meta and part.dtype == torch.float32 for part in there)
    first, again, other = (shift.sample(5, 3, generator=seeded(seed)) for seed in (0, 0, 1))
    for one, two, three in zip(first, again, other, strict=True):
        assert torch.equal(one, two) and not torch.equal(one, three)


test_bad_input = refuses(
    (lambda: Standard(0), "dim must be an integer >= 1, got 0"),
    (lambda: HalfSubspace(1), "dim must be >= 2 for HalfSubspace, got 1"),
    (lambda: OrthogonalQuery(1), "dim must be >= 2 for OrthogonalQuery, got 1"),
    (lambda: Standard(2, dtype=torch.int64), "dtype must be torch.float32 or torch.float64"),
    (lambda: Standard(2, device="nowhere"), "device must be one that exists here"),
    (lambda: ScaledX(2, 0), "factor must be > 0, got 0"),
    (lambda: ScaledY(2, -1), "factor must be > 0, got -1"),
    (lambda: NoisyLabels(2, -1), "variance must be >= 0, got -1"),
    (lambda: HalfSubspace(4, 0), "scale must be > 0, got 0"),
    (lambda: Standard(2).sample(0, 1), "batch must be an integer >= 1, got 0"),
    (lambda: Standard(2).sample(1, 0), "length must be an integer >= 1, got 0"),
    (lambda: OrthogonalQuery(3).sample(1, 3), "length must be below dim = 3, got 3"),
    (
        lambda: OrthogonalQuery(3).risk(scalar(1.0, 3), [1, 3]),
        "length must be below dim = 3, got 3",
    ),
    (lambda: Standard(2).risk(scalar(1.0, 3), 1), r"preconditioner must have shape"),
    (lambda: Standard(2).risk(scalar(1.0, 2), 0), "length must be an integer >= 1, got 0"),
    (
        lambda: Standard(2).risk(torch.stack([scalar(c, 2) for c in (1.0, 1e200)]), 1),
        "risk must be finite, got inf",
    ),
)
