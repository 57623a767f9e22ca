"""The book's text face, Source Serif 4 (SIL Open Font License), cut down to the characters in use.

The variable upright keeps the weights 400 to 700, the italic only 400: 39 KB instead of 100. They
stand inside a style sheet and are unpacked before the text is laid out: no line moves later.
"""

from __future__ import annotations

import base64
import io
import logging
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from sphinx.application import Sphinx

from book._ext.node_tools import install

PACKAGE = "@fontsource-variable/source-serif-4"
WEIGHTS: dict[str, Any] = {"normal": (400, 700), "italic": 400}
CHARACTERS = (
    "".join(map(chr, range(0x20, 0x7F))) + "ÄÅÖÜßàáâãäåæçèéêëíîïñóôöøúûüłŁ–—‘’“”…§†·×≤≥−→½°\u00a0"
)
SHEET = "fonts.css"
FACE = """@font-face {{
  font-family: "Source Serif"; font-style: {style}; font-weight: {weight};
  src: url("data:font/woff2;base64,{data}") format("woff2");
}}
"""
LOAD = "document.fonts.forEach((face) => face.family.includes('Source Serif') && face.load());"
FEATURES = ["kern", "liga", "ccmp", "mark", "lnum", "onum", "pnum", "tnum"]


def cut(source: Path, weights: Any) -> bytes:
    """`source`, limited to `weights` and CHARACTERS, as woff2."""
    font = instancer.instantiateVariableFont(TTFont(source), {"wght": weights})
    options = subset.Options(layout_features=FEATURES, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=CHARACTERS)
    subsetter.subset(font)
    font.flavor = "woff2"
    packed = io.BytesIO()
    font.save(packed)
    return packed.getvalue()


def face(package: Path, style: str, weights: Any) -> str:
    source = package / "files" / f"source-serif-4-latin-wght-{style}.woff2"
    data = base64.b64encode(cut(source, weights)).decode()
    weight = " ".join(map(str, weights)) if isinstance(weights, tuple) else weights
    return FACE.format(style=style, weight=weight, data=data)


def write(app: Sphinx, error: Exception | None) -> None:
    sheet = Path(app.outdir) / "_static" / SHEET
    if error or app.builder.format != "html" or sheet.exists():
        return
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    package = install() / PACKAGE
    licence = (package / "LICENSE").read_text(encoding="utf-8")
    faces = "".join(face(package, style, weights) for style, weights in WEIGHTS.items())
    sheet.write_text(f"/* {licence} */\n{faces}", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_css_file(SHEET)
    app.add_js_file(None, body=LOAD)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
