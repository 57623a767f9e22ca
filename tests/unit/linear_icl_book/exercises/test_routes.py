"""Every exercise: another route agrees, that of its page or of the package."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from linear_icl import lsa, ltb, prompts
from linear_icl_book.exercises import registry
from linear_icl_book.exercises._judge import Target, judge

from . import routes_1_to_3 as first
from . import routes_4_to_6 as middle
from . import routes_7_to_9 as last

ROUTES = first.ROUTES | middle.ROUTES | last.ROUTES
seeded = pytest.mark.parametrize("seed", [None, "anna", "7", "κ"])


def test_every_exercise_has_one() -> None:
    assert {*ROUTES, "6.4"} == {*registry()}  # that of 6.4 is a test of its own


@seeded
@pytest.mark.parametrize("number", ROUTES)
def test_another_route_is_right(number: str, seed: str | None) -> None:
    exercise = registry()[number]
    numbers = exercise.numbers(seed)
    assert judge(exercise, numbers, ROUTES[number](**numbers)).said == f"✓ {number} right."


@pytest.mark.parametrize("number", [number for number in registry() if number > "4"])
def test_every_draw_is_well_posed(number: str) -> None:
    exercise = registry()[number]
    for k in range(20):
        numbers = exercise.numbers(f"student {k}")
        assert np.isfinite(Target.of(exercise, numbers).value).all()


def test_the_degenerate_query_loses_an_eigenvalue() -> None:
    exercise = registry()["2.3"]
    w = torch.tensor(exercise.numbers("anna")["w"], dtype=torch.float64)
    x = torch.randn(1, 5, 2, generator=first.generator(), dtype=torch.float64)
    for move, negative in ((0.0, 2), (0.01, 3)):
        t = exercise.solve(**exercise.numbers("anna")) + move
        query = torch.tensor([[1.0, t]], dtype=torch.float64)
        E = prompts.embedding(prompts.Prompts(x, x @ w, query, query @ w))
        found = torch.linalg.eigvalsh(lsa.quadratic_form(E)[0])
        assert int((found < -1e-12).sum()) == negative


@seeded
def test_the_layer_needs_just_so_many_points(seed: str | None) -> None:
    exercise = registry()["6.4"]
    numbers = exercise.numbers(seed)

    def scalar(mean: float, M: int) -> ltb.Setting:
        return ltb.Setting([[1.0]], [[1.0]], [float(mean)], numbers["noise"], M)

    goal = ltb.infimum(scalar(0.0, numbers["M"]))
    for mean, count in zip(numbers["means"], exercise.solve(**numbers), strict=True):
        before, after = (ltb.lsa_infimum(scalar(mean, M)).risk for M in (count - 1, count))
        assert after <= goal < before


@seeded
def test_a_layer_has_two_valleys(seed: str | None) -> None:
    setting = middle.problem(**registry()["6.5"].numbers(seed))
    upper, twin = middle.valleys_of_layers(setting)
    excess = middle.layer_excess(setting)
    for z in (upper, twin):
        assert torch.autograd.functional.jacobian(excess, z).abs().max() < 1e-8
        curvature = torch.autograd.functional.hessian(excess, z)
        assert torch.linalg.eigvalsh(curvature).min() > -1e-8  # a symmetry gives a zero
    assert excess(twin) > 1.01 * excess(upper)
    share = [float(z[2].abs() / (z[:2] + z[2] * setting.beta_star).norm()) for z in (upper, twin)]
    assert share[1] < 0.1 < share[0]
