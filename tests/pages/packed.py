"""Live figures as a built page carries them: their specification and their packed numbers."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from linear_icl_book.live import packing

from tests.pages.conftest import BOOK, book_pages

STATE = re.compile(r'<script type="[^"]*widget-state\+json">(.*?)</script>', re.S)
VIEW = re.compile(r'<script type="[^"]*widget-view\+json">(.*?)</script>', re.S)
#: The pages of the book that stand built.
BUILT = [name.rpartition("/")[2] for name in book_pages() if (BOOK / f"{name}.html").exists()]
Numbers = dict[str, Any]


def figures(page: str | Path) -> dict[str, tuple[Any, bytes]]:
    """The figures of a built page in their order, with their packed numbers."""
    text = (BOOK / "book" / page).read_text("utf-8")
    models = {k: v for state in STATE.findall(text) for k, v in json.loads(state)["state"].items()}
    found = {}
    for view in VIEW.findall(text):
        model = models[json.loads(view)["model_id"]]
        if "spec" not in model["state"]:
            continue  # it computes in the page: `COMPUTING`
        data = base64.b64decode(model["buffers"][0]["data"])
        found[model["state"]["spec"]["name"]] = (model["state"]["spec"], data)
    return found


def shown(spec: Any, data: bytes, at: dict[str, Any]) -> Numbers:
    """What the figure draws there: the values of each series, a pair (x, y) for points and paths,
    (low, high) for bands, whatever the order of the keys in the page.

    The values along the horizontal axis are under "x"."""
    counts = tuple(len(axis["values"]) for axis in spec["axes"])
    place = tuple(axis["values"].index(at[axis["name"]]) for axis in spec["axes"])
    numbers: Numbers = {"x": np.array(spec["x"].get("values", []))}
    for series in spec["series"]:
        drawn = {
            coordinate: packing.unpack(channel, data, counts)[place]
            for coordinate, channel in series["channels"].items()
        }
        ordered = [drawn[c] for c in ("x", "low", "y", "high", "z") if c in drawn]
        numbers[series["name"]] = tuple(ordered) if len(ordered) > 1 else ordered[0]
    return numbers


@cache
def live(page: str) -> dict[str, tuple[Any, bytes]]:
    return figures(f"{page}.html")


def drawn(page: str, name: str, **controls: float | str) -> Numbers:
    """The numbers of a figure at the stops that are nearest to these controls."""
    spec, data = live(page)[name]
    at = {}
    for axis in spec["axes"]:
        wanted = controls.pop(axis["name"], axis["init"])
        if isinstance(wanted, str):
            at[axis["name"]] = wanted
        else:
            distances = [abs(stop - wanted) for stop in axis["values"]]
            at[axis["name"]] = axis["values"][int(np.argmin(distances))]
    assert not controls, f"{name} has no control {controls}"
    return shown(spec, data, at)


def stops(page: str, name: str, control: str) -> list[Any]:
    (axis,) = (axis for axis in live(page)[name][0]["axes"] if axis["name"] == control)
    found: list[Any] = axis["values"]
    return found
