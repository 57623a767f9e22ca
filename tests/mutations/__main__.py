"""python -m tests.mutations [part of a name ...]"""

import sys

from tests.mutations.catalogue import MUTATIONS
from tests.mutations.runner import run

parts = sys.argv[1:]
wanted = [m for m in MUTATIONS if all(part in m.name for part in parts)]
if not wanted:
    sys.exit(f"no mutation has {' and '.join(parts)} in its name; they stand in tests/mutations")
sys.exit(bool(run(wanted)))
