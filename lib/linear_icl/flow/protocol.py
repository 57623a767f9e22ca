"""What the flow asks of a landscape."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from torch import Tensor

State: TypeAlias = tuple[Tensor, ...]
"""Parameters in the landscape's own order, tensors with the same leading batch axes."""


@runtime_checkable
class Landscape(Protocol):
    """A loss with its exact gradient: all that a gradient flow needs.

    A landscape that knows its minimum has ``gap(*state)`` too, the loss above it, shape (*batch).
    """

    @property
    def loss(self) -> Callable[..., Tensor]:
        """``loss(*state)``, shape (*batch); ValueError for a state of the wrong shapes."""
        ...

    @property
    def gradient(self) -> Callable[..., State]:
        """``gradient(*state)``, shaped like the state; the flow follows its negative."""
        ...


class Spectral(NamedTuple):
    """A landscape whose coordinates separate: with V = basisᵀ U basis

    loss(U, u) = ½ u² Σ_ij curvature_ij V_ij² − u Σ_i pull_i V_ii.
    """

    basis: Tensor  # (d, d), orthogonal
    curvature: Tensor  # (d, d), positive
    pull: Tensor  # (d,), positive


@runtime_checkable
class SpectralLandscape(Landscape, Protocol):
    """A landscape with state (U, u) that is diagonal in a known basis."""

    def spectral(self) -> Spectral:
        """Basis, curvatures and pulls."""
        ...
