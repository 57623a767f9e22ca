"""The grid as bytes: sixteen bits a number, and a description that says how to read them.

A channel (one coordinate of one series) stores v as the code q in 0…65531 with v = lo + q·step, so
that |error| ≤ step/2; on a log scale that holds for ln v. Four codes above say what no such number
can: there is no value, ∞, −∞ (on a log scale any negative number), and on a log scale 0.
A channel names the axes it depends on and stores no copy along the others. A band is two channels,
a heat map is one, its rows one after the other; a category is an axis like any other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

SCHEMA = 3  # raised when an old front end would misread what is written here
MISSING, ABOVE, BELOW, ZERO = 65535, 65534, 65533, 65532
STEPS = 65531
#: What the codes stand for when they are read.
SPECIAL = {MISSING: np.nan, ABOVE: np.inf, BELOW: -np.inf, ZERO: 0.0}


@dataclass(frozen=True)
class Channel:
    """How to read one coordinate: words [offset, offset + rows·length) of the data."""

    offset: int
    length: int
    axes: tuple[int, ...]
    lo: float
    step: float
    log: bool

    def spec(self) -> dict[str, Any]:
        return {**vars(self), "axes": list(self.axes)}


def pack(grids: Iterable[tuple[np.ndarray, bool]]) -> tuple[list[Channel], bytes]:
    """Channels and their little-endian data, for arrays (n_1, …, n_k, length) with a log flag."""
    channels, blocks, offset = [], [], 0
    for values, log in grids:
        kept, axes = _without_repeats(values)
        plain = np.isfinite(kept) & ((kept > 0) | (not log))
        stored = np.where(plain, kept, 1.0)
        stored = np.log(stored) if log else stored
        present = stored[plain]
        lo, hi = (float(present.min()), float(present.max())) if present.size else (0.0, 0.0)
        step = (hi - lo) / STEPS or 1.0
        special = np.select([kept > 0, kept < 0, kept == 0], [ABOVE, BELOW, ZERO], MISSING)
        codes = np.where(plain, np.round((stored - lo) / step), special)
        channels.append(Channel(offset, values.shape[-1], axes, lo, step, log))
        blocks.append(codes.astype("<u2").ravel())
        offset += codes.size
    return channels, b"".join(block.tobytes() for block in blocks)


def unpack(channel: Mapping[str, Any], data: bytes, counts: tuple[int, ...]) -> np.ndarray:
    """The array (n_1, …, n_k, length) that a channel's description and the data say: what the
    front end reads, and the check that it reads what was written. `counts` is (n_1, …, n_k)."""
    shape = [counts[k] if k in channel["axes"] else 1 for k in range(len(counts))]
    size = int(np.prod(shape)) * channel["length"]
    codes = np.frombuffer(data, "<u2", size, 2 * channel["offset"])
    values = channel["lo"] + np.where(codes > STEPS, 0, codes) * channel["step"]
    values = np.exp(values) if channel["log"] else values
    for code, meaning in SPECIAL.items():
        values = np.where(codes == code, meaning, values)
    return np.broadcast_to(values.reshape(*shape, channel["length"]), (*counts, channel["length"]))


def _without_repeats(values: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """`values`, cut to its first entry along each axis where nothing changes; the other axes."""
    axes = []
    for axis in range(values.ndim - 1):
        first = values.take([0], axis)
        if np.array_equal(values, np.broadcast_to(first, values.shape), equal_nan=True):
            values = first
        else:
            axes.append(axis)
    return values, tuple(axes)
