"""Chapters 6, 7 and 9: the linear transformer block, steps with a learned start, several layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from linear_icl import deep, gd_beta, ltb, prompts

from tests.text.formulas._settings import Generator, array, column, formula, positive, quadratic
from tests.text.printed import Formula


def block(rng: Generator, d: int = 3) -> tuple[ltb.Setting, dict[str, Any]]:
    """A setting of the second paper and its letters."""
    M, beta, variance = int(rng.integers(2, 9)), rng.normal(size=d), rng.uniform(0.2, 1)
    setting = ltb.Setting(positive(rng, d), positive(rng, d), beta, variance, M)
    letters = {
        "H": array(setting.H), r"\Lambda": array(setting.H), r"\Psi": array(setting.Psi),
        r"\beta^\ast": column(beta), "M": M, "d": d, r"\sigma": variance**0.5,
        r"\tau": float(setting.tau), r"\varphi": array(setting.phi),
    }  # fmt: skip
    return setting, letters


@formula("eq-ltb-gap")
def ltb_gap(rng: Generator) -> Formula:
    setting, letters = block(rng)
    bound = float(ltb.gap_lower_bound(setting))
    return Formula(letters, [(r"R_{\mathrm{layer}}-R_{\mathrm{block}}", r"\ge", bound)])


@formula("eq-gd-min")
def gd_min(rng: Generator) -> Formula:
    setting, letters = block(rng)
    return Formula(letters, [(r"R_{\text{block}}", "=", float(gd_beta.optimum(setting).risk))])


@formula("eq-gd-risk")
def gd_risk(rng: Generator) -> Formula:
    """Q(A) is what the risk at β* + β̄ adds to that at β*, a quadratic form in β̄."""
    setting, letters = block(rng, 2)
    A, miss = rng.normal(size=(2, 2)), rng.normal(size=(2, 1))
    start = letters[r"\beta^\ast"]

    def at(miss: np.ndarray) -> float:
        return float(gd_beta.risk(setting, (start + miss)[:, 0], A))

    zero = at(np.zeros((2, 1)))
    Q = quadratic(lambda miss: at(miss) - zero, 2)
    given = {"A": A, r"\bar\beta": miss, "Q(A)": Q, r"\Omega_0": array(setting.Omega_0)}
    return Formula({**letters, **given}, [(r"R(\beta,A)", "=", at(miss)), ("Q(A)", "=", Q)])


@formula("eq-two-sided")
def two_sided(rng: Generator) -> Formula:
    setting, letters = block(rng)
    low, high = map(float, gd_beta.near_bayes_bounds(setting))
    return Formula(letters, [(low, r"\le", r"R_{\text{block}}-\sigma^2", r"\le", high)])


@formula("eq-gd-limit")
def gd_limit(rng: Generator) -> Formula:
    """A singular H, so that Π is not I."""
    M, direction = int(rng.integers(2, 9)), rng.normal(size=(3, 2))
    H, Psi, beta = direction @ direction.T, positive(rng, 3), rng.normal(size=3)
    setting = ltb.Setting(H, Psi, beta, 0.5, M)
    start = rng.normal(size=3), rng.normal(size=(3, 3))
    end = [array(one) for one in gd_beta.Landscape(setting).limit(*start)]
    best = gd_beta.optimum(setting)
    letters = {
        "I": np.eye(3), r"\Pi": H @ np.linalg.pinv(H), r"\beta^\ast": column(beta),
        r"A^\ast": array(best.A), r"\beta(0)": column(start[0]), "A(0)": start[1],
    }  # fmt: skip
    return Formula(letters, [(r"\beta(t)", r"\to", column(end[0])), ("A(t)", r"\to", end[1])])


@formula("eq-swapped-condition")
def swapped_condition(rng: Generator) -> Formula:
    """`ratio` is the left side over the right one."""
    setting, letters = block(rng)
    phi = letters[r"\varphi"]
    right = setting.length**2 * float((phi[1:] ** 2).sum())
    s = phi / ((setting.length + 1) * phi + setting.tau.item()) * setting.length
    ratio = float(ltb.swapped_block(setting).ratio)
    return Formula({**letters, "s": s}, [(ratio * right, ">", right)])


@formula("prp-deep-steps v_{l+1}=")
def deep_step(rng: Generator) -> Formula:
    """v_L is read off the layers' predictions for the queries e_1, …, e_d."""
    M, d = int(rng.integers(3, 9)), 2
    x, y, A = rng.normal(size=(M, d)), rng.normal(size=M), rng.normal(size=(2, d, d))
    W_KQ, W_PV = np.zeros((2, 2, d + 1, d + 1))
    W_KQ[:, :d, :d], W_PV[:, d, d] = -A, 1.0
    every = [np.broadcast_to(one, (d, *one.shape)) for one in (x, y)]
    asked = prompts.Prompts(*map(torch.tensor, (*every, np.eye(d), np.zeros(d))))
    first, second = (
        column(deep.LinearTransformer(W_KQ[:L], W_PV[:L]).predict(asked)) for L in (1, 2)
    )
    letters = {"v_l": first, "A_l": A[1], "x": x[:, :, None], "y": y, "M": M}
    return Formula(letters, [("v_{l+1}", "=", second)])
