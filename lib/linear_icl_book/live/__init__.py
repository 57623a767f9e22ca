"""Live figures: one ipywidget that answers to its controls with and without a kernel.

`LiveFigure` computes curves, bands, paths or a heat map on a grid of parameters when its cell runs,
or takes them from a record (`LiveFigure.from_grid`); the page shows that grid under native sliders
and menus, so a reader without Python sees Python's own results. It stands in the layer of
`figures`, which it imports when an image is wanted, and nothing else of the package.
"""

from .axis import Axis
from .figure import LiveFigure

__all__ = ["Axis", "LiveFigure"]
