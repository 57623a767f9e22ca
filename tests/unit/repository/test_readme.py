"""What README promises: its example runs, its commands exist, its sentences hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import torch
from torch.testing import assert_close

from tests.text.prose import find
from tests.text.readme import SENTENCES

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_example_ends_at_the_limit() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    U, u = names["flow"].state(-1)
    product = names["W_PV"][-1, -1] * names["W_KQ"][:2, :2]
    numbers = json.loads((ROOT / "book" / "numbers.json").read_text("utf-8"))
    assert re.findall(r"\(Theorem ([\d.]+)\)", code) == [
        numbers["labels"]["thm-limit"][1].split()[1]
    ]
    first, scale = names["start"]
    assert_close(first, 0.1 * torch.eye(2).double() / 2**0.5)
    assert float(scale) == 0.1
    # a gap of 1e-10 is the square of a distance of 1e-5, times curvatures of order one
    assert_close(u * U, product, rtol=0, atol=1e-4)


def test_the_targets_and_files_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"\bmake ([a-z-]+)", README))
    assert {"book", "test", "lab", "help"} <= targets
    assert [name for name in targets if f"\n{name}:" not in makefile] == []
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert [path for path in links if not (ROOT / path).exists()] == []


def missing(readme: str) -> list[str]:
    """The sentences of the table that do not stand once in README."""
    return [sentence for sentence in SENTENCES if len(find(sentence, readme)) != 1]


def test_every_sentence_of_the_table_stands_in_readme_and_holds() -> None:
    assert [sentence for sentence, holds in SENTENCES.items() if not holds] == []
    assert missing(README) == []
    assert len(missing(README.replace("half an hour", "an hour"))) == 1
