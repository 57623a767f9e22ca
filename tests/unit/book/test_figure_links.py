"""Links that set a figure: each names a figure, and a state that it has."""

from __future__ import annotations

from typing import Any

import pytest
from linear_icl_book.live import bundle
from linear_icl_book.live.explore import KINDS, node

from book._ext.figure_links import fragment, settable
from tests.pages.live_book import figure, heat_map


def models() -> list[Any]:
    plane = {"figure": "step_plane", "name": "step-plane", "alt": "…"}
    return [
        {"state": own} for own in ({"spec": figure("One").spec}, {"spec": heat_map().spec}, plane)
    ]


@pytest.mark.parametrize(
    ("name", "wanted", "written"),
    [
        ("one", {}, "slope:2,n:2"),
        ("one", {"n": "1", "slope": "3.0"}, "slope:3,n:1"),
        ("a-map", {"law": "product"}, "rate:1,law:product"),
        (
            "a-map",
            {"rate": "0.1", "law": "root, of #1 = 50%"},
            "rate:0.1,law:root~2c_of_~231_~3d_50~25",
        ),
        ("step-plane", {"M": "40", "scale": "1.5"}, "M:40,scale:1.5"),
        ("step-plane", {"w": "1, -1", "moved": "0,1,2.25"}, "w:1;-1,moved:0;1;2.25"),
    ],
)
def test_a_state_is_written_as_in_the_address(
    name: str, wanted: dict[str, str], written: str
) -> None:
    assert fragment(models(), name, wanted) == f"{name}={written}"


@pytest.mark.parametrize(
    ("name", "wanted", "message"),
    [
        ("two", {}, "must be one figure 'two', got 0; the page has a-map, one, step-plane"),
        ("one", {"slop": "1"}, "one has the controls slope, n, got 'slop'"),
        ("one", {"slope": "2.5"}, "slope must be one of its stops, got '2.5'; they are 1; 2; 3"),
        ("a-map", {"law": "cube"}, "law must be one of its stops, got 'cube'; they are product"),
        ("a-map", {"rate": "3"}, "rate must be one of its stops, got '3'"),
        ("step-plane", {"colour": "1"}, "step-plane has the traits seed, M, .*, got 'colour'"),
        ("step-plane", {"step": "1,0,0,1"}, "got 'step'"),  # the author's, not the reader's
        ("step-plane", {"M": "41"}, "M must be from 1 to 40, got 41"),
        ("step-plane", {"M": "2.5"}, "M must be a whole number, got 2.5"),
        ("step-plane", {"M": "4, 5"}, r"M must hold numbers, got \[4, 5\]"),
        ("step-plane", {"w": "1"}, "w must be a list, got 1"),
        ("step-plane", {"scale": "nan"}, "scale must be from 0.5 to 2, got nan"),
        ("step-plane", {"scale": "wide"}, "scale must be set to numbers, got 'wide'"),
    ],
)
def test_what_does_not_exist_is_an_error(name: str, wanted: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fragment(models(), name, wanted)


@pytest.mark.parametrize("k", range(3))
def test_two_figures_of_one_name_are_an_error(k: int) -> None:
    name = ("one", "a-map", "step-plane")[k]
    with pytest.raises(ValueError, match=f"one figure '{name}', got 2"):
        fragment([*models(), models()[k]], name, {})


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_be_set_is_what_the_page_may_set(kind: str) -> None:
    told = f"console.log(Object.keys({kind}.Kind.traits).join())"
    page = node.run(bundle.scopes((kind,)) + told).strip().split(",")
    assert sorted(settable(kind)) == sorted(page)
