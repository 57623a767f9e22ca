"""Figures that compute, on a page of their own: hands, fingers, keys, addresses, paper.

The page is built from the widgets alone, without a kernel and without the book.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from linear_icl_book.live.explore import (
    Ask,
    Bill,
    Dial,
    FlowLab,
    Hero,
    OnePass,
    StepPlane,
    TwoLines,
)
from playwright.sync_api import Browser, Locator, Page

from tests.pages.checks import accessibility, stop_clock
from tests.pages.explorables import READ, matches, opened, table
from tests.pages.live_book import build, dressed, notebook
from tests.pages.reader import PHONE, address, box, drag, middle, settle, sticking_out, swipe

pytestmark = pytest.mark.xdist_group("explore")  # so that the pages are built once
PROSE = (
    '<p><span id="wider" data-figure="step-plane" data-set="scale:2,M:8">wider</span></p>'
    '<div style="height: 1600px"></div>'
)


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with one StepPlane."""
    figure = StepPlane(controls=["M", "N", "noise", "scale", "turn"])
    out, warnings = build(tmp_path_factory.mktemp("plane"), {"index": notebook(figure)})
    assert not warnings
    return dressed(out / "index.html", PROSE)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with the other figures."""
    figures = (
        Hero(),
        Dial(),
        FlowLab(),
        TwoLines(),
        OnePass(),
        Bill(),
        Ask(),
        Dial(name="bare", show=["risk"]),
    )
    out, warnings = build(tmp_path_factory.mktemp("others"), {"index": notebook(*figures)})
    assert not warnings
    return dressed(out / "index.html")


def place(node: Locator) -> str:
    return node.get_attribute("aria-valuetext") or ""


# ---- mouse, finger, keys ------------------------------------------------------------------------


def test_the_mouse_drags_what_is_held(browser: Browser, plane: str) -> None:
    with opened(browser, plane) as page:
        for name in ("True w", "Query", "Point 2"):
            handle, before = page.get_by_label(name, exact=True), table(page)
            x, y = middle(handle)
            where, trained = place(handle), before["trained step"]
            page.mouse.move(x + 3, y - 3)
            page.mouse.down()
            assert place(handle) == where, "a grab must not move anything"
            page.mouse.move(x + 43, y + 37, steps=5)
            page.mouse.up()
            assert table(page)["trained step"] != trained and place(handle) != where
            assert middle(handle) == pytest.approx((x + 40, y + 40), abs=1.5)
            page.mouse.move(x + 90, y + 90)
            assert middle(handle) == pytest.approx((x + 40, y + 40), abs=1.5), "it was let go"


def test_a_finger_drags_and_the_page_stays(browser: Browser, plane: str) -> None:
    with opened(browser, plane, **PHONE) as page:
        for name in ("Point 1", "Query", "True w"):
            handle = page.get_by_label(name, exact=True)
            handle.scroll_into_view_if_needed()
            settle(page)
            (x, y), where, scrolled = middle(handle), place(handle), page.evaluate("scrollY")
            swipe(page, (x, y), (x - 24, y + 64))
            assert place(handle) != where
            assert middle(handle) == pytest.approx((x - 24, y + 64), abs=2), (
                "the drag was broken off"
            )
            assert page.evaluate("scrollY") == scrolled, name
        # beside a handle the page scrolls as everywhere
        x, y = middle(page.locator(".ex-title").first)
        scrolled = page.evaluate("scrollY")
        swipe(page, (x, 500), (x, 200))
        page.wait_for_function("(before) => scrollY > before", arg=scrolled)


def test_keys_move_points_and_say_where(browser: Browser, plane: str) -> None:
    with opened(browser, plane) as page:
        truth = page.get_by_label("True w", exact=True)
        truth.focus()
        assert place(truth) == "(1.00, 1.00)"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowDown")
        settle(page)
        assert place(truth) == "(1.10, 0.50)"
        page.keyboard.press("Home")
        settle(page)
        assert place(truth) == "(1.00, 1.00)"
        for _ in range(60):
            page.keyboard.press("ArrowUp")
        settle(page)
        assert place(truth) == "(1.00, 2.80)"


def test_one_point_is_a_stop_of_tab_and_pages_go_to_the_others(
    browser: Browser, plane: str
) -> None:
    with opened(browser, plane) as page:
        points = page.locator("[aria-label^='Point ']")
        assert points.evaluate_all("(all) => all.filter((one) => one.tabIndex === 0).length") == 1
        page.get_by_label("Point 1", exact=True).focus()
        page.keyboard.press("PageDown")
        second = page.get_by_label("Point 2", exact=True)
        assert second.evaluate("(node) => node === document.activeElement && node.tabIndex === 0")
        page.keyboard.press("ArrowUp")
        settle(page)
        assert place(second) == "(1.00, 1.10), label 2.10"
        page.keyboard.press("PageUp")
        page.keyboard.press("PageUp")
        fourth = page.get_by_label("Point 4", exact=True)
        assert fourth.evaluate("(node) => node === document.activeElement")


def test_sliders_answer_to_keys_with_spoken_values(browser: Browser, plane: str) -> None:
    with opened(browser, plane) as page:
        for slider in page.locator("input[type=range]").all():
            slider.focus()
            before, said = table(page), slider.get_attribute("aria-valuetext")
            page.keyboard.press("ArrowRight")
            page.keyboard.press("PageUp")
            after = table(page)
            assert slider.get_attribute("aria-valuetext") != said and after != before
            for key in ("PageDown", "ArrowLeft"):
                page.keyboard.press(key)
            settle(page)


def test_what_changed_is_said_once_it_rests(browser: Browser, plane: str) -> None:
    with opened(browser, plane) as page:
        page.get_by_label("True w", exact=True).press("ArrowRight")
        page.wait_for_function("document.querySelector('[aria-live]').textContent.includes('1.10')")
        said = page.locator("[aria-live=polite]").text_content() or ""
        assert "trained step at (0.74, 0.89) answers" in said


# ---- state: address, links, Python --------------------------------------------------------------


STATES: list[dict[str, Any]] = [
    {},
    {"scale": 2.0, "turn": 40.0},
    {"M": 1, "N": 1, "w": [-0.5, 2.25]},
    {"M": 40, "N": 200, "seed": 361, "noise": 0.75},
    {"seed": 7, "M": 6, "moved": [2, 1.5, -2.125, 5, -0.25, 3.0], "query": [3.5, -1.0]},
]


def written(value: Any) -> str:
    return ";".join(f"{one:.6g}" for one in (value if isinstance(value, list) else [value]))


@pytest.mark.parametrize("state", STATES, ids=range(5))
def test_the_table_says_what_the_package_says(
    browser: Browser, plane: str, state: dict[str, Any]
) -> None:
    hash_ = ",".join(f"{name}:{written(value)}" for name, value in state.items())
    with opened(browser, f"{plane}#step-plane={hash_}" if state else plane) as page:
        found = table(page)
        assert page.locator(".ex-note").count() == 0
    expected = StepPlane(**state).table()
    assert len(found) == len(expected) == 5
    for shown, numbers in zip(found.values(), expected.values(), strict=True):
        for text, number in zip(shown, numbers, strict=True):
            assert matches(text, number), (text, number)


def test_a_shared_address_leads_to_the_same_table(browser: Browser, plane: str) -> None:
    with opened(browser, plane) as page:
        before = table(page)
        x, y = middle(page.get_by_label("True w", exact=True))
        drag(page, (x, y), (x - 37, y + 11))
        page.get_by_label("Point 3", exact=True).press("ArrowUp")
        page.get_by_label("N, length in training").press("PageUp")
        page.get_by_role("button", name="New context").click()
        page.get_by_label("Point 1", exact=True).press("Shift+ArrowLeft")
        shared, moved = address(page), table(page)
        assert "N:" in shared and "seed:" in shared
        assert "noise" not in shared and "layers" not in shared
        page.get_by_role("button", name="Reset").click()
        page.wait_for_function("location.hash === ''")
        assert table(page) == before
    with opened(browser, shared) as page:
        assert table(page) == moved != before
        page.get_by_role("button", name="Reset").click()
        assert table(page) == before


def test_an_address_that_asks_for_what_is_not_there_is_told(browser: Browser, plane: str) -> None:
    with opened(browser, plane) as page:
        before = table(page)
    wrong = "step-plane=scale:9,M:2.5,w:1,moved:1;2,colour:3,turn:,noise:x"
    with opened(browser, f"{plane}#{wrong}") as page:
        assert table(page) == before
        note = page.locator(".ex-note").inner_text()
        for name in ("scale = 9; it goes from 0.5 to 2", "M = 2.5", "w = 1", "moved = 1;2"):
            assert name in note
        assert "colour, which this figure does not have" in note and "noise = x" in note


def test_a_link_in_the_prose_sets_traits(browser: Browser, plane: str) -> None:
    with opened(browser, plane) as page:
        page.evaluate("document.getElementById('wider').click()")
        expected = StepPlane(scale=2.0, M=8).table()["trained"]
        assert all(map(matches, table(page)["trained step"], expected))


# ---- motion, colours, width, paper --------------------------------------------------------------


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_new_context_glides_only_where_motion_is_wanted(
    browser: Browser, plane: str, motion: Any
) -> None:
    with opened(browser, plane, reduced_motion=motion) as page:
        stop_clock(page)
        before = page.locator(".ex-fig").first.evaluate(READ)
        page.evaluate("document.querySelector('.ex-fig .is-main').click()")
        seen = []
        for milliseconds in (200, 1000):
            page.clock.run_for(milliseconds)
            seen.append(page.locator(".ex-fig").first.evaluate(READ))
        assert before not in seen and (seen[0] == seen[1]) == (motion == "reduce")


def test_an_arrow_that_leaves_says_where_it_ends(browser: Browser, plane: str) -> None:
    with opened(browser, f"{plane}#step-plane=scale:2") as page:
        words = page.locator(".ex-word").all_text_contents()
        assert any(re.fullmatch(r"plain step \(7\.00, 3\.00\)", word) for word in words), words


@pytest.mark.parametrize("width", [320, 360, 1000])
def test_nothing_sticks_out(browser: Browser, plane: str, width: int) -> None:
    with opened(browser, plane, viewport={"width": width, "height": 800}) as page:
        for state in ("", "#step-plane=scale:2,turn:45,M:40,w:-2.8;2.8"):
            page.goto(plane + state)
            page.reload()
            settle(page)
            assert sticking_out(page.locator(".ex-fig")) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_follow_the_theme_and_nothing_is_inaccessible(
    browser: Browser, plane: str, theme: Any
) -> None:
    with opened(browser, plane, color_scheme=theme) as page:
        stroke = page.locator(".ex-shaft").last.evaluate("(p) => getComputedStyle(p).stroke")
        assert stroke == {"light": "rgb(10, 102, 168)", "dark": "rgb(109, 185, 240)"}[theme]
        faults = [one for one in accessibility(page) if "ex-" in one]
        assert faults == []


def test_without_scripts_and_on_paper_the_image_stands(browser: Browser, plane: str) -> None:
    with opened(browser, plane, java_script_enabled=False) as page:
        assert page.locator(".live-still img, .live-still svg").first.is_visible()
        assert "trained step 1.46 (0.2113)" in page.locator(".live-at").inner_text()
    with opened(browser, plane, color_scheme="dark") as page:
        assert not page.locator(".live-still").first.is_visible()
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator(".live-still img, .live-still svg").first.is_visible()
        assert not page.locator(".ex-fig").is_visible()


def test_after_an_error_the_image_stands(browser: Browser, plane: str) -> None:
    made = browser.new_context()
    page = made.new_page()
    page.add_init_script(
        "window.ResizeObserver = class { constructor() { throw new Error('no') } }"
    )
    page.goto(plane)
    assert page.locator(".ex-fig").count() == 0
    assert page.locator(".live-still img, .live-still svg").first.is_visible()
    made.close()


# ---- every hand of every figure -----------------------------------------------------------------


ELSEWHERE = (  # no trait where it begins: what a hand must take into account
    "hero=scale:1.4,query:1.2345&dial=alpha:0.7,scale:1.3&flow-lab=start:-0.5;0.5001"
    "&two-lines=U:0.4,u21:0.2,S:0.7,root:0.5&one-pass=k:1.5,U:0.4&bill=share:0.3,alpha:1.1"
    "&ask=scale:1.4,bend:0.5&step-plane=scale:1.3,turn:30"
)
HELD = """(node) => {
  const own = node.querySelector(".ex-hit").getBoundingClientRect();
  const [x, y] = [own.x + own.width / 2, own.y + own.height / 2];
  return node === document.elementFromPoint(x, y)?.closest(".ex-handle") ? [x, y] : null;
}"""


@pytest.mark.parametrize("state", ["", ELSEWHERE], ids=["first", "elsewhere"])
@pytest.mark.parametrize("where", ["plane", "others"])
def test_every_handle_follows_the_hand(
    browser: Browser, request: pytest.FixtureRequest, where: str, state: str
) -> None:
    """Both ways, or along its axis or its curve: then one way."""
    with opened(browser, f"{request.getfixturevalue(where)}#{state}") as page:
        settle(page)
        for handle in page.locator(".ex-handle").all():
            if not handle.is_visible():
                continue
            handle.scroll_into_view_if_needed()
            settle(page)
            if (start := handle.evaluate(HELD)) is None:
                continue  # another lies on it
            drag(page, start, (start[0] - 14, start[1] + 9))
            moved = [b - a for a, b in zip(start, middle(handle.locator(".ex-hit")), strict=True)]
            follows = [abs(moved[0] + 14) < 1.5, abs(moved[1] - 9) < 1.5]
            assert any(follows), (handle.get_attribute("aria-label"), moved)
            handle.press("Home")


FIGURES = {"plane": [StepPlane], "others": [Hero, Dial, FlowLab, TwoLines, OnePass, Bill, Ask]}


@pytest.mark.parametrize("where", FIGURES)
def test_every_slider_goes_to_both_ends_and_the_address_says_so(
    browser: Browser, request: pytest.FixtureRequest, where: str
) -> None:
    with opened(browser, f"{request.getfixturevalue(where)}#{ELSEWHERE}") as page:
        for k, Kind in enumerate(FIGURES[where]):
            for slider in page.locator(".ex-fig").nth(k).locator("input[type=range]").all():
                trait = getattr(Kind, name := str(slider.get_attribute("id")).rpartition("-")[2])
                for key, end in (("End", trait.high), ("Home", trait.low)):
                    slider.press(key)
                    own = address(page).partition(f"{Kind.kind.replace('_', '-')}=")[2]
                    said = re.search(rf"(?:^|,){name}:([^,&]+)", own.partition("&")[0])
                    assert float(said[1] if said else trait.default_value) == end, (name, key)
            if Kind is Dial:
                assert "start:-0.5;0.5001" in address(page), "no digit is lost"


# ---- the other figures --------------------------------------------------------------------------


def test_the_first_figure_plays_when_it_is_seen(browser: Browser, others: str) -> None:
    with opened(browser, others, reduced_motion="no-preference") as page:
        stop_clock(page)
        page.reload()
        count, words = page.locator(".ex-counters b").first, page.locator(".ex-words").first
        read = [6]  # as long as the page has not found that it is in sight
        while 0 not in read or "nearly" not in (words.text_content() or ""):
            page.clock.run_for(100)
            read.append(int(count.text_content() or ""))
            assert len(read) < 1000
        played = read[read.index(0) :]
        assert played == sorted(played) and set(played) == set(range(7))
        assert page.evaluate("location.hash") == "", "playing is no state"
        page.evaluate("document.querySelector('.ex-fig .is-main').click()")
        page.clock.run_for(1500)
        assert "tips" in (words.text_content() or "") and count.text_content() == "6"
        assert page.evaluate("location.hash") == "#hero=scale:2"


def test_the_first_figure_stands_still_where_motion_is_unwanted(
    browser: Browser, others: str
) -> None:
    with opened(browser, others) as page:
        assert page.locator(".ex-counters b").all_inner_texts() == ["6", "0"]
        query = page.locator(".ex-fig").first.get_by_label("Query", exact=True)
        assert place(query) == "x = 2.60, the layer answers 2.32"
        page.locator(".ex-fig").first.get_by_label("Example 6", exact=True).press("ArrowUp")
        page.get_by_role("button", name="Stretch × 2").click()
        settle(page)
        moved = Hero(scale=2.0, moved=[5, -1.3, -1.2]).slopes()["trained layer"]
        page.wait_for_function("location.hash.includes('moved')")
        assert place(query) == f"x = 2.60, the layer answers {2.6 * moved:.2f}"
        page.locator(".ex-fig").first.get_by_role("button", name="Reset").click()
        settle(page)
        assert place(query) == "x = 2.60, the layer answers 2.32"


def test_training_turns_the_line_to_the_regression(browser: Browser, others: str) -> None:
    with opened(browser, others) as page:
        dial = page.locator(".ex-fig").nth(1)
        dial.get_by_role("button", name="Train").click()
        settle(page)
        line = dial.get_by_label("Slope of the line")
        fitted = Dial().fitted()
        assert matches(place(line).removeprefix("slope "), fitted)
        risk = Dial(alpha=round(fitted, 4)).risk()
        found = re.search(r"its risk is ([\d.]+) of that of silence", dial.inner_text())
        assert found is not None and matches(found[1], risk)
        line.focus()
        page.keyboard.press("Home")
        settle(page)
        assert place(line) == "slope 1.00"
        (x, y), before = middle(line), place(line)
        drag(page, (x, y), (x + 60, y + 50))
        assert place(line) != before and middle(line)[0] == pytest.approx(x, abs=1.5)


def test_a_dial_has_other_prompts_only_where_it_shows_them(browser: Browser, others: str) -> None:
    with opened(browser, others) as page:
        dial, bare = page.locator(".ex-fig").nth(1), page.locator(".ex-fig").last
        names = [button.inner_text() for button in bare.get_by_role("button").all()]
        assert names == ["Train", "Reset"]
        before = dial.locator(".ex-dots").get_attribute("d")
        dial.get_by_role("button", name="Other prompts").click()
        settle(page)
        assert dial.locator(".ex-dots").get_attribute("d") != before


def at_the_end(page: Page, handle: Locator, key: str) -> str:
    """What a handle says where this key moves it no more."""
    handle.focus()
    before = ""
    while (now := place(handle)) != before:
        before = now
        page.keyboard.press(key)
        settle(page)
    return now


def test_two_variances_share_the_step_that_training_finds(browser: Browser, others: str) -> None:
    with opened(browser, others) as page:
        bill = page.locator(".ex-fig").nth(5)
        root = bill.get_by_label("Variance for which the step is right")
        assert place(root) == "1.25, step 0.80"
        bill.get_by_role("button", name="Train").click()
        settle(page)
        assert place(root) == "1.91, step 0.52"
        assert "55 % along λ = 0.50, together 11 %" in bill.inner_text()
        power = re.search(r"1\.91 is the mean of both, weighed by λ([²³])", bill.inner_text())
        assert power is not None
        weights = [2.0 ** {"²": 2, "³": 3}[power[1]], 0.5 ** {"²": 2, "³": 3}[power[1]]]
        assert (2 * weights[0] + 0.5 * weights[1]) / sum(weights) == pytest.approx(1.91, abs=0.005)
        first = bill.get_by_label("First variance", exact=True)
        first.scroll_into_view_if_needed()
        x, y = middle(first)
        drag(page, (x, y), (x + 60, y - 30))
        now = place(first)
        assert middle(first) == pytest.approx((x + 60, y), abs=1.5), (
            "a variance goes along its axis"
        )
        first.press("ArrowLeft")
        settle(page)
        said = bill.locator(".ex-words").inner_text()  # what is read aloud comes later
        assert place(first) != now and "the mean of both" not in said
        bill.get_by_role("button", name="Train").click()
        settle(page)
        found = re.search(r"step ([\d.]+)", place(root))
        state = re.findall("variances:([^,&]+)", address(page))[0]
        trained = Bill(variances=[float(one) for one in state.split(";")]).best()
        assert found is not None and matches(found[1], trained)
        root.focus()
        page.keyboard.press("Home")
        settle(page)
        assert place(root) == "1.25, step 0.80"
        assert at_the_end(page, root, "ArrowLeft") == "0.25, step 4.00", "as far as its trait goes"


def test_a_click_releases_the_weights_and_time_runs(browser: Browser, others: str) -> None:
    with opened(browser, others, reduced_motion="no-preference") as page:
        lab = page.locator(".ex-fig").nth(2)
        field = lab.locator("svg").first
        field.scroll_into_view_if_needed()
        run, own = stop_clock(page), box(field)
        page.mouse.click(own["x"] + 0.7 * own["width"], own["y"] + 0.2 * own["height"])
        head, seen = lab.get_by_label("Playhead"), []

        def later() -> None:
            run(400)
            seen.append(place(head))

        later()
        later()
        assert seen[0] != seen[1], "time runs"
        lab.get_by_role("button", name="Pause").dispatch_event("click")
        later()
        later()
        assert seen[2] == seen[3] and "flow-lab=start:" in page.url
        head.focus()
        page.keyboard.press("ArrowRight")
        later()
        assert seen[4] != seen[3]
        lab.get_by_role("button", name="d = 2").dispatch_event("click")
        later()
        assert "d:2" in page.url
        assert lab.locator(".ex-cell, .ex-below").count() == 4


def test_the_end_is_shown_at_once_where_motion_is_unwanted(browser: Browser, others: str) -> None:
    state = FlowLab(start=[-0.6, 0.5])
    with opened(browser, f"{others}#flow-lab=start:-0.6;0.5") as page:
        lab = page.locator(".ex-fig").nth(2)
        lab.get_by_role("button", name="Play").click()
        settle(page)
        text = place(lab.get_by_label("Playhead"))
        assert abs(float(text.rpartition(" ")[2]) - state.loss()) < 0.01
        assert lab.get_by_role("button", name="Play").count() == 1


def test_an_empty_context_leaves_the_block_its_mean(browser: Browser, others: str) -> None:
    with opened(browser, others) as page:
        lines = page.locator(".ex-fig").nth(3)
        lines.get_by_role("button", name="Empty context").click()
        settle(page)
        assert "the layer answers 0, the block 2.00" in lines.inner_text()
        lines.get_by_role("button", name="Best layer").click()
        settle(page)
        assert "Over all of them the layer has the risk 1.00, the block 0.20" in lines.inner_text()
        first = lines.get_by_label("Zero of the first line")
        first.press("ArrowRight")
        settle(page)
        assert place(first) == "w = 0.10"
        (x, y), turn = middle(first), lines.get_by_label("Turn of the second line")
        drag(page, (x, y), (x + 40, y + 30))
        assert middle(first) == pytest.approx((x + 40, y), abs=1.5)
        turn.press("ArrowUp")
        settle(page)
        assert float(place(turn).removeprefix("slope ")) > 0
        page.wait_for_function("/two-lines=.*S:0/.test(location.hash)")
        lines.get_by_role("button", name="New context").click()
        settle(page)
        squares = TwoLines(seed=1).squares()[0]
        found = re.search(r"has S = ([\d.]+)\.", lines.inner_text())
        assert found is not None and matches(found[1], float(squares))
        lines.get_by_role("button", name="Reset").click()
        page.wait_for_function("location.hash === ''")


def numbers(figure: Locator) -> list[str]:
    """What stands right of the bars, the answer last."""
    texts = figure.locator("svg").nth(1).locator("text[text-anchor=end]")
    found: list[str] = texts.all_text_contents()
    return found


def test_a_prompt_goes_through_the_layer(browser: Browser, others: str) -> None:
    with opened(browser, others) as page:
        figure = page.locator(".ex-fig").nth(4)
        settle(page)
        assert numbers(figure) == ["1.5", "2.5", "2.5", "5", "11.5"]
        names = figure.locator("svg").nth(1).locator("text:not([text-anchor])").all_text_contents()
        pairs = (pair.split(", ") for pair in OnePass().terms())
        said = [f"compare {keys}, copy {values}" for keys, values in pairs]
        assert [name.partition(": ")[2] for name in names[:-1]] == said
        figure.get_by_role("button", name="Flip the labels").click()
        settle(page)
        assert numbers(figure) == ["1.5", "−2.5", "−2.5", "5", "1.5"]
        page.wait_for_function("location.hash === '#one-pass=k:-1'")
        figure.get_by_role("button", name="Reset").click()
        one, ring = (figure.get_by_label(name, exact=True) for name in ("Example 1", "Query"))
        settle(page)
        for handle in (one, ring):
            handle.scroll_into_view_if_needed()
            (x, y), before = middle(handle), numbers(figure)
            drag(page, (x, y), (x - 40, y + 20))
            assert numbers(figure) != before
        assert middle(ring)[1] == pytest.approx(y, abs=1.5), "its token ends in a zero"
        one.focus()
        page.keyboard.press("Home")
        ring.focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("PageDown")
        settle(page)
        moved = OnePass(query=0.9)
        assert all(map(matches, numbers(figure), [*moved.terms().values(), moved.answer()]))
        assert place(ring) == f"x = 0.9, the layer answers {moved.answer():.2f}"


def asked(figure: Locator) -> list[float]:
    """What the figure says: the answers of the transformer, one step, least squares, the truth."""
    settle(figure.page)
    told = figure.locator(".ex-words").inner_text().replace("−", "-")
    found = re.search(
        r"answers (\S+), one step (\S+), least squares (\S+); the truth is (\S+)\.", told
    )
    assert found is not None, told
    return [float(one) for one in found.groups()]


def answered(state: Ask) -> list[Any]:
    said = state.answers()
    numbers = (said["transformers"][state.start], said["step"], said["squares"], said["rule"])
    return [pytest.approx(number, abs=0.006) for number in numbers]


def test_a_transformer_answers_where_the_reader_asks(browser: Browser, others: str) -> None:
    with opened(browser, others) as page:
        figure = page.locator(".ex-fig").nth(6)
        ring, one, rule = (
            figure.get_by_label(name, exact=True) for name in ("Question", "Example 3", "The truth")
        )
        assert asked(figure) == answered(Ask())
        assert place(ring) == "x = 2.00, the transformer answers 1.99"
        rule.press("Shift+ArrowDown")  # by one half at x = 3
        settle(page)
        assert place(rule) == "slope 0.83" and asked(figure) == answered(Ask(w=2.5 / 3))
        rule.press("Home")
        one.scroll_into_view_if_needed()
        (x, y), before = middle(one), figure.locator(".ex-bold").get_attribute("d")
        drag(page, (x, y), (x + 30, y + 60))
        assert middle(one) == pytest.approx((x + 30, y + 60), abs=1.5)
        assert figure.locator(".ex-bold").get_attribute("d") != before
        written = re.findall(r"#ask=moved:2;([^,&]+)$", address(page))
        moved = [0.0, *(float(n) for n in written[0].split(";"))]
        assert asked(figure) == answered(Ask(moved=[2, *moved[1:]]))
        one.press("Home")
        (x, y) = middle(ring)
        drag(page, (x, y), (x - 150, y + 30))
        assert middle(ring)[0] == pytest.approx(x - 150, abs=1.5), "it stays on the curve"
        figure.get_by_role("button", name="Reset").click()
        page.wait_for_function("location.hash === ''")
        assert asked(figure) == answered(Ask())


def test_the_variants_of_a_question(browser: Browser, others: str) -> None:
    with opened(browser, others) as page:
        figure = page.locator(".ex-fig").nth(6)
        state: dict[str, Any] = {}
        variants: dict[str, dict[str, Any]] = {
            "One more example": {"M": 9},
            "Twice as wide": {"scale": 2.0},
            "Bend the line": {"bend": 1.0},
        }
        for name, change in variants.items():
            control = figure.get_by_role("button", name=name)
            assert control.get_attribute("aria-pressed") == "false"
            control.click()
            settle(page)
            assert control.get_attribute("aria-pressed") == "true"
            state |= change
            assert asked(figure) == answered(Ask(**state))
        assert figure.locator("[aria-label^='Example ']:visible").count() == 9
        page.wait_for_function("/ask=M:9,scale:2,bend:1$/.test(location.hash)")
        figure.get_by_role("button", name="Another run").click()
        figure.get_by_role("button", name="New prompt").click()
        assert asked(figure) == answered(Ask(start=1, seed=1, **state))
        figure.get_by_role("button", name="Shuffle").click()
        assert asked(figure) == answered(Ask(start=1, seed=1, order=1, **state))
        assert "9 examples in another order" in figure.inner_text()
        state |= {"order": 1}
        assert figure.locator(".ex-paid").count() == 0
        attention = figure.get_by_role("button", name=re.compile("ttention"))
        for head in ("block 1, head 1", "block 1, head 2", "block 2, head 1", "block 2, head 2"):
            attention.click()
            settle(page)
            assert attention.inner_text() == f"Attention: {head}"
        for _ in range(3):  # past none, to the second
            attention.click()
        settle(page)
        said = figure.inner_text()
        row = Ask(start=1, seed=1, **state).attention()[1]
        numbered = Ask(start=1, seed=1, **(state | {"order": 0}))  # as the row is
        left = numbered.context().x[0, :, 0] < 0
        shares = [float(row[:-1][keep].sum()) for keep in (left, ~left)] + [float(row[-1])]
        words = (
            "looks {:.0f} % at the examples left of zero, {:.0f} % at those right of it, {:.0f} %"
        )
        assert words.format(*(100 * share for share in shares)) in said
        assert figure.locator(".ex-paid").count() > 4
        figure.get_by_role("button", name="Reset").click()
        assert asked(figure) == answered(Ask())


def test_a_finger_drags_an_example(browser: Browser, others: str) -> None:
    with opened(browser, others, **PHONE) as page:
        figure = page.locator(".ex-fig").nth(6)
        for name in ("Example 2", "Question"):
            held = figure.get_by_label(name, exact=True)
            held.scroll_into_view_if_needed()
            settle(page)
            (x, y), said, scrolled = middle(held), place(held), page.evaluate("scrollY")
            swipe(page, (x, y), (x - 24, y + 32))
            assert place(held) != said and page.evaluate("scrollY") == scrolled, name
            assert middle(held)[0] == pytest.approx(x - 24, abs=2)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_rule_bends_at_once_where_motion_is_unwanted(
    browser: Browser, others: str, motion: Any
) -> None:
    with opened(browser, others, reduced_motion=motion) as page:
        figure = page.locator(".ex-fig").nth(6)
        stop_clock(page)
        seen = []
        figure.get_by_role("button", name="Bend the line").evaluate("(one) => one.click()")
        for milliseconds in (200, 1000):
            page.clock.run_for(milliseconds)
            seen.append(figure.locator(".ex-guide").first.get_attribute("d"))
        assert (seen[0] == seen[1]) == (motion == "reduce")


@pytest.mark.parametrize("width", [320, 360])
def test_the_others_fit_a_phone(browser: Browser, others: str, width: int) -> None:
    with opened(browser, others, viewport={"width": width, "height": 700}) as page:
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert [one for one in accessibility(page) if "ex-" in one] == []


def test_the_others_have_images(browser: Browser, others: str) -> None:
    with opened(browser, others, java_script_enabled=False) as page:
        assert page.locator(".live-still img, .live-still svg").count() == 8
        said = " ".join(page.locator(".live-at").all_inner_texts())
        assert "trained layer 0.8924" in said and "Loss of silence 0.5" in said
        assert "the layer answers 1.8, the block 2" in said
        assert "the three transformers answer 1.99, 1.982, 1.995" in said
        assert "The best step is 0.5231" in said
