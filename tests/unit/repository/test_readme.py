"""What README promises: its example runs, its commands exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from torch.testing import assert_close

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_example_ends_at_the_limit() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    U, u = names["flow"].state(-1)
    product = names["W_PV"][-1, -1] * names["W_KQ"][:2, :2]
    # a gap of 1e-10 is the square of a distance of 1e-5, times curvatures of order one
    assert_close(u * U, product, rtol=0, atol=1e-4)


def test_the_targets_and_files_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"\bmake ([a-z-]+)", README))
    assert {"book", "test", "lab", "help"} <= targets
    assert [name for name in targets if f"\n{name}:" not in makefile] == []
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert [path for path in links if not (ROOT / path).exists()] == []
