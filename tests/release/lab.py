"""JupyterLab on localhost, and what a student does in it, in a browser."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from tests.release.environments import bare

PATIENCE = 600.0  # seconds until a chapter is given up; the budget is judged afterwards
# The notebook's own model: with windowed rendering the page holds only the cells in sight.
PROGRESS = """() => {
  const panel = jupyterapp.shell.currentWidget;
  const cells = [...panel.context.model.cells].filter((cell) => cell.type === "code");
  const outputs = cells.flatMap((cell) => cell.outputs.toJSON());
  return {
    path: panel.context.path,
    status: panel.sessionContext.session?.kernel?.status,
    cells: cells.filter((cell) => cell.sharedModel.getSource().trim()).length,
    executed: cells.filter((cell) => cell.executionCount !== null).length,
    errors: outputs.filter((output) => output.output_type === "error")
      .map(({ ename, evalue }) => `${ename}: ${evalue}`),
  };
}"""
ASK = """async (code) => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const asked = kernel.requestExecute({ code, store_history: false, silent: false });
  let said = "";
  asked.onIOPub = ({ content }) => { said += content.text || content.evalue || ""; };
  await asked.done;
  return said;
}"""
USAGE = """
import json as _json, pathlib as _pathlib, resource as _resource, time as _time
_stat = _pathlib.Path("/proc/self/schedstat")
print(_json.dumps({
    "cpu": _time.process_time(),
    "waited": int(_stat.read_text().split()[1]) / 1e9 if _stat.exists() else 0.0,
    "memory": _resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
}))
"""


@dataclass(frozen=True)
class Ran:
    """How a chapter ran. `seconds`: on the clock from the click to the end of the last cell.
    Of the kernel's process: `cpu`, the processor time that it used; `waited`, how long it was
    ready while others had the processor (0 where Linux does not tell); `memory`, its peak in GB."""

    seconds: float
    cpu: float
    waited: float
    memory: float
    cells: int
    errors: list[str]

    @property
    def own(self) -> float:
        """Seconds without the waiting for others: what an idle machine takes at most."""
        return self.seconds - self.waited


class Lab:
    """A server of JupyterLab in `folder`, started by binder/lab where there is one."""

    def __init__(self, programs: Path, folder: Path, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.token = secrets.token_hex(16)
        self.url = f"http://127.0.0.1:{self.port}"
        places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        self.environment = bare(
            PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
            HOME=str(home),
            **{name: str(home / name.lower()) for name in places},
        )
        self.folder, self.log = folder, home / "lab.log"

    def __enter__(self) -> Lab:
        ours = self.folder / "binder" / "lab"
        command = [
            str(ours) if ours.exists() else "jupyter-lab",
            "--no-browser",
            "--allow-root",
            "--expose-app-in-browser",
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={self.port}",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
        ]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._until(lambda: bool(self.api("status")), 120, "JupyterLab did not start")
        return self

    def __exit__(self, *error: object) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(30)

    def api(self, path: str, method: str = "GET") -> Any:
        """An answer of the server, None while it does not answer or has nothing to say."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                text = response.read()
        except OSError:
            return None
        return json.loads(text) if text else None

    def _until(self, holds: Any, seconds: float, what: str) -> None:
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"{what}:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.3)

    def open(self, browser: Browser, path: str = "") -> Page:
        """A file in a clean JupyterLab, as a link with Binder's urlpath opens it; without a path,
        what the printed address of the server opens."""
        page = browser.new_page(viewport={"width": 1350, "height": 940})
        page.set_default_timeout(120_000)
        place = f"lab/tree/{path}?reset&" if path else "?"
        page.goto(f"{self.url}/{place}token={self.token}")
        page.locator(".jp-NotebookPanel:visible .jp-Notebook").first.wait_for()
        return page

    def chapter(self, browser: Browser, name: str) -> Page:
        """A notebook, by a click on the list of chapters."""
        return follow(self.open(browser, "class/index.ipynb"), name)

    def close(self, page: Page) -> None:
        """Leave the page and stop its kernel: a class has one chapter open."""
        page.close()
        for session in self.api("sessions") or []:
            self.api(f"sessions/{session['id']}", "DELETE")


def follow(page: Page, name: str) -> Page:
    """Clicks the first link to the notebook that the one in front has."""
    page.locator(f'.jp-NotebookPanel:visible a[href*="{name}.ipynb"]').first.click()
    opened(page, name)
    return page


def opened(page: Page, name: str) -> None:
    """Waits until the class notebook of this name is in front."""
    page.wait_for_function(
        """(path) => {
          const panel = jupyterapp.shell.currentWidget;
          if (panel?.context?.path !== path || !panel.context.isReady) return false;
          return panel.content.widgets.length === panel.context.model.cells.length;
        }""",
        arg=f"class/{name}.ipynb",
    )


def live(page: Page) -> Locator:
    """The live figure of the active cell."""
    return page.locator(".jp-NotebookPanel:visible .jp-CodeCell.jp-mod-active .live-fig").first


def run_all(page: Page) -> Ran:
    """Run > Run All Cells, by the menu, to the last cell or the first error."""
    page.wait_for_function(f"({PROGRESS})().status === 'idle'")
    begun = time.monotonic()
    page.get_by_role("menubar").get_by_text("Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    while True:
        now = page.evaluate(PROGRESS)
        passed = time.monotonic() - begun
        done = now["executed"] == now["cells"] and now["status"] == "idle"
        if done or now["errors"] or passed > PATIENCE:
            break
        page.wait_for_timeout(250)
    errors = now["errors"] or ([] if done else [f"not at the end after {passed:.0f} s: {now}"])
    usage = json.loads(ask(page, USAGE)) if done else {"cpu": 0.0, "waited": 0.0, "memory": 0.0}
    return Ran(seconds=passed, cells=now["cells"], errors=errors, **usage)


def ask(page: Page, code: str) -> str:
    """What the kernel of the open notebook prints."""
    said: str = page.evaluate(ASK, code)
    return said


CELL = """() => {
  const { executionCount, outputs } = jupyterapp.shell.currentWidget.content.activeCell.model;
  return { count: executionCount, outputs: outputs.toJSON() };
}"""


def type_in(page: Page, text: str, code: str) -> str:
    """Write `code` in the place of the first cell whose source holds `text`, by keys, and run it;
    what it printed."""
    show(page, text)
    before = page.evaluate(CELL)["count"]
    page.locator(".jp-NotebookPanel:visible .jp-CodeCell.jp-mod-active .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    page.wait_for_function(f"(before) => ![before, null].includes(({CELL})().count)", arg=before)
    page.wait_for_function(f"({PROGRESS})().status === 'idle'")
    return "".join(output.get("text", "") for output in page.evaluate(CELL)["outputs"])


def unsaved(page: Page) -> bool:
    """The open notebook has its mark of unsaved changes, long after its kernel started."""
    page.wait_for_function(f"({PROGRESS})().status === 'idle'")
    page.wait_for_timeout(3000)  # what a starting kernel changes, it changes after it is idle
    tab = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab.lm-mod-current.jp-mod-dirty")
    return page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty") or tab.count() > 0


def show(page: Page, text: str) -> None:
    """Scroll to the first cell whose source holds `text`, and again while cells above it grow.

    A notebook that was just opened may not find a cell that it never drew: then page by page."""
    page.evaluate(
        """async (text) => {
          const notebook = jupyterapp.shell.currentWidget.content;
          const source = ({ model }) => model.sharedModel.getSource();
          const at = notebook.widgets.findIndex((cell) => source(cell).includes(text));
          if (at < 0) throw new Error(`no cell has ${text}`);
          notebook.activeCellIndex = at;
          const cell = notebook.widgets[at].node, pane = notebook.outerNode ?? notebook.node;
          let before = NaN;
          for (let turn = 0; turn < 80; turn += 1) {
            if (turn && !cell.isConnected) {
              const first = notebook.widgets.findIndex(({ node }) => node.isConnected);
              pane.scrollBy(0, at < first ? -pane.clientHeight : pane.clientHeight);
            } else await notebook.scrollToItem(at, "start");
            await new Promise((done) => setTimeout(done, 250));
            const { top, height } = cell.getBoundingClientRect();
            const { top: edge, bottom } = pane.getBoundingClientRect();
            const seen = height > 0 && top < bottom && top + height > edge;
            if (seen && top === before) return;
            before = top;
          }
          throw new Error(`the cell with ${text} does not come into view`);
        }""",
        text,
    )


def drawn(figure: Locator) -> list[str | None]:
    """The curves of a live figure, as paths."""
    found: list[str | None] = figure.locator("path[data-series]").evaluate_all(
        "(paths) => paths.map((path) => path.getAttribute('d'))"
    )
    return found
