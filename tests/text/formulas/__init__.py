"""What the main formulas of the book say, as functions of the package have it: one random setting.

A formula of `book/main_results.yml` has a function here, under its name in `FORMULAS`; so have a
few on which these rest.
"""

from tests.text.formulas import block, layer, steps
from tests.text.formulas._settings import FORMULAS

__all__ = ["FORMULAS", "block", "layer", "steps"]
