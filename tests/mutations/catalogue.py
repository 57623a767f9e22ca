"""The mutations. Add one with each formula: the error that a tired author would make."""

from __future__ import annotations

from tests.mutations.runner import Mutation

MUTATIONS = (
    Mutation(
        name="gamma-factor",
        what="Γ with Λ in place of (1 + 1/N)Λ",
        file="lsa.py",
        pattern=r"\(1 \+ 1 / N\) \* Lambda \+",
        replacement="Lambda +",
        test="tests/unit/test_lsa.py::test_gamma_by_hand_and_as_the_second_moment",
    ),
    Mutation(
        name="layer-normaliser",
        what="attention divided by N + 1, the number of tokens, in place of N",
        file="lsa.py",
        pattern=r"self\.W_KQ @ tokens / \(tokens\.shape\[-1\] - 1\)",
        replacement="self.W_KQ @ tokens / tokens.shape[-1]",
        test="tests/unit/test_lsa.py::test_forward_predict_and_quadratic_form_agree",
    ),
    Mutation(
        name="vec-row-order",
        what="vec of Lemma 5.1 in row order",
        file="lsa.py",
        pattern=r"columns\.mT\.flatten\(-2\)",
        replacement="columns.flatten(-2)",
        test="tests/unit/test_lsa.py::test_vec_is_in_column_order",
    ),
)
