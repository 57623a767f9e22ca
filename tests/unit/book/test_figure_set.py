"""Words that set a figure: the page shows it, and it has that state."""

from __future__ import annotations

from typing import Any

import pytest
from linear_icl_book.live.explore import KINDS, bundle, node

from book._ext.figure_links import settable
from book._ext.figure_set import parts, state
from tests.pages.live_book import heat_map


def models() -> list[Any]:
    plane = {"figure": "step_plane", "name": "step-plane", "alt": "…"}
    return [{"state": {"spec": heat_map().spec}}, {"state": plane}]


def test_the_form() -> None:
    asked = parts("forty\npoints <step-plane: M = 40;w=1, -1 >")
    assert asked == ("forty\npoints", "step-plane", {"M": "40", "w": "1, -1"})


@pytest.mark.parametrize(
    "text",
    ["forty", "a <b>", "a <b: c>", "a <b: c=1;>", "a <b: c=1; c=2>", "<b: c=1>", "a <b: c==1>"],
)
def test_another_form_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="must read TEXT <FIGURE: NAME = VALUE"):
        parts(text)


def test_states_are_written_as_in_the_address() -> None:
    assert state(models(), "step-plane", {"M": "40", "scale": "1.5"}) == "M:40,scale:1.5"
    assert (
        state(models(), "step-plane", {"w": "1, -1", "moved": "0,1,2.25"})
        == "w:1;-1,moved:0;1;2.25"
    )
    assert state(models(), "a-map", {"law": "product"}) == "rate:1,law:product"


@pytest.mark.parametrize(
    ("figure", "wanted", "message"),
    [
        ("plane", {}, "must be one figure 'plane', got 0; the page has a-map, step-plane"),
        ("step-plane", {"colour": "1"}, "step-plane has the traits seed, M, .*, got 'colour'"),
        ("step-plane", {"step": "1,0,0,1"}, "got 'step'"),  # the author's, not the reader's
        ("step-plane", {"M": "41"}, "M must be from 1 to 40, got 41"),
        ("step-plane", {"M": "2.5"}, "M must be a whole number, got 2.5"),
        ("step-plane", {"M": "4, 5"}, r"M must hold numbers, got \[4, 5\]"),
        ("step-plane", {"w": "1"}, "w must be a list, got 1"),
        ("step-plane", {"scale": "nan"}, "scale must be from 0.5 to 2, got nan"),
        ("step-plane", {"scale": "wide"}, "scale must be set to numbers, got 'wide'"),
        ("a-map", {"rate": "3"}, "rate must be one of its stops, got '3'"),
        ("a-map", {"rates": "1"}, "a-map has the controls rate, law, got 'rates'"),
    ],
)
def test_what_does_not_exist_is_an_error(figure: str, wanted: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        state(models(), figure, wanted)


def test_two_figures_of_one_name_are_an_error() -> None:
    with pytest.raises(ValueError, match="one figure 'step-plane', got 2"):
        state([*models(), models()[1]], "step-plane", {})


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_be_set_is_what_the_page_may_set(kind: str) -> None:
    told = f"console.log(Object.keys({kind}.Kind.traits).join())"
    page = node.run(bundle.scopes((kind,)) + told).strip().split(",")
    assert sorted(settable(kind)) == sorted(page)
