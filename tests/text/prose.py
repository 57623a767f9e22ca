"""What a reader of a page sees: code, labels and references are blanked, place by place."""

from __future__ import annotations

import ast
import re

CELL = re.compile(r"^(?P<fence>`{3,})\{code-cell\}.*?^(?P=fence)[ ]*$", re.M | re.S)
CAPTION = re.compile(r"^ *caption: (?P<text>.*(?:\n {6,}.*)*)", re.M)
ALT_LINE = re.compile(r"^ *:?alt: (?P<text>.*)$", re.M)

NAMED = (
    r"[Tt]heorems?|[Ll]emmas?|[Cc]orollar(?:y|ies)|[Pp]ropositions?|[Dd]efinitions?|[Aa]ssumptions?"
    r"|[Aa]ppendix|[Ss]ections?|§+|[Ff]igures?|[Tt]ables?|[Cc]hapters?|[Ee]rrat(?:um|a)|[Pp]redictions?"
    r"|[Qq]uestions?|[Pp]arts?|[Ee]xercises?|[Ee]quations?|[Ss]teps?|[Rr]ows?|[Pp]ages?|pp?\.|[Vv]ersions?"
    r"|[Vv]olumes?|[Ii]tems?|[Ss]lides?|Algorithm|Python|Jupyter Book|arXiv:?|JMLR"
)
LABEL = r"\(?(?:[A-Z]\.)?\d+(?:\.\d+)*\)?"
# What is blanked from a reader's text before numbers are looked for, and how the report calls it.
NOT_NUMBERS: dict[str, re.Pattern[str]] = {
    "comments": re.compile(r"^%.*$|<!--.*?-->", re.M | re.S),
    "labels": re.compile(r"^\([\w-]+\)=$|^ *:(?!alt:)[\w-]+:.*$|\(eq-[\w-]+\)", re.M),
    "options": re.compile(r"^---$|^(?:name|class|width|height|align|figclass|tags): .*$", re.M),
    "directives": re.compile(r"^(?:[:`]{3,})\{[\w:-]+\}(?: [1-6](?: [1-6])+$)?", re.M),
    "roles and code": re.compile(r"\{[\w:-]+\}`[^`]+`|`[^`\n]+`"),
    "addresses": re.compile(r"\]\([^)]*\)|https?://\S+|arXiv:\d+\.\d+(?:v\d)?"),
    "references": re.compile(
        rf"\b(?:{NAMED})[ ~]{LABEL}(?:(?:, | and | to |, and |–|-){LABEL})*"
        rf"|\((?:[A-Z]\.?)?\d+\.\d+\)|\([A-Z]\.?\d+\)"
    ),
    "years": re.compile(r"\b(?:19|20)\d\d\b"),
    "numbers of lists": re.compile(r"^(?:#+ | *)(?:\d+\.|\*\*\d+\.\*\*) ", re.M),
}


def blank(text: str) -> str:
    """As many spaces, with the line breaks where they were."""
    return re.sub(r"[^\n]", " ", text)


def shown(page: str) -> str:
    """The page with its cells blanked but for captions and text alternatives; same length."""
    front = re.match(r"---\n.*?\n---\n", page, re.S)
    start = front.end() if front else 0
    page = blank(page[:start]) + page[start:]
    return CELL.sub(lambda cell: _spoken(cell[0]), page)


def _spoken(cell: str) -> str:
    """Of a cell, its caption and the strings of `alt=...`."""
    kept = [0] * len(cell)
    for caption in CAPTION.finditer(cell):
        kept[caption.start("text") : caption.end("text")] = [1] * len(caption["text"])
    for start, end in _alt_strings(cell):
        kept[start:end] = [1] * (end - start)
    return "".join(c if keep or c == "\n" else " " for c, keep in zip(cell, kept, strict=True))


def _alt_strings(cell: str) -> list[tuple[int, int]]:
    """Where the string literals stand that follow `alt=`, without their quotes."""
    literal = r'\(?\s*(?:f?"(?:[^"\\]|\\.)*"\s*)+'
    found = []
    for whole in re.finditer(rf"\balt={literal}", cell):
        for piece in re.finditer(r'"((?:[^"\\]|\\.)*)"', whole[0]):
            ast.literal_eval(piece[0])
            found.append((whole.start() + piece.start(1), whole.start() + piece.end(1)))
    found += [(line.start("text"), line.end("text")) for line in ALT_LINE.finditer(cell)]
    return found


def prose(text: str) -> str:
    """What `shown` gave, without what is no claim: labels, references, code, addresses."""
    for pattern in NOT_NUMBERS.values():
        text = pattern.sub(lambda found: blank(found[0]), text)
    return text


def find(quotation: str, text: str) -> list[tuple[int, int]]:
    """Where the quotation stands; a line break is a space, and so is the gap between strings."""
    words = r"\s+".join(re.escape(word) for word in quotation.split())
    return [found.span() for found in re.finditer(words, text)]
