"""Ties of the numbers of each page: `NUMBERS` has a quotation and what its numbers are."""
