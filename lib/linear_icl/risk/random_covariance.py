"""The layer that was trained on a new diagonal covariance in each prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from .. import _checks
from .._lengths import Lengths, along, finite, lengths
from .._results import implements
from .._types import ArrayLike, Batch, Count


@runtime_checkable
class HasMoments(Protocol):
    """The law of a variance λ: a risk asks it for E λ, E λ² and E λ³ alone."""

    def moment(self, k: int) -> Any: ...


if TYPE_CHECKING:
    Law: TypeAlias = HasMoments
else:
    Law: TypeAlias = Any  # judged by `random_covariance_risk`


@implements("prp-random-risk")
def random_covariance_risk(
    law: Law,
    dim: Count,
    train_length: Lengths,
    test_length: Lengths,
    *,
    scale: ArrayLike = 1.0,
) -> Batch:
    """Risk of the layer trained on Λ = diag(λ_1 … λ_d), tested on cΛ, all λ_i drawn from ``law``.

    Training ends at A = κI with κ = Nm_2/((N+2)m_3 + (d-1)m_1m_2), and with m_k = E λᵏ

      risk = d { κ²c³[(M+2)m_3 + (d-1)m_1m_2]/M - 2κc²m_2 + cm_1 },

    a mean over Λ (a fresh one for each prompt, of context and query alike), w ~ N(0, I), context
    and query, without noise: divide by d for the figures of the paper.
    ``law`` has ``.moment(k)`` for k = 1, 2, 3; ``scale`` c > 0, (...). Shape (..., [len N],
    [len M]). For one given Λ use :func:`linear_risk` with ``preconditioner`` κI.
    Raises TypeError for a law without ``moment``, ValueError for improper numbers or moments that
    are not finite.
    Zhang, Frei & Bartlett (2024), Theorem 4.5 (v1) for the limit; the risk is derived here.
    """
    d, c = _checks.length("dim", dim), _checks.positive("scale", scale)
    fix = "write e.g. Exponential()"
    _checks.instance("law", law, HasMoments, noun="one with a method moment(k)", fix=fix)
    m_1, m_2, m_3 = (
        _checks.positive(f"law.moment({k})", law.moment(k), shape=(), like=("scale", c))
        for k in (1, 2, 3)
    )
    N, M = lengths("train_length", train_length, c), lengths("test_length", test_length, c)
    mixed = (d - 1) * m_1 * m_2
    kappa = along(N * m_2 / ((N + 2) * m_3 + mixed), M)
    c = along(along(c, N), M)
    curved = (kappa * c).square() * ((M + 2) * m_3 + mixed) / M
    return finite("risk", d * c * (curved - 2 * kappa * c * m_2 + m_1))
