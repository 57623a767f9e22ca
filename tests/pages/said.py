"""Words of direction in text alternatives, and what they say of a curve."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

DIRECTION = re.compile(
    r"\b(?:rise|fall|climb|drop|grow|shrink|increase|decrease|cross|touch|jump|flatten|bend|slide)"
    r"(?:e?s|ing)?\b|\b(?:left|right|above|below|upwards?|downwards?|up|down|higher|lower|highest|"
    r"lowest|larger|smaller|longer|shorter|wider|narrower|steeper|flatter|deeper|earlier|later|"
    r"first|last|minim[ua]m?|maxim[ua]m?)\b",
    re.I,
)


def falls(curve: Any, slack: float = 1e-9) -> bool:
    shown = np.asarray(curve)[np.isfinite(curve)]
    return len(shown) > 2 and bool((np.diff(shown) < slack).all())


def rises(curve: Any) -> bool:
    return falls(-np.asarray(curve))


def split(path: tuple[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """The pieces between the gaps of a path."""
    xs, ys = path
    gaps = np.flatnonzero(~np.isfinite(xs))
    for x, y in zip(np.split(xs, gaps), np.split(ys, gaps), strict=True):
        kept = np.isfinite(x)
        if kept.sum() > 1:
            yield x[kept], y[kept]


def unquoted(alt: str, quotations: list[str]) -> list[str]:
    """The words of direction that stand in no quotation."""
    spans = [(alt.find(q), alt.find(q) + len(q)) for q in quotations if q in alt]
    return [
        found[0]
        for found in DIRECTION.finditer(alt)
        if not any(a <= found.start() and found.end() <= b for a, b in spans)
    ]
