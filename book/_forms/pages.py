"""Reads the built book: its pages in order, and of each what a form of the book needs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from pathlib import Path

import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[2]
SHEET = re.compile(r'<link\b[^>]*\bhref="([^"]+\.css[^"]*)"')
SCRIPT = re.compile(r'<script\b[^>]*\bsrc="([^"]+)"')
GLYPH = re.compile(r'<path id="(mx-[\w-]+)" d="([^"]*)"/>')
HEADING = re.compile(r"<h1>(.*?)<a class=\"headerlink", re.DOTALL)
SVG_EDGE = re.compile(r"<svg\b|</svg>")
STATE = re.compile(
    r'<script type="application/vnd\.jupyter\.widget-state\+json">(.*?)</script>', re.DOTALL
)
KEPT = re.compile(r'<svg data-kept="(\d+)"></svg>')
TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True)
class Page:
    """One built page; `name` as in _toc.yml, `part` its caption there, empty for the root."""

    name: str
    part: str
    file: Path

    @property
    def stem(self) -> str:
        return self.file.stem

    @cached_property
    def html(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @cached_property
    def article(self) -> str:
        """The HTML inside its <article>."""
        _, _, inside = self.html.partition("<article")
        inside, end, _ = inside.partition("</article>")
        if not end:
            raise ValueError(f"{self.file} must have an <article>, got none; run: make book")
        return inside.partition(">")[2]

    @cached_property
    def glyphs(self) -> dict[str, str]:
        """The outlines that its formulas refer to, by their id, which is the same on every page."""
        return dict(GLYPH.findall(self.html))

    @cached_property
    def title(self) -> str:
        """As its heading has it, number included: "3 Gradient flow finds the minimum"."""
        found = HEADING.search(self.article)
        if found is None:
            raise ValueError(f"{self.file} must have a heading, got none; run: make book")
        words = unescape(TAG.sub("", without_drawings(found[1], lambda drawing: "")))
        return re.sub(r"^(\d+)\. ", r"\1 ", " ".join(words.split()))

    @property
    def number(self) -> str:
        """Of the chapter; empty in the back matter."""
        head = self.title.partition(" ")[0]
        return head if head.isdigit() else ""

    @property
    def state(self) -> str:
        """The element that holds the data of its live figures; empty without any."""
        found = STATE.search(self.html)
        return found[0] if found else ""

    @property
    def figures(self) -> dict[str, str]:
        """The name that links give a live figure, by the id of its model."""
        found = STATE.search(self.html)
        models = json.loads(found[1])["state"] if found else {}
        states = {key: model["state"] for key, model in models.items()}
        named = {key: state.get("spec", state).get("name") for key, state in states.items()}
        return {key: name for key, name in named.items() if name}

    @property
    def sheets(self) -> list[str]:
        """The addresses of its style sheets, from its own folder."""
        return SHEET.findall(self.html)

    @property
    def scripts(self) -> list[str]:
        return SCRIPT.findall(self.html)


def glyph_sheet(glyphs: Mapping[str, str]) -> str:
    """The outlines that formulas refer to, as an element of the page."""
    paths = "".join(f'<path id="{name}" d="{d}"/>' for name, d in glyphs.items())
    return f'<svg class="glyphs" width="0" height="0" aria-hidden="true"><defs>{paths}</defs></svg>'


def read(built: Path) -> list[Page]:
    """The pages of the book built in `built`, in the order of _toc.yml.

    FileNotFoundError if one is not there."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    named = [(toc["root"], "")] + [
        (entry["file"], part["caption"]) for part in toc["parts"] for entry in part["chapters"]
    ]
    pages = [Page(name, part, built / f"{name}.html") for name, part in named]
    for page in pages:
        if not page.file.is_file():
            raise FileNotFoundError(f"{page.file} is missing; run: make book")
    return pages


def without_drawings(html: str, instead: Callable[[str], str]) -> str:
    """`html` with `instead(drawing)` for every drawing: an SVG may hold others, as formulas do."""
    kept, end, depth, start = [], 0, 0, 0
    for edge in SVG_EDGE.finditer(html):
        if edge[0] == "</svg>":
            depth -= 1
            if depth == 0:
                kept += [html[end:start], instead(html[start : edge.end()])]
                end = edge.end()
        else:
            start = edge.start() if depth == 0 else start
            depth += 1
    return "".join([*kept, html[end:]])


class Light:
    """HTML as a tree without its drawings, which are nine tenths of a page: kept aside instead."""

    def __init__(self, html: str) -> None:
        self._drawings: list[str] = []
        self.soup = BeautifulSoup(without_drawings(html, self._keep), "html.parser")

    def _keep(self, drawing: str) -> str:
        self._drawings.append(drawing)
        return f'<svg data-kept="{len(self._drawings) - 1}"></svg>'

    def whole(self, html: str) -> str:
        """`html`, a part of the tree, with its drawings."""
        return KEPT.sub(lambda match: self._drawings[int(match[1])], html)
