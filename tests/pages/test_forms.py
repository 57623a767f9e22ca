"""Slides and PDF in Chromium: the deck of one chapter, made-up slides, a PDF of two pages.

`tests/release/test_forms.py` takes the whole book.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from book._ext.citation import read_citation
from book._forms import pdf
from book._forms.pages import ROOT, Page, read
from tests.pages import checks, links, paper
from tests.pages.conftest import BOOK
from tests.pages.deck import Show, folder_of, write_deck
from tests.pages.reader import box
from tests.pages.site import Site

CHAPTER, SHORT = "lsa_quadratic_reduction", ("running", "one_lecture")


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str, Page]:
    """The pages of the built book by stem."""
    return {page.stem: page for page in read(BOOK)}


@pytest.fixture(scope="module")
def decks(pages: dict[str, Page], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = folder_of(BOOK, tmp_path_factory.mktemp("decks"))
    write_deck(folder, pages[CHAPTER])
    with Site(folder) as served:
        yield served


@pytest.fixture
def show(browser: Browser, decks: Site) -> Iterator[Show]:
    with Show(browser, f"{decks.url}/slides/{CHAPTER}.html") as opened:
        yield opened
        assert checks.outside(opened, decks.url) == []
        assert checks.complaints(opened) == []


def test_nothing_leaves_a_slide(show: Show) -> None:
    assert show.page.evaluate("Reveal.getTotalSlides()") > 10
    assert show.overfull() == []


def test_links_of_a_deck_arrive_in_the_book(decks: Site) -> None:
    deck = decks.folder / "slides" / f"{CHAPTER}.html"
    assert len(links.document(deck).links) > 20
    anywhere = Path(deck.anchor)  # the pages are reached by symbolic links
    assert list(links.broken(anywhere, deck)) == []


def made_up(pages: dict[str, Page], tmp_path: Path, article: str) -> Page:
    """A page with this article and all else of a page of the book."""
    page = pages[CHAPTER]
    file = tmp_path / "made_up.html"
    file.write_text(page.html.replace(page.article, article), encoding="utf-8")
    return replace(page, name="book/made_up", file=file)


def test_what_is_too_long_goes_on_and_what_cannot_is_found(
    browser: Browser, pages: dict[str, Page], decks: Site, tmp_path: Path
) -> None:
    """Forty lines become several slides; a drawing that no size fits is a fault."""
    items = "".join(f"<li>Item {k} is one line of its own.</li>" for k in range(40))
    start = '<section><h1>9. Long<a class="headerlink"></a></h1><div class="goals box">'
    article = f'{start}<p class="box-title">List</p><ul>{items}</ul></div></section>'
    page = made_up(pages, tmp_path, article)
    with Show(browser, f"{decks.url}/{write_deck(decks.folder, page)}") as opened:
        assert opened.page.evaluate("Reveal.getTotalSlides()") >= 4
        shown = opened.page.evaluate(
            "[...document.querySelectorAll('.frame li')].map((e) => e.innerText)"
        )
        assert len(shown) == 40 and opened.overfull() == []

    tall = '<div style="height: 900px">tall</div>'
    page = made_up(pages, tmp_path, article.replace("<ul>", f"{tall}<ul>"))
    page = replace(page, name="book/tall", file=page.file.rename(tmp_path / "tall.html"))
    with Show(browser, f"{decks.url}/{write_deck(decks.folder, page)}") as opened:
        assert any("leaves it by" in fault for fault in opened.overfull())


def test_what_is_short_has_large_letters(
    browser: Browser, pages: dict[str, Page], decks: Site, tmp_path: Path
) -> None:
    def box(words: int) -> str:
        return f'<div class="goals box"><p class="box-title">Of {words}</p>{"word " * words}</div>'

    start = '<section><h1>9. Sizes<a class="headerlink"></a></h1>'
    page = made_up(pages, tmp_path, f"{start}{''.join(map(box, (20, 110, 190)))}</section>")
    page = replace(page, name="book/sizes", file=page.file.rename(tmp_path / "sizes.html"))
    with Show(browser, f"{decks.url}/{write_deck(decks.folder, page)}") as opened:
        sizes = [
            float(slide.evaluate("e => e.style.getPropertyValue('--fit')"))
            for slide in opened.page.locator("section.goals").all()
        ]
        assert sizes[:2] == [1.2, 1] and 0.86 <= sizes[2] < 1
        assert opened.overfull() == []


def test_keys_lead_through_the_deck_and_move_a_figure(show: Show) -> None:
    page = show.page
    page.keyboard.press("ArrowRight")
    assert show.at() == 1
    show.go(".live-fig")
    figure, here = page.locator("section.frame.present .live-fig"), show.at()
    numbers = figure.locator(".live-number")
    before = numbers.all_text_contents()
    figure.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "before => [...document.querySelectorAll('section.frame.present .live-number')]"
        ".map((e) => e.textContent).join() !== before",
        arg=",".join(before),
    )
    assert show.at() == here  # the key was the figure's
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert show.at() == here + 1


def test_a_remote_leads_on_from_a_figure_that_was_moved(show: Show) -> None:
    show.go(".live-fig")
    here = show.at()
    slider = show.page.locator("section.frame.present .live-fig").get_by_role("slider").first
    slider.focus()
    value = slider.input_value()
    show.page.keyboard.press("PageDown")
    assert show.at() == here + 1
    show.page.keyboard.press("PageUp")
    assert show.at() == here and slider.input_value() == value


def test_a_figure_reads_out_where_the_pointer_is_on_a_scaled_stage(
    browser: Browser, decks: Site
) -> None:
    with Show(browser, f"{decks.url}/slides/{CHAPTER}.html", width=1920) as opened:
        opened.go(".live-fig")
        plot = box(opened.page.locator("section.frame.present .live-plot > svg"))
        opened.page.mouse.move(plot["x"] + 0.4 * plot["width"], plot["y"] + 0.5 * plot["height"])
        hair = box(opened.page.locator("section.frame.present .live-hair"))
        assert abs(hair["x"] - (plot["x"] + 0.4 * plot["width"])) < 0.02 * plot["width"]


def test_a_question_opens_by_key_without_leaving_its_slide(show: Show) -> None:
    show.go("section.frame.question summary")
    here = show.at()
    show.page.locator("section.frame.present summary").first.focus()
    show.page.keyboard.press("Space")
    assert show.page.locator("section.frame.present details[open]").count() == 1
    assert show.at() == here


def test_slides_have_names_and_axe_finds_nothing(show: Show) -> None:
    for kind in ("title", "definition", "figure", "takeaways", "question"):
        show.go(f"section.frame.{kind}")
        slide = show.page.locator("section.frame.present")
        name = slide.evaluate(
            "e => document.getElementById(e.getAttribute('aria-labelledby')).innerText"
        )
        assert name.strip()
        for theme in ("light", "dark"):
            show.page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
            assert (kind, theme, checks.accessibility(show.page)) == (kind, theme, [])


def test_the_deck_is_dark_in_the_dark_and_by_its_key(browser: Browser, decks: Site) -> None:
    address = f"{decks.url}/slides/{CHAPTER}.html"
    with Show(browser, address, color_scheme="dark") as opened:
        colour = "getComputedStyle(document.body).backgroundColor"
        assert opened.page.evaluate(colour) == "rgb(20, 24, 29)"
        opened.page.keyboard.press("d")
        assert opened.page.evaluate(colour) == "rgb(255, 255, 255)"


def test_the_speaker_sees_the_prose_of_the_page(show: Show) -> None:
    show.go("aside.notes")
    notes = show.page.locator("section.frame.present aside.notes").text_content()
    assert notes
    with show.page.expect_popup() as popup:
        show.page.keyboard.press("s")
    window = popup.value
    window.wait_for_function(
        "text => document.querySelector('.speaker-controls-notes .value')"
        "?.textContent.includes(text)",
        arg=notes.strip()[:40],
    )
    window.close()


def test_without_scripts_all_slides_stand_below_each_other(browser: Browser, decks: Site) -> None:
    address = f"{decks.url}/slides/{CHAPTER}.html"
    with checks.Visit(browser, address, java_script_enabled=False) as visit:
        headings = visit.page.locator("section.frame h2")
        assert headings.count() > 10 and all(h.is_visible() for h in headings.all())
        assert visit.page.locator(".live-still svg").first.is_visible()


# ---- PDF ----------------------------------------------------------------------------------------


@contextmanager
def joined(browser: Browser, folder: Path, pages: list[Page]) -> Iterator[tuple[Tab, str]]:
    """A tab of the size of the paper, and the address of these pages in one."""
    (folder / "_static").symlink_to((BOOK / "_static").resolve())
    (folder / "pdf").mkdir()
    file = folder / "pdf" / "all-pages.html"
    file.write_text(pdf.joined(pages, read_citation(ROOT)), encoding="utf-8")
    tab = browser.new_page(viewport={"width": pdf.PAPER[0], "height": pdf.PAPER[1]})
    tab.emulate_media(media="print")
    try:
        yield tab, file.as_uri()
    finally:
        tab.close()


def printed(browser: Browser, folder: Path, pages: list[Page]) -> pypdfium2.PdfDocument:
    with joined(browser, folder, pages) as (tab, address):
        return pypdfium2.PdfDocument(pdf.print_book(tab, address))


def unlinked(page: Page, folder: Path) -> Page:
    """The page without its links to pages that are not printed with it."""
    file = folder / f"{page.stem}.html"
    file.write_text(re.sub(r' href="[^"]*\.html[^"]*"', "", page.html), encoding="utf-8")
    return replace(page, file=file)


def test_a_pdf_has_contents_that_are_right(
    browser: Browser, pages: dict[str, Page], tmp_path: Path
) -> None:
    document = printed(browser, tmp_path, [unlinked(pages[name], tmp_path) for name in SHORT])
    assert document.get_metadata_value("Title") == "Linear transformers learn in context"
    entries = paper.outline(document)
    assert {pages[name].title for name in SHORT} <= {title for _, title, _ in entries}
    contents = paper.words(document, 2)
    for _, title, number in entries:
        assert f"{title} {number}" in contents
        assert title in paper.words(document, number)
    assert paper.links(document, 2) == [number for _, _, number in entries]
    assert paper.missing(document, [pages[name].article for name in SHORT]) == {}


def test_what_belongs_together_is_on_one_page(
    browser: Browser, pages: dict[str, Page], tmp_path: Path
) -> None:
    """A box is whole, a heading is followed by its table, however long that is."""
    lines = "".join(f"<p>Step {k}.</p>" for k in "abcdef")
    rows = "".join(f"<tr><td><p>row {k}</p></td></tr>" for k in range(60))
    article = (
        '<section id="s"><h1>A<a class="headerlink"></a></h1><div style="height: 190mm">tall</div>'
        f'<div class="byhand box"><p class="box-title">By hand</p>{lines}</div>'
        '<section id="t"><h2>Rows</h2><div class="pst-scrollable-table-container">'
        f'<table class="table"><tbody>{rows}</tbody></table></div></section></section>'
    )
    document = printed(browser, tmp_path, [made_up(pages, tmp_path, article)])
    texts = [paper.words(document, k + 1).replace(" ", "") for k in range(len(document))]
    (box,) = (text for text in texts if "Stepa." in text)
    assert "tall" not in box
    assert "ByhandStepa.Stepb.Stepc.Stepd.Stepe.Stepf.Rowsrow0row1" in box
    assert paper.stranded(document) == []
    assert paper.short(document) == [3]  # the tall part has its word above


def test_what_the_pages_alone_have_is_left_out_and_links_to_it_keep_their_words(
    browser: Browser, pages: dict[str, Page], tmp_path: Path
) -> None:
    article = (
        '<section id="s"><h1>A<a class="headerlink"></a></h1>'
        '<p>See <a href="#old">Lemma 9.9</a> and <a href="#kept">Lemma 9.1</a>.</p>'
        '<p id="kept">Kept.</p><details class="record"><summary>Older forms.</summary>'
        '<section id="old"><p>constants</p></section></details>'
        '<details class="solution"><summary>Solution</summary><p>By hand.</p>'
        '<div class="cell"><pre>print(1)</pre></div><div class="cell"><pre>2</pre></div></details>'
        "</section>"
    )
    document = printed(browser, tmp_path, [made_up(pages, tmp_path, article)])
    text = paper.words(document, 3)
    assert "See Lemma 9.9 and Lemma 9.1" in text and "Older forms." in text and "By hand." in text
    assert text.count("The code stands in the built book.") == 1
    assert "constants" not in text and "print(1)" not in text
    assert len(paper.links(document, 3)) == 1


def test_a_formula_of_one_letter_keeps_its_colour(
    browser: Browser, pages: dict[str, Page], tmp_path: Path
) -> None:
    article = (
        '<section id="s"><h1>A<a class="headerlink"></a></h1><p><span class="tex">'
        '<svg width="2ex" height="2ex" viewBox="0 -683 767 705"><g transform="scale(1,-1)">'
        '<use href="#mx-I-1D448" class="icl-U"/></g></svg></span></p></section>'
    )
    with joined(browser, tmp_path, [made_up(pages, tmp_path, article)]) as (tab, address):
        tab.goto(address)
        tab.evaluate((ROOT / "book" / "_forms" / "pdf.js").read_text(encoding="utf-8"))
        tab.evaluate("forPaper.prepare({})")
        colour = "getComputedStyle(document.querySelector('.tex text')).fill"
        assert tab.evaluate(colour) == "rgb(10, 102, 168)"


@pytest.mark.parametrize("name", ["softmax-and-linear-attention", "four"])  # of each kind
def test_a_link_that_sets_a_figure_leads_to_the_figure(
    browser: Browser, pages: dict[str, Page], tmp_path: Path, name: str
) -> None:
    (model,) = (key for key, known in pages[CHAPTER].figures.items() if known == name)
    view = f'<script type="application/vnd.jupyter.widget-view+json">{{"model_id": "{model}"}}'
    article = (
        '<section id="s"><h1>A<a class="headerlink"></a></h1>'
        f'<p><a href="made_up.html#s&amp;{name}=N:1">both</a> <a href="#{name}=N:1">one</a></p>'
        '<p style="break-before: page">Next.</p><figure id="fig"><div class="live-box">'
        f"{view}</script></div></figure></section>"
    )
    document = printed(browser, tmp_path, [made_up(pages, tmp_path, article)])
    assert paper.links(document, 3) == [3, 4]


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        (
            '<pre style="white-space: pre; overflow: auto">' + "wide " * 80 + "</pre>",
            "beyondMargin",
        ),
        ('<div style="width: 900px">wide</div>', "beyondMargin"),
        ('<p><a href="#nowhere">there</a></p>', "dangling"),
    ],
)
def test_what_would_be_cut_off_or_leads_nowhere_stops_the_print(
    browser: Browser, pages: dict[str, Page], tmp_path: Path, part: str, fault: str
) -> None:
    page = made_up(
        pages, tmp_path, f'<section id="s"><h1>A<a class="headerlink"></a></h1>{part}</section>'
    )
    with pytest.raises(ValueError, match=f"{fault}: 1 places"):
        printed(browser, tmp_path, [page])


def test_a_clipped_line_is_found(browser: Browser) -> None:
    """In a print that nothing has checked before."""
    tab = browser.new_page()
    text = "<p>" + " ".join(f"{name}line" for name in ("first", "second", "third") * 12) + "</p>"
    for wrap, sound in (("normal", True), ("nowrap", False)):
        style = f"@page {{ size: A4; margin: 20mm 18mm }} p {{ white-space: {wrap} }}"
        tab.set_content(f"<style>{style}</style>{text}")
        with pypdfium2.PdfDocument(tab.pdf(prefer_css_page_size=True)) as document:
            assert (paper.missing(document, [text]) == {}) is sound
    tab.close()


def test_words_that_are_read_as_one_are_there(browser: Browser) -> None:
    tab = browser.new_page()
    style = "<style>@page { size: A4; margin: 20mm 18mm }</style>"
    tab.set_content(f"{style}<p>firstlinesecondline thirdlines</p>")
    with pypdfium2.PdfDocument(tab.pdf(prefer_css_page_size=True)) as document:
        assert paper.missing(document, ["<p>firstline secondline thirdlines</p>"]) == {}
        assert paper.missing(document, ["<p>secondline thirdline</p>"]) == {
            "secondline": 1,
            "thirdline": 1,
        }
    tab.close()


def test_a_stranded_heading_is_found(browser: Browser) -> None:
    tab = browser.new_page()
    style = "h1 { height: 20mm; margin: 0 } h2 { height: 15mm; margin: 0; break-after: %s }"
    body = '<h1>A</h1><div style="height: 220mm">tall</div><h2>Left alone</h2><p>Next.</p>'
    for after, alone in (("auto", ["Left alone, page 1"]), ("avoid", [])):
        page = "@page { size: A4; margin: 20mm 18mm } body, p { margin: 0 }"
        tab.set_content(f"<style>{page}{style % after}</style>{body}")
        print_out = tab.pdf(prefer_css_page_size=True, tagged=True, outline=True)
        with pypdfium2.PdfDocument(print_out) as document:
            assert paper.stranded(document) == alone
    tab.close()
