"""Means and standard errors: merging, precision, calibration, power."""

import math
from typing import Any, cast

import pytest
import torch
from linear_icl.montecarlo import Estimate, estimate

from tests.unit.common import seeded


def replay(values: Any) -> Any:
    """A draw that reads a fixed list, so that batching can be compared."""
    position = 0

    def draw(n: Any, _: Any) -> Any:
        nonlocal position
        position += n
        return values[position - n : position]

    return draw


@pytest.mark.parametrize("batch", [1, 3, 7, 10, 64])
def test_batches_merge_to_the_two_pass_formula(batch: Any) -> None:
    """Also with a last batch of 1 (10 = 3·3 + 1) and one larger than the count."""
    values = torch.tensor([4.0, -1, 7, 7, 2, 0, 3, 3, 9, 1], dtype=torch.float64)
    result = estimate(replay(values), count=10, batch=batch, generator=seeded())
    assert result.count == 10
    assert result.mean == pytest.approx(values.mean().item(), rel=1e-14)
    error = (values.var() / 10).sqrt().item()
    assert result.standard_error == pytest.approx(error, rel=1e-14)
    two = estimate(replay(values), count=2, batch=batch, generator=seeded())
    assert (two.mean, two.standard_error) == pytest.approx((1.5, 2.5), rel=1e-14)


def test_a_large_mean_does_not_swallow_the_variance() -> None:
    """1e9 + {0, 1}: variance ¼·10/9 exactly; E x² - (E x)² would leave nothing of it."""
    values = 1e9 + torch.tensor([0, 1] * 5, dtype=torch.float64)
    result = estimate(replay(values), count=10, batch=3, generator=seeded())
    assert result.standard_error == pytest.approx(math.sqrt(0.25 / 9), rel=1e-6)


def test_single_precision_draws_are_summed_in_double() -> None:
    ones = torch.full((1000,), 0.1, dtype=torch.float32)
    result = estimate(replay(ones), count=1000, batch=10, generator=seeded())
    assert result.mean == pytest.approx(ones[0].item(), rel=1e-14)


def normal(n: Any, generator: Any) -> Any:
    return torch.randn(n, generator=generator, dtype=torch.float64) + 1


def test_z_is_calibrated_and_has_power() -> None:
    """400 estimates of a known mean: Σz² ~ χ²_400 (5σ); 3 % off is seen at 40,000 draws."""
    generator = seeded(3)
    z = [estimate(normal, count=50, batch=50, generator=generator).z(1) for _ in range(400)]
    scale = 49 / 47  # E t² with 49 degrees of freedom
    assert abs(sum(v * v for v in z) / scale - 400) < 5 * math.sqrt(800)
    large = estimate(normal, count=40_000, batch=10_000, generator=generator)
    assert abs(large.z(1)) < 4 < abs(large.z(1.03)) and large.z(0.97) > 0


def test_z_without_spread() -> None:
    sure = Estimate(2.0, 0.0, 5)
    with pytest.raises(ValueError, match=r"value must be finite, got nan"):
        sure.z(math.nan)
    assert (sure.z(2), sure.z(1), sure.z(3)) == (0, math.inf, -math.inf)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"count": 1}, "count must be >= 2, got 1; one draw has no standard error"),
        ({"count": 0}, "count must be an integer >= 1, got 0"),
        ({"batch": 2.0}, "batch must be an integer >= 1, got 2.0"),
        ({"generator": None}, "generator must be a torch.Generator, got None; write"),
        ({"draw": lambda n, g: torch.zeros(n, 1)}, r"draws must have shape \(4,\), got \(4, 1\)"),
        ({"draw": lambda n, g: torch.full((n,), math.inf)}, "draws must be finite, got inf"),
    ],
)
def test_bad_input(change: Any, message: Any) -> None:
    arguments = {"draw": normal, "count": 8, "batch": 4, "generator": seeded()} | change
    with pytest.raises(ValueError, match=message):
        estimate(**cast(Any, arguments))
