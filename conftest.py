"""Loads the notebook tests (pytest --nbval book) and gives every test one thread."""

from book._ext.fresh_cache import cap_threads

cap_threads()  # before torch is imported

pytest_plugins = ["pytester", "tests.nbval_pages.plugin"]
