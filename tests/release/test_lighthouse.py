"""Lighthouse on every chapter of the built book, as on a public host: localhost, gzip, a desktop.

The median of three runs is judged, because a busy machine takes from the performance; the table
at the end says how busy it was.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any

import pytest

from book._ext.node_tools import install, program
from book._forms import chromium
from tests.pages.conftest import book_pages, pages_with_figures
from tests.pages.site import Site

NODE = Path(__file__).parent / "node"
RUNS = 3
LEAST = {"performance": 95, "accessibility": 100, "best-practices": 100}
SHOWN = {
    "LCP": "largest-contentful-paint",
    "TBT": "total-blocking-time",
    "CLS": "cumulative-layout-shift",
}
PAGES = [name for name in book_pages() if name in pages_with_figures()]


def lighthouse(url: str) -> dict[str, Any]:
    """What Lighthouse reports of one visit."""
    command = [
        *program("node"),
        str(install(NODE) / "lighthouse" / "cli" / "index.js"),
        url,
        "--quiet",
        "--preset=desktop",
        "--output=json",
        f"--only-categories={','.join(LEAST)}",
        "--chrome-flags=" + " ".join(["--headless=new", *map(quoted, chromium.FLAGS)]),
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "CHROME_PATH": chromium.program()},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def quoted(flag: str) -> str:
    name, _, value = flag.partition("=")
    return f'{name}="{value}"' if value else name


def score(report: dict[str, Any], category: str) -> int:
    share: float = report["categories"][category]["score"]
    return round(100 * share)


def faults(report: dict[str, Any]) -> list[str]:
    """The audits that cost points, and where."""
    lost = []
    for category in LEAST:
        for part in report["categories"][category]["auditRefs"]:
            audit = report["audits"][part["id"]]
            if part["weight"] and audit["score"] is not None and audit["score"] < 1:
                items = audit.get("details", {}).get("items", [])[:3]
                where = [item.get("node", {}).get("selector") or str(item)[:120] for item in items]
                lost.append(f"{part['id']}: {audit.get('displayValue', '')} {where}")
    return lost


@pytest.mark.parametrize("name", PAGES)
def test_lighthouse_gives_full_marks(site: Site, name: str, report: list[str]) -> None:
    found = [lighthouse(f"{site.url}/{name}.html") for _ in range(RUNS)]
    scores = {key: [score(one, key) for one in found] for key in LEAST}
    marks = {key: round(statistics.median(values)) for key, values in scores.items()}
    middle = sorted(found, key=lambda one: score(one, "performance"))[RUNS // 2]
    shown = "  ".join(f"{key} {middle['audits'][SHOWN[key]]['displayValue']}" for key in SHOWN)
    report.append(
        f"{name:30} {' / '.join(map(str, marks.values()))}  of {scores['performance']}  {shown}"
        f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()}"
    )
    assert {k: v for k, v in marks.items() if v < LEAST[k]} == {}, faults(middle)
