"""The loss of all parameters: exact enumeration, Monte Carlo, symmetries, critical points."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import torch
from linear_icl.landscape import FixedCovariance
from linear_icl.landscape.full import FullParameters
from linear_icl.lsa import LinearSelfAttention
from linear_icl.montecarlo import estimate
from linear_icl.prompts import GaussianPrompts
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, random, seeded

EXAMPLE = FullParameters([[2, 0], [0, 0.5]], 8)  # the running example: Γ = diag(41/16, 7/8)


def weights(d: int, seed: int, *batch: int) -> tuple[Tensor, Tensor]:
    generator = seeded(seed)
    W_KQ, W_PV = torch.randn(2, *batch, d + 1, d + 1, dtype=DOUBLE, generator=generator)
    return W_KQ, W_PV


def landscape(d: int, N: int, seed: int = 0) -> FullParameters:
    R = random(d, d, seed=seed)
    return FullParameters(R @ R.mT / d + 0.3 * eye(d), N)


def assemble(U: Any, u_21: Any, u_12: Any, u: Any) -> tuple[Tensor, Tensor]:
    """Weights from blocks, with junk in the entries that must not matter."""
    d = len(u_21)
    W_KQ, W_PV = torch.full((2, d + 1, d + 1), 9.0, dtype=DOUBLE)
    W_KQ[:d, :d], W_KQ[d, :d] = double(U), double(u_21)
    W_PV[d, :d], W_PV[d, d] = double(u_12), u
    return W_KQ, W_PV


class Polynomial:
    """Exact polynomials in independent standard normals z_0, z_1, …: {exponents: coefficient}."""

    def __init__(self, terms: dict[tuple[int, ...], Fraction]) -> None:
        self.terms = terms

    def __add__(self, other: "Polynomial") -> "Polynomial":
        terms = defaultdict(Fraction, self.terms)
        for key, value in other.terms.items():
            terms[key] += value
        return Polynomial(terms)

    def __mul__(self, other: "Polynomial | int | Fraction") -> "Polynomial":
        if not isinstance(other, Polynomial):
            return Polynomial({key: value * other for key, value in self.terms.items()})
        terms: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for (a, x), (b, y) in product(self.terms.items(), other.terms.items()):
            terms[tuple(i + j for i, j in zip(a, b, strict=True))] += x * y
        return Polynomial(terms)

    def mean(self) -> Fraction:
        """E z^k = (k-1)!! for even k and 0 for odd k, factor by factor."""
        moment = {0: 1, 2: 1, 4: 3, 6: 15, 8: 105}
        total = Fraction(0)
        for key, value in self.terms.items():
            for k in key:
                value *= moment[k] if k % 2 == 0 else 0
            total += value
        return total


def exact(root: list[list[int]], N: int, U: Any, c: Any, a: Any, u: int) -> tuple[Fraction, ...]:
    """2L and E[T_0(T_1 - wᵀx_q)] in rational arithmetic, from (3.6) and x = root z alone."""
    d = len(root)
    size = d * (N + 2)

    def variable(k: int) -> Polynomial:
        return Polynomial({tuple(int(i == k) for i in range(size)): Fraction(1)})

    def dot(first: Any, second: Any) -> Polynomial:
        total = Polynomial({})
        for p, q in zip(first, second, strict=True):
            total += p * q
        return total

    z = [[variable(d * i + j) for j in range(d)] for i in range(N + 2)]
    w, *x = z[0], *[[dot(v, row) for row in root] for v in z[1:]]
    x_q, context = x[-1], x[:-1]
    key = [dot(x_q, row) for row in U]  # U x_q
    odd, even = dot(w, x_q) * -1, dot(x_q, key) * dot(x_q, a) * Fraction(1, N)
    for x_i in context:
        y_i = dot(w, x_i)
        score, value = dot(x_i, key), dot(x_i, a)
        even += (score * value + y_i * dot(x_q, c) * y_i * u) * Fraction(1, N)
        odd += (score * y_i * u + y_i * dot(x_q, c) * value) * Fraction(1, N)
    total = even + odd
    return (total * total).mean(), (even * odd).mean()


@pytest.mark.parametrize(
    ("root", "N", "blocks"),
    [
        ([[1]], 1, ([[2]], [3], [-1], 2)),
        ([[2]], 2, ([[-1]], [1], [2], 1)),
        ([[1]], 3, ([[1]], [-2], [1], 3)),
        ([[1, 0], [1, 1]], 1, ([[1, 2], [-1, 3]], [1, -2], [2, 1], -1)),
        ([[2, 0], [-1, 1]], 2, ([[1, -1], [2, 0]], [1, 3], [-2, 1], 2)),
        ([[1, 0], [0, 2]], 2, ([[0, 0], [0, 0]], [1, 1], [1, -1], 0)),
    ],
)
def test_exact_enumeration(root: Any, N: int, blocks: Any) -> None:
    """Expanding (ŷ - wᵀx_q)² into monomials of independent normals; no Isserlis, no matrices."""
    twice, cross = exact(root, N, *blocks)
    assert cross == 0  # the odd and the even part are uncorrelated
    factor = double(root)
    loss = FullParameters(factor @ factor.mT, N).loss(*assemble(*blocks))
    assert loss.item() == pytest.approx(float(twice) / 2, rel=1e-14)


@pytest.mark.parametrize(("d", "N"), [(1, 2), (2, 5), (3, 1), (3, 5)])
def test_monte_carlo(d: int, N: int) -> None:
    full, law = landscape(d, N), GaussianPrompts(landscape(d, N).covariance)
    state = tuple(0.6 * W for W in weights(d, 7 * d + N))
    layer = LinearSelfAttention(*state)

    def draw(n: int, generator: torch.Generator) -> Tensor:
        prompts = law.sample(n, N, generator=generator)
        with torch.no_grad():
            return (layer.predict(prompts) - prompts.y_query).square() / 2

    generator = seeded(d + N)
    result = estimate(draw, count=400_000, batch=100_000, generator=generator)
    loss = full.loss(*state).item()
    assert abs(result.z(loss)) < 3.5 < abs(result.z(1.1 * loss))  # four comparisons at 5e-4


@pytest.mark.parametrize(("d", "N"), [(1, 1), (2, 8), (3, 2)])
def test_gradient_by_an_exact_stencil_and_by_autograd(d: int, N: int) -> None:
    """Along a line L is a quartic, for which the five-point stencil has no truncation error."""
    full, theta, direction = landscape(d, N), weights(d, 1), weights(d, 2)

    def along(h: int) -> float:
        return full.loss(*[w + h * v for w, v in zip(theta, direction, strict=True)]).item()

    slope = (along(-2) - 8 * along(-1) + 8 * along(1) - along(2)) / 12
    gradient = full.gradient(*theta)
    inner = sum((g * v).sum().item() for g, v in zip(gradient, direction, strict=True))
    assert inner == pytest.approx(slope, rel=1e-11)  # cancellation of the four losses
    for function in (full.loss, full.gap):
        for own, other in zip(gradient, torch.func.grad(function, (0, 1))(*theta), strict=True):
            assert_close(own, other, rtol=1e-12, atol=1e-12 * along(0))


def test_gap_is_loss_minus_minimum_and_never_negative() -> None:
    full, theta = landscape(3, 4), weights(3, 3, 50)
    gap = full.gap(*theta)
    assert_close(full.loss(*theta) - full.minimum, gap, rtol=1e-12, atol=1e-12)
    assert (gap > 0).all()


def test_on_the_slice_it_is_the_reduced_loss() -> None:
    """½trΛ + tr[½u²ΓΛUΛUᵀ - uΛ²Uᵀ] when u_12 = u_21 = 0; the constant is ½trΛ."""
    full, (W_KQ, W_PV) = landscape(3, 4), weights(3, 4)
    W_KQ[-1], W_PV[-1, :-1] = 0, 0
    U, u, Lambda = W_KQ[:-1, :-1], W_PV[-1, -1], full.covariance
    reduced = torch.trace(u**2 / 2 * full.Gamma @ Lambda @ U @ Lambda @ U.mT)
    reduced = reduced - torch.trace(u * Lambda @ Lambda @ U.mT)
    assert_close(full.loss(W_KQ, W_PV), torch.trace(Lambda) / 2 + reduced)
    to_KQ, to_PV = full.gradient(W_KQ, W_PV)
    assert not to_KQ[-1].any() and not to_PV[-1, :-1].any()  # the flow stays on the slice
    to_U = u**2 * full.Gamma @ Lambda @ U @ Lambda - u * Lambda @ Lambda  # Lemma 5.2
    assert_close(to_KQ[:-1, :-1], to_U)


def test_running_example() -> None:
    """min L = ½(5/2) - ½(4·16/41 + ¼·8/7), and L at the origin is ½trΛ."""
    assert EXAMPLE.minimum.item() == pytest.approx(1.25 - 32 / 41 - 1 / 7, rel=1e-15)
    zero = torch.zeros(3, 3, dtype=DOUBLE)
    assert EXAMPLE.loss(zero, zero).item() == 1.25
    assert repr(EXAMPLE) == "FullParameters(d=2, length=8)"


def reduced_hessian(full: FullParameters, state: tuple[Tensor, Tensor]) -> Tensor:
    """Eigenvalues of the Hessian in the entries that reach the prediction, ascending."""
    d = full.covariance.shape[0]
    used = torch.zeros(2, d + 1, d + 1, dtype=torch.bool)
    used[0, :, :d], used[1, d] = True, True

    def gradient(theta: Tensor) -> Tensor:
        return torch.stack(full.gradient(*theta)).flatten()

    hessian = torch.func.jacrev(gradient)(torch.stack(state)).flatten(1)
    eigenvalues: Tensor = torch.linalg.eigvalsh(hessian[used.flatten()][:, used.flatten()])
    return eigenvalues


@pytest.mark.parametrize(("d", "N"), [(1, 1), (2, 8), (4, 3)])
def test_the_limit_is_a_global_minimum(d: int, N: int) -> None:
    """Gap and gradient vanish; the Hessian's one flat direction is the scaling (sW_KQ, W_PV/s)."""
    full = landscape(d, N)
    assert full.gap(*full.limit()) < 1e-28  # a square of rounding
    assert max(part.abs().max().item() for part in full.gradient(*full.limit())) < 1e-14
    flat, *rest = reduced_hessian(full, full.limit()).tolist()
    assert abs(flat) < 1e-14 * rest[-1] and rest[0] > 1e-4 * rest[-1]


def swapped(full: FullParameters) -> tuple[Tensor, Tensor]:
    """Key and value swapped: u = U = 0 and u_12u_21ᵀ = e_1e_1ᵀ/γ_1, for diagonal Λ."""
    size = full.Gamma[0, 0].item() ** -0.5
    d = full.covariance.shape[0]
    first = [size, *[0.0] * (d - 1)]
    return assemble([[0.0] * d] * d, first, first, 0.0)


def test_spurious_minimum_of_the_running_example() -> None:
    """A strict local minimum, modulo scaling, 1/7 = ½λ_2²/γ_2 above the global one."""
    state = swapped(EXAMPLE)
    assert EXAMPLE.gap(*state).item() == pytest.approx(1 / 7, rel=1e-14)
    assert max(part.abs().max().item() for part in EXAMPLE.gradient(*state)) < 1e-15
    flat, smallest, *_ = reduced_hessian(EXAMPLE, state).tolist()
    assert abs(flat) < 1e-14 and smallest == pytest.approx(0.024136, abs=1e-6)


@pytest.mark.parametrize(("N", "minimum"), [(1, True), (34, True), (35, False), (1000, False)])
def test_where_the_swapped_point_is_a_minimum(N: int, minimum: bool) -> None:
    """For Λ = diag(2, ½): while 16N⁴ - 392N³ - 4839N² - 17499N - 22656 < 0, so up to N = 34."""
    full = FullParameters([[2, 0], [0, 0.5]], N)
    negative = reduced_hessian(full, swapped(full))[0] < -1e-10
    assert negative.item() is not minimum
    assert (16 * N**4 - 392 * N**3 - 4839 * N**2 - 17499 * N - 22656 < 0) is minimum


def test_gradient_descent_reaches_the_spurious_minimum() -> None:
    """U = 0.1 I, u = 0.1 and u_12 = u_21 = (½, ½) or, for comparison, (0.1, 0.1)."""
    U = [[0.1, 0], [0, 0.1]]
    starts = [assemble(U, [s, s], [s, s], 0.1) for s in (0.5, 0.1)]
    state = [torch.stack(parts) for parts in zip(*starts, strict=True)]
    for _ in range(1500):
        steps = EXAMPLE.gradient(*state)
        state = [W - 0.05 * step for W, step in zip(state, steps, strict=True)]
    lost, found = EXAMPLE.gap(*state).tolist()
    assert lost == pytest.approx(1 / 7, abs=1e-5) and found < 1e-12


def test_symmetries() -> None:
    """Rotating the covariates and scaling (sW_KQ, W_PV/s) change nothing; nor do unused entries."""
    full, theta = landscape(3, 4), weights(3, 5)
    loss = full.loss(*theta)
    Q = torch.linalg.qr(weights(2, 6)[0])[0]
    frame = torch.block_diag(Q, eye(1))
    rotated = FullParameters(Q @ full.covariance @ Q.mT, 4)
    assert_close(rotated.loss(*[frame @ W @ frame.mT for W in theta]), loss)
    assert_close(full.loss(4 * theta[0], theta[1] / 4), loss, rtol=0, atol=0)
    theta[0][:, -1] += 1
    theta[1][:-1] += 1
    assert torch.equal(full.loss(*theta), loss)


def test_batch_axes_equal_a_loop() -> None:
    full, theta = landscape(2, 3), weights(2, 8, 4, 5)
    for function in (full.loss, full.gap):
        single = torch.stack([function(*pair) for pair in zip(*[W[1] for W in theta], strict=True)])
        assert_close(function(*theta)[1], single, rtol=1e-13, atol=1e-13)
    assert_close(full.gradient(*theta)[1][2, 3], full.gradient(theta[0][2, 3], theta[1][2, 3])[1])


EYE = eye(3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FullParameters([[1, 2], [2, 1]], 8), "covariance must be .*did you pass a prec"),
        (lambda: FullParameters([[[1.0]]], 8), r"covariance must have shape \(d, d\)"),
        (lambda: FullParameters([[1.0]], 0), "length must be an integer >= 1, got 0"),
        (lambda: EXAMPLE.loss(EYE[:2, :2], EYE[:2, :2]), r"W_KQ must have shape \(\.\.\., 3, 3\)"),
        (lambda: EXAMPLE.gap(EYE, EYE[None]), r"W_PV must have shape \(3, 3\), got \(1, 3, 3\)"),
        (lambda: EXAMPLE.gradient(EYE.float(), EYE), "must have one dtype"),
        (lambda: EXAMPLE.gradient(EYE, EYE.to("meta")), "must be on one device"),
        (lambda: EXAMPLE.loss(EYE * float("nan"), EYE), "W_KQ must be finite, got nan"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("N", [1, 4, 30])
@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("part", [0.15, 0.5, 1.0, 2.0])
def test_the_sharpness_is_the_largest_eigenvalue_of_the_hessian(
    d: int, N: int, part: float
) -> None:
    """At small u and large d it is the slice that is sharpest, elsewhere the mixing blocks."""
    case = landscape(d, N, seed=d)
    W_KQ, W_PV = case.limit()
    at = torch.stack([W_KQ / part, part * W_PV])

    def loss(z: Tensor) -> Tensor:
        return case.loss(*z.reshape(2, d + 1, d + 1))

    hessian = torch.autograd.functional.hessian(loss, at.flatten())
    largest = torch.linalg.eigvalsh(hessian)[-1]
    u = part * W_PV[-1, -1]
    assert_close(case.sharpness(torch.stack([u, 2 * u]))[0], largest)


def test_either_part_of_the_weights_can_be_sharpest() -> None:
    case = FullParameters(eye(8), 100)
    on_slice = FixedCovariance(eye(8), 100).sharpness([0.2, 2.0])
    both = case.sharpness([0.2, 2.0])
    assert both[0] == on_slice[0]
    assert both[1] > 2 * on_slice[1]


def test_the_sharpness_of_the_running_example_by_hand() -> None:
    """α₁ = 2(9/8·ρ² + …), β₁ = 295/8, and the flattest minimum at (α₁/β₁)^¼."""
    rho, N = [Fraction(32, 41), Fraction(4, 7)], 8
    tau, sigma = sum(rho), sum(one**2 for one in rho)
    own = (1 + Fraction(1, N)) * rho[0] ** 2 + (sigma + 2 * rho[0] * (tau + 2 * rho[0])) / N
    alpha = 2 * (own + (tau**2 + 2 * sigma + 4 * rho[0] * tau + 8 * rho[0] ** 2) / N**2)
    kappa = 2 * (rho[0] * 3 + Fraction(5, 16) * (tau + 2 * rho[0]))
    beta = Fraction(295, 8)
    flattest = float(alpha / beta) ** 0.25
    found = EXAMPLE.sharpness([flattest, 0.9 * flattest, 1.1 * flattest])
    assert found[0] == pytest.approx(float(alpha * beta) ** 0.5 + float(kappa))
    assert found[0] < found[1:].min()


def test_a_value_scalar_is_positive() -> None:
    with pytest.raises(ValueError, match="u must be > 0, got 0"):
        EXAMPLE.sharpness(0.0)
