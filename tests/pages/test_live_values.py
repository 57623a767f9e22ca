"""The numbers that a figure shows are Python's: at every stop, by keys, by drag and by pointer; and
what lies outside its frame is marked and said with its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from linear_icl_book.figures._outside import pretty
from linear_icl_book.live import LiveFigure, packing
from playwright.sync_api import Browser, Locator, Page

from tests.pages.checks import Visit
from tests.pages.conftest import each, pages_with_figures
from tests.pages.live_book import areas, band, beyond, build, notebook, plane
from tests.pages.mounted import controls, figures, is_menu, opened, press, stops
from tests.pages.packed import figures as packed
from tests.pages.reader import settle
from tests.pages.site import Site

Packed = tuple[Any, bytes]
Drawn = dict[str, np.ndarray]


def sizes(figure: Packed) -> tuple[int, ...]:
    return tuple(len(axis["values"]) for axis in figure[0]["axes"])


def drawn(figure: Packed, place: tuple[int, ...]) -> list[Drawn]:
    """What Python packed for each series at these stops."""
    spec, data = figure
    return [
        {c: packing.unpack(ch, data, sizes(figure))[place] for c, ch in s["channels"].items()}
        for s in spec["series"]
    ]


def told(spec: Any, value: float) -> str:
    return "below 0" if value == -np.inf and spec["y"]["scale"] == "log" else pretty(float(value))


def legend(figure: Packed, place: tuple[int, ...], at: int | None = None) -> list[str]:
    """What the legend has to show there: of a curve the last value, or that under the pointer."""
    spec, _ = figure
    curves, shown = "values" in spec["x"] and "z" not in spec, []
    for series, values in zip(spec["series"], drawn(figure, place), strict=True):
        kind = series["kind"]
        if kind == "heat":
            ends = (np.nanmin(values["z"]), np.nanmax(values["z"]))
            shown.append(" to ".join(pretty(float(v)) for v in ends))
        elif kind in ("hline", "vline"):
            shown.append(told(spec, values["y" if kind == "hline" else "x"][0]))
        elif "z" not in spec and (kind == "point" or not curves):
            shown.append("")
        elif "z" not in spec:
            edges = [values[c] for c in ("y", "low", "high") if c in values]
            present = np.flatnonzero(~np.isnan(edges[0]))
            k = at if at is not None else (present[-1] if present.size else 0)
            absent = np.isnan(edges[0][k])
            shown.append("–" if absent else " to ".join(told(spec, edge[k]) for edge in edges))
    return shown


def numbers(figure: Locator) -> list[str]:
    texts = figure.locator(".live-number").all_text_contents()
    return [text.replace("\u00a0", " ") for text in texts]


def place_of(figure: Locator) -> tuple[int, ...]:
    """The stop at which every control says that it stands."""
    index = "(control) => control.selectedIndex ?? +control.value"
    return tuple(int(control.evaluate(index)) for control in controls(figure))


def named(figure: Locator, known: dict[str, Packed]) -> Packed:
    return known[str(figure.get_attribute("aria-label"))]


@pytest.fixture(scope="module")
def live(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Visit]:
    with Visit(browser, f"{site.url}/{request.param}.html") as visit:
        visit.unfold()
        yield visit


every_page = each("live", pages_with_figures())


# Sets the controls of a figure to one place after the other; what it shows at each.
SWEEP = """async (figure, places) => {
  const controls = [...figure.querySelectorAll("input, select")];
  const seen = [];
  for (const place of places) {
    place.forEach((stop, k) => {
      if (controls[k].matches("select")) controls[k].selectedIndex = stop;
      else controls[k].value = stop;
      for (const event of ["input", "change"]) controls[k].dispatchEvent(new Event(event));
    });
    await new Promise(requestAnimationFrame);
    seen.push([...figure.querySelectorAll(".live-number")].map(
      (number) => number.textContent.replaceAll("\\u00a0", " ")));
  }
  return seen;
}"""


def every_stop(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Places that have each stop of each control among them twice, with stops of the others drawn
    at random."""
    rng = np.random.default_rng(13)
    rounds = [[rng.permutation(np.arange(max(counts)) % n) for n in counts] for _ in range(2)]
    return [tuple(map(int, place)) for drawn in rounds for place in zip(*drawn, strict=True)]


def check_stops(figure: Locator, numbers_of: Packed) -> None:
    places = every_stop(sizes(numbers_of))
    shown = figure.evaluate(SWEEP, places)
    wrong = {
        place: (numbers, expected)
        for place, numbers in zip(places, shown, strict=True)
        if numbers != (expected := legend(numbers_of, place))
    }
    assert wrong == {}, "(shown, of Python) at each place"
    assert place_of(figure) == places[-1]


def check_keys(figure: Locator, numbers_of: Packed) -> None:
    """Each slider to both ends and through the first stops; each menu through its names."""
    start = place_of(figure)
    for k, control in enumerate(controls(figure)):
        last = stops(control) - 1
        press(control, "Home")
        for expected in range(min(last, 4) + 1):
            if expected:
                press(control, "ArrowDown" if is_menu(control) else "ArrowRight")
            place = (*start[:k], expected, *start[k + 1 :])
            assert place_of(figure) == place
            assert numbers(figure) == legend(numbers_of, place), place
        press(control, "End")
        start = (*start[:k], last, *start[k + 1 :])
        assert place_of(figure) == start and numbers(figure) == legend(numbers_of, start)


def check_drag(page: Page, figure: Locator, numbers_of: Packed) -> None:
    """Each slider dragged to its left end, to the middle and to its right end."""
    for k, control in enumerate(controls(figure)):
        if is_menu(control):
            continue
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box is not None
        middle, width = box["y"] + box["height"] / 2, box["width"] - 20  # of the thumb
        last, where = stops(control) - 1, place_of(figure)[k]
        x_of = lambda stop: box["x"] + 10 + width * stop / last  # noqa: B023, E731
        for goal in (0, last // 2, last):
            page.mouse.move(x_of(where), middle)
            page.mouse.down()
            page.mouse.move(x_of(goal), middle, steps=4)
            page.mouse.up()
            settle(page)
            assert place_of(figure)[k] == goal, "the slider stands where it was left"
            assert numbers(figure) == legend(numbers_of, place_of(figure))
            where = goal


def check_pointer(page: Page, figure: Locator, numbers_of: Packed) -> None:
    """The pointer over several values of x reads the values there, and off the plot the last."""
    spec, place = numbers_of[0], place_of(figure)
    if "values" not in spec["x"] or "z" in spec:
        return
    plot = figure.locator("svg[role=img]")
    plot.scroll_into_view_if_needed()
    base = figure.locator(".live-frame path.live-base").first.get_attribute("d") or ""
    left, _, right = map(float, re.findall(r"-?[\d.]+", base))
    into = np.log if spec["x"]["scale"] == "log" else np.asarray
    low, high = into(np.array(spec["x"]["domain"]))
    box = plot.bounding_box()
    assert box is not None
    count = len(spec["x"]["values"])
    for at in {0, count // 3, count // 2, count - 1}:
        share = (into(np.array(spec["x"]["values"][at])) - low) / (high - low)
        page.mouse.move(box["x"] + left + float(share) * (right - left), box["y"] + 60)
        assert numbers(figure) == legend(numbers_of, place, at), at
    page.mouse.move(0, 0)
    assert numbers(figure) == legend(numbers_of, place)


def check(page: Page, known: dict[str, Packed], figure: Locator) -> None:
    numbers_of = named(figure, known)
    assert numbers(figure) == legend(numbers_of, place_of(figure))
    check_stops(figure, numbers_of)
    check_keys(figure, numbers_of)
    check_pointer(page, figure, numbers_of)
    check_drag(page, figure, numbers_of)
    check_pointer(page, figure, numbers_of)


@every_page
def test_the_numbers_shown_are_those_that_python_computed(live: Visit, site: Site) -> None:
    name = live.page.url.removeprefix(f"{site.url}/")
    known = {spec["title"]: (spec, data) for spec, data in packed(site.folder / name).values()}
    for figure in figures(live.page):
        check(live.page, known, figure)


# ---- on a page of its own -----------------------------------------------------------------------

one_process = pytest.mark.xdist_group("values")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("values")
    out, warnings = build(folder, {"index": notebook(beyond(), band(), plane(), areas())})
    assert not warnings
    return out / "index.html"


@one_process
def test_the_numbers_of_kinds_of_our_own(browser: Browser, own: Path) -> None:
    known = {spec["title"]: (spec, data) for spec, data in packed(own).values()}
    with opened(browser, own.as_uri()) as page:
        for figure in figures(page):
            check(page, known, figure)


def arrows(figure: Locator) -> list[list[float]]:
    """The tips of the arrows, in pixels of the plot."""
    found = figure.locator(".live-arrow").evaluate_all(
        "(all) => all.map((a) => a.getAttribute('d'))"
    )
    return [[float(v) for v in path[1 : path.index("L")].split()] for path in found]


@one_process
def test_what_lies_outside_is_marked_and_said_with_its_value(browser: Browser, own: Path) -> None:
    with opened(browser, own.as_uri()) as page:
        figure = figures(page)[0]
        assert numbers(figure) == ["below 0 to 10", "0", "5", "", "10⁻⁴"]
        written = figure.locator(".live-beyond").all_text_contents()
        assert "0" in written and "∞" in written and "700" in written
        assert not {"0.01", "100"} & {*written, *numbers(figure)}, "no value is that of the frame"
        tips = arrows(figure)
        base = figure.locator(".live-frame path.live-base").first.get_attribute("d") or ""
        left, bottom, right = map(float, re.findall(r"-?[\d.]+", base))
        top = min(y for _, y in tips)
        assert all(y in (top, bottom) and left <= x <= right for x, y in tips)
        assert sum(y == top for _, y in tips) == 3  # of the curve that rises, and two dots
        assert sum(y == bottom for _, y in tips) == 3  # band, curve that falls, level
        described = figure.locator("desc").text_content() or ""
        assert "falls: ends at 0, below the frame" in described
        assert "level: at 10⁻⁴, below the frame" in described
        assert "dots: 3 points from 1 to 700, 2 outside the frame" in described
        assert "band: ends at below 0 to 10, partly outside the frame" in described
        figure.locator("svg[role=img]").press("ArrowRight")  # the first x
        assert "rises: ∞, above the frame" in (figure.locator("desc").text_content() or "")
        drawn_dots = figure.locator("path.live-point[data-series=dots]").get_attribute("d") or ""
        assert drawn_dots.count("M") == 1, "a dot outside is an arrow"


def test_every_stop_is_asked_for() -> None:
    places = every_stop((5, 1, 31))
    assert [{place[k] for place in places} for k in range(3)] == [set(range(n)) for n in (5, 1, 31)]
    assert len(places) == 62 and places[:31] != places[31:]


@one_process
def test_areas_alone_are_read_by_keys(browser: Browser, own: Path) -> None:
    with opened(browser, own.as_uri()) as page:
        figure = figures(page)[3]
        plot = figure.locator("svg[role=img]")
        plot.press("ArrowRight")
        assert numbers(figure) == ["0 to 0", "0 to 1"]
        plot.press("ArrowRight")
        assert numbers(figure) == ["0 to 3", "3 to 4"]  # at the rate three


@one_process
@pytest.mark.parametrize("width", [360, 1350])
def test_a_circle_is_round_and_dots_on_each_other_are_seen(
    browser: Browser, own: Path, width: int
) -> None:
    with opened(browser, own.as_uri(), viewport={"width": width, "height": 900}) as page:
        figure = figures(page)[2]
        box = figure.locator("path[data-series=circle]").bounding_box()
        assert box is not None and abs(box["width"] - box["height"]) < 1
        wide = "(dots) => dots.map((dot) => parseFloat(getComputedStyle(dot).strokeWidth))"
        big, small = figure.locator("path.live-point[data-series]").evaluate_all(wide)
        assert big >= small + 3
        press(controls(figure)[0], "End")
        tips = arrows(figure)
        assert len(tips) >= 4  # the circle leaves twice and comes back; both points are outside
        assert "3" in figure.locator(".live-beyond").all_text_contents()


def test_a_figure_stored_and_read_is_the_function(tmp_path: Path) -> None:
    """What the tests above compare with, against fn itself: half a step of the code."""
    figure: LiveFigure = beyond()
    for k, scale in enumerate([0.5, 1.0, 2.0]):
        falls, rises = drawn((figure.spec, figure.data), (k,))[1:3]
        np.testing.assert_allclose(falls["y"][:3], scale * np.array([8.0, 4, 2]), rtol=1e-4)
        assert falls["y"][3:].tolist() == [0, 0, 0] and rises["y"][0] == np.inf
        np.testing.assert_allclose(rises["y"][1:3], scale * np.array([5000.0, 50]), rtol=1e-4)
