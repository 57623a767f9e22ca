"""The landscape of a covariance that every prompt draws anew: what its laws share."""

from __future__ import annotations

from .._results import implements
from ..landscape.product import ProductLandscape


@implements(
    loss="lem-rc-loss",
    gradient="lem-rc-dynamics",
    minimum="cor-rc-minimum",
    gap="cor-rc-minimum",
    limit="thm-random-limit",
    u_lower_bound="lem-rc-u-sharp",
    pl_constant="lem-rc-pl",
)
class RandomCovariance(ProductLandscape):
    """The :class:`linear_icl.landscape.ProductLandscape` of one covariance Λ a prompt.

    The base of :class:`DiagonalCovariance`, :class:`RotatedCovariance` and
    :class:`MixtureCovariance`, which know 𝒜 and P exactly.

    In Zhang, Frei & Bartlett (2024), v1:
        loss: (4.9) and Lemma C.3, (C.5); gradient: minus (C.1) and (C.4).
        minimum, gap: Lemma C.4, (C.6) and (C.7).
        limit: Theorem 4.5 and (C.17) (JMLR 8); (C.15) prints ξ_i/γ_i for ξ_i²/γ_i² in u. For
            diagonal and rotated laws every balanced start with u > 0 and U positive semidefinite
            ends there (U_ii >= 0, or tr U >= 0, stays so and grows near the origin).
        pl_constant: Lemma C.8, (C.13), with η the smallest of γ_i and ζ_ij for a diagonal law, and
            twice the factor, as its proof allows. The bounds of Lemmas C.6 and C.7 need E‖Γ‖_op,
            no function of moments, and are smaller: ``sharp`` must be True.
    """
