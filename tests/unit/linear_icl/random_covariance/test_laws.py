"""Laws of an eigenvalue: moments by hand, by samples and by quadrature; what they refuse."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from linear_icl.montecarlo import estimate
from linear_icl.random_covariance import (
    Constant,
    DiagonalCovariance,
    Exponential,
    Gamma,
    Law,
    LogNormal,
    Moments,
    Uniform,
)
from scipy import integrate, stats
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, refuses, seeded

#: with SciPy's law, for the routes that need a density
KNOWN: list[tuple[Law, Any]] = [
    (Exponential(1.5), stats.expon(scale=1.5)),
    (Gamma(2.5, 0.4), stats.gamma(2.5, scale=0.4)),
    (Uniform(0.5, 2), stats.uniform(0.5, 1.5)),
    (LogNormal(-0.2, 0.25), stats.lognorm(0.25, scale=math.exp(-0.2))),
]
SAMPLED = [*(law for law, _ in KNOWN), Constant(0.7)]


# -- moments -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (Exponential(), (1, 2, 6)),
        (Exponential(0.5), (0.5, 0.5, 0.75)),
        (Gamma(2, 3), (6, 54, 648)),  # 2·3, 2·3·9, 2·3·4·27
        (Uniform(1, 3), (2, 13 / 3, 10)),
        (Constant(2), (2, 4, 8)),
        (Moments(1, 2, 6), (1, 2, 6)),
    ],
)
def test_moments_by_hand(law: Law, expected: tuple[float, ...]) -> None:
    assert tuple(law.moment(k).item() for k in (1, 2, 3)) == expected


def test_log_normal_moments_by_hand() -> None:
    law = LogNormal(math.log(2), math.sqrt(2 * math.log(3)))  # 2ᵏ 3^{k²}
    assert [law.moment(k).item() for k in (1, 2, 3)] == pytest.approx([6, 324, 157464], rel=1e-13)


@pytest.mark.parametrize(("law", "known"), KNOWN)
def test_moments_are_those_of_the_density(law: Law, known: Any) -> None:
    for k in (1, 2, 3, 4):
        assert law.moment(k).item() == pytest.approx(known.moment(k), rel=1e-10)  # its quadrature


@pytest.mark.parametrize("law", SAMPLED)
def test_samples_have_the_moments(law: Law) -> None:
    for k in (1, 2, 3):

        def powers(n: int, g: torch.Generator, k: int = k) -> Tensor:
            return law.sample(n, generator=g) ** k

        value = law.moment(k).item()
        if isinstance(law, Constant):
            found = estimate(powers, count=800_000, batch=100_000, generator=seeded(k))
            assert found.mean == pytest.approx(value, rel=1e-12)  # rounding of a mean
        else:  # twelve comparisons at 3e-4 each
            agrees(powers, value, 3.6, count=800_000, batch=100_000, seed=k)


@pytest.mark.parametrize(("law", "known"), KNOWN)
def test_samples_follow_the_distribution(law: Law, known: Any) -> None:
    draws = law.sample((200, 300), generator=seeded(5))
    assert draws.shape == (200, 300)
    assert (draws > 0).all()
    flat = draws.flatten().numpy()
    assert stats.kstest(flat, known.cdf).pvalue > 1e-3
    assert stats.kstest(1.03 * flat, known.cdf).pvalue < 1e-3


# -- what follows from moments -------------------------------------------------------------------


def test_shrinkage_of_the_named_laws() -> None:
    k = double([0.25, 1, 2, 10])
    assert_close(Gamma(k, 3.0).shrinkage(), k / (k + 2), rtol=1e-14, atol=0)
    assert Exponential(7).shrinkage().item() == pytest.approx(1 / 3, rel=1e-15)
    assert LogNormal(0.3, 0.5).shrinkage().item() == pytest.approx(math.exp(-0.5), rel=1e-14)
    assert Uniform(0, 2).shrinkage().item() == pytest.approx(2 / 3, rel=1e-15)
    assert Constant(3).shrinkage().item() == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize(("d", "N"), [(1, 1), (2, 8), (5, 40)])
def test_shrinkage_at_finite_length(d: int, N: int) -> None:
    exact = Fraction(N, 3 * N + d + 5)
    assert Exponential().shrinkage(d, N).item() == pytest.approx(float(exact), rel=1e-15)
    trained = DiagonalCovariance(Gamma(1.7, 0.3), d, N)
    assert Gamma(1.7, 0.3).shrinkage(d, N).item() == pytest.approx(
        trained.shrinkage[0].item(), rel=1e-14
    )
    assert Exponential().shrinkage(d, 10**12).item() == pytest.approx(1 / 3, rel=1e-10)


def test_shrinkage_is_one_only_for_a_constant() -> None:
    generator = seeded(3)
    for _ in range(20):
        points, p = torch.rand(2, 4, dtype=DOUBLE, generator=generator)
        law = Moments(*((p / p.sum()) @ points**k for k in (1, 2, 3)))
        assert 0 < law.shrinkage() < 1


@pytest.mark.parametrize("q", [0.0, 0.3, -2.0, 9.0])
def test_a_large_query_coordinate_tells_of_a_large_eigenvalue(q: float) -> None:
    """E[λ | q] from the posterior density λ^{-1/2} exp(-λ/s - q²/(2λ)), λ = e^t for the spread."""
    s = 1.3

    def mass(k: int) -> float:
        value: float = integrate.quad(
            lambda t: math.exp((k + 0.5) * t - math.exp(t) / s - q * q / 2 * math.exp(-t)), -80, 8
        )[0]
        return value

    expected = mass(1) / mass(0)
    assert Exponential(s).conditional_mean(q).item() == pytest.approx(expected, rel=1e-7)


def test_conditional_mean_averages_to_the_mean() -> None:
    law = Exponential()
    assert law.conditional_mean([0.0, 2**0.5]).tolist() == pytest.approx([0.5, 1.5], rel=1e-15)

    def draw(n: int, g: torch.Generator) -> Tensor:  # E[λq²] = E λ² = 2, by the tower rule
        q = law.sample(n, generator=g).sqrt() * torch.randn(n, dtype=DOUBLE, generator=g)
        return law.conditional_mean(q) * q**2

    agrees(draw, 2, 3.3, count=400_000, batch=100_000, seed=8)


# -- entry ---------------------------------------------------------------------------------------


ANY: Any = 7.0


class Pareto(Law):
    """A law of a user's own, with density 3λ^{-4} from 1 on: E λ³ is infinite."""

    def moment(self, k: Any) -> Any:
        return double(3 / (3 - k) if k < 3 else math.inf)


def test_repr() -> None:
    assert repr(Exponential()) == "Exponential(scale=1)"
    assert repr(Gamma([1, 2], 3)) == "Gamma(k=<(2,)>, scale=<(2,)>)"
    assert repr(Uniform(0, np.float64(0.5))) == "Uniform(a=0, b=0.5)"
    assert repr(LogNormal(0, 1)) == "LogNormal(m=0, s=1)"
    assert repr(Constant(2)) == "Constant(c=2)"
    assert repr(Moments(1, 2, 6)) == "Moments(1, 2, 6)"


test_bad_laws = refuses(
    (lambda: Exponential(-1), "scale must be > 0, got -1"),
    (lambda: Gamma(0), "k must be > 0, got 0"),
    (lambda: Gamma([1, 2], [1, 2, 3]), r"scale must be a number or have the shape \(2,\)"),
    (lambda: Uniform(-1, 1), "a must be >= 0, got -1"),
    (lambda: Uniform(2, 1), r"b must be > a, got a = 2, b = 1; are they swapped"),
    (lambda: Uniform([0, 2], [1, 1]), r"b must be > a, got a = <\(2,\)>"),
    (lambda: Uniform(1, 1), "b must be > a, got a = 1, b = 1"),
    (lambda: LogNormal(0, 0), "s must be > 0, got 0"),
    (lambda: LogNormal([0, 0], [1, 13]), r"finite moment of order 3, got <\(2,\)>"),
    (lambda: Moments([1, 1], [2, 0.9], [6, 1]), r"law must be positive, .* got <\(2,\)>"),
    (lambda: LogNormal(0, 20), "finite moment of order 2, got inf; the theorem needs the third"),
    (lambda: LogNormal(0, 13), "finite moment of order 3, got inf; .* lighter tail"),
    (lambda: Constant(0), "c must be > 0, got 0"),
    (lambda: Moments(1, 2, math.inf), "m3 must be finite, got inf; the theorem needs the third"),
    (lambda: Moments(1, 2, math.nan), "m3 must be finite, got nan"),
    (lambda: Moments(0, 1, 0), r"law must be positive, .* got 0, 1, 0; .* about the mean"),
    (lambda: Moments(1, 0.9, 1), r"m2 >= m1², m1 m3 >= m2², got 1, 0.9, 1"),
    (lambda: Moments(1, 2, 3.9), r"m1 m3 >= m2², got 1, 2, 3.9"),
    (lambda: Moments(1, [1, 2], 3), r"m2 must be a number or have the shape \(\)"),
    (lambda: Moments(1, 2, 6).moment(4), "k must be 1, 2 or 3 for Moments, got 4"),
    (lambda: Moments(1, 2, 6).sample(3), r"can be sampled, got Moments\(1, 2, 6\)"),
    (lambda: Exponential().moment(0), "k must be an integer >= 1, got 0"),
    (lambda: Exponential().sample(0), "shape must be an integer >= 1, got 0"),
    (lambda: Exponential().sample((2, ANY / 2)), "shape must be an integer >= 1, got 3.5"),
    (lambda: Gamma([1, 2]).sample(3), r"scalar parameters, got Gamma.* pass a list of laws"),
    (lambda: Exponential().sample(3, generator=ANY), "generator must be a torch.Generator"),
    (lambda: Exponential().shrinkage(dim=2), "dim and length must be given together, got dim=2"),
    (lambda: Exponential().conditional_mean(math.nan), "query must be finite, got nan"),
    (lambda: DiagonalCovariance(Pareto(), 2, 8), "finite moment of order 3, got inf"),
)
