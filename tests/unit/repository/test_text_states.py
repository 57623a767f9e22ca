"""A link that says a number sets its figure to that number."""

from __future__ import annotations

import pytest
from linear_icl_book.live.explore.ask import Ask

from tests.text.page import pages, text_of
from tests.text.states import faults, links

# What a figure then shows, and no control of it.
SHOWN = {
    "teaching": ["'add up to 11.5' says [11.5], and sets 'lsa_quadratic_reduction four; k = 1'"]
}

# Links of the chapters that set a number which their words do not say, and whether it is right.
# Those of the teacher's page are judged in the figures, by tests/pages/test_teaching.py.
UNSAID = {
    "four: k = -1": True,
    "dial: N = 32; alpha = 1; M = 256; scale = 1.4142": round(2**0.5, 4) == 1.4142,
    "dial: N = 8; alpha = 0.8; M = 64": round(8 / (8 + 2), 4) == 0.8,  # the trained share
    "dial: N = 32; alpha = 0.9412; M = 64": round(32 / (32 + 2), 4) == 0.9412,
    "risk-over-both-lengths: noise = 3": True,
    "step-plane: turn = 90": True,
    "two-lines: root = 0; U = 0.8; u21 = 0; S = 1": 8 / (8 + 2) == 0.8,  # M/(M+2)
    "ask: bend = 1": True,
    "ask: M = 9": True,
    "ask: bend = 1; start = 1; order = 1": Ask(order=1).told_in() != list(range(8)),
}


def test_a_number_that_a_link_sets_without_a_word_is_right() -> None:
    chapters = [name for name in pages() if name not in ("teaching", "one_lecture")]
    found = [link for name in chapters for link in links(text_of(name))]
    assert {link.state for link in found if link.set() - link.said()} == set(UNSAID)
    assert all(UNSAID.values())


@pytest.mark.parametrize("name", pages())
def test_the_numbers_of_a_link_are_those_of_its_state(name: str) -> None:
    assert faults(text_of(name)) == SHOWN.get(name, [])


def test_enough_links_say_a_number() -> None:
    assert sum(bool(link.said()) for name in pages() for link in links(text_of(name))) > 20


@pytest.mark.parametrize(
    ("words", "state", "right"),
    [
        ("forty points", "step-plane: M = 40", True),
        ("forty points", "step-plane: M = 14", False),
        ("u₀ = 10⁻³", "pl_convergence plateau; sigma = 1e-3", True),
        ("10⁻³", "plateau: sigma = 1e-2", False),
        ("From zero", "start-plane: start = 0, 0", True),
        ("From zero", "start-plane: start = 1, 0", False),
        ("Doubled", "step-plane: scale = 2", True),
        ("Doubled", "step-plane: scale = 4", False),
        ("four times as large", "page families; test = random, c = 4", True),
        ("nine tenths", "page race; ratio = 0.9", True),
        ("nine tenths", "page race; ratio = 0.8", False),
        ("One and a half times", "page steps; share = 1.5", True),
    ],
)
def test_what_a_link_says(words: str, state: str, right: bool) -> None:
    assert (faults(f"{{set}}`{words} <{state}>`") == []) is right
