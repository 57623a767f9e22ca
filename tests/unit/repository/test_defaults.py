"""A default of the public API does not change by the way: the changelog tells who relied on it.

`python -m tests.unit.repository.test_defaults` writes the list anew.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

from book._ext import api_page
from tests.unit.repository.names import modules

LISTED = Path(__file__).with_name("defaults.txt")
BOOK = ("linear_icl_book", "linear_icl_book.figures", "linear_icl_book.live")


def defaults() -> Iterator[str]:
    """ "training.fit: every=100", of functions, of classes and of their methods."""
    for module in (*modules(), *map(importlib.import_module, BOOK)):
        for name, found in api_page.public(module):
            own = api_page.members(found) if inspect.isclass(found) else ()
            known = {name: found} | {f"{name}.{part}": one for part, one in own}
            for path, one in known.items():
                if callable(one) and not (inspect.isclass(one) and issubclass(one, Exception)):
                    for argument in inspect.signature(one).parameters.values():
                        value = argument.default
                        if value not in (inspect.Parameter.empty, None):
                            shown = getattr(value, "__name__", None) or repr(value)
                            yield f"{module.__name__}.{path}: {argument.name}={shown}"


def test_the_defaults_are_those_that_are_listed() -> None:
    listed, found = LISTED.read_text("utf-8").splitlines(), sorted({*defaults()})
    assert sorted({*found} - {*listed}) == [], "say it in CHANGELOG.md, then list it"
    assert sorted({*listed} - {*found}) == [], "say it in CHANGELOG.md, then take it off"


if __name__ == "__main__":
    LISTED.write_text("\n".join(sorted({*defaults()})) + "\n", "utf-8")
