"""CITATION.cff, the one source of how to cite the book, and BibTeX made from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

FILE = "CITATION.cff"
WANTED = ("title", "authors", "version", "date-released", "abstract", "license")
KEY = "linear-icl"
SPECIAL = re.compile(r"([&%#_{}$])")


@dataclass(frozen=True)
class Citation:
    """What CITATION.cff says."""

    title: str
    authors: tuple[str, ...]
    version: str
    year: int
    abstract: str


def read_citation(root: Path) -> Citation:
    """The citation of the book whose top folder is `root`.

    ValueError if a field is missing."""
    data = yaml.safe_load((root / FILE).read_text(encoding="utf-8"))
    if missing := [name for name in WANTED if name not in data]:
        raise ValueError(f"{FILE} must have {', '.join(WANTED)}; add {', '.join(missing)}")
    return Citation(
        data["title"],
        tuple(map(_name, data["authors"])),
        str(data["version"]),
        data["date-released"].year,
        " ".join(data["abstract"].split()),
    )


def _name(author: Mapping[str, str]) -> str:
    """ "Family, Given", or the name of a group in braces, which BibTeX does not take apart."""
    if "name" in author:
        return f"{{{author['name']}}}"
    return f"{author['family-names']}, {author['given-names']}"


def bibtex(citation: Citation, url: str = "", *, part: str = "", label: str = "") -> str:
    """A BibTeX entry of the book, or of its `part`, such as "Theorem 3.1 (Limit)", with its label.

    `url` is left out while it is empty."""
    title = _escaped(citation.title)
    fields = {
        "author": " and ".join(citation.authors),
        "title": f"{_escaped(part)}. In: {title}" if part else title,
        "year": str(citation.year),
        "note": f"Version {citation.version}",
        "url": url,
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{f'{KEY}:{label}' if label else KEY},\n" + ",\n".join(lines) + "\n}"


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)
