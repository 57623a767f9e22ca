"""Prompts (x_1, y_1, …, x_N, y_N, x_query): their law and their embedding matrix.

What draws random numbers, here and in every module, takes a ``generator``: a torch.Generator, whose
state moves on; an integer n >= 0, a fresh generator with seed n on the device of the draws, so the
same numbers at every call; or, where None is its default, None, torch's global state.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from . import _checks
from ._kernels import times
from ._results import implements
from ._torch import standard_gamma
from ._types import ArrayLike, Count, Embedding, Generator, PerPrompt, Vector


class Prompts(NamedTuple):
    """B prompts of length N: x (B, N, d), y (B, N), x_query (B, d), y_query (B,).

    ``y_query`` carries the label noise, as every y does; no estimator may look at it. What takes
    ``prompts`` takes a plain tuple of these four too, of tensors, arrays or lists; anything else is
    a TypeError, sizes that do not fit are a ValueError.
    """

    x: Tensor
    y: Tensor
    x_query: Tensor
    y_query: Tensor


if TYPE_CHECKING:
    PromptsLike: TypeAlias = Prompts | tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
else:
    PromptsLike: TypeAlias = Any  # judged by `checked`


class Normal(NamedTuple):
    """Draws independent N(0, 1) numbers with the dtype and on the device of ``like``."""

    like: Tensor
    generator: torch.Generator | None

    def __call__(self, *shape: int) -> Tensor:
        like = self.like
        return torch.randn(shape, generator=self.generator, dtype=like.dtype, device=like.device)


class PromptLaw(ABC):
    """A law of prompts y_i = wᵀx_i + ε_i with one w a prompt, ε_i ~ N(0, ``noise_variance``)."""

    noise_variance: Any

    @property
    @abstractmethod
    def _like(self) -> Tensor:
        """A tensor with the dtype and on the device of what is drawn."""

    @abstractmethod
    def _draw(self, normal: Normal, B: int, N: int) -> tuple[Tensor, Tensor]:
        """w (B, d) and x (B, N+1, d), the query last."""

    def sample(self, batch: Count, length: Count, generator: Generator | None = None) -> Prompts:
        """Draw ``batch`` independent prompts of ``length`` examples; y_query has its noise too.

        The numbers are drawn in one order whatever the law's parameters, the noise last: laws that
        differ in means, covariances or noise share their random numbers under one seed.
        Raises ValueError for counts below 1, a length that the law does not allow, or a generator
        on another device.
        """
        B, N = _checks.length("batch", batch), _checks.length("length", length)
        normal = Normal(self._like, self._generator(generator))
        w, x = self._draw(normal, B, N)
        y = times(x, w) + self.noise_variance**0.5 * normal(B, N + 1)  # (B, N+1)
        return Prompts(x[:, :-1], y[:, :-1], x[:, -1], y[:, -1])

    def _generator(self, generator: Generator | None) -> torch.Generator | None:
        return _checks.generator("generator", generator, self._like.device)


@implements("def-prompt-law")
class GaussianPrompts(PromptLaw):
    """The law of the training prompts: y_i = wᵀx_i + ε_i with Gaussian x, w and ε.

    x_i, x_query ~ N(0, Λ), w ~ N(m, Ψ), ε_i ~ N(0, noise_variance), independent, one w a prompt.
    ``covariance`` Λ (d, d) positive definite; ``task_mean`` m (d,), default 0;
    ``task_covariance`` Ψ (d, d) positive semidefinite, default I; ``noise_variance`` is a variance,
    default 0. Raises ValueError for improper arguments or mixed devices and dtypes.
    Zhang, Frei & Bartlett (2024), Section 3.3: m = 0, Ψ = I, no noise.
    """

    def __init__(
        self,
        covariance: ArrayLike,
        *,
        task_mean: ArrayLike | None = None,
        task_covariance: ArrayLike | None = None,
        noise_variance: ArrayLike = 0.0,
    ) -> None:
        self.covariance = Lambda = _checks.covariance("covariance", covariance, shape=("d", "d"))
        d, like = Lambda.shape[0], ("covariance", Lambda)
        mean = Lambda.new_zeros(d) if task_mean is None else task_mean
        self.task_mean = _checks.tensor("task_mean", mean, shape=(d,), like=like)
        Psi = torch.eye(d).to(Lambda) if task_covariance is None else task_covariance
        self.task_covariance = _checks.covariance(
            "task_covariance", Psi, shape=(d, d), like=like, semidefinite=True
        )
        self.noise_variance = _checks.nonnegative(
            "noise_variance", noise_variance, shape=(), like=like
        )

    def __repr__(self) -> str:
        d, device = self.covariance.shape[0], self.covariance.device
        given = _checks.given(task_mean=self.task_mean, noise_variance=self.noise_variance)
        return f"GaussianPrompts(d={d}{given}, dtype={self.covariance.dtype}, device={device})"

    @property
    def _like(self) -> Tensor:
        return self.covariance

    def _draw(self, normal: Normal, B: int, N: int) -> tuple[Tensor, Tensor]:
        d = self.covariance.shape[0]
        w = self.task_mean + normal(B, d) @ semidefinite_root(self.task_covariance)
        x = torch.cat([normal(B, N, d), normal(B, 1, d)], dim=1)
        return w, x @ torch.linalg.cholesky(self.covariance).mT

    @implements("lem-moment-law")
    def sample_moment(
        self, batch: Count, length: Count, *, generator: Generator | None = None
    ) -> tuple[Vector, Vector, PerPrompt]:
        """Draw (xy_mean, x_query, y_query), (B, d), (B, d), (B,), without drawing the contexts.

        xy_mean = (1/M) Σ x_i y_i is all that a layer with u_12 = u_21 = 0 reads of its context.
        Same law as from :meth:`sample`, at a cost that does not depend on ``length`` M: with
        s² = wᵀΛw + noise_variance, ‖y‖² = s² χ² for a χ² of M degrees of freedom, and given y

          Σ x_i y_i ~ N(χ² Λw, s² χ² (Λ - Λw wᵀΛ/s²)).

        The random numbers are others than those of :meth:`sample` under the same seed.
        Raises ValueError for counts below 1 or a generator on another device.
        """
        B, M = _checks.length("batch", batch), _checks.length("length", length)
        Lambda, d = self.covariance, self.covariance.shape[0]
        normal = Normal(Lambda, self._generator(generator))
        of_w, of_query, z = normal(3, B, d)
        root = torch.linalg.cholesky(Lambda)
        # With Λ = root rootᵀ, only v = rootᵀw is needed: s² = ‖v‖² + noise, wᵀx_query = vᵀof_query.
        spread = semidefinite_root(self.task_covariance) @ root
        v = self.task_mean @ root + of_w @ spread  # (B, d)
        noise = self.noise_variance.sqrt()
        y_query = (of_query * v).sum(-1) + noise * normal(B)
        half = torch.full((B, 1), M / 2, dtype=Lambda.dtype, device=Lambda.device)
        chi2 = 2 * standard_gamma(half, normal.generator)  # (B, 1)
        s = (v.square().sum(-1, keepdim=True) + self.noise_variance).sqrt()
        # The root of I - vvᵀ/s² is I - vvᵀ/(s(s + √noise)); for s = 0 also v = 0.
        along = (v * z).sum(-1, keepdim=True) / (s + noise).clamp(min=torch.finfo(z.dtype).tiny)
        across = chi2.sqrt() / M * (s * z - along * v)
        return (chi2 / M * v + across) @ root.mT, of_query @ root.mT, y_query


def semidefinite_root(Psi: Tensor) -> Tensor:
    """Symmetric square root; Ψ may be singular, which Cholesky does not allow.

    Eigenvalues within the rounding of zero are zero, else their roots, √eps, would count.
    """
    values, vectors = torch.linalg.eigh(Psi)
    floor = Psi.shape[-1] * torch.finfo(Psi.dtype).eps * values[..., -1:]
    return (vectors * values.where(values > floor, 0).sqrt()) @ vectors.mT


def checked(prompts: PromptsLike) -> Prompts:
    """The same prompts with tensors inside; a TypeError for anything but a tuple, a ValueError for
    one that does not have four parts or whose sizes do not fit."""
    noun, fix = "Prompts(x, y, x_query, y_query)", "draw them with GaussianPrompts(...).sample(...)"
    _checks.instance("prompts", prompts, tuple, noun=noun, fix=fix)
    if len(prompts) != 4:
        raise ValueError(f"prompts must be {noun}, got {len(prompts)} parts; {fix}")
    x = _checks.tensor("x", prompts[0], shape=("B", "N", "d"))
    B, N, d = x.shape
    if N < 1:
        raise ValueError(
            f"prompts must hold at least one example, got x of shape {(B, N, d)}; "
            f"x has shape (B, N, d)"
        )
    y = _checks.tensor("y", prompts[1], shape=(B, N), like=("x", x))
    x_query = _checks.tensor("x_query", prompts[2], shape=(B, d), like=("x", x))
    return Prompts(x, y, x_query, _checks.tensor("y_query", prompts[3], shape=(B,), like=("x", x)))


@implements("def-embedding")
def embedding(prompts: PromptsLike) -> Embedding:
    """E = [[x_1 … x_N x_query], [y_1 … y_N 0]], shape (B, d+1, N+1).

    The query's label is unknown to the layer, hence the 0. Raises ValueError if sizes do not fit.
    Zhang, Frei & Bartlett (2024), (3.4).
    """
    x, y, x_query, _ = checked(prompts)
    tokens = torch.cat([x, x_query.unsqueeze(1)], dim=1)  # (B, N+1, d)
    labels = torch.nn.functional.pad(y, (0, 1))  # (B, N+1)
    return torch.cat([tokens, labels.unsqueeze(-1)], dim=-1).mT  # (B, d+1, N+1)
