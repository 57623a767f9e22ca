"""What falls like which power of a length: the floor with 1/N², the rest with 1/M.

tests/text/numbers/what_we_know.py computes both; here every other place says the same.
"""

from __future__ import annotations

import re

import pytest

from tests.text.page import pages, text_of

ORDER = re.compile(r"(?:like|order) \$(?:1/|\\t?frac1\{?)([NM](?:\^2)?)\}?\$")
REACH = re.compile(r"\$([NM])\\sim *(?:1/|\\frac1\{?)(\\sqrt)?\\varepsilon")
LENGTHS = re.compile(r"(test|training) lengths of order \$1/(\\sqrt)?\\varepsilon\$")
ELSEWHERE = {
    ("distribution_shifts", "N"): "a matrix, whose square is the bias",
    ("gd_beta", "M^2"): "what an expansion leaves out",
}


def faults(name: str, text: str) -> list[str]:
    powers = [one for one in ORDER.findall(text) if (name, one) not in ELSEWHERE]
    found = [f"an order 1/{one}" for one in powers if one not in ("N^2", "M")]
    reached = [*REACH.findall(text), *LENGTHS.findall(text)]
    return found + [
        f"{length} of order 1/{root}ε"
        for length, root in reached
        if bool(root) is (length in ("M", "test"))
    ]


@pytest.mark.parametrize("name", pages())
def test_floor_and_rest_fall_with_the_same_powers_everywhere(name: str) -> None:
    assert faults(name, text_of(name)) == []


def test_another_power_is_seen() -> None:
    page = "a bias of order $1/N^2$, a rest like $\\frac1M$, $M\\sim1/\\varepsilon$"
    assert faults("a_page", page) == []
    assert faults("a_page", page.replace("N^2", "N")) == ["an order 1/N"]
    assert faults("a_page", page.replace("M\\sim", "N\\sim")) == ["N of order 1/ε"]
    assert sum(len(ORDER.findall(text_of(name))) for name in pages()) > 12
