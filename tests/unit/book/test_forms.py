"""The book's other forms, as far as they need no browser: from small pages of the book's shape."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from fontTools.pens.boundsPen import BoundsPen
from fontTools.ttLib import TTFont
from pybtex.database import parse_string

from book._ext import forms
from book._ext.citation import Citation, bibtex, read_citation
from book._forms import glyph_fonts, instructor, slides
from book._forms.pages import ROOT, Page, without_drawings
from book._forms.slides import Deck, lines

FORMULA = (
    '<span class="tex"><svg width="1"><g><svg x="2"><use href="#mx-I-78"/></svg></g></svg></span>'
)
ARTICLE = f"""<section id="chapter"><h1><span class="section-number">3. </span>A chapter
<a class="headerlink" href="#chapter">#</a></h1>
<div class="goals box"><p class="box-title">After this chapter</p><ul><li>prove</li></ul>
<div class="cell"><div class="cell_input"><pre>inner()</pre></div></div></div>
<section id="first"><h2>3.1. First<a class="headerlink" href="#first">#</a></h2>
<p>Prose before.</p>
<div class="proof theorem box" id="thm-a"><p class="box-title"><span>Theorem 3.1 </span> (Limit)</p>
<section class="theorem-content"><p>Let {FORMULA}.</p></section></div>
<details class="proof fold box"><summary class="box-title">Proof</summary><p>Secret.</p></details>
<div class="cell"><div class="cell_input"><pre>code()</pre></div>
<div class="cell_output"><div class="output">✓ thm-a</div></div></div>
<p>The curve falls. Move it, by <a href="other.html#x">3.2</a>: does {FORMULA} matter?</p>
<div class="cell"><div class="cell_output"><figure id="fig-a"><div class="live-box">live</div>
<figcaption>Fig. 3.1</figcaption></figure></div></div>
<div class="why box"><p class="box-title">Why it is true</p><p>One step.
Then {FORMULA}.
Done.</p></div>
<details class="fold"><summary class="box-title">Prediction 1, answered</summary>
<div>It halves.</div></details></section>
<section id="check-yourself"><h2>3.2. Check yourself<a class="headerlink" href="#c">#</a></h2>
<p><strong>1.</strong> Which?</p>
<details class="fold"><summary class="box-title">a.</summary><div>No.</div></details>
<details class="fold"><summary class="box-title">b.</summary><div>Yes.</div></details></section>
<section id="exercises"><h2>3.3. Exercises<a class="headerlink" href="#e">#</a></h2>
<div class="exercise box" id="ex-a"><p class="box-title">Exercise 3.1 (Hard)</p>
<section><p>Do it.</p></section></div>
<details class="solution fold box"><summary class="box-title">Solution</summary><p>So.</p></details>
</section></section>"""


def built(folder: Path, article: str = ARTICLE, name: str = "book/chapter") -> Page:
    """A built page with this article, and what a page refers to."""
    file = folder / f"{name}.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        '<html><head><title>A chapter</title><link rel="canonical" href="https://here/"/>'
        '<link href="../_static/styles/theme.css" rel="stylesheet" />'
        '<link rel="stylesheet" type="text/css" href="../_static/book.css?v=1" />'
        '<script defer="defer" src="../_static/live.0123456789ab.js"></script>'
        '<script type="application/vnd.jupyter.widget-state+json">{"state":{}}</script></head>'
        f'<body><article class="bd-article">{article}</article>'
        '<svg class="glyphs"><defs><path id="mx-I-78" d="M10 0L90 0L50 400Z"/></defs></svg></body>',
        encoding="utf-8",
    )
    return Page(name, "The theory", file)


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return built(tmp_path)


# ---- what is read off a page --------------------------------------------------------------------


def test_a_page_tells_its_title_number_glyphs_and_files(page: Page) -> None:
    assert (page.title, page.number) == ("3 A chapter", "3")
    assert page.glyphs == {"mx-I-78": "M10 0L90 0L50 400Z"}
    assert page.sheets == ["../_static/styles/theme.css", "../_static/book.css?v=1"]
    assert page.scripts == ["../_static/live.0123456789ab.js"]


def test_a_drawing_in_a_drawing_goes_with_it() -> None:
    text = "a<svg><g><svg/><svg></svg></g></svg>b<svg></svg>c".replace("<svg/>", "<svg></svg>")
    assert without_drawings(text, lambda drawing: f"[{len(drawing)}]") == "a[40]b[11]c"


# ---- slides -------------------------------------------------------------------------------------


def test_slides_have_what_a_class_sees_and_nothing_else(page: Page) -> None:
    deck = Deck(page).slides
    assert [slide.kind for slide in deck] == [
        "title", "goals", "theorem", "figure", "why", "answer", "question",
    ]  # fmt: skip
    text = slides.deck_html(page)
    for hidden in ("Secret", "code()", "inner()", "✓ thm-a", "Hard", "So."):
        assert hidden not in text
    assert (
        text.count('<svg width="1"><g><svg x="2"><use href="#mx-I-78"/></svg></g></svg>') == 3 + 1
    )


def test_a_figure_is_headed_by_the_question_above_it_and_says_what_led_there(page: Page) -> None:
    figure = Deck(page).slides[3]
    assert '<figcaption><p class="lead">The curve falls.</p>Fig. 3.1' in figure.content
    assert figure.heading.startswith('Move it, by <a href="other.html#x">3.2</a>: does <span')
    assert figure.heading.endswith("matter?") and "live-box" in figure.content
    assert "The curve falls." in "".join(figure.notes)


def test_the_steps_of_a_reason_stand_apart(page: Page) -> None:
    reason = Deck(page).slides[4]
    assert reason.content.startswith("<p>One step.</p><p>Then <span")
    assert reason.content.endswith("<p>Done.</p>")


def test_a_question_has_all_its_answers_folded_on_one_slide(page: Page) -> None:
    question = Deck(page).slides[-1]
    assert question.heading == "Question 1" and question.content.count("<details") == 2
    assert "Which?" in question.content and "<details open" not in question.content


def test_every_slide_has_a_heading_and_every_link_leads_to_the_book(page: Page) -> None:
    text = slides.deck_html(page)
    soup = BeautifulSoup(text, "html.parser")
    sections = soup.select("section.frame")
    assert len(sections) == 7 and all(section.find(["h1", "h2"]) for section in sections)
    assert {link["href"] for link in soup.select("section a[href]")} == {"../book/other.html#x"}
    assert "https:" not in text and "../_static/live.0123456789ab.js" in text


@pytest.mark.parametrize(
    ("html", "before", "question"),
    [
        ("<p>It falls. Why?</p>", "It falls.", "Why?"),
        ("<p>Why?</p>", "", "Why?"),
        ("<p>It falls.</p>", "", ""),
        ("<p>Why? Because.</p>", "", ""),
        ("<p>Is 0.5 enough?</p>", "", "Is 0.5 enough?"),
        ("<p>Go, see <b>this.</b> Is it so?</p>", "Go, see <b>this.</b>", "Is it so?"),
        (
            "<p>It <b>is</b> 1 &lt; 2. Is <i>x</i> &lt; 3?</p>",
            "It <b>is</b> 1 &lt; 2.",
            "Is <i>x</i> &lt; 3?",
        ),
    ],
)
def test_last_question(html: str, before: str, question: str) -> None:
    paragraph = BeautifulSoup(html, "html.parser").p
    assert isinstance(paragraph, Tag)
    assert slides.last_question(paragraph) == (before, question)


def test_lines_are_those_of_the_source() -> None:
    block = BeautifulSoup("<div><p>a <i>b\nc</i>\nd</p></div>", "html.parser").div
    assert isinstance(block, Tag)
    assert lines(block) == ["a <i>b\nc</i>", "d"]


# ---- fonts of a PDF -----------------------------------------------------------------------------


def test_a_font_draws_what_the_outline_draws() -> None:
    outlines = {0x78: "M100 0L300 700Q350 400 600 -20T100 0Z", 0x1D44B: "M-50 10L20 20L0 400Z"}
    made = TTFont(io.BytesIO(glyph_fonts.font(outlines)))
    assert set(made.getBestCmap()) == set(outlines)
    glyphs = made.getGlyphSet()
    for code, edges in {0x78: (100, 0, 300), 0x1D44B: (-50, 10, -50)}.items():
        name = made.getBestCmap()[code]
        pen = BoundsPen(glyphs)
        glyphs[name].draw(pen)
        # without its side bearing a renderer would move the outline to the left
        assert pen.bounds[0] == made["hmtx"][name][1] == edges[0]


def test_one_font_for_each_variant() -> None:
    style = glyph_fonts.style({"mx-I-78": "M0 0L1 1L2 0Z", "mx-N-78": "M0 0L3 1L2 0Z"})
    assert style.count("@font-face") == 2 and '"mx-I"' in style and '"mx-N"' in style
    with pytest.raises(ValueError, match=r"mx-VARIANT-CODE, got 'x'"):
        glyph_fonts.style({"x": "M0 0"})


# ---- how to cite --------------------------------------------------------------------------------

BOOK = Citation("Notes & more", ("{The authors}", "Doe, Jo"), "1.2", 2026, "What it is.")


def test_bibtex_is_read_back_as_it_was_meant() -> None:
    text = bibtex(BOOK, "https://here/a_b.html#thm", part="Theorem 3.1 (100 % of γ_N)", label="thm")
    entry = parse_string(text, "bibtex").entries["linear-icl:thm"]
    assert entry.fields["title"] == r"Theorem 3.1 (100 \% of γ\_N). In: Notes \& more"
    assert [str(person) for person in entry.persons["author"]] == ["{The authors}", "Doe, Jo"]
    assert (entry.fields["year"], entry.fields["url"]) == ("2026", "https://here/a_b.html#thm")


def test_without_a_public_address_there_is_none() -> None:
    assert "url" not in bibtex(BOOK)
    assert bibtex(BOOK).startswith("@misc{linear-icl,\n")


def test_the_citation_file_has_all_that_is_needed(tmp_path: Path) -> None:
    citation = read_citation(ROOT)
    assert citation.title == "Linear transformers learn in context" and citation.year >= 2026
    short = (ROOT / "CITATION.cff").read_text(encoding="utf-8").replace("version:", "edition:")
    (tmp_path / "CITATION.cff").write_text(short, encoding="utf-8")
    with pytest.raises(ValueError, match="add version"):
        read_citation(tmp_path)


# ---- links to what is at hand -------------------------------------------------------------------

MARKS = "<!-- forms:all --><!-- /forms -->|<!-- forms:own --><!-- /forms -->"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of one marked page, with a PDF and slides of the present sources."""
    out = tmp_path / "html"
    for file in ("book/a.html", "pdf/the-book.pdf", "slides/a.html"):
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (out / file).write_text(MARKS, encoding="utf-8")
    return out


def text_of(book: Path) -> str:
    forms.fill(book, ROOT)
    return (book / "book" / "a.html").read_text(encoding="utf-8")


def test_what_is_not_at_hand_is_not_linked(book: Path) -> None:
    assert text_of(book) == MARKS
    forms.stamp(book / "slides", ROOT)
    assert "pdf" not in text_of(book) and text_of(book).count('href="../slides/') == 2


def test_links_come_and_go_with_the_forms(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for form in ("pdf", "slides"):
        forms.stamp(book / form, ROOT)
    full = text_of(book)
    assert '<a href="../pdf/the-book.pdf">the whole book as PDF</a>' in full
    assert '<a href="../slides/a.html">Slides of this chapter</a>' in full
    assert text_of(book) == full  # again, and nothing doubles
    monkeypatch.setattr(forms, "sources", lambda root: "later")
    assert text_of(book) == MARKS  # made from older sources


# ---- the instructor's edition -------------------------------------------------------------------


def test_the_edition_opens_solutions_only_and_says_what_it_is(page: Page) -> None:
    html = instructor.edition(page.html)
    opened = '<details open class="solution fold box"><summary class="box-title">Solution<'
    assert html.count("<details open") == 1 and opened in html
    assert "Instructor’s edition</title>" in html and 'name="robots" content="noindex"' in html
    assert html.count('<p class="edition">') == 1 and "canonical" not in html


def test_a_page_that_is_none_is_refused(tmp_path: Path) -> None:
    page = built(tmp_path)
    page.file.write_text("<html></html>", encoding="utf-8")
    with pytest.raises(ValueError, match="must have an <article>"):
        _ = replace(page).title
