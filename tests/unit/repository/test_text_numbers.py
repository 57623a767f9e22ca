"""Every number in a page's text is tied to a computation or listed with a reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from tests.text import exercises, prose
from tests.text.page import UNTIED, Judged, judge, pages, text_of, tie_up, ties_of, waiting
from tests.text.scan import WORDS, Number, numbers
from tests.text.ties import Claim, Settled, about, cell, given, printed

COMPLETE = [name for name in pages() if not waiting(name)]


def judged(text: str, ties: dict[str, Any] | None = None) -> Judged:
    return judge("a_page", text, ties or {})


@pytest.mark.parametrize("name", pages())
def test_no_number_of_a_page_is_wrong_and_none_new_is_loose(name: str) -> None:
    page = judge(name, text_of(name), ties_of(name))
    assert page.wrong == []
    assert [page.place(number) for number in page.loose()] == [], (
        f"tie them in tests/text/numbers/{name}.py, or list them there with a reason"
    )


@pytest.mark.parametrize("name", pages())
def test_no_word_of_direction_is_loose(name: str) -> None:
    """Each lies in a phrase that is computed (CLAIMS, NUMBERS) or claims nothing (SETTLED)."""
    assert judge(name, text_of(name), ties_of(name)).directions() == []


def test_a_word_of_direction_in_no_phrase_is_seen() -> None:
    text = "The risk falls with N.\n\nThe rate is larger\nfor small noise; {ref}`fell`.\n"
    held = {"rate is larger": Settled("a hypothesis")}
    assert [one[:2] for one in judged(text, held).directions()] == ["1:"]
    assert judged(text, held | {"risk falls with": Claim(True)}).directions() == []
    assert judged(text, held | {"risk rises with": Claim(True)}).wrong
    assert judged("falls", held).wrong


def test_words_that_a_drawing_is_judged_by_are_held_in_its_alternative_alone() -> None:
    words = "Least squares falls without end"
    cell = f'```{{code-cell}}\nLiveFigure(f, alt="{words}; it falls.")\n```\n'
    loose = judge("icl_definitions", f"{words}.\n\n{cell}", {}).directions()
    assert [one[:2] for one in loose] == ["1:", "4:"]
    assert len(judged(cell).directions()) == 2, "another page"


@pytest.mark.parametrize("name", pages())
def test_no_number_of_an_exercise_is_loose(name: str) -> None:
    page = judge(name, text_of(name), ties_of(name))
    loose = [
        page.place(number)
        for block in exercises.blocks(page.shown)
        for number in page.untied
        if block.start() <= number.start < block.end()
    ]
    assert loose == []


def test_pages_that_wait_are_pages() -> None:
    assert set(re.findall(r"^(\w+):", UNTIED.read_text("utf-8"), re.M)) <= set(pages())


def test_a_number_that_waits_may_go_but_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.text.page.waiting", lambda name: Counter(["17", "18", "18"]))
    for text, loose in {
        "17, 18 or 18": [],
        "18.": [],
        "17, 17": ["17", "17"],
        "19": ["19"],
    }.items():
        assert [number.text for number in judged(text).loose()] == loose


def altered(number: Number) -> Iterator[str]:
    """The number with its last digit changed; a word by another word."""
    if number.text.lower() in WORDS:
        yield "twelve" if number.text.lower() != "twelve" else "eleven"
    elif digits := list(re.finditer(r"\d", number.text)):
        at = digits[-1].start()
        yield number.text[:at] + str((int(number.text[at]) + 1) % 10) + number.text[at + 1 :]


def paragraph(text: str, start: int, end: int) -> tuple[int, int]:
    return text.rfind("\n\n", 0, start) + 2, (text + "\n\n").index("\n\n", end)


@pytest.mark.parametrize("name", COMPLETE)
def test_a_tied_number_cannot_be_changed_together_with_its_quotation(name: str) -> None:
    """Changed on the page alone, the quotation is no longer found."""
    page, unseen = text_of(name), []
    for quotation, tie in ties_of(name).items():
        ((start, end),) = prose.find(quotation, shown := prose.shown(page))
        first, last = paragraph(shown, start, end)
        text, start, end = shown[first:last], start - first, end - first
        right = Judged(name, text)
        tie_up(right, numbers(text), quotation, tie, page)
        for number in right.tied:
            for other in altered(number):
                wrong = Judged(name, text[: number.start] + other + text[number.end :])
                said = wrong.shown[start : end + len(other) - len(number.text)]
                tie_up(wrong, numbers(wrong.shown), said, tie, page)
                unseen += [] if wrong.wrong else [f"{number.text} in {quotation!r}"]
    assert unseen == []


PAGE = """---
kernelspec: 3
---
(a-label-17)=
# Step 12, a heading of 40 words

```{code-cell}
---
mystnb:
  figure:
    name: fig-99
    caption: Mean of 4000 draws.
---
LiveFigure(f, x=123, alt="Twenty curves, "
    "33 of them red.")
```

By Theorem 4.2 and {eq}`eq-7` (see (5.7), `f(77)`) Garg (2022) has $x_{12}^{34}+5y$,
$\\gamma_1=\\frac98\\cdot2+\\frac5{16}=\\frac{41}{16}$, $12k^2$, $44\\,\\%$ and 10 000 or 3.25 of
{cite:t}`a2024`.

:::{admonition} With 5 % noise
:class: note
:::
"""


def test_the_scanner_sees_what_a_reader_sees() -> None:
    found = numbers(prose.shown(PAGE))
    values = [
        40,
        4000,
        20,
        33,
        Fraction(41, 16),
        Fraction(41, 16),
        12,
        Fraction(44, 100),
        10_000,
        Fraction(13, 4),
        Fraction(1, 20),
    ]
    assert [number.value for number in found] == values
    assert [number.unit for number in found if number.unit] == [
        Fraction(1, 100),
        Fraction(1, 100),
        Fraction(1, 100),
    ]


@pytest.mark.parametrize(
    ("said", "value", "right"),
    [
        (r"$\frac{41}{16}$", Fraction(41, 16), True),
        (r"$\frac{41}{16}$", 2.5625, True),
        (r"$\frac{41}{16}$", 2.5626, False),
        ("0.188", 0.18788, True),
        ("0.188", 0.1875, True),
        ("0.188", 0.1874, False),
        ("0.188", Fraction(189, 1000), False),
        (r"$44\,\%$", Fraction(77, 164) / Fraction(375, 1148) - 1, True),
        (r"$45\,\%$", Fraction(77, 164) / Fraction(375, 1148) - 1, False),
        ("about a quarter", about(0.261, within=0.05), True),
        ("about a quarter", about(0.29, within=0.05), False),
        (r"$\frac{16\sqrt2}{41}$", 16 * 2**0.5 / 41, True),
        (r"$3=2+1=\frac62$", 3, True),
        (r"$3=2+2$", 3, False),
        ("4000 of 5000", (4000, 5000), True),
        ("4000 of 5000", (5000, 4000), False),
        ("4000 of 5000", (4000, given("a bound")), True),
    ],
)
def test_what_agrees(said: str, value: Any, right: bool) -> None:
    page = judged(f"It is {said} here.", {said.strip("$"): value})
    assert (page.wrong == []) is right
    assert page.untied == []


@pytest.mark.parametrize(
    ("text", "quotation", "message"),
    [
        ("It is 17. It is 17.", "is 17", "stands 2 times"),
        ("It is 18.", "is 17", "stands 0 times"),
        ("It is small. 17", "is small", "has no number"),
        ("It is 17 of 18 or 19.", "17 of 18 or 19", "2 values for 3 numbers"),
    ],
)
def test_a_quotation_that_does_not_fit_is_said(text: str, quotation: str, message: str) -> None:
    (wrong,) = judged(text, {quotation: (17, 18)}).wrong
    assert message in wrong


def test_numbers_of_cells_and_of_their_output() -> None:
    text = "On 500 draws.\n\n```{code-cell}\nf(count=500)\n```\n"
    assert judged(text, {"On 500 draws": cell("count={})")}).wrong == []
    assert judged(text.replace("=500", "=501"), {"On 500 draws": cell("count={})")}).wrong
    assert judged(text, {"On 500 draws": cell("number={}")}).wrong
    longest = printed("largest N with a local minimum: {}")
    assert judge("pl_convergence", "Up to 34.", {"to 34": longest}).wrong == []
    assert judge("pl_convergence", "Up to 35.", {"to 35": longest}).wrong


EXERCISE = """```{{exercise-start}} Length
:label: ex-noise-length
```
For $d={d}$, $M={M}$ and $\\sigma^2=3$.
```{{exercise-end}}
"""


def test_an_exercise_has_the_numbers_of_the_registry() -> None:
    right = judged(EXERCISE.format(d=2, M=20))
    assert (len(right.tied), right.wrong, right.untied) == (3, [], [])
    wrong = judged(EXERCISE.format(d=2, M=25))
    assert len(wrong.untied) == 1
    assert any("M = 20 of the registry is not in the text" in fault for fault in wrong.wrong)
    exchanged = judged(EXERCISE.format(d=20, M=2))
    assert "the text has d = 20, the registry 2" in exchanged.wrong[0]
