"""Which source a run was made with."""

import subprocess
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
RECORDS = "nonlinear/data"  # what the source makes, and no part of it


def revision(package: Path = PACKAGE) -> str:
    """The last commit that changed the package, with a + if it differs from that; or "unknown".

    Records do not count, written or committed: the revision stays the same from one to the next.
    """
    what = ("--", ".", f":(exclude){RECORDS}")

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(package), *words, *what], capture_output=True, text=True, timeout=20
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        commit = git("log", "-1", "--format=%h", "--abbrev=12")
        changed = bool(git("status", "--porcelain"))
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return commit + "+" * changed if commit else "unknown"
