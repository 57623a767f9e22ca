"""The teacher's page: its links set figures as they say, its answers hold in the figures' numbers,
its minutes add up."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from linear_icl.flow import gradient_flow
from linear_icl_book.live import Ask, FlowLab, Hero, OnePass
from playwright.sync_api import Browser, Locator

from tests.pages.checks import stop_clock
from tests.pages.conftest import BOOK, ROOT
from tests.pages.mounted import opened
from tests.pages.packed import Numbers, figures, shown
from tests.pages.site import Site

LINK = re.compile(r'<a class="figure-at[^"]*" href="([^"#]+)#([^"=]+)=([^"]+)"')
SOURCE = (ROOT / "book" / "teaching.md").read_text("utf-8")


def links() -> list[tuple[str, str, str]]:
    """(page, figure, controls) of every link of the built page, in its order."""
    return LINK.findall((BOOK / "book" / "teaching.html").read_text("utf-8"))


def stops(spec: Any, controls: str) -> dict[str, Any]:
    """What the address says: for every control its stop."""
    said = dict(pair.split(":") for pair in unquote(controls).split(","))
    assert list(said) == [axis["name"] for axis in spec["axes"]], "it sets every control"
    found = {}
    for axis in spec["axes"]:
        text = re.sub(r"~([0-9a-f]+)", lambda m: chr(int(m[1], 16)), said[axis["name"]])
        near = [
            value
            for value in axis["values"]
            if (value == text.replace("_", " "))
            or (not isinstance(value, str) and f"{value:.4g}" == text)
        ]
        (found[axis["name"]],) = near
    return found


def near(numbers: Numbers, series: str, x: float) -> float:
    """A curve where its horizontal value is nearest to x."""
    return float(numbers[series][np.abs(numbers["x"] - x).argmin()])


def spread(numbers: Numbers, series: str) -> float:
    """How far points lie from the diagonal."""
    x, y = numbers[series]
    return float((y - x).std())


def four_times_as_steep(trained: Hero, wide: Hero) -> bool:
    ratio = {name: slope / trained.slopes()[name] for name, slope in wide.slopes().items()}
    return ratio == pytest.approx({"trained layer": 4, "least squares": 1})


def worse_on_four_points(eight: Numbers, long: Numbers) -> bool:
    floor = near(long, "trained step", 100) < near(eight, "trained step", 100)
    return floor and near(long, "trained step", 4) > 1.2 * near(eight, "trained step", 4)


def flat_answers_far_out(sharp: Numbers, flat: Numbers) -> bool:
    return abs(near(sharp, "softmax", 4)) < 0.01 and near(flat, "softmax", 4) > 1


def two_of_four_follow(plain: OnePass, flipped: OnePass) -> bool:
    pairs = zip(plain.terms().values(), flipped.terms().values(), strict=True)
    sums = [plain.answer(), flipped.answer()]
    return [a == -b for a, b in pairs] == [False, True, True, False] and sums == [11.5, 1.5]


def twice_as_long(short: Numbers, long: Numbers) -> bool:
    times = [float(state["predicted escape"][0]) for state in (short, long)]
    return 1.8 < times[1] / times[0] < 2.2


def one_end_for_one_imbalance(large: FlowLab, small: FlowLab, other: FlowLab) -> bool:
    flows = [
        gradient_flow(lab.landscape(), lab.begin(), until_gap=1e-12)
        for lab in (large, small, other)
    ]
    ends = [np.array([float(U), float(u)]) for U, u in (flow.state(-1) for flow in flows)]
    return bool(np.allclose(ends[0], ends[1], atol=1e-3) and np.abs(ends[0] - ends[2]).max() > 0.1)


def second_ends_higher(half: Numbers, more: Numbers) -> bool:
    left = [float(s["loss"][-1] - s["best possible loss"][0]) for s in (half, more)]
    rest = [abs(float(s["loss"][-1] - s["loss"][-20])) for s in (half, more)]
    return left[0] < 0.002 < 0.1 < left[1] and max(rest) < 0.01


def signs_keep_more_than_the_bias(linear: Numbers, signs: Numbers) -> bool:
    left = [near(s, "trained layer", 400) / float(s["bias"][0]) for s in (linear, signs)]
    return left[0] < 1.1 < 2 < left[1] and float(signs["best linear"][0]) > 0.3


def noise_calls_for_shorter_prompts(clean: Numbers, noisy: Numbers) -> bool:
    (M, same), (tested, best) = clean["best N"], noisy["best N"]
    inside = tested > 3
    return bool(np.allclose(M, same, rtol=1e-3) and (best < 0.99 * tested)[inside].all())


def worse_than_silence_at_any_length(hundred: Numbers, many: Numbers) -> bool:
    worse = near(many, "trained on fixed", 1) > near(hundred, "trained on fixed", 1)
    return worse and near(hundred, "trained on fixed", 1) > 2 * near(hundred, "zero", 1)


def sooner_to_a_smaller_step(narrow: Numbers, wide: Numbers) -> bool:
    def left(state: Numbers) -> float:  # when the diagonal entry has half of its limit
        return float(state["x"][(state["uU₁₁"] > state["limit"][0] / 2).argmax()])

    return left(wide) < left(narrow) and float(wide["limit"][0]) < float(narrow["limit"][0]) / 2


def narrower_but_wider_than_the_block(eight: Numbers, many: Numbers) -> bool:
    narrower = spread(many, "best layer") < spread(eight, "best layer") / 3
    return narrower and spread(many, "best layer") > 4 * spread(many, "best block")


def noise_halves_the_price_of_a_small_mean(clean: Numbers, loud: Numbers) -> bool:
    small, large = (near(loud, "price", t) / near(clean, "price", t) for t in (0.1, 100))
    above = bool(np.allclose(clean["price"], clean["one gauge"], rtol=1e-3))
    return above and 0.5 < small < 0.6 and large > 0.99


def only_the_step_from_zero_moves(none: Numbers, eight: Numbers) -> bool:
    stay = ("step from β*", "Bayes", "β* alone")
    same = all(np.allclose(none[name], eight[name], rtol=1e-3) for name in stay)
    return bool(same and (eight["step from zero"] > 5 * none["step from zero"]).all())


def they_part_on_a_bent_rule(line: Ask, bent: Ask) -> bool:
    alike, apart = (np.array(one.answers()["transformers"]) for one in (line, bent))
    neither = np.abs(apart - bent.answers()["rule"]).min() > 0.5 and np.ptp(apart) > 2
    return bool(np.abs(alike - line.answers()["rule"]).max() < 0.05 and neither)


def the_twelfth_hurts_learned_positions(state: Numbers) -> bool:
    step = {
        name: near(state, name, 12) / near(state, name, 11)
        for name in ("learned positions", "no positions")
    }
    return step["learned positions"] > 2 and step["no positions"] < 1


def the_second_comes_twice_as_late(larger: Numbers, smaller: Numbers) -> bool:
    def falls(state: Numbers, level: float) -> float:
        return float(state["x"][(state["keys and queries apart"] < level).argmax()])

    stair, floor = (float(larger[name][0]) for name in ("one direction known", "best possible"))
    first, second = (
        falls(smaller, level) / falls(larger, level) for level in (2 * stair, (stair + floor) / 2)
    )
    return 2.8 < first < 3.3 and 1.7 < second < 2.1


def another_minimum_then_none(stable: Numbers, longer: Numbers, lost: Numbers) -> bool:
    ends = [np.array(state["u"])[-20:] for state in (stable, longer, lost)]
    lower = float(ends[1][-1]) < float(ends[0][-1]) - 0.1
    return lower and max(np.ptp(end) for end in ends[:2]) < 0.005 and abs(ends[2]).max() < 0.15


def three_leaves_a_third(two: Numbers, three: Numbers) -> bool:
    left = [float(s["left in all"][0]) for s in (two, three)]
    return abs(left[1] - 1 / 3) < 1e-3 < 0.1 < left[0] - left[1]


def a_longer_step_leaves_less(eight: Numbers) -> bool:
    stays = eight["the other direction"][1]  # the upper edge of the last of the stacked areas
    return bool(eight["x"][stays.argmin()] > eight["best step"][0] + 0.02)


def middle_directions_lose_most(exact: Numbers, loud: Numbers) -> bool:
    lost = exact["share of the way"] - loud["share of the way"]
    return bool((lost > 0).all()) and 0 < lost.argmax() < len(lost) - 1


#: What the answer of each question says, about the states that its links show, in their order.
CLAIMS: dict[str, Callable[..., bool]] = {
    "hero": four_times_as_steep,
    "risk-of-four-learners": worse_on_four_points,
    "softmax-and-linear-attention": flat_answers_far_out,
    "four": two_of_four_follow,
    "plateau-and-escape": twice_as_long,
    "flow-lab": one_end_for_one_imbalance,
    "two-ways-to-make-a": second_ends_higher,
    "risk-and-its-parts": signs_keep_more_than_the_bias,
    "risk-over-both-lengths": noise_calls_for_shorter_prompts,
    "which-variance-is-served": three_leaves_a_third,
    "training-on-random-covariances": sooner_to_a_smaller_step,
    "random-covariances-at-test": worse_than_silence_at_any_length,
    "two-learners-and-a-mean": narrower_but_wider_than_the_block,
    "the-price-of-the-mean": noise_halves_the_price_of_a_small_mean,
    "what-stays-of-a-miss": a_longer_step_leaves_less,
    "a-step-from-zero-a-step-from-and-bayes": only_the_step_from_zero_moves,
    "what-shortens-the-step": middle_directions_lose_most,
    "ask": they_part_on_a_bent_rule,
    "longer-than-in-training": the_twelfth_hurts_learned_positions,
    "keys-apart-from-queries": the_second_comes_twice_as_late,
    "steps-of-finite-length": another_minimum_then_none,
}


#: The letters of these answers, in their order.
LETTERS = "ccbbbabbbcbcbbccccbbc"
#: Figures that compute in the page; a link gives their traits.
COMPUTING: dict[str, Any] = {"hero": Hero, "four": OnePass, "flow-lab": FlowLab, "ask": Ask}


def traits(controls: str) -> dict[str, Any]:
    """A list is written 1.5;1.7."""
    pairs = (pair.split(":") for pair in unquote(controls).split(","))
    lists = {name: [float(one) for one in value.split(";")] for name, value in pairs}
    return {name: value if len(value) > 1 else value[0] for name, value in lists.items()}


def seen(figure: Any) -> str:
    """What a figure that computes shows in this state, and in no other of its links."""
    if isinstance(figure, Hero):
        return f"{figure.slopes()['trained layer']:.2f}"
    if isinstance(figure, OnePass):
        return f"add up to {figure.answer():g}."
    if isinstance(figure, Ask):
        return f"transformer 1 of 3 answers {figure.answers()['transformers'][0]:.2f}".replace(
            "-", "−"
        )
    size, u = (f"{one:.2f}" if one else "0" for one in figure.start)
    return f"Released at U {size}, u {u}."


def states_of(name: str) -> list[Any]:
    found: list[Any] = []
    for page, figure, controls in links():
        if figure == name and name in COMPUTING:
            found.append(COMPUTING[name](**traits(controls)))
        elif figure == name:
            spec, data = figures(page)[name]
            found.append(shown(spec, data, stops(spec, controls)))
    return found


def test_every_question_has_its_claim() -> None:
    assert list(dict.fromkeys(figure for _, figure, _ in links())) == list(CLAIMS)
    assert SOURCE.count("```{dropdown} Answer") == len(CLAIMS)
    assert len(links()) == SOURCE.count("{figure-at}")


@pytest.mark.parametrize("name", CLAIMS)
def test_the_answer_holds_in_the_figure(name: str) -> None:
    states = states_of(name)
    assert CLAIMS[name](*states)
    if len(states) > 1:  # and it is about these states: not in the other order
        assert not CLAIMS[name](*reversed(states))


def test_every_answer_names_its_letter() -> None:
    assert re.findall(r"```\{dropdown\} Answer\n\*(\w)[.*]", SOURCE) == [*LETTERS]


def test_every_main_figure_has_a_question() -> None:
    """The first live figure of each chapter, which its plan begins with."""
    asked = {page for page, _, _ in links()}
    for page in sorted(asked):
        first = next(iter(figures(page)), "hero")  # the only one of the first page
        assert first in CLAIMS, page
    chapters = re.findall(r"^\| \{numref\}`.* <([\w-]+)>` \|[^|]*′", SOURCE, re.M)
    assert len(asked) == len(chapters) + 1  # and the first page


def test_the_minutes_of_every_plan_add_up() -> None:
    rows = re.findall(r"^\| \{numref\}`[^`]+` \|([^|]*′[^|]*)\|([^|]*′[^|]*)\|$", SOURCE, re.M)
    assert len(rows) == 9
    for row in rows:
        assert [sum(map(int, re.findall(r"(\d+)′", cell))) for cell in row] == [50, 40]


def spoken(figure: Locator) -> list[str]:
    found: list[str] = figure.locator("input, select").evaluate_all(
        "(all) => all.map((c) => c.getAttribute('aria-valuetext') ?? c.selectedOptions[0].text)"
    )
    return found


def test_every_link_to_a_figure_that_computes_sets_it(browser: Browser, site: Site) -> None:
    for page, name, controls in links():
        if name not in COMPUTING:
            continue
        shows = seen(COMPUTING[name](**traits(controls)))
        with opened(browser, f"{site.url}/book/{page}#{name}={controls}") as visit:
            visit.wait_for_function(
                "(shows) => [...document.querySelectorAll('article .live-box')]"
                ".some((box) => box.innerText.includes(shows))",
                arg=shows,
            )


# Changes the address and waits until the page has heard of it.
ADDRESS = """(hash) => new Promise((heard) => {
  const before = location.href;
  addEventListener("hashchange", () => heard(), { once: true });
  location.hash = hash;
  if (location.href === before) heard();
})"""


def test_every_link_sets_its_figure(browser: Browser, site: Site) -> None:
    """One visit a page: its first link opens it, the others change the address there."""
    drawn = [link for link in links() if link[1] not in COMPUTING]
    for page, found in itertools.groupby(sorted(drawn), key=lambda link: link[0]):
        first, *rest = found
        with opened(browser, f"{site.url}/book/{page}#{first[1]}={first[2]}") as visit:
            stop_clock(visit)
            for _, name, controls in (first, *rest):
                visit.evaluate(ADDRESS, f"{name}={controls}")
                visit.clock.run_for(300)  # also the address is written again, before the next
                spec, _ = figures(page)[name]
                place = list(figures(page)).index(name)
                said = spoken(visit.locator(".live-fig").nth(place))
                wanted = stops(spec, controls).values()
                assert len(said) == len(wanted)
                for text, value in zip(said, wanted, strict=True):
                    same = (
                        text == value
                        if isinstance(value, str)
                        else float(text) == pytest.approx(value, rel=5e-3, abs=1e-9)
                    )
                    assert same, (page, name, said)
