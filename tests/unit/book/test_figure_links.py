"""Links that set a figure: each names a figure, controls and stops that exist."""

from __future__ import annotations

from typing import Any

import pytest

from book._ext.figure_links import fragment
from tests.pages.live_book import figure, heat_map

SPECS: list[Any] = [figure("One").spec, heat_map().spec]


def test_every_control_is_written_as_the_page_writes_it() -> None:
    assert fragment(SPECS, "one", {}) == "one=slope:2,n:2"
    assert fragment(SPECS, "one", {"n": "1", "slope": "3.0"}) == "one=slope:3,n:1"
    escaped = fragment(SPECS, "a-map", {"rate": "0.1", "law": "root, of #1 = 50%"})
    assert escaped == "a-map=rate:0.1,law:root~2c_of_~231_~3d_50~25"


@pytest.mark.parametrize(
    ("name", "wanted", "message"),
    [
        ("two", {}, "one figure 'two', got 0; the page has a-map, one"),
        ("one", {"slop": "1"}, "one has the controls slope, n, got 'slop'"),
        ("one", {"slope": "2.5"}, "slope must be one of its stops, got '2.5'; they are 1; 2; 3"),
        ("a-map", {"law": "cube"}, "law must be one of its stops, got 'cube'; they are product"),
    ],
)
def test_what_does_not_exist_is_an_error(name: str, wanted: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fragment(SPECS, name, wanted)


def test_two_figures_of_one_name_are_an_error() -> None:
    with pytest.raises(ValueError, match="one figure 'one', got 2"):
        fragment([SPECS[0], SPECS[0]], "one", {})
