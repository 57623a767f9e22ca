"""Figures: what is drawn is what was given, in the palette, legibly, the same bytes every time."""

import itertools
import re
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
from linear_icl_book import figures
from linear_icl_book.claims import Interval, Ordering
from linear_icl_book.figures import BookFigure, curves, heat, matrices, phase, strips
from linear_icl_book.figures._beside import farther
from linear_icl_book.figures._dots import DOT
from linear_icl_book.figures._heat import LEVELS, edges, levels_of
from linear_icl_book.figures._style import NARROW, _column, shorter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation

from tests.unit.common import refuses

X = np.linspace(0.0, 4.0, 50)
LABELS: dict[str, Any] = {"xlabel": "time t", "ylabel": "gap"}
BACKGROUND = {"light": "#FFFFFF", "dark": "#14181E"}


def decay(**options: Any) -> BookFigure:
    return curves(
        X, {"fast": np.exp(-2 * X), "slow": torch.exp(-torch.tensor(X))}, **LABELS | options
    )


def path() -> BookFigure:
    style: dict[str, Any] = {"flow": {"color": "u", "arrow": True}, "start": {"color": "Gamma"}}
    return phase({"flow": (X, X**2), "start": (0.5, 0.25)}, **LABELS, style=style)


def table() -> BookFigure:
    return matrices({"Γ": [[2.5, -0.31], [1e-17, 1.2]], "Γ⁻¹": torch.eye(3)})


def chart_of(z: Any = None, **options: Any) -> BookFigure:
    """z = x + y² on a 3 × 4 grid, from 1 to 20."""
    x, y = np.array([0.0, 1.0, 2.0, 4.0]), np.array([1.0, 2.0, 4.0])
    z = x + y[:, None] ** 2 if z is None else z
    labels = {"xlabel": "length", "ylabel": "width", "zlabel": "risk"}
    return heat(x, y, z, **labels | options)


def mapped() -> BookFigure:
    z = np.arange(12.0).reshape(3, 4)
    z[2, 3] = np.nan
    return chart_of(z, contours=[4.5], series={"path": ([0, 4], [1, 3])}, hlines={"bound": 2.5})


def rows(**more: Any) -> BookFigure:
    named = {"one dot": ([1.0], [2.0], "0"), "two dots": ([0.0, 3.0], [1.0, 4.0], "2.5")} | more
    labels = {"xlabel": "share", "ylabel": "error"}
    return strips((X, (1 - X) ** 2), named, **labels, notes="risk", vlines={"truth": 1})


def small_multiples() -> BookFigure:
    seeds = np.stack([np.exp(-X), 2 * np.exp(-X)])
    series = {"seeds": seeds, "zero": np.full(50, 5.0)}
    named = {"one": series, "two": series, "three": {"seeds": 3 * seeds}}
    return figures.panels(X, named, columns=2, **LABELS, yscale="log", vlines={"N": 2})


LADDER: dict[str, Any] = {
    "silence": {"exact": 5.0},
    "one step": {"exact": 2.5},
    "transformer": {"seeds": [0.1, 0.2]},
    "least squares": {"exact": 0.0},
}


def ladder() -> BookFigure:
    style: dict[str, Any] = {"exact": {"color": "ink"}, "seeds": {"color": "U"}}
    return figures.dots(LADDER, xlabel="risk", style=style, notes={"silence": "five"})


def ordering(claim: str, smaller: Any, larger: Any, factor: float = 1.0) -> Ordering:
    low, high = (tuple(Interval(m, 0.9 * m, 1.1 * m) for m in means) for means in (smaller, larger))
    return Ordering("x", claim, low, high, factor)


HOLDS = ordering("4 × this < that", [0.2, 1.0], [6.0], factor=4.0)
FAILS = ordering("these < those", [1.0, 4.0], [2.0, 3.0, 5.0])


def judged() -> BookFigure:
    return figures.claims([HOLDS, FAILS], xlabel="risk, as compared")


MAKERS = [decay, path, table, mapped, rows, small_multiples, ladder, judged]


@pytest.mark.parametrize("make", MAKERS)
def test_bytes_are_deterministic_and_global_state_is_left_alone(make: Any) -> None:
    before = dict(matplotlib.rcParams)
    first, second = make(), make()
    assert first.svg() == second.svg() == first.svg()
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in figures.__dict__ and not hasattr(figures, "plt")


@pytest.mark.parametrize("make", MAKERS)
def test_svg_has_text_as_text_palette_hexes_only_and_no_loose_ends(make: Any) -> None:
    svg = make().svg()
    assert svg.startswith("<svg ") and "<text" in svg
    assert not re.search(r"<style|<metadata|<\?xml|<!--|data:|http://(?!www\.w3\.org)", svg)
    colours = set(re.findall(r"#[0-9A-Fa-f]{6}\b", svg))
    assert colours <= set(figures.PALETTE["light"].values())
    ids = re.findall(r' id="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert set(ids) == set(re.findall(r"(?:\"|\()#([\w.-]+)", svg))


def test_two_figures_on_one_page_share_no_id() -> None:
    other = curves(X, {"fast": np.exp(-3 * X)}, **LABELS)
    found = [set(re.findall(r' id="([^"]*)"', f.svg())) for f in (decay(), other)]
    assert found[0] and not found[0] & found[1]


def test_what_is_drawn_is_what_was_given() -> None:
    axes = decay(yscale="log", xlim=(0, 3)).axes[0]
    fast, slow = axes.lines
    np.testing.assert_array_equal(fast.get_ydata(), np.exp(-2 * X))
    np.testing.assert_array_equal(slow.get_xdata(), X)
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("time t", "gap", "")
    assert axes.get_yscale() == "log" and axes.get_xlim() == (0, 3)
    flow, start = path().axes[0].lines
    np.testing.assert_array_equal(flow.get_ydata(), X**2)
    assert start.get_marker() == "o" and np.asarray(start.get_xydata()).tolist() == [[0.5, 0.25]]
    shown = [t.get_text() for t in table().axes[0].texts]
    assert shown == ["2.50", "−0.31", "0", "1.20"], "rounding noise is shown as 0"


def test_the_summary_is_compared_instead_of_the_picture() -> None:
    figure = curves(X, {"a": X}, **LABELS, vlines={"escape": 1.23456}, bands={"a": (X - 1, X + 1)})
    assert figure._repr_mimebundle_()["text/plain"].splitlines() == [
        "curves:",
        "  a: min 0, mean 2, max 4",
        "  a low: min -1, mean 1, max 3",
        "  a high: min 1, mean 3, max 5",
        "  escape: 1.235",
    ]
    assert "  b: min 0, mean 1.333, max 2" in curves([0, 1, 2], {"b": [0, 2, 2]}, **LABELS).summary
    noise = curves([0, 1], {"c": [1e-17, 1.0]}, **LABELS).summary
    assert "min 0, mean 0.5, max 1" in noise
    assert "flow y: min 0" in path().summary and "Γ: min -0.31" in table().summary


def test_lines_differ_in_dash_unless_told_otherwise() -> None:
    many: Any = curves(X, {str(k): X + k for k in range(5)}, **LABELS).axes[0].lines
    assert len({str(line._dash_pattern) for line in many}) == 5
    chosen = {"fast": {"color": "U", "dash": "4 2"}, "slow": {"color": "U", "dash": "solid"}}
    svg = decay(style=chosen).svg()
    assert "stroke-dasharray: 4,2" in svg and "stroke: #0A66A8" in svg


def test_names_stand_at_the_ends_if_there_is_room_else_in_a_legend() -> None:
    apart = decay(yscale="log", style={"fast": {"color": "u"}, "slow": {"color": "U"}})
    assert not apart.legends
    written = {t.get_text(): t.get_color() for t in apart.axes[0].texts}
    assert written == {"fast": "#B84700", "slow": "#0A66A8"}
    together = curves(X, {"a": X, "b": X + 0.01}, **LABELS, hlines={"limit": 2.0, "bound": 2.01})
    (legend,) = together.legends
    assert [t.get_text() for t in legend.get_texts()] == ["a", "b"]
    names: Any = together.axes[0].texts
    assert {name.get_text() for name in names} == {"limit", "bound"}
    assert abs(names[0].xy[1] - names[1].xy[1]) > 0.04, "names of close guides keep apart"


@pytest.mark.parametrize("make", MAKERS)
def test_no_text_leaves_the_canvas_or_covers_another(make: Any) -> None:
    figure = make()
    renderer = FigureCanvasAgg(figure).get_renderer()
    texts = [text for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        texts += [*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            shown = [t for t in axis.get_major_ticks() if low <= t.get_loc() <= high]
            texts += [label for t in shown for label in (t.label1, t.label2)]
    boxes = [
        text.get_window_extent(renderer) for text in texts if text.get_text() and text.get_visible()
    ]
    width, height = figure.canvas.get_width_height()
    for k, box in enumerate(boxes):
        assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
        assert not any(box.padded(-1).overlaps(other) for other in boxes[k + 1 :])


def test_colours_have_contrast_on_both_themes() -> None:
    """WCAG AA for text, 4.5 to 1, since names are written in the colours."""

    for theme, colours in figures.PALETTE.items():
        assert list(colours) == list(figures.ROLES)
        for colour in colours.values():
            pair = sorted((luminance(colour), luminance(BACKGROUND[theme])))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"series": {"a": X[:-1]}}, r"'a' must have shape \(50,\), as its x has, got \(49,\)"),
        ({"series": {"a": X[:, None]}}, r"'a' must have shape \(50,\).*got \(50, 1\)"),
        ({"series": {"a": X + np.inf}}, "'a' must be finite"),
        ({"series": {"a": X * np.nan}}, "'a' must be finite, got gaps only"),
        ({"series": {"a": ["x"] * 50}}, "a figure takes real numbers"),
        ({"series": {}}, "at least one series, got none"),
        ({"bands": {"a": (X, X[1:])}}, r"'a' must have shape \(50,\), as its x has"),
        ({"style": {"b": {"color": "U"}}}, r"style names what is not drawn: \['b'\]"),
        ({"style": {"a": {"colour": "U"}}}, "style takes color, dash, kind and arrow"),
        ({"style": {"a": {"color": "red"}}}, "the colour of 'a' must be one of U, u, Gamma, query"),
        ({"style": {"a": {"dash": "wavy"}}}, "the dash of 'a' must be one of solid, dashed"),
        ({"style": {"a": {"kind": "bar"}}}, "the kind of 'a' must be one of line, curve, point"),
        ({"xscale": "log10"}, "xscale must be one of linear, log"),
        ({"xscale": "log"}, "log scale must be positive, got x value 0"),
        ({"hlines": {"a": 1.0}}, "names must differ"),
        ({"x": X[::-1]}, "x must be increasing"),
        ({"x": X * np.nan}, "'x' must be finite"),
    ],
)
def test_misuse_says_what_to_change(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"x": X, "series": {"a": X}} | LABELS | options
    with pytest.raises(ValueError, match=message):
        curves(given.pop("x"), given.pop("series"), **given)


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("role", list(figures.ROLES))
def test_colours_of_a_map_are_monotone_in_luminance(theme: str, role: str) -> None:
    """Ink over paper, as the page's theme mixes them; steps that the eye can tell in the bar."""
    svg = chart_of(np.linspace(0, 1, 12).reshape(3, 4), color=role).svg()
    found = re.findall(rf"fill: {figures.PALETTE['light'][role]}; opacity: ([\d.]+)", svg)
    bar = sorted({float(opacity) for opacity in found})
    assert len(bar) == LEVELS and bar[0] > 0.05 and bar[-1] < 1
    ink, paper = figures.PALETTE[theme][role], BACKGROUND[theme]
    mixed = [
        "#"
        + "".join(
            f"{round(int(paper[k : k + 2], 16) * (1 - a) + int(ink[k : k + 2], 16) * a):02x}"
            for k in (1, 3, 5)
        )
        for a in bar
    ]
    shades = np.array([luminance(colour) for colour in mixed])
    assert (np.diff(shades if theme == "dark" else -shades) > 0).all()
    # as far apart as text from its ground, so that the ends are told apart in print
    assert (max(shades) + 0.05) / (min(shades) + 0.05) >= 4.0


def test_cells_have_the_level_of_their_value() -> None:
    z = np.array([[1.0, 10.0], [np.nan, 100.0]])
    assert levels_of(z, (1.0, 100.0), "log").tolist() == [[0, LEVELS // 2], [-1, LEVELS - 1]]
    assert levels_of(z, (1.0, 100.0), "linear")[0, 1] == int(9 / 99 * LEVELS)
    beyond = levels_of(np.array([0.5, 200.0]), (1.0, 100.0), "log")
    assert beyond.tolist() == [0, LEVELS - 1]
    np.testing.assert_allclose(edges(np.array([1.0, 2.0, 4.0]), "linear"), [0.5, 1.5, 3, 5])
    np.testing.assert_allclose(
        edges(np.array([1.0, 10.0, 100.0]), "log"), 10 ** np.array([-0.5, 0.5, 1.5, 2.5])
    )


def test_a_map_is_drawn_where_its_values_are() -> None:
    figure = chart_of()
    (main, bar) = figure.axes
    assert main.get_xlim() == (-0.5, 5) and main.get_ylim() == (0.5, 5)
    assert bar.get_ylabel() == "risk" and bar.get_ylim() == (1, 20)
    (darkest,) = (
        p for p in main.patches if p.get_alpha() == max(q.get_alpha() or 0 for q in main.patches)
    )
    box = darkest.get_path().get_extents()
    assert (box.x0, box.y0, box.x1, box.y1) == (3, 3, 5, 5), "x = 4, y = 4 is the largest"
    assert chart_of(zlim=(0, 40)).axes[1].get_ylim() == (0, 40)
    assert len(mapped().axes[0].collections) == 1, "one set of contours"
    svg = mapped().svg()
    assert svg.count('shape-rendering="crispEdges"') == 11 + LEVELS and "var(--paper, white)" in svg
    assert chart_of(np.ones((3, 4))).axes[1].get_ylim() == (0.5, 1.5)
    assert mapped().summary.splitlines() == [
        "heat:",
        "  risk: min 0, mean 5, max 10",
        "  path x: min 0, mean 2, max 4",
        "  path y: min 1, mean 2, max 3",
        "  bound: 2.5",
    ]


test_a_bad_map_says_what_to_change = refuses(
    ({"z": np.ones((4, 3))}, r"shape \(3, 4\), .* got \(4, 3\); transpose it"),
    ({"z": np.ones(4)}, r"shape \(3, 4\), \(len\(y\), len\(x\)\) and at least 2"),
    ({"z": np.full((3, 4), np.nan)}, "z must be finite or NaN, and not all NaN"),
    ({"z": np.full((3, 4), np.inf)}, "z must be finite or NaN"),
    ({"z": np.zeros((3, 4)), "zscale": "log"}, "log scale must be positive, got z values <= 0"),
    ({"xscale": "log"}, "log scale must be positive, got x values <= 0"),
    ({"zscale": "cubic"}, "zscale must be one of linear, log"),
    ({"zlim": (2, 1)}, r"zlim must be \(low, high\) with low < high"),
    ({"zscale": "log", "zlim": (0, 1)}, "positive on a log scale, got"),
    ({"color": "red"}, "color must be one of U, u, Gamma"),
    ({"contours": [0.5, 3.0]}, r"contours must lie between 1 and 20.*got \[0.5, 3.0\]"),
    ({"series": {"path": (X, X, X)}}, "must be a pair"),
    ({"style": {"risk": {}}}, r"style names what is not drawn: \['risk'\]"),
    by=lambda options: chart_of(**options),
)


def test_bands_lie_between_their_ends() -> None:
    only = curves(X, {}, **LABELS, bands={"b": (X, X + 1)})
    assert [t.get_text() for t in only.legends[0].get_texts()] == ["b"]
    assert only.axes[0].get_xlim() == (0, 4)
    swapped = "the band 'b' must have low <= high, got 1 > 0 at index 0"
    with pytest.raises(ValueError, match=swapped):
        curves(X, {"a": X}, **LABELS, bands={"b": (X + 1, X)})
    with pytest.raises(ValueError, match=r"band 'b' must be \(low, high\), got 3 values"):
        curves(X, {"a": X}, **LABELS, bands={"b": (X, X, X)})
    with pytest.raises(ValueError, match="log scale must be positive, got y value -1"):
        curves(X, {"a": X + 1}, **LABELS, yscale="log", bands={"b": (X - 2, X - 1)})


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("M 0.004 2.5 \nL 3.001 2.5 \nL 3.001 7 \nz", "M0 2.5H3V7z"),
        ("M 0.996 2 \nL 1 3.5 \n", "M1 2V3.5"),
        ("M 1 2 \nC 1.123 2 3 4 5.678 6 \n", "M 1 2 \nC 1.12 2 3 4 5.68 6 \n"),
        ("M -0.001 1", "M0 1"),
    ],
)
def test_paths_are_shortened(path: str, short: str) -> None:
    assert shorter(path) == short


@pytest.mark.parametrize("value", [[1.0, 2.0], [[np.nan]], [[[1.0]]]])
def test_matrices_are_matrices(value: Any) -> None:
    with pytest.raises(ValueError, match="'A' must be a finite matrix, got shape"):
        matrices({"A": value})


def test_empty_and_odd_calls() -> None:
    with pytest.raises(ValueError, match="at least one matrix"):
        matrices({})
    with pytest.raises(ValueError, match="must be a pair"):
        phase({"a": (X, X, X)}, **LABELS)
    assert matrices({"zero": [[0.0]]}).axes[0].texts[0].get_text() == "0"
    gap = np.where(X > 2, np.nan, X)
    assert curves(X, {"a": gap}, **LABELS, xlim=(3, 4)).legends, "nothing visible to label"
    only_band = curves(X, {"a": X}, **LABELS, bands={"b": (X, X + 1)})
    assert [t.get_text() for t in only_band.legends[0].get_texts()] == ["a", "b"]


def test_dots_of_strips_have_areas_as_their_weights_and_stand_in_rows() -> None:
    figure = rows()
    below: Any = figure.axes[1]
    dots = [c for c in below.collections if len(c.get_offsets())]
    assert [c.get_offsets().tolist() for c in dots] == [[[1, 0]], [[0, 1], [3, 1]]]
    sizes = [c.get_sizes().tolist() for c in dots]
    assert sizes[1][1] == pytest.approx(4 * sizes[1][0]) == pytest.approx(2 * sizes[0][0])
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim() == (0, 4)
    for text in ("one dot", "2.5", "risk", "truth", "share"):
        assert f">{text}<" in figure.svg()


def test_notes_of_strips_stand_between_names_and_dots() -> None:
    figure = rows(**{"a dot on the frame": ([0.0], [4.0], "123.4")})
    below: Any = figure.axes[1]
    figure.canvas.draw()
    frame, names = below.get_window_extent(), below.get_yticklabels()
    notes = [text.get_window_extent() for text in below.texts]
    assert max(note.x1 for note in notes) < frame.x0 - (90**0.5 / 2) * figure.dpi / 72
    assert min(note.x0 for note in notes) > max(name.get_window_extent().x1 for name in names)
    assert all(note.x1 == pytest.approx(notes[0].x1) for note in notes), "one right edge"


test_strips_refuse_rows_that_cannot_be_drawn = refuses(
    (([1.0], [0.0], ""), "weights of 'wrong' must be positive, got 0"),
    (([5.0], [1.0], ""), "must lie between 0 and 4.*got 5 to 5"),
    (([1.0, 2.0], [1.0], ""), "wrong, weights"),
    by=lambda row: rows(wrong=row),
)


def test_strips_need_a_row() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        strips((X, X), {}, xlabel="x", ylabel="y")


def test_panels_share_their_axes_and_draw_every_seed() -> None:
    seeds = np.stack([np.exp(-X), 2 * np.exp(-X)])
    figure = small_multiples()
    shown = figure.axes
    assert [ax.get_title() for ax in shown] == ["one", "two", "three"]
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in shown}) == 1
    first: Any = shown[0].lines
    np.testing.assert_array_equal([line.get_ydata() for line in first[:2]], seeds)
    assert first[0].get_linewidth() < first[2].get_linewidth(), "seeds are thin"
    assert figure.summary.splitlines()[1] == "  one: seeds: min 0.01832, mean 0.3762, max 2"
    low = figures.panels(X, {"a": {"b": seeds}}, columns=1, **LABELS, ylim=(0, 1.5))
    assert sorted(written(low)) == ["2", "b"], "what leaves the frame is said"


def written(figure: Any) -> list[str]:
    """What stands in the frames, names of lines and marks of what leaves them."""
    return [text.get_text() for ax in figure.axes for text in ax.texts if text.get_text()]


def test_panels_write_each_name_once_beside_its_lines() -> None:
    figure = small_multiples()
    assert sorted(written(figure)) == ["N", "seeds", "zero"] and not figure.legends
    figure.draw_without_rendering()
    colours: Any = {}  # of each name, that of the line which is nearest to it
    for ax in figure.axes:
        for text in ax.texts:
            middle = np.array(text.get_window_extent().extents).reshape(2, 2).mean(0)
            away: Any = {}
            for line in ax.lines:
                ends = line.get_transform().transform(np.stack(line.get_data(), 1))
                along = np.concatenate([np.linspace(a, b, 50) for a, b in itertools.pairwise(ends)])
                away[np.hypot(*(along - middle).T).min()] = line.get_color()
            colours[text.get_text()] = (text.get_color(), away[min(away)])
    assert len(colours) == 3 and len({own for own, _ in colours.values()}) == 3
    assert all(own == nearest for own, nearest in colours.values())


def test_points_far_from_all_others_are_found_among_many() -> None:
    points, others = np.random.default_rng(0).normal(0, 30, (2, 800, 2))
    points[0], points[1] = others[5] + [0, 0.5], others[6] + [0, 0.51]  # beside a vertical line
    nearest = np.hypot(*(points[:, None] - others).transpose(2, 0, 1)).min(1)
    assert np.array_equal(farther(points, others, 0.5), nearest > 0.5)
    assert 0 < (nearest <= 0.5).sum() < 80
    assert farther(points, others[:0], 0.5).all() and not len(farther(points[:0], others, 0.5))


def test_names_without_room_stand_in_a_legend_and_frames_keep_their_height() -> None:
    near = {f"line {k}": np.exp(-X) + 1e-3 * k for k in range(3)}
    free = {"a": {**near, "far": 0 * X + 3.0}}
    figure = figures.panels(X, free, columns=1, **LABELS)
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == list(near)
    assert written(figure) == ["far"]
    alone = figures.panels(X, {"a": {"far": 0 * X + 3.0}}, columns=1, **LABELS)
    heights = [one.axes[0].get_position().height * one.get_figheight() for one in (figure, alone)]
    assert heights[0] == pytest.approx(heights[1], rel=0.02)


def test_panels_draw_many_dots_small() -> None:
    """Those of one series and frame, without gaps."""
    x = np.arange(61.0)
    few = np.where(x < 60, x, np.nan)
    figure = figures.panels(
        x, {"few": {"a": few}, "many": {"a": x}}, columns=2, xlabel="t", ylabel="y",
        style={"a": {"kind": "point"}},
    )  # fmt: skip
    sizes = [ax.lines[0].get_markersize() for ax in figure.axes]
    assert sizes[0] == 4.5 and sizes[1] == 2.2


def test_panels_draw_points_where_points_are_asked_for() -> None:
    dots = np.array([[3.0, 0.5, np.nan], [2.0, 1.0, 0.25]])
    style = {"b": {"kind": "point"}}
    whole = figures.panels([1, 2, 3], {"a": {"b": dots}}, columns=1, **LABELS, style=style)
    cut = figures.panels(
        [1, 2, 3], {"a": {"b": dots}}, columns=1, **LABELS, style=style, ylim=(0, 1.5)
    )
    for figure, seen in ((whole, dots), (cut, np.where(dots > 1.5, np.nan, dots))):
        drawn: Any = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
        np.testing.assert_array_equal([line.get_ydata() for line in drawn], seen)
        assert {line.get_linestyle() for line in drawn} == {"None"}
        assert "b" in written(figure)
    assert sorted(written(cut)) == ["3", "b"], "beyond the frame the mark alone"
    crowded = figures.panels(
        [1, 2, 3], {"a": {"b": dots, "c": 1.01 * dots}}, columns=1, **LABELS,
        style=style | {"c": {"kind": "point"}},
    )  # fmt: skip
    keys = crowded.legends[0].get_lines()
    assert [key.get_marker() for key in keys] == ["o", "o"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"each": {}}, "there must be a frame and a column, got 0 and 1"),
        ({"columns": 0}, "there must be a frame and a column, got 1 and 0"),
        ({"each": {"a": {}}}, "every frame must have at least one series"),
        ({"each": {"a": {"b": X[1:]}}}, r"'a: b' must have shape \(50,\)"),
        ({"each": {"a": {"b": np.ones((3, 4))}}}, r"'a: b' must have shape \(50,\)"),
        ({"style": {"c": {}}}, r"style names what is not drawn: \['c'\]"),
        ({"yscale": "cubic"}, "yscale must be one of linear, log"),
    ],
)
def test_bad_panels_say_what_to_change(given: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"each": {"a": {"b": X}}, "columns": 1} | LABELS | given
    with pytest.raises(ValueError, match=message):
        figures.panels(X, options.pop("each"), **options)


def test_rows_of_dots_stand_where_their_numbers_are() -> None:
    figure = ladder()
    (axes,) = figure.axes
    placed = {
        (float(x), float(y))
        for line in axes.lines
        if line.get_marker() == "o"
        for x, y in np.asarray(line.get_xydata())
    }
    assert placed == {(5, 0), (2.5, 1), (0.1, 2), (0.2, 2), (0, 3)}
    assert [t.get_text() for t in axes.get_yticklabels()] == list(LADDER)
    assert {t.get_text() for t in axes.texts} == {"five", "0"}, "zero is marked at the edge"
    assert axes.get_xlim()[0] > 0 and figure.summary.startswith("dots:\n  silence: exact: 5\n")
    assert not figures.dots({"a": {"b": 1.0}}, xlabel="x").legends
    linear = figures.dots({"a": {"b": [0.0, 2.0]}}, xlabel="x", xscale="linear").axes[0]
    assert linear.get_xlim() == (-0.1, 2.1)


def test_series_apart_have_heights_of_their_own_and_guides_go_through_all_rows() -> None:
    two = {"a": {"low": [1.0, 2.0], "high": [3.0]}, "b": {"low": [4.0], "high": []}}
    style = {"low": {"color": "U"}, "high": {"color": "u"}, "even": {"dash": "6 4"}}
    figure = figures.dots(two, xlabel="x", style=style, vlines={"even": 0.5}, apart=True)
    (axes,), (legend,) = figure.axes, figure.legends
    placed = {float(x): float(y) for line in axes.lines if line.get_marker() == "o"
              for x, y in np.asarray(line.get_xydata())}  # fmt: skip
    assert placed == {1: -0.2, 2: -0.2, 3: 0.2, 4: 0.8}
    (guide,) = (line for line in axes.lines if line.get_marker() != "o")
    assert np.asarray(guide.get_xdata()).tolist() == [0.5, 0.5] and axes.get_xlim()[0] < 0.5
    assert [t.get_text() for t in legend.get_texts()] == ["low", "high", "even"]
    assert "even: 0.5" in figure.summary


@pytest.mark.parametrize(
    ("rows_", "options", "message"),
    [
        ({}, {}, "there must be at least one row"),
        ({"a": {}}, {}, "there must be at least one row"),
        ({"a": {"b": 1.0}}, {"notes": {"c": ""}}, r"notes must belong to rows, got \['c'\]"),
        ({"a": {"b": -1.0}}, {}, "log scale must be positive, got -1"),
        ({"a": {"b": 0.0}}, {}, "log scale must be positive, got 0"),
        ({"a": {"b": np.nan}}, {}, "'a: b' must be finite"),
        ({"a": {"b": []}}, {}, "there must be at least one number in the rows"),
        ({"a": {"b": 1.0}}, {"vlines": {"b": 2.0}}, "names must differ, got"),
    ],
)
def test_bad_rows_of_dots_say_what_to_change(
    rows_: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        figures.dots(rows_, xlabel="x", **options)


def test_names_of_guides_leave_the_height_of_a_frame_to_the_data() -> None:
    near = {f"the guide number {k}": 2 + 0.01 * k for k in range(3)}
    curves(X, {"a": X}, **LABELS, vlines=near).draw_without_rendering()
    near["the guide number 3"] = 2.03
    with pytest.raises(ValueError, match=r"more than 3 rows above the frame on a page: the guide"):
        curves(X, {"a": X}, **LABELS, vlines=near).draw_without_rendering()


@pytest.mark.parametrize("apart", [False, True])
def test_on_a_phone_the_dots_of_a_row_stand_below_its_name(apart: bool) -> None:
    rows = {f"row {k}": {"a": 0.1 * k, "b": 0.2 * k} for k in range(1, 8)}
    token = _column.set(NARROW)
    try:
        figure = figures.dots(rows, xlabel="x", xscale="linear", apart=apart)
    finally:
        _column.reset(token)
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    names = {text.get_text(): text.get_window_extent() for text in axes.texts}
    dots: Any = [line for line in axes.lines if line.get_marker() == "o"]
    heights = [float(axes.transData.transform((0, line.get_ydata()[0]))[1]) for line in dots]
    radius = DOT / 2 * figure.dpi / 72
    lowest = [box.y0 for box in names.values()]
    assert len(heights) == 14 and len(lowest) == 7
    for k, height in enumerate(heights):
        own, below = lowest[k // 2], (*lowest, 0.0)[k // 2 + 1]
        assert height + radius < own + 2, "the name's box has room below its letters"
        assert height - radius > below + 5


def test_zeros_that_lie_apart_are_marked_at_the_edge() -> None:
    """Each at the height of its series; a warning would be an error here."""
    rows = {"one": {"a": 1.0, "b": 0.5}, "none": {"a": 0.0, "b": 0.0}}
    (axes,) = figures.dots(rows, xlabel="x", apart=True).axes
    zeros = [t.xy[1] for t in axes.texts if isinstance(t, Annotation) and t.get_text() == "0"]
    assert zeros == [0.8, 1.2]


def test_a_claim_shows_what_is_compared_and_failing_ones_as_large_as_others() -> None:
    (axes,) = judged().axes
    written: Any = {t.get_text(): t for t in axes.texts}
    assert set(written) == {HOLDS.claim, FAILS.claim, "✓ 1.5 ×", "✗ fails, 0.5 ×"}
    good, bad = written["✓ 1.5 ×"], written["✗ fails, 0.5 ×"]
    assert good.get_fontsize() == bad.get_fontsize() and good.get_weight() == bad.get_weight()
    dots: Any = [line for line in axes.lines if line.get_marker() == "o"]
    # the smaller side times the factor, in the rows 0 and 1
    assert sorted((round(dot.get_ydata()[0]), dot.get_xdata()[0]) for dot in dots) == [
        (0, 0.8), (0, 4.0), (0, 6.0), (1, 1.0), (1, 2.0), (1, 3.0), (1, 4.0), (1, 5.0)
    ]  # fmt: skip
    bars: Any = [line for line in axes.lines if np.size(line.get_xdata()) == 2]
    assert list(bars[1].get_xdata()) == pytest.approx([3.6, 4.4])
    assert judged().summary.splitlines() == [
        "claims:",
        "  holds: 4 × this < that; nearest 4 against 6",
        "  FAILS: these < those; nearest 4 against 2",
    ]


@pytest.mark.parametrize("smaller", [[0.0], [], [np.nan]])
def test_claims_compare_positive_numbers(smaller: list[float]) -> None:
    with pytest.raises(ValueError, match="there must be at least one claim, got none"):
        figures.claims([], xlabel="risk")
    with pytest.raises(ValueError, match="both sides of 'odd' must be positive numbers"):
        figures.claims([ordering("odd", smaller, [1.0])], xlabel="risk")


def test_a_dot_on_a_dot_is_wider_and_others_are_not() -> None:
    apart = ([0.0, 4.0], [0.0, 4.0])
    points = {name: {"kind": "point"} for name in ("below", "above", "elsewhere")}
    figure = phase(
        {"below": apart, "above": ([4.0, 2.0], [4.0, 1.0]), "elsewhere": ([1.0], [3.0])},
        **LABELS,
        style=points,
    )
    sizes = [line.get_markersize() for line in figure.axes[0].lines]
    assert sizes[0] > sizes[1] == sizes[2]


@pytest.mark.parametrize(
    ("top", "shown"), [(40.0, {"0.1", "1", "10"}), (1e7, {r"$\mathdefault{10^{-1}}$"})]
)
def test_a_log_axis_says_short_numbers_as_they_are(top: float, shown: set[str]) -> None:
    figure = curves(X, {"risk": np.linspace(0.1, top, len(X))}, **LABELS, yscale="log")
    FigureCanvasAgg(figure).draw()
    said = {tick.get_text() for tick in figure.axes[0].get_yticklabels()}
    assert shown <= said and not (len(shown) > 1 and any("^" in word for word in said))
