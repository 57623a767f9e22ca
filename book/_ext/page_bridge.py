"""A hook on the finished page: `page-rendered` hands every listener the HTML before it is written.

Sphinx has an event before a page meets its template (`html-page-context`) and none after it; the
documented `template_bridge` setting is the place where one can be added. It sees the sidebars too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.jinja2glue import BuiltinTemplateLoader
from sphinx.util import logging

logger = logging.getLogger(__name__)


@dataclass
class Page:
    """A rendered page; listeners of `page-rendered` replace `html`."""

    name: str
    template: str
    html: str


@dataclass
class Faults:
    """What makes the build fail at its end, by page."""

    by_page: dict[str, list[str]] = field(default_factory=dict)

    def add(self, page: str, message: str, location: Any = None) -> None:
        self.by_page.setdefault(page, []).append(message)
        logger.warning(message, location=location or page, type="page")

    def fail(self, app: Sphinx, error: Exception | None) -> None:
        """Raise, and drop the faulty pages so that the next build writes them again."""
        if error or not self.by_page:
            return
        for name in self.by_page:
            Path(app.builder.get_outfilename(name)).unlink(missing_ok=True)  # type: ignore[attr-defined]
        lines = [f"{name}: {text}" for name, texts in self.by_page.items() for text in texts]
        raise ExtensionError("the page pipeline found faults:\n  " + "\n  ".join(lines))


class Bridge(BuiltinTemplateLoader):
    """Sphinx's template loader, with the event `page-rendered` after each page."""

    def init(self, builder: Any, theme: Any = None, dirs: Any = None) -> None:
        super().init(builder, theme, dirs)
        self._app = builder.app

    def render(  # type: ignore[override]  # Sphinx declares None and returns str
        self, template: str, context: dict[str, Any]
    ) -> str:
        page = Page(context.get("pagename", ""), template, super().render(template, context))
        self._app.emit("page-rendered", page)
        return page.html


def faults(app: Sphinx) -> Faults:
    """The build's one list of faults."""
    if not hasattr(app, "page_faults"):
        app.page_faults = Faults()  # type: ignore[attr-defined]
        app.connect("build-finished", app.page_faults.fail, priority=900)  # type: ignore[attr-defined]
    found: Faults = app.page_faults  # type: ignore[attr-defined]
    return found


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_event("page-rendered")
    app.connect(
        "config-inited",
        lambda app, config: setattr(config, "template_bridge", f"{__name__}.Bridge"),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": False}
