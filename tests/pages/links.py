"""The links of the built book: where each leads, and whether it arrives. No browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ADDRESSES = {"href", "src", "poster", "action", "data"}
STATE = "application/vnd.jupyter.widget-state+json"


@dataclass
class Document(HTMLParser):
    """What a page links to, and the places in it that links may name."""

    path: Path
    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    figures: dict[str, list[str]] = field(default_factory=dict)
    _in_state: bool = False

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value or "")
            elif name in ADDRESSES and value is not None and (tag, name) != ("base", "href"):
                self.links.append(value)
            elif name == "srcset":
                self.links += [part.split()[0] for part in (value or "").split(",")]
        self._in_state = tag == "script" and ("type", STATE) in attrs

    def handle_endtag(self, tag: str) -> None:
        self._in_state = False

    def handle_data(self, data: str) -> None:
        """The names of the page's live figures, with those of their controls."""
        if self._in_state:
            for model in json.loads(data)["state"].values():
                if "spec" in model["state"]:
                    spec = model["state"]["spec"]
                    self.figures[spec["name"]] = [axis["name"] for axis in spec["axes"]]
                elif "figure" in model["state"]:  # it computes in the page: traits are its controls
                    self.figures[model["state"]["name"]] = list(model["state"])


@cache
def document(path: Path) -> Document:
    return Document(path)


def pages(folder: Path) -> list[Path]:
    """Every page of a built book, without the snippets among its assets."""
    found = sorted(folder.rglob("*.html"))
    return [path for path in found if "_static" not in path.relative_to(folder).parts]


def is_outside(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def outside(folder: Path) -> dict[str, list[str]]:
    """Every address elsewhere, without its fragment, and the pages that link to it."""
    found: dict[str, list[str]] = {}
    for path in pages(folder):
        for link in document(path).links:
            if link.startswith(("http://", "https://")):
                name = path.relative_to(folder).as_posix()
                found.setdefault(link.split("#")[0], []).append(name)
    return found


def broken(folder: Path, path: Path) -> Iterator[str]:
    """The links of one page that do not arrive in `folder`."""
    for link in document(path).links:
        if is_outside(link):
            continue
        parts = urlsplit(link)
        target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
        if not target.is_relative_to(folder.resolve()):
            yield f"{link}: leaves the book"
        elif not target.is_file():
            yield f"{link}: no such file"
        elif parts.fragment and target.suffix == ".html":
            yield from missing(link, unquote(parts.fragment), document(target))


def missing(link: str, fragment: str, target: Document) -> Iterator[str]:
    """A fragment names a place, or live figures with the values of their controls, or both."""
    for part in fragment.split("&"):
        name, is_figure, values = part.partition("=")
        if not is_figure:
            if name not in target.ids:
                yield f"{link}: no place {name!r} on that page"
        elif name not in target.figures:
            yield f"{link}: no live figure {name!r} on that page"
        else:
            for pair in values.split(","):
                axis = pair.partition(":")[0]
                if axis not in target.figures[name]:
                    yield f"{link}: no control {axis!r} of the figure {name!r}"
