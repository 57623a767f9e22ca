"""Loss landscapes: exact population losses of the layer with gradients, minima and limits."""

from .fixed import FixedCovariance
from .full import FullParameters
from .protocol import Landscape, Spectral, SpectralLandscape, State

__all__ = [
    "FixedCovariance",
    "FullParameters",
    "Landscape",
    "Spectral",
    "SpectralLandscape",
    "State",
]
