"""Every receipt of the run, from its record, with its prediction moved: each must be refused.

python -m pytest --nbval book && python -m pytest tests/receipts
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import jupytext
import pytest
from linear_icl_book import receipts

from book._ext.fresh_cache import receipts_file
from tests.nbval_pages.reference import executable_pages

ROOT = Path(__file__).resolve().parents[2]


def _calls(page: Path) -> int:
    """How many calls of `receipt` the code of a page holds."""
    cells = [cell.source for cell in jupytext.read(page).cells if cell.cell_type == "code"]
    nodes = [node for cell in cells for node in ast.walk(ast.parse(cell))]
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return sum(isinstance(call, ast.Name) and call.id == "receipt" for call in calls)


WITH_RECEIPTS = [page for page in executable_pages(ROOT) if _calls(page)]


def test_some_page_has_receipts() -> None:
    assert WITH_RECEIPTS


@pytest.mark.parametrize("page", WITH_RECEIPTS, ids=lambda page: page.stem)
def test_each_recorded_receipt_refuses_every_moved_prediction(page: Path) -> None:
    path = receipts_file(ROOT, str(page.relative_to(ROOT).with_suffix("")))
    assert path.is_file(), f"no receipts of {page.name}: run python -m pytest --nbval book first"
    recorded = receipts.read(path)
    assert len(recorded) >= _calls(page), Counter(entry.label for entry in recorded)
    for entry in recorded:
        assert entry.holds(), entry.row()
        moved = list(entry.moved())
        assert len(moved) >= entry.predicted.size > 0
        assert not any(entry.holds(prediction) for prediction in moved), entry.row()
