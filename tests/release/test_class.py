"""A teacher clicks Binder and every chapter runs: proved without Binder, in its environment.

The environment of binder/hub.txt is installed anew, JupyterLab is started by binder/lab, and every
chapter is opened in Chromium by a click on the list, and run by the menu. A student's walk through
three chapters and a teacher's through one plan stand below. make release-check
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import pytest
from linear_icl_book.exercises import registry
from linear_icl_book.exercises._answer import read
from playwright.sync_api import Browser, Locator, Page

from tests.release.conftest import Class
from tests.release.environments import CHAPTERS, GIGABYTES, SECONDS, TOC, WORK, bare
from tests.release.lab import (
    CELL,
    Lab,
    ask,
    drawn,
    follow,
    live,
    opened,
    run_all,
    show,
    type_in,
    unsaved,
)

OUTPUTS = """() => [...jupyterapp.shell.currentWidget.context.model.cells]
  .filter((cell) => cell.type === "code").flatMap((cell) => cell.outputs.toJSON())"""
SOURCE = "() => jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.getSource()"


def test_the_environment_is_small(classroom: Class) -> None:
    assert classroom.gigabytes <= GIGABYTES


def test_lab_calls_every_extension_compatible(classroom: Class) -> None:
    done = subprocess.run(
        [str(classroom.programs / "jupyter"), "labextension", "list"],
        env=bare(PATH=f"{classroom.programs}{os.pathsep}{os.environ['PATH']}"),
        capture_output=True,
        text=True,
        check=True,
    )
    listed = re.findall(r"^ +(\S+) v\S+.*$", done.stdout + done.stderr, re.M)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "enabled" in line]
    assert {"jupyterlab-myst", "anywidget"} <= {re.sub(r"^@.*/", "", name) for name in listed}
    assert [line for line in lines if "enabled OK" not in re.sub(r"\x1b\[\d+m", "", line)] == []


SETS = re.compile(r"\]\((\w+)\.ipynb#fig-[\w-]+\) \(`(fig_\w+\.[^`]+)`\)")


def votes(folder: Path) -> dict[str, list[str]]:
    """The lines of Python of the teacher's pages, by the chapter whose figure they set."""
    found: dict[str, list[str]] = {}
    for name in ("teaching", "one_lecture"):
        text = text_of(folder / "class" / f"{name}.ipynb")
        lines = SETS.findall(text)
        assert len(lines) == text.count("(`fig_") - text.count("*In this notebook:*") > 10
        for page, line in lines:
            found.setdefault(page, []).append(line)
    return found


def text_of(notebook: Path) -> str:
    cells = nbformat.read(notebook, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("chapter", [TOC["root"], *CHAPTERS])
def test_a_chapter_runs(
    classroom: Class, lab: Lab, browser: Browser, report: list[str], chapter: str
) -> None:
    """Within the budgets; seconds in which other programs had the processor do not count. Then
    every line with which a page for teachers sets one of its figures does so."""
    name = Path(chapter).name
    page = lab.chapter(browser, name)
    ran = run_all(page)
    if not ran.errors:
        for line in votes(classroom.folder).get(name, []):
            assert ask(page, f"{line}\nprint('set')") == "set\n", line
    lab.close(page)
    report.append(
        f"{name:24} {ran.seconds:6.1f} s, {ran.waited:5.1f} s of them "
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


# Where a student works: a figure with its first control, an exercise with a wrong answer.
WALKS = [
    ("icl_definitions", "fig_risks", "noise", "1.2", 5),
    ("pl_convergence", "fig_plateau", "sigma", "3.1", [1, 1]),
    ("ltb_vs_lsa", "fig_clouds", "beta", "6.1", 25),
]


@pytest.mark.parametrize(("chapter", "figure", "control", "number", "wrong"), WALKS)
def test_a_student_works_in_a_chapter(
    lab: Lab, browser: Browser, chapter: str, figure: str, control: str, number: str, wrong: Any
) -> None:
    """From the list by a click, which leaves nothing to save. Everything runs and nothing is
    judged; a slider answers to keys and mouse, a trait to Python; an answer is typed in: wrong,
    hinted, right, and counted; no solution is in sight; what was saved is there again."""
    page = lab.chapter(browser, chapter)
    assert not unsaved(page) and page.locator(".jp-Dialog").count() == 0
    assert run_all(page).errors == []
    said = json.dumps(page.evaluate(OUTPUTS), ensure_ascii=False)
    assert "nothing handed in yet" in said and f"✓ {number}" not in said
    assert ask(page, "print(course.progress())").startswith("Exercises right: 0 of ")
    assert page.get_by_text(f"Solution of Exercise {number}").filter(visible=True).count() == 0

    show(page, f"{figure} = ")
    slider = live(page).get_by_role("slider").first
    value = f"print({figure}.{control})"
    values = [ask(page, value)]
    for move in (
        lambda: slider.press("End"),
        lambda: click_along(slider, 1 / 3),
        lambda: ask(page, f"{figure}.{control} = {values[0]}"),
    ):
        before = drawn(live(page))
        move()
        changed(page, before)
        values.append(ask(page, value))
    assert len(set(values)) == 3 and values[0] == values[-1]
    assert control in ask(page, f"{figure}.no_such_trait = 2"), "it names those that there are"
    left = drawn(live(page))
    picture(page, f"{chapter}-figure")

    exercise = registry()[number]
    right = read(exercise.solve(**exercise.book)).tolist()
    check = f'\ncourse.check("{number}", answer)'  # on a line of its own: the prose speaks of it
    head = "import linear_icl_book as course\nanswer ="
    assert type_in(page, check, f"{head} {wrong}{check}").startswith(f"✗ {number}")
    hinted = type_in(page, check, f'{head} {wrong}{check}\ncourse.hint("{number}")')
    assert f"Hint 1 of {len(exercise.hints)} for {number}" in hinted
    assert type_in(page, check, f"{head} {right}{check}") == f"✓ {number} right.\n"
    counted = ask(page, "print(course.progress())")
    assert counted.startswith("Exercises right: 1 of ")
    assert re.search(rf"^{number[0]} +{number} +none ", counted, re.M), counted
    picture(page, f"{chapter}-exercise")

    page.keyboard.press("Control+s")
    page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    lab.close(page)
    again = lab.chapter(browser, chapter)
    show(again, check)
    assert f"✓ {number} right." in json.dumps(again.evaluate(CELL), ensure_ascii=False)
    assert f"answer = {right}" in again.evaluate(SOURCE)
    show(again, f"{figure} = ")
    live(again).locator("path[data-series]").first.wait_for()
    assert drawn(live(again)) == left
    picture(again, f"{chapter}-again")
    lab.close(again)


def picture(page: Page, name: str) -> None:
    """A screenshot, to be looked at."""
    (WORK / "pictures").mkdir(parents=True, exist_ok=True)
    page.screenshot(path=WORK / "pictures" / f"{name}.png")


def test_the_list_opens_with_nothing_to_save_and_no_question(lab: Lab, browser: Browser) -> None:
    page = lab.open(browser)
    assert not unsaved(page) and page.locator(".jp-Dialog, .Toastify__toast").count() == 0
    lab.close(page)


def test_an_equation_has_the_books_number_and_no_other(lab: Lab, browser: Browser) -> None:
    """JupyterLab's MyST puts its own in a link behind the equation."""
    page = lab.chapter(browser, "pl_convergence")
    equation = page.locator(".jp-NotebookPanel:visible #eq-two-weights")
    assert equation.locator(".katex-html .tag").inner_text() == "(3.1)"
    assert equation.locator("a").count() == 0
    lab.close(page)


def click_along(slider: Locator, share: float) -> None:
    box = slider.bounding_box()
    assert box
    x, y = box["x"] + share * box["width"], box["y"] + box["height"] / 2
    slider.page.mouse.click(x, y)


def changed(page: Page, before: list[str | None]) -> None:
    """Waits until the curves of the figure in the active cell are others."""
    page.wait_for_function(
        """([figure, before]) => [...figure.querySelectorAll("path[data-series]")]
          .some((path, k) => path.getAttribute("d") !== before[k])""",
        arg=[live(page).element_handle(), before],
    )


def test_a_teacher_follows_a_plan(classroom: Class, lab: Lab, browser: Browser) -> None:
    """The plan for chapter 3, word by word: each reference opens its notebook, which has there what
    the plan says; at a vote both states are set by the lines of the page, and the figure moves."""
    teaching = text_of(classroom.folder / "class" / "teaching.ipynb")
    (plan,) = (
        line for line in teaching.splitlines() if line.startswith("| [3. ") and "10′" in line
    )
    steps = re.findall(r"\[([^\]]+)\]\((\w+)\.ipynb#([\w-]+)\)", plan)
    assert len(steps) >= 12
    page = lab.chapter(browser, "teaching")
    for words, name, label in steps:
        link = page.locator(f'.jp-NotebookPanel:visible a[href$="{label}"]').first
        link.click()
        opened(page, name)
        show(page, f"({label})=")
        place = page.locator(".jp-NotebookPanel:visible .jp-MarkdownCell.jp-mod-active")
        shown = place.get_by_text(number_of(words))
        shown.filter(visible=True).first.wait_for()
        page.locator(".lm-TabBar-tabLabel", has_text="teaching.ipynb").click()
        opened(page, "teaching")
    question = page.locator(".jp-NotebookPanel:visible p", has_text="The plateau lasts").first
    question.scroll_into_view_if_needed()
    lines = question.locator("code").all_inner_texts()
    picture(page, "teacher-question")
    page.locator(".lm-TabBar-tabLabel", has_text="pl_convergence.ipynb").click()
    opened(page, "pl_convergence")
    assert run_all(page).errors == []
    show(page, "fig_plateau = ")
    first, second = lines
    ask(page, first)
    before = drawn(live(page))
    ask(page, second)
    changed(page, before)
    picture(page, "teacher-vote")
    asked = [line.split("; ")[0].split(" = ") for line in lines]
    assert float(ask(page, f"print({asked[1][0]})")) == float(asked[1][1]) != float(asked[0][1])
    lab.close(page)


def number_of(words: str) -> str:
    """What a reader sees at the place: "3.2" of (3.2), "Figure 3.4", a title without its number."""
    return re.sub(r"^\d+\. |[()]", "", words)


def test_the_first_page_leads_to_a_chapter(lab: Lab, browser: Browser) -> None:
    """The server's own address lands on a list whose entries open as notebooks."""
    page = follow(lab.open(browser), "pl_convergence")
    title = page.locator(".jp-NotebookPanel:visible h1")
    assert re.match("3. Gradient flow finds the minimum", title.first.inner_text())
    lab.close(page)
