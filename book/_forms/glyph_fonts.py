"""Fonts made of the outlines of formulas, so that a PDF holds their letters instead of drawings.

On the page a letter is a reference to an outline, `mx-VARIANT-CODE` in 1000 units per em; as text
of a font of its variant it is copied and found in the PDF as the character with that code, and a
book of formulas has half the size.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.svgLib.path import parse_path

NAME = re.compile(r"mx-(\w+)-([0-9A-F]+)$")
EM, ASCENT, DESCENT = 1000, 1000, -1000
ADVANCE = 600  # no letter has a neighbour: each stands where its formula puts it


def font(outlines: Mapping[int, str]) -> bytes:
    """A TrueType font with the SVG path `outlines[code]` for each character code."""
    names = {code: f"u{code:X}" for code in sorted(outlines)}
    glyphs = {".notdef": TTGlyphPen(None).glyph()}
    for code, name in names.items():
        pen = TTGlyphPen(None)
        parse_path(outlines[code], Cu2QuPen(pen, max_err=0.5))
        glyphs[name] = pen.glyph()
    builder = FontBuilder(EM, isTTF=True)
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap(names)
    builder.setupGlyf(glyphs)
    # The side bearing must be the outline's own edge: a renderer moves the outline to it.
    table = builder.font["glyf"]
    builder.setupHorizontalMetrics(
        {name: (ADVANCE, getattr(table[name], "xMin", 0)) for name in glyphs}
    )
    builder.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
    builder.setupOS2(sTypoAscender=ASCENT, sTypoDescender=DESCENT)
    builder.setupNameTable({"familyName": "mathematics", "styleName": "Regular"})
    builder.setupPost()
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()


def style(outlines: Mapping[str, str]) -> str:
    """The CSS of the fonts `mx-VARIANT` for outlines by their id, `mx-VARIANT-CODE`."""
    variants: dict[str, dict[int, str]] = {}
    for name, path in outlines.items():
        match = NAME.match(name)
        if match is None:
            raise ValueError(f"an outline must be named mx-VARIANT-CODE, got {name!r}")
        variants.setdefault(match[1], {})[int(match[2], 16)] = path
    return "".join(
        f'@font-face {{ font-family: "mx-{variant}"; src: url("data:font/ttf;base64,'
        f'{base64.b64encode(font(paths)).decode()}"); }}\n'
        for variant, paths in sorted(variants.items())
    )
