"""The words at the axes of every figure are those of what the code draws there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nbval_pages.reference import executable_pages
from tests.text.axes import AXES, faults, misnamed, scripted
from tests.text.ties import ROOT

PAGES = executable_pages(ROOT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_labels_of_axes_are_true(page: Path) -> None:
    assert faults(page) == []


def test_the_controls_of_explorables_are_named_after_what_they_set() -> None:
    scripts = (ROOT / "lib/linear_icl_book/live/explore").glob("*.js")
    found = {script.name: scripted(script.read_text("utf-8")) for script in scripts}
    assert sum(map(len, found.values())) > 15
    assert {name: wrong for name, pairs in found.items() if (wrong := misnamed(pairs))} == {}
    for slip in ('N: { label: "M, points at test"', 'noise: { label: "σ², noise in the labels"'):
        assert misnamed(scripted(f"{slip}, low: 1")) != []


def test_every_figure_of_the_table_is_drawn() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert [name for name in AXES if f"    name: {name}\n" not in text] == []


@pytest.mark.parametrize(
    ("page", "old", "new", "fault"),
    [
        (
            "nonlinear_transformers",
            'xlabel="M", ylabel="per cent a',
            'xlabel="N", ylabel="per cent a',
            "has",
        ),
        ("open_questions", 'xlabel="first step", ylabel=', 'ylabel="first step", xlabel=', "has"),
        ("pl_convergence", 'values=late, label="time t"', 'values=late, label="step"', "has"),
        ("distribution_shifts", 'z=dict(label="risk"', 'z=dict(label="bias"', "has"),
        ("gd_beta", " for M in test_lengths", " for N in test_lengths", "in the code ['N']"),
        ("gd_beta", '"N, length in training"', '"M, length in training"', "the control 'N'"),
        ("primer", "name: fig-descent", "name: fig-new", "fig-new has"),
    ],
)
def test_a_wrong_label_is_seen(tmp_path: Path, page: str, old: str, new: str, fault: str) -> None:
    text = (ROOT / "book" / f"{page}.md").read_text("utf-8")
    assert old in text
    (tmp_path / "page.md").write_text(text.replace(old, new), "utf-8")
    wrong = faults(tmp_path / "page.md")
    assert wrong and all(fault in one for one in wrong)
