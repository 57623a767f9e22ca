"""The role `{figure-at}`: a link that opens a live figure with its controls set.

{figure-at}`σ = 10⁻³ <pl_convergence plateau-and-escape; sigma = 1e-3; N = 8>` names a page in the
same folder, a figure on it, and stops of its controls; a control that is not named stands where it
starts. A figure that computes has traits in the place of controls; a list is written `1.5, -1`. The
figure, the controls and the values are looked up in the page's own figures, and the build fails
where one does not exist. Where there are no live figures (paper), the text remains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from posixpath import dirname, join
from typing import Any

from docutils import nodes
from linear_icl_book.live import bundle
from linear_icl_book.live.explore import KINDS
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book._ext.live_page import kind_of, states_of
from book._ext.page_bridge import faults

FORM = re.compile(r"(.+?)\s*<(\S+)\s+([^;>\s]+)\s*((?:;[^;>]+=[^;>]+)*)>", re.S)
RESERVED = re.compile(r'[%&=,:#_~"<>`]')  # as live_page.js writes them
Model = Mapping[str, Any]
OPTIONS = re.compile(r"^ *static options = (\[.*?\]);", re.M | re.S)  # set by the author alone
NEAR = 1e-3  # relative: a stop is written with four digits


class figure_at(nodes.Inline, nodes.TextElement):  # type: ignore[misc]  # docutils has no types
    """A link that waits for the figures of all pages."""


class FigureAt(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        self.env.note_reread()  # what it points to depends on another page
        match = FORM.fullmatch(self.text)
        if match is None:
            text = f"a link must read TEXT <PAGE FIGURE; CONTROL = STOP>, got {self.text!r}"
            faults(self.env.app).add(self.env.docname, text, self.get_location())
            return [nodes.Text(self.text)], []
        text, page, figure, controls = match.groups()
        pairs = [part.split("=", 1) for part in controls.split(";")[1:]]
        wanted = {name.strip(): value.strip() for name, value in pairs}
        place = join(dirname(self.env.docname), page)
        return [figure_at("", text, page=place, figure=figure, wanted=wanted)], []


def fragment(models: Iterable[Model], figure: str, wanted: Mapping[str, str]) -> str:
    """The part of the address behind "#" that sets the figure of this name.

    models: those of a page's figures. Raises ValueError for a name that no figure has, or several
    have, for an unknown control or trait, and for a value that it cannot have."""
    states = [model["state"] for model in models]
    named = [state for state in states if _name(state) == figure]
    if len(named) != 1:
        raise ValueError(
            f"there must be one figure {figure!r}, got {len(named)}; "
            f"the page has {', '.join(sorted(set(map(_name, states)))) or 'none'}"
        )
    written = (_traits if "figure" in named[0] else _stops)(named[0], wanted)
    return f"{figure}={','.join(f'{name}:{value}' for name, value in written.items())}"


def _name(state: Model) -> str:
    return str(state.get("spec", state)["name"])


def _check(state: Model, kind: str, known: Iterable[str], wanted: Mapping[str, str]) -> None:
    if unknown := sorted(set(wanted) - set(known)):
        raise ValueError(f"{_name(state)} has the {kind} {', '.join(known)}, got {unknown[0]!r}")


def _stops(state: Model, wanted: Mapping[str, str]) -> dict[str, str]:
    axes = {axis["name"]: axis for axis in state["spec"]["axes"]}
    _check(state, "controls", axes, wanted)
    return {name: _stop(axis, wanted.get(name)) for name, axis in axes.items()}


def _traits(state: Model, wanted: Mapping[str, str]) -> dict[str, str]:
    _check(state, "traits", settable(state["figure"]), wanted)
    values = {name: _value(name, text) for name, text in wanted.items()}
    KINDS[state["figure"]](**values)  # which refuses what it cannot have
    return {k: ";".join(f"{one:.6g}" for one in _listed(value)) for k, value in values.items()}


def settable(kind: str) -> list[str]:
    """The traits that a reader moves: all but the options of the figure's front end."""
    options = OPTIONS.search(bundle.source(kind))
    if options is None:
        raise ValueError(f"{kind}.js must name its `static options`, got none")
    return [name for name in KINDS[kind].state_names() if name not in json.loads(options[1])]


def _value(name: str, text: str) -> Any:
    try:
        numbers = [
            int(one) if re.fullmatch(r"\s*\d+\s*", one) else float(one) for one in text.split(",")
        ]
    except ValueError:
        raise ValueError(f"{name} must be set to numbers, got {text!r}") from None
    return numbers if "," in text else numbers[0]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _stop(axis: Mapping[str, Any], wanted: str | None) -> str:
    """The stop as the page's script writes and reads it."""
    if wanted is None:
        stop = axis["init"]
    elif isinstance(axis["init"], str):
        stop = wanted if wanted in axis["values"] else None
    else:
        value = float(wanted)
        nearest = min(axis["values"], key=lambda stop: abs(stop - value))
        stop = nearest if abs(nearest - value) <= NEAR * abs(value) else None
    if stop is None:
        raise ValueError(
            f"{axis['name']} must be one of its stops, got {wanted!r}; they are "
            + "; ".join(one if isinstance(one, str) else f"{one:.4g}" for one in axis["values"])
        )
    if isinstance(stop, str):
        return RESERVED.sub(lambda found: f"~{ord(found[0]):x}", stop).replace(" ", "_")
    return f"{stop:.4g}"


def resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    for place in list(doctree.findall(figure_at)):
        link: nodes.Node = nodes.Text(place.astext())
        if app.builder.name == "html":
            models = filter(kind_of, states_of(app, place["page"]).values())
            try:
                ends = fragment(models, place["figure"], place["wanted"])
            except ValueError as error:
                faults(app).add(page, f"{place['page']}: {error}", place)
            else:
                uri = f"{app.builder.get_relative_uri(page, place['page'])}#{ends}"
                link = nodes.reference("", place.astext(), refuri=uri, classes=["figure-at"])
        place.replace_self(link)


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.live_page")
    app.add_node(figure_at)
    app.add_role("figure-at", FigureAt())
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
