"""A link that says a number sets its figure to that number."""

from __future__ import annotations

import pytest

from tests.text.page import pages, text_of
from tests.text.states import faults, links

# What a figure then shows, and no control of it.
SHOWN = {
    "teaching": ["'add up to 11.5' says [11.5], and sets 'lsa_quadratic_reduction four; k = 1'"]
}


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
