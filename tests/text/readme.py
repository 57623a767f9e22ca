"""What README says, sentence by sentence, and whether it holds; one without a row is a fault.

HAND marks what nothing here can compute: read it in README when it changes.
"""

from __future__ import annotations

import json
import tomllib

from book._forms.moving_picture import ALT
from tests.text.ties import ROOT

HAND = True


def read(path: str) -> str:
    return " ".join((ROOT / path).read_text("utf-8").split())


MAKE, CI, LICENSE = map(read, ("Makefile", ".ci/run", "LICENSE"))
INTRO = read("book/intro.md")
WHEEL = tomllib.loads((ROOT / "lib/pyproject.toml").read_text("utf-8"))["project"]
RECORDS = [
    json.loads(path.read_text("utf-8"))
    for path in (ROOT / "lib/linear_icl/nonlinear/data").glob("*.json")
    if not path.name.startswith(("d1-", "d20-"))
]
HOURS = sum(sum(one["provenance"]["cpu_seconds"]) for one in RECORDS) / 3600

SENTENCES = {
    "# Linear transformers learn in context": "title: Linear transformers learn in context"
    in read("_config.yml"),
    "**Show a transformer a few examples and it learns a rule, without changing a weight. Here is "
    "exactly what it learned.**": "it learns a rule, without changing a weight. Here is exactly "
    "what it learned." in INTRO,
    f"![{ALT.rstrip('.')}](book/_page/hero.svg)": HAND,
    "make book # build the book: needs Python 3.11 and make, nothing else": WHEEL["requires-python"]
    == ">=3.11",
    "make test # run its tests": "test: $(READY)" in MAKE,
    "A book of executable lecture notes on in-context learning in linear transformers, and "
    "`linear_icl`, the small package behind it.": HAND,
    "It asks three questions. *Can* a linear attention layer learn in context? Does *gradient "
    "training* find the weights that do? *How long* must contexts be?": "## Three questions"
    in INTRO,
    "Every theorem stands beside a **receipt**: an executed check of two independent computations, "
    "whose failure stops the build.": "two independent computations" in read("CONTRIBUTING.md"),
    "## Three ways to use it": HAND,
    "- **Read** the built book: `make book`, then open `_build/html/index.html`. It needs no "
    "network and no kernel, and its figures still have working controls.": HAND,
    "- **Teach or follow a class** in JupyterLab: `make lab` opens the chapters as notebooks. "
    "`binder/` describes the class environment, for Binder in `requirements.txt`, for a hub in "
    "`hub.txt`;": (ROOT / "binder/hub.txt").exists(),
    "[book/teaching.md](book/teaching.md) has courses, plans and questions, "
    "[book/one_lecture.md](book/one_lecture.md) one hour written out, "
    "[book/running.md](book/running.md) the ways to run it.": HAND,
    "Without any of it, each page offers its notebook and the package to download.": HAND,
    "`make slides` cuts each chapter into slides whose figures are live; `make instructor` opens "
    "every solution and writes problem sheets with keys (`SEED=anna`: other numbers). `make pdf` "
    "prints the whole book, with contents, links and page numbers.": "instructor --seed $(SEED)"
    in MAKE,
    "- **Study alone**: predict, move the figures, do the exercises. Their solutions are folded, "
    "and those in code are executed.": HAND,
    "On Linux, PyPI's `torch` brings several GB of CUDA. Without a GPU take the CPU build: `make "
    "book TORCH_INDEX=https://download.pytorch.org/whl/cpu`.": "make book "
    "TORCH_INDEX=https://download.pytorch.org/whl/cpu" in MAKE,
    "Without make, in any environment and on any system:": HAND,
    "pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu # optional, see "
    "above": "torch==2.13.0" in read("constraints.txt"),
    "pip install -r requirements.txt -c constraints.txt": "install -r requirements.txt"
    in MAKE.replace("$(INSTALL)", "install"),
    "jupyter-book build .": "jupyter-book build ." in MAKE,
    "python -m pytest --nbval book": "python -m pytest --nbval" in MAKE,
    "`make help` lists the rest: browser tests of the pages, format and types, benchmarks, "
    "deliberate breakages.": "make mutants break the package on purpose" in MAKE,
    "`make experiments-small` trains the small transformers of chapter 8 again (half an hour on "
    "two cores);": 0.25 < HOURS / 2 < 0.6,
    "`make experiments` those of dimension 20, after it has printed how many hours they take; "
    "`python -m linear_icl.nonlinear --list` names every recipe.": "experiments --plan --data"
    in MAKE,
    "Seeds recorded in several sittings, at one revision, become one record by `--merge`.": HAND,
    "## The package alone": HAND,
    'pip install "git+ADDRESS#subdirectory=lib" # ADDRESS: where you cloned this from': (
        ROOT / "lib/pyproject.toml"
    ).exists(),
    "# the training loss of the layer": HAND,
    "# U = σI/√d, u = σ": HAND,  # test_readme.py computes it
    "# where it ends (Theorem 3.3)": HAND,  # test_readme.py compares book/numbers.json
    "# exact": HAND,
    "Inputs may be tensors, arrays or lists; a tensor's device and dtype are kept. Wrong input "
    "raises a `ValueError`, or a `TypeError` where an object is of another kind, that says what "
    "came and what to do.": HAND,
    "`lib/` (as in matplotlib's repository) holds two packages in one wheel: `linear_icl`, the "
    "mathematics, which needs torch, NumPy and jaxtyping only (to train the transformers of "
    "chapter 8 also `[experiments]`: lightning-fabric, and torch 2.9), and `linear_icl_book`, what "
    "the notes need beside it: figures, live figures, receipts, exercises, the claims of chapter "
    "8.": {one.split(">")[0] for one in WHEEL["dependencies"]} - {"matplotlib"}
    == {"torch", "numpy", "jaxtyping"}
    and WHEEL["optional-dependencies"]["experiments"] == ["lightning-fabric>=2.5", "torch>=2.9"],
    "## What is tested, and what is not": HAND,
    "`.ci/run` checks format, lint, types, unit tests, the printed numbers of every page, the "
    "strict build, and the built pages in Chromium (offline, keyboard, dark, 360 px, no "
    "JavaScript, accessibility rules).": all(
        f"make {name}" in CI for name in ("check", "test", "book", "test-pages")
    ),
    "Tested with Python 3.11 on Linux with the versions of `constraints.txt`.": (
        'python-version: "3.11"' in read(".github/workflows/book.yml")
    ),
    "Not tested: older versions, which `lib/pyproject.toml` admits, macOS, Windows, Firefox, "
    "Safari, screen readers, a GPU.": HAND,
    "`make release-check` installs `binder/` with pip, runs every chapter there in JupyterLab, and "
    "reads what repo2docker would do with it, but no image was built; the workflows in `.github/` "
    "have not run on their host.": HAND,
    "Code: MIT. Prose and figures: CC BY 4.0. See [LICENSE](LICENSE); to cite, "
    "[CITATION.cff](CITATION.cff); to help, [CONTRIBUTING.md](CONTRIBUTING.md).": "Prose, formulas "
    "and figures (the text of book/*.md and what it renders to): Creative Commons Attribution 4.0"
    in LICENSE
    and WHEEL["license"] == "MIT",
}
