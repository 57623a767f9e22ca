"""What the notes on ``linear_icl`` need beside its mathematics:

    receipts    a claim and its check, as one printed row
    exercises   the exercises of the chapters, with answers that are judged
    figures     the book's style, one call a figure
    live        figures with controls
    claims      what chapter 8 claims, judged from its records
    class_notebook  a chapter as a student meets it in JupyterLab, made from its source

``import linear_icl_book as course`` gives ``course.receipt``, ``course.check`` and its sisters.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exercises import check, hint, numbers, progress, seed
    from .receipts import ReceiptError, receipt

__all__ = ["ReceiptError", "check", "hint", "numbers", "progress", "receipt", "seed"]

_RECEIPTS = {"ReceiptError", "receipt"}


def __getattr__(name: str) -> Any:
    """A public function when it is named: a figure that is loaded alone needs no torch."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "receipts" if name in _RECEIPTS else "exercises"
    return getattr(import_module(f".{home}", __name__), name)
