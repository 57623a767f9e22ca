"""Mutations of the chapters on the linear transformer block and on gradient steps."""

from __future__ import annotations

from tests.mutations.runner import patches

LTB = patches(
    r"""
ltb-mask: the block's forward pass without its mask, as in the first paper
ltb/block.py test_block.py::test_forward_and_predict_agree
- self.W_PV, masked=True
+ self.W_PV, masked=False

ltb-value-row: u_12 and u read off W_PV alone, as if W_21 were the identity
ltb/block.py test_block.py::test_a_prediction_by_hand
- values = (last.unsqueeze(-2) @ W_PV).squeeze(-2)
+ values = W_PV[..., -1, :] + 0 * last

ltb-frozen-mlp: attention alone whose W_21 is trained after all
ltb/block.py test_block.py::test_attention_only_keeps_the_identity_through_training
- block.W_21.requires_grad_(False)
+ block.W_21.requires_grad_(True)

ltb-gd-beta-sign: W_PV of GD-β with +β for -β
ltb/block.py test_block.py::test_gd_beta_is_a_block
- torch.cat([-beta, one], dim=-1)
+ torch.cat([beta, one], dim=-1)

ltb-risk-fourth-moment: K with trΦ² in place of 2trΦ²
ltb/population.py test_population.py::test_cubature_through_the_token_level_block
- (tau**2 + 2 * trace(HPsi, HPsi))
+ (tau**2 + trace(HPsi, HPsi))

ltb-risk-cross: E[sS] = τH + (1/M)HΨH: the factor 2 of E[η²xxᵀ] lost
ltb/population.py test_population.py::test_isserlis_in_rational_arithmetic
- tau * Hb + 2 / M * (Hb @ HPsi.mT)
+ tau * Hb + 1 / M * (Hb @ HPsi.mT)

ltb-infimum: the infimum with Mφ + τ in its denominator
ltb/population.py test_population.py::test_the_infimum_by_hand
- (setting.length + 1) * phi + tau
+ setting.length * phi + tau

ltb-quotient-hessian: the Hessian of the quotient without the second derivative of A
ltb/_quotient.py test_attention.py::test_derivatives_of_the_quotient_are_those_of_autograd
- hessian = 2 * torch.tensordot(X @ X.mT,
+ hessian = 1 * torch.tensordot(X @ X.mT,

ltb-starts: one start only: whichever minimum it falls into
ltb/attention.py test_attention.py::test_local_minima_are_real
- problem.starts(count, drawn), STEPS)
+ problem.starts(1, drawn).expand(count, -1), STEPS)

ltb-gap-bound: the bound with M + 2: true, but no longer sharp
ltb/bounds.py test_attention.py::test_the_gap_by_hand
- _square(setting) / (setting.length + 1)
+ _square(setting) / (setting.length + 2)

ltb-extremal-threshold: an extremal β* twice too large: attention then pays in its odd part
ltb/bounds.py test_attention.py::test_the_constant_of_the_bound_is_the_best
- math.sqrt(tau) * (M + 1) / (M + 1 + tau)]
+ 2 * math.sqrt(tau) * (M + 1) / (M + 1 + tau)]

ltb-signature: k counts all eigenvalues, not those of one sign: a floor too low to be reached
ltb/bounds.py test_attention.py::test_moments_of_a_mean_of_forms
- k = torch.maximum((values > zero).sum(-1), (values < -zero).sum(-1)).clamp(min=1)
+ k = ((values > zero).sum(-1) + (values < -zero).sum(-1)).clamp(min=1)
"""
)

GD_BETA = patches(
    r"""
gd-zero-mean: E β̃β̃ᵀ with the squares of the mean on the diagonal only
gd_beta/best.py test_best.py::test_gd_zero_is_best_among_the_steps_from_zero
- setting.Psi + mean[:, None] * mean
+ setting.Psi + torch.diag(mean * mean)

jensen-length: Jensen's bound with M + 1
gd_beta/posterior.py test_posterior.py::test_jensen_is_nearly_attained_by_long_contexts
- below = setting.length * phi + noise
+ below = (setting.length + 1) * phi + noise

two-sided-constant: the constant ½ of the limit M → ∞ for every length
gd_beta/posterior.py test_posterior.py::test_the_lower_bound_is_attained
- c = (M + 2) / (2 * (M + 1))
+ c = 0.5

bayes-test-length: Bayes' draw at the training length
gd_beta/posterior.py test_posterior.py::test_bayes_excess_in_closed_form
- Normal(setting.H, generator)(size, M, setting.dim)
+ Normal(setting.H, generator)(size, setting.length, setting.dim)

swapped-variance: M for M + 2 in the variance of the squared labels
ltb/best.py test_gd_beta.py::test_swapped_block_on_both_sides_of_its_threshold
- 2 * tau**2 + 2 * (M + 2)
+ 2 * tau**2 + 2 * M
"""
)
