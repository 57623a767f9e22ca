"""What attention alone loses: certified for d = 1, by grid for d = 2, and against every bound."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from linear_icl import ltb
from linear_icl.ltb._quotient import Quotient
from linear_icl.ltb.attention import _gradient
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, double, eye, random, refuses, seeded


def scalar(H: float, Psi: float, beta: float, noise: float, M: int) -> ltb.Setting:
    return ltb.Setting([[H]], [[Psi]], [beta], noise, M)


def draw(d: int, seed: int, size: float = 1.0, noise: float = 0.5, M: int = 6) -> ltb.Setting:
    generator = seeded(seed)
    X, Y, mean = torch.randn(3, d, d, dtype=DOUBLE, generator=generator)
    return ltb.Setting(X @ X.mT / d, Y @ Y.mT / d, size * mean[0], noise, M)


def square(setting: ltb.Setting) -> float:
    return float(setting.beta_star @ setting.H @ setting.beta_star)


def certified(setting: ltb.Setting) -> float:
    """The gap for d = 1 by listing every critical point.

    With H = 1, Vb = αβ*, cw = κβ*/τ and ξ = φ/τ, E e² = t²(1 - 2(α+κ) + ρα² + ρ(1+2ξ²)κ² +
    2(1+2ξ/M)ακ). B = wb + cV splits into two numbers of product ακt²/τ, so the odd part costs
    Ω(2√(ακt²/τ) - B*)² where that is positive, and nothing else. One stationary point lies in
    the region without cost, where E e² is a convex quadratic. Outside, with α = x², κ = s²x², the
    best x² is explicit, and s is a root of 2q_2'q_4 - q_2q_4' (degree 4, the q are the quadratic
    and the quartic part over x² and x⁴). κ = 0 gives 2t²/(M+2), which α = 0 or ακ < 0 never beats.
    """
    M, tau, phi = setting.length, float(setting.tau), float(setting.phi[0])
    t2, Omega = square(setting), (M + 1) / M * phi + tau / M
    rho, xi, best = 1 + 2 / M, phi / tau, phi / Omega
    G = np.array([[rho, 1 + 2 * xi / M], [1 + 2 * xi / M, rho * (1 + 2 * xi**2)]])
    found = [2 * t2 / (M + 2)]
    free = np.linalg.solve(G, np.ones(2))
    if (free > 0).all() and 2 * math.sqrt(free.prod() * t2 / tau) <= best:
        found.append(t2 * (1 - free.sum()))
    q_2 = np.poly1d([-2 * t2, -4 * phi * math.sqrt(t2 / tau), -2 * t2])  # in s, highest first
    middle = 2 * t2 * G[0, 1] + 4 * Omega * t2 / tau
    q_4 = np.poly1d([t2 * G[1, 1], 0, middle, 0, t2 * rho])
    for s in (2 * q_2.deriv() * q_4 - q_2 * q_4.deriv()).roots:
        x2 = -q_2(s.real) / (2 * q_4(s.real))
        outside = 2 * x2 * s.real * math.sqrt(t2 / tau) >= best
        if abs(s.imag) < 1e-9 and s.real > 0 and x2 > 0 and outside:
            found.append(t2 + phi * best - q_2(s.real) ** 2 / (4 * q_4(s.real)))
    return min(found)


SCALARS = [
    scalar(1, 1, 1, 100, 10),
    scalar(1, 1, 1, 1, 10),
    scalar(1, 1, 1, 1e4, 10),
    scalar(2, 3, 0.1, 5, 4),
    scalar(2, 0.3, -3, 0.2, 1),
    scalar(0.5, 1, 30, 1, 7),
    scalar(1, 1, 0.3, 0, 10),
    scalar(1, 0.1, 0.02, 2, 1),
    scalar(3, 0, 1, 2, 3),
]


@pytest.mark.parametrize("setting", SCALARS, ids=lambda s: f"M{s.length}b{s.beta_star.item()}")
def test_in_one_dimension_every_critical_point_is_listed(setting: ltb.Setting) -> None:
    found = ltb.lsa_infimum(setting)
    assert found.gap.item() == pytest.approx(certified(setting), rel=1e-9)


def test_random_scalars_are_certified() -> None:
    generator = seeded()
    for _ in range(15):
        Psi, beta, noise = (10 ** (4 * torch.rand(3, generator=generator) - 2)).tolist()
        setting = scalar(1, Psi, beta, noise, int(torch.randint(1, 20, (), generator=generator)))
        gap = ltb.lsa_infimum(setting).gap.item()
        assert gap == pytest.approx(certified(setting), rel=1e-8)


@pytest.mark.parametrize("size", [0.03, 1.0, 10.0])
def test_no_point_of_a_grid_over_two_dimensions_lies_below(size: float) -> None:
    setting = draw(2, 4, size)
    found = ltb.lsa_infimum(setting)
    radius = torch.logspace(-4, 4, 161, dtype=DOUBLE)
    angle = torch.linspace(0, 2 * math.pi, 181, dtype=DOUBLE)[:-1]
    r, a = torch.meshgrid(radius, angle, indexing="ij")
    p = torch.stack([r * a.cos(), r * a.sin(), torch.ones_like(r)], dim=-1).flatten(0, 1)
    quotient = Quotient(setting, True)
    # the quotient at p, in units of τ, is the risk less σ² + trΦ + ‖β*‖²_H
    constant = setting.noise_variance + setting.Phi.trace() + square(setting)
    lowest = constant + setting.tau * quotient.values(p).min() - ltb.infimum(setting)
    assert found.gap * (1 - 1e-9) <= lowest <= found.gap * 1.05


@pytest.mark.parametrize("mixing", [True, False])
def test_the_quotient_is_the_risk_after_least_squares(mixing: bool) -> None:
    """Its parameters' exact risk equals its value, and other Z with the same p do worse."""
    setting = draw(3, 1)
    quotient = Quotient(setting, mixing)
    p = quotient.starts(40, seeded(1))
    parts = quotient.parameters(p)
    assert mixing or not parts.u_21.any()
    risk = ltb.risk(setting, parts)
    constant = setting.noise_variance + setting.Phi.trace() + square(setting)
    assert_close(risk, constant + setting.tau * quotient.values(p))
    for seed in range(5):
        generator = seeded(seed)
        other, mixed = (
            part * (1 + 0.1 * torch.randn(part.shape, dtype=DOUBLE, generator=generator))
            for part in parts[3:]
        )
        assert (ltb.risk(setting, parts._replace(U=other, u_21=mixed)) > risk).all()


@pytest.mark.parametrize("mixing", [True, False])
def test_derivatives_of_the_quotient_are_those_of_autograd(mixing: bool) -> None:
    quotient = Quotient(draw(3, 2), mixing)
    p = random(6, 4, seed=3)
    p = p / p.norm(dim=-1, keepdim=True)
    own = quotient.derivatives(p)

    def value(q: Tensor) -> Tensor:
        return quotient.values((q / (q @ q).sqrt())[None])[0]

    for k in range(len(p)):
        gradient = torch.autograd.functional.jacobian(value, p[k])
        hessian = torch.autograd.functional.hessian(value, p[k])
        assert_close(own.gradient[k], gradient, rtol=1e-10, atol=1e-12)
        across = eye(4) - torch.outer(p[k], p[k])
        assert_close(own.hessian[k], across @ hessian @ across, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [1e-3, 1.0, 20.0])
def test_what_certifies_the_infimum(d: int, size: float) -> None:
    """A critical point of the exact risk, a minimum, no start below, above the proved bound."""
    setting = draw(d, d, size)
    found = ltb.lsa_infimum(setting)
    scale = 1 + found.risk
    assert found.gradient < 1e-11 * scale and found.curvature > -1e-9 and found.hits >= 10
    assert found.risks.shape == (64,) and (found.risks.diff() >= 0).all()
    assert_close(found.risks[-1] - found.risks[0], found.spread, rtol=1e-6, atol=1e-12)
    r, u_12, u, U, u_21 = found.parameters
    assert not r.any() and found.gap > found.bound
    assert_close(ltb.risk(setting, found.parameters), found.risk, rtol=1e-12, atol=0)
    assert_close(u_12 @ u_12 + u**2, (U * U).sum() + u_21 @ u_21)
    lower, upper = ltb.large_start_bounds(setting)
    assert lower <= found.gap <= upper * (1 + 1e-12)


def test_more_starts_find_nothing_better() -> None:
    setting = draw(4, 7, 0.1)
    many = ltb.lsa_infimum(setting, starts=300, generator=seeded(5))
    assert ltb.lsa_infimum(setting).gap.item() == pytest.approx(many.gap.item(), rel=1e-9)


def test_local_minima_are_real() -> None:
    """At a small β* a second minimum traps about half of the starts."""
    found = ltb.lsa_infimum(draw(3, 1, 0.01))
    assert found.spread > 100 * found.gap and 10 <= found.hits <= 50


def test_with_a_zero_mean_attention_alone_is_enough() -> None:
    found = ltb.lsa_infimum(draw(3, 2, 0.0))
    assert found.gap < 1e-25 and found.bound == 0


def test_singular_settings() -> None:
    """A direction without variance changes nothing; nor does H = 0 or a silent label fail."""
    H, Psi = torch.diag(double([2.0, 0.0, 1.0])), eye(3)
    singular = ltb.lsa_infimum(ltb.Setting(H, Psi, [1, 5, -1], 0.3, 4))
    small = ltb.lsa_infimum(ltb.Setting([[2, 0], [0, 1]], [[1, 0], [0, 1]], [1, -1], 0.3, 4))
    assert_close(singular.risk, small.risk)
    assert ltb.lsa_infimum(ltb.Setting([[0]], [[1]], [1], 0.3, 4)).risk == 0.3
    assert ltb.lsa_infimum(ltb.Setting([[0]], [[1]], [1], 0, 4)).risk == 0
    silent = ltb.Setting([[2, 0], [0, 1]], [[0, 0], [0, 0]], [1, 2], 0, 4)  # τ = 0: exactly 2/(M+2)
    gap = ltb.lsa_infimum(silent).gap.item()
    assert gap == pytest.approx(6 / 3, rel=1e-13)
    lower, upper = ltb.large_start_bounds(silent)
    assert lower.item() == pytest.approx(gap) and upper.item() == pytest.approx(gap)


def test_single_precision_is_kept_and_the_result_repeats() -> None:
    setting = draw(2, 5)
    single = ltb.Setting(
        setting.H.float(), setting.Psi.float(), setting.beta_star.float(), 0.5, setting.length
    )
    found, again = ltb.lsa_infimum(single), ltb.lsa_infimum(single)
    assert found.risk.dtype == found.parameters.U.dtype == torch.float32
    assert found.risk == again.risk
    assert found.gap.item() == pytest.approx(ltb.lsa_infimum(setting).gap.item(), rel=1e-4)


def test_by_default_the_search_is_that_of_seed_0_and_leaves_the_global_state() -> None:
    setting, before = draw(2, 5), torch.get_rng_state()
    default = ltb.lsa_infimum(setting, starts=20)
    zero, one = (ltb.lsa_infimum(setting, starts=20, generator=seed) for seed in (0, 1))
    assert torch.equal(default.risks, zero.risks) and not torch.equal(zero.risks, one.risks)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_gradient_in_the_setting_is_that_of_the_envelope() -> None:
    """d inf/dβ* through the parameters found, against a difference of two infima."""
    setting = draw(2, 6)
    mean = setting.beta_star.clone().requires_grad_()
    ltb.lsa_infimum(setting.replace(beta_star=mean)).risk.backward()
    step = 1e-4 * double([1.0, 0.0])
    up, down = (
        ltb.lsa_infimum(setting.replace(beta_star=setting.beta_star + s * step)).risk
        for s in (1, -1)
    )
    assert mean.grad is not None
    assert mean.grad[0].item() == pytest.approx((up - down).item() / 2e-4, rel=1e-6)


def test_the_gap_by_hand() -> None:
    """‖β*‖²_H = 2·1 + 4·1 + 2·½·2 = 8, M = 3: 8/4 and 16/5."""
    setting = ltb.Setting([[2, 0.5], [0.5, 1]], [[1, 0], [0, 1]], [1, 2], 1, 3)
    assert ltb.gap_lower_bound(setting) == 2 and ltb.no_mixing_gap(setting).item() == 16 / 5


def test_without_mixing() -> None:
    """u_21 = 0: exact for d = 1 and for Φ ∥ H^½β*, a strict bound else; with u_21 never worse."""
    for setting in SCALARS:
        gap = ltb.lsa_infimum(setting, mixing=False).gap
        assert_close(gap, ltb.no_mixing_gap(setting), rtol=1e-9, atol=0)
    aligned = ltb.Setting(np.eye(3), np.outer([1, 2, 2], [1, 2, 2]), [2, 4, 4], 0.7, 5)
    gap = ltb.lsa_infimum(aligned, mixing=False).gap
    assert_close(gap, ltb.no_mixing_gap(aligned), rtol=1e-9, atol=0)
    for seed in range(4):
        setting = draw(2, seed)
        found = ltb.lsa_infimum(setting, mixing=False)
        assert not found.parameters.u_21.any() and found.gradient < 1e-11
        assert found.gap > ltb.no_mixing_gap(setting) * 1.001
        assert found.gap >= ltb.lsa_infimum(setting).gap * (1 - 1e-12)


@pytest.mark.parametrize("M", [1, 3, 10, 100])
def test_the_constant_of_the_bound_is_the_best(M: int) -> None:
    excess = []
    for noise in (1e2, 1e4, 1e6):
        setting = ltb.extremal(M, noise)
        gap, bound = ltb.lsa_infimum(setting).gap, ltb.gap_lower_bound(setting)
        assert bound < gap <= ltb.extremal_gap(setting) * (1 + 1e-9)
        excess.append((gap / bound - 1).item())
    # (1 + ξ)/(M + 1 + ξ) exceeds 1/(M+1) by ξM/(M+1) to first order, and ξ is about 1/noise
    assert excess[2] == pytest.approx(1e-6 * M / (M + 1), rel=0.01)
    assert excess[0] > 50 * excess[1] > 2500 * excess[2]


def test_no_layer_meets_the_bound() -> None:
    """Small means, d = H = Ψ = 1: with B = Γ* free the two gauges leave 1/(1 + 1ᵀV⁻¹1), V their
    relative covariance; above 1/(M+1) for every noise, so the bound is not attained."""
    for M, noise in [(1, 3), (8, 99), (40, 1000)]:
        x, psi = Fraction(2, M), Fraction(1, 1 + noise)
        labels, cross = x + 2 * (1 + x) * psi**2, x * psi
        gauges = (x + labels - 2 * cross) / (x * labels - cross**2)  # 1ᵀV⁻¹1
        exact = 1 / (1 + gauges)
        gap = ltb.lsa_infimum(scalar(1, 1, 0.1, noise, M)).gap / 0.01
        assert gap.item() == pytest.approx(float(exact), rel=1e-9) and exact > Fraction(1, M + 1)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_equal_tasks_leave_one_gauge(d: int) -> None:
    """Ψ = 0: both gauges are steady between tasks, and still the price is 2‖β*‖²_H/(M+2), as a
    cross term would be paid: the case that the proof of strictness has to exclude last."""
    own = draw(d, 3).replace(Psi=torch.zeros(d, d, dtype=DOUBLE))
    assert_close(ltb.lsa_infimum(own).gap, ltb.no_mixing_gap(own), rtol=1e-9, atol=0)


def test_at_a_fixed_mean_noise_leads_away_from_the_bound_again() -> None:
    """β* = 1, M = 10: within 1 % of 1/11 at noise 100, and within 2 % of 2/12 at 10⁸."""
    ratios = [ltb.lsa_infimum(scalar(1, 1, 1, noise, 10)).gap.item() for noise in (1, 100, 1e8)]
    assert ratios[1] == pytest.approx(1 / 11, rel=0.01)
    assert ratios[0] > 0.15 and ratios[2] == pytest.approx(2 / 12, rel=0.02)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_a_large_mean_costs_twice_its_square_over_m_plus_two(d: int) -> None:
    setting = draw(d, 11)
    for size, tolerance in [(1e2, 1e-2), (1e4, 1e-6)]:
        large = setting.replace(beta_star=size * setting.beta_star)
        gap, (lower, upper) = ltb.lsa_infimum(large).gap, ltb.large_start_bounds(large)
        assert 0 < lower < gap < upper
        assert gap.item() == pytest.approx(ltb.no_mixing_gap(large).item(), rel=tolerance)


def test_the_gradient_reported_is_the_largest_entry_of_what_is_trained() -> None:
    setting = ltb.Setting(eye(2), eye(2), [1, 2], 0.5, 3)
    parts = [
        random(*shape, seed=k + 4).requires_grad_()
        for k, shape in enumerate([(2,), (2,), (), (2, 2), (2,)])
    ]
    slopes = torch.autograd.grad(ltb.risk(setting, ltb.Reduced(*parts)), parts[1:])
    for mixing, count in ((True, 4), (False, 3)):
        largest = max(slope.abs().max() for slope in slopes[:count])
        assert_close(_gradient(setting, ltb.Reduced(*parts), mixing), largest)


def test_moments_of_a_mean_of_forms() -> None:
    """diag(1, 1) is a χ² of 2 degrees: mean 2, second moment 4 + 4/M, and reaches its floor."""
    assert [*ltb.mean_form(eye(2), 4)] == [2, 5, 5]
    assert [*ltb.mean_form([[3]], 4)] == [3, 13.5, 13.5]
    assert [*ltb.mean_form([[3]], 3)] == pytest.approx([3, 15, 15], rel=1e-14)
    v = double([1, 3, 7]) / 11  # of rank one but for rounding
    one = ltb.mean_form(torch.outer(v, v), 4)
    assert one.floor.item() == pytest.approx(one.second.item(), rel=1e-12)
    # the symmetric part has trA² = 4 + 1 + 8
    assert [*ltb.mean_form([[2, 4], [0, -1]], 2)] == [1, 14, 2]


def test_the_signature_bounds_the_second_moment() -> None:
    generator = seeded()
    a, b, c = torch.randn(3, 200, 5, dtype=DOUBLE, generator=generator)
    size = torch.randn(200, 1, 1, dtype=DOUBLE, generator=generator)
    product = a[:, :, None] * b[:, None]
    for k, form in [(1, product), (2, product + size * c[:, :, None] * c[:, None])]:
        moments = ltb.mean_form(form, 6)
        assert (moments.second >= (1 + 2 / (6 * k)) * moments.mean**2).all()
        assert (moments.floor <= moments.second).all()


PROBLEM = draw(2, 0)
NO_GENERATOR: Any = 3.0


test_bad_input = refuses(
    (lambda: ltb.lsa_infimum(PROBLEM, starts=0), "starts must be an integer >= 1, got 0"),
    (
        lambda: ltb.lsa_infimum(PROBLEM, generator=NO_GENERATOR),
        "generator must be a torch.Generator",
    ),
    (
        lambda: ltb.lsa_infimum(PROBLEM, generator=None),  # type: ignore[arg-type]
        "generator must be a torch.Generator, got None; write e.g. generator=0",
    ),
    (lambda: ltb.extremal(0), "length must be an integer >= 1, got 0"),
    (lambda: ltb.extremal(3, -1), "noise_variance must be >= 0, got -1"),
    (lambda: ltb.extremal_gap(PROBLEM), "setting must have d = 1, .*got d=2, "),
    (lambda: ltb.extremal_gap(scalar(1, 1, 9, 1, 3)), r"got d=1, ‖β\*‖²_H=81; take extremal"),
    (lambda: ltb.extremal_gap(scalar(0, 1, 0, 0, 3)), "positive τ"),
    (lambda: ltb.mean_form([[1, 2]], 3), r"matrix must have shape .*n, n\), got \(1, 2\)"),
    (lambda: ltb.mean_form([[1]], 0), "length must be an integer >= 1"),
)
