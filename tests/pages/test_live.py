"""Live figures in the built book, in a browser without a kernel and without the outside world.

The tests of a page share it: opened once, put back after each. Keys, drags and clicks are real.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import ipywidgets
import numpy as np
import pytest
from linear_icl_book.figures import PALETTE
from playwright.sync_api import Browser, Locator, Page

from tests.pages import packed
from tests.pages.checks import Visit, accessibility, complaints, outside, stop_clock
from tests.pages.conftest import ROOT, book_pages, each, pages_with_figures
from tests.pages.live_book import band, build, dressed, heat_map, notebook
from tests.pages.live_book import figure as line
from tests.pages.mounted import (
    SHAPE,
    Swap,
    controls,
    figures,
    is_menu,
    opened,
    press,
    state,
    stops,
)
from tests.pages.reader import address, box, settle, sticking_out
from tests.pages.site import Site

SCRIPT = re.compile(r"/_static/live\.\w{12}\.js")
LIVELY = pages_with_figures()


def html(page: str) -> str:
    return f"{page}.html"


@pytest.fixture(scope="module")
def live(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Visit]:
    """A page, its folds open, for all tests of it; nothing may complain until the last is done."""
    with Visit(browser, f"{site.url}/{html(request.param)}") as visit:
        visit.unfold()
        yield visit
        assert complaints(visit) == []


@pytest.fixture
def page(live: Visit) -> Iterator[Page]:
    """The page as a reader finds it."""
    yield live.page
    live.page.emulate_media(media="screen", color_scheme="light")
    live.page.set_viewport_size({"width": 1350, "height": 940})
    live.page.evaluate("document.querySelectorAll('.live-reset').forEach((b) => b.click())")
    live.page.mouse.move(0, 0)
    live.page.wait_for_function("location.hash === ''")
    settle(live.page)


every_page = each("live", LIVELY)


def another(control: Locator) -> str:
    """The end of a slider, or of a menu, where it does not stand: a key that leads there."""
    first = control.evaluate("(control) => (control.selectedIndex ?? +control.value) === 0")
    return "End" if first else "Home"


def move(figure: Locator) -> None:
    """Every control to an end, by keys."""
    for control in controls(figure):
        press(control, another(control))


def test_the_chapters_have_live_figures() -> None:
    """Every cell that ends in one."""
    sources = {name: (ROOT / f"{name}.md").read_text("utf-8") for name in book_pages()}
    cells = {name: len(re.findall("^LiveFigure", text, re.M)) for name, text in sources.items()}
    assert {name for name in cells if cells[name]} == set(LIVELY)
    assert sum(cells.values()) > 20


@every_page
def test_every_figure_mounts(live: Visit, page: Page, site: Site) -> None:
    name = page.url.removeprefix(f"{site.url}/").removesuffix(".html")
    kinds = r"^(?:LiveFigure|Hero|StepPlane|Dial|FlowLab|OnePass|TwoLines|Bill|Ask)[.(]"
    cells = re.findall(kinds, (ROOT / f"{name}.md").read_text("utf-8"), re.M)
    boxes, mounted = page.locator(".live-box"), page.locator(".live-fig, .ex-fig")
    assert boxes.count() == mounted.count() == len(cells) >= 1
    assert complaints(live) == [] and outside(live, site.url) == []
    for figure in figures(page):
        assert figure.locator("svg[role=img]").get_attribute("aria-label")
        assert any(state(figure)["paths"])
    for still in page.locator(".live-still").all():
        assert not still.is_visible()
    assert page.evaluate("performance.getEntriesByType('resource').length") > 0
    assert sum(bool(SCRIPT.search(url)) for url in live.requests) == 1


def test_pages_without_figures_do_not_load_the_script(site: Site) -> None:
    for name in set(book_pages()) - set(LIVELY):
        text = (site.folder / html(name)).read_text("utf-8")
        if 'class="live-box' in text:  # of a figure that computes
            continue
        assert not SCRIPT.search(text) and "vnd.jupyter.widget" not in text


def test_the_state_carries_no_code(site: Site) -> None:
    for name in LIVELY:
        text = (site.folder / html(name)).read_text("utf-8")
        assert '"_esm"' not in text and '"LayoutModel"' not in text
        assert "require.min.js" not in text and "html-manager" not in text


@every_page
def test_every_slider_answers_to_the_keyboard(page: Page) -> None:
    for figure in figures(page):
        for k, slider in enumerate(controls(figure)):
            if is_menu(slider):
                continue
            count = stops(slider) - 1
            keys = ["Home", "End", *["ArrowLeft"] * count, "PageUp", "Home", "ArrowUp"]
            moved = press(slider, *keys)
            first, last = moved[:2]
            # A control that changes nothing does not belong there.
            assert first["paths"] != last["paths"], k
            said = [at["values"][k] for at in moved]
            seen = said[1 : count + 2]
            assert seen[-1] == said[0] != said[1] and len(set(seen)) == count + 1
            assert said[-3] in seen[:-2]
            assert said[-2] == said[0] and said[-1] == seen[-2]
            assert {tuple(at["shape"]) for at in moved} == {tuple(first["shape"])}, k


@every_page
def test_every_menu_answers_to_the_keyboard(page: Page) -> None:
    for figure in figures(page):
        for k, menu in enumerate(controls(figure)):
            if not is_menu(menu):
                continue
            for other in controls(figure):  # where they start, a menu may have nothing to say
                if other.get_attribute("id") != menu.get_attribute("id"):
                    press(other, another(other))
            count = stops(menu) - 1
            moved = press(menu, "Home", *["ArrowDown"] * count, "ArrowUp")
            names = menu.locator("option").all_inner_texts()
            assert [at["values"][k] for at in moved] == [*names, names[-2]]
            drawn = [json.dumps(at["paths"]) for at in moved[:-1]]
            assert len(set(drawn)) == count + 1, "two names for one picture"
            assert drawn[-2] == json.dumps(moved[-1]["paths"])
            assert {tuple(at["shape"]) for at in moved} == {tuple(moved[0]["shape"])}, k


@every_page
def test_dragging_moves_and_reset_returns(page: Page) -> None:
    for figure in figures(page):
        before = state(figure)
        for control in controls(figure):
            control.scroll_into_view_if_needed()
            own = box(control)
            assert own["height"] >= 24
            end = another(control)
            if is_menu(control):  # its list is the system's, beyond the reach of the mouse here
                control.select_option(index=stops(control) - 1 if end == "End" else 0)
                continue
            middle = own["y"] + own["height"] / 2
            page.mouse.move(own["x"] + own["width"] / 2, middle)
            page.mouse.down()
            goal = own["x"] + (own["width"] - 12 if end == "End" else 12)
            page.mouse.move(goal, middle, steps=5)
            page.mouse.up()
            assert control.input_value() == control.get_attribute("max" if end == "End" else "min")
        settle(page)
        after = state(figure)
        assert after["paths"] != before["paths"]
        assert all(new != old for new, old in zip(after["values"], before["values"], strict=True))
        figure.get_by_role("button", name="Reset").click()
        settle(page)
        assert state(figure) == before


@every_page
def test_the_address_carries_the_values(browser: Browser, page: Page) -> None:
    original = [state(figure) for figure in figures(page)]
    for figure in figures(page):
        move(figure)
    moved = [state(figure) for figure in figures(page)]
    for old, new in zip(original, moved, strict=True):
        assert all(a != b for a, b in zip(old["values"], new["values"], strict=True))
    shared = address(page)
    assert shared.partition("#")[2].count("=") == len(moved)
    for figure in figures(page):
        figure.get_by_role("button", name="Reset").click()
    page.wait_for_function("location.hash === ''")
    assert [state(figure) for figure in figures(page)] == original
    assert re.search(r"#[\w-]+=\w+:", unquote(shared))
    with opened(browser, shared) as other:
        assert [state(figure) for figure in figures(other)] == moved


def test_an_address_keeps_its_section_and_ignores_nonsense(browser: Browser, site: Site) -> None:
    url = f"{site.url}/{html('book/pl_convergence')}"
    with opened(browser, url) as page:
        before = [state(figure) for figure in figures(page)]
        section = page.locator("article section[id] section[id]").last.get_attribute("id")
        press(figures(page)[0].get_by_role("slider").first, "Home")
        page.wait_for_function("location.hash.includes('=')")
        found = re.search(r"#([\w-]+)=(\w+):", page.url)
        assert found is not None
    nonsense = f"nobody=x:1&{found[1]}={found[2]}:,gone:1e9x,q"
    with opened(browser, f"{url}#{section}&{nonsense}") as page:
        assert page.evaluate("scrollY") > 500  # at the section, though the browser finds no such id
        assert [state(figure) for figure in figures(page)] == before
        press(figures(page)[0].get_by_role("slider").first, "Home")
        page.wait_for_function(
            f"location.hash.startsWith('#{section}&') && !/nobody/.test(location)"
        )


def with_one_name(text: str) -> str:
    """The page, all of whose figures are called "same"."""

    def renamed(found: re.Match[str]) -> str:
        state = json.loads(found[1])
        for model in state["state"].values():
            if "spec" in model["state"]:
                model["state"]["spec"]["name"] = "same"
        return found[0].replace(found[1], json.dumps(state).replace("</", "<\\/"))

    return packed.STATE.sub(renamed, text)


def test_figures_of_one_name_do_not_clash(browser: Browser, site: Site) -> None:
    url = f"{site.url}/{html('book/pl_convergence')}"
    same = (re.compile(r"\.html"), with_one_name)
    with opened(browser, url, swap=same) as page:
        for figure in figures(page)[:2]:
            press(figure.get_by_role("slider").first, "Home")
        page.wait_for_function("/same=.*&same-2=/.test(location.hash)")


def test_the_plot_reads_out_values(browser: Browser, site: Site) -> None:
    with opened(browser, f"{site.url}/{html('book/pl_convergence')}") as page:
        figure = figures(page)[0]
        plot, numbers = figure.locator("svg[role=img]"), figure.locator(".live-number")
        at_end = numbers.all_inner_texts()
        plot.hover(position={"x": 60, "y": 100})
        assert numbers.all_inner_texts() != at_end
        assert figure.locator(".live-hair").get_attribute("d")
        page.mouse.move(0, 0)
        assert numbers.all_inner_texts() == at_end
        plot.press("ArrowRight")
        assert numbers.all_inner_texts() != at_end
        plot.press("Escape")
        assert numbers.all_inner_texts() == at_end


# What is spoken, once the hand rests, is the end of what is described at once.
SAID = """() => [...document.querySelectorAll(".live-fig")].every((figure) => {
  const said = figure.querySelector("[aria-live=polite]").textContent;
  return said && figure.querySelector("desc").textContent.endsWith(said);
})"""


@every_page
def test_what_is_drawn_is_also_said(page: Page) -> None:
    for figure in figures(page):
        press(controls(figure)[0], another(controls(figure)[0]))
    page.wait_for_function(SAID)
    for figure in figures(page):
        said = figure.locator("[aria-live=polite]").inner_text()
        described = figure.locator("desc").text_content() or ""
        for series in figure.locator(".live-name").all_inner_texts():
            assert f"{series}: " in said and f"{series}: " in described
        for label in figure.locator("label").all():
            assert f"{label.inner_text()}: " in described
            named = figure.locator(f"[id='{label.get_attribute('for')}']")
            assert named.evaluate("(control) => control.matches('input[type=range], select')")


def colours(page: Page) -> set[str]:
    found: list[str] = page.locator("path[data-series]").evaluate_all(
        """(paths) => paths.map((path) => getComputedStyle(path)).map(
          ({ stroke, fill }) => (stroke === "none" ? fill : stroke))"""
    )
    return set(found)


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[k : k + 2], 16)) for k in (1, 3, 5))})"


def dress(page: Page, theme: Any) -> None:
    """Let the reader's system turn light or dark; the page hears of it when its thread is free."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)


@every_page
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_follow_the_theme(page: Page, theme: Any) -> None:
    palette = {rgb(colour) for colour in PALETTE[theme].values()}
    dress(page, theme)
    assert colours(page) and colours(page) <= palette


def test_forced_colours_are_taken(browser: Browser, site: Site) -> None:
    with opened(
        browser, f"{site.url}/{html('book/lsa_quadratic_reduction')}", forced_colors="active"
    ) as page:
        ours = {rgb(colour) for theme in PALETTE.values() for colour in theme.values()}
        assert not colours(page) & ours


@every_page
@pytest.mark.parametrize("width", [320, 360, 1350])
def test_nothing_sticks_out(page: Page, width: int) -> None:
    """Neither where the figures start nor where their controls end."""
    page.set_viewport_size({"width": width, "height": 800})
    settle(page)
    for figure in figures(page):
        for moved in (False, True):
            if moved:
                move(figure)
            assert sticking_out(figure) == [], width
            own = box(figure)
            assert own["x"] >= 0 and own["x"] + own["width"] <= width


@every_page
def test_figures_follow_their_width(page: Page) -> None:
    drawn = [(state(figure)["paths"], figure.evaluate(SHAPE)) for figure in figures(page)]
    page.set_viewport_size({"width": 400, "height": 800})
    settle(page)
    for figure, (paths, _) in zip(figures(page), drawn, strict=True):
        assert state(figure)["paths"] != paths
        legend, plot = figure.locator(".live-legend"), figure.locator("svg[role=img]")
        assert box(legend)["y"] >= box(plot)["y"] + box(plot)["height"]
    page.set_viewport_size({"width": 1350, "height": 940})
    settle(page)
    again = [(state(figure)["paths"], figure.evaluate(SHAPE)) for figure in figures(page)]
    assert again == drawn


def images(page: Page) -> list[Locator]:
    """The images beneath the live figures, all of which must say what they show."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    found = page.locator(".live-still [role=img], .live-still img").all()
    for image in found:
        assert image.get_attribute("aria-label") or image.get_attribute("alt")
    return found


@pytest.mark.parametrize("name", LIVELY)
def test_without_scripts_the_image_stands(browser: Browser, site: Site, name: str) -> None:
    url = f"{site.url}/{html(name)}"
    with opened(browser, url, java_script_enabled=False) as page:
        stills = page.locator(".live-still")
        assert stills.count() == page.locator(".live-box").count() >= 1
        for still in stills.all():
            # Where it was drawn, or what a figure that computes says; some stand in a closed fold.
            said = still.locator(".live-at").text_content() or ""
            assert said.startswith("Drawn at ") or re.search(r"\d", said), said
            assert still.locator("[aria-label], img[alt]").count() == 1
        assert stills.first.is_visible()


@pytest.mark.parametrize(
    ("address", "rewrite"),
    [
        (SCRIPT, lambda text: "throw new Error('broken');" + text),
        (SCRIPT, lambda text: text.replace("this.build();", "this.build(); null.broken;")),
        (SCRIPT, lambda text: text + "syntax error("),
        (re.compile(r"\.html"), lambda text: text.replace('"schema":', '"schema":9')),
    ],
    ids=["at start", "while mounting", "syntax", "other schema"],
)
def test_after_an_error_the_image_stands(
    browser: Browser, site: Site, address: re.Pattern[str], rewrite: Swap
) -> None:
    url = f"{site.url}/{html('book/lsa_quadratic_reduction')}"
    with opened(browser, url, swap=(address, rewrite)) as page:
        assert page.locator(".live-fig").count() == 0
        images(page)
        left = page.locator(".live-box:not(:has(.ex-fig))")  # what computes has no schema
        shown = left.locator(".live-still [role=img], .live-still img")
        assert shown.count() == left.count() >= 1
        assert all(image.is_visible() for image in shown.all())


@every_page
def test_paper_gets_the_image_in_light_colours(page: Page) -> None:
    dress(page, "dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert all(image.is_visible() for image in images(page))
    assert not any(figure.is_visible() for figure in figures(page))
    drawn = page.locator(".live-still path").evaluate_all(
        "(paths) => paths.map((path) => getComputedStyle(path).stroke)"
    )
    dark = {rgb(colour) for colour in PALETTE["dark"].values()}
    assert drawn and not dark & set(drawn)


@pytest.mark.parametrize("name", LIVELY)
def test_files_opened_from_a_disk_are_live(browser: Browser, site: Site, name: str) -> None:
    with Visit(browser, (site.folder / html(name)).as_uri()) as visit:
        assert visit.page.locator(".live-fig").count() >= 1
        assert complaints(visit) == []
        first = figures(visit.page)[0]
        before = state(first)
        move(first)
        assert state(first) != before


def test_linked_figures_move_together(browser: Browser, tmp_path: Path) -> None:
    one, two = line("One"), line("Two")
    link = ipywidgets.jslink((one, "slope"), (two, "slope"))
    out, _ = build(tmp_path, {"index": notebook(one, two, others=(link,))})
    with opened(browser, (out / "index.html").as_uri()) as page:
        first, second = figures(page)
        assert press(first.get_by_role("slider").first, "End")[-1]["values"] == ["3", "2"]
        assert state(second)["values"] == ["3", "2"]
        press(second.get_by_role("slider").first, "Home")
        assert state(first)["values"] == ["1", "2"]


END = """() => Number(
  document.querySelector("path[data-series]").getAttribute("d").match(/[\\d.]+$/)[0])"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_curve_glides_to_its_stop_unless_motion_is_unwanted(
    browser: Browser, tmp_path: Path, motion: Any
) -> None:
    """The end of the line falls from slope 2 to slope 1, and what is said is so at once."""
    out, _ = build(tmp_path, {"index": notebook(line("One"))})
    with opened(browser, (out / "index.html").as_uri(), reduced_motion=motion) as page:
        stop_clock(page)
        page.locator("input").first.evaluate(
            "(slider) => { slider.value = 0; slider.dispatchEvent(new Event('input')); }"
        )
        ends = []
        for _ in range(12):
            page.clock.run_for(20)
            ends.append(page.evaluate(END))
            assert state(figures(page)[0])["shown"] == ["2"]
        assert len(set(ends)) > 3 if motion == "no-preference" else len(set(ends)) == 1
        assert ends == sorted(ends)


# A clock that stands: timers go when the page is told so, before or after the events that wait.
STANDING = """() => {
  const waiting = new Map();
  let last = 0;
  window.setTimeout = (call) => waiting.set(++last, call) && last;
  window.clearTimeout = (id) => waiting.delete(id);
  window.ring = () => [...waiting].forEach(([id, call]) => waiting.delete(id) && call());
}"""
DRAG = """(slider) => { slider.value = slider.max; slider.dispatchEvent(new Event("input")); }"""


@pytest.mark.parametrize("first", ["the timer", "the event"])
def test_an_address_set_just_after_dragging_is_not_undone(
    browser: Browser, tmp_path: Path, first: str
) -> None:
    """One is dragged, then set by the address; what was dragged in Two is written beside it."""
    out, _ = build(tmp_path, {"index": notebook(line("One"), line("Two"))})
    with opened(browser, (out / "index.html").as_uri()) as page:
        page.evaluate(STANDING)
        one, two = figures(page)
        for each_one in (one, two):
            each_one.locator("input").first.evaluate(DRAG)
        assert [state(f)["values"][0] for f in (one, two)] == ["3", "3"]
        page.evaluate(f"location.hash = 'one=slope:1'; {'ring()' if first == 'the timer' else ''}")
        settle(page)
        page.evaluate("ring()")
        assert [state(f)["values"][0] for f in (one, two)] == ["1", "3"]
        assert re.search(r"#one=slope:1,n:\d&two=slope:3,n:\d$", page.url)


def test_recorded_results_follow_a_link_to_the_nearest_stop(
    browser: Browser, tmp_path: Path
) -> None:
    one, two = line("One"), band()
    link = ipywidgets.jslink((one, "slope"), (two, "rate"))
    out, _ = build(tmp_path, {"index": notebook(one, two, others=(link,))})
    with opened(browser, (out / "index.html").as_uri()) as page:
        first, second = figures(page)
        press(first.get_by_role("slider").first, "Home")  # a slope of 1; no rate is below 2
        assert state(second)["values"] == ["2"]
        assert second.locator(".live-number").first.inner_text() == "2"


# ---- menus, bands and heat maps, on a page of their own ------------------------------------------

one_process = pytest.mark.xdist_group("kinds")  # so that the page is built once


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with a heat map and a band, in the book's colours."""
    folder = tmp_path_factory.mktemp("kinds")
    out, warnings = build(folder, {"index": notebook(heat_map(), band())})
    assert not warnings
    return dressed(out / "index.html")


def cells(figure: Locator) -> list[str]:
    """The paths of the levels, from the lowest."""
    found: list[str] = figure.locator("path.live-cells").evaluate_all(
        """(paths) => paths.map((path) => path.getAttribute("d"))"""
    )
    return found


@one_process
def test_a_menu_answers_to_the_keyboard(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart, _ = figures(page)
        menu = chart.get_by_role("combobox", name="law of the risk")
        before = state(chart)
        menu.focus()
        page.keyboard.press("ArrowDown")
        settle(page)
        after = state(chart)
        assert after["values"] == ["1", "root, of #1 = 50%"] and after["paths"] != before["paths"]
        assert "law of the risk: root, of #1 = 50%" in (chart.locator("desc").text_content() or "")
        chart.get_by_role("button", name="Reset").click()
        settle(page)
        assert state(chart) == before


@one_process
def test_the_address_carries_names(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart, other = figures(page)
        chart.get_by_role("combobox").select_option("root, of #1 = 50%")
        press(other.get_by_role("slider"), "End")
        moved = [state(chart), state(other)]
        page.wait_for_function("/a-band=/.test(location.hash)")
        shared = page.url
    assert "law:root~2c_of_~231_~3d_50~25" in shared
    with opened(browser, shared) as page:
        assert [state(figure) for figure in figures(page)] == moved
    with opened(browser, kinds + "#a-map=law:gone,rate:10") as page:
        assert state(figures(page)[0])["values"] == ["10", "product"]


@one_process
def test_a_heat_map_is_redrawn_at_once(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart = figures(page)[0]
        slider = chart.get_by_role("slider")
        first = cells(chart)
        assert sum(path.count("M") for path in first) > 400 and len(first) == 64
        for key in ["Home", "End"] * 3:
            seen = cells(chart)
            press(slider, key)
            assert cells(chart) != seen


@one_process
def test_colours_of_a_map_say_the_value(browser: Browser, kinds: str) -> None:
    """Every cell has its level, and covers the paper the more the higher that is."""
    with opened(browser, kinds) as page:
        chart = figures(page)[0]
        opacity = [
            float(path.get_attribute("fill-opacity") or "")
            for path in chart.locator("path.live-cells").all()
        ]
        assert opacity == sorted(opacity) and opacity[0] > 0.05 and opacity[-1] < 1
        centres = np.logspace(0, 3, 30)
        share = np.log(np.outer(centres, centres) / 0.05) / np.log(3e7 / 0.05)
        level = np.floor(64 * share).astype(int)  # no value is within 1e-3 of the next level
        level[3, 5] = -1
        drawn = [path.count("M") for path in cells(chart)]
        starts = np.diff(level, prepend=-1, axis=1) != 0  # neighbours of one level are one
        runs = [int((starts & (level == k)).sum()) for k in range(64)]
        assert drawn == runs
        assert (chart.locator(".live-absent").get_attribute("d") or "").count("M") == 1


@one_process
def test_the_colour_bar_has_each_value_at_its_colour(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        bar = figures(page)[0].locator(".live-bar")
        steps = [
            (box(one)["y"], float(one.get_attribute("fill-opacity") or ""))
            for one in bar.locator("rect").all()
        ]
        heights = [y for y, _ in sorted(steps, key=lambda step: step[1])]
        assert heights == sorted(heights, reverse=True), "the fullest colour is on top"
        low, top = heights[0] + box(bar.locator("rect").first)["height"], heights[-1]
        digits = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
        ticks = [
            (float(text[2:].translate(digits) or 1), box(path)["y"])
            for path, text in zip(
                bar.locator("path").all(), bar.locator("text").all_text_contents(), strict=True
            )
            if text.startswith("10")
        ]
        assert len(ticks) >= 3
        for exponent, y in ticks:
            share = (exponent - math.log10(0.05)) / math.log10(3e7 / 0.05)
            assert y == pytest.approx(low + (top - low) * share, abs=2)


@one_process
def test_a_heat_map_is_read_out(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart = figures(page)[0]
        plot, number = chart.locator("svg[role=img]"), chart.locator(".live-number").first
        whole = "1 to 10⁶"
        assert number.inner_text() == whole
        described = chart.locator("desc").text_content() or ""
        assert "risk: least 1 at M, test length = 1 and N, training length = 1; " in described
        plot.press("ArrowRight")  # the middle cell
        assert number.inner_text() == "1270"
        assert chart.locator(".live-cell").last.get_attribute("d")
        plot.press("ArrowUp")
        assert number.inner_text() == "1610"  # 10^(3/29) = 1.269 times as much
        for key in ["ArrowDown"] * 13 + ["ArrowLeft"] * 10:
            plot.press(key)
        assert number.inner_text() == "–"
        page.wait_for_function(
            "(words) => document.querySelector('[aria-live=polite]').textContent.includes(words)",
            arg="risk: absent at M, test length = 3.29 and N, training length = 2.04",
        )
        plot.press("Escape")
        assert number.inner_text() == whole
        cells = box(chart.locator(".live-map"))
        page.mouse.move(cells["x"] + cells["width"] - 3, cells["y"] + 3)
        assert number.inner_text() == "10⁶"
        page.mouse.move(cells["x"] + cells["width"] + 40, cells["y"] + 3)  # the colour bar
        assert number.inner_text() == whole


LOOK = """(figure) => {
  const look = (one) => [one.getAttribute("stroke-dasharray"), one.style.getPropertyValue("--c")];
  const marks = [...figure.querySelectorAll(".live-plot > svg [data-series]")];
  const entries = [...figure.querySelectorAll(".live-legend li")].map((entry) => [
    entry.querySelector(".live-name").textContent, look(entry.querySelector("path, rect"))]);
  return [Object.fromEntries(marks.map((one) => [one.dataset.series, look(one)])),
          Object.fromEntries(entries)];
}"""


@one_process
def test_the_legend_shows_dash_and_colour_of_each_series(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        seen = [figure.evaluate(LOOK) for figure in figures(page)]
        assert all(drawn == legend for drawn, legend in seen), seen
        assert seen[0][0]["path"] == ["6 4", "var(--live-u)"]


@one_process
def test_a_band_surrounds_its_line(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart = figures(page)[1]
        assert chart.locator(".live-number").all_inner_texts() == ["3", "2 to 4"]
        strip, line = chart.locator(".live-plot path[data-series]").all()
        assert strip.get_attribute("data-series") == "one error", "beneath the line"
        outer, inner = box(strip), box(line)
        middle = outer["y"] + outer["height"] / 2
        assert abs(middle - inner["y"] - inner["height"] / 2) < 1 and outer["height"] > 20
        plot = chart.locator("svg[role=img]")
        plot.press("ArrowRight")
        assert "one error: 2 to 4" in (chart.locator("desc").text_content() or "")
        assert press(chart.get_by_role("slider"), "End")[-1]["values"] == ["5"]
        assert chart.locator(".live-number").all_inner_texts() == ["5", "4 to 6"]


@one_process
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1350])
def test_new_kinds_are_accessible(browser: Browser, kinds: str, theme: Any, width: int) -> None:
    size = {"width": width, "height": 800}
    with opened(browser, kinds, viewport=size, color_scheme=theme) as page:
        # The bare page around the figures is not the book's.
        assert [fault for fault in accessibility(page) if "live-" in fault] == []
        palette = {rgb(colour) for colour in PALETTE[theme].values()}
        assert colours(page) and colours(page) <= palette
        for chart in figures(page):
            assert sticking_out(chart) == []
            for menu in chart.locator("select").all():
                assert box(menu)["height"] >= 32
