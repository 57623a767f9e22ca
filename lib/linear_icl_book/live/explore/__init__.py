"""Figures that compute in the page: their arithmetic is kernel.js, compared with the package."""

from .explorable import Explorable
from .step_plane import StepPlane

__all__ = ["Explorable", "StepPlane"]
