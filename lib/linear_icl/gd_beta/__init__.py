"""GD-β: one step of gradient descent with a learned matrix step A and a learned start β.

The block paper writes Γ for A; H of the setting is the book's Λ.
"""

from ..settings import Setting
from .best import (
    Optimum,
    estimator,
    excess,
    gd_zero,
    optimum,
    risk,
)
from .landscape import Landscape
from .posterior import (
    bayes,
    bayes_excess,
    bayes_lower_bound,
    near_bayes_bounds,
    posterior_variance,
)

__all__ = ["Setting", "estimator", "risk", "excess", "Optimum", "optimum", "gd_zero"]
__all__ += ["Landscape", "bayes", "posterior_variance", "bayes_excess", "bayes_lower_bound"]
__all__ += ["near_bayes_bounds"]
