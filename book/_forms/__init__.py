"""Other forms of the book, made from its finished pages: PDF, slides, the instructor's edition.

`make book` has typeset, numbered and executed everything; a form selects and rearranges what stands
in `_build/html`. Run by `make pdf`, `make slides`, `make instructor`.
"""
