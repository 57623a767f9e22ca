"""Formulas of docstrings and what they must give, each in a random setting."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import linear_icl
import numpy as np
import torch
from linear_icl import gd_beta, labels, lsa, ltb, risk
from linear_icl.landscape import FixedCovariance
from linear_icl.prompts import Prompts
from linear_icl.random_covariance import Moments

from tests.text.formulas._settings import Generator, array, column, positive, training
from tests.text.formulas.block import block
from tests.text.formulas.layer import started
from tests.text.plain import as_tex

PACKAGE = Path(linear_icl.__file__).parent
Given = tuple[Mapping[str, Any], Any]


@dataclass(frozen=True)
class Said:
    """A formula of `of`'s docstring; `make` gives its letters, in TeX, and its value."""

    of: Any
    formula: str
    make: Callable[[Generator], Given]

    @property
    def name(self) -> str:
        return f"{self.whose}: {self.formula}"

    @property
    def whose(self) -> str:
        """Module and name of what has the docstring, without the package."""
        of = getattr(self.of, "fget", getattr(self.of, "func", self.of))  # of a property
        return f"{of.__module__}.{of.__qualname__}".partition(".")[2]

    @property
    def printed(self) -> int:
        """How often the docstring has it; line breaks are spaces."""
        text = " ".join((inspect.getdoc(self.of) or "").split())
        return text.count(self.formula)


def plainly(letters: Mapping[str, Any]) -> dict[str, Any]:
    """Letters as a docstring writes them."""
    return {as_tex(name): value for name, value in letters.items()}


def gamma(rng: Generator) -> Given:
    letters = training(rng)[2]
    return letters, letters[r"\Gamma"]


def on_slice(rng: Generator, value: Callable[..., Any]) -> Given:
    case, _, _, letters = started(rng)
    U, u = rng.normal(size=(3, 3)), rng.normal()
    return {**letters, "U": U, "u": u}, float(value(case, U, u))


def below_the_bound(rng: Generator) -> Given:
    case, Theta, sigma, letters = started(rng)
    return letters | {r"\sigma": sigma}, float(case.u_lower_bound(sigma, Theta)) ** 2


def sharp(rng: Generator) -> Given:
    case, Theta, sigma, letters = started(rng)
    Lambda, low = letters[r"\Lambda"], case.u_lower_bound(sigma, Theta, sharp=True)
    values = np.linalg.eigvalsh(Lambda)
    gammas = array(lsa.gamma(np.diag(values), letters["N"])).diagonal()
    given = {r"\gamma": gammas, r"\lambda": values, "c": float(low)}
    return given, float(case.pl_constant(sigma, Theta, sharp=True))


def end(rng: Generator) -> Given:
    Lambda, N, letters = training(rng)
    D, g = rng.normal(), float(np.linalg.norm(np.linalg.inv(letters[r"\Gamma"])))
    return {"D": D, "g": g}, float(FixedCovariance(Lambda, N).limit(D)[1]) ** 2


def prediction(rng: Generator, part: str) -> Given:
    Lambda, N, letters = training(rng)
    M, (a, Sigma) = int(rng.integers(3, 30)), (rng.normal(size=3), positive(rng, 3))
    exact = risk.prediction_risk(Lambda, N, M, (a, Sigma, 0.5))
    return {**letters, "M": M, "a": column(a), r"\Sigma": Sigma}, float(getattr(exact, part))


def curve(rng: Generator, part: str) -> Given:
    A, C, Q, w = rng.normal(size=(3, 3)), positive(rng, 3), positive(rng, 3), rng.normal(size=3)
    found = risk.risk_curve(
        C, None, task=w, noise_variance=0.3, query_covariance=Q, preconditioner=A
    )
    letters = {"A": A, "C": C, "Q": Q, "w": column(w), "I": np.eye(3), "noise_variance": 0.3}
    return {**letters, "K": A.T @ C}, float(getattr(found, part))


def least_squares(rng: Generator) -> Given:
    C, Q, M = positive(rng, 3), positive(rng, 3), int(rng.integers(6, 20))
    value = risk.ols_risk(C, M, noise_variance=0.7, query_covariance=Q)
    return {"C": C, "Q": Q, "M": M, "d": 3, "noise_variance": 0.7}, float(value)


def averaged(rng: Generator) -> Given:
    Lambda, N, letters = training(rng)
    M, kappa = int(rng.integers(3, 30)), float(np.linalg.cond(Lambda))
    return {**letters, "M": M, r"\kappa": kappa}, float(risk.averaged_bound(Lambda, N, M))


def random_risk(rng: Generator) -> Given:
    d, N, M, c = int(rng.integers(2, 5)), int(rng.integers(2, 9)), int(rng.integers(2, 9)), 1.7
    m = (1.0, rng.uniform(1.2, 2), 9.0)
    kappa = N * m[1] / ((N + 2) * m[2] + (d - 1) * m[0] * m[1])
    value = risk.random_covariance_risk(Moments(*m), d, N, M, scale=c)
    letters = {"d": d, "M": M, "c": c, r"\kappa": kappa}
    return {**letters, **{f"m_{k + 1}": one for k, one in enumerate(m)}}, float(value)


def of_setting(rng: Generator, value: Callable[[Any], Any]) -> Given:
    setting, letters = block(rng)
    given = {r"\Phi": array(setting.Phi), "a": (setting.length + 1) / setting.length}
    return {**letters, **given, "I": np.eye(3)}, array(value(setting))


def gd_risk(rng: Generator) -> Given:
    setting, letters = block(rng)
    A, D, H = rng.normal(size=(3, 3)), rng.normal(size=(3, 1)), letters["H"]
    h, M = H @ D, setting.length
    Omega_D = (M + 1) / M * h @ h.T + float(D[:, 0] @ H @ D[:, 0]) / M * H
    given = {"D": D, "h": h, "A": A, r"\Omega_D": Omega_D}
    at = (letters[r"\beta^\ast"] - D)[:, 0]
    value = float(gd_beta.risk(setting, at, A))
    return {**letters, **given, r"\Omega_0": array(setting.Omega_0)}, value


def share_of_the_sum(setting: ltb.Setting) -> float:
    """c of the two-sided bound: the lower bound over the upper one is c²."""
    low, high = map(float, gd_beta.near_bayes_bounds(setting))
    return math.sqrt(low / high)


def label(rng: Generator, model: str, part: str) -> Given:
    """A moment of a label model, by its name in `labels`."""
    Lambda, w, v = positive(rng, 3), rng.normal(size=3), rng.normal(size=3)
    k, variance, q = rng.uniform(0.2, 1), rng.uniform(0.2, 1), float(v @ Lambda @ v)
    more = {"Quadratic": (v, k), "Noisy": (variance,)}.get(model, ())
    value = array(getattr(getattr(labels, model)(w, *more).moments(Lambda), part))
    letters = {"k": k, "q": q, "variance": variance, r"\pi": math.pi}
    given = {r"\Lambda": Lambda, "w": column(w), "v": column(v)}
    return {**letters, **given}, column(value) if part == "a" else value


def said_of_labels(model: str, part: str, formula: str) -> Said:
    def make(rng: Generator) -> Given:
        letters, value = label(rng, model, part)
        return letters, (part, "=", value) if "=" in formula else value

    return Said(getattr(labels, model), formula, make)


def of_model(x: Any, y: Any) -> Prompts:
    """One context, asked about each axis."""
    axes, n = torch.eye(x.shape[1]).double(), x.shape[1]
    return Prompts(x.expand(n, *x.shape), y.expand(n, *y.shape), axes, torch.zeros(n).double())


def posterior(rng: Generator, ask: Callable[[Any, Prompts], Any]) -> Given:
    """A context X, y of five points, and what is asked of it."""
    setting, letters = block(rng)
    x, y, query = (torch.as_tensor(rng.normal(size=size)) for size in ((5, 3), (5,), (3, 3)))
    prompts = Prompts(x.expand(3, 5, 3), y.expand(3, 5), query, torch.zeros(3).double())
    return {**letters, "X": array(x), "y": column(y), "I": np.eye(3)}, ask(setting, prompts)


def bayes_slope(setting: Any, prompts: Prompts) -> Any:
    answers = array(gd_beta.bayes(prompts, setting))
    return np.linalg.solve(array(prompts.x_query), answers)[:, None]


def bayes_left(setting: Any, prompts: Prompts) -> float:
    return float(gd_beta.posterior_variance(setting, prompts.x)[0])


DOCSTRINGS = (
    Said(lsa.gamma, "(1 + 1/N)Λ + (tr Λ/N) I", gamma),
    Said(
        FixedCovariance,
        "tr[½ u² ΓΛ U Λ Uᵀ − u Λ² Uᵀ]",
        lambda rng: on_slice(rng, lambda case, U, u: case.loss(U, u)),
    ),
    Said(
        FixedCovariance,
        "½ ‖Γ^½ (u Λ^½ U Λ^½ − Λ Γ⁻¹)‖²_F",
        lambda rng: on_slice(rng, lambda case, U, u: case.gap(U, u)),
    ),
    Said(
        FixedCovariance,
        "−½ tr(Λ²Γ⁻¹)",
        lambda rng: on_slice(rng, lambda case, U, u: case.minimum),
    ),
    Said(FixedCovariance, "σ²‖ΛΘ‖²_F (2 − √d σ²‖Γ‖_op)/(2√d ‖Λ‖²_op)", below_the_bound),
    Said(FixedCovariance, "2c² min_i γ_iλ_i²", sharp),
    Said(FixedCovariance.limit, "(D + √(D² + 4g²))/2", end),
    Said(risk.prediction_risk, "tr[ΣΓ⁻²Λ]/M", lambda rng: prediction(rng, "variance")),
    Said(risk.prediction_risk, "‖Γ⁻¹(Λ + tr Λ I)a‖²_Λ/N²", lambda rng: prediction(rng, "bias")),
    Said(risk.risk_curve, "‖(K - I)w‖²_Q", lambda rng: curve(rng, "floor")),
    Said(
        risk.risk_curve,
        "‖Kw‖²_Q + tr(AQAᵀC)(wᵀCw + noise_variance)",
        lambda rng: curve(rng, "slope"),
    ),
    Said(risk.ols_risk, "noise_variance · tr(QC⁻¹)/(M - d - 1)", least_squares),
    Said(risk.averaged_bound, "(d+1)tr Λ/M + (1 + 2d + d²κ)tr Λ/N²", averaged),
    Said(
        risk.random_covariance_risk,
        "d { κ²c³[(M+2)m_3 + (d-1)m_1m_2]/M - 2κc²m_2 + cm_1 }",
        random_risk,
    ),
    Said(ltb.Setting, "aΦ + (τ/M)I", lambda rng: of_setting(rng, lambda s: s.Omega)),
    Said(ltb.Setting, "aHΨH + (τ/M)H", lambda rng: of_setting(rng, lambda s: s.Omega_0)),
    Said(
        ltb.infimum,
        "σ² + Σ_i φ_i(φ_i + τ)/((M+1)φ_i + τ)",
        lambda rng: of_setting(rng, ltb.infimum),
    ),
    Said(
        ltb.gap_lower_bound,
        "‖β*‖²_H/(M+1)",
        lambda rng: of_setting(rng, ltb.gap_lower_bound),
    ),
    Said(ltb.no_mixing_gap, "2‖β*‖²_H/(M+2)", lambda rng: of_setting(rng, ltb.no_mixing_gap)),
    Said(
        gd_beta.Landscape,
        "τ + ‖D‖²_H - 2tr(A(HΨH + hhᵀ)) + tr(HA(Ω_0 + Ω_D)Aᵀ)",
        gd_risk,
    ),
    Said(
        gd_beta.optimum,
        "(((M+1)/M)H + (τ/M)Ψ⁻¹)⁻¹",
        lambda rng: of_setting(rng, lambda s: gd_beta.optimum(s).A),
    ),
    Said(
        gd_beta.bayes,
        "β* + Ψ^½(Ψ^½XᵀXΨ^½ + σ²I)⁻¹Ψ^½Xᵀ(y - Xβ*)",
        lambda rng: posterior(rng, bayes_slope),
    ),
    Said(
        gd_beta.posterior_variance,
        "tr(H(XᵀX/σ² + Ψ⁻¹)⁻¹)",
        lambda rng: posterior(rng, bayes_left),
    ),
    Said(
        gd_beta.near_bayes_bounds,
        "(M+2)/(2(M+1))",
        lambda rng: of_setting(rng, share_of_the_sum),
    ),
    Said(
        ltb.swapped_block,
        "φ_1²(2τ² + 2(M+2)trΦ² - 2φ_1²)/((M+1)φ_1 + τ)² / Σ_{i>1} φ_i²",
        lambda rng: of_setting(rng, lambda s: ltb.swapped_block(s).ratio),
    ),
    said_of_labels("Noiseless", "Sigma", "wᵀΛw Λ + ΛwwᵀΛ"),
    said_of_labels("Noisy", "Sigma", "(wᵀΛw + variance)Λ + ΛwwᵀΛ"),
    said_of_labels("Quadratic", "Sigma", "wᵀΛw Λ + ΛwwᵀΛ + k²(3q²Λ + 12q ΛvvᵀΛ)"),
    said_of_labels("Quadratic", "best", "best = 3k²q²"),
    said_of_labels("Relu", "a", "w/2"),
    said_of_labels("Sign", "a", "√(2/(π wᵀΛw)) w"),
    said_of_labels("Sign", "Sigma", "Λ - (2/π) ΛwwᵀΛ/(wᵀΛw)"),
    said_of_labels("Sign", "best", "1 - 2/π"),
    said_of_labels("Relu", "Sigma", "½ wᵀΛw Λ + ¾ ΛwwᵀΛ"),
    said_of_labels("Relu", "best", "wᵀΛw/4"),
)


def public(folder: Path = PACKAGE) -> Iterator[tuple[str, str]]:
    """Name and docstring, on one line, of what a reader of the API can meet."""
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[-1] == "_law" or not any(part.startswith("_") for part in parts):
            yield from _within(ast.parse(path.read_text("utf-8")), ".".join(parts))


def _within(node: ast.Module | ast.ClassDef, name: str) -> Iterator[tuple[str, str]]:
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.ClassDef) and child.name[0] != "_":
            text = (ast.get_docstring(child) or "").partition(">>>")[0]
            yield f"{name}.{child.name}", " ".join(text.split())
            if isinstance(child, ast.ClassDef):
                yield from _within(child, f"{name}.{child.name}")


def not_evaluated(text: str, formulas: Iterable[str]) -> list[str]:
    """What follows each = and has a sign, a quotient, a root or a power, but stands in no row.

    A row may leave out a first factor (ŷ = x_queryᵀ(…)) and cover the = right after it.
    """
    spans = [(at, at + len(one)) for one in formulas if (at := text.find(one)) >= 0]
    found = []
    for sign in re.finditer(r"(?<=\s)=\s", text):
        right = re.match(r"(?:[^,;.:]|[,;.:](?=\S))*", text[sign.end() :])
        told = (right[0] if right else "").partition(" = ")[0]
        inside = any(first - 15 <= sign.end() <= last + 3 for first, last in spans)
        if re.search(r"[-+−/√²³⁴½¾]", told) and not inside:
            found.append(told)
    return found
