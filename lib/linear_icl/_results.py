"""Which function implements which numbered result of the book."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

REGISTRY: dict[str, list[str]] = {}
"""Label of a definition, lemma or theorem -> the qualified names that implement it."""

LABEL = re.compile(r"(asm|cor|def|eq|ex|fig|lem|prp|rem|thm)-[a-z0-9]+(-[a-z0-9]+)*")

Implementation = TypeVar("Implementation", bound=Callable[..., Any])


def implements(
    *labels: str, **inherited: str | tuple[str, ...]
) -> Callable[[Implementation], Implementation]:
    """Enter a function, method or class in the ledger under the book's labels.

    ``@implements("thm-limit")`` stands above a function, method or class; with ``@property``, below
    it and next to the function. Above a class ``@implements(limit="thm-limit")`` labels a method
    that it inherits. Raises ValueError for a label that is not of the book's form, or a name that
    the class does not inherit.
    """
    table = {name: (one,) if isinstance(one, str) else one for name, one in inherited.items()}
    listed = [*labels, *(label for several in table.values() for label in several)]
    if not listed:
        raise ValueError("implements needs a label, got none; write e.g. 'thm-limit'")
    for label in listed:
        if not isinstance(label, str) or not LABEL.fullmatch(label):
            raise ValueError(
                f"label must look like 'thm-limit', got {label!r}; "
                f"use lower case, hyphens and a known prefix ({LABEL.pattern.split(')')[0][1:]})"
            )

    def enter(implementation: Implementation) -> Implementation:
        name = f"{implementation.__module__}.{implementation.__qualname__}"
        _add(name, labels)
        for method, several in table.items():
            if method in vars(implementation) or not hasattr(implementation, method):
                raise ValueError(
                    f"{method} must be inherited by {implementation.__qualname__}, got a name of "
                    f"its own or none; a method of its own takes @implements itself"
                )
            _add(f"{name}.{method}", several)
        return implementation

    return enter


def _add(name: str, labels: tuple[str, ...]) -> None:
    for label in labels:
        names = REGISTRY.setdefault(label, [])
        if name not in names:  # a module may be executed again (reload, notebook)
            names.append(name)
