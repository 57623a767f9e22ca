"""The register of implementations."""

import re
from typing import Any

import pytest
from linear_icl import _results
from linear_icl.landscape.full import FullParameters


@pytest.fixture
def registry(monkeypatch: Any) -> Any:
    monkeypatch.setattr(_results, "REGISTRY", {})
    return _results.REGISTRY


def test_functions_methods_and_classes_enter_under_their_qualified_names(registry: Any) -> None:
    @_results.implements("thm-one", "lem-two-b")
    class Thing:
        @property
        @_results.implements("lem-two-b")
        def value(self: Any) -> int:
            return 3

    name = f"{Thing.__module__}.{Thing.__qualname__}"
    assert registry == {"thm-one": [name], "lem-two-b": [f"{name}.value", name]}
    assert Thing().value == 3


def test_a_class_labels_what_it_inherits(registry: Any) -> None:
    @_results.implements("def-heir", limit=("thm-one", "lem-two"))
    class Heir(FullParameters):
        def loss(self, *state: Any) -> Any: ...

    name = f"{Heir.__module__}.{Heir.__qualname__}"
    limit = [f"{name}.limit"]
    assert registry == {"def-heir": [name], "thm-one": limit, "lem-two": limit}
    for wrong in ("loss", "limits"):  # its own, and none
        with pytest.raises(ValueError, match=f"{wrong} must be inherited by .*Heir, got a name"):
            _results.implements(**{wrong: "thm-one"})(Heir)


def test_entering_twice_counts_once(registry: Any) -> None:
    def function() -> None: ...

    enter = _results.implements("def-x")
    assert enter(enter(function)) is function
    assert len(registry["def-x"]) == 1


@pytest.mark.parametrize("label", ["Theorem 1", "thm_limit", "thm-", "fact-one"])
def test_labels_of_another_form(label: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"got {label!r}; use lower case")):
        _results.implements(label)


def test_no_label() -> None:
    with pytest.raises(ValueError, match=r"needs a label, got none; write"):
        _results.implements()


def test_the_package_registers_itself() -> None:
    name = f"{FullParameters.__module__}.{FullParameters.__qualname__}"
    assert name in _results.REGISTRY["lem-even-part"]
    assert f"{name}.minimum" in _results.REGISTRY["thm-all-parameters"]
