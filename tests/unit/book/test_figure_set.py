"""Words that set a figure: their form. What figures and states there are: test_figure_links.py."""

from __future__ import annotations

import pytest

from book._ext.figure_set import parts


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
