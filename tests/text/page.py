"""A page judged: which of its numbers are tied, which are listed, what is wrong."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from sphinx_external_toc.parsing import parse_toc_yaml

from tests.pages.alts import ALTS
from tests.pages.stills import STILLS
from tests.text import exercises, prose
from tests.text.scan import Number, numbers
from tests.text.ties import ROOT, Claim, Given, Settled, agrees, expected

UNTIED = ROOT / "tests" / "text" / "untied.yml"
# Settings that many pages repeat; they may stand any number of times.
EVERYWHERE: Mapping[str, str] = {
    r"\Lambda=\operatorname{diag}(2,\frac12)": "the running example",
    r"\Lambda=\operatorname{diag}(2,\tfrac12)": "the running example",
    "$N=8$": "the running example",
    "$d=2$": "the running example",
    r"d\ge2": "a condition",
}
# What says that one thing is more than another, or becomes so: a claim, unless a reason is given.
DIRECTION = re.compile(
    r"\b(grows?|grew|growing|falls?|fell|falling|rises?|rose|rising|shrinks?|larger|largest|smaller"
    r"|smallest|above|below|higher|lower|less|fewer|decreas\w*|increas\w*|faster|slower|steeper|flatter"
    r"|worse|better|narrower|wider|farther|nearer|at most|at least|vanish\w*|diverg\w*)\b"
)
# Of a chapter, below its title; the list of chapters repeats it (test_binder.py compares).
READING_TIME = re.compile(r"\*\*Ideas\*\*: [^.]+\. \*\*Every proof\*\*: [^.]+\.")


@dataclass
class Judged:
    """Numbers by what became of them; `wrong` has a sentence for each fault."""

    name: str
    shown: str
    tied: set[Number] = field(default_factory=set)
    listed: dict[Number, str] = field(default_factory=dict)
    untied: list[Number] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    said: list[tuple[int, int]] = field(default_factory=list)  # where quotations stand

    def directions(self) -> list[str]:
        """The words of direction that no quotation holds, outside what exercises ask."""
        text = prose.prose(exercises.BLOCK.sub(lambda one: prose.blank(one[0]), self.shown))
        loose = [
            (word.start(), word.end())
            for word in DIRECTION.finditer(text)
            if not any(first <= word.start() < last for first, last in self.said)
        ]
        return [
            f"{self.line(start)}: {' '.join(self.shown[max(0, start - 60) : end + 30].split())}"
            for start, end in loose
        ]

    def loose(self) -> list[Number]:
        """The untied numbers that do not wait: new ones, or changed."""
        left = waiting(self.name)
        left.subtract(map(word, self.untied))
        return [n for n in self.untied if left[word(n)] < 0]

    def place(self, number: Number) -> str:
        """A line for the number: where it stands, and between which words."""
        around = self.shown[max(0, number.start - 40) : number.end + 25]
        return f"book/{self.name}.md:{self.line(number.start)}: {' '.join(around.split())}"

    def line(self, at: int) -> int:
        return self.shown.count("\n", 0, at) + 1


def word(number: Number) -> str:
    """A number as `untied.yml` has it."""
    return "".join(number.text.lower().split())


def pages() -> list[str]:
    return [
        str(name).removeprefix("book/").removesuffix(".md")
        for name in parse_toc_yaml(ROOT / "_toc.yml")
        if str(name).startswith("book/")
    ]


def text_of(name: str) -> str:
    return (ROOT / "book" / f"{name}.md").read_text("utf-8")


@functools.cache
def ties_of(name: str) -> Mapping[str, Any]:
    """NUMBERS, CLAIMS, SETTLED of tests/text/numbers/<page>.py; a page without it has none."""
    module = f"tests.text.numbers.{name}"
    if importlib.util.find_spec(module) is None:
        return {}
    found = importlib.import_module(module)
    claims = {quotation: Claim(holds) for quotation, holds in getattr(found, "CLAIMS", {}).items()}
    settled = {
        quotation: Settled(reason)
        for reason, quotations in getattr(found, "SETTLED", {}).items()
        for quotation in quotations
    }
    return {**getattr(found, "NUMBERS", {}), **claims, **settled}


def waiting(name: str) -> Counter[str]:
    """The numbers of the page that wait for a tie, each as often as it may stand there."""
    pages: Mapping[str, list[str]] = yaml.safe_load(UNTIED.read_text("utf-8")) or {}
    return Counter(pages.get(name, []))


def judge(name: str, text: str, ties: Mapping[str, Any]) -> Judged:
    shown = prose.shown(text)
    found = numbers(shown)
    judged = Judged(name, shown)
    for quotation, tie in ties.items():
        tie_up(judged, found, quotation, tie, text)
    judged.said += drawn(name, shown, text)
    for quotation, reason in EVERYWHERE.items():
        for span in prose.find(quotation, shown):
            judged.listed.update(dict.fromkeys(_within(found, span), reason))
    for time in READING_TIME.finditer(shown):
        judged.listed.update(dict.fromkeys(_within(found, time.span()), "a reading time"))
    for block in exercises.blocks(shown):
        judged.tied |= exercises.tied(block, found)
        judged.wrong += exercises.faults(block, found)
    judged.untied = [n for n in found if n not in judged.tied and n not in judged.listed]
    return judged


def drawn(name: str, shown: str, text: str) -> list[tuple[int, int]]:
    """Words of the text alternatives that tests/pages judges in what the built page draws."""
    cells = [cell.span() for cell in prose.CELL.finditer(text)]
    rows = [words for (page, _), rows in ALTS.items() if page == name for words in rows]
    spans = [span for words in (*rows, *STILLS) for span in prose.find(words, shown)]
    return [span for span in spans if any(a < span[0] < b for a, b in cells)]


def tie_up(judged: Judged, found: list[Number], quotation: str, tie: Any, text: str) -> None:
    """Marks the numbers of the quotation as tied or listed; `text` is the page, for its cells."""
    spans = prose.find(quotation, judged.shown)
    judged.said += spans
    if len(spans) != 1:
        judged.wrong.append(f"{quotation!r} stands {len(spans)} times on the page, not once")
        return
    if isinstance(tie, Settled):
        return
    if isinstance(tie, Claim):
        if not tie.holds:
            judged.wrong.append(f"{quotation!r} is false")
        return
    meant = _within(found, spans[0])
    if not meant:
        judged.wrong.append(f"{quotation!r} has no number")
        return
    try:
        values = expected(tie, len(meant), judged.name, text)
    except ValueError as error:
        judged.wrong.append(f"{quotation!r}: {error}")
        return
    for number, value in zip(meant, values, strict=True):
        if isinstance(value, Given):
            judged.listed[number] = value.reason
        elif value is not Ellipsis:
            judged.tied.add(number)
            if not agrees(number, value):
                judged.wrong.append(f"{judged.place(number)}: {number.text} is {value}")


def _within(found: list[Number], span: tuple[int, int]) -> list[Number]:
    return [number for number in found if span[0] <= number.start and number.end <= span[1]]


def unlike(named: Iterable[tuple[str, str]], patterns: Mapping[str, str]) -> list[str]:
    """Each name whose words lack the pattern that is listed for it, or that is not listed."""
    return [
        f"{name!r} asks for {patterns.get(name, 'a line in the list')!r}, not {words[:90]!r}"
        for name, words in named
        if not re.search(patterns.get(name, "(?!)"), words)
    ]
