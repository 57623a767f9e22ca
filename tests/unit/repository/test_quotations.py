"""What the errata quote from the sources stays as it was read there."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.text.ties import ROOT

READ: list[str] = yaml.safe_load(Path(ROOT, "tests/text/quotations.yml").read_text("utf-8"))


def quoted(page: str) -> list[str]:
    """What stands in quotation marks before the cells."""
    text, _, _ = page.partition("## The checks that stand here")
    return re.findall('"([^"]+)"', text.partition("(errata)=")[2])


def test_a_quotation_is_that_of_the_source() -> None:
    found = quoted(Path(ROOT, "book/errata.md").read_text("utf-8"))
    assert sorted(set(found) - set(READ)) == [], "compare it with the source, then list it"
    assert sorted(set(READ) - set(found)) == [], "no longer quoted: take it off the list"


def test_a_changed_quotation_is_seen() -> None:
    page = f'(errata)=\nv1: "{READ[0]}" and "{READ[1]}"'
    assert quoted(page) == READ[:2] and quoted(page.replace(READ[0][:3], "", 1)) != READ[:2]
