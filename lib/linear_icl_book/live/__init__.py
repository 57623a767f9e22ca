"""Live figures: widgets that answer to their controls with and without a kernel.

`LiveFigure` computes curves, bands, paths or a heat map on a grid of parameters when its cell runs,
or takes them from a record (`LiveFigure.from_grid`); the page shows that grid under native sliders
and menus, so a reader without Python sees Python's own results.

`StepPlane` and its like compute in the page itself, with closed forms that are compared with the
package (`explore.agreement`). Their traits are their only state. `Ask` runs recorded transformers,
compared with torch (`explore.transformer`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .axis import Axis
from .figure import LiveFigure

if TYPE_CHECKING:
    from .explore import Ask, Bill, Dial, FlowLab, Hero, OnePass, StepPlane, TwoLines

__all__ = [
    "Axis",
    "LiveFigure",
    "Ask",
    "Bill",
    "Dial",
    "FlowLab",
    "Hero",
    "OnePass",
    "StepPlane",
    "TwoLines",
]


def __getattr__(name: str) -> Any:
    """A figure that computes when it is named: a `LiveFigure` alone needs no torch."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(".explore", __name__), name)
