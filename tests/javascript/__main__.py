"""Format, lint and types of the scripts: `python -m tests.javascript`, with `--write` mended first.

Biome and TypeScript come from npm, as `package-lock.json` here pins them; their settings stand in
`biome.jsonc` and `tsconfig.json` at the root, where editors look for them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from book._ext.node_tools import install, program

ROOT = Path(__file__).resolve().parents[2]


def main(words: list[str]) -> int:
    modules = install(Path(__file__).parent)
    biome = [str(modules / "@biomejs" / "biome" / "bin" / "biome"), "check", *words]
    calls = ([*biome, "--error-on-warnings"], [str(modules / "typescript" / "bin" / "tsc")])
    return max(
        subprocess.run([*program("node"), *call], cwd=ROOT, check=False).returncode
        for call in calls
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
