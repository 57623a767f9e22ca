"""Random small breakages of the numerical modules: what share do the unit tests see?

`python -m tests.mutations.sampled --count 60 [--seed 0] [--minutes 20] [part of a module ...]`

Draws the mutants of `sites` evenly over the modules, runs the tests of the module on each until
one fails, and prints the share killed and every survivor. `equivalent.yml` lists the mutants that
change nothing that matters, with the reason. Verdicts are kept in _build/mutants.json as long as
module and tests stay the same, so that a run that was cut off, or the same seed with a larger
count, goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import yaml

from tests.mutations.runner import PACKAGE, ROOT, UNIT, copied
from tests.mutations.sites import Site, sites

FLOW = ["solve", "places", "spectral", "reduced", "collocation", "exponentials", "roots"]
RADAU = ["system", "tables", "stages", "march", "dense", "curvature", "rest"]
FLOW += ["validation", *(f"radau/{one}" for one in RADAU)]
#: Module: the unit tests that judge it.
TESTS = {
    "lsa.py": ("test_lsa.py",),
    "_layers.py": ("test_lsa.py", "test_deep.py", "ltb/test_block.py"),
    "landscape/fixed.py": ("landscape/test_fixed.py", "landscape/test_product.py"),
    "landscape/apart.py": ("landscape/test_apart.py",),
    "landscape/product.py": ("landscape/test_fixed.py", "landscape/test_product.py"),
    "landscape/full.py": ("landscape/test_full.py",),
    "landscape/noise.py": ("landscape/test_noise.py",),
    "gaussian.py": ("test_gaussian.py",),
    "_kernels.py": ("test_gaussian.py", "test_lsa.py"),
    "prompts.py": ("test_prompts.py", "test_prompts_moment.py"),
    "labels.py": ("test_labels.py",),
    "estimators.py": ("test_estimators.py",),
    "softmax.py": ("test_softmax.py",),
    **{f"flow/{one}.py": ("flow/test_flow.py", "flow/test_everywhere.py") for one in FLOW},
}
RECORD = ROOT / "_build" / "mutants.json"
EQUIVALENT = Path(__file__).with_name("equivalent.yml")
# Imported once, before the forks; never the package itself.
HEAVY = ("torch", "numpy", "scipy.linalg", "scipy.integrate", "sympy")


def equivalent() -> dict[str, dict[str, str]]:
    """Module: the name of each mutant that changes nothing, and why."""
    return yaml.safe_load(EQUIVALENT.read_text("utf-8")) or {}


def draw(modules: Sequence[str], seed: int) -> list[tuple[str, Site]]:
    """All mutants of the modules, shuffled, one of each module in turn; no equivalent ones."""
    excused, columns = equivalent(), []
    for module in modules:
        found = sites((ROOT / PACKAGE / module).read_text("utf-8"))
        found = [site for site in found if site.name not in excused.get(module, {})]
        random.Random(f"{seed} {module}").shuffle(found)
        columns.append([(module, site) for site in found])
    return [pair for row in zip_longest(*columns) for pair in row if pair is not None]


def key(tree: Path, module: str, site: Site) -> str:
    """What a verdict depends on: the mutant, its module and the tests."""
    judged = [tree / PACKAGE / module, *(tree / UNIT[PACKAGE] / t for t in TESTS[module])]
    everything = "".join(path.read_text("utf-8") for path in judged)
    return f"{module} {site.name} {hashlib.sha256(everything.encode()).hexdigest()[:12]}"


def judge(tree: Path, tests: Sequence[str], limit: float) -> str:
    """ "killed", "survived" or "timeout": pytest in a fork that has torch but not the package."""
    child = os.fork()
    if child == 0:
        os.setsid()  # so that what it starts ends with it
        os.chdir(tree)
        sys.path[:0] = [str(tree / "lib")]
        sys.dont_write_bytecode = True
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1), os.dup2(silence, 2)
        import pytest

        plugins = ("no:cacheprovider", "no:xdist", "tests.mutations.imported")
        options = [option for plugin in plugins for option in ("-p", plugin)]
        files = [str(UNIT[PACKAGE] / test) for test in tests]
        os._exit(int(pytest.main(["-x", "-q", "-o", "addopts=" + ADDOPTS, *options, *files])))
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if status == 0 else "killed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


# Those of pyproject.toml without xdist's.
CHECKED = "linear_icl,linear_icl_book,beartype.beartype"
ADDOPTS = f"--import-mode=importlib --jaxtyping-packages={CHECKED}"


def run(wanted: Sequence[tuple[str, Site]], minutes: float) -> tuple[list[str], Counter[str]]:
    """The survivors, and how many mutants were judged and killed, by module."""
    for name in HEAVY:
        importlib.import_module(name)
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.is_file() else {}
    start, survivors, counts = time.monotonic(), [], Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree, times = copied(Path(folder)), dict[tuple[str, ...], float]()
        for module, site in wanted:
            kept = key(tree, module, site)
            if kept not in record:
                if time.monotonic() - start > 60 * minutes:
                    break
                if TESTS[module] not in times:
                    began = time.monotonic()
                    if judge(tree, TESTS[module], 600) != "survived":
                        raise RuntimeError(f"{TESTS[module]} must pass before anything is broken")
                    times[TESTS[module]] = time.monotonic() - began
                file = tree / PACKAGE / module
                whole = file.read_text("utf-8")
                file.write_text(site.text, "utf-8")
                record[kept] = judge(tree, TESTS[module], 10 + 4 * times[TESTS[module]])
                file.write_text(whole, "utf-8")
                RECORD.parent.mkdir(exist_ok=True)
                RECORD.write_text(json.dumps(record, indent=0, ensure_ascii=False), "utf-8")
            counts[f"{module} judged"] += 1
            counts[f"{module} killed"] += record[kept] != "survived"
            if record[kept] == "survived":
                survivors.append(f"{PACKAGE / module}:{site.line}  {site.name}")
                print("SURVIVED", survivors[-1], flush=True)
    return survivors, counts


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=20, help="start no mutant after these")
    parser.add_argument("module", nargs="*", help="part of a module's name")
    given = parser.parse_args(arguments)
    modules = [m for m in TESTS if not given.module or any(part in m for part in given.module)]
    survivors, counts = run(draw(modules, given.seed)[: given.count], given.minutes)
    print(f"{'module':<22}{'judged':>8}{'killed':>8}{'share':>8}")
    for module in [m for m in modules if counts[f"{m} judged"]]:
        judged, killed = counts[f"{module} judged"], counts[f"{module} killed"]
        print(f"{module:<22}{judged:>8}{killed:>8}{killed / judged:>8.0%}")
    judged = sum(counts[f"{m} judged"] for m in modules)
    print(f"{judged - len(survivors)} of {judged} mutants killed")
    return 1 if survivors or not judged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
