"""What others see of a page: a description without formulas, the day of git."""

from __future__ import annotations

import subprocess
from pathlib import Path

from docutils import nodes

from book._ext.sharing import BOOK, LONGEST, SENTENCE, described, last_changes

ROOT = Path(__file__).resolve().parents[3]
FIRST = "A prompt measures its task with noise, and a layer must know how far to trust it."


def page(*parts: nodes.Node) -> nodes.Node:
    return nodes.container("", nodes.section("", *parts))


def test_the_description_is_whole_sentences_of_running_text() -> None:
    box = nodes.admonition("", nodes.paragraph("", "In a box, " + FIRST))
    formula = nodes.paragraph("", "Of length ", nodes.math("", "N"), nodes.Text(" is " + FIRST))
    text = nodes.paragraph("", FIRST.replace(" ", "\n", 1) + " Then " + "more " * LONGEST + ".")
    assert described(page(box, formula, text)) == FIRST
    assert described(page(box, formula, nodes.paragraph("", "Short."))) == ""
    assert described(page(nodes.paragraph("", f"{FIRST} {FIRST}"))) == f"{FIRST} {FIRST}"


def test_the_card_says_what_the_first_page_says() -> None:
    intro = (ROOT / "book" / "intro.md").read_text("utf-8")
    assert SENTENCE in intro and f"# {BOOK}" in intro


def test_dates_are_those_of_the_last_commit(tmp_path: Path) -> None:
    first, shallow = tmp_path / "first", tmp_path / "shallow"
    first.mkdir()

    def git(*words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=first, check=True, capture_output=True)

    def commit(day: str, **files: str) -> None:
        for name, text in files.items():
            (first / f"{name}.md").write_text(text)
        git("add", ".")
        git("commit", "-m", "x", "--date", day)

    assert last_changes(first) == {}
    git("init")
    commit("2026-01-02T12:00", one="a", two="a")
    commit("2026-03-04T12:00", two="b")
    (first / "three.md").touch()
    assert last_changes(first) == {"one.md": "2026-01-02", "two.md": "2026-03-04"}
    git("clone", "--depth=1", first.as_uri(), str(shallow))
    assert (shallow / "one.md").is_file() and last_changes(shallow) == {}
