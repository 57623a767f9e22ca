"""Slides of each chapter, cut from its page by one small rule, and a page that lists the decks.

On a slide stand: what the chapter promises, definitions and results, why they are true, examples by
hand, figures (the live ones live), misconceptions, predictions with their answers, questions with
folded answers, takeaways. A figure has the question above it as its heading, and beside it what is
said before the question. Proofs, code, receipts and exercises stay on the page; the prose between
the slides becomes the speaker's notes. reveal.js shows them (slides.js), from files beside the
book: no network.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement

from book._ext.node_tools import install
from book._forms.pages import Light, Page, glyph_sheet, read

HERE = Path(__file__).resolve().parent
FOLDER = "slides"  # beside the folder of the pages, so that their relative addresses hold
OWN = ("slides.js", "slides.css")
REVEAL = ("reveal.js", "reveal.css", "plugin/notes.js")
BOXES = ("goals", "predict", "why", "byhand", "misconception", "takeaways")
DROPPED = (
    ".headerlink, .chapter-tools, form.answer, .cell_input, details.above-code, "
    "details.figure-code, details.receipt, .copybtn, .sd-summary-state-marker, .forms"
)
SENTENCE = re.compile(r".*[.!?]\s+(?=\S)", re.DOTALL)
ENDS = (".", "!", "?")
VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*class="drawing"')
WIDE = 2.2  # a drawing of this shape has its caption below, not beside it
MARK = "\ue000"  # stands in no text
QUESTION = re.compile(r"\d+\.$")
PAGE_LINK = re.compile(r'(<a\b[^>]*\bhref=)"#')
OTHER_PAGE = re.compile(r'(<a\b[^>]*\bhref=)"(?!\.\./|#|[a-z]+:)')
# Before anything is drawn: the theme that the reader chose for the book, or the system's.
THEME = (
    "try{document.documentElement.dataset.mode=localStorage.getItem('mode')||'auto'}catch{}"
    "document.documentElement.dataset.theme={light:'light',dark:'dark'}"
    "[document.documentElement.dataset.mode]||(matchMedia('(prefers-color-scheme: dark)').matches"
    "?'dark':'light');document.documentElement.classList.add('js')"
)


@dataclass
class Slide:
    """One slide: its kind (a class), the section it is from, its heading, content and notes."""

    kind: str
    section: str
    heading: str
    content: str
    notes: list[str] = field(default_factory=list)


class Deck:
    """The slides of a chapter."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._light = Light(page.article)
        self._soup = self._light.soup
        for tag in self._soup.select(DROPPED):
            tag.decompose()
        self._section = ""
        self._prose: list[Tag] = []
        self.slides = list(self._cut())
        for slide in self.slides:
            slide.heading = self._light.whole(slide.heading)
            slide.content = self._light.whole(slide.content)
            slide.notes = list(map(self._light.whole, slide.notes))

    def _cut(self) -> Iterator[Slide]:
        for block in flow(self._soup):
            classes = set(block.get("class") or ())
            if block.name == "h1":
                self._section = inner(block)
                yield Slide("title", "", inner(block), "")
            elif block.name in ("h2", "h3"):
                self._section, self._prose = inner(block), []
            elif found := self._slide(block, classes):
                found.notes = [str(part) for part in self._prose]
                self._prose = []
                yield found
            elif block.name == "p" or "tex-display" in classes:
                self._prose.append(block)

    def _slide(self, block: Tag, classes: set[str]) -> Slide | None:
        title = block.find(class_="box-title")
        figure = block if block.name == "figure" else block.find("figure")
        if isinstance(figure, Tag):
            return self._figure(figure)
        if not isinstance(title, Tag):
            return None
        if block.name == "details":
            return self._question(block, title)
        kinds = [kind for kind in BOXES if kind in classes]
        if "proof" in classes:
            kinds = sorted(classes - {"proof", "box"})
        if not kinds:
            return None
        title.extract()
        body = block.find("section", recursive=False)
        content = inner(body if isinstance(body, Tag) else block)
        if kinds == ["why"]:
            content = "".join(f"<p>{line}</p>" for line in lines(block))
        return Slide(kinds[0], self._section, inner(title), content)

    def _figure(self, figure: Tag) -> Slide:
        lead, question = last_question(self._prose[-1]) if self._prose else ("", "")
        caption = figure.find("figcaption")
        if lead and isinstance(caption, Tag):  # the question may speak of what it says
            caption.insert(0, BeautifulSoup(f'<p class="lead">{lead}</p>', "html.parser"))
        drawn = VIEW_BOX.search(self._light.whole(str(figure)))
        if drawn and float(drawn[1]) > WIDE * float(drawn[2]):
            figure["class"] = "wide"
        return Slide("figure", self._section, question or self._section, str(figure))

    def _question(self, fold: Tag, title: Tag) -> Slide | None:
        """A prediction's answer is open; an answer to choose joins the question before it."""
        if title.get_text(strip=True).startswith("Prediction"):
            heading = inner(title)
            title.extract()
            return Slide("answer", self._section, heading, inner(fold))
        asked = next((part for part in reversed(self._prose) if _is_question(part)), None)
        if asked is None:
            return None
        self._prose = []
        number = asked.find("strong")
        assert isinstance(number, Tag)
        heading = f"Question {number.get_text(strip=True).rstrip('.')}"
        number.extract()
        folds = [fold]
        for following in fold.find_next_siblings():
            if following.name != "details":
                break
            folds.append(following)
        return Slide("question", self._section, heading, str(asked) + "".join(map(str, folds)))


def flow(tree: Tag) -> Iterator[Tag]:
    """The blocks of a chapter in order, those of its sections and cells one by one."""
    for child in tree.find_all(True, recursive=False):
        classes = child.get("class") or ()
        if child.name == "section" or {"cell", "cell_output"} & set(classes):
            yield from flow(child)
        else:
            yield child


def inner(tag: Tag) -> str:
    return tag.decode_contents().strip()


def lines(block: Tag) -> list[str]:
    """The HTML of the lines of its paragraphs as they stand in the source: one step each."""
    found = []
    for paragraph in block.find_all("p"):
        for text in paragraph.find_all(string=re.compile("\n"), recursive=False):
            text.replace_with(text.replace("\n", MARK))
        found += inner(paragraph).split(MARK)
    return found


def _is_question(paragraph: Tag) -> bool:
    first = paragraph.find("strong")
    return isinstance(first, Tag) and bool(QUESTION.match(first.get_text(strip=True)))


def last_question(paragraph: Tag) -> tuple[str, str]:
    """The HTML of what stands before the last sentence, and of that; empty if it is no question."""
    if not paragraph.get_text().rstrip().endswith("?"):
        return "", ""
    before = list(paragraph.contents)
    kept: list[PageElement] = []
    while before:
        part = before.pop()
        if isinstance(part, NavigableString):
            cut = SENTENCE.match(part.rstrip() if not kept else part)
            if cut:
                before.append(NavigableString(part[: cut.end()]))
                kept.append(NavigableString(part[cut.end() :]))
                break
        if kept and part.get_text().rstrip().endswith(ENDS):
            before.append(part)
            break
        kept.append(part)
    return _html(before), _html(kept[::-1])


def _html(parts: list[PageElement]) -> str:
    """Of parts of a paragraph; of a string with its characters escaped."""
    strings = (
        escape(part, quote=False) if isinstance(part, NavigableString) else str(part)
        for part in parts
    )
    return "".join(strings).strip()


# ---- the files ---------------------------------------------------------------------------------


def document(title: str, sheets: list[str], scripts: list[str], body: str) -> str:
    head = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    loaded = "".join(f'<script defer src="{script}"></script>' for script in scripts)
    return (
        '<!DOCTYPE html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>"
        f'<link rel="icon" href="../_static/favicon.svg">{head}<script>{THEME}</script>{loaded}'
        f"</head>{body}</html>\n"
    )


def deck_html(page: Page) -> str:
    """The deck of a chapter."""
    own = [s for s in page.sheets if any(name in s for name in ("/fonts.", "/book.", "/live."))]
    scripts = [script for script in page.scripts if "/live." in script]
    sections = "".join(map(_section, Deck(page).slides))
    body = (
        '<body class="deck"><main><div class="reveal"><article class="slides">'
        f"{sections}</article></div></main>"
        f"{page.state}{glyph_sheet(page.glyphs)}</body>"
    )
    body = PAGE_LINK.sub(rf'\1"../book/{page.stem}.html#', body)
    body = OTHER_PAGE.sub(r'\1"../book/', body)
    sheets = ["assets/reveal.css", *own, "assets/slides.css"]
    files = [*scripts, "assets/reveal.js", "assets/notes.js", "assets/slides.js"]
    return document(f"Slides: {page.title}", sheets, files, body)


def _section(slide: Slide) -> str:
    if slide.kind == "title":
        keys = "→ next · Esc overview · F full screen · S notes · D dark · ? all keys"
        return (
            f'<section class="frame title"><h1>{slide.heading}</h1><p class="keys">{keys}</p>'
            f"</section>"
        )
    kicker = f'<p class="kicker">{slide.section}</p>' if slide.section != slide.heading else ""
    notes = f'<aside class="notes">{"".join(slide.notes)}</aside>' if slide.notes else ""
    return (
        f'<section class="frame {slide.kind}">{kicker}<h2>{slide.heading}</h2>'
        f'<div class="body {slide.kind}-content">{slide.content}</div>{notes}</section>'
    )


def index_html(pages: list[Page]) -> str:
    rows = "".join(
        f'<li><a href="{page.stem}.html">{escape(page.title)}</a></li>' for page in pages
    )
    body = (
        '<body class="decks"><main><h1>Slides</h1><ul>'
        f'{rows}</ul><p><a href="../index.html">The book</a></p></main></body>'
    )
    sheets = ["../_static/fonts.css", "../_static/book.css", "assets/slides.css"]
    return document("Slides", sheets, [], body)


def write_assets(folder: Path) -> None:
    """What every deck in `folder` loads: reveal.js from npm, pinned, and our own."""
    assets = folder / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    package = install() / "reveal.js"
    for name in REVEAL:
        shutil.copyfile(package / "dist" / name, assets / Path(name).name)
    shutil.copyfile(package / "LICENSE", assets / "reveal.LICENSE.txt")
    for name in OWN:
        shutil.copyfile(HERE / name, assets / name)


def write(built: Path) -> Path:
    """Cut the book built in `built` into decks beside it; returns the page that lists them."""
    folder = built / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    write_assets(folder)
    chapters = [page for page in read(built) if page.number]
    for page in chapters:
        (folder / f"{page.stem}.html").write_text(deck_html(page), encoding="utf-8")
    index = folder / "index.html"
    index.write_text(index_html(chapters), encoding="utf-8")
    return index
