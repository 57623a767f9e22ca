"""Lengths, one or many: in every function that takes them the dtype stays that of the tensors."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import linear_icl
import pytest
import torch
from linear_icl import shifts
from linear_icl._lengths import lengths
from linear_icl.labels import Noiseless
from linear_icl.random_covariance import Gamma
from linear_icl.risk import (
    averaged_bound,
    linear_risk,
    ols_risk,
    prediction_risk,
    random_covariance_risk,
    risk_curve,
)
from torch import Tensor

MANY: list[Any] = [[5, 6], range(5, 7), torch.tensor([5, 6]), torch.tensor([5, 6]).numpy()]
Lambda = torch.tensor([[2.0, 0.5, 0], [0.5, 1.0, 0.2], [0, 0.2, 0.5]])
w = torch.tensor([1.0, -2.0, 0.5])
INVERSE = torch.linalg.inv(Lambda)


def _random(dtype: torch.dtype, N: Any, M: Any) -> Tensor:
    law = Gamma(torch.tensor(1.0, dtype=dtype), torch.tensor(1.0, dtype=dtype))
    return random_covariance_risk(law, 3, N, M, scale=torch.tensor(2.0, dtype=dtype))


#: By the function: a call with training and test lengths.
CALLS: dict[str, Callable[[torch.dtype, Any, Any], Tensor]] = {
    "risk_curve": lambda t, N, M: risk_curve(Lambda.to(t), N)([7, 8]),
    "RiskCurve.__call__": lambda t, N, M: risk_curve(Lambda.to(t), 8)(M),
    "linear_risk": lambda t, N, M: linear_risk(Lambda.to(t), N, M, task=w.to(t)),
    "prediction_risk": lambda t, N, M: (
        prediction_risk(Lambda.to(t), N, M, Noiseless(w.to(t)).moments(Lambda.to(t))).total
    ),
    "ols_risk": lambda t, N, M: ols_risk(Lambda.to(t), M, noise_variance=0.5),
    "averaged_bound": lambda t, N, M: averaged_bound(Lambda.to(t), N, M),
    "random_covariance_risk": _random,
    "Shift.risk": lambda t, N, M: shifts.Standard(3).risk(INVERSE.to(t), M),
}


def taking_lengths() -> Iterator[str]:
    """The public functions and methods one of whose arguments is annotated as Lengths."""
    for found in pkgutil.walk_packages(linear_icl.__path__, "linear_icl."):
        module = import_module(found.name)
        here = vars(module) if getattr(module, "lengths", None) is lengths else {}
        for name, thing in here.items():
            owned = vars(thing).items() if inspect.isclass(thing) else [("", thing)]
            for method, function in owned:
                notes = getattr(inspect.unwrap(function), "__annotations__", {})
                private = name.startswith("_") or (method.startswith("_") and "__" not in method)
                takes = "Lengths" in str(list(notes.values())) and function is not lengths
                if takes and not private:
                    yield f"{name}.{method}".strip(".")


def test_every_function_that_takes_lengths_is_asked() -> None:
    assert set(taking_lengths()) == set(CALLS)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_lists_of_lengths_keep_the_dtype(call: Any, dtype: torch.dtype) -> None:
    one = call(dtype, 8, 6)
    assert one.dtype == dtype
    for many in MANY:
        found = call(dtype, many, many)
        assert found.dtype == dtype, type(many)
        torch.testing.assert_close(found, call(dtype, [5, 6], [5, 6]))


@pytest.mark.parametrize("name", sorted(shifts.SHIFTS))
def test_every_shift_keeps_the_dtype(name: str) -> None:
    A = 0.3 * torch.eye(9)
    assert shifts.SHIFTS[name](9).risk(A, [5, 6]).dtype == torch.float32
    assert shifts.SHIFTS[name](9).risk(A, 5).dtype == torch.float32


@pytest.mark.parametrize("value", [3, *MANY])
def test_lengths_take_dtype_and_device_of_their_neighbour(value: Any) -> None:
    for dtype in (torch.float32, torch.float64):
        for device in ("cpu", "meta"):
            found = lengths("length", value, torch.ones(2, dtype=dtype, device=device))
            assert found.dtype == dtype and found.device.type == device
