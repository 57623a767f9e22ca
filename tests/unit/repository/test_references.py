"""The bibliography stays as it was compared with its sources."""

from __future__ import annotations

import re

import pytest

from tests.text.page import pages, text_of
from tests.text.references import BIB, COMPARED, faults

TEXT = BIB.read_text("utf-8")


def test_the_entries_are_those_that_were_compared() -> None:
    assert faults(TEXT) == []


def test_an_address_on_a_page_is_in_the_bibliography() -> None:
    found = {one for name in pages() for one in re.findall(r"arXiv:(\d{4}\.\d+)", text_of(name))}
    assert found and {one for one in found if f"arXiv:{one}" not in TEXT} == set()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("{3--6}", "{3--7}", "meenakshi1999product: compare"),
        ("{136}", "{137}", "michalowicz2009isserlis: compare"),
        ("{268}", "{286}", "wick1950: compare"),
        ("Frei, Spencer", "Frey, Spencer", "zhang2024trained: compare"),
        ("arXiv:2402.14951", "arXiv:2402.14591", "zhang2024ltb: compare"),
        ("{31}", "{32}", "volume 32 is not that of 2018"),
        ("244--253", "254--253", "pages 254 to 253"),
        ("arXiv:2212.07677", "arXiv:2312.07677", "a preprint of 2023 has the year 2022"),
    ],
)
def test_a_slip_in_an_entry_is_seen(old: str, new: str, fault: str) -> None:
    assert TEXT.count(old) > 0
    assert any(fault in one for one in faults(TEXT.replace(old, new, 1)))


def test_an_entry_that_is_gone_and_spaces() -> None:
    assert faults("") == [f"{key}: no entry any more" for key in COMPARED]
    assert faults(TEXT.replace("  = ", " =  ")) == []
