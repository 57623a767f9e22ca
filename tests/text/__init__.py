"""Guards for text: each number of a page is tied to a computation, each main formula evaluated.

`python -m tests.text book/primer.md` lists the numbers of a page that nothing guards.
"""
