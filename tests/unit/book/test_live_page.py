"""Live figures in a built page: what stands in the HTML, and what other builders get."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import ipywidgets
import pytest

from book._ext.live_page import front_end, place
from tests.pages.live_book import STATE, build, figure, notebook

IN_PAGE = re.compile(rf'<script type="{re.escape(STATE)}">(.*?)</script>', re.S)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Four pages in one build: two linked figures, nothing, a dead widget, an old script."""
    folder = tmp_path_factory.mktemp("book")
    one, two, hidden = figure("One"), figure("Two"), figure("Hidden")
    link = ipywidgets.jslink((one, "slope"), (two, "slope"))
    lost = ipywidgets.jslink((one, "slope"), (hidden, "slope"))
    old = notebook(figure("Old"))
    for model in old.metadata["widgets"][STATE]["state"].values():
        if "_esm" in model["state"]:
            model["state"]["_esm"] += "// an older one"
    pages = {
        "index": notebook(one, two, others=(hidden, link, lost)),
        "nothing": notebook(),
        "dead": notebook(ipywidgets.IntSlider(description="dead")),
        "old": old,
    }
    leftover = folder / "_build" / "html" / "_static" / "live.0123456789ab.js"
    leftover.parent.mkdir(parents=True)
    leftover.touch()
    out, warnings = build(folder, pages)
    html = {name: (out / f"{name}.html").read_text("utf-8") for name in pages}
    return SimpleNamespace(
        out=out, warnings=warnings.splitlines(), html=html, one=one, two=two, link=link
    )


def test_the_page_carries_figures_without_their_code(book: SimpleNamespace) -> None:
    html, one = book.html["index"], book.one
    (text,) = IN_PAGE.findall(html)
    state = json.loads(text)["state"]
    # No layout, no code, no figure that is not shown, no link to such a one.
    assert set(state) == {one.model_id, book.two.model_id, book.link.model_id}
    assert state[one.model_id]["state"] == {"spec": one.spec, "slope": 2.0, "n": 2}
    assert html.count('class="live-box docutils container"') == 2
    assert html.count('alt="What One shows."') == 1
    assert "Drawn at slope: 2; n: 2" in html
    assert "require" not in html and "cdn" not in html


def test_the_front_end_is_loaded_once_and_only_where_it_is_used(book: SimpleNamespace) -> None:
    names = sorted(front_end())
    # The file of an earlier build is gone.
    assert sorted(path.name for path in (book.out / "_static").glob("live.*")) == names
    assert all(book.html["index"].count(name) == 1 for name in names)
    assert "live." not in book.html["nothing"] and "widget" not in book.html["nothing"]


def test_a_dead_widget_and_an_old_script_are_reported(book: SimpleNamespace) -> None:
    dead, old = sorted(book.warnings)
    assert "dead.ipynb" in dead and "a widget that is no live figure is dead" in dead
    assert "old.ipynb" in old and "made with another front end; drop the cache" in old


@pytest.mark.parametrize(("builder", "file"), [("epub", "index.xhtml"), ("text", "index.txt")])
def test_other_builders_get_the_image(tmp_path: Path, builder: str, file: str) -> None:
    out, _ = build(tmp_path, {"index": notebook(figure("One"))}, builder)
    text = (out / file).read_text("utf-8")
    assert "vnd.jupyter" not in text and "live-box" not in text
    assert "What One shows." in text and "Drawn at slope: 2; n: 2" in text


def test_an_image_says_where_it_was_drawn() -> None:
    axes = [{"name": "N", "label": "N, length"}, {"name": "law", "label": "law"}]
    state = {"spec": {"axes": axes}, "N": 12.3456, "law": "even"}
    assert place(state) == "Drawn at N, length: 12.3; law: even"


def test_the_front_end_is_one_classic_script() -> None:
    (script,) = (text for name, text in front_end().items() if name.endswith(".js"))
    assert "export" not in script and script.startswith("(() => {")
