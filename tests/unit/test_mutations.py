"""The mutations fit the code as it stands; `make mutants` runs them."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.mutations.catalogue import MUTATIONS
from tests.mutations.runner import PACKAGE, ROOT, Mutation, verdict


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_fits_the_code_and_names_a_test(mutation: Mutation) -> None:
    mutation.apply((ROOT / PACKAGE / mutation.file).read_text("utf-8"))
    file, _, name = mutation.test.partition("::")
    assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text("utf-8")


def test_names_are_unique() -> None:
    assert set(Counter(mutation.name for mutation in MUTATIONS).values()) == {1}


@pytest.mark.parametrize(("text", "matches"), [("N + 1; N + 1", 2), ("n", 0)])
def test_a_pattern_that_does_not_match_once_is_refused(text: str, matches: int) -> None:
    mutation = Mutation("length", "N for N + 1", "lsa.py", r"N \+ 1", "N", "a test")
    assert mutation.apply("x / (N + 1)") == "x / (N)"
    with pytest.raises(ValueError, match=f"match once and change lsa.py, got {matches} matches"):
        mutation.apply(text)


@pytest.mark.parametrize(
    ("status", "printed", "expected"),
    [
        (1, "FAILED tests/unit/test_lsa.py::test_gamma", "caught"),
        (0, "1 passed", "SURVIVED"),
        (1, "ERROR tests/unit/test_lsa.py::test_gamma - a fixture", "NOT RUN"),
        (2, "ERROR collecting: ImportError", "NOT RUN"),
        (4, "not found", "NOT RUN"),
    ],
)
def test_only_a_failing_test_counts(status: int, printed: str, expected: str) -> None:
    assert verdict(status, printed) == expected
