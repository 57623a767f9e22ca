"""What the scripts of the figures draw is what their captions say."""

import json
import re

import pytest
from linear_icl_book.live import bundle
from linear_icl_book.live.explore import node


def test_the_area_of_a_square_is_its_entry() -> None:
    """FlowLab's uU and Γ⁻¹: all areas are in one ratio to the numbers."""
    U, target, u = [0.5, -0.02, 0.1, 0.3], [0.4, 0.0, 0.04, 0.2], 0.7
    asked = f"productPicture(260, {{ d: 2 }}, {{ target: {target} }}, {{ u: {u}, U: {U} }})"
    text = bundle.scopes(("flow_picture",))
    svg = json.loads(node.run(f"{text}console.log(JSON.stringify(flow_picture.{asked}));"))
    rects = re.findall(r"<rect ([^>]*)", svg)
    sides = [
        [float(*re.findall(rf'{side}="([^"]+)"', one)) for one in rects]
        for side in ("width", "height")
    ]
    assert sides[0] == sides[1]
    sizes = iter(
        [
            abs(value)
            for pair in zip([u * one for one in U], target, strict=True)
            for value in pair
            if value
        ]
    )
    ratios = [side**2 / size for side, size in zip(sides[0], sizes, strict=True)]
    assert ratios == pytest.approx([ratios[0]] * 7, rel=0.03)  # sides have one decimal
