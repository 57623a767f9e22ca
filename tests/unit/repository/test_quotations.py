"""What the errata quote from the sources stays as it was read there."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.text.page import pages, text_of
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


def unlike_its_statement(page: str) -> list[str]:
    """What is called right before a result is named, `$…$, {prf:ref}`, and is not in the result."""
    found = []
    for formula, label in re.findall(r"Right:\*\*[^$\n]*\$([^$]+)\$, \{prf:ref\}`([\w-]+)`", page):
        (body,) = [
            text.partition(f":label: {label}\n")[2].partition("\n:::")[0]
            for text in map(text_of, pages())
            if f":label: {label}\n" in text
        ]
        if plain(formula) not in plain(body):
            found.append(f"{formula!r} is not what {label} says")
    return found


def plain(tex: str) -> str:
    """Without spaces, braces and the two ways to write a fraction."""
    return re.sub(r"\\[dt]?frac|\\[,;]|[\s{}/]", "", tex)


def test_what_an_erratum_calls_right_stands_in_its_result() -> None:
    page = text_of("errata")
    assert unlike_its_statement(page) == []
    assert unlike_its_statement(page.replace(r"$\min(N,d)+1$", r"$\max(N,d)+1$")) != []


def test_a_changed_quotation_is_seen() -> None:
    page = f'(errata)=\nv1: "{READ[0]}" and "{READ[1]}"'
    assert quoted(page) == READ[:2] and quoted(page.replace(READ[0][:3], "", 1)) != READ[:2]
