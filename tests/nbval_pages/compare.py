"""When the text that a cell printed agrees with its reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

#: A number apart from letters, so that "x0", "W_21" and "3f" are words.
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?(?!\w)")
#: "8." too: the end of a sentence, or how torch prints a whole number.
INTEGER = re.compile(r"[-+]?\d+\.?")
#: Wide enough for another machine's rounding, narrow enough for any change of a formula.
RTOL = 1e-3
#: What a cell may ask for in its metadata: a number of a short training on another machine.
WIDEST = 0.05
WIDGET = "application/vnd.jupyter.widget-view+json"
TEXTS = ("text/plain", "text/markdown", "text/latex", "text/html")


def text_of(outputs: Iterable[Mapping[str, Any]]) -> list[str]:
    """The lines that are compared: streams, errors, results and displays, one after the other.

    Of several forms of one result the plainest counts. An image alone is left out; the text beside
    a widget is kept, because a live figure states its curves there.
    """
    texts: list[str] = []
    before = None
    for output in outputs:
        kind = (output["output_type"], output.get("name"))
        if kind[0] == "stream":
            text = output["text"]
        elif kind[0] == "error":
            text = f"{output['ename']}: {output['evalue']}"
        else:
            text = _text_of_data(output["data"])
        if kind[0] == "stream" and kind == before:
            texts[-1] += text  # the kernel sends one stream in pieces, cut where time ran out
        else:
            texts.append(text)
        before = kind
    return [line.rstrip() for text in texts for line in text.rstrip().splitlines()]


def _text_of_data(data: Mapping[str, Any]) -> str:
    if WIDGET not in data and any(kind.startswith("image/") for kind in data):
        return ""
    return next((str(data[kind]) for kind in TEXTS if kind in data), "")


def differences(expected: list[str], found: list[str], rtol: float = RTOL) -> list[str]:
    """What differs, line by line, as sentences; empty if the two agree.

    Words and integers agree when they are equal. Other numbers agree within rtol × |expected|:
    without an absolute tolerance, below which any value would pass. So a residual is printed as
    words ("< 1e-9"), never as its digits.
    """
    found_differences = []
    for number, (old, new) in enumerate(zip_longest(expected, found), start=1):
        if old is None or new is None:
            what = f"{new!r} is new" if old is None else f"{old!r} is gone"
            found_differences.append(f"line {number}: {what}")
        elif _words(old) != _words(new):
            found_differences.append(f"line {number}: {old!r} became {new!r}")
        else:
            pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
            found_differences += [
                f"line {number}: {a} became {b}" for a, b in pairs if not _close(a, b, rtol)
            ]
    return found_differences


def _words(line: str) -> str:
    # Padding depends on the digits printed beside it, so spaces count only as separators.
    return " ".join(NUMBER.sub(" # ", line).split())


def _close(old: str, new: str, rtol: float) -> bool:
    if INTEGER.fullmatch(old) or INTEGER.fullmatch(new):
        return old == new
    return abs(float(old) - float(new)) <= rtol * abs(float(old))
