"""The ledger: which result of the sources stands where in the book, and what checks it.

Pure logic, without Sphinx and without files of its own: `ledger` feeds it and draws the tables.
A gap is a sentence; one gap fails the build of the book.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import linear_icl
from linear_icl._results import REGISTRY
from linear_icl_book.receipts import Receipt

#: What may have become of a numbered result of a source; the value says where or why.
STATUSES = {
    "proved": "its label in the book",
    "merged": "the label that contains it",
    "left_out": "the reason",
    "planned": "the chapter that will have it",
}
RESULT = re.compile(r"(thm|lem|cor|prp)-")  # what needs a function, a receipt and a test


@dataclass(frozen=True)
class Entry:
    """A numbered result of a source and what became of it."""

    source: str
    kind: str
    number: str
    also: str | None  # its number in the source's other version
    about: str
    status: str  # a key of STATUSES
    value: str


@dataclass(frozen=True)
class Concordance:
    """`source_results.yml`, validated."""

    titles: dict[str, dict[str, str]]  # source: its title, and the names of its two numberings
    entries: tuple[Entry, ...]
    ours: dict[str, str]  # labels of results that no source has: what they say
    planned: dict[str, str]  # labels that functions name already: the chapter that will have them
    without_function: dict[str, str]  # labels of results that nothing computes: why

    def known(self) -> set[str]:
        """The labels that the concordance expects on a page."""
        used = {e.value for e in self.entries if e.status in ("proved", "merged")}
        return used | set(self.ours)


@dataclass(frozen=True)
class Checked:
    """Everything that the ledger compares."""

    concordance: Concordance
    on_pages: frozenset[str]  # labels of definitions, assumptions and results in the book
    other_labels: frozenset[str]  # equations, figures, exercises
    pages: frozenset[str]  # names of the pages, without folder and suffix
    functions: Mapping[str, list[str]]  # label: qualified names
    receipts: Mapping[str, list[Receipt]]  # page: what it recorded

    def count(self, label: str) -> int:
        """How many receipts of the book carry the label."""
        return sum(r.label == label for kept in self.receipts.values() for r in kept)


def read(plain: Mapping[str, Any]) -> Concordance:
    """The concordance from the parsed yml; ValueError names the entry that is malformed."""
    entries = []
    for source, described in plain["sources"].items():
        for item in described["results"]:
            statuses = [key for key in item if key in STATUSES]
            where = f"{source}, {item.get('kind')} {item.get('number')}"
            if len(statuses) != 1 or not str(item[statuses[0]] or "").strip():
                raise ValueError(f"{where}: give one of {', '.join(STATUSES)}, got {statuses}")
            extra = set(item) - {"kind", "number", "also", "about", *statuses}
            if extra or not all(item.get(key) for key in ("kind", "number", "about")):
                raise ValueError(f"{where}: kind, number, about and one status, got {set(item)}")
            value, also = str(item[statuses[0]]), item.get("also")
            number, also = str(item["number"]), None if also is None else str(also)
            entries.append(
                Entry(source, item["kind"], number, also, item["about"], statuses[0], value)
            )
    numbers = [(entry.source, entry.kind, entry.number) for entry in entries]
    if twice := sorted({n for n in numbers if numbers.count(n) > 1}):
        raise ValueError(f"each number stands once, got twice: {twice}")
    chapters = plain["chapters"]
    planned = dict(plain["planned"])
    waiting = [entry.value for entry in entries if entry.status == "planned"]
    if strange := sorted({*waiting, *planned.values()} - set(chapters)):
        raise ValueError(f"planned chapters must be among {chapters}, got {strange}")
    titles = {
        source: {key: described[key] for key in ("title", "number", "also")}
        for source, described in plain["sources"].items()
    }
    return Concordance(
        titles,
        tuple(entries),
        dict(plain["ours"]),
        planned,
        dict(plain["without_function"]),
    )


def gaps(found: Checked) -> list[str]:
    """Everything that is missing, unknown or out of date, each as a sentence."""
    return [*_label_gaps(found), *_check_gaps(found), *_receipt_gaps(found)]


def _label_gaps(found: Checked) -> Iterable[str]:
    concordance, on_pages = found.concordance, found.on_pages
    for entry in concordance.entries:
        name = f"{entry.source}, {entry.kind} {entry.number}"
        if entry.status in ("proved", "merged") and entry.value not in on_pages:
            yield f"{name} is {entry.status} as {entry.value!r}, which no page has"
        if entry.status == "planned" and entry.value in found.pages:
            yield f"{name} is planned for {entry.value}, which exists; say what became of it"
    for label in sorted(set(concordance.ours) - on_pages):
        yield f"{label!r} stands under ours, and no page has it"
    for label in sorted(on_pages - concordance.known()):
        yield f"{label!r} is in the book and not in source_results.yml (sources or ours)"
    for label, chapter in concordance.planned.items():
        if label in on_pages or chapter in found.pages:
            yield f"{label!r} is planned for {chapter}; one of the two exists"
    for label, names in sorted(found.functions.items()):
        if label not in on_pages | found.other_labels | set(concordance.planned):
            yield f"{', '.join(names)}: implements {label!r}, which no page has"


def _check_gaps(found: Checked) -> Iterable[str]:
    excused = found.concordance.without_function
    for label in sorted(label for label in found.on_pages if RESULT.match(label)):
        functions = found.functions.get(label, [])
        if not functions and label not in excused:
            yield f"{label!r} has no function; add @implements, or a reason to without_function"
        if functions and label in excused:
            yield f"{label!r} has {functions[0]} and stands under without_function"
        if not found.count(label):
            yield f"{label!r} has no receipt"
    for label in sorted(set(excused) - found.on_pages):
        yield f"{label!r} stands under without_function, and no page has it"


def _receipt_gaps(found: Checked) -> Iterable[str]:
    for page, kept in sorted(found.receipts.items()):
        for receipt in kept:
            if receipt.label not in found.on_pages | found.other_labels:
                yield f"{page}: a receipt for {receipt.label!r}, which no page has"
            if not receipt.holds():
                yield f"{page}: the receipt of {receipt.label!r} does not hold"
            elif not receipt.can_fail():
                yield f"{page}: the receipt of {receipt.label!r} holds with its prediction moved"


def implementations() -> dict[str, list[str]]:
    """Label: the functions that implement it, with every module of the package imported."""
    for module in pkgutil.walk_packages(linear_icl.__path__, "linear_icl."):
        importlib.import_module(module.name)
    return {label: list(names) for label, names in REGISTRY.items()}
