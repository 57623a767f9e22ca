"""Nonlinear transformers that learn in context: a lean GPT-2, its training, its evaluation.

``python -m linear_icl.nonlinear --list`` shows the experiments. The model and the laws of prompts
stand in ``model`` and ``tasks``, the loop in ``engine``, named experiments in ``recipes``, what was
measured in ``evaluate`` and ``recorded``.
"""

from .model import Architecture, Transformer
from .tasks import Curriculum, Tasks

__all__ = ["Architecture", "Curriculum", "Tasks", "Transformer"]
