"""The annotations of the package are enforced while the tests run, in every worker."""

from __future__ import annotations

from typing import Any

import pytest
from jaxtyping import TypeCheckError
from linear_icl import lsa


def test_a_wrong_type_is_refused_by_the_annotation() -> None:
    not_a_tensor: Any = "W_KQ"  # unchecked, indexing a string by a tuple would be a TypeError
    with pytest.raises(TypeCheckError, match="blocks"):
        lsa.blocks(not_a_tensor, not_a_tensor)
