"""Lighter, more accessible pages: without what no page uses, with the theme's faults mended."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fontTools import subset
from sphinx.application import Sphinx

from book._ext.page_bridge import Page

# Replaced by book.css (boxes; cells, whose sheet is mostly 512 terminal colours; grid, card and
# dropdown of sphinx-design), or unused (tabs).
DROPPED = ("proof.css", "exercise.css", "mystnb.", "sphinx-design", "design-tabs.js")

# The theme's boxes and folds have icons, shadows and hues; under names of our own they are plain.
RENAMED = {
    "admonition": "box",
    "admonition-title": "box-title",
    "sd-dropdown": "fold",
    "sd-summary-title": "box-title",
    "above-input": "above-code",
    **dict.fromkeys(["sd-sphinx-override", "sd-card", "sd-card-header", "sd-mb-3"], ""),
}

# Faults of the theme and of extensions that axe or a validator names, each with its cure.
CURES = (
    (
        'data-bs-target=".bd-toc-nav"',
        'data-bs-target="#pst-page-toc-nav"',
    ),  # names no element, so the theme's script reads every link with a # as a section
    (
        '<summary aria-label="Toggle hidden content">',
        "<summary>",
    ),  # hides the visible name of every fold
    (
        '<div role="list" class="citation-list">',
        '<div class="citation-list">',
    ),  # its children are no list items
    (' role="doc-biblioentry"', ""),  # deprecated, and only allowed in such a list
    ('<th class="head"><p></p></th>', "<td></td>"),  # the empty corner of a table heads nothing
    (' id="proof-content"', ""),  # the same id on every theorem
    (
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n',
        "",
    ),  # the second of two
)
BOX = re.compile(
    r'(<(?:div|p|details|summary)\b[^>]*?)class="([^"]*(?:admonition|sd-dropdown|sd-summary)[^"]*)"'
)
ICON_RULE = re.compile(
    r'((?:\.fa-[a-z0-9-]+:{1,2}before,?\s*)+)\{\s*content:\s*"\\([0-9a-f]+)";?\s*\}'
)
OURS = ("book.css", "page.js", "previews.js", "answers.js")
THEIRS = ("copybutton.js", "copybutton.css", "pygments.css", "sphinx_highlight.js", "doctools.js")
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.S)
CSS_SPACE = re.compile(r"""("[^"]*"|'[^']*')|\s*([{};])\s*""")  # around these, but not in a text
# Behind code that ends so, with no quotation mark in it: no part of a text.
TRAILING_COMMENT = re.compile(r"(?<=[;,{}\]])[ \t]+//[ \t][^\n`'\"]*$", re.M)
LINE_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*.*?\*/)[ \t]*$", re.M | re.S)
ICON_NAME = re.compile(r"fa-[a-z0-9-]+")


def lean_assets(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Drop what no page uses and defer the other scripts."""

    def kept(files: list[Any]) -> list[Any]:
        return [
            f for f in files if not any(name in str(getattr(f, "filename", f)) for name in DROPPED)
        ]

    context["css_files"] = kept(context.get("css_files", []))
    scripts = []
    for script in kept(context.get("script_files", [])):
        # An inline script needs the options at once, the search page needs all of them.
        options = "documentation_options" in str(script.filename)
        if page != "search" and script.filename and not options:
            deferred = {**script.attributes, "defer": "defer"}
            # A copy, because all pages share the object.
            script = type(script)(script.filename, priority=script.priority, **deferred)
        scripts.append(script)
    context["script_files"] = scripts


def renamed(classes: str) -> str:
    return " ".join(filter(None, (RENAMED.get(name, name) for name in classes.split())))


def mend(app: Sphinx, page: Page) -> None:
    for fault, cure in CURES:
        page.html = page.html.replace(fault, cure)
    page.html = BOX.sub(lambda m: f'{m[1]}class="{renamed(m[2])}"', page.html)
    if page.name == app.config.root_doc:
        page.html = page.html.replace(
            '<article class="bd-article', '<article class="landing bd-article', 1
        )


def subset_icons(app: Sphinx, error: Exception | None) -> None:
    """Keep the icon rules and glyphs that the built pages and the theme's scripts name."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    sheet = static / "styles" / "pydata-sphinx-theme.css"
    css = sheet.read_text(encoding="utf-8")
    users = [*Path(app.outdir).rglob("*.html"), *static.rglob("*theme.js")]
    names = {name for file in users for name in ICON_NAME.findall(file.read_text(encoding="utf-8"))}
    glyphs = set(re.findall(r'--pst-[a-z-]+:"([^"\\])"', css))

    def rule(match: re.Match[str]) -> str:
        if not names & set(ICON_NAME.findall(match[1])):
            return ""
        glyphs.add(chr(int(match[2], 16)))
        return match[0]

    sheet.write_text(ICON_RULE.sub(rule, css), encoding="utf-8")
    fonts = static / "vendor" / "fontawesome" / "webfonts"
    # Loaded by no page: fonts for browsers without woff2, and the icons as a script.
    for unused in (*fonts.glob("*.ttf"), *static.rglob("fontawesome.js*")):
        unused.unlink()
    wanted = "--unicodes=" + ",".join(f"{ord(glyph):x}" for glyph in sorted(glyphs))
    for font in fonts.glob("*.woff2"):
        subset.main(
            [
                str(font),
                wanted,
                "--flavor=woff2",
                "--ignore-missing-unicodes",
                f"--output-file={font}",
            ]
        )


def terse(text: str, suffix: str) -> str:
    """A script or style sheet without what only its authors read: comments, indentation, empty
    lines, in a sheet the spaces around braces and semicolons."""
    if suffix == ".css":
        text = CSS_SPACE.sub(lambda found: found[1] or found[2], CSS_COMMENT.sub("", text))
    else:
        text = TRAILING_COMMENT.sub("", LINE_COMMENT.sub("", text))
    lines = (line.lstrip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line) + "\n"


def lean_scripts(app: Sphinx, error: Exception | None) -> None:
    """Scripts and sheets that are served as their authors wrote them are served tersely."""
    if error or app.builder.format != "html":
        return
    for name in OURS + THEIRS:
        for file in (Path(app.outdir) / "_static").glob(name):
            file.write_text(terse(file.read_text("utf-8"), file.suffix), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.page_bridge")
    app.connect("html-page-context", lean_assets, priority=900)
    app.connect("page-rendered", mend)
    app.connect("build-finished", subset_icons)
    app.connect("build-finished", lean_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
