"""What a phone shows in the place of a drawing that is too wide for it."""

from __future__ import annotations

import re

import pytest
from linear_icl_book import figures

from book._ext import inline_svg

NS = 'xmlns="http://www.w3.org/2000/svg"'
WIDE = (
    f'<svg {NS} width="720" height="200" viewBox="0 10 720 200" data-pieces="0 340, 380 700">'
    "<desc>Said.</desc><style>.m {fill: red}</style><path class='m' d='M0 0H720'/></svg>"
)


def test_a_diagram_is_cut_into_pieces_one_under_another() -> None:
    html = inline_svg.both(WIDE, "drawing-3", "Two halves", {})
    page, phone = html.split("</svg>", 1)
    assert 'id="drawing-3"' in page and "data-pieces" not in html
    assert 'class="drawing narrow"' in phone and 'viewBox="0 0 340 400"' in phone
    assert re.findall(r'viewBox="(\d+ 10 [^"]*)"', phone) == ["0 10 340 200", "380 10 320 200"]
    assert phone.count("<path") == 2 and "<use" not in phone, "rules do not reach into <use>"
    assert "#drawing-3-narrow .m{" in phone and phone.count('aria-label="Two halves"') == 1


def test_a_figure_carries_the_one_for_a_phone() -> None:
    figure = figures.curves([0, 1, 2], {"a": [1.0, 2, 4]}, xlabel="x", ylabel="y")
    svg = figure._repr_mimebundle_()["image/svg+xml"]
    small = inline_svg.for_phones(svg)
    assert small is not None
    wide, narrow = (
        float(re.search(r'width="([\d.]+)pt"', one)[1])  # type: ignore[index]
        for one in (svg, small)
    )
    assert (wide, narrow) == pytest.approx((72 * 6.9, 72 * 3.4))
    assert inline_svg.both(svg, "d", "A curve", {}).count("<svg") == 2
    assert inline_svg.for_phones(figure.svg()) is None
