"""A row of a table of results asks for what its theorems ask for, and for nothing else.

Compared are conditions that are formulas, such as `$\\tau>0$`: one that is dropped at one of the
two places is seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml

from tests.text.page import pages, text_of, unlike
from tests.text.ties import ROOT

SUMMARIES = yaml.safe_load((ROOT / "tests/text/summaries.yml").read_text("utf-8"))

STATEMENT = re.compile(
    r"^(:{3,})\{prf:(?!proof)\w+\}[^\n]*\n:label: ([\w-]+)\n(.*?)^\1$", re.M | re.S
)
CONDITION = re.compile(r"([^=<>]+?)(>0|\\succ0|\\ne0|\\ge2)")
#: Conditions that a row says in words, or in other letters.
IN_WORDS = {
    r"u_0>0": r"asm-init|u(\(0\))?>0",
    r"\lambda_i>0": "random|independent copies|axes",
    r"\|\beta^\ast\|_\Lambda>0": "large means",
    r"\Lambda\succ0": r"\\Lambda=\\Psi=I|span",
    r"\Psi\succ0": r"\\Lambda=\\Psi=I",
    r"d\ge2": "small means",
}
#: What a row adds: where the theorem has a formula that says it.
ADDED = {r"\Lambda_{\mathrm{ctx}}\succ0", r"\sigma^2>0"}


def conditions(text: str) -> set[str]:
    found = [CONDITION.fullmatch(one.replace(" ", "")) for one in re.findall(r"\$([^$]+)\$", text)]
    pairs = [(left, one[2]) for one in found if one for left in one[1].split(",")]
    return {left.replace("(0)", "") + relation for left, relation in pairs}


def hypotheses(statement: str) -> set[str]:
    """The conditions of its sentences that begin with "Let" or "Under"."""
    sentences = re.split(r"(?<=[.:])\s+|\n\n", statement)
    return conditions(" ".join(one for one in sentences if re.match("Let|Under", one)))


def rows(page: str) -> Iterator[tuple[list[str], str]]:
    """The results that a row names, and its first two cells: the result, and when it holds."""
    for line in re.findall(r"^\|.*\|.*\|.*\|$", page, re.M):
        said = " ".join(line.strip("|").split("|")[:2])
        if "({prf:ref}" in (result := line.split("|")[1]):
            yield re.findall(r"\{prf:ref\}`([\w-]+)`", result), said


def faults(texts: list[str]) -> list[str]:
    known = {label: body for text in texts for _, label, body in STATEMENT.findall(text)}
    found = []
    for labels, said in (row for text in texts for row in rows(text)):
        bodies = [known[label] for label in labels if label in known]
        asked, has = set().union(*map(hypotheses, bodies)), conditions(said)
        missing = {one for one in asked - has if not re.search(IN_WORDS.get(one, "(?!)"), said)}
        strange = has - set().union(ADDED, *map(conditions, bodies))
        found += [f"the row of {labels} lacks {one}, which they need" for one in missing]
        found += [f"the row of {labels} has {one}, which they lack" for one in strange if bodies]
    return sorted(found)


def test_a_row_of_results_asks_for_what_its_theorems_ask_for() -> None:
    assert faults([text_of(name) for name in pages()]) == []


def test_a_dropped_hypothesis_is_seen_at_both_places() -> None:
    theorem = ":::{prf:theorem} T\n:label: thm-t\nLet $\\tau>0$, all else fixed. It holds.\n:::\n"
    row = "| it ({prf:ref}`thm-t`) | any start, $\\tau>0$ | no noise |\n"
    assert faults([theorem, row]) == []
    assert "lacks" in faults([theorem, row.replace(", $\\tau>0$", "")])[0]
    assert "has" in faults([theorem.replace("$\\tau>0$, ", ""), row])[0]


# ---- which result a summary names ---------------------------------------------------------------


def named(page: str) -> Iterator[tuple[str, str]]:
    """Each result in parentheses in a table of results or under "What is new", and what it is
    called."""
    new = page.partition("## What is new here")[2].partition("\n## ")[0].split("\n- ")
    for part in [*new, *(line.split("|")[1] for line in re.findall(r"^\|.*\|.*\|$", page, re.M))]:
        for piece in re.findall(r"(.*?)\((\{prf:ref\}[^)]*)\)", part):
            yield from ((label, piece[0]) for label in re.findall("`([^`]+)`", piece[1]))


@pytest.mark.parametrize("name", pages())
def test_a_summary_names_the_result_that_it_means(name: str) -> None:
    assert unlike(named(text_of(name)), SUMMARIES) == []


def test_the_name_of_another_result_is_seen() -> None:
    page = text_of("intro")
    assert unlike(named(page.replace("`prp-unbalanced`", "`prp-stability`")), SUMMARIES) != []
    assert len(list(named(page))) == 8
    assert {label for name in pages() for label, _ in named(text_of(name))} == set(SUMMARIES)
