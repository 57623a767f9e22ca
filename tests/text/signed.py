"""Formal text stays as it was last read: a digest of each statement, proof, exercise and table.

No computation can tell that a condition is missing from a theorem, or a sign wrong in the middle
of a proof.  So who changes one of these reads it again, against its proof, its receipt and the
pages that repeat it, and then signs: `python -m tests.text --sign PAGE …`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.text import prose

LISTED = Path(__file__).with_name("signed.txt")
# Each section of these pages is formal as a whole.
WHOLE = ("notation", "what_we_know", "errata", "teaching", "reading_map")
KINDS = "prf:[a-z]+|exercise-start|solution-start|admonition"
OPEN = re.compile(rf"^(?P<fence>:{{3,}}|`{{3,}})\{{(?P<kind>{KINDS})\}} ?(?P<title>.*)$", re.M)
LABEL = re.compile(r"^:label: (?P<label>[\w-]+)$", re.M)
TABLE = re.compile(r"^\|.*(?:\n\|.*)*", re.M)


def directives(text: str) -> Iterator[tuple[str, str]]:
    """The labelled ones by their labels; a proof by the label before it."""
    before = "the page"
    for found in OPEN.finditer(text):
        kind, fence = found["kind"], found["fence"]
        end = re.compile(
            rf"^{fence}\{{{kind[:-5]}end\}}" if "-start" in kind else f"^{fence}$", re.M
        )
        closed = end.search(text, found.end())
        inside = text[found.start() : closed.end() if closed else len(text)]
        if re.search("^:class: (?:paths|goals|predict)", inside, re.M):
            continue
        label = LABEL.search(inside)
        named = kind == "solution-start" or (kind == "admonition" and not label)
        if label:
            before = label["label"]
        yield (found["title"] if named else before) + f" {kind}" * (not label), inside


def formal(name: str, page: str) -> dict[str, str]:
    """What is signed of a page, by the words that name it in the list."""
    text = prose.shown(page)
    found = [(match["text"][:40], match["text"]) for match in prose.CAPTION.finditer(page)]
    if name in WHOLE:
        parts = re.split(r"^(#+ .*)$", text, flags=re.M)
        found += zip(parts[1::2], parts[2::2], strict=True)
    else:
        found += directives(text)
        tables = [table[0] for table in TABLE.finditer(text)]
        found += [("table " + table.partition("\n")[0], table) for table in tables]
    seen: Counter[str] = Counter()
    signed = {}
    for key, words in found:
        key = " ".join(re.sub(r"[^\w-]+", " ", key).split())
        seen[key] += 1
        signed[f"{name}: {key}" + f" {seen[key]}" * (seen[key] > 1)] = " ".join(words.split())
    return signed


def digests(name: str, page: str) -> dict[str, str]:
    return {
        key: hashlib.sha256(words.encode()).hexdigest()[:8]
        for key, words in formal(name, page).items()
    }


def listed() -> dict[str, str]:
    """Digest by what it is of, of all pages."""
    lines = LISTED.read_text("utf-8").splitlines() if LISTED.exists() else []
    return {key: digest for key, _, digest in (line.rpartition(" ") for line in lines)}


def of(name: str, rows: dict[str, str]) -> dict[str, str]:
    return {key: digest for key, digest in rows.items() if key.startswith(f"{name}: ")}


def changed(name: str, page: str) -> list[str]:
    """What differs from the list, or is new or gone."""
    before, now = of(name, listed()), digests(name, page)
    return sorted(key for key in {*before, *now} if before.get(key) != now.get(key))


def sign(names: list[str], texts: dict[str, str]) -> list[str]:
    """Lists the digests of these pages anew; returns what had changed."""
    different, rows = [], listed()
    for name in names:
        different += changed(name, texts[name])
        gone = of(name, rows)
        rows = {key: rows[key] for key in rows if key not in gone} | digests(name, texts[name])
    LISTED.write_text("".join(sorted(f"{key} {rows[key]}\n" for key in rows)), "utf-8")
    return different
