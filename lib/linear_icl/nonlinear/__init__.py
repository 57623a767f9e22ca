"""Nonlinear transformers that learn in context: a lean GPT-2, its training, its evaluation.

``python -m linear_icl.nonlinear --list`` shows the experiments. ``model`` and ``tasks`` hold the
transformer and the laws of its prompts, ``plan`` what determines a run, ``engine`` the loop,
``recipes`` the named experiments; ``evaluate`` measures, ``recorded`` writes and reads what was
measured.
"""

from .engine import train
from .model import Architecture, Transformer
from .plan import Recipe, Training
from .recipes import RECIPES
from .tasks import Curriculum, Tasks

__all__ = ["Architecture", "Transformer", "Tasks", "Curriculum", "Training", "Recipe", "RECIPES"]
__all__ += ["train"]
