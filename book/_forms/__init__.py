"""Other forms of the book, made from its finished pages: PDF, slides, the instructor's edition.

`make book` has typeset, numbered and executed everything; a form selects and rearranges what stands
in `_build/html`. Run by `make pdf`, `make slides`, `make instructor`.
"""

import sys
from pathlib import Path

# The page's own extensions are top-level modules, as Sphinx loads them.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "_ext"))
