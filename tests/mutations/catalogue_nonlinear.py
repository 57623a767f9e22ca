"""Mutations of the nonlinear transformers: what a model must not see, a run must not lose."""

from __future__ import annotations

from tests.mutations.runner import patches

NONLINEAR = patches(
    r"""
own-label: the query's column i sees the context's column i, and with it its own label
nonlinear/model.py test_model.py::test_prediction_i_reads_labels_before_i_and_no_others
- sees[:P, :P].tril(-1)[:, : P - 1]
+ sees[:P, :P].tril(0)[:, : P - 1]

linear-attention-normaliser: linear attention divided by the count of tokens seen, query included
nonlinear/model.py test_model.py::test_one_linear_head_is_linear_self_attention_at_every_length
- seen = sees[:, : P - 1] if a.tokens == "columns" else sees
+ seen = sees

last-block-rows: the last block asks for the keys' rows of the mask, not the queries'
nonlinear/model.py test_model.py::test_one_linear_head_is_linear_self_attention_at_every_length
- scores * mask[where]
+ scores * mask[: scores.shape[-2]]

residual-scale: the maps that write to the stream start at 0.02/√L in place of 0.02/√(2L)
nonlinear/model.py test_model.py::test_the_start_is_that_of_gpt2
- 0.02 / math.sqrt(2 * self.architecture.layers)
+ 0.02 / math.sqrt(self.architecture.layers)

forgotten-generator: a resumed run draws its prompts from the beginning
nonlinear/_folder.py test_engine.py::test_killed_in_the_middle_and_resumed_it_is_the_unbroken_run
-             self.generator.set_state(numbers["generator"].cpu())
-

bootstrap-of-prompts-only: the bootstrap keeps every covariance and resamples prompts alone
nonlinear/evaluate.py test_experiments.py::test_the_bootstrap_covers_the_mean_of_correlated_errors
- covariance = torch.randint(K, (K, 1), generator=generator)
+ covariance = torch.arange(K).unsqueeze(-1)

prefix-of-the-limit: the limit's prediction at x_i averages over i tokens in place of i - 1
nonlinear/evaluate.py test_experiments.py::test_the_limit_at_every_point_is_the_layer_on_each_prefix
- M = torch.arange(1, x.shape[1], device=x.device)
+ M = torch.arange(2, x.shape[1] + 1, device=x.device)

merge-of-two-sources: seeds trained with different sources become one record
nonlinear/merging.py test_merging.py::test_what_does_not_belong_together_is_refused
-         "revision": (first["provenance"]["revision"], other["provenance"]["revision"]),
-

merge-of-other-prompts: seeds tested on different prompts become one record
nonlinear/merging.py test_merging.py::test_what_does_not_belong_together_is_refused
- SAME_PROMPTS = 1e-3
+ SAME_PROMPTS = 1e3

one-order-again: every order of a prompt is the one in which it came
nonlinear/probes.py test_probes.py::test_only_what_sees_the_order_is_moved
- torch.cat([torch.randperm(M, generator=drawn), torch.tensor([M])])
+ torch.cat([torch.arange(M), torch.tensor([M])])

swap-of-none: the examples that change places stay
nonlinear/probes.py test_probes.py::test_a_swap_moves_what_depends_on_the_place
- row[j], row[j + 1] = j + 1, j
+ row[j], row[j + 1] = j, j + 1

reshaped-without-a-root: points are scaled by the eigenvalues' quotient, not its root
nonlinear/probes.py test_probes.py::test_reshaped_prompts_have_the_wanted_eigenvalues
- (wanted / values).sqrt().unsqueeze(1)
+ (wanted / values).unsqueeze(1)

causal-steps-see-all: steps under a causal mask see the later examples too
nonlinear/compared.py test_compared.py::test_a_mixture_finds_what_it_is_made_of
- torch.tril(x @ x.mT) / over
+ (x @ x.mT) / over

edge-of-the-smallest: the smallest eigenvalue is stretched, not the largest
nonlinear/compared.py test_compared.py::test_the_edge_is_found_where_it_is
- torch.cat([values[:, :-1], 0 * values[:, -1:] + value], dim=1)
+ torch.cat([0 * values[:, :1] + value, values[:, 1:]], dim=1)

quieter-by-the-largest: prompts are made quieter until the mean with the largest has its size
nonlinear/compared.py test_compared.py::test_quieter_prompts_keep_the_ratios_of_their_eigenvalues
- mean / values[:, :-1].mean(-1, keepdim=True)
+ mean / values.mean(-1, keepdim=True)

the-middle-is-the-edge: as a control the same axes are shrunk again
nonlinear/compared.py test_compared.py::test_the_edge_is_found_where_it_is
- result[:, d // 2 - n : d // 2] *= factors[:, d - n :]
+ result[:, d - n :] *= factors[:, d - n :]

order-of-the-filter: what the order moves is left in the last part of a miss
nonlinear/probes.py test_probes.py::test_a_miss_is_split_into_filter_order_and_neither
- (near.distance - V) / silence)
+ near.distance / silence)

the-query-is-stretched: the query is stretched with the examples
nonlinear/probes.py test_probes.py::test_only_the_examples_are_stretched
- x[:, :M, 0] *= s.sqrt()
+ x[:, :, 0] *= s.sqrt()

filter-of-the-question: the parts of the label are taken from the question alone
nonlinear/probes.py test_probes.py::test_the_filter_of_one_step_is_the_eigenvalue
- times(V.mT, prompts.tasks.double()) * times(V.mT, x[:, -1])
+ times(V.mT, x[:, -1])

smallest-for-largest: prompts are sorted by the smallest eigenvalue
nonlinear/probes.py test_probes.py::test_risks_by_the_largest_eigenvalue
- torch.linalg.eigvalsh(second_moment(points))[:, -1]
+ torch.linalg.eigvalsh(second_moment(points))[:, 0]

newton-from-elsewhere: Newton's iteration starts from S over its norm, not its square
nonlinear/compared.py test_compared.py::test_newton_squares_the_residual_at_each_step
- torch.linalg.matrix_norm(S, 2).square()[:, None, None]
+ torch.linalg.matrix_norm(S, 2)[:, None, None]

plain-steps-of-the-test: the coefficients of plain steps are fitted on the prompts of the test
nonlinear/compared.py test_compared.py::test_plain_steps_have_the_best_coefficients
- fit, own = (_powers(some, n) for some in (fitted_on, prompts))
+ fit, own = (_powers(some, n) for some in (fitted_on, fitted_on))

as-few-for-the-fit: plain steps are fitted on as many prompts as they are compared on
nonlinear/compared.py test_compared.py::test_coefficients_from_too_few_prompts_show_in_the_distance
- sample(fitted, max(lengths) + 1, generator=60_000)
+ sample(count, max(lengths) + 1, generator=60_000)

an-untrained-row-is-lent: points beyond training are lent the row behind the last trained one
nonlinear/compared.py test_compared.py::test_beyond_training_points_are_lent_the_last_trained_row
- range(step * N + 1, len(result.positions))
+ range(step * N + 2, len(result.positions))

an-untrained-row-for-the-query: where positions are spread the query keeps that of its place
nonlinear/compared.py test_compared.py::test_positions_are_spread_evenly_over_more_examples
- return placed(model, [*_evenly(N, M), N])
+ return placed(model, [*_evenly(N, M), M])

told-the-other-way: examples that are told that they stand earlier are told later
nonlinear/compared.py test_compared.py::test_examples_are_told_other_places_and_the_query_its_own
- max(0, k - places)
+ max(0, k + places)

a-point-without-its-label: a label keeps its place when its point has another
nonlinear/compared.py test_compared.py::test_each_point_has_the_position_of_its_row
- (step * torch.tensor([*rows])[:, None] + torch.arange(step))
+ (step * torch.tensor([*rows])[:, None] + 0 * torch.arange(step))

a-stretch-that-is-not-on-record: examples are told on prompts with another axis stretched
nonlinear/compared.py test_compared.py::test_told_examples_are_asked_on_the_prompts_of_the_edge
- "stretched": reshaped(own, _largest_at(FAR))
+ "stretched": reshaped(own, _largest_at(FAR + 1))

the-risk-of-a-model: the risks of algorithms are distances from a model
nonlinear/compared.py test_compared.py::test_the_command_compares_finished_runs
- found = distances(recipe.tasks, [*models, *readouts, Truth()], lengths)
+ found = distances(recipe.tasks, [*models, *readouts, models[0]], lengths)

loud-axes-count-double: the loud axes of the ladder's sample keep their weight
nonlinear/ladder.py test_ladder.py::test_weights_undo_what_was_made_loud
- 2 / (1 + np.exp(share).mean((0, 2)))
+ np.ones(count)

an-example-sees-later-ones: an example of moving points sees the examples behind it
nonlinear/moving.py test_moving.py::test_every_answer_is_that_of_the_definition_token_by_token
- (X @ X.mT).tril()
+ (X @ X.mT)

a-question-sees-its-example: a question of moving points sees its own example, and its label
nonlinear/moving.py test_moving.py::test_no_answer_reads_its_own_label_or_what_comes_later
- (q @ X.mT).tril(-1)
+ (q @ X.mT).tril(0)

no-size-of-the-question: a normalised rule forgets how long the question is
nonlinear/moving.py test_moving.py::test_normalised_it_does_not_see_the_sizes_of_examples
- return said * size
+ return said

the-residuals-of-the-block-before: the answer of a block reads residuals that it has changed
nonlinear/moving.py test_moving.py::test_every_answer_is_that_of_the_definition_token_by_token
- said = said + asked[1, :P] * times(seen, r)
+ said = said + asked[1, :P] * times(seen, r - b * times(near, r))

rules-of-the-last-seed: distances are those from the last fitted rule
nonlinear/compared.py test_moving.py::test_distances_from_rules_are_zero_for_themselves
- rules(recipe.name, kind, folder)[0]
+ rules(recipe.name, kind, folder)[-1]

one-example-more: a rule is asked after one example more than the models
nonlinear/answered.py test_answered.py::test_a_rule_sees_the_prompts_as_an_estimator_does
- x, y = (part[:, : M + 1].double() for part in points)
+ x, y = (part[:, : M + 2].double() for part in points)

a-share-for-per-cent: distances from recorded models are shares of silence's risk, not per cent
nonlinear/answered.py test_answered.py::test_distances_are_those_of_the_comparison
- 100 / law.blind_risk
+ 1 / law.blind_risk

any-prompts-will-do: answers to other prompts are compared with a rule's
nonlinear/answered.py test_answered.py::test_other_prompts_than_those_that_were_asked
- if not torch.allclose(labels, _table(found["labels"], lengths), atol=1e-5):
+ if len(labels) != len(_table(found["labels"], lengths)):
"""
)
