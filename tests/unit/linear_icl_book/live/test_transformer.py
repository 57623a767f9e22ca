"""transformer.js is the recorded model, and every error planted in it is seen."""

import json

import pytest
import torch
from linear_icl.nonlinear import RECIPES, weights
from linear_icl.nonlinear.model import Block
from linear_icl_book.live import bundle
from linear_icl_book.live.explore import node, transformer

TOLERANCE = 1e-9
SINGLE = 1e-5  # of answers in single precision, as the models were trained
#: What is broken: the text in transformer.js, and what takes its place.
MUTANTS = {
    "another size added to variances": ("DELTA = 1e-5", "DELTA = 1e-6"),
    "parameters that overlap": ("end += shape", "end = shape"),
    "a matrix by columns": ("made[i] += rows[k]", "made[i] += rows[j * made.length + i]"),
    "a variance without its mean": ("(token[k] - mean) ** 2", "token[k] ** 2"),
    "a norm without its shift": (" * scale[k] + shift[k]", " * scale[k]"),
    "a norm without its scale": (" * scale[k] + shift[k]", " + shift[k]"),
    "GELU by its common approximation": (
        "x * (0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI))",
        "(x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))",
    ),
    "a series that ends early": ("1e-17 *", "1e-3 *"),
    "shares that do not sum to one": ("value / total", "value"),
    "every token at the first place": ("subarray(place * width,", "subarray(0 * width,"),
    "keys and queries in turn": ('["query", "key", "value"]', '["key", "query", "value"]'),
    "one bias for all three": ("subarray(k * width, (k + 1)", "subarray(0 * width, (k + 1)"),
    "a token that does not see itself": (
        "b]), own[b]]",
        "b]), ...(before.length ? [] : [own[b]])]",
    ),
    "scores of the full width": ("Math.sqrt(size)", "Math.sqrt(width)"),
    "every head the first": ("[h * size, (h + 1) * size]", "[0, size]"),
    "a stream that is replaced by attention": (
        'add(token, linear(of("out.weight")',
        'token.fill(0), add(token, linear(of("out.weight")',
    ),
    "MLPs without their normalisation": (
        'normal(of("norm_2.weight"), of("norm_2.bias"), token)',
        "token",
    ),
    "MLPs that are linear": (".map(gelu)", ""),
    "examples that see the first one only": (
        "pass(model, kept, x, y, kept.length).own",
        "pass(model, kept.slice(0, 1), x, y, kept.length).own",
    ),
    "a question with a label": ("pass(model, kept, x, 0,", "pass(model, kept, x, 1,"),
    "an answer without the last normalisation": (
        'normal(w["norm.weight"], w["norm.bias"], token)',
        "token",
    ),
}


@pytest.fixture(scope="module")
def asked() -> list[transformer.Asked]:
    return transformer.calls()


def test_the_page_computes_what_torch_computes(asked: list[transformer.Asked]) -> None:
    """200 prompts of all lengths, wider than in training and without a rule among them."""
    assert len(asked) == 200 and {len(one.x) for one in asked} == set(range(1, 10))
    assert {one.model for one in asked} == {0, 1, 2} and max(abs(one.asked) for one in asked) > 4
    found = transformer.deviations(asked)
    assert set(found) == {"answers", "attention"} and max(found.values()) <= TOLERANCE, found


def test_in_the_precision_of_training_they_answer_the_same(
    asked: list[transformer.Asked],
) -> None:
    """The models as they were trained and recorded, in float32."""
    trained = weights.models(transformer.RECIPE)
    for one in asked:
        x, y, question = map(torch.tensor, (one.x, one.y, [one.asked]))
        answer = transformer.answers(trained[one.model], x, y, question)
        expected = torch.tensor(one.expected["answers"])
        torch.testing.assert_close(answer, expected.float(), rtol=SINGLE, atol=SINGLE)


@pytest.mark.parametrize("what", MUTANTS)
def test_a_planted_error_is_seen(asked: list[transformer.Asked], what: str) -> None:
    old, new = MUTANTS[what]
    text = bundle.source("transformer")
    assert text.count(old) == 1, f"{old!r} must stand once in transformer.js, for {what!r}"
    try:
        found = transformer.deviations(asked[:60], code=text.replace(old, new))
    except RuntimeError as error:  # it runs into an error
        assert "SyntaxError" not in str(error)
        return
    assert max(found.values()) > TOLERANCE, f"{what}: nothing was off by more than 1e-9"


def test_what_is_missing_or_not_finite_is_infinitely_off(asked: list[transformer.Asked]) -> None:
    first = asked[3]
    short = first._replace(expected={**first.expected, "answers": []})
    found = transformer.deviations([short])
    assert found["answers"] == float("inf") and found["attention"] < TOLERANCE
    broken = bundle.source("transformer").replace("1e-5;", "NaN;")
    assert transformer.deviations([first], code=broken)["answers"] == float("inf")


def test_the_order_of_the_parameters_survives_a_notebook(
    asked: list[transformer.Asked],
) -> None:
    """Whose files sort the names of a dictionary."""
    sorted_ = json.loads(json.dumps(transformer.carried(), sort_keys=True))
    assert sorted_ == transformer.carried()
    given = f"const weights = {json.dumps(sorted_, sort_keys=True)};\n"
    read = "Object.keys(transformer.read(weights)[0].values)"
    told = f"{given}console.log(JSON.stringify({read}))"
    names = json.loads(node.run(bundle.scopes(("transformer",)) + told))
    assert names == [*transformer.models()[0].state_dict()]


def test_gelu_is_torch_s_in_its_tails() -> None:
    x = torch.linspace(-12, 12, 481, dtype=torch.float64)
    told = f"console.log(JSON.stringify({x.tolist()}.map(transformer.gelu)))"
    found = json.loads(node.run(bundle.scopes(("transformer",)) + told))
    torch.testing.assert_close(
        torch.tensor(found, dtype=torch.float64), torch.nn.functional.gelu(x), rtol=0, atol=1e-12
    )


def test_attention_is_what_the_values_are_mixed_with() -> None:
    """Rows that say where a question looks: they sum to one, and mix the values to what the first
    block writes, which a hook hears."""
    model = transformer.models()[1]
    x, y = torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.3, -0.7]], dtype=torch.float64)
    question = torch.tensor(0.8, dtype=torch.float64)
    rows = transformer.attention(model, x, y, question)
    assert rows.shape == (2, 2, 4)
    torch.testing.assert_close(rows.sum(-1), torch.ones(2, 2, dtype=torch.float64))
    heard: list[torch.Tensor] = []
    first = model.blocks[0]
    assert isinstance(first, Block)
    hooks = [
        first.out.register_forward_hook(lambda module, given, made: heard.append(given[0])),
        first.norm_1.register_forward_hook(lambda module, given, made: heard.append(made)),
    ]
    transformer.answers(model, x, y, question[None])
    for hook in hooks:
        hook.remove()
    normal, mixed = heard
    values = normal[0, [0, 1, 2, 6]] @ first.value.mT + first.bias[32:]
    by_head = torch.einsum("ht,thc->hc", rows[0], values.view(4, 2, 8))
    torch.testing.assert_close(mixed[0, 6], by_head.flatten())


def test_the_weights_are_those_of_the_recipe() -> None:
    found = weights.read(transformer.RECIPE)
    assert found["recipe"] == json.loads(json.dumps(RECIPES[transformer.RECIPE].record()))
    assert found["seeds"] == [0, 1, 2] and not found["trained_at"].endswith("+")
    one = len(found["float32"][0])
    assert 3 * one < 150_000, "bytes that a page carries"
