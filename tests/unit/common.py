"""What many unit tests share: seeded generators, random problems, tables of refused input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from linear_icl.landscape import FixedCovariance
from linear_icl.montecarlo import estimate
from linear_icl.settings import Setting
from torch import Tensor
from torch.testing import assert_close

DOUBLE = torch.float64


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def double(values: Any) -> Tensor:
    return torch.tensor(values, dtype=DOUBLE)


def eye(d: int) -> Tensor:
    return torch.eye(d, dtype=DOUBLE)


def random(*shape: int, seed: int = 0) -> Tensor:
    """Independent standard normal numbers."""
    return torch.randn(shape, dtype=DOUBLE, generator=seeded(seed))


def random_state(d: int, *batch: int, seed: int = 1) -> tuple[Tensor, Tensor]:
    """(U, u), shapes (*batch, d, d) and (*batch,)."""
    return random(*batch, d, d, seed=seed), random(*batch, seed=seed + 1)


def theta(d: int, *batch: int, seed: int = 2) -> Tensor:
    """Θ (*batch, d, d) with ‖ΘΘᵀ‖_F = 1."""
    M = random(*batch, d, d, seed=seed)
    scale: Tensor = torch.linalg.matrix_norm(M @ M.mT, keepdim=True) ** 0.5
    return M / scale


def same_landscape(ours: Any, theirs: Any, *, rtol: float = 1e-11) -> None:
    """All that two landscapes of a product know."""
    d = ours.dim
    both = isinstance(ours, FixedCovariance) and isinstance(theirs, FixedCovariance)
    sharp = (False, True) if both else (True,)
    state, Theta = random_state(d, 4), theta(d, 3)
    sigma = [0.5 * float(ours.sigma_max(Theta, sharp=kind).min()) for kind in sharp]

    def known(own: Any) -> Iterator[Tensor]:
        yield from (own.pull, own.target, own.minimum, own.constant)
        yield from (own.loss(*state), own.gap(*state), *own.gradient(*state))
        yield from (*own.limit([-1.0, 2.0]), own.escape_time(0.01, Theta))
        for kind, size in zip(sharp, sigma, strict=True):
            yield own.sigma_max(Theta, sharp=kind)
            yield own.u_lower_bound(size, Theta, sharp=kind)
            yield own.pl_constant(size, Theta, sharp=kind)

    for one, other in zip(known(ours), known(theirs), strict=True):
        assert_close(one, other, rtol=rtol, atol=rtol / 10)


class Generic:
    """A landscape without its reduction: its flow takes the generic form."""

    def __init__(self, inner: Any) -> None:
        self.loss, self.gradient, self.gap = inner.loss, inner.gradient, inner.gap
        self.minimum, self.inner = inner.minimum, inner


def setting(d: int = 3, rank: int = 3, task: int = 3, seed: int = 0, **changes: Any) -> Setting:
    """H of this rank and Ψ of rank ``task``, both turned at random; σ² = 0.4, M = 5."""
    left, right = random(d, rank, seed=seed), random(d, task, seed=seed + 50)
    own = Setting(left @ left.mT / d, right @ right.mT / d, random(d, seed=seed + 99), 0.4, 5)
    return own.replace(**changes)


def agrees(
    draw: Callable[[int, torch.Generator], Tensor],
    value: Any,
    level: float,
    *,
    count: int,
    batch: int = 50_000,
    seed: int = 1,
    off: float | None = 1.03,
) -> None:
    """The mean of draws is within ``level`` standard errors of the value, not of ``off`` times it.

    ``off`` None is for a value of 0 and for a power that another test shows.
    """
    found = estimate(draw, count=count, batch=batch, generator=seeded(seed))
    assert abs(found.z(value)) < level
    assert off is None or abs(found.z(off * value)) > level


def refuses(
    *rows: tuple[Any, str],
    by: Callable[[Any], object] = lambda call: call(),
    error: type[Exception] = ValueError,
) -> Callable[[Any, str], None]:
    """A test of pairs (input, message): ``by(input)`` raises this error with that message.

    Without ``by`` the inputs are calls without arguments.
    """

    def test(given: Any, message: str) -> None:
        with pytest.raises(error, match=message):
            by(given)

    marked: Callable[[Any, str], None] = pytest.mark.parametrize(("given", "message"), rows)(test)
    return marked
