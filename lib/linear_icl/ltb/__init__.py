"""The linear transformer block of chapter 6, and what attention alone cannot do.

Zhang, Wu & Bartlett (2024) compare f_LTB = [W_2ᵀW_1(E + W_PᵀW_V E Mask EᵀW_KᵀW_QE/M)]_{-1,-1} with
its special case W_2ᵀW_1 = I, linear self-attention, on tasks that share a mean β*.

A block is what reaches its prediction, :class:`Reduced`, in the book's letters; H of the setting is
the book's Λ. A bar means, as there, the same block for centred labels: r̄ = r - β*,
ū₁₂ = u₁₂ + uβ*, Ū = U + β*u₂₁ᵀ.
"""

from ..settings import Setting
from .attention import LSAInfimum, lsa_infimum
from .best import SwappedBlock, is_best_block, swapped_block
from .block import LinearTransformerBlock, Reduced, reduced, weights_for_gd_beta
from .bounds import (
    MeanForm,
    extremal,
    extremal_gap,
    gap_lower_bound,
    large_start_bounds,
    mean_form,
    no_mixing_gap,
)
from .population import Excess, excess, infimum, risk

__all__ = ["Setting", "LinearTransformerBlock", "Reduced", "reduced", "weights_for_gd_beta"]
__all__ += ["risk", "Excess", "excess", "infimum", "LSAInfimum", "lsa_infimum"]
__all__ += ["MeanForm", "mean_form", "gap_lower_bound", "no_mixing_gap", "large_start_bounds"]
__all__ += ["extremal", "extremal_gap", "is_best_block", "SwappedBlock", "swapped_block"]
