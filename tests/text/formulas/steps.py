"""Formulas of chapters 1 and 3 on which the main ones rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from linear_icl import lsa, risk
from linear_icl.landscape import FixedCovariance

from tests.text.formulas._settings import Generator, array, formula, positive, training
from tests.text.printed import Formula


@formula("eq-gamma-length")
def gamma_of_a_length(rng: Generator) -> Formula:
    Lambda, M = positive(rng, 3), int(rng.integers(3, 30))
    letters = {r"\Lambda": Lambda, "M": M, "I": np.eye(3)}
    return Formula(letters, [(r"\Gamma_M", "=", array(lsa.gamma(Lambda, M)))])


def step(rng: Generator, Lambda: np.ndarray, A: np.ndarray) -> tuple[dict[str, Any], float]:
    """Letters of a test under noise, and the risk of the step A there."""
    M, variance = int(rng.integers(3, 30)), rng.uniform(0.1, 1)
    exact = risk.linear_risk(Lambda, None, M, noise_variance=variance, preconditioner=A)
    return {"M": M, r"\sigma": variance**0.5}, float(exact)


@formula("eq-step-risk")
def step_risk(rng: Generator) -> Formula:
    Lambda, A = positive(rng, 3), positive(rng, 3)
    letters, exact = step(rng, Lambda, A)
    given = {r"\Gamma_M": array(lsa.gamma(Lambda, letters["M"])), r"\Lambda": Lambda, "A": A}
    return Formula({**letters, **given}, [("R_M", "=", exact)])


@formula("eq-shares")
def shares(rng: Generator) -> Formula:
    spectrum, share = rng.uniform(0.5, 2, 3), rng.uniform(0, 1, 3)
    letters, exact = step(rng, np.diag(spectrum), np.diag(share / spectrum))
    given = {r"\lambda": spectrum, "s": share, "n": 1 + spectrum.sum() / spectrum}
    return Formula({**letters, **given}, [("R_M", "=", exact)])


def on_the_slice(rng: Generator) -> tuple[FixedCovariance, Any, Any, dict[str, Any]]:
    Lambda, N, letters = training(rng)
    U, u = rng.normal(size=(3, 3)), rng.normal()
    return FixedCovariance(Lambda, N), U, u, {**letters, "U": U, "u": u}


@formula("eq-ell")
def reduced_loss(rng: Generator) -> Formula:
    case, U, u, letters = on_the_slice(rng)
    return Formula(letters, [(r"\tilde\ell(U,u)", "=", float(case.loss(U, u)))])


@formula("eq-flow")
def velocity(rng: Generator) -> Formula:
    case, U, u, letters = on_the_slice(rng)
    dU, du = map(array, case.gradient(U, u))
    return Formula(letters, [("U'", "=", -dU), ("u'", "=", float(-du))])


@formula("eq-gap")
def gap(rng: Generator) -> Formula:
    case, U, u, letters = on_the_slice(rng)
    letters["A"] = u * U
    return Formula(letters, [(r"\tilde\ell-\min\tilde\ell", "=", float(case.gap(U, u)))])
