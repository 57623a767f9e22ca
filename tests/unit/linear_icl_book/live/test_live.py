"""The live figure in Python: what it accepts, what it stores, what it says and what it draws."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np
import pytest
import torch
import traitlets
from linear_icl_book import figures, live
from linear_icl_book.live import Axis, LiveFigure, frame, packing
from traitlets import TraitError

from tests.unit.common import refuses

PACKAGE = Path(live.__file__).parent
X = np.linspace(0.0, 1.0, 5)
GIVEN: dict[str, Any] = {
    "axes": [Axis("a", [1.0, 2.0, 4.0], "a, slope"), Axis("n", [1, 2], "n, power")],
    "x": {"values": X, "label": "x"},
    "y": {"label": "y"},
    "series": {"curve": {"color": "U"}, "floor": {"kind": "hline"}},
    "title": "A power",
    "alt": "A curve above its floor.",
}


def power(a: float, n: int) -> dict[str, Any]:
    return {"curve": torch.tensor(a * X**n), "floor": 0.1}


def made(fn: Any = power, **changed: Any) -> LiveFigure:
    return LiveFigure(fn, **{**GIVEN, **changed})


def stored(figure: LiveFigure, name: str, coordinate: str = "y") -> np.ndarray:
    spec = figure.spec
    counts = tuple(len(axis["values"]) for axis in spec["axes"])
    (series,) = (one for one in spec["series"] if one["name"] == name)
    return packing.unpack(series["channels"][coordinate], figure.data, counts)


# ---- axes ------------------------------------------------------------------------------------


def test_axis_keeps_integers_and_starts_in_the_middle() -> None:
    axis = Axis("N", [2, 4, 8, 16], "N, length")
    assert axis.values == (2, 4, 8, 16) and axis.integer and axis.init == 8
    smooth = Axis("s", torch.logspace(-6, 0, 3), "s", init=1e-3)
    assert not smooth.integer and smooth.init == smooth.values[1]


def test_the_zero_of_a_linspace_is_zero() -> None:
    assert np.linspace(-1, 1, 21)[10] != 0 or torch.linspace(-1, 1, 21)[10] != 0
    assert Axis("b", torch.linspace(-1, 1, 21, dtype=torch.float64), "b", init=0.0).init == 0.0


def test_an_axis_of_names_starts_with_the_first() -> None:
    axis = Axis("law", np.array(["even", "odd"]), "law")
    assert axis.values == ("even", "odd") and type(axis.values[0]) is str
    assert axis.categorical and not axis.integer and axis.init == "even"
    assert Axis("law", ("even", "odd"), "law", init="odd").init == "odd"


test_a_bad_axis_says_what_is_wrong = refuses(
    (("2a", [1, 2], "a"), "Python identifier, got '2a'"),
    (("for", [1, 2], "a"), "Python identifier, got 'for'"),
    (("a", [1, 2], " "), "label of axis 'a' must not be empty"),
    (("a", [1], "a"), r"at least 2 values, got shape \(1,\)"),
    (("a", [[1, 2]], "a"), r"at least 2 values, got shape \(1, 2\)"),
    (("a", [1, 3, 2], "a"), r"increasing, got \[1, 3, 2\]; sort"),
    (("a", [1, 1], "a"), "increasing"),
    (("a", [1.0, np.nan], "a"), "finite and increasing"),
    (("a", ["x", 1], "a"), r"all numbers or all strings, got \['x', 1\]; write"),
    (("a", "xy", "a"), r"at least 2 values, got \('xy',\)"),
    (("a", ["x"], "a"), r"at least 2 values, got \('x',\)"),
    (("a", ["x", "x"], "a"), r"different names .*, got \['x', 'x'\]"),
    (("a", ["x", " y"], "a"), "different names without blanks around them"),
    (("a", ["x", ""], "a"), "different names without blanks around them"),
    (("a", ["x", "y"], "a", "z"), "init of axis 'a' must be .*, got 'z'; they are x, y"),
    (("a", [1, [2, 3]], "a"), "real numbers of one length"),
    (("a", [True, False], "a"), "real numbers, got dtype bool"),
    (("a", [1.0, 2.0], "a", 1.4), "init of axis 'a' must be one of its values, got 1.4; .* 1.0"),
    by=lambda arguments: Axis(*arguments),
)


# ---- what is given ---------------------------------------------------------------------------


test_a_bad_argument_says_what_is_wrong = refuses(
    ({"title": ""}, "title must not be empty"),
    ({"alt": "  "}, "alt must not be empty, got '  '"),
    ({"axes": []}, "at least one axis"),
    ({"axes": [Axis("data", [1, 2], "d")]}, "attribute of the widget, got 'data'; .* data_"),
    ({"axes": [Axis("spec", [1, 2], "d")]}, "got 'spec'"),
    ({"axes": [Axis("layout", [1, 2], "d")]}, "got 'layout'"),
    ({"axes": [Axis("a", [1, 2], "a")] * 2}, "axis names must differ, got 'a' twice"),
    ({"series": {}}, "at least one series"),
    ({"series": {"curve": {"kind": "bar"}}}, "kind of 'curve' must be one of line, point"),
    ({"series": {"curve": {"color": "red"}}}, "color of 'curve' must be one of U, u, Gamma"),
    ({"series": {"curve": {"dash": "6;4"}}}, "dash of 'curve' .* such as '6 4', got '6;4'"),
    ({"series": {"curve": {"colour": "U"}}}, "takes kind, color, dash, got 'colour'"),
    ({"y": {"label": "y", "scale": "symlog"}}, "scale of y must be one of linear, log"),
    ({"y": {"label": ""}}, "y must have a label"),
    ({"y": {"label": "y", "values": X}}, "y takes label, scale, domain, got 'values'"),
    ({"y": {"label": "y", "domain": [1, 0]}}, r"domain of y must be \(low, high\)"),
    ({"y": {"label": "y", "domain": [0, 1, 2]}}, r"domain of y must be \(low, high\)"),
    ({"y": {"label": "y", "scale": "log", "domain": [0, 1]}}, "positive on a log scale"),
    ({"x": {"label": "x", "values": [0, 2, 1]}}, "leave x's values out"),
    ({"x": {"label": "x", "values": X, "scale": "log"}}, "positive on a log scale, got 0.0"),
    ({"z": {"label": "z"}}, "z is the colour of a heat map, got .* no series of kind 'heat'"),
    ({"series": {"curve": {"kind": "band", "dash": "6 4"}}}, "band must have no dash, got '6 4'"),
    (
        {"series": {"curve": {"kind": "band"}}, "x": {"label": "x"}},
        "band must lie between curves .*, got 'curve' without values of x; draw its edges",
    ),
    ({"name": "A b"}, "name must be lower-case letters, digits and single hyphens, got 'A b'"),
    ({"budget": 11}, "at most 11 bytes, got 62; thin out"),
    by=lambda changed: made(**changed),
)


test_a_bad_answer_names_the_parameters = refuses(
    ({"curve": X}, r"keys \['curve', 'floor'\], got \['curve'\] at a=1, n=1"),
    (X, "must return a mapping .*, got ndarray at a=1, n=1"),
    ({"curve": X[:4], "floor": 0}, "one value per x, 5, got 4"),
    ({"curve": X[:, None], "floor": 0}, r"must be a vector, got shape \(5, 1\)"),
    ({"curve": X + 1j, "floor": 0}, "real numbers, got dtype complex128"),
    ({"curve": np.append(X[1:], 1e301), "floor": 0}, r"below 1e\+300 or infinite, got 1e\+301"),
    ({"curve": X, "floor": [0.1]}, r"floor' at a=1, n=1, y must be a single number"),
    by=lambda answer: made(lambda a, n: answer),
)


def test_a_function_that_fails_is_named_with_its_parameters() -> None:
    def fails(a: float, n: int) -> dict[str, Any]:
        return {"curve": X, "floor": 1 / (4 * (n - 1) - a)}

    with pytest.raises(ValueError, match=r"raised ZeroDivisionError.* at a=4, n=2") as caught:
        made(fails)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def parametric(**answer: Any) -> LiveFigure:
    series = {name: {"kind": "point" if name == "end" else "line"} for name in answer}
    axes = [Axis("a", [1, 2], "a")]
    returned = {k: v if callable(v) else lambda a, v=v: v for k, v in answer.items()}
    return made(
        lambda a: {k: v(a) for k, v in returned.items()},
        axes=axes,
        x={"label": "x"},
        series=series,
    )


def test_pairs_are_checked() -> None:
    with pytest.raises(ValueError, match=r"'path' at a=1 must be a pair \(xs, ys\), got ndarray"):
        parametric(path=X)
    with pytest.raises(ValueError, match=r"as many xs as ys, got \[4, 5\]"):
        parametric(path=(X, X[:4]))
    with pytest.raises(ValueError, match="the same length on the whole grid, 1, got 2; fill up"):
        parametric(path=(X, X), end=lambda a: (X[:a], X[:a]))
    with pytest.raises(ValueError, match="something to draw along x, got only NaN"):
        parametric(path=(X * np.nan, X))


def test_a_log_scale_wants_positive_values_or_zero() -> None:
    with pytest.raises(ValueError, match=r"'curve' at a=1, n=1, y must be at least 0 .*, got -1;"):
        made(lambda a, n: {"curve": X - 1, "floor": 0.1}, y={"label": "y", "scale": "log"})
    figure = made(y={"label": "y", "scale": "log"})
    assert (stored(figure, "curve")[..., 0] == 0).all(), "0 is stored as 0"
    assert figure.spec["y"]["domain"][0] > 0 and "curve: min 0, " in repr(figure)
    gaps = made(
        lambda a, n: {"curve": np.where(X > 0, a * X**n, np.nan), "floor": 0.1},
        y={"label": "y", "scale": "log"},
    )
    assert np.isnan(stored(gaps, "curve")[..., 0]).all()


# ---- bands and heat maps -----------------------------------------------------------------------

Y = [1.0, 10.0, 100.0]
CELLS = np.arange(1.0, 16.0).reshape(3, 5)
MAP: dict[str, Any] = {
    "axes": [Axis("a", [1.0, 2.0], "a")],
    "x": {"values": X, "label": "x"},
    "y": {"values": Y, "label": "y", "scale": "log"},
    "z": {"label": "value", "scale": "log"},
    "series": {"value": {"kind": "heat", "color": "U"}, "path": {}},
}


def heat(fn: Any = None, **changed: Any) -> LiveFigure:
    return made(fn or (lambda a: {"value": a * CELLS, "path": (X, X + 1)}), **MAP | changed)


def banded(low: Any, high: Any, **changed: Any) -> LiveFigure:
    return made(
        lambda a, n: {"between": (low, high)}, series={"between": {"kind": "band"}}, **changed
    )


def test_a_band_is_stored_drawn_and_said() -> None:
    gap = np.where(X == 0.5, np.nan, X)
    figure = banded(gap, gap + 1)
    np.testing.assert_allclose(stored(figure, "between", "low")[0, 0], gap, atol=1e-4)
    np.testing.assert_allclose(stored(figure, "between", "high")[0, 0], gap + 1, atol=1e-4)
    assert figure.spec["y"]["domain"] == [0.0, 2.08]  # both ends count
    assert "  between, high: min 1.000, mean 1.500, max 2.000, 6 absent" in repr(figure)
    assert "between" in figure.svg()


test_a_bad_band_says_what_is_wrong = refuses(
    ((X + 1, X), r"low <= high, got 1 > 0 at index 0; the order is \(low, high\)"),
    ((np.where(X > 0, X, np.nan), X), "absent together, got NaN in one of them"),
    ((X, X[:4]), r"as many lows as highs, got \[4, 5\]"),
    ((X[:4], X[:4]), "one value per x, 5, got 4"),
    by=lambda pair: banded(*pair),
)


def test_a_band_is_a_pair_whose_upper_edge_is_positive_on_a_log_scale() -> None:
    with pytest.raises(ValueError, match=r"must be a pair \(low, high\), got ndarray of shape"):
        made(lambda a, n: {"between": X}, series={"between": {"kind": "band"}})
    with pytest.raises(
        ValueError, match=r"'between' at a=1, n=1, high must be at least 0 on a log"
    ):
        banded(X - 2, X - 1, y={"label": "y", "scale": "log"})
    figure = banded(X - 0.5, X + 1, y={"label": "y", "scale": "log"})
    assert stored(figure, "between", "low")[0, 0].tolist()[:3] == [-np.inf, -np.inf, 0]


def test_a_heat_map_is_stored_by_rows_with_the_edges_of_its_cells() -> None:
    figure = heat()
    read = stored(figure, "value", "z").reshape(2, 3, 5)
    np.testing.assert_allclose(read, [CELLS, 2 * CELLS], rtol=1e-4)
    assert figure.spec["y"]["values"] == Y and figure.spec["x"]["domain"] == [-0.125, 1.125]
    assert figure.spec["y"]["domain"] == pytest.approx([10**-0.5, 10**2.5])
    assert figure.spec["z"] == {"label": "value", "scale": "log", "domain": [1.0, 30.0]}
    assert "  value: min 1.000, mean 12.00, max 30.00" in repr(figure)  # 8 · (1 + 2)/2


def test_a_line_over_a_heat_map_is_a_pair_or_follows_the_columns() -> None:
    as_pair, over_x = heat(), heat(lambda a: {"value": a * CELLS, "path": X + 1})
    assert as_pair.data == over_x.data and repr(as_pair) == repr(over_x)
    two = heat(  # a curve of two numbers is no pair of numbers
        lambda a: {"value": a * CELLS[:, :2], "path": [3, 4]}, x={"values": [0, 1], "label": "x"}
    )
    np.testing.assert_allclose(stored(two, "path", "x")[0], [0, 1], atol=1e-4)


def test_a_heat_map_of_one_value_has_colours_around_it() -> None:
    assert heat(lambda a: {"value": 0 * CELLS + 4, "path": X + 1}).spec["z"]["domain"] == [2, 8]


test_a_bad_heat_map_says_what_is_wrong = refuses(
    ({"z": None}, "heat map must have z=dict"),
    ({"z": {"scale": "log"}}, "z must have a label"),
    ({"z": {"label": "z", "values": X}}, "z takes label, scale, domain, got 'values'"),
    ({"y": {"label": "y"}}, "y must have values under a heat map, got none; .* centres"),
    ({"x": {"label": "x"}}, "x must have values under a heat map"),
    ({"y": {"label": "y", "values": [2, 1, 0]}}, "2 increasing numbers.*sort the rows"),
    (
        {"series": {name: {"kind": "heat"} for name in ("value", "path")}},
        "one heat map at most, got 'value', 'path'; choose between them with an axis",
    ),
    (
        {"series": {"value": {"kind": "heat"}, "path": {"kind": "band"}}},
        "got 'path' over a heat map; draw its edges as lines",
    ),
    by=lambda changed: heat(**changed),
)


test_bad_cells_name_the_parameters = refuses(
    (CELLS.T, r"'value' at a=1 must have shape \(3, 5\), got \(5, 3\); transpose it"),
    (CELLS[:2], r"must have shape \(3, 5\), got \(2, 5\); one row for each value of y"),
    (CELLS.ravel(), r"must have shape \(3, 5\), got \(15,\)"),
    (CELLS - 1, "'value' at a=1 must be positive on a log scale, got 0;"),
    (CELLS * np.inf, "must be finite or NaN, got inf"),
    (CELLS * np.nan, "something to draw along z, got only NaN"),
    by=lambda cells: heat(lambda a: {"value": cells, "path": X + 1}),
)


def test_an_absent_cell_is_no_value() -> None:
    holed = np.where(CELLS == 8, np.nan, CELLS)
    figure = heat(lambda a: {"value": holed, "path": X + 1})
    assert np.isnan(stored(figure, "value", "z")[0, 7]) and "15.00, 2 absent" in repr(figure)
    assert figure.svg() != heat().svg()


# ---- names and recorded grids ------------------------------------------------------------------


def named(**changed: Any) -> LiveFigure:
    def power_of(a: float, parity: str) -> dict[str, Any]:
        return {"curve": a * X ** {"even": 2, "odd": 3}[parity], "floor": 0.1}

    return made(
        power_of, axes=[GIVEN["axes"][0], Axis("parity", ["even", "odd"], "parity")], **changed
    )


def test_a_name_is_handed_to_the_function_stored_and_said() -> None:
    figure = named()
    np.testing.assert_allclose(stored(figure, "curve")[2, 1], 4 * X**3, atol=1e-4)
    assert repr(figure).startswith("LiveFigure 'A power' at a = 2.000, parity = even")
    assert "  parity: even, odd\n" in repr(figure)
    assert figure.spec["axes"][1]["values"] == ["even", "odd"]
    with pytest.raises(ValueError, match=r"raised KeyError.* at a=1, parity=odd"):
        made(
            lambda a, parity: {"curve": {"even": X}[parity], "floor": 0}, axes=figure._evaluate.axes
        )


def test_a_name_is_a_trait_of_its_menu() -> None:
    figure = named()
    before = figure.svg()
    figure.parity = "odd"
    assert figure.svg() != before
    with pytest.raises(traitlets.TraitError, match="none"):
        figure.parity = "none"


GRID = np.array([[a * X**n for n in (1, 2)] for a in (1.0, 2.0, 4.0)])


def recorded(**changed: Any) -> LiveFigure:
    grid = {"curve": torch.tensor(GRID), "floor": np.full((3, 2), 0.1)}
    return LiveFigure.from_grid(**{"grid": grid, **GIVEN, **changed})


def test_a_recorded_grid_is_the_figure_of_its_function() -> None:
    assert repr(recorded()) == repr(made()) and recorded().data == made().data
    assert recorded().svg() == made().svg()
    pairs = {"low": GRID, "dots": (GRID, GRID + 1)}
    kinds = {"low": {}, "dots": {"kind": "point"}}
    np.testing.assert_allclose(
        stored(recorded(grid=pairs, series=kinds), "dots", "y"), GRID + 1, atol=1e-4
    )


def test_recorded_maps_and_names() -> None:
    axes = [Axis("kind", ["one", "two"], "kind")]
    grid = {"value": np.stack([CELLS, 2 * CELLS]), "path": np.stack([X + 1, X + 1])}
    figure = recorded(grid=grid, **MAP | {"axes": axes})
    assert figure.data == heat().data
    figure.kind = "two"
    assert "kind = two" in repr(figure)


def test_recorded_results_snap_to_their_grid() -> None:
    figure = recorded()
    figure.a = 2.9
    assert figure.a == 2.0 and figure.spec["snap"] and not made().spec["snap"]
    figure.a = 3.5
    assert figure.a == 4.0
    with pytest.raises(traitlets.TraitError, match="int"):
        figure.n = 1.5


test_a_bad_grid_says_what_is_wrong = refuses(
    ({"curve": GRID, "floor": np.zeros(3)}, r"'floor' must have leading shape \(3, 2\), .*\(3,\)"),
    ({"curve": GRID.swapaxes(0, 1), "floor": 0}, r"leading shape \(3, 2\), .*got \(2, 3, 5\)"),
    ({"curve": (GRID, GRID[0]), "floor": 0}, r"'curve', part 1 must have leading shape"),
    ({"curve": GRID}, r"keys \['curve', 'floor'\], got \['curve'\] at a=1, n=1"),
    ({"curve": GRID[..., :4], "floor": GRID[..., 0]}, "one value per x, 5, got 4"),
    ({"curve": [[["x"]]], "floor": 0}, "the grid of 'curve' must be real numbers"),
    by=lambda grid: recorded(grid=grid),
)


# ---- what is stored --------------------------------------------------------------------------


@pytest.mark.parametrize("log", [False, True])
def test_packing_errs_by_half_a_step_at_most(log: bool) -> None:
    values = np.exp(np.random.default_rng(1).normal(size=(3, 4, 7)) * 4)
    values[1, 2, 3] = np.nan
    (channel,), data = packing.pack([(values, log)])
    assert len(data) == 2 * values.size
    read = packing.unpack(channel.spec(), data, (3, 4))
    error = np.abs(np.log(read / values)) if log else np.abs(read - values)
    assert np.isnan(read[1, 2, 3]) and np.isnan(read).sum() == 1
    # Rounding of lo + q·step adds a few ulps to half a step.
    assert channel.step / 4 < np.nanmax(error) <= channel.step / 2 * (1 + 1e-9)


def test_what_does_not_depend_on_an_axis_is_stored_once() -> None:
    figure = made()
    curve, floor = (one["channels"]["y"] for one in figure.spec["series"])
    assert curve["axes"] == [0, 1] and floor["axes"] == []
    assert len(figure.data) == 2 * (3 * 2 * 5 + 1)
    assert stored(figure, "floor").shape == (3, 2, 1)
    np.testing.assert_array_equal(stored(figure, "floor"), 0.1)


def test_the_grid_is_the_function_at_every_point() -> None:
    figure = made()
    exact = np.array([[a * X**n for n in (1, 2)] for a in (1.0, 2.0, 4.0)])
    # the range over the grid is 4
    np.testing.assert_allclose(stored(figure, "curve"), exact, rtol=0, atol=2.0001 / 65531)


def test_constants_and_absent_points_survive() -> None:
    channels, data = packing.pack([(np.full((2, 3), np.nan), True), (np.full((2, 3), 7.0), False)])
    absent, constant = (packing.unpack(channel.spec(), data, (2,)) for channel in channels)
    assert np.isnan(absent).all() and (constant == 7.0).all()


def test_points_guides_and_domains() -> None:
    figure = made(
        lambda a, n: {"dots": ([a, 9.0], [3.0, np.nan]), "here": a, "curve": X},
        series={"dots": {"kind": "point"}, "here": {"kind": "vline"}, "curve": {"dash": "dashed"}},
    )
    assert figure.spec["x"]["domain"] == [0.0, 1.0]  # x's values say where to look
    assert figure.spec["y"]["domain"] == [0.0, pytest.approx(3.12)]  # 4 % above, from a near 0
    assert figure.spec["series"][2]["dash"] == "6 3"
    np.testing.assert_allclose(stored(figure, "here", "x")[:, 0, 0], [1, 2, 4], rtol=1e-4)


@pytest.mark.parametrize(
    ("extent", "scale", "expected"),
    [
        ((2.0, 3.0), "linear", (1.96, 3.04)),
        ((0.0, 5.0), "linear", (0.0, 5.2)),
        ((-5.0, -0.1), "linear", (-5.196, 0.0)),
        ((2.0, 2.0), "linear", (1.0, 3.0)),
        ((0.0, 0.0), "linear", (0.0, 1.0)),
        ((1.0, 100.0), "log", (1 / 1.15, 115.0)),
        ((1.0, 1.0), "log", (0.5, 2.0)),
    ],
)
def test_a_domain_leaves_room(
    extent: tuple[float, float], scale: str, expected: tuple[float, float]
) -> None:
    assert frame.around(extent, scale) == pytest.approx(expected)


# ---- the widget ------------------------------------------------------------------------------


def test_axes_are_traits_that_can_be_set_observed_and_linked() -> None:
    figure, other, seen = made(), made(), []
    figure.observe(lambda change: seen.append(change["new"]), "a")
    link = ipywidgets.link((figure, "a"), (other, "a"))
    figure.a = 3.3
    assert seen == [3.3] and other.a == 3.3
    link.unlink()
    assert (made().a, made().n) == (2.0, 2)
    with pytest.raises(traitlets.TraitError, match=r"4\.1"):
        figure.a = 4.1
    with pytest.raises(traitlets.TraitError, match="int"):
        figure.n = 1.5


def test_the_kernel_answers_off_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    figure, sent = made(), []
    monkeypatch.setattr(
        type(figure), "send", lambda self, content, buffers=None: sent.append((content, buffers))
    )
    figure._answer(figure, {"type": "hello"}, [])
    figure._answer(figure, {"type": "compute", "id": "v", "point": {"a": 1.7, "n": 2}}, [])
    (alive, _), (reply, (buffer,)) = sent
    assert alive == {"type": "alive"} and reply == {"type": "computed", "id": "v"}
    np.testing.assert_array_equal(np.frombuffer(buffer, "<f8"), [*(1.7 * X**2), 0.1])


def test_the_kernel_reports_what_went_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def fragile(a: float, n: int) -> dict[str, Any]:
        return {"curve": a * X**n, "floor": 0.1 if a in (1.0, 2.0, 4.0) else 1e301}

    figure, sent = made(fragile), []
    monkeypatch.setattr(type(figure), "send", lambda self, content: sent.append(content))
    figure._answer(figure, {"type": "compute", "id": 1, "point": {"a": 1.5, "n": 1}}, [])
    assert "below 1e+300 or infinite, got 1e+301" in sent[0]["error"]


# ---- what the cell puts out ------------------------------------------------------------------


def test_repr_states_the_curves() -> None:
    assert repr(made()) == "\n".join(
        [
            "LiveFigure 'A power' at a = 2.000, n = 2",
            "  a: 1.000, 2.000, 4.000",
            "  n: 1, 2",
            # mean of a over (1, 2, 4) is 7/3; of x and x² over X, 1/2 and 3/8
            "  curve: min 0, mean 1.021, max 4.000",
            "  floor: min 0.1000, mean 0.1000, max 0.1000",
        ]
    )
    assert "  path, x: min 0, mean 0.5000, max 1.000, 2 absent" in repr(
        parametric(path=(np.where(X == 0.5, np.nan, X), X))
    )


def test_repr_has_four_digits_and_no_chance_integers() -> None:
    figure = made(lambda a, n: {"curve": 12345.6 * a + 0 * X, "floor": 1e-5 * n})
    assert "curve: min 1.235e+04, mean 2.881e+04, max 4.938e+04" in repr(figure)
    assert "floor: min 1.000e-05, mean 1.500e-05, max 2.000e-05" in repr(figure)
    # 1235. would be compared as the integer 1235, and the last digits of a sum as a number
    other = made(lambda a, n: {"curve": 1234.6 + 0 * X, "floor": 1e-17 if a < 4 else 1.0})
    assert "curve: min 1.235e+03" in repr(other) and "floor: min 0, mean 0.3333" in repr(other)


def test_the_output_has_text_image_and_view() -> None:
    figure = made()
    data, metadata = figure._repr_mimebundle_()
    assert data["text/plain"] == repr(figure)
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == figure.model_id
    assert metadata["image/svg+xml"]["alt"] == GIVEN["alt"]
    assert data["image/svg+xml"] == made().svg()  # bytes do not depend on the object
    assert data["image/svg+xml"].startswith("<svg") and len(data["image/svg+xml"]) < 25_000


def test_the_image_follows_the_values_and_draws_every_kind() -> None:
    figure = made(
        lambda a, n: {
            "dots": ([0.5, 9.0], [a, np.nan]),
            "here": a / 4,
            "gone": np.nan,
            "curve": np.where(X == 0.5, np.nan, a * X),
        },
        series={
            "dots": {"kind": "point"},
            "here": {"kind": "vline", "color": "Gamma"},
            "gone": {"kind": "hline"},
            "curve": {"color": "U", "dash": "6 4"},
        },
        y={"label": "y", "domain": (-1, 5)},
    )
    before = figure.svg()
    figure.a = 4.0
    assert figure.svg() != before
    assert all(name in before for name in ("dots", "here", "curve")) and "gone" not in before


def test_names_in_the_address() -> None:
    assert made().spec["name"] == "a-power"
    assert made(title="Γ?").spec["name"] == "figure"
    assert made(name="my-figure-2").spec["name"] == "my-figure-2"


# ---- agreements with the rest of the book ------------------------------------------------------


def test_roles_dashes_and_colours_are_those_of_the_figures() -> None:
    assert tuple(figures.ROLES) == frame.COLOURS
    assert figures.DASHES == frame.DASHES
    css = (PACKAGE / "live.css").read_text("utf-8")
    for block, theme in zip(css.split("}")[:2], ("light", "dark"), strict=True):
        found = dict(re.findall(r"--live-(\w+): var\(--icl-\w+, .*?(#\w{6})", block))
        expected = dict(figures.PALETTE[theme])
        if theme == "dark":  # there JupyterLab's own text colour follows the theme
            del expected["ink"]
        assert found == expected


def test_nothing_heavy_is_imported_early() -> None:
    code = (
        "import sys, linear_icl; assert 'anywidget' not in sys.modules;"
        "import linear_icl_book.live; assert not {'matplotlib', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def written(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)<", svg)


def test_the_still_image_keeps_the_dashes() -> None:
    figure = made(
        lambda a, n: {"plain": X + 1, "dashed": X + 2, "level": 3.0},
        series={
            "plain": {},
            "dashed": {"dash": "9 1"},
            "level": {"kind": "hline", "dash": "4 7"},
        },
    )
    dashes = re.findall(r"stroke-dasharray: ([\d.,]+)", figure.svg())
    assert set(dashes) == {"9,1", "4,7"}  # neither is what a series without one is given


def test_the_still_image_marks_what_lies_outside_with_its_value() -> None:
    falls, rises = np.array([8.0, 4, 2, 0, 0]), np.array([np.inf, 5000, 50, 5, 5])
    figure = made(
        lambda a, n: {
            "falls": falls,
            "rises": rises,
            "dots": ([0.5, 0.5], [1.0, 700.0]),
            "band": (falls - 3, rises + 9),
            "level": 2e-4,
        },
        y={"label": "y", "scale": "log", "domain": (0.01, 100)},
        series={
            "falls": {},
            "rises": {},
            "dots": {"kind": "point"},
            "band": {"kind": "band"},
            "level": {"kind": "hline"},
        },
    )
    texts = written(figure.svg())
    assert {"0", "∞", "700", "−3", "2 × 10⁻⁴"} <= set(texts)
    inside = made(lambda a, n: {"curve": X + 1, "floor": 0.1}, y={"label": "y", "domain": (0, 3)})
    assert not {"∞", "700"} & set(written(inside.svg()))


def test_a_plane_has_equal_units_where_asked() -> None:
    turn = np.linspace(0, 2 * np.pi, 41)
    circle = {
        "fn": lambda a: {"circle": (a * np.cos(turn), a * np.sin(turn))},
        "axes": [Axis("a", [1.0, 2.0], "a")],
        "x": {"label": "x", "domain": (-4, 4)},
        "y": {"label": "y", "domain": (-2, 2)},
        "series": {"circle": {}},
    }
    figure = made(**circle, equal=True)
    path = max(re.findall(r'd="(M[^"]*)"', figure.svg()), key=lambda d: d.count("L"))
    numbers = np.array([float(v) for v in re.findall(r"-?[\d.]+", path.replace("H", "L0 "))])
    assert figure.spec["equal"] is True and len(numbers) > 60
    wide, high = (np.ptp(numbers[k::2]) for k in (0, 1))
    assert wide == pytest.approx(high, rel=0.01), "a circle is round"
    with pytest.raises(ValueError, match=r"equal units need a plane .* got curves over x; leave"):
        made(equal=True)
    with pytest.raises(ValueError, match=r"got scales \['linear', 'log'\]"):
        made(**circle | {"y": {"label": "y", "scale": "log"}, "equal": True})


@pytest.mark.parametrize("snap", [False, True])
def test_from_python_no_number_beside_the_slider_and_no_unknown_trait(snap: bool) -> None:
    figure = made(snap=snap)
    for wrong in (np.nan, np.inf, -np.inf, 5.0, "1", None):
        with pytest.raises(TraitError):
            figure.a = wrong
    with pytest.raises(TraitError, match="a must be a number from 1 to 4, got nan"):
        figure.a = float("nan")
    with pytest.raises(AttributeError, match="LiveFigure has the traits a, n, got 'aa'"):
        figure.aa = 2
    figure.a, figure.n = 4.0, 2
    assert (figure.a, figure.n) == (4.0, 2)
