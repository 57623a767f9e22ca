"""Links of the built book that lead elsewhere: the other end answers. Needs the internet."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.pages import links
from tests.pages.conftest import BOOK

OUTSIDE = links.outside(BOOK) if (BOOK / "index.html").exists() else {}
AGENT = {"User-Agent": "Mozilla/5.0 (link check of a book)"}
GONE = (404, 410)
SECONDS, TRIES = 20, 3


def answer(url: str) -> int:
    """The status behind all redirections; raises URLError where nothing answers."""
    for left in reversed(range(TRIES)):
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url, headers=AGENT), timeout=SECONDS
            ) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            if error.code < 500 or not left:
                return error.code
        except (urllib.error.URLError, TimeoutError):
            if not left:
                raise
    raise AssertionError("unreachable")


def test_there_is_a_book() -> None:
    assert OUTSIDE, "no link leads outside, or there is no book yet; run: make book"


@pytest.mark.parametrize("url", sorted(OUTSIDE))
def test_the_other_end_answers(url: str, report: list[str]) -> None:
    """A host that turns programs away (403, 429) answers; it is named at the end, for a look."""
    status = answer(url)
    if status >= 400:
        report.append(f"{url} answers {status}, on {', '.join(sorted(set(OUTSIDE[url])))}")
    assert status < 500 and status not in GONE


class Host(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status = int(self.path.strip("/"))
        self.send_response(status)
        if status == 301:
            self.send_header("Location", "/404")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def host() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(("asked", "told"), [(200, 200), (301, 404), (403, 403), (410, 410)])
def test_the_status_is_that_of_the_last_address(host: str, asked: int, told: int) -> None:
    assert answer(f"{host}/{asked}") == told


def test_a_host_that_is_silent_is_an_error(host: str) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as free:
        port = free.server_port
    with pytest.raises(urllib.error.URLError):
        answer(f"http://127.0.0.1:{port}/200")
