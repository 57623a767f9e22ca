"""The page 404.html, which a static host serves for an address that is not there."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config

NAME = "404"


def add(app: Sphinx, config: Config) -> None:
    config.html_additional_pages = {**config.html_additional_pages, NAME: f"{NAME}.html"}


def tell_root(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The path of the book's root on its host, empty while the public address is unknown."""
    if page == NAME:
        context["book_root"] = urlsplit(app.config.html_baseurl).path


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", add)
    app.connect("html-page-context", tell_root)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
