"""The image of a live figure, for pages without scripts, for paper and for notebook viewers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .frame import Frame, Series
from .grid import Drawn

Vectors = tuple[np.ndarray, np.ndarray]


def svg(
    drawn: Drawn,
    frame: Frame,
    domains: Mapping[str, tuple[float, float]],
    series: Sequence[Series],
    *,
    equal: bool = False,
) -> str:
    """The figure at one point of its parameters, drawn by `figures` in the book's style; equal
    figures are equal bytes. matplotlib is imported here and not before."""
    from .. import figures

    paths: dict[str, Vectors] = {}
    bands: dict[str, tuple[np.ndarray, ...]] = {}
    guides: dict[str, dict[str, float]] = {"hline": {}, "vline": {}}
    for one in series:
        if one.kind in guides:
            value = float(drawn[one.name, one.coordinates[0]][0])
            if value == value:  # NaN: nothing to draw
                guides[one.kind][one.name] = value
        elif one.kind == "band":
            low, high = drawn[one.name, "low"], drawn[one.name, "high"]
            bands[one.name] = (np.asarray(frame.x.values), low, high)
        elif one.kind != "heat":
            xs = frame.x.values if one.coordinates == ("y",) else drawn[one.name, "x"]
            ys = drawn[one.name, "y"]
            if not np.isnan(xs + ys).all():
                paths[one.name] = (np.asarray(xs), ys)
    shown = {*paths, *bands, *guides["hline"], *guides["vline"]}
    options: dict[str, Any] = {
        "xlabel": frame.x.label,
        "ylabel": frame.y.label,
        "xscale": frame.x.scale,
        "yscale": frame.y.scale,
        "style": {one.name: _style(one) for one in series if one.name in shown},
        "hlines": guides["hline"],
        "vlines": guides["vline"],
        "xlim": domains["x"],
        "ylim": domains["y"],
    }
    if frame.z is None:
        return figures.phase(paths, bands=bands, equal=equal, **options).svg()
    (heat,) = (one for one in series if one.kind == "heat")
    xs, ys = np.asarray(frame.x.values), np.asarray(frame.y.values)
    return figures.heat(
        xs,
        ys,
        drawn[heat.name, "z"].reshape(len(ys), len(xs)),
        zlabel=frame.z.label,
        zscale=frame.z.scale,
        zlim=domains["z"],
        color=heat.color,
        series=paths,
        **options,
    ).svg()


def _style(one: Series) -> dict[str, Any]:
    line = "curve" if one.coordinates == ("y",) else "line"
    look = {"color": one.color, "kind": "point" if one.kind == "point" else line}
    return look if one.kind == "band" else {**look, "dash": one.dash}
