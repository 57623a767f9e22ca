"""Live figures: widgets that answer to their controls with and without a kernel.

`LiveFigure` computes curves, bands, paths or a heat map on a grid of parameters when its cell runs,
or takes them from a record (`LiveFigure.from_grid`); the page shows that grid under native sliders
and menus, so a reader without Python sees Python's own results.

`StepPlane` and its like compute in the page itself, with closed forms that are compared with the
package (`explore.agreement`). Their traits are their only state.
"""

from .axis import Axis
from .explore import Dial, FlowLab, Hero, StepPlane
from .figure import LiveFigure

__all__ = ["Axis", "LiveFigure", "Dial", "FlowLab", "Hero", "StepPlane"]
