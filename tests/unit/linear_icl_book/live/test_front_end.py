"""The live figure's script, run in Node: it reads what Python packed, and draws round numbers."""

import gzip
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from linear_icl_book.figures import _heat
from linear_icl_book.figures import _outside as outside
from linear_icl_book.live import bundle, packing
from linear_icl_book.live.explore import node

from book._ext.live_page import front_end

MODULES = bundle.scopes((bundle.GRID,))
COUNTS = (3, 4)


def evaluate(expression: str, **given: Any) -> Any:
    """The value of a JavaScript expression in the scope of live.js, with `given` in it."""
    names = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in given.items())
    # JSON has no NaN, so absent values travel as null.
    return json.loads(node.run(f"{MODULES}{names}console.log(JSON.stringify({expression}));"))


def packed(log: bool) -> tuple[dict[str, Any], bytes, np.ndarray]:
    """A channel behind another one, with absent values; what Python reads of it."""
    values = np.exp(np.random.default_rng(2).normal(size=(*COUNTS, 6)))
    values[2, :, 4:] = np.nan
    (_, channel), data = packing.pack([(np.ones((*COUNTS, 5)), False), (values, log)])
    return channel.spec(), data, packing.unpack(channel.spec(), data, COUNTS)


def unpacked(channel: dict[str, Any], data: bytes, positions: Any) -> np.ndarray:
    rows = evaluate(
        "positions.map((at) => [...unpack(channel, wordsOf(Uint8Array.from(data)), counts, at)])",
        channel=channel,
        data=list(data),
        counts=COUNTS,
        positions=positions,
    )
    return np.array(rows, dtype=float)


@pytest.mark.parametrize("log", [False, True])
def test_the_front_end_reads_what_python_packed(log: bool) -> None:
    channel, data, expected = packed(log)
    positions = [[i, j] for i in range(3) for j in range(4)]
    read = unpacked(channel, data, positions).reshape(expected.shape)
    # Python's own reading is held to half a step of the original in test_live.py.
    np.testing.assert_allclose(read, expected, rtol=1e-14)


@pytest.mark.parametrize("log", [False, True])
def test_between_grid_points_corners_are_blended(log: bool) -> None:
    channel, data, values = packed(log)
    (between, touching) = unpacked(channel, data, [[0.25, 2.5], [1.5, 1]])
    into, back = (np.log, np.exp) if log else (np.array, np.array)
    rows = 0.75 * into(values[0]) + 0.25 * into(values[1])
    np.testing.assert_allclose(between, back((rows[2] + rows[3]) / 2), rtol=1e-12)
    np.testing.assert_array_equal(np.isnan(touching), [0, 0, 0, 0, 1, 1])


def test_a_channel_without_an_axis_is_read_everywhere() -> None:
    values = np.broadcast_to(np.arange(4.0)[None, :, None], (3, 4, 1))
    (channel,), data = packing.pack([(values, False)])
    read = unpacked(channel.spec(), data, [[0, 1], [1.5, 1], [2, 3]])
    np.testing.assert_allclose(read[:, 0], [1, 1, 3], atol=3 / 65531)


def test_a_view_into_a_larger_buffer_is_read() -> None:
    # What a notebook hands over may start anywhere, also at an odd byte.
    found = evaluate("[...wordsOf(new DataView(new Uint8Array([9, 1, 2, 0, 1]).buffer, 1, 4))]")
    assert found == [1 + 2 * 256, 256]


def test_values_are_located() -> None:
    values = [1e-6, 1e-3, 2.0, 8.0]
    found = evaluate(
        "wanted.map((v) => locate(values, v))", values=values, wanted=[0, 1e-6, 5.0, 2.0, 9, 8]
    )
    assert found == [0, 0, 2.5, 2, 3, 3]
    round_trip = evaluate("values.map((v, k) => valueAt(values, k))", values=values)
    assert round_trip == values


@pytest.mark.parametrize(
    ("value", "shown", "read"),
    [
        (0, "0", "0"),
        (64, "64", "64"),
        (-0.12345, "−0.123", "-0.123"),
        (1e-6, "10⁻⁶", "1e-6"),
        (-2.5e-7, "−2.5 × 10⁻⁷", "-2.5e-7"),
        (123456, "1.23 × 10⁵", "123456"),
        (None, "–", "0"),
    ],
)
def test_numbers_for_the_eye_and_for_the_ear(value: Any, shown: str, read: str) -> None:
    assert evaluate("[pretty(value ?? NaN), plain(value ?? 0)]", value=value) == [shown, read]


@pytest.mark.parametrize(
    ("scale", "domain", "labels"),
    [
        ("linear", [0, 12], ["0", "2", "4", "6", "8", "10", "12"]),
        ("linear", [-0.3, 0.3], ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]),
        ("log", [1e-6, 10], ["10⁻⁶", "10⁻⁴", "10⁻²", "1"]),
        ("log", [0.01, 20], ["0.01", "0.1", "1", "10"]),
        ("log", [2, 9], ["2", "5"]),
        ("log", [2, 100], ["2", "5", "10", "20", "50", "100"]),
        ("log", [0.011, 9], ["0.1", "1"]),
    ],
)
def test_ticks_are_round(scale: str, domain: list[float], labels: list[str]) -> None:
    side = {"scale": scale, "domain": domain}
    assert evaluate("labelsOf(ticksOf(side, 5), side)", side=side) == labels


def test_legend_entries_keep_apart_and_near_their_lines() -> None:
    wanted, heights, room = [100, 98, 300, 10, 395], [40, 40, 40, 40, 40], 400
    tops = np.array(evaluate("spread(wanted, heights, room)", **vars_of(wanted, heights, room)))
    order = np.argsort(tops)
    assert (np.diff(tops[order]) >= 40 - 1e-9).all()
    assert tops.min() >= 0 and tops.max() <= 360
    assert tops[[3, 2, 4]].tolist() == [10, 300, 360]  # free ones where they want to be
    assert tops[[0, 1]].mean() == pytest.approx(99) and tops[0] < tops[1]  # equals keep their order


def test_lines_that_end_together_keep_their_order_in_the_legend() -> None:
    wanted = [98.6, 98.4, 97.4, 99.8, 20]  # less than the width of a line apart
    tops = np.array(evaluate("spread(wanted, heights, room)", **vars_of(wanted, [40] * 5, 300)))
    assert np.argsort(tops).tolist() == [4, 0, 1, 2, 3]
    tops = np.array(evaluate("spread(wanted, heights, room)", **vars_of([60, 50], [40] * 2, 300)))
    assert np.argsort(tops).tolist() == [1, 0]


def vars_of(wanted: Sequence[float], heights: list[int], room: int) -> dict[str, Any]:
    return {"wanted": wanted, "heights": heights, "room": room}


def test_gaps_break_a_path() -> None:
    assert evaluate("pathThrough([0, 1, 2, 3], [5, NaN, 6, 7.123])") == "M0 5M2 6L3 7.12"
    assert evaluate("dotsAt([0, NaN, 2], [5, 5, 6])") == "M0 5h0M2 6h0"


def test_a_band_is_one_strip_between_gaps() -> None:
    found = evaluate("stripBetween([0, 1, 2, 3, 4], [5, 6, NaN, 7, 8], [1, 2, NaN, 3, 4])")
    assert found == "M0 1L1 2L1 6L0 5zM3 3L4 4L4 8L3 7z"
    assert evaluate("stripBetween([0, 1], [NaN, NaN], [NaN, NaN])") == ""


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_cells_have_the_levels_of_the_static_figure(scale: str) -> None:
    side = {"scale": scale, "domain": [0.5, 40.0]}
    values = np.append(np.geomspace(0.1, 100, 97), [0.5, 40.0, np.nan])
    given = [None if np.isnan(value) else value for value in values]
    found = np.array(evaluate("given.map((v) => levels(side)(v ?? NaN))", side=side, given=given))
    expected = _heat.levels_of(values, (0.5, 40.0), scale)
    np.testing.assert_array_equal(found, np.where(expected < 0, _heat.LEVELS, expected))
    assert evaluate("[LEVELS, FAINTEST]") == [_heat.LEVELS, _heat.FAINTEST]
    assert evaluate("opacityOf(0) < opacityOf(1) && opacityOf(LEVELS - 1) < 1") is True


def test_cells_meet_half_way() -> None:
    centres = np.array([10.0, 30.0, 70.0, 150.0])
    edges = _heat.edges(centres, "linear")
    assert evaluate("edgesOf(centres)", centres=centres.tolist()) == edges.tolist()


def test_neighbours_of_one_level_are_one_cell() -> None:
    values = [1, 1, 2, None, None, 2]  # two rows of three, the lower one first
    paths = evaluate(
        "cellPaths(values, [0, 10, 20, 30], [40, 20, 0], (v) => (v === null ? LEVELS : v))",
        values=values,
    )
    assert paths[1] == "M0 40H20V20H0z"
    assert paths[2] == "M20 40H30V20H20zM20 20H30V0H20z"
    assert paths[-1] == "M0 20L10 0M10 20L20 0", "absent cells are struck through one by one"
    assert not any(paths[3:-1]) and len(paths) == _heat.LEVELS + 1


def test_extremes_pass_over_what_is_absent() -> None:
    assert evaluate("extremes([NaN, 3, 1, 7, NaN])") == [2, 3]
    assert evaluate("extremes([NaN, NaN])") == [-1, -1]


def test_names_are_never_blended_and_recorded_numbers_snap() -> None:
    axes = {"law": {"values": ["even", "odd"]}, "rate": {"values": [1, 2, 4]}}
    found = evaluate(
        "[positionOf(law, 'odd'), positionOf(law, 'gone'), positionOf(rate, 3, false),"
        " positionOf(rate, 3.2, true), pretty('a-b'), plain('a-b')]",
        **axes,
    )
    assert found == [1, 0, 1.5, 2, "a-b", "a-b"]


@pytest.mark.parametrize("log", [False, True])
def test_zero_and_what_is_unbounded_survive_the_packing(log: bool) -> None:
    values = np.array([[0.5, 0.0, np.inf, np.nan, 2.0], [0.5, 0.0, -np.inf, 1.0, 4.0]])
    (channel,), data = packing.pack([(values, log)])
    kept = packing.unpack(channel.spec(), data, (2,))
    np.testing.assert_allclose(kept, values, rtol=1e-4, atol=0 if log else 1e-4)
    given = {"channel": channel.spec(), "data": list(data)}
    words = "wordsOf(Uint8Array.from(data))"
    told = f"positions.map((at) => [...unpack(channel, {words}, [2], at)].map(String))"
    first, second, between = evaluate(told, positions=[[0], [1], [0.5]], **given)
    assert [first[2], second[2], first[3]] == ["Infinity", "-Infinity", "NaN"]
    assert (first[1] == second[1] == between[1] == "0") is log or float(first[1]) < 1e-4
    assert between[2:4] == ["NaN", "NaN"], "nothing lies between a number and what is none"


SIDES = {"x": ([0.0, 4.0], "linear"), "y": ([1e-2, 1e2], "log"), "wide": ([-1.0, 3.0], "linear")}
NAN, INF = math.nan, math.inf
MARKED: list[tuple[str, str, list[float], list[float]]] = [
    ("of_curve", "y", [0, 1, 2, 3, 4], [1, 0, 0, 0, 1]),  # zero: below, marked in the middle
    ("of_curve", "y", [0, 1, 2, 3, 4], [500, 1, 300, INF, NAN]),
    ("of_curve", "y", [0, 1, 2, 3, 4], [1e-3, 1e3, NAN, 2e-3, 1e-3]),
    ("of_curve", "wide", [0, 1, 2, 3, 4], [-1, 3, 3.5, -INF, -2]),
    ("of_path", "wide", [-1, 0, 2, 5, NAN, 1, 1], [0, 0, 5, 0, NAN, 0, -9]),
    ("of_path", "wide", [1, 2, 3], [0, 1, 2]),
    ("of_points", "wide", [-2, -3, 1, 9, 2, NAN], [0, 1, 7, 9, -4, 1]),
    ("of_points", "wide", [1, 2], [0, INF]),
]
RULES = {"of_curve": "marksOfCurve", "of_path": "marksOfPath", "of_points": "marksOfPoints"}


def javascript(values: Iterable[float]) -> str:
    words = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return f"[{', '.join(words.get(str(float(v)), str(v)) for v in values)}]"


@pytest.mark.parametrize(("rule", "side", "xs", "ys"), MARKED)
def test_what_lies_outside_is_marked_alike_here_and_there(
    rule: str, side: str, xs: list[float], ys: list[float]
) -> None:
    sides = tuple(outside.Side((a, b), scale) for (a, b), scale in (SIDES["x"], SIDES[side]))
    marks = getattr(outside, rule)(sides, np.array(xs, float), np.array(ys, float))
    frame = {
        key: {"domain": domain, "scale": scale}
        for key, (domain, scale) in (("x", SIDES["x"]), ("y", SIDES[side]))
    }
    call = f"{RULES[rule]}(frame, {javascript(xs)}, {javascript(ys)})"
    said = f"{call}.map((m) => [m.x, m.y, m.way, m.value === null ? null : String(m.value)])"
    found = [(x, y, way, v and float(v.lower())) for x, y, way, v in evaluate(said, frame=frame)]
    assert found == [(m.x, m.y, m.way, m.value) for m in marks]


def test_marks_say_the_farthest_value_and_never_one_of_the_frame() -> None:
    """By hand: the cases above that a reader meets."""
    x, y, wide = (outside.Side((low, high), scale) for (low, high), scale in SIDES.values())
    five = np.arange(5.0)
    assert outside.of_curve((x, y), five, np.array([1.0, 0, 0, 0, 1])) == [
        outside.Mark(2.0, 1e-2, "down", 0.0)
    ]
    assert outside.of_curve((x, y), five, np.array([1.0, 500, 900, 500, 1])) == [
        outside.Mark(2.0, 1e2, "up", 900.0)
    ]
    low, high = np.array([-INF, 0, 1, 1, 1]), np.array([1.0, 1, 1, 2e2, 1])
    assert outside.of_band((x, y), five, low, high) == [
        outside.Mark(3.0, 1e2, "up", 200.0),
        outside.Mark(0.0, 1e-2, "down", -INF),
    ]
    marks = outside.of_points((x, wide), np.array([1.0, 2, 3]), np.array([4.0, 9, 0]))
    assert marks == [outside.Mark(1.0, 3.0, "up", None), outside.Mark(2.0, 3.0, "up", 9.0)]


@pytest.mark.parametrize(
    "value", [0.0, 7.0, -3.0, 12345.0, 1270.3, -0.12345, 1e-3, 9.99e-4, 123456.0, 1e-6, -1e-9]
)
def test_python_writes_numbers_as_the_front_end_does(value: float) -> None:
    assert outside.pretty(value) == evaluate("pretty(value)", value=value)


def test_infinite_numbers_have_a_sign_of_their_own() -> None:
    assert evaluate("[Infinity, -Infinity, NaN].map((v) => pretty(v))") == ["∞", "−∞", "–"]
    assert [outside.pretty(value) for value in (INF, -INF, NAN)] == ["∞", "−∞", "–"]


@pytest.mark.parametrize(
    ("values", "last"),
    [("[1, 2, 3]", 2), ("[1, 2, NaN]", 1), ("[1, Infinity, NaN]", 1), ("[NaN]", -1), ("[]", -1)],
)
def test_the_last_value_is_that_of_the_legend(values: str, last: int) -> None:
    assert evaluate(f"lastPresent({values})") == last


def test_an_arrow_points_out_of_the_frame() -> None:
    ways = ["up", "down", "left", "right"]
    found = evaluate("ways.map((way) => arrowAt(5, 5, way))", ways=ways)
    for way, path in zip(ways, found, strict=True):
        tip, *rest = [tuple(map(float, p.split())) for p in path.strip("Mz").split("L")]
        axis, inward = {"up": (1, 1), "down": (1, -1), "left": (0, 1), "right": (0, -1)}[way]
        assert tip == (5, 5) and all((corner[axis] - 5) * inward == 8 for corner in rest), path


def test_the_script_is_small() -> None:
    (script,) = (text for name, text in front_end().items() if name.endswith(".js"))
    loader = script[script.index("class Model {") :]
    assert "// ----" not in script and "/**" not in script  # comments stay in the sources
    assert len(gzip.compress(loader.encode())) <= 4000
    assert len(gzip.compress(script.encode())) <= 16_500
    assert "import" not in script.replace("important", "") and "export" not in script
