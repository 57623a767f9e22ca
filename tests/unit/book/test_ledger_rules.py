"""The ledger sees every kind of gap."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from linear_icl_book.receipts import Receipt

from book._ext import ledger_rules as ledger
from book._ext.ledger_rules import Checked, Concordance

BOOK = Path(__file__).resolve().parents[3] / "book"


def plain(**changes: Any) -> dict[str, Any]:
    """A small concordance: a theorem of a source, a lemma of ours, a definition to come."""
    results = [
        {
            "kind": "Theorem",
            "number": "4.1",
            "also": 4,
            "about": "the limit",
            "proved": "thm-limit",
        },
        {"kind": "Lemma", "number": "5.3", "about": "the same", "merged": "thm-limit"},
        {"kind": "Definition", "number": "3.1", "about": "training", "planned": "first"},
        {"kind": "Lemma", "number": "A.9", "about": "a detail", "left_out": "not needed"},
    ]
    small = {
        "sources": {
            "paper": {"title": "A paper", "number": "v1", "also": "v2", "results": results}
        },
        "ours": {"lem-ours": "a lemma"},
        "planned": {"def-ols": "first"},
        "without_function": {"lem-ours": "nothing to compute"},
        "chapters": ["first", "third"],
    }
    return small | changes


def kept(label: str, measured: int = 2, resolution: float = 0.01) -> Receipt:
    left, right = (np.array(Fraction(value), dtype=object) for value in (2, measured))
    return Receipt(label, "==", left, right, None, None, resolution, "")


def book(**changes: Any) -> Checked:
    whole = Checked(
        ledger.read(plain()),
        frozenset({"thm-limit", "lem-ours"}),
        frozenset({"eq-gap", "ex-race", "err-3"}),
        frozenset({"third"}),
        {"thm-limit": ["m.limit"], "def-ols": ["m.ols"], "eq-gap": ["m.gap"]},
        {"book/third": [kept("thm-limit"), kept("lem-ours"), kept("err-3"), kept("ex-race")]},
    )
    return replace(whole, **changes)


def test_a_whole_book_has_no_gap() -> None:
    assert ledger.gaps(book()) == []
    assert book().count("thm-limit") == 1


def concordance(**changes: Any) -> Concordance:
    return ledger.read(plain(**changes))


RECEIPTS = book().receipts["book/third"]
GAPS: dict[str, tuple[dict[str, Any], str]] = {
    "a proved result that no page has": (
        {"on_pages": frozenset({"lem-ours"})},
        "paper, Theorem 4.1 is proved as 'thm-limit', which no page has",
    ),
    "a merged result that no page has": (
        {"on_pages": frozenset({"lem-ours"})},
        "paper, Lemma 5.3 is merged as 'thm-limit', which no page has",
    ),
    "a planned chapter that exists": (
        {"pages": frozenset({"third", "first"})},
        "paper, Definition 3.1 is planned for first, which exists",
    ),
    "a result of ours that no page has": (
        {"on_pages": frozenset({"thm-limit"})},
        "'lem-ours' stands under ours, and no page has it",
    ),
    "a theorem of the book that the yml misses": (
        {"on_pages": frozenset({"thm-limit", "lem-ours", "def-new"})},
        "'def-new' is in the book and not in source_results.yml",
    ),
    "a planned label that exists": (
        {"on_pages": frozenset({"thm-limit", "lem-ours", "def-ols"})},
        "'def-ols' is planned for first; one of the two exists",
    ),
    "a function whose label leads nowhere": (
        {"functions": {"thm-limit": ["m.limit"], "lem-typo": ["m.f"]}},
        "m.f: implements 'lem-typo', which no page has",
    ),
    "a result without a function": (
        {"functions": {}},
        "'thm-limit' has no function",
    ),
    "an excuse that is out of date": (
        {"functions": {"lem-ours": ["m.limit"], "thm-limit": ["m.limit"]}},
        "'lem-ours' has m.limit and stands under without_function",
    ),
    "an excuse for nothing": (
        {"concordance": concordance(without_function={"lem-ours": "x", "lem-gone": "x"})},
        "'lem-gone' stands under without_function, and no page has it",
    ),
    "a result without a receipt": (
        {"receipts": {"book/third": RECEIPTS[:1]}},
        "'lem-ours' has no receipt",
    ),
    "a receipt whose label leads nowhere": (
        {"receipts": {"book/third": [*RECEIPTS, kept("lem-typo")]}},
        "book/third: a receipt for 'lem-typo', which no page has",
    ),
    "a receipt for an erratum that does not exist": (
        {"receipts": {"book/third": [*RECEIPTS, kept("err-4")]}},
        "book/third: a receipt for 'err-4', which no page has",
    ),
    "a recorded receipt that does not hold": (
        {"receipts": {"book/third": [*RECEIPTS, kept("thm-limit", measured=3)]}},
        "book/third: the receipt of 'thm-limit' does not hold",
    ),
    "a recorded receipt that could not fail": (
        {"receipts": {"book/third": [*RECEIPTS, kept("thm-limit", resolution=0.0)]}},
        "book/third: the receipt of 'thm-limit' holds with its prediction moved",
    ),
}


@pytest.mark.parametrize("gap", GAPS)
def test_each_gap_is_seen(gap: str) -> None:
    changes, sentence = GAPS[gap]
    assert any(found.startswith(sentence) for found in ledger.gaps(book(**changes)))


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            {"kind": "Lemma", "number": 1, "about": "x"},
            "paper, Lemma 1: give one of proved, merged",
        ),
        ({"kind": "Lemma", "number": 1, "about": "x", "left_out": " "}, "give one of proved"),
        ({"kind": "Lemma", "number": 1, "about": "x", "left_out": "y", "merged": "z"}, "give one"),
        ({"kind": "Lemma", "number": 1, "proved": "lem-x"}, "kind, number, about and one status"),
        ({"kind": "Lemma", "number": 1, "about": "x", "proved": "y", "note": 1}, "kind, number"),
        ({"kind": "Lemma", "number": 1, "about": "x", "planned": "tenth"}, "planned chapters must"),
        ({"kind": "Lemma", "number": "5.3", "about": "x", "proved": "y"}, "stands once, got twice"),
    ],
)
def test_a_malformed_concordance_names_the_entry(item: dict[str, Any], message: str) -> None:
    small = plain()
    small["sources"]["paper"]["results"].append(item)
    with pytest.raises(ValueError, match=message):
        ledger.read(small)


def test_the_concordance_of_the_book_lists_every_number_of_the_papers() -> None:
    """Counted by hand in the papers: sections 3 to 5, then the appendices A, C, D and A, G, H."""
    found = ledger.read(yaml.safe_load((BOOK / "source_results.yml").read_text("utf-8")))
    numbers = {
        source: [e.number for e in found.entries if e.source == source] for source in found.titles
    }
    first, second = numbers["zhang2024trained"], numbers["zhang2024ltb"]
    assert len(first) == 29 and len(second) == 21
    for chapter, count in {"3": 3, "4": 5, "5": 4, "A": 5, "C": 8, "D": 4}.items():
        assert [n for n in first if n[0] == chapter] == [f"{chapter}.{k + 1}" for k in range(count)]
    for chapter, count in {"3": 1, "4": 1, "5": 3, "6": 3, "A": 1, "G": 6, "H": 6}.items():
        assert [n for n in second if n[0] == chapter] == [
            f"{chapter}.{k + 1}" for k in range(count)
        ]


def test_every_module_is_asked_for_its_labels() -> None:
    found = ledger.implementations()
    assert "linear_icl.lsa.gamma" in found["def-gamma"]
    assert any(
        name.startswith("linear_icl.landscape.") for names in found.values() for name in names
    )
