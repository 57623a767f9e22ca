"""The mutations. Add one with each formula: the error that a tired author would make."""

from __future__ import annotations

import re

from tests.mutations.runner import Mutation


def _change(name: str, what: str, where: str, old: str, new: str, test: str) -> Mutation:
    """Put `new` in place of the literal `old`; `test` is relative to tests/unit."""
    replacement = new.replace("\\", r"\\")
    return Mutation(name, what, where, re.escape(old), replacement, f"tests/unit/{test}")


LAYER = (
    _change(
        "gamma-factor",
        "Γ with Λ in place of (1 + 1/N)Λ",
        "lsa.py",
        "(1 + 1 / N) * Lambda +",
        "Lambda +",
        "test_lsa.py::test_gamma_by_hand_and_as_the_second_moment",
    ),
    _change(
        "gamma-length",
        "Γ with tr Λ/(N + 1) in place of tr Λ/N",
        "lsa.py",
        "trace / N * identity",
        "trace / (N + 1) * identity",
        "test_lsa.py::test_gamma_by_hand_and_as_the_second_moment",
    ),
    _change(
        "layer-normaliser",
        "attention divided by N + 1, the number of tokens, in place of N",
        "lsa.py",
        "self.W_KQ @ tokens / (tokens.shape[-1] - 1)",
        "self.W_KQ @ tokens / tokens.shape[-1]",
        "test_lsa.py::test_forward_predict_and_quadratic_form_agree",
    ),
    _change(
        "predict-normaliser",
        "the fast prediction divided by N + 1",
        "lsa.py",
        "+ itself) / x.shape[1]",
        "+ itself) / (x.shape[1] + 1)",
        "test_lsa.py::test_forward_predict_and_quadratic_form_agree",
    ),
    _change(
        "query-masked",
        "the fast prediction without the query's attention to itself, as in the second paper",
        "lsa.py",
        "((scores * values).sum(-1) + itself)",
        "(scores * values).sum(-1)",
        "test_lsa.py::test_forward_predict_and_quadratic_form_agree",
    ),
    _change(
        "quadratic-form-half",
        "H without its ½",
        "lsa.py",
        '"...ij,...kl->...ikjl", X, Z) / 2',
        '"...ij,...kl->...ikjl", X, Z)',
        "test_lsa.py::test_forward_predict_and_quadratic_form_agree",
    ),
    _change(
        "kronecker-order",
        "Z ⊗ X in place of X ⊗ Z",
        "lsa.py",
        '"...ij,...kl->...ikjl", X, Z)',
        '"...ij,...kl->...ikjl", Z, X)',
        "test_lsa.py::test_forward_predict_and_quadratic_form_agree",
    ),
    _change(
        "vec-row-order",
        "vec of Lemma 5.1 in row order",
        "lsa.py",
        "columns.mT.flatten(-2)",
        "columns.flatten(-2)",
        "test_lsa.py::test_vec_is_in_column_order",
    ),
    _change(
        "limit-split",
        "W_PV with g in place of √g",
        "lsa.py",
        "nn.functional.pad(g.sqrt()",
        "nn.functional.pad(g",
        "test_lsa.py::test_limit_weights_are_balanced_and_multiply_to_the_inverse",
    ),
    _change(
        "averaging-for-ols",
        "the normaliser of averaging, Xᵀy/N, in place of least squares",
        "estimators.py",
        "torch.linalg.pinv(x)",
        "x.mT / x.shape[1]",
        "test_estimators.py::test_without_noise_it_recovers_the_label",
    ),
    _change(
        "noise-deviation",
        "the noise variance taken for a standard deviation",
        "prompts.py",
        "self.noise_variance.sqrt()",
        "self.noise_variance",
        "test_prompts.py::test_moments_of_the_law",
    ),
    _change(
        "query-noise-free",
        "y_query without the label noise",
        "prompts.py",
        "(x_query * w).sum(-1) + noise[:, -1]",
        "(x_query * w).sum(-1)",
        "test_prompts.py::test_moments_of_the_law",
    ),
)

MOMENTS = (
    _change(
        "quartic-transpose",
        "Λ·2A·Λ in place of Λ(A + Aᵀ)Λ",
        "gaussian.py",
        "return Lambda @ (A + A.mT) @ Lambda +",
        "return Lambda @ (A + A) @ Lambda +",
        "test_gaussian.py::test_quartic_and_sextic_are_contractions_of_the_moment_tensors",
    ),
    _change(
        "sextic-pairings",
        "half of the pairings that cross, 4 of 15, forgotten",
        "gaussian.py",
        "+ 2 * (mixed + LB @ LA)",
        "+ (mixed + LB @ LA)",
        "test_gaussian.py::test_quartic_and_sextic_are_contractions_of_the_moment_tensors",
    ),
    _change(
        "sandwich-pairs",
        "N(N − 1) pairs with i ≠ j, and then ΛBΛ counted N² times: no 1/N on the transpose",
        "gaussian.py",
        "once = B.mT / N + B",
        "once = B.mT + B",
        "test_gaussian.py::test_wishart_moments_by_the_law_of_a_stacked_vector",
    ),
    _change(
        "sandwich-trace",
        "E[SBS] without the 1/N on the trace",
        "gaussian.py",
        "_trace(B, Lambda)[..., None, None] * Lambda / N",
        "_trace(B, Lambda)[..., None, None] * Lambda",
        "test_gaussian.py::test_second_moment_of_S_is_gamma_lambda",
    ),
    _change(
        "error-of-one-draw",
        "the deviation of one draw in place of the standard error of the mean",
        "montecarlo.py",
        "squares / (total - 1) / total",
        "squares / (total - 1)",
        "test_montecarlo.py::test_z_is_calibrated_and_has_power",
    ),
)

LANDSCAPES = (
    _change(
        "loss-half",
        "ℓ̃ without its ½",
        "landscape/fixed.py",
        "u * (u * curved / 2 - pulled)",
        "u * (u * curved - pulled)",
        "test_landscape_fixed.py::test_running_example_by_hand",
    ),
    _change(
        "gradient-sign",
        "the sign of the pull in U' turned",
        "landscape/fixed.py",
        "scale**2 * curved - scale * square",
        "scale**2 * curved + scale * square",
        "test_landscape_fixed.py::test_gradient_is_that_of_the_loss",
    ),
    _change(
        "minimum-half",
        "min ℓ̃ without its ½",
        "landscape/fixed.py",
        "torch.linalg.solve(self.gamma, square).diagonal().sum() / 2",
        "torch.linalg.solve(self.gamma, square).diagonal().sum()",
        "test_landscape_fixed.py::test_running_example_by_hand",
    ),
    _change(
        "gap-weight",
        "the gap without Γ under the norm",
        "landscape/fixed.py",
        "_symmetric(G @ self.covariance)",
        "_symmetric(self.covariance)",
        "test_landscape_fixed.py::test_gap_is_loss_above_minimum",
    ),
    _change(
        "unbalanced-limit",
        "D² + g² in place of D² + 4g² under the root",
        "landscape/fixed.py",
        "torch.hypot(D, 2 * g)",
        "torch.hypot(D, g)",
        "test_landscape_fixed.py::test_limits_of_all_balances",
    ),
    _change(
        "sigma-bound",
        "the bound on σ without √d",
        "landscape/fixed.py",
        "(2 / (math.sqrt(d) * _norm(self.gamma)))",
        "(2 / _norm(self.gamma))",
        "test_landscape_fixed.py::test_constants_refuse_a_sigma_above_their_bound",
    ),
    _change(
        "mu-factor",
        "μ of (5.7) twice too large",
        "landscape/fixed.py",
        "mu = 2 * self.u_lower_bound(Theta, sigma) ** 2",
        "mu = 4 * self.u_lower_bound(Theta, sigma) ** 2",
        "test_landscape_fixed.py::test_pl_constant_as_printed",
    ),
    _change(
        "mu-sharp-square",
        "the sharp μ with λ in place of λ²",
        "landscape/fixed.py",
        "smallest**2",
        "smallest",
        "test_landscape_fixed.py::test_sharp_pl_constant_by_hand",
    ),
    _change(
        "escape-rate",
        "escape at the rate ‖Λ‖_F in place of ‖Λ²‖_F",
        "landscape/fixed.py",
        "(grown / (sigma + along)).log() / p",
        "(grown / (sigma + along)).log() / p.sqrt()",
        "test_landscape_fixed.py::test_escape_time_isotropic",
    ),
    _change(
        "even-query",
        "E T_0² with half of the cross term with the query",
        "landscape/full.py",
        "linear + 2 / N * (p.mT @ Q @ a)",
        "linear + 1 / N * (p.mT @ Q @ a)",
        "test_landscape_full.py::test_exact_enumeration",
    ),
    _change(
        "even-fourth-moment",
        "E(wᵀSw)² as E(tr S)², without 2E tr S²",
        "landscape/full.py",
        "_trace(self._R) + 2 * _trace(self._second)",
        "_trace(self._R)",
        "test_landscape_full.py::test_exact_enumeration",
    ),
    _change(
        "full-gradient",
        "∂u_12 without the term E[x xᵀUx …]/N²",
        "landscape/full.py",
        "to_a = D @ c + (Z + X / N**2) @ a",
        "to_a = D @ c + Z @ a",
        "test_landscape_full.py::test_gradient_by_an_exact_stencil_and_by_autograd",
    ),
)

FLOW = (
    _change(
        "flow-sign",
        "ascent in place of descent, any landscape",
        "_radau.py",
        "return -self.pack(self.landscape.gradient(",
        "return self.pack(self.landscape.gradient(",
        "test_flow.py::test_spectral_equals_generic",
    ),
    _change(
        "flow-pull",
        "the reduced flow with its pull doubled",
        "_reduced.py",
        "* (h * self.p)[:, None]",
        "* (2 * h * self.p)[:, None]",
        "test_flow.py::test_residual_of_the_original_system",
    ),
    _change(
        "flow-balance",
        "the conserved u² − ‖U‖² with u² + ‖U‖² in its place",
        "_reduced.py",
        "known + (V + X)",
        "known - (V + X)",
        "test_flow.py::test_isotropic_closed_form",
    ),
)

COURSE = (
    _change(
        "receipt-any",
        "a receipt that is content with one entry",
        "course/receipts.py",
        "bool(np.all(self.excess(predicted) <= self.margin))",
        "bool(np.any(self.excess(predicted) <= self.margin))",
        "test_course_receipts.py::test_a_false_claim_raises_with_both_values_and_is_not_kept",
    ),
    _change(
        "receipt-blind",
        "a receipt that does not ask whether it could have failed",
        "course/receipts.py",
        "if not claim.can_fail():",
        "if False:",
        "test_course_receipts.py"
        "::test_a_check_that_cannot_fail_is_an_error_that_names_the_resolution",
    ),
    _change(
        "receipt-direction",
        "upper and lower bounds exchanged",
        "course/receipts.py",
        '-difference if self.relation == "<=" else difference',
        '-difference if self.relation == ">=" else difference',
        "test_course_receipts.py::test_directions_are_those_of_the_docstring",
    ),
    _change(
        "ledger-receipts",
        "a ledger that does not judge the recorded receipts again",
        "course/ledger.py",
        "elif not receipt.can_fail():",
        "elif False:",
        "test_course_ledger.py::test_each_gap_is_seen",
    ),
    _change(
        "figure-axes",
        "x and y of a curve exchanged",
        "figures.py",
        'ax.plot(xs, ys, color=look["color"], ls=look["ls"])',
        'ax.plot(ys, xs, color=look["color"], ls=look["ls"])',
        "test_figures.py::test_what_is_drawn_is_what_was_given",
    ),
)

MUTATIONS = (*LAYER, *MOMENTS, *LANDSCAPES, *FLOW, *COURSE)
