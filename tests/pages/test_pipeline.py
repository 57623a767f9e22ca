"""The extensions that make the page: what they do to a formula, a box, a drawing, an address."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from linear_icl_book.figures import PALETTE

from book._ext import address, folds, inline_svg, lean_page
from book._ext.node_tools import Typesetter, install
from book._ext.typeset import LETTERS, PLAIN

ROOT = Path(__file__).parents[2]
CSS = (ROOT / "book" / "_page" / "book.css").read_text(encoding="utf-8")


# ---- mathematics --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def typesetter() -> Iterator[Typesetter]:
    process = Typesetter(ROOT / "book" / "_ext" / "typeset.mjs", str(install()))
    yield process
    process.close()


def typeset(typesetter: Typesetter, tex: str, display: bool = False) -> dict[str, Any]:
    letters = {letter: name for name, letters in LETTERS.items() for letter in letters}
    question = {"tex": tex, "display": display, "letters": letters, "plain": PLAIN}
    return typesetter.ask(question)


def coloured(typesetter: Typesetter, tex: str) -> list[str]:
    answer = typeset(typesetter, tex)
    return re.findall(r'class="(icl-\w+)"', "".join(answer["svg"]))


@pytest.mark.parametrize(
    ("tex", "classes"),
    [
        ("U", ["icl-U"]),
        ("U_{11}", ["icl-U"]),
        ("u_{-1}", ["icl-u"]),
        (r"\Gamma^{-1}", ["icl-Gamma"]),
        ("x_q", ["icl-query"]),
        ("x_{q}", ["icl-query"]),
        (r"x_{\mathrm{query}}", ["icl-query"]),
        ("x_{q,1}", ["icl-query"]),
        (r"x_q^\top", ["icl-query", "icl-query"]),  # letter and index, not the exponent
        (r"\dot U", ["icl-U"]),
        ("uU", ["icl-u", "icl-U"]),
        (r"\|U\|_F", ["icl-U"]),
        ("x_{1}+y_q", []),
        ("u_{12}+u_{21}^\\top", []),  # the blocks that stay at zero
        (r"\mathbf{U}\mathcal{U}\mathbb{U}\text{U}", []),
        (r"\gamma", []),
    ],
)
def test_letters_of_the_book_are_marked(
    typesetter: Typesetter, tex: str, classes: list[str]
) -> None:
    assert coloured(typesetter, tex) == classes


def test_every_glyph_has_its_outline_and_every_formula_its_mathml(typesetter: Typesetter) -> None:
    tex = (
        r"\Bigl(1+\tfrac1N\Bigr)\Lambda=\sqrt{\begin{pmatrix}a&b\\c&d\end{pmatrix}}<\overbrace{xyz}"
    )
    answer = typeset(typesetter, tex, display=True)
    used = set(re.findall(r'href="#([^"]+)"', answer["svg"][0]))
    assert used == set(answer["glyphs"])
    assert answer["mathml"].startswith("<math>") and "&lt;" in answer["mathml"]
    assert "<mtable>" in answer["mathml"] and "<mfrac>" in answer["mathml"]


@pytest.mark.parametrize(
    ("tex", "fault"),
    [
        (r"\lambad", r"Undefined control sequence \lambad"),
        (r"\frac{a}{b", "Missing close brace"),
        (r"x \tag{3}", r"\tag"),
        (r"\begin{align} a", "Missing"),
    ],
)
def test_wrong_tex_is_an_error(typesetter: Typesetter, tex: str, fault: str) -> None:
    assert fault in typeset(typesetter, tex, display=True)["error"]


def widths(pieces: list[str]) -> list[float]:
    return [float(re.findall(r'width="([\d.]+)ex"', piece)[0]) for piece in pieces]


def test_long_inline_formula_may_break(typesetter: Typesetter) -> None:
    tex = "a+b+c+d+e+f+g+h=" * 4 + "0"
    pieces = typeset(typesetter, tex)["svg"]
    whole = typeset(typesetter, rf"{{{tex}}}")["svg"]
    assert len(pieces) > 3 and len(whole) == 1
    assert sum(widths(pieces)) == pytest.approx(sum(widths(whole)), abs=0.1)


@pytest.mark.parametrize(
    ("tex", "count"),
    [
        (r"a+b+c+d+e+f = a+b+c", 1),  # a phone shows it whole
        (r"a+b+c+d+e+f+g+h = a+b+c+d+e+f+g+h+i+j", 7),  # sums and a relation
        (r"(a+b+c+d+e+f+g+h+i+j+k+l+m+n) = \|a+b+c+d+e\|^2", 2),  # brackets and bars stay whole
        (
            r"\|a+b+c+d\|^2 := (e+f+g+h+i+j+k+l+m), \qquad x \le y",
            3,
        ),  # and the signs of one relation
    ],
)
def test_a_display_wider_than_a_phone_may_break(
    typesetter: Typesetter, tex: str, count: int
) -> None:
    pieces = typeset(typesetter, tex, display=True)["svg"]
    whole = typeset(typesetter, rf"{{{tex}}}", display=True)["svg"]
    assert (len(pieces), len(whole)) == (count, 1)
    gaps = [float(gap) for piece in pieces for gap in re.findall(r"calc\(([\d.]+)ex", piece)]
    assert len(gaps) == tex.count("qquad")
    assert sum(widths(pieces)) + sum(gaps) == pytest.approx(sum(widths(whole)), abs=0.1)


# ---- boxes, drawings, the palette ---------------------------------------------------------------


def test_box_becomes_a_fold_with_its_title() -> None:
    html = (
        '<div class="solution dropdown admonition" id="s">\n<p class="admonition-title">Solution to'
        '<a href="#ex"> Exercise 1</a></p>\n<div>inner</div></div>'
    )
    assert folds.as_details(html) == (
        '<details class="solution fold admonition" id="s">\n<summary class="admonition-title">'
        "Solution to Exercise 1</summary>\n<div>inner</div></details>"
    )
    with pytest.raises(ValueError, match="needs a title"):
        folds.as_details('<div class="dropdown"><p>no title</p></div>')


def test_theme_classes_are_renamed_as_whole_words() -> None:
    assert lean_page.renamed("admonition my-admonition admonition-title sd-card") == (
        "box my-admonition box-title"
    )


DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
width="72pt" height="36pt" viewBox="0 0 72 36"><title>T</title><desc>D</desc><metadata/>
<style>*{stroke-linejoin: round} :root { --icl-U: #123456 } .a, .b { fill: red }
@media (prefers-color-scheme: dark) { :root { --icl-U: #654321 } }</style>
<defs><path id="p" d="M0 0"/></defs><use xlink:href="#p" style="fill: #0a66a8" clip-path="url(#p)"/>
</svg>"""


def test_drawing_is_inlined_with_unique_ids_theme_colours_and_a_name() -> None:
    html = inline_svg.inlined(DRAWING, "fig", 'a "name"', inline_svg.named_colours(CSS))
    assert 'id="fig"' in html and 'role="img"' in html and 'aria-label="a &quot;name&quot;"' in html
    assert 'id="fig-p"' in html and 'href="#fig-p"' in html and 'clip-path="url(#fig-p)"' in html
    assert 'style="fill: var(--icl-U)"' in html and "#0a66a8" not in html
    assert "#fig .a,#fig .b{fill: red}" in html
    assert "stroke-linejoin" not in html and ":root" not in html and "@media" not in html
    assert "<title>" not in html and 'aria-describedby="fig-desc"' in html
    assert "--drawn:96px" in html  # 72 pt


def test_drawings_of_the_book_say_what_they_show() -> None:
    drawings = list((ROOT / "book" / "_page" / "diagrams").glob("*.svg"))
    assert len(drawings) >= 2
    for file in drawings:
        text = file.read_text(encoding="utf-8")
        assert re.search(r"<title>[^<]{10,}</title>\s*<desc>[^<]{80,}</desc>", text), file.name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_style_sheet_and_figures_have_one_palette(theme: str) -> None:
    start = CSS.index(":root {" if theme == "light" else 'html[data-theme="dark"] {')
    block = CSS[start : CSS.index("}", start)]
    declared = dict(re.findall(r"--icl-(\w+): (#[0-9A-F]{6})", block))
    assert declared == PALETTE[theme]


# ---- the public address -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("https://github.com/owner/name", ("github.com", "owner", "name")),
        ("https://github.com/owner/name.git", ("github.com", "owner", "name")),
        ("git@gitlab.com:owner/na.me.git\n", ("gitlab.com", "owner", "na.me")),
        ("/srv/git/name.git", None),
        ("https://intranet.example/owner/name", None),
        ("", None),
    ],
)
def test_only_a_public_address_counts(text: str, public: tuple[str, str, str] | None) -> None:
    assert address.parse(text) == public


def test_run_box_has_local_commands_always_and_binder_with_an_address() -> None:
    unset = address.run_box("book/chapter", None)
    assert "make lab" in unset and "<code>chapter.ipynb</code>" in unset
    assert "mybinder" not in unset.lower() and "git clone" not in unset
    known = address.run_box("book/chapter", ("github.com", "owner", "name"))
    assert "git clone https://github.com/owner/name" in known
    assert "mybinder.org/v2/gh/owner/name/HEAD?urlpath=lab%2Ftree%2Fclass%2Fchapter.ipynb" in known


# ---- a build that fails -------------------------------------------------------------------------

CONF = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
OWN = ("page_bridge", "typeset", "inline_svg", "folds", "address")
extensions = ["myst_parser", *(f"book._ext.{{name}}" for name in OWN)]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
exclude_patterns = ["out"]
book_repository_url = "https://github.com/owner/name"
"""
PAGES = {
    "index": "# Index\n\n```{toctree}\nsound\ntex\nalt\nletters\n```\n",
    "sound": "---\nkernelspec: {name: python3, display_name: P}\n---\n# Sound $U$\n\n"
    "$$\na &= b \\\\\n&= c\n$$ (eq-one)\n\nBy {eq}`eq-one`, ($N$).\n\n"
    "```{figure} picture.svg\n:alt: a dot\n```\n",
    "tex": "# TeX\n\nHere is $\\lambad$.\n",
    "alt": "# Alt\n\n![](picture.svg)\n",
    "letters": "---\nmath_letters: false\n---\n# Plain\n\n$U$ and $u$\n",
}
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9px" height="9px"><circle r="4"/></svg>'


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-b", "html", str(folder), str(folder / "out")]
    plain = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=plain, check=False)


def test_build_fails_with_page_and_fault_until_they_are_mended(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    (tmp_path / "picture.svg").write_text(PICTURE, encoding="utf-8")
    for name, text in PAGES.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    first, again = build(tmp_path), build(tmp_path)
    for done in (first, again):  # a faulty page is not kept, so the second build sees it as well
        assert done.returncode != 0
        assert r"tex: mathematics: Undefined control sequence \lambad in '\\lambad'" in done.stderr
        assert "alt: image picture.svg has no text alternative" in done.stderr
    assert "tex.md:3" in first.stderr.replace("\x1b", "")

    (tmp_path / "tex.md").write_text("# TeX\n\nHere is $\\lambda$.\n", encoding="utf-8")
    (tmp_path / "alt.md").write_text("# Alt\n\n![a dot](picture.svg)\n", encoding="utf-8")
    mended = build(tmp_path)
    assert mended.returncode == 0, mended.stderr
    out = tmp_path / "out"
    sound = (out / "sound.html").read_text(encoding="utf-8")
    assert not re.search("<script[^>]*mathjax", sound, re.IGNORECASE)
    assert '<span class="eqno">(1)' in sound and 'href="#equation-eq-one">(1)</a>' in sound
    assert '<span class="nobr">(<svg' in sound  # bracket, formula, bracket and full stop together
    assert 'aria-label="a dot"' in sound and "<img" not in sound
    used = set(re.findall(r'href="#(mx-[^"]+)"', sound))
    assert used and used == set(re.findall(r'<path id="(mx-[^"]+)"', sound))
    assert "icl-U" in sound and 'class="icl-' not in (out / "letters.html").read_text("utf-8")
    assert 'rel="canonical" href="https://owner.github.io/name/sound.html"' in sound
    assert "<loc>https://owner.github.io/name/sound.html</loc>" in (out / "sitemap.xml").read_text()
    offered = re.findall(r'<a href="([^"]+)" download>', sound)
    assert len(offered) == 3 and [path for path in offered if not (out / path).is_file()] == []
    assert not (out / "_sources" / "tex.ipynb").exists()  # it names no kernel
