"""The image of a live figure, for pages without scripts, for paper and for notebook viewers."""

from collections.abc import Sequence

import numpy as np

from .frame import Direction, Series
from .grid import Drawn

Vectors = tuple[np.ndarray, np.ndarray]


def svg(
    drawn: Drawn,
    x: Direction,
    y: Direction,
    xlim: tuple[float, float],
    ylim: tuple[float, float],
    series: Sequence[Series],
) -> str:
    """The figure at one point of its parameters, drawn by `figures` in the book's style; equal
    figures are equal bytes. matplotlib is imported here and not before."""
    from .. import figures

    paths: dict[str, Vectors] = {}
    guides: dict[str, dict[str, float]] = {"hline": {}, "vline": {}}
    for one in series:
        if one.kind in guides:
            value = float(drawn[one.name, one.coordinates[0]][0])
            if value == value:  # NaN: nothing to draw
                guides[one.kind][one.name] = value
        else:
            ys = drawn[one.name, "y"]
            xs = x.values if one.coordinates == ("y",) else drawn[one.name, "x"]
            paths[one.name] = (np.asarray(xs), ys)
    shown = [one for one in series if one.name in paths or one.name in guides.get(one.kind, {})]
    style = {
        one.name: {
            "color": one.color,
            "dash": one.dash,
            "kind": "point" if one.kind == "point" else "line",
        }
        for one in shown
    }
    return figures.phase(
        paths,
        xlabel=x.label,
        ylabel=y.label,
        xscale=x.scale,
        yscale=y.scale,
        style=style,
        hlines=guides["hline"],
        vlines=guides["vline"],
        xlim=xlim,
        ylim=ylim,
    ).svg()
