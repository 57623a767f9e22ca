"""Live figures in the static page: their front end once, their data lean, their image beneath.

A LiveFigure's output is a widget view and an SVG. HTML pages get both: the image shows until the
figure has mounted, without scripts, after an error and on paper. Other builders get the image.
The widget state that myst-nb writes into the page is cut down to the figures shown and to what
differs between them; the code and the style, one file each with a hash in its name, are loaded only
by pages with figures. No require.js, no html-manager, nothing from elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

logger = logging.getLogger(__name__)
HERE = Path(__file__).resolve().parent
VIEW = "application/vnd.jupyter.widget-view+json"
IMAGE = "image/svg+xml"
STATE = "ipywidgets_state"
EXPORT = "export default { render };"
States = dict[str, dict[str, Any]]


def front_end() -> dict[str, str]:
    """File name to content: the package's module as a classic script, which `file://` allows too,
    with the page's loader in the same scope; and the two style sheets."""
    from linear_icl_book import live

    package = Path(live.__file__).parent
    module = (package / "live.js").read_text("utf-8")
    if module.count(EXPORT) != 1:
        raise ValueError(f"live.js must have one line {EXPORT!r}, got {module.count(EXPORT)}")
    loader = (HERE / "live_page.js").read_text("utf-8")
    files = {
        "js": "(() => {\n" + module.replace(EXPORT, "") + loader + "})();\n",
        "css": (package / "live.css").read_text("utf-8")
        + (HERE / "live_page.css").read_text("utf-8"),
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
    return bool(model) and "schema" in model["state"].get("spec", {})  # type: ignore[index]


class ImageBeneath(SphinxPostTransform):
    """Puts the image with its alternative text beneath each live view, or in its place."""

    default_priority = 3  # before myst-nb selects one form of every other output

    def run(self, **kwargs: Any) -> None:
        states = states_of(self.app, self.env.docname)
        for bundle in list(self.document.findall(_is_bundle)):
            forms = {form["mime_type"]: form for form in bundle.children}
            if VIEW not in forms:
                continue
            model = states.get(json.loads(_content(forms[VIEW]))["model_id"])
            if not is_figure(model) or IMAGE not in forms:
                logger.warning(
                    "a widget that is no LiveFigure is dead without a kernel; end the cell with ;",
                    location=bundle,
                    type="live",
                )
                continue
            assert model is not None
            image = forms[IMAGE].children[0]
            image["alt"] = model["state"]["spec"]["alt"]
            where = nodes.paragraph("", place(model["state"]), classes=["live-at"])
            forms[IMAGE].children = []
            still = nodes.container("", image, where, classes=["live-still"])
            if self.app.builder.format == "html" and self.app.builder.name != "epub":
                view = forms[VIEW].children[0]
                bundle.replace_self(nodes.container("", still, view, classes=["live-box"]))
            else:
                bundle.replace_self(still)


def _is_bundle(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "mime_bundle"


def _content(view: nodes.Element) -> str:
    match = re.search(r"\{.*\}", view.astext(), re.DOTALL)
    assert match is not None, view
    return match[0]


def place(state: dict[str, Any]) -> str:
    """Where in its parameters the image was drawn; the live figure's sliders say it themselves."""
    values = {axis["label"]: state[axis["name"]] for axis in state["spec"]["axes"]}
    return "Drawn at " + "; ".join(
        f"{label}: {value if isinstance(value, str) else format(value, '.3g')}"
        for label, value in values.items()
    )


def lean_state(states: States, body: str) -> States:
    """The models that the page shows, with what the front end reads of them, and their links."""
    shown = {i: model for i, model in states.items() if i in body and is_figure(model)}
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
    names = ("spec", *(axis["name"] for axis in state["spec"]["axes"]))
    return {
        "model_name": model["model_name"],
        "state": {name: state[name] for name in names},
        "buffers": model["buffers"],
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
        if is_figure(states[i]) and states[i]["state"].get("_esm") not in (None, _module()):
            logger.warning(
                "a live figure was made with another live.js; drop the cache of executed pages",
                location=page,
                type="live",
            )
    body = json.dumps({"state": lean}, ensure_ascii=False, separators=(",", ":"))
    kind = "application/vnd.jupyter.widget-state+json"
    files[STATE] = (None, {"type": kind, "body": body.replace("</", "<\\/")})
    for name in app.config.live_front_end:
        if name.endswith(".js"):
            app.add_js_file(name, defer="defer")
        else:
            app.add_css_file(name)


def _module() -> str:
    from linear_icl_book import live

    return (Path(live.__file__).parent / "live.js").read_text("utf-8")


def write_front_end(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for old in _old(static):
        old.unlink()
    for name, text in app.live_files.items():  # type: ignore[attr-defined]
        (static / name).write_text(text, "utf-8")


def _old(static: Path) -> Iterator[Path]:
    return (
        path for path in static.glob("live.*") if re.fullmatch(r"live\.\w{12}\.(js|css)", path.name)
    )


def configure(app: Sphinx, config: Config) -> None:
    config.nb_ipywidgets_js = {}
    # Read once, so that pages and files agree though someone edits them meanwhile. A changed front
    # end has another name, so every page is written again.
    app.live_files = front_end()  # type: ignore[attr-defined]
    config.live_front_end = sorted(app.live_files)  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("live_front_end", [], "html")
    app.connect("config-inited", configure)
    app.connect("html-page-context", add_figures, priority=400)
    app.connect("build-finished", write_front_end)
    app.add_post_transform(ImageBeneath)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
