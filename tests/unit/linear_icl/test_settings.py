"""The setting of chapters 6 and 7: its letters by hand, its law by standard errors."""

from typing import Any

import pytest
import torch
from linear_icl.estimators import ols
from linear_icl.gaussian import sandwich
from linear_icl.settings import Setting
from torch.testing import assert_close

from tests.unit.common import DOUBLE, agrees, double, eye, refuses, seeded

#: H of rank 2 with its image turned by (3/5, 4/5), Ψ of rank 2.
H = double([[0.36, 0.48, 0], [0.48, 0.64, 0], [0, 0, 2]])
PSI = double([[1.0, 1, 0], [1, 1, 0], [0, 0, 3]])
SINGULAR = Setting(H, PSI, [3, 0, -1], 0.7, 4)


def test_letters_by_hand() -> None:
    """H = diag(4, 1), Ψ = I, σ² = 1, M = 2: all of them are diagonal."""
    setting = Setting([[4, 0], [0, 1]], [[1, 0], [0, 1]], [1, 2], 1, 2)
    assert setting.dim == 2 and setting.tau == 6
    assert setting.root.tolist() == [[2, 0], [0, 1]]
    assert setting.Phi.tolist() == [[4, 0], [0, 1]] and setting.phi.tolist() == [4, 1]
    assert setting.Omega.tolist() == [[9, 0], [0, 4.5]]
    assert setting.Omega_0.tolist() == [[36, 0], [0, 4.5]]
    assert setting.image.tolist() == [[1, 0], [0, 1]]


def test_letters_of_singular_matrices() -> None:
    """(3/5, 4/5, 0) and e_3 carry H; Φ has there Ψ's (7/5)² and 2·3, and 0 off the image."""
    assert float(SINGULAR.tau) == pytest.approx(1.96 + 6 + 0.7, rel=1e-14)
    assert SINGULAR.phi.tolist() == pytest.approx([6, 1.96, 0], rel=1e-14, abs=0)
    u = double([0.6, 0.8, 0])
    expected = torch.outer(u, u) + torch.diag(double([0.0, 0, 1]))
    assert_close(SINGULAR.image, expected, rtol=0, atol=1e-14)


def test_the_two_forms_of_omega_0_agree() -> None:
    root = SINGULAR.root
    assert_close(root @ root, H, rtol=0, atol=1e-14)
    through_root = root @ SINGULAR.Omega @ root
    assert_close(SINGULAR.Omega_0, through_root, rtol=0, atol=1e-13)


def test_omega_0_is_the_second_moment_of_the_gradient_at_the_mean() -> None:
    """E[S(β̃ - β*)(β̃ - β*)ᵀS] + (σ²/M)H, with S = XᵀX/M and Isserlis' E[SΨS]."""
    H = double([[2.0, 0.5], [0.5, 1.0]])
    setting = Setting(H, [[1, 1], [1, 1]], [3, -1], 0.7, 5)
    expected = sandwich(H, 5, setting.Psi) + 0.7 / 5 * H
    assert_close(setting.Omega_0, expected, rtol=1e-14, atol=0)


def test_samples_of_a_singular_law_stay_in_its_image() -> None:
    x, _, x_query, _ = SINGULAR.sample(5, 6, seeded())
    off = double([0.8, -0.6, 0])
    assert (x @ off).abs().max() < 1e-14 and (x_query @ off).abs().max() < 1e-14
    noiseless = SINGULAR.replace(noise_variance=0).sample(5, 6, seeded())
    assert_close(ols(noiseless), noiseless.y_query, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        (lambda p: p.x[:, 0, 0] * p.x[:, 0, 1], 0.48),  # H_01
        (lambda p: p.x_query[:, 2] ** 2, 2.0),  # H_22
        (lambda p: p.x[:, 0, 2] * p.x[:, 1, 2], 0.0),  # independent examples
        (lambda p: p.y_query**2, 8.66 + 3.24 + 2),  # τ + β*ᵀHβ* = 8.66 + 9·0.36 + 2
        (lambda p: p.y[:, 0] ** 2, 13.9),
        (lambda p: p.y[:, 0] * p.x[:, 0, 0], 1.08),  # (Hβ*)_0
        # E (Hβ̃)_0² = (Hβ*)_0² + (HΨH)_00 = 1.1664 + 0.7056
        (lambda p: p.y[:, 0] * p.y[:, 1] * p.x[:, 0, 0] * p.x[:, 1, 0], 1.872),
    ],
)
def test_moments_of_the_law(statistic: Any, value: Any) -> None:
    draw: Any = lambda n, g: statistic(SINGULAR.sample(n, 2, g))  # noqa: E731
    agrees(draw, value, 3.5, count=100_000, off=None)  # seven comparisons at 5e-4 each


def test_replace_changes_what_it_names_and_checks_it() -> None:
    other = SINGULAR.replace(length=9, beta_star=[0, 0, 0])
    assert other.length == 9 and not other.beta_star.any()
    assert other.H is SINGULAR.H and other.noise_variance is SINGULAR.noise_variance
    with pytest.raises(ValueError, match="length must be an integer >= 1, got 0"):
        SINGULAR.replace(length=0)
    with pytest.raises(TypeError, match="covariance"):
        SINGULAR.replace(covariance=H)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_rank_does_not_mind_the_units(scale: float) -> None:
    scaled = SINGULAR.replace(H=scale * H)
    assert_close(scaled.image, SINGULAR.image, rtol=0, atol=1e-13)
    assert_close(scaled.phi, scale * SINGULAR.phi, rtol=1e-13, atol=0)


def test_a_task_that_the_covariates_do_not_see_leaves_only_the_noise() -> None:
    """Ψ is the projector off H's image; the trace of their product is rounding."""
    off = double([[0.64, -0.48, 0], [-0.48, 0.36, 0], [0, 0, 0]])
    assert SINGULAR.replace(Psi=off, noise_variance=0).tau == 0
    assert SINGULAR.replace(Psi=off).tau == 0.7


def test_zero_matrices_are_legal() -> None:
    nothing = Setting([[0, 0], [0, 0]], [[0, 0], [0, 0]], [1, 2], 0, 1)
    assert nothing.tau == 0 and not nothing.phi.any() and not nothing.image.any()
    assert not any(part.any() for part in nothing.sample(2, generator=seeded()))


def test_tau_and_omega_0_are_differentiable_where_eigenvalues_meet() -> None:
    def letters(A: Any, B: Any) -> Any:
        setting = Setting((A + A.mT) / 2, (B + B.mT) / 2, [1, 2], 0.5, 3)
        return setting.tau, setting.Omega_0

    identity = eye(2)
    leaves = identity.clone().requires_grad_(), identity.clone().requires_grad_()
    assert torch.autograd.gradcheck(letters, leaves)


def test_repr() -> None:
    meta = Setting(H.to("meta"), PSI.tolist(), [1, 2, 3], 1, 4)
    assert "d=3" in repr(meta) and "meta" in repr(meta)


def test_its_repr_shows_mean_and_noise_where_they_are_set() -> None:
    plain = SINGULAR.replace(beta_star=[0, 0, 0], noise_variance=0)
    rest = "length=4, dtype=torch.float64, device=cpu)"
    assert repr(plain) == f"Setting(d=3, {rest}"
    assert repr(SINGULAR) == f"Setting(d=3, beta_star=[3, 0, -1], noise_variance=0.7, {rest}"
    assert repr(plain.replace(noise_variance=1e-7)) == f"Setting(d=3, noise_variance=1e-07, {rest}"
    wide = Setting(torch.eye(6), torch.eye(6), torch.arange(6.0) / 3, 0, 4)
    assert "d=6, beta_star=[0, 0.3333, 0.6667, 1, ...], length=4" in repr(wide)
    four = Setting(torch.eye(4), torch.eye(4), torch.arange(4.0) / 3, 0, 4)
    assert "d=4, beta_star=[0, 0.3333, 0.6667, 1], length=4" in repr(four)


GOOD: dict[str, Any] = {
    "H": [[1, 0], [0, 1]],
    "Psi": [[1, 0], [0, 1]],
    "beta_star": [0, 0],
    "noise_variance": 0,
    "length": 3,
}


test_bad_setting = refuses(
    ({"H": [[1, 2], [2, 1]]}, "H must be symmetric positive semidefinite, got smallest .* -1"),
    ({"Psi": [[1, 0], [0, -1]]}, "Psi must be symmetric positive semidefinite, got smallest"),
    ({"H": [[1, 2], [0, 1]]}, r"H must be symmetric positive semidefinite, got entries"),
    ({"H": [[1, 0, 0], [0, 1, 0]]}, r"H must have shape \(d, d\), got \(2, 3\)"),
    ({"H": [[[1, 0], [0, 1]]]}, r"H must have shape \(d, d\)"),
    ({"Psi": [[1]]}, r"Psi must have shape \(2, 2\), got \(1, 1\)"),
    ({"beta_star": [1]}, r"beta_star must have shape \(2,\), got \(1,\)"),
    ({"noise_variance": -0.5}, "noise_variance must be >= 0, got -0.5"),
    ({"noise_variance": [1, 2]}, r"noise_variance must have shape \(\), got \(2,\)"),
    ({"length": 0}, "length must be an integer >= 1, got 0"),
    ({"length": 2.0}, r"length must be an integer >= 1, got 2.0"),
    ({"Psi": torch.eye(2)}, "must have one dtype, got torch.float32 and torch.float64"),
    ({"beta_star": torch.zeros(2, device="meta", dtype=DOUBLE)}, "must be on one device"),
    ({"H": [[1, 0], [0, float("nan")]]}, "H must be finite, got nan"),
    by=lambda change: Setting(**{**GOOD, **change}),
)


test_bad_draw = refuses(
    ((0,), "batch must be an integer >= 1, got 0"),
    ((1, 0), "length must be an integer >= 1, got 0"),
    by=lambda arguments: SINGULAR.sample(*arguments),
)
