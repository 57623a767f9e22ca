"""Judges again what the pages recorded; runs after the notebook tests, in a pytest of its own."""
