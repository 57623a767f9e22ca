"""The built book behind a small server that compresses, as a public host does."""

from __future__ import annotations

import gzip
import mimetypes
import threading
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"}


class Site:
    """A folder served on localhost; `sizes[path]` is what a file weighs on the wire, in bytes.

    As on a public host the folder may stand below a `root` other than "/", and its 404.html answers
    for what is not there.
    """

    def __init__(self, folder: Path, root: str = "/") -> None:
        self.folder, self.root = folder, root
        self.sizes: dict[str, int] = {}
        self._bodies: dict[str, bytes] = {}

    @cached_property
    def _server(self) -> ThreadingHTTPServer:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = unquote(urlsplit(self.path).path)
                path, body = asked.removeprefix(site.root) or "index.html", None
                if asked.startswith(site.root):
                    body = site.body(path)
                self.send_response(404 if body is None else 200)
                if body is None:
                    path, body = "404.html", site.body("404.html") or b""
                kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
                text = Path(path).suffix in COMPRESSED
                self.send_header("Content-Type", f"{kind}; charset=utf-8" if text else kind)
                if text:
                    self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        return ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def body(self, path: str) -> bytes | None:
        """The bytes sent for `path`, None if there is no such file."""
        if path not in self._bodies:
            file = self.folder / path
            if not file.is_file():
                return None
            content = file.read_bytes()
            packed = gzip.compress(content, 6) if file.suffix in COMPRESSED else content
            self._bodies[path], self.sizes[path] = packed, len(packed)
        return self._bodies[path]

    def __enter__(self) -> Site:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://localhost:{self._server.server_port}{self.root.rstrip('/')}"
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
