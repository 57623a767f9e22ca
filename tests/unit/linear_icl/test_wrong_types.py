"""An object of another class than the one asked for is a TypeError that says what to write."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from linear_icl import _checks, estimators, gd_beta, labels, landscape, lsa, ltb, risk, training
from linear_icl.flow import gradient_flow
from linear_icl.nonlinear import Transformer, train
from linear_icl.prompts import GaussianPrompts, Prompts, embedding
from linear_icl.random_covariance import (
    DiagonalCovariance,
    Exponential,
    Gamma,
    RandomCovariancePrompts,
    RotatedCovariance,
)
from linear_icl.risk import prediction_risk, random_covariance_risk
from linear_icl.settings import for_setting

from tests.unit.common import eye, refuses, seeded, setting

EYE = eye(2)
FIXED = landscape.FixedCovariance(EYE, 8)
LAYER = lsa.LinearSelfAttention(*lsa.limit_weights(EYE, 8))
BLOCK = ltb.LinearTransformerBlock.attention_only(*lsa.limit_weights(EYE, 8))


def takes_a_setting() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function and class of `ltb` and `gd_beta` with an argument `setting`."""
    for module in (ltb, gd_beta):
        for name in module.__all__:
            found = getattr(module, name)
            if "setting" in inspect.signature(found).parameters:
                yield f"{module.__name__.removeprefix('linear_icl.')}.{name}", found


SETTINGS = dict(takes_a_setting())


def test_there_are_functions_of_a_setting_in_both_modules() -> None:
    assert {"ltb.risk", "ltb.lsa_infimum", "gd_beta.bayes", "gd_beta.Landscape"} <= set(SETTINGS)
    assert len(SETTINGS) >= 20


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    ("value", "got"),
    [
        (EYE, "Tensor"),
        (None, "NoneType"),
        (GaussianPrompts(EYE), "GaussianPrompts"),
        (ltb.Setting, "the class Setting"),
    ],
)
def test_what_is_no_setting_is_named(name: str, value: Any, got: str) -> None:
    function = SETTINGS[name]
    arguments = {
        own: value if own == "setting" else EYE
        for own, parameter in inspect.signature(function).parameters.items()
        if parameter.default is inspect.Parameter.empty
    }
    message = rf"^setting must be a Setting, got {got}; write ltb\.Setting\(\.\.\.\)$"
    with pytest.raises(TypeError, match=message):
        function(**arguments)
    with pytest.raises(TypeError, match=message):
        function(*arguments.values())


def test_a_setting_passes_by_name_and_by_place_and_one_that_is_missing_is_told() -> None:
    own = setting()
    assert ltb.infimum(own) == ltb.infimum(setting=own)
    assert gd_beta.Landscape(setting=own).setting is own
    with pytest.raises(TypeError, match=r"setting must be given, a Setting; write ltb.Setting"):
        ltb.infimum()  # type: ignore[call-arg]


def test_the_decorator_keeps_name_text_and_signature() -> None:
    def own(x: int, setting: ltb.Setting) -> int:
        """What it does."""
        return x

    found = for_setting(own)
    assert (found.__name__, found.__doc__) == ("own", "What it does.")
    assert inspect.signature(found) == inspect.signature(own)


@pytest.mark.parametrize(
    ("use", "value", "message"),
    [
        (
            lambda law: DiagonalCovariance(law, 2, 8),
            Exponential,
            r"law must be one of .*, got the class Exponential; write Exponential\(\)$",
        ),
        (
            lambda law: RotatedCovariance(law, 2, 8),
            Gamma,
            r"law must be one of .*, got the class Gamma; write Gamma\(\.\.\.\)$",
        ),
        (
            lambda law: DiagonalCovariance(law, 2, 8),
            [Exponential(), 7],
            r"law must be one of .*, got int; write e\.g\. Exponential\(\)$",
        ),
        (
            lambda law: RandomCovariancePrompts(law, 2),
            labels.Sign,
            r"law must .*, got the class Sign; write e\.g\. Exponential\(\)$",
        ),
        (
            lambda law: random_covariance_risk(law, 2, 8, 8),
            Exponential,
            r"law must be one with a method moment\(k\), got the class Exponential; write Exp",
        ),
        (
            lambda law: random_covariance_risk(law, 2, 8, 8),
            "Exp",
            r"law must be one with a method moment\(k\), got str; write e\.g\. Exponential\(\)",
        ),
        (
            lambda moments: prediction_risk(EYE, 8, 8, moments),
            labels.Noiseless([1, 2]),
            r"moments must be \(a, Sigma, best\), got Noiseless; call \.moments\(covariance\)",
        ),
        (
            lambda landscape: gradient_flow(landscape, (EYE, EYE[0, 0]), [1.0]),
            landscape.FixedCovariance,
            r"landscape must be one with loss and gradient, got the class FixedCovariance; "
            r"write FixedCovariance\(\.\.\.\)$",
        ),
        (
            lambda landscape: gradient_flow(landscape, (EYE, EYE[0, 0]), [1.0]),
            EYE,
            r"landscape must be one with loss .*, got Tensor; write e\.g\. FixedCovariance\(cov",
        ),
        (
            lambda start: gradient_flow(FIXED, start, [1.0]),
            EYE,
            r"start must be a tuple of tensors, got Tensor; write e\.g\. landscape\.start",
        ),
        (
            embedding,
            GaussianPrompts(EYE),
            r"prompts must be Prompts\(.*\), got GaussianPrompts; draw them with .*\.sample",
        ),
        (estimators.ols, [1, 2], r"prompts must be Prompts\(.*\), got list; draw them"),
        (LAYER.predict, EYE, r"prompts must be Prompts\(.*\), got Tensor; draw them"),
        (BLOCK.predict, Prompts, r"got the class Prompts; write Prompts\(\.\.\.\)$"),
        (
            lambda module: training.fit(module, draw, draw, steps=1, generator=seeded()),
            EYE,
            r"module must be a torch\.nn\.Module, got Tensor; wrap its weights in one",
        ),
        (
            lambda module: training.fit(module, draw, draw, steps=1, generator=seeded()),
            torch.nn.Linear,
            r"module must be a torch\.nn\.Module, got the class Linear; write Linear\(\.\.\.\)$",
        ),
        (Transformer, "gpt2", r"architecture must be an Architecture, got str; write Arch"),
        (lambda recipe: train(recipe, 0), "d5", r"recipe must be a Recipe, got str; write nonlin"),
    ],
)
def test_what_is_of_another_class_is_named(use: Any, value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        use(value)


def draw(*_: Any) -> Any:
    raise AssertionError("nothing is drawn before the module is judged")


def test_a_class_without_arguments_is_called_so() -> None:
    class Bare:
        pass

    with pytest.raises(TypeError, match=r"a must be bare, got the class Kin; write Kin\(\)$"):
        _checks.instance("a", type("Kin", (Bare,), {}), Bare, noun="bare", fix="give another")
    with pytest.raises(TypeError, match=r"a must be bare, got the class Bare; give another$"):
        _checks.instance("a", Bare, Bare, noun="bare", fix="give another")


test_two_arguments_that_differ_in_dtype_are_both_named = refuses(
    (lambda: risk.linear_risk(EYE, 8, 8, task=EYE[0].float()), "^task and covariance must"),
    (lambda: ltb.Setting(EYE, EYE.float(), [0, 0], 0, 8), "^Psi and H must"),
    (lambda: gd_beta.risk(setting(d=2), [0, 0], EYE.float()), r"^A and setting\.H must"),
    (lambda: FIXED.loss(EYE.float(), 1.0), "^U and covariance must"),
    (lambda: DiagonalCovariance(Exponential(), 2, 8).loss(EYE.float(), 1.0), "^U and law must"),
    (lambda: LAYER(torch.ones(3, 4)), "^E and W_KQ must have one dtype"),
)
