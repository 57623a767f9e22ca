"""GD-β: one step of gradient descent with a learned matrix step Γ and a learned start β.

Γ is the block paper's letter for this step, which the book calls A; its H is the book's Λ.
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
from .blocks import SwappedBlock, is_best_block, swapped_block
from .landscape import Landscape
from .posterior import (
    bayes,
    bayes_excess,
    bayes_lower_bound,
    near_bayes_bounds,
    posterior_variance,
)

__all__ = ["Setting", "estimator", "risk", "excess", "Optimum", "optimum", "gd_zero"]
__all__ += ["is_best_block", "SwappedBlock", "swapped_block"]
__all__ += ["Landscape", "bayes", "posterior_variance", "bayes_excess", "bayes_lower_bound"]
__all__ += ["near_bayes_bounds"]
