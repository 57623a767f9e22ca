"""Recorded numbers stay as they were recorded: no test trains a model again.

After a new recording `python -m tests.unit.repository.test_records` lists the digests anew.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "lib/linear_icl/nonlinear/data"
LISTED = Path(__file__).with_name("records.txt")


def digests() -> list[str]:
    """ "compared/d20-fixed.json 1a2b3c4d" for each file."""
    files = sorted(DATA.rglob("*.json"))
    return [
        f"{path.relative_to(DATA).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()[:8]}"
        for path in files
    ]


def test_a_record_is_what_the_command_wrote() -> None:
    """Else: undo the change, or list the digest of what the command has written since."""
    listed, found = LISTED.read_text("utf-8").splitlines(), digests()
    assert sorted({*found} ^ {*listed}) == []
    assert len(found) > 20


if __name__ == "__main__":
    LISTED.write_text("\n".join(digests()) + "\n", "utf-8")
