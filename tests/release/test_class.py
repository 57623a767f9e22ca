"""A teacher clicks Binder and every chapter runs: proved without Binder, in its environment.

The environment of binder/requirements.txt is installed anew, JupyterLab is started by binder/lab,
and every class notebook is opened and run in Chromium by the menu. make release-check
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
import yaml
from playwright.sync_api import Browser

from tests.release.conftest import Class
from tests.release.environments import GIGABYTES, ROOT, SECONDS
from tests.release.lab import Lab, ask, drawn, run_all, show

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
OUTPUTS = """() => [...jupyterapp.shell.currentWidget.context.model.cells]
  .filter((cell) => cell.type === "code").flatMap((cell) => cell.outputs.toJSON())"""
(NUMBERED,) = (part for part in TOC["parts"] if part.get("numbered", True))
CHAPTERS = [entry["file"] for entry in NUMBERED["chapters"]]


def test_the_environment_is_small(classroom: Class) -> None:
    assert classroom.gigabytes <= GIGABYTES


@pytest.mark.parametrize("chapter", [TOC["root"], *CHAPTERS])
def test_a_chapter_runs(lab: Lab, browser: Browser, report: list[str], chapter: str) -> None:
    """Within the budgets; seconds in which other programs had the processor do not count."""
    page = lab.open(browser, f"class/{Path(chapter).name}.ipynb")
    ran = run_all(page)
    lab.close(page)
    report.append(
        f"{chapter.removeprefix('book/'):24} {ran.seconds:6.1f} s, {ran.waited:5.1f} s of them "
        f"waiting for others; {ran.cpu:5.1f} s of processor, {ran.memory:.2f} GB, {ran.cells} cells"
    )
    assert ran.errors == []
    assert ran.cells > 0 and ran.own <= SECONDS and ran.memory <= GIGABYTES


def test_a_cell_that_raises_is_seen(classroom: Class, lab: Lab, browser: Browser) -> None:
    broken = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        cells=[nbformat.v4.new_code_cell(code) for code in ("1", "1 / 0", "2")],
    )
    nbformat.write(broken, classroom.folder / "broken.ipynb")
    page = lab.open(browser, "broken.ipynb")
    ran = run_all(page)
    lab.close(page)
    assert (ran.cells, ran.errors) == (3, ["ZeroDivisionError: division by zero"])


def test_a_live_figure_moves_its_kernel(lab: Lab, browser: Browser) -> None:
    page = lab.open(browser, "class/lsa_quadratic_reduction.ipynb")
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
    """The server's own address lands on a list whose entries open as notebooks."""
    page = lab.open(browser)
    page.locator(".jp-NotebookPanel a", has_text="Gradient flow").click()
    page.wait_for_function(
        "jupyterapp.shell.currentWidget.context?.path === 'class/pl_convergence.ipynb'"
    )
    title = page.locator(".jp-NotebookPanel:visible h1")
    assert re.match("3. Gradient flow finds the minimum", title.first.inner_text())
    lab.close(page)


def test_a_student_works_in_a_chapter(lab: Lab, browser: Browser) -> None:
    """Everything runs and nothing is judged; a figure follows Python; an answer is judged, wrong
    and right; no solution is in sight; a saved notebook comes back as it was."""
    page = lab.open(browser, "class/icl_definitions.ipynb")
    assert run_all(page).errors == []
    said = json.dumps(page.evaluate(OUTPUTS))
    assert "nothing handed in yet" in said and "✓ 1." not in said and "✗ 1." not in said
    assert ask(page, "import linear_icl_book as course; print(course.progress())").count("none")
    assert page.get_by_text("Solution of Exercise 1.1").filter(visible=True).count() == 0
    assert ask(page, "fig_trust.N = 16; print(fig_trust.N)").strip() == "16"
    assert "scale" in ask(page, "fig_step_plane.scael = 2")
    wrong, right = ask(page, 'check("1.2", 5)'), ask(page, 'check("1.2", 2)')
    assert wrong.startswith("✗ 1.2") and right.startswith("✓ 1.2")
    page.keyboard.press("Control+s")
    page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    lab.close(page)
    again = lab.open(browser, "class/icl_definitions.ipynb")
    assert "nothing handed in yet" in json.dumps(again.evaluate(OUTPUTS))
    lab.close(again)
