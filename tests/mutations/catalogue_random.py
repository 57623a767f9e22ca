"""Mutations of the chapters on random covariances, the risk and shifts."""

from __future__ import annotations

from tests.mutations.runner import patches

RANDOM_COVARIANCE = patches(
    r"""
zeta-cross: ζ_ij without E[λ_iλ_j²]/N, the third of its terms
random_covariance/diagonal.py test_random_covariance.py::test_running_law_by_hand
- (cross + cross.mT + torch.outer(m1, m1) * others)
+ (cross + torch.outer(m1, m1) * others)

random-gamma-trace: γ_i with λ_i's own share of the trace forgotten, (1 + 1/N) m_3
random_covariance/diagonal.py test_random_covariance.py::test_running_law_by_hand
- (1 + 2 / N) * m3 + m2
+ (1 + 1 / N) * m3 + m2

random-limit-as-printed: u from Σ ξ_i/γ_i, as (C.15) prints it, for Σ ξ_i²/γ_i²
landscape/product.py random_covariance/test_random_covariance.py::test_running_law_by_hand
- g = target.square().sum().sqrt()
+ g = target.diagonal().sum().sqrt()

u-bound-denominator: the published bound on u with the denominator ‖ΛΘ‖²_F for ‖Λ²‖_op
landscape/product.py test_fixed.py::test_pl_constant_as_printed
- largest = torch.linalg.eigvalsh(self.pull).amax()
+ largest = inner(self.pull, square)

random-largest-curvature: K of the sharp bound on u as the largest ξ_i for the largest ζ_ij
random_covariance/diagonal.py test_random_covariance.py::test_running_law_constants_by_hand
- return self._zeta.flatten()
+ return torch.stack([self._zeta.amin(), self.xi.amax()])

random-eta: η as the least γ_i, the ζ_ij forgotten
random_covariance/diagonal.py test_random_covariance.py::test_running_law_constants_by_hand
- return self._zeta.flatten()
+ return torch.cat([self._zeta.diagonal(), self._zeta.amax()[None]])

rotated-traceless: the rotated law's curvature on traceless matrices right for d = 2 only
random_covariance/diagonal.py test_random_covariance.py::test_rotated_law_by_a_finite_group[3]
- (d * rest + 2 * mean) / (d + 2)
+ (rest + mean) / 2

mixture-row-order: the mixture's minimiser read in row order
random_covariance/mixture.py test_mixture.py::test_minimiser_need_not_be_symmetric
- solved.reshape(self._pull.shape).mT
+ solved.reshape(self._pull.shape)

random-scale: scale multiplies the covariates, not their covariance
random_covariance/sampling.py test_mixture.py::test_scale_multiplies_the_covariance_under_one_seed
- (self.scale * torch.stack(each, -1)).sqrt()
+ self.scale * torch.stack(each, -1).sqrt()

log-normal-moment: E λⁿ of the log-normal law with n for n²
random_covariance/laws.py test_laws.py::test_log_normal_moments_by_hand
- n**2 * self.s**2 / 2
+ n * self.s**2 / 2

shrinkage-length: the shrinkage at finite N with 1 + 1/N for 1 + 2/N
random_covariance/_law.py test_laws.py::test_shrinkage_at_finite_length[2-8]
- ((1 + 2 / N) * m3 + (d - 1)
+ ((1 + 1 / N) * m3 + (d - 1)

"""
)

RISK = patches(
    r"""
variance-length: the variance term as the slides print it, without 1/M
risk/prediction.py test_risk.py::test_theorem_by_hand
- trace(A @ Sigma @ A, Lambda), M) / M
+ trace(A @ Sigma @ A, Lambda), M)

noise-spread: label noise added as it is, not spread by the layer
risk/linear.py test_risk.py::test_linear_risk_is_theorem_4_2_without_shift
- turned + spread * (size + noise)
+ turned + spread * size + noise

test-gamma: Γ of the test covariance in place of the training's
risk/_parts.py test_risk.py::test_scaled_covariates_end_at_the_limit_of_the_theory
- torch.linalg.cholesky(Lambda + excess)
+ torch.linalg.cholesky(C + excess)

floor-cancelled: Γ⁻¹C − I by subtraction, which loses a floor of order 1/N²
risk/_parts.py test_risk.py::test_a_tiny_floor_keeps_its_digits
- return A, A @ (C - Lambda - excess)
+ return A, A @ C - torch.eye(C.shape[-1]).to(C)

learner-transposed: A in place of Aᵀ for a learner that is not symmetric
risk/linear.py test_risk.py::test_any_one_step_learner
- K, spread = A.mT @ C
+ K, spread = A @ C

ols-degrees: M − d in place of M − d − 1, the mean of an inverse Wishart matrix
risk/least_squares.py test_others.py::test_ols_by_hand
- torch.where(d <= M, M - d - 1,
+ torch.where(d <= M, M - d,

bound-v1: v1's bound, which is not homogeneous in Λ
risk/bounds.py test_others.py::test_bound_by_hand
- (1 + 2 * d + d * d * kappa) * trace
+ (1 + 2 * d) * trace + d * d * kappa

lengths-half: the sample sizes without their factor 2: two halves that add up to 2ε
risk/bounds.py test_others.py::test_context_lengths_by_hand_and_that_they_suffice
- 2 * part / goal
+ part / goal

risk-shrinkage-length: N + 1 in place of N + 2: the λ_i of tr Λ forgotten
risk/random_covariance.py test_others.py::test_random_risk_by_hand
- ((N + 2) * m_3 + mixed)
+ ((N + 1) * m_3 + mixed)

orthants-pairs: E|z_i||z_j| = 2/π counted once, not squared, in S²
shifts.py test_shifts.py::test_orthants_by_hand
- 1 + 4 * (self.dim - 1) / math.pi**2
+ 1 + 2 * (self.dim - 1) / math.pi

orthogonal-bracket: d in place of d + 1: an orthogonal query felt even for A ∝ I
shifts.py test_shifts.py::test_orthogonal_query_sees_nothing_for_scalar_A_alone
- bracket = (d + 1) * inner(A, A)
+ bracket = d * inner(A, A)

context-query-cross: the cross term of x_1 with the others once in place of twice
shifts.py test_shifts.py::test_context_query_by_sixth_moments
- (d + 2 * M + 2)
+ (d + M + 3)

projection-pairs: pairings of two projections: β without its d − r
shifts.py test_shifts.py::test_half_subspace_by_hand
- r * (d - r) / below
+ r * d / below
"""
)
