"""Live figures in the built book, in a browser without a kernel and without the outside world."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import ipywidgets
import numpy as np
import pytest
from linear_icl.figures import PALETTE
from playwright.sync_api import Browser, Locator, Page, Route

from tests.pages.checks import Visit, accessibility, complaints, outside
from tests.pages.conftest import ROOT, book_pages
from tests.pages.live_book import band, build, figure, heat_map, notebook
from tests.pages.site import Site

SCRIPT = re.compile(r"/_static/live\.\w{12}\.js")
Swap = Callable[[str], str]


def html(page: str) -> str:
    return f"{page}.html"


#: Every test here moves every figure, which takes seconds a figure: these pages stand for all.
MOVED = ("intro", "icl_definitions", "lsa_quadratic_reduction", "pl_convergence")


@pytest.fixture(scope="session")
def with_figures(site: Site) -> list[str]:
    """The pages that have live figures."""
    texts = {name: (site.folder / html(name)).read_text("utf-8") for name in book_pages()}
    return [name for name, text in texts.items() if 'class="live-box' in text]


@pytest.fixture(scope="session")
def lively(with_figures: list[str]) -> list[str]:
    """Those whose figures are moved."""
    return [name for name in with_figures if name.removeprefix("book/") in MOVED]


@contextmanager
def opened(
    browser: Browser, url: str, *, swap: tuple[re.Pattern[str], Swap] | None = None, **context: Any
) -> Iterator[Page]:
    """A page in a context of its own; `swap` rewrites what the server sends for some addresses."""
    context.setdefault("viewport", {"width": 1350, "height": 940})
    made = browser.new_context(reduced_motion="reduce", **context)
    page = made.new_page()
    if swap is not None:
        pattern, rewrite = swap

        def answer(route: Route) -> None:
            response = route.fetch()
            route.fulfill(response=response, body=rewrite(response.text()))

        page.route(pattern, answer)
    page.goto(url, wait_until="load")
    yield page
    made.close()


def figures(page: Page) -> list[Locator]:
    """The mounted figures, in folds that are opened."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    return page.locator(".live-fig").all()


def settle(page: Page) -> None:
    """Two frames: figures draw in the first."""
    page.evaluate("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))")


def state(figure: Locator) -> dict[str, Any]:
    """What a figure shows: the values spoken for its controls, and its paths."""
    found: dict[str, Any] = figure.evaluate(
        """(root) => ({
          values: [...root.querySelectorAll("input, select")].map(
            (control) => control.getAttribute("aria-valuetext") ?? control.value),
          paths: [...root.querySelectorAll("path[data-series]")].map((p) => p.getAttribute("d")),
        })"""
    )
    return found


def press(figure: Locator, slider: Locator, key: str) -> dict[str, Any]:
    slider.press(key)
    settle(figure.page)
    return state(figure)


def controls(figure: Locator) -> list[str]:
    """The ids of the controls in the order of `state`."""
    found: list[str] = figure.locator("input, select").evaluate_all("(all) => all.map((c) => c.id)")
    return found


def test_the_chapters_have_live_figures(lively: list[str]) -> None:
    assert {"book/intro", "book/pl_convergence"} <= set(lively)


def test_every_figure_mounts_without_a_complaint(
    browser: Browser, site: Site, lively: list[str]
) -> None:
    for name in lively:
        with Visit(browser, f"{site.url}/{html(name)}") as visit:
            boxes, mounted = visit.page.locator(".live-box"), visit.page.locator(".live-fig")
            assert boxes.count() == mounted.count() >= 1
            assert complaints(visit) == [] and outside(visit, site.url) == []
            for figure in figures(visit.page):
                assert figure.locator("svg[role=img]").get_attribute("aria-label")
                assert any(state(figure)["paths"])
            for still in visit.page.locator(".live-still").all():
                assert not still.is_visible()
            assert visit.page.evaluate("performance.getEntriesByType('resource').length") > 0
            assert sum(bool(SCRIPT.search(url)) for url in visit.requests) == 1


def test_pages_without_figures_do_not_load_the_script(site: Site, with_figures: list[str]) -> None:
    for name in set(book_pages()) - set(with_figures):
        text = (site.folder / html(name)).read_text("utf-8")
        assert not SCRIPT.search(text) and "vnd.jupyter.widget" not in text


def test_the_state_carries_no_code(site: Site, lively: list[str]) -> None:
    for name in lively:
        text = (site.folder / html(name)).read_text("utf-8")
        assert '"_esm"' not in text and '"LayoutModel"' not in text
        assert "require.min.js" not in text and "html-manager" not in text


def test_every_slider_answers_to_the_keyboard(
    browser: Browser, site: Site, lively: list[str]
) -> None:
    for name in lively:
        with opened(browser, f"{site.url}/{html(name)}") as page:
            for figure in figures(page):
                spoken = controls(figure)
                for slider in figure.get_by_role("slider").all():
                    k = spoken.index(slider.get_attribute("id") or "")
                    count = int(slider.get_attribute("max") or 0)
                    first, last = press(figure, slider, "Home"), press(figure, slider, "End")
                    # A control that changes nothing does not belong there.
                    assert first["paths"] != last["paths"], (name, k)
                    assert first["values"][k] != last["values"][k]
                    seen = [last["values"][k]]
                    for _ in range(count):
                        seen.append(press(figure, slider, "ArrowLeft")["values"][k])
                    assert seen[-1] == first["values"][k] and len(set(seen)) == count + 1
                    assert press(figure, slider, "PageUp")["values"][k] in seen[:-2]
                    press(figure, slider, "Home")
                    assert press(figure, slider, "ArrowUp")["values"][k] == seen[-2]


def test_dragging_moves_and_reset_returns(browser: Browser, site: Site, lively: list[str]) -> None:
    for name in lively:
        with opened(browser, f"{site.url}/{html(name)}") as page:
            for figure in figures(page):
                before = state(figure)
                for slider in figure.get_by_role("slider").all():
                    slider.scroll_into_view_if_needed()
                    box = slider.bounding_box()
                    assert box is not None and box["height"] >= 24
                    middle = box["y"] + box["height"] / 2
                    page.mouse.move(box["x"] + box["width"] / 2, middle)
                    page.mouse.down()
                    page.mouse.move(box["x"] + box["width"] - 12, middle, steps=5)
                    page.mouse.up()
                    settle(page)
                    assert slider.input_value() == slider.get_attribute("max")
                assert state(figure) != before
                figure.get_by_role("button", name="Reset").click()
                settle(page)
                assert state(figure) == before


def test_the_address_carries_the_values(browser: Browser, site: Site, lively: list[str]) -> None:
    for name in lively:
        url = f"{site.url}/{html(name)}"
        with opened(browser, url) as page:
            original = [state(figure) for figure in figures(page)]
            for figure in figures(page):
                for slider in figure.get_by_role("slider").all():
                    press(figure, slider, "Home")
            moved = [state(figure) for figure in figures(page)]
            page.wait_for_function("location.hash.includes('=')")
            page.wait_for_timeout(300)
            shared = page.url
            for figure in figures(page):
                figure.get_by_role("button", name="Reset").click()
            page.wait_for_function("location.hash === ''")
        assert re.search(r"#[\w-]+=\w+:", unquote(shared))
        with opened(browser, shared) as page:
            assert [state(figure) for figure in figures(page)] == moved != original


def test_an_address_keeps_its_section_and_ignores_nonsense(
    browser: Browser, site: Site, lively: list[str]
) -> None:
    url = f"{site.url}/{html('book/pl_convergence')}"
    with opened(browser, url) as page:
        before = [state(figure) for figure in figures(page)]
        section = page.locator("article section[id] section[id]").last.get_attribute("id")
    with opened(browser, f"{url}#{section}&nobody=x:1&plateau-and-escape=sigma:,N:1e9x,q") as page:
        assert page.evaluate("scrollY") > 500  # at the section, though the browser finds no such id
        assert [state(figure) for figure in figures(page)] == before
        first = figures(page)[0]
        press(first, first.get_by_role("slider").first, "Home")
        page.wait_for_function(
            f"location.hash.startsWith('#{section}&') && !/nobody/.test(location)"
        )


def with_one_name(text: str) -> str:
    """The page, all of whose figures are called "same"."""

    def renamed(found: re.Match[str]) -> str:
        state = json.loads(found[1])
        for model in state["state"].values():
            model["state"]["spec"]["name"] = "same"
        return found[0].replace(found[1], json.dumps(state).replace("</", "<\\/"))

    state_script = r'<script type="[^"]*widget-state\+json">(.*?)</script>'
    return re.sub(state_script, renamed, text, flags=re.DOTALL)


def test_figures_of_one_name_do_not_clash(browser: Browser, site: Site) -> None:
    url = f"{site.url}/{html('book/pl_convergence')}"
    same = (re.compile(r"\.html"), with_one_name)
    with opened(browser, url, swap=same) as page:
        for figure in figures(page)[:2]:
            press(figure, figure.get_by_role("slider").first, "Home")
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


def test_what_is_drawn_is_also_said(browser: Browser, site: Site, lively: list[str]) -> None:
    for name in lively:
        with opened(browser, f"{site.url}/{html(name)}") as page:
            for figure in figures(page):
                slider = figure.get_by_role("slider").first
                press(figure, slider, "Home")
                page.wait_for_timeout(350)
                said = figure.locator("[aria-live=polite]").inner_text()
                described = figure.locator("desc").text_content() or ""
                for series in figure.locator(".live-name").all_inner_texts():
                    assert f"{series}: " in said and f"{series}: " in described
                label = figure.locator("label").first
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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_follow_the_theme(
    browser: Browser, site: Site, lively: list[str], theme: Any
) -> None:
    palette = {rgb(colour) for colour in PALETTE[theme].values()}
    for name in lively:
        with opened(browser, f"{site.url}/{html(name)}", color_scheme=theme) as page:
            assert colours(page) and colours(page) <= palette


def test_forced_colours_are_taken(browser: Browser, site: Site) -> None:
    with opened(browser, f"{site.url}/{html('book/intro')}", forced_colors="active") as page:
        ours = {rgb(colour) for theme in PALETTE.values() for colour in theme.values()}
        assert not colours(page) & ours


def sticking_out(figure: Locator) -> list[str]:
    """Leaders, labels, values and controls that do not lie inside the figure's own box."""
    found: list[str] = figure.evaluate(
        """(root) => {
          const box = root.getBoundingClientRect();
          const parts = root.querySelectorAll("text, li, label, input, select, button, span");
          return [...parts].filter((part) => {
            const own = part.getBoundingClientRect();
            return own.left < box.left - 1 || own.right > box.right + 1;
          }).map((part) => part.outerHTML);
        }"""
    )
    return found


@pytest.mark.parametrize("width", [320, 360, 1350])
def test_nothing_sticks_out(browser: Browser, site: Site, lively: list[str], width: int) -> None:
    for name in lively:
        size = {"width": width, "height": 800}
        with opened(browser, f"{site.url}/{html(name)}", viewport=size) as page:
            for figure in figures(page):
                settle(page)
                assert sticking_out(figure) == [], (name, width)
                box = figure.bounding_box()
                assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width


def test_figures_follow_their_width(browser: Browser, site: Site) -> None:
    with opened(browser, f"{site.url}/{html('book/intro')}") as page:
        (figure, *_) = figures(page)
        wide = state(figure)
        page.set_viewport_size({"width": 400, "height": 800})
        settle(page)
        assert state(figure)["paths"] != wide["paths"]
        legend, plot = figure.locator(".live-legend"), figure.locator("svg[role=img]")
        below, above = legend.bounding_box(), plot.bounding_box()
        assert below is not None and above is not None
        assert below["y"] >= above["y"] + above["height"]


def images(page: Page) -> list[Locator]:
    """The images beneath the live figures, all of which must say what they show."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    found = page.locator(".live-still [role=img], .live-still img").all()
    for image in found:
        assert image.get_attribute("aria-label") or image.get_attribute("alt")
    return found


def test_without_scripts_the_image_stands(browser: Browser, site: Site, lively: list[str]) -> None:
    for name in lively:
        made = browser.new_context(java_script_enabled=False)
        page = made.new_page()
        page.goto(f"{site.url}/{html(name)}")
        stills = page.locator(".live-still")
        assert stills.count() == page.locator(".live-box").count() >= 1
        for still in stills.all():
            assert "Drawn at " in still.inner_text()
            assert still.locator("[aria-label], img[alt]").count() == 1
        assert stills.first.is_visible()
        made.close()


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
    url = f"{site.url}/{html('book/intro')}"
    with opened(browser, url, swap=(address, rewrite)) as page:
        assert page.locator(".live-fig").count() == 0
        shown = images(page)
        assert len(shown) == page.locator(".live-box").count() >= 1
        assert all(image.is_visible() for image in shown)


def test_paper_gets_the_image_in_light_colours(
    browser: Browser, site: Site, lively: list[str]
) -> None:
    for name in lively:
        with opened(browser, f"{site.url}/{html(name)}", color_scheme="dark") as page:
            page.emulate_media(media="print", color_scheme="dark")
            assert all(image.is_visible() for image in images(page))
            assert not any(figure.is_visible() for figure in figures(page))
            drawn = page.locator(".live-still path").evaluate_all(
                "(paths) => paths.map((path) => getComputedStyle(path).stroke)"
            )
            dark = {rgb(colour) for colour in PALETTE["dark"].values()}
            assert drawn and not dark & set(drawn)


def test_files_opened_from_a_disk_are_live(browser: Browser, site: Site, lively: list[str]) -> None:
    for name in lively:
        with Visit(browser, (site.folder / html(name)).as_uri()) as visit:
            assert visit.page.locator(".live-fig").count() >= 1
            assert complaints(visit) == []
            figure = figures(visit.page)[0]
            before = state(figure)
            assert press(figure, figure.get_by_role("slider").first, "Home") != before


def test_linked_figures_move_together(browser: Browser, tmp_path: Path) -> None:
    one, two = figure("One"), figure("Two")
    link = ipywidgets.jslink((one, "slope"), (two, "slope"))
    out, _ = build(tmp_path, {"index": notebook(one, two, others=(link,))})
    with opened(browser, (out / "index.html").as_uri()) as page:
        first, second = figures(page)
        assert press(first, first.get_by_role("slider").first, "End")["values"] == ["3", "2"]
        assert state(second)["values"] == ["3", "2"]
        press(second, second.get_by_role("slider").first, "Home")
        assert state(first)["values"] == ["1", "2"]


def test_recorded_results_follow_a_link_to_the_nearest_stop(
    browser: Browser, tmp_path: Path
) -> None:
    one, two = figure("One"), band()
    link = ipywidgets.jslink((one, "slope"), (two, "rate"))
    out, _ = build(tmp_path, {"index": notebook(one, two, others=(link,))})
    with opened(browser, (out / "index.html").as_uri()) as page:
        first, second = figures(page)
        press(first, first.get_by_role("slider").first, "Home")  # a slope of 1; no rate is below 2
        assert state(second)["values"] == ["2"]
        assert second.locator(".live-number").first.inner_text() == "2"


# ---- menus, bands and heat maps, on a page of their own ------------------------------------------


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with a heat map and a band, in the book's colours."""
    folder = tmp_path_factory.mktemp("kinds")
    out, warnings = build(folder, {"index": notebook(heat_map(), band())})
    assert not warnings
    page = out / "index.html"
    css = (ROOT / "book" / "_page" / "book.css").read_text("utf-8")
    theme = "document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)')"
    dress = f"<style>{css} body {{ background: var(--paper) }}</style>"
    script = f"<script>{theme}.matches ? 'dark' : 'light'</script>"
    page.write_text(page.read_text("utf-8").replace("</head>", dress + script + "</head>"), "utf-8")
    return page.as_uri()


def cells(figure: Locator) -> list[str]:
    """The paths of the levels, from the lowest."""
    return [str(path.get_attribute("d")) for path in figure.locator("path.live-cells").all()]


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


def test_the_address_carries_names(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart, other = figures(page)
        chart.get_by_role("combobox").select_option("root, of #1 = 50%")
        press(other, other.get_by_role("slider"), "End")
        moved = [state(chart), state(other)]
        page.wait_for_function("/a-band=/.test(location.hash)")
        shared = page.url
    assert "law:root~2c_of_~231_~3d_50~25" in shared
    with opened(browser, shared) as page:
        assert [state(figure) for figure in figures(page)] == moved
    with opened(browser, kinds + "#a-map=law:gone,rate:10") as page:
        assert state(figures(page)[0])["values"] == ["10", "product"]


def test_a_heat_map_is_redrawn_at_once(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart = figures(page)[0]
        slider = chart.get_by_role("slider")
        first = cells(chart)
        assert sum(path.count("M") for path in first) > 400 and len(first) == 64
        spent = []
        for key in ["Home", "End"] * 10:
            seen = cells(chart)
            press(chart, slider, key)
            assert cells(chart) != seen
            spent.append(float(chart.get_attribute("data-draw-ms") or "inf"))
        # The budget of a redraw; a slow machine may miss it once, so the median counts.
        assert np.median(spent) < 5, spent


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
        page.wait_for_timeout(350)
        said = chart.locator("[aria-live=polite]").inner_text()
        assert "risk: absent at M, test length = 3.29 and N, training length = 2.04" in said
        plot.press("Escape")
        assert number.inner_text() == whole
        box = chart.locator(".live-map").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 3)
        assert number.inner_text() == "10⁶"
        page.mouse.move(box["x"] + box["width"] + 40, box["y"] + 3)  # the colour bar
        assert number.inner_text() == whole


def test_a_band_surrounds_its_line(browser: Browser, kinds: str) -> None:
    with opened(browser, kinds) as page:
        chart = figures(page)[1]
        assert chart.locator(".live-number").all_inner_texts() == ["3", "2 to 4"]
        strip, line = chart.locator(".live-plot path[data-series]").all()
        assert strip.get_attribute("data-series") == "one error", "beneath the line"
        outer, inner = strip.bounding_box(), line.bounding_box()
        assert outer is not None and inner is not None
        middle = outer["y"] + outer["height"] / 2
        assert abs(middle - inner["y"] - inner["height"] / 2) < 1 and outer["height"] > 20
        plot = chart.locator("svg[role=img]")
        plot.press("ArrowRight")
        assert "one error: 2 to 4" in (chart.locator("desc").text_content() or "")
        assert press(chart, chart.get_by_role("slider"), "End")["values"] == ["5"]
        assert chart.locator(".live-number").all_inner_texts() == ["5", "4 to 6"]


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
            menu = chart.locator("select")
            if menu.count():
                box = menu.bounding_box()
                assert box is not None and box["height"] >= 32
