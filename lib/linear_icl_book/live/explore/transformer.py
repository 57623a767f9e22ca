"""The recorded transformers of dimension one: for the page, and transformer.js against torch.

``deviations()`` is what a receipt prints and a test bounds.
"""

import json
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from linear_icl.nonlinear import Tasks, Transformer, weights
from linear_icl.nonlinear.model import Block
from torch import Tensor
from torch.nn import functional as F

from .. import bundle
from . import node
from .agreement import off

RECIPE = "d1-fixed"
LONGEST = 9  # examples: one more than in training
ASKED = """
const models = transformer.read(weights);
console.log(JSON.stringify(calls.map(({ model, x, y, asked }) => {
  const kept = transformer.memory(models[model], x.map((one, i) => [one, y[i]]));
  const { answer, rows } = transformer.ask(models[model], kept, asked);
  return { answers: [answer], attention: rows.flat(2) };
})));
"""


class Asked(NamedTuple):
    """One question to one model, and what torch answers: the prediction, and the rows."""

    model: int
    x: list[float]
    y: list[float]
    asked: float
    expected: dict[str, list[float]]


@lru_cache(maxsize=1)
def carried() -> dict[str, Any]:
    """What a page needs of the recorded models."""
    found = weights.read(RECIPE)
    size = found["recipe"]["architecture"]
    return {
        **{name: size[name] for name in ("layers", "heads", "width")},
        "shapes": [[name, shape] for name, shape in found["shapes"].items()],  # in their order
        "float32": found["float32"],
    }


@lru_cache(maxsize=1)
def models() -> tuple[Transformer, ...]:
    """The models in double precision, one a seed: what the page computes, but for rounding."""
    return tuple(model.double() for model in weights.models(RECIPE))


def _blocks(model: Transformer) -> list[Block]:
    return [block for block in model.blocks if isinstance(block, Block)]


def answers(model: Transformer, x: Tensor, y: Tensor, asked: Tensor) -> Tensor:
    """What a model answers to each of ``asked`` (Q,) after the examples ``x`` and ``y``, (M,)."""
    Q = len(asked)
    points = torch.cat([x.expand(Q, -1), asked[:, None]], 1).unsqueeze(-1)
    with torch.no_grad():
        answered: Tensor = model(points, y.expand(Q, -1))[:, -1]
    return answered


def attention(model: Transformer, x: Tensor, y: Tensor, asked: Tensor) -> Tensor:
    """How the question ``asked`` () shares its attention, (blocks, heads, M + 1), itself last."""
    seen: list[Tensor] = []
    hooks = [
        block.norm_1.register_forward_hook(lambda module, given, made: seen.append(made[0]))
        for block in _blocks(model)
    ]
    answers(model, x, y, asked[None])
    for hook in hooks:
        hook.remove()
    M, a = len(x), model.architecture
    tokens = [*range(M), 2 * M]  # the columns of the examples, and that of the last question
    rows = []
    for block, h in zip(_blocks(model), seen, strict=True):
        D = a.width
        q = F.linear(h[2 * M], block.query, block.bias[:D]).view(a.heads, -1)
        k = F.linear(h[tokens], block.key, block.bias[D : 2 * D]).view(M + 1, a.heads, -1)
        scores = torch.einsum("hc,thc->ht", q, k) / (D // a.heads) ** 0.5
        rows.append(scores.softmax(-1).detach())
    return torch.stack(rows)


def calls(count: int = 200) -> list[Asked]:
    """``count`` prompts with torch's numbers, the same ones each time: of every length up to one
    more than in training, models in turn; each third with points twice as wide, and without a rule
    in its labels."""
    made = []
    for k in range(count):
        model, M = k % len(models()), k % LONGEST + 1
        points = Tasks(dim=1, length=M).sample(1, generator=k)
        x, y = (part.double().flatten() for part in points)
        if k % 3 == 2:
            x, y = 2 * x, y.roll(1)
        one = models()[model]
        context = x[:M], y[:M]
        expected = {
            "answers": answers(one, *context, x[M:]).tolist(),
            "attention": attention(one, *context, x[M]).flatten().tolist(),
        }
        made.append(Asked(model, context[0].tolist(), context[1].tolist(), float(x[M]), expected))
    return made


def deviations(asked: list[Asked] | None = None, code: str | None = None) -> dict[str, float]:
    """The largest |a - b| / max(1, |b|) of answers and of attention, a from transformer.js and b
    from torch, in double precision.

    ``asked``: by default ``calls()``. ``code``: a text in the place of transformer.js. A missing,
    extra or non-finite number counts as infinity. Raises NoNode where there is no Node.js.
    """
    asked = calls() if asked is None else asked
    given = {"weights": carried(), "calls": [call._asdict() for call in asked]}
    constants = "".join(f"const {name} = {json.dumps(one)};\n" for name, one in given.items())
    changed = {"transformer": code} if code else None
    found = json.loads(node.run(bundle.scopes(("transformer",), changed) + constants + ASKED))
    return {
        name: max(
            off(one[name], call.expected[name]) for call, one in zip(asked, found, strict=True)
        )
        for name in ("answers", "attention")
    }
