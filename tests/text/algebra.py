"""Arithmetic on what a formula may contain: Fractions, floats, matrices; vectors are columns."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

Value: TypeAlias = Any  # int, Fraction, float or a two-dimensional array


def is_matrix(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2


def settled(value: Value) -> Value:
    """A matrix of one entry is a number."""
    return float(value[0, 0]) if is_matrix(value) and value.shape == (1, 1) else value


def plus(left: Value, right: Value) -> Value:
    left, right = settled(left), settled(right)
    if is_matrix(left) != is_matrix(right):
        raise ValueError("a number is added to a matrix; write I")
    if is_matrix(left) and left.shape != right.shape:
        raise ValueError(f"matrices of shapes {left.shape} and {right.shape} are added")
    return left + right


def times(left: Value, right: Value) -> Value:
    left, right = settled(left), settled(right)
    if is_matrix(left) and is_matrix(right):
        return settled(left @ right)
    if is_matrix(left) or is_matrix(right):
        return _number(left) * _number(right)
    return left * right


def over(left: Value, right: Value) -> Value:
    right = settled(right)
    if is_matrix(right):
        raise ValueError("division by a matrix")
    if isinstance(left, int) and isinstance(right, int):
        left = Fraction(left)
    return _number(left) / _number(right) if is_matrix(left) else left / right


def power(base: Value, exponent: Value) -> Value:
    base, exponent = settled(base), settled(exponent)
    if is_matrix(base):
        return _matrix_power(base, Fraction(exponent))
    if isinstance(exponent, int | Fraction) and exponent == int(exponent):
        if isinstance(base, int):
            base = Fraction(base)
        return base ** int(exponent)
    return math.pow(base, exponent)


def _matrix_power(base: np.ndarray, exponent: Fraction) -> np.ndarray:
    if exponent == int(exponent):
        return np.linalg.matrix_power(base, int(exponent))
    values, vectors = np.linalg.eigh(base)
    if not np.allclose(base, base.T) or values.min() < 0:
        raise ValueError("a root of a matrix that is not positive semi-definite")
    return np.asarray((vectors * values ** float(exponent)) @ vectors.T)


def norm(value: Value, which: str, metrics: dict[str, Value]) -> float:
    """‖·‖_F (also of a vector), ‖·‖_op, or ‖v‖_H = √(vᵀHv) for a matrix H among `metrics`."""
    matrix = np.atleast_2d(np.asarray(value, dtype=float))
    if which in ("", "F"):
        if which == "" and 1 not in matrix.shape:
            raise ValueError("a norm of a matrix without its name")
        return float(np.linalg.norm(matrix))
    if which == "op":
        return float(np.linalg.norm(matrix, 2))
    if which not in metrics:
        raise ValueError(f"no norm is called {which!r}")
    return math.sqrt(float((matrix.T @ metrics[which] @ matrix)[0, 0]))


def _number(value: Value) -> Value:
    return value if isinstance(value, np.ndarray) else float(value)
