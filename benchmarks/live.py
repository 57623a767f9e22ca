"""How long figures that compute take in the page: first draw, redraw, and the frames of a drag.

    python -m benchmarks.live

A row a figure. `first` is its first drawing, `draw` one redrawing (median and 95th percentile of
120), `frame` the time between two frames while every frame moves something: 16.7 ms where none is
lost at 60 Hz. Budgets: first 60 ms, draw one frame. Needs Chromium.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linear_icl_book.live.explore import KINDS
from playwright.sync_api import Browser

from book._ext.live_page import front_end
from book._forms import chromium

FRAMES = 120
#: What is moved in each figure: the traits as in the address, for a share of the way from 0 to 1.
MOVES = {
    "ask": "`w:${(2 * share - 1).toFixed(3)}`",
    "bill": "`alpha:${(0.3 + share).toFixed(4)}`",
    "dial": "`alpha:${(1.6 * share).toFixed(4)}`",
    "flow_lab": "`sigma:${(10 ** (-5 + 4 * share)).toPrecision(4)}`",
    "hero": "`scale:${(1 + share).toFixed(3)}`",
    "one_pass": "`k:${(4 * share - 2).toFixed(3)}`",
    "step_plane": "`w:${(4 * share - 2).toFixed(3)};1`",
    "two_lines": "`root:${(4 * share - 2).toFixed(3)}`",
}
DRAG = """(set) => new Promise((told) => {
  const root = document.querySelector(".ex-fig");
  const [frames, draws] = [[], []];
  let last = 0;
  const move = eval(`(share) => ${set}`);
  const tick = (now) => {
    if (last) frames.push(now - last);
    if (frames.length) draws.push(+root.dataset.drawMs);
    last = now;
    if (frames.length >= COUNT) return told({ frames, draws });
    location.replace(`#${NAME}=${move((frames.length % 60) / 60)}`);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})"""


def page_of(kind: str, folder: Path) -> str:
    """The address of a page with this figure as it starts."""
    figure = KINDS[kind]()
    state = {"figure": kind, "name": figure.name, **figure.given()}
    files = {name.rpartition(".")[2]: text for name, text in front_end([kind]).items()}
    models = json.dumps({"state": {"0": {"model_name": "AnyModel", "state": state}}})
    widget = "application/vnd.jupyter.widget"
    view = f'<script type="{widget}-view+json">{{"model_id": "0"}}</script>'
    (folder / f"{kind}.html").write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><style>{files["css"]}</style>'
        f'<div class="live-box">{view}</div>'
        f'<script type="{widget}-state+json">{models}</script><script>{files["js"]}</script>',
        "utf-8",
    )
    return (folder / f"{kind}.html").as_uri()


def measure(browser: Browser, url: str, kind: str) -> dict[str, float]:
    # nothing plays by itself, so that the first drawing is the last when it is read
    page = browser.new_page(viewport={"width": 740, "height": 900}, reduced_motion="reduce")
    page.goto(url)
    first = page.evaluate("+document.querySelector('.ex-fig').dataset.drawMs")
    name = json.dumps(kind.replace("_", "-"))
    drag = DRAG.replace("COUNT", str(FRAMES)).replace("NAME", name)
    found: dict[str, Any] = page.evaluate(drag, MOVES[kind])
    page.close()
    frames, draws = sorted(found["frames"]), sorted(found["draws"])
    return {
        "first": first,
        "draw": draws[len(draws) // 2],
        "95 %": draws[int(0.95 * len(draws))],
        "frame": frames[len(frames) // 2],
    }


def rows() -> Iterator[tuple[str, dict[str, float]]]:
    with tempfile.TemporaryDirectory() as folder, chromium.browser() as browser:
        for kind in sorted(KINDS):
            yield kind, measure(browser, page_of(kind, Path(folder)), kind)


if __name__ == "__main__":
    print("milliseconds      first    draw    95 %   frame")
    for kind, row in rows():
        print(f"{kind:14}" + "".join(f"{value:8.1f}" for value in row.values()))
