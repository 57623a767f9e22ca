"""Exact prediction risk: what a trained layer, or any one-step learner, loses on any prompt.

With S = (1/M) Σ x_i x_iᵀ of the M examples of a test prompt, the layer predicts wᵀSAx_q plus what
the noise adds, where A = Γ⁻¹ and Γ = (1 + 1/N)Λ + (tr Λ/N) I remembers the training. Everything
here is a second moment of that, so E[SBS] = (1 + 1/M)ΛBΛ + tr(BΛ)Λ/M is all it takes: no risk
needs sampling. Risks carry no factor 1/2; two losses of chapter 3 are one risk.

N is the training length and M the test length. Each may be one integer or a list of them; lists
add axes at the end of the result, N before M.
"""

from .bounds import averaged_bound, context_lengths
from .least_squares import ols_risk
from .linear import RiskCurve, linear_risk, risk_curve
from .prediction import Risk, prediction_risk
from .random_covariance import random_covariance_risk

__all__ = ["Risk", "prediction_risk", "RiskCurve", "risk_curve", "linear_risk", "ols_risk"]
__all__ += ["averaged_bound", "context_lengths", "random_covariance_risk"]
