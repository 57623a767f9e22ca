"""One covariance a prompt, drawn from a law: the landscapes of chapter 5 and their prompts."""

from ._landscape import RandomCovariance
from ._law import Law
from .diagonal import DiagonalCovariance, RotatedCovariance
from .laws import Constant, Exponential, Gamma, LogNormal, Moments, Uniform
from .mixture import MixtureCovariance
from .sampling import RandomCovariancePrompts

__all__ = ["DiagonalCovariance", "RotatedCovariance", "MixtureCovariance", "RandomCovariance"]
__all__ += ["RandomCovariancePrompts"]
__all__ += ["Law", "Exponential", "Gamma", "Uniform", "LogNormal", "Constant", "Moments"]
