"""The shape vocabulary: one letter, one size, everywhere.

d covariate dimension, N context length, B prompts, ``*batch`` leading batch axes.

The annotations are enforced in the tests only (``pytest --jaxtyping-packages``). What a public
entry takes is judged by :mod:`linear_icl._checks`, with a ``ValueError`` that says what to do;
so to the run-time checker the first three aliases are anything, and bad input reaches the check.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

if TYPE_CHECKING:
    ArrayLike: TypeAlias = Tensor | np.ndarray | np.number | Sequence[Any] | float
    Count: TypeAlias = int | np.integer[Any]
    Generator: TypeAlias = torch.Generator | int | np.integer[Any]
else:
    ArrayLike: TypeAlias = Any
    Count: TypeAlias = Any
    Generator: TypeAlias = Any

Scalar: TypeAlias = Float[Tensor, ""]
Batch: TypeAlias = Float[Tensor, "*batch"]
Vector: TypeAlias = Float[Tensor, "*batch d"]
Matrix: TypeAlias = Float[Tensor, "*batch d d"]
Weights: TypeAlias = Float[Tensor, "*batch D D"]  # D = d+1
Embedding: TypeAlias = Float[Tensor, "*batch D T"]  # T = N+1 tokens
PerPrompt: TypeAlias = Float[Tensor, " B"]
