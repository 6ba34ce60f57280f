# Every target installs what it needs first. `make` alone prints this list.

VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.installed
RULE ?=

UI := blueprint/explorer/ui

DEMO := build/gpt3-175b.bundle.json
DEMO_REPORT := build/gpt3-175b.report.json
DEMO_PAGE := build/gpt3-175b.html

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test check static fmt format lint type arch trusted ui ui-check proofs cover prove recheck docs \
	bench mutate mutate-laws mutate-bundles mutate-core soak soak-determinism wheel clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## create .venv and install everything into it

# PYTHON, when given, is taken as it is; otherwise the first interpreter that is new enough.
$(STAMP): pyproject.toml
	@for python in $${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do \
	    if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	    echo "Blueprint needs Python 3.11 or newer and found none. Install one, or name it: make setup PYTHON=/path/to/python3" >&2; \
	    exit 1; \
	fi; \
	echo "Installing into $(VENV) with $$($$found --version)"; \
	$$found -m venv $(VENV) || { \
	    echo "Python could not create $(VENV). On Debian and Ubuntu, install the package python3-venv and try again." >&2; \
	    exit 1; \
	}
	@$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev,recheck]'
	@touch $(STAMP)

demo: $(STAMP) ## derive one GPT-3 175B training block, verify it and make a page of it
	@mkdir -p build
	$(BIN)/blueprint derive training --model gpt3-175b --tensor 8 --pipeline 8 --data 8 --microbatch 1 --sequence 2048 \
	    --dtype bfloat16 --recompute selective --communication sequence-parallel -o $(DEMO)
	$(BIN)/blueprint verify $(DEMO) --report json=$(DEMO_REPORT)
	$(BIN)/blueprint -q explore $(DEMO) -o $(DEMO_PAGE)
	@echo "The page to look at: $(DEMO_PAGE)"

test: $(STAMP) ## run all tests
	@$(PY) -m pytest

check: static cover ## everything: static checks, then the tests with coverage

static: format lint type arch trusted ui-check proofs ## every check that runs no test

fmt: $(STAMP) ## format the code and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

format: $(STAMP) ## check the formatting
	@$(BIN)/ruff format --check .

lint: $(STAMP) ## check the style
	@$(BIN)/ruff check .

type: $(STAMP) ## check the types
	@$(BIN)/mypy

arch: $(STAMP) ## check the direction of imports
	@$(BIN)/lint-imports --no-logo --no-cache

trusted: $(STAMP) ## count the trusted core against its caps
	@$(PY) tests/tools/trusted_lines.py

# The page's script is committed, so that neither an install nor an export needs Node; only these two do.
ui: $(STAMP) ## build the explorer's script and stylesheet from blueprint/explorer/ui
	@$(PY) -m tests.tools.payload_types --write
	@cd $(UI) && npm ci --silent && npm run --silent check && npm run --silent build

ui-check: $(STAMP) ## build them aside and compare
	@$(PY) -m tests.tools.payload_types
	@mkdir -p build/ui
	@cd $(UI) && npm ci --silent && npm run --silent check && node build.mjs $(CURDIR)/build/ui
	@diff -r build/ui blueprint/explorer/static || { echo "The committed page is not what its sources build: make ui" >&2; exit 1; }

proofs: $(STAMP) ## re-decide every recorded proof and compare it with the rules
	@$(BIN)/blueprint prove --check

cover: $(STAMP) ## run all tests with the coverage floor
	@$(PY) -m pytest --cov --cov-report=term-missing:skip-covered

prove: $(STAMP) ## prove and record the rules (RULE=family.name for one)
	@$(BIN)/blueprint prove $(RULE)

recheck: $(STAMP) ## re-decide the recorded obligations with cvc5, without Blueprint
	@$(PY) proofs/recheck.py

# The pages that code, laws and proofs determine are compared first: what is built is what holds. With --quiet, mkdocs
# would not count its warnings.
docs: $(STAMP) ## build the documentation into build/site and check its links
	@$(PY) -m tests.tools.site
	@$(PY) -m mkdocs build --strict
	@$(PY) -m tests.tools.site.links build/site

bench: $(STAMP) ## measure time and memory against their targets
	@$(PY) tests/bench/bench.py

mutate: mutate-bundles mutate-laws ## plant faults in bundles, laws and the derivation: every one must be caught

mutate-laws: $(STAMP) ## plant faults in laws and the derivation and count those that are caught
	@$(PY) tests/mutation/mutate.py

mutate-bundles: $(STAMP) ## put good bundles wrong and count those that are stopped
	@$(PY) -m tests.mutation.bundles

soak: $(STAMP) ## verify 10,000 drawn derivations (WORKERS=n: in as many processes)
	@$(PY) -m tests.soak.validity

soak-determinism: $(STAMP) ## derive and verify in many surroundings: the same bytes
	@$(PY) -m tests.soak.determinism

.PHONY: hostile fuzz soak-deciders

hostile: $(STAMP) ## measure hostile input against its limits of time and memory
	@$(PY) -m tests.hostile.survey

SECONDS ?= 600
fuzz: $(STAMP) ## fuzz decoding and verifying for SECONDS=600
	@$(PY) -m pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	@$(PY) -m tests.fuzz $(SECONDS)

# CHANGED=<commit> takes only lines that have changed since; MOST=<n> so many mutants, MINUTES=<n> so much time.
mutate-core: $(STAMP) ## mutate the trusted core's source and count what the tests notice
	@$(PY) -m tests.mutation.core $(MODULES) $(if $(CHANGED),--changed $(CHANGED)) $(if $(MOST),--most $(MOST)) \
	    $(if $(MINUTES),--minutes $(MINUTES))

wheel: $(STAMP) ## build the wheel into dist/
	@$(PY) -m build --wheel --no-isolation

clean: ## remove everything that was built, .venv included
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov
	find blueprint rules proofs tests -name __pycache__ -type d -prune -exec rm -rf {} +
