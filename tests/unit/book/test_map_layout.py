"""The map of results: what uses what, where it stands, and how it is drawn."""

import random
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise

import pytest
from docutils import nodes

from book._ext import map_layout as results
from book._ext.map_drawing import HEIGHT, Shown, draw, wrapped
from book._ext.results_map import owned

SVG = "{http://www.w3.org/2000/svg}"
CHAIN = {"def-a": [], "lem-b": ["def-a"], "lem-c": ["def-a"], "thm-d": ["lem-b", "lem-c", "def-a"]}


def test_an_equation_counts_as_the_result_that_states_it() -> None:
    mentions = [("thm-d", "eq-b"), ("thm-d", "thm-d"), ("lem-b", "def-a"), ("lem-b", "eq-in-text")]
    found = results.used_by(mentions, {"eq-b": "lem-b"}, ["def-a", "lem-b", "thm-d"])
    assert found == {"def-a": set(), "lem-b": {"def-a"}, "thm-d": {"lem-b"}}


def test_a_label_that_leads_nowhere_is_named() -> None:
    with pytest.raises(
        ValueError, match="numbered result, got 'lem-typo' at 'thm-d'; is the label"
    ):
        results.used_by([("thm-d", "lem-typo")], {}, ["thm-d"])


def test_a_circle_is_named_from_user_to_used() -> None:
    around = {"lem-a": ["lem-b"], "lem-b": ["lem-c"], "lem-c": ["lem-a"], "thm-d": ["lem-a"]}
    with pytest.raises(ValueError, match=r"on itself, got lem-[abc] uses lem-") as e:
        results.ordered(around)
    steps = str(e.value).partition("got ")[2].partition(";")[0].split(" uses ")
    assert steps[0] == steps[-1] and len(set(steps)) == 3
    assert all(used in around[user] for user, used in pairwise(steps))
    with pytest.raises(ValueError, match="no result may lean on itself"):
        results.layout(dict.fromkeys(around, "one"), around, ["one"])


def test_a_link_that_a_longer_way_replaces_is_left_out() -> None:
    assert results.reduced(CHAIN)["thm-d"] == {"lem-b", "lem-c"}
    assert results.beneath(CHAIN)["thm-d"] == {"def-a", "lem-b", "lem-c"}


def test_reduction_keeps_what_rests_on_what() -> None:
    uses = some_book(0)[1]
    small = results.reduced(uses)
    assert results.beneath(small) == results.beneath(uses)
    for label, direct in small.items():  # and no link can be spared
        for used in direct:
            less = {**small, label: direct - {used}}
            assert used not in results.beneath(less)[label]


def test_pages_stand_above_those_that_use_them() -> None:
    page = {"thm-a": "chapter", "lem-b": "appendix", "lem-c": "appendix", "thm-e": "next"}
    assert results.bands(page, {"thm-a": ["lem-b"]}, ["chapter", "next", "appendix"]) == [
        ("next",),
        ("appendix",),
        ("chapter",),
    ]
    each_other = {"thm-a": ["lem-b"], "lem-c": ["thm-a"]}
    pages = ["chapter", "next", "appendix"]
    assert results.bands(page, each_other, pages) == [("chapter", "appendix"), ("next",)]


def some_book(seed: int) -> tuple[dict[str, str], dict[str, set[str]], list[str]]:
    """Forty results on four pages, each using a few before it; the last page is used by all."""
    generator = random.Random(seed)
    pages = ["one", "two", "three", "tools"]
    labels = [f"lem-{k}" for k in range(40)]
    page = {label: pages[k // 10] for k, label in enumerate(labels)}
    uses: dict[str, set[str]] = {}
    for k, label in enumerate(labels):
        before = labels[30:k] if k >= 30 else labels[30:] + labels[:k]
        uses[label] = set(generator.sample(before, min(len(before), generator.randrange(4))))
    return page, uses, pages


@pytest.mark.parametrize("seed", range(5))
def test_nothing_overlaps_and_lines_lead_up(seed: int) -> None:
    page, uses, pages = some_book(seed)
    found, slack = results.layout(page, uses, pages), 1e-3  # a thousandth of a pixel
    assert set(found.rows) == set(found.left) == set(page)
    for label, direct in uses.items():
        assert all(found.rows[used] < found.rows[label] for used in direct)
    passing = {(wire.start[0], round(wire.start[1], 6)) for wire in found.wires}
    for row in range(max(found.rows.values()) + 1):
        here = [x for label, x in found.left.items() if found.rows[label] == row]
        assert len(here) <= results.COLUMNS
        middles = {round(x + results.NODE / 2, 6) for x in here}
        lanes = [x for at, x in passing if at == row and x not in middles]
        half = results.GAP / 2
        spans = [(x - half, x + results.NODE + half) for x in here]
        spans += [(x - results.PASSING / 2, x + results.PASSING / 2) for x in lanes]
        assert all(low > -half - slack and high < found.width + half + slack for low, high in spans)
        for (low, high), (other_low, other_high) in combinations(spans, 2):
            assert high <= other_low + slack or other_high <= low + slack


@pytest.mark.parametrize("seed", range(5))
def test_every_use_that_is_not_left_out_has_its_line(seed: int) -> None:
    page, uses, pages = some_book(seed)
    found = results.layout(page, uses, pages)
    drawn = {label: set[str]() for label in page}
    for wire in found.wires:
        for user in wire.users:
            drawn[user].add(wire.used)
    assert drawn == results.reduced(uses)
    for label, direct in drawn.items():
        for used in direct:  # from row to row without a break
            steps = [w for w in found.wires if w.used == used and label in w.users]
            assert [w.start[0] for w in steps] == list(range(found.rows[used], found.rows[label]))
            assert all(a.end == b.start for a, b in pairwise(steps))
            assert steps[0].start[1] == found.left[used] + results.NODE / 2
            assert steps[-1].end[1] == found.left[label] + results.NODE / 2


def shown() -> dict[str, Shown]:
    kinds = {"def": "definition", "lem": "lemma", "thm": "theorem"}
    return {x: Shown(f"No. {x}", "A < B", f"p.html#{x}", kinds[x[:3]]) for x in CHAIN}


def test_the_drawing_links_and_names_every_result() -> None:
    places = results.layout(dict.fromkeys(CHAIN, "one"), CHAIN, ["one"])
    planned = {"next": [("Theorem 9", "limits & bounds")]}
    root = ET.fromstring(draw(places, shown(), ["One"], planned, "drawing-map"))
    links = list(root.iter(f"{SVG}a"))
    assert [link.get("href") for link in links] == [f"p.html#{label}" for label in CHAIN]
    assert links[0].get("aria-label") == links[0].findtext(f"{SVG}title") == "No. def-a A < B"
    assert ["".join(text.itertext()) for text in links[0].iter(f"{SVG}text")] == [
        "No. def-a A < B "
    ]
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and root.get("aria-labelledby") == title.get("id")
    assert desc is not None and root.get("aria-describedby") == desc.get("id")
    assert "4 results" in str(desc.text)
    chip = next(g for g in root.iter(f"{SVG}g") if g.get("class") == "planned")
    assert chip.findtext(f"{SVG}title") == "Theorem 9, limits & bounds"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    tops = [float(str(mark.get("y"))) for link in links for mark in link.iter(f"{SVG}rect")]
    assert min(b - a for a, b in combinations(tops, 2) if b > a) >= HEIGHT


def test_colours_are_those_of_the_page() -> None:
    places = results.layout(dict.fromkeys(CHAIN, "one"), CHAIN, ["one"])
    text = draw(places, shown(), ["One"], {}, "drawing-map")
    assert "var(--icl-ink)" in text and "var(--paper)" in text
    assert not [word for word in text.split() if word.startswith("#") and len(word) in (4, 7)]


def test_results_and_heads_must_fit_the_layout() -> None:
    places = results.layout(dict.fromkeys(CHAIN, "one"), CHAIN, ["one"])
    few = {label: one for label, one in shown().items() if label != "lem-b"}
    with pytest.raises(ValueError, match=r"a name and a link, got none for \['lem-b'\]"):
        draw(places, few, ["One"], {}, "drawing-map")
    with pytest.raises(ValueError, match="1 bands need as many heads, got 0"):
        draw(places, shown(), [], {}, "drawing-map")


def test_a_long_title_ends_in_an_ellipsis() -> None:
    assert wrapped("Positivity") == ["Positivity"]
    lines = wrapped(
        "the dynamics of the step matrix whose heading is lost in our copy of the paper"
    )
    assert len(lines) == 3 and lines[-1].endswith(" …")


def test_a_proof_belongs_to_the_last_result_before_it() -> None:
    proof_node = type("proof_node", (nodes.Element,), {})  # named as the one of sphinx-proof

    def box(label: str) -> nodes.container:
        return nodes.container("", nodes.paragraph("", "It is so."), label=label, classes=["proof"])

    def words(*text: str) -> nodes.paragraph:
        return nodes.paragraph("", *map(nodes.Text, text))

    written = nodes.paragraph("", "", nodes.emphasis("", "Proof."), nodes.Text(" See above."))
    end, after, proof = words("Done. ∎"), words("A remark."), proof_node("", words("By hand."))
    document = nodes.Element(
        "", words("Before."), box("lem-a"), written, end, after, box("thm-b"), box("def-c"), proof
    )
    found = list(owned(document, {"lem-a", "thm-b", "def-c"}))
    assert [label for label, _ in found] == ["lem-a", "lem-a", "lem-a", "thm-b", "def-c", "thm-b"]
    assert found[1][1] is written and found[2][1] is end and found[-1][1] is proof
