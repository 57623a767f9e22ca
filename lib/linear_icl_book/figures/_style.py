"""The style of the figures: colours and their meaning, dashes, and a Figure that keeps to them.

Figures are drawn for a column of 700 px in the palette's light colours, with transparent
background and text as text, so that a page can swap every hex for a variable and follow the
reader's theme. Nothing here touches matplotlib's global state or opens a window.
"""

import hashlib
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, cast

import numpy as np
import torch
from linear_icl._checks import choice
from matplotlib import rc_context, ticker
from matplotlib.axis import Axis
from matplotlib.figure import Figure

#: What each colour means, in formulas, diagrams and figures alike.
ROLES = {
    "U": "key-query block U, a part of W_KQ",
    "u": "value scalar u, a part of W_PV",
    "Gamma": "Γ and what follows from it: limits, bounds",
    "query": "the query",
    "ink": "text and whatever has no role",
    "muted": "guides, axes, comparisons",
}
PALETTE = {
    "light": {
        "U": "#0A66A8",
        "u": "#B84700",
        "Gamma": "#00745A",
        "query": "#93407C",
        "ink": "#1F2328",
        "muted": "#636B76",
    },
    "dark": {
        "U": "#6DB9F0",
        "u": "#F0A35C",
        "Gamma": "#4FD3A8",
        "query": "#E3A3CF",
        "ink": "#E6EAEF",
        "muted": "#A3ABB6",
    },
}
COLOURS = PALETTE["light"]
#: Dash patterns by name, as SVG writes them; a style takes a name or a pattern.
SHORT = (9e-4, 2e4)  # what ticks of a log axis write out
DASHES = {"solid": "", "dashed": "6 3", "dashdot": "8 3 2 3", "dotted": "2 2.5", "long": "12 4"}
#: Of these a curve is a line over increasing x, whose mark outside a frame has a number.
KINDS = {"line": None, "curve": None, "point": "o"}
FONT, WIDTH, HEIGHT = 10.5, 6.9, 3.7  # points, inches, inches: 14 px of text, 662 px wide
NARROW = 3.4  # inches, of a phone's column
_column = ContextVar("inches of the column that is drawn for", default=WIDTH)
_RC = {
    "font.family": "sans-serif",
    "font.size": FONT,
    "axes.labelsize": FONT,
    "axes.titlesize": FONT,
    "xtick.labelsize": FONT - 1,
    "ytick.labelsize": FONT - 1,
    "legend.fontsize": FONT - 0.5,
    "text.color": COLOURS["ink"],
    "axes.labelcolor": COLOURS["ink"],
    "axes.edgecolor": COLOURS["muted"],
    "xtick.color": COLOURS["muted"],
    "ytick.color": COLOURS["muted"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "lines.linewidth": 1.9,
    "lines.scale_dashes": False,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "svg.fonttype": "none",
}


@contextmanager
def style(content: str) -> Iterator[None]:
    """The style, inside this block only. Ids in an SVG come from its content, so that two
    figures on one page share none and equal figures are equal bytes."""
    salt = hashlib.sha256(content.encode()).hexdigest()
    with rc_context(cast(Any, {**_RC, "svg.hashsalt": salt})):
        yield


def width() -> float:
    """Inches of the column that is drawn for."""
    return _column.get()


def narrow() -> bool:
    return width() < WIDTH


def legend_columns(names: Collection[str], mark: int = 8) -> int:
    """How many names stand side by side, each behind a mark as wide as so many letters."""
    letters = int(78 * width() / WIDTH)
    return max(1, min(len(names), letters // (mark + max(map(len, names)))))


class BookFigure(Figure):
    """A matplotlib Figure that is always drawn in the book's style, byte for byte the same.

    As a cell's output it is an SVG, beside one line a series with min, mean and max to four
    digits, so that a comparison of outputs compares the figure. The SVG carries, unseen, the same
    figure for a phone, where a page shows it instead.
    """

    summary = ""
    again: "Callable[[], BookFigure] | None" = None

    def settle(self) -> None:
        """Lay out once: a layout repeated at each drawing depends on what was drawn before."""
        self.draw_without_rendering()
        self.set_layout_engine("none")

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        with style(self.summary):
            super().savefig(*args, **kwargs)

    def svg(self) -> str:
        """The figure as an SVG element for a page: palette hexes as PALETTE writes them, the
        reader's sans serif, no prolog, no date, no style sheet, no id that nothing refers to."""
        target = io.StringIO()
        self.savefig(target, format="svg", metadata={"Date": None})
        noise = r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->"
        text = re.sub(noise, "", target.getvalue(), flags=re.DOTALL)
        # what the style sheet said to every element of the page, said to this one
        text = text.replace("<svg ", '<svg stroke-linejoin="round" stroke-linecap="butt" ', 1)
        text = text.replace(' id="crisp"', ' shape-rendering="crispEdges"')
        used = set(re.findall(r"(?:\"|\()#([\w.-]+)", text))
        text = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", text)
        text = re.sub(r"font-family: [^;]*;", "font-family: sans-serif;", text)
        text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
        text = re.sub(r' d="([^"]*)"', lambda m: f' d="{shorter(m[1])}"', text)
        text = text.replace("#ffffff", "var(--paper, white)")  # the rim of lines over a heat map
        for colour in COLOURS.values():
            text = text.replace(colour.lower(), colour)
        return re.sub(r"\s*\n\s*", "\n", text).strip() + "\n"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        svg = self.svg()
        if self.again is not None:
            token = _column.set(NARROW)
            try:
                svg = svg.replace(
                    "\n</svg>", f"\n<metadata>{self.again().svg()}</metadata>\n</svg>"
                )
            finally:
                _column.reset(token)
        return {"image/svg+xml": svg, "text/plain": self.summary}


def two_widths(draw: Callable[..., BookFigure]) -> Callable[..., BookFigure]:
    """`draw`, whose figure can be drawn again, in another width."""

    @wraps(draw)
    def drawn(*args: Any, **kwargs: Any) -> BookFigure:
        figure = draw(*args, **kwargs)
        figure.again = lambda: draw(*args, **kwargs)
        return figure

    return drawn


def looks(
    pairs: Mapping[str, Any],
    bands: Mapping[str, Any],
    guides: Mapping[str, float],
    style: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Colour, dash and kind of every name; names without a style take roles and dashes in turn."""
    names = list(dict.fromkeys([*pairs, *bands, *guides]))
    if strange := [name for name in style if name not in names]:
        raise ValueError(f"style names what is not drawn: {strange}; drawn are {names}")
    chosen = {}
    for k, name in enumerate(names):
        own = dict(style.get(name, {}))
        if extra := sorted(set(own) - {"color", "dash", "kind", "arrow"}):
            raise ValueError(f"style takes color, dash, kind and arrow, got {extra} for {name!r}")
        guide = name not in pairs and name not in bands
        role = own.get("color", "muted" if guide else list(ROLES)[k % len(ROLES)])
        dash = own.get("dash", "dotted" if guide else list(DASHES)[k % len(DASHES)])
        chosen[name] = {
            "color": choice(f"the colour of {name!r}", role, COLOURS),
            "ls": _dash(name, dash),
            "marker": choice(f"the kind of {name!r}", own.get("kind", "line"), KINDS),
            "arrow": bool(own.get("arrow", False)),
            "curve": own.get("kind") == "curve",
        }
    return chosen


def _dash(name: str, dash: Any) -> Any:
    """A matplotlib line style from a name of DASHES or an SVG pattern; None is solid."""
    pattern = DASHES.get(dash or "solid", dash)
    if not isinstance(pattern, str) or not re.fullmatch(r"([\d.]+([ ,]+[\d.]+)+)?", pattern):
        raise ValueError(
            f"the dash of {name!r} must be one of {', '.join(DASHES)} or an SVG pattern such as "
            f"'6 3', got {dash!r}"
        )
    return (0, tuple(float(part) for part in re.split("[ ,]+", pattern))) if pattern else "-"


def tick(value: float, _: Any) -> str:
    return f"{value:.10g}".replace("-", "−")


class Decimals(ticker.LogFormatterSciNotation):
    """Ticks of a log axis: 0.1, 1, 10 where all that is seen is so short, else powers of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = str(super().__call__(x, pos))
        assert self.axis is not None
        low, high = sorted(self.axis.get_view_interval())
        return tick(x, pos) if text and SHORT[0] <= low and high <= SHORT[1] else text


def axis_numbers(axis: Axis, scale: str) -> None:
    """Numbers at the ticks."""
    if scale == "linear":
        axis.set_major_formatter(ticker.FuncFormatter(tick))
        return
    for put in (axis.set_major_formatter, axis.set_minor_formatter):
        put(Decimals())


def shorter(path: str) -> str:
    """An SVG path rounded to 0.01 points, its level and upright steps written as such."""
    rounded = re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), path)
    rounded = re.sub(r"-0(?![.\d])", "0", rounded)
    steps = re.findall(r"([A-Za-z])([^A-Za-z]*)", rounded)
    if not {letter for letter, _ in steps} <= set("MLz"):
        return rounded
    written, x, y = [], "", ""
    for letter, numbers in steps:
        if letter == "z":
            written.append("z")
            continue
        before, (x, y) = (x, y), numbers.split()
        if letter == "L" and y == before[1]:
            written.append(f"H{x}")
        elif letter == "L" and x == before[0]:
            written.append(f"V{y}")
        else:
            written.append(f"{letter}{x} {y}")
    return "".join(written)


def plain(value: Any) -> np.ndarray:
    """Numbers as a float64 array."""
    array = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"a figure takes real numbers, got {array.dtype} values")
    return array.astype(np.float64)


def vector(name: str, value: Any, *, length: int | None = None, gaps: bool = True) -> np.ndarray:
    """Numbers (n,); where gaps are allowed NaN is one, and what has no bound is infinite."""
    array = plain(value)
    if array.ndim != 1 or array.size == 0 or (length is not None and len(array) != length):
        wanted = "(n,)" if length is None else f"({length},), as its x has"
        raise ValueError(f"{name!r} must have shape {wanted}, got {array.shape}")
    finite = np.isfinite(array)
    if not finite.any() or not (gaps or finite.all()):
        got = "gaps only" if np.isnan(array).all() else array[~finite][0]
        raise ValueError(f"{name!r} must be finite, got {got}")
    return array


def numbers(guides: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """What `summary` tells of guides."""
    return {name: np.array(value) for name, value in guides.items()}


def summary(kind: str, named: Mapping[str, np.ndarray]) -> str:
    """One line a series: min, mean and max to four digits, rounding noise shown as 0."""
    lines = [f"{kind}:"]
    for name, values in named.items():
        finite = values[np.isfinite(values)]
        noise = 1e-9 * np.abs(finite).max(initial=0)
        numbers = [finite.min(), finite.mean(), finite.max()] if finite.size else [np.inf] * 3
        low, mean, high = (f"{0.0 if abs(v) < noise else float(v):.4g}" for v in numbers)
        unbounded = int(np.isinf(values).sum())
        several = f"min {low}, mean {mean}, max {high}" + f", {unbounded} unbounded" * bool(
            unbounded
        )
        lines.append(f"  {name}: {low if values.size == 1 else several}")
    return "\n".join(lines)
