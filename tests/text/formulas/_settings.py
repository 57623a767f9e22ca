"""Random settings, and the list that functions of the neighbouring modules enter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from linear_icl import lsa
from torch import Tensor

from tests.text.printed import Formula

Generator = np.random.Generator
FORMULAS: dict[str, Callable[[Generator], Formula]] = {}


def formula(name: str) -> Callable[[Callable[[Generator], Formula]], Callable[..., Formula]]:
    def keep(function: Callable[[Generator], Formula]) -> Callable[[Generator], Formula]:
        FORMULAS[name] = function
        return function

    return keep


def positive(rng: Generator, d: int) -> np.ndarray:
    root = rng.normal(size=(d, d + 2))
    return np.asarray(root @ root.T / d)


def array(value: Any) -> np.ndarray:
    return np.asarray(value.detach() if isinstance(value, Tensor) else value, dtype=float)


def column(value: Any) -> np.ndarray:
    return array(value).reshape(-1, 1)


def training(rng: Generator, d: int = 3) -> tuple[np.ndarray, int, dict[str, Any]]:
    """Λ, N and the letters that come with them."""
    Lambda, N = positive(rng, d), int(rng.integers(3, 12))
    Gamma = array(lsa.gamma(Lambda, N))
    trace = float(np.trace(Lambda))
    letters = {r"\Lambda": Lambda, r"\Gamma": Gamma, r"\Gamma_N": Gamma, "N": N, "I": np.eye(d)}
    return Lambda, N, {**letters, "d": d, "t": trace}


def quadratic(form: Callable[[np.ndarray], float], d: int) -> np.ndarray:
    """The symmetric matrix of a quadratic form."""
    e = np.eye(d)[:, :, None]
    double = [[form(e[i] + e[j]) - form(e[i] - e[j]) for j in range(d)] for i in range(d)]
    return np.array(double) / 4
