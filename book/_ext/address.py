"""The book's public address, what follows from it, and the box that says how to run a chapter.

One setting, `book_repository_url`; while it is empty, the git remote `origin` stands in if it is a
public one. Launch buttons, source links, canonical links and the sitemap are left out without it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from book._ext import downloads

HOSTS = {"github.com": "gh", "gitlab.com": "gl"}  # host to its name at mybinder.org
PAGES = {
    "github.com": "https://{owner}.github.io/{name}/",
    "gitlab.com": "https://{owner}.gitlab.io/{name}/",
}
PLAIN_COMMANDS = """pip install -r requirements.txt -c constraints.txt jupyterlab jupyterlab-myst
binder/lab"""
ADDRESS = re.compile(r"(?:https://|ssh://git@|git@)([\w.-]+)[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?$")


def parse(address: str) -> tuple[str, str, str] | None:
    """(host, owner, name) of a repository on a known public host, None for anything else."""
    match = ADDRESS.match(address.strip())
    return (match[1], match[2], match[3]) if match and match[1] in HOSTS else None


def remote(folder: Path) -> str:
    """Address of the git remote `origin`, empty without one."""
    try:
        done = subprocess.run(
            ["git", "remote", "get-url", "origin"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:  # no git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def follow(app: Sphinx, config: Config) -> None:
    """Set what depends on the address."""
    if config.book_repository_url and parse(config.book_repository_url) is None:
        raise ValueError(
            "book_repository_url must be an address such as https://github.com/owner/name, "
            f"got {config.book_repository_url!r}"
        )
    config.book_public = parse(config.book_repository_url or remote(Path(app.srcdir)))
    if config.book_public is None:
        return
    host, owner, name = config.book_public
    config.html_baseurl = config.html_baseurl or PAGES[host].format(owner=owner, name=name)
    config.html_theme_options.update(
        repository_url=f"https://{host}/{owner}/{name}",
        use_repository_button=True,
        use_issues_button=True,
    )


def binder(public: tuple[str, str, str], page: str) -> str:
    """Where Binder opens the class notebook of a page, a path from the root without its suffix."""
    host, owner, name = public
    notebook = quote(f"lab/tree/class/{page.rpartition('/')[2]}.ipynb", safe="")
    return f"https://mybinder.org/v2/{HOSTS[host]}/{owner}/{name}/HEAD?urlpath={notebook}"


def run_box(
    page: str, public: tuple[str, str, str] | None, files: str = "", kind: str = "chapter"
) -> str:
    """HTML of the box "Run this chapter"; `files`: its paragraph on what to download."""
    clone = launch = ""
    if public:
        host, owner, name = public
        clone = f"git clone https://{host}/{owner}/{name} && cd {name}\n"
        launch = f'<p>Without installing: <a href="{binder(public, page)}">open in Binder</a>.</p>'
    return (
        f'<details class="run-this"><summary>Run this {kind}</summary>'
        f"{launch}<p>On your machine, with Python 3.11 and make, from the book's folder:</p>"
        f'<pre tabindex="0">{clone}make lab</pre>'
        f"<p>Then open <code>{page.rpartition('/')[2]}.ipynb</code>. Without make:</p>"
        f'<pre tabindex="0">{PLAIN_COMMANDS}</pre>{files}</details>'
    )


def add_tools(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Under the title of every notebook but the first page: the box, and a button that opens all
    proofs."""
    if app.builder.format != "html" or "kernelspec" not in app.env.metadata.get(page, {}):
        return
    if page == app.config.root_doc:
        return
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is not None:
        proofs = any(
            {"proof", "dropdown"} <= set(node.get("classes", []))
            for node in doctree.findall(nodes.Element)
        )
        button = (
            '<button type="button" class="unfold-all" hidden>Unfold every proof</button>'
            if proofs
            else ""
        )
        kind = "chapter" if app.env.toc_secnumbers.get(page) else "page"
        box = run_box(page, app.config.book_public, downloads.links(app, page), kind)
        tools = f'<div class="chapter-tools">{box}{button}</div>'
        title.parent.insert(title.parent.index(title) + 1, nodes.raw("", tools, format="html"))


def sitemap(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.name != "html" or not app.config.html_baseurl:
        return
    pages = (app.builder.get_target_uri(page) for page in sorted(app.env.found_docs))
    places = "".join(
        f"<url><loc>{escape(app.config.html_baseurl + page)}</loc></url>" for page in pages
    )
    text = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>\n'
    (Path(app.outdir) / "sitemap.xml").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("book._ext.downloads")
    app.add_config_value("book_repository_url", "", "env")
    app.add_config_value("book_public", None, "env")
    app.connect("config-inited", follow)
    app.connect("doctree-resolved", add_tools)
    app.connect("build-finished", sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
