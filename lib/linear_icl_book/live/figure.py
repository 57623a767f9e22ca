"""LiveFigure: the widget."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

try:
    import anywidget
    import traitlets
except ImportError as error:  # pragma: no cover - the book's environment has both
    raise ImportError("live figures need anywidget: pip install 'linear-icl[widgets]'") from error

from . import bundle, fallback, frame, packing
from .axis import Axis
from .describe import check_name, digits, summary, unknown
from .grid import Drawn, Evaluator
from .recorded import lookup

BUDGET = 60_000  # bytes of one figure's grid; a page may carry 200 KB of gzip in all


class LiveFigure(anywidget.AnyWidget):
    """A figure that follows its parameters: in JupyterLab, and in a static page without a kernel.

    fn(**{axis.name: value}) returns {series name: values} and is called on the whole grid of the
    axes when the figure is made. What a series is depends on its kind and on the figure:

        curves, where x has values (n,): a "line" is a vector (n,), NaN being a gap; a "band" is a
            pair (low, high) of such, low <= high, both NaN at a gap, drawn beneath the lines
        a plane, where x has none: a "line" is a pair (xs, ys)
        a heat map, where x has values (n,) and y (m,), the centres of the cells: the one series of
            kind "heat" is (m, n), row i at y's value i, NaN being an absent cell; z says what its
            colours measure; a "line" over it is a pair (xs, ys), or a vector (n,) over x's values
        everywhere: a "point" series is a pair (xs, ys), NaN being an absent point; "hline" and
            "vline" are single numbers

    axes: the controls; each is an ordinary trait too (`fig.sigma`, observe, jslink). An axis of
    strings is a menu, and fn gets the string.

    x, y: dict(label=…, scale="linear"|"log", domain=(low, high)), and values=… as said above.

    z: dict(label=…, scale=…, domain=…) of a heat map's colours; without a domain they span the
    whole grid, so that a colour means the same at every stop.

    series: {name: dict(kind=…, color=a role such as "U", dash=an SVG pattern)}, in drawing order.
    The colours of a heat map go from the paper (low) to its role (high), in dark pages too.

    title: the accessible name, not drawn. alt: what the image shows, for those who do not see it.

    name: the figure's name in the page's address; made from the title if not given. budget: bytes
    that the grid may take, two a number. snap: True lets sliders stop on the grid only, in a
    notebook too, and a trait that is set elsewhere go to the nearest value; for an fn that is slow.
    equal: in a plane, one unit is as long along y as along x, so that a circle is one.

    No value is moved into the frame. What lies outside the domain, an infinite value, and 0 on a
    log scale, gets an arrow at the edge with its value, in the still image too, and the value
    itself is shown and spoken; so fn clamps nothing. Negative on a log scale may be the lower edge
    of a band alone. Of points that lie on each other the later series is drawn smaller.

    Values are stored with an error of at most 1/131068 of their range over the grid (of the range
    of their logarithm on a log scale). With a kernel a slider also stops between grid points: the
    curve is interpolated at once, then replaced by fn's own. Nothing is blended between names.

    Raises ValueError for anything above that does not hold, with the condition, what came and the
    likely fix; for fn it names the parameters.
    """

    _esm = bundle.front_end(bundle.GRID)
    _css = bundle.text("live.css")
    spec = traitlets.Dict().tag(sync=True)
    data = traitlets.Bytes(b"").tag(sync=True)

    def __init__(
        self,
        fn: Callable[..., Mapping[str, Any]],
        axes: Sequence[Axis],
        x: Mapping[str, Any],
        y: Mapping[str, Any],
        series: Mapping[str, Mapping[str, Any]],
        title: str,
        alt: str,
        *,
        z: Mapping[str, Any] | None = None,
        name: str | None = None,
        budget: int = BUDGET,
        snap: bool = False,
        equal: bool = False,
    ) -> None:
        _check_texts(title, alt)
        _check_axes(axes)
        sides = frame.sides(x, y, z, heat=frame.has_heat(series))
        frame.check_equal(sides, equal)
        drawn = frame.series(series, sides)
        self._evaluate = Evaluator(fn, axes, sides, drawn)
        grid = self._evaluate.grid()
        channels, data = packing.pack((values, sides[c].log) for (_, c), values in grid.items())
        if len(data) > budget:
            raise ValueError(
                f"the grid must take at most {budget} bytes, got {len(data)}; "
                "thin out an axis or the curves, or give budget="
            )
        self._lines = summary(axes, grid, sides)
        self._domains = {
            side: direction.domain or _domain(grid, side, sides)
            for side, direction in sides.sides.items()
        }
        spec = {
            "schema": packing.SCHEMA,
            "name": slug(title) if name is None else check_name(name),
            "title": title,
            "alt": alt,
            "snap": snap,
            "equal": equal,
            "axes": [
                {**vars(axis), "values": list(axis.values), "integer": axis.integer}
                for axis in axes
            ],
            **{k: _side(side, self._domains[k]) for k, side in sides.sides.items()},
            "series": [
                {"name": s.name, "kind": s.kind, "color": s.color, "dash": s.dash, "channels": {}}
                for s in drawn
            ],
        }
        by_name = {one["name"]: one for one in spec["series"]}  # type: ignore[attr-defined]
        for (owner, coordinate), channel in zip(grid, channels, strict=True):
            by_name[owner]["channels"][coordinate] = channel.spec()
        self.add_traits(**{axis.name: _trait(axis, snap) for axis in axes})
        super().__init__(spec=spec, data=data)
        self.on_msg(self._answer)

    @classmethod
    def from_grid(
        cls,
        grid: Mapping[str, Any],
        axes: Sequence[Axis],
        x: Mapping[str, Any],
        y: Mapping[str, Any],
        series: Mapping[str, Mapping[str, Any]],
        title: str,
        alt: str,
        **options: Any,
    ) -> "LiveFigure":
        """A figure of recorded results: nothing is computed, and sliders stop on the grid only.

        grid: {series: array}, each with one leading axis per control, in the order of `axes`, and
        behind them what `fn` would return; where that is a pair, a tuple of two such arrays.
        Everything else, `z`, `name` and `budget` too, as for `LiveFigure`.

        Raises ValueError as `LiveFigure`, and for leading axes of another shape.
        """
        _check_axes(axes)
        return cls(lookup(grid, axes), axes, x, y, series, title, alt, snap=True, **options)

    # ---- in the notebook --------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name.startswith("_") or hasattr(type(self), name)):
            raise AttributeError(unknown(type(self), name, self._here()))
        super().__setattr__(name, value)

    def _here(self) -> dict[str, Any]:
        return {axis.name: getattr(self, axis.name) for axis in self._evaluate.axes}

    def _answer(self, _: Any, message: Mapping[str, Any], __: Any) -> None:
        """What the front end asks of a kernel: whether it is there, and the curves off the grid."""
        if message.get("type") == "hello":
            self.send({"type": "alive"})
        elif message.get("type") == "compute":
            reply = {"type": "computed", "id": message["id"]}
            try:
                drawn = self._evaluate(message["point"])
            except ValueError as error:
                self.send({**reply, "error": str(error)})
                return
            # Every vector has the length of its channel, so the order says it all.
            vectors = np.concatenate(list(drawn.values())).astype("<f8")
            self.send(reply, buffers=[vectors.tobytes()])

    # ---- as the output of a cell ------------------------------------------------------------

    def __repr__(self) -> str:
        """One line an axis and a series over the grid; compared by the notebook tests."""
        shown = ", ".join(f"{name} = {digits(value)}" for name, value in self._here().items())
        return "\n".join([f"LiveFigure {self.spec['title']!r} at {shown}", *self._lines])

    def svg(self) -> str:
        """The image at the current values, byte for byte the same for the same figure."""
        drawn = self._evaluate(self._here())
        sides, series = self._evaluate.frame, self._evaluate.series
        return fallback.svg(drawn, sides, self._domains, series, equal=self.spec["equal"])

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        view, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        data = {**view, "text/plain": repr(self), "image/svg+xml": self.svg()}
        return data, {**metadata, "image/svg+xml": {"alt": self.spec["alt"]}}


def _check_texts(title: str, alt: str) -> None:
    for what, text in (("title", title), ("alt", alt)):
        if not text.strip():
            raise ValueError(
                f"{what} must not be empty, got {text!r}; "
                "say what the figure is (title) and what is to be seen in it (alt)"
            )


def _check_axes(axes: Sequence[Axis]) -> None:
    if not axes:
        raise ValueError("there must be at least one axis, got none; a still figure is in figures")
    names = [axis.name for axis in axes]
    for name in names:
        if hasattr(LiveFigure, name):
            raise ValueError(
                f"an axis must not be named like an attribute of the widget, got {name!r}; "
                f"rename it, for instance {name}_"
            )
        if names.count(name) > 1:
            raise ValueError(f"axis names must differ, got {name!r} twice")


def slug(title: str) -> str:
    """A title as it stands in the page's address, where it needs no escape."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "figure"


def _trait(axis: Axis, snap: bool) -> Any:
    if axis.categorical:
        return traitlets.Enum(axis.values, axis.init).tag(sync=True)
    kind: Any = traitlets.Int if axis.integer else traitlets.Float
    kind = type(kind.__name__, (kind,), {"validate": _number(kind, axis, snap)})
    return kind(axis.init, min=axis.values[0], max=axis.values[-1]).tag(sync=True)


def _number(kind: Any, axis: Axis, snap: bool) -> Callable[..., Any]:
    """Bounds alone let NaN pass."""

    def validate(trait: Any, owner: Any, value: Any) -> Any:
        number = kind.validate(trait, owner, value)
        if number != number:
            ends = f"{axis.values[0]:g} to {axis.values[-1]:g}"
            raise traitlets.TraitError(f"{axis.name} must be a number from {ends}, got {value}")
        return axis.nearest(number) if snap else number

    return validate


def _side(direction: frame.Direction, domain: tuple[float, float]) -> dict[str, Any]:
    side = {"label": direction.label, "scale": direction.scale, "domain": list(domain)}
    if direction.values is not None:
        side["values"] = [float(f"{value:.6g}") for value in direction.values]
    return side


def _domain(grid: Drawn, side: str, sides: frame.Frame) -> tuple[float, float]:
    direction = sides.sides[side]
    if direction.values is not None:
        ends = direction.edges() if sides.z else direction.values
        return float(ends[0]), float(ends[-1])
    found = [values.ravel() for (_, c), values in grid.items() if frame.SIDES[c] == side]
    values = np.concatenate([*found, np.empty(0)])
    values = values[np.isfinite(values) & ((values > 0) | (not direction.log))]
    if not values.size:
        raise ValueError(
            f"there must be something to draw along {side}, got only NaN; "
            f"check fn, or give {side} a domain"
        )
    extent = float(values.min()), float(values.max())
    # Colours need no room at their ends, unless both are one.
    exact = side == "z" and extent[0] < extent[1]
    return extent if exact else frame.around(extent, direction.scale)
