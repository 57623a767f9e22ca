"""python -m tests.mutations [part of a name ...]"""

import sys

from tests.mutations.catalogue import MUTATIONS
from tests.mutations.runner import run

wanted = [m for m in MUTATIONS if all(part in m.name for part in sys.argv[1:])]
sys.exit(1 if run(wanted) or not wanted else 0)
