"""Runs the book's pages under `pytest --nbval` and compares what they print with tests/reference.

`compare` says when two outputs agree, `plugin` collects, executes and reports.
"""
