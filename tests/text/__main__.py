"""python -m tests.text book/page.md ...: the numbers of a page that nothing guards.

Without a page: a row for each. --lower takes what no longer waits off the list in untied.yml;
--sign says that the formal text of the pages was read again after it changed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import yaml

from tests.text import signed
from tests.text.page import UNTIED, Judged, judge, pages, text_of, ties_of, waiting, word

HEADER = "# Numbers that wait for a tie; a new one is a fault. python -m tests.text --lower\n"


def judged(name: str) -> Judged:
    return judge(name, text_of(name), ties_of(name))


def row(page: Judged) -> str:
    return (
        f"{page.name}: {len(page.tied)} numbers tied, {len(page.listed)} listed, "
        f"{len(page.untied)} neither, of which {len(page.loose())} are new"
    )


def details(page: Judged) -> None:
    for number in page.untied:
        print(page.place(number), f"  [{number.text}]")
    for place in page.directions():
        print(f"book/{page.name}.md:{place}  [a direction]")
    for fault in page.wrong:
        print("WRONG", fault)
    for reason, count in Counter(page.listed.values()).most_common():
        print(f"{count:4} listed: {reason}")
    print(row(page))


def lower() -> None:
    present = {name: Counter(map(word, judged(name).untied)) & waiting(name) for name in pages()}
    left = {name: list(numbers.elements()) for name, numbers in present.items() if numbers}
    text = yaml.safe_dump(left, sort_keys=False, default_flow_style=None, width=100)
    UNTIED.write_text(HEADER + text, "utf-8")


def main(words: list[str]) -> None:
    names = [Path(word).stem for word in words if not word.startswith("-")]
    if "--lower" in words:
        lower()
    if "--sign" in words:
        print(*signed.sign(names, {name: text_of(name) for name in names}), sep="\n")
        return
    for name in names:
        details(judged(name))
    if not words:
        print(*(row(judged(name)) for name in pages()), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
