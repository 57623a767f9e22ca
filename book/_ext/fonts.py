"""The book's text face, Source Serif 4 (SIL Open Font License), cut down to the characters in use.

The variable upright keeps the weights 400 to 700, the italic only 400: 32 KB instead of 100.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from node_tools import install
from sphinx.application import Sphinx

PACKAGE = "@fontsource-variable/source-serif-4"
WEIGHTS: dict[str, Any] = {"normal": (400, 700), "italic": 400}
CHARACTERS = (
    "".join(map(chr, range(0x20, 0x7F))) + "ÄÅÖÜßàáâãäåæçèéêëíîïñóôöøúûüłŁ–—‘’“”…§†·×≤≥−→½°\u00a0"
)
FEATURES = ["kern", "liga", "ccmp", "mark", "lnum", "onum", "pnum", "tnum"]


def cut(source: Path, weights: Any, target: Path) -> None:
    """Write `source`, limited to `weights` and CHARACTERS, as woff2."""
    font = instancer.instantiateVariableFont(TTFont(source), {"wght": weights})
    options = subset.Options(layout_features=FEATURES, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=CHARACTERS)
    subsetter.subset(font)
    font.flavor = "woff2"
    target.parent.mkdir(parents=True, exist_ok=True)
    font.save(target)


def write(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    package, out = install() / PACKAGE, Path(app.outdir) / "_static" / "fonts"
    for style, weights in WEIGHTS.items():
        target = out / f"source-serif-{style}.woff2"
        if not target.exists():
            cut(package / "files" / f"source-serif-4-latin-wght-{style}.woff2", weights, target)
    (out / "LICENSE.txt").write_text(
        (package / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8"
    )


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
