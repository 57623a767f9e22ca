"""SVG images stand in the page itself and follow its theme; every image says what it shows.

Figures of matplotlib and the drawings of book/_page/diagrams lose their own style, get ids unique
on the page, and every colour that book.css names (`--icl-…`) becomes that variable. An image
without a text alternative fails the build.

A phone shows another drawing where there is one: that which a figure carries in its metadata, or
the pieces of a diagram, one under another, that `data-pieces="0 340, 380 720"` cuts it into.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from copy import deepcopy
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book._ext.page_bridge import faults

SVG = "http://www.w3.org/2000/svg"
XLINK = "{http://www.w3.org/1999/xlink}"
POINT = 4 / 3  # px
LENGTH = re.compile(r"([\d.]+)(pt|px)?$")
STYLE_SHEET = Path(__file__).resolve().parents[1] / "_page" / "book.css"
UNDRAWN = [f"{{{SVG}}}{tag}" for tag in ("title", "desc", "style", "metadata")]
ET.register_namespace("", SVG)


def named_colours(css: str) -> dict[str, str]:
    """Hexadecimal colour (lower case) to variable, from the first, light, block of the sheet."""
    block = css[css.index("--icl-") : css.index("}", css.index("--icl-"))]
    return {
        value.lower(): f"var({name})"
        for name, value in re.findall(r"(--icl-[\w-]+):\s*(#[0-9A-Fa-f]{6})", block)
    }


def pixels(length: str) -> str:
    match = LENGTH.match(length)
    if match is None:
        raise ValueError(f"an SVG needs a width in pt or px, got {length!r}")
    return f"{float(match[1]) * (POINT if match[2] == 'pt' else 1):.0f}"


def scoped(style: str, name: str) -> str:
    """An SVG's own rules, for this drawing only.

    Those of `:root` serve it elsewhere; the one of matplotlib, for `*`, stands in book.css.
    """
    rules = re.findall(
        r"([^{}@]+)\{([^{}]*)\}", re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", style)
    )
    return "".join(
        ",".join(f"#{name} {part.strip()}" for part in selector.split(","))
        + "{"
        + body.strip()
        + "}"
        for selector, body in rules
        if ":root" not in selector and selector.strip() != "*"
    )


def for_phones(text: str) -> str | None:
    """The drawing that a narrow page shows in the place of `text`, if there is one."""
    root = ET.fromstring(text)
    carried = root.find(f"{{{SVG}}}metadata/{{{SVG}}}svg")
    if carried is not None:
        return ET.tostring(carried, encoding="unicode")
    pieces = [
        tuple(map(float, one.split())) for one in root.get("data-pieces", "").split(",") if one
    ]
    if not pieces:
        return None
    _, top, _, high = map(float, root.attrib["viewBox"].split())
    wide, tall = max(b - a for a, b in pieces), high * len(pieces)
    size = {"width": f"{wide:g}", "height": f"{tall:g}", "viewBox": f"0 0 {wide:g} {tall:g}"}
    stacked = ET.Element(f"{{{SVG}}}svg", size)
    stacked.extend(child for child in root if child.tag in UNDRAWN)
    drawn = [child for child in root if child.tag not in UNDRAWN]
    for k, (a, b) in enumerate(pieces):
        place = {"x": f"{(wide - b + a) / 2:g}", "y": f"{k * high:g}", "width": f"{b - a:g}"}
        seen = {"height": f"{high:g}", "viewBox": f"{a:g} {top:g} {b - a:g} {high:g}"}
        piece = ET.SubElement(stacked, f"{{{SVG}}}svg", {**place, **seen})
        piece.extend(map(deepcopy, drawn))  # <use> would lose the rules of the style sheet
    return ET.tostring(stacked, encoding="unicode")


def both(text: str, name: str, label: str, colours: dict[str, str]) -> str:
    """The drawing of the page, and that of a phone behind it."""
    small, page = for_phones(text), inlined(text, name, label, colours)
    if small is None:
        return page
    phone = inlined(small, f"{name}-narrow", label, colours)
    return page + phone.replace('class="drawing"', 'class="drawing narrow"', 1)


def inlined(text: str, name: str, label: str, colours: dict[str, str]) -> str:
    """The SVG `text` as an element of the page: ids prefixed with `name`, named `label`."""
    root = ET.fromstring(text)
    root.attrib.pop("data-pieces", None)
    drawn = root.find(f"{{{SVG}}}desc")
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (
                f"{{{SVG}}}metadata",
                f"{{{SVG}}}title",
            ):  # a title would pop up as a tooltip
                parent.remove(child)
            elif child.tag == f"{{{SVG}}}style":
                child.text = scoped(child.text or "", name)
                if not child.text:
                    parent.remove(child)
    for element in root.iter():
        for key in list(element.attrib):
            value = element.attrib.pop(key)
            if key == "id":
                value = f"{name}-{value}"
            elif key == f"{XLINK}href":
                key, value = "href", value
            if key == "href" and value.startswith("#"):
                value = f"#{name}-{value[1:]}"
            element.set(key, re.sub(r"url\(#", f"url(#{name}-", value))
    width, height = root.attrib.pop("width"), root.attrib.pop("height")
    root.attrib.setdefault("viewBox", f"0 0 {pixels(width)} {pixels(height)}")
    root.attrib.update({"id": name, "class": "drawing", "role": "img", "aria-label": label})
    root.set("style", f"--drawn:{pixels(width)}px")
    root.attrib.pop("version", None)
    if drawn is not None:
        drawn.set("id", f"{name}-desc")
        root.set("aria-describedby", f"{name}-desc")
    html = ET.tostring(root, encoding="unicode")
    html = re.sub(r">\s+<", "><", html)
    return re.sub(r"#[0-9A-Fa-f]{6}\b", lambda m: colours.get(m[0].lower(), m[0]), html)


class InlineSvg(SphinxPostTransform):
    """Replaces SVG images by their drawing and demands a text alternative of every image."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        page = self.env.docname
        colours = named_colours(STYLE_SHEET.read_text(encoding="utf-8"))
        for number, image in enumerate(list(self.document.findall(nodes.image)), start=1):
            alt, uri = str(image.get("alt", "")).strip(), image["uri"]
            if not alt or alt == uri:
                faults(self.app).add(
                    page, f"image {uri} has no text alternative; give it `alt`", image
                )
            if uri.endswith(".svg") and "://" not in uri:
                text = (Path(self.app.srcdir) / uri).read_text(encoding="utf-8")
                drawing = nodes.raw(
                    "", both(text, f"drawing-{number}", alt, colours), format="html"
                )
                image.replace_self(
                    nodes.container("", drawing, classes=["drawing-frame", *image["classes"]])
                )


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.page_bridge")
    app.add_post_transform(InlineSvg)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
