"""Words at the axes of figures, beside the names that the code of their page has for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    "share": r"η over the longest stable",
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
# By figure, in the order x, y, z: an exchange is seen, and a label that changes is read again.
AXES: Mapping[str, Sequence[str]] = {
    # distribution_shifts
    "fig-labels": ("M, points in the context", "risk"),
    "fig-lengths": ("M, points at test", "N, points in training", "risk"),
    "fig-garg": ("share of the way", "error, silence is 1"),
    # gd_beta
    "fig-miss": ("step in the first direction", "share that stays"),
    "fig-learners": ("M, points in the context", "error R − σ²"),
    "fig-directions": ("direction i", "share of the way"),
    "fig-bayes-ratio": ("M, points in the context", "times Bayes's error"),
    "fig-step-lengths": ("M, length at test", "error R − σ²"),
    "fig-flow-plane": ("β", "A"),
    "fig-block-flow": ("time t", "risk"),
    # icl_definitions
    "fig-risks": ("M, points in the context", "risk"),
    "fig-shares": ("share of the way", "risk, silence is 1"),
    "fig-finite-tasks": ("B, training prompts", "risk"),
    # lsa_quadratic_reduction
    "fig-softmax": ("query x", "prediction"),
    "fig-saddle": ("U, key", "u, value", "loss"),
    # pl_convergence
    "fig-bowls": ("U", "loss L"),
    "fig-plateau": ("time t", "loss L"),
    "fig-spectrum": ("time t", "progress"),
    "fig-race": ("time t", "loss and sizes"),
    # primer
    "fig-descent": ("time t, or number of steps times step size", "θ"),
    "fig-pl-wavy": ("x", "f and its PL ratio"),
    # random_covariance
    "fig-served": ("λ", "relative to silence"),
    "fig-random-flow": ("time t", "uU"),
    "fig-random-risk": ("c, scale of the points at test", "risk / d"),
    "fig-witness": ("query", "answer"),
    # ltb_vs_lsa
    "fig-clouds": ("deviation of the task from β*", "estimate of the deviation"),
    "fig-price": ("β*, the mean", "price · (M + 1) / β*²"),
    "fig-price-plane": ("size of the mean", "price / lower bound"),
    "fig-readout": ("training step", "read-out"),
    "fig-valleys": ("s, size of the mean", "price / ‖β*‖²"),
    # nonlinear_transformers
    "fig-ladder": ("steps", "per cent left"),
    "fig-families": ("M", "risk"),
    "fig-beyond": ("M, examples", "per cent left"),
    "fig-longer": ("M, examples in the context", "risk"),
    "fig-first-seeds": ("M", "per cent apart"),
    "fig-mean": ("risk",),
    "fig-shifts": ("share left",),
    "fig-distance": ("M, examples", "per cent apart"),
    "fig-order": ("M, examples", "per cent apart"),
    "fig-filter": ("eigenvalue λ", "part found"),
    "fig-edge": ("largest eigenvalue", "per cent left"),
    "fig-size": ("per cent left",),
    "fig-learned": ("training steps", "per cent left"),
    "fig-told": ("places earlier", "per cent left"),
    "fig-scatter": ("label", "answer"),
    "fig-moving": ("M, examples", "per cent"),
    "fig-missed": ("eigenvalue λ", "|part missed|"),
    "fig-parts": ("largest eigenvalue", "per cent by order"),
    "fig-depth": ("share left",),
    "fig-variants": ("share left",),
    "fig-own-model": ("M, examples in the context", "risk"),
    "fig-claims-wide": ("risk, as it is compared",),
    "fig-claims-record": ("risk, as it is compared",),
    "fig-wide": ("M", "risk"),
    "fig-learning": ("step", "per cent left"),
    # open_questions
    "fig-starts": ("lead",),
    "fig-chance": ("size of the start", "share"),
    "fig-steps": ("training steps", "u"),
    "fig-map": ("value scalar u", "swapped mode"),
    "fig-noise": ("training steps", "place along the valley"),
    "fig-sharp": ("u along the valley", "sharpness"),
    "fig-zeros": ("variance s", "risk there"),
    "fig-clock": ("clock ∫u", "part known"),
    "fig-span": ("first entry of the task", "second entry"),
    "fig-fitted": ("B / free weights", "multiple"),
    "fig-steps-repel": ("first step", "second step"),
    "fig-keys": ("time t", "loss L"),
    "fig-heads": ("N, examples", "risk over linear attention's"),
    # using_the_package
    "fig-own-figure": ("time", "u"),
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
        known = list(AXES.get(name, []))
        if labels != known:
            found.append(f"{name} has the labels {labels}, tests/text/axes.py {known}")
        for label, values in along(tree):
            letters = called(values, code)
            if len(letter := label.split(",")[0]) == 1 and letters and letter not in letters:
                found.append(f"{name} has {label!r} along {values}, in the code {letters}")
        found += [f"{name}: {fault}" for fault in misnamed(controls(tree))]
    return found


def along(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Label of each axis along values that have a name, and that name."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        given = {word.arg: word.value for word in call.keywords}
        values, label = given.get("values"), given.get("label")
        if "xlabel" in given and call.args:
            values, label = call.args[0], given["xlabel"]
        if isinstance(values, ast.Name) and label:
            yield ast.literal_eval(label), values.id


def called(values: str, code: str) -> list[str]:
    """The single letters by which code goes through the values, or takes them."""
    return re.findall(rf"\b(\w)(?: in |=){values}\b", code)


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
