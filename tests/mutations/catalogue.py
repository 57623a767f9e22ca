"""The mutations. Add one with each formula: the error that a tired author would make."""

from __future__ import annotations

from tests.mutations.catalogue_blocks import GD_BETA, LTB
from tests.mutations.catalogue_nonlinear import NONLINEAR
from tests.mutations.catalogue_random import RANDOM_COVARIANCE, RISK
from tests.mutations.catalogue_text import TEXT
from tests.mutations.runner import BOOK, EXTENSIONS, patches

LAYER = patches(
    r"""
gamma-factor: Γ with Λ in place of (1 + 1/N)Λ
_kernels.py test_lsa.py::test_gamma_by_hand_and_as_the_second_moment
- summed = Lambda +
+ summed =

gamma-length: Γ with tr Λ/(N + 1) in place of tr Λ/N
_kernels.py test_lsa.py::test_gamma_by_hand_and_as_the_second_moment
- trace(Lambda)[..., None, None] * identity
+ trace(Lambda)[..., None, None] * identity * N / (N + 1)

layer-normaliser: attention divided by N + 1, the number of tokens, in place of N
_layers.py test_lsa.py::test_forward_predict_and_quadratic_form_agree
- read @ read.mT / (E.shape[-1] - 1)
+ read @ read.mT / E.shape[-1]

predict-normaliser: the fast prediction divided by N + 1
_layers.py test_lsa.py::test_forward_predict_and_quadratic_form_agree
- return (scores * (x @ v + c * y)).mean(-1)
+ return (scores * (x @ v + c * y)).sum(-1) / (x.shape[1] + 1)

query-masked: the fast prediction without the query's attention to itself, as in the second paper
lsa.py test_lsa.py::test_forward_predict_and_quadratic_form_agree
- u_12, u) + itself / N
+ u_12, u)

quadratic-form-half: H without its ½
lsa.py test_lsa.py::test_forward_predict_and_quadratic_form_agree
- "...ij,...kl->...ikjl", X, Z) / 2
+ "...ij,...kl->...ikjl", X, Z)

kronecker-order: Z ⊗ X in place of X ⊗ Z
lsa.py test_lsa.py::test_forward_predict_and_quadratic_form_agree
- "...ij,...kl->...ikjl", X, Z)
+ "...ij,...kl->...ikjl", Z, X)

vec-row-order: vec of Lemma 5.1 in row order
lsa.py test_lsa.py::test_vec_is_in_column_order
- columns.mT.flatten(-2)
+ columns.flatten(-2)

limit-split: W_PV with g in place of √g
lsa.py test_lsa.py::test_limit_weights_are_balanced_and_multiply_to_the_inverse
- nn.functional.pad(g.sqrt()
+ nn.functional.pad(g

averaging-for-ols: the normaliser of averaging, Xᵀy/N, in place of least squares
estimators.py test_estimators.py::test_without_noise_it_recovers_the_label
- torch.linalg.pinv(x)
+ x.mT / x.shape[1]

noise-deviation: the noise variance taken for a standard deviation
prompts.py test_prompts.py::test_moments_of_the_law
- self.noise_variance**0.5 * normal(B, N + 1)
+ self.noise_variance * normal(B, N + 1)

query-noise-free: y_query without the label noise
prompts.py test_prompts.py::test_moments_of_the_law
- y[:, :-1], x[:, -1], y[:, -1])
+ y[:, :-1], x[:, -1], times(x[:, -1:], w)[:, 0])
"""
)

MOMENTS = patches(
    r"""
quartic-transpose: Λ·2A·Λ in place of Λ(A + Aᵀ)Λ
_kernels.py test_gaussian.py::test_quartic_and_sextic_are_contractions_of_the_moment_tensors
- return Lambda @ (A + A.mT) @ Lambda +
+ return Lambda @ (A + A) @ Lambda +

sextic-pairings: half of the pairings that cross, 4 of 15, forgotten
_kernels.py test_gaussian.py::test_quartic_and_sextic_are_contractions_of_the_moment_tensors
- + 2 * (mixed + LB @ LA)
+ + (mixed + LB @ LA)

sandwich-pairs: N(N − 1) pairs with i ≠ j, and then ΛBΛ counted N² times: no 1/N on the transpose
_kernels.py test_gaussian.py::test_wishart_moments_by_the_law_of_a_stacked_vector
- once = B.mT / N + B
+ once = B.mT + B

sandwich-trace: E[SBS] without the 1/N on the trace
_kernels.py test_gaussian.py::test_second_moment_of_S_is_gamma_lambda
- trace(B, Lambda)[..., None, None] * Lambda / N
+ trace(B, Lambda)[..., None, None] * Lambda

error-of-one-draw: the deviation of one draw in place of the standard error of the mean
montecarlo.py test_montecarlo.py::test_z_is_calibrated_and_has_power
- squares / (total - 1) / total
+ squares / (total - 1)
"""
)

LANDSCAPES = patches(
    r"""
loss-half: ℓ̃ without its ½
landscape/product.py test_fixed.py::test_running_example_by_hand
- u * (u * inner(U, self._curved(U)) / 2 - inner(self.pull, U))
+ u * (u * inner(U, self._curved(U)) - inner(self.pull, U))

gradient-sign: the sign of the pull in U' turned
landscape/product.py test_product.py::test_gradient_is_that_of_the_loss
- scale**2 * curved - scale * pull
+ scale**2 * curved + scale * pull

minimum-half: min ℓ̃ without its ½
landscape/product.py test_fixed.py::test_running_example_by_hand
- -inner(self.pull, self.target) / 2
+ -inner(self.pull, self.target)

constant-half: ½ tr Λ, what ℓ̃ leaves out, without its ½
landscape/product.py test_fixed.py::test_the_constant_makes_the_loss_half_a_risk
- self._mean().diagonal().sum() / 2
+ self._mean().diagonal().sum()

gap-weight: the gap without Γ under the norm
landscape/fixed.py test_product.py::test_gap_is_loss_above_minimum
- second = self.Gamma @ self.covariance
+ second = self.covariance

sharpness-edge: the sharpness with λ/γ in place of λ/√γ
landscape/fixed.py test_fixed.py::test_the_sharpness_is_the_largest_eigenvalue_of_the_hessian
- edge = values / self._gammas.sqrt()
+ edge = values / self._gammas

keys-apart-order: the gradient in W_K with W_K in place of W_Q
landscape/apart.py test_apart.py::test_the_gradient_is_that_of_the_loss
- return W_Q @ by_U.mT
+ return W_K @ by_U.mT

plain-steps-weight: the gradient of plain steps without the variance under the sum
deep.py test_deep.py::test_plain_steps_by_hand
- (self.at * self.mass)
+ self.mass

unbalanced-limit: D² + g² in place of D² + 4g² under the root
landscape/product.py test_product.py::test_limits_of_all_balances
- torch.hypot(D, 2 * g)
+ torch.hypot(D, g)

sigma-bound: the bound on σ without √d
landscape/product.py test_product.py::test_constants_refuse_a_sigma_above_their_bound
- math.sqrt(self.dim) * self._published(square)[0]
+ self._published(square)[0]

mu-factor: μ of (5.7) twice too large
landscape/fixed.py test_fixed.py::test_pl_constant_as_printed
- 2 / (trace(self.target, inverse) * trace(inverse))
+ 4 / (trace(self.target, inverse) * trace(inverse))

u-bound-turning-point: the sharp bound on u with −ℓ <= Ku⁴ where u turns, in place of ½Ku⁴
landscape/product.py test_fixed.py::test_sharp_u_bound_by_hand
- (2 * fallen / self._spectrum().amax())
+ (fallen / self._spectrum().amax())

mu-sharp-square: the sharp μ with λ in place of λ²
landscape/fixed.py test_fixed.py::test_sharp_pl_constant_by_hand
- return gammas * values**2
+ return gammas * values

escape-rate: escape at the rate ‖Λ‖_F in place of ‖Λ²‖_F
landscape/product.py test_fixed.py::test_escape_time_isotropic
- (grown / (sigma + along)).log() / p
+ (grown / (sigma + along)).log() / p.sqrt()

noise-pairings: one of the two cross pairings in the gradient's noise left out
landscape/noise.py test_noise.py::test_dimension_one_in_fractions
- 2 * (b * v).sum(-1) ** 2
+ (b * v).sum(-1) ** 2

noise-blocks: the noise of the two weight matrices exchanged
landscape/noise.py test_noise.py::test_dimension_one_in_fractions
- return keys, values
+ return values, keys

noise-wishart: Bartlett's factor with one number of degrees of freedom for all columns
landscape/noise.py test_noise.py::test_sampled_directions
- _chi_squared(N - j)
+ _chi_squared(N)

even-query: E T_0² with half of the cross term with the query
landscape/full.py test_full.py::test_exact_enumeration
- 2 / N * (p @ Qa.mT)
+ 1 / N * (p @ Qa.mT)

even-fourth-moment: E(wᵀSw)² as E(tr S)², without 2E tr S²
landscape/full.py test_full.py::test_exact_enumeration
- trace(self._R) + 2 * trace(second)
+ trace(self._R)

full-gradient: ∂u_12 without the term E[x xᵀUx …]/N²
landscape/full.py test_full.py::test_gradient_by_an_exact_stencil_and_by_autograd
- p @ H + t * q) / N + Xa / N**2
+ p @ H + t * q) / N
"""
)

FLOW = patches(
    r"""
flow-sign: ascent in place of descent, any landscape
flow/radau/system.py flow/test_flow.py::test_spectral_equals_generic
- return -self.pack(self.landscape.gradient(
+ return self.pack(self.landscape.gradient(

flow-mixing: the iterates of Newton mixed away from the least change
flow/radau/stages.py flow/test_flow.py::test_mixed_iterates_solve_a_linear_system
- change[-1] - torch.einsum(
+ change[-1] + torch.einsum(

flow-pull: the reduced flow with its pull doubled
flow/reduced.py test_flow.py::test_residual_of_the_original_system
- * (h * self._pull)
+ * (2 * h * self._pull)

flow-balance: the conserved u² − ‖U‖² with u² + ‖U‖² in its place
flow/reduced.py test_flow.py::test_isotropic_closed_form
- known + torch.linalg.vecdot(
+ known - torch.linalg.vecdot(
"""
)

COURSE = (
    *patches(
        r"""
receipt-any: a receipt that is content with one entry
receipts.py test_receipts.py::test_a_false_claim_raises_with_both_values_and_is_not_kept
- bool(np.all(self.excess(predicted) <= self.margin))
+ bool(np.any(self.excess(predicted) <= self.margin))

receipt-blind: a receipt that does not ask whether it could have failed
receipts.py test_receipts.py::test_a_check_that_cannot_fail_is_an_error_that_names_the_resolution
- if not claim.can_fail():
+ if False:

receipt-direction: upper and lower bounds exchanged
receipts.py test_receipts.py::test_directions_are_those_of_the_docstring
- -difference if self.relation == "<=" else difference
+ -difference if self.relation == ">=" else difference
""",
        BOOK,
    ),
    *patches(
        r"""
ledger-receipts: a ledger that does not judge the recorded receipts again
ledger_rules.py test_ledger_rules.py::test_each_gap_is_seen
- elif not receipt.can_fail():
+ elif False:
""",
        EXTENSIONS,
    ),
    *patches(
        r"""
figure-axes: x and y of a curve exchanged
figures/_chart.py test_figures.py::test_what_is_drawn_is_what_was_given
- ax.plot(xs, ys, color=look["color"], ls=look["ls"])
+ ax.plot(ys, xs, color=look["color"], ls=look["ls"])

live-cell-edges: cells of a heat map meet half way between the numbers on a log scale too
live/frame.py test_live.py::test_a_heat_map_is_stored_by_rows_with_the_edges_of_its_cells
- return edges(self.values, self.scale)
+ return edges(self.values, "linear")

live-transposed: a heat map with its rows over x
live/grid.py test_live.py::test_a_heat_map_is_stored_by_rows_with_the_edges_of_its_cells
- wanted = without_inf(what, value), (len(y), len(x))
+ wanted = without_inf(what, value), (len(x), len(y))

live-snaps-down: recorded results shown at the stop below, not at the nearest
live/axis.py test_live.py::test_recorded_results_snap_to_their_grid
- min(self.values, key=lambda one: abs(one - value))
+ max(one for one in self.values if one <= value)

dots-on-their-name: on a phone the dots of a row lie on its name
figures/_dots.py test_figures.py::test_on_a_phone_the_dots_of_a_row_stand_below_its_name
- heights += 0.8 * APART
+ heights += 0

points-joined: small multiples join points that were asked for as points
figures/_panels.py test_figures.py::test_panels_draw_points_where_points_are_asked_for
- look = {"ls": "", "marker": "o",
+ look = {"ls": "-", "marker": "o",

heat-levels-linear: colours of a log scale spread over the numbers, not over their logarithms
figures/_heat.py test_figures.py::test_cells_have_the_level_of_their_value
- share = (_into(values, scale) - low) / (high - low)
+ share = (values - limits[0]) / (limits[1] - limits[0])
""",
        BOOK,
    ),
)

LEARNERS = patches(
    r"""
bayes-penalty: Bayes with the noise's deviation in place of its variance
estimators.py test_estimators.py::test_bayes_adds_the_precisions_of_prior_and_data
- _shrunk(x @ root, y - x @ m, noise)
+ _shrunk(x @ root, y - x @ m, noise.sqrt())

bayes-mean: Bayes without the prior mean in the residual
estimators.py test_estimators.py::test_bayes_adds_the_precisions_of_prior_and_data
- _shrunk(x @ root, y - x @ m, noise)
+ _shrunk(x @ root, y, noise)

ridge-mean: the penalty on the scale of the mean XᵀX/M
estimators.py test_estimators.py::test_ridge_solves_its_normal_equations
- (s * s + penalty)
+ (s * s + x.shape[-2] * penalty)

descent-steps: one gradient step too many
estimators.py test_estimators.py::test_gradient_descent_is_the_gradient_of_its_objective
- range(k - 1)
+ range(k)

step-transposed: the layer of a step with P in place of its transpose
lsa.py test_estimators.py::test_gradient_step_weights_make_the_layer_take_that_step
- pad(P.mT, (0, 1, 0, 1))
+ pad(P, (0, 1, 0, 1))

softmax-axis: the softmax over rows
softmax.py test_softmax.py::test_predict_is_the_last_entry_of_forward
- dim=-2)
+ dim=-1)

softmax-normaliser: scores divided by the number of tokens
softmax.py test_softmax.py::test_without_the_softmax_and_merged_it_is_linear_attention
- (E.shape[-1] - 1)
+ E.shape[-1]

moment-across: the moment with covariance Λ across, w not projected out
prompts.py test_prompts_moment.py::test_moments_given_the_task
- (s * z - along * v)
+ (s * z)

moment-freedom: a χ² of M/2 degrees of freedom
prompts.py test_prompts_moment.py::test_along_the_task_and_without_noise_it_is_a_chi_square
- (B, 1), M / 2,
+ (B, 1), M / 4,

moment-noise: the moment's labels without noise
prompts.py test_prompts_moment.py::test_moments_given_the_task
- keepdim=True) + self.noise_variance).sqrt()
+ keepdim=True)).sqrt()

label-quadratic: 12 pairings of sixth order taken for 6
labels.py test_labels.py::test_the_quadratic_label_by_isserlis
- 12 * self.k
+ 6 * self.k

label-relu: the mean's square not subtracted in Cov(xy)
labels.py test_labels.py::test_moments_by_monte_carlo
- 0.75 * outer
+ outer

label-sign: a of the sign with π/2 in place of 2/π
labels.py test_labels.py::test_a_is_the_best_linear_predictor
- a = (2 / (math.pi * p))
+ a = (math.pi / (2 * p))

fit-rate: the learning rate never changes
training.py test_training.py::test_the_learning_rate_may_follow_the_step
- rate(made)
-
+ rate(0)
+
"""
)

MUTATIONS = (
    *LAYER,
    *MOMENTS,
    *LEARNERS,
    *LANDSCAPES,
    *FLOW,
    *COURSE,
    *RANDOM_COVARIANCE,
    *LTB,
    *GD_BETA,
    *NONLINEAR,
    *RISK,
    *TEXT,
)
