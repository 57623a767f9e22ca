"""An answer as an array, whatever a student hands in; what cannot be read is named kindly."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Set
from decimal import Decimal
from typing import Any

import numpy as np
import torch

_DEEPEST = 8  # a list inside itself ends here
_EMPTY = ("", "...", "…")


class NothingYet(Exception):
    """Where an answer belongs stands None or an ellipsis."""


class Unreadable(Exception):
    """What came instead of numbers, and what to do about it."""


def read(answer: Any) -> np.ndarray:
    """The answer as float64, of its own shape.

    Numbers of Python, NumPy, torch and SymPy are taken, lists of them, and functions without
    arguments that return them.

    Raises:
        NothingYet: for None, an ellipsis, an empty text, and lists of these.
        Unreadable: for all else that holds no finite real numbers.
    """
    if callable(answer) and not isinstance(answer, type) and not _symbolic(answer):
        answer = _called(answer)
    try:
        array = _array(answer, 0)
    except OverflowError as error:
        raise Unreadable("a number came that is too large for a float") from error
    if array.size == 0:
        raise Unreadable("an empty array came")
    if np.isnan(array).any():
        raise Unreadable("NaN came, which is not a number; look for 0/0 or the root of a negative")
    if np.isinf(array).any():
        raise Unreadable("an infinite number came; look for a division by zero")
    return array


def _called(function: Any) -> Any:
    try:
        found = function()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a student's function may do anything, SystemExit too
        raise Unreadable(
            f"a function came, and calling it without arguments raised {type(error).__name__}; "
            f"hand in the value that it is to return"
        ) from error
    if found is None:
        raise Unreadable("a function came that returns None: its return is missing")
    if callable(found) and not _symbolic(found):
        raise Unreadable("a function came that returns a function; hand in a value")
    return found


def _symbolic(value: Any) -> bool:
    return hasattr(type(value), "free_symbols")


def _array(value: Any, depth: int) -> np.ndarray:
    if value is None or value is ... or (isinstance(value, str) and value.strip() in _EMPTY):
        raise NothingYet
    if isinstance(value, torch.Tensor):
        return _from_tensor(value)
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(value, depth)
    if isinstance(value, list | tuple):
        return _from_list(value, depth)
    if _symbolic(value):
        return _from_symbols(value, depth)
    if isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool):
        return np.array(float(value))
    if hasattr(value, "__array__"):
        return _array(np.asarray(value), depth + 1)
    raise Unreadable(_named(value))


def _named(value: Any) -> str:
    """What a value without numbers is, in the words of a student."""
    if isinstance(value, str | bytes):
        return "text came; leave out the quotes"
    if isinstance(value, bool):
        return "True or False came"
    if isinstance(value, numbers.Complex):
        return "a complex number came; if its imaginary part is rounding, hand in the real part"
    if isinstance(value, Mapping):
        return "a dictionary came; hand in the value under its key"
    if isinstance(value, Set):
        return "a set came, which has no order; hand in a list"
    if isinstance(value, type):
        return f"the class {value.__name__} came; hand in a number"
    return f"an object of type {type(value).__name__} came"


def _from_tensor(value: torch.Tensor) -> np.ndarray:
    if value.is_meta:
        raise Unreadable("a tensor on the meta device came, which holds no numbers")
    if value.dtype == torch.bool:
        raise Unreadable(_named(True))
    if value.is_complex():
        raise Unreadable(_named(1j))
    dense = value.detach() if value.layout == torch.strided else value.detach().to_dense()
    return np.asarray(dense.to("cpu", torch.float64).resolve_neg().numpy())


def _from_numpy(value: np.ndarray | np.generic, depth: int) -> np.ndarray:
    kind = value.dtype.kind
    if kind in "iuf":
        return np.asarray(np.ma.filled(value, np.nan) if np.ma.isMA(value) else value, np.float64)
    if kind == "O" and depth < _DEEPEST:
        return _array(np.asarray(value).tolist(), depth + 1)
    example = {"b": True, "c": 1j, "S": "", "U": "", "T": ""}.get(kind)
    named = f"an array of {value.dtype} came" if example is None else _named(example)
    raise Unreadable(named)


def _from_list(value: list[Any] | tuple[Any, ...], depth: int) -> np.ndarray:
    if depth >= _DEEPEST:
        raise Unreadable("a list came that is nested too deep")
    parts = [_array(entry, depth + 1) for entry in value]
    if len({part.shape for part in parts}) > 1:
        raise Unreadable("a list came whose rows differ in length")
    return np.stack(parts) if parts else np.empty(0)


def _from_symbols(value: Any, depth: int) -> np.ndarray:
    if hasattr(value, "tolist") and depth < _DEEPEST:
        return _array(value.tolist(), depth + 1)
    if value.free_symbols:
        raise Unreadable("a formula with symbols came; put the numbers in")
    try:
        return np.array(float(value))
    except TypeError as error:
        named = _named(1j) if getattr(value, "is_complex", False) else _named(value)
        raise Unreadable(named) from error
