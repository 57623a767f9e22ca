"""Live figures: one ipywidget that answers to its controls with and without a kernel.

`LiveFigure` computes its curves on a grid of parameters when its cell runs; the page shows that
grid under native sliders, so a reader without Python sees Python's own results. Layer 7: imports
`figures` when an image is wanted, and nothing else of the package.
"""

from .axis import Axis
from .figure import LiveFigure

__all__ = ["Axis", "LiveFigure"]
