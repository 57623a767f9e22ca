"""A teacher clicks Binder and every chapter runs: proved without Binder, in its environment.

The environment of binder/requirements.txt is installed anew, JupyterLab is started by binder/start,
and every chapter is opened and run in Chromium by the menu. make release-check
"""

from __future__ import annotations

import re

import pytest
import yaml
from playwright.sync_api import Browser

from tests.release.conftest import Class
from tests.release.environments import GIGABYTES, ROOT, SECONDS
from tests.release.lab import Lab, ask, drawn, run_all, show

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
(NUMBERED,) = (part for part in TOC["parts"] if part.get("numbered", True))
CHAPTERS = [entry["file"] for entry in NUMBERED["chapters"]]


def test_the_environment_is_small(classroom: Class) -> None:
    assert classroom.gigabytes <= GIGABYTES


@pytest.mark.parametrize("chapter", [TOC["root"], *CHAPTERS])
def test_a_chapter_runs(lab: Lab, browser: Browser, report: list[str], chapter: str) -> None:
    """Within the budgets; seconds in which other programs had the processor do not count."""
    page = lab.open(browser, f"{chapter}.md")
    ran = run_all(page)
    lab.close(page)
    report.append(
        f"{chapter.removeprefix('book/'):24} {ran.seconds:6.1f} s, {ran.waited:5.1f} s of them "
        f"waiting for others; {ran.cpu:5.1f} s of processor, {ran.memory:.2f} GB, {ran.cells} cells"
    )
    assert ran.errors == []
    assert ran.cells > 0 and ran.own <= SECONDS and ran.memory <= GIGABYTES


def test_a_cell_that_raises_is_seen(classroom: Class, lab: Lab, browser: Browser) -> None:
    cells = "".join(f"```{{code-cell}}\n{code}\n```\n\n" for code in ("1", "1 / 0", "2"))
    header = (classroom.folder / "binder" / "index.md").read_text("utf-8").split("# ")[0]
    (classroom.folder / "broken.md").write_text(f"{header}# Broken\n\n{cells}", "utf-8")
    page = lab.open(browser, "broken.md")
    ran = run_all(page)
    lab.close(page)
    assert (ran.cells, ran.errors) == (3, ["ZeroDivisionError: division by zero"])


def test_a_live_figure_moves_its_kernel(lab: Lab, browser: Browser) -> None:
    page = lab.open(browser, "book/lsa_quadratic_reduction.md")
    assert run_all(page).errors == []
    show(page, "LiveFigure(\n")
    figure = page.locator(".jp-NotebookPanel .live-fig").first
    slider = figure.get_by_role("slider").first
    before = drawn(figure)
    here = "print(next(f.sharpness for f in Out.values() if hasattr(f, 'sharpness')))"
    assert any(before) and ask(page, here).strip() == "1.0"
    slider.press("End")
    page.wait_for_function(
        """([figure, before]) => [...figure.querySelectorAll("path[data-series]")]
          .some((path, k) => path.getAttribute("d") !== before[k])""",
        arg=[figure.element_handle(), before],
    )
    assert ask(page, here).strip() == "5.0"
    lab.close(page)


def test_the_first_page_leads_to_a_chapter(lab: Lab, browser: Browser) -> None:
    """The link that teaching.md names lands on a list whose entries open as notebooks."""
    page = lab.open(browser, "binder/index.md")
    page.locator(".jp-NotebookPanel a", has_text="Gradient flow").click()
    page.wait_for_function(
        "jupyterapp.shell.currentWidget.context?.path === 'book/pl_convergence.md'"
    )
    title = page.locator(".jp-NotebookPanel:visible h1")
    assert re.match("Gradient flow finds the minimum", title.first.inner_text())
    lab.close(page)
