"""LiveFigure: the widget."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

try:
    import anywidget
    import traitlets
except ImportError as error:  # pragma: no cover - the book's environment has both
    raise ImportError("live figures need anywidget: pip install 'linear-icl[widgets]'") from error

from . import fallback, frame, packing
from .axis import Axis
from .grid import Drawn, Evaluator

HERE = Path(__file__).parent
BUDGET = 60_000  # bytes of one figure's grid; a page may carry 200 KB of gzip in all


class LiveFigure(anywidget.AnyWidget):
    """Curves that follow their parameters: in JupyterLab, and in a static page without a kernel.

    fn(**{axis.name: value}) returns {series name: values} and is called on the whole grid of the
    axes when the figure is made. A "line" is a vector over x's values, NaN being a gap; where x has
    no values the figure is parametric and a line is a pair (xs, ys). A "point" series is always a
    pair, NaN being an absent point; "hline" and "vline" are single numbers.

    axes: the controls; each is an ordinary trait too (`fig.sigma`, observe, jslink).
    x, y: dict(label=…, scale="linear"|"log", domain=(low, high)), for x also values=….
    series: {name: dict(kind=…, color=a role such as "U", dash=an SVG pattern)}, in drawing order.
    title: the accessible name, not drawn. alt: what the image shows, for those who do not see it.
    name: the figure's name in the page's address; made from the title if not given.
    budget: bytes that the grid may take, two a number.

    Values are stored with an error of at most 1/131068 of their range over the grid (of the range
    of their logarithm on a log scale). With a kernel a slider also stops between grid points: the
    curve is interpolated at once, then replaced by fn's own.

    Raises ValueError for anything above that does not hold, with the condition, what came and the
    likely fix; for fn it names the parameters.
    """

    _esm = HERE / "live.js"
    _css = HERE / "live.css"
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
        name: str | None = None,
        budget: int = BUDGET,
    ) -> None:
        _check_texts(title, alt)
        _check_axes(axes)
        self._x = frame.direction("x", x, with_values=True)
        self._y = frame.direction("y", y, with_values=False)
        drawn = frame.series(series, parametric=self._x.values is None)
        self._evaluate = Evaluator(fn, axes, self._x, self._y, drawn)
        grid = self._evaluate.grid()
        logs = {"x": self._x.log, "y": self._y.log}
        channels, data = packing.pack((values, logs[c]) for (_, c), values in grid.items())
        if len(data) > budget:
            raise ValueError(
                f"the grid must take at most {budget} bytes, got {len(data)}; "
                "thin out an axis or the curves, or give budget="
            )
        self._lines = _summary(axes, grid)
        self._xlim = self._x.domain or _domain(grid, "x", self._x)
        self._ylim = self._y.domain or _domain(grid, "y", self._y)
        spec = {
            "schema": packing.SCHEMA,
            "name": _name(title, name),
            "title": title,
            "alt": alt,
            "axes": [
                {**vars(axis), "values": list(axis.values), "integer": axis.integer}
                for axis in axes
            ],
            "x": _side(self._x, self._xlim),
            "y": _side(self._y, self._ylim),
            "series": [
                {"name": s.name, "kind": s.kind, "color": s.color, "dash": s.dash, "channels": {}}
                for s in drawn
            ],
        }
        by_name = {one["name"]: one for one in spec["series"]}  # type: ignore[attr-defined]
        for (owner, coordinate), channel in zip(grid, channels, strict=True):
            by_name[owner]["channels"][coordinate] = channel.spec()
        self.add_traits(**{axis.name: _trait(axis) for axis in axes})
        super().__init__(spec=spec, data=data)
        self.on_msg(self._answer)

    # ---- in the notebook --------------------------------------------------------------------

    def _here(self) -> dict[str, float | int]:
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
        shown = ", ".join(f"{name} = {_digits(value)}" for name, value in self._here().items())
        return "\n".join([f"LiveFigure {self.spec['title']!r} at {shown}", *self._lines])

    def svg(self) -> str:
        """The image at the current values, byte for byte the same for the same figure."""
        drawn = self._evaluate(self._here())
        return fallback.svg(drawn, self._x, self._y, self._xlim, self._ylim, self._evaluate.series)

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


def _name(title: str, name: str | None) -> str:
    """The name in the address: a slug, so that it needs no escape there."""
    if name is None:
        return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "figure"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(
            f"name must be lower-case letters, digits and single hyphens, got {name!r}; "
            "it stands in the page's address"
        )
    return name


def _trait(axis: Axis) -> Any:
    kind = traitlets.Int if axis.integer else traitlets.Float
    return kind(axis.init, min=axis.values[0], max=axis.values[-1]).tag(sync=True)


def _side(direction: frame.Direction, domain: tuple[float, float]) -> dict[str, Any]:
    side = {"label": direction.label, "scale": direction.scale, "domain": list(domain)}
    if direction.values is not None:
        side["values"] = [float(f"{value:.6g}") for value in direction.values]
    return side


def _domain(grid: Drawn, coordinate: str, direction: frame.Direction) -> tuple[float, float]:
    if direction.values is not None:
        return float(direction.values[0]), float(direction.values[-1])
    found = [values.ravel() for (_, c), values in grid.items() if c == coordinate]
    values = np.concatenate([*found, np.empty(0)])
    if np.isnan(values).all():
        raise ValueError(
            f"there must be something to draw along {coordinate}, got only NaN; "
            f"check fn, or give {coordinate} a domain"
        )
    return frame.around((float(np.nanmin(values)), float(np.nanmax(values))), direction.scale)


def _summary(axes: Sequence[Axis], grid: Drawn) -> list[str]:
    lines = [f"  {axis.name}: {', '.join(map(_digits, axis.values))}" for axis in axes]
    for (name, coordinate), values in grid.items():
        several = sum(owner == name for owner, _ in grid) > 1
        what = f"  {name}, {coordinate}" if several else f"  {name}"
        present = values[~np.isnan(values)]
        if not present.size:
            lines.append(f"{what}: nothing to draw")
            continue
        noise = 1e-9 * np.abs(present).max()
        numbers = (present.min(), present.mean(), present.max())
        low, mean, high = (_digits(0.0 if abs(v) < noise else float(v)) for v in numbers)
        absent = f", {values.size - present.size} absent" if present.size < values.size else ""
        lines.append(f"{what}: min {low}, mean {mean}, max {high}{absent}")
    return lines


def _digits(value: float | int) -> str:
    """Four significant digits, and never a whole number, which would be compared exactly."""
    if isinstance(value, int) or value == 0:
        return str(int(value))
    return f"{value:#.4g}" if 1e-3 <= abs(value) < 1e3 else f"{value:.3e}"
