"""In-context learning in linear transformers: exact losses, flows and risks.

Data:
    prompts             laws of prompts, and the embedding matrix E
    labels              labels that are noisy, quadratic, signs, ReLU, and their moments
    shifts              the test distributions of Garg et al. (2022)
    settings            tasks that share a mean, the data of ``ltb`` and ``gd_beta``
    gaussian            moments of Gaussian quadratic forms
Learners:
    estimators          zero, averaging, least squares, ridge, Bayes, gradient descent
    lsa                 linear self-attention, and the weights that training ends at
    softmax             attention with its softmax
    deep                several linear layers, and the descent they can do
Exact results:
    landscape           the population loss, with gradient, gap, minimum and limit
    random_covariance   the same where each prompt draws its own covariance
    risk                the trained layer's risk, under any shift
    ltb                 the block with an MLP, and what attention alone cannot do
    gd_beta             one gradient step with a learned start, its risk and its flow
Numerical tools:
    flow                gradient flow on any landscape
    montecarlo          a mean and its standard error
    training            one training loop
    nonlinear           transformers that are trained, and recorded experiments

``import linear_icl`` loads none of them; ``linear_icl.lsa`` and ``from linear_icl import lsa`` load
the one that they name. Figures, receipts and exercises are in ``linear_icl_book``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # isort: off
    from . import prompts, labels, shifts, settings, gaussian
    from . import estimators, lsa, softmax, deep
    from . import landscape, random_covariance, risk, ltb, gd_beta
    from . import flow, montecarlo, training, nonlinear
    # isort: on

__all__ = ["prompts", "labels", "shifts", "settings", "gaussian"]
__all__ += ["estimators", "lsa", "softmax", "deep"]
__all__ += ["landscape", "random_covariance", "risk", "ltb", "gd_beta"]
__all__ += ["flow", "montecarlo", "training", "nonlinear"]

__version__ = "0.1.0"


if not TYPE_CHECKING:  # which knows the modules from above, and sees a wrong name

    def __getattr__(name: str) -> object:
        """The module ``linear_icl.name``, imported when it is named."""
        if name in __all__:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
