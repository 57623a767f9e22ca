"""A headless Chromium that cannot leave this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]


class Missing(RuntimeError):
    """There is no Chromium here."""


def program() -> str:
    """Where Chromium is; Missing, with the command that installs it, where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise Missing("Chromium is needed and was not found; run: sudo apt-get install -y chromium")
    return found


@contextmanager
def browser() -> Iterator[Browser]:
    """A running browser; raises Missing."""
    found = program()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield launched
        launched.close()
