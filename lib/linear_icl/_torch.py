"""What this package needs of torch and torch keeps private: no public name does the same."""

from __future__ import annotations

import torch
from torch import Tensor


def wrapped(value: Tensor) -> bool:
    """Whether it is a tensor of vmap, grad or jvp, from which no numbers can be read."""
    # torch.func has no predicate; without one a check would fail inside a transform.
    return torch._C._functorch.is_functorch_wrapped_tensor(value)


def standard_gamma(shape: Tensor, generator: torch.Generator | None) -> Tensor:
    """Gamma variables with these shapes and scale 1, shaped like ``shape``."""
    # torch.distributions.Gamma calls the same, but takes no generator.
    return torch._standard_gamma(shape, generator=generator)
