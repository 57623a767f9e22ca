"""A lean GPT-2: prompts of numbers in, a prediction at every covariate out."""

import math
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from .. import _checks
from .._types import Generator, PerPrompt
from ..prompts import PromptsLike, checked

Points: TypeAlias = Float[Tensor, "B P d"]  # P = N+1 points, the last is the query
Labels: TypeAlias = Float[Tensor, "B Y"]  # Y = P, or P-1 without the query's label
Predictions: TypeAlias = Float[Tensor, "B P"]
Stream: TypeAlias = Float[Tensor, "B T D"]  # T tokens of width D

POSITIONS = {"learned": "learned", "none": "none"}
ATTENTION = {"softmax": "softmax", "linear": "linear"}
TOKENS = {"interleaved": "interleaved", "columns": "columns"}


@dataclass(frozen=True)
class Architecture:
    """What there is to choose in a :class:`Transformer`; every field goes into the records.

    ``dim`` d; ``points`` N+1, the points of a training prompt, query included; ``capacity`` the
    most points that a prompt may ever have (default 4 ``points``): a table of learned positions is
    that long, and what lies beyond ``points`` stays as it was initialised.
    ``positions`` learned or none; ``attention`` softmax or linear; ``tokens``
    interleaved or columns; ``mlp`` and ``norm``: with or without the blocks' multilayer
    perceptrons and layer normalisations.
    Raises ValueError for unknown names, sizes below 1, or a width that the heads do not divide.
    """

    dim: int
    points: int
    layers: int = 3
    heads: int = 2
    width: int = 64
    positions: str = "learned"
    attention: str = "softmax"
    tokens: str = "interleaved"
    mlp: bool = True
    norm: bool = True
    capacity: int = 0

    def __post_init__(self) -> None:
        for name in ("dim", "points", "layers", "heads", "width"):
            _checks.length(name, getattr(self, name))
        if self.width % self.heads:
            raise ValueError(
                f"width must be a multiple of heads, got width={self.width}, heads={self.heads}; "
                f"try width={self.heads * max(1, self.width // self.heads)}"
            )
        _checks.choice("positions", self.positions, POSITIONS)
        _checks.choice("attention", self.attention, ATTENTION)
        _checks.choice("tokens", self.tokens, TOKENS)
        if self.capacity == 0:
            object.__setattr__(self, "capacity", 4 * self.points)
        if _checks.length("capacity", self.capacity) < self.points:
            raise ValueError(
                f"capacity must be >= points, got capacity={self.capacity}, points={self.points}; "
                f"a training prompt has to fit"
            )

    def record(self) -> dict[str, Any]:
        """The fields as a dictionary that JSON can hold."""
        return asdict(self)


class Transformer(nn.Module):
    """A decoder in the manner of GPT-2 that predicts y_i from x_1, y_1, …, x_{i-1}, y_{i-1}, x_i.

    Blocks h ← h + Attention(LN h), h ← h + MLP(LN h) with GELU and hidden size 4 D, a last
    layer normalisation, and a linear map to one number. Numbers are read by linear maps: there is
    no table of tokens, and none of its dead parameters. GELU is the exact one: GPT-2's
    approximation by tanh differs by less than 5e-4 and costs twice the time on a CPU.

    ``tokens="interleaved"``: x_1, y_1, x_2, …, x_P under a causal mask, x and y read by maps of
    their own; the prediction stands at x_i. Garg et al. (2022).
    ``tokens="columns"``: the columns (x_j, y_j) and (x_i, 0) of (3.4), all prompts x_1 … x_i at
    once: the context's column j sees columns 1 … j, the query's column i sees columns 1 … i-1 and
    itself. So no prediction sees its own label, and the last one reads the embedding E.

    ``attention="linear"`` leaves the softmax out: Σ_j (q·k_j) v_j / (√D_head ρ), where ρ is the
    number of tokens seen (interleaved) or of context columns seen, at least 1 (columns).

    Weights start as in GPT-2: N(0, 0.02²), those that write to the stream N(0, 0.02²/2L), biases
    at 0; the maps that read numbers are torch's default, as in Garg's code. float32.
    Raises TypeError for anything but an :class:`Architecture`.
    Radford et al. (2019); Garg et al. (2022), Appendix A.
    """

    @_checks.judged(
        "architecture", Architecture, "an Architecture", "write Architecture(dim=5, points=21)"
    )
    def __init__(self, architecture: Architecture, *, generator: Generator | None = None) -> None:
        super().__init__()
        self.architecture = a = architecture
        if a.tokens == "columns":
            self.read = nn.Linear(a.dim + 1, a.width)
        else:
            self.read_x, self.read_y = nn.Linear(a.dim, a.width), nn.Linear(1, a.width)
        if a.positions == "learned":
            count = a.capacity if a.tokens == "columns" else 2 * a.capacity - 1
            self.positions = nn.Parameter(torch.empty(count, a.width))
        self.blocks = nn.ModuleList(Block(a) for _ in range(a.layers))
        self.norm = nn.LayerNorm(a.width) if a.norm else nn.Identity()
        self.write = nn.Linear(a.width, 1)
        where = self.write.weight.device
        self._initialise(_checks.generator("generator", generator, where, anywhere=True))
        self._masks: dict[tuple[int, torch.device], Tensor] = {}

    def _initialise(self, generator: torch.Generator | None) -> None:
        residual = 0.02 / math.sqrt(2 * self.architecture.layers)
        with torch.no_grad():
            for name, p in self.named_parameters():
                if name.startswith("read"):  # torch's default for a linear map, U(±1/√fan_in)
                    linear = self.get_submodule(name.rpartition(".")[0])
                    assert isinstance(linear, nn.Linear)
                    bound = 1 / math.sqrt(linear.in_features)
                    p.uniform_(-bound, bound, generator=generator)
                elif p.ndim < 2:
                    p.fill_(1.0 if "norm" in name and name.endswith("weight") else 0.0)
                else:
                    std = residual if name.endswith(("out.weight", "down.weight")) else 0.02
                    p.normal_(0.0, std, generator=generator)

    def forward(self, x: Points, y: Labels) -> Predictions:
        """Predictions at every point, (B, P); number i reads x_1 … x_i and y_1 … y_{i-1}.

        ``x`` (B, P, d), ``y`` (B, P) or (B, P-1): the last label is never read.
        Raises ValueError for another dimension, or more points than the capacity.
        """
        a, (B, P, d) = self.architecture, x.shape
        if d != a.dim or y.shape not in ((B, P), (B, P - 1)):
            raise ValueError(
                f"x and y must have shapes (B, P, {a.dim}) and (B, P), got {tuple(x.shape)} and "
                f"{tuple(y.shape)}; the model was built for dim={a.dim}"
            )
        if not 1 <= P <= a.capacity:
            raise ValueError(
                f"a prompt must have 1 to {a.capacity} points, got {P}; "
                f"build the model with a larger capacity"
            )
        predictions: Tensor = self.write(self.norm(self.stream(x, y))).squeeze(-1)
        return predictions

    def stream(self, x: Points, y: Labels) -> Stream:
        """What the last block leaves at the questions, (B, P, D)."""
        a, P = self.architecture, x.shape[1]
        y = y[:, : P - 1]
        h = self._columns(x, y) if a.tokens == "columns" else self._interleaved(x, y)
        mask, where = self._mask(P, x.device), slice(P - 1, None)
        if a.tokens == "interleaved":
            where = slice(None, None, 2)
        for block in self.blocks[:-1]:
            h = block(h, mask, slice(None))
        h = self.blocks[-1](h, mask, where)  # nothing reads the other tokens any more
        return h

    def predict(self, prompts: PromptsLike) -> PerPrompt:
        """ŷ for x_query, (B,); y_query is not read. Casts the prompts to the model's dtype.

        Raises ValueError if the prompts do not fit together or to the model.
        """
        x, y, x_query, _ = checked(prompts)
        x = torch.cat([x, x_query.unsqueeze(1)], dim=1).to(self.write.weight)
        prediction: Tensor = self(x, y.to(x))[:, -1]
        return prediction

    def _interleaved(self, x: Tensor, y: Tensor) -> Stream:
        P = x.shape[1]
        h = torch.stack([self.read_x(x), self.read_y(F.pad(y, (0, 1)).unsqueeze(-1))], dim=2)
        h = h.flatten(1, 2)[:, :-1]  # (B, 2P-1, D)
        return h + self._at(torch.arange(2 * P - 1, device=x.device), h)

    def _columns(self, x: Tensor, y: Tensor) -> Stream:
        P = x.shape[1]
        context = torch.cat([x[:, :-1], y.unsqueeze(-1)], dim=-1)  # (B, P-1, d+1)
        query = F.pad(x, (0, 1))  # (B, P, d+1)
        k = torch.arange(P, device=x.device)
        h: Tensor = self.read(torch.cat([context, query], dim=1))  # (B, 2P-1, D)
        return h + self._at(torch.cat([k[:-1], k]), h)

    def _at(self, index: Tensor, like: Tensor) -> Tensor:
        """What is added to the tokens at these positions, (T, D)."""
        learned = self.architecture.positions == "learned"
        return self.positions[index] if learned else like.new_zeros(())

    def _mask(self, P: int, device: torch.device) -> Tensor:
        """Who sees whom, (T, T) bool; for linear attention 1/ρ where it sees, and 0."""
        a = self.architecture
        if (P, device) not in self._masks:
            sees = torch.ones(2 * P - 1, 2 * P - 1, dtype=torch.bool, device=device).tril()
            if a.tokens == "columns":
                sees[P - 1 :, : P - 1] = sees[:P, :P].tril(-1)[:, : P - 1]
                sees[P - 1 :, P - 1 :] = torch.eye(P, dtype=torch.bool, device=device)
            if a.attention == "linear":
                seen = sees[:, : P - 1] if a.tokens == "columns" else sees
                sees = sees / seen.sum(-1, keepdim=True).clamp(min=1)
            self._masks[P, device] = sees
        return self._masks[P, device]


class Block(nn.Module):
    """One layer: attention and, if wanted, a perceptron, each with a normalised input."""

    def __init__(self, a: Architecture) -> None:
        super().__init__()
        D, self.architecture = a.width, a
        self.norm_1 = nn.LayerNorm(D) if a.norm else nn.Identity()
        # One product of three; parameters of their own, for optimisers that look at each matrix.
        self.query, self.key, self.value = (nn.Parameter(torch.empty(D, D)) for _ in range(3))
        self.bias = nn.Parameter(torch.empty(3 * D))
        self.out = nn.Linear(D, D)
        if a.mlp:
            self.norm_2 = nn.LayerNorm(D) if a.norm else nn.Identity()
            self.up, self.down = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, h: Stream, mask: Tensor, where: slice) -> Float[Tensor, "B S D"]:
        """The block's tokens at ``where``, which see the others as ``mask`` (T, T) says."""
        h = h[:, where] + self.out(self._attend(self.norm_1(h), mask, where))
        if self.architecture.mlp:
            h = h + self.down(F.gelu(self.up(self.norm_2(h))))
        return h

    def _attend(self, h: Tensor, mask: Tensor, where: slice) -> Tensor:
        D, H = h.shape[-1], self.architecture.heads
        if where == slice(None):
            stacked = torch.cat([self.query, self.key, self.value])
            qkv = F.linear(h, stacked, self.bias)  # (B, T, 3D)
            query, key, value = torch.split(qkv, D, dim=-1)
        else:
            query = F.linear(h[:, where], self.query, self.bias[:D])
            of_all = F.linear(h, torch.cat([self.key, self.value]), self.bias[D:])
            key, value = torch.split(of_all, D, dim=-1)
        q, k, v = (
            part.view(*part.shape[:2], H, D // H).transpose(1, 2) for part in (query, key, value)
        )
        if self.architecture.attention == "softmax":
            mixed = F.scaled_dot_product_attention(q, k, v, mask[where])
        else:
            scores = q @ k.mT / math.sqrt(D // H)  # (B, H, T', T)
            mixed = (scores * mask[where]) @ v
        return mixed.transpose(1, 2).flatten(-2)  # (B, T', D)
