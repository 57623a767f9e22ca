"""The moving picture of README is the first figure's own."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from linear_icl_book.live import Hero

from book._forms.moving_picture import ALT, FILE, frames, moving


def test_the_picture_is_what_the_figure_draws() -> None:
    assert FILE.read_text("utf-8") == moving(frames()), "run: python -m book._forms.moving_picture"


def test_every_picture_is_seen_in_its_turn_and_the_last_without_motion() -> None:
    text = FILE.read_text("utf-8")
    groups = [g for g in ET.fromstring(text) if g.tag.endswith("}g")]
    assert [g.get("class") for g in groups] == [f"f{k}" for k in range(Hero().M + 1)]
    said = ["".join(g.itertext()) for g in groups]
    assert "One example read" in said[0] and "twice as wide" in said[-1]
    assert all("No weight changed" in words for words in said)
    assert "prefers-reduced-motion" in text and f"f{Hero().M}{{opacity:1}}" in text
    assert ALT in text and len(text) < 40_000


def test_another_form_of_still_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(self: Any) -> str:
        return "<svg></svg>"

    monkeypatch.setattr(Hero, "svg", other)
    with pytest.raises(ValueError, match="one <svg> with one <style>"):
        moving(frames())
