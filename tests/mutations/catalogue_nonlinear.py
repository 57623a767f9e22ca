"""Mutations of the nonlinear transformers: what a model must not see, a run must not lose."""

from __future__ import annotations

from tests.mutations.runner import change

NONLINEAR = (
    change(
        "own-label",
        "the query's column i sees the context's column i, and with it its own label",
        "nonlinear/model.py",
        "sees[:P, :P].tril(-1)[:, : P - 1]",
        "sees[:P, :P].tril(0)[:, : P - 1]",
        "nonlinear/test_model.py::test_prediction_i_reads_labels_before_i_and_no_others",
    ),
    change(
        "linear-attention-normaliser",
        "linear attention divided by the number of all tokens seen, the query included",
        "nonlinear/model.py",
        'seen = sees[:, : P - 1] if a.tokens == "columns" else sees',
        "seen = sees",
        "nonlinear/test_model.py::test_one_linear_head_is_linear_self_attention_at_every_length",
    ),
    change(
        "last-block-rows",
        "the last block asks for the keys' rows of the mask, not the queries'",
        "nonlinear/model.py",
        "scores * mask[where]",
        "scores * mask[: scores.shape[-2]]",
        "nonlinear/test_model.py::test_one_linear_head_is_linear_self_attention_at_every_length",
    ),
    change(
        "residual-scale",
        "the maps that write to the stream start at 0.02/√L in place of 0.02/√(2L)",
        "nonlinear/model.py",
        "0.02 / math.sqrt(2 * self.architecture.layers)",
        "0.02 / math.sqrt(self.architecture.layers)",
        "nonlinear/test_model.py::test_the_start_is_that_of_gpt2",
    ),
    change(
        "forgotten-generator",
        "a resumed run draws its prompts from the beginning",
        "nonlinear/_folder.py",
        '        self.generator.set_state(numbers["generator"].cpu())\n',
        "",
        "nonlinear/test_engine.py::test_killed_in_the_middle_and_resumed_it_is_the_unbroken_run",
    ),
    change(
        "everybodys-share",
        "every process trains on the first share of the batch",
        "nonlinear/engine.py",
        "slice(size * fabric.global_rank, size * (fabric.global_rank + 1))",
        "slice(0, size)",
        "nonlinear/test_engine.py::test_two_processes_have_the_losses_of_one",
    ),
    change(
        "bootstrap-of-prompts-only",
        "the bootstrap keeps every covariance and resamples prompts alone",
        "nonlinear/evaluate.py",
        "covariance = torch.randint(K, (K, 1), generator=generator)",
        "covariance = torch.arange(K).unsqueeze(-1)",
        "nonlinear/test_experiments.py::test_the_bootstrap_covers_the_mean_of_correlated_errors",
    ),
    change(
        "prefix-of-the-limit",
        "the limit's prediction at x_i averages over i tokens in place of i - 1",
        "nonlinear/evaluate.py",
        "M = torch.arange(1, x.shape[1], device=x.device)",
        "M = torch.arange(2, x.shape[1] + 1, device=x.device)",
        "nonlinear/test_experiments.py::test_the_limit_at_every_point_is_the_layer_on_every_prefix",
    ),
    change(
        "merge-of-two-sources",
        "seeds trained with different sources become one record",
        "nonlinear/merging.py",
        '        "revision": (first["provenance"]["revision"], other["provenance"]["revision"]),\n',
        "",
        "nonlinear/test_merging.py::test_what_does_not_belong_together_is_refused",
    ),
    change(
        "merge-of-other-prompts",
        "seeds tested on different prompts become one record",
        "nonlinear/merging.py",
        "SAME_PROMPTS = 1e-3",
        "SAME_PROMPTS = 1e3",
        "nonlinear/test_merging.py::test_what_does_not_belong_together_is_refused",
    ),
    change(
        "newton-from-elsewhere",
        "Newton's iteration starts from S over its norm, not its square",
        "nonlinear/compared.py",
        "torch.linalg.matrix_norm(S, 2).square()[:, None, None]",
        "torch.linalg.matrix_norm(S, 2)[:, None, None]",
        "nonlinear/test_compared.py::test_newton_squares_the_residual_at_each_step",
    ),
    change(
        "plain-steps-of-the-test",
        "the coefficients of plain steps are fitted on the prompts that they are tested on",
        "nonlinear/compared.py",
        "fit, own = (_powers(some, n) for some in (fitted_on, prompts))",
        "fit, own = (_powers(some, n) for some in (fitted_on, fitted_on))",
        "nonlinear/test_compared.py::test_plain_steps_have_the_best_coefficients",
    ),
)
