"""Words at the axes of figures: each label beside the code of its page that puts this there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import jupytext

from tests.text.page import unlike

# What the label of a control says, by its name: the argument that it sets, or the key in a script.
CONTROLS: Mapping[str, str] = {
    "B": r"B, prompts in training",
    "M": r"M, points (?:in the context|in a context|at test)",
    "N": r"N(?:, length in training|, points a prompt in training)?",
    "S": r"S, this context; 0 is an empty one",
    "SHARE": r"p, share of prompts with the first variance",
    "U": r"U, compares points",
    "beta": r"β\*, mean of the tasks",
    "case": r"eigenvalues and u₀",
    "d": r"d, dimension",
    "decay": r"a, decay of the variances",
    "dim": r"d, dimension",
    "exactly": r"1/α, variance served exactly",
    "family": r"covariance in training",
    "k": r"k, factor of all labels",
    "kappa": r"κ, condition number",
    "label": r"labels",
    "layers": r"steps",
    "length": r"N(?: = M, length of prompts|, length of the prompts)",
    "noise": r"σ², noise(?: in the labels| at test)?",
    "query": r"the query is",
    "rate": r"growth rate",
    "ratio": r"u₁₂ = u₂₁ at the start, as a share of u",
    "scale": r"output scale|(?:c, )?scale of the points(?: at test)?",
    "shape": r"k, shape of the law",
    "share": r"η as a share of the longest stable",
    "sharpness": r"1/ρ, sharpness",
    "sigma": r"u₀, size of the start",
    "spread": r"σ, noise in the labels",
    "signal": r"‖β\*‖ in Λ, the common signal",
    "size": r"u₀, size of the start",
    "test": r"at test",
    "train_length": r"N, length in training",
    "turn": r"turn of the points",
    "u": r"u, copies labels",
    "u12": r"u₁₂, copies points",
    "u21": r"u₂₁, compares labels",
    "u_0": r"u₀, size of the start",
}
# Where a script means another number by its key than the pages do.
SCRIPTED = {"noise": "spread"}
# By figure, in the order x, y, z: the label, and code of the page by which it is true.
AXES: Mapping[str, Mapping[str, str]] = {
    # distribution_shifts
    "fig-labels": {
        "M, points in the context": "(Lambda, N, lengths, MODELS[label].moments(Lambda))",
        "risk": '"trained layer": exact.total',
    },
    "fig-lengths": {
        "M, points at test": "(covariance, finer, trained, noise_variance=noise)",
        "N, points in training": '"best N": finer[fine.argmin(0)]',
        "risk": "grid = risk.linear_risk(",
    },
    "fig-garg": {
        "share of the way": "SHARES.items()}, xlabel=",
        "error, silence is 1": "(grid, (1 - grid) ** 2)",
    },
    # gd_beta
    "fig-miss": {
        "step in the first direction": "short = (1 - steps) ** 2",
        "share that stays": '"the other direction": (wobble, wobble + second**2 / M)',
    },
    "fig-learners": {
        "M, points in the context": "noise, int(M)) for M in lengths]",
        "error R − σ²": '"step from zero": [gd_beta.gd_zero(case).risk - noise',
    },
    "fig-directions": {
        "direction i": "phi = place ** -float(decay)",
        "share of the way": '"share of the way": share',
    },
    "fig-bayes-ratio": {
        "M, points in the context": "length=int(M)) for M in lengths]",
        "times Bayes's error": "one_step(case) / bayes_error(case.length, noise)",
    },
    "fig-step-lengths": {
        "M, length at test": "here.replace(length=int(M)) for M in test_lengths]",
        "error R − σ²": "gd_beta.risk(case, step.beta, step.A) - noise",
    },
    "fig-flow-plane": {
        "β": '"paths": (joined(b[..., 0]),',
        "A": "joined(A[..., 0, 0])),",
    },
    "fig-block-flow": {
        "time t": "(joined(clock.expand_as(rows)),",
        "risk": "lines(flow.loss[~above])",
    },
    # icl_definitions
    "fig-risks": {
        "M, points in the context": "[step_risk(A, int(M), noise) for M in lengths]",
        "risk": "rows = {k: [step_risk(A,",
    },
    "fig-shares": {
        "share of the way": '"averaging": (plain, bracket(plain, n))',
        "risk, silence is 1": "(1 - s) ** 2 + n / N * s**2",
    },
    "fig-finite-tasks": {
        "B, training prompts": "fitted(running, int(B), length, 40), length) for B in tasks]",
        "risk": '"excess": [risk.quantile(0.5) - best for risk in risks]',
    },
    # lsa_quadratic_reduction
    "fig-softmax": {"query x": '"true line": queries', "prediction": "linear(E)[:, 1, 12]"},
    "fig-saddle": {
        "U, key": "5 * grid * grid[:, None]",
        "u, value": '"up": (way, -way)',
        "loss": "- 2).square() / 2",
    },
    # pl_convergence
    "fig-bowls": {"U": "(u * grid - 0.5) ** 2", "loss L": "name: L.where(L < 1"},
    "fig-plateau": {
        "time t": "case.start(sigma, Theta), times)",
        "loss L": '"loss": flow.gap + floor',
    },
    "fig-spectrum": {
        "time t": "case.start(sigma), late)",
        "progress": 'f"direction {i + 1}": progress[:, i]',
    },
    "fig-race": {
        "time t": "mixed_start(0.1, ratio), window",
        "loss and sizes": '"loss": flow.loss, "best possible loss"',
    },
    # primer
    "fig-descent": {
        "time t, or number of steps times step size": "k = (t / eta).round()",
        "θ": '"flow": (-t).exp()',
    },
    "fig-pl-wavy": {"x": "f, slope = x**2", "f and its PL ratio": '{"f": f, "f′² / f": ratio}'},
    # random_covariance
    "fig-served": {
        "λ": "left = (variances / exactly - 1) ** 2",
        "relative to silence": '"left along λ": left',
    },
    "fig-random-flow": {
        "time t": "case.start(u_0, Theta), times)",
        "uU": '"uU₁₁": product[:, 0, 0]',
    },
    "fig-random-risk": {
        "c, scale of the points at test": '"zero": scales**2',
        "risk / d": "paid = lambda step: scales**2 *",
    },
    "fig-witness": {"query": '"answers": (x,', "answer": "variance * x / 3)"},
    # ltb_vs_lsa
    "fig-clouds": {
        "deviation of the task from β*": '"best layer": (deviation,',
        "estimate of the deviation": "(U[0] * x + u_21 * y)).mean(1) - beta",
    },
    "fig-price": {
        "β*, the mean": "ltb.Setting([[1.0]], [[1.0]], [1.0], noise, M)",
        "price · (M + 1) / β*²": "[(case.length + 1) * gap(t) / t**2 for t in sizes]",
    },
    "fig-price-plane": {
        "size of the mean": "ltb.Setting(Lambda, I, beta_star / 2, noise, M)",
        "price / lower bound": '"price": price_per_unit(case), "lower bound": 1.0',
    },
    "fig-readout": {
        "training step": "steps, values = torch.arange(51.0) * 20",
        "read-out": '{"r₁": r_path[:, 0]',
    },
    "fig-valleys": {
        "s, size of the mean": "beta_star=s * beta_star)) for s in scales]",
        "price / ‖β*‖²": '"lower": low / (4 * scales**2)',
    },
    # nonlinear_transformers
    "fig-ladder": {"risk": '"three seeds": seeds("random", "random_1", N)}'},
    "fig-families": {"M": "def one_step(family, test, M=lengths,", "risk": "seeds(family, name)"},
    "fig-beyond": {
        "M, examples in the context": "def one_step(family, test, M=lengths,",
        "risk": "how(seeds(f + kind, TESTS[t][0]), 0)",
    },
    "fig-mean": {"risk": '"the start alone": {"exact": 5.0}'},
    "fig-shifts": {"risk": "silent = SHIFTS[name](d).risk("},
    "fig-distance": {
        "M": 'APART["fixed"]["lengths"][:-1]',
        "distance": 'torch.tensor(own["distances"][key])',
    },
    "fig-blocks": {
        "M": "stopped(own) for f, own in APART.items()",
        "share left": 'torch.tensor(after["truth"])[:, :-1] / 20',
    },
    "fig-depth": {"share left": 'return [one["mean"] / 20 for one in at_N]'},
    "fig-own-model": {
        "M, examples in the context": "few = lengths[1 : 2 * N + 1]",
        "risk": 'one_step("random", "random, c = 1", few)',
    },
    "fig-claims-wide": {"risk, as it is compared": "figures.claims(WIDE_CLAIMS.values()"},
    "fig-claims-record": {"risk, as it is compared": "figures.claims(CLAIMS.values()"},
    "fig-wide": {
        "M": 'LONG["fixed"]["curves"]["fixed"]["lengths"][1:]',
        "risk": 'one["mean"] for one in own["seeds"]',
    },
    "fig-learning": {
        "step": 'LONG["fixed"]["training"]["steps"][1:]',
        "per cent left": '{"transformer": 5 * left,',
    },
    # open_questions
    "fig-starts": {
        "|Z|, the right mode": "return right.abs(), swapped,",
        "|Z′|, the swapped mode": "for part in (Z, swapped))",
    },
    "fig-steps": {"‖U‖": '"descent": (norm[early],', "u": "u[early])"},
    "fig-fitted": {
        "B, prompts in training": "for part in fitted(B)] for B in sets]",
        "risk": '"on new prompts": medians[:, 1] + best',
    },
    "fig-steps-repel": {
        "first step": '"best": ([1 / 6],',
        "second step": '"swapped": ([1 / 2], [1 / 6])',
    },
    "fig-keys": {
        "time t": "problem.start(size), moments)",
        "loss L": '"merged": merged.gap + floor',
    },
    # using_the_package
    "fig-own-figure": {"time": "(-rate * t).exp()", "u": '{"u": 1 / (1 + 99 *'},
}


def faults(page: Path) -> list[str]:
    """What is wrong at the axes of a page's figures."""
    cells = [cell for cell in jupytext.read(page).cells if cell.cell_type == "code"]
    code = " ".join(" ".join(cell.source for cell in cells).split())
    found = []
    for cell in cells:
        tree = ast.parse(cell.source)
        name = cell.metadata.get("mystnb", {}).get("figure", {}).get("name", "a figure")
        labels = list(drawn(tree))
        known = AXES.get(name, {})
        if labels != list(known):
            found.append(f"{name} has the labels {labels}, tests/text/axes.py {list(known)}")
        found += [f"{name}: no cell has {by!r} any more" for by in known.values() if by not in code]
        found += [f"{name}: {fault}" for fault in misnamed(controls(tree))]
    return found


def misnamed(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Controls whose whole label is not what CONTROLS has for them."""
    whole = {control: rf"\A(?:{words})\Z" for control, words in CONTROLS.items()}
    return [f"the control {fault}" for fault in unlike(pairs, whole)]


def scripted(script: str) -> list[tuple[str, str]]:
    """Key and label of the controls that a script of an explorable makes; its noise is σ."""
    found = re.findall(r'\b(\w+)(?::| =) \{\s*label: "([^"]*)"', script)
    return [(SCRIPTED.get(key, key), label) for key, label in found]


def drawn(tree: ast.AST) -> Iterator[str]:
    """The labels that a cell gives to axes, x first."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        given = {word.arg: word.value for word in call.keywords}
        if ast.unparse(call.func).startswith("LiveFigure"):
            dicts = [*call.args[2:4], *(given[name] for name in "xyz" if name in given)]
            for one in (node for node in dicts if isinstance(node, ast.Call)):
                yield from (ast.literal_eval(w.value) for w in one.keywords if w.arg == "label")
        for name in ("xlabel", "ylabel", "zlabel"):
            if name in given:
                yield ast.literal_eval(given[name])


def controls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Name and label of each Axis."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if ast.unparse(call.func) == "Axis":
            name, _, label = call.args[:3]
            yield ast.literal_eval(name), ast.literal_eval(label)
