"""The two sides of a receipt as arrays: Fractions where they are exact, float64 otherwise."""

import numbers
from fractions import Fraction
from typing import Any

import numpy as np
import torch


def sides(name: str, value: Any) -> np.ndarray:
    """Fractions (dtype object) if every entry is a rational number type, else as NumPy has it."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    array = np.array(value, dtype=object)
    for entry in array.flat:
        if isinstance(entry, (bool, np.bool_)) or not isinstance(
            entry, (numbers.Real, np.floating)
        ):
            raise ValueError(f"{name} must hold real numbers, got {type(entry).__name__}: {value}")
    if all(isinstance(entry, numbers.Rational) for entry in array.flat):
        exact = [Fraction(int(entry.numerator), int(entry.denominator)) for entry in array.flat]
        return np.array([*exact, None], dtype=object)[:-1].reshape(array.shape)
    return array.astype(np.float64)


def floats(name: str, array: np.ndarray) -> np.ndarray:
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array}")
    return array


def positive(name: str, value: Any) -> float:
    number = float(value) if isinstance(value, numbers.Real) else float("nan")
    if isinstance(value, bool) or not 0 < number < np.inf:
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return number


def stored(value: Any) -> np.ndarray:
    array = np.array(value)
    if array.dtype.kind != "U":
        return array.astype(np.float64)
    exact = [Fraction(text) for text in array.flat]
    return np.array([*exact, None], dtype=object)[:-1].reshape(array.shape)
