"""Sentences of README that can be compared with what they are about, and whether they hold."""

from __future__ import annotations

import json
import tomllib

import torch
from linear_icl.landscape import FixedCovariance

from book._forms.moving_picture import ALT
from tests.text.ties import ROOT


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
    f"![{ALT.rstrip('.')}](book/_page/hero.svg)": (ROOT / "book/_page/hero.svg").exists(),
    "make book # build the book: needs Python 3.11 and make, nothing else": WHEEL["requires-python"]
    == ">=3.11",
    "make test # run its tests": "test: $(READY)" in MAKE,
    "It asks three questions. *Can* a linear attention layer learn in context? Does *gradient "
    "training* find the weights that do? *How long* must contexts be?": "## Three questions"
    in INTRO,
    "Every theorem stands beside a **receipt**: an executed check of two independent computations, "
    "whose failure stops the build.": "two independent computations" in read("CONTRIBUTING.md"),
    "- **Teach or follow a class** in JupyterLab: `make lab` opens the chapters as notebooks. "
    "`binder/` describes the class environment, for Binder in `requirements.txt`, for a hub in "
    "`hub.txt`;": (ROOT / "binder/hub.txt").exists(),
    "`make slides` cuts each chapter into slides whose figures are live; `make instructor` opens "
    "every solution and writes problem sheets with keys (`SEED=anna`: other numbers). `make pdf` "
    "prints the whole book, with contents, links and page numbers.": "instructor --seed $(SEED)"
    in MAKE,
    "On Linux, PyPI's `torch` brings several GB of CUDA. Without a GPU take the CPU build: `make "
    "book TORCH_INDEX=https://download.pytorch.org/whl/cpu`.": "make book "
    "TORCH_INDEX=https://download.pytorch.org/whl/cpu" in MAKE,
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
    'pip install "git+ADDRESS#subdirectory=lib" # ADDRESS: where you cloned this from': (
        ROOT / "lib/pyproject.toml"
    ).exists(),
    "# U = σI/√d, u = σ": all(
        bool(torch.equal(part, whole))
        for part, whole in zip(
            FixedCovariance(torch.eye(2), 8).start(0.1),
            (0.1 * torch.eye(2) / 2**0.5, torch.tensor(0.1)),
            strict=True,
        )
    ),
    "`lib/` (as in matplotlib's repository) holds two packages in one wheel: `linear_icl`, the "
    "mathematics, which needs torch, NumPy and jaxtyping only (to train the transformers of "
    "chapter 8 also `[experiments]`: lightning-fabric, and torch 2.9), and `linear_icl_book`, what "
    "the notes need beside it: figures, live figures, receipts, exercises, the claims of chapter "
    "8.": {one.split(">")[0] for one in WHEEL["dependencies"]} - {"matplotlib"}
    == {"torch", "numpy", "jaxtyping"}
    and WHEEL["optional-dependencies"]["experiments"] == ["lightning-fabric>=2.5", "torch>=2.9"],
    "`.ci/run` checks format, lint, types, unit tests, the printed numbers of every page, the "
    "strict build, and the built pages in Chromium (offline, keyboard, dark, 360 px, no "
    "JavaScript, accessibility rules).": all(
        f"make {name}" in CI for name in ("check", "test", "book", "test-pages")
    ),
    "Tested with Python 3.11 on Linux with the versions of `constraints.txt`.": (
        'python-version: "3.11"' in read(".github/workflows/book.yml")
    ),
    "Code: MIT. Prose and figures: CC BY 4.0. See [LICENSE](LICENSE); to cite, "
    "[CITATION.cff](CITATION.cff); to help, [CONTRIBUTING.md](CONTRIBUTING.md).": "Prose, formulas "
    "and figures (the text of book/*.md and what it renders to): Creative Commons Attribution 4.0"
    in LICENSE
    and WHEEL["license"] == "MIT",
}
