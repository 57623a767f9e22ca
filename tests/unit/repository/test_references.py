"""The bibliography stays as it was compared with its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml

from tests.text.page import pages, text_of, unlike
from tests.text.references import BIB, COMPARED, faults
from tests.text.ties import ROOT

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


# ---- what a work is cited for -------------------------------------------------------------------

CITED: dict[str, str] = yaml.safe_load((ROOT / "tests/text/cited.yml").read_text("utf-8"))
TWO_PAPERS = {"zhang2024trained", "zhang2024ltb"}  # cited for all sorts of things


def citations(page: str) -> Iterator[tuple[str, str]]:
    """Each work with the sentence that cites it; an entry of the reading map is one sentence."""
    for line in page.replace("\n: ", " ").splitlines():
        sentences = [line] if line.startswith("{cite") else re.split(r"(?<=\.) ", line)
        for sentence in sentences:
            for keys in re.findall(r"\{cite:\w+\}`([^`]+)`", sentence):
                yield from ((key, sentence) for key in keys.split(",") if key not in TWO_PAPERS)


@pytest.mark.parametrize("name", pages())
def test_a_work_is_cited_for_what_it_has(name: str) -> None:
    assert unlike(citations(text_of(name)), CITED) == []


def test_a_link_to_another_work_is_seen() -> None:
    page = text_of("nonlinear_transformers")
    assert unlike(citations(page.replace("fu2024second", "letey2025alignment")), CITED)
