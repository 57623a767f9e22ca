"""What a nonlinear transformer is trained on: laws of prompts, drawn on the device, and Garg's
curriculum."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .. import _checks
from .._kernels import times
from .._types import Count, Generator
from ..prompts import Normal, Prompts
from ..random_covariance import Constant, Exponential, Gamma, Law, LogNormal, Uniform

LAWS = {
    "constant": Constant,
    "exponential": Exponential,
    "gamma": Gamma,
    "lognormal": LogNormal,
    "uniform": Uniform,
}


class Points(NamedTuple):
    """Prompts as a row of points: x (B, P, d), y (B, P); the last of them is the query."""

    x: Tensor
    y: Tensor

    @property
    def prompts(self) -> Prompts:
        """The same numbers as :class:`linear_icl.prompts.Prompts` with N = P - 1."""
        return Prompts(self.x[:, :-1], self.y[:, :-1], self.x[:, -1], self.y[:, -1])


def points(prompts: Prompts) -> Points:
    """Prompts as a row of N + 1 points, the query last."""
    x = torch.cat([prompts.x, prompts.x_query.unsqueeze(1)], dim=1)
    return Points(x, torch.cat([prompts.y, prompts.y_query.unsqueeze(1)], dim=1))


@dataclass(frozen=True)
class Tasks:
    """The law of the training prompts: y = wᵀx + ε, x ~ N(0, diag λ), w ~ N(β*, I).

    ``law`` names the law of the λ_i, drawn anew for every prompt (one of LAWS), with its
    ``parameters``; "constant" with parameter 1, the default, is the fixed covariance I, and
    "exponential" the diag(Exp(1)) of Theorem 4.5's experiment. ``task_mean`` is every entry of β*,
    ``noise_variance`` that of ε. Covariates, tasks, eigenvalues and noise are independent.
    Raises ValueError for an unknown law, improper parameters, or a negative variance.
    """

    dim: int
    length: int
    law: str = "constant"
    parameters: tuple[float, ...] = ()
    task_mean: float = 0.0
    noise_variance: float = 0.0

    def __post_init__(self) -> None:
        _checks.length("dim", self.dim)
        _checks.length("length", self.length)
        _checks.choice("law", self.law, LAWS)
        _checks.tensor("task_mean", self.task_mean, shape=())
        _checks.nonnegative("noise_variance", self.noise_variance, shape=())
        self.eigenvalues(torch.device("cpu"))

    def eigenvalues(self, device: torch.device) -> Law:
        """The law of one λ_i, with parameters in float32 on this device."""
        return _law(self.law, self.parameters, device)

    @property
    def blind_risk(self) -> float:
        """E (y - β*ᵀx)², what is left without any context; for β* = 0 zero's risk."""
        m1 = float(self.eigenvalues(torch.device("cpu")).moment(1))
        return self.dim * m1 + self.noise_variance

    def sample(
        self,
        batch: Count,
        count: Count | None = None,
        dims: Count | None = None,
        *,
        each: Count = 1,
        generator: Generator,
    ) -> Points:
        """``batch`` prompts of ``count`` points (default N + 1), float32, on generator's device.

        ``dims`` <= d: of x only the first coordinates are non-zero (the curriculum). ``each``
        prompts in a row share their eigenvalues.
        Raises ValueError for counts below 1, more dimensions than d, or a batch that ``each`` does
        not divide.
        """
        B = _checks.length("batch", batch)
        P = self.length + 1 if count is None else _checks.length("count", count)
        k = self.dim if dims is None else _checks.length("dims", dims)
        if k > self.dim:
            raise ValueError(f"dims must be <= dim={self.dim}, got {k}; the law has no more")
        share = _checks.length("each", each)
        if B % share:
            raise ValueError(f"batch must be a multiple of each, got {B} and {share}; change one")
        drawn = _checks.seeded("generator", generator)
        where = drawn.device
        normal = Normal(torch.empty(0, device=where, dtype=torch.float32), drawn)
        x = normal(B, P, self.dim)
        w = normal(B, self.dim) + self.task_mean
        if self.law != "constant" or self.parameters:
            law = self.eigenvalues(where)
            values = law.sample((B // share, 1, self.dim), generator=drawn)
            x = x * values.sqrt().repeat_interleave(share, dim=0)
        if k < self.dim:
            x[..., k:] = 0
        y = times(x, w)  # (B, P)
        if self.noise_variance:
            y = y + math.sqrt(self.noise_variance) * normal(B, P)
        return Points(x, y)

    def record(self) -> dict[str, Any]:
        """The fields as a dictionary that JSON can hold."""
        return asdict(self) | {"parameters": list(self.parameters)}

    @classmethod
    def recorded(cls, fields: Mapping[str, Any]) -> "Tasks":
        """The law that :meth:`record` wrote."""
        return cls(**{**fields, "parameters": tuple(fields["parameters"])})


@lru_cache(maxsize=64)
def _law(name: str, parameters: tuple[float, ...], device: torch.device) -> Law:
    """Kept, since numbers that move to a GPU in each step would hold it up."""
    given = parameters or ((1.0,) if name in ("constant", "exponential") else ())
    values = [torch.tensor(p, dtype=torch.float32, device=device) for p in given]
    try:
        law: Law = LAWS[name](*values)
    except TypeError as error:
        raise ValueError(
            f"parameters must be those of {LAWS[name].__name__}, got {parameters}; {error}"
        ) from error
    return law


@dataclass(frozen=True)
class Curriculum:
    """Garg's curriculum: start with few dimensions and points, and add some every so often.

    Step t = 0, 1, … trains on min(d, ``dims`` + ⌊t/every⌋) dimensions and min(N + 1, ``points`` +
    ``more`` ⌊t/every⌋) points. Garg et al. (2022): dims = 5, points = 11, more = 2, every = 2000.
    Raises ValueError for numbers below 1.
    """

    dims: int
    points: int
    every: int = 2000
    more: int = 2

    def __post_init__(self) -> None:
        for name in ("dims", "points", "every", "more"):
            _checks.length(name, getattr(self, name))

    def at(self, step: int, tasks: Tasks) -> tuple[int, int]:
        """(dimensions, points) of this step."""
        stage = step // self.every
        dims = min(tasks.dim, self.dims + stage)
        return dims, min(tasks.length + 1, self.points + self.more * stage)
