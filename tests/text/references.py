"""book/references.bib: entries that agree with themselves, and stay as they were read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import yaml
from pybtex.database import Entry, parse_string

from tests.text.ties import ROOT

BIB = ROOT / "book" / "references.bib"
COMPARED: Mapping[str, str] = yaml.safe_load(
    (ROOT / "tests/text/references.yml").read_text("utf-8")
)
# Volumes that count years: of which journal or conference, and the year before the first.
COUNTED = {"Neural Information Processing": 1987, "Journal of Machine Learning Research": 1999}


def faults(text: str) -> list[str]:
    entries = parse_string(text, "bibtex").entries
    found = [f"{key}: no entry any more" for key in COMPARED if key not in entries]
    for key, entry in entries.items():
        found += [f"{key}: {fault}" for fault in inconsistent(key, entry)]
        if COMPARED.get(key, "none").split()[0] != digest(entry):
            found.append(f"{key}: compare it with its source, then list {digest(entry)} for it")
    return found


def digest(entry: Entry) -> str:
    """Eight digits that change with any word of the entry, not with its order or spaces."""
    people = {role: [str(one) for one in them] for role, them in entry.persons.items()}
    words = {name.lower(): " ".join(value.split()) for name, value in entry.fields.items()}
    said: Any = sorted({"kind": entry.type, **words, **people}.items(), key=lambda pair: pair[0])
    return hashlib.sha256(repr(said).encode()).hexdigest()[:8]


def inconsistent(key: str, entry: Entry) -> list[str]:
    get = entry.fields.get
    year, where = get("year", ""), get("journal", "") + get("booktitle", "")
    found = [] if year in key else [f"the key has another year than {year}"]
    preprint = re.search(r"arXiv preprint arXiv:(\d\d)", where)
    if preprint and f"20{preprint[1]}" != year:
        found.append(f"a preprint of 20{preprint[1]} has the year {year}")
    first, _, last = get("pages", "").partition("--")
    if last and int(first) > int(last):
        found.append(f"pages {first} to {last}")
    for name, start in COUNTED.items():
        if name in where and "volume" in entry.fields and int(year) - int(get("volume")) != start:
            found.append(f"volume {get('volume')} is not that of {year}")
    return found
