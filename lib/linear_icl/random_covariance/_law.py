"""What a law of an eigenvalue must know, and what follows from its first three moments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .. import _checks
from .._results import implements
from .._types import Batch, Count, Generator

if TYPE_CHECKING:
    Sizes = Count | tuple[int, ...]
else:
    Sizes = Any  # judged by `_sizes`

LIGHTER = "the theorem needs the third moment: take a lighter tail, or a smaller scale"


@implements("def-laws")
class Law(ABC):
    """A positive random number λ with a finite third moment: the base of the six laws below.

    A law of one's own defines ``moment``, and ``_draw(shape, generator)`` to be sampled. The
    parameters of the six are scalars, or arrays of one shape (...) for many laws at once, whose
    moments then have that shape. Python numbers become float64; the parameters' dtype and device
    are those of all that is computed from the law.
    Zhang, Frei & Bartlett (2024), Section 4.3: the conditions of Theorem 4.5 (v1).
    """

    @abstractmethod
    def moment(self, k: Count) -> Batch:
        """E λᵏ, exact, shape (...), for an integer k >= 1. Raises ValueError for other k."""

    def _draw(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        raise ValueError(
            f"law must be one that can be sampled, got {self!r}; moments do not determine a law: "
            f"choose one of the others"
        )

    def sample(self, shape: Sizes, *, generator: Generator | None = None) -> Batch:
        """Independent draws of this shape, an integer or a tuple; the parameters must be scalars.

        Raises ValueError for other shapes, array parameters, a generator on another device, or
        :class:`Moments`.
        """
        sizes = _sizes(shape)
        one = scalar(self, self.moment(1))
        return self._draw(sizes, _checks.generator("generator", generator, one.device))

    @implements("prp-shrinkage")
    def shrinkage(self, dim: Count | None = None, length: Count | None = None) -> Batch:
        """What the trained layer's mean prediction is multiplied by, shape (...).

        m_1m_2/m_3 for infinite training prompts; with ``dim`` d and ``length`` N

          m_1ξ/γ = m_1m_2 / ((1 + 2/N) m_3 + (d - 1) m_1m_2/N),

        as E Λ ξ/γ = shrinkage I multiplies w for d independent eigenvalues of this law. It is at
        most 1, and 1 only for the constant: (E λ²)² <= E λ E λ³ and (E λ)² <= E λ².
        Raises ValueError for one of d and N without the other, or moments of no positive law.
        Zhang, Frei & Bartlett (2024), after (4.12) (v1), where it is 1/3 for the exponential law.
        """
        m1, m2, m3 = moments(self)
        if (dim is None) != (length is None):
            raise ValueError(
                f"dim and length must be given together, got dim={dim!r}, length={length!r}; "
                f"give neither for infinite training prompts"
            )
        if dim is None or length is None:
            return m1 * m2 / m3
        d, N = _checks.length("dim", dim), _checks.length("length", length)
        return m1 * m2 / ((1 + 2 / N) * m3 + (d - 1) / N * m1 * m2)


def moments(law: Any) -> tuple[Tensor, Tensor, Tensor]:
    """E λ, E λ², E λ³, shape (...) each, or a ValueError if no positive law has them."""
    known = "one of Exponential, Gamma, Uniform, LogNormal, Constant and Moments"
    _checks.instance("law", law, Law, noun=known, fix="write e.g. Exponential()")
    m1, m2, m3 = (law.moment(k) for k in (1, 2, 3))
    if not _checks.readable(m1):
        return m1, m2, m3
    slack = 1 + 16 * torch.finfo(m1.dtype).eps  # the rounding of products of moments
    for k, m in enumerate((m1, m2, m3), start=1):
        if not torch.isfinite(m).all():
            raise ValueError(
                f"law must have a finite moment of order {k}, got {short(m)}; {LIGHTER}"
            )
    possible = (m1 > 0) & (m1**2 <= m2 * slack) & (m2**2 <= m1 * m3 * slack)
    if not possible.all():
        raise ValueError(
            f"law must be positive, m1 > 0, m2 >= m1², m1 m3 >= m2², got {short(m1)}, "
            f"{short(m2)}, {short(m3)}; are these moments about the mean?"
        )
    return m1, m2, m3


def _sizes(shape: Any) -> tuple[int, ...]:
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(_checks.length("shape", size) for size in sizes)


def scalar(law: Law, value: Tensor) -> Tensor:
    if value.ndim:
        raise ValueError(
            f"law must have scalar parameters, got {law!r} of shape {tuple(value.shape)}; "
            f"for coordinates of different laws pass a list of laws"
        )
    return value


def short(value: Tensor) -> str:
    """A parameter in a message: its number, or its shape if it has many."""
    if value.ndim or not _checks.readable(value):
        return f"<{tuple(value.shape)}>"
    return f"{value.item():.6g}"
