"""Sums of many decaying exponentials, T(τ) = Σ_r w_r e^{−ρ_rτ}, compressed once for all τ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

# Up to this dimension the d² − d rates are kept as they are.
KEEP = 24
# e^{−ρτ} as a function of ln ρ, interpolated at NODES Chebyshev points on pieces of width WIDTH,
# errs by at most 3e−14 whatever τ (a test holds it); so T errs by that much of T(0).
WIDTH, NODES = 0.5, 12


@dataclass(frozen=True, eq=False)
class ExponentialSum:
    """B sums over the same R rates."""

    rates: Tensor  # (R,)
    weights: Tensor  # (B, R)

    @staticmethod
    def off_diagonal(curvature: Tensor, V: Tensor) -> ExponentialSum:
        """T(τ) = Σ_{i≠j} V_ij² e^{−2q_ijτ} for V (B, d, d); R grows with ln(max q/min q) only."""
        weights = V**2
        weights.diagonal(dim1=1, dim2=2).zero_()
        whole = ExponentialSum((2 * curvature).flatten(), weights.flatten(1))
        return whole if len(curvature) <= KEEP else compress(whole.rates, whole.weights)

    @cached_property
    def _falls(self) -> Tensor:
        return -self.weights * self.rates

    def increment(self, tau: float, steps: Tensor) -> Tensor:
        """T(τ + step) − T(τ) without cancellation, (B, K) for steps (K,)."""
        decayed = self.weights * torch.exp(-tau * self.rates)
        return decayed @ torch.expm1(self.rates[:, None] * -steps)

    def slope(self, tau: float) -> Tensor:
        """T'(τ), (B,)."""
        return self._falls @ torch.exp(-tau * self.rates)

    def after(self, element: Tensor, tau: Tensor, step: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """T(τ + step) − T(τ), T'(τ + step), T''(τ + step) of sum `element`, all (P,)."""
        begin = self.weights[element] * torch.exp(-tau[:, None] * self.rates)
        change = begin * torch.expm1(-step[:, None] * self.rates)
        end = begin + change
        return change.sum(-1), -(end @ self.rates), end @ self.rates**2


def compress(rates: Tensor, weights: Tensor) -> ExponentialSum:
    """The same sums over a few hundred rates: Chebyshev interpolation in ln ρ, piece by piece."""
    place = rates.log()
    low = place.min()
    pieces = max(1, math.ceil(float(place.max() - low) / WIDTH))
    piece = ((place - low) / WIDTH).floor().clamp(max=pieces - 1)
    x = 2 * ((place - low) / WIDTH - piece) - 1
    batch = len(weights)
    bins = torch.arange(batch, device=rates.device)[:, None] * pieces + piece.long()
    angle = (torch.arange(NODES, dtype=rates.dtype, device=rates.device) + 0.5) * (math.pi / NODES)
    moments = []
    before, now = x, torch.ones_like(x)  # T_{−1} = T_1 = x, T_0 = 1
    for _ in range(NODES):
        terms = (weights * now).flatten()
        sums = torch.bincount(bins.flatten(), terms, minlength=batch * pieces)
        moments.append(sums.view(batch, pieces))
        before, now = now, 2 * x * now - before
    order = torch.arange(NODES, dtype=rates.dtype, device=rates.device)
    dual = torch.cos(order[:, None] * angle) * (2 / NODES)
    dual[0] /= 2
    starts = low + WIDTH * torch.arange(pieces, dtype=rates.dtype, device=rates.device)
    nodes = starts[:, None] + WIDTH * (1 + torch.cos(angle)) / 2
    values = torch.stack(moments, dim=-1) @ dual  # (B, pieces, NODES)
    return ExponentialSum(nodes.exp().flatten(), values.flatten(1))
