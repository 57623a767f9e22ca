"""Loss landscapes: exact population losses of the layer with gradients, minima and limits."""

from ..flow.protocol import Landscape, Spectral, SpectralLandscape, State
from .apart import KeysApart
from .fixed import FixedCovariance
from .full import FullParameters
from .noise import gradient_noise, noise_by_block
from .product import ProductLandscape

__all__ = [
    "FixedCovariance",
    "FullParameters",
    "KeysApart",
    "ProductLandscape",
    "Landscape",
    "Spectral",
    "SpectralLandscape",
    "State",
    "gradient_noise",
    "noise_by_block",
]
