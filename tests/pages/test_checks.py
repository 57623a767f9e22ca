"""Every check of checks.py reports a page that has its fault, and nothing on a sound page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.pages import checks
from tests.pages.checks import Visit
from tests.pages.site import Site

FORMULA = (
    '<span class="tex"><svg aria-hidden="true" width="20" height="10"><use href="#glyph"/></svg>'
    "<math><mi>x</mi></math></span>"
)
SOUND = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A sound page</title>
<link rel="icon" href="data:,"></head><body>
<svg class="glyphs" width="0" height="0" aria-hidden="true"><path id="glyph" d="M0 0h9v9z"/></svg>
<main><article><h1>Sound</h1>
<p>A page of more than twenty words, so that there is something to read for those who come
without scripts, with a formula {FORMULA}, <a href="#end">a link</a> and <code>$code$</code>.</p>
<figure><img alt="a square" width="40" height="40" src="data:image/svg+xml,
%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"></figure>
<details><summary>A fold</summary><p>Its content.</p></details>
<p id="end"><button type="button">A button</button></p></article></main></body></html>"""

Check = Callable[[Visit], list[str]]
PAGE_CHECKS: dict[str, Check] = {
    "outside": lambda visit: checks.outside(visit, visit.page.url.rsplit("/", 1)[0]),
    "complaints": checks.complaints,
    "mathematics": lambda visit: checks.mathematics(visit.page),
    "alternatives": lambda visit: checks.alternatives(visit.page),
    "accessibility": lambda visit: checks.accessibility(visit.page),
    "shifts": lambda visit: checks.shifts(visit.page),
    "sideways": lambda visit: checks.sideways(visit.page),
    "hints": lambda visit: checks.hints(visit.page),
    "keyboard": lambda visit: checks.keyboard(visit.page),
    "readable": lambda visit: checks.readable(visit.page),
}
WIDE = '<p style="width: 800px">wide</p>'
# Something that was painted moves; before the first paint nothing does.
LATE = """<script>new PerformanceObserver(() => (late.style.height = "300px"))
.observe({ type: "paint", buffered: true })</script>"""
DEAD = '<figure><div id="live">.</div></figure>'
LEFT = '<a href="#end" style="outline: 0">no ring</a>'
BROKEN = [
    (
        "outside",
        "</main>",
        '</main><img alt="" src="https://example.org/picture.png">',
        "example.org",
    ),
    ("complaints", "</main>", "</main><script>throw new Error('broken')</script>", "broken"),
    ("complaints", "</main>", "</main><script src='missing.js'></script>", "missing.js"),
    ("mathematics", "Its content.", r"The term \(x^2\) is raw.", "raw TeX"),
    ("mathematics", "Its content.", "The term $x^2$ is raw.", "raw TeX"),
    ("mathematics", "#glyph", "#no-glyph", "no outline"),
    ("mathematics", "<math><mi>x</mi></math>", "", "no MathML"),
    ("mathematics", "<mi>x</mi>", "<merror>x</merror>", "not typeset"),
    ("mathematics", 'width="20" height="10"', 'width="0" height="0"', "no extent"),
    ("alternatives", 'alt="a square"', "", "<img"),
    ("alternatives", 'alt="a square"', 'alt=""', "<img"),
    ("alternatives", "Its content.", '<svg role="img" width="9" height="9"></svg>', "<svg"),
    ("accessibility", "A button", "", "button-name"),
    ("accessibility", '<html lang="en">', "<html>", "html-has-lang"),
    ("accessibility", "<p>A page", '<p style="color: #bbb; background: #fff">A page', "contrast"),
    ("shifts", "<main>", f"<main><p id='late'></p>{LATE}", "moved by"),
    ("sideways", "Its content.</p>", f"Its content.</p>{WIDE}", "too wide"),
    (
        "hints",
        "Its content.</p>",
        f'Its content.</p><div style="overflow: auto">{WIDE}</div>',
        "no hint",
    ),
    ("keyboard", "<button", '<button tabindex="3"', "out of order"),
    ("keyboard", "Its content.", LEFT, "focus is invisible"),
    (
        "keyboard",
        "A button",
        "<script>onkeydown = (e) => e.preventDefault()</script>A",
        "not reached",
    ),
    ("readable", "</figure>", f"</figure>{DEAD}", "no static picture"),
    ("readable", 'width="40" height="40"', 'width="4" height="4"', "no picture"),
    ("readable", SOUND[SOUND.index("<p>A page") : SOUND.index("<figure>")], "", "no text"),
]


def visit(browser: Browser, folder: Path, html: str, check: str) -> list[str]:
    (folder / "page.html").write_text(html, encoding="utf-8")
    scripts = check != "readable"
    with (
        Site(folder) as site,
        Visit(browser, f"{site.url}/page.html", width=360, java_script_enabled=scripts) as visit,
    ):
        if scripts:
            visit.unfold()
        if check == "shifts":
            visit.rest()
        return PAGE_CHECKS[check](visit)


@pytest.mark.parametrize("check", PAGE_CHECKS)
def test_sound_page_passes(browser: Browser, tmp_path: Path, check: str) -> None:
    assert visit(browser, tmp_path, SOUND, check) == []


@pytest.mark.parametrize(("check", "old", "new", "fault"), BROKEN)
def test_broken_page_is_reported(
    browser: Browser, tmp_path: Path, check: str, old: str, new: str, fault: str
) -> None:
    assert SOUND.count(old) >= 1
    found = visit(browser, tmp_path, SOUND.replace(old, new), check)
    assert any(fault in text for text in found), found


def test_weights_by_class(browser: Browser, tmp_path: Path) -> None:
    """Incompressible content of known size lands in its class; a budget below is reported."""
    noise = "".join(f"{hash((k, 'noise')) & 0xFFFFFFFF:08x}" for k in range(4000))
    state = f'<script type="application/vnd.jupyter.widget-state+json">"{noise}"</script>'
    (tmp_path / "look.css").write_text(f"/*{noise}*/", encoding="utf-8")
    html = SOUND.replace("</head>", f'<link rel="stylesheet" href="look.css">{state}</head>')
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    with Site(tmp_path) as site, Visit(browser, f"{site.url}/page.html") as opened:
        measured = checks.weights(site, opened.requests)
    assert 15 < measured["figures"] < 20
    assert 15 < measured["apparatus"] < 20
    assert measured["text"] < 2
    assert checks.too_heavy(measured) == []
    assert checks.too_heavy(measured, {"figures": 10}) == [
        f"figures: {measured['figures']} KB of 10 KB"
    ]
