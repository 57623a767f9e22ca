"""Live figures in the static page: their front end once, their data lean, their image beneath.

There are two families: LiveFigure, which has a grid, and the figures that compute. A figure's
output is a widget view and an SVG. HTML pages get both: the image shows until the figure has
mounted, without scripts, after an error and on paper. Other builders get the image. The widget
state that myst-nb writes into the page is cut down to the figures shown and to what differs between
them; a page loads code and style of the kinds that it shows, one file each with a hash in its name.
No require.js, no html-manager, nothing from elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docutils import nodes
from linear_icl_book.live import bundle
from linear_icl_book.live.explore import KINDS
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from book._ext.lean_page import terse

logger = logging.getLogger(__name__)
HERE = Path(__file__).resolve().parent
VIEW = "application/vnd.jupyter.widget-view+json"
IMAGE = "image/svg+xml"
STATE = "ipywidgets_state"
TEXT = "text/plain"
NAMED = re.compile(r"live\.\w{12}\.(?:js|css)")
NOTEBOOK = ("layout", "tabbable", "tooltip")  # traits that a page without a notebook has no use for
States = dict[str, dict[str, Any]]


def front_end(kinds: Iterable[str] = (bundle.GRID,)) -> dict[str, str]:
    """File name to content for a page with these kinds of figures: the package's modules as one
    classic script, which `file://` allows too, with the page's loader; and their style."""
    computing = sorted(set(kinds) - {bundle.GRID})
    kinds = [*computing, *({bundle.GRID} & set(kinds))]
    traits = {kind: f"traits: {kind}.Kind.traits, " for kind in computing}
    mounted = [
        f"{kind}: {{ {traits.get(kind, '')}render: {bundle.rendered(kind)} }}" for kind in kinds
    ]
    sheets = ["marks.css", "explore.css"] if computing else []
    sheets += ["live.css"] if bundle.GRID in kinds else []
    script, style = bundle.scopes(tuple(kinds)), "".join(map(bundle.text, sheets))
    loader = (HERE / "live_page.js").read_text("utf-8")
    table = f"\nconst kinds = {{ {', '.join(mounted)} }};\n"
    files = {
        "js": terse("(() => {\n" + script + table + loader + "})();\n", ".js"),
        "css": terse(style + (HERE / "live_page.css").read_text("utf-8"), ".css"),
    }
    return {
        f"live.{hashlib.sha256(text.encode()).hexdigest()[:12]}.{kind}": text
        for kind, text in files.items()
    }


def states_of(app: Sphinx, page: str) -> States:
    """The widget models of a page as its execution left them, by id."""
    entry = NbMetadataCollector.get_js_files(app.env, page).get(STATE)
    states: States = json.loads(entry[1]["body"])["state"] if entry else {}
    return states


def is_figure(model: dict[str, Any] | None) -> bool:
    """Whether it is a LiveFigure."""
    return bool(model) and "schema" in model["state"].get("spec", {})  # type: ignore[index]


def kind_of(model: dict[str, Any] | None) -> str | None:
    """The kind of figure that a widget model is; None for any other widget."""
    if is_figure(model):
        return bundle.GRID
    kind: str | None = model["state"].get("figure") if model else None
    return kind


class ImageBeneath(SphinxPostTransform):
    """Puts the image with its alternative text beneath each live view, or in its place."""

    default_priority = 3  # before myst-nb selects one form of every other output

    def run(self, **kwargs: Any) -> None:
        states = states_of(self.app, self.env.docname)
        for output in list(self.document.findall(_is_bundle)):
            forms = {form["mime_type"]: form for form in output.children}
            if VIEW not in forms:
                continue
            model = states.get(json.loads(_content(forms[VIEW]))["model_id"])
            if kind_of(model) is None or IMAGE not in forms:
                logger.warning(
                    "a widget that is no live figure is dead without a kernel; end the cell with ;",
                    location=output,
                    type="live",
                )
                continue
            assert model is not None
            image = forms[IMAGE].children[0]
            state = model["state"]
            image["alt"] = state["spec"]["alt"] if is_figure(model) else state["alt"]
            said = place(state) if is_figure(model) else _told(forms)
            where = nodes.paragraph("", said, classes=["live-at"])
            forms[IMAGE].children = []
            still = nodes.container("", image, where, classes=["live-still"])
            if self.app.builder.format == "html" and self.app.builder.name != "epub":
                view = forms[VIEW].children[0]
                output.replace_self(nodes.container("", still, view, classes=["live-box"]))
            else:
                output.replace_self(still)


def _is_bundle(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "mime_bundle"


def _content(view: nodes.Element) -> str:
    match = re.search(r"\{.*\}", view.astext(), re.DOTALL)
    assert match is not None, view
    return match[0]


def _told(forms: dict[str, nodes.Element]) -> str:
    """What the repr of a figure that computes says behind the name of its class."""
    return forms[TEXT].astext().partition(": ")[2] if TEXT in forms else ""


def place(state: dict[str, Any]) -> str:
    """Where in its parameters the image was drawn; the live figure's sliders say it themselves."""
    values = {axis["label"]: state[axis["name"]] for axis in state["spec"]["axes"]}
    return "Drawn at " + "; ".join(
        f"{label}: {value if isinstance(value, str) else format(value, '.3g')}"
        for label, value in values.items()
    )


def lean_state(states: States, body: str) -> States:
    """The models that the page shows, with what the front end reads of them, and their links."""
    shown = {i: model for i, model in states.items() if i in body and kind_of(model)}
    lean = {i: _lean(model) for i, model in shown.items()}
    for i, model in states.items():
        link = model["state"]
        if model["model_name"] in ("LinkModel", "DirectionalLinkModel") and all(
            link[end][0].removeprefix("IPY_MODEL_") in shown for end in ("source", "target")
        ):
            lean[i] = {
                "model_name": model["model_name"],
                "state": {k: link[k] for k in ("source", "target")},
            }
    return lean


def _lean(model: dict[str, Any]) -> dict[str, Any]:
    state = model["state"]
    if is_figure(model):
        names = ["spec", *(axis["name"] for axis in state["spec"]["axes"])]
    else:
        names = [name for name in state if not (name.startswith("_") or name in NOTEBOOK)]
    return {
        "model_name": model["model_name"],
        "state": {name: state[name] for name in names},
        "buffers": model.get("buffers", []),
    }


def add_figures(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Before myst-nb adds the state of the page: make it lean, and load the front end."""
    states = states_of(app, page)
    lean = lean_state(states, context.get("body", ""))
    files = app.env.nb_metadata[page]["js_files"] if states else {}  # type: ignore[attr-defined]
    files.pop(STATE, None)
    if not lean:
        return
    for i in lean:
        kind = kind_of(states[i])
        if kind and states[i]["state"].get("_esm") not in (None, bundle.front_end(kind)):
            logger.warning(
                "a live figure was made with another front end; drop the cache of executed pages",
                location=page,
                type="live",
            )
    body = json.dumps({"state": lean}, ensure_ascii=False, separators=(",", ":"))
    kind = "application/vnd.jupyter.widget-state+json"
    files[STATE] = (None, {"type": kind, "body": body.replace("</", "<\\/")})
    # Read once, so that pages and files agree though someone edits them meanwhile.
    made: dict[frozenset[str], dict[str, str]] = app.live_files  # type: ignore[attr-defined]
    kinds = frozenset(kinds_of(lean))
    if kinds not in made:
        made[kinds] = front_end(kinds)
    for name in made[kinds]:
        if name.endswith(".js"):
            app.add_js_file(name, defer="defer")
        else:
            app.add_css_file(name)


def kinds_of(states: States) -> set[str]:
    return {kind for kind in map(kind_of, states.values()) if kind}


def write_front_end(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for files in app.live_files.values():  # type: ignore[attr-defined]
        for name, text in files.items():
            (static / name).write_text(text, "utf-8")
    used = {name for page in Path(app.outdir).rglob("*.html") for name in _named(page)}
    for file in static.glob("live.*"):
        if NAMED.fullmatch(file.name) and file.name not in used:
            file.unlink()


def _named(page: Path) -> list[str]:
    return [match[0] for match in NAMED.finditer(page.read_text("utf-8"))]


def configure(app: Sphinx, config: Config) -> None:
    config.nb_ipywidgets_js = {}
    app.live_files = {}  # type: ignore[attr-defined]
    # A changed front end has another name, so every page is written again.
    config.live_front_end = sorted(front_end((bundle.GRID, *KINDS)))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("live_front_end", [], "html")
    app.connect("config-inited", configure)
    app.connect("html-page-context", add_figures, priority=400)
    app.connect("build-finished", write_front_end)
    app.add_post_transform(ImageBeneath)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
