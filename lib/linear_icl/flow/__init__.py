"""Gradient flow ẋ = −∇loss(x) of any landscape: one solver idea, collocation, in two forms.

A landscape that separates in a known basis (``spectral``) is reduced to one scalar function on the
clock τ = ∫u² dt, see :mod:`linear_icl.flow.spectral`; every other one is integrated as it stands
with Radau IIA, see :mod:`linear_icl.flow.radau`. Each has a function ``march``, which returns a
``Trajectory``, see :mod:`linear_icl.flow.places`. The package imports no landscape: what it asks of
one stands in :mod:`linear_icl.flow.protocol`.
"""

from .protocol import Landscape, Spectral, SpectralLandscape, State
from .solve import Flow, gradient_flow

__all__ = ["gradient_flow", "Flow", "Landscape", "Spectral", "SpectralLandscape", "State"]
