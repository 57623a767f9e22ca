"""torch's Muon for the matrices of a transformer's blocks, its Adam for the rest, as one."""

from typing import Any

import torch
from torch import nn


class MuonAndAdam(torch.optim.Optimizer):
    """Two optimisers with the groups, the step and the state of one.

    For a gradient G of a matrix (m, n) torch.optim.Muon, without weight decay, does M ← μM + (1-μ)G
    and W ← W - η √max(1, m/n) O, where O is (1-μ)G + μM with every singular value brought to about
    0.7 to 1.2 (in bfloat16, on any device). ``lr`` η is the size of a step in spectral norm,
    whatever the size of the gradient. The rest (biases, norms, positions, what reads and writes
    numbers) takes the steps of torch.optim.Adam with rate ``rest_lr``.
    Jordan et al. (2024), with the scale of each layer as in Bernstein & Newhouse (2024).
    """

    def __init__(
        self,
        module: nn.Module,
        *,
        lr: float,
        rest_lr: float,
        momentum: float,
        betas: tuple[float, float],
    ) -> None:
        matrices, rest = split(module)
        self.parts: list[torch.optim.Optimizer] = [
            torch.optim.Muon(matrices, lr=lr, momentum=momentum, weight_decay=0.0),
            torch.optim.Adam(rest, lr=rest_lr, betas=betas),
        ]
        super().__init__([group for part in self.parts for group in part.param_groups], {})

    def step(self) -> None:  # type: ignore[override]
        """One step of each; parameters without a gradient stay."""
        for part in self.parts:
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """The states of the two, in their order."""
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """What :meth:`state_dict` gave."""
        for part, state in zip(self.parts, state_dict["parts"], strict=True):
            part.load_state_dict(state)
        self.param_groups[:] = [group for part in self.parts for group in part.param_groups]


def split(module: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """(the matrices inside the blocks, the rest) of a Transformer."""
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, p in module.named_parameters():
        (matrices if p.ndim == 2 and "blocks." in name else rest).append(p)
    return matrices, rest
