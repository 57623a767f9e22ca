"""Muon: momentum with its matrices made orthogonal, and Adam for everything that is no matrix."""

from collections.abc import Callable, Iterable
from typing import Any, overload

import torch
from torch import Tensor, nn

QUINTIC = (3.4445, -4.7750, 2.0315)  # Jordan's; raises small singular values fast, ends in 0.7…1.2


def orthogonalised(G: Tensor, steps: int = 5) -> Tensor:
    """About UVᵀ for G = USVᵀ, shape (..., m, n): every singular value becomes 0.7 to 1.2.

    ``steps`` of X ← aX + bXXᵀX + c(XXᵀ)²X from X = G/‖G‖_F: matrix products only, batched.
    Singular values below 1e-3 of the norm do not arrive in five steps. A zero matrix stays zero.
    Jordan et al. (2024), Muon; Bernstein & Newhouse (2024).
    """
    a, b, c = QUINTIC
    tall = G.shape[-2] > G.shape[-1]
    X = G.mT if tall else G
    X = X / X.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-12)
    shape = X.shape
    X = X.reshape(-1, *shape[-2:])
    for _ in range(steps):
        A = X @ X.mT
        X = torch.baddbmm(X, torch.baddbmm(A, A, A, beta=b, alpha=c), X, beta=a)
    X = X.view(shape)
    return X.mT if tall else X


class Muon(torch.optim.Optimizer):
    """Muon on the matrices of a transformer's blocks, Adam on the rest, as one optimiser.

    For a gradient G of a matrix (m, n): M ← μM + (1-μ)G, W ← W - η √max(1, m/n) O with
    O = :func:`orthogonalised` ((1-μ)G + μM), Nesterov's momentum. ``lr`` η is the size of a step
    in spectral norm, whatever the size of the gradient. The rest (biases, norms, positions, what
    reads and writes numbers) takes Adam's steps with rate ``rest_lr``. Matrices of one shape are
    made orthogonal in one batch; leading axes of a parameter count as a batch of matrices.
    Jordan et al. (2024), with the scale of each layer as in Bernstein & Newhouse (2024).
    """

    def __init__(
        self,
        matrices: Iterable[nn.Parameter],
        rest: Iterable[nn.Parameter],
        *,
        lr: float = 0.01,
        rest_lr: float = 0.01,
        momentum: float = 0.9,
        betas: tuple[float, float] = (0.9, 0.99),
        eps: float = 1e-8,
    ) -> None:
        shared: dict[str, Any] = {"momentum": momentum, "betas": betas, "eps": eps}
        groups = [
            {"params": list(matrices), "lr": lr, "orthogonal": True},
            {"params": list(rest), "lr": rest_lr, "orthogonal": False},
        ]
        super().__init__([group for group in groups if group["params"]], shared)

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], float]) -> float: ...
    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """One step; parameters without a gradient stay."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            parameters = [p for p in group["params"] if p.grad is not None]
            if parameters and group["orthogonal"]:
                self._muon(parameters, group)
            elif parameters:
                self._adam(parameters, group)
        return loss

    def _muon(self, parameters: list[Any], group: dict[str, Any]) -> None:
        mu = group["momentum"]
        for p in parameters:
            if not self.state[p]:
                self.state[p]["momentum"] = torch.zeros_like(p)
        gradients = [p.grad for p in parameters]
        moments = [self.state[p]["momentum"] for p in parameters]
        torch._foreach_lerp_(moments, gradients, 1 - mu)
        ahead = torch._foreach_lerp(gradients, moments, mu)
        by_shape: dict[torch.Size, list[int]] = {}
        for k, p in enumerate(parameters):
            by_shape.setdefault(p.shape[-2:], []).append(k)
        for (m, n), members in by_shape.items():
            stacked = torch.cat([ahead[k].reshape(-1, m, n) for k in members])
            sizes = [ahead[k].numel() // (m * n) for k in members]
            steps = torch.split(orthogonalised(stacked), sizes)
            size = -group["lr"] * max(1.0, m / n) ** 0.5
            for k, change in zip(members, steps, strict=True):
                parameters[k].add_(change.view_as(parameters[k]), alpha=size)

    def _adam(self, parameters: list[Any], group: dict[str, Any]) -> None:
        first, second = group["betas"]
        for p in parameters:
            if not self.state[p]:
                zeros = torch.zeros_like(p)
                self.state[p].update(step=0, first=zeros, second=zeros.clone())
        gradients = [p.grad for p in parameters]
        firsts = [self.state[p]["first"] for p in parameters]
        seconds = [self.state[p]["second"] for p in parameters]
        torch._foreach_lerp_(firsts, gradients, 1 - first)
        torch._foreach_mul_(seconds, second)
        torch._foreach_addcmul_(seconds, gradients, gradients, 1 - second)
        for p in parameters:
            self.state[p]["step"] += 1
        t = self.state[parameters[0]]["step"]
        below = torch._foreach_sqrt(seconds)
        torch._foreach_div_(below, (1 - second**t) ** 0.5)
        torch._foreach_add_(below, group["eps"])
        torch._foreach_addcdiv_(parameters, firsts, below, -group["lr"] / (1 - first**t))


def split(module: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """(the matrices inside the blocks, the rest) of a Transformer."""
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, p in module.named_parameters():
        (matrices if p.ndim >= 2 and "blocks." in name else rest).append(p)
    return matrices, rest
