# make book   build the book          make test   run the tests
# Both start from nothing but Python 3.11 (or newer) and make, and do only what has changed.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
# A package index for torch alone. On Linux without a GPU:
#   make book TORCH_INDEX=https://download.pytorch.org/whl/cpu
TORCH_INDEX ?=
WORKERS ?= 2
# How many random breakages `make mutants` tries after those made by hand.
MUTANTS ?= 60
# Whose numbers the problem sheets of `make instructor` have.
SEED ?= class

export OMP_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1

BIN := .venv/bin
READY := .venv/ready
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: help book pdf slides instructor test test-pages check bench experiments experiments-small mutants release-check lab lock clean

help:
	@echo "make book        build the book in _build/html"
	@echo "make pdf         the whole book as one PDF, linked from its first page (needs Chromium)"
	@echo "make slides      slides of every chapter, linked from its page"
	@echo "make instructor  every solution open, problem sheets and keys: SEED=\"anna ben\", a set for each"
	@echo "make test        unit tests and notebook tests, 95 % of the package covered"
	@echo "make test-pages  browser tests of the built book (needs Chromium)"
	@echo "make check       format, lint, types"
	@echo "make lab         the chapters as notebooks in JupyterLab"
	@echo "make bench       timed comparisons of the solvers and samplers, the slowest exercise"
	@echo "make experiments  the transformers of dimension 20: prints the plan with its hours, then starts"
	@echo "make experiments-small   train and record the small transformers of chapter 8 again"
	@echo "make mutants     break the package on purpose; the tests must see it"
	@echo "make release-check   the class environment anew with every chapter in JupyterLab, Lighthouse, links outside"
	@echo "make lock        write constraints.txt anew from requirements.txt"
	@echo "make clean       delete what was built (.venv stays)"

$(READY): requirements.txt constraints.txt lib/pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, found " + sys.version.split()[0] + "; name one: make PYTHON=...")'
	@echo "Installing into .venv (about 2 GB, a minute or more)"
	@"$(PYTHON)" -m venv .venv
	@$(if $(TORCH_INDEX),$(INSTALL) torch --index-url $(TORCH_INDEX))
	@$(INSTALL) -r requirements.txt
	@touch $@

book: $(READY)
	$(BIN)/jupyter-book build . -W -n --keep-going
	@echo "The book stands. Open $(CURDIR)/_build/html/index.html"

# The other forms are made from the finished pages.
pdf: book
	$(BIN)/python -m book._forms pdf

slides: book
	$(BIN)/python -m book._forms slides

instructor: book
	$(BIN)/python -m book._forms instructor --seed $(SEED)

test: $(READY)
	@# the pages first: they take longest
	$(BIN)/python -m pytest --nbval --doctest-modules book tests/unit lib/linear_icl lib/linear_icl_book -n $(WORKERS) --no-loadscope-reorder --cov
	$(BIN)/python -m pytest -q tests/receipts

test-pages: $(READY)
	@# a page is opened once, for all of its tests
	$(BIN)/python -m pytest tests/pages -n $(WORKERS) --dist=loadgroup

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m tests.javascript

bench: $(READY)
	$(BIN)/python -m benchmarks.flow
	$(BIN)/python -m benchmarks.flow_full
	$(BIN)/python -m benchmarks.moment
	$(BIN)/python -m benchmarks.risk
	$(BIN)/python -m benchmarks.nonlinear
	$(BIN)/python -m benchmarks.live
	$(BIN)/python -m benchmarks.exercises

# WORKERS processes of one thread each. Broken off, it goes on from the checkpoints in _build.
EXPERIMENT := $(BIN)/python -m linear_icl.nonlinear
RECORDS := lib/linear_icl/nonlinear/data
# The plan refuses a changed source. A record that stands is kept: delete it to make it anew.
experiments: $(READY)
	$(EXPERIMENT) experiments --plan --data $(RECORDS)
	$(EXPERIMENT) experiments --list | xargs -P $(WORKERS) -I{} sh -c \
		'test -e $(RECORDS)/{}.json || $(EXPERIMENT) {} --out _build/experiments --data $(RECORDS) --quiet'

experiments-small: $(READY)
	$(EXPERIMENT) small --list | xargs -P $(WORKERS) -I{} \
		$(EXPERIMENT) {} --out _build/experiments --data $(RECORDS) --replace --quiet
	$(EXPERIMENT) page --out _build/experiments --data $(RECORDS) --replace --quiet
	$(EXPERIMENT) page --out _build/experiments --data $(RECORDS) --weights

mutants: $(READY)
	$(BIN)/python -m tests.mutations
	$(BIN)/python -m tests.mutations.sampled --count $(MUTANTS)

# Slow, and it downloads: two environments with torch. Prints seconds and memory of each chapter.
release-check: $(READY)
	TORCH_INDEX=$(TORCH_INDEX) $(BIN)/python -m pytest tests/release

lab: $(READY)
	@$(INSTALL) jupyterlab jupyterlab-myst
	@PATH="$(CURDIR)/$(BIN):$$PATH" binder/lab

lock:
	rm -rf _build/lock
	"$(PYTHON)" -m venv _build/lock
	_build/lock/bin/pip install --quiet -r requirements.txt 'jupyterlab<4.6' jupyterlab-myst
	{ head -n 2 constraints.txt; _build/lock/bin/pip freeze --exclude-editable | sed 's/+[^+]*$$//'; } > _build/lock/constraints.txt
	mv _build/lock/constraints.txt constraints.txt
	rm -rf _build/lock

clean:
	rm -rf _build .pytest_cache .ruff_cache .mypy_cache .coverage
