"""Deliberate breakages of the package; each must turn the one test that it names red.

`python -m tests.mutations` (make mutants) runs all of `catalogue.MUTATIONS`, or those whose name
contains an argument.
"""
