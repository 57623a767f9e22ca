"""A finite mixture of any covariances, drawn covariances, and what training settles at."""

import math
from typing import Any

import pytest
import torch
from linear_icl.landscape import FixedCovariance
from linear_icl.lsa import LinearSelfAttention
from linear_icl.montecarlo import estimate
from linear_icl.prompts import GaussianPrompts, Prompts
from linear_icl.random_covariance import (
    Exponential,
    Gamma,
    MixtureCovariance,
    Moments,
    RandomCovariancePrompts,
    RotatedCovariance,
    Uniform,
)
from linear_icl.risk import linear_risk
from linear_icl.training import fit
from torch import Tensor
from torch.testing import assert_close

from tests.unit.common import (
    DOUBLE,
    double,
    eye,
    random,
    random_state,
    refuses,
    same_landscape,
    seeded,
)

#: Two that do not commute, in fractions: Γ_kΛ_k and all that follows can be done by hand.
ATOMS = double([[[3, 0], [0, 0.2]], [[0.5, 0.4], [0.4, 0.5]]])
PAIR = MixtureCovariance(ATOMS, length=8)


def atoms(K: int, d: int, seed: int = 0) -> Tensor:
    R = random(K, d, d, seed=seed)
    return R @ R.mT / d + 0.2 * eye(d)


MIXTURE = MixtureCovariance(atoms(4, 3), [0.1, 0.2, 0.3, 0.4], length=6)


# -- the landscape -------------------------------------------------------------------------------


def test_the_constant_makes_the_loss_half_a_mean_of_risks() -> None:
    """Each atom's exact risk, which knows nothing of the loss, at A = uU."""
    U, u = random_state(3, 5)
    A = u[:, None, None] * U
    risks = torch.stack(
        [linear_risk(Lambda, None, 6, preconditioner=A) for Lambda in MIXTURE.covariances], -1
    )
    half = risks @ double([0.1, 0.2, 0.3, 0.4]) / 2
    assert_close(MIXTURE.loss(U, u) + MIXTURE.constant, half, rtol=1e-12, atol=0)


def test_two_atoms_by_hand() -> None:
    """Λ = diag(2, 1) or [[1, 1/2], [1/2, 1]] with N = 1: Γ = 2Λ + tr Λ I."""
    mixture = MixtureCovariance([[[2, 0], [0, 1]], [[1, 0.5], [0.5, 1]]], length=1)
    # ½(diag(4, 1) + [[5/4, 1], [1, 5/4]])
    assert mixture.pull.tolist() == [[21 / 8, 1 / 2], [1 / 2, 9 / 8]]
    # At U = E_12: ΓΛE_12Λ = (ΓΛ)_·1 Λ_2·; ΓΛ = diag(14, 5) and [[9/2, 3], [3, 9/2]]
    U = [[0, 1], [0, 0]]
    curved = double([[9 / 8, 37 / 4], [3 / 4, 3 / 2]])
    by_U, by_u = mixture.gradient(U, 1)
    assert_close(by_U + mixture.pull, curved, rtol=1e-15, atol=0)
    assert float(by_u) == 37 / 4 - 1 / 2
    assert float(mixture.loss(U, 2)) == 2 * 37 / 4 - 2 / 2


def test_loss_is_the_mean_of_its_atoms() -> None:
    state = random_state(3, 5)
    each = [FixedCovariance(Lambda, 6) for Lambda in MIXTURE.covariances]
    for name in ("loss", "gradient"):
        values = [getattr(fixed, name)(*state) for fixed in each]
        ours = getattr(MIXTURE, name)(*state)
        for k in range(len(ours) if name == "gradient" else 1):
            parts = [value[k] if name == "gradient" else value for value in values]
            mean = sum(p * part for p, part in zip(MIXTURE.weights, parts, strict=True))
            own = ours[k] if name == "gradient" else ours
            assert_close(own, mean, rtol=1e-12, atol=1e-12)


def test_one_atom_is_one_covariance() -> None:
    Lambda = atoms(1, 3)
    fixed = FixedCovariance(Lambda[0], 7)
    same_landscape(MixtureCovariance(Lambda, length=7), fixed, rtol=1e-12)
    assert_close(fixed.target, torch.linalg.inv(fixed.Gamma), rtol=1e-12, atol=1e-13)


def test_operator_acts_on_columns() -> None:
    (U, _), d = random_state(3), 3
    columns = MIXTURE.operator @ U.mT.reshape(-1)
    curved = sum(
        p * FixedCovariance(L, 6).Gamma @ L @ U @ L
        for p, L in zip(MIXTURE.weights, MIXTURE.covariances, strict=True)
    )
    assert_close(columns.reshape(d, d).mT, curved, rtol=1e-13, atol=1e-13)
    assert torch.equal(MIXTURE.operator, MIXTURE.operator.mT)


def test_minimiser_need_not_be_symmetric() -> None:
    """With one covariance, or diagonal ones, or rotated ones it is; here P_21 > 0 > P_12."""
    assert PAIR.target[1, 0] > 0.09
    assert -0.002 < PAIR.target[0, 1] < 0


def test_turning_all_atoms_turns_the_minimiser() -> None:
    Q = torch.linalg.qr(random_state(3, seed=8)[0])[0]
    turned = Q @ MIXTURE.covariances @ Q.mT
    other = MixtureCovariance((turned + turned.mT) / 2, MIXTURE.weights, length=6)
    assert_close(other.target, Q @ MIXTURE.target @ Q.mT, rtol=1e-11, atol=1e-11)
    assert_close(other.minimum, MIXTURE.minimum, rtol=1e-12, atol=0)


# -- prompts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompts",
    [
        RandomCovariancePrompts([Gamma(2), Uniform(0, 1)], 2, noise_variance=0.3),
        RandomCovariancePrompts(Exponential(), 2, rotated=True, scale=4.0),
    ],
)
def test_prompts_have_one_task_and_one_covariance_each(prompts: Any) -> None:
    """Given Λ the covariates are N(0, Λ): whitened, they and the residuals are standard normal."""
    B, N = 4000, 6
    x, y, x_query, y_query = prompts.sample(B, N, generator=seeded(3))
    Lambda = prompts.sample_covariance(B, generator=seeded(3))
    assert (x.shape, y.shape, x_query.shape, y_query.shape) == ((B, N, 2), (B, N), (B, 2), (B,))
    every = torch.cat([x, x_query[:, None]], 1)
    white = torch.linalg.solve_triangular(torch.linalg.cholesky(Lambda), every.mT, upper=False)
    second = white @ white.mT / (N + 1)  # mean I, variances (2, 1)/(N + 1)
    z = (second.mean(0) - torch.eye(2)) * math.sqrt(B * (N + 1))
    assert (z.abs() < 3.6 * torch.tensor([[2**0.5, 1], [1, 2**0.5]])).all()
    labels = torch.cat([y, y_query[:, None]], 1)
    if prompts.noise_variance == 0:
        w = torch.linalg.lstsq(every, labels[..., None]).solution
        assert_close((every @ w)[..., 0], labels, rtol=1e-6, atol=1e-6)
        w = w[..., 0]
        assert abs(float((w.square().sum(-1).mean() - 2) * math.sqrt(B) / 2)) < 3.3
    else:  # the residual of least squares has N + 1 - 2 degrees of freedom
        w = torch.linalg.lstsq(every, labels[..., None]).solution
        left = (labels - (every @ w)[..., 0]).square().sum(-1) / 0.3
        assert abs(float((left.mean() - (N - 1)) * math.sqrt(B / (2 * (N - 1))))) < 3.3


def test_rotated_axes_are_uniform() -> None:
    """E q_1⁴ = 3/(d(d+2)) for a column of Haar Q, and for Q diag(1, 0, …) Qᵀ so is E Λ_11²."""
    laws = [Uniform(1, 1 + 1e-12), *[Uniform(0, 1e-12)] * 3]
    turned = RandomCovariancePrompts(laws, 4, rotated=True)
    for i in range(4):

        def draw(n: int, g: torch.Generator, i: int = i) -> Tensor:
            return turned.sample_covariance(n, generator=g)[:, i, i] ** 2

        found = estimate(draw, count=50_000, batch=50_000, generator=seeded(i))
        assert abs(found.z(3 / 24)) < 3.6
        assert abs(found.z(1.03 * 3 / 24)) > 3


def test_scale_multiplies_the_covariance_under_one_seed() -> None:
    for rotated in (False, True):
        plain = RandomCovariancePrompts(Exponential(), 3, rotated=rotated)
        scaled = RandomCovariancePrompts(Exponential(), 3, rotated=rotated, scale=4.0)
        Lambda, larger = (p.sample_covariance(5, generator=seeded(2)) for p in (plain, scaled))
        assert_close(larger, 4 * Lambda, rtol=1e-13, atol=1e-13)
        first, second = (p.sample(5, 4, generator=seeded(2)) for p in (plain, scaled))
        for a, b in zip(first, second, strict=True):
            assert_close(b, 2 * a, rtol=1e-13, atol=1e-13)
        off = ~torch.eye(3, dtype=torch.bool)
        assert (Lambda[:, off] != 0).all() == rotated


# -- what training finds -------------------------------------------------------------------------


def trained(draw: Any) -> tuple[Tensor, Tensor]:
    """U and u of a layer after 120 steps of Adam on fresh prompts, from W_KQ = I/2, u = 1/√2."""
    W_KQ, W_PV = torch.zeros(2, 3, 3, dtype=DOUBLE)
    W_KQ[:2, :2], W_PV[2, 2] = torch.eye(2) / 2, 0.5**0.5
    layer = LinearSelfAttention(W_KQ, W_PV)

    def loss(module: Any, sample: Prompts) -> Tensor:
        error: Tensor = module.predict(sample) - sample.y_query
        return error.square().mean() / 2

    fit(
        layer,
        draw,
        loss,
        steps=120,
        generator=seeded(1),
        learning_rate=lambda step: 0.05 * (1 - step / 120),
    )
    return layer.W_KQ[:2, :2].detach(), layer.W_PV[2, 2].detach()


def test_training_settles_at_the_mixture_minimum() -> None:
    """Closer to P than are its symmetric part and the minimiser for the mean covariance."""

    def draw(g: torch.Generator) -> Prompts:
        halves = [GaussianPrompts(Lambda).sample(1024, 8, generator=g) for Lambda in ATOMS]
        return Prompts(*map(torch.cat, zip(*halves, strict=True)))

    gap = float(PAIR.gap(*trained(draw)))
    P, one = PAIR.target, double(1.0)
    mean = torch.linalg.inv(FixedCovariance(ATOMS.mean(0), 8).Gamma)
    others = [float(PAIR.gap(U, one)) for U in ((P + P.mT) / 2, mean)]
    assert gap < 0.1 * min(others)  # 1e-4 of |min|; the noise of the last steps


def test_training_on_rotated_prompts_settles_at_kappa() -> None:
    rotated = RotatedCovariance(Exponential(), 2, 8)
    law = RandomCovariancePrompts(Exponential(), 2, rotated=True)
    U, u = trained(lambda g: law.sample(2048, 8, generator=g))
    gap = float(rotated.gap(U, u))
    one, identity = double(1.0), eye(2)
    infinite = float(rotated.gap(identity / 3, one))  # the shrinkage of N = ∞
    assert gap < 0.1 * infinite


# -- entry ---------------------------------------------------------------------------------------


def test_repr() -> None:
    assert repr(PAIR) == "MixtureCovariance(K=2, d=2, length=8)"
    noisy_law = RandomCovariancePrompts(Exponential(), 2, noise_variance=2)
    assert "(diagonal, d=2, noise_variance=2, dtype" in repr(noisy_law)
    turned = RandomCovariancePrompts(Exponential(torch.tensor(1.0)), 2, rotated=True)
    assert repr(turned) == "RandomCovariancePrompts(rotated, d=2, dtype=torch.float32)"


DRAWN = RandomCovariancePrompts(Exponential(), 2)
test_bad_input = refuses(
    (lambda: MixtureCovariance(ATOMS[0], length=8), r"covariances must have shape \(K, d,"),
    (lambda: MixtureCovariance([[[1, 2], [2, 1]]], length=8), "smallest eigenvalue -1"),
    (lambda: MixtureCovariance(ATOMS[:0], length=8), "covariances must hold at least one"),
    (lambda: MixtureCovariance(ATOMS, [1], length=8), r"weights must have shape \(2,\), got"),
    (lambda: MixtureCovariance(ATOMS, [1, 0], length=8), "weights must be > 0, got 0"),
    (lambda: MixtureCovariance(ATOMS, [1, 2], length=8), "weights must sum to 1, got 3; div"),
    (lambda: MixtureCovariance(ATOMS, length=0), "length must be an integer >= 1, got 0"),
    (
        lambda: PAIR.u_lower_bound(9.0, [[1, 0], [0, 0]], sharp=True),
        r"got 9; neither convergence nor this bound is proved there: take a smaller sigma",
    ),
    (lambda: PAIR.loss([[1]], 1), r"U must have shape \(..., 2, 2\)"),
    (lambda: RandomCovariancePrompts(Exponential(), 2, scale=0.0), "scale must be > 0, got 0"),
    (
        lambda: RandomCovariancePrompts(Exponential(), 2, noise_variance=-1.0),
        "noise_variance must be >= 0, got -1",
    ),
    (lambda: RandomCovariancePrompts(Moments(1, 2, 6), 2).sample(3, 4), "can be sampled"),
    (lambda: DRAWN.sample(0, 4), "batch must be an integer >= 1, got 0"),
    (lambda: DRAWN.sample(3, 0), "length must be an integer >= 1, got 0"),
    (lambda: DRAWN.sample_covariance(0), "batch must be an integer >= 1"),
)
